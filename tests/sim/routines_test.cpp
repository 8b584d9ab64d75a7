// SPDX-License-Identifier: Apache-2.0
// Assist routines against the line codec of the library, bit for bit, and their lengths.
#include "sim/routines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>

namespace bobbin::sim {
namespace {

constexpr uint32_t kPlenty = 64;  // registers

using Random = std::mt19937_64;

template <class T>
[[nodiscard]] LineBytes bytes_of(const std::array<T, kLineBytes / sizeof(T)>& values) {
  LineBytes bytes;
  std::memcpy(bytes.data(), values.data(), kLineBytes);
  return bytes;
}

// Values near a base or near zero: deltas that just fit and some that just do not.
template <class T>
[[nodiscard]] LineBytes near_base(Random& random, uint32_t bits) {
  const T base = static_cast<T>(random());
  const uint64_t range = (uint64_t{1} << bits) + (random() % 8 == 0 ? 2 : 0);
  std::array<T, kLineBytes / sizeof(T)> values;
  for (T& x : values) {
    const T delta = static_cast<T>(random() % range - range / 2);
    x = static_cast<T>((random() % 4 == 0 ? T{0} : base) + delta);
  }
  return bytes_of(values);
}

[[nodiscard]] uint32_t word_of_pattern(Random& random, uint32_t pattern) {
  const auto signed_bits = [&](uint32_t bits) {
    return static_cast<uint32_t>(static_cast<int32_t>(random() % (1U << bits)) - (1 << (bits - 1)));
  };
  switch (pattern) {
    case 0:
      return 0;
    case 2:
      return signed_bits(8);
    case 3:
      return signed_bits(16);
    case 4:
      return static_cast<uint32_t>(random()) << 16;
    case 5:
      return (signed_bits(8) & 0xffff) | signed_bits(8) << 16;
    case 6:
      return static_cast<uint32_t>(random() % 256) * 0x0101'0101U;
    default:
      return static_cast<uint32_t>(random());
  }
}

[[nodiscard]] LineBytes patterns(Random& random) {
  constexpr uint32_t kPatterns[] = {0, 0, 2, 3, 4, 5, 6, 7};
  std::array<uint32_t, kLineWords> words;
  for (uint32_t i = 0, pattern = 0; i < kLineWords; ++i) {
    pattern = i % 4 == 0 ? kPatterns[random() % std::size(kPatterns)] : pattern;
    words[i] = word_of_pattern(random, pattern);
  }
  return bytes_of(words);
}

// Up to `entries` words that differ in their lowest byte.
[[nodiscard]] LineBytes dictionary(Random& random, uint32_t entries) {
  std::array<uint32_t, 4> values{};
  for (uint32_t i = 0; i < entries; ++i) {
    values[i] = static_cast<uint32_t>(random());
  }
  std::array<uint32_t, kLineWords> words;
  for (uint32_t& word : words) {
    word = values[random() % 4] & ~0xffU;
    word |= static_cast<uint32_t>(random() % 256);
  }
  return bytes_of(words);
}

[[nodiscard]] LineBytes repeat(Random& random) {
  std::array<uint64_t, kLineBytes / 8> values;
  values.fill(random());
  return bytes_of(values);
}

// Lines of every class, many of each.
[[nodiscard]] std::vector<LineBytes> sample_lines() {
  Random random(21);
  std::vector<LineBytes> lines = {LineBytes{}};
  for (uint32_t i = 0; i < 200; ++i) {
    for (const uint32_t bits : {8, 16, 32}) {
      lines.push_back(near_base<uint64_t>(random, bits));
    }
    lines.push_back(near_base<uint32_t>(random, 8));
    lines.push_back(near_base<uint32_t>(random, 16));
    lines.push_back(near_base<uint16_t>(random, 8));
    lines.push_back(patterns(random));
    lines.push_back(dictionary(random, i % 5));
    lines.push_back(repeat(random));
    lines.push_back(near_base<uint64_t>(random, 40));
  }
  return lines;
}

[[nodiscard]] StagedLine staged(const LineBytes& bytes) {
  StagedLine line;
  std::memcpy(line.raw.data(), bytes.data(), kLineBytes);
  return line;
}

[[nodiscard]] StagedLine staged(const LineImage& image) {
  StagedLine line;
  line.raw.fill(0xdead'beef);
  line.image = image.words;
  line.code = image.code;
  return line;
}

// Instructions and registers of a routine.
struct Cost {
  uint32_t instructions = 0;
  uint32_t registers = 0;
};
template <class Emit>
[[nodiscard]] Cost cost_of(Emit emit) {
  Warp warp(WarpPlace{}, kPlenty);
  emit(warp);
  EXPECT_EQ(warp.fault(), "");
  return {static_cast<uint32_t>(warp.queued()), warp.registers_used()};
}

[[nodiscard]] Cost decompress(StagedLine& line) {
  return cost_of([&](Warp& warp) { emit_decompress(warp, line); });
}
[[nodiscard]] Cost compress(StagedLine& line, Algorithm algorithm, uint32_t hint = kRawCode) {
  return cost_of([&](Warp& warp) { emit_compress(warp, line, algorithm, hint, hint != kRawCode); });
}

[[nodiscard]] LineBytes raw_bytes(const StagedLine& line) {
  LineBytes bytes;
  std::memcpy(bytes.data(), line.raw.data(), kLineBytes);
  return bytes;
}

constexpr Algorithm kAlgorithms[] = {Algorithm::bdi, Algorithm::fpc, Algorithm::cpack, Algorithm::best};

TEST(SimRoutines, DecompressionIsThatOfTheLibraryForEveryEncoding) {
  std::set<uint32_t> codes;
  for (const LineBytes& bytes : sample_lines()) {
    for (const Algorithm algorithm : kAlgorithms) {
      const LineImage image = compress_line(bytes, algorithm, false);
      StagedLine line = staged(image);
      const Cost cost = decompress(line);
      codes.insert(image.code);
      ASSERT_EQ(raw_bytes(line), bytes) << "code " << image.code;
      ASSERT_LE(cost.registers, decompress_needs(algorithm).registers) << "code " << image.code;
    }
  }
  for (uint32_t code = 0; code <= 9; ++code) {
    EXPECT_TRUE(codes.contains(code)) << code;
  }
  EXPECT_GT(codes.size(), 20);  // sizes of FPC' too
}

TEST(SimRoutines, CompressionIsThatOfTheLibraryForEveryAlgorithm) {
  for (const LineBytes& bytes : sample_lines()) {
    for (const Algorithm algorithm : kAlgorithms) {
      const LineImage expected = compress_line(bytes, algorithm, false);
      StagedLine line = staged(bytes);
      const Cost cost = compress(line, algorithm);
      ASSERT_EQ(line.code, expected.code) << to_string(algorithm);
      ASSERT_TRUE(
          std::equal(line.image.begin(), line.image.begin() + expected.size / 4, expected.words.begin()))
          << to_string(algorithm) << ", code " << expected.code;
      ASSERT_LE(cost.registers, compress_needs(algorithm).registers) << to_string(algorithm);
    }
  }
}

TEST(SimRoutines, TheFirstValueIsTheBaseIfAlgorithm2IsAskedFor) {
  uint32_t other = 0;
  for (const LineBytes& bytes : sample_lines()) {
    const LineImage expected = compress_line(bytes, Algorithm::bdi, true);
    StagedLine line = staged(bytes);
    const Cost cost =
        cost_of([&](Warp& warp) { emit_compress(warp, line, Algorithm::bdi, kRawCode, false, true); });
    ASSERT_EQ(line.code, expected.code);
    ASSERT_TRUE(
        std::equal(line.image.begin(), line.image.begin() + expected.size / 4, expected.words.begin()))
        << "code " << expected.code;
    ASSERT_LE(cost.registers, compress_needs(Algorithm::bdi).registers);
    other += expected.code != compress_line(bytes, Algorithm::bdi, false).code ? 1 : 0;
  }
  EXPECT_GT(other, 10) << "the rules differ on lines that begin with a small value";
}

TEST(SimRoutines, TheLastEncodingIsTriedFirstAndTakenIfItFits) {
  uint32_t taken = 0;
  for (const LineBytes& bytes : sample_lines()) {
    const uint32_t smallest = compress_line(bytes, Algorithm::bdi, false).code;
    for (uint32_t hint = 1; hint <= 9; ++hint) {
      StagedLine line = staged(bytes);
      static_cast<void>(compress(line, Algorithm::bdi, hint));
      ASSERT_TRUE(line.code == hint || line.code == smallest) << hint;
      ASSERT_EQ(expand_line({line.code, image_size(line.code), line.image}), bytes) << hint;
      taken += line.code == hint && hint != smallest ? 1 : 0;
    }
    StagedLine line = staged(bytes);
    static_cast<void>(compress(line, Algorithm::bdi, smallest));
    ASSERT_EQ(line.code, smallest);
  }
  EXPECT_GT(taken, 100);
}

// Largest costs by code.
struct Table {
  std::map<uint32_t, uint32_t> expand;
  std::map<uint32_t, uint32_t> hinted;
  std::map<Algorithm, Cost> decompress;
  std::map<Algorithm, Cost> compress;
};

void raise(Cost& most, const Cost& cost) {
  most = {std::max(most.instructions, cost.instructions), std::max(most.registers, cost.registers)};
}

[[nodiscard]] Table measure_table() {
  Table table;
  for (const LineBytes& bytes : sample_lines()) {
    for (const Algorithm algorithm : kAlgorithms) {
      const LineImage image = compress_line(bytes, algorithm, false);
      StagedLine packed = staged(image);
      const Cost expanding = decompress(packed);
      StagedLine raw = staged(bytes);
      raise(table.decompress[algorithm], expanding);
      raise(table.compress[algorithm], compress(raw, algorithm));
      if (algorithm == Algorithm::bdi) {
        StagedLine again = staged(bytes);
        const Cost hinted = compress(again, algorithm, image.code);
        raise(table.compress[algorithm], hinted);
        table.expand[image.code] = std::max(table.expand[image.code], expanding.instructions);
        table.hinted[image.code] = hinted.instructions;
      }
    }
  }
  return table;
}

TEST(SimRoutines, LengthsInInstructions) {
  const Table table = measure_table();
  // Zeros, repeat, (8,1), (8,2), (8,4), (4,1), (4,2), (2,1).
  const std::map<uint32_t, uint32_t> expand = {{0, 0}, {1, 2}, {2, 3}, {3, 8}, {4, 8},
                                               {5, 8}, {6, 6}, {7, 6}, {8, 11}};
  EXPECT_EQ(table.expand, expand);
  // With the encoding of the last line; a line that stays raw has no such encoding.
  const std::map<uint32_t, uint32_t> hinted = {{1, 6},  {2, 9},  {3, 19}, {4, 19},
                                               {5, 17}, {6, 13}, {7, 13}, {8, 21}};
  std::map<uint32_t, uint32_t> found = table.hinted;
  found.erase(kRawCode);
  EXPECT_EQ(found, hinted);
  const auto longest = [](const std::map<Algorithm, Cost>& costs, Algorithm algorithm) {
    return costs.at(algorithm).instructions;
  };
  EXPECT_EQ(longest(table.decompress, Algorithm::fpc), 48);
  EXPECT_EQ(longest(table.decompress, Algorithm::cpack), 14);
  EXPECT_EQ(longest(table.compress, Algorithm::bdi), 70);
  EXPECT_EQ(longest(table.compress, Algorithm::fpc), 71);
  EXPECT_EQ(longest(table.compress, Algorithm::cpack), 45);
}

// The store holds each path once: what the encodings' routines take together.
TEST(SimRoutines, NeedsAreThoseOfTheRoutines) {
  Table table = measure_table();
  uint32_t expand = 0;
  for (const auto& [code, length] : table.expand) {
    expand += length;
  }
  EXPECT_EQ(decompress_needs(Algorithm::bdi).instructions, expand);
  uint32_t hinted = 2;  // live-in and live-out once
  table.hinted.erase(kRawCode);
  for (const auto& [code, length] : table.hinted) {
    hinted += length - 2;
  }
  EXPECT_EQ(compress_needs(Algorithm::bdi).instructions, hinted);
  EXPECT_EQ(decompress_needs(Algorithm::cpack).instructions, table.decompress[Algorithm::cpack].instructions);
  EXPECT_EQ(compress_needs(Algorithm::cpack).instructions, table.compress[Algorithm::cpack].instructions);
  for (const Algorithm algorithm : kAlgorithms) {
    EXPECT_EQ(decompress_needs(algorithm).registers, table.decompress[algorithm].registers)
        << to_string(algorithm);
    EXPECT_EQ(compress_needs(algorithm).registers, table.compress[algorithm].registers)
        << to_string(algorithm);
  }
}

// A line whose segments all have one pattern: its path, eight times.
[[nodiscard]] std::array<uint32_t, 2> fpc_path(uint32_t pattern) {
  Random random(pattern);
  std::array<uint32_t, kLineWords> words{};
  for (uint32_t i = 0; i < kLineWords; ++i) {
    words[i] = i < 4 ? word_of_pattern(random, pattern) : 0;
  }
  StagedLine raw = staged(bytes_of(words));
  const uint32_t compressing = compress(raw, Algorithm::fpc).instructions;
  raw.raw.fill(1);
  const uint32_t expanding = decompress(raw).instructions;
  StagedLine zeros = staged(LineBytes{});
  const uint32_t base_compress = compress(zeros, Algorithm::fpc).instructions;
  // Eight zero segments take 2 + 8 * 3 to expand.
  return {expanding - (2 + 7 * 3), compressing - base_compress + 3};
}

TEST(SimRoutines, NeedsOfFpcAreItsPaths) {
  // Common parts, and for each pattern its path with the jump to the next.
  uint32_t expand = 2 + 2 + 3;
  StagedLine zeros = staged(LineBytes{});
  uint32_t pack = compress(zeros, Algorithm::fpc).instructions - 8 * 3 + 3 + 3;
  for (const uint32_t pattern : {2, 3, 4, 5, 6, 7}) {
    const auto [expanding, compressing] = fpc_path(pattern);
    expand += expanding;
    pack += compressing;
  }
  EXPECT_EQ(decompress_needs(Algorithm::fpc).instructions, expand);
  EXPECT_EQ(compress_needs(Algorithm::fpc).instructions, pack);
}

TEST(SimRoutines, PrefetchGoesAheadOfTheParent) {
  Warp warp(WarpPlace{}, kPlenty);
  emit_prefetch_routine(warp, 0x20000, 256, 3);
  EXPECT_EQ(warp.queued(), prefetch_needs().instructions);
  EXPECT_EQ(warp.registers_used(), prefetch_needs().registers);
  while (warp.queued() > 1) {
    static_cast<void>(warp.take());
  }
  const Instruction last = warp.take();
  ASSERT_EQ(last.op, Op::prefetch);
  EXPECT_EQ(warp.operands(last).address[0], 0x20000 + 3 * 256);
}

TEST(SimRoutines, MemoRemembersByTheBitsOfTheKey) {
  Warp warp(WarpPlace{}, kPlenty);
  MemoTable table;
  table.entries.resize(4096);
  Lanes<uint64_t> key;
  Lanes<uint64_t> value;
  for (uint32_t i = 0; i < kLanes; ++i) {
    key.value[i] = i / 2;
    value.value[i] = 100 + i / 2;
  }
  EXPECT_EQ(memo_lookup(warp, key).lanes, 0);
  EXPECT_EQ(warp.queued(), 0);  // no table, no instruction
  warp.memo = &table;
  EXPECT_EQ(memo_lookup(warp, key).lanes, 0);
  memo_remember(warp, key, value);
  EXPECT_EQ(warp.queued(), memo_needs().instructions);
  EXPECT_TRUE(warp.next().assist);
  const MemoHit hit = memo_lookup(warp, key);
  uint32_t hits = 0;
  for (uint32_t i = 0; i < kLanes; ++i) {
    if ((hit.lanes >> i & 1) != 0) {
      EXPECT_EQ(hit.value[i], 100 + i / 2);
      ++hits;
    }
  }
  EXPECT_GT(hits, 16);  // entries may collide
  EXPECT_EQ(table.lookups, 64);
  EXPECT_EQ(table.hits, hits);
}

}  // namespace
}  // namespace bobbin::sim
