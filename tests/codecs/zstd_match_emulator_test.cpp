// SPDX-License-Identifier: Apache-2.0
// Match finding in the emulator: three kernels, all with the links of the CPU.
#include <gtest/gtest.h>

#include "codecs/zstd/match_kernels.hpp"
#include "simt/emulator.hpp"
#include "tests/codecs/zstd/batches.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

constexpr uint16_t kUnwritten = 0x5A5A;

// The links of all frames, with a gap between frames that must not be written.
template <template <uint32_t> class Kernel, uint32_t kBytes>
std::vector<uint16_t> links_by(const Bytes& content, uint32_t frame_bytes, uint64_t stride) {
  const uint64_t frames = ceil_div<uint64_t>(content.size(), frame_bytes);
  std::vector<uint16_t> links(frames * stride, kUnwritten);
  // Words that hold the first and the last byte can be read entirely.
  Bytes padded(4 + content.size() + 8, std::byte{0x77});
  const size_t skew = content.size() % 4;
  std::ranges::copy(content, padded.begin() + 4 + static_cast<ptrdiff_t>(skew));
  const zstd::LinkTask task{padded.data() + 4 + skew, content.size(), frame_bytes, links.data(), stride};
  const Status status = simt::emulate(Kernel<kBytes>{task}, frames);
  EXPECT_TRUE(status.ok()) << status.message();
  return links;
}

std::vector<uint16_t> links_by_cpu(const Bytes& content, uint32_t frame_bytes, uint64_t stride,
                                   uint32_t key_bytes) {
  const uint64_t frames = ceil_div<uint64_t>(content.size(), frame_bytes);
  std::vector<uint16_t> links(frames * stride, kUnwritten);
  for (uint64_t i = 0; i < frames; ++i) {
    const uint64_t begin = i * frame_bytes;
    const std::span<const uint8_t> frame(reinterpret_cast<const uint8_t*>(content.data()) + begin,
                                         std::min<uint64_t>(frame_bytes, content.size() - begin));
    std::vector<uint32_t> previous;
    zstd::link_positions(frame, key_bytes, previous);
    for (size_t p = 0; p < previous.size(); ++p) {
      links[i * stride + p] =
          previous[p] == zstd::kNoPosition ? zstd::kNoLink : static_cast<uint16_t>(previous[p]);
    }
  }
  return links;
}

template <uint32_t kBytes>
void check_key(const Bytes& content, uint32_t frame_bytes) {
  const uint64_t stride = frame_bytes + 3;
  const auto expected = links_by_cpu(content, frame_bytes, stride, kBytes);
  EXPECT_EQ((links_by<zstd::WalkKernel, kBytes>(content, frame_bytes, stride)), expected) << kBytes;
  EXPECT_EQ((links_by<zstd::SortKernel, kBytes>(content, frame_bytes, stride)), expected) << kBytes;
  EXPECT_EQ((links_by<zstd::RoundsKernel, kBytes>(content, frame_bytes, stride)), expected) << kBytes;
}

void check_links(const Bytes& content, uint32_t frame_bytes = zstd::kMaxLinkedFrame) {
  SCOPED_TRACE(content.size());
  check_key<4>(content, frame_bytes);
  check_key<5>(content, frame_bytes);
  check_key<8>(content, frame_bytes);
}

TEST(ZstdLinksInEmulator, ShortContents) {
  for (const uint64_t size : drawn(11, kListShare)) {
    check_links(Bytes(size + 1, std::byte{'a'}));
  }
}

TEST(ZstdLinksInEmulator, Drawn) {
  for (const uint64_t seed : drawn(12)) {
    simt::default_emulator_options().seed = seed;
    std::mt19937_64 random(seed);
    check_links(draw_content(random, 1 + random() % (uint64_t{1} << (4 + random() % 10))));
  }
}

TEST(ZstdLinksInEmulator, SeveralFrames) {
  std::mt19937_64 random(3);
  for (const uint64_t which : drawn(2, kListShare)) {
    which == 0 ? check_links(draw_content(random, shrunk(3000)), shrunk(1000))
               : check_links(draw_content(random, shrunk(2048) + 1), shrunk(2048));
  }
}

// Equal bytes make one chain of all positions; noise makes chains of a few.
TEST(ZstdLinksInEmulator, RunsAndNoise) {
  const size_t size = kDrawnShare == 1 ? 5000 : 1200;
  std::mt19937_64 random(4);
  Bytes noise(size);
  std::ranges::generate(noise, [&] { return static_cast<std::byte>(random()); });
  Bytes period(size - 900);
  for (size_t i = 0; i < period.size(); ++i) {
    period[i] = static_cast<std::byte>(i % 37);
  }
  const Bytes contents[] = {Bytes(size, std::byte{0}), noise, period};
  for (const Bytes& content : drawn_of(contents)) {
    check_links(content);
  }
}

TEST(ZstdLinksInEmulator, FullFrames) {
  if (kDrawnShare != 1) {
    GTEST_SKIP() << "64 KiB take minutes under a sanitizer";
  }
  std::mt19937_64 random(5);
  check_key<5>(draw_content(random, 65535), zstd::kMaxLinkedFrame);
  check_key<8>(draw_content(random, 65536), zstd::kMaxLinkedFrame);
  check_key<4>(Bytes(65536, std::byte{0xFF}), zstd::kMaxLinkedFrame);
}

}  // namespace
}  // namespace bobbin::testing
