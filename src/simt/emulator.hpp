// SPDX-License-Identifier: Apache-2.0
// The GPU on a CPU: every thread of a kernel is a fiber, every operation is checked. See cta.hpp for the
// operations.
//
// It detects the following, as a Status that says what, where and which threads:
// - barriers and warp operations that not all threads reach, or that they reach at different places;
// - loads of shared memory that was never written, loads and stores outside an array;
// - deadlock: no thread can continue, or all that still run only poll. The report says who waits where;
// - in a build with ThreadSanitizer, data races on shared and global memory: fibers are switched without
//   synchronisation, and only barriers and atomics order what they do.
//
// Fibers switch at barriers, warp operations, atomics and waits, to one chosen at random: a seed determines
// the schedule, and running a kernel with many seeds tries many. Several blocks are resident at a time,
// started in random order.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "simt/cta.hpp"

namespace bobbin::simt {

struct EmulatorOptions {
  uint64_t seed = 1;
  uint32_t resident_blocks = 4;           // as on a GPU of that size
  uint64_t patience = uint64_t{1} << 20;  // consecutive polls without any change that count as a deadlock
};

// Used by runs that do not specify options; tests set its seed.
EmulatorOptions& default_emulator_options();

namespace emulator {

using Where = SourcePlace;

class Machine;
struct Thread;

// What the 32 lanes pass to a warp operation.
struct Exchange {
  alignas(16) std::byte values[kWarpSize][16];
};

// The emulator's side of an EmulatorCta. Compiled without ThreadSanitizer, because this is the emulator's own
// bookkeeping.
uint32_t thread_index(const Thread& thread);
uint32_t block_index(const Thread& thread);
uint32_t num_blocks(const Thread& thread);
std::byte* shared_memory(const Thread& thread, size_t bytes);
void block_barrier(Thread& thread, Where where);
void warp_barrier(Thread& thread, Where where);
// All lanes' values, until this lane's next warp operation.
const Exchange& exchange(Thread& thread, const char* operation, const void* value, size_t bytes, Where where);
void check_global(Thread& thread, const char* access, const void* data, uint64_t index, uint64_t size,
                  Where where);
void check_shared_load(Thread& thread, const void* data, uint64_t index, uint64_t size, size_t bytes,
                       Where where);
void check_shared_store(Thread& thread, const void* data, uint64_t index, uint64_t size, size_t bytes,
                        Where where);
// Called after an atomic: others may run now. `changed` says whether memory changed.
void after_atomic(Thread& thread, bool changed, Where where);
void barrier_init(Thread& thread, CopyBarrier& barrier, uint32_t arrivals, Where where);
void barrier_arrive_expect(Thread& thread, CopyBarrier& barrier, uint32_t bytes, Where where);
void barrier_wait(Thread& thread, CopyBarrier& barrier, uint32_t parity, Where where);
void bulk_load(Thread& thread, void* to, const void* from, uint32_t bytes, CopyBarrier& barrier, Where where);
void load_async(Thread& thread, void* to, const void* from, uint32_t bytes, Where where);
void load_wait(Thread& thread, Where where);
void bulk_store(Thread& thread, void* to, const void* from, uint32_t bytes, Where where);
void bulk_store_wait(Thread& thread, Where where);

}  // namespace emulator

class EmulatorCta {
  using Where = SourcePlace;

 public:
  explicit EmulatorCta(emulator::Thread& thread) : thread_(thread), index_(emulator::thread_index(thread)) {}

  [[nodiscard]] uint32_t thread() const { return index_; }
  [[nodiscard]] uint32_t lane() const { return index_ % kWarpSize; }
  [[nodiscard]] uint32_t warp() const { return index_ / kWarpSize; }
  [[nodiscard]] uint32_t block() const { return emulator::block_index(thread_); }
  [[nodiscard]] uint32_t num_blocks() const { return emulator::num_blocks(thread_); }

  void sync(Where where = Where::current()) { emulator::block_barrier(thread_, where); }
  void sync_warp(Where where = Where::current()) { emulator::warp_barrier(thread_, where); }
  void pause() {}  // other fibers run between any two atomics

