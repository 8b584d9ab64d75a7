// SPDX-License-Identifier: Apache-2.0
// The GPU as a Cta: every function is one instruction, or a few. See cta.hpp for their meaning.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "simt/cta.hpp"
#include "simt/cuda_atomic.cuh"

namespace bobbin::simt {

class CudaCta {
 public:
  __device__ __forceinline__ uint32_t thread() const { return threadIdx.x; }
  __device__ __forceinline__ uint32_t lane() const { return threadIdx.x % kWarpSize; }
  __device__ __forceinline__ uint32_t warp() const { return threadIdx.x / kWarpSize; }
  __device__ __forceinline__ uint32_t block() const { return blockIdx.x; }
  __device__ __forceinline__ uint32_t num_blocks() const { return gridDim.x; }

  __device__ __forceinline__ void sync() const { __syncthreads(); }
  __device__ __forceinline__ void sync_warp() const { __syncwarp(); }

  __device__ __forceinline__ void pause() const { __nanosleep(64); }

  template <class T>
  __device__ __forceinline__ T shfl(T v, uint32_t from) const {
    return __shfl_sync(kAll, v, static_cast<int>(from));
  }
  template <class T>
  __device__ __forceinline__ T shfl_up(T v, uint32_t distance) const {
    return __shfl_up_sync(kAll, v, distance);
  }
  template <class T>
  __device__ __forceinline__ T shfl_down(T v, uint32_t distance) const {
    return __shfl_down_sync(kAll, v, distance);
  }
  template <class T>
  __device__ __forceinline__ T shfl_xor(T v, uint32_t mask) const {
    return __shfl_xor_sync(kAll, v, static_cast<int>(mask));
  }
  __device__ __forceinline__ uint32_t ballot(bool p) const { return __ballot_sync(kAll, p); }
  __device__ __forceinline__ bool any(bool p) const { return __any_sync(kAll, p) != 0; }
  __device__ __forceinline__ bool all(bool p) const { return __all_sync(kAll, p) != 0; }
  template <class T>
  __device__ __forceinline__ uint32_t match_any(T v) const {
    return __match_any_sync(kAll, v);
  }
  template <class T>
  __device__ __forceinline__ T reduce_add(T v) const {
    return __reduce_add_sync(kAll, v);
  }
  template <class T>
  __device__ __forceinline__ T reduce_min(T v) const {
    return __reduce_min_sync(kAll, v);
  }
  template <class T>
  __device__ __forceinline__ T reduce_max(T v) const {
    return __reduce_max_sync(kAll, v);
  }
  __device__ __forceinline__ uint32_t reduce_and(uint32_t v) const { return __reduce_and_sync(kAll, v); }
  __device__ __forceinline__ uint32_t reduce_or(uint32_t v) const { return __reduce_or_sync(kAll, v); }
  __device__ __forceinline__ uint32_t reduce_xor(uint32_t v) const { return __reduce_xor_sync(kAll, v); }

  template <class S>
  __device__ __forceinline__ S& shared() const {
    extern __shared__ uint4 bobbin_shared[];
    return *reinterpret_cast<S*>(bobbin_shared);
  }

  // Read-only data is loaded through the read-only path: such loads may move past stores.
  template <class T>
  __device__ __forceinline__ std::remove_const_t<T> load(Global<T> g, uint64_t i) const {
    __builtin_assume(__isGlobal(g.data));
    if constexpr (std::is_same_v<T, const Quad>) {
      const uint4 v = __ldg(reinterpret_cast<const uint4*>(g.data) + i);
      return Quad{{v.x, v.y, v.z, v.w}};
    } else if constexpr (std::is_const_v<T>) {
      return __ldg(g.data + i);
    } else {
      return g.data[i];
    }
  }
  template <class T>
  __device__ __forceinline__ void store(Global<T> g, uint64_t i, T v) const {
    __builtin_assume(__isGlobal(g.data));
    g.data[i] = v;
  }
  template <class T, uint32_t N>
  __device__ __forceinline__ T load(const Shared<T, N>& s, uint32_t i) const {
    return s.data[i];
  }
  template <class T, uint32_t N>
  __device__ __forceinline__ T load(const SharedPart<T, N>& s, uint32_t i) const {
    return s.data[i];
  }
  template <class T, uint32_t N>
  __device__ __forceinline__ void store(Shared<T, N>& s, uint32_t i, T v) const {
    s.data[i] = v;
  }

