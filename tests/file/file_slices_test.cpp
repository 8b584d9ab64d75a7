// SPDX-License-Identifier: Apache-2.0
// Reads of some rows: the same values as when reading all, and no unchecked byte is used.
#include <algorithm>
#include <thread>

#include "bobbin/table.hpp"
#include "file/access.hpp"
#include "file/append.hpp"
#include "forge.hpp"
#include "support.hpp"
#include "tests/drawn.hpp"

namespace bobbin::file_tests {
namespace {

using file::ReaderAccess;

constexpr uint64_t kRows = 40'000;  // most segments have several parts
constexpr uint64_t kGroupRows = 30'000;

// A column of every kind of encoding, by its cascade.
struct Kind {
  const char* codec;
  DType type;
  uint64_t (*value)(uint64_t row, uint64_t random);
};

uint64_t bits_of(double value) {
  return std::bit_cast<uint64_t>(value);
}

constexpr Kind kKinds[] = {
    {"bitpack", DType::u32, [](uint64_t, uint64_t random) { return random % 100'000; }},
    {"ffor", DType::i64,
     [](uint64_t row, uint64_t random) { return row / 1024 * 1'000'000 + random % 5000; }},
    {"delta", DType::i64, [](uint64_t row, uint64_t random) { return row * 1000 + random % 900; }},
    {"patched", DType::u32,
     [](uint64_t, uint64_t random) { return random % 50 == 0 ? random >> 36 : random % 4000; }},
    {"alp", DType::f64, [](uint64_t, uint64_t random) { return bits_of(double(random % 1'000'000) / 100); }},
    {"alprd", DType::f64, [](uint64_t, uint64_t random) { return bits_of(1.0 + double(random) * 0x1p-64); }},
    {"constant", DType::u16, [](uint64_t, uint64_t) { return uint64_t{7}; }},
    {"dict", DType::i64, [](uint64_t, uint64_t random) { return random % 5000 * 0x123456789; }},
    {"rle", DType::u32, [](uint64_t row, uint64_t) { return row / 3 * 0x9e3779b1 & 0xffffffff; }},
    {"sparse", DType::u64, [](uint64_t, uint64_t random) { return random % 5 == 0 ? random : 3; }},
    // Row numbers that are not evenly spread: nearly all of them late, or early.
    {"rle(bitpack, bitpack)", DType::u32,
     [](uint64_t row, uint64_t) { return row < 25'000 ? row / 9000 : row; }},
    {"sparse(bitpack, bitpack)", DType::u64,
     [](uint64_t row, uint64_t random) { return row < 8000 && random % 3 == 0 ? random : 3; }},
    {"zigzag", DType::i32,
     [](uint64_t, uint64_t random) { return (random & 1) != 0 ? random % 3000 : (0 - random % 3000); }},
    {"diff", DType::u32, [](uint64_t row, uint64_t random) { return row * 100'000 + random % 100'000; }},
    {"zstd", DType::i32, [](uint64_t row, uint64_t random) { return row / 5 + random % 700; }},
    {"ans", DType::u8, [](uint64_t, uint64_t random) { return random % 40 * (random >> 8) % 40; }},
    // Row numbers that are found by searching other row numbers.
    {"rle(diff(sparse(delta, dict(patched, bitpack)), delta), ffor)", DType::u32,
     [](uint64_t row, uint64_t) { return (row + row / 50 % 2) / 2 * 77; }},
    {"diff(constant, delta)", DType::i64, [](uint64_t row, uint64_t) { return row * 3; }},
    {"dict(diff(rle(delta, ffor), ffor), ffor)", DType::i64,
     [](uint64_t row, uint64_t) { return row / 5 % 200 * 1'000'003; }},
};

// Those that files of version 1 may have: all but the last six.
constexpr std::span<const Kind> kOldKinds = std::span(kKinds).first<std::size(kKinds) - 6>();

Bytes values_of(const Kind& kind, uint64_t rows) {
  std::mt19937_64 random(static_cast<uint64_t>(kind.type) + kind.codec[0]);
  const size_t size = size_bytes(kind.type);
  Bytes bytes(rows * size);
  for (uint64_t row = 0; row < rows; ++row) {
    const uint64_t value = kind.value(row, random());
    std::memcpy(bytes.data() + row * size, &value, size);
  }
  return bytes;
}

// Strings with many and few distinct values, with and without nulls.
std::vector<Strings> strings_to_write(uint64_t rows) {
  Texts all = mixed_texts(rows);
  Texts few;
  Texts present;
  for (uint64_t row = 0; row < rows; ++row) {
    few.push_back(row % 7 == 0 ? std::nullopt : std::optional("kind " + std::to_string(row * row % 100)));
    present.push_back(all[row].value_or("none") + std::to_string(row));
  }
  return {strings_of(all), strings_of(few), strings_of(present)};
}

// Rows without a value make differences that are not all equal.
std::string_view codec_of(const Kind& kind, bool nullable) {
  const std::string_view codec(kind.codec);
  return nullable && codec.starts_with("diff(constant") ? "diff" : codec;
}

// Numbers of every kind, each once without and once with nulls; then strings.
Status write_kinds(const std::string& path, std::span<const Kind> kinds) {
  std::vector<Column> columns;
  WriteOptions options{.rows_per_group = kGroupRows};
  std::vector<Bytes> values;
  for (const Kind& kind : kinds) {
    values.push_back(values_of(kind, kRows));
    for (const bool nullable : {false, true}) {
      columns.push_back({std::string(kind.codec) + (nullable ? " or null" : ""), kind.type, nullable});
      options.column_codecs.emplace_back(columns.back().name, codec_of(kind, nullable));
    }
  }
  std::vector<uint8_t> validity(kRows / 8);
  std::mt19937_64 random(3);
  std::ranges::generate(validity, [&] { return static_cast<uint8_t>(random()); });
  std::vector<NullableView> nullable;
  std::ranges::transform(values, std::back_inserter(nullable), [&](const Bytes& bytes) {
    return NullableView{bytes.data(), validity.data()};
  });
  std::vector<const void*> pointers;
  for (size_t i = 0; i < values.size(); ++i) {
    pointers.push_back(values[i].data());
    pointers.push_back(&nullable[i]);
  }
  const std::vector<Strings> strings = strings_to_write(kRows);
  std::vector<StringsView> views;
  std::ranges::transform(strings, std::back_inserter(views), &Strings::view);
  for (const StringsView& view : views) {
    columns.push_back({"strings " + std::to_string(columns.size()), DType::binary});
    pointers.push_back(&view);
  }
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, columns, options));
  BOBBIN_TRY(file::append_untyped(writer, pointers, kRows));
  return writer.finish();
}

class FileSlices : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = std::make_unique<TempDir>();
    ASSERT_OK(write_kinds(*dir_ / "t.bob", kKinds));
    bytes_ = load(*dir_ / "t.bob");
    ASSERT_OK(write_kinds(*dir_ / "old.bob", kOldKinds));
    old_bytes_ = load(*dir_ / "old.bob");
  }
  static void TearDownTestSuite() { dir_.reset(); }

  static inline std::unique_ptr<TempDir> dir_;
  static inline Bytes bytes_;
  static inline Bytes old_bytes_;  // of codecs that a file reworked to version 1 may have
};

// Tests for ThreadSanitizer, which skips FileSlices (tests/CMakeLists.txt).
class FileThreads : public FileSlices {};

std::vector<size_t> all_columns(const Reader& reader) {
  std::vector<size_t> columns(reader.columns().size());
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i] = i;
  }
  return columns;
}

