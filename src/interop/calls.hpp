// SPDX-License-Identifier: Apache-2.0
// Functions of Arrow streams, which other languages call.
#pragma once

#include <cerrno>
#include <new>
#include <string>

#include "bobbin/status.hpp"

namespace bobbin::interop {

[[nodiscard]] inline int error_number(const Status& status) {
  switch (status.code()) {
    case StatusCode::ok:
      return 0;
    case StatusCode::out_of_memory:
      return ENOMEM;
    case StatusCode::unsupported:
      return ENOSYS;
    case StatusCode::invalid_argument:
      return EINVAL;
    case StatusCode::cancelled:
      return ECANCELED;
    default:
      return EIO;
  }
}

// Keeps the text of the error in `message`. No exception may leave a function that other languages call.
template <class F>
int guarded(std::string& message, F&& body) {
  try {
    const Status status = body();
    if (!status.ok()) {
      message = status.message();
    }
    return error_number(status);
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (...) {
    return EIO;
  }
}

}  // namespace bobbin::interop
