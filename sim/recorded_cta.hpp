// SPDX-License-Identifier: Apache-2.0
// The third back end of simt/cta.hpp: an EmulatorCta that also records what each thread does, and an executor
// that takes the place of the emulator's in a codec's plans.
#pragma once

#include <atomic>
#include <cstring>
#include <type_traits>
#include <utility>

#include "sim/recorded.hpp"
#include "simt/emulator.hpp"

namespace bobbin::sim {

class RecordingCta : public simt::EmulatorCta {
  using Base = simt::EmulatorCta;
  using Where = SourcePlace;
  template <class T>
  using Global = simt::Global<T>;
  template <class T, uint32_t N>
  using Shared = simt::Shared<T, N>;

 public:
  RecordingCta(simt::emulator::Thread& thread, Recording& recording)
      : Base(thread),
        recording_(recording),
        ops_(recording.lane(Base::block(), Base::thread())),
        shared_(simt::emulator::shared_memory(thread, 0)) {}

  void sync(Where where = Where::current()) {
    add(RecordedKind::barrier, 0, where);
    Base::sync(where);
  }
  void sync_warp(Where where = Where::current()) {
    add(RecordedKind::warp_barrier, 0, where);
    Base::sync_warp(where);
  }

  template <class T>
  T shfl(T v, uint32_t from, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(T), where);
    return Base::shfl(v, from, where);
  }
  template <class T>
  T shfl_up(T v, uint32_t distance, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(T), where);
    return Base::shfl_up(v, distance, where);
  }
  template <class T>
  T shfl_down(T v, uint32_t distance, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(T), where);
    return Base::shfl_down(v, distance, where);
  }
  template <class T>
  T shfl_xor(T v, uint32_t mask, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(T), where);
    return Base::shfl_xor(v, mask, where);
  }
  uint32_t ballot(bool p, Where where = Where::current()) {
    add(RecordedKind::vote, 1, where);
    return Base::ballot(p, where);
  }
  bool any(bool p, Where where = Where::current()) {
    add(RecordedKind::vote, 1, where);
    return Base::any(p, where);
  }
  bool all(bool p, Where where = Where::current()) {
    add(RecordedKind::vote, 1, where);
    return Base::all(p, where);
  }
  template <class T>
  uint32_t match_any(T v, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(T), where);
    return Base::match_any(v, where);
  }
  template <class T>
  T reduce_add(T v, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(T), where);
    return Base::reduce_add(v, where);
  }
  template <class T>
  T reduce_min(T v, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(T), where);
    return Base::reduce_min(v, where);
  }
  template <class T>
  T reduce_max(T v, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(T), where);
    return Base::reduce_max(v, where);
  }
  uint32_t reduce_and(uint32_t v, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(v), where);
    return Base::reduce_and(v, where);
  }
  uint32_t reduce_or(uint32_t v, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(v), where);
    return Base::reduce_or(v, where);
  }
  uint32_t reduce_xor(uint32_t v, Where where = Where::current()) {
    add(RecordedKind::vote, sizeof(v), where);
    return Base::reduce_xor(v, where);
  }

  template <class T>
  std::remove_const_t<T> load(Global<T> g, uint64_t i, Where where = Where::current()) {
    const std::remove_const_t<T> v = Base::load(g, i, where);
    recording_.see_load(g.data, g.size * sizeof(T), g.data + i, bytes_of(v));
    add_access(RecordedKind::load, g.data + i, v, where).constant = std::is_const_v<T>;
    return v;
  }
  template <class T>
  void store(Global<T> g, uint64_t i, T v, Where where = Where::current()) {
    Base::store(g, i, v, where);
    recording_.see_store(g.data, g.size * sizeof(T), g.data + i, bytes_of(v));
    add_access(RecordedKind::store, g.data + i, v, where);
  }
  template <class T, uint32_t N>
  T load(const Shared<T, N>& s, uint32_t i, Where where = Where::current()) {
    const T v = Base::load(s, i, where);
    add_shared(RecordedKind::shared_load, &s.data[i], v, where);
    return v;
  }
  template <class T, uint32_t N>
  void store(Shared<T, N>& s, uint32_t i, T v, Where where = Where::current()) {
    Base::store(s, i, v, where);
    add_shared(RecordedKind::shared_store, &s.data[i], v, where);
  }
  template <class T>
  std::remove_const_t<T> load_once(Global<T> g, uint64_t i, Where where = Where::current()) {
    return load(g, i, where);
  }
  template <class T>
  void store_once(Global<T> g, uint64_t i, T v, Where where = Where::current()) {
    store(g, i, v, where);
  }

  // Atomics are recorded before they run: other threads may run before they return.
  template <simt::Order order, class A>
  auto atomic_load(A&& array, uint64_t i, Where where = Where::current()) {
    add_atomic(
        Atomic::add, array, i, where, [](auto old) { return old; }, [](auto old) { return old - old; });
    return Base::template atomic_load<order>(array, i, where);
  }
  template <simt::Order order, class A, class T>
  void atomic_store(A&& array, uint64_t i, T v, Where where = Where::current()) {
    add_stored(array, i, v, where);
    Base::template atomic_store<order>(array, i, v, where);
  }
  template <simt::Order order, class A, class T>
  T atomic_add(A&& array, uint64_t i, T v, Where where = Where::current()) {
    add_atomic(
        Atomic::add, array, i, where, [v](T old) { return old + v; }, [v](T) { return v; });
    return Base::template atomic_add<order>(array, i, v, where);
  }
  template <simt::Order order, class A, class T>
  T atomic_max(A&& array, uint64_t i, T v, Where where = Where::current()) {
    add_atomic(
        Atomic::max, array, i, where, [v](T old) { return old < v ? v : old; }, [v](T) { return v; });
    return Base::template atomic_max<order>(array, i, v, where);
  }
  template <simt::Order order, class A, class T>
  T atomic_min(A&& array, uint64_t i, T v, Where where = Where::current()) {
    add_atomic(
        Atomic::min, array, i, where, [v](T old) { return v < old ? v : old; }, [v](T) { return v; });
    return Base::template atomic_min<order>(array, i, v, where);
  }
  // Recorded as the addition of the bits that were not set yet: their sum is the same in any order.
  template <simt::Order order, class A, class T>
  T atomic_or(A&& array, uint64_t i, T v, Where where = Where::current()) {
    add_atomic(
        Atomic::add, array, i, where, [v](T old) { return old | v; }, [v](T old) { return v & ~old; });
    return Base::template atomic_or<order>(array, i, v, where);
  }
  template <simt::Order order, class A, class T>
  T atomic_exchange(A&& array, uint64_t i, T v, Where where = Where::current()) {
    add_atomic(
        Atomic::exchange, array, i, where, [v](T) { return v; }, [v](T) { return v; });
    return Base::template atomic_exchange<order>(array, i, v, where);
  }
  template <simt::Order order, class A, class T>
  T atomic_compare_exchange(A&& array, uint64_t i, T expected, T desired, Where where = Where::current()) {
    add_atomic(
        Atomic::compare_exchange, array, i, where, [=](T old) { return old == expected ? desired : old; },
        [=](T) { return desired; });
    if (!ops_.empty()) {
      ops_.back().compare = bits_of(expected)[0];
    }
    return Base::template atomic_compare_exchange<order>(array, i, expected, desired, where);
  }

  void barrier_init(simt::CopyBarrier& barrier, uint32_t arrivals, Where where = Where::current()) {
    Base::barrier_init(barrier, arrivals, where);
    add(RecordedKind::other, 0, where);
  }
  void barrier_arrive_expect(simt::CopyBarrier& barrier, uint32_t bytes, Where where = Where::current()) {
    Base::barrier_arrive_expect(barrier, bytes, where);
    add(RecordedKind::other, 0, where);
  }
  void barrier_wait(simt::CopyBarrier& barrier, uint32_t parity, Where where = Where::current()) {
    add(RecordedKind::copy_wait, 0, where);
    Base::barrier_wait(barrier, parity, where);
  }
  template <class T, uint32_t N>
  void bulk_load(Shared<T, N>& to, uint32_t i, Global<const T> from, uint64_t j, uint32_t count,
                 simt::CopyBarrier& barrier, Where where = Where::current()) {
    const std::span bytes(reinterpret_cast<const uint8_t*>(from.data + j), count * sizeof(T));
    Base::bulk_load(to, i, from, j, count, barrier, where);
    recording_.see_load(from.data, from.size * sizeof(T), from.data + j, bytes);
    add_copy(RecordedKind::copy_in, bytes, where).compare = shared_offset(to.data + i);
  }
  template <class T, uint32_t N>
  void bulk_store(Global<T> to, uint64_t j, const Shared<T, N>& from, uint32_t i, uint32_t count,
                  Where where = Where::current()) {
    if (i + uint64_t{count} <= N && j + count <= to.size) {
      const std::span bytes(reinterpret_cast<const uint8_t*>(from.data + i), count * sizeof(T));
      recording_.see_store(to.data, to.size * sizeof(T), to.data + j, bytes);
      RecordedOp& op = add_copy(RecordedKind::copy_out, bytes, where);
      op.address = reinterpret_cast<uint64_t>(to.data + j);
      op.value[0] = recording_.keep(bytes);
      op.compare = shared_offset(from.data + i);
    }
    Base::bulk_store(to, j, from, i, count, where);
  }

 private:
  template <class T>
  static std::span<const uint8_t> bytes_of(const T& v) {
    return {reinterpret_cast<const uint8_t*>(&v), sizeof(T)};
  }
  template <class T>
  static std::array<uint64_t, 2> bits_of(const T& v) {
    static_assert(sizeof(T) <= 16 && std::is_trivially_copyable_v<T>);
    std::array<uint64_t, 2> bits{};
    std::memcpy(bits.data(), &v, sizeof(T));
    return bits;
  }

  [[nodiscard]] uint64_t shared_offset(const void* at) const {
    return reinterpret_cast<uint64_t>(at) - reinterpret_cast<uint64_t>(shared_);
  }

  RecordedOp& add(RecordedKind kind, uint32_t width, Where where) {
    RecordedOp& op = ops_.emplace_back();
    op.kind = kind;
    op.width = static_cast<uint8_t>(width);
    op.place = recording_.place_of(where, kind, width);
    return op;
  }
  template <class T>
  RecordedOp& add_access(RecordedKind kind, const T* at, const std::remove_const_t<T>& v, Where where) {
    RecordedOp& op = add(kind, sizeof(T), where);
    op.address = reinterpret_cast<uint64_t>(at);
    op.value = bits_of(v);
    return op;
  }
  template <class T>
  RecordedOp& add_shared(RecordedKind kind, const T* at, const T& v, Where where) {
    RecordedOp& op = add_access(kind, at, v, where);
    op.address = shared_offset(at);
    return op;
  }
  RecordedOp& add_copy(RecordedKind kind, std::span<const uint8_t> bytes, Where where) {
    RecordedOp& op = add(kind, 0, where);
    op.address = reinterpret_cast<uint64_t>(bytes.data());
    op.bytes = static_cast<uint32_t>(bytes.size());
    return op;
  }

  // `now` is the value after the atomic, `operand` what the simulated one gets; both from the old value.
  template <class T, class Now, class Operand>
  void add_atomic(Atomic kind, const Global<T>& g, uint64_t i, Where where, Now now, Operand operand) {
    if (i >= g.size) {
      return;  // the emulator reports it
    }
    const T old = std::atomic_ref<T>(g.data[i]).load(std::memory_order_relaxed);
    recording_.see_load(g.data, g.size * sizeof(T), g.data + i, bytes_of(old));
    recording_.see_store(g.data, g.size * sizeof(T), g.data + i, bytes_of(static_cast<T>(now(old))));
    recording_.see_atomic(g.data + i);
    RecordedOp& op = add_access(RecordedKind::atomic, g.data + i, static_cast<T>(operand(old)), where);
    op.atomic = kind;
    op.is_signed = std::is_signed_v<T>;
  }
  template <class T, uint32_t N, class Now, class Operand>
  void add_atomic(Atomic /*kind*/, const Shared<T, N>& s, uint64_t i, Where where, Now now,
                  Operand /*operand*/) {
    if (i < N) {
      add_shared(RecordedKind::shared_atomic, &s.data[i], static_cast<T>(now(s.data[i])), where);
    }
  }
  template <class T, class V>
  void add_stored(const Global<T>& g, uint64_t i, V v, Where where) {
    if (i < g.size) {
      const auto stored = static_cast<T>(v);
      recording_.see_store(g.data, g.size * sizeof(T), g.data + i, bytes_of(stored));
      add_access(RecordedKind::store, g.data + i, stored, where);
    }
  }
  template <class T, uint32_t N, class V>
  void add_stored(const Shared<T, N>& s, uint64_t i, V v, Where where) {
    if (i < N) {
      add_shared(RecordedKind::shared_store, &s.data[i], static_cast<T>(v), where);
    }
  }

  Recording& recording_;
  LaneOps& ops_;
  const std::byte* shared_;
};

