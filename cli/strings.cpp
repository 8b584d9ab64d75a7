// SPDX-License-Identifier: Apache-2.0
#include "cli/strings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace bobbin::cli {
namespace {

constexpr std::string_view kFormKey = "bobbin.form";
constexpr std::string_view kUnterminatedKey = "bobbin.lines.unterminated";

constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr uint32_t kNull = 0xffff'ffff;
// Strings whose codes, in the worst case two bytes per byte, still fit into a segment.
constexpr uint64_t kMaxStringBytes = uint64_t{1} << 29;

std::optional<std::string_view> value_of(const Reader& reader, std::string_view key) {
  const Metadata& metadata = reader.metadata();
  const auto found = std::ranges::find(metadata, key, &Metadata::value_type::first);
  return found == metadata.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

void append_length(std::vector<uint8_t>& bytes, uint32_t length) {
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<uint8_t>(length >> shift));
  }
}

uint32_t length_at(const uint8_t* bytes) {
  return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

// Appends string i, in the given form.
Status append_string(const StringsView& strings, uint64_t i, StringForm form, uint64_t row,
                     std::vector<uint8_t>& bytes) {
  const auto string = strings.string(i);
  if (form == StringForm::strings) {
    BOBBIN_RETURN_IF(
        string.size() >= kNull, StatusCode::unsupported,
        fmt::format("row {}: {} bytes are too many for a length of 32 bits", row, string.size()));
    append_length(bytes, strings.is_null(i) ? kNull : static_cast<uint32_t>(string.size()));
    bytes.insert(bytes.end(), string.begin(), string.end());
    return {};
  }
  BOBBIN_RETURN_IF(
      strings.is_null(i), StatusCode::invalid_argument,
      fmt::format("row {} is null, which a line cannot represent (use --as strings, or -o OUT.csv)", row));
  BOBBIN_RETURN_IF(
      std::ranges::find(string, '\n') != string.end(), StatusCode::invalid_argument,
      fmt::format("row {} contains a newline and is not one line (use --as strings, or -o OUT.csv)", row));
  bytes.insert(bytes.end(), string.begin(), string.end());
  bytes.push_back('\n');
  return {};
}

}  // namespace

std::string_view to_string(StringForm form) {
  return form == StringForm::lines ? "lines" : "strings";
}

std::optional<StringForm> parse_form(std::string_view name) {
  for (const StringForm form : {StringForm::lines, StringForm::strings}) {
    if (to_string(form) == name) {
      return form;
    }
  }
  return std::nullopt;
}

Status note_form(Writer& writer, StringForm form, bool unterminated) {
  BOBBIN_TRY(writer.set_metadata(std::string(kFormKey), std::string(to_string(form))));
  return unterminated ? writer.set_metadata(std::string(kUnterminatedKey), "1") : Status();
}

std::optional<StringForm> noted_form(const Reader& reader) {
  return parse_form(value_of(reader, kFormKey).value_or(""));
}

bool last_line_is_unterminated(const Reader& reader) {
  return value_of(reader, kUnterminatedKey) == "1";
}

StringSource::StringSource(const Input& input, StringForm form) : input_(input), form_(form) {}

Status StringSource::read_block() {
  const size_t before = rest_.size();
  rest_.resize(before + kBlockBytes);
  BOBBIN_ASSIGN(const size_t got,
                read_full(input_, std::as_writable_bytes(std::span(rest_).subspan(before))));
  rest_.resize(before + got);
  bytes_read_ += got;
  ended_ = got < kBlockBytes;
  return {};
}

Result<StringsView> StringSource::next() {
  strings_before_ += strings_.length();
  strings_ = {};
  BOBBIN_TRY(read_block());
  BOBBIN_TRY(form_ == StringForm::lines ? take_lines() : take_strings());
  return strings_.view();
}

Status StringSource::take_lines() {
  // What is left from the previous block contains no newline.
  const size_t known = rest_.size() - std::min<size_t>(rest_.size(), kBlockBytes);
  size_t begin = 0;
  for (size_t from = known; from < rest_.size();) {
    const auto* newline =
        static_cast<const uint8_t*>(std::memchr(rest_.data() + from, '\n', rest_.size() - from));
    if (newline == nullptr) {
      break;
    }
    const auto end = static_cast<size_t>(newline - rest_.data());
    strings_.push_back(std::span<const uint8_t>(rest_).subspan(begin, end - begin));
    begin = from = end + 1;
  }
  rest_.erase(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(begin));
  BOBBIN_RETURN_IF(rest_.size() > kMaxStringBytes, StatusCode::unsupported,
                   fmt::format("{}: line {} has more than {} bytes", input_.name,
                               strings_before_ + strings_.length() + 1, kMaxStringBytes));
  if (ended_ && !rest_.empty()) {
    unterminated_ = true;
    strings_.push_back(rest_);
  }
  return {};
}

Status StringSource::take_strings() {
  size_t at = 0;
  while (rest_.size() - at >= sizeof(uint32_t)) {
    const uint32_t length = length_at(rest_.data() + at);
    BOBBIN_RETURN_IF(length != kNull && length > kMaxStringBytes, StatusCode::unsupported,
                     fmt::format("{}: string {} at byte {}: {} bytes are above the limit of {}", input_.name,
                                 strings_before_ + strings_.length(), bytes_read_ - rest_.size() + at, length,
                                 kMaxStringBytes));
    const size_t size = length == kNull ? 0 : length;
    if (rest_.size() - at - sizeof(uint32_t) < size) {
      break;
    }
    at += sizeof(uint32_t);
    if (length == kNull) {
      strings_.push_null();
    } else {
      strings_.push_back(std::span<const uint8_t>(rest_).subspan(at, size));
    }
    at += size;
  }
  rest_.erase(rest_.begin(), rest_.begin() + static_cast<ptrdiff_t>(at));
  return ended_ && !rest_.empty() ? cut_short() : Status();
}

Status StringSource::cut_short() const {
  const std::string place = fmt::format("{}: string {} at byte {}: ", input_.name,
                                        strings_before_ + strings_.length(), bytes_read_ - rest_.size());
  return {StatusCode::invalid_argument,
          place + (rest_.size() < sizeof(uint32_t)
                       ? "its length is truncated"
                       : fmt::format("the input ends after {} of its {} bytes",
                                     rest_.size() - sizeof(uint32_t), length_at(rest_.data())))};
}

Status write_strings(const StringsView& strings, uint64_t first_row, StringForm form, bool leave_last_open,
                     file::Output& output) {
  std::vector<uint8_t> bytes;
  for (uint64_t i = 0; i < strings.length; ++i) {
    BOBBIN_TRY(append_string(strings, i, form, first_row + i, bytes));
    if (leave_last_open && i + 1 == strings.length) {
      bytes.pop_back();
    }
    if (bytes.size() >= kBlockBytes || i + 1 == strings.length) {
      BOBBIN_TRY(output.write(std::as_bytes(std::span(bytes))));
      bytes.clear();
    }
  }
  return {};
}

}  // namespace bobbin::cli