  template <class T>
  __device__ __forceinline__ void prefetch(Global<T> g, uint64_t i) const {
    asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(g.data + i)));
  }
  // Through the L1: past it (.cg, and bulk copies) the L2 is busier, and becomes the limit sooner
  // (docs/perf/query.md).
  template <uint32_t N>
  __device__ __forceinline__ void load_async(Shared<Quad, N>& to, uint32_t i, Global<const Quad> from,
                                             uint64_t j) const {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address(to.data + i)),
                 "l"(__cvta_generic_to_global(from.data + j))
                 : "memory");
  }
  __device__ __forceinline__ void load_wait() const { asm volatile("cp.async.wait_all;" ::: "memory"); }
  template <class T, uint32_t N>
  __device__ __forceinline__ uint32_t place(const Shared<T, N>& s, uint32_t i) const {
    return address(s.data + i);
  }
  template <class T, uint32_t N>
  __device__ __forceinline__ T load_at(const Shared<T, N>& /*s*/, uint32_t place) const {
    return *static_cast<const T*>(__cvta_shared_to_generic(place));
  }

  // Data that is used only once should not evict data that is used again: evict it first.
  template <class T>
  __device__ __forceinline__ std::remove_const_t<T> load_once(Global<T> g, uint64_t i) const {
    if constexpr (std::is_same_v<std::remove_const_t<T>, Quad>) {
      const uint4 v = __ldcs(reinterpret_cast<const uint4*>(g.data) + i);
      return Quad{{v.x, v.y, v.z, v.w}};
    } else {
      return __ldcs(g.data + i);
    }
  }
  template <class T>
  __device__ __forceinline__ void store_once(Global<T> g, uint64_t i, T v) const {
    if constexpr (std::is_same_v<T, Quad>) {
      __stcs(reinterpret_cast<uint4*>(g.data) + i, make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]));
    } else {
      __stcs(g.data + i, v);
    }
  }

  template <Order order, class A>
  __device__ __forceinline__ auto atomic_load(A&& array, uint64_t i) const {
    return cuda_atomic::load<order, ScopeOf<A>>(array.data + i);
  }
  template <Order order, class A, class T>
  __device__ __forceinline__ void atomic_store(A&& array, uint64_t i, T v) const {
    cuda_atomic::store<order, ScopeOf<A>>(array.data + i, v);
  }
  template <Order order, class A, class T>
  __device__ __forceinline__ T atomic_add(A&& array, uint64_t i, T v) const {
    return cuda_atomic::add<order, ScopeOf<A>>(array.data + i, v);
  }
  template <Order order, class A, class T>
  __device__ __forceinline__ T atomic_max(A&& array, uint64_t i, T v) const {
    if constexpr (sizeof(T) == 2) {
      return cuda_atomic::max_16<order, ScopeOf<A>>(array.data + i, v);
    } else {
      return cuda_atomic::max<order, ScopeOf<A>>(array.data + i, v);
    }
  }
  template <Order order, class A, class T>
  __device__ __forceinline__ T atomic_min(A&& array, uint64_t i, T v) const {
    return cuda_atomic::min<order, ScopeOf<A>>(array.data + i, v);
  }
  template <Order order, class A, class T>
  __device__ __forceinline__ T atomic_or(A&& array, uint64_t i, T v) const {
    return cuda_atomic::bit_or<order, ScopeOf<A>>(array.data + i, v);
  }
  // For shared memory the plain functions compile to one instruction; a reference is a generic pointer and
  // takes five.
  template <Order order, class T, uint32_t N>
    requires(order == Order::relaxed)
  __device__ __forceinline__ T atomic_add(Shared<T, N>& s, uint64_t i, T v) const {
    return atomicAdd(&s.data[i], v);
  }
  template <Order order, class T, uint32_t N>
    requires(order == Order::relaxed)
  __device__ __forceinline__ T atomic_or(Shared<T, N>& s, uint64_t i, T v) const {
    return atomicOr(&s.data[i], v);
  }
  template <Order order, class A, class T>
  __device__ __forceinline__ T atomic_exchange(A&& array, uint64_t i, T v) const {
    return cuda_atomic::exchange<order, ScopeOf<A>>(array.data + i, v);
  }
  // Returns the previous value; the exchange happened if that equals `expected`.
  template <Order order, class A, class T>
  __device__ __forceinline__ T atomic_compare_exchange(A&& array, uint64_t i, T expected, T desired) const {
    return cuda_atomic::compare_exchange<order, ScopeOf<A>>(array.data + i, expected, desired);
  }

  // By one thread, before a sync() that the others pass.
  __device__ __forceinline__ void barrier_init(CopyBarrier& barrier, uint32_t arrivals) const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&barrier)), "r"(arrivals)
                 : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __device__ __forceinline__ void barrier_arrive_expect(CopyBarrier& barrier, uint32_t bytes) const {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&barrier)), "r"(bytes)
                 : "memory");
  }
  __device__ __forceinline__ void barrier_wait(CopyBarrier& barrier, uint32_t parity) const {
    uint32_t done = 0;
    while (done == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(address(&barrier)), "r"(parity)
          : "memory");
    }
  }
  // Both addresses and the size are multiples of 16 bytes. Threads that accessed the shared array before must
  // have passed a sync().
  template <class T, uint32_t N>
  __device__ __forceinline__ void bulk_load(Shared<T, N>& to, uint32_t i, Global<const T> from, uint64_t j,
                                            uint32_t count, CopyBarrier& barrier) const {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            address(to.data + i)),
        "l"(__cvta_generic_to_global(from.data + j)), "r"(static_cast<uint32_t>(count * sizeof(T))),
        "r"(address(&barrier))
        : "memory");
  }

  __device__ __forceinline__ void bulk_fence() const {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  template <class T, uint32_t N>
  __device__ __forceinline__ void bulk_store(Global<T> to, uint64_t j, const Shared<T, N>& from, uint32_t i,
                                             uint32_t count) const {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                     __cvta_generic_to_global(to.data + j)),
                 "r"(address(from.data + i)), "r"(static_cast<uint32_t>(count * sizeof(T)))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
  __device__ __forceinline__ void bulk_store_wait() const {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }

 private:
  static constexpr uint32_t kAll = 0xffffffff;

  // Global memory is shared by all threads of the device, shared memory by those of the block.
  template <class T>
  static cuda_atomic::Device scope_of(const Global<T>&);
  template <class T, uint32_t N>
  static cuda_atomic::Block scope_of(const Shared<T, N>&);
  template <class A>
  using ScopeOf = decltype(scope_of(std::declval<A>()));

  static __device__ __forceinline__ uint32_t address(const void* shared) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  }
};

}  // namespace bobbin::simt
