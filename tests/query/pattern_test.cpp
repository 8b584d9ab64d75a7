// SPDX-License-Identifier: Apache-2.0
#include "query/pattern.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bobbin::query_tests {
namespace {

using query::Pattern;

bool like(std::string_view text, std::string_view pattern) {
  return Pattern(pattern, false).matches(text);
}
bool ilike(std::string_view text, std::string_view pattern) {
  return Pattern(pattern, true).matches(text);
}

TEST(QueryPatterns, MatchWholeStrings) {
  EXPECT_TRUE(like("", ""));
  EXPECT_TRUE(like("", "%"));
  EXPECT_FALSE(like("", "_"));
  EXPECT_TRUE(like("abc", "abc"));
  EXPECT_FALSE(like("abc", "ab"));
  EXPECT_FALSE(like("abc", "abcd"));
  EXPECT_TRUE(like("abc", "%c"));
  EXPECT_FALSE(like("abcd", "%c"));
  EXPECT_TRUE(like("abcabc", "%abc"));
  EXPECT_TRUE(like("aXbXc", "a%b%c"));
  EXPECT_FALSE(like("aXbXcX", "a%b%c"));
  EXPECT_TRUE(like("abc", "a_c"));
  EXPECT_TRUE(like("abc", "___"));
  EXPECT_FALSE(like("abc", "____"));
  EXPECT_TRUE(like("abc", "%_%_%_%"));
  EXPECT_FALSE(like("ABC", "abc"));
  EXPECT_TRUE(like(R"(a\b)", R"(a\_)"));  // there is no escape character
}

TEST(QueryPatterns, CountCharacters) {
  EXPECT_TRUE(like("\u00e9", "_"));
  EXPECT_FALSE(like("\u00e9", "__"));
  EXPECT_TRUE(like("x\U0001f600y", "x_y"));
  EXPECT_FALSE(like("\u00e9x", "%__x"));
  EXPECT_TRUE(like("\xff\xfe", "__"));  // bytes that are not UTF-8 count as one each
  EXPECT_TRUE(like("\xc3", "_"));
}

TEST(QueryPatterns, IgnoreCase) {
  EXPECT_TRUE(ilike("HeLLo", "hEl%"));
  EXPECT_TRUE(ilike("\u00c9t\u00c9", "\u00e9T\u00e9"));
  EXPECT_TRUE(ilike("\u0416\u0423\u041a", "\u0436\u0443\u043a"));  // Cyrillic
  EXPECT_TRUE(ilike("\u03a3", "\u03c3"));                          // Greek
  EXPECT_TRUE(ilike("\U00010400", "\U00010428"));                  // Deseret, of four bytes
  EXPECT_FALSE(ilike("\u00d7", "\u00f7"));  // the signs between the letters, which are also 32 apart
  EXPECT_TRUE(
      ilike("\xff"
            "A",
            "\xff"
            "a"));
  EXPECT_EQ(query::lower_case("\u0178\u1e9e\u00df"), "\u00ff\u00df\u00df");
}

TEST(QueryPatterns, SayWhatMatchesHave) {
  EXPECT_EQ(Pattern("abc%de_f", false).prefix(), "abc");
  EXPECT_EQ(Pattern("abc%defg_h", false).longest_piece(), "defg");
  EXPECT_EQ(Pattern("%", false).longest_piece(), "");
  EXPECT_EQ(Pattern("abc", true).prefix(), "");
  EXPECT_EQ(Pattern("abc", true).longest_piece(), "");
}

// At most as many steps as the product of both lengths.
TEST(QueryPatterns, TakeBoundedTime) {
  std::string pattern;
  for (int i = 0; i < 500; ++i) {
    pattern += "%a";
  }
  EXPECT_FALSE(like(std::string(20'000, 'a') + "b", pattern));
  EXPECT_TRUE(like(std::string(20'000, 'a'), pattern));
}

}  // namespace
}  // namespace bobbin::query_tests
