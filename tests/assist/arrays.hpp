// SPDX-License-Identifier: Apache-2.0
// An array of lines of every class, raw, in tiles and in slots, for tests of kernels in the emulator.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "assist/kernels.hpp"
#include "codecs/line/array.hpp"
#include "codecs/line/kernels.hpp"
#include "simt/emulator.hpp"
#include "tests/codecs/component.hpp"
#include "tests/codecs/line/lines.hpp"

namespace bobbin::testing {

template <class K>
void run_in_emulator(const K& kernel, uint64_t seed = 3) {
  const Status status = simt::emulate(kernel, kernel.blocks(), {.seed = seed});
  ASSERT_TRUE(status.ok()) << status.message();
}

// Slots for values, which are zeros at first.
template <class T>
class Slots {
 public:
  explicit Slots(uint64_t length)
      : length_(length),
        codes_(ceil_div<uint64_t>(length * sizeof(T), assist::kLineBytes), codec::line::kZeros),
        quads_(codes_.size() * assist::kLineBytes / sizeof(simt::Quad)),
        locks_(16) {}

  [[nodiscard]] assist::SlotWriter<T> writer() {
    return {words(), {codes_.data(), codes_.size()}, length_, {locks_.data(), locks_.size()}};
  }
  [[nodiscard]] assist::SlotView<T> view() {
    return {{{words().data, words().size}}, {codes_.data(), codes_.size()}, length_};
  }
  [[nodiscard]] std::vector<T> values() {
    std::vector<simt::Quad> out(ceil_div<uint64_t>(length_ * sizeof(T), sizeof(simt::Quad)));
    auto* const first = reinterpret_cast<T*>(out.data());
    run_in_emulator(assist::ReadKernel<assist::SlotView<T>>{view(), {first, length_}});
    return {first, first + length_};
  }

 private:
  simt::Global<uint32_t> words() { return {reinterpret_cast<uint32_t*>(quads_.data()), quads_.size() * 4}; }

  uint64_t length_;
  std::vector<uint8_t> codes_;
  std::vector<simt::Quad> quads_;
  std::vector<uint32_t> locks_;
};

// The last `missing` values of the last line are not part of the array.
template <class T>
class Arrays {
 public:
  Arrays(Random& random, uint64_t lines, uint64_t missing)
      : quads_(lines * assist::kLineBytes / sizeof(simt::Quad)),
        length_(lines * assist::kLineBytes / sizeof(T) - missing),
        slots_(length_) {
    const std::vector<std::byte> bytes = draw_lines(random, lines);
    std::memcpy(quads_.data(), bytes.data(), bytes.size());
    array_ = *codec::line::encode_lines({kDTypeOf<T>, quads_.data(), length_}, assist::kLineBytes);
    run_in_emulator(assist::WriteKernel<assist::SlotWriter<T>>{raw(), slots_.writer()});
  }

  [[nodiscard]] assist::RawView<T> raw() const {
    return {{reinterpret_cast<const T*>(quads_.data()), length_}};
  }
  [[nodiscard]] assist::TileView<T> tiles() const {
    return {codec::line::reader<assist::kLineBytes>(array_), length_};
  }
  [[nodiscard]] assist::SlotView<T> slots() { return slots_.view(); }
  [[nodiscard]] std::vector<T> values() const { return {raw().values.data, raw().values.data + length_}; }

 private:
  std::vector<simt::Quad> quads_;
  uint64_t length_;
  Array array_;
  Slots<T> slots_;
};

}  // namespace bobbin::testing
