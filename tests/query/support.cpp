// SPDX-License-Identifier: Apache-2.0
#include "tests/query/support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>

#include "core/scalar.hpp"
#include "file/append.hpp"
#include "tests/query/meaning.hpp"

namespace bobbin::query_tests {
namespace {

using query::AggregateSpec;
using query::Literal;
using query::Predicate;
using query::Value;

constexpr DType kTypes[] = {DType::u8,  DType::i16, DType::u32,  DType::i64,   DType::u64,
                            DType::f32, DType::f64, DType::utf8, DType::binary};
// Those with logical types; every other one is nullable.
constexpr const char* kMeanings[] = {"decimal(2) i32", "decimal(4)", "date", "timestamp[ms]", "bool"};

bool is_null(const Cell& cell) {
  return std::holds_alternative<std::monostate>(cell);
}

double draw_real(Random& random, uint64_t group) {
  switch (random.below(group % 3 == 2 ? 40 : 400)) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return std::numeric_limits<double>::infinity();
    case 2:
      return -std::numeric_limits<double>::infinity();
    case 3:
      return -0.0;
    default:
      // Quarters: their sums are exact in any order.
      return 0.25 * (static_cast<double>(random.below(200)) + 100.0 * static_cast<double>(group) - 200);
  }
}

Int128 draw_integer(Random& random, DType type, uint64_t group) {
  return visit_integer(type, [&]<class T>(std::type_identity<T>) {
    if (random.below(500) == 0) {
      return Int128{random.below(2) == 0 ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max()};
    }
    const auto center = static_cast<int64_t>(group * 20) - (std::is_signed_v<T> ? 50 : 0);
    return Int128{static_cast<T>(center + static_cast<int64_t>(random.below(30)))};
  });
}

// Some row groups have no nulls, and one chunk of a column has only nulls.
bool draw_null(Random& random, const Column& column, uint64_t group) {
  if (!column.nullable && !is_string(column.type)) {
    return false;
  }
  return group == 2 ? column.type == DType::u32 || random.below(3) == 0 : group != 1 && random.below(7) == 0;
}

Cell draw_cell(Random& random, const Column& column, uint64_t group) {
  const DType type = column.type;
  if (draw_null(random, column, group)) {
    return {};
  }
  if (is_string(type)) {
    constexpr const char* kFirst[] = {"a", "b", "c", "B", "\u00e9", "\u00c9"};
    const uint64_t first = random.below(8) == 0 ? random.below(std::size(kFirst)) : group % 3;
    return fmt::format("{}/{}", kFirst[first], random.below(20));
  }
  if (type == DType::f32) {
    return static_cast<double>(static_cast<float>(draw_real(random, group)));
  }
  if (is_float(type)) {
    return draw_real(random, group);
  }
  return draw_stored(random, column.logical, draw_integer(random, type, group));
}

template <class T>
int sign_of(const T& a, const T& b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

// The constant, a number with a decimal point, as a float column sees it. A long double is large enough for
// everything that is compared.
long double rounded(DType type, const Literal& literal) {
  const long double near = type == DType::f32 ? static_cast<float>(literal.real) : literal.real;
  return std::isinf(near) ? static_cast<long double>(literal.real) : near;
}

// Compares a double with an integer, without rounding either.
std::optional<int> sign_of(double value, Int128 integer) {
  constexpr double kBeyond = 0x1p127;
  if (std::isnan(value)) {
    return std::nullopt;
  }
  if (value >= kBeyond || value < -kBeyond) {
    return value < 0 ? -1 : 1;
  }
  const double whole = std::floor(value);
  const int sign = sign_of(static_cast<Int128>(whole), integer);
  return sign == 0 && whole != value ? 1 : sign;
}

// A pattern near a text: parts of it are replaced by wildcards.
std::string draw_pattern(Random& random, const std::string& text) {
  std::string pattern = random.below(3) == 0 ? "%" : "";
  for (const char c : text) {
    const uint64_t what = random.below(8);
    pattern += what == 0 ? '%' : what == 1 && static_cast<uint8_t>(c) < 0x80 ? '_' : c;
  }
  const bool has_wildcard = pattern.find_first_of("%_") != std::string::npos;
  return pattern + (!has_wildcard || random.below(2) == 0 ? "%" : "");
}

Predicate draw_string_leaf(Random& random, const query::ColumnName& column, const Literal& literal,
                           const Literal& other) {
  switch (random.below(8)) {
    case 0:
      return column.starts_with(literal.text);
    case 1:
      return column.contains(literal.text.substr(1));
    case 2:
      return column.ends_with(literal.text.substr(1));
    case 3:
      return column.like(draw_pattern(random, literal.text));
    case 4:
      return column.ilike(draw_pattern(random, literal.text));
    case 5:
      return column.between(literal, other);
    default:
      return column.compare(static_cast<Compare>(random.below(6)), literal);
  }
}

// Columns that can be compared with each other.
int class_of(const Column& column) {
  const Logical::Kind kind = column.logical.kind;
  return is_string(column.type)                                            ? 1
         : kind == Logical::Kind::date || kind == Logical::Kind::timestamp ? 2
         : kind == Logical::Kind::boolean                                  ? 3
                                                                           : 0;
}

Predicate draw_column_leaf(Random& random, const TestTable& table, size_t c) {
  size_t other = random.below(table.columns.size());
  while (class_of(table.columns[other]) != class_of(table.columns[c])) {
    other = random.below(table.columns.size());
  }
  const bool boolean = table.columns[c].logical.kind == Logical::Kind::boolean;
  const auto op = static_cast<Compare>(random.below(boolean ? 2 : 6));
  return query::ColumnName(table.columns[c].name).compare(op, query::col(table.columns[other].name));
}

Predicate draw_leaf(Random& random, const TestTable& table) {
  const size_t c = random.below(table.columns.size());
  const query::ColumnName column(table.columns[c].name);
  const auto draw = [&] { return draw_literal(random, table, c); };
  switch (random.below(8)) {
    case 0:
      return column.is_null();
    case 1: {
      std::vector<Literal> literals;
      for (uint64_t i = 1 + random.below(random.below(4) == 0 ? 40 : 5); i > 0; --i) {
        literals.push_back(draw());
      }
      return column.in(std::move(literals));
    }
    case 2:
      return draw_column_leaf(random, table, c);
    default:
      break;
  }
  if (is_string(table.columns[c].type)) {
    return draw_string_leaf(random, column, draw(), draw());
  }
  if (table.columns[c].logical.kind == Logical::Kind::boolean) {
    return column.compare(random.below(2) == 0 ? Compare::eq : Compare::ne, draw());
  }
  return random.below(4) == 0 ? column.between(draw(), draw())
                              : column.compare(static_cast<Compare>(random.below(6)), draw());
}

size_t index_of(const TestTable& table, const std::string& name) {
  return static_cast<size_t>(std::ranges::find(table.columns, name, &Column::name) - table.columns.begin());
}

std::optional<bool> compares_cell(const Column& column, const Cell& cell, Compare op,
                                  const Literal& literal) {
  return column.logical.kind == Logical::Kind::plain
             ? compares(column.type, cell, op, literal)
             : compares_by_meaning(column.logical, std::get<Int128>(cell), op, literal);
}

// Characters of UTF-8.
std::vector<std::string> characters(const std::string& text) {
  std::vector<std::string> found;
  for (const char c : text) {
    if ((static_cast<uint8_t>(c) & 0xc0) != 0x80) {
      found.emplace_back();
    }
    found.back() += c;
  }
  return found;
}

std::string lower(const std::string& character) {
  if (character == "\u00c9") {
    return "\u00e9";
  }
  const char c = character[0];
  return c >= 'A' && c <= 'Z' ? std::string(1, static_cast<char>(c + 32)) : character;
}

bool matches(const std::vector<std::string>& text, size_t i, const std::vector<std::string>& pattern,
             size_t p, bool any_case) {
  if (p == pattern.size()) {
    return i == text.size();
  }
  if (pattern[p] == "%") {
    return matches(text, i, pattern, p + 1, any_case) ||
           (i < text.size() && matches(text, i + 1, pattern, p, any_case));
  }
  const bool alike = i < text.size() && (pattern[p] == "_" || pattern[p] == text[i] ||
                                         (any_case && lower(pattern[p]) == lower(text[i])));
  return alike && matches(text, i + 1, pattern, p + 1, any_case);
}

Int128 power_of_ten(int digits) {
  return digits == 0 ? 1 : 10 * power_of_ten(digits - 1);
}

// In units of 10^-18, or milliseconds.
Int128 in_parts(const Column& column, const Cell& cell) {
  const Int128 value = std::get<Int128>(cell);
  switch (column.logical.kind) {
    case Logical::Kind::date:
      return value * 86'400'000;
    case Logical::Kind::timestamp:
      return value;
    default:
      return value * power_of_ten(18 - column.logical.scale);
  }
}

// Compares a float with a float, an integer, or a decimal, which is rounded.
std::optional<int> sign_beside(const Column& real, const Cell& cell, const Column& column,
                               const Cell& other) {
  const double value = std::get<double>(cell);
  if (std::isnan(value)) {
    return std::nullopt;
  }
  if (const auto* reals = std::get_if<double>(&other)) {
    return std::isnan(*reals) ? std::nullopt : std::optional(sign_of(value, *reals));
  }
  const Int128 integer = std::get<Int128>(other);
  if (column.logical.kind != Logical::Kind::decimal) {
    return sign_of(value, integer);
  }
  const std::string digits = fmt::format("{}e-{}", integer, column.logical.scale);
  return sign_of(value, real.type == DType::f32 ? double{std::strtof(digits.c_str(), nullptr)}
                                                : std::strtod(digits.c_str(), nullptr));
}

std::optional<int> sign_of_cells(const Column& left, const Cell& a, const Column& right, const Cell& b) {
  if (is_string(left.type)) {
    return sign_of(std::get<std::string>(a), std::get<std::string>(b));
  }
  if (is_float(left.type)) {
    return sign_beside(left, a, right, b);
  }
  if (is_float(right.type)) {
    const auto sign = sign_beside(right, b, left, a);
    return sign.has_value() ? std::optional(-*sign) : sign;
  }
  return sign_of(in_parts(left, a), in_parts(right, b));
}

std::optional<bool> evaluate_columns(const TestTable& table, uint64_t row, const Predicate& predicate) {
  const size_t left = index_of(table, predicate.column);
  const size_t right = index_of(table, predicate.other);
  const Cell& a = table.cells[left][row];
  const Cell& b = table.cells[right][row];
  if (is_null(a) || is_null(b)) {
    return std::nullopt;
  }
  const std::optional<int> sign = sign_of_cells(table.columns[left], a, table.columns[right], b);
  return sign.has_value() ? holds(predicate.op, *sign) : predicate.op == Compare::ne;
}

// Inlined, GCC 12 with AddressSanitizer takes what an empty optional does not have for uninitialised.
[[gnu::noinline]] std::optional<bool> evaluate_leaf(const TestTable& table, uint64_t row,
                                                    const Predicate& predicate) {
  const size_t c = index_of(table, predicate.column);
  const Column& column = table.columns[c];
  const Cell& cell = table.cells[c][row];
  const bool null = is_null(cell);
  if (predicate.kind == Predicate::Kind::is_null) {
    return null;
  }
  if (null) {
    return std::nullopt;
  }
  switch (predicate.kind) {
    case Predicate::Kind::compare_columns:
      return evaluate_columns(table, row, predicate);
    case Predicate::Kind::ends_with:
      return std::get<std::string>(cell).ends_with(predicate.literals[0].text);
    case Predicate::Kind::like:
    case Predicate::Kind::ilike:
      return matches(characters(std::get<std::string>(cell)), 0, characters(predicate.literals[0].text), 0,
                     predicate.kind == Predicate::Kind::ilike);
    case Predicate::Kind::compare:
      return compares_cell(column, cell, predicate.op, predicate.literals[0]);
    case Predicate::Kind::between:
      return *compares_cell(column, cell, Compare::ge, predicate.literals[0]) &&
             *compares_cell(column, cell, Compare::le, predicate.literals[1]);
    case Predicate::Kind::in:
      return std::ranges::any_of(predicate.literals, [&](const Literal& literal) {
        return *compares_cell(column, cell, Compare::eq, literal);
      });
    case Predicate::Kind::starts_with:
      return std::get<std::string>(cell).starts_with(predicate.literals[0].text);
    default:
      return std::get<std::string>(cell).find(predicate.literals[0].text) != std::string::npos;
  }
}

std::string to_source(const Literal& literal) {
  if (literal.kind == Literal::Kind::integer) {
    return fmt::format("{}", literal.integer);
  }
  if (literal.kind == Literal::Kind::real) {
    const std::string digits = fmt::format("{}", literal.real);
    return digits.find_first_of(".enf") == std::string::npos ? digits + ".0" : digits;
  }
  if (literal.kind == Literal::Kind::boolean) {
    return literal.integer != 0 ? "true" : "FALSE";
  }
  std::string text = "'";
  for (const char c : literal.text) {
    text += c == '\'' ? "''" : std::string(1, c);
  }
  return text + "'";
}

Value value_of_cell(const Column& column, const Cell& cell) {
  if (const auto* integer = std::get_if<Int128>(&cell)) {
    return Value::of_integer(*integer, column.logical);
  }
  if (const auto* real = std::get_if<double>(&cell)) {
    return Value::of_real(*real);
  }
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? Value() : Value::of_text(*text);
}

bool is_nan(const Value& value) {
  return value.kind == Value::Kind::real && std::isnan(value.real);
}

// In the order of groups.
bool before(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.is_null()) {
    return a.is_null() && !b.is_null();
  }
  if (is_nan(a) || is_nan(b)) {
    return !is_nan(a);
  }
  return a.kind == Value::Kind::integer ? a.integer < b.integer
         : a.kind == Value::Kind::real  ? a.real < b.real
                                        : a.text < b.text;
}

// A long double is large enough for the sums of these tables. Its quotient is rounded twice, so numbers that
// fit are divided as doubles.
Value average_of(const Value& sum, uint64_t count) {
  if (sum.is_null()) {
    return {};
  }
  if (sum.kind == Value::Kind::real) {
    return Value::of_real(sum.real / static_cast<double>(count));
  }
  const auto divisor =
      static_cast<long double>(count) * static_cast<long double>(power_of_ten(sum.logical.scale));
  constexpr auto kExact = static_cast<long double>(uint64_t{1} << 53);
  const auto total = static_cast<long double>(sum.integer);
  if (std::abs(total) <= kExact && divisor <= kExact) {
    return Value::of_real(static_cast<double>(total) / static_cast<double>(divisor));
  }
  return Value::of_real(static_cast<double>(total / divisor));
}

template <class T>
T number_of(const Cell& cell) {
  if (is_null(cell)) {
    return static_cast<T>(77);  // ignored
  }
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(std::get<double>(cell));
  } else {
    return static_cast<T>(std::get<Int128>(cell));
  }
}

