// SPDX-License-Identifier: Apache-2.0
#include "jit/known_compiler.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "jit/nvrtc.hpp"

namespace bobbin::jit {
namespace {

namespace fs = std::filesystem;

// A note is what identifies a file, a line with its path, and one with its version.
std::string key_of_note() {
  return "the compiler that BOBBIN_NVRTC='" + named_nvrtc() + "' loads";
}

std::optional<std::string> identity_of_file(const std::string& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  const auto changed = error ? fs::file_time_type{} : fs::last_write_time(path, error);
  if (error) {
    return std::nullopt;
  }
  return std::to_string(bytes) + ' ' + std::to_string(changed.time_since_epoch().count());
}

std::optional<std::string> make_note(const Nvrtc& library) {
  const auto identity = identity_of_file(library.file);
  if (!identity.has_value()) {
    return std::nullopt;
  }
  return *identity + '\n' + library.file + '\n' + library.version;
}

std::optional<std::string> read_note(const Folder& folder) {
  const auto bytes = folder.read(key_of_note());
  if (!bytes.has_value()) {
    return std::nullopt;
  }
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

}  // namespace

Result<std::string> loaded_compiler_version(const Folder& folder) {
  BOBBIN_ASSIGN(const Nvrtc* const library, nvrtc());
  const auto note = make_note(*library);
  if (note.has_value() && note != read_note(folder)) {
    const auto* const first = reinterpret_cast<const std::byte*>(note->data());
    folder.write(key_of_note(), {first, first + note->size()});
  }
  return library->version;
}

std::optional<std::string> known_compiler_version(const Folder& folder) {
  if (nvrtc_is_loaded()) {
    return *loaded_compiler_version(folder);
  }
  const auto note = read_note(folder);
  const size_t path = note.has_value() ? note->find('\n') + 1 : 0;
  const size_t version = note.has_value() ? note->rfind('\n') + 1 : 0;
  if (path == 0 || version <= path ||
      identity_of_file(note->substr(path, version - 1 - path)) != note->substr(0, path - 1)) {
    return std::nullopt;
  }
  return note->substr(version);
}

}  // namespace bobbin::jit
