// SPDX-License-Identifier: Apache-2.0
// String columns: round trips, row groups, shared symbols, UTF-8; metadata.
#include <functional>

#include "core/text.hpp"
#include "file/append.hpp"
#include "forge.hpp"
#include "support.hpp"
#include "tests/backends.hpp"
#include "tests/drawn.hpp"

namespace bobbin::file_tests {
namespace {

void expect_same(const Strings& got, const Strings& wanted) {
  ASSERT_EQ(got.length(), wanted.length());
  EXPECT_EQ(got.offsets, wanted.offsets);
  EXPECT_TRUE(got.bytes == wanted.bytes);
  for (uint64_t i = 0; i < got.length(); ++i) {
    ASSERT_EQ(got.view().is_null(i), wanted.view().is_null(i)) << i;
  }
}

void expect_same_strings(const Strings& strings, const WriteOptions& options = {}) {
  const TempDir dir;
  const auto reader = written(dir, strings, options);
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  ASSERT_OK(reader->verify());
  const auto got = reader->read_strings(0, 0, strings.length());
  ASSERT_TRUE(got.has_value()) << got.error().message();
  EXPECT_EQ(got->type, DType::binary);
  expect_same(*got, strings);
}

TEST(FileStrings, RoundTripsOfEverySort) {
  expect_same_strings({});
  expect_same_strings(strings_of({""}));
  expect_same_strings(strings_of({std::nullopt}));
  expect_same_strings(strings_of({std::nullopt, "", std::nullopt}), {.rows_per_group = 1});
  expect_same_strings(strings_of(Texts(3000, std::string(200, '\xff'))));
  for (const uint64_t count : {1, 7, 8, 9, 1023, 1024, 1025, 5000}) {
    for (const uint64_t group : {7, 1024, 4000}) {
      SCOPED_TRACE(std::to_string(count) + " rows in groups of " + std::to_string(group));
      expect_same_strings(strings_of(mixed_texts(count)), {.rows_per_group = group});
    }
  }
}

TEST(FileStrings, AMillionEmptyOnes) {
  expect_same_strings(strings_of(Texts(1'000'000, "")), {.rows_per_group = 400'000});
}

TEST(FileStrings, OneLongerThanARowGroup) {
  std::string text;
  for (uint32_t i = 0; text.size() < testing::shrunk(40'000'000); ++i) {
    text += "line " + std::to_string(i * 7919) + "; ";
  }
  expect_same_strings(strings_of({"before", text, "after"}), {.bytes_per_group = 1 << 20});
}

TEST(FileStrings, RowRangesOverRowGroups) {
  const TempDir dir;
  const Texts texts = mixed_texts(3000);
  const auto reader = written(dir, strings_of(texts), {.rows_per_group = 1100});
  ASSERT_TRUE(reader.has_value());
  const uint64_t edges[] = {0, 1, 9, 1023, 1024, 1025, 1099, 1100, 1101, 2199, 2200, 2999, 3000};
  for (const Backend backend : bobbin::testing::backends_here()) {
    for (const uint64_t begin : testing::drawn_of(edges)) {
      for (const uint64_t end : edges) {
        if (begin <= end) {
          const auto got = reader->read_strings(0, begin, end - begin, backend);
          ASSERT_TRUE(got.has_value()) << got.error().message();
          EXPECT_EQ(texts_of(*got), Texts(texts.begin() + static_cast<ptrdiff_t>(begin),
                                          texts.begin() + static_cast<ptrdiff_t>(end)));
        }
      }
    }
  }
  SKIP_WITHOUT_EMULATOR();
  ASSERT_OK(reader->verify(Backend::emulator));
}

TEST(FileStrings, EmulatorGivesTheSameBytesAndStrings) {
  SKIP_WITHOUT_EMULATOR();
  const TempDir dir;
  const Strings strings = strings_of(mixed_texts(1500));
  ASSERT_OK(write_texts(dir / "cpu.bob", strings, {.rows_per_group = 600}));
  ASSERT_OK(
      write_texts(dir / "emulator.bob", strings, {.rows_per_group = 600, .backend = Backend::emulator}));
  EXPECT_TRUE(load(dir / "cpu.bob") == load(dir / "emulator.bob"));
  const auto got = Reader::open(dir / "emulator.bob")->read_strings(0, 0, 1500, Backend::emulator);
  ASSERT_TRUE(got.has_value()) << got.error().message();
  expect_same(*got, strings);
}

TEST(FileStrings, AppendInPiecesGivesTheSameBytes) {
  const TempDir dir;
  const Texts texts = mixed_texts(6000);
  const WriteOptions options{.rows_per_group = 1500, .bytes_per_group = 20'000};
  ASSERT_OK(write_texts(dir / "whole.bob", strings_of(texts), options));
  auto writer = Writer::create(dir / "pieces.bob", {{"text", DType::binary}}, options);
  uint64_t done = 0;
  for (uint64_t piece = 1; done < texts.size(); piece = piece * 3 + 1) {
    const uint64_t rows = std::min<uint64_t>(piece, texts.size() - done);
    const Strings part = strings_of(Texts(texts.begin() + static_cast<ptrdiff_t>(done),
                                          texts.begin() + static_cast<ptrdiff_t>(done + rows)));
    const StringsView view = part.view();
    const std::array<const void*, 1> columns{&view};
    ASSERT_OK(file::append_untyped(*writer, columns, rows));
    done += rows;
  }
  ASSERT_OK(writer->finish());
  EXPECT_TRUE(load(dir / "pieces.bob") == load(dir / "whole.bob"));
}

// As in Arrow: 32-bit offsets that do not begin at 0, and bytes for a null.
TEST(FileStrings, ViewsOfEverySort) {
  const std::string bytes = "..onehiddentwothree";
  const std::array<uint32_t, 5> offsets{2, 5, 11, 14, 19};
  const uint8_t validity = 0b1101;
  StringsView view{.type = DType::utf8,
                   .length = 4,
                   .offsets = offsets.data(),
                   .wide = false,
                   .bytes = reinterpret_cast<const uint8_t*>(bytes.data()),
                   .validity = &validity};
  const auto read_back = [&](uint64_t group) {
    const TempDir dir;
    auto writer = Writer::create(dir / "t.bob", {{"text", DType::binary}}, {.rows_per_group = group});
    const std::array<const void*, 1> columns{&view};
    EXPECT_TRUE(file::append_untyped(*writer, columns, 4).ok());
    EXPECT_TRUE(writer->finish().ok());
    const auto reader = Reader::open(dir / "t.bob");
    EXPECT_TRUE(reader->verify().ok());
    return texts_of(*reader->read_strings(0, 0, 4));
  };
  for (const uint64_t group : {1, 2, 3, 4}) {
    EXPECT_EQ(read_back(group), (Texts{"one", std::nullopt, "two", "three"}));
  }
  view.validity = nullptr;
  for (const uint64_t group : {1, 2, 3, 4}) {
    EXPECT_EQ(read_back(group), (Texts{"one", "hidden", "two", "three"}));
  }
}

TEST(FileStrings, RowGroupsEndByBytesOfAllColumns) {
  const TempDir dir;
  const Strings strings = strings_of(Texts(10, std::string(100, 'x')));
  const StringsView view = strings.view();
  const std::array<uint32_t, 10> numbers{};
  const std::array<const void*, 3> columns{&view, numbers.data(), &view};
  const std::vector<Column> schema{{"a", DType::binary}, {"n", DType::u32}, {"b", DType::utf8}};
  const auto rows_of_groups = [&](uint64_t bytes, const std::string& name) {
    auto writer = Writer::create(dir / name, schema, {.rows_per_group = 4, .bytes_per_group = bytes});
    EXPECT_TRUE(file::append_untyped(*writer, columns, 10).ok());
    EXPECT_TRUE(writer->finish().ok());
    const auto reader = Reader::open(dir / name);
    EXPECT_TRUE(reader->verify().ok());
    std::vector<uint64_t> rows;
    for (size_t group = 0; group < reader->num_row_groups(); ++group) {
      rows.push_back(reader->row_group(group)->num_rows);
    }
    return rows;
  };
  EXPECT_EQ(rows_of_groups(1, "1"), std::vector<uint64_t>(10, 1));
  EXPECT_EQ(rows_of_groups(3 * 204 - 1, "less"), std::vector<uint64_t>(5, 2));
  EXPECT_EQ(rows_of_groups(3 * 204, "three"), (std::vector<uint64_t>{3, 3, 3, 1}));
  EXPECT_EQ(rows_of_groups(1 << 20, "m"), (std::vector<uint64_t>{4, 4, 2}));
}

TEST(FileStrings, ChunksOfAColumnShareTheirSymbols) {
  const TempDir dir;
  const Texts once = mixed_texts(500);
  Texts texts;
  for (int i = 0; i < 4; ++i) {
    texts.insert(texts.end(), once.begin(), once.end());
  }
  ASSERT_OK(write_texts(dir / "t.bob", strings_of(texts), {.rows_per_group = 500, .codec = "fsst"}));
  Reworked file(load(dir / "t.bob"));
  std::vector<uint32_t> symbols;
  for (size_t group = 0; group < 4; ++group) {
    symbols.push_back(file.chunk(group).root.segments[0]);
    EXPECT_EQ(file.chunk(group).root.first_is_shared, group > 0);
  }
  EXPECT_EQ(symbols, std::vector<uint32_t>(4, 0));
  const auto reader = Reader::open(dir / "t.bob");
  EXPECT_EQ(texts_of(*reader->read_strings(0, 0, 2000)), texts);
  // They are counted once.
  EXPECT_GT(reader->row_group(0)->chunks[0].root.bytes, reader->row_group(1)->chunks[0].root.bytes);
  EXPECT_EQ(reader->row_group(1)->chunks[0].root.bytes, reader->row_group(2)->chunks[0].root.bytes);
}

TEST(FileStrings, OtherSegmentsAreNotShared) {
  const TempDir dir;
  ASSERT_OK(
      write_texts(dir / "t.bob", strings_of(Texts(4, "abcabc")), {.rows_per_group = 2, .codec = "fsst"}));
  const Bytes bytes = load(dir / "t.bob");
  const auto message = [&](const std::function<void(Reworked&)>& change) {
    Reworked file(bytes);
    change(file);
    return open_and_verify(MemoryFile(file.bytes())).message();
  };
  EXPECT_EQ(message([](Reworked&) {}), "");
  const auto codes = [](Reworked& f) { f.chunk(1).root.segments[1] = f.chunk(0).root.segments[1]; };
  EXPECT_NE(message(codes).find("segment 1 is used twice"), std::string::npos);
  const auto symbols_as_codes = [](Reworked& f) {
    f.chunk(1).root.segments[1] = f.chunk(0).root.segments[0];
  };
  EXPECT_NE(message(symbols_as_codes).find("segment 0 is used twice"), std::string::npos);
  const auto codes_as_symbols = [](Reworked& f) {
    f.chunk(1).root.segments[0] = f.chunk(0).root.segments[1];
  };
  EXPECT_NE(message(codes_as_symbols).find("segment 1 is used twice"), std::string::npos);
  // Not with the second-last chunk.
  ASSERT_OK(write_texts(dir / "three.bob", strings_of({"ab", std::nullopt, "ab"}),
                        {.rows_per_group = 1, .codec = "fsst"}));
  Reworked three(load(dir / "three.bob"));
  if (three.chunk(1).root.segments[0] != three.chunk(0).root.segments[0]) {
    three.chunk(2).root.segments[0] = three.chunk(0).root.segments[0];
    EXPECT_FALSE(open_and_verify(MemoryFile(three.bytes())).ok());
  }
}

TEST(FileStrings, CodecsAndTypesMustFit) {
  Forgery forgery;
  forgery.footer.columns[0].type = forgery.root().type = DType::utf8;
  forgery.chunk().zone = {};
  EXPECT_NE(open_and_verify(MemoryFile(forgery.bytes()))
                .message()
                .find("codec bitpack does not hold values of type utf8"),
            std::string::npos);
  forgery = Forgery();
  forgery.root().codec = CodecId::fsst;
  EXPECT_NE(open_and_verify(MemoryFile(forgery.bytes()))
                .message()
                .find("codec fsst does not hold values of type u32"),
            std::string::npos);
  const TempDir dir;
  const auto refusal = [&](DType type, const std::string& codec) {
    return Writer::create(dir / "t.bob", {{"c", type}}, {.codec = codec}).error().message();
  };
  EXPECT_NE(refusal(DType::utf8, "ffor").find("column \"c\": codec ffor does not support type utf8"),
            std::string::npos);
  EXPECT_NE(refusal(DType::f32, "fsst").find("column \"c\": codec fsst does not support type f32"),
            std::string::npos);
  ASSERT_OK(write_texts(dir / "t.bob", strings_of({"a"}), {.codec = "fsst"}));
}

TEST(FileStrings, NumbersAndStringsAreReadByTheirOwnFunctions) {
  const TempDir dir;
  const auto reader = written(dir, strings_of({"a", "b"}));
  Bytes out(8);
  EXPECT_NE(reader->read(0, 0, 2, out).message().find("is not numeric; use read_strings"), std::string::npos);
  EXPECT_EQ(reader->read_strings(0, 1, 2).error().code(), StatusCode::invalid_argument);
  EXPECT_EQ(reader->read_strings(1, 0, 0).error().code(), StatusCode::invalid_argument);
  EXPECT_EQ(reader->read_strings(0, 2, 0)->length(), 0u);
  ASSERT_OK(write_table(dir / "n.bob", one_column(DType::u32, 2)));
  const auto numbers = Reader::open(dir / "n.bob");
  EXPECT_NE(numbers->read_strings(0, 0, 2).error().message().find("is not a string column"),
            std::string::npos);
  const Strings strings = strings_of({"a"});
  const StringsView view = strings.view();
  const std::array<const void*, 1> columns{&view};
  auto writer = Writer::create(dir / "w.bob", {{"c", DType::utf8}}, {});
  EXPECT_NE(file::append_untyped(*writer, columns, 2).message().find("1 strings for 2 rows"),
            std::string::npos);
}

TEST(FileStrings, Utf8) {
  using namespace std::string_literals;
  for (const std::string& good :
       {""s, "plain"s, "a\0b"s, "Größe €𝄞"s, "\xc2\x80"s, "\xdf\xbf"s, "\xe0\xa0\x80"s, "\xed\x9f\xbf"s,
        "\xee\x80\x80"s, "\xef\xbf\xbf"s, "\xf0\x90\x80\x80"s, "\xf4\x8f\xbf\xbf"s, "1234567\xc3\xb6"s,
        "12345678\xc3\xb6"s}) {
    EXPECT_TRUE(is_utf8(good)) << bobbin::quoted_text(good);
  }
  for (const std::string& bad : {"\x80"s,
                                 "\xbf"s,
                                 "\xc0\x80"s,
                                 "\xc1\xbf"s,
                                 "\xe0\x9f\xbf"s,
                                 "\xf0\x8f\xbf\xbf"s,
                                 "\xed\xa0\x80"s,
                                 "\xed\xbf\xbf"s,
                                 "\xf4\x90\x80\x80"s,
                                 "\xf5\x80\x80\x80"s,
                                 "\xfe"s,
                                 "\xff"s,
                                 "\xc3"s,
                                 "\xe2\x82"s,
                                 "\xf0\x9d\x84"s,
                                 "\xc3g"s,
                                 "\xe2(\xac"s,
                                 "\xe2\x82("s,
                                 "12345678\xff"s,
                                 "1234567\xc3"s,
                                 "ö\x80"s}) {
    EXPECT_FALSE(is_utf8(bad)) << bobbin::quoted_text(bad);
  }
}

TEST(FileStrings, ColumnsOfUtf8HoldUtf8) {
  const TempDir dir;
  // Valid as a whole, but not individually.
  const Strings strings = strings_of({"fine", std::nullopt, "\xc3", "\xb6"});
  const Status refused = write_texts(dir / "u.bob", strings, {.rows_per_group = 2}, DType::utf8);
  EXPECT_EQ(refused.code(), StatusCode::invalid_argument);
  EXPECT_NE(refused.message().find("row group 1, column \"text\": row 2: \"\\xc3\" is not UTF-8"),
            std::string::npos)
      << refused.message();
  EXPECT_TRUE(dir.listing().empty());
  ASSERT_OK(write_texts(dir / "b.bob", strings, {.rows_per_group = 2}));
  Reworked file(load(dir / "b.bob"));
  file.footer.columns[0].type = DType::utf8;
  file.chunk(0).root.type = file.chunk(1).root.type = DType::utf8;
  const MemoryFile forged(file.bytes());
  EXPECT_NE(open_and_verify(forged).message().find("row 2: \"\\xc3\" is not UTF-8"), std::string::npos);
  EXPECT_TRUE(open_and_read(forged).ok());
}

TEST(FileStrings, MetadataRoundTripAndLimits) {
  const TempDir dir;
  auto writer = Writer::create(dir / "t.bob", {{"c", DType::u8}}, {});
  ASSERT_OK(writer->set_metadata("first", "old"));
  ASSERT_OK(writer->set_metadata("Größe", std::string("\0\xff", 2)));
  ASSERT_OK(writer->set_metadata("first", "new"));
  ASSERT_OK(writer->set_metadata(std::string(256, 'k'), std::string(65536, 'v')));
  ASSERT_OK(writer->set_metadata("empty", ""));
  EXPECT_FALSE(writer->set_metadata("", "x").ok());
  EXPECT_FALSE(writer->set_metadata("\xff", "x").ok());
  EXPECT_FALSE(writer->set_metadata(std::string(257, 'k'), "x").ok());
  EXPECT_FALSE(writer->set_metadata("large", std::string(65537, 'v')).ok());
  for (int i = 4; i < 1024; ++i) {
    ASSERT_OK(writer->set_metadata("key " + std::to_string(i), ""));
  }
  EXPECT_NE(writer->set_metadata("one more", "").message().find("more than 1024 keys"), std::string::npos);
  ASSERT_OK(writer->finish());
  EXPECT_FALSE(writer->set_metadata("late", "x").ok());
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  ASSERT_EQ(reader->metadata().size(), 1024u);
  EXPECT_EQ(reader->metadata()[0], (std::pair<std::string, std::string>("first", "new")));
  EXPECT_EQ(reader->metadata()[1].second, std::string("\0\xff", 2));
  EXPECT_EQ(reader->metadata()[2].second, std::string(65536, 'v'));
}

TEST(FileStrings, ForgedMetadataIsRefused) {
  const auto message = [](const Metadata& metadata) {
    Forgery forgery;
    forgery.footer.metadata = metadata;
    return open_and_verify(MemoryFile(forgery.bytes())).message();
  };
  EXPECT_EQ(message({{"a", "1"}, {"b", "1"}}), "");
  EXPECT_NE(message({{"a", "1"}, {"b", ""}, {"a", "2"}}).find("duplicate key \"a\""), std::string::npos);
  EXPECT_NE(message({{"", "1"}}).find("empty or not UTF-8"), std::string::npos);
  EXPECT_NE(message({{"\xc3", "1"}}).find("empty or not UTF-8"), std::string::npos);
  EXPECT_NE(message({{std::string(257, 'k'), "1"}}).find("a key of 257 bytes"), std::string::npos);
  EXPECT_NE(message({{"k", std::string(65537, 'v')}}).find("65537 bytes"), std::string::npos);
  Metadata many;
  for (int i = 0; i < 1025; ++i) {
    many.emplace_back(std::to_string(i), "");
  }
  EXPECT_NE(message(many).find("1025 keys are above the limit"), std::string::npos);
}

TEST(FileStrings, HiddenColumnsAreCountedFromTheEnd) {
  const TempDir dir;
  auto writer = Writer::create(dir / "t.bob", {{"a", DType::u8}, {"b", DType::u8}, {"c", DType::u8}}, {});
  const std::string key(kHiddenColumnsKey);
  for (const char* const wrong : {"", "0", "3", "01", "1x", "-1", "+1", " 1", "18446744073709551617"}) {
    EXPECT_EQ(writer->set_metadata(key, wrong).code(), StatusCode::invalid_argument) << wrong;
    Forgery forgery;
    forgery.footer.metadata = {{key, wrong}};
    const std::string message = open_and_verify(MemoryFile(forgery.bytes())).message();
    EXPECT_NE(message.find("bobbin.hidden_columns is \"" + std::string(wrong) + "\"; expected a number"),
              std::string::npos)
        << message;
  }
  ASSERT_OK(writer->set_metadata(key, "2"));
  ASSERT_OK(writer->finish());
  const auto reader = Reader::open(dir / "t.bob");
  ASSERT_TRUE(reader.has_value()) << reader.error().message();
  EXPECT_EQ(reader->columns(), (std::vector<Column>{{"a", DType::u8}}));
  ASSERT_EQ(reader->hidden_columns().size(), 2U);
  EXPECT_EQ(reader->hidden_columns()[1].name, "c");
}

}  // namespace
}  // namespace bobbin::file_tests
