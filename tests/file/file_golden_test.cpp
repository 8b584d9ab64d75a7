// SPDX-License-Identifier: Apache-2.0
// Files written once and never again: every later version must read them. tests/golden/README.md says how to
// add one.
#include <algorithm>
#include <cstring>
#include <iomanip>
#include <map>
#include <sstream>

#include "file/append.hpp"
#include "forge.hpp"
#include "support.hpp"

namespace bobbin::file_tests {
namespace {

std::filesystem::path golden(const std::string& folder) {
  return std::filesystem::path(BOBBIN_SOURCE_DIR) / "tests" / "golden" / folder;
}

// A manifest's lines without comments, split at the first `fields - 1` blanks.
std::vector<std::vector<std::string>> manifest(const std::filesystem::path& path, size_t fields) {
  std::vector<std::vector<std::string>> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    std::vector<std::string> cut;
    for (size_t at = 0; cut.size() < fields; ++at) {
      const size_t end = cut.size() + 1 < fields ? line.find(' ', at) : line.size();
      cut.push_back(line.substr(at, end - at));
      at = end;
    }
    lines.push_back(cut);
  }
  return lines;
}

// CRC-32 as in zlib, because the second reader, in Python, has it available.
std::string crc32(std::span<const std::byte> bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const std::byte byte : bytes) {
    crc ^= std::to_integer<uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    }
  }
  std::ostringstream text;
  text << std::hex << std::setw(8) << std::setfill('0') << ~crc;
  return text.str();
}

// Concatenated strings, each preceded by its length (2^32 - 1 for a null): the input for a checksum of
// strings.
Bytes with_lengths(const Strings& strings) {
  Bytes bytes;
  for (uint64_t i = 0; i < strings.length(); ++i) {
    const auto string = strings.view().string(i);
    append_object(bytes, strings.view().is_null(i) ? UINT32_MAX : static_cast<uint32_t>(string.size()));
    append_bytes(bytes, std::as_bytes(string));
  }
  return bytes;
}

Result<Bytes> read_column(const Reader& reader, size_t column) {
  const DType type = reader.columns()[column].type;
  if (is_string(type)) {
    BOBBIN_ASSIGN(const Strings strings, reader.read_strings(column, 0, reader.num_rows()));
    return with_lengths(strings);
  }
  Bytes out(reader.num_rows() * size_bytes(type));
  BOBBIN_TRY(reader.read(column, 0, reader.num_rows(), out));
  if (reader.columns()[column].nullable) {
    std::vector<uint8_t> bitmap((reader.num_rows() + 7) / 8);
    BOBBIN_TRY(reader.read_validity(column, 0, reader.num_rows(), bitmap));
    append_bytes(out, std::as_bytes(std::span(bitmap)));
  }
  return out;
}

class FileGoldenVersion : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(FileGolden, FileGoldenVersion, ::testing::Values("v1", "v2"));

TEST_P(FileGoldenVersion, EveryFileDecodesToItsChecksum) {
  const std::filesystem::path folder = golden("decode") / GetParam();
  const auto lines = manifest(folder / "manifest.txt", 6);
  ASSERT_FALSE(lines.empty());
  for (const auto& line : lines) {
    SCOPED_TRACE(line[0] + " column " + line[1]);
    const auto reader = Reader::open((folder / line[0]).string());
    ASSERT_TRUE(reader.has_value()) << reader.error().message();
    ASSERT_OK(reader->verify());
    EXPECT_EQ(std::to_string(reader->num_rows()), line[3]);
    if (line[1] == "-") {
      EXPECT_TRUE(reader->columns().empty());
      continue;
    }
    const size_t column = std::stoul(line[1]);
    ASSERT_LT(column, reader->columns().size());
    EXPECT_EQ(to_string(reader->columns()[column].type), line[2]);
    EXPECT_EQ(reader->columns()[column].name, line[5]);
    const auto out = read_column(*reader, column);
    ASSERT_TRUE(out.has_value()) << out.error().message();
    EXPECT_EQ(crc32(*out), line[4]);
  }
}

TEST_P(FileGoldenVersion, EveryBadFileIsRefusedWithItsMessage) {
  const std::filesystem::path folder = golden("decode-errors") / GetParam();
  const auto lines = manifest(folder / "manifest.txt", 2);
  ASSERT_FALSE(lines.empty());
  for (const auto& line : lines) {
    SCOPED_TRACE(line[0]);
    const Bytes bytes = load((folder / line[0]).string());
    ASSERT_FALSE(bytes.empty());
    EXPECT_EQ(open_and_verify(MemoryFile(bytes)).message(), "test.bob: " + line[1]);
  }
}

