// SPDX-License-Identifier: Apache-2.0
// How a block reads a view (views.hpp), group by group. A policy value chooses who expands lines, and where:
//
//   Roles::none     every warp expands what it reads, into registers
//   Roles::fetch    assist warps read codes, find the images and copy them to a ring in shared memory, ahead
//                   of the workers, who expand them into registers
//   Roles::expand   assist warps expand lines into the ring, workers read values there (CABA's way)
//
// A kernel is a template over its view and its policy:
//
//   using Reads = Stream<View, kPolicy>;
//   static constexpr uint32_t kThreads = Reads::kThreads;
//   struct Shared { typename Reads::Shared reads; ... };
//   ...
//   Reads::run(cta, shared.reads, view, first, end, [&](uint64_t index, const Quad& quad, uint32_t count) {
//     ...                     // on worker warps only: warps 0 .. kWorkers-1
//   });
//
// The whole block calls run(), with the same groups first .. end-1; afterwards it may call it again. The
// order of groups, and that of quads in a group, is not defined. f is called by single lanes: it must not use
// operations of the warp. Raw values are read by the workers, and there are no assists, unless the policy
// says that they are copied to the ring too.
#pragma once

#include <cstdint>

#include "assist/fetch.hpp"
#include "assist/views.hpp"
#include "simt/turnstiles.hpp"

namespace bobbin::assist {

enum class Roles : uint8_t { none, fetch, expand };

struct Policy {
  Roles roles = Roles::none;
  uint32_t workers = 8;  // warps of a block
  uint32_t assists = 0;  // more warps
  uint32_t slots = 0;    // of the ring, each a group of 4 KiB; a multiple of both
  bool raw_too = false;  // with Roles::fetch, raw values are copied to the ring as well
};
inline constexpr Policy kNoRoles{};
// The fastest of those measured on an H200: sums of lines of a base and bytes 1.70 and 1.17 times raw.
inline constexpr Policy kFetchAhead{.roles = Roles::fetch, .workers = 8, .assists = 8, .slots = 16};
inline constexpr Policy kExpandAhead{.roles = Roles::expand, .workers = 4, .assists = 12, .slots = 12};

template <class View>
inline constexpr bool kIsRaw = false;
template <class T>
inline constexpr bool kIsRaw<RawView<T>> = true;

// Calls f(group, header) for every kStep-th group. The next group's header is loaded while this one is read:
// its latency is that of a whole group. (That the next group's images are brought into the L2 cache meanwhile
// was tried, and was slower.)
template <uint32_t kStep, class Cta, class View, class F>
BOBBIN_HD void for_each_ahead(Cta& cta, const View& view, uint64_t first, uint64_t end, F&& f) {
  auto next = view.header(cta, first);
  for (uint64_t group = first; group < end; group += kStep) {
    const auto header = next;
    next = view.header(cta, group + kStep);
    f(group, header);
  }
}

// No roles.
template <class View, Policy kPolicy>
struct Stream {
  static constexpr uint32_t kWorkers = kPolicy.workers;
  static constexpr uint32_t kThreads = kWorkers * simt::kWarpSize;

  struct Shared {
    typename View::Shared warp[kWorkers];
  };

  template <class Cta, class F>
  BOBBIN_HD static void run(Cta& cta, Shared& shared, const View& view, uint64_t first, uint64_t end, F&& f) {
    for_each_ahead<kWorkers>(cta, view, first + cta.warp(), end, [&](uint64_t group, const auto& header) {
      view.read(cta, shared.warp[cta.warp()], group, header, f);
    });
  }
};

// The ring of both policies with roles. A slot is filled by one assist warp and emptied by one worker.
template <Policy kPolicy>
struct Ring {
  // A barrier's phases are distinguished by their parity only: who waits for one must have seen the one
  // before.
  static_assert(kPolicy.slots != 0 && kPolicy.slots % kPolicy.assists == 0 &&
                    kPolicy.slots % kPolicy.workers == 0,
                "a slot is always filled by the same warp, and emptied by the same warp");
  static constexpr uint32_t kWorkers = kPolicy.workers;
  static constexpr uint32_t kAssists = kPolicy.assists;
  static constexpr uint32_t kThreads = (kWorkers + kAssists) * simt::kWarpSize;
  static constexpr uint32_t kSlots = kPolicy.slots;

  simt::Shared<Quad, kSlots * kGroupQuads> quads;
  simt::Turnstiles<kSlots> full;
  simt::Turnstiles<kSlots> empty;

