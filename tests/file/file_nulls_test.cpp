// SPDX-License-Identifier: Apache-2.0
// Numeric columns with nulls: round trips in any pieces; zone maps and counts; forged files.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "core/scalar.hpp"
#include "file/append.hpp"
#include "file/nulls.hpp"
#include "forge.hpp"
#include "support.hpp"
#include "tests/backends.hpp"

namespace bobbin::file_tests {
namespace {

// Rows of one column, and their validity.
struct Rows {
  DType type{};
  Bytes values;
  std::vector<bool> there;

  [[nodiscard]] uint64_t length() const { return there.size(); }
  // Zero in place of nulls: what read() returns.
  [[nodiscard]] Bytes zeroed() const {
    Bytes out = values;
    for (uint64_t i = 0; i < length(); ++i) {
      if (!there[i]) {
        std::memset(out.data() + i * size_bytes(type), 0, size_bytes(type));
      }
    }
    return out;
  }
  [[nodiscard]] std::vector<uint8_t> bits(uint64_t begin, uint64_t count) const {
    std::vector<uint8_t> bits((count + 7) / 8);
    for (uint64_t i = 0; i < count; ++i) {
      bits[i / 8] |= static_cast<uint8_t>((there[begin + i] ? 1U : 0U) << (i % 8));
    }
    return bits;
  }
};

using IsThere = std::function<bool(uint64_t)>;

Rows make_rows(DType type, uint64_t length, const IsThere& is_there) {
  Rows rows{type, make_values(type, length, 3), {}};
  for (uint64_t i = 0; i < length; ++i) {
    rows.there.push_back(is_there(i));
  }
  return rows;
}

struct Shape {
  std::string name;
  IsThere is_there;
};

std::vector<Shape> shapes() {
  return {{"none is null", [](uint64_t) { return true; }},
          {"all are null", [](uint64_t) { return false; }},
          {"some", [](uint64_t i) { return i * 0x9e37'79b9'7f4a'7c15 >> 61 != 0; }},
          {"most", [](uint64_t i) { return i * 0x9e37'79b9'7f4a'7c15 >> 61 == 0; }},
          {"runs", [](uint64_t i) { return i / 77 % 3 != 0; }},
          {"row groups of nothing else", [](uint64_t i) { return i / 1000 % 2 == 0; }},
          {"the first", [](uint64_t i) { return i != 0; }},
          {"the last", [](uint64_t i) { return i != 2999; }}};
}

// In pieces of the given number of rows; some of those without nulls have no validity bits.
Status write_rows(const std::string& path, const Rows& rows, uint64_t piece, const WriteOptions& options) {
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, {{"value", rows.type, true}}, options));
  for (uint64_t begin = 0; begin < rows.length(); begin += piece) {
    const uint64_t count = std::min(piece, rows.length() - begin);
    const std::vector<uint8_t> bits = rows.bits(begin, count);
    const auto first = rows.there.begin() + static_cast<ptrdiff_t>(begin);
    const bool all = std::all_of(first, first + static_cast<ptrdiff_t>(count), [](bool x) { return x; });
    const NullableView view{rows.values.data() + begin * size_bytes(rows.type),
                            all && begin % 2 == 0 ? nullptr : bits.data()};
    const std::array<const void*, 1> columns{&view};
    BOBBIN_TRY(file::append_untyped(writer, columns, count));
  }
  return writer.finish();
}

void expect_rows(const Reader& reader, const Rows& rows, uint64_t begin, uint64_t count) {
  const size_t size = size_bytes(rows.type);
  Bytes out(count * size);
  ASSERT_OK(reader.read(0, begin, count, out));
  const Bytes expected = rows.zeroed();
  EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin() + static_cast<ptrdiff_t>(begin * size)));
  std::vector<uint8_t> bitmap((count + 7) / 8, 0xaa);
  ASSERT_OK(reader.read_validity(0, begin, count, bitmap));
  EXPECT_EQ(bitmap, rows.bits(begin, count));
}

TEST(FileNulls, EveryTypeAndShapeComesBack) {
  const TempDir dir;
  for (const DType type : kAllTypes) {
    for (const Shape& shape : shapes()) {
      SCOPED_TRACE(std::string(to_string(type)) + ", " + shape.name);
      const Rows rows = make_rows(type, 3000, shape.is_there);
      ASSERT_OK(write_rows(dir / "t.bob", rows, 3000, {.rows_per_group = 1000, .overwrite = true}));
      const auto reader = Reader::open(dir / "t.bob");
      ASSERT_TRUE(reader.has_value()) << reader.error().message();
      EXPECT_EQ(reader->columns(), (std::vector<Column>{{"value", type, true}}));
      ASSERT_OK(reader->verify());
      expect_rows(*reader, rows, 0, 3000);
    }
  }
}

TEST(FileNulls, AnyPiecesAnyRanges) {
  const TempDir dir;
  for (const Shape& shape : shapes()) {
    const Rows rows = make_rows(DType::i32, 3000, shape.is_there);
    for (const uint64_t piece : {1, 7, 333, 1000, 1001, 2999}) {
      SCOPED_TRACE(shape.name + ", pieces of " + std::to_string(piece));
      ASSERT_OK(write_rows(dir / "t.bob", rows, piece, {.rows_per_group = 700, .overwrite = true}));
      const auto reader = Reader::open(dir / "t.bob");
      ASSERT_OK(reader->verify());
      std::mt19937_64 random(piece);
      for (int i = 0; i < 20; ++i) {
        const uint64_t begin = random() % 3001;
        expect_rows(*reader, rows, begin, random() % (3001 - begin));
      }
    }
  }
}

// However rows are split into pieces, the file has the same bytes.
TEST(FileNulls, PiecesDoNotShowInTheFile) {
  const TempDir dir;
  const Rows rows = make_rows(DType::f64, 5000, [](uint64_t i) { return i % 3 != 1 || i > 3000; });
  ASSERT_OK(write_rows(dir / "a.bob", rows, 5000, {.rows_per_group = 1024}));
  ASSERT_OK(write_rows(dir / "b.bob", rows, 91, {.rows_per_group = 1024}));
  EXPECT_EQ(load(dir / "a.bob"), load(dir / "b.bob"));
}

TEST(FileNulls, OnAnotherBackend) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const Rows rows = make_rows(DType::u32, 3000, [](uint64_t i) { return i % 5 != 1; });
  ASSERT_OK(write_rows(dir / "a.bob", rows, 3000, {.rows_per_group = 2048}));
  ASSERT_OK(write_rows(dir / "b.bob", rows, 3000, {.rows_per_group = 2048, .backend = Backend::emulator}));
  EXPECT_EQ(load(dir / "a.bob"), load(dir / "b.bob"));
  const auto reader = Reader::open(dir / "a.bob");
  ASSERT_OK(reader->verify(Backend::emulator));
  Bytes out(rows.values.size());
  ASSERT_OK(reader->read(0, 0, 3000, out, Backend::emulator));
  EXPECT_EQ(out, rows.zeroed());
}

TEST(FileNulls, CountsZoneMapsAndTrees) {
  const TempDir dir;
  // Values from 100 on; nulls, including the smallest and the largest values, are ignored.
  std::vector<int16_t> values(4000);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int16_t>(i % 10 == 0 ? -30'000 : i % 10 == 9 ? 30'000 : 100 + i % 10);
  }
  Rows rows = make_rows(DType::i16, 4000,
                        [](uint64_t i) { return i < 1000 ? i % 10 != 0 && i % 10 != 9 : i >= 2000; });
  std::memcpy(rows.values.data(), values.data(), rows.values.size());
  ASSERT_OK(write_rows(dir / "t.bob", rows, 4000, {.rows_per_group = 1000}));
  const auto reader = Reader::open(dir / "t.bob");
  const auto chunk = [&](size_t group) { return reader->row_group(group)->chunks[0]; };
  EXPECT_EQ(chunk(0).null_count, 200U);
  EXPECT_EQ(chunk(0).min, scalar_of(int16_t{101}));
  EXPECT_EQ(chunk(0).max, scalar_of(int16_t{108}));
  EXPECT_EQ(chunk(0).root.codec, "masked");
  EXPECT_EQ(chunk(0).root.detail, "32 words of validity");
  EXPECT_EQ(chunk(1).null_count, 1000U);
  EXPECT_EQ(chunk(1).min, Scalar{});
  EXPECT_EQ(chunk(1).max, Scalar{});
  EXPECT_EQ(chunk(2).null_count, 0U);
  EXPECT_NE(chunk(2).root.codec, "masked");
  EXPECT_EQ(chunk(2).max, scalar_of(int16_t{30'000}));
  ASSERT_OK(reader->verify());
}

// A null NaN does not widen the zone map, one that is not null does; the sign of zero is kept.
TEST(FileNulls, FloatsOutsideOfTheOrder) {
  const TempDir dir;
  Rows rows = make_rows(DType::f64, 64, [](uint64_t i) { return i % 32 != 5; });
  std::vector<double> values(64, -0.0);
  values[5] = std::numeric_limits<double>::quiet_NaN();
  values[36] = std::numeric_limits<double>::quiet_NaN();
  std::memcpy(rows.values.data(), values.data(), rows.values.size());
  ASSERT_OK(write_rows(dir / "t.bob", rows, 64, {.rows_per_group = 32}));
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_OK(reader->verify());
  EXPECT_EQ(reader->row_group(0)->chunks[0].max, scalar_of(-0.0));
  EXPECT_EQ(reader->row_group(1)->chunks[0].max, scalar_of(std::numeric_limits<double>::infinity()));
}

// Next to columns of any other kind.
TEST(FileNulls, ColumnsOfEverySortTogether) {
  const TempDir dir;
  const Rows rows = make_rows(DType::u8, 2500, [](uint64_t i) { return i % 4 != 0; });
  const Bytes plain = make_values(DType::u64, 2500, 1);
  const Strings strings = strings_of(mixed_texts(2500));
  auto writer = Writer::create(dir / "t.bob",
                               {{"text", DType::binary}, {"value", DType::u8, true}, {"plain", DType::u64}},
                               {.rows_per_group = 1000});
  ASSERT_TRUE(writer.has_value());
  const StringsView text = strings.view();
  const std::vector<uint8_t> bits = rows.bits(0, 2500);
  const NullableView view{rows.values.data(), bits.data()};
  const std::array<const void*, 3> columns{&text, &view, plain.data()};
  ASSERT_OK(file::append_untyped(*writer, columns, 2500));
  ASSERT_OK(writer->finish());
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_OK(reader->verify());
  EXPECT_EQ(texts_of(*reader->read_strings(0, 0, 2500)), texts_of(strings));
  Bytes out(2500);
  ASSERT_OK(reader->read(1, 0, 2500, out));
  EXPECT_EQ(out, rows.zeroed());
  Bytes other(plain.size());
  ASSERT_OK(reader->read(2, 0, 2500, other));
  EXPECT_EQ(other, plain);
  std::vector<uint8_t> bitmap(313);
  ASSERT_OK(reader->read_validity(2, 0, 2500, bitmap));
  EXPECT_TRUE(std::all_of(bitmap.begin(), bitmap.end() - 1, [](uint8_t byte) { return byte == 0xff; }));
  EXPECT_EQ(bitmap.back(), 0x0f);
  EXPECT_EQ(reader->read_validity(0, 0, 8, std::span(bitmap).first(1)).code(), StatusCode::invalid_argument);
}

TEST(FileNulls, WrongRequestsAreRefused) {
  const TempDir dir;
  const auto strings = Writer::create(dir / "s.bob", {{"text", DType::utf8, true}}, {});
  ASSERT_FALSE(strings.has_value());
  EXPECT_EQ(strings.error().code(), StatusCode::invalid_argument);
  const auto forced = Writer::create(dir / "f.bob", {{"value", DType::u8, true}}, {.codec = "masked"});
  ASSERT_FALSE(forced.has_value());
  EXPECT_EQ(forced.error().code(), StatusCode::invalid_argument);
  auto writer = Writer::create(dir / "t.bob", {{"value", DType::u8, true}}, {});
  const NullableView nothing;
  const std::array<const void*, 1> columns{&nothing};
  EXPECT_EQ(file::append_untyped(*writer, columns, 3).code(), StatusCode::invalid_argument);
  ASSERT_OK(write_rows(dir / "g.bob", make_rows(DType::u8, 100, [](uint64_t i) { return i > 3; }), 100, {}));
  const auto reader = Reader::open(dir / "g.bob");
  std::vector<uint8_t> bitmap(13);
  for (const auto& [begin, count, bytes] : {std::tuple{0, 101, 13}, {101, 0, 0}, {0, 100, 12}, {0, 96, 13}}) {
    const auto out = std::span(bitmap).first(static_cast<size_t>(bytes));
    EXPECT_EQ(
        reader->read_validity(0, static_cast<uint64_t>(begin), static_cast<uint64_t>(count), out).code(),
        StatusCode::invalid_argument)
        << begin << ' ' << count << ' ' << bytes;
  }
  EXPECT_EQ(reader->read_validity(1, 0, 0, {}).code(), StatusCode::invalid_argument);
}

// With a codec that format version 1 has too: files are forged in it.
Bytes sound_file() {
  const TempDir dir;
  const Rows rows = make_rows(DType::u32, 100, [](uint64_t i) { return i % 7 != 2; });
  EXPECT_TRUE(write_rows(dir / "t.bob", rows, 100, {.codec = "ffor"}).ok());
  return load(dir / "t.bob");
}

Bytes file_of_nulls() {
  const TempDir dir;
  EXPECT_TRUE(
      write_rows(dir / "t.bob", make_rows(DType::u32, 100, [](uint64_t) { return false; }), 100, {}).ok());
  return load(dir / "t.bob");
}

TEST(FileNulls, LiesAreRefused) {
  struct Lie {
    std::string message;
    std::function<void(Reworked&)> tell;
  };
  const uint64_t nulls = 14;
  const std::vector<Lie> lies{
      {"nulls in a column that is not nullable", [](Reworked& f) { f.footer.columns[0].nullable = false; }},
      {"101 nulls in a row group of 100 rows", [](Reworked& f) { f.chunk().null_count = 101; }},
      {"nulls in a row group", [](Reworked& f) { f.chunk().null_count = UINT64_MAX; }},
      {"a minimum or maximum although all values are null", [](Reworked& f) { f.chunk().null_count = 100; }},
      {"14 values are null, but the footer says 13", [](Reworked& f) { f.chunk().null_count = nulls - 1; }},
      {"14 values are null, but the footer says 0", [](Reworked& f) { f.chunk().null_count = 0; }},
      {"zone map's minimum and maximum", [](Reworked& f) { ++f.chunk().zone.min.bits; }},
      {"14 nulls in an encoding without nulls",
       [](Reworked& f) {
         const file::Node values = f.chunk().root.children[0];
         f.chunk().root = values;
       }},
      {"an encoding with nulls inside another",
       [](Reworked& f) {
         const file::Node root = f.chunk().root;
         f.chunk().root.children[1] = root;
       }},
      {"masked: 3 words of validity instead of 4",
       [](Reworked& f) { f.chunk().root.children[1].length = 3; }},
      {"masked: validity of type i32", [](Reworked& f) { f.chunk().root.children[1].type = DType::i32; }},
      {"masked: values of type i32", [](Reworked& f) { f.chunk().root.children[0].type = DType::i32; }},
      {"masked: has metadata", [](Reworked& f) { f.chunk().root.metadata = {1}; }},
  };
  for (const Lie& lie : lies) {
    Reworked file(sound_file());
    ASSERT_EQ(file.chunk().null_count, nulls);
    lie.tell(file);
    const Status status = open_and_verify(MemoryFile(file.bytes()));
    EXPECT_EQ(status.code(), StatusCode::corrupt) << lie.message;
    EXPECT_NE(status.message().find(lie.message), std::string::npos)
        << "got: " << status.message() << "\nnot: " << lie.message;
  }
}

TEST(FileNulls, LiesOfOtherColumnsAreRefused) {
  Forgery counted;
  counted.chunk().null_count = 1;
  EXPECT_NE(
      open_and_verify(MemoryFile(counted.bytes())).message().find("nulls in a column that is not nullable"),
      std::string::npos);
  Forgery nullable;  // without a null: valid
  nullable.footer.columns[0].nullable = true;
  ASSERT_OK(open_and_verify(MemoryFile(nullable.bytes())));
  const TempDir dir;
  ASSERT_OK(write_texts(dir / "t.bob", strings_of({"a", std::nullopt})));
  Reworked strings(load(dir / "t.bob"));
  strings.footer.columns[0].nullable = true;
  EXPECT_NE(open_and_verify(MemoryFile(strings.bytes()))
                .message()
                .find("a string column must not be marked nullable"),
            std::string::npos);
  Reworked all_null(file_of_nulls());
  all_null.chunk().zone.max.bits = 1;
  EXPECT_NE(open_and_verify(MemoryFile(all_null.bytes())).message().find("although all values are null"),
            std::string::npos);
}

// Every byte of a file with nulls, one bit of it flipped.
TEST(FileNulls, FlippedBytesAreFound) {
  const Bytes bytes = sound_file();
  const MemoryFile file(bytes);
  for (size_t i = 0; i < bytes.size(); ++i) {
    file.put(i, bytes[i] ^ std::byte{0x10});
    EXPECT_FALSE(open_and_verify(file).ok()) << i;
    file.put(i, bytes[i]);
  }
}

TEST(FileNulls, FillingTakesTheValueBefore) {
  std::vector<uint16_t> values{9, 9, 5, 9, 6, 9, 9};
  const uint8_t bits = 0b0010100;
  file::fill_nulls(DType::u16, std::as_writable_bytes(std::span(values)), {&bits, 0});
  EXPECT_EQ(values, (std::vector<uint16_t>{5, 5, 5, 5, 6, 6, 6}));
  const uint8_t none = 0;
  file::fill_nulls(DType::u16, std::as_writable_bytes(std::span(values)), {&none, 0});
  EXPECT_EQ(values, std::vector<uint16_t>(7));
}

}  // namespace
}  // namespace bobbin::file_tests
