// SPDX-License-Identifier: Apache-2.0
#include "cli/file_kind.hpp"

#include <algorithm>
#include <span>

#include "bobbin/io.hpp"

namespace bobbin::cli {
namespace {

using namespace std::string_view_literals;
using Kind = FileKind::Kind;

struct Signature {
  std::string_view bytes;
  Kind kind;
  std::string_view what;
};
constexpr Signature kSignatures[] = {
    {"\x1f\x8b"sv, Kind::text, ""},
    {"\x28\xb5\x2f\xfd"sv, Kind::text, ""},
    {"\xff\xfe"sv, Kind::text, ""},  // UTF-16
    {"\xfe\xff"sv, Kind::text, ""},
    {"PAR1"sv, Kind::parquet, ""},
    {"ARROW1"sv, Kind::arrow, ""},
    {"PARE"sv, Kind::other, "an encrypted Parquet file"},
    {"FEA1"sv, Kind::other, "a Feather file of version 1"},
    {"\xff\xff\xff\xff"sv, Kind::other, "an Arrow stream or binary data"},
    {"ORC"sv, Kind::other, "an ORC file"},
    {"Obj\x01"sv, Kind::other, "an Avro file"},
    {"\x89HDF"sv, Kind::other, "an HDF5 file"},
    {"\x93NUMPY"sv, Kind::other, "a NumPy array"},
    {"SQLite format 3\0"sv, Kind::other, "an SQLite database"},
    {"\xd0\xcf\x11\xe0"sv, Kind::other, "an Office document; save the sheet as CSV"},
    {"BZh"sv, Kind::other, "compressed with bzip2; decompress it first"},
    {"\xfd\x37zXZ"sv, Kind::other, "compressed with xz; decompress it first"},
    {"\x04\x22\x4d\x18"sv, Kind::other, "compressed with lz4; decompress it first"},
    {"7z\xbc\xaf"sv, Kind::other, "a 7z archive; unpack it first"},
    {"Rar!"sv, Kind::other, "a RAR archive; unpack it first"},
    {"\x89PNG"sv, Kind::other, "an image"},
    {"\xff\xd8\xff"sv, Kind::other, "an image"},
    {"GIF8"sv, Kind::other, "an image"},
    {"\x7f\x45LF"sv, Kind::other, "a program"}};

std::string zip_text(std::string_view begin) {
  const bool document = begin.find("[Content_Types].xml") != std::string_view::npos ||
                        begin.find("docProps/") != std::string_view::npos ||
                        begin.find("xl/") != std::string_view::npos;
  return document ? "an Excel workbook or another Office document; save the sheet as CSV"
                  : "a ZIP archive; unzip it first";
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view without_spaces(std::string_view text) {
  text.remove_prefix(text.starts_with("\xef\xbb\xbf") ? 3 : 0);
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  return text;
}

// An object with a key or nothing in it, or a list of values.
bool is_json(std::string_view text) {
  if (text.empty() || (text.front() != '{' && text.front() != '[')) {
    return false;
  }
  const std::string_view inside = without_spaces(text.substr(1));
  const std::string_view starts = text.front() == '{' ? "\"}"sv : "{[\"]-0123456789tfn"sv;
  return !inside.empty() && starts.find(inside.front()) != std::string_view::npos;
}

bool is_markup(std::string_view text) {
  std::string begin(text.substr(0, 16));
  std::ranges::transform(begin, begin.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return begin.starts_with("<!doctype") || begin.starts_with("<html") || begin.starts_with("<?xml") ||
         begin.starts_with("<svg");
}

// Text has no NUL, and control characters only where old printers and terminals need them.
bool is_binary(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return byte < 0x20 && !(byte >= '\t' && byte <= '\r') && byte != 0x1a && byte != 0x1b;
  });
}

bool is_word(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

FileKind kind_of(std::string_view begin, bool is_csv) {
  if (file::is_signature(std::as_bytes(std::span(begin.substr(0, file::kSignatureBytes))))) {
    return {Kind::table};
  }
  const bool binary = is_binary(begin);
  for (const Signature& signature : kSignatures) {
    // Letters alone may also begin a header row: PAR1,PAR2.
    if (begin.starts_with(signature.bytes) && (binary || !is_word(signature.bytes))) {
      return {signature.kind, std::string(signature.what)};
    }
  }
  if (begin.starts_with("PK\x03\x04") || begin.starts_with("PK\x05\x06")) {
    return {Kind::other, zip_text(begin)};
  }
  constexpr size_t kTarAt = 257;
  if (begin.size() > kTarAt && begin.substr(kTarAt).starts_with("ustar")) {
    return {Kind::other, "a tar archive; unpack it first"};
  }
  if (begin.empty()) {
    return {Kind::other, "empty"};
  }
  if (is_csv) {
    return {Kind::text};
  }
  const std::string_view text = without_spaces(begin);
  return binary          ? FileKind{Kind::other, "binary data ('bobbin compress --type' reads raw arrays)"}
         : is_json(text) ? FileKind{Kind::other, "JSON"}
         : text.starts_with("%PDF-") ? FileKind{Kind::other, "a PDF document"}
         : is_markup(text)           ? FileKind{Kind::other, "an HTML or XML document"}
                                     : FileKind{Kind::text};
}

}  // namespace bobbin::cli
