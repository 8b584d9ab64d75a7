// SPDX-License-Identifier: Apache-2.0
// The scan kernels in the emulator, each case with a different schedule.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "simt/emulator.hpp"
#include "tests/codecs/component.hpp"
#include "tests/drawn.hpp"
#include "tests/scan/checks.hpp"

namespace bobbin::testing {
namespace {

using scan::Op;
using scan::Scheme;

// Runs those of the cases that are drawn, one in at most `share`, each with a schedule of its own.
void check(const std::vector<ScanCase>& cases, uint64_t share = kDrawnShare) {
  auto& options = simt::default_emulator_options();
  for (const uint64_t i : drawn(cases.size(), std::min(share, kDrawnShare))) {
    options.seed = i + 1;
    options.resident_blocks = 2 + static_cast<uint32_t>(options.seed % 4);
    EXPECT_EQ(check_scan(cases[i], StreamView(Backend::emulator, nullptr)), "")
        << describe(cases[i]) << ", schedule " << options.seed << ", " << options.resident_blocks
        << " blocks";
  }
  options = {};
}

TEST(EmulatedScan, EveryOrderAndTuple) {
  std::vector<ScanCase> cases;
  for (const DType type : {DType::u8, DType::u16, DType::u32, DType::u64}) {
    for (uint32_t order = 1; order <= scan::kMaxOrder; ++order) {
      const uint32_t wide[] = {8, 17, 32, 31, 2, 5, 13, 24};
      for (const uint32_t tuple : {1U, wide[(order + static_cast<uint32_t>(type)) % 8]}) {
        // A few tiles, the last one short.
        const uint64_t length = (uint64_t{150'000} + 37 * tuple) / size_bytes(type);
        cases.push_back({.type = type, .options = {.order = order, .tuple = tuple}, .length = length});
      }
    }
  }
  check(cases);
}

TEST(EmulatedScan, EveryOperationAndType) {
  std::vector<ScanCase> cases;
  for (const DType type : kAllTypes) {
    for (const Op op : {Op::sum, Op::max, Op::min, Op::bit_xor, Op::bit_and, Op::bit_or}) {
      if (is_float(type) && op != Op::sum) {
        continue;
      }
      for (const auto kind : {scan::Kind::inclusive, scan::Kind::exclusive}) {
        const auto number = static_cast<uint32_t>(cases.size());
        cases.push_back({.type = type,
                         .kind = kind,
                         .options = {.order = is_float(type) ? 1 : 1 + number % 3,
                                     .tuple = number % 3 == 0 ? 1 : number % 3 * 2 - 1,
                                     .op = op},
                         .length = 130'001 / size_bytes(type)});
      }
    }
  }
  check(cases);
}

TEST(EmulatedScan, Rounds) {
  std::vector<ScanCase> cases;
  for (const DType type : {DType::u8, DType::i16, DType::u32, DType::i64}) {
    for (const Op op : {Op::sum, Op::bit_xor}) {
      for (const uint32_t tuple : {1U, 3U, 32U}) {
        for (const uint32_t order : {1U, 2U, 3U}) {
          cases.push_back({.type = type,
                           .kind = order == 2 ? scan::Kind::exclusive : scan::Kind::inclusive,
                           .options = {.order = order, .tuple = tuple, .op = op, .scheme = Scheme::rounds},
                           .length = 140'003 / size_bytes(type)});
        }
      }
    }
  }
  check(cases);
}

TEST(EmulatedScan, ShortLengths) {
  std::vector<ScanCase> cases;
  for (const DType type : {DType::u8, DType::u32, DType::u64}) {
    for (const uint64_t length : {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 255, 256, 1000}) {
      cases.push_back({.type = type, .options = {.order = 3}, .length = length});
      cases.push_back({.type = type,
                       .kind = scan::Kind::exclusive,
                       .options = {.order = 2, .tuple = 5},
                       .length = length});
    }
  }
  check(cases);
}

TEST(EmulatedScan, TileBoundaries) {
  std::vector<ScanCase> cases;
  // Tiles of 10240 values of 32 bits for one series; of 12 * 10 * 3 * 33 for three.
  for (const uint64_t tile : {uint64_t{10240}, uint64_t{11880}}) {
    for (const uint64_t tiles : {1, 2, 3}) {
      for (const int64_t more : {-3, -1, 0, 1, 3}) {
        const uint64_t length = tile * tiles + static_cast<uint64_t>(more);
        cases.push_back({.options = {.tuple = tile == 11880 ? 3U : 1U}, .length = length});
      }
    }
  }
  check(cases);
}

TEST(EmulatedScan, AnyAlignmentAndInPlace) {
  std::vector<ScanCase> cases;
  for (const DType type : {DType::u8, DType::u16, DType::u32, DType::u64}) {
    for (uint32_t in = 0; in <= 16; ++in) {
      const uint32_t out = in * 7 % 17;
      const uint64_t length = 50'000 / size_bytes(type);
      cases.push_back(
          {.type = type, .options = {.order = 2}, .length = length, .in_offset = in, .out_offset = out});
      cases.push_back(
          {.type = type, .options = {.tuple = 3}, .length = length, .in_offset = in, .in_place = true});
    }
  }
  check(cases);
}

// Many schedules of the exchange: often half a dozen tiles per block, so that everything kept for a few tiles
// is reused; and sometimes more blocks than one warp looks at.
TEST(EmulatedScan, ManySchedules) {
  for (const uint64_t seed : drawn(50)) {
    simt::EmulatorOptions& options = simt::default_emulator_options();
    options.seed = seed;
    options.resident_blocks = seed % 25 == 0 ? 34 : 2 + static_cast<uint32_t>(seed % 5);
    const uint64_t values_of_block = seed % 5 == 1 ? 30'000 : 12'000;
    for (const Scheme scheme : {Scheme::vector, Scheme::rounds}) {
      const ScanCase c{.type = DType::u64,
                       .options = {.order = 1 + static_cast<uint32_t>(seed % 3),
                                   .tuple = 1 + static_cast<uint32_t>(seed % 4),
                                   .scheme = scheme},
                       .length = seed % 25 == 0 ? 250'000 : values_of_block * options.resident_blocks,
                       .seed = seed};
      EXPECT_EQ(check_scan(c, StreamView(Backend::emulator, nullptr)), "")
          << describe(c) << ", schedule " << seed << ", " << options.resident_blocks << " blocks";
    }
  }
  simt::default_emulator_options() = {};
}

// One workspace for many scans of all kinds: what an earlier one left must not be mistaken for a sum.
TEST(EmulatedScan, WorkspaceIsReused) {
  const StreamView stream(Backend::emulator, nullptr);
  scan::Workspace workspace(stream);
  std::vector<ScanCase> cases;
  for (uint64_t i = 0; i < 20; ++i) {
    cases.push_back({.type = i % 3 == 0 ? DType::u64 : DType::u32,
                     .options = {.order = 1 + static_cast<uint32_t>(i * 5 % 8),
                                 .tuple = 1 + static_cast<uint32_t>(i * 3 % 7),
                                 .scheme = i % 4 == 0 ? Scheme::rounds : Scheme::automatic,
                                 .workspace = &workspace},
                     .length = 30'000 + i * 1000,
                     .seed = i});
  }
  check(cases, 7);
}

}  // namespace
}  // namespace bobbin::testing
