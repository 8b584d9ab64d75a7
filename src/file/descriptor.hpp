// SPDX-License-Identifier: Apache-2.0
// A file descriptor with or without an owner, and errno as a Status.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "bobbin/status.hpp"

namespace bobbin::file {

class Descriptor {
 public:
  Descriptor() = default;
  static Descriptor own(int number) { return {number, true}; }
  static Descriptor borrow(int number) { return {number, false}; }

  Descriptor(Descriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)), owned_(std::exchange(other.owned_, false)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~Descriptor() { (void)close(); }

  [[nodiscard]] int get() const { return number_; }
  // 0, or the error. A borrowed descriptor stays open.
  int close() {
    const int number = std::exchange(number_, -1);
    // Linux has closed it even when it says EINTR.
    return std::exchange(owned_, false) && ::close(number) != 0 && errno != EINTR ? errno : 0;
  }

 private:
  Descriptor(int number, bool owned) : number_(number), owned_(owned) {}

  int number_ = -1;
  bool owned_ = false;
};

// "place: No such file or directory". `error` is an errno.
[[nodiscard]] inline Status io_error(const std::string& place, int error,
                                     SourcePlace where = SourcePlace::current()) {
  return {StatusCode::io, place + ": " + std::generic_category().message(error), where};
}

}  // namespace bobbin::file
