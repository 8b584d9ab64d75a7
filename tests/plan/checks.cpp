// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "array/array.hpp"
#include "codecs/masked/masked.hpp"
#include "codecs/registry.hpp"
#include "core/scalar.hpp"
#include "plan/column_plan.hpp"
#include "plan/gather.hpp"
#include "plan/host.hpp"
#include "plan/plan.hpp"
#include "tests/codecs/cascades.hpp"
#include "tests/plan/expressions.hpp"

namespace bobbin::testing {
namespace {

using plan::Aggregate;
using plan::Condition;
using plan::Fold;
using plan::QueryPath;
using plan::Total;

// A column and its decoded values.
struct Plain {
  Array array;
  std::vector<std::byte> bytes;
  array::Bitmap valid;

  [[nodiscard]] bool is_null(uint64_t row) const { return !valid.at(row); }
  [[nodiscard]] Scalar at(uint64_t row) const {
    Scalar scalar;
    std::copy_n(bytes.data() + row * size_bytes(array.type), size_bytes(array.type),
                reinterpret_cast<std::byte*>(&scalar.bits));
    return scalar;
  }
};

struct Case {
  std::vector<Plain> columns;
  plan::Filter filter;
  std::vector<Aggregate> aggregates;
  std::vector<NumberColumn> numbers;  // of the columns

