// SPDX-License-Identifier: Apache-2.0
// Scales are chosen from samples on two levels, as in ALP: a few scales for the array, then one of them per
// vector. A value counts as encoded only if decoding returns its exact bits.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "codecs/alp/alp.hpp"
#include "codecs/ffor/ffor.hpp"
#include "codecs/patched/patched.hpp"

namespace bobbin::codec::alp {
namespace {

// The cost of a sample in bits at one scale.
struct Cost {
  uint32_t bits = 0;
  uint32_t exceptions = 0;
};

// If exceptions alone, or the widths of the first integers, cost more than `most`, returns that cost: at
// nearly all scales the first few values show it.
template <class Float>
Cost cost(std::span<const Float> sample, Scale scale, uint32_t most = UINT32_MAX) {
  const auto quantizer = Quantizer<Float>::of(scale);
  constexpr uint32_t kException = sample_cost<Float>(1, 1, 0, 0);
  IntegerOf<Float> low = std::numeric_limits<IntegerOf<Float>>::max();
  IntegerOf<Float> high = std::numeric_limits<IntegerOf<Float>>::min();
  uint32_t exceptions = 0;
  const auto count = static_cast<uint32_t>(sample.size());
  for (uint32_t i = 0; i < count; ++i) {
    if (constexpr uint32_t kFew = 8; i == kFew && exceptions < kFew) {
      if (const uint32_t least = sample_cost<Float>(count, exceptions, low, high); least > most) {
        return {least, count};
      }
    }
    const Encoded<Float> encoded = quantizer.encode(sample[i]);
    if (encoded.exact) {
      low = std::min(low, encoded.integer);
      high = std::max(high, encoded.integer);
    } else if (++exceptions * kException > most) {
      return {exceptions * kException, count};
    }
  }
  return {sample_cost<Float>(count, exceptions, low, high), exceptions};
}

// For each number of digits after the point, how many values of a sample cannot have an exact integer. At a
// scale with a value's integer n and d = e - f digits, the value is n / 10^d but for three roundings: times
// 10^d it is close to an integer.
template <class Float>
std::array<uint32_t, kMaxExponent<Float> + 1> count_inexact(std::span<const Float> sample) {
  constexpr double kRoundings = 8 * static_cast<double>(std::numeric_limits<Float>::epsilon());
  constexpr double kMagic = static_cast<double>(uint64_t{3} << 51);  // adding it rounds to an integer
  constexpr double kLarge = static_cast<double>(uint64_t{1} << 48);  // from here on, nothing is known
  std::array<uint32_t, kMaxExponent<Float> + 1> inexact{};
  for (uint32_t digits = 0; digits < inexact.size(); ++digits) {
    const double power = kPowers<double>.up[digits];
    uint64_t count = 0;
    for (const Float value : sample) {
      const double scaled = static_cast<double>(value) * power;
      const double size = scaled < 0 ? -scaled : scaled;
      const double rest = scaled - ((scaled + kMagic) - kMagic);
      const double distance = rest < 0 ? -rest : rest;
      count += size < kLarge && distance > size * kRoundings ? 1 : 0;
    }
    inexact[digits] = static_cast<uint32_t>(count);
  }
  return inexact;
}

template <class Float>
std::vector<Float> sample_of(std::span<const Float> values, uint64_t v) {
  const auto vector = values.subspan(v * kVectorLength);
  const auto size = static_cast<uint32_t>(std::min<uint64_t>(kVectorLength, vector.size()));
  const Sample shape = Sample::of(size);
  std::vector<Float> sample;
  for (uint32_t i = 0; i < shape.count; ++i) {
    sample.push_back(vector[size_t{i} * shape.stride]);
  }
  return sample;
}

template <class Float>
std::vector<std::vector<Float>> sample_array(std::span<const Float> values) {
  const uint64_t vectors = num_vectors(values.size());
  const uint64_t sampled = std::min(vectors, kSampledVectors);
  std::vector<std::vector<Float>> samples;
  for (uint64_t i = 0; i < sampled; ++i) {
    samples.push_back(sample_of(values, sampled_vector(i, sampled, vectors)));
  }
  return samples;
}

// Returns the cheapest of all scales, preferring more digits; nothing if all cost the same, as for zeros.
template <class Float>
std::optional<Scale> best_of_all(std::span<const Float> sample) {
  constexpr uint32_t kException = sample_cost<Float>(1, 1, 0, 0);
  const auto inexact = count_inexact(sample);
  std::array<bool, kMaxExponent<Float> + 1> settled{};  // no other scale of as many digits has more integers
  Scale best;
  uint32_t least = UINT32_MAX;
  uint32_t most = 0;
  for (uint32_t e = kMaxExponent<Float> + 1; e-- > 0;) {
    for (uint32_t f = e + 1; f-- > 0;) {
      if (settled[e - f]) {
        continue;
      }
      const Scale scale{static_cast<uint8_t>(e), static_cast<uint8_t>(f)};
      const uint32_t exceptions = inexact[e - f] * kException;
      const bool known = exceptions > least || inexact[e - f] == sample.size();
      const Cost here = known ? Cost{exceptions, inexact[e - f]} : cost(sample, scale, least);
      settled[e - f] = here.exceptions == inexact[e - f];
      most = std::max(most, here.bits);
      if (here.bits < least) {
        least = here.bits;
        best = scale;
      }
    }
  }
  return least < most ? std::optional(best) : std::nullopt;
}

template <class Float>
Scale choose_one(std::span<const Float> values, uint64_t v, std::span<const Scale> scales) {
  Scale best = scales[0];
  if (scales.size() > 1) {
    const std::vector<Float> sample = sample_of(values, v);
    uint32_t least = UINT32_MAX;
    for (const Scale scale : scales) {
      if (const uint32_t bits = cost<Float>(sample, scale, least).bits; bits < least) {
        least = bits;
        best = scale;
      }
    }
  }
  return best;
}

template <class Integer>
Integer low_reference(std::span<const Integer> vector) {
  std::array<Integer, kGroups> least;
  least.fill(std::numeric_limits<Integer>::max());
  for (size_t i = 0; i < vector.size(); ++i) {
    least[i % kGroups] = std::min(least[i % kGroups], vector[i]);
  }
  std::ranges::nth_element(least, least.begin() + kLowRank);
  return least[kLowRank];
}

template <class Integer>
patched::Choice<Integer> choose_width(std::span<const Integer> vector) {
  const auto from_least = patched::choose<Integer>(vector);
  const auto from_low = patched::choose_from<Integer>(low_reference(vector), vector);
  return from_low.bytes < from_least.bytes ? from_low : from_least;
}

// All values as integers, with patches for values that have none.
template <class Float>
struct Integers {
  std::vector<Scale> scales;
  std::vector<IntegerOf<Float>> integers;
  std::vector<uint64_t> places;
  std::vector<BitsOf<Float>> patches;

