// SPDX-License-Identifier: Apache-2.0
// Any flipped bit, any truncation: an error, never a crash, never wrong values.
#include <fcntl.h>

#include "file/append.hpp"
#include "forge.hpp"
#include "support.hpp"
#include "tests/drawn.hpp"

namespace bobbin::file_tests {
namespace {

// A small file with everything in it: two columns, two row groups, both codecs, an empty segment, padding.
Bytes small_file() {
  const TempDir dir;
  Table table{.columns = {{"constant", DType::u8}, {"näme", DType::i16}}, .values = {}, .rows = 5};
  table.values.push_back(Bytes(5));
  table.values.push_back(make_values(DType::i16, 5, 7));
  EXPECT_TRUE(write_table(dir / "t.bob", table, {.rows_per_group = 3}).ok());
  return load(dir / "t.bob");
}

Bytes small_ffor_file() {
  const TempDir dir;
  EXPECT_TRUE(write_table(dir / "t.bob", one_column(DType::i32, 40), {.codec = "ffor"}).ok());
  return load(dir / "t.bob");
}

// Strings with a null, in two row groups that share their symbols, and metadata.
Bytes two_group_string_file() {
  const TempDir dir;
  const Strings strings = strings_of({"abcabc", std::nullopt, "", "abcabc", "abcab\xff"});
  const StringsView view = strings.view();
  const std::array<const void*, 1> columns{&view};
  auto writer = Writer::create(dir / "t.bob", {{"text", DType::binary}}, {.rows_per_group = 3});
  EXPECT_TRUE(file::append_untyped(*writer, columns, strings.length()).ok());
  EXPECT_TRUE(writer->set_metadata("key", "value").ok());
  EXPECT_TRUE(writer->finish().ok());
  return load(dir / "t.bob");
}

// Every kind of zone map and of nulls, and a segment that is not part of the footer.
Bytes nullable_columns_file() {
  const TempDir dir;
  std::vector<Column> columns{{"i", DType::i64, true, {.kind = Logical::Kind::timestamp}},
                              {"f", DType::f32, true},
                              {"d", DType::i16, false, {.kind = Logical::Kind::decimal, .scale = 2}}};
  constexpr uint64_t kRows = 1500;
  const Bytes integers = make_values(DType::i64, kRows, 3);
  const Bytes floats = make_values(DType::f32, kRows, 4);
  const Bytes decimals = make_values(DType::i16, kRows, 5);
  const std::vector<uint8_t> some(kRows / 8 + 1, 0xfe);
  const std::vector<uint8_t> none(kRows / 8 + 1);
  const NullableView views[] = {{integers.data(), some.data()}, {floats.data(), none.data()}};
  const std::array<const void*, 3> pointers{&views[0], &views[1], decimals.data()};
  auto writer = Writer::create(dir / "t.bob", columns, {});
  EXPECT_TRUE(file::append_untyped(*writer, pointers, kRows).ok());
  EXPECT_TRUE(writer->finish().ok());
  return load(dir / "t.bob");
}

void expect_one_line(const Status& status) {
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message().rfind("test.bob: ", 0), 0u) << status.message();
  EXPECT_EQ(status.message().find('\n'), std::string::npos) << status.message();
}

TEST(FileHostile, EveryFlippedBitIsNoticed) {
  for (const Bytes& bytes : {small_file(), small_ffor_file(), two_group_string_file()}) {
    const MemoryFile file(bytes);
    ASSERT_TRUE(open_and_read(file).ok());
    ASSERT_TRUE(open_and_verify(file).ok());
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        file.put(i, bytes[i] ^ std::byte{static_cast<uint8_t>(1 << bit)});
        const Status read = open_and_read(file);
        ASSERT_FALSE(read.ok()) << "bit " << bit << " of byte " << i;
        expect_one_line(read);
        ASSERT_FALSE(open_and_verify(file).ok()) << "bit " << bit << " of byte " << i;
      }
      file.put(i, bytes[i]);
    }
  }
}

TEST(FileHostile, EveryTruncationIsNoticedByOpen) {
  for (const Bytes& bytes : {small_file(), two_group_string_file()}) {
    for (size_t length = 0; length < bytes.size(); ++length) {
      const MemoryFile file(std::span<const std::byte>(bytes).first(length));
      const auto reader = file.open();
      ASSERT_FALSE(reader.has_value()) << length;
      expect_one_line(reader.error());
    }
  }
}

TEST(FileHostile, ExtraBytesAreNoticedByOpen) {
  const Bytes bytes = small_file();
  for (const size_t extra : {1, 32, 127, 128, 4096}) {
    Bytes longer = bytes;
    longer.resize(bytes.size() + extra);
    EXPECT_FALSE(MemoryFile(longer).open().has_value());
    Bytes doubled(extra);
    append_bytes(doubled, bytes);
    EXPECT_FALSE(MemoryFile(doubled).open().has_value());
  }
}

// Every byte of the footer changed in many ways, with a valid checksum: open and read must end, with or
// without an error.
void try_footer(const Frame& frame, size_t at, int value) {
  Bytes footer = frame.footer;
  footer[at] = std::byte{static_cast<uint8_t>(value)};
  const MemoryFile file(assemble(frame.body, footer, frame.version));
  const auto reader = file.open();
  if (!reader.has_value()) {
    expect_one_line(reader.error());
  } else if (reader->num_rows() <= 1 << 20) {
    (void)read_everything(*reader);
    (void)reader->verify();
  }
}

