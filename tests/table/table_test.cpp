// SPDX-License-Identifier: Apache-2.0
// Several columns at once, on threads and on a device: the same as column by column from the reader.
#include "bobbin/table.hpp"

#include "codecs/registry.hpp"
#include "file/append.hpp"
#include "tests/backends.hpp"
#include "tests/file/forge.hpp"
#include "tests/table/support.hpp"

namespace bobbin::table_tests {
namespace {

using file_tests::TempDir;

TEST(Table, ThreadsReadWhatTheReaderReads) {
  for (const uint64_t group : {2048, 1000}) {
    const TempDir dir;
    const auto reader = drawn(dir, group, 5000, group);
    ASSERT_TRUE(reader.has_value());
    const auto columns = all_columns(*reader);
    for (const Rows& rows : kRanges) {
      for (const unsigned threads : {1U, 4U}) {
        const auto made = read_columns(*reader, columns, rows.begin, rows.count, threads);
        ASSERT_TRUE(made.has_value()) << made.error().message();
        for (const size_t column : columns) {
          expect_same((*made)[column], expected(*reader, column, rows.begin, rows.count));
        }
      }
    }
  }
}

TEST(Table, DevicesGetWhatTheReaderReads) {
  SKIP_WITHOUT_EMULATOR();
  check_loading(Backend::emulator);
}

TEST(Table, ColumnsComeInTheOrderAskedFor) {
  const TempDir dir;
  const auto reader = drawn(dir, 3, 3000, 1024);
  ASSERT_TRUE(reader.has_value());
  const std::vector<size_t> columns{2, 0, 2};
  const auto made = read_columns(*reader, columns, 5, 2000);
  ASSERT_TRUE(made.has_value());
  ASSERT_EQ(made->size(), 3U);
  for (size_t i = 0; i < columns.size(); ++i) {
    expect_same((*made)[i], expected(*reader, columns[i], 5, 2000));
  }
}

TEST(Table, WrongQuestionsAreRefused) {
  const TempDir dir;
  const auto reader = drawn(dir, 4, 100, 1024);
  ASSERT_TRUE(reader.has_value());
  const std::vector<size_t> missing{reader->columns().size()};
  EXPECT_EQ(read_columns(*reader, missing, 0, 1).error().code(), StatusCode::invalid_argument);
  EXPECT_EQ(read_columns(*reader, {}, 50, 51).error().code(), StatusCode::invalid_argument);
  EXPECT_EQ(read_columns(*reader, {}, UINT64_MAX, 2).error().code(), StatusCode::invalid_argument);
  EXPECT_EQ(Loader::create(Backend::cpu).error().code(), StatusCode::invalid_argument);
}

TEST(Table, SlicesAreAllRowsInOrder) {
  const TempDir dir;
  const auto reader = drawn(dir, 6, 5000, 2048);
  ASSERT_TRUE(reader.has_value());
  const auto columns = all_columns(*reader);
  uint64_t next = 10;
  const auto visit = [&](std::span<const HostColumn> slice, uint64_t rows) -> Status {
    EXPECT_EQ(slice.size(), columns.size());
    EXPECT_GT(rows, 0U);
    for (size_t c = 0; c < slice.size(); ++c) {
      expect_same(slice[c], expected(*reader, c, next, rows));
    }
    next += rows;
    return {};
  };
  ASSERT_TRUE(visit_slices(*reader, columns, 10, 4900, visit).ok());
  EXPECT_EQ(next, 4910U);
  EXPECT_TRUE(visit_slices(*reader, columns, 5000, 0, visit).ok());
  EXPECT_EQ(visit_slices(*reader, columns, 5000, 1, visit).code(), StatusCode::invalid_argument);
  const std::vector<size_t> missing{columns.size()};
  EXPECT_EQ(visit_slices(*reader, missing, 0, 1, visit).code(), StatusCode::invalid_argument);
  const auto refuse = [](std::span<const HostColumn>, uint64_t) { return Status(StatusCode::io, "stop"); };
  EXPECT_EQ(visit_slices(*reader, columns, 0, 5000, refuse).message(), "stop");
}

TEST(Table, SlicesOfSomeRows) {
  const TempDir dir;
  const auto reader = drawn(dir, 7, 5000, 2048);
  ASSERT_TRUE(reader.has_value());
  const auto columns = all_columns(*reader);
  const std::vector<uint64_t> rows{2050, 2051, 3000, 4095};
  const auto wanted = read_rows(*reader, columns, rows);
  ASSERT_TRUE(wanted.has_value());
  uint64_t seen = 0;
  const auto visit = [&](std::span<const HostColumn> slice, uint64_t count) -> Status {
    for (size_t c = 0; c < slice.size(); ++c) {
      expect_same(slice[c], (*wanted)[c]);
    }
    seen += count;
    return {};
  };
  ASSERT_TRUE(visit_slices(*reader, 1, columns, rows, visit).ok());
  EXPECT_EQ(seen, rows.size());
  // Rows of another row group, rows that do not ascend, and a row group that does not exist.
  EXPECT_FALSE(visit_slices(*reader, 0, columns, rows, visit).ok());
  EXPECT_FALSE(visit_slices(*reader, 1, columns, std::vector<uint64_t>{2051, 2050}, visit).ok());
  EXPECT_FALSE(visit_slices(*reader, 3, columns, rows, visit).ok());
  EXPECT_EQ(seen, rows.size());
}

TEST(Table, DamageIsReportedWithItsPlace) {
  const TempDir dir;
  const auto sound = drawn(dir, 5, 5000, 1024);
  ASSERT_TRUE(sound.has_value());
  file_tests::Bytes bytes = file_tests::load(dir / "t.bob");
  bytes[200] ^= std::byte{1};  // in the first chunk's first segment
  file_tests::store(dir / "bad.bob", bytes);
  const auto reader = Reader::open(dir / "bad.bob");
  ASSERT_TRUE(reader.has_value());
  const auto columns = all_columns(*reader);
  const auto on_host = read_columns(*reader, columns, 0, 5000, 4);
  ASSERT_FALSE(on_host.has_value());
  EXPECT_NE(on_host.error().message().find("row group 0, column"), std::string::npos);
  SKIP_WITHOUT_EMULATOR();
  auto loader = Loader::create(Backend::emulator, {.threads = 2});
  ASSERT_TRUE(loader.has_value());
  const auto on_device = loader->load(*reader, columns, 0, 5000);
  ASSERT_FALSE(on_device.has_value());
  EXPECT_EQ(on_device.error().message(), on_host.error().message());
}

TEST(Table, LargeChunksGoInPieces) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const file_tests::Table table = file_tests::one_column(DType::u64, 200'000);
  WriteOptions options;
  options.codec = "bitpack";
  ASSERT_TRUE(file_tests::write_table(dir / "t.bob", table, options).ok());
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());
  LoadOptions in_pieces{.threads = 2};
  in_pieces.batch_bytes = uint64_t{1} << 20;
  auto loader = Loader::create(Backend::emulator, in_pieces);
  const std::vector<size_t> column{0};
  const auto made = loader->load(*reader, column, 0, 200'000);
  ASSERT_TRUE(made.has_value()) << made.error().message();
  expect_same(to_host((*made)[0], Backend::emulator), expected(*reader, 0, 0, 200'000));
  // Damage in them is reported as by the reader, and the loader continues to work.
  file_tests::Bytes bytes = file_tests::load(dir / "t.bob");
  bytes[bytes.size() / 2] ^= std::byte{1};
  file_tests::store(dir / "bad.bob", bytes);
  const auto bad = Reader::open(dir / "bad.bob");
  ASSERT_TRUE(bad.has_value());
  const auto on_device = loader->load(*bad, column, 0, 200'000);
  const auto on_host = read_columns(*bad, column, 0, 200'000);
  ASSERT_FALSE(on_device.has_value() || on_host.has_value());
  EXPECT_EQ(on_device.error().message(), on_host.error().message());
  EXPECT_TRUE(loader->load(*reader, column, 0, 200'000).has_value());
}

TEST(Table, TenThousandColumns) {
  constexpr size_t kColumns = testing::shrunk(10'000);
  constexpr uint64_t kRows = 20;
  std::vector<Column> columns;
  std::vector<std::vector<int32_t>> values(kColumns);
  std::vector<const void*> pointers;
  for (size_t c = 0; c < kColumns; ++c) {
    columns.push_back({"größe " + std::to_string(c), DType::i32});
    for (uint64_t i = 0; i < kRows; ++i) {
      values[c].push_back(static_cast<int32_t>(c * i));
    }
    pointers.push_back(values[c].data());
  }
  const TempDir dir;
  auto writer = Writer::create(dir / "wide.bob", columns, {});
  ASSERT_TRUE(writer.has_value()) << writer.error().message();
  ASSERT_TRUE(file::append_untyped(*writer, pointers, kRows).ok());
  ASSERT_TRUE(writer->finish().ok());
  const auto reader = Reader::open(dir / "wide.bob");
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  ASSERT_EQ(reader->columns().size(), kColumns);
  const auto all = read_columns(*reader, all_columns(*reader), 0, kRows);
  ASSERT_TRUE(all.has_value()) << all.error().message();
  for (size_t c = 0; c < kColumns; ++c) {
    ASSERT_EQ((*all)[c].column.name, columns[c].name);
    ASSERT_EQ(std::memcmp((*all)[c].values.get(), values[c].data(), kRows * sizeof(int32_t)), 0) << c;
  }
  SKIP_WITHOUT_EMULATOR();
  auto loader = Loader::create(Backend::emulator, {.threads = 2});
  const std::vector<size_t> some{kColumns - 1, 0, kColumns / 2};
  const auto loaded = loader->load(*reader, some, 3, 10);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
  for (size_t i = 0; i < some.size(); ++i) {
    expect_same(to_host((*loaded)[i], Backend::emulator), expected(*reader, some[i], 3, 10));
  }
}

TEST(Table, NothingIsReadOfNothing) {
  SKIP_WITHOUT_EMULATOR();
  for (const auto& columns :
       {std::vector<Column>{}, std::vector<Column>{{"a", DType::i32}, {"s", DType::utf8}}}) {
    const TempDir dir;
    auto writer = Writer::create(dir / "empty.bob", columns, {});
    ASSERT_TRUE(writer.has_value() && writer->finish().ok());
    const auto reader = Reader::open(dir / "empty.bob");
    ASSERT_TRUE(reader.has_value()) << reader.error().message();
    const auto here = read_columns(*reader, all_columns(*reader), 0, 0);
    ASSERT_TRUE(here.has_value()) << here.error().message();
    EXPECT_EQ(here->size(), columns.size());
    auto loader = Loader::create(Backend::emulator, {.threads = 2});
    const auto there = loader->load(*reader, all_columns(*reader), 0, 0);
    ASSERT_TRUE(there.has_value()) << there.error().message();
    EXPECT_EQ(there->size(), columns.size());
  }
}

// Loads the file's only string column onto the emulator.
Result<std::vector<DeviceColumn>> load_strings(const TempDir& dir, const file_tests::Bytes& bytes) {
  file_tests::store(dir / "changed.bob", bytes);
  BOBBIN_ASSIGN(const Reader reader, Reader::open(dir / "changed.bob"));
  BOBBIN_ASSIGN(Loader loader, Loader::create(Backend::emulator, {.threads = 2}));
  const std::vector<size_t> column{0};
  return loader.load(reader, column, 0, reader.num_rows());
}

file_tests::Reworked strings_file(const TempDir& dir, CodecId codec, const Strings& strings) {
  WriteOptions options;
  options.codec = std::string(find_codec(codec)->name);
  EXPECT_TRUE(file_tests::write_texts(dir / "s.bob", strings, options).ok());
  return file_tests::Reworked(file_tests::load(dir / "s.bob"));
}

Strings a_few_cities(uint64_t rows) {
  Strings strings;
  for (uint64_t i = 0; i < rows; ++i) {
    const std::string text = "city " + std::to_string(i * i % 37);
    strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }
  return strings;
}

TEST(Table, WrongSizesOfStringsAreFoundOnTheDevice) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  auto file = strings_file(dir, CodecId::dict, a_few_cities(5000));
  ASSERT_TRUE(load_strings(dir, file.bytes()).has_value());
  for (const int64_t wrong : {-1, 1, 100'000}) {
    auto changed = file;
    changed.chunk().strings.num_bytes += static_cast<uint64_t>(wrong);
    const auto made = load_strings(dir, changed.bytes());
    ASSERT_FALSE(made.has_value()) << wrong;
    EXPECT_EQ(made.error().code(), StatusCode::corrupt);
    EXPECT_NE(made.error().message().find("row group 0, column"), std::string::npos);
  }
}

template <class T>
StatusCode code_of(const Result<T>& result) {
  return result.has_value() ? StatusCode::ok : result.error().code();
}

// Reading and searching the only column of a file, a column of strings, ends in the same way everywhere.
void expect_same_verdicts(const Reader& reader) {
  const std::string name = reader.columns()[0].name;
  const auto verdicts = [&](Backend backend) {
    const uint8_t city[] = {'t', 'y', ' ', '3'};
    const auto count = [&](const query::Predicate& predicate) {
      return code_of(query::from(reader).on(backend).where(predicate).count());
    };
    return std::vector<StatusCode>{code_of(reader.read_strings(0, 0, reader.num_rows(), backend)),
                                   code_of(reader.count_strings(0, 0, {StringTest::contains, city}, backend)),
                                   code_of(reader.find_strings(0, 0, {StringTest::contains, city}, backend)),
                                   count(query::col(name) == "city 3"),
                                   count(query::col(name).like("c%ty_3%")),
                                   count(query::col(name).is_null())};
  };
  EXPECT_EQ(verdicts(Backend::emulator), verdicts(Backend::cpu));
  const uint64_t begin = reader.num_rows() / 3;
  EXPECT_EQ(reader.read_strings(0, begin, begin, Backend::emulator).has_value(),
            reader.read_strings(0, begin, begin, Backend::cpu).has_value());
  EXPECT_EQ(reader.verify(Backend::emulator).ok(), reader.verify(Backend::cpu).ok());
}

TEST(Table, OffsetsThatDescendAreFoundOnTheDevice) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  auto file = strings_file(dir, CodecId::fsst, a_few_cities(5000));
  ASSERT_TRUE(load_strings(dir, file.bytes()).has_value());
  // Bytes of the parts of both kinds of offsets in turn: what the host refuses, the device refuses too.
  std::vector<uint32_t> segments;
  for (const file::Node& offsets : file.chunk().root.children) {
    segments.insert(segments.end(), offsets.segments.begin(), offsets.segments.end());
    segments.insert(segments.end(), offsets.children[0].segments.begin(), offsets.children[0].segments.end());
  }
  size_t refused = 0;
  for (const uint32_t index : testing::drawn_of(segments)) {
    const file::Segment& segment = file.footer.segments[index];
    // A launch takes seconds under sanitizers.
    constexpr uint64_t kStep = testing::kDrawnShare == 1 ? 7 : 1500;
    for (uint64_t byte = 0; byte < segment.size; byte += kStep) {
      auto changed = file;
      changed.body[segment.offset - 128 + byte] ^= std::byte{1};
      const auto on_device = load_strings(dir, changed.bytes());
      const auto reader = Reader::open(dir / "changed.bob");
      ASSERT_TRUE(reader.has_value());
      const auto on_host = reader->read_strings(0, 0, 5000);
      ASSERT_EQ(on_device.has_value(), on_host.has_value()) << "segment " << index << ", byte " << byte;
      if (byte / kStep % 5 == 0) {
        expect_same_verdicts(*reader);
      }
      refused += on_host.has_value() ? 0 : 1;
    }
  }
  EXPECT_GE(refused, testing::kDrawnShare == 1 ? 10U : 0U);  // a few drawn ones may all pass
}

TEST(Table, WhatWasLoadedOutlivesItsLoader) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const auto file = strings_file(dir, CodecId::fsst, a_few_cities(3000));
  const auto made = load_strings(dir, file_tests::load(dir / "s.bob"));
  ASSERT_TRUE(made.has_value());
  const auto reader = Reader::open(dir / "s.bob");
  expect_same(to_host((*made)[0], Backend::emulator), expected(*reader, 0, 0, 3000));
}

// A zone map says how many bytes to allocate for strings: a false one must be detected, and must not be
// trusted.
TEST(Table, StringsOfOtherSizesThanTheZoneMapSaysAreRefused) {
  const TempDir dir;
  Strings strings;
  for (uint64_t i = 0; i < 20'000; ++i) {
    const std::string text = "text " + std::to_string(i % 100 * i);
    strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), i % 7 == 0 ? 0 : text.size()});
  }
  for (const std::string codec : {"fsst", "dict", "zstd"}) {
    ASSERT_OK(file_tests::write_texts(dir / "t.bob", strings, {.codec = codec, .overwrite = true}));
    const file_tests::Bytes bytes = file_tests::load(dir / "t.bob");
    const uint64_t sound = strings.bytes.size();
    for (const uint64_t lie : {sound, sound - 1, sound + 1, sound + 16, sound / 2, uint64_t{0}, UINT64_MAX}) {
      file_tests::Reworked file(bytes);
      file.chunk().strings.num_bytes = lie;
      // Files of version 1 do not have zstd.
      file_tests::store(dir / "lie.bob", codec == "zstd" ? file.inline_bytes() : file.bytes());
      const auto reader = Reader::open(dir / "lie.bob");
      if (!reader.has_value()) {
        EXPECT_NE(lie, sound);
        continue;  // refused when it is opened
      }
      const auto read = read_columns(*reader, all_columns(*reader), 0, 20'000, 1);
      EXPECT_EQ(read.has_value(), lie == sound) << codec << " " << lie;
      // Partial reads of the chunk do not need that number.
      const auto some = read_columns(*reader, all_columns(*reader), 1, 19'000, 1);
      EXPECT_TRUE(some.has_value()) << codec << " " << lie;
    }
  }
}

}  // namespace
}  // namespace bobbin::table_tests
