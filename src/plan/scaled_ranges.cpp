// SPDX-License-Identifier: Apache-2.0
// A larger integer never gives a smaller value as long as it does not overflow, because both of ALP's steps
// round to nearest. So the integers of a range are contiguous, and a search finds the first and the last. It
// starts where double arithmetic expects them, which is correct except for rounding.
#include "plan/scaled_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/scalar.hpp"

namespace bobbin::plan {
namespace {

template <class Float>
struct Search {
  using Bits = BitsOf<Float>;
  using Key = std::make_signed_t<Bits>;

  codec::alp::Scaling<Float> scaling;
  int64_t most;

  [[nodiscard]] Key key(int64_t integer) const {
    return order_key(scaling.value_of(static_cast<Bits>(integer)));
  }

  // The smallest integer from -most to most whose value is not below; most + 1 if there is none. Tries
  // distances 1, 2, 4 .. around the guess until it is bracketed, then bisects.
  [[nodiscard]] int64_t first_not_below(Key wanted, int64_t guess) const {
    int64_t low = -most - 1;  // below, or out of range
    int64_t high = most + 1;  // not below, or out of range
    const auto look_at = [&](int64_t integer) { (key(integer) < wanted ? low : high) = integer; };
    look_at(guess);
    const bool up = low == guess;
    for (int64_t step = 1; high - low > 1; step *= 2) {
      if (step >= high - low - 1) {
        break;
      }
      const int64_t next = up ? low + step : high - step;
      look_at(next);
      if (up ? high == next : low == next) {
        break;
      }
    }
    while (high - low > 1) {
      look_at(low + (high - low) / 2);
    }
    return high;
  }
};

template <class Float>
int64_t guess_of(BitsOf<Float> key, codec::alp::Scale scale, int64_t most) {
  const auto value =
      static_cast<double>(value_of_key<Float>(static_cast<std::make_signed_t<BitsOf<Float>>>(key)));
  const double integer =
      value * codec::alp::kPowers<double>.up[scale.e] * codec::alp::kPowers<double>.down[scale.f];
  const auto limit = static_cast<double>(most) * 0.999;
  return !(integer > -limit) ? -most : integer >= limit ? most : static_cast<int64_t>(std::floor(integer));
}

template <class Float>
bool is_ordinary(uint64_t key) {
  const auto value = value_of_key<Float>(static_cast<std::make_signed_t<BitsOf<Float>>>(key));
  return value != 0 && !std::isnan(value);
}

}  // namespace

ScaledRange scaled_range(DType type, const ValueRange& range, codec::alp::Scale scale) {
  return codec::alp::visit_float(type, [&]<class Float>(std::type_identity<Float>) {
    using Bits = BitsOf<Float>;
    using Key = typename Search<Float>::Key;
    const auto scaling = codec::alp::scaling_of<Float>(scale);
    constexpr auto kLargest = static_cast<int64_t>(std::numeric_limits<Key>::max());
    // At most 2^62 - 1, so that the difference of two of them does not overflow.
    const int64_t most = std::min(kLargest / static_cast<int64_t>(scaling.factor) - 1, INT64_MAX / 2);
    const Search<Float> search{scaling, most};
    const auto low = static_cast<Bits>(range.low);
    const auto high = static_cast<Bits>(range.low + range.span);
    if (static_cast<Bits>(range.span) == static_cast<Bits>(~Bits{0})) {
      return ScaledRange{.low = -search.most,
                         .span = 2 * static_cast<uint64_t>(search.most),
                         .most = search.most,
                         .empty = 0};
    }
    const int64_t first =
        search.first_not_below(static_cast<Key>(low), guess_of<Float>(low, scale, search.most));
    // Only the range of all values ends at the last key, which belongs to a NaN.
    const int64_t past =
        search.first_not_below(static_cast<Key>(high + 1), guess_of<Float>(high, scale, search.most));
    return ScaledRange{.low = first,
                       .span = first < past ? static_cast<uint64_t>(past - first - 1) : 0,
                       .most = search.most,
                       .empty = first < past ? 0U : 1U};
  });
}

bool compares_as_reals(const KeyRange& range, uint32_t bytes) {
  if (bytes == 4) {
    const auto low = static_cast<int32_t>(range.low);
    const auto high = static_cast<int32_t>(range.low + range.span);
    return is_ordinary<float>(range.low) && is_ordinary<float>(range.low + range.span) && low <= high;
  }
  const auto low = static_cast<int64_t>(range.low);
  const auto high = static_cast<int64_t>(range.low + range.span);
  return is_ordinary<double>(range.low) && is_ordinary<double>(range.low + range.span) && low <= high;
}

}  // namespace bobbin::plan
