// SPDX-License-Identifier: Apache-2.0
// Several columns at once, by threads and onto a device: the same as column by column from the reader.
#include "bobbin/table.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tests/file/forge.hpp"
#include "tests/query/support.hpp"

namespace bobbin::table_tests {
namespace {

using file_tests::TempDir;
using testing::Random;

// What the reader gives, in the form of read_columns().
HostColumn expected(const Reader& reader, size_t column, uint64_t begin, uint64_t count) {
  HostColumn made;
  made.column = reader.columns()[column];
  made.length = count;
  if (is_string(made.column.type)) {
    made.strings = *reader.read_strings(column, begin, count);
    return made;
  }
  const size_t bytes = count * size_bytes(made.column.type);
  made.values = std::make_unique<std::byte[]>(bytes);
  EXPECT_TRUE(reader.read(column, begin, count, {made.values.get(), bytes}).ok());
  made.validity.resize((count + 7) / 8);
  EXPECT_TRUE(reader.read_validity(column, begin, count, made.validity).ok());
  return made;
}

bool is_there(std::span<const uint8_t> validity, uint64_t i) {
  return validity.empty() || (validity[i / 8] >> (i % 8) & 1) != 0;
}

void expect_same_numbers(const HostColumn& got, const HostColumn& wanted) {
  const size_t size = size_bytes(wanted.column.type);
  for (uint64_t i = 0; i < wanted.length; ++i) {
    ASSERT_EQ(is_there(got.validity, i), is_there(wanted.validity, i)) << "row " << i;
    if (is_there(wanted.validity, i)) {
      ASSERT_EQ(std::memcmp(got.values.get() + i * size, wanted.values.get() + i * size, size), 0)
          << "row " << i;
    }
  }
}

void expect_same_strings(const StringsView& got, const StringsView& wanted) {
  ASSERT_EQ(got.length, wanted.length);
  for (uint64_t i = 0; i < wanted.length; ++i) {
    ASSERT_EQ(got.is_null(i), wanted.is_null(i)) << "row " << i;
    ASSERT_TRUE(std::ranges::equal(got.string(i), wanted.string(i))) << "row " << i;
  }
}

void expect_same(const HostColumn& got, const HostColumn& wanted) {
  EXPECT_EQ(got.column, wanted.column);
  ASSERT_EQ(got.length, wanted.length);
  if (is_string(wanted.column.type)) {
    expect_same_strings(got.strings.view(), wanted.strings.view());
  } else {
    expect_same_numbers(got, wanted);
  }
}

// The emulator's device memory is the host's.
template <class T>
std::vector<T> copy_of(const std::shared_ptr<DeviceBuffer>& buffer) {
  if (buffer == nullptr) {
    return {};
  }
  return {buffer->as<T>(), buffer->as<T>() + buffer->size() / sizeof(T)};
}

HostColumn to_host(const DeviceColumn& column) {
  HostColumn made;
  made.column = column.column;
  made.length = column.length;
  if (!is_string(column.column.type)) {
    made.values = std::make_unique<std::byte[]>(column.values->size());
    std::copy_n(column.values->as<std::byte>(), column.values->size(), made.values.get());
    made.validity = copy_of<uint8_t>(column.validity);
    return made;
  }
  for (const DeviceStrings& strings : column.strings) {
    const StringsView view{
        .type = column.column.type,
        .length = strings.length,
        .offsets = strings.offsets->data(),
        .wide = strings.wide,
        .bytes = strings.bytes->as<uint8_t>(),
        .validity = strings.validity == nullptr ? nullptr : strings.validity->as<uint8_t>()};
    for (uint64_t i = 0; i < view.length; ++i) {
      if (view.is_null(i)) {
        made.strings.push_null();
      } else {
        made.strings.push_back(view.string(i));
      }
    }
  }
  return made;
}

std::vector<size_t> all_columns(const Reader& reader) {
  std::vector<size_t> columns(reader.columns().size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  return columns;
}

Result<Reader> drawn(const TempDir& dir, uint64_t seed, uint64_t rows, uint64_t rows_per_group) {
  Random random(seed);
  const auto table = query_tests::draw_table(random, rows, rows_per_group);
  EXPECT_TRUE(query_tests::write(dir / "t.bob", table, rows_per_group).ok());
  return Reader::open(dir / "t.bob");
}

struct Rows {
  uint64_t begin;
  uint64_t count;
};
constexpr Rows kRanges[] = {{0, 5000}, {0, 1024}, {1024, 2048}, {17, 4000}, {999, 1}, {4999, 1}, {3000, 0}};

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
  for (const uint64_t group : {2048, 1000}) {
    const TempDir dir;
    const auto reader = drawn(dir, 7 * group, 5000, group);
    ASSERT_TRUE(reader.has_value());
    const auto columns = all_columns(*reader);
    auto loader = Loader::create(Backend::emulator, {.threads = 2});
    ASSERT_TRUE(loader.has_value()) << loader.error().message();
    for (const Rows& rows : kRanges) {
      const auto made = loader->load(*reader, columns, rows.begin, rows.count);
      ASSERT_TRUE(made.has_value()) << made.error().message();
      for (const size_t column : columns) {
        expect_same(to_host((*made)[column]), expected(*reader, column, rows.begin, rows.count));
      }
    }
  }
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
  auto loader = Loader::create(Backend::emulator, {.threads = 2});
  ASSERT_TRUE(loader.has_value());
  const auto on_device = loader->load(*reader, columns, 0, 5000);
  ASSERT_FALSE(on_device.has_value());
  EXPECT_EQ(on_device.error().message(), on_host.error().message());
}

// A zone map says how many bytes of strings to make room for: a lie about it must not pass, or be believed.
TEST(Table, StringsOfOtherSizesThanTheZoneMapSaysAreRefused) {
  const TempDir dir;
  Strings strings;
  for (uint64_t i = 0; i < 20'000; ++i) {
    const std::string text = "text " + std::to_string(i % 100 * i);
    strings.push_back({reinterpret_cast<const uint8_t*>(text.data()), i % 7 == 0 ? 0 : text.size()});
  }
  for (const std::string codec : {"fsst", "dict"}) {
    ASSERT_OK(file_tests::write_texts(dir / "t.bob", strings, {.codec = codec, .overwrite = true}));
    const file_tests::Bytes bytes = file_tests::load(dir / "t.bob");
    const uint64_t sound = strings.bytes.size();
    for (const uint64_t lie : {sound, sound - 1, sound + 1, sound + 16, sound / 2, uint64_t{0}, UINT64_MAX}) {
      file_tests::Reworked file(bytes);
      file.chunk().strings.num_bytes = lie;
      file_tests::store(dir / "lie.bob", file.bytes());
      const auto reader = Reader::open(dir / "lie.bob");
      if (!reader.has_value()) {
        EXPECT_NE(lie, sound);
        continue;  // refused as soon as it is opened
      }
      const auto read = read_columns(*reader, all_columns(*reader), 0, 20'000, 1);
      EXPECT_EQ(read.has_value(), lie == sound) << codec << " " << lie;
      // Rows of a part of the chunk need no such number.
      const auto some = read_columns(*reader, all_columns(*reader), 1, 19'000, 1);
      EXPECT_TRUE(some.has_value()) << codec << " " << lie;
    }
  }
}

}  // namespace
}  // namespace bobbin::table_tests
