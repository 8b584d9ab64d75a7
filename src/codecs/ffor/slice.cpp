// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "codecs/ffor/ffor.hpp"
#include "codecs/stored.hpp"

namespace bobbin::codec::ffor {
namespace {

struct Registers {
  uint64_t begin = UINT64_MAX;
  uint64_t end = 0;
};

Entry entry_at(const Buffer& entries, uint64_t v) {
  Entry entry;
  std::memcpy(&entry.bits, entries.bytes.data() + v * sizeof(entry.bits), sizeof(entry.bits));
  return entry;
}

// The registers of a slice's vectors, found from the entries alone.
Registers registers_of(const Array& part, uint64_t vectors) {
  const uint32_t bits = size_bits(part.type);
  Registers all;
  for (uint64_t v = 0; v < vectors; ++v) {
    const Entry entry = entry_at(part.buffers[1], v);
    const uint64_t left = part.offset + part.length - v * kVectorLength;
    const auto here = static_cast<uint32_t>(std::min<uint64_t>(kVectorLength, left));
    all.begin = std::min(all.begin, entry.first_register());
    all.end =
        std::max(all.end, entry.first_register() + num_registers(num_rows(here, bits), entry.width(), bits));
  }
  return all.begin < all.end ? all : Registers{.begin = 0, .end = 0};
}

// Copies entries with register numbers reduced by `less`, for packed bytes cut at the front.
Buffer shift_entries(const Buffer& entries, uint64_t vectors, uint64_t less) {
  const NewBuffer shifted = make_buffer(vectors * sizeof(uint32_t));
  for (uint64_t v = 0; v < vectors; ++v) {
    const Entry old = entry_at(entries, v);
    const uint64_t first = old.first_register() - less;
    const Entry entry = Entry::of(static_cast<uint32_t>(first), old.width());
    std::memcpy(shifted.data + v * sizeof(entry.bits), &entry.bits, sizeof(entry.bits));
  }
  return shifted.buffer;
}

}  // namespace

// The packed bytes stay whole: entries say where each vector is.
Array slice(const Array& array, uint64_t begin, uint64_t length) {
  const uint64_t start = array.offset + begin;
  const uint64_t first = start / kVectorLength;
  Array part = array;
  part.offset = start % kVectorLength;
  part.length = length;
  const uint64_t vectors = num_vectors(part.offset + length);
  part.buffers[0] = array.buffers[0].sub(first * size_bytes(array.type), vectors * size_bytes(array.type));
  part.buffers[1] = array.buffers[1].sub(first * sizeof(uint32_t), vectors * sizeof(uint32_t));
  return part;
}

Result<Array> load_slice(const StoredNode& node, uint64_t begin, uint64_t length, Segments& segments) {
  SliceLoader loader(node, begin, length, segments);
  const uint64_t vectors = loader.vectors();
  const size_t size = size_bytes(node.type);
  BOBBIN_TRY(loader.add_buffer(loader.first_vector() * size, vectors * size));
  BOBBIN_TRY(loader.add_buffer(loader.first_vector() * sizeof(uint32_t), vectors * sizeof(uint32_t)));
  Array& part = loader.part;
  const Registers registers = registers_of(part, vectors);
  BOBBIN_TRY(loader.add_buffer(registers.begin * kRegisterBytes,
                               (registers.end - registers.begin) * kRegisterBytes));
  part.buffers[1] = shift_entries(part.buffers[1], vectors, registers.begin);
  return std::move(part);
}

}  // namespace bobbin::codec::ffor
