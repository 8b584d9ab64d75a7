// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <string>

#include "codecs/delta/delta.hpp"
#include "codecs/ffor/ffor.hpp"
#include "core/dispatch.hpp"
#include "core/vectors.hpp"
#include "scan/scan.hpp"

namespace bobbin::codec::delta {
namespace {

// Decodes vector v, or its first rows.
template <class T>
void decode_rows(const Array& array, uint64_t v, uint32_t rows, T* to) {
  const Parameters p = parameters_of(array);
  const ffor::Parts parts(array.children[0]);
  const ffor::Entry entry = parts.entry(v);
  bitpack::unpack_vector<T>(parts.vector(entry), entry.width(), rows, parts.reference<T>(v), to);
  T states[kMaxWords];
  const size_t bytes = p.words() * sizeof(T);
  std::memcpy(states, array.buffers[0].bytes.data() + v * bytes, bytes);
  scan::scan_tile_on_cpu<T>(to, rows * kLanes<T>, p.order, p.tuple, states);
}

template <class T>
void decode_ends_from(const Array& array, uint64_t base, uint64_t* out) {
  const uint64_t end = array.offset + array.length;
  for (uint64_t first = 0; first < end; first += kVectorLength) {
    const auto here = static_cast<uint32_t>(std::min<uint64_t>(kVectorLength, end - first));
    alignas(64) T values[kVectorLength];
    decode_rows<T>(array, first / kVectorLength, num_rows(here, kBits<T>), values);
    const auto skip = static_cast<uint32_t>(std::max(array.offset + 1, first) - first);
    for (uint32_t i = skip; i < here; ++i) {
      *out++ = base + values[i];
    }
  }
}

}  // namespace

std::string describe(const Array& array) {
  if (array.metadata.size() != 2) {
    return "damaged";
  }
  const Parameters p = parameters_of(array);
  return "order " + std::to_string(p.order) + (p.tuple == 1 ? "" : ", stride " + std::to_string(p.tuple));
}

Status validate(const Array& array) {
  const Parameters p = parameters_of(array);
  BOBBIN_RETURN_IF(p.order < 1 || p.order > scan::kMaxOrder, StatusCode::corrupt,
                   "delta: invalid order " + std::to_string(p.order));
  BOBBIN_RETURN_IF(p.tuple < 1 || p.tuple > scan::kMaxTuple, StatusCode::corrupt,
                   "delta: invalid stride " + std::to_string(p.tuple));
  // No overflow: 2^60 values are 2^50 vectors of at most 2^8 words of 2^3 bytes.
  const uint64_t expected = num_vectors(array.offset + array.length) * p.words() * size_bytes(array.type);
  BOBBIN_RETURN_IF(array.buffers[0].bytes.size() != expected, StatusCode::corrupt,
                   "delta: restarts have " + std::to_string(array.buffers[0].bytes.size()) +
                       " bytes instead of " + std::to_string(expected));
  return {};
}

void decode(const Array& array, void* out) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    decode_vectors<T>(array.offset, array.length, static_cast<T*>(out),
                      [&](uint64_t v, uint32_t rows, T* to) { decode_rows<T>(array, v, rows, to); });
  });
}

void decode_vector(const Array& array, uint64_t vector, void* out) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const uint64_t left = array.offset + array.length - vector * kVectorLength;
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(kVectorLength, left));
    decode_rows<T>(array, vector, num_rows(count, kBits<T>), static_cast<T*>(out));
  });
}

void decode_ends(const Array& array, uint64_t base, uint64_t* out) {
  if (array.type == DType::u64) {
    decode_ends_from<uint64_t>(array, base, out);
  } else {
    decode_ends_from<uint32_t>(array, base, out);
  }
}

Scalar value_at(const Array& array, uint64_t index) {
  return visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const uint64_t i = array.offset + index;
    const auto in_vector = static_cast<uint32_t>(i % kVectorLength);
    T values[kVectorLength];
    decode_rows<T>(array, i / kVectorLength, num_rows(in_vector + 1, kBits<T>), values);
    return Scalar{values[in_vector]};
  });
}

}  // namespace bobbin::codec::delta
