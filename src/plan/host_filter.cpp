// SPDX-License-Identifier: Apache-2.0
#include "plan/host_filter.hpp"

#include <algorithm>
#include <functional>

#include "core/bits.hpp"

namespace bobbin::plan {

HostFilter::HostFilter(const Filter& filter, std::vector<BatchColumn>& columns)
    : filter_(filter), stack_(kMaxDepth + 1, BitmapWords(kBatchWords)) {
  for (const Condition& condition : filter) {
    const bool tests = condition.kind == Condition::Kind::test || condition.kind == Condition::Kind::member;
    tests_.push_back(tests ? columns[condition.column].make_test(condition) : HostTest());
    comparisons_.push_back(condition.kind == Condition::Kind::compare
                               ? std::make_unique<BatchComparison>(*condition.comparison, columns)
                               : nullptr);
  }
}

const BitmapWords& HostFilter::run(const RowBatch& batch, std::vector<BatchColumn>& columns) {
  size_t depth = 0;
  for (size_t i = 0; i < filter_.size(); ++i) {
    const Condition& condition = filter_[i];
    switch (condition.kind) {
      case Condition::Kind::test:
      case Condition::Kind::member:
        columns[condition.column].test(batch, tests_[i], stack_[depth++]);
        break;
      case Condition::Kind::is_null:
      case Condition::Kind::not_null:
        std::ranges::fill(stack_[depth], ~0U);
        columns[condition.column].keep_valid(batch, stack_[depth]);
        if (condition.kind == Condition::Kind::is_null) {
          std::ranges::transform(stack_[depth], stack_[depth].begin(), std::bit_not());
        }
        ++depth;
        break;
      case Condition::Kind::compare:
        comparisons_[i]->test(batch, columns, stack_[depth++]);
        break;
      case Condition::Kind::both:
        --depth;
        std::ranges::transform(stack_[depth - 1], stack_[depth], stack_[depth - 1].begin(), std::bit_and());
        break;
      case Condition::Kind::either:
        --depth;
        std::ranges::transform(stack_[depth - 1], stack_[depth], stack_[depth - 1].begin(), std::bit_or());
        break;
    }
  }
  if (filter_.empty()) {
    std::ranges::fill(stack_[0], ~0U);
  }
  keep_rows(batch, stack_[0]);
  return stack_[0];
}

void HostFilter::keep_rows(const RowBatch& batch, BitmapWords& words) {
  const uint64_t from = batch.begin - batch.first;
  const uint64_t to = batch.end - batch.first;
  if (to - from == kBatchRows) {
    return;
  }
  for (uint64_t w = 0; w < words.size(); ++w) {
    const auto below = [&](uint64_t bound) {
      return low_mask<uint32_t>(
          static_cast<uint32_t>(std::clamp<uint64_t>(bound, w * 32, w * 32 + 32) - w * 32));
    };
    words[w] &= below(to) & ~below(from);
  }
}

}  // namespace bobbin::plan
