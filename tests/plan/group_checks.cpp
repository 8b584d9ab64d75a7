// SPDX-License-Identifier: Apache-2.0
// Groups in composed kernels, compared with the same on decoded values.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "array/array.hpp"
#include "bobbin/file.hpp"
#include "bobbin/query.hpp"
#include "core/dispatch.hpp"
#include "core/scalar.hpp"
#include "file/append.hpp"
#include "plan/host.hpp"
#include "plan/plan.hpp"
#include "tests/drawn.hpp"
#include "tests/file/support.hpp"
#include "tests/plan/checks.hpp"
#include "tests/plan/encode_drawn.hpp"
#include "tests/plan/expressions.hpp"

namespace bobbin::testing {
namespace {

using plan::Aggregate;
using plan::Fold;
using plan::KeyColumn;
using plan::Total;

constexpr uint64_t kGroupRows = 5000;

struct Groups {
  std::vector<Array> columns;
  std::vector<KeyColumn> keys;
  plan::Filter filter;
  std::vector<Aggregate> aggregates;

  [[nodiscard]] uint64_t length() const { return columns[0].length; }
  [[nodiscard]] uint64_t cells() const {
    uint64_t cells = 1;
    for (const KeyColumn& key : keys) {
      cells *= key.cells();
    }
    return cells;
  }
};

template <class T, class Draw>
Array encode(CodecId codec, Draw&& draw, uint64_t rows = kGroupRows) {
  return encode_drawn<T>(codec, std::forward<Draw>(draw), rows);
}

// A key of up to `most` values; some are greater.
Array draw_key(Random& random, uint64_t most, KeyColumn& key) {
  key.values = static_cast<uint32_t>(1 + random.below(most));
  key.low = random.below(2) == 0 ? 0 : random.below(40);
  const uint64_t drawn = key.values + random.below(2);
  const auto draw = [&] { return key.low + random.below(drawn); };
  switch (random.below(5)) {
    case 0:
      return encode<uint8_t>(CodecId::ffor, draw);
    case 1:
      return encode<uint8_t>(CodecId::bitpack, draw);
    case 2:
      return encode<uint16_t>(CodecId::ffor, draw);
    case 3:
      return encode<int64_t>(CodecId::ffor, draw);
    default:
      return encode<uint32_t>(random.below(2) == 0 ? CodecId::patched : CodecId::ffor, draw);
  }
}

// What is summed: narrow and wide integers in several encodings, with values that a word has no room for.
Array draw_values(Random& random) {
  const auto below = [&](uint64_t limit) { return [&random, limit] { return random.below(limit); }; };
  switch (random.below(8)) {
    case 0:
    case 1:
      return encode<uint32_t>(CodecId::ffor, below(256));
    case 2:
      return encode<int32_t>(CodecId::ffor, [&] { return static_cast<int64_t>(random.below(4000)) - 2000; });
    case 3:
      return encode<int64_t>(CodecId::ffor, [&] { return random.next() >> (random.below(64)); });
    case 4:
      return encode<uint64_t>(CodecId::delta,
                              [&, sum = uint64_t{0}]() mutable { return sum += random.next() >> 20; });
    case 5:
      return encode<int32_t>(CodecId::dict,
                             [&] { return static_cast<int64_t>(random.below(90)) * 99991 - 5000000; });
    case 6:
      return encode<uint8_t>(CodecId::ffor, below(200));
    default:
      return encode<double>(CodecId::alp, [&] { return static_cast<double>(random.below(9999)) / 100; });
  }
}

// Values and nulls of all columns.
struct Decoded {
  explicit Decoded(const Groups& groups) {
    for (const Array& array : groups.columns) {
      valid.push_back(*array::validity(array));
      bytes.emplace_back(array.length * size_bytes(array.type));
      (void)array::decode(array, bytes.back());
      numbers.push_back(number_column(array.type, bytes.back()));
    }
  }
  [[nodiscard]] Scalar at(const Groups& groups, uint32_t column, uint64_t row) const {
    const size_t size = size_bytes(groups.columns[column].type);
    Scalar scalar;
    std::copy_n(bytes[column].data() + row * size, size, reinterpret_cast<std::byte*>(&scalar.bits));
    return scalar;
  }

