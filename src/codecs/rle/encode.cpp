// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "codecs/ascending.hpp"
#include "codecs/rle/rle.hpp"

namespace bobbin::codec::rle {
namespace {

template <class T>
uint64_t count_runs(std::span<const T> values) {
  uint64_t runs = values.empty() ? 0 : 1;
  for (size_t i = 1; i < values.size(); ++i) {
    runs += values[i] != values[i - 1] ? 1 : 0;
  }
  return runs;
}

template <class T>
Split split_values(std::span<const T> values, DType type) {
  const uint64_t runs = count_runs(values);
  const ascending::SplitRows<T> made(type, runs);
  uint32_t* const ends = made.rows();
  T* const run_values = made.values();
  // No branch, since it would be hard to predict: values written inside a run are overwritten.
  for (size_t i = 0, run = 0; i < values.size(); ++i) {
    ends[run] = static_cast<uint32_t>(i + 1);
    run_values[run] = values[i];
    run += i + 1 < values.size() && values[i + 1] != values[i] ? 1 : 0;
  }
  return made.of(CodecId::rle, values.size());
}

}  // namespace

Result<Split> split(const Values& values) {
  return ascending::split(CodecId::rle, values,
                          [](const auto& span, DType type) { return split_values(span, type); });
}

}  // namespace bobbin::codec::rle
