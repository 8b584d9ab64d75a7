// SPDX-License-Identifier: Apache-2.0
// Files to Arrow streams and back: types, rows, lifetimes, damage.
#include "tests/interop/support.hpp"

#include <cerrno>
#include <numeric>

#include "bobbin/cancel.hpp"
#include "tests/interop/everything.hpp"
#include "tests/table/support.hpp"

namespace bobbin::interop_tests {
namespace {

using arrow::TableScanOptions;
using file_tests::TempDir;
using file_tests::Texts;

using Stream = Received<ArrowArrayStream>;
using Array = Received<ArrowArray>;

// The values of `name` in all arrays of a stream of one i32 column.
std::vector<int32_t> numbers_of(ArrowArrayStream& stream) {
  std::vector<int32_t> all;
  for (;;) {
    Array array;
    const int code = stream.get_next(&stream, &array.held);
    EXPECT_EQ(code, 0) << stream.get_last_error(&stream);
    if (code != 0 || array.held.release == nullptr) {
      return all;
    }
    const ArrowArray& child = *array.held.children[0];
    const auto* const values = static_cast<const int32_t*>(child.buffers[1]) + child.offset;
    all.insert(all.end(), values, values + child.length);
  }
}

Status start(const std::shared_ptr<const Reader>& reader, const TableScanOptions& options, Stream& stream) {
  return arrow::export_table_scan(reader, options, &stream.held);
}

size_t column_named(const Reader& reader, const std::string& name) {
  return static_cast<size_t>(std::ranges::find(reader.columns(), name, &Column::name) -
                             reader.columns().begin());
}

TEST(ArrowScan, WhatIsExportedIsImportedAgain) {
  const TempDir dir;
  const auto reader = everything(dir);
  constexpr uint64_t kBatches[] = {UINT64_MAX, 333, 8};
  for (const uint64_t batch_rows : testing::drawn_of(kBatches)) {
    Stream stream;
    ASSERT_OK(start(reader, {.batch_rows = batch_rows}, stream));
    const std::string copy = dir / ("copy" + std::to_string(batch_rows % 1000) + ".bob");
    const auto rows = arrow::write_stream(&stream.held, copy);
    ASSERT_TRUE(rows.has_value()) << rows.error().message();
    EXPECT_EQ(*rows, kRows);
    const auto again = open(copy);
    EXPECT_EQ(arrow::own_metadata(*again), (Metadata{{"who", "we"}}));
    for (size_t c = 0; c < reader->columns().size(); ++c) {
      const Column& column = again->columns()[c];
      EXPECT_EQ(column.name, reader->columns()[c].name);
      EXPECT_EQ(arrow::fields_of(*again)[c].format, arrow::fields_of(*reader)[c].format);
      if (column.logical.kind == Logical::Kind::decimal && column.type != reader->columns()[c].type) {
        continue;  // decimals of any width become i64: the next test compares them
      }
      table_tests::expect_same(table_tests::expected(*again, c, 0, kRows),
                               table_tests::expected(*reader, c, 0, kRows));
    }
  }
}

TEST(ArrowScan, DecimalsOfAllWidthsKeepTheirValues) {
  const TempDir dir;
  const auto reader = everything(dir);
  Stream stream;
  ASSERT_OK(start(reader, {}, stream));
  ASSERT_TRUE(arrow::write_stream(&stream.held, dir / "copy.bob").has_value());
  const auto again = open(dir / "copy.bob");
  for (size_t c = 0; c < reader->columns().size(); ++c) {
    const HostColumn before = table_tests::expected(*reader, c, 0, kRows);
    const HostColumn after = table_tests::expected(*again, c, 0, kRows);
    for (uint64_t row = 0; row < kRows && before.column.logical.kind == Logical::Kind::decimal; ++row) {
      ASSERT_EQ(before.is_null(row), after.is_null(row));
      ASSERT_EQ(to_double(before.column.type, before.number(row)),
                to_double(after.column.type, after.number(row)));
    }
  }
}

TEST(ArrowScan, PlainBuffersAreTheReadersOwn) {
  HostColumn column;
  column.column = {"x", DType::i32};
  column.length = 3;
  column.values = std::make_unique<std::byte[]>(12);
  const void* const memory = column.values.get();
  std::vector<HostColumn> columns;
  columns.push_back(std::move(column));
  Array array;
  ASSERT_OK(arrow::export_columns(std::move(columns), std::vector<std::string>{"i"}, &array.held));
  EXPECT_EQ(array.held.children[0]->buffers[1], memory);
}

TEST(ArrowScan, ChildrenOutliveTheirParentAndTheReader) {
  const TempDir dir;
  auto reader = everything(dir);
  Stream stream;
  ASSERT_OK(start(reader, {.columns = {{column_named(*reader, "never null")}}}, stream));
  const HostColumn wanted = table_tests::expected(*reader, column_named(*reader, "never null"), 0, 1024);
  reader.reset();
  Array array;
  ASSERT_EQ(stream.held.get_next(&stream.held, &array.held), 0);
  Array child;
  child.held = *array.held.children[0];
  array.held.children[0]->release = nullptr;  // moved out, as the specification allows
  array.reset();
  stream.reset();
  ASSERT_EQ(child.held.length, 1024);
  EXPECT_EQ(std::memcmp(child.held.buffers[1], wanted.values.get(), 4096), 0);
}

TEST(ArrowScan, ACancelledCallCanBeRepeated) {
  const TempDir dir;
  const auto reader = everything(dir);
  for (const unsigned threads : {1U, 3U}) {
    Stream stream;
    ASSERT_OK(start(reader, {.batch_rows = 100, .threads = threads}, stream));
    int64_t rows = 0;
    for (bool cancels = true;; cancels = !cancels) {
      CancelToken token;
      const CancelScope scope(token);
      if (cancels) {
        token.cancel();
      }
      Array array;
      const int code = stream.held.get_next(&stream.held, &array.held);
      ASSERT_EQ(code, cancels ? ECANCELED : 0);
      if (!cancels && array.held.release == nullptr) {
        break;
      }
      rows += cancels ? 0 : array.held.length;
    }
    EXPECT_EQ(rows, static_cast<int64_t>(kRows));
  }
}

TEST(ArrowScan, StreamsMayBeDroppedAtAnyPoint) {
  const TempDir dir;
  const auto reader = everything(dir);
  for (int reads = 0; reads < 4; ++reads) {
    Stream stream;
    ASSERT_OK(start(reader, {.threads = 4}, stream));
    for (int i = 0; i < reads; ++i) {
      Array array;
      ASSERT_EQ(stream.held.get_next(&stream.held, &array.held), 0);
    }
  }
}

TEST(ArrowScan, RangesLimitsGroupsAndFilters) {
  const TempDir dir;
  const auto reader = everything(dir);
  const size_t column = column_named(*reader, "never null");
  const HostColumn all = table_tests::expected(*reader, column, 0, kRows);
  const auto value = [&](uint64_t row) { return value_of<int32_t>(all.number(row)); };
  const auto check = [&](TableScanOptions options, auto keep, uint64_t limit) {
    options.columns = {{column}};
    std::vector<int32_t> wanted;
    for (uint64_t row = 0; row < kRows && wanted.size() < limit; ++row) {
      if (keep(row)) {
        wanted.push_back(value(row));
      }
    }
    for (const unsigned threads : {1U, 3U}) {
      options.threads = threads;
      Stream stream;
      ASSERT_OK(start(reader, options, stream));
      EXPECT_EQ(numbers_of(stream.held), wanted);
      Array after;  // the end is final
      EXPECT_EQ(stream.held.get_next(&stream.held, &after.held), 0);
      EXPECT_EQ(after.held.release, nullptr);
    }
  };
  const auto any = [](uint64_t) { return true; };
  const auto positive = [&](uint64_t row) { return value(row) > 0; };
  const auto where = query::col("never null") > 0;
  check({}, any, UINT64_MAX);
  check({.limit = 0}, any, 0);
  check({.limit = 1025, .batch_rows = 100}, any, 1025);
  check(
      {.begin = 1000, .num_rows = 30}, [](uint64_t row) { return row >= 1000 && row < 1030; }, UINT64_MAX);
  check(
      {.begin = 4990, .num_rows = UINT64_MAX}, [](uint64_t row) { return row >= 4990; }, UINT64_MAX);
  check(
      {.begin = 9999}, [](uint64_t) { return false; }, UINT64_MAX);
  check(
      {.row_groups = {{1, 3}}}, [](uint64_t row) { return row / 1024 == 1 || row / 1024 == 3; }, UINT64_MAX);
  check({.where = where}, positive, UINT64_MAX);
  check({.where = where, .limit = 700, .batch_rows = 64}, positive, 700);
  check(
      {.where = where, .begin = 2000, .num_rows = 100},
      [&](uint64_t row) { return row >= 2000 && row < 2100 && positive(row); }, UINT64_MAX);
  check(
      {.where = query::col("never null").is_null()}, [](uint64_t) { return false; }, UINT64_MAX);
}

TEST(ArrowScan, RowsWithoutColumnsAreCounted) {
  const TempDir dir;
  const auto reader = everything(dir);
  Stream stream;
  ASSERT_OK(start(reader, {.columns = std::vector<size_t>()}, stream));
  int64_t rows = 0;
  for (;;) {
    Array array;
    ASSERT_EQ(stream.held.get_next(&stream.held, &array.held), 0);
    if (array.held.release == nullptr) {
      break;
    }
    rows += array.held.length;
  }
  EXPECT_EQ(rows, static_cast<int64_t>(kRows));
}

TEST(ArrowScan, RowGroupsThatZoneMapsRuleOutAreNotRead) {
  const TempDir dir;
  std::vector<int32_t> rising(4096);
  std::iota(rising.begin(), rising.end(), 0);
  auto writer = Writer::create(dir / "r.bob", {{"x", DType::i32}}, {.rows_per_group = 1024});
  ASSERT_OK(writer->append({rising}));
  ASSERT_OK(writer->finish());
  arrow::TableScanCounts counts;
  TableScanOptions options{.where = query::col("x") >= 4000};
  options.report = [&](const arrow::TableScanCounts& now) { counts = now; };
  Stream stream;
  ASSERT_OK(start(open(dir / "r.bob"), options, stream));
  EXPECT_EQ(numbers_of(stream.held).size(), 96U);
  EXPECT_EQ(counts.row_groups, 1U);
  EXPECT_EQ(counts.rows, 96U);
}

TEST(ArrowScan, WrongOptionsAreRefused) {
  const TempDir dir;
  const auto reader = everything(dir);
  const auto refused = [&](const TableScanOptions& options) {
    ArrowArrayStream stream{};
    EXPECT_EQ(arrow::export_table_scan(reader, options, &stream).code(), StatusCode::invalid_argument);
    EXPECT_EQ(stream.release, nullptr);
  };
  refused({.columns = {{1000}}});
  refused({.where = query::col("no such") < 1});
  refused({.row_groups = {{5}}});
  refused({.row_groups = {{1, 1}}});
  refused({.rows = {{1, 1}}});
  refused({.rows = {{kRows}}});
  refused({.where = query::col("never null") > 0, .rows = {{1}}});
  refused({.columns = {{0}}, .formats = {"l"}});
  refused({.columns = {{0}}, .formats = {"C", "C"}});
}

TEST(ArrowScan, DamageIsAnErrorOfTheStream) {
  const TempDir dir;
  (void)everything(dir);
  auto bytes = file_tests::load(dir / "all.bob");
  for (size_t i = 200; i < 1200; ++i) {
    bytes[i] ^= std::byte{0x55};
  }
  file_tests::store(dir / "bad.bob", bytes);
  Stream stream;
  ASSERT_OK(start(open(dir / "bad.bob"), {}, stream));
  Array array;
  EXPECT_EQ(stream.held.get_next(&stream.held, &array.held), EINVAL);
  EXPECT_EQ(array.held.release, nullptr);
  EXPECT_NE(std::string(stream.held.get_last_error(&stream.held)).find("bad.bob"), std::string::npos);
  EXPECT_EQ(arrow::stream_error(stream.held)->code(), StatusCode::corrupt);
  Stream again;  // what reads a stream of ours knows the kind of the error too
  ASSERT_OK(start(open(dir / "bad.bob"), {}, again));
  EXPECT_EQ(arrow::write_stream(&again.held, dir / "copy.bob").error().code(), StatusCode::corrupt);
}

TEST(ArrowScan, LargeRowGroupsComeInSlices) {
  const TempDir dir;
  constexpr uint64_t kMany = 300'000;
  std::vector<int32_t> rising(kMany);
  std::iota(rising.begin(), rising.end(), 0);
  std::vector<int32_t> mixed(kMany);
  std::ranges::transform(rising, mixed.begin(),
                         [](int32_t i) { return static_cast<int32_t>(int64_t{i} * 7919 % 1000); });
  auto writer = Writer::create(dir / "r.bob", {{"x", DType::i32}, {"y", DType::i32}}, {});
  ASSERT_OK(writer->append({rising, mixed}));
  ASSERT_OK(writer->finish());
  const auto reader = open(dir / "r.bob");
  // Few rows, many rows, nearly all rows, and a range of rows.
  for (const int32_t least : {995, 400, 3}) {
    for (const unsigned threads : {1U, 3U}) {
      for (const uint64_t begin : {uint64_t{0}, uint64_t{1234}}) {
        std::vector<int32_t> wanted;
        for (uint64_t row = begin; row < kMany; ++row) {
          if (mixed[row] >= least) {
            wanted.push_back(rising[row]);
          }
        }
        Stream stream;
        ASSERT_OK(start(
            reader, {.columns = {{0}}, .where = query::col("y") >= least, .begin = begin, .threads = threads},
            stream));
        EXPECT_EQ(numbers_of(stream.held), wanted);
      }
    }
  }
  Stream stream;
  ASSERT_OK(start(reader, {}, stream));
  Array array;
  ASSERT_EQ(stream.held.get_next(&stream.held, &array.held), 0);
  EXPECT_EQ(array.held.length, 131'072);
}

TEST(ArrowScan, ListedRows) {
  const TempDir dir;
  const auto reader = everything(dir);
  const size_t column = column_named(*reader, "never null");
  const HostColumn all = table_tests::expected(*reader, column, 0, kRows);
  for (const std::vector<uint64_t>& rows :
       std::vector<std::vector<uint64_t>>{{}, {0}, {3, 4, 1500, kRows - 1}}) {
    std::vector<int32_t> wanted;
    std::ranges::transform(rows, std::back_inserter(wanted),
                           [&](uint64_t row) { return value_of<int32_t>(all.number(row)); });
    Stream stream;
    ASSERT_OK(start(reader, {.columns = {{column}}, .rows = rows}, stream));
    EXPECT_EQ(numbers_of(stream.held), wanted);
  }
}

// A stream of another program with one array.
struct OneArray {
  MadeSchema* schema = nullptr;
  ArrowArray* array = nullptr;
  int fail_with = 0;
  int released = 0;

  ArrowArrayStream stream() {
    return {.get_schema =
                [](ArrowArrayStream* self, ArrowSchema* out) {
                  *out = of(self).schema->top();
                  return 0;
                },
            .get_next =
                [](ArrowArrayStream* self, ArrowArray* out) {
                  OneArray& own = of(self);
                  *out = own.array == nullptr ? ArrowArray{} : *own.array;
                  own.array = nullptr;
                  return out->release == nullptr ? own.fail_with : 0;
                },
            .get_last_error = [](ArrowArrayStream*) -> const char* { return "the well is dry"; },
            .release =
                [](ArrowArrayStream* self) {
                  ++of(self).released;
                  self->release = nullptr;
                },
            .private_data = this};
  }
  static OneArray& of(ArrowArrayStream* stream) { return *static_cast<OneArray*>(stream->private_data); }
};

TEST(ArrowScan, OnlyStreamsOfOurOwnHaveAStatus) {
  OneArray one;
  ArrowArrayStream stream = one.stream();
  EXPECT_FALSE(arrow::stream_error(stream).has_value());
  stream.release(&stream);
}

TEST(ArrowScan, TypesComeBack) {
  const TempDir dir;
  const std::vector<int64_t> words{1, 0, 2, 0};
  const std::vector<int32_t> offsets{0, 1, 3};
  int released = 0;
  Made instants(2, {nullptr, words.data()}, &released);
  Made spans(2, {nullptr, words.data()}, &released);
  Made days(2, {nullptr, words.data()}, &released);
  Made decimals(2, {nullptr, words.data()}, &released);
  Made texts(2, {nullptr, offsets.data(), "abc"}, &released);
  MadeSchema schema;
  const std::vector<const char*> formats{"tsu:Europe/Berlin", "tDn", "tdm", "d:30,4", "u"};
  for (const char* format : formats) {
    schema.add(format, format, 0);
  }
  Made top(2, {nullptr}, &released,
           {&instants.array, &spans.array, &days.array, &decimals.array, &texts.array});
  OneArray one{.schema = &schema, .array = &top.array};
  ArrowArrayStream stream = one.stream();
  const auto rows = arrow::write_stream(&stream, dir / "t.bob", {}, {{"made", "today"}});
  ASSERT_TRUE(rows.has_value()) << rows.error().message();
  EXPECT_EQ(one.released, 1);
  EXPECT_EQ(released, 1);  // the struct; its children are its own affair
  EXPECT_EQ(stream.release, nullptr);
  const auto reader = open(dir / "t.bob");
  const auto fields = arrow::fields_of(*reader);
  for (size_t i = 0; i < formats.size(); ++i) {
    EXPECT_EQ(fields[i].format, formats[i]);
  }
  EXPECT_EQ(arrow::own_metadata(*reader), (Metadata{{"made", "today"}}));
}

TEST(ArrowScan, FixedSizesAndMetadataOfFieldsComeBack) {
  const TempDir dir;
  int released = 0;
  const uint8_t present = 0b101;
  Made fixed(3, {&present, "abcdefghi"}, &released);
  MadeSchema schema;
  // Two pairs: the name of an extension type, and a note.
  const std::string packed = std::string("\2\0\0\0\x14\0\0\0", 8) + "ARROW:extension:name" +
                             std::string("\4\0\0\0", 4) + "made" + std::string("\4\0\0\0", 4) + "note" +
                             std::string("\0\0\0\0", 4);
  schema.add("f", "w:3").metadata = packed.data();
  Made top(3, {nullptr}, &released, {&fixed.array});
  OneArray one{.schema = &schema, .array = &top.array};
  ArrowArrayStream stream = one.stream();
  const auto rows = arrow::write_stream(&stream, dir / "t.bob");
  ASSERT_TRUE(rows.has_value()) << rows.error().message();
  const auto reader = open(dir / "t.bob");
  const auto field = arrow::fields_of(*reader)[0];
  EXPECT_EQ(field.format, "w:3");
  EXPECT_EQ(field.metadata, (Metadata{{"ARROW:extension:name", "made"}, {"note", ""}}));
  Stream again;
  ASSERT_OK(start(reader, {}, again));
  Array array;
  ASSERT_EQ(again.held.get_next(&again.held, &array.held), 0);
  const ArrowArray& child = *array.held.children[0];
  ASSERT_EQ(child.n_buffers, 2);
  EXPECT_EQ(std::memcmp(child.buffers[1], "abc\0\0\0ghi", 9), 0);
}

TEST(ArrowScan, StringsOfAnotherSizeThanTheirTypeSays) {
  const TempDir dir;
  auto writer = Writer::create(dir / "t.bob", {{"s", DType::binary}}, {});
  Strings strings = file_tests::strings_of({"abc", "ab"});
  strings.type = DType::binary;
  ASSERT_OK(writer->append({ColumnView(strings)}));
  ASSERT_OK(writer->set_metadata("bobbin.arrow", "0 w:3"));
  ASSERT_OK(writer->finish());
  Stream stream;
  ASSERT_OK(start(open(dir / "t.bob"), {}, stream));
  Array array;
  EXPECT_EQ(stream.held.get_next(&stream.held, &array.held), EINVAL);
  EXPECT_FALSE(arrow::can_export_as({"s", DType::binary}, "w:2000000000"));
}

TEST(ArrowScan, ForgedMetadataOfFieldsIsIgnored) {
  const TempDir dir;
  auto writer = Writer::create(dir / "t.bob", {{"x", DType::i32}}, {});
  ASSERT_OK(writer->append({std::vector<int32_t>{1}}));
  for (const char* key :
       {"bobbin.arrow.0", "bobbin.arrow.7", "bobbin.arrow.", "bobbin.arrow.-1", "bobbin.arrow.0x"}) {
    for (const std::string& value : {std::string(), std::string("\1\0\0\0\xff\xff\xff\x7f", 8),
                                     std::string("\xff\xff\xff\xff", 4), std::string("abc")}) {
      (void)writer->set_metadata(key, value);
    }
  }
  ASSERT_OK(writer->finish());
  EXPECT_TRUE(arrow::fields_of(*open(dir / "t.bob"))[0].metadata.empty());
}

TEST(ArrowScan, ForgedNotesAreIgnored) {
  const TempDir dir;
  auto writer = Writer::create(dir / "t.bob", {{"x", DType::i32}, {"s", DType::utf8}}, {});
  const Strings strings = file_tests::strings_of({"a"});
  ASSERT_OK(writer->append({std::vector<int32_t>{1}, strings}));
  ASSERT_OK(writer->set_metadata("bobbin.arrow",
                                 "0 l\n1 vu\n7 u\n-1 u\n\n1\n1 \n99999999999999999999 u\nx u\n1 u"));
  ASSERT_OK(writer->finish());
  const auto fields = arrow::fields_of(*open(dir / "t.bob"));
  EXPECT_EQ(fields[0].format, "i");
  EXPECT_EQ(fields[1].format, "u");
}

TEST(ArrowScan, DecimalsAreExportedAsDecimalsOnly) {
  const Column column{"d", DType::i64, false, {.kind = Logical::Kind::decimal, .scale = 2}};
  for (const char* format :
       {"", "l", "u", "b", "n", "vu", "tdD", "w:4", "d:", "d:1,2", "d:39,2", "d:9,3", "d:9,2,64"}) {
    EXPECT_FALSE(arrow::can_export_as(column, format)) << format;
  }
  for (const char* format : {"d:2,2", "d:38,2", "d:9,2,128"}) {
    EXPECT_TRUE(arrow::can_export_as(column, format)) << format;
  }
}

TEST(ArrowScan, AStreamThatFailsLeavesNoFile) {
  const TempDir dir;
  const std::vector<int64_t> words{1, 2};
  int released = 0;
  Made column(2, {nullptr, words.data()}, &released);
  MadeSchema schema;
  schema.add("x", "l");
  Made top(2, {nullptr}, &released, {&column.array});
  OneArray one{.schema = &schema, .array = &top.array, .fail_with = EPIPE};
  ArrowArrayStream stream = one.stream();
  const auto rows = arrow::write_stream(&stream, dir / "t.bob");
  ASSERT_FALSE(rows.has_value());
  EXPECT_NE(rows.error().message().find("the well is dry"), std::string::npos);
  EXPECT_EQ(one.released, 1);
  EXPECT_TRUE(dir.listing().empty());
  EXPECT_EQ(arrow::write_stream(&stream, dir / "t.bob").error().code(), StatusCode::invalid_argument);
}

TEST(ArrowScan, TimesOutsideArrowsRangeAreRefused) {
  const TempDir dir;
  auto writer = Writer::create(
      dir / "t.bob", {{"t", DType::i64, false, of_unit(Logical::Kind::time, Logical::Unit::seconds)}}, {});
  ASSERT_OK(writer->append({std::vector<int64_t>{int64_t{1} << 40}}));
  ASSERT_OK(writer->finish());
  Stream stream;
  ASSERT_OK(start(open(dir / "t.bob"), {}, stream));
  Array array;
  EXPECT_EQ(stream.held.get_next(&stream.held, &array.held), ENOSYS);
}

}  // namespace
}  // namespace bobbin::interop_tests
