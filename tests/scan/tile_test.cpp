// SPDX-License-Identifier: Apache-2.0
// The tile functions of warps and blocks, in the emulator: a small kernel scans an array tile by tile.
#include "scan/tile.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "simt/emulator.hpp"

namespace bobbin::scan {
namespace {

using simt::Global;

// One block; tiles of kWarps * (32 / tuple) * tuple * kItems values, and nothing past the last whole one.
template <uint32_t K, bool kByBlock>
struct TileKernel {
  using Op = Sum<uint32_t>;
  static constexpr uint32_t kWarps = kByBlock ? 3 : 1;
  static constexpr uint32_t kThreads = kWarps * simt::kWarpSize;
  static constexpr uint32_t kItems = 5;
  struct Shared {
    SharedStates<Op, K, kWarps * 32> sums;
  };

  Global<uint32_t> values;
  uint32_t tuple;
  uint32_t tiles;

  static uint32_t tile_items(uint32_t tuple) { return kWarps * (32 / tuple) * tuple * kItems; }

  template <class Cta>
  void operator()(Cta& cta) const {
    auto& sums = cta.template shared<Shared>().sums;
    const auto at = kByBlock ? TileSegments::of_block(cta.thread(), tuple, kItems)
                             : TileSegments::of_warp(cta.lane(), tuple, kItems);
    State<Op, K> carry{};
    for (uint32_t tile = 0; tile < tiles; ++tile) {
      const auto visit = [&](auto write, auto&& f) {
        for (uint32_t i = 0; i < kItems && at.warp.active(); ++i) {
          const uint64_t v = tile * tile_items(tuple) + (at.place * kItems + i) * tuple + at.warp.scan;
          const uint32_t result = f(cta.load(values, v));
          if constexpr (write) {
            cta.store(values, v, result);
          }
        }
      };
      if constexpr (kByBlock) {
        carry = scan_block<Op, K, kWarps, 32>(cta, sums, at, carry, visit);
      } else {
        scan_warp<Op, K>(cta, at, carry, visit);
      }
    }
  }
};

template <uint32_t K, bool kByBlock>
void check_tiles() {
  using Kernel = TileKernel<K, kByBlock>;
  for (uint32_t tuple = 1; tuple <= 32; ++tuple) {
    const uint32_t tiles = kByBlock ? 4 : 1;
    std::vector<uint32_t> values(tiles * Kernel::tile_items(tuple));
    for (uint32_t i = 0; i < values.size(); ++i) {
      values[i] = i * 2654435761U ^ i >> 3;
    }
    std::vector<uint32_t> expected = values;
    for (uint32_t round = 0; round < K; ++round) {
      for (size_t i = tuple; i < expected.size(); ++i) {
        expected[i] += expected[i - tuple];
      }
    }
    const Status status = simt::emulate(Kernel{{values.data(), values.size()}, tuple, tiles}, 1);
    ASSERT_TRUE(status.ok()) << status.message();
    ASSERT_EQ(values, expected) << "order " << K << ", tuple " << tuple;
  }
}

TEST(ScanTile, WarpScansItsTile) {
  check_tiles<1, false>();
  check_tiles<2, false>();
  check_tiles<5, false>();
  check_tiles<8, false>();
}

TEST(ScanTile, BlockScansTileAfterTile) {
  check_tiles<1, true>();
  check_tiles<2, true>();
  check_tiles<5, true>();
  check_tiles<8, true>();
}

// H(-L) is the inverse of H(L), and H of a sum is the product: combining relies on this.
TEST(ScanAlgebra, CoefficientsAreAGroup) {
  using P = Pascal<uint64_t, 8>;
  for (const uint64_t a : {0ULL, 1ULL, 2ULL, 33ULL, 10240ULL, 1ULL << 40}) {
    const P there_and_back = P::forward(a).times(P::back(a));
    for (uint32_t d = 0; d < 8; ++d) {
      EXPECT_EQ(there_and_back.h[d], d == 0 ? 1U : 0U) << a;
      EXPECT_EQ(P::forward(a + 17).h[d], P::forward(a).times(P::forward(17)).h[d]) << a;
    }
  }
}

}  // namespace
}  // namespace bobbin::scan
