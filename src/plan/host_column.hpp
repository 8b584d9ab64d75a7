// SPDX-License-Identifier: Apache-2.0
// A column of a query in host memory, some vectors at a time: decoded when somebody asks for values. Of a
// dictionary, entries are decoded and tested once; of runs, each is tested and folded at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "plan/plan.hpp"
#include "plan/totals.hpp"

namespace bobbin::plan {

inline constexpr uint64_t kBatchRows = 8 * uint64_t{kVectorLength};
inline constexpr uint64_t kBatchWords = kBatchRows / 32;

using Words = std::vector<uint32_t>;

// Rows first .. end-1, counted from the start of the first vector; `first` is a multiple of kBatchRows.
struct Batch {
  uint64_t first = 0;
  uint64_t begin = 0;  // the first row there is
  uint64_t end = 0;

  [[nodiscard]] uint64_t words() const { return num_vectors(end - first) * (kVectorLength / 32); }
};

// Values of an array, a batch at a time.
class BatchValues {
 public:
  // `shift` is the number of the array's first row.
  BatchValues(const Array& array, uint64_t shift) : array_(&array), shift_(shift) {}

  [[nodiscard]] const Array& array() const { return *array_; }
  [[nodiscard]] Array part(const Batch& batch) const;
  // Those of the batch, from batch.first on; what is no row may be anything.
  const std::byte* of(const Batch& batch) {
    return of(batch, size_bytes(array_->type),
              [&](std::byte* to) { find_codec(array_->codec)->decode(part(batch), to); });
  }
  // The same of values of another size: `decode` writes them, from batch.begin on.
  template <class F>
  const std::byte* of(const Batch& batch, size_t size, F&& decode) {
    auto* const bytes = reinterpret_cast<std::byte*>(resize(kBatchRows * size / sizeof(uint64_t)));
    if (decoded_ != batch.first) {
      decode(bytes + (batch.begin - batch.first) * size);
      decoded_ = batch.first;
    }
    return bytes;
  }

 private:
  uint64_t* resize(size_t words) {
    buffer_.resize(words);
    return buffer_.data();
  }

  const Array* array_;
  uint64_t shift_;
  std::vector<uint64_t> buffer_;
  uint64_t decoded_ = UINT64_MAX;  // the batch that is
};

// Rows of a batch that have one value: up to `end`, counted from batch.first.
struct Run {
  uint32_t end = 0;
  Scalar value;
};

// Runs of an array, a batch at a time. Batches are asked for in their order.
class BatchRuns {
 public:
  // As for BatchValues.
  static std::unique_ptr<BatchRuns> create(const Array& array, uint64_t shift);
  virtual ~BatchRuns() = default;

  [[nodiscard]] std::span<const Run> of(const Batch& batch) {
    if (read_ != batch.first) {
      runs_.clear();
      read(batch, runs_);
      read_ = batch.first;
    }
    return runs_;
  }

 private:
  virtual void read(const Batch& batch, std::vector<Run>& runs) = 0;

  std::vector<Run> runs_;
  uint64_t read_ = UINT64_MAX;  // the batch that is
};

// What a condition asks of a column, worked out once.
struct HostTest {
  std::vector<ValueRange> ranges;
  std::optional<codec::dict::CodeSet> codes;  // in their place
  bool of_values = false;                     // it is the values that are codes
};

class HostColumn {
 public:
  // `decodes`: an aggregate asks for its values.
  HostColumn(const Source& source, const Rows& rows, bool decodes);

  [[nodiscard]] DType type() const { return source_.array->type; }
  [[nodiscard]] bool has_nulls() const;
  // One value for all is a run.
  [[nodiscard]] bool has_runs() const { return runs_ != nullptr; }

  [[nodiscard]] HostTest make_test(const Condition& condition);
  void test(const Batch& batch, const HostTest& test, Words& bitmap);
  // Takes rows without a value off a bitmap.
  void keep_valid(const Batch& batch, Words& bitmap) const;
  // As BatchValues::of.
  const std::byte* values(const Batch& batch);

  // Those of a column that has them.
  [[nodiscard]] std::span<const Run> runs(const Batch& batch) { return runs_->of(batch); }

 private:
  [[nodiscard]] bool has_codes() const { return values_->codec == CodecId::dict; }
  // Those of a dictionary that has some; decoded once.
  [[nodiscard]] const std::vector<uint64_t>& entries();
  void test_bitmap(const Batch& batch, bool negated, Words& bitmap) const;
  void test_range(const Batch& batch, const ValueRange& range, Words& bitmap);
  template <class Passes>
  void test_runs(const Batch& batch, Passes&& passes, Words& bitmap);
  void test_codes(const Batch& batch, const codec::dict::CodeSet& set, bool of_values, Words& bitmap);
  void gather(const Batch& batch, std::byte* to);

  Source source_;
  bool decodes_;
  bool moved_;           // its vectors are not those of the query
  const Array* values_;  // without nulls; none: a bitmap
  uint64_t shift_;
  BatchValues all_;    // of values_
  BatchValues codes_;  // of a dictionary's codes, or of the same
  std::unique_ptr<BatchRuns> runs_;
  std::vector<uint64_t> entries_;
  Words other_;  // of one range, when there are more
};

}  // namespace bobbin::plan
