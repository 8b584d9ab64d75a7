// SPDX-License-Identifier: Apache-2.0
// Recorded steps as instructions of the simulated machine.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "sim/recorded.hpp"

namespace bobbin::sim {
namespace {

constexpr uint32_t kAllLanes = 0xffff'ffff;
// The library's accesses have addresses, not arrays: all memory is one.
constexpr uint64_t kWholeMemory = uint64_t{1} << 32;
constexpr uint32_t kCopyWidth = 8;
constexpr size_t kMostInFlight = 16;

// One memory instruction: up to 8 bytes per lane.
struct Access {
  RecordedKind kind = RecordedKind::load;
  uint32_t width = 4;
  uint32_t mask = 0;
  bool constant = false;
  bool is_signed = false;
  Atomic atomic = Atomic::add;
  MemoryOperands lanes;
};

[[nodiscard]] bool is_shared(RecordedKind kind) {
  return kind == RecordedKind::shared_load || kind == RecordedKind::shared_store ||
         kind == RecordedKind::shared_atomic;
}
[[nodiscard]] bool is_load(RecordedKind kind) {
  return kind == RecordedKind::load || kind == RecordedKind::shared_load;
}

// What a warp's program keeps between steps.
class Replayer {
 public:
  Replayer(Warp& warp, const Recording& recording, const RecordedWarp& recorded)
      : w(warp), recording_(recording), recorded_(recorded), alu_(warp.record_alu) {}

  Warp& w;

  [[nodiscard]] std::span<const RecordedStep> steps() const { return recorded_.steps; }
  [[nodiscard]] std::span<const RecordedOp> ops(const RecordedStep& step) const {
    return std::span(recorded_.ops).subspan(step.first, static_cast<size_t>(std::popcount(step.mask)));
  }

  // The arithmetic before a step. It uses all that was loaded before, except that loads in a row at one place
  // are taken as independent: a loop over an array, or an unrolled one.
  [[nodiscard]] Register prepare(const RecordedStep& step) {
    const size_t most = std::min<size_t>(2 * size_t{alu_} + 1, kMostInFlight);
    const bool in_row = is_load(step.kind) && step.place == last_load_ && in_flight_.size() + 2 <= most;
    last_load_ = is_load(step.kind) ? step.place : kNoPlace;
    Register made;
    for (uint32_t i = 0; i < alu_; ++i) {
      made = in_row ? w.emit(Op::alu, made.id()) : use_loaded(made);
    }
    return made;
  }
  void loaded(Register reg) { in_flight_.push_back(std::move(reg)); }

  // The instructions of an access. One of 16 bytes per lane takes two, each for half of the lanes: as wide as
  // the accesses of 8 bytes, and with the same lines.
  [[nodiscard]] std::vector<Access> accesses(const RecordedStep& step) const {
    const std::span<const RecordedOp> all = ops(step);
    const bool wide = all[0].width == 16;
    std::vector<Access> out(wide ? 2 : 1);
    for (Access& access : out) {
      access.kind = step.kind;
      access.width = wide ? 8 : all[0].width;
      access.constant = all[0].constant;
      access.is_signed = all[0].is_signed;
      access.atomic = all[0].atomic;
    }
    uint32_t rest = step.mask;
    for (const RecordedOp& op : all) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
      rest &= rest - 1;
      if (wide) {
        add_lane(out[lane / 16], lane % 16 * 2, op, 0);
        add_lane(out[lane / 16], lane % 16 * 2 + 1, op, 1);
      } else {
        add_lane(out[0], lane, op, 0);
      }
    }
    std::erase_if(out, [](const Access& access) { return access.mask == 0; });
    return out;
  }

  // The 256 bytes, or fewer, of a bulk copy that begin at `first`.
  [[nodiscard]] Access copy_part(const RecordedOp& op, uint32_t first) const {
    Access access;
    access.width = kCopyWidth;
    const bool out = op.kind == RecordedKind::copy_out;
    const auto bytes = out ? recording_.copied(op.value[0], op.bytes) : std::span<const uint8_t>();
    for (uint32_t i = 0; i < kLanes && first + i * kCopyWidth < op.bytes; ++i) {
      const uint32_t at = first + i * kCopyWidth;
      access.mask |= 1U << i;
      access.lanes.address[i] = recording_.address(op.address) + at;
      if (out) {
        std::memcpy(&access.lanes.value[i], bytes.data() + at, kCopyWidth);
      }
    }
    return access;
  }

