// SPDX-License-Identifier: Apache-2.0
// What authors of kernels on encoded columns include, installed as bobbin/device/plan/device.cuh: stages that
// make a warp's vector of 1024 values, predicates and sinks, and the executor that launches kernels. A source
// that nvcc compiles runs on the GPU; one that another compiler compiles, in the emulator.
#pragma once

#include "bobbin/kernel_column.hpp"
#include "plan/stages/composition.hpp"
#include "plan/stages/for_each.hpp"
#include "simt/executor.cuh"

namespace bobbin::plan {

// The input of a kernel over columns of the same rows.
template <class... Columns>
[[nodiscard]] QueryInput input_of(const KernelColumn& first, const Columns&... others) {
  static_assert(1 + sizeof...(others) <= kMaxColumns);
  QueryInput input = *static_cast<const QueryInput*>(first.input());
  uint32_t next = 1;
  ((input.columns[next++] = static_cast<const QueryInput*>(others.input())->columns[0]), ...);
  return input;
}

// The values that a thread has of vector v of a column: value n is number Stage::Layout::index(lane, n) of
// the vector; those outside the rows are arbitrary. All threads of a warp take part.
template <class Stage, class Cta, class Memory>
BOBBIN_HD void read_vector(Cta& cta, Memory& shared, const Uses& input, uint32_t column, uint64_t v,
                           typename Stage::Value (&values)[32]) {
  Use frames[Stage::kFrames == 0 ? 1 : Stage::kFrames];
  const auto find = [&]<uint32_t K>(auto&& self, std::integral_constant<uint32_t, K>) {
    if constexpr (K < Stage::kFrames) {
      frames[K] = Stage::template frame<K>(cta, input, input.columns[column], v);
      self(self, std::integral_constant<uint32_t, K + 1>{});
    }
  };
  find(find, std::integral_constant<uint32_t, 0>{});
  Stage::make(cta, shared, input, input.columns[column], frames, v, input.rows_of(v), values);
}

}  // namespace bobbin::plan