  // As on the GPU, the source lane is taken modulo 32, and a lane without a source gets its own value.
  template <class T>
  T shfl(T v, uint32_t from, Where where = Where::current()) {
    return value_of<T>(gather("shfl", v, where), from % kWarpSize);
  }
  template <class T>
  T shfl_up(T v, uint32_t distance, Where where = Where::current()) {
    return value_of<T>(gather("shfl_up", v, where), lane() >= distance ? lane() - distance : lane());
  }
  template <class T>
  T shfl_down(T v, uint32_t distance, Where where = Where::current()) {
    return value_of<T>(gather("shfl_down", v, where),
                       lane() + distance < kWarpSize ? lane() + distance : lane());
  }
  template <class T>
  T shfl_xor(T v, uint32_t mask, Where where = Where::current()) {
    return value_of<T>(gather("shfl_xor", v, where), (lane() ^ mask) % kWarpSize);
  }
  uint32_t ballot(bool p, Where where = Where::current()) { return matching("ballot", p, true, where); }
  bool any(bool p, Where where = Where::current()) { return matching("any", p, true, where) != 0; }
  bool all(bool p, Where where = Where::current()) { return matching("all", p, true, where) == ~uint32_t{0}; }
  template <class T>
  uint32_t match_any(T v, Where where = Where::current()) {
    return matching("match_any", v, v, where);
  }
  template <class T>
  T reduce_add(T v, Where where = Where::current()) {
    return fold("reduce_add", v, where, [](T a, T b) { return static_cast<T>(a + b); });
  }
  template <class T>
  T reduce_min(T v, Where where = Where::current()) {
    return fold("reduce_min", v, where, [](T a, T b) { return b < a ? b : a; });
  }
  template <class T>
  T reduce_max(T v, Where where = Where::current()) {
    return fold("reduce_max", v, where, [](T a, T b) { return a < b ? b : a; });
  }
  uint32_t reduce_and(uint32_t v, Where where = Where::current()) {
    return fold("reduce_and", v, where, [](uint32_t a, uint32_t b) { return a & b; });
  }
  uint32_t reduce_or(uint32_t v, Where where = Where::current()) {
    return fold("reduce_or", v, where, [](uint32_t a, uint32_t b) { return a | b; });
  }
  uint32_t reduce_xor(uint32_t v, Where where = Where::current()) {
    return fold("reduce_xor", v, where, [](uint32_t a, uint32_t b) { return a ^ b; });
  }

  template <class S>
  S& shared() {
    return *reinterpret_cast<S*>(emulator::shared_memory(thread_, sizeof(S)));
  }

  template <class T>
  std::remove_const_t<T> load(Global<T> g, uint64_t i, Where where = Where::current()) {
    emulator::check_global(thread_, "load", g.data, i, g.size, where);
    return g.data[i];
  }
  template <class T>
  void store(Global<T> g, uint64_t i, T v, Where where = Where::current()) {
    emulator::check_global(thread_, "store", g.data, i, g.size, where);
    g.data[i] = v;
  }
  template <class T, uint32_t N>
  T load(const Shared<T, N>& s, uint32_t i, Where where = Where::current()) {
    emulator::check_shared_load(thread_, s.data, i, N, sizeof(T), where);
    return s.data[i];
  }
  template <class T, uint32_t N>
  T load(const SharedPart<T, N>& s, uint32_t i, Where where = Where::current()) {
    emulator::check_shared_load(thread_, s.data, i, N, sizeof(T), where);
    return s.data[i];
  }
  template <class T, uint32_t N>
  void store(Shared<T, N>& s, uint32_t i, T v, Where where = Where::current()) {
    emulator::check_shared_store(thread_, s.data, i, N, sizeof(T), where);
    s.data[i] = v;
  }
  template <class T, uint32_t N>
  uint32_t place(const Shared<T, N>& /*s*/, uint32_t i) {
    return i * static_cast<uint32_t>(sizeof(T));
  }
  template <class T, uint32_t N>
  T load_at(const Shared<T, N>& s, uint32_t place, Where where = Where::current()) {
    constexpr auto kBytes = static_cast<uint32_t>(sizeof(T));
    // Between two elements is outside.
    return load(s, place % kBytes == 0 ? place / kBytes : ~uint32_t{0}, where);
  }
  template <class T>
  std::remove_const_t<T> load_once(Global<T> g, uint64_t i, Where where = Where::current()) {
    return load(g, i, where);
  }
  template <class T>
  void prefetch(Global<T> g, uint64_t i, Where where = Where::current()) {
    emulator::check_global(thread_, "prefetch", g.data, i, g.size, where);
  }
  template <uint32_t N>
  void load_async(Shared<Quad, N>& to, uint32_t i, Global<const Quad> from, uint64_t j,
                  Where where = Where::current()) {
    emulator::check_global(thread_, "asynchronous load", from.data, j, from.size, where);
    emulator::check_shared_store(thread_, to.data, i, N, sizeof(Quad), where);
    emulator::load_async(thread_, to.data + i, from.data + j, sizeof(Quad), where);
  }
  void load_wait(Where where = Where::current()) { emulator::load_wait(thread_, where); }
  template <class T>
  void store_once(Global<T> g, uint64_t i, T v, Where where = Where::current()) {
    store(g, i, v, where);
  }

