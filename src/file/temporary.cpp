// SPDX-License-Identifier: Apache-2.0
#include "file/temporary.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>

#include "file/unfinished.hpp"

namespace bobbin::file {
namespace {

// The name is short, so that it fits wherever the final one does.
constexpr std::string_view kTemporaryPrefix = ".bobbin-";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr size_t kTemporaryDigits = 16;
constexpr int kNameAttempts = 64;
// Looking through a folder should take no longer than creating a few files in it, and of the time of a
// process that creates many of them no more than one part in this many.
constexpr int kMostNames = 1 << 14;
constexpr int kShareOfTime = 32;

std::string random_name() {
  std::random_device random;
  return fmt::format("{}{:08x}{:08x}{}", kTemporaryPrefix, random(), random(), kTemporarySuffix);
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(kTemporaryPrefix) || !name.ends_with(kTemporarySuffix) ||
      name.size() != kTemporaryPrefix.size() + kTemporaryDigits + kTemporarySuffix.size()) {
    return false;
  }
  return std::ranges::all_of(name.substr(kTemporaryPrefix.size(), kTemporaryDigits),
                             [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Removes a file of this user, if no process has locked it.
void remove_if_left(int directory, const char* name) {
  struct stat named {};
  if (::fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(named.st_mode) ||
      named.st_uid != ::geteuid()) {
    return;
  }
  // O_NONBLOCK: it may have become a pipe meanwhile.
  const int number = ::openat(directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (number < 0) {
    return;
  }
  const Descriptor file = Descriptor::own(number);
  struct stat opened {};
  if (::flock(number, LOCK_EX | LOCK_NB) == 0 && ::fstat(number, &opened) == 0 &&
      opened.st_dev == named.st_dev && opened.st_ino == named.st_ino && opened.st_nlink != 0) {
    (void)::unlinkat(directory, name, 0);
  }
}

// Removes the files that killed processes left.
void look_through(int directory) {
  const int again = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(again < 0 ? nullptr : ::fdopendir(again), &::closedir);
  if (list == nullptr) {
    (void)Descriptor::own(again);
    return;
  }
  const dirent* entry = nullptr;
  for (int i = 0; i < kMostNames && (entry = ::readdir(list.get())) != nullptr; ++i) {
    if (is_temporary_name(entry->d_name)) {
      remove_if_left(directory, entry->d_name);
    }
  }
}

// The same, unless this process did so just now.
void look_through_if_due(int directory, const std::string& path) {
  using Clock = std::chrono::steady_clock;
  static std::mutex mutex;
  static std::string last;
  static Clock::time_point due;
  const std::lock_guard lock(mutex);
  const Clock::time_point start = Clock::now();
  if (path == last && start < due) {
    return;
  }
  look_through(directory);
  last = path;
  due = Clock::now() + kShareOfTime * (Clock::now() - start);
}

// False if another process took the new file for one that was left, and removes it. Where files cannot be
// locked, none is removed.
bool lock_new(int number) {
  struct stat info {};
  if (::flock(number, LOCK_EX | LOCK_NB) != 0) {
    return errno != EWOULDBLOCK;
  }
  return ::fstat(number, &info) == 0 && info.st_nlink != 0;
}

}  // namespace

Result<TemporaryFile> create_temporary(int directory, const std::string& path) {
  look_through_if_due(directory, path);
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    std::string name = random_name();
    const size_t noted = note_unfinished(directory, name);
    const int number = ::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                S_IRUSR | S_IWUSR);
    const int error = errno;
    Descriptor file = number < 0 ? Descriptor() : Descriptor::own(number);
    if (number >= 0 && lock_new(number)) {
      return TemporaryFile{.descriptor = std::move(file), .name = std::move(name), .noted = noted};
    }
    forget_unfinished(noted);
    if (number < 0 && error != EEXIST) {
      return io_error("create", error);
    }
  }
  return Status(StatusCode::io, "create: could not find a free name for a temporary file");
}

Result<Descriptor> nameless_file() {
  const char* directory = std::getenv("TMPDIR");
  std::string path =
      std::string(directory == nullptr || *directory == '\0' ? "/tmp" : directory) + "/bobbin-XXXXXX";
  const int number = ::mkostemp(path.data(), O_CLOEXEC);
  if (number < 0) {
    return io_error("temporary file " + path, errno);
  }
  (void)::unlink(path.c_str());
  return Descriptor::own(number);
}

}  // namespace bobbin::file
