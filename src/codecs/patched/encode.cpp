// SPDX-License-Identifier: Apache-2.0
// Values are encoded as in ffor, but each vector has the width that takes fewest bytes, with wider values as
// patches.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>
#include <vector>

#include "codecs/ffor/ffor.hpp"
#include "codecs/patched/patched.hpp"
#include "core/dispatch.hpp"
#include "core/portable.hpp"

namespace bobbin::codec::patched {
namespace {

template <class T>
uint64_t packed_bytes(uint32_t values, uint32_t width) {
  return uint64_t{num_registers(num_rows(values, kBits<T>), width, kBits<T>)} * kRegisterBytes;
}

// How many values need each width.
template <class T>
using Widths = std::array<uint32_t, kBits<T> + 1>;

template <class T>
BOBBIN_INLINE Widths<T> count_widths(T reference, std::span<const T> vector, uint32_t most) {
  using Bits = std::make_unsigned_t<T>;
  using Count = std::conditional_t<sizeof(T) == 1, uint16_t, Bits>;
  std::array<Bits, kVectorLength> differences;
  for (size_t i = 0; i < vector.size(); ++i) {
    differences[i] = static_cast<Bits>(static_cast<Bits>(vector[i]) - static_cast<Bits>(reference));
  }
  Widths<T> of_width{};
  auto wider = static_cast<uint32_t>(vector.size());
  for (uint32_t width = 0; width < most; ++width) {
    const auto limit = low_mask<Bits>(width);
    Count count = 0;
    for (size_t i = 0; i < vector.size(); ++i) {
      count = static_cast<Count>(count + (differences[i] > limit ? 1 : 0));
    }
    of_width[width] = wider - static_cast<uint32_t>(count);
    wider = static_cast<uint32_t>(count);
  }
  of_width[most] = wider;
  return of_width;
}
template <class T>
BOBBIN_AVX2 Widths<T> count_widths_avx2(T reference, std::span<const T> vector, uint32_t most) {
  return count_widths(reference, vector, most);
}

// The width that takes fewest bytes.
template <class T>
Choice<T> best_width(T reference, size_t values, const Widths<T>& of_width) {
  Choice<T> best{.reference = reference, .width = kBits<T>, .patches = 0, .bytes = UINT64_MAX};
  uint32_t wider = 0;
  for (uint32_t width = kBits<T> + 1; width-- > 0;) {
    // A width that no value has is no better than the next smaller one that occurs.
    if (of_width[width] != 0 || width == 0) {
      const uint64_t bytes =
          packed_bytes<T>(static_cast<uint32_t>(values), width) + uint64_t{wider} * patch_bytes(sizeof(T));
      if (bytes < best.bytes) {
        best = {reference, width, wider, bytes};
      }
    }
    wider += of_width[width];
  }
  return best;
}

template <class T>
std::vector<Choice<T>> choose_all(std::span<const T> values) {
  std::vector<Choice<T>> choices;
  choices.reserve(num_vectors(values.size()));
  for (uint64_t first = 0; first < values.size(); first += kVectorLength) {
    choices.push_back(
        choose(values.subspan(first, std::min<uint64_t>(kVectorLength, values.size() - first))));
  }
  return choices;
}

template <class T>
Buffer buffer_of(const std::vector<T>& items) {
  const auto bytes = std::as_bytes(std::span(items));
  const NewBuffer buffer = make_buffer(bytes.size());
  std::ranges::copy(bytes, buffer.data);
  return buffer.buffer;
}

template <class T>
Result<Array> encode_values(std::span<const T> values, DType type) {
  using Bits = std::make_unsigned_t<T>;
  const std::vector<Choice<T>> choices = choose_all(values);
  std::vector<T> plain(values.begin(), values.end());
  std::vector<uint64_t> places;
  std::vector<Bits> patches;
  for (size_t v = 0; v < choices.size(); ++v) {
    const uint64_t end = std::min<uint64_t>((v + 1) * kVectorLength, plain.size());
    for (uint64_t i = v * kVectorLength; i < end && choices[v].patches != 0; ++i) {
      if (choices[v].is_patch(plain[i])) {
        places.push_back(i);
        patches.push_back(static_cast<Bits>(plain[i]));
        plain[i] = choices[v].reference;
      }
    }
  }
  BOBBIN_ASSIGN(Array inner, ffor::encode({type, plain.data(), plain.size()}));
  return wrap<Bits>(std::move(inner), places, patches);
}

// Appends a chunk's patches as a block of lanes.
template <class T>
void add_block(const ChunkPatches& chunk, std::vector<std::byte>& blocks) {
  const size_t begin = blocks.size();
  blocks.resize(begin + size_t{Block::units(chunk.count, sizeof(T))} * kUnitBytes);
  std::byte* indices = blocks.data() + begin + Block::kIndices;
  std::byte* values = blocks.data() + begin + Block::values(chunk.count, sizeof(T));
  for (uint32_t lane = 0; lane < kPatchLanes; ++lane) {
    uint8_t count = 0;
    for (uint32_t i = 0; i < chunk.count; ++i) {
      if (lane_of(chunk.index(i), sizeof(T)) == lane) {
        std::memcpy(indices, chunk.indices + i * sizeof(uint16_t), sizeof(uint16_t));
        std::memcpy(values, chunk.values + i * sizeof(T), sizeof(T));
        indices += sizeof(uint16_t);
        values += sizeof(T);
        ++count;
      }
    }
    blocks[begin + lane] = static_cast<std::byte>(count);
  }
}

}  // namespace

template <class T>
Choice<T> choose_from(T reference, std::span<const T> vector) {
  using Bits = std::make_unsigned_t<T>;
  // Values below the reference count as widest, the reference as if it had one bit: that needs no test.
  const auto width_of = [&](T value) {
    const auto difference = static_cast<Bits>(static_cast<Bits>(value) - static_cast<Bits>(reference));
    return value < reference ? kBits<T>
                             : static_cast<uint32_t>(std::bit_width(static_cast<Bits>(difference | 1)));
  };
  // Four sets of counts, so that an increment does not wait for the previous one.
  constexpr size_t kSets = 4;
  std::array<Widths<T>, kSets> counts{};
  size_t i = 0;
  for (; i + kSets <= vector.size(); i += kSets) {
    for (size_t set = 0; set < kSets; ++set) {
      ++counts[set][width_of(vector[i + set])];
    }
  }
  for (; i < vector.size(); ++i) {
    ++counts[0][width_of(vector[i])];
  }
  Widths<T> of_width{};
  for (const auto& some : counts) {
    std::ranges::transform(of_width, some, of_width.begin(), std::plus<>());
  }
  of_width[0] = static_cast<uint32_t>(std::ranges::count(vector, reference));
  of_width[1] -= of_width[0];
  return best_width(reference, vector.size(), of_width);
}

template <class T>
Choice<T> choose(std::span<const T> vector) {
  using Bits = std::make_unsigned_t<T>;
  T least = vector[0];
  T greatest = vector[0];
  for (const T value : vector) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  const auto most = bit_width_of(static_cast<Bits>(static_cast<Bits>(greatest) - static_cast<Bits>(least)));
  // Comparing all values with each width is fast for narrow types and few widths.
  if (most * sizeof(T) > 256) {
    return choose_from(least, vector);
  }
  return best_width(least, vector.size(),
                    have_avx2() ? count_widths_avx2(least, vector, most) : count_widths(least, vector, most));
}

template Choice<uint8_t> choose<uint8_t>(std::span<const uint8_t>);
template Choice<uint16_t> choose<uint16_t>(std::span<const uint16_t>);
template Choice<uint32_t> choose<uint32_t>(std::span<const uint32_t>);
template Choice<uint64_t> choose<uint64_t>(std::span<const uint64_t>);
template Choice<int8_t> choose<int8_t>(std::span<const int8_t>);
template Choice<int16_t> choose<int16_t>(std::span<const int16_t>);
template Choice<int32_t> choose<int32_t>(std::span<const int32_t>);
template Choice<int64_t> choose<int64_t>(std::span<const int64_t>);
template Choice<int32_t> choose_from<int32_t>(int32_t, std::span<const int32_t>);
template Choice<int64_t> choose_from<int64_t>(int64_t, std::span<const int64_t>);

template <class T>
Result<Array> wrap(Array inner, std::span<const uint64_t> places, std::span<const T> values) {
  BOBBIN_RETURN_IF(places.size() > UINT32_MAX, StatusCode::unsupported,
                   "patched: too many patches: split the array");
  std::vector<uint32_t> starts{0};
  std::vector<uint16_t> indices;
  indices.reserve(places.size());
  for (uint64_t v = 0; v < num_vectors(inner.length); ++v) {
    while (indices.size() < places.size() && places[indices.size()] < (v + 1) * kVectorLength) {
      indices.push_back(static_cast<uint16_t>(places[indices.size()] % kVectorLength));
    }
    starts.push_back(static_cast<uint32_t>(indices.size()));
  }
  const NewBuffer patches = make_buffer(values.size_bytes());
  std::ranges::copy(std::as_bytes(values), patches.data);
  return Array{.codec = CodecId::patched,
               .type = inner.type,
               .length = inner.length,
               .offset = 0,
               .metadata = {static_cast<uint8_t>(PatchLayout::sorted)},
               .buffers = {buffer_of(starts), buffer_of(indices), patches.buffer},
               .children = {std::move(inner)}};
}

template Result<Array> wrap<uint8_t>(Array, std::span<const uint64_t>, std::span<const uint8_t>);
template Result<Array> wrap<uint16_t>(Array, std::span<const uint64_t>, std::span<const uint16_t>);
template Result<Array> wrap<uint32_t>(Array, std::span<const uint64_t>, std::span<const uint32_t>);
template Result<Array> wrap<uint64_t>(Array, std::span<const uint64_t>, std::span<const uint64_t>);

uint64_t wrapping_bytes(uint64_t length, uint64_t patches, uint32_t value_size) {
  return 1 + (num_vectors(length) + 1) * sizeof(uint32_t) + patches * patch_bytes(value_size);
}

uint64_t estimate(const Values& values) {
  return visit_integer(values.type, [&]<class T>(std::type_identity<T>) {
    uint64_t bytes = num_vectors(values.length) * (sizeof(T) + sizeof(uint32_t));
    for (const Choice<T>& choice : choose_all(values.as<T>())) {
      bytes += choice.bytes;
    }
    return bytes + wrapping_bytes(values.length, 0, sizeof(T));
  });
}

Result<Array> encode(const Values& values) {
  return visit_integer(values.type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
    return encode_values(values.as<T>(), values.type);
  });
}

Array to_lanes(const Array& array) {
  return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    std::vector<uint32_t> starts{0};
    std::vector<std::byte> blocks;
    for (uint64_t v = 0; v < num_vectors(array.offset + array.length); ++v) {
      if (const ChunkPatches chunk = patches_of(array, v); chunk.count != 0) {
        add_block<T>(chunk, blocks);
      }
      starts.push_back(static_cast<uint32_t>(blocks.size() / kUnitBytes));
    }
    Array lanes = array;
    lanes.metadata = {static_cast<uint8_t>(PatchLayout::lanes)};
    lanes.buffers = {buffer_of(starts), buffer_of(blocks)};
    return lanes;
  });
}

}  // namespace bobbin::codec::patched
