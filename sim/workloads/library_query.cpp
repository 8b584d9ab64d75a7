// SPDX-License-Identifier: Apache-2.0
// Queries over encoded columns.
#include "bobbin/memory.hpp"
#include "plan/launch.hpp"
#include "sim/workloads/library_common.hpp"

namespace bobbin::sim {
namespace {

constexpr uint32_t kBound = 500;  // rows with values below it are summed

// sum(x) where x < kBound: what plan::Prepared makes of it.
[[nodiscard]] Result<plan::QueryInput> sum_below(const Encoded& array, uint64_t* totals) {
  plan::QueryInput query;
  std::vector<plan::Dictionary> dictionaries;
  BOBBIN_RETURN_IF(!make_column(array, plan::QueryPath::automatic, query.columns[0], dictionaries),
                   StatusCode::unsupported, "recording: the column cannot be queried without decoding it");
  query.steps[0].op = plan::StepOp::test;
  query.steps[0].range = {0, kBound - 1};
  query.folds[0] = {.op = plan::Fold::sum, .column = 0};
  query.num_steps = 1;
  query.num_folds = 1;
  query.end = array.length;
  query.totals = {totals, plan::TotalWords::kWords};
  return query;
}

}  // namespace

// Values below 1000; one of 100 is far larger and becomes a patch.
Status record_patched_sum(Recording& recording, uint64_t seed, bool quick) {
  Random random(seed);
  std::vector<uint32_t> values(num_values(quick));
  uint64_t expected = 0;
  for (uint32_t& value : values) {
    value = below(random, 100) == 0 ? below(random, 1U << 30) : below(random, 1000);
    expected += value < kBound ? value : 0;
  }
  BOBBIN_ASSIGN(const Encoded array,
                find_codec(CodecId::patched)->encode({DType::u32, values.data(), values.size()}));
  constexpr size_t kTotalBytes = plan::TotalWords::kWords * sizeof(uint64_t);
  BOBBIN_ASSIGN(const DeviceBuffer totals, DeviceBuffer::create(kTotalBytes, kStream));
  add_inputs(recording, array);
  recording.add_output("totals", {totals.as<std::byte>(), kTotalBytes});
  BOBBIN_ASSIGN(const plan::QueryInput query, sum_below(array, totals.as<uint64_t>()));
  const Executor::Scope scope(recording);
  BOBBIN_TRY(plan::run_evenly(Executor(kStream), plan::QueryKernel{query}));
  BOBBIN_RETURN_IF(totals.as<uint64_t>()[plan::TotalWords::low] != expected, StatusCode::corrupt,
                   "recording: the kernel gave another sum");
  return {};
}

}  // namespace bobbin::sim
