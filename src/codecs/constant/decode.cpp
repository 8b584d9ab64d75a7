// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "codecs/constant/constant.hpp"
#include "core/bits.hpp"
#include "core/lanes.hpp"
#include "core/scalar.hpp"
#include "core/stream_copy.hpp"

namespace bobbin::codec::constant {
namespace {

// Large outputs bypass the caches; they are copied from a few values that stay cached.
template <class T>
void fill(T* out, uint64_t count, T value) {
  if (count * sizeof(T) < kStreamBytes) {
    std::fill_n(out, count, value);
    return;
  }
  constexpr uint64_t kBatch = 4096 / sizeof(T);
  alignas(64) std::array<T, kBatch> batch;
  batch.fill(value);
  for (uint64_t i = 0; i < count; i += kBatch) {
    copy_past_caches(out + i, batch.data(), std::min(kBatch, count - i) * sizeof(T));
  }
  end_copies_past_caches();
}

}  // namespace

std::string describe(const Array& array) {
  if (array.metadata.size() != sizeof(Scalar::bits) || is_string(array.type)) {
    return "damaged";
  }
  return visit_type(array.type, [&]<class T>(std::type_identity<T>) {
    std::array<char, 40> text;
    const auto end = std::to_chars(text.begin(), text.end(), value_of<T>(constant_of(array))).ptr;
    return "value " + std::string(text.begin(), end);
  });
}

Status validate(const Array& array) {
  BOBBIN_RETURN_IF(constant_of(array).bits > low_mask<uint64_t>(size_bits(array.type)), StatusCode::corrupt,
                   "constant: the value does not fit its type");
  return {};
}

void decode(const Array& array, void* out) {
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    fill(static_cast<T*>(out), array.length, static_cast<T>(constant_of(array).bits));
  });
}

Scalar value_at(const Array& array, uint64_t /*index*/) {
  return constant_of(array);
}

}  // namespace bobbin::codec::constant
