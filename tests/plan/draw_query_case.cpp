// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <memory>

#include "codecs/masked/masked.hpp"
#include "codecs/registry.hpp"
#include "core/scalar.hpp"
#include "tests/codecs/cascades.hpp"
#include "tests/plan/query_case.hpp"

namespace bobbin::testing {
namespace {

using plan::Condition;
using plan::Fold;

// Matching codes: a range of them, all but one, or any.
std::vector<uint8_t> draw_passes(Random& random) {
  std::vector<uint8_t> passes(1 + random.below(300));
  const uint64_t begin = random.below(passes.size());
  const uint64_t end = begin + random.below(passes.size());
  const uint64_t kind = random.below(3);
  for (uint64_t i = 0; i < passes.size(); ++i) {
    const bool inside = i >= begin && i < end;
    passes[i] = (kind == 2 ? random.below(2) == 0 : inside == (kind == 0)) ? 1 : 0;
  }
  return passes;
}

bool are_codes(DType type) {
  return type == DType::u8 || type == DType::u16 || type == DType::u32;
}

void draw_filter(QueryCase& c, Random& random, int depth) {
  if (depth == 0 || random.below(3) == 0) {
    if (const auto comparison = draw_comparison(random, c.numbers);
        comparison.has_value() && random.below(4) == 0) {
      c.filter.push_back({.kind = Condition::Kind::compare,
                          .range = {},
                          .more = {},
                          .passes = {},
                          .comparison = std::make_shared<plan::Comparison>(*comparison)});
      return;
    }
    const auto column = static_cast<uint32_t>(random.below(c.columns.size()));
    if (are_codes(c.columns[column].array.type) && random.below(3) == 0) {
      c.filter.push_back({.kind = Condition::Kind::member, .column = column, .passes = draw_passes(random)});
      return;
    }
    const uint64_t kind = random.below(12);
    c.filter.push_back({.kind = kind == 0   ? Condition::Kind::is_null
                                : kind == 1 ? Condition::Kind::not_null
                                            : Condition::Kind::test,
                        .column = column,
                        .range = draw_range(c.columns[column], random),
                        .passes = {}});
    return;
  }
  draw_filter(c, random, depth - 1);
  draw_filter(c, random, depth - 1);
  c.filter.push_back({.kind = random.below(2) == 0 ? Condition::Kind::both : Condition::Kind::either,
                      .column = 0,
                      .range = {},
                      .passes = {}});
}

// A codec that accepts values of a type: packing half of the time.
CodecId draw_codec(Random& random, DType type) {
  constexpr CodecId kNumbers[] = {CodecId::dict, CodecId::rle, CodecId::sparse, CodecId::delta};
  if (random.below(2) == 0) {
    return is_float(type) ? CodecId::alp : random.below(2) == 0 ? CodecId::ffor : CodecId::patched;
  }
  if (random.below(4) == 0 && (is_float(type) || is_signed(type))) {
    return is_float(type) ? CodecId::alprd : CodecId::zigzag;
  }
  return kNumbers[random.below(std::size(kNumbers))];
}

}  // namespace

ValueRange draw_range(const PlainColumn& column, Random& random) {
  const DType type = column.array.type;
  const auto draw = [&] {
    Scalar value = column.array.length == 0 || random.below(8) == 0
                       ? Scalar{random.next() & low_mask<uint64_t>(size_bits(type))}
                       : column.at(random.below(column.array.length));
    value.bits ^= random.below(4) == 0 ? random.below(4) : 0;
    return value;
  };
  if (random.below(4) == 0) {
    ValueRange range = ValueRange::between(type, draw(), draw());
    range.negated = range.negated != (random.below(2) == 0);
    return range;
  }
  return ValueRange::of(type, static_cast<Compare>(random.below(6)), draw());
}

void add_columns(QueryCase& c, const std::vector<Array>& arrays, uint64_t begin, uint64_t kept,
                 uint64_t apart) {
  for (const Array& array : arrays) {
    PlainColumn column{*array::slice(array, begin, kept), {}, {}};
    column.valid = *array::validity(column.array);
    column.bytes.resize(kept * size_bytes(array.type));
    (void)array::decode(column.array, column.bytes);
    c.numbers.push_back(number_column(array.type, column.bytes));
    c.columns.push_back(std::move(column));
    begin += apart;
  }
}

void add_questions(QueryCase& c, Random& random) {
  if (random.below(6) != 0) {
    draw_filter(c, random, 2);
  }
  for (uint64_t i = 0, folds = random.below(6); i < folds; ++i) {
    const auto fold = static_cast<Fold>(random.below(3));
    const auto column = static_cast<uint32_t>(random.below(c.columns.size()));
    if (const auto expression = draw_expression(random, c.numbers);
        expression.has_value() && random.below(4) == 0) {
      c.aggregates.push_back({fold, {}, std::make_shared<plan::Expression>(*expression)});
      continue;
    }
    c.aggregates.push_back(
        {fold, fold == Fold::count && random.below(2) == 0 ? std::nullopt : std::optional(column)});
  }
}

QueryCase draw_case(Random& random) {
  QueryCase c;
  // Columns have the length of the shortest one; all are cut at the same place.
  const uint64_t count = 1 + random.below(3);
  std::vector<Array> arrays;
  uint64_t length = UINT64_MAX;
  for (uint64_t i = 0; i < count; ++i) {
    arrays.push_back(draw_cascade(random));
    length = std::min(length, arrays.back().length);
  }
  const uint64_t begin = random.below(3) == 0 ? 0 : random.below(length + 1);
  const uint64_t kept = random.below(2) == 0 ? length - begin : random.below(length - begin + 1);
  add_columns(c, arrays, begin, kept);
  add_questions(c, random);
  return c;
}

// A column made by an encoder: small integers or prices, occasional outliers, in runs or not, sometimes
// greater from vector to vector, so that these decide comparisons, and sometimes with nulls.
Array draw_long_column(Random& random, uint64_t length) {
  constexpr DType kTypes[] = {DType::u8, DType::i16, DType::u32, DType::i64, DType::f32, DType::f64};
  const DType type = kTypes[random.below(std::size(kTypes))];
  const uint64_t limit = uint64_t{1} << (1 + random.below(12));
  const uint64_t rare = random.below(2) == 0 ? UINT64_MAX : 100;
  const uint64_t run = random.below(2) == 0 ? 1 : 1 + random.below(200);
  const uint64_t rise = random.below(3) == 0 ? limit / 2 : 0;
  Array values = visit_type(type, [&]<class T>(std::type_identity<T>) {
    std::vector<T> drawn(length);
    for (uint64_t i = 0; i < length; ++i) {
      T& value = drawn[i];
      if (i != 0 && random.below(run) != 0) {
        value = drawn[i - 1];
        continue;
      }
      const uint64_t small = random.below(limit) + i / 1024 * rise;
      value = std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(small) / 100)
                                          : static_cast<T>(small);
      if (random.below(rare) == 0) {
        value = std::bit_cast<T>(static_cast<BitsOf<T>>(random.next()));
      }
    }
    return *find_codec(draw_codec(random, type))->encode({type, drawn.data(), length});
  });
  if (random.below(3) != 0) {
    return values;
  }
  std::vector<uint8_t> valid((length + 7) / 8);
  for (uint8_t& byte : valid) {
    byte = static_cast<uint8_t>(random.next() | random.next());
  }
  return *codec::masked::wrap(std::move(values), valid.data());
}

QueryCase draw_long_case(Random& random, uint64_t length) {
  QueryCase c;
  std::vector<Array> arrays;
  for (uint64_t i = 0, count = 1 + random.below(3); i < count; ++i) {
    arrays.push_back(draw_long_column(random, length));
  }
  const bool nulls = std::ranges::any_of(arrays, array::has_nulls);
  const uint64_t apart = nulls || random.below(4) != 0 ? 0 : random.below(length / 20);
  add_columns(c, arrays, random.below(2) * random.below(length / 25), length - length / 6, apart);
  add_questions(c, random);
  return c;
}

}  // namespace bobbin::testing
