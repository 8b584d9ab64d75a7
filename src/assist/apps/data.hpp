// SPDX-License-Identifier: Apache-2.0
// Data for the applications: each is a function of the index, the same on every machine.
#pragma once

#include <bit>
#include <cstdint>

#include "core/portable.hpp"

namespace bobbin::assist::apps {

BOBBIN_HD uint64_t mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
BOBBIN_HD uint32_t draw(uint64_t i, uint32_t below) {
  return static_cast<uint32_t>(mix(i) >> 32) % below;
}

BOBBIN_HD uint32_t bits_of(uint32_t integer) {
  return std::bit_cast<uint32_t>(static_cast<float>(integer));
}

// Goes up and down between 0 and `height` over a period of values.
BOBBIN_HD uint32_t wave(uint64_t i, uint32_t period, uint32_t height) {
  const auto at = static_cast<uint32_t>(i % period);
  const uint32_t half = period / 2;
  return static_cast<uint32_t>(uint64_t{at < half ? at : period - at} * height / half);
}

// Counters of a meter: they grow slowly, each line has a base and deltas of a byte.
struct MeterData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) {
    return static_cast<uint32_t>(1'000'000 + i / 32 * 90 + draw(i, 90));
  }
};

// Identifiers of 64 bits, of which those of one line were given out together.
struct IdData {
  using Value = uint64_t;
  BOBBIN_HD static Value value(uint64_t i) { return (mix(i / 512) | uint64_t{1} << 40) + draw(i, 120); }
};

// Hashes: nothing to gain.
struct HashData {
  using Value = uint64_t;
  BOBBIN_HD static Value value(uint64_t i) { return mix(i); }
};

// Samples of 12 bits from a converter, with noise.
struct SampleData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return wave(i, 1 << 16, 3900) + draw(i, 100); }
};

// Integers in floats, as tables of counts and prices have them.
struct CountData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return bits_of(draw(i, 256)); }
};

// Quantised weights of -127 to 127, and activations of 0 to 255.
struct WeightData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return draw(i, 255) - 127; }
};
struct ActivationData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return mix(i) % 3 == 0 ? 0 : draw(i + 77, 256); }
};

// A grid of `kWidth` columns as a graph: eight neighbours of each vertex; those outside are the vertex.
struct GridData {
  using Value = uint32_t;
  static constexpr uint32_t kDegree = 8;
  static constexpr uint32_t kWidth = 4096;
  BOBBIN_HD static Value value(uint64_t i) {
    const uint64_t vertex = i / kDegree;
    const auto k = static_cast<uint32_t>(i % kDegree);
    const uint32_t at = k < 4 ? k : k + 1;  // without the vertex itself
    const uint64_t row = vertex / kWidth + at / 3;
    const uint64_t column = vertex % kWidth + at % 3;
    const bool is_outside = row == 0 || column == 0 || column > kWidth;
    return static_cast<uint32_t>(is_outside ? vertex : (row - 1) * kWidth + column - 1);
  }
};
struct DistanceData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return 1 + draw(i, 100); }
};

// A sparse matrix of a grid: 1024 rows at a time, column by column of their entries. Five entries per row.
struct SparseData {
  using Value = uint32_t;
  static constexpr uint32_t kRows = 1024;
  static constexpr uint32_t kEntries = 5;
  static constexpr uint32_t kWidth = 2048;
  BOBBIN_HD static Value value(uint64_t i) {
    const uint64_t row = i / (kRows * kEntries) * kRows + i % kRows;
    const auto entry = static_cast<uint32_t>(i / kRows % kEntries);
    const uint32_t before = entry == 0 ? kWidth : entry == 1 ? 1 : 0;
    const uint32_t after = entry == 3 ? 1 : entry == 4 ? kWidth : 0;
    return static_cast<uint32_t>(row < before ? row : row - before + after);
  }
};
// Its coefficients: multiples of a quarter.
struct CoefficientData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) {
    return std::bit_cast<uint32_t>(static_cast<float>(draw(i, 64)) / 4);
  }
};

// Points of four coordinates around eight centres.
struct PointData {
  using Value = uint32_t;
  static constexpr uint32_t kCentres = 8;
  BOBBIN_HD static uint32_t centre(uint32_t cluster, uint32_t axis) {
    return 16 + draw(cluster * 4 + axis, 200);
  }
  BOBBIN_HD static Value value(uint64_t i) {
    return bits_of(centre(draw(i / 4, kCentres), static_cast<uint32_t>(i % 4)) + draw(i, 16));
  }
};

// A log of page views: identifiers of pages, a few of which are most of the views.
struct PageData {
  using Value = uint64_t;
  static constexpr uint64_t kFirst = 0x5f31'0000'0000;
  static constexpr uint32_t kPages = 1 << 15;
  BOBBIN_HD static Value value(uint64_t i) {
    const uint32_t scale = draw(i, 11) + 5;
    return kFirst + draw(i + 1, uint32_t{1} << scale);
  }
};

// Words of lower-case letters.
struct TextData {
  using Value = uint8_t;
  BOBBIN_HD static Value value(uint64_t i) {
    const uint32_t word = draw(i / 6, 5000);
    return i % 6 == 5 ? ' ' : static_cast<uint8_t>('a' + draw(word * 8 + i % 6, 26));
  }
};

// Temperatures of a chip in thousandths of a degree, row by row.
template <uint32_t kWidth>
struct HeatData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) {
    return 300'000 + wave(i % kWidth, 2048, 2500) + wave(i / kWidth, 1024, 4000) + draw(i, 12);
  }
};

// Records of 128 fields: answers of a survey, the more detailed the later the question.
struct RecordData {
  using Value = uint32_t;
  static constexpr uint32_t kFields = 128;
  BOBBIN_HD static Value value(uint64_t i) { return draw(i, 10U << (i % kFields / 32 * 2)); }
};

// Pixels of a photograph, one per word.
template <uint32_t kWidth>
struct PixelData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) {
    return wave(i % kWidth, 512, 160) + wave(i / kWidth, 700, 80) + draw(i, 10);
  }
};

// Bases of DNA.
struct BaseData {
  using Value = uint8_t;
  BOBBIN_HD static Value value(uint64_t i) {
    // The second sequence of a pair is the first, with one base in eight replaced.
    constexpr uint64_t kLength = 128;
    const uint64_t first = i / kLength % 2 == 1 && draw(i, 8) != 0 ? i - kLength : i;
    return static_cast<uint8_t>(mix(first) & 3);
  }
};

// Small integers, for products of matrices.
struct SmallData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return draw(i, 16); }
};

}  // namespace bobbin::assist::apps
