// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/cascade_kernel.hpp"
#include "plan/cascade_kind.hpp"
#include "plan/launch.hpp"

namespace bobbin::plan {

template <class Value, template <class, uint32_t> class kMaker, class Executor>
Status run_cascade_of(const Executor& executor, const QueryInput& query, uint32_t column) {
  CascadeKernel<Value, kMaker> kernel;
  static_cast<QueryInput&>(kernel) = query;
  kernel.column = column;
  return run_evenly(executor, kernel);
}

template <template <class, uint32_t> class kMaker, class Executor>
Status run_cascade_as(const Executor& executor, const QueryInput& query, uint32_t column) {
  return query.columns[column].bytes == 8 ? run_cascade_of<uint64_t, kMaker>(executor, query, column)
                                          : run_cascade_of<uint32_t, kMaker>(executor, query, column);
}

template <class Executor>
Status run_cascade(const Executor& executor, const QueryInput& query, uint32_t column) {
  switch (cascade_kind(query.columns[column])) {
    case CascadeKind::summed:
      return run_cascade_as<Summed>(executor, query, column);
    case CascadeKind::joined:
      return run_cascade_as<Joined>(executor, query, column);
    case CascadeKind::scaled:
      return run_cascade_as<Scaled>(executor, query, column);
    case CascadeKind::none:
      break;
  }
  return {StatusCode::invalid_argument, "plan: no cascade kernel for this column"};
}

}  // namespace bobbin::plan
