// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "codecs/ffor/ffor.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::ffor {
namespace {

// A vector's least value, and the width of the others' differences from it.
template <class T>
struct Frame {
  T reference = 0;
  uint32_t width = 0;
};

template <class T>
BOBBIN_INLINE Frame<T> find_frame(std::span<const T> values) {
  T low = values[0];
  T high = values[0];
  for (const T value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  using Bits = std::make_unsigned_t<T>;
  return {low, bit_width_of(static_cast<Bits>(static_cast<Bits>(high) - static_cast<Bits>(low)))};
}

template <class T>
BOBBIN_AVX2 Frame<T> find_frame_avx2(std::span<const T> values) {
  return find_frame(values);
}

template <class T>
Frame<T> frame_of(std::span<const T> values) {
  return have_avx2() ? find_frame_avx2(values) : find_frame(values);
}

template <class T>
std::span<const T> vector_of(std::span<const T> values, uint64_t v) {
  const uint64_t first = v * kVectorLength;
  return values.subspan(first, std::min<uint64_t>(kVectorLength, values.size() - first));
}

template <class T>
uint64_t registers_of(std::span<const T> vector, uint32_t width) {
  return num_registers(num_rows(static_cast<uint32_t>(vector.size()), kBits<T>), width, kBits<T>);
}

// A last, short vector is padded with its reference, which packs as zero.
template <class T>
void pack(std::span<const T> vector, const Frame<T>& frame, std::byte* packed) {
  using Bits = std::make_unsigned_t<T>;
  const auto reference = static_cast<Bits>(frame.reference);
  const uint32_t rows = num_rows(static_cast<uint32_t>(vector.size()), kBits<T>);
  const auto* values = reinterpret_cast<const Bits*>(vector.data());
  if (vector.size() == size_t{rows} * kLanes<T>) {
    bitpack::pack_vector<Bits>(values, reference, frame.width, rows, packed);
    return;
  }
  std::array<Bits, kVectorLength> tail;
  tail.fill(reference);
  std::copy_n(values, vector.size(), tail.begin());
  bitpack::pack_vector<Bits>(tail.data(), reference, frame.width, rows, packed);
}

template <class T>
Result<Array> encode_values(std::span<const T> values, DType type) {
  const uint64_t vectors = num_vectors(values.size());
  const NewBuffer references = make_buffer(vectors * sizeof(T));
  const NewBuffer entries = make_buffer(vectors * sizeof(uint32_t));
  std::vector<Frame<T>> frames(vectors);
  uint64_t registers = 0;
  for (uint64_t v = 0; v < vectors; ++v) {
    const auto vector = vector_of(values, v);
    frames[v] = frame_of(vector);
    const Entry entry = Entry::of(static_cast<uint32_t>(registers), frames[v].width);
    registers += registers_of(vector, frames[v].width);
    BOBBIN_RETURN_IF(registers > kMaxRegisters, StatusCode::unsupported,
                     "ffor: more than 4 GiB packed: split the array");
    std::memcpy(references.data + v * sizeof(T), &frames[v].reference, sizeof(T));
    std::memcpy(entries.data + v * sizeof(uint32_t), &entry.bits, sizeof(uint32_t));
  }
  const NewBuffer packed = make_buffer(registers * kRegisterBytes);
  std::byte* to = packed.data;
  for (uint64_t v = 0; v < vectors; ++v) {
    const auto vector = vector_of(values, v);
    pack(vector, frames[v], to);
    to += registers_of(vector, frames[v].width) * kRegisterBytes;
  }
  return Array{.codec = CodecId::ffor,
               .type = type,
               .length = values.size(),
               .offset = 0,
               .metadata = {},
               .buffers = {references.buffer, entries.buffer, packed.buffer},
               .children = {}};
}

}  // namespace

uint64_t estimate(const Values& values) {
  return visit_integer(values.type, [&]<class T>(std::type_identity<T>) {
    const uint64_t vectors = num_vectors(values.length);
    uint64_t registers = 0;
    for (uint64_t v = 0; v < vectors; ++v) {
      const auto vector = vector_of(values.as<T>(), v);
      registers += registers_of(vector, frame_of(vector).width);
    }
    return vectors * (sizeof(T) + sizeof(uint32_t)) + registers * kRegisterBytes;
  });
}

Result<Array> encode(const Values& values) {
  return visit_integer(values.type, [&]<class T>(std::type_identity<T>) -> Result<Array> {
    return encode_values(values.as<T>(), values.type);
  });
}

}  // namespace bobbin::codec::ffor