  [[nodiscard]] bool has_null(const std::vector<uint32_t>& columns, uint64_t row) const {
    return std::ranges::any_of(columns, [&](uint32_t column) { return !valid[column].at(row); });
  }

  std::vector<array::Bitmap> valid;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<NumberColumn> numbers;
};

// Sums of integers, counts, minimums and maximums.
void draw_expressions(Groups& groups, Random& random) {
  const Decoded decoded(groups);
  for (uint64_t i = 0, count = random.below(4); i < count; ++i) {
    const auto expression = draw_expression(random, decoded.numbers);
    if (expression.has_value() && !expression->is_real()) {
      const auto fold = random.below(4) == 0 ? static_cast<Fold>(random.below(3)) : Fold::sum;
      groups.aggregates.push_back({fold, {}, std::make_shared<plan::Expression>(*expression)});
    }
  }
}

Groups draw_groups(Random& random) {
  Groups groups;
  for (uint64_t k = 0, count = 1 + random.below(2); k < count; ++k) {
    KeyColumn& key = groups.keys.emplace_back(KeyColumn{.column = static_cast<uint32_t>(k)});
    groups.columns.push_back(draw_key(random, k == 0 ? 9 : 4, key));
    key.nulls = random.below(3) == 0;
    if (key.nulls) {
      groups.columns.back() = with_nulls(std::move(groups.columns.back()), random);
    }
  }
  const uint64_t first = groups.columns.size();
  for (uint64_t i = 0, count = 1 + random.below(3); i < count; ++i) {
    Array values = draw_values(random);
    groups.columns.push_back(random.below(4) == 0 ? with_nulls(std::move(values), random)
                                                  : std::move(values));
  }
  const auto any_value = [&] {
    return static_cast<uint32_t>(first + random.below(groups.columns.size() - first));
  };
  groups.aggregates.push_back({Fold::count, std::nullopt});
  for (uint64_t i = 0, count = random.below(7); i < count; ++i) {
    const uint32_t column = any_value();
    const bool sums = random.below(4) != 0 && !is_float(groups.columns[column].type);
    groups.aggregates.push_back({sums                   ? Fold::sum
                                 : random.below(2) == 0 ? Fold::count
                                                        : Fold::extremes,
                                 column});
  }
  const uint64_t begin = random.below(2) * random.below(1500);
  const uint64_t kept = kGroupRows - begin - random.below(2) * 100;
  for (Array& column : groups.columns) {
    column = *array::slice(column, begin, kept);
  }
  if (random.below(3) != 0) {
    const uint32_t column = any_value();
    const Array& array = groups.columns[column];
    Scalar low = *array::value_at(array, random.below(groups.length()));
    Scalar high = *array::value_at(array, random.below(groups.length()));
    if (less(array.type, high, low)) {
      std::swap(low, high);
    }
    groups.filter.push_back({.kind = plan::Condition::Kind::test,
                             .column = column,
                             .range = ValueRange::between(array.type, low, high),
                             .more = {},
                             .passes = {}});
  }
  draw_expressions(groups, random);
  return groups;
}

void add_value(DType type, Scalar value, Fold fold, Total& total) {
  if (fold == Fold::sum) {
    visit_integer(type, [&]<class T>(std::type_identity<T>) { total.sum += value_of<T>(value); });
  } else if (fold == Fold::extremes) {
    total.least = !total.least.has_value() || less(type, value, *total.least) ? value : *total.least;
    total.greatest =
        !total.greatest.has_value() || less(type, *total.greatest, value) ? value : *total.greatest;
  }
}

std::vector<Total> expected(const Groups& groups) {
  const Decoded decoded(groups);
  std::vector<Total> totals(groups.cells() * groups.aggregates.size());
  for (uint64_t row = 0; row < groups.length(); ++row) {
    const bool passes = std::ranges::all_of(groups.filter, [&](const plan::Condition& test) {
      return decoded.valid[test.column].at(row) &&
             test.range.holds(groups.columns[test.column].type, decoded.at(groups, test.column, row));
    });
    uint64_t cell = 0;
    for (const KeyColumn& key : groups.keys) {
      const uint64_t above = decoded.at(groups, key.column, row).bits - key.low;
      cell = cell * key.cells() +
             (decoded.valid[key.column].at(row) ? std::min<uint64_t>(above, key.values - 1) : key.values);
    }
    for (size_t a = 0; a < groups.aggregates.size() && passes; ++a) {
      const Aggregate& aggregate = groups.aggregates[a];
      Total& total = totals[cell * groups.aggregates.size() + a];
      if (aggregate.expression != nullptr) {
        if (!decoded.has_null(aggregate.expression->columns(), row)) {
          ++total.count;
          const Number number = evaluate(*aggregate.expression, decoded.numbers,
                                         [&](uint32_t column) { return decoded.at(groups, column, row); });
          add_value(DType::i64, scalar_of(static_cast<int64_t>(number.integer)), aggregate.fold, total);
        }
        continue;
      }
      if (aggregate.column.has_value() && !decoded.valid[*aggregate.column].at(row)) {
        continue;
      }
      ++total.count;
      if (aggregate.column.has_value()) {
        add_value(groups.columns[*aggregate.column].type, decoded.at(groups, *aggregate.column, row),
                  aggregate.fold, total);
      }
    }
  }
  return totals;
}

Result<std::vector<Total>> run_on(Backend backend, const Groups& groups) {
  if (backend == Backend::cpu) {
    std::vector<plan::Source> sources;
    for (const Array& column : groups.columns) {
      sources.push_back({.array = &column, .bitmap = nullptr});
    }
    return plan::run_groups_on_host(sources, groups.filter, groups.aggregates, groups.keys);
  }
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  std::vector<array::OnDevice> columns;
  for (const Array& column : groups.columns) {
    BOBBIN_ASSIGN(array::OnDevice there, array::to_device(column, stream.view()));
    columns.push_back(std::move(there));
  }
  std::vector<plan::Source> sources;
  for (const auto& column : columns) {
    sources.push_back({.array = &column.array, .bitmap = nullptr});
  }
  BOBBIN_ASSIGN(const auto prepared,
                plan::Prepared::create_groups(sources, groups.filter, groups.aggregates, groups.keys,
                                              stream.view(), plan::QueryPath::compiled));
  BOBBIN_TRY(prepared.run(stream.view()));
  return prepared.totals(stream.view());
}

bool same(const Total& a, const Total& b) {
  return a.count == b.count && a.sum == b.sum && a.least == b.least && a.greatest == b.greatest;
}

}  // namespace

namespace {

std::string check(const Groups& groups, Backend backend, bool compares) {
  const auto got = run_on(backend, groups);
  if (!got.has_value()) {
    return got.error().code() == StatusCode::unsupported ? "" : std::string(got.error().message());
  }
  const std::vector<Total> want = expected(groups);
  for (size_t i = 0; i < want.size() && compares; ++i) {
    if (!same((*got)[i], want[i])) {
      return fmt::format("aggregate {} of cell {}: {} rows instead of {}, sum {} instead of {}",
                         i % groups.aggregates.size(), i / groups.aggregates.size(), (*got)[i].count,
                         want[i].count, static_cast<int64_t>((*got)[i].sum),
                         static_cast<int64_t>(want[i].sum));
    }
  }
  return {};
}

}  // namespace

std::string check_groups(Backend backend, Random& random, bool compares) {
  return check(draw_groups(random), backend, compares);
}

std::string check_long_groups(Backend backend, bool compares) {
  constexpr uint64_t kLong = 600'000;
  Random random(1);
  const auto below = [&](uint64_t limit) { return [&random, limit] { return random.below(limit); }; };
  Groups groups;
  groups.columns = {encode<uint8_t>(CodecId::ffor, below(3), kLong),
                    encode<uint32_t>(CodecId::ffor, below(256), kLong),
                    encode<uint32_t>(CodecId::ffor, below(4000), kLong)};
  groups.keys = {{.column = 0, .low = 0, .values = 3}};
  groups.aggregates = {{Fold::count, std::nullopt}, {Fold::sum, 1}, {Fold::sum, 2}};
  return check(groups, backend, compares);
}

std::string check_wide_groups(Backend backend) {
  Random random(2);
  Groups groups;
  groups.columns = {
      encode<uint8_t>(CodecId::ffor, [&] { return random.below(5); }),
      encode<uint64_t>(CodecId::ffor, [&] { return UINT64_MAX - random.below(9); }),
      encode<int64_t>(CodecId::ffor, [&] { return static_cast<uint64_t>(INT64_MIN) + random.below(9); }),
      encode<int64_t>(CodecId::ffor, [&] { return random.below(9) - 4; })};
  groups.keys = {{.column = 0, .low = 0, .values = 5}};
  groups.aggregates = {{Fold::sum, 1}, {Fold::sum, 2}, {Fold::sum, 3}};
  return check(groups, backend, true);
}

namespace {

// A file of several row groups with keys of few values: one gets a dictionary, the other does not.
Status write_keys(const std::string& path) {
  constexpr uint64_t kLong = 9000;
  Random random(7);
  std::vector<uint32_t> shop(kLong);
  std::vector<int16_t> day(kLong);
  std::vector<int64_t> amount(kLong);
  std::vector<uint32_t> number(kLong);
  for (uint64_t i = 0; i < kLong; ++i) {
    shop[i] = static_cast<uint32_t>((1 + random.below(5)) * 99'999'989);
    day[i] = static_cast<int16_t>(random.below(4)) - 2;
    amount[i] = static_cast<int64_t>(random.below(100'000)) - 40'000;
    number[i] = static_cast<uint32_t>(random.below(200));
  }
  WriteOptions options;
  options.rows_per_group = 4096;
  const std::vector<Column> columns{{.name = "shop", .type = DType::u32},
                                    {.name = "day", .type = DType::i16},
                                    {.name = "amount", .type = DType::i64},
                                    {.name = "number", .type = DType::u32}};
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, columns, options));
  BOBBIN_TRY(file::append_untyped(
      writer, std::vector<const void*>{shop.data(), day.data(), amount.data(), number.data()}, kLong));
  return writer.finish();
}

bool same_rows(const query::ResultTable& a, const query::ResultTable& b) {
  return std::ranges::equal(a.rows, b.rows, [](const auto& left, const auto& right) {
    return std::ranges::equal(left, right, [](const query::Value& one, const query::Value& other) {
      return one.kind == other.kind && one.integer == other.integer && one.real == other.real;
    });
  });
}

// What is asked of each group, and without groups; the second has expressions, in more aggregates than a
// built-in kernel has.
constexpr std::string_view kAggregates[] = {
    "count(),sum(amount),sum(number),avg(number)",
    "count(),sum(amount),sum(amount*(100-number)),sum(amount*(100-number)*(8+number)),avg(number),"
    "avg(2*number-amount),count(-amount),sum(number*number)",
};
constexpr std::string_view kFilters[] = {"", "number < 90", "3 * number < amount - 7 or amount <= 5"};

Result<std::string> compare_files(const std::string& path, Backend backend, bool compares) {
  BOBBIN_TRY(write_keys(path));
  BOBBIN_ASSIGN(const Reader reader, Reader::open(path));
  for (const std::string_view filter : drawn_of(kFilters)) {
    query::Query asked(reader);
    if (!filter.empty()) {
      BOBBIN_ASSIGN(query::Predicate predicate, query::parse_predicate(filter));
      asked = asked.where(std::move(predicate));
    }
    for (const std::string_view text : drawn_of(kAggregates)) {
      BOBBIN_ASSIGN(const auto aggregates, query::parse_aggregates(text));
      for (const std::vector<std::string>& keys :
           {std::vector<std::string>{}, {"shop"}, {"day"}, {"shop", "day"}, {"day", "shop"}}) {
        BOBBIN_ASSIGN(const auto wanted, asked.group_by(keys, aggregates));
        BOBBIN_ASSIGN(const auto got, asked.on(backend).group_by(keys, aggregates));
        if (compares && !same_rows(got, wanted)) {
          return fmt::format("{} by {} where {} differ", text, fmt::join(keys, ", "), filter);
        }
      }
    }
  }
  return std::string();
}

}  // namespace

std::string check_grouped_file(Backend backend, bool compares) {
  const file_tests::TempDir folder;
  ::setenv("BOBBIN_QUERY_KERNELS", "compiled", 1);
  const auto problem = compare_files(folder / "groups.bob", backend, compares);
  ::unsetenv("BOBBIN_QUERY_KERNELS");
  return problem.has_value() ? *problem : std::string(problem.error().message());
}

}  // namespace bobbin::testing
