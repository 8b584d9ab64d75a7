// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "codecs/ascending.hpp"
#include "codecs/rle/rle.hpp"
#include "codecs/smallest.hpp"
#include "core/dispatch.hpp"

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
  auto [ends, end] = ascending::make_values<uint32_t>(DType::u32, runs);
  auto [run_values, value] = ascending::make_values<T>(type, runs);
  // Without a branch, which would be hard to foresee: what is written inside a run is written over.
  for (size_t i = 0, run = 0; i < values.size(); ++i) {
    end[run] = static_cast<uint32_t>(i + 1);
    value[run] = values[i];
    run += i + 1 < values.size() && values[i + 1] != values[i] ? 1 : 0;
  }
  return {.node = {.codec = CodecId::rle,
                   .type = type,
                   .length = values.size(),
                   .offset = 0,
                   .metadata = std::vector<uint8_t>(kMetadataBytes),
                   .buffers = {},
                   .children = {}},
          .children = {std::move(ends), std::move(run_values)}};
}

}  // namespace

Result<Split> split(const Values& values) {
  BOBBIN_RETURN_IF(values.length > ascending::kMaxRows, StatusCode::unsupported,
                   "rle: too many rows: split the array");
  return visit_bits(
      values.type, [&]<class T>(std::type_identity<T>) { return split_values(values.as<T>(), values.type); });
}

uint64_t estimate(const Values& values) {
  const auto parts = split(values);
  return parts.has_value() ? split_estimate(*parts) : kNoEncoding;
}

Result<Array> encode(const Values& values) {
  BOBBIN_ASSIGN(Split parts, split(values));
  return encode_split(std::move(parts));
}

}  // namespace bobbin::codec::rle
