// SPDX-License-Identifier: Apache-2.0
#include "bobbin/status.hpp"

namespace bobbin {

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
  }
  return "unknown";
}

}  // namespace bobbin