// A column in the form of Writer::append.
class ColumnMemory {
 public:
  ColumnMemory(const Column& column, const std::vector<Cell>& cells)
      : column_(column), validity_((cells.size() + 7) / 8) {
    if (is_string(column.type)) {
      add_strings(cells);
      return;
    }
    for (size_t row = 0; row < cells.size(); ++row) {
      const uint32_t bit = is_null(cells[row]) ? 0 : 1U << (row % 8);
      validity_[row / 8] = static_cast<uint8_t>(validity_[row / 8] | bit);
      visit_type(column.type, [&]<class T>(std::type_identity<T>) { add(number_of<T>(cells[row])); });
    }
    nullable_ = {bytes_.data(), validity_.data()};
  }

  [[nodiscard]] const void* pointer() const {
    return is_string(column_.type) ? static_cast<const void*>(&view_)
           : column_.nullable      ? static_cast<const void*>(&nullable_)
                                   : bytes_.data();
  }

 private:
  template <class T>
  void add(T value) {
    const auto raw = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
  void add_strings(const std::vector<Cell>& cells) {
    file_tests::Texts texts;
    for (const Cell& cell : cells) {
      texts.push_back(is_null(cell) ? std::nullopt : std::optional(std::get<std::string>(cell)));
    }
    strings_ = file_tests::strings_of(texts);
    strings_.type = column_.type;
    view_ = strings_.view();
  }

  Column column_;
  file_tests::Bytes bytes_;
  std::vector<uint8_t> validity_;
  NullableView nullable_;
  Strings strings_;
  StringsView view_;
};

}  // namespace

