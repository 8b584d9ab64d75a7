// SPDX-License-Identifier: Apache-2.0
// Files and descriptors: an owner for a descriptor, and output files that appear complete or not at all.
//
// Threads: an object is used by one thread at a time; different objects are independent.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/status.hpp"

namespace bobbin::file {

// A file descriptor, owned (closed by the destructor) or borrowed.
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
  // Returns 0, or the errno. A borrowed descriptor stays open.
  int close() {
    const int number = std::exchange(number_, -1);
    // Linux has closed it even when it reports EINTR.
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

// An error if a file ends before where it ended when it was opened.
[[nodiscard]] inline Status check_end(int64_t end, int64_t expected) {
  return end >= expected
             ? Status()
             : Status(StatusCode::io, "the file ends at byte " + std::to_string(end) + "; it had " +
                                          std::to_string(expected) + " bytes when it was opened");
}

// Checks whether a .bob file may begin with these bytes, of which there must be at least kBeginningBytes. For
// input that is read from a stream.
inline constexpr size_t kBeginningBytes = 16;
[[nodiscard]] BOBBIN_API Status check_beginning(std::span<const std::byte> bytes);

// A file in $TMPDIR, or /tmp, that has no name: it is gone when its descriptor is closed.
[[nodiscard]] BOBBIN_API Result<Descriptor> nameless_file();

// Where bytes are written, in order: an open descriptor, or a new file that gets its name only when all of it
// is safe on disk. Small writes are gathered.
class BOBBIN_API Output {
 public:
  // Fails if `path` exists, unless it is a regular file and `overwrite` is set.
  static Result<Output> create(const std::string& path, bool overwrite);
  // Writes to a descriptor that the caller closes.
  static Output borrow(int descriptor);

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output() { discard(); }

  // The new file gets the permissions, the time of the last change and, where that is allowed, the owner of
  // another one, which must stay open until commit().
  void take_attributes(int from);
  [[nodiscard]] Status write(std::span<const std::byte> bytes);
  // Writes the gathered bytes; then syncs the file, gives it its name and syncs the directory.
  [[nodiscard]] Status commit();
  // Removes the temporary file, if any. Nothing may be written afterwards.
  void discard();

  // Bytes written so far.
  [[nodiscard]] uint64_t position() const { return position_; }

 private:
  explicit Output(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  [[nodiscard]] Status flush();
  void copy_attributes() const;
  [[nodiscard]] Status give_name();

  Descriptor descriptor_;
  Descriptor directory_;
  std::string temporary_;  // a name in the directory; empty: there is no temporary file
  std::string name_;
  bool overwrite_ = false;
  int like_ = -1;  // take_attributes()
  uint64_t position_ = 0;
  std::vector<std::byte> held_;
};

}  // namespace bobbin::file
