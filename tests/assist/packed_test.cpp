// SPDX-License-Identifier: Apache-2.0
// Values in the form of their lines, in the emulator: sums, tests and single values are those of plain loops.
#include "assist/packed.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assist/kernels.hpp"
#include "tests/assist/arrays.hpp"
#include "tests/drawn.hpp"

namespace bobbin::testing {
namespace {

using namespace assist;

constexpr Policy kFetching{.roles = Roles::fetch, .workers = 2, .assists = 1, .slots = 2};

template <class View, bool kFilters, Policy kPolicy = kNoRoles, class T>
void expect_sum(const View& view, const std::vector<T>& values, T low, T span) {
  unsigned long long found[2] = {0, 0};
  run_in_emulator(SumKernel<View, kFilters, kPolicy>{view, low, span, {found, 2}});
  unsigned long long expected[2] = {0, 0};
  for (const T x : values) {
    const bool hit = !kFilters || static_cast<T>(x - low) <= span;
    expected[0] += hit ? x : T{0};
    expected[1] += hit ? 1 : 0;
  }
  EXPECT_EQ(found[0], expected[0]) << "from " << low << ", span " << span;
  EXPECT_EQ(found[1], expected[1]) << "from " << low << ", span " << span;
}

// Stores each value at its index.
template <class View>
struct EachKernel {
  using T = typename View::Value;
  using Reads = assist::Stream<View, kNoRoles>;
  static constexpr uint32_t kThreads = Reads::kThreads;
  struct Shared {
    typename Reads::Shared reads;
  };
  View view;
  Global<T> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    Reads::run(cta, shared.reads, view, 0, view.num_groups(),
               packed<T>([&](uint64_t index, const auto& some) {
                 for (uint32_t i = 0; i < some.size(); ++i) {
                   cta.store(out, index + i, some[i]);
                 }
               }));
  }
  [[nodiscard]] static uint64_t blocks() { return 1; }
};

template <class T>
class PackedArray {
 public:
  explicit PackedArray(const std::vector<T>& values)
      : values_(values),
        quads_(ceil_div<uint64_t>(values.size() * sizeof(T), sizeof(simt::Quad))),
        slots_(values.size()) {
    std::memcpy(quads_.data(), values.data(), values.size() * sizeof(T));
    array_ = *codec::line::encode_for_reading({kDTypeOf<T>, quads_.data(), values.size()});
    const RawView<T> raw{{reinterpret_cast<const T*>(quads_.data()), values.size()}};
    run_in_emulator(WriteKernel<SlotWriter<T>>{raw, slots_.writer()});
  }

  void check_ranges(T middle) {
    const TileView<T> tiles{codec::line::reader<kLineBytes>(array_), values_.size()};
    const SlotView<T> slots = slots_.view();
    using Tiles = TileView<T>;
    using Slotted = SlotView<T>;
    expect_sum<Tiles, false>(tiles, values_, T{0}, T{0});
    expect_sum<Tiles, false, kFetching>(tiles, values_, T{0}, T{0});
    expect_sum<Slotted, false>(slots, values_, T{0}, T{0});
    // Around the values, through them, almost everything, and around the end of the type.
    const T ends[] = {0,      static_cast<T>(middle - 300), static_cast<T>(middle - 20),
                      middle, static_cast<T>(middle + 17),  static_cast<T>(-40)};
    for (const T low : drawn_of(ends)) {
      for (const T span : {T{0}, T{30}, T{100}, T{70'000}, static_cast<T>(T{1} << 31), static_cast<T>(-300),
                           static_cast<T>(-20), static_cast<T>(-1)}) {
        expect_sum<Tiles, true>(tiles, values_, low, span);
      }
    }
    expect_sum<Slotted, true>(slots, values_, middle, T{40});
    expect_sum<Tiles, true, kFetching>(tiles, values_, middle, T{40});
    std::vector<T> found(values_.size());
    run_in_emulator(EachKernel<Tiles>{tiles, {found.data(), found.size()}});
    EXPECT_EQ(found, values_);
  }

  // The code of the first line.
  [[nodiscard]] uint32_t code() const { return codec::line::Parts(array_).codes[0]; }

 private:
  std::vector<T> values_;
  std::vector<simt::Quad> quads_;
  Slots<T> slots_;
  Array array_;
};

// Two whole groups and a partial one, all lines of one code; of every kind of line that has a form of its
// own.
template <class T>
void check_kinds(uint32_t byte_code, uint32_t half_code) {
  Random random(sizeof(T));
  const uint64_t count = 2 * kGroupBytes / sizeof(T) + 37;
  const auto check = [&](uint32_t code, T middle, auto&& value_of) {
    SCOPED_TRACE("code " + std::to_string(code) + ", around " + std::to_string(middle));
    std::vector<T> values(count);
    for (uint64_t i = 0; i < count; ++i) {
      values[i] = static_cast<T>(value_of(i));
    }
    PackedArray<T> array(values);
    EXPECT_EQ(array.code(), code);
    array.check_ranges(middle);
  };
  // The last two are around zero, on both sides.
  for (const T middle :
       {T{1000}, static_cast<T>(T{1} << (8 * sizeof(T) - 1)), T{200}, T{100}, static_cast<T>(-90)}) {
    check(byte_code, middle,
          [&](uint64_t i) { return middle + (i % 16 == 0 ? 120 : random.below(250)) - 120; });
    check(half_code, middle, [&](uint64_t i) {
      return middle + (i % 16 == 0 ? 0 : i % 16 == 1 ? 900 : random.below(60'000)) - 120;
    });
  }
  // Some values are deltas themselves.
  check(byte_code, T{50'000},
        [&](uint64_t i) { return i % 3 == 0 ? random.below(20) : 50'000 + i % 16 * 10; });
  check(codec::line::kZeros, T{0}, [](uint64_t /*i*/) { return 0; });
  check(codec::line::kRepeat, T{70}, [](uint64_t i) { return 70 + i * sizeof(T) / kLineBytes; });
}

TEST(AssistPacked, SumsAndRangesAreThoseOfTheValues) {
  check_kinds<uint32_t>(6, 7);
  check_kinds<uint64_t>(3, 4);
}

}  // namespace
}  // namespace bobbin::testing
