// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "codecs/delta/delta.hpp"
#include "codecs/ffor/ffor.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::delta {
namespace {

// An integer wide enough for a value plus 1024 residuals of 64 bits.
__extension__ typedef __int128 Wide;

// Differences of order 1, vector by vector: the value before each vector, and the range of its residuals.
template <class T>
struct Steps {
  const Array& array;
  ffor::Parts parts;

  explicit Steps(const Array& of) : array(of), parts(of.children[0]) {}

  [[nodiscard]] Wide before(uint64_t v) const {
    T value;
    std::memcpy(&value, array.buffers[0].bytes.data() + v * sizeof(T), sizeof(T));
    return value;
  }
  [[nodiscard]] Wide least(uint64_t v) const { return parts.reference<std::make_signed_t<T>>(v); }
  [[nodiscard]] Wide most(uint64_t v) const { return least(v) + ((Wide{1} << parts.entry(v).width()) - 1); }
};

// Whether values never descend, judged by restart points and frames. A sum of non-negative residuals below
// 2^T has not wrapped around if it ends no lower than it began.
template <class T>
bool is_sorted(const Steps<T>& steps, uint64_t vectors, T last) {
  for (uint64_t v = 0; v < vectors; ++v) {
    const Wide end = v + 1 < vectors ? steps.before(v + 1) : Wide{last};
    if (steps.least(v) < 0 || steps.most(v) * kVectorLength >= Wide{1} << kBits<std::make_unsigned_t<T>> ||
        end < steps.before(v)) {
      return false;
    }
  }
  return true;
}

template <class T>
Scalar scalar_of(Wide value) {
  return {static_cast<std::make_unsigned_t<T>>(value)};
}

template <class T>
std::optional<Bounds> bounds_of(const Array& array) {
  const Steps<T> steps(array);
  const uint64_t vectors = num_vectors(array.offset + array.length);
  const Scalar first = value_at(array, 0);
  const Scalar last = value_at(array, array.length - 1);
  if (is_sorted(steps, vectors, static_cast<T>(last.bits))) {
    return Bounds{first, last, true};
  }
  Wide low = std::numeric_limits<T>::max();
  Wide high = std::numeric_limits<T>::min();
  for (uint64_t v = 0; v < vectors; ++v) {
    low = std::min(low, steps.before(v) + std::min<Wide>(steps.least(v), 0) * kVectorLength);
    high = std::max(high, steps.before(v) + std::max<Wide>(steps.most(v), 0) * kVectorLength);
  }
  if (low < std::numeric_limits<T>::min() || high > std::numeric_limits<T>::max()) {
    return std::nullopt;  // it may have wrapped around: no bounds
  }
  return Bounds{scalar_of<T>(low), scalar_of<T>(high), false};
}

}  // namespace

std::optional<Bounds> bounds(const Array& array) {
  if (array.length == 0 || is_float(array.type) || parameters_of(array) != Parameters{1, 1}) {
    return std::nullopt;
  }
  return visit_integer(array.type, [&]<class T>(std::type_identity<T>) { return bounds_of<T>(array); });
}

}  // namespace bobbin::codec::delta
