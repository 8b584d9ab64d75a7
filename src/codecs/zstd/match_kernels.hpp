// SPDX-License-Identifier: Apache-2.0
// Match finding on a device: the links of match.hpp for many frames of up to 64 KiB, one block of threads per
// frame. Three kernels with the same result, which depends on nothing but the bytes:
//
//   WalkKernel    a table of the latest position of each hash; one warp goes through the frame in order, 32
//                 positions per step, while other warps hash what comes next. The fastest: the encoder's.
//   SortKernel    a stable radix sort of all positions by hash; a position's neighbour is its link.
//   RoundsKernel  a table of the latest position, updated by atomics, 1024 positions per step; positions of a
//                 step that share a hash are put in order by rounds.
//
// Shared memory: 128 KiB for 65536 positions of 16 bits, and 8 to 16 KiB for the work at hand. Global memory,
// per position: one byte is read (several times, from the L1 cache after the first), two bytes are written.
#pragma once

#include "codecs/zstd/match.hpp"
#include "codecs/zstd/tile.hpp"
#include "simt/warp_sum.hpp"

namespace bobbin::zstd {

inline constexpr uint32_t kMaxLinkedFrame = uint32_t{64} << 10;  // a position has 16 bits
// A key has 4 bytes or more: the last position of 64 KiB is linked to nothing, and nothing to it.
inline constexpr uint16_t kNoLink = UINT16_MAX;

// Content that is cut into frames, and where the links of each go.
struct LinkTask {
  const std::byte* in = nullptr;
  uint64_t in_bytes = 0;
  uint32_t frame_bytes = 0;
  uint16_t* links = nullptr;
  uint64_t stride = 0;  // from one frame's links to the next, in links

  [[nodiscard]] BOBBIN_HD uint32_t size(uint64_t frame) const {
    const uint64_t left = in_bytes - frame * frame_bytes;
    return left < frame_bytes ? static_cast<uint32_t>(left) : frame_bytes;
  }
  [[nodiscard]] BOBBIN_HD FrameBytes bytes(uint64_t frame) const {
    return FrameBytes::of(in + frame * frame_bytes, size(frame));
  }
  [[nodiscard]] BOBBIN_HD Global<uint16_t> links_of(uint64_t frame) const {
    return {links + frame * stride, size(frame)};
  }
};

// The keys of one frame.
template <uint32_t kBytes>
struct Keys {
  FrameBytes bytes;
  uint32_t count = 0;  // positions that have a key

  [[nodiscard]] BOBBIN_HD static Keys of(const FrameBytes& bytes) {
    return {bytes, bytes.size < kBytes ? 0 : bytes.size - kBytes + 1};
  }
  // `p` is below the count.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t hash(Cta& cta, uint32_t p) const {
    const uint64_t high = kBytes > 4 ? bytes.word(cta, p + 4) : 0;
    return hash_of<kBytes>(bytes.word(cta, p) | high << 32);
  }
};

// Lanes of a warp that have the same hash; lanes without a key have a value of their own.
struct Peers {
  uint32_t mask = 0;
  uint32_t lane = 0;

  static constexpr uint32_t kNoHash = uint32_t{1} << kHashBits;

  template <class Cta>
  [[nodiscard]] BOBBIN_HD static Peers of(Cta& cta, uint32_t value) {
    return {cta.match_any(value), cta.lane()};
  }
  [[nodiscard]] BOBBIN_HD uint32_t below() const { return mask & ((uint32_t{1} << lane) - 1); }
  [[nodiscard]] BOBBIN_HD uint32_t rank() const { return static_cast<uint32_t>(std::popcount(below())); }
  [[nodiscard]] BOBBIN_HD uint32_t last() const { return 31 - static_cast<uint32_t>(std::countl_zero(mask)); }
  [[nodiscard]] BOBBIN_HD bool is_last() const { return mask >> lane == 1; }
  // How many lanes before this one the next peer is; 0: there is none.
  [[nodiscard]] BOBBIN_HD uint32_t distance() const {
    return below() == 0 ? 0 : lane - 31 + static_cast<uint32_t>(std::countl_zero(below()));
  }
};

template <uint32_t kBytes>
struct WalkKernel {
  static constexpr uint32_t kHashers = 16;  // warps
  static constexpr uint32_t kSteps = 4;     // of 32 positions, per warp and tile
  static constexpr uint32_t kTile = kHashers * kSteps * simt::kWarpSize;
  static constexpr uint32_t kThreads = (kHashers + 1) * simt::kWarpSize;
  static constexpr uint32_t kBatch = 8;  // steps whose table loads are under way together

