// SPDX-License-Identifier: Apache-2.0
#include "measure/peers.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#ifdef BOBBIN_HAVE_ZSTD
#include <zstd.h>
#endif
#ifdef BOBBIN_HAVE_LZ4
#include <lz4.h>
#endif

namespace bobbin::bench {
namespace {

// A compressor as plain functions: compress returns the compressed size, decompress whether it worked.
struct Codec {
  size_t bound = 0;
  std::function<size_t(std::span<const std::byte> in, std::span<std::byte> out)> compress;
  std::function<bool(std::span<const std::byte> in, std::span<std::byte> out)> decompress;
};

[[maybe_unused]] PeerResult measure_codec(std::string name, std::span<const std::byte> bytes,
                                          const Codec& codec, const Plan& plan) {
  PeerResult result;
  result.name = std::move(name);
  result.present = true;
  const Bytes compressed(codec.bound);
  const Bytes back(bytes.size());
  size_t size = 0;
  bool fine = true;
  result.compress = measure([&] { size = codec.compress(bytes, compressed.span()); }, plan);
  result.bytes = size;
  const std::span<const std::byte> stored = compressed.span().first(size);
  result.decompress = measure([&] { fine = codec.decompress(stored, back.span()) && fine; }, plan);
  result.checked = fine && std::equal(bytes.begin(), bytes.end(), back.span().begin());
  return result;
}

}  // namespace

PeerResult measure_memcpy(std::span<const std::byte> bytes, const Plan& plan) {
  PeerResult result;
  result.name = "memcpy";
  result.present = true;
  result.bytes = bytes.size();
  const Bytes copy(bytes.size());
  if (!bytes.empty()) {
    result.decompress = measure([&] { std::memcpy(copy.data(), bytes.data(), bytes.size()); }, plan);
  }
  result.checked = std::equal(bytes.begin(), bytes.end(), copy.span().begin());
  return result;
}

#ifdef BOBBIN_HAVE_ZSTD
PeerResult measure_zstd(std::span<const std::byte> bytes, const Plan& plan) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> encoder(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> decoder(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  const Codec codec{.bound = ZSTD_compressBound(bytes.size()),
                    .compress =
                        [&](auto in, auto out) {
                          const size_t size = ZSTD_compressCCtx(encoder.get(), out.data(), out.size(),
                                                                in.data(), in.size(), 1);
                          return ZSTD_isError(size) != 0 ? size_t{0} : size;
                        },
                    .decompress =
                        [&](auto in, auto out) {
                          return ZSTD_decompressDCtx(decoder.get(), out.data(), out.size(), in.data(),
                                                     in.size()) == out.size();
                        }};
  return measure_codec("zstd -1", bytes, codec, plan);
}

std::optional<std::vector<std::byte>> zstd_frame(std::span<const std::byte> bytes, int level) {
  std::vector<std::byte> frame(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
  if (ZSTD_isError(size) != 0) {
    return std::nullopt;
  }
  frame.resize(size);
  return frame;
}

std::optional<uint64_t> zstd_size(std::span<const std::byte> bytes, int level) {
  const auto frame = zstd_frame(bytes, level);
  return frame.has_value() ? std::optional<uint64_t>(frame->size()) : std::nullopt;
}
#else
PeerResult measure_zstd(std::span<const std::byte> /*bytes*/, const Plan& /*plan*/) {
  PeerResult absent;
  absent.name = "zstd -1";
  return absent;
}

std::optional<std::vector<std::byte>> zstd_frame(std::span<const std::byte> /*bytes*/, int /*level*/) {
  return std::nullopt;
}

std::optional<uint64_t> zstd_size(std::span<const std::byte> /*bytes*/, int /*level*/) {
  return std::nullopt;
}
#endif

#ifdef BOBBIN_HAVE_LZ4
namespace {

// LZ4's block functions take at most 2 GB: longer inputs are split, with the size stored before each piece.
constexpr size_t kLz4Piece = size_t{64} << 20;

size_t lz4_bound(size_t size) {
  const size_t pieces = size / kLz4Piece + 1;
  const auto longest = static_cast<int>(std::min(size, kLz4Piece));
  return pieces * (sizeof(uint32_t) + static_cast<size_t>(LZ4_compressBound(longest)));
}

size_t lz4_compress(std::span<const std::byte> in, std::span<std::byte> out) {
  size_t used = 0;
  for (size_t begin = 0; begin < in.size(); begin += kLz4Piece) {
    const size_t length = std::min(kLz4Piece, in.size() - begin);
    std::byte* place = out.data() + used + sizeof(uint32_t);
    const int size =
        LZ4_compress_default(reinterpret_cast<const char*>(in.data() + begin), reinterpret_cast<char*>(place),
                             static_cast<int>(length), LZ4_compressBound(static_cast<int>(length)));
    const auto stored = static_cast<uint32_t>(size);
    std::memcpy(out.data() + used, &stored, sizeof(stored));
    used += sizeof(stored) + stored;
  }
  return used;
}

bool lz4_decompress(std::span<const std::byte> in, std::span<std::byte> out) {
  size_t used = 0;
  for (size_t begin = 0; begin < out.size(); begin += kLz4Piece) {
    const size_t length = std::min(kLz4Piece, out.size() - begin);
    uint32_t stored = 0;
    std::memcpy(&stored, in.data() + used, sizeof(stored));
    used += sizeof(stored);
    const int size = LZ4_decompress_safe(reinterpret_cast<const char*>(in.data() + used),
                                         reinterpret_cast<char*>(out.data() + begin),
                                         static_cast<int>(stored), static_cast<int>(length));
    if (size < 0 || static_cast<size_t>(size) != length) {
      return false;
    }
    used += stored;
  }
  return true;
}

}  // namespace

PeerResult measure_lz4(std::span<const std::byte> bytes, const Plan& plan) {
  const Codec codec{
      .bound = lz4_bound(bytes.size()), .compress = &lz4_compress, .decompress = &lz4_decompress};
  return measure_codec("lz4", bytes, codec, plan);
}

std::optional<uint64_t> lz4_size(std::span<const std::byte> bytes) {
  const Bytes compressed(lz4_bound(bytes.size()));
  return lz4_compress(bytes, compressed.span());
}
#else
PeerResult measure_lz4(std::span<const std::byte> /*bytes*/, const Plan& /*plan*/) {
  PeerResult absent;
  absent.name = "lz4";
  return absent;
}

std::optional<uint64_t> lz4_size(std::span<const std::byte> /*bytes*/) {
  return std::nullopt;
}
#endif

std::vector<PeerResult> measure_peers(std::span<const std::byte> bytes, const Plan& plan) {
  return {measure_memcpy(bytes, plan), measure_zstd(bytes, plan), measure_lz4(bytes, plan)};
}

}  // namespace bobbin::bench