  template <Order order, class A>
  auto atomic_load(A&& array, uint64_t i, Where where = Where::current()) {
    const auto v = cell(array, i, where).load(memory_order(order));
    emulator::after_atomic(thread_, false, where);
    return v;
  }
  template <Order order, class A, class T>
  void atomic_store(A&& array, uint64_t i, T v, Where where = Where::current()) {
    cell(array, i, where).store(v, memory_order(order));
    emulator::after_atomic(thread_, true, where);
  }
  template <Order order, class A, class T>
  T atomic_add(A&& array, uint64_t i, T v, Where where = Where::current()) {
    return update<order>(array, i, where, [v](T old) { return static_cast<T>(old + v); });
  }
  template <Order order, class A, class T>
  T atomic_max(A&& array, uint64_t i, T v, Where where = Where::current()) {
    return update<order>(array, i, where, [v](T old) { return old < v ? v : old; });
  }
  template <Order order, class A, class T>
  T atomic_min(A&& array, uint64_t i, T v, Where where = Where::current()) {
    return update<order>(array, i, where, [v](T old) { return v < old ? v : old; });
  }
  template <Order order, class A, class T>
  T atomic_or(A&& array, uint64_t i, T v, Where where = Where::current()) {
    return update<order>(array, i, where, [v](T old) { return static_cast<T>(old | v); });
  }
  template <Order order, class A, class T>
  T atomic_exchange(A&& array, uint64_t i, T v, Where where = Where::current()) {
    return update<order>(array, i, where, [v](T) { return v; });
  }
  template <Order order, class A, class T>
  T atomic_compare_exchange(A&& array, uint64_t i, T expected, T desired, Where where = Where::current()) {
    return update<order>(array, i, where, [=](T old) { return old == expected ? desired : old; });
  }

  void barrier_init(CopyBarrier& barrier, uint32_t arrivals, Where where = Where::current()) {
    emulator::barrier_init(thread_, barrier, arrivals, where);
  }
  void barrier_arrive_expect(CopyBarrier& barrier, uint32_t bytes, Where where = Where::current()) {
    emulator::barrier_arrive_expect(thread_, barrier, bytes, where);
  }
  void barrier_wait(CopyBarrier& barrier, uint32_t parity, Where where = Where::current()) {
    emulator::barrier_wait(thread_, barrier, parity, where);
  }
  template <class T, uint32_t N>
  void bulk_load(Shared<T, N>& to, uint32_t i, Global<const T> from, uint64_t j, uint32_t count,
                 CopyBarrier& barrier, Where where = Where::current()) {
    if (count != 0) {
      emulator::check_global(thread_, "bulk load", from.data, j + count - 1, from.size, where);
      emulator::check_shared_store(thread_, to.data, i + count - 1, N, sizeof(T), where);
    }
    emulator::bulk_load(thread_, to.data + i, from.data + j, static_cast<uint32_t>(count * sizeof(T)),
                        barrier, where);
  }

  void bulk_fence() {}
  template <class T, uint32_t N>
  void bulk_store(Global<T> to, uint64_t j, const Shared<T, N>& from, uint32_t i, uint32_t count,
                  Where where = Where::current()) {
    if (count != 0) {
      emulator::check_global(thread_, "bulk store", to.data, j + count - 1, to.size, where);
      emulator::check_shared_load(thread_, from.data, i + count - 1, N, sizeof(T), where);
    }
    emulator::bulk_store(thread_, to.data + j, from.data + i, static_cast<uint32_t>(count * sizeof(T)),
                         where);
  }
  void bulk_store_wait(Where where = Where::current()) { emulator::bulk_store_wait(thread_, where); }

 private:
  static constexpr std::memory_order memory_order(Order order) {
    switch (order) {
      case Order::relaxed:
        return std::memory_order_relaxed;
      case Order::acquire:
        return std::memory_order_acquire;
      case Order::release:
        return std::memory_order_release;
      case Order::acq_rel:
        break;
    }
    return std::memory_order_acq_rel;
  }

