// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "codecs/delta/delta.hpp"
#include "codecs/ffor/ffor.hpp"
#include "core/dispatch.hpp"

namespace bobbin::codec::delta {
namespace {

// Computes the differences of a vector; `before` holds the words() values before it. Alternates between two
// buffers, so that the compiler vectorises for any stride.
template <class T>
BOBBIN_INLINE void difference(const T* before, const T* values, uint32_t count, Parameters p, T* residuals,
                              T* restarts) {
  std::array<T, kMaxWords + kVectorLength> buffers[2];
  T* now = buffers[0].data();
  T* next = buffers[1].data();
  const uint32_t first = p.words();
  std::copy_n(before, first, now);
  std::copy_n(values, count, now + first);
  for (uint32_t round = 0; round < p.order; ++round) {
    for (uint32_t l = 0; l < p.tuple; ++l) {
      restarts[l * p.order + p.order - 1 - round] = now[first - p.tuple + l];
    }
    for (uint32_t i = (round + 1) * p.tuple; i < first + count; ++i) {
      next[i] = static_cast<T>(now[i] - now[i - p.tuple]);
    }
    std::swap(now, next);
  }
  std::copy_n(now + first, count, residuals);
}
template <class T>
BOBBIN_AVX2 void difference_avx2(const T* before, const T* values, uint32_t count, Parameters p, T* residuals,
                                 T* restarts) {
  difference(before, values, count, p, residuals, restarts);
}

template <class T>
struct Residuals {
  std::vector<T> values;
  NewBuffer restarts;
};

template <class T>
Residuals<T> take_differences(std::span<const T> values, Parameters p) {
  const uint64_t vectors = num_vectors(values.size());
  Residuals<T> result{std::vector<T>(values.size()), make_buffer(vectors * p.words() * sizeof(T))};
  const std::vector<T> start = history(values, p);
  for (uint64_t v = 0; v < vectors; ++v) {
    const uint64_t at = v * kVectorLength;
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(kVectorLength, values.size() - at));
    const T* before = v == 0 ? start.data() : values.data() + at - p.words();
    std::array<T, kMaxWords> restarts;
    (have_avx2() ? difference_avx2<T> : difference<T>)(before, values.data() + at, count, p,
                                                       result.values.data() + at, restarts.data());
    std::memcpy(result.restarts.data + v * p.words() * sizeof(T), restarts.data(), p.words() * sizeof(T));
  }
  return result;
}

template <class T>
Parameters choose_for(std::span<const T> values) {
  const std::vector<Range> ranges = sample_ranges(values.size());
  std::vector<T> samples;
  for (const Range& range : ranges) {
    const auto piece = values.subspan(range.begin, range.length);
    samples.insert(samples.end(), piece.begin(), piece.end());
  }
  return choose<T>(ranges, samples);
}

template <class T>
Result<Array> encode_values(const Values& values, Parameters p) {
  const Residuals<T> residuals = take_differences(values.as<T>(), p);
  BOBBIN_ASSIGN(Array child,
                ffor::encode({signed_type(values.type), residuals.values.data(), values.length}));
  return assemble(values.type, p, residuals.restarts.buffer, std::move(child));
}

}  // namespace

template <class T>
std::vector<T> history(std::span<const T> first, Parameters p) {
  std::vector<T> before(p.words());
  for (uint32_t l = 0; l < p.tuple; ++l) {
    // The differences of order 0, 1 .. order of the scan's last value among the first few.
    std::array<T, scan::kMaxOrder + 1> last{};
    uint32_t known = 0;
    for (; known <= p.order && l + uint64_t{known} * p.tuple < first.size(); ++known) {
      T value = first[l + uint64_t{known} * p.tuple];
      for (uint32_t m = 0; m <= known; ++m) {
        const auto up = static_cast<T>(value - last[m]);
        last[m] = value;
        value = up;
      }
    }
    // Extrapolate the polynomial through them, back past the first value.
    for (uint32_t back = 1; back < known + p.order; ++back) {
      for (uint32_t m = 0; m + 1 < known; ++m) {
        last[m] = static_cast<T>(last[m] - last[m + 1]);
      }
      if (back >= known) {
        before[(p.order - 1 - (back - known)) * p.tuple + l] = last[0];
      }
    }
  }
  return before;
}
template std::vector<uint8_t> history(std::span<const uint8_t>, Parameters);
template std::vector<uint16_t> history(std::span<const uint16_t>, Parameters);
template std::vector<uint32_t> history(std::span<const uint32_t>, Parameters);
template std::vector<uint64_t> history(std::span<const uint64_t>, Parameters);

Array assemble(DType type, Parameters p, Buffer restarts, Array residuals) {
  const uint64_t length = residuals.length;
  return {.codec = CodecId::delta,
          .type = type,
          .length = length,
          .offset = 0,
          .metadata = {static_cast<uint8_t>(p.order), static_cast<uint8_t>(p.tuple)},
          .buffers = {std::move(restarts)},
          .children = {std::move(residuals)}};
}

uint64_t estimate(const Values& values) {
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    const Parameters p = choose_for(values.as<T>());
    const Residuals<T> residuals = take_differences(values.as<T>(), p);
    constexpr uint64_t kMetadata = 2;
    return kMetadata + residuals.restarts.buffer.bytes.size() +
           ffor::estimate({signed_type(values.type), residuals.values.data(), values.length});
  });
}

Result<Array> encode_with(const Values& values, Parameters p) {
  BOBBIN_RETURN_IF(p.order < 1 || p.order > scan::kMaxOrder || p.tuple < 1 || p.tuple > scan::kMaxTuple,
                   StatusCode::invalid_argument, "delta: expected order 1 to 8 and stride 1 to 32");
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) { return encode_values<T>(values, p); });
}

Result<Array> encode(const Values& values) {
  return visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
    return encode_values<T>(values, choose_for(values.as<T>()));
  });
}

}  // namespace bobbin::codec::delta
