// SPDX-License-Identifier: Apache-2.0
// The bytes as frames: content or an error, within the allowed memory. The bytes as content: they are
// reproduced.
#include <algorithm>
#include <cstdlib>
#include <span>

#include "bobbin/zstd.hpp"

namespace {

using namespace bobbin;

constexpr uint64_t kMaxContent = uint64_t{1} << 22;

void check(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void decode(std::span<const std::byte> bytes) {
  const auto decoded = zstd::decode_all(bytes, kMaxContent, {.verify_checksums = false});
  check(!decoded.has_value() || decoded->size() <= kMaxContent);
  const auto frames = zstd::list_frames(bytes);
  if (frames.has_value() && !frames->empty()) {
    (void)zstd::decode_range(bytes, frames->back().content_begin, 1);
  }
  const auto dictionary = zstd::Dictionary::parse(bytes);
  if (dictionary.has_value()) {
    (void)zstd::decode_all(bytes, kMaxContent, {.magicless = true, .dictionary = &*dictionary});
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const auto bytes = std::as_bytes(std::span(data, size).subspan(1));
  decode(bytes);
  const zstd::EncodeOptions options{.level = 1 + data[0] % 9U,
                                    .frame_bytes = 256U << data[0] % 5,
                                    .block_bytes = 256,
                                    .checksum = (data[0] & 16) != 0,
                                    .seek_table = (data[0] & 32) != 0};
  const auto frames = zstd::encode(bytes, options);
  check(frames.has_value());
  const auto decoded = zstd::decode_all(*frames, bytes.size());
  check(decoded.has_value() && std::ranges::equal(*decoded, bytes));
  return 0;
}
