// SPDX-License-Identifier: Apache-2.0
// The oracle: decodes whole segments one value at a time, as spec.md describes them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/ans/ans.hpp"

namespace bobbin::codec::ans {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint64_t kLanes = 32;
constexpr uint64_t kSteps = 4;
constexpr uint64_t kGroup = kLanes * kSteps;
constexpr uint64_t kStateBytes = 8 * kLanes;
constexpr uint64_t kLeastState = uint64_t{1} << 32;

uint64_t read_number(Bytes bytes, uint64_t start, uint64_t size) {
  uint64_t number = 0;
  for (uint64_t b = 0; b < size; ++b) {
    number |= std::to_integer<uint64_t>(bytes[start + b]) << (8 * b);
  }
  return number;
}

struct Model {
  uint64_t sum = 0;  // 2^P
  std::array<uint64_t, 256> frequency{};
};

struct Symbol {
  uint8_t value = 0;
  uint64_t frequency = 0;
  uint64_t below = 0;  // the sum of the frequencies of lesser values
};

Model read_model(Bytes metadata, Bytes frequencies) {
  Model model;
  model.sum = uint64_t{1} << read_number(metadata, 0, 1);
  const uint64_t first = read_number(metadata, 2, 1);
  for (uint64_t j = 0; j < frequencies.size() / 2; ++j) {
    model.frequency[first + j] = read_number(frequencies, 2 * j, 2);
  }
  return model;
}

Symbol find_symbol(const Model& model, uint64_t slot) {
  Symbol symbol{0, model.frequency[0], 0};
  while (slot >= symbol.below + symbol.frequency) {
    symbol.below += symbol.frequency;
    ++symbol.value;
    symbol.frequency = model.frequency[symbol.value];
  }
  return symbol;
}

// The words after the states of a segment, which all lanes take from.
struct Words {
  Bytes segment;
  uint64_t position = kStateBytes;

  uint64_t next() {
    if (position + 4 > segment.size()) {
      return 0;
    }
    position += 4;
    return read_number(segment, position - 4, 4);
  }
};

uint8_t decode_value(const Model& model, uint64_t step, uint64_t& state, Words& words) {
  const uint64_t slot = state % model.sum;
  const Symbol symbol = find_symbol(model, slot);
  state = symbol.frequency * (state / model.sum) + slot - symbol.below;
  if (step % 2 == 1 && state < kLeastState) {
    state = (state << 32) + words.next();
  }
  return symbol.value;
}

std::vector<uint8_t> decode_segment(const Model& model, Bytes segment, uint64_t count) {
  std::array<uint64_t, kLanes> states{};
  for (uint64_t lane = 0; lane < kLanes; ++lane) {
    states[lane] = read_number(segment, 8 * lane, 8);
  }
  Words words{segment};
  std::vector<uint8_t> values(count);
  // The last group, full or not, is never coded.
  const uint64_t coded = (count - 1) / kGroup * kGroup;
  for (uint64_t group = 0; group < coded; group += kGroup) {
    for (uint64_t step = 0; step < kSteps; ++step) {
      for (uint64_t lane = 0; lane < kLanes; ++lane) {
        values[group + kSteps * lane + step] = decode_value(model, step, states[lane], words);
      }
    }
  }
  for (uint64_t v = coded; v < count; ++v) {
    const uint64_t state = states[(v - coded) / kSteps];
    values[v] = static_cast<uint8_t>(state >> (8 * (v % kSteps)));
  }
  return values;
}

// A slice keeps its parent's offsets but only its own segments' bytes: offsets count from the first one.
Bytes find_segment(Bytes segments, Bytes offsets, uint64_t g) {
  const uint64_t base = read_number(offsets, 0, 4);
  const uint64_t start = 8 * (read_number(offsets, 4 * g, 4) - base);
  const uint64_t end = 8 * (read_number(offsets, 4 * (g + 1), 4) - base);
  return segments.subspan(start, end - start);
}

}  // namespace

void reference(const Array& array, void* out) {
  const Bytes metadata = std::as_bytes(std::span(array.metadata));
  const Model model = read_model(metadata, array.buffers[0].bytes);
  const uint64_t segment_values = uint64_t{1} << read_number(metadata, 1, 1);
  const uint64_t stored = read_number(metadata, 3, 8);
  const uint64_t begin = read_number(metadata, 11, 8) + array.offset;
  auto* target = static_cast<uint8_t*>(out);
  for (uint64_t start = 0; start < stored; start += segment_values) {
    const uint64_t count = std::min(segment_values, stored - start);
    const Bytes segment =
        find_segment(array.buffers[1].bytes, array.buffers[2].bytes, start / segment_values);
    const std::vector<uint8_t> values = decode_segment(model, segment, count);
    const uint64_t from = std::max(start, begin);
    const uint64_t to = std::min(start + count, begin + array.length);
    for (uint64_t r = from; r < to; ++r) {
      target[r - begin] = values[r - start];
    }
  }
}

}  // namespace bobbin::codec::ans
