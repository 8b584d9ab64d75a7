// SPDX-License-Identifier: Apache-2.0
#include "jit/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "bobbin/io.hpp"
#include "bobbin/text.hpp"

namespace bobbin::jit {
namespace {

namespace fs = std::filesystem;

// Names are 32 hexadecimal digits and one of these.
constexpr size_t kNameDigits = 32;
constexpr std::string_view kKernelSuffix = ".kernel";
constexpr std::string_view kPartSuffix = ".part";
constexpr time_t kOldPart = 60 * 60;  // no process takes as many seconds to write a file
constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

// A file is this header, the key, and the code. The key is stored because two keys may have
// the same name.
struct FileHeader {
  static constexpr uint64_t kMagic = 0x31304b4e4942424fULL;  // "OBBINK01"

  uint64_t magic = kMagic;
  uint64_t checksum = 0;  // of all that follows it
  uint64_t key_bytes = 0;
  uint64_t code_bytes = 0;
};
constexpr size_t kChecked = offsetof(FileHeader, key_bytes);

uint64_t checksum_of(const std::vector<std::byte>& file) {
  return XXH3_64bits(file.data() + kChecked, file.size() - kChecked);
}

std::vector<std::byte> to_file(const std::string& key, const std::vector<std::byte>& code) {
  FileHeader header{.key_bytes = key.size(), .code_bytes = code.size()};
  std::vector<std::byte> file(sizeof header + key.size() + code.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, key.data(), key.size());
  std::ranges::copy(code, file.end() - static_cast<ptrdiff_t>(code.size()));
  header.checksum = checksum_of(file);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

std::optional<std::vector<std::byte>> from_file(const std::string& key, const std::vector<std::byte>& file) {
  FileHeader header;
  if (file.size() < sizeof header) {
    return std::nullopt;
  }
  std::memcpy(&header, file.data(), sizeof header);
  const bool whole = header.magic == FileHeader::kMagic && header.key_bytes == key.size() &&
                     header.code_bytes == file.size() - sizeof header - key.size() &&
                     file.size() >= sizeof header + key.size() && header.checksum == checksum_of(file);
  const std::byte* const stored_key = file.data() + sizeof header;
  if (!whole || std::memcmp(stored_key, key.data(), key.size()) != 0) {
    return std::nullopt;
  }
  return std::vector<std::byte>(stored_key + key.size(), file.data() + file.size());
}

bool is_own(const struct stat& info) {
  return info.st_uid == ::geteuid() && (info.st_mode & kWritableByOthers) == 0;
}

// Once per process: the user should know why kernels are compiled each time.
void warn(const std::string& folder, const char* reason) {
  static std::atomic<bool> has_warned = false;
  if (!has_warned.exchange(true)) {
    std::fprintf(stderr,
                 "bobbin: %s: %s: compiled kernels are not kept (BOBBIN_CACHE_DIR names another folder)\n",
                 printable(folder).c_str(), reason);
  }
}

// The folder, if it belongs to this user alone: what is in it will be run. All that is done in it is done
// through this descriptor, so that nobody can put another folder in its place.
file::Descriptor open_folder(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (number < 0) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
      warn(path, "is a symbolic link");
    }
    return {};
  }
  file::Descriptor folder = file::Descriptor::own(number);
  struct stat info {};
  if (::fstat(number, &info) != 0) {
    return {};
  }
  if (!is_own(info)) {
    warn(path, info.st_uid != ::geteuid() ? "belongs to another user" : "can be written by other users");
    return {};
  }
  return folder;
}

// A regular file of this user, which others cannot write. Neither links are followed, nor pipes waited for.
file::Descriptor open_file(int folder, const std::string& name, size_t& bytes) {
  const int number = ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (number < 0) {
    return {};
  }
  file::Descriptor file = file::Descriptor::own(number);
  struct stat info {};
  if (::fstat(number, &info) != 0 || !S_ISREG(info.st_mode) || !is_own(info)) {
    return {};
  }
  bytes = static_cast<size_t>(info.st_size);
  return file;
}

std::optional<std::vector<std::byte>> read_whole(int file, size_t bytes) {
  std::vector<std::byte> read(bytes);
  for (size_t done = 0; done < bytes;) {
    const ssize_t got = ::read(file, read.data() + done, bytes - done);
    if (got <= 0) {
      return std::nullopt;
    }
    done += static_cast<size_t>(got);
  }
  return read;
}

bool write_whole(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put <= 0) {
      return false;
    }
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return true;
}