bool bit_of(const std::vector<uint8_t>& bits, uint64_t i) {
  return bits.empty() || (bits[i / 8] >> (i % 8) & 1) != 0;
}

// Row `rows(i)` of `whole` is row i of `part`, for all of them.
template <class Rows>
void expect_same(const HostColumn& whole, const HostColumn& part, const Rows& rows) {
  const StringsView all_strings = whole.strings.view();
  const StringsView strings = part.strings.view();
  const size_t size = is_string(whole.column.type) ? 0 : size_bytes(whole.column.type);
  const auto same = [&](uint64_t row, uint64_t i) {
    if (size == 0) {
      return strings.is_null(i) == all_strings.is_null(row) &&
             std::ranges::equal(strings.string(i), all_strings.string(row));
    }
    return bit_of(part.validity, i) == bit_of(whole.validity, row) &&
           std::memcmp(part.values.get() + i * size, whole.values.get() + row * size, size) == 0;
  };
  uint64_t i = 0;
  while (i < part.length && same(rows(i), i)) {
    ++i;
  }
  ASSERT_EQ(i, part.length) << whole.column.name << ": this row differs";
}

auto from(uint64_t begin) {
  return [begin](uint64_t i) { return begin + i; };
}

void expect_rows(const Reader& reader, const std::vector<HostColumn>& whole, uint64_t begin, uint64_t count) {
  const std::vector<size_t> columns = all_columns(reader);
  const auto part = read_columns(reader, columns, begin, count, 1);
  ASSERT_TRUE(part.has_value()) << part.error().message();
  for (const size_t column : columns) {
    expect_same(whole[column], (*part)[column], from(begin));
  }
}

