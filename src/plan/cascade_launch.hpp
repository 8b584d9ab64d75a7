// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/cascade.hpp"
#include "plan/cascade_kernel.hpp"
#include "plan/launch.hpp"

namespace bobbin::plan {

template <class Value, template <class, uint32_t> class kMaker, class Executor>
Status run_cascade_of(const Executor& executor, const Query& query, uint32_t column) {
  CascadeKernel<Value, kMaker> kernel;
  static_cast<Query&>(kernel) = query;
  kernel.column = column;
  return run_evenly(executor, kernel);
}

template <class Executor>
Status run_cascade(const Executor& executor, const Query& query, uint32_t column) {
  const bool wide = query.columns[column].bytes == 8;
  if (cascade_of(query.columns[column]) == Cascade::summed) {
    return wide ? run_cascade_of<uint64_t, Summed>(executor, query, column)
                : run_cascade_of<uint32_t, Summed>(executor, query, column);
  }
  return wide ? run_cascade_of<uint64_t, Joined>(executor, query, column)
              : run_cascade_of<uint32_t, Joined>(executor, query, column);
}

}  // namespace bobbin::plan
