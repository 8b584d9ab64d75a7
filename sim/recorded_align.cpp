// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "sim/recorded.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] bool is_of_warp(RecordedKind kind) {
  return kind == RecordedKind::vote || kind == RecordedKind::warp_barrier || kind == RecordedKind::barrier;
}

// Between two operations of the whole warp, lanes may take different ways.
class Aligner {
 public:
  explicit Aligner(std::span<const LaneOps> lanes) : lanes_(lanes) {
    for (const LaneOps& lane : lanes) {
      for (const RecordedOp& op : lane) {
        num_places_ = std::max(num_places_, op.place + 1);
      }
    }
    last_.resize(kLanes * num_places_);
    issued_.resize(num_places_);
  }

  [[nodiscard]] RecordedWarp run() {
    while (open() != 0) {
      find_ends();
      for (uint32_t before = before_end(); before != 0; before = before_end()) {
        issue(choose(before));
      }
      if (const uint32_t together = open(); together != 0) {
        issue(at_place(together, place(first_of(together))));
      }
    }
    return std::move(warp_);
  }

 private:
  [[nodiscard]] static uint32_t first_of(uint32_t mask) {
    return static_cast<uint32_t>(std::countr_zero(mask));
  }
  [[nodiscard]] uint32_t place(uint32_t lane) const { return lanes_[lane][next_[lane]].place; }

  // Lanes that have not ended.
  [[nodiscard]] uint32_t open() const {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < lanes_.size(); ++i) {
      mask |= (next_[i] < lanes_[i].size() ? 1U : 0U) << i;
    }
    return mask;
  }
  // Lanes that have operations of their own before the next one of the whole warp.
  [[nodiscard]] uint32_t before_end() const {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < lanes_.size(); ++i) {
      mask |= (next_[i] < end_[i] ? 1U : 0U) << i;
    }
    return mask;
  }
  [[nodiscard]] uint32_t at_place(uint32_t mask, uint32_t wanted) const {
    uint32_t found = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const uint32_t lane = first_of(rest);
      found |= (place(lane) == wanted ? 1U : 0U) << lane;
    }
    return found;
  }

  // Where each lane's own operations end, and where it is at each place for the last time before that.
  void find_ends() {
    std::fill(last_.begin(), last_.end(), 0);
    for (uint32_t i = 0; i < lanes_.size(); ++i) {
      size_t at = next_[i];
      for (; at < lanes_[i].size() && !is_of_warp(lanes_[i][at].kind); ++at) {
        last_[i * num_places_ + lanes_[i][at].place] = at + 1;
      }
      end_[i] = at;
    }
  }
  [[nodiscard]] bool others_will_come(uint32_t others, uint32_t place) const {
    for (uint32_t rest = others; rest != 0; rest &= rest - 1) {
      const uint32_t lane = first_of(rest);
      if (last_[lane * num_places_ + place] > next_[lane]) {
        return true;
      }
    }
    return false;
  }

  // The lanes that issue next. If all wait for each other, as in nested loops, those whose place was issued
  // last go on: the inner loop ends first.
  [[nodiscard]] uint32_t choose(uint32_t mask) const {
    uint32_t best = 0;
    uint64_t best_issued = 0;
    for (uint32_t rest = mask; rest != 0;) {
      const uint32_t where = place(first_of(rest));
      const uint32_t group = at_place(rest, where);
      if (!others_will_come(mask & ~group, where)) {
        return group;
      }
      if (best == 0 || issued_[where] > best_issued) {
        best = group;
        best_issued = issued_[where];
      }
      rest &= ~group;
    }
    return best;
  }

  void issue(uint32_t mask) {
    const RecordedOp& op = lanes_[first_of(mask)][next_[first_of(mask)]];
    issued_[op.place] = ++time_;
    warp_.steps.push_back({op.kind, op.place, mask, warp_.ops.size()});
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      const uint32_t lane = first_of(rest);
      warp_.ops.push_back(lanes_[lane][next_[lane]++]);
    }
  }

  std::span<const LaneOps> lanes_;
  uint32_t num_places_ = 0;
  std::array<size_t, kLanes> next_{};
  std::array<size_t, kLanes> end_{};
  std::vector<size_t> last_;      // by lane and place: one past the last time; 0: never
  std::vector<uint64_t> issued_;  // by place: when last
  uint64_t time_ = 0;
  RecordedWarp warp_;
};

}  // namespace

RecordedWarp align(std::span<const LaneOps> lanes) {
  return Aligner(lanes).run();
}

}  // namespace bobbin::sim