void try_every_footer_byte(const Bytes& bytes) {
  const Frame frame(bytes);
  for (const uint64_t i : testing::drawn(frame.footer.size())) {
    const int old = std::to_integer<int>(frame.footer[i]);
    for (const int value :
         {0, 1, 2, 127, 128, 255, old + 1, old - 1, old + 4, old - 4, old ^ 2, old ^ 4, old ^ 8, old ^ 64}) {
      try_footer(frame, i, value);
    }
  }
}

void try_both_versions(const Bytes& bytes) {
  try_every_footer_byte(bytes);
  try_every_footer_byte(Reworked(bytes).bytes());
}

TEST(FileHostile, FootersWithEveryByteChanged) {
  try_both_versions(small_file());
  try_both_versions(small_ffor_file());
  try_both_versions(two_group_string_file());
  try_both_versions(nullable_columns_file());
}

void try_strings(const Reader& reader) {
  for (uint64_t row = 0; row < reader.num_rows(); ++row) {
    (void)reader.read_strings(0, row, 1);
  }
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const uint8_t wanted[] = {'b', 'c'};
    (void)reader.find_strings(0, group, {.test = StringTest::contains, .bytes = wanted});
  }
  (void)read_everything(reader);
  (void)reader.verify();
}

// Damage that only decoding detects: bytes of segments changed, with valid checksums.
TEST(FileHostile, StringSegmentsWithEveryByteChanged) {
  Reworked reworked(two_group_string_file());
  const std::vector<file::Segment> segments = reworked.footer.segments;
  for (const file::Segment& segment : segments) {
    for (const uint64_t i : testing::drawn(segment.size, testing::kListShare)) {
      std::byte& byte = reworked.body[segment.offset - 128 + i];
      const std::byte before = byte;
      for (const int value : {0, 1, 2, 7, 128, 254, 255, std::to_integer<int>(before) ^ 1}) {
        byte = std::byte{static_cast<uint8_t>(value)};
        const MemoryFile file(reworked.bytes());
        const auto reader = file.open();
        ASSERT_TRUE(reader.has_value()) << reader.error().message();
        try_strings(*reader);
      }
      byte = before;
    }
  }
}

TEST(FileHostile, RandomFooters) {
  std::mt19937_64 random(3);
  const Bytes body = Forgery().body;
  for (int round = 0; round < 20'000; ++round) {
    const uint32_t version = 1 + static_cast<uint32_t>(round % 2);
    const Bytes made = Forgery().bytes(version);
    const Frame frame(made);
    Bytes footer = frame.footer;
    for (uint64_t changes = 1 + random() % 8; changes > 0; --changes) {
      // Mostly small numbers and small steps: they keep the structure intact and reach deeper code.
      std::byte& byte = footer[random() % footer.size()];
      byte = std::byte{
          static_cast<uint8_t>(random() % 3 == 0 ? random() : static_cast<uint8_t>(byte) + random() % 9 - 4)};
    }
    const MemoryFile file(assemble(body, footer, version));
    const auto reader = file.open();
    if (reader.has_value() && reader->num_rows() <= 1 << 20) {
      (void)read_everything(*reader);
      (void)reader->verify();
    }
  }
}

TEST(FileHostile, FileCutShortWhileOpen) {
  const TempDir dir;
  ASSERT_OK(write_table(dir / "t.bob", all_types(5000)));
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value());
  std::filesystem::resize_file(dir / "t.bob", 1000);
  const Status status = reader->verify();
  EXPECT_EQ(status.code(), StatusCode::io) << status.message();
}

TEST(FileHostile, ThingsThatAreNoFiles) {
  const TempDir dir;
  EXPECT_EQ(Reader::open(dir / "missing").error().message(),
            (dir / "missing") + ": open: No such file or directory");
  EXPECT_EQ(Reader::open(dir / "").error().message(), (dir / "") + ": open: is a directory");
  EXPECT_FALSE(Reader::open("/dev/null").has_value());
  EXPECT_FALSE(Reader::from_descriptor(-1, "x").has_value());
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  EXPECT_EQ(Reader::from_descriptor(ends[0], "(pipe)").error().message(),
            "(pipe): open: the file is not seekable");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(FileHostile, OutputMustFitExactly) {
  const TempDir dir;
  ASSERT_OK(write_table(dir / "t.bob", one_column(DType::u32, 10)));
  const auto reader = Reader::open(dir / "t.bob");
  Bytes out(44);
  const auto code = [&](size_t column, uint64_t begin, uint64_t count, size_t bytes, size_t skip = 0) {
    return reader->read(column, begin, count, std::span(out).subspan(skip, bytes)).code();
  };
  EXPECT_EQ(code(0, 0, 10, 40), StatusCode::ok);
  EXPECT_EQ(code(0, 10, 0, 0), StatusCode::ok);
  EXPECT_EQ(code(0, 0, 10, 39), StatusCode::invalid_argument);
  EXPECT_EQ(code(0, 0, 10, 41), StatusCode::invalid_argument);
  EXPECT_EQ(code(0, 0, 10, 44), StatusCode::invalid_argument);
  EXPECT_EQ(code(0, 0, 10, 40, 1), StatusCode::invalid_argument);
  EXPECT_EQ(code(0, 0, 11, 44), StatusCode::invalid_argument);
  EXPECT_EQ(code(0, 11, 0, 0), StatusCode::invalid_argument);
  EXPECT_EQ(code(0, UINT64_MAX, 2, 8), StatusCode::invalid_argument);
  EXPECT_EQ(code(0, 1, UINT64_MAX, 40), StatusCode::invalid_argument);
  EXPECT_EQ(code(0, 0, uint64_t{1} << 62, 0), StatusCode::invalid_argument);
  EXPECT_EQ(code(1, 0, 1, 4), StatusCode::invalid_argument);
}

}  // namespace
}  // namespace bobbin::file_tests
