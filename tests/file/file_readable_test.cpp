// SPDX-License-Identifier: Apache-2.0
// Nothing is written that cannot be read: values of many shapes, with every cascade that is
// accepted, as arrays and as files. What is too much for every run is sampled, with a different seed each
// day; BOBBIN_SEED repeats a run.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>

#include "array/array.hpp"
#include "codecs/nesting.hpp"
#include "codecs/registry.hpp"
#include "device/backends.hpp"
#include "file/append.hpp"
#include "file/encode.hpp"
#include "select/cascade.hpp"
#include "support.hpp"
#include "tests/codecs/checks.hpp"
#include "tests/codecs/component.hpp"
#include "tests/drawn.hpp"

namespace bobbin::file_tests {
namespace {

using select::ResolvedCascade;
using testing::drawn;
using testing::Input;
using testing::kDrawnShare;
using testing::Random;

uint64_t seed_of_run() {
  if (const char* const given = std::getenv("BOBBIN_SEED"); given != nullptr) {
    return std::stoull(given);
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::hours>(now).count()) / 24;
}

// One to five, and the neighbours of powers of two.
constexpr uint64_t kReadableRows[] = {1,    2,    3,    4,    5,    7,    8,    9,    31,   32,   33,   63,
                                      64,   65,   127,  128,  129,  255,  256,  257,  511,  512,  513,  1023,
                                      1024, 1025, 1250, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193};

// Bits of row i of n, before they are truncated to the type.
struct ReadableShape {
  const char* name;
  std::function<uint64_t(uint64_t i, uint64_t n, Random& random)> bits;
};

const std::vector<ReadableShape>& readable_shapes() {
  static const std::vector<ReadableShape> kShapes{
      {"constant", [](uint64_t, uint64_t, Random&) { return uint64_t{7}; }},
      {"two runs", [](uint64_t i, uint64_t n, Random&) { return uint64_t{i < n * 4 / 5 ? 2020U : 2024U}; }},
      {"only the first", [](uint64_t i, uint64_t, Random&) { return uint64_t{i == 0}; }},
      {"only the last", [](uint64_t i, uint64_t n, Random&) { return i + 1 == n ? ~uint64_t{4} : 0; }},
      {"both ends", [](uint64_t i, uint64_t n, Random&) { return uint64_t{i == 0 || i + 1 == n}; }},
      {"runs", [](uint64_t i, uint64_t, Random&) { return i / 37 * 0x9e37'79b9'7f4a'7c15; }},
      {"runs of two values", [](uint64_t i, uint64_t, Random&) { return i / 300 % 2 * 99; }},
      {"few values",
       [](uint64_t, uint64_t, Random& random) { return random.below(5) * 0x0101'0307'1317'1923; }},
      {"sequence", [](uint64_t i, uint64_t, Random&) { return i; }},
      {"sequence downwards", [](uint64_t i, uint64_t, Random&) { return 0 - 3 * i; }},
      {"steps of every row", [](uint64_t i, uint64_t, Random&) { return 1'000'000'000'000 + 86'400 * i; }},
      {"sequences that restart", [](uint64_t i, uint64_t, Random&) { return i % 24; }},
      {"rounds of values", [](uint64_t i, uint64_t, Random&) { return i * 5 % 12 * 0x0101'0307'1317'1923; }},
      {"rare values",
       [](uint64_t i, uint64_t, Random& random) { return random.below(50) == 0 ? i << 20 : 3; }},
      {"small of both signs", [](uint64_t, uint64_t, Random& random) { return random.below(9) - 4; }},
      {"any bits", [](uint64_t, uint64_t, Random& random) { return random.next(); }},
      {"high bits", [](uint64_t i, uint64_t, Random&) { return i << 63 | i << 31 | i << 15 | i << 7; }},
  };
  return kShapes;
}

// For floats also typical decimals: every second shape is converted to decimals.
Input make_input(DType type, const ReadableShape& shape, uint64_t rows, Random& random) {
  Input input{std::string(to_string(type)) + ", " + std::to_string(rows) + " rows, " + shape.name, type, {}};
  input.bytes.resize(rows * size_bytes(type));
  const bool decimals = is_float(type) && random.below(2) == 0;
  for (uint64_t i = 0; i < rows; ++i) {
    uint64_t bits = shape.bits(i, rows, random);
    const double decimal = static_cast<double>(static_cast<int64_t>(bits % 100'000)) / 100;
    const auto narrow = static_cast<float>(decimal);
    if (decimals && type == DType::f64) {
      std::memcpy(&bits, &decimal, sizeof decimal);
    } else if (decimals) {
      std::memcpy(&bits, &narrow, sizeof narrow);
    }
    std::memcpy(input.bytes.data() + i * size_bytes(type), &bits, size_bytes(type));
  }
  return input;
}

Input draw_input(DType type, Random& random) {
  return make_input(type, readable_shapes()[random.below(readable_shapes().size())],
                    kReadableRows[random.below(std::size(kReadableRows))], random);
}

std::vector<const Codec*> codecs_for(DType type) {
  std::vector<const Codec*> codecs;
  for (const Codec* codec : all_codecs()) {
    if (codec->takes(type) && !codec->has_nulls()) {
      codecs.push_back(codec);
    }
  }
  return codecs;
}

// Every cascade of a depth, including those that are refused because of nesting rules.
std::vector<ResolvedCascade> all_cascades(DType type, uint32_t depth) {
  std::vector<ResolvedCascade> found;
  for (const Codec* codec : codecs_for(type)) {
    found.push_back({codec->id, {}});
    if (depth == 1 || codec->parts().empty()) {
      continue;
    }
    std::vector<ResolvedCascade> grown{{codec->id, {}}};
    for (size_t i = 0; i < codec->parts().size(); ++i) {
      std::vector<ResolvedCascade> longer;
      for (const ResolvedCascade& child : all_cascades(child_type(codec->id, i, type), depth - 1)) {
        for (ResolvedCascade cascade : grown) {
          cascade.children.push_back(child);
          longer.push_back(std::move(cascade));
        }
      }
      grown = std::move(longer);
    }
    found.insert(found.end(), grown.begin(), grown.end());
  }
  return found;
}

ResolvedCascade draw_cascade(DType type, uint64_t depth, Random& random) {
  const std::vector<const Codec*> codecs = codecs_for(type);
  const Codec& codec = *codecs[random.below(codecs.size())];
  ResolvedCascade cascade{codec.id, {}};
  for (size_t i = 0; depth > 1 && i < codec.parts().size(); ++i) {
    cascade.children.push_back(draw_cascade(child_type(codec.id, i, type), depth - 1, random));
  }
  return cascade;
}

// Encodes, and reads the result back. False if the values do not suit the cascade: not constant, or too many
// distinct ones.
bool reads_back(const ResolvedCascade& cascade, const Input& input, Backend backend) {
  SCOPED_TRACE(to_string(cascade) + " of " + input.name);
  const auto array = select::encode(cascade, input.values(), Backend::cpu);
  if (!array.has_value()) {
    EXPECT_EQ(array.error().code(), StatusCode::unsupported) << array.error().message();
    return false;
  }
  const Status status = file::check_readable(*array);
  EXPECT_TRUE(status.ok()) << status.message();
  if (!status.ok()) {
    return true;
  }
  Bytes decoded(input.bytes.size());
  EXPECT_TRUE(array::decode(*array, decoded, backend).ok());
  EXPECT_EQ(decoded, input.bytes);
  EXPECT_EQ(testing::check_any_array(*array, backend), "");
  return true;
}

TEST(Readable, EveryCascadeOfDepthTwo) {
  Random random(seed_of_run());
  SCOPED_TRACE("BOBBIN_SEED=" + std::to_string(seed_of_run()));
  uint64_t encoded = 0;
  for (const DType type : kAllTypes) {
    for (const ResolvedCascade& cascade : testing::drawn_of(all_cascades(type, 2))) {
      ASSERT_TRUE(select::check_cascade(cascade, type).ok()) << to_string(cascade);
      for (const uint64_t shape : drawn(readable_shapes().size())) {
        const Input input = make_input(type, readable_shapes()[shape], 1 + random.below(9), random);
        encoded += reads_back(cascade, input, Backend::cpu);
      }
      encoded += reads_back(cascade, draw_input(type, random), Backend::cpu);
      ASSERT_FALSE(HasFailure());
    }
  }
  if (testing::kAllCasesRun) {
    EXPECT_GT(encoded, 10'000U);
  }
}

TEST(Readable, DrawnCascadesOfDepthThreeAndMore) {
  Random random(seed_of_run());
  SCOPED_TRACE("BOBBIN_SEED=" + std::to_string(seed_of_run()));
  uint64_t encoded = 0;
  uint64_t refused = 0;
  for (uint64_t round = 0; round < 20'000 / kDrawnShare; ++round) {
    const DType type = kAllTypes[random.below(std::size(kAllTypes))];
    const ResolvedCascade cascade = draw_cascade(type, 3 + random.below(2), random);
    if (!select::check_cascade(cascade, type).ok()) {
      ++refused;
      continue;
    }
    const bool emulate = round % 200 == 0;
    encoded += reads_back(cascade, draw_input(type, random),
                          emulate && kHasEmulator ? Backend::emulator : Backend::cpu);
    ASSERT_FALSE(HasFailure());
  }
  if (testing::kAllCasesRun) {
    EXPECT_GT(encoded, 2000U);
    EXPECT_GE(refused, 100U);
  }
}

// What the choice makes of every shape, at every length, in a file.
struct Nulls {
  const char* name;
  std::function<bool(uint64_t i, uint64_t n)> is_null;
};
const std::vector<Nulls>& null_patterns() {
  static const std::vector<Nulls> kPatterns{
      {"none", [](uint64_t, uint64_t) { return false; }},
      {"the first", [](uint64_t i, uint64_t) { return i == 0; }},
      {"the last", [](uint64_t i, uint64_t n) { return i + 1 == n; }},
      {"all but the first", [](uint64_t i, uint64_t) { return i != 0; }},
      {"all but the last", [](uint64_t i, uint64_t n) { return i + 1 != n; }},
      {"all", [](uint64_t, uint64_t) { return true; }},
      {"now and then", [](uint64_t i, uint64_t) { return i % 41 == 3; }},
  };
  return kPatterns;
}

// A table of nullable columns, and the expected result of reading it.
struct DrawnTable {
  std::vector<Column> columns;
  std::vector<Bytes> values;
  std::vector<std::vector<uint8_t>> validity;
  WriteOptions options;
  uint64_t rows = 0;

  void add(const Input& input, const Nulls& nulls, const std::string& codec) {
    std::string name =
        std::to_string(columns.size()) + ": " + input.name + ", null: " + nulls.name + ", " + codec;
    rows = input.values().length;
    if (!codec.empty()) {
      options.column_codecs.emplace_back(name, codec);
    }
    columns.push_back({.name = std::move(name), .type = input.type, .nullable = true});
    values.push_back(input.bytes);
    validity.emplace_back((rows + 7) / 8);
    for (uint64_t i = 0; i < rows; ++i) {
      if (!nulls.is_null(i, rows)) {
        validity.back()[i / 8] |= static_cast<uint8_t>(1 << i % 8);
      }
    }
  }

  [[nodiscard]] Status write(const MemoryFile& file) const {
    BOBBIN_ASSIGN(Writer writer, Writer::to_descriptor(file.descriptor(), "test.bob", columns, options));
    std::vector<NullableView> views;
    std::vector<const void*> pointers;
    for (size_t c = 0; c < columns.size(); ++c) {
      views.push_back({values[c].data(), validity[c].data()});
    }
    for (const NullableView& view : views) {
      pointers.push_back(&view);
    }
    BOBBIN_TRY(file::append_untyped(writer, pointers, rows));
    return writer.finish();
  }

  void expect_in(const Reader& reader) const {
    for (size_t c = 0; c < columns.size(); ++c) {
      Bytes read(values[c].size());
      std::vector<uint8_t> there(validity[c].size());
      ASSERT_OK(reader.read(c, 0, rows, read));
      ASSERT_OK(reader.read_validity(c, 0, rows, there));
      Bytes expected = values[c];
      const size_t size = size_bytes(columns[c].type);
      for (uint64_t i = 0; i < rows; ++i) {
        if ((validity[c][i / 8] >> i % 8 & 1) == 0) {
          std::fill_n(expected.begin() + static_cast<ptrdiff_t>(i * size), size, std::byte{0});
        }
      }
      ASSERT_EQ(read, expected) << columns[c].name;
      ASSERT_EQ(there, validity[c]) << columns[c].name;
    }
    ASSERT_OK(reader.verify());
  }
};

void expect_readable_round_trip(const DrawnTable& table) {
  const MemoryFile file({});
  ASSERT_OK(table.write(file));
  const auto reader = file.open();
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  table.expect_in(*reader);
}

TEST(Readable, WhatIsChosenForEveryShape) {
  Random random(seed_of_run());
  SCOPED_TRACE("BOBBIN_SEED=" + std::to_string(seed_of_run()));
  for (const uint64_t number : drawn(std::size(kReadableRows))) {
    const uint64_t rows = kReadableRows[number];
    DrawnTable table;
    table.options.goal.kind = rows % 2 == 0 ? Goal::Kind::smallest : Goal::Kind::fastest;
    for (const ReadableShape& shape : readable_shapes()) {
      for (const Nulls& nulls : testing::drawn_of(null_patterns())) {
        const DType type = kAllTypes[random.below(std::size(kAllTypes))];
        table.add(make_input(type, shape, rows, random), nulls, "");
      }
    }
    expect_readable_round_trip(table);
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(Readable, DrawnCascadesInFiles) {
  Random random(seed_of_run());
  SCOPED_TRACE("BOBBIN_SEED=" + std::to_string(seed_of_run()));
  for (uint64_t file = 0; file < drawn(20).size(); ++file) {
    DrawnTable table;
    const uint64_t rows = kReadableRows[random.below(std::size(kReadableRows))];
    while (table.columns.size() < 60) {
      const DType type = kAllTypes[random.below(std::size(kAllTypes))];
      const ResolvedCascade cascade = draw_cascade(type, 1 + random.below(3), random);
      const Input input =
          make_input(type, readable_shapes()[random.below(readable_shapes().size())], rows, random);
      const Nulls& nulls = null_patterns()[random.below(null_patterns().size())];
      DrawnTable alone;
      alone.add(input, nulls, to_string(cascade));
      if (alone.write(MemoryFile({})).ok()) {
        table.add(input, nulls, to_string(cascade));
      }
    }
    expect_readable_round_trip(table);
    ASSERT_FALSE(HasFatalFailure());
  }
}

// A table that was lost: two runs, and nulls up to the last row.
TEST(Readable, TwoRunsAndALastValueAfterNulls) {
  Random random(1);
  DrawnTable runs;
  runs.add(make_input(DType::i64, readable_shapes()[1], 1250, random), null_patterns()[0], "");
  for (const char* codec : {"rle(sparse, bitpack)", "rle(rle, bitpack)", "sparse(rle, ffor)",
                            "rle(sparse(constant, constant), ffor)"}) {
    runs.add(make_input(DType::i64, readable_shapes()[1], 1250, random), null_patterns()[0], codec);
  }
  expect_readable_round_trip(runs);
  DrawnTable last;
  last.add(make_input(DType::i64, readable_shapes()[3], 500'001, random), null_patterns()[4], "");
  expect_readable_round_trip(last);
}

TEST(Readable, WhatAReaderRefusesIsRefusedBeforeItIsWritten) {
  const TempDir dir;
  const Table table = one_column(DType::u32, 100);
  ASSERT_OK(write_table(dir / "t.bob", table));
  const Bytes before = load(dir / "t.bob");
  const Status status =
      write_table(dir / "t.bob", table, {.codec = "rle(rle(rle, ffor), ffor)", .overwrite = true});
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_NE(status.message().find("column \"value\": cascade 'rle(rle(rle, ffor), ffor)': 3 nested lookups"),
            std::string::npos)
      << status.message();
  EXPECT_EQ(load(dir / "t.bob"), before);
  EXPECT_EQ(dir.listing().size(), 1U);
}

// Encoders do not make such arrays; if one ever does, the writer names the encoding.
TEST(Readable, TheWriterNamesTheEncoding) {
  const std::vector<uint32_t> values{1, 1, 1, 2, 2};
  const auto array = select::encode(*select::parse_cascade("rle(bitpack, ffor)"),
                                    {DType::u32, values.data(), values.size()}, Backend::cpu);
  ASSERT_TRUE(array.has_value());
  ASSERT_OK(file::check_readable(*array));
  Array broken = *array;
  broken.children[0].length = 1;
  const Status status = file::check_readable(broken);
  EXPECT_EQ(status.code(), StatusCode::unsupported);
  EXPECT_EQ(status.message(),
            "the encoding rle(bitpack, ffor) could not be read back: rle: 2 values for 1 rows");
}

Strings draw_strings(uint64_t rows, Random& random) {
  Texts texts;
  const uint64_t kinds = 1 + random.below(rows);
  const uint64_t longest = random.below(3) == 0 ? 600 : 9;
  const uint64_t run = 1 + random.below(random.below(2) == 0 ? 1 : rows);
  const Nulls& nulls = null_patterns()[random.below(null_patterns().size())];
  for (uint64_t i = 0; i < rows; ++i) {
    const uint64_t kind = i / run % kinds;
    texts.emplace_back(std::string(kind * 7919 % longest, static_cast<char>('a' + kind % 26)) +
                       std::to_string(kind % 3));
    if (nulls.is_null(i, rows)) {
      texts.back().reset();
    }
  }
  return strings_of(texts);
}

TEST(Readable, Strings) {
  const TempDir dir;
  Random random(seed_of_run());
  SCOPED_TRACE("BOBBIN_SEED=" + std::to_string(seed_of_run()));
  for (const uint64_t rows : kReadableRows) {
    for (const bool choose : {false, true}) {
      const Strings strings = draw_strings(rows, random);
      ResolvedCascade cascade = draw_cascade(DType::utf8, 3, random);
      while (!select::check_cascade(cascade, DType::utf8).ok()) {
        cascade = {CodecId::dict, {draw_cascade(DType::u8, 2, random), {CodecId::fsst, {}}}};
      }
      const WriteOptions options{.codec = choose ? "" : to_string(cascade), .overwrite = true};
      const Status status = write_texts(dir / "t.bob", strings, options, DType::utf8);
      if (!status.ok() && !choose) {
        EXPECT_EQ(status.code(), StatusCode::unsupported) << status.message();
        continue;
      }
      ASSERT_OK(status);
      const auto reader = Reader::open(dir / "t.bob");
      ASSERT_TRUE(reader.has_value());
      const auto read = reader->read_strings(0, 0, rows);
      ASSERT_TRUE(read.has_value()) << read.error().message();
      ASSERT_EQ(texts_of(*read), texts_of(strings)) << to_string(cascade);
      ASSERT_OK(reader->verify());
    }
  }
}

}  // namespace
}  // namespace bobbin::file_tests
