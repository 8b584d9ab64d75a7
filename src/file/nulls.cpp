// SPDX-License-Identifier: Apache-2.0
#include "file/nulls.hpp"

#include "core/bit_ranges.hpp"
#include "core/bits.hpp"
#include "core/dispatch.hpp"

namespace bobbin::file {
namespace {

template <class T>
void fill(std::span<T> values, const ValidityBits& validity) {
  uint64_t first = 0;
  while (first < values.size() && validity.is_null(first)) {
    ++first;
  }
  const T before = first < values.size() ? values[first] : T{0};
  for_each_null(validity, values.size(), [&](uint64_t i) { values[i] = i == 0 ? before : values[i - 1]; });
}

// Calls f with the values as unsigned integers of their size.
template <class F>
void visit_values(DType type, std::span<std::byte> values, F&& f) {
  visit_bits(type, [&]<class T>(std::type_identity<T>) {
    f(std::span(reinterpret_cast<T*>(values.data()), values.size() / sizeof(T)));
  });
}

}  // namespace

uint64_t ValidityBits::count_nulls(uint64_t rows) const {
  return bits == nullptr ? 0 : rows - count_bits(bits, first, first + rows);
}

void append_validity(std::vector<uint8_t>& to, uint64_t before, const ValidityBits& from, uint64_t rows) {
  if (to.empty() && from.bits == nullptr) {
    return;
  }
  const bool fresh = to.empty();
  to.resize(ceil_div<uint64_t>(before + rows, 8));
  if (fresh) {
    set_bits(to.data(), 0, before);
  }
  copy_validity(to, before, from, rows);
}

void copy_validity(std::span<uint8_t> to, uint64_t at, const ValidityBits& from, uint64_t rows) {
  if (from.bits == nullptr) {
    set_bits(to.data(), at, at + rows);
  } else {
    copy_bits(to.data(), at, from.bits, from.first, rows);
  }
}

void fill_nulls(DType type, std::span<std::byte> values, const ValidityBits& validity) {
  visit_values(type, values, [&](auto typed) { fill(typed, validity); });
}

void zero_nulls(DType type, std::span<std::byte> values, const ValidityBits& validity) {
  visit_values(type, values,
               [&](auto typed) { for_each_null(validity, typed.size(), [&](uint64_t i) { typed[i] = 0; }); });
}

}  // namespace bobbin::file
