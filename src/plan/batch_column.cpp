// SPDX-License-Identifier: Apache-2.0
#include "plan/batch_column.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "codecs/ascending.hpp"
#include "codecs/constant/constant.hpp"
#include "codecs/rle/rle.hpp"
#include "core/bit_ranges.hpp"
#include "core/dispatch.hpp"
#include "plan/host_loops.hpp"

namespace bobbin::plan {
namespace {

const Array& codes_or(const Array& array) {
  return array.codec == CodecId::dict ? codec::dict::codes_of(array) : array;
}

// The bits of 32 codes that match; bits that belong to no row may be anything.
template <class Code>
uint32_t look_up_32(const Code* codes, const std::vector<uint8_t>& passes, Code last) {
  uint8_t flags[32];
  for (uint32_t i = 0; i < 32; ++i) {
    flags[i] = passes[std::min(codes[i], last)];
  }
  return gather_bits(flags);
}

// Tests packed vectors one after another: each is still in the nearest cache when it is tested.
void test_vectors(BatchValues& source, const RowBatch& batch, const ValueRange& range, BitmapWords& bitmap) {
  constexpr uint64_t kWords = kVectorLength / 32;
  visit_type(source.array().type, [&]<class T>(std::type_identity<T>) {
    const auto test = have_avx2() ? &test_rows_avx2<T> : &test_rows<T>;
    for (uint64_t v = 0; v < batch.words() / kWords; ++v) {
      test(reinterpret_cast<const BitsOf<T>*>(source.vector(batch, v)), kWords, range,
           bitmap.data() + v * kWords);
    }
  });
}

const Array kNone;

class ConstantRuns : public BatchRuns {
 public:
  explicit ConstantRuns(const Array& array) : value_(codec::constant::constant_of(array)) {}

 private:
  void read(const RowBatch& batch, std::vector<Run>& runs) override {
    runs.push_back({static_cast<uint32_t>(batch.end - batch.first), value_});
  }

  Scalar value_;
};

template <class T>
class RleRuns : public BatchRuns {
 public:
  RleRuns(const Array& array, uint64_t shift) : RleRuns(array, shift, codec::rle::runs_of(array)) {}

 private:
  RleRuns(const Array& array, uint64_t shift, const codec::rle::RunRange& runs)
      : run_(array, runs.begin, runs.end),
        row_of_zero_(static_cast<int64_t>(ascending::begin_row(array)) - static_cast<int64_t>(shift)) {}

  // Where the run ends, relative to batch.first.
  [[nodiscard]] int64_t end_in(const RowBatch& batch) const {
    return int64_t{run_.row()} - row_of_zero_ - static_cast<int64_t>(batch.first);
  }

  void read(const RowBatch& batch, std::vector<Run>& runs) override {
    if (batch.begin == batch.end) {
      return;
    }
    const auto rows = static_cast<int64_t>(batch.end - batch.first);
    while (end_in(batch) <= static_cast<int64_t>(batch.begin - batch.first)) {
      run_.next();
    }
    while (true) {
      const int64_t end = std::min(end_in(batch), rows);
      runs.push_back({static_cast<uint32_t>(end), {run_.value()}});
      if (end == rows) {
        return;  // it may continue in the next batch
      }
      run_.next();
    }
  }

