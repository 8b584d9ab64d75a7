// SPDX-License-Identifier: Apache-2.0
#include "file/nulls.hpp"

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
  T last = first < values.size() ? values[first] : T{0};
  for (uint64_t i = 0; i < values.size(); ++i) {
    if (validity.is_null(i)) {
      values[i] = last;
    }
    last = values[i];
  }
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
  uint64_t nulls = 0;
  for (uint64_t i = 0; i < rows; ++i) {
    nulls += is_null(i) ? 1 : 0;
  }
  return nulls;
}

void append_validity(std::vector<uint8_t>& to, uint64_t before, const ValidityBits& from, uint64_t rows) {
  if (to.empty() && from.bits == nullptr) {
    return;
  }
  to.resize(ceil_div<uint64_t>(before + rows, 8), 0xff);
  for (uint64_t i = 0; i < rows; ++i) {
    if (from.is_null(i)) {
      to[(before + i) / 8] &= static_cast<uint8_t>(~(1U << ((before + i) % 8)));
    }
  }
}

void copy_validity(std::span<uint8_t> to, uint64_t at, const ValidityBits& from, uint64_t rows) {
  for (uint64_t i = 0; i < rows; ++i) {
    to[(at + i) / 8] |= static_cast<uint8_t>((from.is_null(i) ? 0U : 1U) << ((at + i) % 8));
  }
}

void fill_nulls(DType type, std::span<std::byte> values, const ValidityBits& validity) {
  visit_values(type, values, [&](auto typed) { fill(typed, validity); });
}

void zero_nulls(DType type, std::span<std::byte> values, const ValidityBits& validity) {
  visit_values(type, values, [&](auto typed) {
    for (uint64_t i = 0; i < typed.size(); ++i) {
      typed[i] = validity.is_null(i) ? 0 : typed[i];
    }
  });
}

}  // namespace bobbin::file
