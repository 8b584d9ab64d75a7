// SPDX-License-Identifier: Apache-2.0
// Shared by the container's tests: files that live as long as a test, and columns to write to them.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bobbin/file.hpp"
#include "file/append.hpp"

namespace bobbin::file_tests {

using Bytes = std::vector<std::byte>;

#define ASSERT_OK(expression)                           \
  do {                                                  \
    const ::bobbin::Status ok_status = (expression);    \
    ASSERT_TRUE(ok_status.ok()) << ok_status.message(); \
  } while (false)

// An empty directory, removed with everything in it.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "bobbin-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] std::vector<std::string> listing() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline Bytes load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> chars((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(chars));
  return {bytes.begin(), bytes.end()};
}

inline void store(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(out.good()) << path;
}

// A file in memory: the hostile tests open tens of thousands.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes)
      : descriptor_(::memfd_create("bobbin-test", MFD_CLOEXEC)) {
    EXPECT_EQ(::write(descriptor_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  void put(size_t offset, std::byte value) const {
    EXPECT_EQ(::pwrite(descriptor_, &value, 1, static_cast<off_t>(offset)), 1);
  }
  void put(size_t offset, std::span<const std::byte> bytes) const {
    EXPECT_EQ(::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset)),
              static_cast<ssize_t>(bytes.size()));
  }
  [[nodiscard]] Result<Reader> open() const { return Reader::from_descriptor(descriptor_, "test.bob"); }

 private:
  int descriptor_;
};

// Opens and decodes everything, first as a reader of columns and then with verify(): both must agree.
inline Status read_everything(const Reader& reader) {
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    (void)reader.row_group(group);
  }
  for (size_t column = 0; column < reader.columns().size(); ++column) {
    if (is_string(reader.columns()[column].type)) {
      BOBBIN_ASSIGN(const Strings strings, reader.read_strings(column, 0, reader.num_rows()));
      EXPECT_EQ(strings.length(), reader.num_rows());
      continue;
    }
    Bytes out(reader.num_rows() * size_bytes(reader.columns()[column].type));
    BOBBIN_TRY(reader.read(column, 0, reader.num_rows(), out));
  }
  return {};
}

inline Status open_and_read(const MemoryFile& file) {
  BOBBIN_ASSIGN(const Reader reader, file.open());
  return read_everything(reader);
}

inline Status open_and_verify(const MemoryFile& file) {
  BOBBIN_ASSIGN(const Reader reader, file.open());
  return reader.verify();
}

// The bits of a type's lowest and highest value.
inline std::pair<uint64_t, uint64_t> ends_of(DType type) {
  if (type == DType::f32) {
    return {0xff80'0000, 0x7f80'0000};
  }
  if (type == DType::f64) {
    return {0xfff0'0000'0000'0000, 0x7ff0'0000'0000'0000};
  }
  const uint64_t lowest = is_signed(type) ? uint64_t{1} << (size_bits(type) - 1) : 0;
  return {lowest, lowest - 1};
}

// Values of a type that differ from row to row, including negative ones and both ends of the type's range.
inline Bytes make_values(DType type, uint64_t rows, uint64_t seed) {
  const size_t size = size_bytes(type);
  Bytes bytes(rows * size);
  std::mt19937_64 random(seed * 16 + static_cast<uint64_t>(type));
  for (uint64_t i = 0; i < rows; ++i) {
    // Runs of small values with a few of full width, so that widths differ between row groups.
    const uint64_t value = i / 1024 % 2 == 0 ? random() % 100 : random() >> (random() % 64);
    std::copy_n(std::as_bytes(std::span(&value, 1)).begin(), size,
                bytes.begin() + static_cast<ptrdiff_t>(i * size));
  }
  if (rows > 1) {
    const auto [lowest, highest] = ends_of(type);
    std::copy_n(std::as_bytes(std::span(&lowest, 1)).begin(), size, bytes.begin());
    std::copy_n(std::as_bytes(std::span(&highest, 1)).begin(), size,
                bytes.begin() + static_cast<ptrdiff_t>(size));
  }
  return bytes;
}

struct Table {
  std::vector<Column> columns;
  std::vector<Bytes> values;
  uint64_t rows = 0;

  [[nodiscard]] std::vector<const void*> pointers(uint64_t first_row = 0) const {
    std::vector<const void*> out;
    for (size_t c = 0; c < columns.size(); ++c) {
      out.push_back(values[c].data() + first_row * size_bytes(columns[c].type));
    }
    return out;
  }
};

inline Table table_of(std::span<const DType> types, uint64_t rows, uint64_t seed = 1) {
  Table table{.columns = {}, .values = {}, .rows = rows};
  for (const DType type : types) {
    table.columns.push_back({"column " + std::string(to_string(type)), type});
    table.values.push_back(make_values(type, rows, seed));
  }
  return table;
}

inline Table all_types(uint64_t rows, uint64_t seed = 1) {
  return table_of(kAllTypes, rows, seed);
}

inline Table one_column(DType type, uint64_t rows, uint64_t seed = 1) {
  return {.columns = {{"value", type}}, .values = {make_values(type, rows, seed)}, .rows = rows};
}

inline Status write_table(const std::string& path, const Table& table, const WriteOptions& options = {}) {
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, table.columns, options));
  BOBBIN_TRY(file::append_untyped(writer, table.pointers(), table.rows));
  return writer.finish();
}

// Strings, including nulls, as written in tests.
using Texts = std::vector<std::optional<std::string>>;

inline Strings strings_of(const Texts& texts) {
  Strings strings;
  for (const auto& text : texts) {
    if (text.has_value()) {
      strings.push_back({reinterpret_cast<const uint8_t*>(text->data()), text->size()});
    } else {
      strings.push_null();
    }
  }
  return strings;
}

inline Texts texts_of(const Strings& strings) {
  Texts texts;
  for (uint64_t i = 0; i < strings.length(); ++i) {
    const auto string = strings.view().string(i);
    texts.emplace_back(std::string(string.begin(), string.end()));
    if (strings.view().is_null(i)) {
      EXPECT_TRUE(string.empty());
      texts.back().reset();
    }
  }
  return texts;
}

// A file with one string column, called "text".
inline Status write_texts(const std::string& path, const Strings& strings, const WriteOptions& options = {},
                          DType type = DType::binary) {
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, {{"text", type}}, options));
  const StringsView view = strings.view();
  const std::array<const void*, 1> columns{&view};
  BOBBIN_TRY(file::append_untyped(writer, columns, strings.length()));
  return writer.finish();
}

// Words of a small vocabulary, every byte value, empty strings and nulls.
inline Texts mixed_texts(uint64_t count, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  Texts texts;
  for (uint64_t i = 0; i < count; ++i) {
    if (random() % 11 == 0) {
      texts.emplace_back(std::nullopt);
      continue;
    }
    std::string text;
    for (uint64_t words = random() % 7; words > 0; --words) {
      text += random() % 9 == 0 ? std::string(1, static_cast<char>(random()))
                                : "word" + std::to_string(random() % 50);
    }
    texts.emplace_back(std::move(text));
  }
  return texts;
}

inline Result<Reader> written(const TempDir& dir, const Strings& strings, const WriteOptions& options = {},
                              DType type = DType::binary) {
  BOBBIN_TRY(write_texts(dir / "t.bob", strings, options, type));
  return Reader::open(dir / "t.bob");
}

}  // namespace bobbin::file_tests