  ascending::Entries<T> run_;
  int64_t row_of_zero_;  // the row, among those of the runs, that is row 0 of the query
};

}  // namespace

Array BatchValues::part(const RowBatch& batch) const {
  return find_codec(array_->codec)->slice(*array_, batch.begin - shift_, batch.end - batch.begin);
}

// Packed vectors are written whole: `to` is inside a buffer that has room for them.
void BatchValues::decode(const RowBatch& batch, std::byte* to) const {
  if (!packed_.has_value()) {
    find_codec(array_->codec)->decode(part(batch), to);
    return;
  }
  const size_t size = size_bytes(array_->type);
  std::byte* const first = to - (batch.begin - batch.first) * size;
  for (uint64_t row = batch.begin / kVectorLength * kVectorLength; row < batch.end; row += kVectorLength) {
    std::byte* const out = first + (row - batch.first) * size;
    const std::byte* const values = packed_->unpack(row / kVectorLength, out);
    if (values != out) {
      std::memcpy(out, values, (std::min(row + kVectorLength, batch.end) - row) * size);
    }
  }
}

const std::byte* BatchValues::vector(const RowBatch& batch, uint64_t v) {
  const size_t size = kVectorLength * size_bytes(array_->type);
  if (!packed_.has_value()) {
    return of(batch) + v * size;
  }
  vector_.resize(size / sizeof(uint64_t));
  auto* const to = reinterpret_cast<std::byte*>(vector_.data());
  return packed_->unpack(batch.first / kVectorLength + v, to);
}

std::unique_ptr<BatchRuns> BatchRuns::create(const Array& array, uint64_t shift) {
  if (array.codec == CodecId::constant) {
    return std::make_unique<ConstantRuns>(array);
  }
  if (array.codec != CodecId::rle || array.length == 0) {
    return nullptr;
  }
  return visit_bits(array.type, [&]<class T>(std::type_identity<T>) -> std::unique_ptr<BatchRuns> {
    return std::make_unique<RleRuns<T>>(array, shift);
  });
}

BatchColumn::BatchColumn(const Source& source, const Rows& rows)
    : source_(source),
      moved_(source.array != nullptr && source.array->offset != rows.offset),
      values_(source.array != nullptr ? &values_of(*source.array) : &kNone),
      shift_(rows.offset),
      all_(*values_, rows.offset),
      codes_(codes_or(*values_), rows.offset),
      runs_(source.array != nullptr ? BatchRuns::create(*values_, rows.offset) : nullptr) {}

bool BatchColumn::has_nulls() const {
  return source_.array != nullptr && find_codec(source_.array->codec)->has_nulls();
}

void BatchColumn::keep_valid(const RowBatch& batch, BitmapWords& bitmap) const {
  if (has_nulls()) {
    const Codec& codec = *find_codec(source_.array->codec);
    codec.clear_nulls(codec.slice(*source_.array, batch.begin - shift_, batch.end - batch.begin),
                      bitmap.data());
  }
}

const std::vector<uint64_t>& BatchColumn::entries() {
  if (entries_.empty()) {
    const Array& dictionary = codec::dict::dictionary_of(*values_);
    entries_.resize(ceil_div<uint64_t>(dictionary.length * size_bytes(type()), sizeof(uint64_t)));
    find_codec(dictionary.codec)->decode(dictionary, entries_.data());
  }
  return entries_;
}

// A dictionary that is larger than all rows together is not used for a test.
HostTest BatchColumn::make_test(const Condition& condition) {
  using codec::dict::CodeSet;
  HostTest test{.ranges = ranges_of(condition), .codes = {}};
  if (condition.kind == Condition::Kind::member) {
    test.codes = CodeSet::of(condition.passes, type());
    test.of_values = true;
  } else if (has_codes() && values_->length != 0 &&
             codec::dict::dictionary_of(*values_).length <= values_->length) {
    const Values known{type(), entries().data(), codec::dict::dictionary_of(*values_).length};
    test.codes = CodeSet::of(known, codes_.array().type, test.ranges);
  }
  return test;
}

void BatchColumn::test_bitmap(const RowBatch& batch, bool negated, BitmapWords& bitmap) const {
  const uint32_t* const from = source_.bitmap + batch.first / 32;
  for (uint64_t w = 0; w < batch.words(); ++w) {
    bitmap[w] = negated ? ~from[w] : from[w];
  }
}

template <class Passes>
void BatchColumn::test_runs(const RowBatch& batch, Passes&& passes, BitmapWords& bitmap) {
  std::fill_n(bitmap.begin(), batch.words(), 0);
  uint64_t begin = batch.begin - batch.first;
  for (const Run& run : runs(batch)) {
    if (passes(run.value)) {
      set_bits(bitmap.data(), begin, run.end);
    }
    begin = run.end;
  }
}

void BatchColumn::test_codes(const RowBatch& batch, const codec::dict::CodeSet& set, bool of_values,
                             BitmapWords& bitmap) {
  if (of_values && has_runs()) {
    const uint64_t last = set.passes.size() - 1;
    test_runs(
        batch, [&](Scalar code) { return set.passes[std::min(code.bits, last)] != 0; }, bitmap);
    return;
  }
  BatchValues& source = of_values ? all_ : codes_;
  const Codec& codec = *find_codec(source.array().codec);
  const bool needed = source.are_needed(batch);
  if (set.range.has_value() && source.is_packed() && !needed) {
    test_vectors(source, batch, *set.range, bitmap);
    return;
  }
  if (set.range.has_value() && codec.compare != nullptr && !moved_ && !needed) {
    codec.compare(source.part(batch), *set.range, bitmap.data());
    return;
  }
  codec::dict::visit_codes(source.array().type, [&]<class Code>(std::type_identity<Code>) {
    const auto* codes = reinterpret_cast<const Code*>(of_values ? values(batch) : codes_.of(batch));
    if (set.range.has_value()) {
      const auto test = have_avx2() ? &test_rows_avx2<Code> : &test_rows<Code>;
      test(codes, batch.words(), *set.range, bitmap.data());
      return;
    }
    const Code last = codec::dict::last_code<Code>(set.passes.size());
    for (uint64_t w = 0; w < batch.words(); ++w) {
      bitmap[w] = look_up_32(codes + w * 32, set.passes, last);
    }
  });
}

// A column whose values are needed anyway, as in the previous batch, is decoded once, for both; runs are
// never decoded.
void BatchColumn::test_range(const RowBatch& batch, const ValueRange& range, BitmapWords& bitmap) {
  const Codec& codec = *find_codec(values_->codec);
  const bool needed = all_.are_needed(batch);
  if (has_runs()) {
    test_runs(
        batch, [&](Scalar value) { return range.holds(type(), value); }, bitmap);
  } else if (all_.is_packed() && !needed) {
    test_vectors(all_, batch, range, bitmap);
  } else if (codec.compare != nullptr && !is_float(type()) && !needed && !moved_) {
    codec.compare(all_.part(batch), range, bitmap.data());
  } else {
    visit_type(type(), [&]<class T>(std::type_identity<T>) {
      const auto test = have_avx2() ? &test_rows_avx2<T> : &test_rows<T>;
      test(reinterpret_cast<const BitsOf<T>*>(values(batch)), batch.words(), range, bitmap.data());
    });
  }
}

void BatchColumn::test(const RowBatch& batch, const HostTest& test, BitmapWords& bitmap) {
  if (source_.array == nullptr) {
    test_bitmap(batch, test.ranges[0].negated, bitmap);
    return;
  }
  if (test.codes.has_value()) {
    test_codes(batch, *test.codes, test.of_values, bitmap);
  } else {
    test_range(batch, test.ranges[0], bitmap);
    for (size_t i = 1; i < test.ranges.size(); ++i) {
      other_.resize(bitmap.size());
      test_range(batch, test.ranges[i], other_);
      std::ranges::transform(bitmap, other_, bitmap.begin(), std::bit_or());
    }
  }
  keep_valid(batch, bitmap);
}

void BatchColumn::gather(const RowBatch& batch, std::byte* to) {
  visit_bits(type(), [&]<class T>(std::type_identity<T>) {
    const auto* const known = reinterpret_cast<const T*>(entries().data());
    codec::dict::visit_codes(codes_.array().type, [&]<class Code>(std::type_identity<Code>) {
      const Code last = codec::dict::last_code<Code>(codec::dict::dictionary_of(*values_).length);
      const auto* const codes = reinterpret_cast<const Code*>(codes_.of(batch)) + (batch.begin - batch.first);
      auto* const out = reinterpret_cast<T*>(to);
      for (uint64_t i = 0; i < batch.end - batch.begin; ++i) {
        out[i] = known[std::min(codes[i], last)];
      }
    });
  });
}

bool BatchColumn::looks_up() const {
  return has_codes() && !codec::dict::is_few(values_->length, codec::dict::dictionary_of(*values_).length);
}

const std::byte* BatchColumn::values(const RowBatch& batch) {
  if (looks_up()) {
    return all_.of(batch, size_bytes(type()), [&](std::byte* to) { gather(batch, to); });
  }
  return all_.of(batch);
}

void BatchColumn::pick(const RowBatch& batch, uint64_t v, std::span<const uint16_t> rows, void* to) {
  visit_bits(type(), [&]<class T>(std::type_identity<T>) {
    auto* const out = static_cast<T*>(to);
    if (!looks_up()) {
      all_.pick<T>(batch, v, rows, out);
      return;
    }
    const auto* const known = reinterpret_cast<const T*>(entries().data());
    codec::dict::visit_codes(codes_.array().type, [&]<class Code>(std::type_identity<Code>) {
      const Code last = codec::dict::last_code<Code>(codec::dict::dictionary_of(*values_).length);
      Code codes[kVectorLength];
      codes_.pick<Code>(batch, v, rows, codes);
      std::transform(codes, codes + rows.size(), out, [&](Code code) { return known[std::min(code, last)]; });
    });
  });
}

}  // namespace bobbin::plan
