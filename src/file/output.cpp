// SPDX-License-Identifier: Apache-2.0
#include "bobbin/io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

namespace bobbin::file {
namespace {

constexpr size_t kHeldBytes = size_t{256} << 10;  // small writes are buffered up to this size
constexpr size_t kMaxWrite = size_t{1} << 30;
constexpr int kNameAttempts = 64;
constexpr mode_t kNewFileMode = 0666;  // minus the umask

struct Place {
  std::string directory;
  std::string name;
};

Place split(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return {".", path};
  }
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

// Resolves symbolic links: replacing the target of a link must not replace the link.
Result<std::string> resolve(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  if (real == nullptr) {
    return io_error("create", errno);
  }
  return std::string(real.get());
}

Status write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), std::min(bytes.size(), kMaxWrite));
    if (put >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(put));
    } else if (errno == EAGAIN) {
      pollfd wait{.fd = descriptor, .events = POLLOUT, .revents = 0};
      (void)::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return io_error("write", errno);
    }
  }
  return {};
}

// Renames, but never over an existing file.
int rename_if_free(int directory, const char* from, const char* to) {
  if (::renameat2(directory, from, directory, to, RENAME_NOREPLACE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return errno;
  }
  // For file systems without that flag: creating a hard link also fails if the name is taken.
  if (::linkat(directory, from, directory, to, 0) != 0) {
    return errno;
  }
  (void)::unlinkat(directory, from, 0);
  return 0;
}

Status already_exists() {
  return {StatusCode::io, "create: the file already exists"};
}

}  // namespace

Output::Output(Output&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      directory_(std::move(other.directory_)),
      temporary_(std::exchange(other.temporary_, {})),
      name_(std::move(other.name_)),
      overwrite_(other.overwrite_),
      like_(other.like_),
      position_(other.position_),
      held_(std::move(other.held_)) {}

Output Output::borrow(int descriptor) {
  return Output(Descriptor::borrow(descriptor));
}

Result<Output> Output::create(const std::string& path, bool overwrite) {
  struct stat info {};
  const bool exists = ::lstat(path.c_str(), &info) == 0;
  std::string target = path;
  mode_t mode = kNewFileMode;
  if (exists) {
    if (!overwrite) {
      return already_exists();
    }
    BOBBIN_ASSIGN(target, resolve(path));
    // A device or a pipe is written to, never renamed over.
    if (::stat(target.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return Status(StatusCode::io, "create: it exists and is not a regular file");
    }
    mode = info.st_mode & 0777;
  }
  const Place place = split(target);
  if (place.name.empty()) {
    return Status(StatusCode::io, "create: the path does not name a file");
  }
  const int directory = ::open(place.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) {
    return io_error("create", errno);
  }
  Output output{Descriptor()};
  output.directory_ = Descriptor::own(directory);
  output.name_ = place.name;
  output.overwrite_ = overwrite;
  std::random_device random;
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    // In the same directory, so that the rename stays within one file system; short, so that it fits next to
    // any name.
    const std::string name = fmt::format(".bobbin-{}-{:08x}{:08x}.tmp", ::getpid(), random(), random());
    const int number = ::openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (number >= 0) {
      output.descriptor_ = Descriptor::own(number);
      output.temporary_ = name;
      return output;
    }
    if (errno != EEXIST) {
      return io_error("create", errno);
    }
  }
  return Status(StatusCode::io, "create: could not find a free name for a temporary file");
}

// Not every file system has them, and not every user may set them: the content matters more.
void Output::take_attributes(int from) {
  (void)::fchmod(descriptor_.get(), S_IRUSR | S_IWUSR);  // until commit() only the owner may read it
  like_ = from;
}

void Output::copy_attributes() const {
  struct stat info {};
  if (like_ < 0 || ::fstat(like_, &info) != 0) {
    return;
  }
  const bool owned = ::fchown(descriptor_.get(), info.st_uid, info.st_gid) == 0;
  const mode_t mode = info.st_mode & 0777;
  // Permissions of a group are not given to another group.
  (void)::fchmod(descriptor_.get(), owned ? mode : mode & ~static_cast<mode_t>(S_IRWXG));
  const timespec times[] = {info.st_atim, info.st_mtim};
  (void)::futimens(descriptor_.get(), times);
}

Status Output::write(std::span<const std::byte> bytes) {
  position_ += bytes.size();
  if (held_.size() + bytes.size() > kHeldBytes) {
    BOBBIN_TRY(flush());
  }
  if (bytes.size() > kHeldBytes) {
    return write_all(descriptor_.get(), bytes);
  }
  held_.insert(held_.end(), bytes.begin(), bytes.end());
  return {};
}

Status Output::flush() {
  BOBBIN_TRY(write_all(descriptor_.get(), held_));
  held_.clear();
  return {};
}

Status Output::commit() {
  BOBBIN_TRY(flush());
  if (temporary_.empty()) {
    return {};  // a borrowed descriptor: syncing is up to its owner
  }
  copy_attributes();
  if (::fsync(descriptor_.get()) != 0) {
    return io_error("sync", errno);
  }
  if (const int error = descriptor_.close(); error != 0) {
    return io_error("close", error);
  }
  return give_name();
}

Status Output::give_name() {
  const char* from = temporary_.c_str();
  const int error = !overwrite_ ? rename_if_free(directory_.get(), from, name_.c_str())
                    : ::renameat(directory_.get(), from, directory_.get(), name_.c_str()) == 0 ? 0
                                                                                               : errno;
  if (error == EEXIST) {
    return already_exists();
  }
  if (error != 0) {
    return io_error("rename", error);
  }
  temporary_.clear();
  // The name is durable once the directory is synced; some file systems cannot sync directories and return
  // EINVAL.
  if (::fsync(directory_.get()) != 0 && errno != EINVAL) {
    return io_error("sync of the directory", errno);
  }
  return {};
}

void Output::discard() {
  (void)descriptor_.close();
  if (!temporary_.empty()) {
    (void)::unlinkat(directory_.get(), temporary_.c_str(), 0);
    temporary_.clear();
  }
}

}  // namespace bobbin::file