  explicit Integers(std::span<const Float> values) : integers(values.size()) {
    const std::vector<Scale> choice = choose_scales<Float>(sample_array(values));
    for (uint64_t v = 0; v < num_vectors(values.size()); ++v) {
      scales.push_back(choose_one(values, v, choice));
      add_vector(values, v);
    }
  }

 private:
  // A value becomes a patch if it has no exact integer, or if its integer is so wide that a patch is smaller.
  void add_vector(std::span<const Float> values, uint64_t v) {
    const uint64_t first = v * kVectorLength;
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(kVectorLength, values.size() - first));
    const auto vector = std::span(integers).subspan(first, count);
    std::array<bool, kVectorLength> exact;
    const auto quantizer = Quantizer<Float>::of(scales[v]);
    for (uint32_t i = 0; i < count; ++i) {
      const Encoded<Float> encoded = quantizer.encode(values[first + i]);
      vector[i] = encoded.integer;
      exact[i] = encoded.exact;
    }
    // An integer of this vector adds no width.
    const auto some =
        static_cast<size_t>(std::find(exact.begin(), exact.begin() + count, true) - exact.begin());
    const IntegerOf<Float> filler = some < count ? vector[some] : 0;
    for (uint32_t i = 0; i < count; ++i) {
      vector[i] = exact[i] ? vector[i] : filler;
    }
    const auto choice = choose_width<IntegerOf<Float>>(vector);
    for (uint32_t i = 0; i < count; ++i) {
      if (!exact[i] || choice.is_patch(vector[i])) {
        places.push_back(first + i);
        patches.push_back(std::bit_cast<BitsOf<Float>>(values[first + i]));
        vector[i] = choice.is_patch(vector[i]) ? choice.reference : vector[i];
      }
    }
  }
};

template <class Float>
Result<Array> encode_values(std::span<const Float> values, DType type) {
  const Integers<Float> made(values);
  BOBBIN_ASSIGN(Array integers, ffor::encode({integer_type(type), made.integers.data(), values.size()}));
  const auto bytes = std::as_bytes(std::span(made.scales));
  const NewBuffer scales = make_buffer(bytes.size());
  std::ranges::copy(bytes, scales.data);
  Array array{.codec = CodecId::alp,
              .type = type,
              .length = values.size(),
              .offset = 0,
              .metadata = {},
              .buffers = {scales.buffer},
              .children = {std::move(integers)}};
  if (made.places.empty()) {
    return array;
  }
  return patched::wrap<BitsOf<Float>>(std::move(array), made.places, made.patches);
}

}  // namespace

template <class Float>
std::vector<Scale> choose_scales(std::span<const std::vector<Float>> samples) {
  std::map<std::pair<uint8_t, uint8_t>, uint32_t> wins;
  for (const std::vector<Float>& sample : samples) {
    if (const auto best = best_of_all<Float>(sample); best.has_value()) {
      ++wins[{best->e, best->f}];
    }
  }
  std::vector<std::pair<Scale, uint32_t>> order;
  for (auto it = wins.rbegin(); it != wins.rend(); ++it) {
    order.emplace_back(Scale{it->first.first, it->first.second}, it->second);
  }
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const auto& entry) { return entry.second; });
  std::vector<Scale> scales;
  for (size_t i = 0; i < std::min(order.size(), kMostScales); ++i) {
    scales.push_back(order[i].first);
  }
  return scales.empty() ? std::vector<Scale>{Scale{}} : scales;
}

template std::vector<Scale> choose_scales<float>(std::span<const std::vector<float>>);
template std::vector<Scale> choose_scales<double>(std::span<const std::vector<double>>);

uint64_t estimate(const Values& values) {
  return visit_float(values.type, [&]<class Float>(std::type_identity<Float>) {
    const Integers<Float> made(values.as<Float>());
    const Values integers{integer_type(values.type), made.integers.data(), values.length};
    return ffor::estimate(integers) + made.scales.size() * sizeof(Scale) +
           (made.places.empty() ? 0
                                : patched::wrapping_bytes(values.length, made.places.size(), sizeof(Float)));
  });
}

Result<Array> encode(const Values& values) {
  BOBBIN_RETURN_IF(!is_float(values.type), StatusCode::unsupported,
                   "alp: type " + std::string(to_string(values.type)) + " is not a float");
  return visit_float(values.type, [&]<class Float>(std::type_identity<Float>) -> Result<Array> {
    return encode_values(values.as<Float>(), values.type);
  });
}

}  // namespace bobbin::codec::alp
