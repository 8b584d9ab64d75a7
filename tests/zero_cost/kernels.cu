// SPDX-License-Identifier: Apache-2.0
// The same kernel twice, against Cta and by hand: a block's exclusive prefix sum through shuffles and shared
// memory, with wide loads and stores. check.py compares the compiled code.
#include "simt/cuda_launch.cuh"

namespace {

using bobbin::simt::Global;
using bobbin::simt::Quad;

struct BlockScan {
  static constexpr uint32_t kThreads = 256;
  struct Shared {
    bobbin::simt::Shared<uint32_t, kThreads / 32> sums;
  };
  Global<const Quad> in;
  Global<Quad> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t at = uint64_t{cta.block()} * kThreads + cta.thread();
    Quad quad = cta.load(in, at);
    const uint32_t own = quad.word[0] + quad.word[1] + quad.word[2] + quad.word[3];
    uint32_t through = own;
    BOBBIN_UNROLL
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
      const uint32_t other = cta.shfl_up(through, distance);
      through += cta.lane() >= distance ? other : 0;
    }
    if (cta.lane() == 31) {
      cta.store(shared.sums, cta.warp(), through);
    }
    cta.sync();
    uint32_t before = through - own;
    BOBBIN_UNROLL
    for (uint32_t warp = 0; warp < kThreads / 32; ++warp) {
      before += warp < cta.warp() ? cta.load(shared.sums, warp) : 0;
    }
    BOBBIN_UNROLL
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t value = quad.word[i];
      quad.word[i] = before;
      before += value;
    }
    cta.store_once(out, at, quad);
  }
};

}  // namespace

extern "C" __global__ void __launch_bounds__(256, 1) by_cta(const __grid_constant__ BlockScan kernel) {
  bobbin::simt::CudaCta cta;
  kernel(cta);
}

extern "C" __global__ void __launch_bounds__(256, 1)
    by_hand(const uint4* in, unsigned long long, uint4* out, unsigned long long) {
  extern __shared__ uint4 memory[];
  auto* sums = reinterpret_cast<uint32_t*>(memory);
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t warp = threadIdx.x / 32;
  const uint64_t at = uint64_t{blockIdx.x} * 256 + threadIdx.x;
  uint4 quad = __ldg(in + at);
  const uint32_t own = quad.x + quad.y + quad.z + quad.w;
  uint32_t through = own;
#pragma unroll
  for (uint32_t distance = 1; distance < 32; distance *= 2) {
    const uint32_t other = __shfl_up_sync(0xffffffff, through, distance);
    through += lane >= distance ? other : 0;
  }
  if (lane == 31) {
    sums[warp] = through;
  }
  __syncthreads();
  uint32_t before = through - own;
#pragma unroll
  for (uint32_t w = 0; w < 8; ++w) {
    before += w < warp ? sums[w] : 0;
  }
  const uint4 result =
      make_uint4(before, before + quad.x, before + quad.x + quad.y, before + quad.x + quad.y + quad.z);
  __stcs(out + at, result);
}
