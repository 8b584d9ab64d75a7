// SPDX-License-Identifier: Apache-2.0
#include "bobbin/io.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>

#include "file/temporary.hpp"
#include "file/unfinished.hpp"

namespace bobbin::file {
namespace {

constexpr size_t kHeldBytes = size_t{256} << 10;  // small writes are buffered up to this size
constexpr size_t kMaxWrite = size_t{1} << 30;
constexpr mode_t kNewFileMode = 0666;  // minus the umask
constexpr mode_t kPermissions = 0777;
constexpr const char* kAccessList = "system.posix_acl_access";

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

Access access_of(const struct stat& info, bool has_list) {
  return {.owner = info.st_uid,
          .group = info.st_gid,
          .mode = info.st_mode & (has_list ? mode_t{S_IRWXU} : kPermissions)};
}

// What everybody may do who is neither the owner nor known to be in the group: those whom only the group's
// bits keep out must not come in by the others'.
mode_t bits_of_others(const Access& access) {
  return access.mode & access.mode >> 3 & S_IRWXO;
}

// The permissions that a file of `group` may have so that nobody but its owner may do more than with another
// one.
mode_t bits_for(gid_t group, const Access& other) {
  const mode_t others = bits_of_others(other);
  return group == other.group ? other.mode : (other.mode & S_IRWXU) | others << 3 | others;
}

bool may_read(uid_t user, const Access& access) {
  return access.owner == user || (bits_of_others(access) & S_IROTH) != 0;
}

// Asking the system for the umask sets it, for all threads.
mode_t ask_umask() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const mode_t mask = ::umask(S_IRWXG | S_IRWXO);
  (void)::umask(mask);
  return mask;
}

mode_t read_umask() {
  constexpr std::string_view kKey = "\nUmask:\t";
  char text[1024];
  const Descriptor file = Descriptor::own(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  const ssize_t size = file.get() < 0 ? 0 : ::read(file.get(), text, sizeof text);
  const std::string_view status(text, static_cast<size_t>(std::max<ssize_t>(size, 0)));
  const size_t at = status.find(kKey);
  unsigned mask = 0;
  if (at == std::string_view::npos ||
      std::from_chars(status.data() + at + kKey.size(), status.data() + status.size(), mask, 8).ec !=
          std::errc()) {
    return ask_umask();
  }
  return mask & kPermissions;
}

Status already_exists() {
  return {StatusCode::io, "create: the file already exists"};
}

}  // namespace

Output::Output(Output&& other) noexcept
    : descriptor_(std::move(other.descriptor_)),
      directory_(std::move(other.directory_)),
      temporary_(std::exchange(other.temporary_, {})),
      noted_(other.noted_),
      name_(std::move(other.name_)),
      overwrite_(other.overwrite_),
      like_(other.like_),
      sources_(std::move(other.sources_)),
      times_from_(other.times_from_),
      position_(other.position_),
      held_(std::move(other.held_)) {}

Output Output::borrow(int descriptor) {
  return Output(Descriptor::borrow(descriptor));
}

std::optional<Access> Access::of(int descriptor) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::nullopt;
  }
  return access_of(info, ::fgetxattr(descriptor, kAccessList, nullptr, 0) > 0);
}

Result<Output> Output::create(const std::string& path, bool overwrite) {
  struct stat info {};
  const bool exists = ::lstat(path.c_str(), &info) == 0;
  std::string target = path;
  Output output{Descriptor()};
  if (exists) {
    if (!overwrite) {
      return already_exists();
    }
    BOBBIN_ASSIGN(target, resolve(path));
    // A device or a pipe is written to, never renamed over.
    if (::stat(target.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return Status(StatusCode::io, "create: it exists and is not a regular file");
    }
    output.like_ = access_of(info, ::getxattr(target.c_str(), kAccessList, nullptr, 0) > 0);
  }
  const Place place = split(target);
  if (place.name.empty()) {
    return Status(StatusCode::io, "create: the path does not name a file");
  }
  const int directory = ::open(place.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) {
    return io_error("create", errno);
  }
  output.directory_ = Descriptor::own(directory);
  output.name_ = place.name;
  output.overwrite_ = overwrite;
  // In the same directory, so that the rename stays within one file system.
  BOBBIN_ASSIGN(TemporaryFile file, create_temporary(directory, place.directory));
  output.descriptor_ = std::move(file.descriptor);
  output.temporary_ = std::move(file.name);
  output.noted_ = file.noted;
  return output;
}

void Output::take_attributes(int from) {
  like_ = Access::of(from);
  times_from_ = from;
}

// Not every file system has owners and permissions, and not every user may give a file to another. Where that
// fails, the file stays its writer's alone: that is not an error.
Status Output::set_access() const {
  const int file = descriptor_.get();
  if (like_.has_value()) {
    const bool may_own =
        std::ranges::all_of(sources_, [&](const Access& source) { return may_read(like_->owner, source); });
    if (!may_own || ::fchown(file, like_->owner, like_->group) != 0) {
      (void)!::fchown(file, static_cast<uid_t>(-1), like_->group);
    }
  }
  struct stat info {};
  if (::fstat(file, &info) != 0) {
    return io_error("create", errno);
  }
  if (!sources_.empty()) {  // a list that the folder gives to new files may name others than the sources do
    (void)::fremovexattr(file, kAccessList);
  }
  mode_t mode = like_.has_value() ? bits_for(info.st_gid, *like_) : kNewFileMode & ~read_umask();
  for (const Access& source : sources_) {
    mode &= bits_for(info.st_gid, source) | S_IRUSR | S_IWUSR;
  }
  (void)::fchmod(file, mode);
  struct stat from {};
  if (times_from_ >= 0 && ::fstat(times_from_, &from) == 0) {
    const timespec times[] = {from.st_atim, from.st_mtim};
    (void)::futimens(file, times);
  }
  return {};
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
  BOBBIN_TRY(set_access());
  if (::fsync(descriptor_.get()) != 0) {
    return io_error("sync", errno);
  }
  // Closing it afterwards can lose nothing, and until then it is locked: nobody takes it for one that was
  // left.
  BOBBIN_TRY(give_name());
  (void)descriptor_.close();
  return {};
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
  forget_unfinished(noted_);
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
    forget_unfinished(noted_);
    temporary_.clear();
  }
}

}  // namespace bobbin::file