  // Calls fill(n) by assist warps and use(n) by workers, each for its share of n = 0 .. count-1. The slot of
  // n is n % kSlots. fill() arrives at full.barriers[slot] by itself, because copies count there too.
  template <class Cta, class Fill, class Use>
  BOBBIN_HD void run(Cta& cta, uint64_t count, Fill&& fill, Use&& use) {
    if (cta.thread() == 0) {
      if constexpr (kPolicy.roles == Roles::expand) {
        full.set_up(cta, 1);
      } else {
        full.set_up_warps(cta, 1);
      }
      empty.set_up_warps(cta, 1);
    }
    cta.sync();
    if (cta.warp() < kWorkers) {
      for (uint64_t n = cta.warp(); n < count; n += kWorkers) {
        full.wait(cta, n);
        use(n);
        empty.arrive_warp(cta, n);
      }
    } else {
      fill(cta.warp() - kWorkers);
    }
    cta.sync();
  }

  // Where assist warps that expand put a quad: every other eight quads are exchanged in pairs. Lanes that
  // store two quads in a row, first all their first ones, then use all banks.
  [[nodiscard]] BOBBIN_HD static uint32_t exchanged(uint32_t quad) { return quad ^ (quad >> 3 & 1); }

  // Passes on what a slot holds of a group, once it has the values themselves.
  template <class T, bool kExchanged, class Cta, class F>
  BOBBIN_HD void pass_group(Cta& cta, uint64_t n, uint64_t group, uint64_t length, F&& f) {
    const uint64_t base = group * (kGroupBytes / sizeof(T));
    const bool whole = is_whole<T>(group, length);
    BOBBIN_UNROLL
    for (uint32_t i = cta.lane(); i < kGroupQuads; i += simt::kWarpSize) {
      const uint32_t place = first_quad(n) + (kExchanged ? exchanged(i) : i);
      if (whole) {
        f(base + i * kPerQuad<T>, cta.load(quads, place), kPerQuad<T>);
      } else if (base + i * kPerQuad<T> < length) {
        pass_on<T>(base + i * kPerQuad<T>, cta.load(quads, place), length, f);
      }
    }
  }

  [[nodiscard]] BOBBIN_HD static uint32_t slot_of(uint64_t n) { return static_cast<uint32_t>(n % kSlots); }
  [[nodiscard]] BOBBIN_HD static uint32_t first_quad(uint64_t n) { return slot_of(n) * kGroupQuads; }

  // By an assist warp, before it fills slot n % kSlots.
  template <class Cta>
  BOBBIN_HD void wait_until_empty(Cta& cta, uint64_t n) {
    if (n >= kSlots) {
      empty.wait(cta, n - kSlots);
    }
  }
};

// What streams through a ring have in common.
template <Policy kPolicy>
struct RingStream {
  using TheRing = Ring<kPolicy>;
  static constexpr uint32_t kWorkers = TheRing::kWorkers;
  static constexpr uint32_t kThreads = TheRing::kThreads;
};

template <class View, Policy kPolicy>
  requires(kPolicy.roles == Roles::fetch && !kIsRaw<View>)
struct Stream<View, kPolicy> : RingStream<kPolicy> {
  using TheRing = typename RingStream<kPolicy>::TheRing;

  struct Shared {
    TheRing ring;
    FetchedJobs<TheRing::kSlots> jobs;
  };

  template <class Cta, class F>
  BOBBIN_HD static void run(Cta& cta, Shared& shared, const View& view, uint64_t first, uint64_t end, F&& f) {
    const uint64_t count = end > first ? end - first : 0;
    const auto fill = [&](uint32_t assist) { fetch(cta, shared, view, first, count, assist); };
    const auto use = [&](uint64_t n) {
      const uint32_t slot = TheRing::slot_of(n);
      const uint64_t group = first + n;
      if (is_whole<T>(group, view.length())) {
        expand_fetched(cta, shared.ring.quads, shared.jobs, slot, PassWhole<T, F>{group, f});
      } else {
        expand_listed(cta, shared.ring.quads, shared.jobs, slot, [&](uint32_t part, const Quad& quad) {
          pass_part<T>(group, part, quad, view.length(), f);
        });
      }
    };
    shared.ring.run(cta, count, fill, use);
  }

 private:
  using T = typename View::Value;

