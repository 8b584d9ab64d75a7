// SPDX-License-Identifier: Apache-2.0
#include "cli/sim/files.hpp"

#include <vector>

#include "cli/io.hpp"

namespace bobbin::cli {

Result<std::string> read_text(const std::string& path) {
  constexpr size_t kPiece = size_t{1} << 20;
  constexpr size_t kMost = size_t{1} << 30;
  BOBBIN_ASSIGN(const Input input, open_input(path));
  std::string text;
  for (size_t got = kPiece; got == kPiece;) {
    BOBBIN_RETURN_IF(text.size() >= kMost, StatusCode::invalid_argument, input.name + ": larger than 1 GiB");
    const size_t before = text.size();
    text.resize(before + kPiece);
    BOBBIN_ASSIGN(got, read_full(input, std::as_writable_bytes(std::span(text).subspan(before))));
    text.resize(before + got);
  }
  return text;
}

Status write_text(const std::string& path, bool force, std::string_view text, const std::string& source) {
  std::optional<file::Access> access;
  if (!source.empty()) {
    BOBBIN_ASSIGN(const Input input, open_input(source));
    access = input.access;
  }
  BOBBIN_ASSIGN(const Target target, open_target(path, force, -1));
  BOBBIN_ASSIGN(file::Output output, open_output(target, force, access));
  BOBBIN_TRY(output.write(std::as_bytes(std::span(text))).in(target.name));
  return output.commit().in(target.name);
}

}  // namespace bobbin::cli
