// SPDX-License-Identifier: Apache-2.0
// A column of a query in host memory, some vectors at a time; it is decoded when values are requested.
// Dictionary entries are decoded and tested once; each run is tested and folded as a whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "core/bit_ranges.hpp"
#include "plan/packed_vectors.hpp"
#include "plan/plan.hpp"
#include "plan/totals.hpp"

namespace bobbin::plan {

inline constexpr uint64_t kBatchRows = 8 * uint64_t{kVectorLength};
inline constexpr uint64_t kBatchWords = kBatchRows / 32;

// Rows first .. end-1, counted from the start of the first vector; `first` is a multiple of kBatchRows.
struct RowBatch {
  uint64_t first = 0;
  uint64_t begin = 0;  // the first existing row
  uint64_t end = 0;

  [[nodiscard]] uint64_t words() const { return num_vectors(end - first) * (kVectorLength / 32); }
};

// Values of an array, one batch at a time.
class BatchValues {
 public:
  // `shift` is the number of the array's first row.
  BatchValues(const Array& array, uint64_t shift)
      : array_(&array),
        shift_(shift),
        packed_(array.offset == shift ? PackedVectors::of(array) : std::nullopt) {}

  [[nodiscard]] const Array& array() const { return *array_; }
  [[nodiscard]] Array part(const RowBatch& batch) const;
  // The values of the batch, from batch.first on; positions that are not rows may hold anything.
  const std::byte* of(const RowBatch& batch) {
    return of(batch, size_bytes(array_->type), [&](std::byte* to) { decode(batch, to); });
  }
  // The values of one vector of the batch, the same. Valid until the next call.
  const std::byte* vector(const RowBatch& batch, uint64_t v);
  // Bounds of the integers in one vector of the batch, if they are known without reading the integers.
  [[nodiscard]] std::optional<Limits> limits(const RowBatch& batch, uint64_t v) const {
    return packed_.has_value() ? packed_->limits(batch.first / kVectorLength + v) : std::nullopt;
  }
  // Whether a vector can be decoded without the others.
  [[nodiscard]] bool is_packed() const { return packed_.has_value(); }
  // Whether all values of this batch, or of the previous one, have been decoded.
  [[nodiscard]] bool are_needed(const RowBatch& batch) const {
    return decoded_ == batch.first || decoded_ + kBatchRows == batch.first;
  }
  // Some rows of one vector of the batch, by their positions in it. T is the unsigned integer of the type's
  // size.
  template <class T>
  void pick(const RowBatch& batch, uint64_t v, std::span<const uint16_t> rows, T* to) {
    if (packed_.has_value() && decoded_ != batch.first) {
      packed_->pick<T>(batch.first / kVectorLength + v, rows, to);
      return;
    }
    const auto* const from = reinterpret_cast<const T*>(of(batch)) + v * kVectorLength;
    std::ranges::transform(rows, to, [&](uint16_t row) { return from[row]; });
  }
  // The same for values of another size: `decode` writes them, from batch.begin on.
  template <class F>
  const std::byte* of(const RowBatch& batch, size_t size, F&& decode) {
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
  void decode(const RowBatch& batch, std::byte* to) const;

  const Array* array_;
  uint64_t shift_;
  std::optional<PackedVectors> packed_;  // if its vectors are also those of the query
  std::vector<uint64_t> vector_;
  std::vector<uint64_t> buffer_;
  uint64_t decoded_ = UINT64_MAX;  // the batch that is decoded
};

// Rows of a batch with the same value: up to `end`, relative to batch.first.
struct Run {
  uint32_t end = 0;
  Scalar value;
};

// Runs of an array, one batch at a time. Batches must be requested in order.
class BatchRuns {
 public:
  // Like BatchValues.
  static std::unique_ptr<BatchRuns> create(const Array& array, uint64_t shift);
  virtual ~BatchRuns() = default;

  [[nodiscard]] std::span<const Run> of(const RowBatch& batch) {
    if (read_ != batch.first) {
      runs_.clear();
      read(batch, runs_);
      read_ = batch.first;
    }
    return runs_;
  }

 private:
  virtual void read(const RowBatch& batch, std::vector<Run>& runs) = 0;

  std::vector<Run> runs_;
  uint64_t read_ = UINT64_MAX;  // the batch that was read
};

// What a condition tests, prepared once.
struct HostTest {
  std::vector<ValueRange> ranges;
  std::optional<codec::dict::CodeSet> codes;  // instead of a range
  bool of_values = false;                     // the values themselves are the codes
};

class BatchColumn {
 public:
  BatchColumn(const Source& source, const Rows& rows);

  [[nodiscard]] DType type() const { return source_.array->type; }
  [[nodiscard]] bool has_nulls() const;
  // A constant is a run.
  [[nodiscard]] bool has_runs() const { return runs_ != nullptr; }

  [[nodiscard]] HostTest make_test(const Condition& condition);
  void test(const RowBatch& batch, const HostTest& test, BitmapWords& bitmap);
  // Clears the rows of a bitmap that are null.
  void keep_valid(const RowBatch& batch, BitmapWords& bitmap) const;
  // Like BatchValues::of.
  const std::byte* values(const RowBatch& batch);
  // Like BatchValues::limits.
  [[nodiscard]] std::optional<Limits> limits(const RowBatch& batch, uint64_t v) const {
    return all_.limits(batch, v);
  }
  // Like BatchValues::pick, for a few rows.
  void pick(const RowBatch& batch, uint64_t v, std::span<const uint16_t> rows, void* to);

  // For a column that has them.
  [[nodiscard]] std::span<const Run> runs(const RowBatch& batch) { return runs_->of(batch); }

 private:
  [[nodiscard]] bool has_codes() const { return values_->codec == CodecId::dict; }
  // For a dictionary with entries; decoded once.
  [[nodiscard]] const std::vector<uint64_t>& entries();
  void test_bitmap(const RowBatch& batch, bool negated, BitmapWords& bitmap) const;
  void test_range(const RowBatch& batch, const ValueRange& range, BitmapWords& bitmap);
  template <class Passes>
  void test_runs(const RowBatch& batch, Passes&& passes, BitmapWords& bitmap);
  void test_codes(const RowBatch& batch, const codec::dict::CodeSet& set, bool of_values,
                  BitmapWords& bitmap);
  // Whether values are looked up by their codes.
  [[nodiscard]] bool looks_up() const;
  void gather(const RowBatch& batch, std::byte* to);

  Source source_;
  bool moved_;           // its vectors are not aligned with those of the query
  const Array* values_;  // without nulls; null for a bitmap
  uint64_t shift_;
  BatchValues all_;    // of values_
  BatchValues codes_;  // of a dictionary's codes, otherwise of the same
  std::unique_ptr<BatchRuns> runs_;
  std::vector<uint64_t> entries_;
  BitmapWords other_;  // for one range, if there are several
};

}  // namespace bobbin::plan
