// SPDX-License-Identifier: Apache-2.0
// One kernel source for every target. A kernel is a plain struct:
//
//   struct Kernel {
//     static constexpr uint32_t kThreads = 128;       // threads per block, a multiple of 32
//     struct Shared { simt::Shared<Quad, 64> tile; }; // shared memory, or simt::NoShared
//     ...                                             // arguments, copied to the device by value
//     template <class Cta> BOBBIN_HD void operator()(Cta& cta) const;   // what one thread does
//   };
//
// A Cta is a thread's interface to its block. CudaCta (cuda_cta.cuh) is the GPU itself and has no overhead;
// EmulatorCta (emulator.hpp) is a fiber on the CPU and checks every step. A third may record the operations:
// for that reason all memory is accessed through the Cta, with the functions below.
//
//   thread() lane() warp() block() num_blocks()
//   sync() sync_warp()                                    barriers; they order memory
//   shfl(v, lane) shfl_up(v, n) shfl_down(v, n) shfl_xor(v, m)   all 32 lanes take part in warp operations
//   ballot(p) any(p) all(p) match_any(v)
//   reduce_add(v) reduce_min(v) reduce_max(v) reduce_and(v) reduce_or(v) reduce_xor(v)     32-bit v
//   pause()                                               between two polls, to reduce memory traffic
//   shared<S>()                                           this block's S
//   load(g, i) store(g, i, v)                             a Global or a Shared array; what a Global<const T>
//                                                         names must not change while the kernel runs
//   place(s, i) load_at(s, place)                         element i of a Shared array by its byte address:
//                                                         those of neighbours differ by the element's size
//   load_once(g, i) store_once(g, i, v)                   the same for global data that is not used again
//   prefetch(g, i)                                        the data will be loaded soon
//   load_async(shared, i, global, j)                      asynchronous copy of a Quad
//   load_wait()                                           by the same thread: its copies are there; for other
//                                                         threads, after a barrier
//   atomic_load<order>(g, i) atomic_store<order>(g, i, v)
//   atomic_add<order>(g, i, v) atomic_max atomic_min atomic_or atomic_exchange atomic_compare_exchange
//   barrier_init(b, arrivals) barrier_arrive_expect(b, bytes) barrier_wait(b, parity)
//   bulk_load(shared, i, global, j, count, b)             asynchronous copy; done when b's phase ends
//   bulk_fence()                                          by each thread that wrote what a bulk_store will
//                                                         read, before the sync() that comes before it
//   bulk_store(global, j, shared, i, count)               asynchronous copy out of shared memory
//   bulk_store_wait()                                     by the same thread: its copies have read their
//                                                         source, which may be written again
#pragma once

#include <concepts>
#include <cstdint>

#include "core/portable.hpp"

namespace bobbin::simt {

inline constexpr uint32_t kWarpSize = 32;

// Sixteen bytes: the widest a thread loads or stores at a time.
struct alignas(16) Quad {
  uint32_t word[4];
};

// An array in device memory. The size is only for checks: the GPU ignores it.
template <class T>
struct Global {
  T* data = nullptr;
  uint64_t size = 0;
};

// An array in a block's shared memory.
template <class T, uint32_t N>
struct alignas(16) Shared {
  T data[N];
};

// Some neighbours among a Shared array's elements, which begin at any of them.
template <class T, uint32_t N>
struct SharedPart {
  T data[N];
};

struct NoShared {};

// The same shared memory, viewed as an array of other elements.
template <class To, class From>
[[nodiscard]] BOBBIN_HD To& seen_as(From& shared) {
  static_assert(sizeof(To) <= sizeof(From));
  return *static_cast<To*>(static_cast<void*>(&shared));
}

// Counts the arrivals of threads and the bytes of bulk copies; is stored in shared memory. It goes through
// phases: a phase ends when all arrivals and all bytes are in, and waiting for parity p waits for the end of
// the current phase if that phase's number is p modulo 2.
struct alignas(16) CopyBarrier {
  uint64_t state[2];
};

enum class Order : uint8_t { relaxed, acquire, release, acq_rel };

// What kernels may require of a Cta; the full list is above.
template <class C>
concept Cta = requires(C& cta, Global<uint32_t> global, uint32_t v) {
  { cta.thread() } -> std::same_as<uint32_t>;
  { cta.lane() } -> std::same_as<uint32_t>;
  { cta.warp() } -> std::same_as<uint32_t>;
  { cta.block() } -> std::same_as<uint32_t>;
  { cta.num_blocks() } -> std::same_as<uint32_t>;
  cta.sync();
  cta.sync_warp();
  { cta.shfl_xor(v, v) } -> std::same_as<uint32_t>;
  { cta.ballot(true) } -> std::same_as<uint32_t>;
  { cta.reduce_add(v) } -> std::same_as<uint32_t>;
  { cta.load(global, v) } -> std::same_as<uint32_t>;
  cta.store(global, v, v);
};

template <class K>
concept Kernel = requires {
  { K::kThreads } -> std::convertible_to<uint32_t>;
  typename K::Shared;
} && K::kThreads % kWarpSize == 0;

}  // namespace bobbin::simt