  // Codes and starts are loaded for several groups at a time: their latency is longer than a warp has time
  // for a group.
  template <class Cta>
  BOBBIN_HD static void fetch(Cta& cta, Shared& shared, const View& view, uint64_t first, uint64_t count,
                              uint32_t assist) {
    constexpr uint32_t kAhead = 4;
    constexpr uint32_t kStep = TheRing::kAssists;
    LineHeader headers[kAhead];
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < kAhead; ++i) {
      headers[i] = view.header(cta, first + assist + i * kStep);
    }
    for (uint64_t n = assist; n < count; n += kAhead * kStep) {
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAhead; ++i) {
        const uint64_t mine = n + i * kStep;
        if (mine < count) {
          const uint32_t slot = TheRing::slot_of(mine);
          shared.ring.wait_until_empty(cta, mine);
          fetch_group(cta, view, headers[i], shared.ring.quads, shared.jobs, slot,
                      shared.ring.full.barriers[slot]);
        }
      }
      // Not between two copies: their fences would wait for these loads.
      BOBBIN_UNROLL
      for (uint32_t i = 0; i < kAhead; ++i) {
        headers[i] = view.header(cta, first + n + (kAhead + i) * kStep);
      }
    }
  }
};

// Raw values: each group is one copy.
template <class T, Policy kPolicy>
  requires(kPolicy.roles == Roles::fetch && kPolicy.raw_too)
struct Stream<RawView<T>, kPolicy> : RingStream<kPolicy> {
  using TheRing = typename RingStream<kPolicy>::TheRing;

  struct Shared {
    TheRing ring;
    typename RawView<T>::Shared none;
  };

  template <class Cta, class F>
  BOBBIN_HD static void run(Cta& cta, Shared& shared, const RawView<T>& view, uint64_t first, uint64_t end,
                            F&& f) {
    const uint64_t count = end > first ? end - first : 0;
    const Global<const uint32_t> words{reinterpret_cast<const uint32_t*>(view.values.data),
                                       view.values.size * sizeof(T) / sizeof(uint32_t)};
    const auto fill = [&](uint32_t assist) {
      for (uint64_t n = assist; n < count; n += TheRing::kAssists) {
        shared.ring.wait_until_empty(cta, n);
        const bool copies = cta.lane() == 0 && is_whole<T>(first + n, view.length());
        copy_images(cta, words, (first + n) * (kGroupBytes / sizeof(uint32_t)), copies ? kGroupBytes : 0,
                    shared.ring.quads, TheRing::first_quad(n),
                    shared.ring.full.barriers[TheRing::slot_of(n)]);
      }
    };
    const auto use = [&](uint64_t n) {
      if (is_whole<T>(first + n, view.length())) {
        shared.ring.template pass_group<T, false>(cta, n, first + n, view.length(), f);
      } else {
        view.read(cta, shared.none, first + n, NoHeader{}, f);
      }
    };
    shared.ring.run(cta, count, fill, use);
  }
};

template <class View, Policy kPolicy>
  requires(kPolicy.roles == Roles::expand && !kIsRaw<View>)
struct Stream<View, kPolicy> : RingStream<kPolicy> {
  using TheRing = typename RingStream<kPolicy>::TheRing;

  struct Shared {
    TheRing ring;
    typename View::Shared assist[TheRing::kAssists];
  };

  template <class Cta, class F>
  BOBBIN_HD static void run(Cta& cta, Shared& shared, const View& view, uint64_t first, uint64_t end, F&& f) {
    const uint64_t count = end > first ? end - first : 0;
    const auto fill = [&](uint32_t assist) {
      for_each_ahead<TheRing::kAssists>(
          cta, view, first + assist, first + count, [&](uint64_t group, const auto& header) {
            const uint64_t n = group - first;
            shared.ring.wait_until_empty(cta, n);
            view.read(cta, shared.assist[assist], group, header,
                      [&](uint64_t index, const Quad& quad, uint32_t /*count*/) {
                        const auto place = static_cast<uint32_t>(index - group * kPerGroup) / kPerQuad<T>;
                        cta.store(shared.ring.quads, TheRing::first_quad(n) + TheRing::exchanged(place),
                                  quad);
                      });
            // One lane for the warp: when all arrive, expanding slots takes twice the time
            // (docs/perf/assist.md).
            cta.sync_warp();
            if (cta.lane() == 0) {
              shared.ring.full.arrive(cta, n);
            }
          });
    };
    const auto use = [&](uint64_t n) {
      shared.ring.template pass_group<T, true>(cta, n, first + n, view.length(), f);
    };
    shared.ring.run(cta, count, fill, use);
  }

 private:
  using T = typename View::Value;
  static constexpr uint32_t kPerGroup = kGroupBytes / sizeof(T);
};

}  // namespace bobbin::assist