  struct Shared {
    simt::Shared<uint16_t, uint32_t{1} << kHashBits> latest;
    simt::Shared<uint32_t, 2 * kTile> entries;
  };

  LinkTask task;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const auto keys = Keys<kBytes>::of(task.bytes(cta.block()));
    const auto links = task.links_of(cta.block());
    clear(cta, shared);
    const uint32_t tiles = ceil_div<uint32_t>(keys.bytes.size, kTile);
    if (cta.warp() != 0) {
      prepare(cta, shared, keys, 0);
    }
    for (uint32_t tile = 0; tile < tiles; ++tile) {
      cta.sync();
      if (cta.warp() != 0) {
        prepare(cta, shared, keys, tile + 1);
      } else {
        walk(cta, shared, links, tile);
      }
    }
  }

 private:
  // What the walk needs to know of a position: its hash, how far back in the same step the hash occurs, and
  // whether the position is the step's last one with it.
  static constexpr uint32_t kDistance = 16;
  static constexpr uint32_t kLast = uint32_t{1} << 21;
  static constexpr uint32_t kHasKey = uint32_t{1} << 22;

  template <class Cta>
  BOBBIN_HD static void clear(Cta& cta, Shared& shared) {
    constexpr uint32_t kQuads = sizeof(shared.latest) / sizeof(Quad);
    auto& quads = simt::seen_as<simt::Shared<Quad, kQuads>>(shared.latest);
    for (uint32_t i = cta.thread(); i < kQuads; i += kThreads) {
      cta.store(quads, i, Quad{{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}});
    }
  }

  template <class Cta>
  BOBBIN_HD static void prepare(Cta& cta, Shared& shared, const Keys<kBytes>& keys, uint32_t tile) {
    const uint32_t first = (cta.warp() - 1) * kSteps * simt::kWarpSize + cta.lane();
    uint32_t hashes[kSteps];
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < kSteps; ++j) {
      const uint32_t p = tile * kTile + first + j * simt::kWarpSize;
      hashes[j] = p < keys.count ? keys.hash(cta, p) : Peers::kNoHash;
    }
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < kSteps; ++j) {
      const Peers peers = Peers::of(cta, hashes[j]);
      const uint32_t entry = hashes[j] == Peers::kNoHash ? 0
                                                         : hashes[j] | peers.distance() << kDistance |
                                                               (peers.is_last() ? kLast : 0) | kHasKey;
      cta.store(shared.entries, tile % 2 * kTile + first + j * simt::kWarpSize, entry);
    }
  }

  template <class Cta>
  BOBBIN_HD static void walk(Cta& cta, Shared& shared, const Global<uint16_t>& links, uint32_t tile) {
    const auto size = static_cast<uint32_t>(links.size);
    for (uint32_t i = 0; i < kTile && tile * kTile + i < size; i += kBatch * simt::kWarpSize) {
      uint32_t entries[kBatch];
      uint32_t found[kBatch];
      BOBBIN_UNROLL
      for (uint32_t j = 0; j < kBatch; ++j) {
        entries[j] = cta.load(shared.entries, tile % 2 * kTile + i + j * simt::kWarpSize + cta.lane());
      }
      BOBBIN_UNROLL
      for (uint32_t j = 0; j < kBatch; ++j) {
        const uint32_t hash = entries[j] & (Peers::kNoHash - 1);
        found[j] = cta.load(shared.latest, hash);
        cta.sync_warp();
        if ((entries[j] & kLast) != 0) {
          const uint32_t p = tile * kTile + i + j * simt::kWarpSize + cta.lane();
          cta.store(shared.latest, hash, static_cast<uint16_t>(p));
        }
        cta.sync_warp();
      }
      BOBBIN_UNROLL
      for (uint32_t j = 0; j < kBatch; ++j) {
        const uint32_t p = tile * kTile + i + j * simt::kWarpSize + cta.lane();
        const uint32_t distance = entries[j] >> kDistance & 31;
        const uint32_t link = (entries[j] & kHasKey) == 0 ? kNoLink : distance != 0 ? p - distance : found[j];
        if (p < size) {
          cta.store(links, p, static_cast<uint16_t>(link));
        }
      }
    }
  }
};

// Sorts by the hash's low byte, then by its high byte. The first pass reads positions in their own order, the
// second keeps them in registers: one array of positions is enough.
template <uint32_t kBytes>
struct SortKernel {
  static constexpr uint32_t kThreads = 1024;
  static constexpr uint32_t kWarps = kThreads / simt::kWarpSize;
  static constexpr uint32_t kChunk = kMaxLinkedFrame / kWarps;  // of sorted positions, per warp
  static constexpr uint32_t kSteps = kChunk / simt::kWarpSize;
  static constexpr uint32_t kDigits = 256;