TestTable draw_table(Random& random, uint64_t rows, uint64_t rows_per_group) {
  TestTable table{.columns = {}, .cells = {}, .rows = rows};
  for (const DType type : kTypes) {
    const bool nullable =
        type == DType::i16 || type == DType::u32 || type == DType::u64 || type == DType::f64;
    table.columns.push_back({std::string(to_string(type)), type, nullable});
  }
  for (const char* const text : kMeanings) {
    const ColumnType type = parse_column_type(text).value();
    table.columns.push_back({text, type.type, table.columns.size() % 2 == 0, type.logical});
  }
  for (const Column& column : table.columns) {
    std::vector<Cell> cells;
    for (uint64_t row = 0; row < rows; ++row) {
      cells.push_back(draw_cell(random, column, row / rows_per_group));
    }
    table.cells.push_back(std::move(cells));
  }
  return table;
}

Status write(const std::string& path, const TestTable& table, uint64_t rows_per_group,
             const std::string& codec) {
  std::vector<ColumnMemory> memory;
  memory.reserve(table.columns.size());  // views point into it
  std::vector<const void*> pointers;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    pointers.push_back(memory.emplace_back(table.columns[c], table.cells[c]).pointer());
  }
  WriteOptions options;
  options.rows_per_group = rows_per_group;
  options.codec = codec;
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, table.columns, options));
  BOBBIN_TRY(file::append_untyped(writer, pointers, table.rows));
  return writer.finish();
}