  [[nodiscard]] uint64_t length() const { return columns[0].array.length; }
  [[nodiscard]] uint64_t offset() const { return columns[0].array.offset; }
  [[nodiscard]] bool has_null(std::span<const uint32_t> some, uint64_t row) const {
    return std::ranges::any_of(some, [&](uint32_t column) { return columns[column].is_null(row); });
  }
  [[nodiscard]] bool has_expressions() const {
    return std::ranges::any_of(aggregates, [](const Aggregate& a) { return a.expression != nullptr; }) ||
           std::ranges::any_of(filter, [](const Condition& c) { return c.comparison != nullptr; });
  }
};

bool passes(const Case& c, uint64_t row) {
  std::vector<bool> stack;
  for (const Condition& condition : c.filter) {
    switch (condition.kind) {
      case Condition::Kind::test: {
        const Plain& column = c.columns[condition.column];
        stack.push_back(!column.is_null(row) && condition.range.holds(column.array.type, column.at(row)));
        break;
      }
      case Condition::Kind::member: {
        const Plain& column = c.columns[condition.column];
        const uint64_t code = column.is_null(row) ? 0 : column.at(row).bits;
        stack.push_back(!column.is_null(row) &&
                        condition.passes[std::min<uint64_t>(code, condition.passes.size() - 1)] != 0);
        break;
      }
      case Condition::Kind::compare: {
        const plan::Comparison& comparison = *condition.comparison;
        stack.push_back(
            !c.has_null(comparison.columns(), row) &&
            holds(comparison, c.numbers, [&](uint32_t column) { return c.columns[column].at(row); }));
        break;
      }
      case Condition::Kind::is_null:
        stack.push_back(c.columns[condition.column].is_null(row));
        break;
      case Condition::Kind::not_null:
        stack.push_back(!c.columns[condition.column].is_null(row));
        break;
      default: {
        const bool second = stack.back();
        stack.pop_back();
        stack.back() =
            condition.kind == Condition::Kind::both ? stack.back() && second : stack.back() || second;
      }
    }
  }
  return stack.empty() || stack.back();
}

double real_at(const Plain& column, uint64_t row) {
  return column.array.type == DType::f32 ? value_of<float>(column.at(row)) : value_of<double>(column.at(row));
}

// The order of additions defined in plan/values.hpp, written in the obvious way. `terms` has at most 1024
// items; excluded ones are absent.
double sum_of_vector(const std::vector<std::optional<double>>& terms) {
  std::array<double, 32> chains{};
  for (uint32_t p = 0; p < 32; ++p) {
    std::array<double, 2> halves{};
    for (size_t i = p; i < terms.size(); i += 32) {
      if (terms[i].has_value()) {
        halves[i / 512] += *terms[i];
      }
    }
    chains[p] = halves[0] + halves[1];
  }
  for (uint32_t distance = 16; distance != 0; distance /= 2) {
    for (uint32_t p = 0; p < distance; ++p) {
      chains[p] += chains[p + distance];
    }
  }
  return chains[0];
}

double sum_of(std::vector<std::optional<double>> terms) {
  if (terms.empty()) {
    return 0;
  }
  do {
    std::vector<std::optional<double>> sums;
    for (size_t first = 0; first < terms.size(); first += 1024) {
      const auto begin = terms.begin() + static_cast<std::ptrdiff_t>(first);
      sums.emplace_back(sum_of_vector(
          {begin, begin + static_cast<std::ptrdiff_t>(std::min<size_t>(1024, terms.size() - first))}));
    }
    terms = std::move(sums);
  } while (terms.size() > 1);
  return *terms[0];
}

Total expected_computed(const Case& c, const Aggregate& aggregate, const std::vector<bool>& rows) {
  const plan::Expression& expression = *aggregate.expression;
  const DType type = expression.is_real() ? DType::f64 : DType::i64;
  const std::vector<uint32_t> columns = expression.columns();
  Total total;
  std::vector<std::optional<double>> terms(c.offset());
  for (uint64_t row = 0; row < c.length(); ++row) {
    terms.emplace_back();
    if (!rows[row] || c.has_null(columns, row)) {
      continue;
    }
    ++total.count;
    const Number number =
        evaluate(expression, c.numbers, [&](uint32_t column) { return c.columns[column].at(row); });
    if (aggregate.fold == Fold::sum && expression.is_real()) {
      terms.back() = number.real;
    } else if (aggregate.fold == Fold::sum) {
      total.sum += number.integer;
    } else if (aggregate.fold == Fold::extremes && !std::isnan(number.real)) {
      const Scalar value =
          expression.is_real() ? scalar_of(number.real) : scalar_of(static_cast<int64_t>(number.integer));
      total.least = !total.least.has_value() || less(type, value, *total.least) ? value : *total.least;
      total.greatest =
          !total.greatest.has_value() || less(type, *total.greatest, value) ? value : *total.greatest;
    }
  }
  total.real_sum = sum_of(std::move(terms));
  return total;
}

Total expected_total(const Case& c, const Aggregate& aggregate, const std::vector<bool>& rows) {
  if (aggregate.expression != nullptr) {
    return expected_computed(c, aggregate, rows);
  }
  Total total;
  std::vector<std::optional<double>> terms(c.offset());
  for (uint64_t row = 0; row < c.length(); ++row) {
    terms.emplace_back();
    if (!rows[row] || (aggregate.column.has_value() && c.columns[*aggregate.column].is_null(row))) {
      continue;
    }
    ++total.count;
    if (!aggregate.column.has_value() || aggregate.fold == Fold::count) {
      continue;
    }
    const Plain& column = c.columns[*aggregate.column];
    const DType type = column.array.type;
    const Scalar value = column.at(row);
    if (aggregate.fold == Fold::sum && is_float(type)) {
      terms.back() = real_at(column, row);
    } else if (aggregate.fold == Fold::sum) {
      total.sum +=
          visit_integer(type, [&]<class T>(std::type_identity<T>) { return Int128{value_of<T>(value)}; });
    } else if (!is_float(type) || !std::isnan(real_at(column, row))) {
      total.least = !total.least.has_value() || less(type, value, *total.least) ? value : *total.least;
      total.greatest =
          !total.greatest.has_value() || less(type, *total.greatest, value) ? value : *total.greatest;
    }
  }
  total.real_sum = sum_of(std::move(terms));
  return total;
}

bool same_real(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

std::string compare_totals(const Case& c, const std::vector<Total>& got, const std::vector<bool>& rows) {
  for (size_t i = 0; i < c.aggregates.size(); ++i) {
    const Total want = expected_total(c, c.aggregates[i], rows);
    if (got[i].count != want.count) {
      return fmt::format("aggregate {}: {} rows instead of {}", i, got[i].count, want.count);
    }
    if (got[i].sum != want.sum || got[i].least != want.least || got[i].greatest != want.greatest) {
      return fmt::format("aggregate {}: the sum, minimum or maximum differs", i);
    }
    if (!same_real(got[i].real_sum, want.real_sum)) {
      return fmt::format("aggregate {}: a sum of {} instead of {}", i, got[i].real_sum, want.real_sum);
    }
  }
  return {};
}

Result<std::string> run_on(const Case& c, Backend backend, QueryPath path, const std::vector<bool>& rows,
                           bool compares = true) {
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  std::vector<array::OnDevice> columns;
  for (const Plain& column : c.columns) {
    BOBBIN_ASSIGN(array::OnDevice there, array::to_device(column.array, stream.view()));
    columns.push_back(std::move(there));
  }
  std::vector<plan::Source> sources;
  for (const auto& column : columns) {
    sources.push_back({.array = &column.array, .bitmap = nullptr});
  }
  BOBBIN_ASSIGN(const auto prepared,
                plan::Prepared::create(sources, c.filter, c.aggregates, stream.view(), path));
  const uint64_t words = (c.offset() + c.length() + 1023) / 1024 * 32;
  BOBBIN_ASSIGN(const DeviceBuffer bitmap, DeviceBuffer::create(words * sizeof(uint32_t), stream.view()));
  BOBBIN_TRY(prepared.run(bitmap.as<uint32_t>(), stream.view()));
  BOBBIN_ASSIGN(const auto totals, prepared.totals(stream.view()));
  array::Bitmap found{.words = std::vector<uint32_t>(words), .first = c.offset(), .length = c.length()};
  BOBBIN_TRY(copy_async(found.words.data(), bitmap.data(), words * sizeof(uint32_t), stream.view()));
  BOBBIN_TRY(stream.view().synchronize());
  for (uint64_t row = 0; row < c.length(); ++row) {
    if (compares && found.at(row) != rows[row]) {
      return fmt::format("row {} of {}", row, c.length());
    }
  }
  if (std::string problem = compare_totals(c, totals, rows); compares && !problem.empty()) {
    return problem;
  }
  // Without a bitmap some queries take a shorter path.
  BOBBIN_TRY(prepared.run(nullptr, stream.view()));
  BOBBIN_ASSIGN(const auto again, prepared.totals(stream.view()));
  return compare_totals(c, again, rows);
}

// A range with an end at a value of the column, near one, or anywhere.
ValueRange draw_range(const Plain& column, Random& random) {
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

void draw_filter(Case& c, Random& random, int depth) {
  if (depth == 0 || random.below(3) == 0) {
    if (const auto comparison = draw_comparison(random, c.numbers);
        comparison.has_value() && random.below(6) == 0) {
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

// Rows begin .. begin+kept-1 of arrays; each array starts `apart` rows later than the previous one.
void add_columns(Case& c, const std::vector<Array>& arrays, uint64_t begin, uint64_t kept,
                 uint64_t apart = 0) {
  for (const Array& array : arrays) {
    Plain column{*array::slice(array, begin, kept), {}, {}};
    column.valid = *array::validity(column.array);
    column.bytes.resize(kept * size_bytes(array.type));
    (void)array::decode(column.array, column.bytes);
    c.numbers.push_back(number_column(array.type, column.bytes));
    c.columns.push_back(std::move(column));
    begin += apart;
  }
}

void add_questions(Case& c, Random& random) {
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

Case draw_case(Random& random) {
  Case c;
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

Result<std::string> run_on_cpu(const Case& c, const std::vector<bool>& rows) {
  std::vector<plan::Source> sources;
  for (const Plain& column : c.columns) {
    sources.push_back({.array = &column.array, .bitmap = nullptr});
  }
  array::Bitmap found;
  BOBBIN_ASSIGN(const auto totals, plan::run_on_host(sources, c.filter, c.aggregates, &found));
  // Without a bitmap some queries take a shorter path.
  BOBBIN_ASSIGN(const auto again, plan::run_on_host(sources, c.filter, c.aggregates));
  if (std::string problem = compare_totals(c, again, rows); !problem.empty()) {
    return problem;
  }
  for (uint64_t row = 0; row < c.length(); ++row) {
    if (found.at(row) != rows[row]) {
      return fmt::format("row {} of {}", row, c.length());
    }
  }
  return compare_totals(c, totals, rows);
}

std::string_view name_of_path(QueryPath path) {
  constexpr std::string_view kNames[] = {"automatic",  "composed",    "compiled",
                                         "programmed", "interpreted", "decoded"};
  return kNames[static_cast<size_t>(path)];
}

// Empty, or what went wrong with what.
std::string report(const Case& c, std::string_view path, const Result<std::string>& result) {
  std::string problem = result.has_value() ? *result : std::string(result.error().message());
  if (problem.empty()) {
    return {};
  }
  for (const Plain& column : c.columns) {
    problem += fmt::format("; {} {} of {} from {}", to_string(column.array.type), name_of(column.array),
                           column.array.length, column.array.offset);
  }
  return fmt::format("{}: {}", path, problem);
}

// Whether kernels support all codecs of the columns, whose vectors are aligned, so that only a path for
// packed words may refuse them.
bool can_be_interpreted(const Case& c) {
  return std::ranges::all_of(c.columns, [&](const Plain& column) {
    plan::ColumnPlan made;
    std::vector<plan::Dictionary> dictionaries;
    return column.array.offset == c.offset() &&
           plan::make_column(plan::values_of(column.array), QueryPath::interpreted, made, dictionaries);
  });
}

std::string check_case(const Case& c, Backend backend) {
  std::vector<bool> rows(c.length());
  for (uint64_t row = 0; row < c.length(); ++row) {
    rows[row] = passes(c, row);
  }
  if (backend == Backend::cpu) {
    return report(c, "cpu", run_on_cpu(c, rows));
  }
  for (const QueryPath path : {QueryPath::automatic, QueryPath::composed, QueryPath::programmed,
                               QueryPath::interpreted, QueryPath::decoded}) {
    const auto result = run_on(c, backend, path, rows);
    const bool may_refuse = c.has_expressions() || path == QueryPath::composed ||
                            path == QueryPath::programmed ||
                            (path == QueryPath::interpreted && !can_be_interpreted(c));
    if (!result.has_value() && result.error().code() == StatusCode::unsupported && may_refuse) {
      continue;  // not every tree supports that path
    }
    if (std::string problem = report(c, name_of_path(path), result); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

// None, few, many or all rows.
array::Bitmap draw_rows(const Array& array, Random& random) {
  array::Bitmap rows{.words = {}, .first = array.offset, .length = array.length};
  rows.words.resize((array.offset + array.length + 1023) / 1024 * 32);
  const uint64_t every = uint64_t{1} << random.below(10);
  const uint64_t vectors_in = 1 + random.below(3);
  for (uint64_t bit = array.offset; bit < array.offset + array.length; ++bit) {
    const bool set = bit / 1024 % vectors_in == 0 && random.below(every) == 0;
    rows.words[bit / 32] |= static_cast<uint32_t>(set) << (bit % 32);
  }
  return rows;
}

std::vector<uint64_t> selected(const array::Bitmap& rows) {
  std::vector<uint64_t> indices;
  for (uint64_t i = 0; i < rows.length; ++i) {
    if (rows.at(i)) {
      indices.push_back(i);
    }
  }
  return indices;
}

std::string check_values(const Plain& column, std::string_view what, const std::vector<std::byte>& got,
                         const std::vector<uint64_t>& rows) {
  const size_t size = size_bytes(column.array.type);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (std::memcmp(got.data() + i * size, column.bytes.data() + rows[i] * size, size) != 0) {
      return fmt::format("{}: value {} of {}, row {}", what, i, rows.size(), rows[i]);
    }
  }
  return {};
}

Result<std::string> gather_on_cpu(const Plain& column, const array::Bitmap& rows,
                                  const std::vector<uint64_t>& indices) {
  const size_t size = size_bytes(column.array.type);
  std::vector<std::byte> out(indices.size() * size);
  BOBBIN_TRY(array::take(column.array, indices, out));
  if (std::string problem = check_values(column, "take", out, indices); !problem.empty()) {
    return problem;
  }
  out.resize(rows.count() * size);
  BOBBIN_TRY(array::filter(column.array, rows, out));
  return check_values(column, "filter", out, selected(rows));
}

Result<std::string> gather_on(const Plain& column, Backend backend, QueryPath path, const array::Bitmap& rows,
                              const std::vector<uint64_t>& indices) {
  BOBBIN_ASSIGN(const Stream owner, Stream::create(backend));
  const StreamView stream = owner.view();
  const size_t size = size_bytes(column.array.type);
  BOBBIN_ASSIGN(const array::OnDevice there, array::to_device(column.array, stream));
  const auto upload = [&]<class T>(const std::vector<T>& from) -> Result<DeviceBuffer> {
    BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(from.size() * sizeof(T), stream));
    BOBBIN_TRY(copy_async(buffer.data(), from.data(), from.size() * sizeof(T), stream));
    return buffer;
  };
  const auto download = [&](const DeviceBuffer& buffer, size_t bytes) -> Result<std::vector<std::byte>> {
    std::vector<std::byte> out(bytes);
    BOBBIN_TRY(copy_async(out.data(), buffer.data(), bytes, stream));
    BOBBIN_TRY(stream.synchronize());
    return out;
  };
  BOBBIN_ASSIGN(const DeviceBuffer asked, upload(indices));
  BOBBIN_ASSIGN(const DeviceBuffer fault, upload(std::vector<uint32_t>{0}));
  BOBBIN_ASSIGN(const DeviceBuffer taken, DeviceBuffer::create(indices.size() * size, stream));
  BOBBIN_TRY(plan::take_on_device(there.array, asked.as<uint64_t>(), indices.size(), taken.data(),
                                  fault.as<uint32_t>(), stream, path));
  BOBBIN_ASSIGN(const auto values, download(taken, indices.size() * size));
  if (std::string problem = check_values(column, "take", values, indices); !problem.empty()) {
    return problem;
  }
  BOBBIN_ASSIGN(const DeviceBuffer bitmap, upload(rows.words));
  BOBBIN_ASSIGN(const auto selection, plan::Selection::create(bitmap.as<uint32_t>(), column.array.offset,
                                                              column.array.length, stream));
  BOBBIN_ASSIGN(const uint64_t count, selection.count(stream));
  if (count != rows.count()) {
    return fmt::format("{} rows selected instead of {}", count, rows.count());
  }
  BOBBIN_ASSIGN(const DeviceBuffer filtered, DeviceBuffer::create(count * size, stream));
  BOBBIN_TRY(plan::filter_on_device(there.array, selection, filtered.data(), count, stream, path));
  BOBBIN_ASSIGN(const auto kept, download(filtered, count * size));
  return check_values(column, "filter", kept, selected(rows));
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

// A column made by an encoder: small integers or prices, occasional outliers, in runs or not, and sometimes
// nulls.
Array draw_long_column(Random& random, uint64_t length) {
  constexpr DType kTypes[] = {DType::u8, DType::i16, DType::u32, DType::i64, DType::f32, DType::f64};
  const DType type = kTypes[random.below(std::size(kTypes))];
  const uint64_t limit = uint64_t{1} << (1 + random.below(12));
  const uint64_t rare = random.below(2) == 0 ? UINT64_MAX : 100;
  const uint64_t run = random.below(2) == 0 ? 1 : 1 + random.below(200);
  Array values = visit_type(type, [&]<class T>(std::type_identity<T>) {
    std::vector<T> drawn(length);
    for (uint64_t i = 0; i < length; ++i) {
      T& value = drawn[i];
      if (i != 0 && random.below(run) != 0) {
        value = drawn[i - 1];
        continue;
      }
      const auto small = static_cast<double>(random.below(limit));
      value = static_cast<T>(std::is_floating_point_v<T> ? small / 100 : small);
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

Case draw_long_case(Random& random, uint64_t length) {
  Case c;
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

}  // namespace

std::string check_query(Backend backend, Random& random) {
  return check_case(draw_case(random), backend);
}

std::string check_long_query(Backend backend, Random& random) {
  return check_case(draw_long_case(random, 30'000 + random.below(20'000)), backend);
}

namespace {

// Values of one kind in one encoding, several vectors of them.
Array draw_kind(uint32_t kind, Random& random) {
  const auto encode = [&]<class T>(CodecId codec, DType type, auto&& draw) {
    std::vector<T> values(7000);
    for (T& value : values) {
      value = static_cast<T>(draw());
    }
    return *find_codec(codec)->encode({type, values.data(), values.size()});
  };
  const auto below = [&](uint64_t limit) { return [&random, limit] { return random.below(limit); }; };
  const auto price = [&](uint64_t rare) {
    return [&random, rare] {
      const double value = static_cast<double>(random.below(65536)) / 100;
      return rare != 0 && random.below(rare) == 0 ? std::sqrt(value + 0.1) : value;
    };
  };
  const auto rising = [&](uint64_t limit) {
    return [&random, limit, sum = uint64_t{0}]() mutable { return sum += random.below(limit); };
  };
  const auto any = [&] { return 1 + static_cast<double>(random.next() >> 11) * 0x1p-53; };
  switch (kind) {
    case 0:
      return encode.operator()<uint32_t>(CodecId::ffor, DType::u32, below(256));
    case 1:
      return encode.operator()<int64_t>(CodecId::ffor, DType::i64, below(uint64_t{1} << 40));
    case 2:
      return encode.operator()<double>(CodecId::alp, DType::f64, price(0));
    case 3:
      return encode.operator()<float>(CodecId::alp, DType::f32, price(0));
    case 4:
      return encode.operator()<double>(CodecId::alp, DType::f64, price(100));
    case 5:
      return encode.operator()<float>(CodecId::alp, DType::f32, price(100));
    case 6:
      return encode.operator()<uint32_t>(CodecId::delta, DType::u32, rising(256));
    case 7:
      return encode.operator()<int64_t>(CodecId::delta, DType::i64, rising(3000));
    case 8:
      return encode.operator()<double>(CodecId::alprd, DType::f64, any);
    case 9:
      return encode.operator()<float>(CodecId::alprd, DType::f32, any);
    case 10:
      return encode.operator()<uint32_t>(CodecId::dict, DType::u32,
                                         [&] { return random.below(200) * 9999991; });
    case 11:
      return encode.operator()<double>(CodecId::dict, DType::f64,
                                       [&] { return static_cast<double>(random.below(100)) * 0.37; });
    case 12:
      return encode.operator()<int64_t>(CodecId::dict, DType::i64, [&] { return random.below(900) * 99991; });
    case 13:
      return encode.operator()<int32_t>(CodecId::zigzag, DType::i32,
                                        [&] { return static_cast<int64_t>(random.below(600)) - 300; });
    case 14:
      return encode.operator()<uint16_t>(CodecId::ffor, DType::u16, below(3000));
    case 15:
      return encode.operator()<int32_t>(
          CodecId::dict, DType::i32, [&] { return static_cast<int64_t>(random.below(300)) * 7919 - 999999; });
    default:
      return encode.operator()<float>(CodecId::dict, DType::f32,
                                      [&] { return static_cast<double>(random.below(500)) * 0.5; });
  }
}

std::string check_compiled_case(const Case& c, Backend backend, bool compares) {
  std::vector<bool> rows(c.length());
  for (uint64_t row = 0; row < c.length(); ++row) {
    rows[row] = passes(c, row);
  }
  const auto result = run_on(c, backend, QueryPath::compiled, rows, compares);
  if (!result.has_value() && result.error().code() == StatusCode::unsupported) {
    return {};
  }
  return report(c, "compiled", result);
}

}  // namespace

std::string check_compiled_kind(Backend backend, uint32_t kind, Random& random, bool compares) {
  Case c;
  const uint64_t begin = random.below(2) * random.below(1500);
  add_columns(c, {draw_kind(kind % kKinds, random), draw_kind((kind + 5) % kKinds, random)}, begin,
              7000 - begin);
  // All values of a range of the first column, summed; or a tree of tests of both.
  const auto test = [&](uint32_t column) {
    const Plain& plain = c.columns[column];
    const DType type = plain.array.type;
    Scalar low = plain.at(random.below(c.length()));
    Scalar high = plain.at(random.below(c.length()));
    if (less(type, high, low)) {
      std::swap(low, high);
    }
    c.filter.push_back({.kind = Condition::Kind::test,
                        .column = column,
                        .range = ValueRange::between(type, low, high),
                        .more = {},
                        .passes = {}});
  };
  test(0);
  if (kind >= kKinds) {
    test(1);
    c.filter.back().range.negated = !c.filter.back().range.negated;
    c.filter.push_back({.kind = Condition::Kind::either, .column = 0, .range = {}, .more = {}, .passes = {}});
    c.aggregates.push_back({Fold::sum, 1});
    c.aggregates.push_back({Fold::extremes, 0});
    if (const auto expression = combination(c.numbers, 0, 1); expression.has_value()) {
      c.aggregates.push_back({Fold::sum, {}, std::make_shared<plan::Expression>(*expression)});
    }
  }
  c.aggregates.push_back({Fold::sum, 0});
  return check_compiled_case(c, backend, compares);
}

std::string check_compiled(Backend backend, Random& random, bool compares) {
  const bool any = random.below(3) == 0;
  return check_compiled_case(any ? draw_case(random) : draw_long_case(random, 2500 + random.below(10'000)),
                             backend, compares);
}

namespace {

// Runs of integers or prices, encoded by rle or sparse, with drawn codecs for both children.
Array draw_runs(CodecId codec, uint64_t length, Random& random) {
  constexpr DType kTypes[] = {DType::u8,  DType::i16, DType::u32, DType::i32,
                              DType::i64, DType::u64, DType::f64};
  const DType type = kTypes[random.below(std::size(kTypes))];
  const uint64_t run = 2 + random.below(random.below(2) == 0 ? 20 : 3000);
  const uint64_t limit = uint64_t{1} << (1 + random.below(8 * size_bytes(type) - 1));
  Split split = visit_type(type, [&]<class T>(std::type_identity<T>) {
    std::vector<T> values(length);
    for (uint64_t i = 0; i < length; ++i) {
      const bool fresh = codec == CodecId::sparse ? random.below(run) == 0 : i == 0 || random.below(run) == 0;
      const double price = static_cast<double>(random.below(1000)) / 8;
      const T drawn = std::is_floating_point_v<T> ? static_cast<T>(price)
                                                  : static_cast<T>(random.below(limit) - limit / 3);
      const T before = i == 0 || codec == CodecId::sparse ? T{7} : values[i - 1];
      values[i] = fresh ? drawn : before;
    }
    return *find_codec(codec)->split({type, values.data(), length});
  });
  const auto encode = [&](const OwnedValues& child) {
    constexpr CodecId kIntegers[] = {CodecId::ffor, CodecId::delta, CodecId::patched, CodecId::dict};
    const CodecId drawn = is_float(child.type) ? CodecId::alp : kIntegers[random.below(std::size(kIntegers))];
    return *find_codec(drawn)->encode(child.view());
  };
  for (const OwnedValues& child : split.children) {
    split.node.children.push_back(encode(child));
  }
  return std::move(split.node);
}

Case draw_runs_case(Random& random) {
  Case c;
  const uint64_t length = 1 + random.below(40'000);
  const CodecId codec = random.below(3) == 0 ? CodecId::sparse : CodecId::rle;
  std::vector<Array> arrays{draw_runs(codec, length, random)};
  if (random.below(3) == 0) {
    arrays.push_back(draw_runs(CodecId::rle, length, random));
  }
  const uint64_t begin = random.below(2) * random.below(length);
  add_columns(c, arrays, begin, length - begin - random.below(2) * random.below(length - begin));
  add_questions(c, random);
  return c;
}

}  // namespace

std::string check_runs(Backend backend, Random& random, bool compares) {
  return check_compiled_case(draw_runs_case(random), backend, compares);
}

std::string check_runs_without_compiler(Backend backend, Random& random) {
  return check_case(draw_runs_case(random), backend);
}

namespace {

// Integers, repeated ones, or decimals, as wide as their type allows or less: some are too large for loops
// that expect 52 bits. Several vectors of them.
Array draw_plain(Random& random) {
  constexpr DType kTypes[] = {DType::u8,  DType::i8,  DType::u16, DType::u32, DType::i32,
                              DType::i64, DType::u64, DType::f32, DType::f64, DType::f64};
  const DType type = kTypes[random.below(std::size(kTypes))];
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    std::vector<T> values(1 + random.below(20'000));
    const auto bits = 1 + static_cast<uint32_t>(random.below(size_bits(type)));
    const uint64_t middle = random.below(2) == 0 ? 0 : low_mask<uint64_t>(bits) / 2;
    for (T& value : values) {
      const uint64_t drawn = (random.next() & low_mask<uint64_t>(bits)) - middle;
      value = std::is_floating_point_v<T> ? static_cast<T>(static_cast<int64_t>(drawn) >> 10) / 100
                                          : static_cast<T>(drawn);
    }
    const CodecId codec = random.below(3) == 0   ? CodecId::dict
                          : is_float(type)       ? CodecId::alp
                          : random.below(2) == 0 ? CodecId::ffor
                                                 : CodecId::bitpack;
    return *find_codec(codec)->encode({type, values.data(), values.size()});
  });
}

}  // namespace

std::string check_test_and_sum(Backend backend, Random& random) {
  Case c;
  const Array array = random.below(4) == 0 ? draw_cascade(random) : draw_plain(random);
  const uint64_t begin = random.below(2) == 0 ? 0 : random.below(array.length + 1);
  add_columns(c, {array}, begin, array.length - begin);
  c.filter.push_back({.kind = Condition::Kind::test,
                      .column = 0,
                      .range = draw_range(c.columns[0], random),
                      .more = {},
                      .passes = {}});
  c.aggregates.push_back({Fold::sum, 0});
  return check_case(c, backend);
}

std::string check_query_at(Backend backend, uint64_t offset, Random& random) {
  Case c;
  std::vector<Array> arrays;
  for (uint64_t i = 0; i < 2; ++i) {
    arrays.push_back(draw_long_column(random, 2500));
  }
  add_columns(c, arrays, offset, 1 + random.below(2500 - offset));
  add_questions(c, random);
  return check_case(c, backend);
}

std::string check_gather(Backend backend, Random& random) {
  const Case c = draw_case(random);
  const Plain& column = c.columns[0];
  const array::Bitmap rows = draw_rows(column.array, random);
  std::vector<uint64_t> indices(c.length() == 0 ? 0 : random.below(300));
  for (uint64_t& index : indices) {
    index = random.below(c.length());
  }
  if (backend == Backend::cpu) {
    return report(c, "cpu", gather_on_cpu(column, rows, indices));
  }
  for (const QueryPath path : {QueryPath::automatic, QueryPath::interpreted, QueryPath::decoded}) {
    const auto result = gather_on(column, backend, path, rows, indices);
    if (!result.has_value() && result.error().code() == StatusCode::unsupported &&
        path != QueryPath::automatic) {
      continue;
    }
    if (std::string problem = report(c, name_of_path(path), result); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

}  // namespace bobbin::testing
