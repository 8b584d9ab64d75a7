// SPDX-License-Identifier: Apache-2.0
// One round of breadth-first search and of shortest paths. Each vertex has GridData::kDegree neighbours: edge
// e leads from vertex e / kDegree to neighbours[e], and is read from the vertex that it changes.
#pragma once

#include <cstdint>

#include "assist/apps/data.hpp"
#include "assist/apps/reading.hpp"
#include "simt/quad_values.hpp"

namespace bobbin::assist::apps {

inline constexpr uint32_t kUnreached = 0xffff'ffff;

// Vertices that were not reached and have a neighbour of this level get the next one. `out` begins as a copy
// of `levels`.
template <class View, Policy kPolicy = kNoRoles>
struct BfsApp {
  using Reads = Stream<View, kPolicy>;
  static constexpr uint32_t kThreads = Reads::kThreads;
  static constexpr uint64_t kGroups = 64;  // per block
  using Shared = typename Reads::Shared;

  View neighbours;
  Global<const uint32_t> levels;
  uint32_t level;
  Global<uint32_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const Span groups = Span::of(cta, neighbours.num_groups(), kGroups);
    Reads::run(cta, cta.template shared<Shared>(), neighbours, groups.first, groups.end,
               [&](uint64_t index, const Quad& quad, uint32_t count) {
                 const uint64_t vertex = index / GridData::kDegree;
                 if (cta.load(levels, vertex) != kUnreached) {
                   return;
                 }
                 bool is_next = false;
                 BOBBIN_UNROLL
                 for (uint32_t i = 0; i < 4; ++i) {
                   is_next |= i < count && cta.load(levels, quad.word[i]) == level;
                 }
                 if (is_next) {
                   cta.template atomic_min<simt::Order::relaxed>(out, vertex, level + 1);
                 }
               });
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(neighbours.num_groups(), kGroups); }
};

// A vertex gets the least distance of a neighbour plus that of the edge, if that is less than its own. `out`
// begins as a copy of `distances`.
template <class Neighbours, class Lengths>
struct SsspApp {
  using Reading = Pairs<Neighbours, Lengths>;
  static constexpr uint32_t kThreads = Reading::kThreads;
  static constexpr uint64_t kGroups = 64;
  using Shared = typename Reading::Shared;

  Neighbours neighbours;
  Lengths lengths;
  Global<const uint32_t> distances;
  Global<uint32_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    Reading::run(cta, cta.template shared<Shared>(), neighbours, lengths,
                 Span::of(cta, lengths.num_groups(), kGroups),
                 [&](uint64_t index, const Quad& vertices, const Quad& quad, uint32_t count) {
                   const uint64_t vertex = index / GridData::kDegree;
                   uint32_t least = kUnreached;
                   BOBBIN_UNROLL
                   for (uint32_t i = 0; i < 4; ++i) {
                     const uint32_t before = i < count ? cta.load(distances, vertices.word[i]) : kUnreached;
                     const uint32_t through = before == kUnreached ? before : before + quad.word[i];
                     least = through < least ? through : least;
                   }
                   if (least < cta.load(distances, vertex)) {
                     cta.template atomic_min<simt::Order::relaxed>(out, vertex, least);
                   }
                 });
  }

  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(lengths.num_groups(), kGroups); }
};

}  // namespace bobbin::assist::apps
