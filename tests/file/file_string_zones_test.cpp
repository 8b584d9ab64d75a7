// SPDX-License-Identifier: Apache-2.0
// Zone maps of strings, and searches that use them.
#include <algorithm>
#include <functional>

#include "forge.hpp"
#include "support.hpp"
#include "tests/backends.hpp"
#include "tests/codecs/component.hpp"
#include "tests/drawn.hpp"

namespace bobbin::file_tests {
namespace {

StringZone zone_of(const Texts& texts, DType type = DType::binary) {
  const TempDir dir;
  const auto reader = written(dir, strings_of(texts), {}, type);
  EXPECT_TRUE(reader.has_value() && reader->verify().ok());
  return reader->row_group(0)->chunks[0].strings;
}

TEST(FileStringZones, ZoneMaps) {
  const StringZone plain = zone_of({"pear", std::nullopt, "apple", "\xff", std::nullopt});
  EXPECT_EQ(plain, (StringZone{.min = "apple", .max = "\xff", .null_count = 2, .num_bytes = 10}));
  EXPECT_EQ(zone_of({std::nullopt, std::nullopt}), (StringZone{.null_count = 2}));
  EXPECT_EQ(zone_of({"", std::nullopt}), (StringZone{.null_count = 1}));
  const std::string x63(63, 'x');
  EXPECT_EQ(zone_of({x63 + "x"}), (StringZone{.min = x63 + "x", .max = x63 + "x", .num_bytes = 64}));
  EXPECT_EQ(zone_of({x63 + "xa"}), (StringZone{.min = x63 + "x", .max = x63 + "y", .num_bytes = 65}));
  EXPECT_EQ(zone_of({x63 + "\xff"}).max, x63 + "\xff");
  EXPECT_EQ(zone_of({x63 + "\xff\x01"}).max, std::string(62, 'x') + "y");
  EXPECT_EQ(zone_of({"a" + std::string(64, '\xff')}).max, "b");
  EXPECT_EQ(zone_of({std::string(64, '\xff')}).max, std::string(64, '\xff'));
  const StringZone open = zone_of({std::string(65, '\xff')});
  EXPECT_EQ(open,
            (StringZone{.min = std::string(64, '\xff'), .max = "", .max_is_open = true, .num_bytes = 65}));
}

TEST(FileStringZones, BoundsAreThoseOfAllStrings) {
  testing::Random random(3);
  for (int round = 0; round < 200; ++round) {
    Texts texts;
    for (uint64_t i = 0; i < 1 + random.next() % 6; ++i) {
      // Common prefixes, lengths around eight bytes, trailing zeros.
      std::string text(random.next() % 12, 'a');
      for (uint64_t k = 0; k < 2 && !text.empty(); ++k) {
        text[random.next() % text.size()] =
            static_cast<char>(random.next() % 3 == 0 ? 0 : 'a' + random.next() % 2);
      }
      texts.emplace_back(text);
    }
    const auto [least, greatest] = std::ranges::minmax(texts);
    const StringZone zone = zone_of(texts);
    ASSERT_EQ(zone.min, *least);
    ASSERT_EQ(zone.max, *greatest);
  }
}

TEST(FileStringZones, ZoneMapsOfUtf8AreCutBetweenCharacters) {
  const std::string x62(62, 'x');
  const StringZone zone = zone_of({x62 + "€"}, DType::utf8);
  EXPECT_EQ(zone.min, x62);
  EXPECT_EQ(zone.max, std::string(61, 'x') + "y");
  EXPECT_EQ(zone_of({x62 + "€"}).min, x62 + "\xe2\x82");
  EXPECT_EQ(zone_of({x62 + "ö."}, DType::utf8).max, x62 + "\xc3\xb7");
}

TEST(FileStringZones, ForgedZoneMapsAreNoticed) {
  const TempDir dir;
  ASSERT_OK(write_texts(dir / "t.bob", strings_of({"b", std::nullopt, "d"})));
  const Bytes bytes = load(dir / "t.bob");
  const auto message = [&](const std::function<void(StringZone&)>& change) {
    Reworked file(bytes);
    change(file.chunk().strings);
    return open_and_verify(MemoryFile(file.bytes())).message();
  };
  const std::string untrue = "disagree with the zone map's bounds";
  const std::string unsound = "not a range of the column's type";
  EXPECT_EQ(message([](StringZone&) {}), "");
  const std::pair<std::function<void(StringZone&)>, std::string> lies[] = {
      {[](StringZone& z) { z.min = "a"; }, untrue},
      {[](StringZone& z) { z.max = "dd"; }, untrue},
      {[](StringZone& z) { z.null_count = 2; }, untrue},
      {[](StringZone& z) { z.num_bytes = 3; }, untrue},
      {[](StringZone& z) { z.max.clear(), z.max_is_open = true; }, untrue},
      {[](StringZone& z) { z.max_is_open = true; }, unsound},
      {[](StringZone& z) { z.min = "e"; }, unsound},
      {[](StringZone& z) { z.max = std::string(65, 'x'); }, unsound},
      {[](StringZone& z) { z.min = std::string(65, 'a'); }, unsound},
      {[](StringZone& z) { z.null_count = 4; }, unsound},
      {[](StringZone& z) { z.null_count = 3; }, unsound},
  };
  for (const auto& [change, part] : lies) {
    EXPECT_NE(message(change).find(part), std::string::npos) << message(change);
  }
  Reworked numeric(bytes);
  numeric.chunk().zone.max.bits = 1;
  EXPECT_NE(open_and_verify(MemoryFile(numeric.bytes())).message().find(unsound), std::string::npos);
  Forgery forgery;
  forgery.chunk().strings.num_bytes = 1;
  EXPECT_NE(open_and_verify(MemoryFile(forgery.bytes())).message().find(unsound), std::string::npos);
}

StringQuery query(StringTest test, std::string_view text) {
  return {.test = test, .bytes = {reinterpret_cast<const uint8_t*>(text.data()), text.size()}};
}

bool passes(StringTest test, const std::string& text, const std::string& wanted) {
  return test == StringTest::equals        ? text == wanted
         : test == StringTest::starts_with ? text.starts_with(wanted)
                                           : text.find(wanted) != std::string::npos;
}

void expect_found(const Reader& reader, const Texts& texts, StringTest test, const std::string& wanted,
                  Backend backend) {
  std::vector<uint64_t> rows;
  Texts found;
  for (uint64_t i = 0; i < texts.size(); ++i) {
    if (texts[i].has_value() && passes(test, *texts[i], wanted)) {
      rows.push_back(i);
      found.push_back(texts[i]);
    }
  }
  std::vector<uint64_t> got_rows;
  Texts got;
  uint64_t count = 0;
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const auto matches = reader.find_strings(0, group, query(test, wanted), backend);
    ASSERT_TRUE(matches.has_value()) << matches.error().message();
    got_rows.insert(got_rows.end(), matches->rows.begin(), matches->rows.end());
    const Texts part = texts_of(matches->strings);
    got.insert(got.end(), part.begin(), part.end());
    count += *reader.count_strings(0, group, query(test, wanted), backend);
  }
  EXPECT_EQ(got_rows, rows) << wanted;
  EXPECT_EQ(got, found) << wanted;
  EXPECT_EQ(count, rows.size()) << wanted;
}

TEST(FileStringZones, SearchesFindWhatAPlainLoopFinds) {
  constexpr const char* kWanted[] = {"", "word1", "word12", "ord4", "word7word8", "\xff", "nowhere"};
  const TempDir dir;
  const Texts texts = mixed_texts(2000);
  const auto reader = written(dir, strings_of(texts), {.rows_per_group = 900});
  for (const Backend backend : bobbin::testing::backends_here()) {
    for (const StringTest test : {StringTest::equals, StringTest::starts_with, StringTest::contains}) {
      for (const std::string wanted : testing::drawn_of(kWanted)) {
        expect_found(*reader, texts, test, wanted, backend);
      }
    }
  }
  EXPECT_FALSE(reader->find_strings(1, 0, query(StringTest::equals, "x")).has_value());
  EXPECT_FALSE(reader->find_strings(0, 3, query(StringTest::equals, "x")).has_value());
}

// If the row group is damaged, an error shows whether a search reads it.
TEST(FileStringZones, ZoneMapsKeepSearchesFromReading) {
  const TempDir dir;
  const std::string long_p = "p" + std::string(100, 'p');
  ASSERT_OK(
      write_texts(dir / "t.bob", strings_of({"bb", "d", "nm", "np", long_p, long_p}), {.rows_per_group = 2}));
  Bytes bytes = Reworked(load(dir / "t.bob")).bytes();  // segments outside of the footer
  for (size_t i = 128; i < Frame(bytes).body.size() + 128; ++i) {
    bytes[i] ^= std::byte{1};
  }
  const MemoryFile file(bytes);
  const auto reader = file.open();
  const auto reads = [&](StringTest test, std::string_view text) {
    std::string groups;
    for (size_t group = 0; group < 3; ++group) {
      groups += reader->count_strings(0, group, query(test, text)).has_value() ? '-' : 'x';
    }
    return groups;
  };
  EXPECT_EQ(reads(StringTest::equals, "a"), "---");
  EXPECT_EQ(reads(StringTest::equals, "b"), "---");
  EXPECT_EQ(reads(StringTest::equals, "bb"), "x--");
  EXPECT_EQ(reads(StringTest::equals, "c"), "x--");
  EXPECT_EQ(reads(StringTest::equals, "da"), "---");
  EXPECT_EQ(reads(StringTest::equals, "no"), "-x-");
  EXPECT_EQ(reads(StringTest::equals, std::string(64, 'p') + "a"), "--x");
  EXPECT_EQ(reads(StringTest::equals, std::string(64, 'q')), "---");
  EXPECT_EQ(reads(StringTest::starts_with, ""), "xxx");
  EXPECT_EQ(reads(StringTest::starts_with, "b"), "x--");
  EXPECT_EQ(reads(StringTest::starts_with, "ba"), "---");
  EXPECT_EQ(reads(StringTest::starts_with, "n"), "-x-");
  EXPECT_EQ(reads(StringTest::starts_with, "p"), "--x");
  EXPECT_EQ(reads(StringTest::starts_with, "q"), "---");
  EXPECT_EQ(reads(StringTest::contains, "zzz"), "xxx");
}

}  // namespace
}  // namespace bobbin::file_tests
