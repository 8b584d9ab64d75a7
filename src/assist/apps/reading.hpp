// SPDX-License-Identifier: Apache-2.0
// How applications read their arrays.
//
// An application is a kernel that is a template over what it reads: a stream of one array (stream.hpp), or
// views of several arrays, of which all but one are staged group by group.
#pragma once

#include <cstdint>

#include "assist/stream.hpp"
#include "assist/views.hpp"

namespace bobbin::assist::apps {

// The groups of one block, and how many blocks there are if each takes `per_block`.
struct Span {
  uint64_t first;
  uint64_t end;

  template <class Cta>
  BOBBIN_HD static Span of(Cta& cta, uint64_t groups, uint64_t per_block) {
    const uint64_t first = cta.block() * per_block;
    return {first, first + per_block < groups ? first + per_block : groups};
  }
};

// One group of an array, to be read while the same group of another array streams by. Compressed lines are
// expanded into shared memory; raw values are loaded when they are asked for.
template <class View>
struct Staged {
  using T = typename View::Value;
  static constexpr uint32_t kQuads = kGroupBytes / sizeof(Quad);
  struct Shared {
    typename View::Shared lines;
    simt::Shared<Quad, kQuads> quads;
  };

  // A warp works together. It must be done with the previous group.
  template <class Cta>
  BOBBIN_HD static void prepare(Cta& cta, Shared& shared, const View& view, uint64_t group) {
    cta.sync_warp();
    view.read(cta, shared.lines, group, view.header(cta, group),
              [&](uint64_t index, const Quad& quad, uint32_t /*count*/) {
                cta.store(shared.quads, static_cast<uint32_t>(index / kPerQuad<T> % kQuads), quad);
              });
    cta.sync_warp();
  }
  // The values from `index` on, which is a multiple of a quad's.
  template <class Cta>
  BOBBIN_HD static Quad at(Cta& cta, const Shared& shared, const View& /*view*/, uint64_t index) {
    return cta.load(shared.quads, static_cast<uint32_t>(index / kPerQuad<T> % kQuads));
  }
};

template <class T>
struct Staged<RawView<T>> {
  using Shared = simt::NoShared;

  template <class Cta>
  BOBBIN_HD static void prepare(Cta& /*cta*/, Shared& /*shared*/, const RawView<T>& /*view*/,
                                uint64_t /*group*/) {}
  template <class Cta>
  BOBBIN_HD static Quad at(Cta& cta, const Shared& /*shared*/, const RawView<T>& view, uint64_t index) {
    return view.quad_at(cta, index);
  }
};

// Reads the same groups of two arrays whose values have one size: f(index, quad of x, quad of y, count).
template <class X, class Y>
struct Pairs {
  static_assert(sizeof(typename X::Value) == sizeof(typename Y::Value));
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  struct Shared {
    typename Staged<X>::Shared x[kWarps];
    typename Y::Shared y[kWarps];
  };

  template <class Cta, class F>
  BOBBIN_HD static void run(Cta& cta, Shared& shared, const X& x, const Y& y, const Span& groups, F&& f) {
    auto& staged = shared.x[cta.warp()];
    for (uint64_t group = groups.first + cta.warp(); group < groups.end; group += kWarps) {
      Staged<X>::prepare(cta, staged, x, group);
      y.read(cta, shared.y[cta.warp()], group, y.header(cta, group),
             [&](uint64_t index, const Quad& quad, uint32_t count) {
               f(index, Staged<X>::at(cta, staged, x, index), quad, count);
             });
    }
  }
};

}  // namespace bobbin::assist::apps