 private:
  static constexpr uint32_t kNoPlace = 0xffff'ffff;

  [[nodiscard]] Register use_loaded(const Register& before) {
    std::array<Register, kMaxSources> sources{before};
    for (size_t i = before.id() == kNoRegister ? 0 : 1; i < kMaxSources && !in_flight_.empty(); ++i) {
      sources[i] = std::move(in_flight_.back());
      in_flight_.pop_back();
    }
    return w.emit(Op::alu, sources[0].id(), sources[1].id(), sources[2].id());
  }

  void add_lane(Access& access, uint32_t lane, const RecordedOp& op, uint32_t half) const {
    access.mask |= 1U << lane;
    const Address first = is_shared(access.kind) ? op.address : recording_.address(op.address);
    access.lanes.address[lane] = first + 8 * half;
    access.lanes.value[lane] = op.value[half];
    access.lanes.compare[lane] = op.compare;
    if (first % op.width != 0) {
      w.fail(fmt::format("recording: an access of {} bytes at address {:#x}", op.width, first));
    }
  }

  const Recording& recording_;
  const RecordedWarp& recorded_;
  uint32_t alu_;
  uint32_t last_load_ = kNoPlace;
  std::vector<Register> in_flight_;
};

template <class T>
[[nodiscard]] Lanes<uint32_t> indices(const Access& access, const Register& reg) {
  Lanes<uint32_t> out;
  const uint32_t unit = is_shared(access.kind) ? 1 : sizeof(T);
  for (uint32_t i = 0; i < kLanes; ++i) {
    out.value[i] = static_cast<uint32_t>(access.lanes.address[i] / unit);
  }
  out.reg = reg;
  return out;
}

template <class T>
[[nodiscard]] Lanes<T> values(const std::array<uint64_t, kLanes>& bits, const Register& reg) {
  Lanes<T> out;
  for (uint32_t i = 0; i < kLanes; ++i) {
    out.value[i] = static_cast<T>(bits[i]);
  }
  out.reg = reg;
  return out;
}

// What the kernel must not change has the same value whenever it is loaded.
template <class T>
void check_constants(Warp& w, const Access& access, const Lanes<T>& found) {
  for (uint32_t i = 0; i < kLanes && access.constant; ++i) {
    if ((access.mask >> i & 1) != 0 && found[i] != static_cast<T>(access.lanes.value[i])) {
      w.fail(fmt::format("recording: lane {} loaded {} from address {:#x}, the kernel {}", i, found[i],
                         access.lanes.address[i], static_cast<T>(access.lanes.value[i])));
    }
  }
}

template <class T>
Program run_as(Replayer& r, const Access& access, const Register& reg) {
  const Masked lanes(r.w, access.mask);
  const Lanes<uint32_t> index = indices<T>(access, reg);
  const Lanes<T> value = values<T>(access.lanes.value, reg);
  const Array<T> memory{0, kWholeMemory};
  switch (access.kind) {
    case RecordedKind::load: {
      const Lanes<T> found = co_await r.w.load(memory, index);
      check_constants(r.w, access, found);
      r.loaded(found.reg);
      break;
    }
    case RecordedKind::store:
      r.w.store(memory, index, value);
      break;
    case RecordedKind::shared_load: {
      const Lanes<T> found = co_await r.w.load_shared<T>(index);
      r.loaded(found.reg);
      break;
    }
    case RecordedKind::shared_store:
      r.w.store_shared(index, value);
      break;
    default: {  // the simulated machine has no atomics on shared memory
      const Lanes<T> old = co_await r.w.load_shared<T>(index);
      r.w.store_shared(index, values<T>(access.lanes.value, old.reg));
      r.loaded(old.reg);
    }
  }
}

template <class T>
Program run_atomic_as(Replayer& r, const Access& access, const Register& reg) {
  const Masked lanes(r.w, access.mask);
  const Lanes<T> old =
      co_await r.w.atomic(access.atomic, Array<T>{0, kWholeMemory}, indices<T>(access, reg),
                          values<T>(access.lanes.value, reg), values<T>(access.lanes.compare, {}));
  r.loaded(old.reg);
}

Program run_atomic(Replayer& r, const Access& access, const Register& reg) {
  if (access.width == 4 && access.is_signed) {
    co_await run_atomic_as<int32_t>(r, access, reg);
  } else if (access.width == 4) {
    co_await run_atomic_as<uint32_t>(r, access, reg);
  } else if (access.width == 8 && access.is_signed) {
    co_await run_atomic_as<int64_t>(r, access, reg);
  } else if (access.width == 8) {
    co_await run_atomic_as<uint64_t>(r, access, reg);
  } else {
    r.w.fail(fmt::format("recording: an atomic of {} bytes", access.width));
  }
}

Program run_access(Replayer& r, const Access& access, const Register& reg) {
  if (access.kind == RecordedKind::atomic) {
    co_await run_atomic(r, access, reg);
  } else if (access.width == 1) {
    co_await run_as<uint8_t>(r, access, reg);
  } else if (access.width == 2) {
    co_await run_as<uint16_t>(r, access, reg);
  } else if (access.width == 4) {
    co_await run_as<uint32_t>(r, access, reg);
  } else {
    co_await run_as<uint64_t>(r, access, reg);
  }
}

// The simulated machine has no copy engine: the warp that starts a bulk copy makes it, 256 bytes at a time.
Program run_copy(Replayer& r, const RecordedOp& op) {
  for (uint32_t first = 0; first < op.bytes; first += kLanes * kCopyWidth) {
    const Access part = r.copy_part(op, first);
    const Masked lanes(r.w, part.mask);
    Lanes<uint32_t> offset;
    for (uint32_t i = 0; i < kLanes; ++i) {
      offset.value[i] = static_cast<uint32_t>(op.compare) + first + i * kCopyWidth;
    }
    const Array<uint64_t> memory{0, kWholeMemory};
    if (op.kind == RecordedKind::copy_in) {
      const Lanes<uint64_t> some = co_await r.w.load(memory, indices<uint64_t>(part, {}));
      r.w.store_shared(offset, some);
    } else {
      const Lanes<uint64_t> some = co_await r.w.load_shared<uint64_t>(offset);
      r.w.store(memory, indices<uint64_t>(part, {}), values<uint64_t>(part.lanes.value, some.reg));
    }
  }
}

Program run_step(Replayer& r, const RecordedStep& step) {
  switch (step.kind) {
    case RecordedKind::warp_barrier:
      break;
    case RecordedKind::barrier:
      co_await r.w.barrier();
      break;
    case RecordedKind::copy_wait:
      // Threads that wait for a copy wait for the warp that makes it. Where only some lanes do, they poll.
      if (step.mask == kAllLanes) {
        co_await r.w.barrier();
      } else {
        co_await r.w.branch();
      }
      break;
    case RecordedKind::vote:
      r.loaded(r.w.emit(Op::vote, r.prepare(step).id()));
      break;
    case RecordedKind::other:
      static_cast<void>(r.prepare(step));
      break;
    case RecordedKind::copy_in:
    case RecordedKind::copy_out:
      static_cast<void>(r.prepare(step));
      for (const RecordedOp& op : r.ops(step)) {
        co_await run_copy(r, op);
      }
      break;
    default: {
      const Register reg = r.prepare(step);
      for (const Access& access : r.accesses(step)) {
        co_await run_access(r, access, reg);
      }
    }
  }
}

Program run_warp(Warp& w, const Recording& recording, const RecordedWarp& recorded) {
  Replayer r(w, recording, recorded);
  std::optional<When> diverged;
  uint32_t lanes = kAllLanes;
  for (const RecordedStep& step : r.steps()) {
    if (step.mask != lanes) {
      lanes = step.mask;
      diverged.reset();
      if (lanes != kAllLanes) {
        diverged.emplace(w, Warp::lanes_of(lanes));
      }
    }
    co_await run_step(r, step);
  }
}

[[nodiscard]] std::optional<Launch> launch_of(const std::shared_ptr<Recording>& recording, uint32_t number) {
  if (number >= recording->launches().size() || !recording->status().ok()) {
    return std::nullopt;
  }
  const RecordedLaunch& launch = recording->launches()[number];
  return Launch{launch.blocks, launch.threads, recording->parameters().registers, launch.shared_bytes,
                [recording, &launch](Warp& w) {
                  const size_t warp = size_t{w.place().block} * w.place().block_warps + w.place().warp;
                  return run_warp(w, *recording, launch.warps[warp]);
                }};
}

}  // namespace

WorkloadRun replay(std::shared_ptr<Recording> recording, Memory& memory) {
  recording->allocate(memory);
  return {.launch = [recording](uint32_t number, const Memory&) { return launch_of(recording, number); },
          .check =
              [recording](const Memory& end) {
                return recording->status().ok() ? recording->check(end) : recording->status();
              }};
}

}  // namespace bobbin::sim