// Runs a kernel in the emulator and records it.
template <simt::Kernel K>
[[nodiscard]] Status record(const K& kernel, uint64_t blocks, Recording& recording,
                            const simt::EmulatorOptions& options = {}) {
  constexpr bool kNoShared = std::is_same_v<typename K::Shared, simt::NoShared>;
  constexpr size_t kSharedBytes = kNoShared ? 0 : sizeof(typename K::Shared);
  struct Recorded {
    const K& kernel;
    Recording& recording;
  };
  const Recorded recorded{kernel, recording};
  if (blocks == 0) {
    return {};
  }
  recording.begin_launch(static_cast<uint32_t>(blocks), K::kThreads, kSharedBytes);
  return simt::emulator::run({.body =
                                  [](const void* self, simt::emulator::Thread& thread) {
                                    const auto& both = *static_cast<const Recorded*>(self);
                                    RecordingCta cta(thread, both.recording);
                                    both.kernel(cta);
                                    both.recording.end_thread(cta.block());
                                  },
                              .kernel = &recorded,
                              .threads = K::kThreads,
                              .blocks = blocks,
                              .shared_bytes = kSharedBytes},
                             options);
}

// Has the interface of simt::EmulatorExecutor. Plans make executors from streams alone, so the recording is
// that of the thread.
class RecordingExecutor {
 public:
  static constexpr Backend kBackend = Backend::emulator;

  // While it lives, executors of this thread record there.
  class Scope {
   public:
    explicit Scope(Recording& recording) : before_(std::exchange(current(), &recording)) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { current() = before_; }

   private:
    Recording* before_;
  };

  explicit RecordingExecutor(StreamView stream) : stream_(stream) {}

  [[nodiscard]] StreamView stream() const { return stream_; }
  template <simt::Kernel K>
  [[nodiscard]] Status run(const K& kernel, uint64_t blocks) const {
    return record(kernel, blocks, *current());
  }
  template <simt::Kernel K>
  [[nodiscard]] Result<uint32_t> most_together() const {
    return current()->parameters().together;
  }
  template <simt::Kernel K>
  [[nodiscard]] Status run_together(const K& kernel, uint32_t blocks) const {
    return record(kernel, blocks, *current(), {.resident_blocks = blocks});
  }

 private:
  static Recording*& current() {
    thread_local Recording* recording = nullptr;
    return recording;
  }

  StreamView stream_;
};

}  // namespace bobbin::sim
