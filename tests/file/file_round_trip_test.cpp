// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <limits>
#include <thread>

#include "bobbin/encoding.hpp"
#include "file/append.hpp"
#include "support.hpp"
#include "tests/backends.hpp"
#include "tests/drawn.hpp"

namespace bobbin::file_tests {
namespace {

void expect_table(const Reader& reader, const Table& table) {
  ASSERT_EQ(reader.columns(), table.columns);
  ASSERT_EQ(reader.num_rows(), table.rows);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    Bytes out(table.values[c].size());
    ASSERT_OK(reader.read(c, 0, table.rows, out));
    EXPECT_EQ(out, table.values[c]) << table.columns[c].name;
  }
  ASSERT_OK(reader.verify());
}

void expect_round_trip(const Table& table, const WriteOptions& options) {
  const TempDir dir;
  ASSERT_OK(write_table(dir / "t.bob", table, options));
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  EXPECT_EQ(reader->format_version(), 2u);
  EXPECT_EQ(reader->file_bytes(), std::filesystem::file_size(dir / "t.bob"));
  EXPECT_EQ(reader->num_row_groups(), (table.rows + options.rows_per_group - 1) / options.rows_per_group);
  expect_table(*reader, table);
}

TEST(FileRoundTrip, EveryTypeInOneAndInSeveralRowGroups) {
  constexpr uint64_t kRows[] = {1, 2, 1023, 1024, 1025, 5000};
  for (const uint64_t rows : testing::drawn_of(kRows)) {
    for (const uint64_t group : {1, 1000, 1024, 4096}) {
      if (rows / group < 2000) {
        SCOPED_TRACE(std::to_string(rows) + " rows in groups of " + std::to_string(group));
        expect_round_trip(all_types(rows), {.rows_per_group = group});
      }
    }
  }
}

TEST(FileRoundTrip, WhatDoesNotExistIsAnError) {
  const TempDir dir;
  ASSERT_OK(write_table(dir / "t.bob", all_types(3000), {.rows_per_group = 2048}));
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());
  EXPECT_TRUE(reader->row_group(1).has_value());
  for (const size_t index : {size_t{2}, size_t{99}, SIZE_MAX}) {
    EXPECT_EQ(reader->row_group(index).error().message(),
              (dir / "t.bob") + ": row group " + std::to_string(index) + " does not exist: there are 2");
    EXPECT_FALSE(reader->find_strings(0, index, {}).has_value());
    EXPECT_FALSE(reader->count_strings(0, index, {}).has_value());
    EXPECT_FALSE(explain_encoding(*reader, index, 0).has_value());
    EXPECT_FALSE(reader->read_strings(index, 0, 0).has_value());
  }
}

TEST(FileRoundTrip, ForcedCodecs) {
  for (const std::string codec : {"bitpack", "ffor"}) {
    const TempDir dir;
    const Table table = all_types(3000);
    ASSERT_OK(write_table(dir / "t.bob", table, {.rows_per_group = 2048, .codec = codec}));
    const auto reader = Reader::open(dir / "t.bob");
    ASSERT_TRUE(reader.has_value()) << reader.error().message();
    expect_table(*reader, table);
    for (size_t group = 0; group < reader->num_row_groups(); ++group) {
      const RowGroupInfo info = *reader->row_group(group);
      for (const ChunkInfo& chunk : info.chunks) {
        EXPECT_EQ(chunk.root.codec, codec);
      }
    }
  }
}