Literal draw_literal(Random& random, const TestTable& table, size_t column) {
  const DType type = table.columns[column].type;
  const Cell& cell = table.cells[column][random.below(table.rows)];
  if (is_string(type)) {
    const auto* text = std::get_if<std::string>(&cell);
    return text == nullptr ? Literal("it's") : Literal(text->substr(0, 1 + random.below(4)));
  }
  if (const Logical& logical = table.columns[column].logical; logical.kind != Logical::Kind::plain) {
    return draw_by_meaning(random, logical, is_null(cell) ? 1 : std::get<Int128>(cell));
  }
  if (is_null(cell) || random.below(8) == 0) {
    constexpr double kReals[] = {1e300, -1e300, 0.5, -0.0, 1e19, -3.75};
    return kReals[random.below(std::size(kReals))];
  }
  const auto nudge = static_cast<int64_t>(random.below(3)) - 1;
  if (const auto* integer = std::get_if<Int128>(&cell)) {
    return random.below(4) == 0 ? Literal(static_cast<double>(*integer) + 0.5 * static_cast<double>(nudge))
                                : Literal(*integer + nudge);
  }
  const double real = std::get<double>(cell);
  return std::isfinite(real) && random.below(4) == 0 ? Literal(static_cast<int64_t>(real))
                                                     : Literal(real + 0.25 * static_cast<double>(nudge));
}

