// SPDX-License-Identifier: Apache-2.0
#include "cli/source_size.hpp"

#include <algorithm>
#include <charconv>

namespace bobbin::cli {
namespace {

constexpr std::string_view kKey = "bobbin.source_bytes";

}  // namespace

Status note_source_bytes(Writer& writer, uint64_t bytes) {
  return writer.set_metadata(std::string(kKey), std::to_string(bytes));
}

std::optional<uint64_t> source_bytes(const Metadata& metadata) {
  const auto found = std::ranges::find(metadata, kKey, &Metadata::value_type::first);
  if (found == metadata.end()) {
    return std::nullopt;
  }
  const std::string& text = found->second;
  uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(bytes) : std::nullopt;
}

}  // namespace bobbin::cli