TEST_P(FileGoldenVersion, EveryFileIsInItsManifest) {
  for (const auto& [kind, fields] : {std::pair{"decode", 6}, {"decode-errors", 2}}) {
    const std::filesystem::path folder = golden(kind) / GetParam();
    std::map<std::string, int> listed;
    for (const auto& line : manifest(folder / "manifest.txt", static_cast<size_t>(fields))) {
      ++listed[line[0]];
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      EXPECT_TRUE(name == "manifest.txt" || listed.contains(name)) << folder << name;
    }
  }
}

// Makes the files again in the folder $BOBBIN_GOLDEN_OUT, for adding a format version: see
// tests/golden/README.md.
class GoldenMaker {
 public:
  explicit GoldenMaker(std::filesystem::path out) : out_(std::move(out)) {
    std::filesystem::create_directories(out_ / "decode");
    std::filesystem::create_directories(out_ / "decode-errors");
  }

  void good(const std::string& name, const Table& table, const WriteOptions& options) {
    ASSERT_OK(write_table((out_ / "decode" / name).string(), table, options));
    std::ofstream lines(out_ / "decode" / "manifest.txt", std::ios::app);
    if (table.columns.empty()) {
      lines << name << " - - " << table.rows << " - -\n";
    }
    for (size_t c = 0; c < table.columns.size(); ++c) {
      lines << name << ' ' << c << ' ' << to_string(table.columns[c].type) << ' ' << table.rows << ' '
            << crc32(table.values[c]) << ' ' << table.columns[c].name << '\n';
    }
  }

  // Any columns, already in a file.
  void take_over(const std::string& name, const Bytes& bytes) {
    store((out_ / "decode" / name).string(), bytes);
    const auto reader = Reader::open((out_ / "decode" / name).string());
    ASSERT_OK(reader->verify());
    std::ofstream lines(out_ / "decode" / "manifest.txt", std::ios::app);
    for (size_t c = 0; c < reader->columns().size(); ++c) {
      lines << name << ' ' << c << ' ' << to_string(reader->columns()[c].type) << ' ' << reader->num_rows()
            << ' ' << crc32(*read_column(*reader, c)) << ' ' << reader->columns()[c].name << '\n';
    }
  }

  void bad(const std::string& name, const Bytes& bytes) {
    store((out_ / "decode-errors" / name).string(), bytes);
    const std::string message = open_and_verify(MemoryFile(bytes)).message();
    std::ofstream(out_ / "decode-errors" / "manifest.txt", std::ios::app)
        << name << ' ' << message.substr(std::string("test.bob: ").size()) << '\n';
  }

 private:
  std::filesystem::path out_;
};

// Every type; interleaved lines, parabolas, and noise, so that several orders and strides occur.
Table series() {
  Table table = table_of(kAllTypes, 4000, 6);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const size_t size = size_bytes(table.columns[c].type);
    for (uint64_t i = 0; i < 4000; ++i) {
      const uint64_t t = i / (1 + c % 3);
      const uint64_t value = (i % (1 + c % 3) + 1) * 1'000'003 * t + (c % 4) * t * t + (i * i % 7);
      std::memcpy(table.values[c].data() + i * size, &value, size);
    }
  }
  return table;
}

// Every type; small values except some of any size.
Table outliers() {
  Table table = table_of(kAllTypes, 3000, 7);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const size_t size = size_bytes(table.columns[c].type);
    for (uint64_t i = 0; i < 3000; ++i) {
      const uint64_t value = i % (20 + 9 * c) == 5 ? i * 0x9e37'79b9'7f4a'7c15 : i * i % 6;
      std::memcpy(table.values[c].data() + i * size, &value, size);
    }
  }
  return table;
}

// Every type; values from a function of the column and the row.
template <class F>
Table numbers_of(std::span<const DType> types, uint64_t rows, F&& value_of) {
  Table table = table_of(types, rows, 11);
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const size_t size = size_bytes(table.columns[c].type);
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t value = value_of(c, i);
      std::memcpy(table.values[c].data() + i * size, &value, size);
    }
  }
  return table;
}

