// SPDX-License-Identifier: Apache-2.0
// The oracle: whole segments, one value after another, as spec.md describes them.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/ans/ans.hpp"

namespace bobbin::codec::ans {
namespace {

uint64_t number_at(std::span<const std::byte> bytes, uint64_t at, uint64_t size) {
  uint64_t value = 0;
  for (uint64_t i = 0; i < size; ++i) {
    value += std::to_integer<uint64_t>(bytes[at + i]) << (8 * i);
  }
  return value;
}

struct Table {
  uint64_t slots = 0;  // 2^P
  uint64_t first = 0;
  std::vector<uint64_t> frequencies;

  explicit Table(const Array& array) : slots(uint64_t{1} << array.metadata[0]), first(array.metadata[2]) {
    const std::span<const std::byte> bytes = array.buffers[0].bytes;
    for (uint64_t at = 0; at < bytes.size(); at += 2) {
      frequencies.push_back(number_at(bytes, at, 2));
    }
  }
};

// All values of a segment.
std::vector<uint8_t> decode_segment(std::span<const std::byte> segment, uint64_t values, const Table& table) {
  std::vector<uint64_t> x;
  for (uint64_t lane = 0; lane < 32; ++lane) {
    x.push_back(number_at(segment, 8 * lane, 8));
  }
  uint64_t word = 256;
  std::vector<uint8_t> out;
  const uint64_t groups = (values + 127) / 128;
  for (uint64_t group = 0; group + 1 < groups; ++group) {
    out.resize(out.size() + 128);
    for (uint64_t step = 0; step < 4; ++step) {
      for (uint64_t lane = 0; lane < 32; ++lane) {
        const uint64_t slot = x[lane] % table.slots;
        uint64_t below = 0;
        uint64_t s = 0;
        while (slot >= below + table.frequencies[s]) {
          below += table.frequencies[s];
          ++s;
        }
        out[128 * group + 4 * lane + step] = static_cast<uint8_t>(table.first + s);
        x[lane] = table.frequencies[s] * (x[lane] / table.slots) + slot - below;
        if (step % 2 == 1 && x[lane] < 4294967296) {
          const bool left = word + 4 <= segment.size();
          x[lane] = x[lane] * 4294967296 + (left ? number_at(segment, word, 4) : 0);
          word += left ? 4 : 0;
        }
      }
    }
  }
  for (uint64_t rest = 0; out.size() < values; ++rest) {
    out.push_back(static_cast<uint8_t>(x[rest / 4] >> (8 * (rest % 4))));
  }
  return out;
}

}  // namespace

void reference(const Array& array, void* out) {
  const auto metadata = std::as_bytes(std::span(array.metadata));
  const uint64_t size = uint64_t{1} << array.metadata[1];
  const uint64_t stored = number_at(metadata, 3, 8);
  const uint64_t skip = number_at(metadata, 11, 8);
  const Table table(array);
  const auto offset = [&](uint64_t i) { return number_at(array.buffers[2].bytes, 4 * i, 4); };
  std::vector<uint8_t> all;
  for (uint64_t g = 0; g * size < stored; ++g) {
    const uint64_t begin = 8 * (offset(g) - offset(0));
    const uint64_t end = 8 * (offset(g + 1) - offset(0));
    const uint64_t values = stored - g * size < size ? stored - g * size : size;
    const std::vector<uint8_t> some =
        decode_segment(array.buffers[1].bytes.subspan(begin, end - begin), values, table);
    all.insert(all.end(), some.begin(), some.end());
  }
  for (uint64_t i = 0; i < array.length; ++i) {
    static_cast<uint8_t*>(out)[i] = all[skip + array.offset + i];
  }
}

}  // namespace bobbin::codec::ans