  struct Shared {
    simt::Shared<uint16_t, kMaxLinkedFrame> order;
    simt::Shared<uint16_t, kWarps * kDigits> counts;
    simt::Shared<uint32_t, kWarps> totals;
  };

  LinkTask task;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const auto keys = Keys<kBytes>::of(task.bytes(cta.block()));
    const auto links = task.links_of(cta.block());
    sort<0>(cta, shared, keys);
    sort<8>(cta, shared, keys);
    link(cta, shared, keys, links);
    for (uint64_t p = keys.count + cta.thread(); p < links.size; p += kThreads) {
      cta.store(links, p, kNoLink);
    }
  }

 private:
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t place(Cta& cta, uint32_t step) {
    return cta.warp() * kChunk + step * simt::kWarpSize + cta.lane();
  }

  template <uint32_t kShift, class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t digit(Cta& cta, const Keys<kBytes>& keys, uint32_t p, bool exists) {
    return exists ? keys.hash(cta, p) >> kShift & (kDigits - 1) : Peers::kNoHash;
  }

  // A stable sort by one digit, from positions in their own order (first pass) or as they are in `order`.
  template <uint32_t kShift, class Cta>
  BOBBIN_HD static void sort(Cta& cta, Shared& shared, const Keys<kBytes>& keys) {
    uint32_t kept[kSteps / 2] = {};  // two positions each
    for (uint32_t i = cta.thread(); i < kWarps * kDigits; i += kThreads) {
      cta.store(shared.counts, i, uint16_t{0});
    }
    cta.sync();
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < kSteps; ++j) {
      const uint32_t i = place(cta, j);
      if (i - cta.lane() >= keys.count) {
        continue;
      }
      const bool exists = i < keys.count;
      const uint32_t p = kShift == 0 ? i : exists ? uint32_t{cta.load(shared.order, i)} : 0;
      kept[j / 2] |= (kShift == 0 ? 0 : p) << (16 * (j % 2));
      const uint32_t own = digit<kShift>(cta, keys, p, exists);
      const Peers peers = Peers::of(cta, own);
      if (exists && peers.is_last()) {
        const uint32_t at = cta.warp() * kDigits + own;
        cta.store(shared.counts, at,
                  static_cast<uint16_t>(cta.load(shared.counts, at) + std::popcount(peers.mask)));
      }
      cta.sync_warp();
    }
    sum_counts(cta, shared);
    BOBBIN_UNROLL
    for (uint32_t j = 0; j < kSteps; ++j) {
      const uint32_t i = place(cta, j);
      if (i - cta.lane() < keys.count) {
        const bool exists = i < keys.count;
        const uint32_t p = kShift == 0 ? i : kept[j / 2] >> (16 * (j % 2)) & 0xFFFF;
        scatter(cta, shared, digit<kShift>(cta, keys, p, exists), p, exists);
      }
    }
    cta.sync();
  }

  template <class Cta>
  BOBBIN_HD static void scatter(Cta& cta, Shared& shared, uint32_t own, uint32_t p, bool exists) {
    const Peers peers = Peers::of(cta, own);
    const uint32_t at = cta.warp() * kDigits + own;
    const uint32_t to = exists ? cta.load(shared.counts, at) + peers.rank() : 0;
    cta.sync_warp();
    if (exists) {
      cta.store(shared.order, to, static_cast<uint16_t>(p));
    }
    if (exists && peers.is_last()) {
      cta.store(shared.counts, at, static_cast<uint16_t>(to + 1));
    }
    cta.sync_warp();
  }

  // From how many positions a warp has of a digit to where their first one goes: after all of smaller digits,
  // and after those of the same digit in earlier warps. Each thread has eight warps' counts of a digit.
  template <class Cta>
  BOBBIN_HD static void sum_counts(Cta& cta, Shared& shared) {
    constexpr uint32_t kEach = kWarps * kDigits / kThreads;
    const uint32_t first = cta.thread() * kEach % kWarps * kDigits + cta.thread() * kEach / kWarps;
    cta.sync();
    uint32_t sum = 0;
    for (uint32_t k = 0; k < kEach; ++k) {
      sum += cta.load(shared.counts, first + k * kDigits);
    }
    const uint32_t through = simt::sum_through(cta, sum);
    if (cta.lane() == simt::kWarpSize - 1) {
      cta.store(shared.totals, cta.warp(), through);
    }
    cta.sync();
    const uint32_t total = cta.load(shared.totals, cta.lane());
    const uint32_t before = simt::sum_through(cta, total) - total;
    uint32_t at = cta.shfl(before, cta.warp()) + through - sum;
    for (uint32_t k = 0; k < kEach; ++k) {
      const uint32_t count = cta.load(shared.counts, first + k * kDigits);
      cta.store(shared.counts, first + k * kDigits, static_cast<uint16_t>(at));
      at += count;
    }
    cta.sync();
  }

  template <class Cta>
  BOBBIN_HD static void link(Cta& cta, Shared& shared, const Keys<kBytes>& keys,
                             const Global<uint16_t>& links) {
    for (uint32_t j = 0; j < kSteps && place(cta, j) - cta.lane() < keys.count; ++j) {
      const uint32_t i = place(cta, j);
      const bool exists = i < keys.count;
      const uint32_t p = exists ? cta.load(shared.order, i) : 0;
      const uint32_t hash = exists ? keys.hash(cta, p) : Peers::kNoHash;
      const bool first = i == 0 || !exists;
      const uint32_t before = first ? p : cta.load(shared.order, i - 1);
      uint32_t hash_before = cta.shfl_up(hash, 1);
      if (cta.lane() == 0 && !first) {
        hash_before = keys.hash(cta, before);
      }
      if (exists) {
        cta.store(links, p, !first && hash_before == hash ? static_cast<uint16_t>(before) : kNoLink);
      }
    }
  }
};

