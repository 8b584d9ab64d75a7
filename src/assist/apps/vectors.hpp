// SPDX-License-Identifier: Apache-2.0
// Applications on vectors, points and sparse matrices: axpy, dot, SpMV, k-means.
#pragma once

#include <bit>
#include <cstdint>

#include "assist/apps/data.hpp"
#include "assist/apps/reading.hpp"
#include "assist/block_sum.hpp"
#include "assist/writers.hpp"
#include "simt/quad_values.hpp"

namespace bobbin::assist::apps {

BOBBIN_HD float float_of(uint32_t bits) {
  return std::bit_cast<float>(bits);
}

// out = a * x + y, in floats.
template <class X, class Y>
struct AxpyApp {
  using Reading = Pairs<X, Y>;
  static constexpr uint32_t kThreads = Reading::kThreads;
  static constexpr uint64_t kGroups = 32;  // per block
  using Shared = typename Reading::Shared;

  X x;
  Y y;
  float a;
  Global<uint32_t> out;  // aligned to 16 bytes

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    Reading::run(cta, cta.template shared<Shared>(), x, y, Span::of(cta, y.num_groups(), kGroups),
                 [&](uint64_t index, const Quad& its_x, const Quad& its_y, uint32_t count) {
                   const auto value = [&](uint32_t i) {
                     return std::bit_cast<uint32_t>(a * float_of(its_x.word[i]) + float_of(its_y.word[i]));
                   };
                   store_values(cta, out, index, Quad{{value(0), value(1), value(2), value(3)}}, count);
                 });
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(y.num_groups(), kGroups); }
};

// The dot product of two vectors of signed integers.
template <class X, class Y>
struct DotApp {
  using Reading = Pairs<X, Y>;
  static constexpr uint32_t kThreads = Reading::kThreads;
  static constexpr uint64_t kGroups = 64;

  struct Shared {
    typename Reading::Shared reading;
    BlockSum<Reading::kWarps> sum;
  };

  X x;
  Y y;
  Global<unsigned long long> result;  // one

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    int64_t sum = 0;
    Reading::run(cta, shared.reading, x, y, Span::of(cta, y.num_groups(), kGroups),
                 [&](uint64_t /*index*/, const Quad& its_x, const Quad& its_y, uint32_t count) {
                   BOBBIN_UNROLL
                   for (uint32_t i = 0; i < 4; ++i) {
                     const int64_t product =
                         int64_t{static_cast<int32_t>(its_x.word[i])} * static_cast<int32_t>(its_y.word[i]);
                     sum += i < count ? product : 0;
                   }
                 });
    shared.sum.add(cta, static_cast<unsigned long long>(sum), result, 0);
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(y.num_groups(), kGroups); }
};

// A sparse matrix times a vector. The matrix is cut into slices of 1024 rows, a warp's group for each of
// their entries: entry after entry, so that the order of additions is that of a loop over a row.
template <class Columns, class Coefficients>
struct SpmvApp {
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kRows = SparseData::kRows;

  struct Shared {
    typename Staged<Columns>::Shared columns[kWarps];
    typename Coefficients::Shared coefficients[kWarps];
    simt::Shared<Quad, kRows / 4> sums[kWarps];
  };

  Columns columns;  // whole slices
  Coefficients coefficients;
  Global<const float> vector;
  Global<uint32_t> out;  // one per row, as bits

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    auto& staged = shared.columns[cta.warp()];
    auto& sums = shared.sums[cta.warp()];
    const uint64_t slice = uint64_t{cta.block()} * kWarps + cta.warp();
    if (slice * SparseData::kEntries >= columns.num_groups()) {
      return;
    }
    for (uint32_t i = cta.lane(); i < kRows / 4; i += simt::kWarpSize) {
      cta.store(sums, i, Quad{});
    }
    for (uint32_t entry = 0; entry < SparseData::kEntries; ++entry) {
      const uint64_t group = slice * SparseData::kEntries + entry;
      cta.sync_warp();
      Staged<Columns>::prepare(cta, staged, columns, group);
      coefficients.read(cta, shared.coefficients[cta.warp()], group, coefficients.header(cta, group),
                        [&](uint64_t index, const Quad& quad, uint32_t /*count*/) {
                          const Quad column = Staged<Columns>::at(cta, staged, columns, index);
                          const auto place = static_cast<uint32_t>(index / 4 % (kRows / 4));
                          add_products(cta, sums, place, column, quad);
                        });
    }
    cta.sync_warp();
    for (uint32_t i = cta.lane(); i < kRows / 4; i += simt::kWarpSize) {
      store_values(cta, out, slice * kRows + i * 4, cta.load(sums, i), 4);
    }
  }

  [[nodiscard]] uint64_t blocks() const {
    return ceil_div<uint64_t>(columns.num_groups(), kWarps * SparseData::kEntries);
  }

 private:
  template <class Cta>
  BOBBIN_HD void add_products(Cta& cta, simt::Shared<Quad, kRows / 4>& sums, uint32_t place,
                              const Quad& column, const Quad& coefficient) const {
    Quad sum = cta.load(sums, place);
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < 4; ++i) {
      const float product = float_of(coefficient.word[i]) * cta.load(vector, column.word[i]);
      sum.word[i] = std::bit_cast<uint32_t>(float_of(sum.word[i]) + product);
    }
    cta.store(sums, place, sum);
  }
};

struct Centres {
  float at[PointData::kCentres][4];
};

// Those around which the points lie.
inline Centres centres_of_points() {
  Centres centres{};
  for (uint32_t c = 0; c < PointData::kCentres; ++c) {
    for (uint32_t i = 0; i < 4; ++i) {
      centres.at[c][i] = static_cast<float>(PointData::centre(c, i) + 8);
    }
  }
  return centres;
}

// The nearest of eight centres for each point.
template <class View, Policy kPolicy = kNoRoles>
struct KmeansApp {
  using Reads = Stream<View, kPolicy>;
  static constexpr uint32_t kThreads = Reads::kThreads;
  static constexpr uint64_t kGroups = 64;
  using Shared = typename Reads::Shared;

  View view;  // whole points
  Centres centres;
  Global<uint8_t> labels;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const Span groups = Span::of(cta, view.num_groups(), kGroups);
    Reads::run(cta, cta.template shared<Shared>(), view, groups.first, groups.end,
               [&](uint64_t index, const Quad& quad, uint32_t /*count*/) {
                 cta.store(labels, index / 4, nearest(quad));
               });
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(view.num_groups(), kGroups); }

 private:
  BOBBIN_HD uint8_t nearest(const Quad& point) const {
    uint32_t best = 0;
    float least = 0;
    BOBBIN_UNROLL
    for (uint32_t c = 0; c < PointData::kCentres; ++c) {
      float distance = 0;
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < 4; ++i) {
        const float d = float_of(point.word[i]) - centres.at[c][i];
        distance += d * d;
      }
      if (c == 0 || distance < least) {
        best = c;
        least = distance;
      }
    }
    return static_cast<uint8_t>(best);
  }
};

}  // namespace bobbin::assist::apps
