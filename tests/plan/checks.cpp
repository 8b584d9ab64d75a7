// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "codecs/registry.hpp"
#include "core/scalar.hpp"
#include "plan/column_plan.hpp"
#include "plan/host.hpp"
#include "tests/codecs/cascades.hpp"
#include "tests/plan/query_case.hpp"

namespace bobbin::testing {
namespace {

using plan::Condition;
using plan::Fold;
using plan::QueryPath;

Result<std::string> run_on(const QueryCase& c, Backend backend, QueryPath path, const std::vector<bool>& rows,
                           bool compares = true) {
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  std::vector<array::OnDevice> columns;
  for (const PlainColumn& column : c.columns) {
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

Result<std::string> run_on_cpu(const QueryCase& c, const std::vector<bool>& rows) {
  std::vector<plan::Source> sources;
  for (const PlainColumn& column : c.columns) {
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

// Whether kernels support all codecs of the columns, whose vectors are aligned.
bool can_be_interpreted(const QueryCase& c) {
  return std::ranges::all_of(c.columns, [&](const PlainColumn& column) {
    plan::ColumnPlan made;
    std::vector<plan::Dictionary> dictionaries;
    return column.array.offset == c.offset() &&
           plan::make_column(plan::values_of(column.array), QueryPath::interpreted, made, dictionaries);
  });
}

std::string check_case(const QueryCase& c, Backend backend) {
  const std::vector<bool> rows = rows_that_pass(c);
  if (backend == Backend::cpu) {
    return report(c, "cpu", run_on_cpu(c, rows));
  }
  for (const QueryPath path : {QueryPath::automatic, QueryPath::interpreted, QueryPath::decoded}) {
    const auto result = run_on(c, backend, path, rows);
    const bool may_refuse = c.has_expressions() || (path == QueryPath::interpreted && !can_be_interpreted(c));
    if (!result.has_value() && result.error().code() == StatusCode::unsupported && may_refuse) {
      continue;  // not every tree supports that path
    }
    if (std::string problem = report(c, name_of_path(path), result); !problem.empty()) {
      return problem;
    }
  }
  return {};
}

}  // namespace

std::string check_query(Backend backend, Random& random) {
  return check_case(draw_case(random), backend);
}

std::string check_long_query(Backend backend, Random& random) {
  return check_case(draw_long_case(random, 30'000 + random.below(20'000)), backend);
}

namespace {

constexpr uint64_t kKindRows = 30'000;

// A dictionary as no encoder writes it, with any codes: a code that exceeds its type wraps around, and one
// that exceeds the last entry's means that entry.
template <class Code>
Array draw_odd_codes(uint64_t entries, Random& random) {
  std::vector<int32_t> values(entries);
  for (int32_t& value : values) {
    value = static_cast<int32_t>(random.next());
  }
  std::ranges::sort(values);
  std::vector<Code> codes(kKindRows);
  for (Code& code : codes) {
    code = static_cast<Code>(random.below(uint64_t{1} << (1 + random.below(8))));
  }
  const Codec& ffor = *find_codec(CodecId::ffor);
  Array packed = *ffor.encode({kDTypeOf<Code>, codes.data(), codes.size()});
  const size_t bytes = packed.buffers[0].bytes.size();
  const NewBuffer references = make_buffer(bytes);
  for (size_t i = 0; i < bytes / sizeof(Code); ++i) {
    const uint64_t starts[] = {0, 1, entries - 2, UINT64_MAX, UINT64_MAX - random.below(300)};
    const auto reference = static_cast<Code>(starts[random.below(std::size(starts))]);
    std::memcpy(references.data + i * sizeof(Code), &reference, sizeof(Code));
  }
  packed.buffers[0] = references.buffer;
  return {.codec = CodecId::dict,
          .type = DType::i32,
          .length = kKindRows,
          .metadata = {},
          .buffers = {},
          .children = {std::move(packed), *ffor.encode({DType::i32, values.data(), values.size()})}};
}

// Values of one kind in one encoding, several vectors of them.
Array draw_kind(uint32_t kind, Random& random) {
  const auto encode = [&]<class T>(CodecId codec, DType type, auto&& draw) {
    std::vector<T> values(kKindRows);
    for (T& value : values) {
      value = static_cast<T>(draw());
    }
    return *find_codec(codec)->encode({type, values.data(), values.size()});
  };
  const auto below = [&](uint64_t limit) { return [&random, limit] { return random.below(limit); }; };
  // In one vector of three, values are `away` from others: integers are negative, or so large that they are
  // not scaled in the quick way.
  const auto price = [&](uint64_t rare, double away = 0) {
    return [&random, rare, away, row = uint64_t{0}]() mutable {
      const double value =
          static_cast<double>(random.below(65536)) / 100 + (row++ / kVectorLength % 3 == 1 ? away : 0);
      return rare != 0 && random.below(rare) == 0 ? std::sqrt(std::abs(value) + 0.1) : value;
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
    case 16:
      return encode.operator()<float>(CodecId::dict, DType::f32,
                                      [&] { return static_cast<double>(random.below(500)) * 0.5; });
    case 17:
      return draw_odd_codes<uint32_t>(300, random);
    case 18:
      return draw_odd_codes<uint16_t>(70'000, random);
    case 19:
      return encode.operator()<double>(CodecId::alp, DType::f64, price(0, -300));
    case 20:
      return encode.operator()<double>(CodecId::alp, DType::f64, price(100, -300));
    case 21:
      return encode.operator()<float>(CodecId::alp, DType::f32, price(0, -300));
    case 22:
      return encode.operator()<double>(CodecId::alp, DType::f64, price(20, 6e13));
    case 23:
      return encode.operator()<float>(CodecId::alp, DType::f32, price(20, 100'000));
    case 24:
      return encode.operator()<double>(CodecId::alp, DType::f64, price(15));
    default:  // more entries than shared memory has room for
      return encode.operator()<int32_t>(CodecId::dict, DType::i32, [&] { return random.next(); });
  }
}

// Rows of which each vector has none, one, about as many as wait in a kernel, half or all.
std::vector<bool> draw_marked(uint64_t length, Random& random) {
  std::vector<bool> marked(length);
  for (uint64_t first = 0; first < length; first += kVectorLength) {
    const uint64_t here = std::min<uint64_t>(kVectorLength, length - first);
    constexpr uint64_t kCounts[] = {0, 1, 3, 31, 32, 33, 63, 64, 65, 512};
    const uint64_t kind = random.below(std::size(kCounts) + 1);
    if (kind == std::size(kCounts)) {
      std::fill_n(marked.begin() + static_cast<std::ptrdiff_t>(first), here, true);
      continue;
    }
    for (uint64_t k = 0; k < kCounts[kind]; ++k) {  // some rows are drawn twice
      marked[first + (kCounts[kind] < 512 && kind % 2 == 0 ? k * 15 % here : random.below(here))] = true;
    }
  }
  return marked;
}

constexpr uint64_t kMarkedFrom = 60;
constexpr uint64_t kMarkedTo = 70;

// Numbers of a drawn type and width, of which the marked ones are from kMarkedFrom to kMarkedTo, and the
// others are not. They are packed, perhaps as codes or with a scale.
Array draw_marked_column(const std::vector<bool>& marked, Random& random) {
  constexpr DType kTypes[] = {DType::u32, DType::i64, DType::i32, DType::u16,
                              DType::u64, DType::i16, DType::f64};
  const DType type = kTypes[random.below(std::size(kTypes))];
  const bool coded = !is_float(type) && random.below(4) == 0;
  const uint64_t most_bits = is_float(type) ? 40 : coded ? 9 : size_bits(type) - 7;
  const uint64_t limit = uint64_t{1} << random.below(most_bits);
  const CodecId codec = is_float(type) ? CodecId::alp : coded ? CodecId::dict : CodecId::ffor;
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    std::vector<T> values(marked.size());
    for (size_t i = 0; i < marked.size(); ++i) {
      const uint64_t above = kMarkedTo + 1 + random.below(limit);
      const uint64_t other = random.below(2) == 0 ? above : random.below(kMarkedFrom);
      const uint64_t inside = kMarkedFrom + random.below(kMarkedTo - kMarkedFrom + 1);
      values[i] = static_cast<T>(marked[i] ? inside : other);
    }
    return *find_codec(codec)->encode({type, values.data(), values.size()});
  });
}

ValueRange marked_range(DType type) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    return ValueRange::between(type, scalar_of(static_cast<T>(kMarkedFrom)),
                               scalar_of(static_cast<T>(kMarkedTo)));
  });
}

std::string check_compiled_case(const QueryCase& c, Backend backend, bool compares) {
  const std::vector<bool> rows = rows_that_pass(c);
  const auto result = run_on(c, backend, QueryPath::compiled, rows, compares);
  if (!result.has_value() && result.error().code() == StatusCode::unsupported) {
    return {};
  }
  return report(c, "compiled", result);
}

}  // namespace

std::string check_compiled_kind(Backend backend, uint32_t kind, Random& random, bool compares) {
  QueryCase c;
  const uint64_t begin = random.below(2) * random.below(1500);
  add_columns(c, {draw_kind(kind % kKinds, random), draw_kind((kind + 5) % kKinds, random)}, begin,
              kKindRows - begin);
  // All values of a range of the first column, summed; or a tree of tests of both.
  const auto test = [&](uint32_t column) {
    const PlainColumn& plain = c.columns[column];
    const DType type = plain.array.type;
    Scalar low = plain.at(random.below(c.length()));
    Scalar high = plain.at(random.below(c.length()));
    if (random.below(3) == 0) {  // few rows, among them a vector's first: exceptions may be packed like it
      low = plain.at((1 + random.below(8)) * kVectorLength - begin % kVectorLength);
      high = low;
    }
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
  if (kind / kKinds % 2 == 1) {
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

namespace {

// Entries with gaps between them, each in at least one row; rows are drawn. Some codes exceed the last
// entry's if `beyond`.
template <class T>
Array draw_large_dictionary(uint64_t entries, uint64_t rows, bool beyond, Random& random) {
  std::vector<T> values(entries);
  for (uint64_t i = 0; i < entries; ++i) {
    values[i] = static_cast<T>((i * 3 - entries) << (sizeof(T) == 8 ? 40 : 8) | random.below(200));
  }
  std::vector<uint16_t> codes(rows);
  for (uint64_t i = 0; i < rows; ++i) {
    codes[i] = static_cast<uint16_t>(i < entries ? i : random.below(entries));
    if (beyond && random.below(100) == 0) {
      codes[i] = static_cast<uint16_t>(~random.below(100));
    }
  }
  const Codec& ffor = *find_codec(CodecId::ffor);
  return {.codec = CodecId::dict,
          .type = kDTypeOf<T>,
          .length = rows,
          .metadata = {},
          .buffers = {},
          .children = {*ffor.encode({DType::u16, codes.data(), codes.size()}),
                       *ffor.encode({kDTypeOf<T>, values.data(), values.size()})}};
}

// As many entries of 64 bits as a block holds, or one more or less.
constexpr uint64_t kHeld = 24'704;

Array draw_large_dictionary(uint32_t kind, Random& random) {
  const bool beyond = random.below(2) == 0;
  switch (kind) {
    case 0:
      return draw_large_dictionary<uint32_t>(9000, 40'000, beyond, random);
    case 1:
      return draw_large_dictionary<int64_t>(5000, 24'000, beyond, random);
    case 2:
      return draw_large_dictionary<int32_t>(20'000, 70'000, beyond, random);
    default:
      return draw_large_dictionary<uint64_t>(kHeld + 1500, 110'000, beyond, random);
  }
}

}  // namespace

std::string check_held(Backend backend, uint32_t kind, Random& random, bool compares) {
  QueryCase c;
  Array array = draw_large_dictionary(kind, random);
  const uint64_t entries = array.children[1].length;
  const uint64_t begin = random.below(2) * random.below(1500);
  const uint64_t rows = array.length - begin;
  add_columns(c, {std::move(array)}, begin, rows);
  const DType type = c.columns[0].array.type;
  // A few codes, most of them, about as many as a block holds, all, or none.
  std::vector<std::byte> bytes(entries * size_bytes(type));
  (void)array::decode(c.columns[0].array.children[1], bytes);
  const auto entry = [&](uint64_t i) {
    Scalar value{};
    std::memcpy(&value.bits, bytes.data() + i * size_bytes(type), size_bytes(type));
    return value;
  };
  const uint64_t counts[] = {
      1, 300, entries / 2, entries - 2, std::min(entries, kHeld - 1 + random.below(3)), entries};
  const uint64_t count = counts[random.below(std::size(counts))];
  const uint64_t first = random.below(entries - count + 1);
  ValueRange range = ValueRange::between(type, entry(first), entry(first + count - 1));
  if (random.below(8) == 0) {
    range = ValueRange::none(type);
  }
  c.filter.push_back({.kind = Condition::Kind::test, .column = 0, .range = range, .more = {}, .passes = {}});
  c.aggregates.push_back({Fold::sum, 0});
  return check_compiled_case(c, backend, compares);
}

namespace {

// Integers of one width; a few vectors have another.
template <class T>
Array draw_of_width(uint32_t width, uint64_t rows, Random& random) {
  std::vector<T> values(rows);
  const uint64_t base = random.below(2) == 0 ? 0 : random.next();
  for (uint64_t first = 0; first < rows; first += kVectorLength) {
    const uint64_t limit = random.below(6) == 0 ? 1 + random.below(300) : uint64_t{1} << width;
    for (uint64_t i = first; i < std::min(rows, first + kVectorLength); ++i) {
      values[i] = static_cast<T>(base + random.below(limit));
    }
  }
  return *find_codec(CodecId::ffor)->encode({kDTypeOf<T>, values.data(), values.size()});
}

}  // namespace

std::string check_alike(Backend backend, uint32_t kind, Random& random, bool compares) {
  constexpr uint64_t kRows = 7000;
  QueryCase c;
  std::vector<Array> arrays;
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t width = kind % 2 == 0 ? 8 : 4;
    arrays.push_back(kind % 3 == 0   ? draw_of_width<uint32_t>(width, kRows, random)
                     : kind % 3 == 1 ? draw_of_width<int32_t>(width, kRows, random)
                                     : draw_of_width<int64_t>(width, kRows, random));
  }
  const uint64_t begin = random.below(2) * random.below(1500);
  add_columns(c, arrays, begin, kRows - begin);
  const auto test = [&](uint32_t column) {
    c.filter.push_back({.kind = Condition::Kind::test,
                        .column = column,
                        .range = draw_range(c.columns[column], random),
                        .more = {},
                        .passes = {}});
  };
  const auto join = [&](bool both) {
    c.filter.push_back({.kind = both ? Condition::Kind::both : Condition::Kind::either,
                        .column = 0,
                        .range = {},
                        .more = {},
                        .passes = {}});
  };
  test(0);
  test(1);
  join(random.below(2) == 0);
  if (random.below(2) == 0) {
    test(random.below(2) == 0 ? 2 : 1);
    join(random.below(2) == 0);
  }
  c.aggregates.push_back({Fold::sum, 2});
  if (random.below(2) == 0) {
    c.aggregates.push_back({Fold::count, std::nullopt});
    c.aggregates.push_back({Fold::sum, 0});
  }
  return check_compiled_case(c, backend, compares);
}

std::string check_few_rows(Backend backend, Random& random, bool compares) {
  const uint64_t length = 1 + random.below(30'000);
  const std::vector<bool> marked = draw_marked(length, random);
  std::vector<Array> arrays;
  for (uint64_t i = 0, count = 2 + random.below(3); i < count; ++i) {
    arrays.push_back(draw_marked_column(i == 0 ? marked : std::vector<bool>(length), random));
  }
  QueryCase c;
  const uint64_t begin = random.below(2) * random.below(length);
  add_columns(c, arrays, begin, random.below(2) == 0 ? length - begin : random.below(length - begin + 1));
  for (uint32_t i = 0; i < c.columns.size(); ++i) {
    const DType type = c.columns[i].array.type;
    c.filter.push_back({.kind = Condition::Kind::test,
                        .column = i,
                        .range = i == 0 ? marked_range(type) : draw_range(c.columns[i], random),
                        .more = {},
                        .passes = {}});
    if (i != 0) {
      const bool either = i + 1 == c.columns.size() && i > 1 && random.below(2) == 0;
      c.filter.push_back({.kind = either ? Condition::Kind::either : Condition::Kind::both,
                          .column = 0,
                          .range = {},
                          .more = {},
                          .passes = {}});
    }
  }
  c.aggregates = {{Fold::count, {}}, {Fold::sum, static_cast<uint32_t>(c.columns.size() - 1)}};
  if (const auto expression = combination(c.numbers, 0, 1); expression.has_value()) {
    c.aggregates.push_back({Fold::sum, {}, std::make_shared<plan::Expression>(*expression)});
  }
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
    const CodecId integers = kIntegers[random.below(2) * random.below(std::size(kIntegers))];
    const CodecId drawn = is_float(child.type) ? CodecId::alp : integers;
    return *find_codec(drawn)->encode(child.view());
  };
  for (const OwnedValues& child : split.children) {
    split.node.children.push_back(encode(child));
  }
  return std::move(split.node);
}

QueryCase draw_runs_case(Random& random) {
  QueryCase c;
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

// Integers, repeated ones, or decimals, as wide as their type allows or less: some are too large for
// loops that expect 52 bits. Several vectors of them.
Array draw_plain(Random& random) {
  if (random.below(10) == 0) {
    return random.below(2) == 0 ? draw_odd_codes<uint32_t>(300, random)
                                : draw_odd_codes<uint16_t>(70'000, random);
  }
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
  QueryCase c;
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
  QueryCase c;
  std::vector<Array> arrays;
  for (uint64_t i = 0; i < 2; ++i) {
    arrays.push_back(draw_long_column(random, 2500));
  }
  add_columns(c, arrays, offset, 1 + random.below(2500 - offset));
  add_questions(c, random);
  return check_case(c, backend);
}

}  // namespace bobbin::testing