Predicate draw_predicate(Random& random, const TestTable& table, int depth) {
  if (depth == 0 || random.below(4) == 0) {
    return draw_leaf(random, table);
  }
  Predicate drawn = draw_predicate(random, table, depth - 1);
  for (uint64_t more = random.below(3); more > 0; --more) {
    Predicate next = draw_predicate(random, table, depth - 1);
    drawn = random.below(2) == 0 ? std::move(drawn) && std::move(next) : std::move(drawn) || std::move(next);
  }
  return random.below(4) == 0 ? !std::move(drawn) : drawn;
}

std::optional<bool> compares(DType type, const Cell& cell, Compare op, const Literal& literal) {
  if (is_null(cell)) {
    return std::nullopt;
  }
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return holds(op, sign_of(*text, literal.text));
  }
  const auto* integer = std::get_if<Int128>(&cell);
  if (integer != nullptr && literal.kind == Literal::Kind::integer) {
    return holds(op, sign_of(*integer, literal.integer));
  }
  if (integer == nullptr && literal.kind == Literal::Kind::integer) {
    const std::optional<int> sign = sign_of(std::get<double>(cell), literal.integer);
    return sign.has_value() ? holds(op, *sign) : op == Compare::ne;
  }
  const auto value = integer == nullptr ? static_cast<long double>(std::get<double>(cell))
                                        : static_cast<long double>(*integer);
  const long double constant =
      is_float(type) ? rounded(type, literal) : static_cast<long double>(literal.real);
  if (std::isnan(value) || std::isnan(constant)) {
    return op == Compare::ne;
  }
  return holds(op, sign_of(value, constant));
}

