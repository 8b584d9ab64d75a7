// SPDX-License-Identifier: Apache-2.0
#include "jit/folder.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace bobbin::jit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".kernel";
constexpr std::string_view kTemporarySuffix = ".part";

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

std::optional<std::vector<std::byte>> read_whole(const std::string& path) {
  std::ifstream input(path, std::ios::binary | std::ios::ate);
  if (!input) {
    return std::nullopt;
  }
  std::vector<std::byte> bytes(static_cast<size_t>(std::max<std::streamoff>(input.tellg(), 0)));
  input.seekg(0);
  input.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return input ? std::optional(std::move(bytes)) : std::nullopt;
}

std::string text_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? "" : text;
}

struct Found {
  fs::path path;
  fs::file_time_type used;
  uint64_t bytes;
};

// The folder's kernels. Removes what processes that did not end well left there.
std::vector<Found> list(const std::string& folder) {
  std::vector<Found> files;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    const std::string name = i->path().filename().string();
    std::error_code gone;  // another process may have removed it
    const auto used = i->last_write_time(gone);
    const auto bytes = i->file_size(gone);
    if (gone) {
      continue;
    }
    if (name.ends_with(kTemporarySuffix) && fs::file_time_type::clock::now() - used > std::chrono::hours(1)) {
      fs::remove(i->path(), gone);
    } else if (name.ends_with(kSuffix)) {
      files.push_back({i->path(), used, bytes});
    }
  }
  return files;
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
  return options;
}

std::string Folder::path_of(const std::string& key) const {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  return fmt::format("{}/{:016x}{:016x}{}", options_.path, hash.high64, hash.low64, kSuffix);
}

std::optional<std::vector<std::byte>> Folder::read(const std::string& key) const {
  if (options_.path.empty()) {
    return std::nullopt;
  }
  const std::string path = path_of(key);
  const auto file = read_whole(path);
  auto code = file.has_value() ? from_file(key, *file) : std::nullopt;
  if (code.has_value()) {
    std::error_code ignored;  // the time only decides which kernels are removed first
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  }
  return code;
}

void Folder::write(const std::string& key, const std::vector<std::byte>& code) const {
  if (options_.path.empty()) {
    return;
  }
  static std::atomic<uint64_t> number = 0;
  std::error_code error;
  if (fs::create_directories(options_.path, error)) {
    fs::permissions(options_.path, fs::perms::owner_all, error);  // what is in it will be run
  }
  const std::vector<std::byte> file = to_file(key, code);
  const std::string path = path_of(key);
  const std::string temporary = fmt::format("{}.{}.{}{}", path, ::getpid(), number++, kTemporarySuffix);
  {
    std::ofstream output(temporary, std::ios::binary | std::ios::trunc);
    output.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    output.close();
    if (!output) {
      fs::remove(temporary, error);
      return;
    }
  }
  fs::rename(temporary, path, error);
  if (error) {
    fs::remove(temporary, error);
    return;
  }
  remove_old();
}

void Folder::remove_old() const {
  std::vector<Found> files = list(options_.path);
  uint64_t bytes = 0;
  for (const Found& file : files) {
    bytes += file.bytes;
  }
  if (bytes <= options_.most_bytes) {
    return;
  }
  std::ranges::sort(files, {}, &Found::used);
  for (const Found& file : files) {
    if (bytes <= options_.most_bytes) {
      break;
    }
    std::error_code ignored;
    fs::remove(file.path, ignored);
    bytes -= file.bytes;
  }
}

}  // namespace bobbin::jit