bool has_our_name(std::string_view name, std::string_view suffix) {
  return name.size() == kNameDigits + suffix.size() && name.ends_with(suffix) &&
         std::ranges::all_of(name.substr(0, kNameDigits),
                             [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string name_of(const std::string& key) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  return fmt::format("{:016x}{:016x}{}", hash.high64, hash.low64, kKernelSuffix);
}

std::string random_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}{}", random(), random(), random(), random(), kPartSuffix);
}

std::string text_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

struct Found {
  std::string name;
  timespec used;
  uint64_t bytes;

  [[nodiscard]] std::pair<time_t, long> age() const { return {used.tv_sec, used.tv_nsec}; }
};

// The folder's kernels. Removes what processes that did not end well left there. Files of others, and files
// with other names, are left alone.
std::vector<Found> list(int folder) {
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(again < 0 ? nullptr : ::fdopendir(again), &::closedir);
  std::vector<Found> files;
  const time_t now = std::time(nullptr);
  for (const dirent* entry = nullptr; entries != nullptr && (entry = ::readdir(entries.get())) != nullptr;) {
    const std::string name = entry->d_name;
    const bool is_part = has_our_name(name, kPartSuffix);
    struct stat info {};
    if ((!is_part && !has_our_name(name, kKernelSuffix)) ||
        ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode) ||
        info.st_uid != ::geteuid()) {
      continue;
    }
    if (!is_part) {
      files.push_back({name, info.st_mtim, static_cast<uint64_t>(info.st_size)});
    } else if (now - info.st_mtim.tv_sec > kOldPart) {
      (void)::unlinkat(folder, name.c_str(), 0);
    }
  }
  return files;
}

// The least recently used kernels.
void remove_old(int folder, uint64_t most_bytes) {
  std::vector<Found> files = list(folder);
  uint64_t bytes = 0;
  for (const Found& file : files) {
    bytes += file.bytes;
  }
  std::ranges::sort(files, {}, &Found::age);
  for (const Found& file : files) {
    if (bytes <= most_bytes) {
      break;
    }
    (void)::unlinkat(folder, file.name.c_str(), 0);
    bytes -= file.bytes;
  }
}

}  // namespace

FolderOptions FolderOptions::from_environment() {
  FolderOptions options;
  if (text_of("BOBBIN_CACHE") == "off") {
    return options;
  }
  options.path = text_of("BOBBIN_CACHE_DIR");
  if (options.path.empty()) {
    const std::string xdg = text_of("XDG_CACHE_HOME");
    const std::string home = text_of("HOME");
    // The specification of XDG_CACHE_HOME ignores relative paths.
    if (xdg.starts_with('/')) {
      options.path = xdg + "/bobbin";
    } else if (!home.empty()) {
      options.path = home + "/.cache/bobbin";
    }
  }
  while (options.path.size() > 1 && options.path.ends_with('/')) {  // with it, a link would be followed
    options.path.pop_back();
  }
  return options;
}

std::string Folder::path_of(const std::string& key) const {
  return options_.path + '/' + name_of(key);
}

std::optional<std::vector<std::byte>> Folder::read(const std::string& key) const {
  if (options_.path.empty()) {
    return std::nullopt;
  }
  const file::Descriptor folder = open_folder(options_.path);
  size_t bytes = 0;
  const file::Descriptor file =
      folder.get() < 0 ? file::Descriptor() : open_file(folder.get(), name_of(key), bytes);
  if (file.get() < 0) {
    return std::nullopt;
  }
  const auto content = read_whole(file.get(), bytes);
  auto code = content.has_value() ? from_file(key, *content) : std::nullopt;
  if (code.has_value()) {
    (void)::futimens(file.get(), nullptr);  // the time only decides which kernels are removed first
  }
  return code;
}

void Folder::write(const std::string& key, const std::vector<std::byte>& code) const {
  if (options_.path.empty()) {
    return;
  }
  std::error_code ignored;
  fs::create_directories(fs::path(options_.path).parent_path(), ignored);
  (void)::mkdir(options_.path.c_str(), S_IRWXU);
  const file::Descriptor folder = open_folder(options_.path);
  if (folder.get() < 0) {
    return;
  }
  const std::string temporary = random_name();
  const int number = ::openat(folder.get(), temporary.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (number < 0) {
    return;
  }
  file::Descriptor file = file::Descriptor::own(number);
  const bool is_written = write_whole(number, to_file(key, code)) && file.close() == 0;
  if (!is_written || ::renameat(folder.get(), temporary.c_str(), folder.get(), name_of(key).c_str()) != 0) {
    (void)::unlinkat(folder.get(), temporary.c_str(), 0);
    return;
  }
  remove_old(folder.get(), options_.most_bytes);
}

}  // namespace bobbin::jit
