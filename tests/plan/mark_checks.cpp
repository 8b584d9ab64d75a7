// SPDX-License-Identifier: Apache-2.0
// Marks of codes in composed kernels, compared with the same on decoded values.
#include <algorithm>
#include <vector>

#include "array/array.hpp"
#include "core/bits.hpp"
#include "plan/plan.hpp"
#include "tests/plan/checks.hpp"
#include "tests/plan/encode_drawn.hpp"

namespace bobbin::testing {
namespace {

constexpr uint64_t kMarkRows = 5000;

struct Marks {
  std::vector<Array> columns;  // the codes are in the first
  uint64_t entries = 0;
  plan::Filter filter;
};

// Codes in several encodings; some are greater than the last entry's.
Array draw_marked_codes(Random& random, uint64_t& entries) {
  const auto draw = [&](uint64_t most, uint64_t least = 1) {
    entries = least + random.below(most - least);
    const uint64_t limit = std::min(most, entries + 3);
    const bool skewed = random.below(2) == 0;
    return [&random, limit, skewed] { return random.below(skewed ? 1 + random.below(limit) : limit); };
  };
  switch (random.below(6)) {
    case 0:
      return encode_drawn<uint8_t>(CodecId::bitpack, draw(250), kMarkRows);
    case 1:
      return encode_drawn<uint8_t>(CodecId::rle, draw(3), kMarkRows);
    case 2:
      return encode_drawn<uint16_t>(CodecId::ffor, draw(3000), kMarkRows);
    case 3:
      return encode_drawn<uint16_t>(CodecId::patched, draw(40'000), kMarkRows);
    case 4:  // more than shared memory has marks for
      return encode_drawn<uint32_t>(CodecId::bitpack, draw(100'000, 70'000), kMarkRows);
    default:
      return encode_drawn<uint32_t>(CodecId::ffor, draw(1000), kMarkRows);
  }
}

Marks draw_marks(Random& random) {
  Marks marks;
  marks.columns.push_back(draw_marked_codes(random, marks.entries));
  marks.columns.push_back(encode_drawn<uint32_t>(
      CodecId::ffor, [&] { return random.below(1000); }, kMarkRows));
  for (Array& column : marks.columns) {
    column = random.below(3) == 0 ? with_nulls(std::move(column), random) : std::move(column);
  }
  const uint64_t begin = random.below(2) * random.below(1500);
  const uint64_t kept = kMarkRows - begin - random.below(2) * 100;
  for (Array& column : marks.columns) {
    column = *array::slice(column, begin, kept);
  }
  if (const uint64_t kind = random.below(3); kind != 0) {
    const auto column = static_cast<uint32_t>(kind - 1);
    const uint64_t least = random.below(column == 0 ? marks.entries : 1000);
    marks.filter.push_back(
        {.kind = plan::Condition::Kind::test,
         .column = column,
         .range = ValueRange::between(marks.columns[column].type, Scalar{least / 2}, Scalar{least})});
  }
  return marks;
}

std::vector<uint64_t> numbers_of(const Array& array) {
  const size_t size = size_bytes(array.type);
  std::vector<std::byte> bytes(array.length * size);
  (void)array::decode(array, bytes);
  std::vector<uint64_t> numbers(array.length);
  for (uint64_t i = 0; i < array.length; ++i) {
    std::copy_n(bytes.data() + i * size, size, reinterpret_cast<std::byte*>(&numbers[i]));
  }
  return numbers;
}

BitmapWords expected(const Marks& marks) {
  BitmapWords words(ceil_div<size_t>(marks.entries, 32));
  std::vector<std::vector<uint64_t>> numbers;
  std::vector<array::Bitmap> valid;
  for (const Array& column : marks.columns) {
    numbers.push_back(numbers_of(column));
    valid.push_back(*array::validity(column));
  }
  for (uint64_t row = 0; row < marks.columns[0].length; ++row) {
    const bool passes = std::ranges::all_of(marks.filter, [&](const plan::Condition& test) {
      return valid[test.column].at(row) &&
             test.range.holds(marks.columns[test.column].type, Scalar{numbers[test.column][row]});
    });
    if (passes && valid[0].at(row)) {
      const uint64_t code = std::min(numbers[0][row], marks.entries - 1);
      words[code / 32] |= 1U << (code % 32);
    }
  }
  return words;
}

Result<BitmapWords> run_on(Backend backend, const Marks& marks) {
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  std::vector<array::OnDevice> columns;
  for (const Array& column : marks.columns) {
    BOBBIN_ASSIGN(array::OnDevice there, array::to_device(column, stream.view()));
    columns.push_back(std::move(there));
  }
  std::vector<plan::Source> sources;
  for (const auto& column : columns) {
    sources.push_back({.array = &column.array});
  }
  BOBBIN_ASSIGN(const auto prepared,
                plan::Prepared::create_marks(sources, marks.filter, {.column = 0, .entries = marks.entries},
                                             stream.view(), plan::QueryPath::compiled));
  BOBBIN_TRY(prepared.run(stream.view()));
  return prepared.marks(stream.view());
}

}  // namespace

std::string check_marks(Backend backend, Random& random, bool compares) {
  const Marks marks = draw_marks(random);
  const auto got = run_on(backend, marks);
  if (!got.has_value()) {
    return std::string(got.error().message());
  }
  return !compares || *got == expected(marks) ? "" : "other codes are marked";
}

}  // namespace bobbin::testing
