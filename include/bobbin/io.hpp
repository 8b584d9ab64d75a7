// SPDX-License-Identifier: Apache-2.0
// Files and descriptors: an owner for a descriptor, who may use a file, and output files that appear complete
// or not at all.
//
// Threads: an object is used by one thread at a time; different objects are independent.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
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
// Whether these bytes are those that a .bob file begins and ends with, or the first of them if there are
// fewer.
inline constexpr size_t kSignatureBytes = 8;
[[nodiscard]] BOBBIN_API bool is_signature(std::span<const std::byte> bytes);

// A file in $TMPDIR, or /tmp, that has no name: it is gone when its descriptor is closed.
[[nodiscard]] BOBBIN_API Result<Descriptor> nameless_file();

// Who may do what with a file, as its owner, its group and its permission bits say.
struct Access {
  uid_t owner = 0;
  gid_t group = 0;
  mode_t mode = 0;  // the lowest nine bits

  // The access to an open file. Nothing for a pipe or a device: what comes from there has no owner. Only the
  // owner counts for a file with an access control list.
  [[nodiscard]] BOBBIN_API static std::optional<Access> of(int descriptor);
};

// Removes the temporary files of all Outputs that are not committed. For a signal handler, just before it
// ends the process: threads that would create further ones wait for that end.
BOBBIN_API void remove_unfinished();

// Where bytes are written, in order: an open descriptor, or a new file that gets its name, and its
// permissions, only when all of it is safe on disk. Until then nobody but its owner may read it, and it is
// called `.bobbin-*.tmp`. Such files of killed processes are removed when the same user creates the next one
// in that folder. Small writes are gathered.
class BOBBIN_API Output {
 public:
  // Fails if `path` exists, unless it is a regular file and `overwrite` is set. The new file then has the
  // permissions of the one that it replaces, and its owner and group where that is allowed; otherwise those
  // of any new file.
  static Result<Output> create(const std::string& path, bool overwrite);
  // Writes to a descriptor that the caller closes.
  static Output borrow(int descriptor);

  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output() { discard(); }

  // The new file gets the permissions, the time of the last change and, where that is allowed, the owner and
  // the group of another one, which must stay open until commit().
  void take_attributes(int from);
  // Nobody who may not read or write `source`, from which the content comes, may do so with the new file,
  // except its owner. Called for each source.
  void restrict_to(const Access& source) { sources_.push_back(source); }
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
  [[nodiscard]] Status set_access() const;
  [[nodiscard]] Status give_name();

  Descriptor descriptor_;
  Descriptor directory_;
  std::string temporary_;  // a name in the directory; empty: there is no temporary file
  size_t noted_ = 0;       // its number in file/unfinished.hpp
  std::string name_;
  bool overwrite_ = false;
  std::optional<Access> like_;  // of the file that is replaced or copied
  std::vector<Access> sources_;
  int times_from_ = -1;  // take_attributes()
  uint64_t position_ = 0;
  std::vector<std::byte> held_;
};

}  // namespace bobbin::file