TEST_F(FileSlices, RowsAtAllBoundariesAreThoseOfTheWhole) {
  const auto reader = Reader::open(*dir_ / "t.bob");
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  const auto whole = read_columns(*reader, all_columns(*reader), 0, kRows, 1);
  ASSERT_TRUE(whole.has_value()) << whole.error().message();
  constexpr uint64_t kCounts[] = {0, 1, 2, 100, 1023, 1024, 1025, 2049, 12'000};
  for (const uint64_t edge : {uint64_t{0}, uint64_t{1024}, uint64_t{16 * 1024}, kGroupRows, kRows}) {
    for (const uint64_t count : testing::drawn_of(kCounts)) {
      for (const int64_t before : {-1025, -1024, -1, 0, 1, 31, 32}) {
        const int64_t begin = static_cast<int64_t>(edge) + before;
        if (begin >= 0 && static_cast<uint64_t>(begin) + count <= kRows) {
          expect_rows(*reader, *whole, static_cast<uint64_t>(begin), count);
        }
      }
    }
  }
}

TEST_F(FileSlices, RandomRowsAreThoseOfTheWhole) {
  const auto reader = Reader::open(*dir_ / "t.bob");
  const auto whole = read_columns(*reader, all_columns(*reader), 0, kRows, 1);
  ASSERT_TRUE(whole.has_value()) << whole.error().message();
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    const uint64_t begin = random() % kRows;
    expect_rows(*reader, *whole, begin, random() % std::min<uint64_t>(kRows - begin, 500));
  }
}

// Rows by number: single ones, adjacent ones, and enough of them that chunks are read as a whole.
TEST_F(FileSlices, RowsByNumberAreThoseOfTheWhole) {
  const auto reader = Reader::open(*dir_ / "t.bob");
  const std::vector<size_t> columns = all_columns(*reader);
  const auto whole = read_columns(*reader, columns, 0, kRows, 1);
  ASSERT_TRUE(whole.has_value()) << whole.error().message();
  const auto every = [](uint64_t step) {
    std::vector<uint64_t> rows(kRows / step);
    std::ranges::generate(rows, [&, row = uint64_t{0}]() mutable { return std::exchange(row, row + step); });
    return rows;
  };
  for (const std::vector<uint64_t>& rows : {std::vector<uint64_t>{},
                                            {0},
                                            {kRows - 1},
                                            {5, 6, 7, 1029, 29'999, 30'000, 39'000},
                                            every(3),
                                            every(97),
                                            every(1500)}) {
    const auto taken = read_rows(*reader, columns, rows);
    ASSERT_TRUE(taken.has_value()) << taken.error().message();
    for (const size_t column : columns) {
      ASSERT_EQ((*taken)[column].length, rows.size());
      expect_same((*whole)[column], (*taken)[column], [&](uint64_t i) { return rows[i]; });
    }
  }
}

TEST_F(FileSlices, RowNumbersMustAscendAndExist) {
  const auto reader = Reader::open(*dir_ / "t.bob");
  const std::vector<size_t> columns{0};
  EXPECT_FALSE(read_rows(*reader, columns, std::vector<uint64_t>{1, 1}).has_value());
  EXPECT_FALSE(read_rows(*reader, columns, std::vector<uint64_t>{2, 1}).has_value());
  EXPECT_FALSE(read_rows(*reader, columns, std::vector<uint64_t>{kRows}).has_value());
  EXPECT_FALSE(read_rows(*reader, std::vector<size_t>{1000}, std::vector<uint64_t>{1}).has_value());
}

// Every kind of encoding is present, and has parts.
TEST_F(FileSlices, TheFileHasWhatIsTested) {
  const auto reader = Reader::open(*dir_ / "t.bob");
  const file::Footer& footer = ReaderAccess::footer(*reader);
  EXPECT_GT(footer.parts.size(), 50u);
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    const NodeInfo root = reader->row_group(0)->chunks[2 * i].root;
    EXPECT_TRUE(std::string_view(kKinds[i].codec).starts_with(root.codec)) << kKinds[i].codec;
    EXPECT_EQ(reader->row_group(0)->chunks[2 * i + 1].root.codec, "masked");
  }
}