TEST(FileRoundTrip, AppendInPiecesGivesTheSameBytes) {
  const TempDir dir;
  const Table table = all_types(10'000);
  const WriteOptions options{.rows_per_group = 2048};
  ASSERT_OK(write_table(dir / "whole.bob", table, options));
  auto writer = Writer::create(dir / "pieces.bob", table.columns, options);
  ASSERT_TRUE(writer.has_value());
  uint64_t done = 0;
  for (uint64_t piece = 1; done < table.rows; piece = piece * 3 + 1) {
    const uint64_t rows = std::min(piece, table.rows - done);
    ASSERT_OK(file::append_untyped(*writer, table.pointers(done), rows));
    ASSERT_OK(file::append_untyped(*writer, table.pointers(), 0));
    done += rows;
  }
  ASSERT_OK(writer->finish());
  EXPECT_EQ(load(dir / "pieces.bob"), load(dir / "whole.bob"));
  EXPECT_EQ(writer->bytes_written(), std::filesystem::file_size(dir / "pieces.bob"));
}

TEST(FileRoundTrip, ValuesNeedNotBeAligned) {
  const TempDir dir;
  const Table table = one_column(DType::u64, 5000);
  Bytes shifted(table.values[0].size() + 1);
  std::ranges::copy(table.values[0], shifted.begin() + 1);
  const std::array<const void*, 1> pointers{shifted.data() + 1};
  auto writer = Writer::create(dir / "t.bob", table.columns, {.rows_per_group = 1024});
  ASSERT_TRUE(writer.has_value());
  ASSERT_OK(file::append_untyped(*writer, pointers, table.rows));
  ASSERT_OK(writer->finish());
  expect_table(*Reader::open(dir / "t.bob"), table);
}

TEST(FileRoundTrip, RowRanges) {
  const TempDir dir;
  const Table table = all_types(7000);
  ASSERT_OK(write_table(dir / "t.bob", table, {.rows_per_group = 2048}));
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());
  const uint64_t edges[] = {0, 1, 31, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 5001, 6999, 7000};
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const size_t size = size_bytes(table.columns[c].type);
    for (const uint64_t begin : edges) {
      for (const uint64_t end : edges) {
        if (begin <= end) {
          Bytes out((end - begin) * size);
          ASSERT_OK(reader->read(c, begin, end - begin, out));
          EXPECT_TRUE(std::ranges::equal(out, std::span(table.values[c]).subspan(begin * size, out.size())))
              << table.columns[c].name << " rows " << begin << " to " << end;
        }
      }
    }
  }
}

TEST(FileRoundTrip, NoRowsAndNoColumns) {
  expect_round_trip(all_types(0), {});
  expect_round_trip({.columns = {}, .values = {}, .rows = 0}, {});
  expect_round_trip({.columns = {}, .values = {}, .rows = 10}, {.rows_per_group = 4});
}

TEST(FileRoundTrip, NamesOfEverySort) {
  Table table;
  for (const std::string& name :
       {std::string(), std::string(65536, 'n'), std::string("Größe €𝄞"), std::string("two\nlines")}) {
    table.columns.push_back({name, DType::u16});
    table.values.push_back(make_values(DType::u16, 100, table.columns.size()));
  }
  table.rows = 100;
  expect_round_trip(table, {});
}

TEST(FileRoundTrip, ManyColumns) {
  Table table;
  for (size_t i = 0; i < 2000; ++i) {
    table.columns.push_back({"c" + std::to_string(i), kAllTypes[i % std::size(kAllTypes)]});
    table.values.push_back(make_values(table.columns.back().type, 3, i));
  }
  table.rows = 3;
  expect_round_trip(table, {.rows_per_group = 2});
}

TEST(FileRoundTrip, EmulatorGivesTheSameBytesAndValues) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const Table table = all_types(2500);
  ASSERT_OK(write_table(dir / "cpu.bob", table, {.rows_per_group = 2048}));
  ASSERT_OK(write_table(dir / "emulator.bob", table, {.rows_per_group = 2048, .backend = Backend::emulator}));
  EXPECT_EQ(load(dir / "cpu.bob"), load(dir / "emulator.bob"));
  const auto reader = Reader::open(dir / "emulator.bob");
  ASSERT_TRUE(reader.has_value());
  ASSERT_OK(reader->verify(Backend::emulator));
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const size_t size = size_bytes(table.columns[c].type);
    Bytes out(1500 * size);
    ASSERT_OK(reader->read(c, 777, 1500, out, Backend::emulator));
    EXPECT_TRUE(std::ranges::equal(out, std::span(table.values[c]).subspan(777 * size, out.size())));
  }
}

