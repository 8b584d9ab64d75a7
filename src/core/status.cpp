// SPDX-License-Identifier: Apache-2.0
#include "bobbin/status.hpp"

#include <cstdio>
#include <cstdlib>

namespace bobbin {
namespace detail {

void fail_without_value(const Status& error) {
  std::fprintf(stderr, "bobbin: the value of a failed Result was used: %s: %s (%s:%d)\n",
               std::string(to_string(error.code())).c_str(), error.message().c_str(), error.where().file,
               error.where().line);
  std::abort();
}

void fail_without_error() {
  std::fputs("bobbin: a Result was made from a Status without an error\n", stderr);
  std::abort();
}

}  // namespace detail

std::string_view to_string(StatusCode code) {
  switch (code) {
    case StatusCode::ok:
      return "ok";
    case StatusCode::invalid_argument:
      return "invalid argument";
    case StatusCode::corrupt:
      return "corrupt";
    case StatusCode::unsupported:
      return "unsupported";
    case StatusCode::unavailable:
      return "unavailable";
    case StatusCode::out_of_memory:
      return "out of memory";
    case StatusCode::io:
      return "i/o error";
    case StatusCode::device:
      return "device error";
    case StatusCode::cancelled:
      return "cancelled";
  }
  return "unknown";
}

}  // namespace bobbin