// Reads of a few rows do not need most of the file: the rest may be damaged.
TEST_F(FileSlices, AReadOfAFewRowsDoesNotReadTheRest) {
  const auto whole_reader = Reader::open(*dir_ / "t.bob");
  const auto whole = read_columns(*whole_reader, all_columns(*whole_reader), 0, kRows, 1);
  const file::Footer& footer = ReaderAccess::footer(*whole_reader);
  const MemoryFile damaged(bytes_);
  const auto reader = damaged.open();
  ASSERT_TRUE(reader.has_value());
  uint64_t parts = 0;
  for (const file::Segment& segment : footer.segments) {
    for (uint64_t part = 3; part < file::num_parts(segment.size); ++part, ++parts) {
      damaged.put(segment.offset + part * file::kPartBytes, std::byte{0x55});
      damaged.put(segment.offset + part * file::kPartBytes + 1, std::byte{0xaa});
    }
  }
  EXPECT_GT(parts, 10u);
  for (size_t column = 0; column < reader->columns().size(); ++column) {
    // A dictionary or a frame is read as a whole.
    const std::string& name = reader->columns()[column].name;
    if (name.starts_with("dict") || name.starts_with("zstd")) {
      continue;
    }
    const auto part = read_columns(*reader, std::vector{column}, 10, 100, 1);
    ASSERT_TRUE(part.has_value()) << part.error().message();
    expect_same((*whole)[column], (*part)[0], from(10));
  }
}

// Whatever byte is wrong: rows are correct or there is an error.
TEST_F(FileSlices, NoByteIsUsedUnchecked) {
  const auto whole_reader = Reader::open(*dir_ / "t.bob");
  const auto whole = read_columns(*whole_reader, all_columns(*whole_reader), 0, kRows, 1);
  const file::Footer& footer = ReaderAccess::footer(*whole_reader);
  const MemoryFile file(bytes_);
  std::mt19937_64 random(11);
  uint64_t refused = 0;
  for (uint64_t i = 0; i < testing::drawn(3000, testing::kListShare).size(); ++i) {
    const auto& segment = footer.segments[random() % footer.segments.size()];
    if (segment.size == 0 || segment.in_footer) {
      continue;
    }
    const uint64_t at = segment.offset + random() % std::min<uint64_t>(segment.size, 4096);
    file.put(at, bytes_[at] ^ std::byte{static_cast<uint8_t>(1U << (random() % 8))});
    const size_t column = random() % footer.columns.size();
    const auto reader = file.open();
    ASSERT_TRUE(reader.has_value());
    const auto part = read_columns(*reader, std::vector{column}, 500, 100, 1);
    refused += part.has_value() ? 0 : 1;
    if (part.has_value()) {
      expect_same((*whole)[column], (*part)[0], from(500));
    }
    file.put(at, bytes_[at]);
  }
  EXPECT_GT(refused, 0u);
}

// Each byte that belongs to the column's first rows.
TEST_F(FileSlices, EveryBitOfASmallFileIsNoticedOrNotUsed) {
  const TempDir dir;
  const Texts texts = mixed_texts(2500);
  ASSERT_OK(write_texts(dir / "t.bob", strings_of(texts), {.rows_per_group = 2048}));
  const Bytes bytes = load(dir / "t.bob");
  const MemoryFile file(bytes);
  for (const uint64_t i : testing::drawn(bytes.size(), testing::kListShare)) {
    file.put(i, bytes[i] ^ std::byte{static_cast<uint8_t>(1U << (i % 8))});
    if (const auto reader = file.open(); reader.has_value()) {
      const auto part = reader->read_strings(0, 1000, 30);
      if (part.has_value()) {
        EXPECT_TRUE(std::ranges::equal(texts_of(*part), std::span(texts).subspan(1000, 30))) << i;
      } else {
        EXPECT_FALSE(reader->verify().ok());
      }
    }
    file.put(i, bytes[i]);
  }
}