std::optional<bool> evaluate(const TestTable& table, uint64_t row, const Predicate& predicate) {
  if (predicate.kind == Predicate::Kind::negation) {
    const auto truth = evaluate(table, row, predicate.parts[0]);
    return truth.has_value() ? std::optional(!*truth) : std::nullopt;
  }
  if (predicate.kind != Predicate::Kind::both && predicate.kind != Predicate::Kind::either) {
    return evaluate_leaf(table, row, predicate);
  }
  const bool decisive = predicate.kind == Predicate::Kind::either;
  bool known = true;
  for (const Predicate& part : predicate.parts) {
    const auto truth = evaluate(table, row, part);
    if (truth == decisive) {
      return decisive;
    }
    known = known && truth.has_value();
  }
  return known ? std::optional(!decisive) : std::nullopt;
}

namespace {

Value aggregate_rows(const TestTable& table, std::span<const uint64_t> rows, const AggregateSpec& spec) {
  const bool of_rows = spec.column.empty();
  const size_t column = of_rows ? 0 : index_of(table, spec.column);
  const bool adds = spec.kind == AggregateSpec::Kind::sum || spec.kind == AggregateSpec::Kind::avg;
  uint64_t count = 0;
  Value found;
  std::set<Value, decltype(&before)> different(&before);
  for (const uint64_t row : rows) {
    const Value value =
        of_rows ? Value::of_integer(1) : value_of_cell(table.columns[column], table.cells[column][row]);
    if (value.is_null()) {
      continue;
    }
    ++count;
    if (spec.kind == AggregateSpec::Kind::count_distinct) {
      different.insert(value);
    } else if (adds) {
      found.kind = value.kind;
      found.logical = value.logical.kind == Logical::Kind::decimal ? value.logical : Logical();
      found.integer += value.integer;
      found.real += value.real;
    } else if (!is_nan(value) &&
               (found.is_null() ||
                (spec.kind == AggregateSpec::Kind::min ? before(value, found) : before(found, value)))) {
      found = value;
    }
  }
  switch (spec.kind) {
    case AggregateSpec::Kind::count:
      return Value::of_integer(count);
    case AggregateSpec::Kind::count_distinct:
      return Value::of_integer(different.size());
    case AggregateSpec::Kind::avg:
      return average_of(found, count);
    default:
      return found;
  }
}

}  // namespace

Value aggregate(const TestTable& table, const std::vector<bool>& passes, const AggregateSpec& spec) {
  std::vector<uint64_t> rows;
  for (uint64_t row = 0; row < table.rows; ++row) {
    if (passes[row]) {
      rows.push_back(row);
    }
  }
  return aggregate_rows(table, rows, spec);
}

std::vector<std::vector<Value>> group_by(const TestTable& table, const std::vector<bool>& passes,
                                         const std::vector<std::string>& keys,
                                         const std::vector<AggregateSpec>& aggregates) {
  const auto less = [](const std::vector<Value>& a, const std::vector<Value>& b) {
    return std::ranges::lexicographical_compare(a, b, before);
  };
  std::map<std::vector<Value>, std::vector<uint64_t>, decltype(less)> groups(less);
  for (uint64_t row = 0; row < table.rows; ++row) {
    if (passes[row]) {
      std::vector<Value> values;
      for (const std::string& key : keys) {
        const size_t column = index_of(table, key);
        values.push_back(value_of_cell(table.columns[column], table.cells[column][row]));
      }
      groups[values].push_back(row);
    }
  }
  std::vector<std::vector<Value>> found;
  for (const auto& [values, rows] : groups) {
    found.push_back(values);
    for (const AggregateSpec& spec : aggregates) {
      found.back().push_back(aggregate_rows(table, rows, spec));
    }
  }
  return found;
}