TEST(FileRoundTrip, ZoneMapsFollowTheTypesOrder) {
  const TempDir dir;
  const std::vector<int16_t> values{5, -7, 300, -300, 0};
  auto writer = Writer::create(dir / "t.bob", {{"i", DType::i16}, {"u", DType::u16}}, {.rows_per_group = 2});
  ASSERT_TRUE(writer.has_value());
  const std::array<const void*, 2> pointers{values.data(), values.data()};
  ASSERT_OK(file::append_untyped(*writer, pointers, values.size()));
  ASSERT_OK(writer->finish());
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_EQ(reader->num_row_groups(), 3u);
  const auto bits = [](int value) { return Scalar{static_cast<uint16_t>(value)}; };
  EXPECT_EQ(reader->row_group(0)->chunks[0].min, bits(-7));
  EXPECT_EQ(reader->row_group(0)->chunks[0].max, bits(5));
  EXPECT_EQ(reader->row_group(0)->chunks[1].min, bits(5));
  EXPECT_EQ(reader->row_group(0)->chunks[1].max, bits(-7));
  EXPECT_EQ(reader->row_group(1)->chunks[0].min, bits(-300));
  EXPECT_EQ(reader->row_group(1)->chunks[0].max, bits(300));
  EXPECT_EQ(reader->row_group(2)->first_row, 4u);
  EXPECT_EQ(reader->row_group(2)->num_rows, 1u);
  EXPECT_EQ(reader->row_group(2)->chunks[0].min, bits(0));
}

TEST(FileRoundTrip, ZoneMapsOfFloats) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  struct Example {
    std::array<double, 3> values;
    double min;
    double max;
  };
  const Example examples[] = {{{1.5, -2.5, 0.25}, -2.5, 1.5},
                              {{0.0, -0.0, 0.0}, -0.0, 0.0},
                              {{-0.0, -0.0, -1e-310}, -1e-310, -0.0},
                              {{kInfinity, 5e-324, 3}, 5e-324, kInfinity},
                              {{1, kNan, 2}, -kInfinity, kInfinity},
                              {{-kNan, 7, 7}, -kInfinity, kInfinity},
                              {{kNan, kNan, kNan}, -kInfinity, kInfinity}};
  const TempDir dir;
  auto writer = Writer::create(dir / "t.bob", {{"d", DType::f64}}, {.rows_per_group = 3});
  for (const Example& example : examples) {
    const std::array<const void*, 1> pointers{example.values.data()};
    ASSERT_OK(file::append_untyped(*writer, pointers, 3));
  }
  ASSERT_OK(writer->finish());
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_OK(reader->verify());
  for (size_t i = 0; i < std::size(examples); ++i) {
    const ChunkInfo info = reader->row_group(i)->chunks[0];
    EXPECT_EQ(info.min.bits, std::bit_cast<uint64_t>(examples[i].min)) << i;
    EXPECT_EQ(info.max.bits, std::bit_cast<uint64_t>(examples[i].max)) << i;
  }
}

uint64_t bytes_of(const NodeInfo& node) {
  uint64_t bytes = node.bytes;
  for (const NodeInfo& child : node.children) {
    bytes += bytes_of(child);
  }
  return bytes;
}

TEST(FileRoundTrip, NodesAccountForEveryStoredByte) {
  const TempDir dir;
  ASSERT_OK(write_table(dir / "t.bob", all_types(5000), {.rows_per_group = 2048}));
  const auto reader = Reader::open(dir / "t.bob");
  uint64_t bytes = 0;
  for (size_t group = 0; group < reader->num_row_groups(); ++group) {
    const RowGroupInfo info = *reader->row_group(group);
    for (const ChunkInfo& chunk : info.chunks) {
      EXPECT_FALSE(chunk.root.detail.empty());
      bytes += bytes_of(chunk.root);
    }
  }
  EXPECT_GT(bytes, reader->file_bytes() / 2);
  EXPECT_LT(bytes, reader->file_bytes());
}

TEST(FileRoundTrip, OneReaderServesThreads) {
  const TempDir dir;
  const Table table = all_types(20'000);
  ASSERT_OK(write_table(dir / "t.bob", table, {.rows_per_group = 4096}));
  const auto reader = Reader::open(dir / "t.bob");
  std::vector<std::thread> threads;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    threads.emplace_back([&, c] {
      Bytes out(table.values[c].size());
      EXPECT_TRUE(reader->read(c, 0, table.rows, out).ok());
      EXPECT_EQ(out, table.values[c]);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST(FileRoundTrip, VerifyTellsProgress) {
  const TempDir dir;
  ASSERT_OK(write_table(dir / "t.bob", all_types(5000), {.rows_per_group = 2048}));
  double last = 0;
  int calls = 0;
  ASSERT_OK(Reader::open(dir / "t.bob")->verify(Backend::cpu, [&](double share) {
    EXPECT_GT(share, last);
    last = share;
    ++calls;
  }));
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(calls, 3 * static_cast<int>(std::size(kAllTypes)));
}

}  // namespace
}  // namespace bobbin::file_tests
