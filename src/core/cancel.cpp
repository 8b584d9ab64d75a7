// SPDX-License-Identifier: Apache-2.0
#include "bobbin/cancel.hpp"

namespace bobbin {
namespace {

thread_local const CancelScope* innermost = nullptr;

}  // namespace

CancelScope::CancelScope(const CancelToken& token) : token_(token), outer_(innermost) {
  innermost = this;
}

CancelScope::~CancelScope() {
  innermost = outer_;
}

Status CancelScope::check() {
  if (innermost != nullptr && innermost->token_.is_cancelled()) {
    return {StatusCode::cancelled, "cancelled"};
  }
  return {};
}

const CancelToken* CancelScope::current() {
  return innermost == nullptr ? nullptr : &innermost->token_;
}

}  // namespace bobbin
