// SPDX-License-Identifier: Apache-2.0
#include "plan/one_pass.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "codecs/alp/alp.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"
#include "plan/host_loops.hpp"
#include "plan/one_pass_loops.hpp"
#include "plan/scaled_ranges.hpp"

namespace bobbin::plan {
namespace {

constexpr uint64_t kVectorsPerBatch = kBatchRows / kVectorLength;

// Calls f(values, count) with the rows of each vector of a batch, decoded.
template <class F>
void for_each_vector(BatchValues& source, const RowBatch& batch, F&& f) {
  const size_t size = size_bytes(source.array().type);
  for (uint64_t first = batch.first; first < batch.end; first += kVectorLength) {
    const uint64_t begin = std::max(first, batch.begin);
    const uint64_t end = std::min(first + kVectorLength, batch.end);
    if (begin < end) {
      f(source.vector(batch, (first - batch.first) / kVectorLength) + (begin - first) * size, end - begin);
    }
  }
}

template <class T>
class IntegerPass : public OnePass {
 public:
  IntegerPass(const Array& array, const Rows& rows, const ValueRange& range)
      : values_(array, rows.offset),
        low_(static_cast<BitsOf<T>>(range.low)),
        span_(static_cast<BitsOf<T>>(range.span)) {}

  bool add(const RowBatch& batch, Total& total, std::vector<double>& /*sums*/) override {
    const auto sum = have_avx2() ? &sum_passed_avx2<T> : &sum_passed<T>;
    for_each_vector(values_, batch, [&](const std::byte* values, uint64_t count) {
      const Passed passed = sum(reinterpret_cast<const T*>(values), count, low_, span_);
      total.count += passed.count;
      total.sum += sum_of(kDTypeOf<T>, passed.sum);
    });
    return true;
  }

 private:
  BatchValues values_;
  BitsOf<T> low_;
  BitsOf<T> span_;
};

template <class T>
class RunPass : public OnePass {
 public:
  RunPass(std::unique_ptr<BatchRuns> runs, const ValueRange& range) : runs_(std::move(runs)), range_(range) {}

  bool add(const RowBatch& batch, Total& total, std::vector<double>& /*sums*/) override {
    WideSum sum;
    uint64_t begin = batch.begin - batch.first;
    for (const Run& run : runs_->of(batch)) {
      const auto bits = static_cast<BitsOf<T>>(run.value.bits);
      if (static_cast<BitsOf<T>>(bits - static_cast<BitsOf<T>>(range_.low)) <=
          static_cast<BitsOf<T>>(range_.span)) {
        const uint64_t count = run.end - begin;
        WideSum one;
        add_to<BitsOf<T>>(one, bits, std::is_signed_v<T>);
        total.count += count;
        sum = {sum.low + one.low * count, sum.high + one.high * count};
      }
      begin = run.end;
    }
    total.sum += sum_of(kDTypeOf<T>, sum);
    return true;
  }

 private:
  std::unique_ptr<BatchRuns> runs_;
  ValueRange range_;
};

// Codes that pass are a range, and are looked up in a table of their entries.
template <class T, class Code>
class CodePass : public OnePass {
 public:
  CodePass(const Array& array, const Rows& rows, const std::vector<T>& entries, const ValueRange& range)
      : codes_(codec::dict::codes_of(array), rows.offset),
        low_(static_cast<Code>(range.low)),
        last_(codec::dict::last_code<Code>(entries.size())) {
    // No code is above `last_` once it is limited to it.
    const uint64_t end = std::min<uint64_t>(range.low + range.span, last_) + 1;
    entries_.assign(entries.begin() + static_cast<ptrdiff_t>(range.low),
                    entries.begin() + static_cast<ptrdiff_t>(end));
    entries_.push_back(0);
  }

  bool add(const RowBatch& batch, Total& total, std::vector<double>& /*sums*/) override {
    const auto sum = have_avx2() ? &sum_codes_avx2<T, Code> : &sum_codes<T, Code>;
    for_each_vector(codes_, batch, [&](const std::byte* codes, uint64_t count) {
      const Passed passed = sum(reinterpret_cast<const Code*>(codes), count, {low_, last_, entries_});
      total.count += passed.count;
      total.sum += sum_of(kDTypeOf<T>, passed.sum);
    });
    return true;
  }

