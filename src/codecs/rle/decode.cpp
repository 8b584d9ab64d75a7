// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "codecs/ascending.hpp"
#include "codecs/rle/rle.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::rle {
namespace {

// Writes `value` from `to` to `stop`, in whole steps while there is space up to `limit`: the next run
// overwrites what is past `stop`.
template <class T>
inline void fill_run(T* to, T* stop, T* limit, T value) {
  constexpr ptrdiff_t kStep = 64 / sizeof(T);
  if (limit - stop < kStep) {
    std::fill(to, stop, value);
    return;
  }
  std::array<T, kStep> step;
  step.fill(value);
  for (; to < stop; to += kStep) {
    std::memcpy(to, step.data(), sizeof step);
  }
}

// Decodes values `row` .. `stop`-1 of the array's runs.
template <class T>
void fill_rows(ascending::Entries<T>& runs, uint64_t row, uint64_t stop, T* out) {
  T* const limit = out + (stop - row);
  while (row < stop) {
    const uint64_t end = std::min<uint64_t>(runs.row(), stop);
    fill_run(out, out + (end - row), limit, runs.value());
    out += end - row;
    row = end;
    if (runs.row() == end) {
      runs.next();
    }
  }
}

}  // namespace

RunRange runs_of(const Array& array) {
  const auto [first, last] =
      ascending::count_below(array, ascending::begin_row(array) + 1, ascending::end_row(array));
  return {first, last + 1};
}

std::string describe(const Array& array) {
  return array.children.size() == 2 ? std::to_string(ascending::rows_of(array).length) + " runs" : "damaged";
}

Status validate(const Array& array) {
  return ascending::check_row_numbers(array);
}

Status validate_content(const Array& array) {
  const Array& ends = ascending::rows_of(array);
  BOBBIN_TRY(ascending::check_ascending(array, 1));
  const uint64_t last = ends.length == 0 ? 0 : find_codec(ends.codec)->value_at(ends, ends.length - 1).bits;
  BOBBIN_RETURN_IF(ascending::end_row(array) > last, StatusCode::corrupt,
                   "rle: the runs end at row " + std::to_string(last) + ", the array at " +
                       std::to_string(ascending::end_row(array)));
  return {};
}

void decode(const Array& array, void* out) {
  if (array.length == 0) {
    return;
  }
  visit_bits(array.type, [&]<class T>(std::type_identity<T>) {
    const RunRange range = runs_of(array);
    ascending::Entries<T> runs(array, range.begin, range.end);
    ascending::fill_in_batches(ascending::begin_row(array), ascending::end_row(array), static_cast<T*>(out),
                               [&](uint64_t row, uint64_t stop, T* to) { fill_rows(runs, row, stop, to); });
  });
}

Scalar value_at(const Array& array, uint64_t index) {
  const Array& values = ascending::values_of(array);
  const uint64_t run = ascending::count_below(array, ascending::begin_row(array) + index + 1);
  return find_codec(values.codec)->value_at(values, run);
}

}  // namespace bobbin::codec::rle