// In each step, a warp first settles those of its positions that share a hash. What remains, one per warp and
// hash, is settled by rounds: the latest position enters the table, is taken out again, and is linked to the
// one that enters in the next round.
template <uint32_t kBytes>
struct RoundsKernel {
  static constexpr uint32_t kThreads = 1024;

  struct Shared {
    simt::Shared<uint16_t, uint32_t{1} << kHashBits> latest;  // and one more; 0: none
    simt::Shared<uint32_t, 3> flags;
  };

  LinkTask task;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const auto keys = Keys<kBytes>::of(task.bytes(cta.block()));
    const auto links = task.links_of(cta.block());
    for (uint32_t i = cta.thread(); i < uint32_t{1} << kHashBits; i += kThreads) {
      cta.store(shared.latest, i, uint16_t{0});
    }
    for (uint32_t i = cta.thread(); i < 3; i += kThreads) {
      cta.store(shared.flags, i, uint32_t{0});
    }
    cta.sync();
    for (uint32_t begin = 0; begin < links.size; begin += kThreads) {
      const uint32_t p = begin + cta.thread();
      const bool exists = p < keys.count;
      const uint32_t hash = exists ? keys.hash(cta, p) : Peers::kNoHash;
      const Peers peers = Peers::of(cta, hash);
      const bool leads = exists && peers.below() == 0;
      const uint32_t last = p - cta.lane() + peers.last();
      const uint32_t found = settle(cta, shared, hash, last + 1, leads);
      const uint32_t link = !exists ? kNoLink : leads ? found - 1 : p - peers.distance();
      if (p < links.size) {
        cta.store(links, p, static_cast<uint16_t>(link));
      }
    }
  }

 private:
  // What the table had for `hash` before `own` entered it.
  template <class Cta>
  [[nodiscard]] BOBBIN_HD static uint32_t settle(Cta& cta, Shared& shared, uint32_t hash, uint32_t own,
                                                 bool leads) {
    const uint32_t before = leads ? cta.load(shared.latest, hash) : 0;
    uint32_t link = before;
    bool active = leads;   // has not entered yet
    bool waiting = false;  // has entered, and waits for the one before it
    bool is_latest = false;
    cta.sync();
    for (uint32_t round = 0;; ++round) {
      if (active) {
        cta.template atomic_max<simt::Order::relaxed>(shared.latest, hash, static_cast<uint16_t>(own));
      }
      cta.sync();
      const uint32_t now = active || waiting ? cta.load(shared.latest, hash) : 0;
      link = waiting ? now : link;
      waiting = active && now == own;
      is_latest = is_latest || (waiting && round == 0);
      active = active && !waiting;
      if (active || waiting) {
        cta.template atomic_store<simt::Order::relaxed>(shared.flags, round % 3, uint32_t{1});
      }
      cta.sync();
      if (waiting) {
        cta.store(shared.latest, hash, static_cast<uint16_t>(before));
      }
      const bool more = cta.template atomic_load<simt::Order::relaxed>(shared.flags, round % 3) != 0;
      if (cta.thread() == 0) {
        cta.template atomic_store<simt::Order::relaxed>(shared.flags, (round + 2) % 3, uint32_t{0});
      }
      cta.sync();
      if (!more) {
        break;
      }
    }
    if (is_latest) {
      cta.store(shared.latest, hash, static_cast<uint16_t>(own));
    }
    cta.sync();
    return link;
  }
};

}  // namespace bobbin::zstd
