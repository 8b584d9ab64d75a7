// SPDX-License-Identifier: Apache-2.0
// Random tables, and comparisons of columns from any source with those of the reader.
#pragma once

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/table.hpp"
#include "tests/drawn.hpp"
#include "tests/query/support.hpp"

namespace bobbin::table_tests {

using file_tests::TempDir;
using testing::Random;

// What the reader returns, in the form of read_columns().
inline HostColumn expected(const Reader& reader, size_t column, uint64_t begin, uint64_t count) {
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

inline bool is_there(std::span<const uint8_t> validity, uint64_t i) {
  return validity.empty() || (validity[i / 8] >> (i % 8) & 1) != 0;
}

inline void expect_same_numbers(const HostColumn& got, const HostColumn& wanted) {
  const size_t size = size_bytes(wanted.column.type);
  for (uint64_t i = 0; i < wanted.length; ++i) {
    ASSERT_EQ(is_there(got.validity, i), is_there(wanted.validity, i)) << "row " << i;
    if (is_there(wanted.validity, i)) {
      ASSERT_EQ(std::memcmp(got.values.get() + i * size, wanted.values.get() + i * size, size), 0)
          << "row " << i;
    }
  }
}

inline void expect_same_strings(const StringsView& got, const StringsView& wanted) {
  ASSERT_EQ(got.length, wanted.length);
  for (uint64_t i = 0; i < wanted.length; ++i) {
    ASSERT_EQ(got.is_null(i), wanted.is_null(i)) << "row " << i;
    ASSERT_TRUE(std::ranges::equal(got.string(i), wanted.string(i))) << "row " << i;
  }
}

inline void expect_same(const HostColumn& got, const HostColumn& wanted) {
  EXPECT_EQ(got.column, wanted.column);
  ASSERT_EQ(got.length, wanted.length);
  if (is_string(wanted.column.type)) {
    expect_same_strings(got.strings.view(), wanted.strings.view());
  } else {
    expect_same_numbers(got, wanted);
  }
}

// From a device's memory.
inline std::vector<uint8_t> copy_of(const std::shared_ptr<DeviceBuffer>& buffer, Backend backend) {
  std::vector<uint8_t> bytes(buffer == nullptr ? 0 : buffer->size());
  const auto stream = Stream::create(backend);
  EXPECT_TRUE(bytes.empty() || copy_async(bytes.data(), buffer->data(), bytes.size(), stream->view()).ok());
  EXPECT_TRUE(stream->view().synchronize().ok());
  return bytes;
}

inline HostColumn to_host(const DeviceColumn& column, Backend backend) {
  HostColumn made;
  made.column = column.column;
  made.length = column.length;
  if (!is_string(column.column.type)) {
    const std::vector<uint8_t> values = copy_of(column.values, backend);
    made.values = std::make_unique<std::byte[]>(values.size());
    std::ranges::copy(std::as_bytes(std::span(values)), made.values.get());
    made.validity = copy_of(column.validity, backend);
    return made;
  }
  for (const DeviceStrings& strings : column.strings) {
    const std::vector<uint8_t> offsets = copy_of(strings.offsets, backend);
    const std::vector<uint8_t> bytes = copy_of(strings.bytes, backend);
    const std::vector<uint8_t> validity = copy_of(strings.validity, backend);
    const StringsView view{.type = column.column.type,
                           .length = strings.length,
                           .offsets = offsets.data(),
                           .wide = strings.wide,
                           .bytes = bytes.data(),
                           .validity = validity.empty() ? nullptr : validity.data()};
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

inline std::vector<size_t> all_columns(const Reader& reader) {
  std::vector<size_t> columns(reader.columns().size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  return columns;
}

inline Result<Reader> drawn(const TempDir& dir, uint64_t seed, uint64_t rows, uint64_t rows_per_group) {
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

// A device gets the same as the reader: whole row groups and parts of them, several times with one loader.
inline void check_loading(Backend backend) {
  constexpr uint64_t kGroups[] = {2048, 1000};
  constexpr uint64_t kFewColumns =
      4;  // one column in this many under sanitizers: several are still loaded at once
  // All chunks in one batch; several batches of a few chunks; most chunks alone, in pieces.
  constexpr uint64_t kBatchBytes[] = {uint64_t{8} << 20, 20'000, 512};
  for (const uint64_t number :
       testing::drawn(std::size(kGroups) * std::size(kBatchBytes) * std::size(kRanges))) {
    const uint64_t group = kGroups[number % std::size(kGroups)];
    const Rows& rows = kRanges[number / std::size(kGroups) % std::size(kRanges)];
    const TempDir dir;
    const auto reader = drawn(dir, 7 * group, 5000, group);
    ASSERT_TRUE(reader.has_value());
    std::vector<size_t> columns;
    for (const uint64_t column :
         testing::drawn(reader->columns().size(), std::min(testing::kDrawnShare, kFewColumns))) {
      columns.push_back(column);
    }
    LoadOptions options{.threads = 2};
    options.batch_bytes = kBatchBytes[number / std::size(kGroups) / std::size(kRanges)];
    auto loader = Loader::create(backend, options);
    ASSERT_TRUE(loader.has_value()) << loader.error().message();
    const auto made = loader->load(*reader, columns, rows.begin, rows.count);
    ASSERT_TRUE(made.has_value()) << made.error().message();
    for (size_t i = 0; i < columns.size(); ++i) {
      expect_same(to_host((*made)[i], backend), expected(*reader, columns[i], rows.begin, rows.count));
    }
  }
}

}  // namespace bobbin::table_tests