// Files of writers without parts.
TEST_F(FileSlices, FilesWithoutPartsAreReadByWholeSegments) {
  Reworked old(old_bytes_);
  old.footer.parts.clear();
  const MemoryFile file(old.bytes());
  const auto reader = file.open();
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  const auto whole = read_columns(*reader, all_columns(*reader), 0, kRows, 1);
  ASSERT_TRUE(whole.has_value()) << whole.error().message();
  expect_rows(*reader, *whole, 2000, 100);
  expect_rows(*reader, *whole, kGroupRows - 50, 100);
}

TEST_F(FileSlices, PartsMustBeAsManyAsSegmentsHave) {
  Reworked changed(old_bytes_);
  changed.footer.parts.pop_back();
  const auto reader = MemoryFile(changed.bytes()).open();
  ASSERT_FALSE(reader.has_value());
  EXPECT_NE(reader.error().message().find("checksums of parts instead of"), std::string::npos)
      << reader.error().message();
}

// A wrong part checksum alone is not a reason to refuse rows if the segment's own checksum matches.
TEST_F(FileSlices, ASegmentsOwnChecksumDecides) {
  Reworked changed(old_bytes_);
  std::ranges::fill(changed.footer.parts, uint64_t{1});
  const MemoryFile file(changed.bytes());
  const auto reader = file.open();
  ASSERT_TRUE(reader.has_value());
  const auto whole = read_columns(*reader, all_columns(*reader), 0, kRows, 1);
  ASSERT_TRUE(whole.has_value()) << whole.error().message();
  expect_rows(*reader, *whole, 2000, 100);
}

// What was checked once stays in the reader's memory: the file may change after that.
TEST_F(FileSlices, RowsReadAgainAreTheSame) {
  const MemoryFile file(bytes_);
  const auto reader = file.open();
  ASSERT_TRUE(reader.has_value());
  const std::vector<size_t> columns = all_columns(*reader);
  const auto before = read_columns(*reader, columns, 0, kRows, 1);
  ASSERT_TRUE(before.has_value()) << before.error().message();
  for (int i = 0; i < 3; ++i) {  // more parts than the cache holds
    for (uint64_t row = 0; row + 100 < kRows; row += 7000) {
      expect_rows(*reader, *before, row, 100);
      expect_rows(*reader, *before, row, 100);
    }
  }
  const auto first = read_columns(*reader, std::vector<size_t>{0}, 10, 10, 1);
  ASSERT_TRUE(first.has_value());
  const uint64_t at = ReaderAccess::footer(*reader).segments[0].offset;
  file.put(at, bytes_[at] ^ std::byte{0x55});
  const auto again = read_columns(*reader, std::vector<size_t>{0}, 10, 10, 1);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  expect_same((*before)[0], (*again)[0], from(10));
  EXPECT_FALSE(reader->verify().ok());
}

// A chunk that was read as a whole for some of its rows is not read again.
TEST_F(FileSlices, ChunksReadForSomeRowsAreKept) {
  const MemoryFile file(bytes_);
  const auto reader = file.open();
  ASSERT_TRUE(reader.has_value());
  std::vector<uint64_t> rows(300);
  std::ranges::generate(rows, [row = uint64_t{0}]() mutable { return std::exchange(row, row + 100); });
  const std::vector<size_t> columns = all_columns(*reader);
  const auto before = read_rows(*reader, columns, rows);
  ASSERT_TRUE(before.has_value()) << before.error().message();
  for (const file::Segment& segment : ReaderAccess::footer(*reader).segments) {
    if (segment.size != 0 && !segment.in_footer) {
      file.put(segment.offset, bytes_[segment.offset] ^ std::byte{0x55});
    }
  }
  const auto again = read_rows(*reader, columns, rows);
  ASSERT_TRUE(again.has_value()) << again.error().message();
  for (const size_t column : columns) {
    expect_same((*before)[column], (*again)[column], from(0));
  }
  EXPECT_FALSE(reader->verify().ok());
}

TEST_F(FileThreads, MayShareAReader) {
  const auto reader = Reader::open(*dir_ / "t.bob");
  const auto whole = read_columns(*reader, all_columns(*reader), 0, kRows, 1);
  ASSERT_TRUE(whole.has_value()) << whole.error().message();
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 10; ++i) {
        expect_rows(*reader, *whole, (t * 10 + i) * 900, 100);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace bobbin::file_tests