  template <class T>
  const emulator::Exchange& gather(const char* operation, const T& v, Where where) {
    static_assert(sizeof(T) <= 16 && std::is_trivially_copyable_v<T>);
    return emulator::exchange(thread_, operation, &v, sizeof(T), where);
  }
  template <class T>
  static T value_of(const emulator::Exchange& all, uint32_t lane) {
    T v;
    std::memcpy(&v, all.values[lane], sizeof(T));
    return v;
  }
  // The lanes whose value is `wanted`.
  template <class T>
  uint32_t matching(const char* operation, T v, T wanted, Where where) {
    const auto& all = gather(operation, v, where);
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < kWarpSize; ++i) {
      lanes |= static_cast<uint32_t>(value_of<T>(all, i) == wanted) << i;
    }
    return lanes;
  }
  template <class T, class F>
  T fold(const char* operation, T v, Where where, F&& f) {
    static_assert(sizeof(T) == 4, "the GPU reduces 32-bit values only");
    const auto& all = gather(operation, v, where);
    T result = value_of<T>(all, 0);
    for (uint32_t i = 1; i < kWarpSize; ++i) {
      result = f(result, value_of<T>(all, i));
    }
    return result;
  }

  template <class T>
  std::atomic_ref<T> cell(const Global<T>& g, uint64_t i, Where where) {
    emulator::check_global(thread_, "atomic", g.data, i, g.size, where);
    return std::atomic_ref<T>(g.data[i]);
  }
  template <class T, uint32_t N>
  std::atomic_ref<T> cell(Shared<T, N>& s, uint64_t i, Where where) {
    emulator::check_shared_load(thread_, s.data, i, N, sizeof(T), where);
    return std::atomic_ref<T>(s.data[i]);
  }
  // No other fiber runs in between, but ThreadSanitizer must see a single read-modify-write.
  template <Order order, class A, class F>
  auto update(A&& array, uint64_t i, Where where, F&& f) {
    auto ref = cell(array, i, where);
    auto old = ref.load(std::memory_order_relaxed);
    while (!ref.compare_exchange_weak(old, f(old), memory_order(order), std::memory_order_relaxed)) {
    }
    emulator::after_atomic(thread_, f(old) != old, where);
    return old;
  }

  emulator::Thread& thread_;
  uint32_t index_;
};

namespace emulator {

// A type-erased kernel.
struct Launch {
  void (*body)(const void* kernel, Thread& thread);
  const void* kernel;
  uint32_t threads;
  uint64_t blocks;
  size_t shared_bytes;
};

Status run(const Launch& launch, const EmulatorOptions& options);

}  // namespace emulator

// Runs a kernel to its end; the Status reports what the emulator detected.
template <Kernel K>
[[nodiscard]] Status emulate(const K& kernel, uint64_t blocks,
                             const EmulatorOptions& options = default_emulator_options()) {
  constexpr bool kNoShared = std::is_same_v<typename K::Shared, NoShared>;
  return emulator::run({.body =
                            [](const void* self, emulator::Thread& thread) {
                              EmulatorCta cta(thread);
                              (*static_cast<const K*>(self))(cta);
                            },
                        .kernel = &kernel,
                        .threads = K::kThreads,
                        .blocks = blocks,
                        .shared_bytes = kNoShared ? 0 : sizeof(typename K::Shared)},
                       options);
}

// Runs launch plans in the emulator, with the same interface as CudaExecutor.
class EmulatorExecutor {
 public:
  static constexpr Backend kBackend = Backend::emulator;

  explicit EmulatorExecutor(StreamView stream, const EmulatorOptions& options = default_emulator_options())
      : stream_(stream), options_(options) {}

  [[nodiscard]] StreamView stream() const { return stream_; }

  template <Kernel K>
  [[nodiscard]] Status run(const K& kernel, uint64_t blocks) const {
    return emulate(kernel, blocks, options_);
  }

  // Whether an SM has the shared memory of a block.
  template <Kernel K>
  [[nodiscard]] bool fits() const {
    return true;
  }
  template <Kernel K>
  [[nodiscard]] Result<uint32_t> most_together() const {
    return options_.resident_blocks;
  }
  template <Kernel K>
  [[nodiscard]] Status run_together(const K& kernel, uint32_t blocks) const {
    EmulatorOptions options = options_;
    options.resident_blocks = blocks;
    return emulate(kernel, blocks, options);
  }

 private:
  StreamView stream_;
  EmulatorOptions options_;
};

}  // namespace bobbin::simt
