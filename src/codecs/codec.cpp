// SPDX-License-Identifier: Apache-2.0
#include "codecs/codec.hpp"

#include "core/bits.hpp"

namespace bobbin {
namespace {

struct Bounds {
  uint64_t least;
  uint64_t greatest;
};

// The least and greatest value of a type in its own order, as bit patterns.
Bounds bounds_of(DType type) {
  const uint64_t all = low_mask<uint64_t>(size_bits(type));
  const uint64_t top = (all >> 1) + 1;
  return is_signed(type) ? Bounds{top, top - 1} : Bounds{0, all};
}

}  // namespace

NewBuffer make_buffer(size_t size) {
  auto owner = std::make_shared_for_overwrite<std::byte[]>(size);
  std::byte* data = owner.get();
  return {.buffer = {std::move(owner), {data, size}}, .data = data};
}

ValueRange ValueRange::of(DType type, Compare op, Scalar constant) {
  const uint64_t all = low_mask<uint64_t>(size_bits(type));
  const auto [least, greatest] = bounds_of(type);
  const uint64_t c = constant.bits & all;
  switch (op) {
    case Compare::eq:
      return {.low = c, .span = 0, .negated = false};
    case Compare::ne:
      return {.low = c, .span = 0, .negated = true};
    case Compare::le:
      return {.low = least, .span = (c - least) & all, .negated = false};
    case Compare::gt:
      return {.low = least, .span = (c - least) & all, .negated = true};
    case Compare::ge:
      return {.low = c, .span = (greatest - c) & all, .negated = false};
    case Compare::lt:
      return {.low = c, .span = (greatest - c) & all, .negated = true};
  }
  return {};
}

}  // namespace bobbin