std::vector<std::vector<Value>> select(const TestTable& table, const std::vector<bool>& passes,
                                       const std::vector<std::string>& columns) {
  std::vector<std::vector<Value>> found;
  for (uint64_t row = 0; row < table.rows; ++row) {
    if (passes[row]) {
      found.emplace_back();
      for (const std::string& name : columns) {
        const size_t column = index_of(table, name);
        found.back().push_back(value_of_cell(table.columns[column], table.cells[column][row]));
      }
    }
  }
  return found;
}

void sort_rows(std::vector<std::vector<Value>>& rows, const std::vector<std::pair<size_t, bool>>& order) {
  for (size_t i = order.size(); i-- > 0;) {
    std::ranges::stable_sort(rows, [&](const auto& a, const auto& b) {
      const auto [place, descending] = order[i];
      return descending ? before(b[place], a[place]) : before(a[place], b[place]);
    });
  }
}

query::GroupCounts group_counts(const TestTable& table, const std::vector<bool>& passes, size_t column) {
  std::map<Value, uint64_t, decltype(&before)> groups(&before);
  for (uint64_t row = 0; row < table.rows; ++row) {
    if (passes[row]) {
      ++groups[value_of_cell(table.columns[column], table.cells[column][row])];
    }
  }
  return {groups.begin(), groups.end()};
}

bool same(const Value& a, const Value& b) {
  return a == b || (is_nan(a) && is_nan(b)) ||
         (a.kind == Value::Kind::real && b.kind == Value::Kind::real && a.real == b.real);
}

std::string to_source(const Predicate& predicate) {
  const std::string name = '"' + predicate.column + '"';
  switch (predicate.kind) {
    case Predicate::Kind::compare:
    case Predicate::Kind::compare_columns:
    case Predicate::Kind::compare_expressions: {
      constexpr std::string_view kSymbols[] = {"=", "<>", "<", "<=", ">", ">="};
      if (predicate.kind == Predicate::Kind::compare_expressions) {
        return fmt::format("{} {} {}", to_string(predicate.expressions[0]),
                           kSymbols[static_cast<size_t>(predicate.op)], to_string(predicate.expressions[1]));
      }
      return fmt::format("{} {} {}", name, kSymbols[static_cast<size_t>(predicate.op)],
                         predicate.kind == Predicate::Kind::compare ? to_source(predicate.literals[0])
                                                                    : '"' + predicate.other + '"');
    }
    case Predicate::Kind::between:
      return fmt::format("{} BETWEEN {} AND {}", name, to_source(predicate.literals[0]),
                         to_source(predicate.literals[1]));
    case Predicate::Kind::in: {
      std::string list;
      for (const Literal& literal : predicate.literals) {
        list += (list.empty() ? "" : ",") + to_source(literal);
      }
      return fmt::format("{} In ({})", name, list);
    }
    case Predicate::Kind::is_null:
      return name + " is null";
    case Predicate::Kind::starts_with:
      return fmt::format("{} like {}", name, to_source(Literal(predicate.literals[0].text + "%")));
    case Predicate::Kind::ends_with:
      return fmt::format("{} like {}", name, to_source(Literal("%" + predicate.literals[0].text)));
    case Predicate::Kind::like:
    case Predicate::Kind::ilike:
      return fmt::format("{} {} {}", name, predicate.kind == Predicate::Kind::like ? "like" : "ILIKE",
                         to_source(predicate.literals[0]));
    case Predicate::Kind::contains:
      return fmt::format("{} like {}", name, to_source(Literal("%" + predicate.literals[0].text + "%")));
    case Predicate::Kind::negation:
      return fmt::format("not ({})", to_source(predicate.parts[0]));
    case Predicate::Kind::both:
    case Predicate::Kind::either:
      break;
  }
  std::string text;
  for (const Predicate& part : predicate.parts) {
    text += text.empty() ? "" : predicate.kind == Predicate::Kind::both ? " and " : " or ";
    text += fmt::format("({})", to_source(part));
  }
  return text;
}

}  // namespace bobbin::query_tests
