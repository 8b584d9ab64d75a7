// SPDX-License-Identifier: Apache-2.0
// Writing through raw and compressed arrays, in the emulator: both hold the same values afterwards.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assist/kernels.hpp"
#include "tests/assist/arrays.hpp"
#include "tests/assist/owned.hpp"

namespace bobbin::testing {
namespace {

using namespace assist;

// An array in raw memory and in slots.
template <class T>
struct Both {
  std::vector<Quad> quads;
  uint64_t length;
  Slots<T> slots;

  explicit Both(uint64_t size)
      : quads(ceil_div<uint64_t>(size * sizeof(T), sizeof(Quad))), length(size), slots(size) {}

  [[nodiscard]] RawWriter<T> raw() { return {{reinterpret_cast<T*>(quads.data()), length}}; }
  template <class Run>
  void apply(Run&& run) {
    run(raw());
    run(slots.writer());
    const T* const first = raw().values.data;
    EXPECT_EQ(slots.values(), std::vector<T>(first, first + length));
  }
};

template <class T>
void check_writers(uint64_t seed, uint64_t lines, uint64_t missing) {
  SCOPED_TRACE(std::to_string(sizeof(T)) + " bytes, " + std::to_string(lines) + " lines");
  Random random(seed);
  const Arrays<T> arrays(random, lines, missing);
  Both<T> both(arrays.raw().length());
  both.apply([&]<class Writer>(Writer writer) {
    run_in_emulator(WriteKernel<Writer>{arrays.raw(), writer}, seed);
  });
  EXPECT_EQ(both.slots.values(), arrays.values());
  both.apply([&]<class Writer>(Writer writer) { run_in_emulator(AddIndexKernel<Writer>{writer}, seed); });
  // Each index once, from any warp: the lines are shared, the values are not.
  std::vector<uint32_t> indices;
  std::vector<T> new_values;
  for (uint64_t i = 0; i < both.length; i += 3) {
    indices.push_back(static_cast<uint32_t>(i));
    new_values.push_back(static_cast<T>(random.next() >> random.below(64)));
  }
  for (size_t i = indices.size(); i > 1; --i) {
    std::swap(indices[i - 1], indices[random.below(i)]);
  }
  both.apply([&]<class Writer>(Writer writer) {
    run_in_emulator(
        PutKernel<Writer>{writer, {indices.data(), indices.size()}, {new_values.data(), new_values.size()}},
        seed);
  });
}

TEST(AssistWriters, RawAndCompressedHoldTheSame) {
  uint64_t seed = 20;
  for (const uint64_t lines : {1, 32, 45}) {
    check_writers<uint8_t>(++seed, lines, 5);
    check_writers<uint16_t>(++seed, lines, 0);
    check_writers<uint32_t>(++seed, lines, 3);
    check_writers<uint64_t>(++seed, lines, 1);
  }
}

// A warp that writes one line with all lanes, and one value with several.
TEST(AssistWriters, LanesOfOneLineAreMerged) {
  Both<uint32_t> both(128);
  std::vector<uint32_t> indices(128);
  std::vector<uint32_t> values(128);
  for (uint32_t i = 0; i < 32; ++i) {
    indices[i] = i / 2;  // the odd lanes remain
    values[i] = 1000 + i;
  }
  // The other warps of the block share three lines, which are raw at the end.
  for (uint32_t i = 32; i < 128; ++i) {
    indices[i] = 32 + i * 5 % 96;
    values[i] = i * 0x9E3779B9U;
  }
  both.apply([&]<class Writer>(Writer writer) {
    run_in_emulator(
        PutKernel<Writer>{writer, {indices.data(), indices.size()}, {values.data(), values.size()}});
  });
  EXPECT_EQ(both.slots.values()[3], 1007U);
  EXPECT_EQ(both.slots.view().codes.data[1], codec::line::kRaw);
}

}  // namespace
}  // namespace bobbin::testing