// One value per column, using all its bits.
Table alike() {
  return numbers_of(kAllTypes, 2500, [](uint64_t c, uint64_t) { return (c + 1) * 0x9e37'79b9'7f4a'7c15; });
}

// Runs, of a different length for each column.
Table runs() {
  return numbers_of(kAllTypes, 3000,
                    [](uint64_t c, uint64_t i) { return i / (1 + 17 * c) % 5 * 0x9e37'79b9'7f4a'7c15; });
}

// One value except in some rows.
Table rare_values() {
  return numbers_of(kAllTypes, 3000, [](uint64_t c, uint64_t i) {
    return i % (30 + 9 * c) == 5 ? i * 0x9e37'79b9'7f4a'7c15 : 0x8081'8283'8485'8687;
  });
}

// Integers of every type: sequences that restart, with a different length for each column.
Table restarting() {
  return numbers_of(kIntegerTypes, 3000,
                    [](uint64_t c, uint64_t i) { return i % (7 + 13 * c) * (c + 1) - 3; });
}

// Bytes of which some are more frequent than others.
Table skewed_bytes() {
  return numbers_of(std::array{DType::u8, DType::i8}, 5000,
                    [](uint64_t c, uint64_t i) { return i * i % 97 * (i % 31) % (40 + 60 * c) - 20 * c; });
}

// Around zero.
Table small_magnitudes() {
  return numbers_of(std::array{DType::i8, DType::i16, DType::i32, DType::i64}, 2500,
                    [](uint64_t c, uint64_t i) { return i * i % (50 + 10 * c) - 30; });
}

// Prices, then arbitrary bits, including NaN with payloads, infinities, both zeros and denormals.
Table floats() {
  Table table = table_of(std::array{DType::f32, DType::f64}, 2500, 5);
  for (uint64_t i = 0; i < 1024; ++i) {
    const double price = 100 + static_cast<double>(i % 977) / 100;
    const auto cents = static_cast<float>(price);
    std::memcpy(table.values[0].data() + i * sizeof cents, &cents, sizeof cents);
    std::memcpy(table.values[1].data() + i * sizeof price, &price, sizeof price);
  }
  const std::array<uint32_t, 8> special32{0,           0x8000'0000, 1,           0x807f'ffff,
                                          0x7f80'0000, 0xff80'0000, 0x7fc0'1234, 0xff80'0001};
  const std::array<uint64_t, 8> special64{0,
                                          0x8000'0000'0000'0000,
                                          1,
                                          0x800f'ffff'ffff'ffff,
                                          0x7ff0'0000'0000'0000,
                                          0xfff0'0000'0000'0000,
                                          0x7ff8'0000'0000'1234,
                                          0xfff0'0000'0000'0001};
  std::memcpy(table.values[0].data() + 2048 * sizeof(float), special32.data(), sizeof special32);
  std::memcpy(table.values[1].data() + 2048 * sizeof(double), special64.data(), sizeof special64);
  return table;
}

// Words in UTF-8, bytes of every value, nulls, empty strings, strings longer than a bound may be, symbols
// that row groups share and others that they do not, and metadata.
Bytes string_file(const std::string& codec = "") {
  std::mt19937_64 random(9);
  Texts words;
  Texts bytes;
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < 700; ++i) {
    std::string text = "Größe " + std::to_string(random() % 40) + (i % 5 == 0 ? " €" : "");
    words.emplace_back(i % 13 == 4 ? std::nullopt : std::optional(i % 11 == 0 ? "" : std::move(text)));
    std::string noise(random() % 9, '\0');
    std::ranges::generate(noise, [&] { return static_cast<char>(random()); });
    bytes.emplace_back(std::move(noise));
    numbers.push_back(i);
  }
  words[300] = std::string(62, 'z') + "€€";
  bytes[200] = std::string(3000, '\xff');
  bytes[600] = std::string(64, 'x') + "x";
  const TempDir dir;
  const std::vector<Column> schema{{"words", DType::utf8}, {"bytes", DType::binary}, {"n", DType::u32}};
  auto writer = Writer::create(dir / "t.bob", schema, {.rows_per_group = 150, .codec = codec});
  const Strings word_strings = strings_of(words);
  const Strings byte_strings = strings_of(bytes);
  const StringsView views[] = {word_strings.view(), byte_strings.view()};
  const std::array<const void*, 3> columns{&views[0], &views[1], numbers.data()};
  EXPECT_TRUE(file::append_untyped(*writer, columns, numbers.size()).ok());
  EXPECT_TRUE(writer->set_metadata("made by", "Größe").ok());
  EXPECT_TRUE(writer->set_metadata("bytes", std::string("\0\xff", 2)).ok());
  EXPECT_TRUE(writer->finish().ok());
  return load(dir / "t.bob");
}

// Every type, all nullable except the first. Row groups with some nulls, runs of nulls, only nulls, and none.
Bytes nullable_file() {
  constexpr uint64_t kRows = 3500;
  Table table = table_of(kAllTypes, kRows, 8);
  std::mt19937_64 random(10);
  std::vector<NullableView> views(table.columns.size());
  std::vector<std::vector<uint8_t>> bits(table.columns.size(), std::vector<uint8_t>((kRows + 7) / 8));
  std::vector<const void*> columns{table.values[0].data()};
  for (size_t c = 1; c < table.columns.size(); ++c) {
    for (uint64_t i = 0; i < kRows; ++i) {
      const uint64_t kind = (i / 1000 + c) % 4;
      const bool there = kind == 0 ? random() % 9 != 0 : kind == 1 ? i / 100 % 3 != 0 : kind == 2;
      bits[c][i / 8] |= static_cast<uint8_t>((there ? 1U : 0U) << (i % 8));
    }
    table.columns[c].nullable = true;
    views[c] = {table.values[c].data(), bits[c].data()};
    columns.push_back(&views[c]);
  }
  const TempDir dir;
  auto writer = Writer::create(dir / "t.bob", table.columns, {.rows_per_group = 1000});
  EXPECT_TRUE(file::append_untyped(*writer, columns, kRows).ok());
  EXPECT_TRUE(writer->finish().ok());
  return load(dir / "t.bob");
}

// The worked example of masked's spec.md.
Bytes small_nullable_file() {
  const std::vector<uint8_t> values(40, 7);
  const std::array<uint8_t, 5> bits{0xf6, 0xff, 0xff, 0xff, 0xfd};
  const NullableView view{values.data(), bits.data()};
  const std::array<const void*, 1> columns{&view};
  const TempDir dir;
  auto writer = Writer::create(dir / "t.bob", {{"value", DType::u8, true}}, {.codec = "ffor"});
  EXPECT_TRUE(file::append_untyped(*writer, columns, values.size()).ok());
  EXPECT_TRUE(writer->finish().ok());
  return load(dir / "t.bob");
}

void make_bad_nulls(GoldenMaker& make) {
  Reworked wrong_count(small_nullable_file());
  wrong_count.chunk().null_count = 4;
  make.bad("wrong_null_count_of_numbers.bob", wrong_count.inline_bytes());
  Reworked not_nullable(small_nullable_file());
  not_nullable.footer.columns[0].nullable = false;
  make.bad("nulls_in_a_column_without.bob", not_nullable.inline_bytes());
  Reworked few_words(small_nullable_file());
  few_words.chunk().root.children[1].length = 1;
  make.bad("validity_too_short.bob", few_words.inline_bytes());
  Reworked nested(small_nullable_file());
  nested.chunk().root.children[1].codec = CodecId::masked;
  make.bad("nulls_inside_another.bob", nested.inline_bytes());
}

// Values that repeat: strings with nulls and empty ones, numbers of every type, with nulls over them.
Bytes dict_file() {
  constexpr uint64_t kRows = 2000;
  std::vector<Column> schema{{"town", DType::utf8}};
  std::vector<std::vector<uint64_t>> values;
  for (const DType type : kAllTypes) {
    schema.push_back({"column " + std::string(to_string(type)), type});
  }
  schema.back().nullable = true;
  Texts texts;
  std::mt19937_64 random(12);
  for (uint64_t i = 0; i < kRows; ++i) {
    const uint64_t k = random() % 30;
    texts.push_back(k == 3   ? std::nullopt
                    : k == 4 ? std::optional<std::string>("")
                             : std::optional("Zürich " + std::to_string(k * k)));
  }
  for (const DType type : kAllTypes) {
    std::vector<uint64_t>& words = values.emplace_back(kRows);
    auto* const bytes = reinterpret_cast<std::byte*>(words.data());
    for (uint64_t i = 0; i < kRows; ++i) {
      const uint64_t value = (random() % 300 + 1) * 0x9e3779b97f4a7c15;
      std::memcpy(bytes + i * size_bytes(type), &value, size_bytes(type));
    }
  }
  const std::vector<uint8_t> bits((kRows + 7) / 8, 0xf7);
  const NullableView nullable{values.back().data(), bits.data()};
  const Strings strings = strings_of(texts);
  const StringsView view = strings.view();
  std::vector<const void*> columns{&view};
  for (const auto& words : values) {
    columns.push_back(words.data());
  }
  columns.back() = &nullable;
  const TempDir dir;
  auto writer = Writer::create(dir / "t.bob", schema, {.rows_per_group = 1100, .codec = "dict"});
  EXPECT_TRUE(file::append_untyped(*writer, columns, kRows).ok());
  EXPECT_TRUE(writer->finish().ok());
  return load(dir / "t.bob");
}

// The strings of the example in dict's spec.md, and a column of numbers.
Bytes small_dict_file() {
  const std::array<int32_t, 4> numbers{70, -5, -5, 3};
  const Strings strings = strings_of({"ab", std::nullopt, "abc", "ab"});
  const StringsView view = strings.view();
  const std::array<const void*, 2> columns{numbers.data(), &view};
  const TempDir dir;
  auto writer =
      Writer::create(dir / "t.bob", {{"number", DType::i32}, {"text", DType::binary}}, {.codec = "dict"});
  EXPECT_TRUE(file::append_untyped(*writer, columns, numbers.size()).ok());
  EXPECT_TRUE(writer->finish().ok());
  return load(dir / "t.bob");
}

void make_bad_dictionaries(GoldenMaker& make) {
  Reworked few_codes(small_dict_file());
  few_codes.chunk().root.children[0].length = 3;
  make.bad("dict_codes_too_few.bob", few_codes.inline_bytes());
  Reworked signed_codes(small_dict_file());
  signed_codes.chunk().root.children[0].type = DType::i8;
  make.bad("dict_signed_codes.bob", signed_codes.inline_bytes());
}

// The worked example of fsst's spec.md, except for the symbols, which a writer learns.
Bytes small_string_file() {
  const TempDir dir;
  EXPECT_TRUE(write_texts(dir / "t.bob", strings_of({"ab", std::nullopt, "abcab", "x"})).ok());
  return load(dir / "t.bob");
}

void make_bad_strings(GoldenMaker& make) {
  Reworked not_utf8(small_string_file());
  not_utf8.footer.columns[0].type = not_utf8.chunk().root.type = DType::utf8;
  not_utf8.body[0] = std::byte{0xff};
  make.bad("not_utf8.bob", not_utf8.inline_bytes());
  Reworked wrong_zone(small_string_file());
  wrong_zone.chunk().strings.max = "y";
  make.bad("wrong_string_zone_map.bob", wrong_zone.inline_bytes());
  Reworked wrong_nulls(small_string_file());
  wrong_nulls.chunk().strings.null_count = 2;
  make.bad("wrong_null_count.bob", wrong_nulls.inline_bytes());
  Reworked wrong_code(small_string_file());
  wrong_code.body[wrong_code.footer.segments[1].offset - 128] = std::byte{200};
  make.bad("code_without_symbol.bob", wrong_code.inline_bytes());
  Reworked shared(small_string_file());
  shared.chunk().root.first_is_shared = true;
  make.bad("shared_with_nobody.bob", shared.inline_bytes());
  Reworked twins(small_string_file());
  twins.footer.metadata = {{"key", "1"}, {"key", "2"}};
  make.bad("two_keys_of_one_name.bob", twins.inline_bytes());
}

TEST(FileGolden, MakeFilesWhenAsked) {
  const char* out = std::getenv("BOBBIN_GOLDEN_OUT");
  if (out == nullptr) {
    GTEST_SKIP() << "set BOBBIN_GOLDEN_OUT to a new folder";
  }
  GoldenMaker make(out);
  Table example{.columns = {{"value", DType::i32}}, .values = {}, .rows = 3};
  const std::array<int32_t, 3> values{-5, -4, -2};
  append_object(example.values.emplace_back(), values);
  make.good("example.bob", example, {.codec = "ffor"});
  make.good("all_types.bob", table_of(kIntegerTypes, 2500), {.rows_per_group = 1024});
  make.good("bitpack.bob", table_of(kIntegerTypes, 1100, 2), {.codec = "bitpack"});
  make.good("ffor.bob", table_of(kIntegerTypes, 1100, 3), {.codec = "ffor"});
  make.good("odd_groups.bob", table_of(kIntegerTypes, 300, 4), {.rows_per_group = 77});
  make.good("no_rows.bob", table_of(kIntegerTypes, 0), {});
  make.good("frame_footer.bob", table_of(kIntegerTypes, 40, 5), {.codec = "bitpack"});
  make.good("floats.bob", floats(), {.rows_per_group = 1024});
  make.good("delta.bob", series(), {.rows_per_group = 1500, .codec = "delta"});
  make.good("patched.bob", outliers(), {.rows_per_group = 2048, .codec = "patched"});
  make.good("alp.bob", floats(), {.rows_per_group = 2048, .codec = "alp"});
  make.good("alprd.bob", floats(), {.rows_per_group = 2048, .codec = "alprd"});
  make.good("constant.bob", alike(), {.rows_per_group = 1500, .codec = "constant"});
  make.good("rle.bob", runs(), {.rows_per_group = 2048, .codec = "rle"});
  make.good("sparse.bob", rare_values(), {.rows_per_group = 2048, .codec = "sparse"});
  make.good("zigzag.bob", small_magnitudes(), {.rows_per_group = 2048, .codec = "zigzag"});
  make.good("diff.bob", restarting(), {.rows_per_group = 2048, .codec = "diff"});
  make.good("diff_sparse.bob", restarting(),
            {.rows_per_group = 4096, .codec = "diff(sparse(delta, dict), diff(ffor, ffor))"});
  make.good("zstd.bob", runs(), {.rows_per_group = 2048, .codec = "zstd"});
  make.good("zstd_planes.bob", restarting(), {.rows_per_group = 2048, .codec = "zstd"});
  make.take_over("zstd_strings.bob", string_file("zstd"));
  make.good("ans.bob", skewed_bytes(), {.rows_per_group = 2048, .codec = "ans"});
  make.good("dict_ans.bob", runs(), {.rows_per_group = 2048, .codec = "dict(ans, bitpack)"});
  make.good("line.bob", rare_values(), {.rows_per_group = 2048, .codec = "line"});
  make.take_over("strings.bob", string_file());
  make.take_over("small_strings.bob", small_string_file());
  make.take_over("masked.bob", nullable_file());
  make.take_over("small_masked.bob", small_nullable_file());
  make.take_over("dict.bob", dict_file());
  make.take_over("small_dict.bob", small_dict_file());
  make.good("no_columns.bob", {.columns = {}, .values = {}, .rows = 5}, {.rows_per_group = 3});

  Bytes bytes = Forgery().bytes(2);
  make.bad("cut_short.bob", Bytes(bytes.begin(), bytes.end() - 1));
  bytes[8] = std::byte{3};
  make.bad("newer_version.bob", bytes);
  bytes = Forgery().bytes(2);
  bytes[18] ^= std::byte{1};
  make.bad("flipped_bit.bob", bytes);
  Forgery unknown_codec;
  unknown_codec.root().codec = static_cast<CodecId>(77);
  make.bad("unknown_codec.bob", unknown_codec.bytes(2));
  Forgery wrong_zone;
  wrong_zone.chunk().zone.max.bits = 4;
  make.bad("wrong_zone_map.bob", wrong_zone.bytes(2));
  Forgery huge_segment;
  huge_segment.footer.segments[0].size = UINT64_MAX / 2 - 100;
  make.bad("huge_segment.bob", huge_segment.bytes(2));
  Forgery wide;
  wide.root().metadata = {33};
  make.bad("too_wide.bob", wide.bytes(2));
  Forgery nan_zone;
  nan_zone.footer.columns[0].type = nan_zone.root().type = DType::f32;
  nan_zone.chunk().zone.max.bits = 0x7fc0'0000;
  make.bad("nan_zone_map.bob", nan_zone.bytes(2));
  Forgery lost_bytes;
  lost_bytes.footer.inline_bytes.resize(5);
  make.bad("bytes_of_no_segment.bob", lost_bytes.bytes(2));
  const Bytes sound = Forgery().bytes(2);
  const Frame frame(sound);
  const Bytes block = file::compress_block(frame.footer);
  const auto plain_bytes = static_cast<uint32_t>(frame.footer.size());
  make.bad("wrong_plain_size.bob", assemble({}, block, 2, plain_bytes + 1));
  make.bad("block_called_a_frame.bob", assemble({}, block, 2, plain_bytes | file::kFooterIsFrame));
  make_bad_strings(make);
  make_bad_nulls(make);
  make_bad_dictionaries(make);
}

}  // namespace
}  // namespace bobbin::file_tests
