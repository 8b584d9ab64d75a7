// SPDX-License-Identifier: Apache-2.0
#include "file/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "bobbin/io.hpp"

namespace bobbin::file {
namespace {

Status check_version(uint32_t version) {
  BOBBIN_RETURN_IF(version > kNewestVersion, StatusCode::unsupported,
                   fmt::format("format version {} is newer than this build reads ({} to {})", version,
                               kOldestVersion, kNewestVersion));
  BOBBIN_RETURN_IF(version < kOldestVersion, StatusCode::corrupt,
                   fmt::format("format version {} does not exist", version));
  return {};
}

}  // namespace

Status check_header(const Header& header) {
  BOBBIN_RETURN_IF(header.magic != kMagic, StatusCode::corrupt,
                   "header: the first bytes are not those of a .bob file: damaged, or another format");
  BOBBIN_TRY(check_version(header.version).in("header"));
  BOBBIN_RETURN_IF(header.reserved != 0, StatusCode::corrupt, "header: reserved bytes are not zero");
  return {};
}

Status check_beginning(std::span<const std::byte> bytes) {
  static_assert(kBeginningBytes == sizeof(Header));
  BOBBIN_RETURN_IF(bytes.size() < kBeginningBytes, StatusCode::invalid_argument,
                   "header: fewer bytes than a header has");
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  return check_header(header);
}

bool is_signature(std::span<const std::byte> bytes) {
  static_assert(kSignatureBytes == kMagic.size());
  const auto magic = std::as_bytes(std::span(kMagic));
  return !bytes.empty() && bytes.size() <= magic.size() &&
         std::ranges::equal(bytes, magic.first(bytes.size()));
}

Status check_rest_of_header(std::span<const std::byte> rest) {
  BOBBIN_RETURN_IF(std::ranges::any_of(rest, [](std::byte byte) { return byte != std::byte{0}; }),
                   StatusCode::corrupt, "header: reserved bytes are not zero");
  return {};
}

Status check_trailer(const Trailer& trailer, uint32_t header_version, uint64_t file_bytes) {
  BOBBIN_RETURN_IF(trailer.magic != kMagic, StatusCode::corrupt,
                   "trailer: the magic is missing: the file is truncated or damaged");
  BOBBIN_RETURN_IF(
      trailer.version != header_version, StatusCode::corrupt,
      fmt::format("trailer: format version {}, but the header says {}", trailer.version, header_version));
  BOBBIN_RETURN_IF(trailer.plain_bytes != 0 && trailer.version == 1, StatusCode::corrupt,
                   "trailer: reserved bytes are not zero");
  const uint32_t plain_bytes = trailer.plain_bytes & ~kFooterIsFrame;
  BOBBIN_RETURN_IF(plain_bytes > kMaxPlainBytes, StatusCode::unsupported,
                   fmt::format("trailer: a compressed footer of {} bytes is above the limit of {}",
                               plain_bytes, kMaxPlainBytes));
  const uint64_t least = header_bytes(header_version) + kTrailerBytes;
  BOBBIN_RETURN_IF(trailer.footer_bytes > file_bytes - least, StatusCode::corrupt,
                   fmt::format("trailer: a footer of {} bytes does not fit a file of {}",
                               trailer.footer_bytes, file_bytes));
  BOBBIN_RETURN_IF(trailer.footer_bytes > kMaxFooterBytes, StatusCode::unsupported,
                   fmt::format("trailer: a footer of {} bytes is above the limit of {}", trailer.footer_bytes,
                               kMaxFooterBytes));
  return {};
}

}  // namespace bobbin::file