 private:
  BatchValues codes_;
  Code low_;
  Code last_;
  std::vector<SummedAs<T>> entries_;  // of codes that pass, and a zero for all others
};

std::unique_ptr<OnePass> make_code_pass(const Array& array, const Rows& rows, const ValueRange& range) {
  const Array& dictionary = codec::dict::dictionary_of(array);
  if (array.length == 0 || dictionary.length > array.length) {
    return nullptr;
  }
  return visit_integer(array.type, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<OnePass> {
    std::vector<T> entries(dictionary.length);
    find_codec(dictionary.codec)->decode(dictionary, entries.data());
    const DType code_type = codec::dict::codes_of(array).type;
    const auto set = codec::dict::CodeSet::of({array.type, entries.data(), entries.size()}, code_type,
                                              std::span(&range, 1));
    if (!set.range.has_value() || set.range->negated) {
      return nullptr;
    }
    return codec::dict::visit_codes(
        code_type, [&]<class Code>(std::type_identity<Code>) -> std::unique_ptr<OnePass> {
          return std::make_unique<CodePass<T, Code>>(array, rows, entries, *set.range);
        });
  });
}

// ALP's integers are tested, and converted where they are added.
class AlpPass : public OnePass {
 public:
  AlpPass(const Array& array, const Rows& rows, const ValueRange& range)
      : array_(&array), integers_(array.children[0], rows.offset), range_(range) {}

  bool add(const RowBatch& batch, Total& total, std::vector<double>& sums) override {
    const uint64_t rows = batch.end - batch.first;
    if (batch.begin != batch.first || rows % kVectorLength != 0) {
      return false;
    }
    const auto sum = have_avx2() ? &sum_scaled_avx2 : &sum_scaled;
    std::array<ScaledSum, kVectorsPerBatch> found;
    const uint64_t vectors = rows / kVectorLength;
    for (uint64_t v = 0; v < vectors; ++v) {
      const ScaledTest& test = test_of(codec::alp::scale_of(*array_, batch.first / kVectorLength + v));
      found[v] = sum(reinterpret_cast<const int64_t*>(integers_.vector(batch, v)), test);
      if (!found[v].exact) {
        return false;
      }
    }
    for (const ScaledSum& one : std::span(found).first(vectors)) {
      total.count += one.count;
      sums.push_back(one.sum);
    }
    return true;
  }

 private:
  const ScaledTest& test_of(codec::alp::Scale scale) {
    if (!(scale_ == scale)) {
      scale_ = scale;
      test_ = ScaledTest::of(scaled_range(DType::f64, range_, scale), codec::alp::scaling_of<double>(scale));
    }
    return test_;
  }

  const Array* array_;
  BatchValues integers_;
  ValueRange range_;
  std::optional<codec::alp::Scale> scale_;  // that of `test_`
  ScaledTest test_{};
};

bool is_one_pass(const Filter& filter, std::span<const Aggregate> aggregates) {
  return filter.size() == 1 && filter[0].kind == Condition::Kind::test && !filter[0].range.negated &&
         filter[0].more.empty() && aggregates.size() == 1 && aggregates[0].fold == Fold::sum &&
         aggregates[0].expression == nullptr && aggregates[0].column == filter[0].column;
}

}  // namespace

std::unique_ptr<OnePass> OnePass::create(std::span<const Source> columns, const Filter& filter,
                                         std::span<const Aggregate> aggregates, const Rows& rows) {
  if (!is_one_pass(filter, aggregates)) {
    return nullptr;
  }
  const Array* const array = columns[filter[0].column].array;
  const ValueRange& range = filter[0].range;
  if (array == nullptr || array->offset != rows.offset || find_codec(array->codec)->has_nulls()) {
    return nullptr;
  }
  if (is_float(array->type)) {
    const bool alp = array->codec == CodecId::alp && array->type == DType::f64;
    return alp ? std::make_unique<AlpPass>(*array, rows, range) : nullptr;
  }
  if (array->codec == CodecId::dict) {
    return make_code_pass(*array, rows, range);
  }
  return visit_integer(array->type, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<OnePass> {
    if (auto runs = BatchRuns::create(*array, rows.offset)) {
      return std::make_unique<RunPass<T>>(std::move(runs), range);
    }
    return std::make_unique<IntegerPass<T>>(*array, rows, range);
  });
}

}  // namespace bobbin::plan
