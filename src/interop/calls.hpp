// SPDX-License-Identifier: Apache-2.0
// Functions of Arrow streams, which other languages call.
#pragma once

#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <utility>

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
    case StatusCode::corrupt:  // what readers report as a wrong value, not as a failing device
      return EINVAL;
    case StatusCode::cancelled:
      return ECANCELED;
    default:
      return EIO;
  }
}

// No exception may leave a function that other languages call.
template <class F>
Status without_exceptions(F&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return {StatusCode::out_of_memory, "not enough memory"};
  } catch (const std::exception& error) {
    return {StatusCode::io, error.what()};
  }
}

// Keeps the text of the error in `message`.
template <class F>
int guarded(std::string& message, F&& body) {
  const Status status = without_exceptions(std::forward<F>(body));
  if (!status.ok()) {
    message = status.message();
  }
  return error_number(status);
}

}  // namespace bobbin::interop
