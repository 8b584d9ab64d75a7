// SPDX-License-Identifier: Apache-2.0
#include "bobbin/query.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/query/support.hpp"

namespace bobbin::query_tests {
namespace {

using query::col;
using query::Literal;
using query::parse_aggregates;
using query::parse_predicate;
using query::Predicate;

void expect_parsed(const std::string& text, const Predicate& expected) {
  const auto parsed = parse_predicate(text);
  ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message();
  EXPECT_EQ(*parsed, expected) << text << " became " << to_source(*parsed);
}

std::string error_of(const std::string& text) {
  const auto parsed = parse_predicate(text);
  return parsed.has_value() ? "parsed" : parsed.error().message();
}

TEST(QueryParser, KnowsEveryTest) {
  expect_parsed("a=1", col("a") == 1);
  expect_parsed("a == 1", col("a") == 1);
  expect_parsed("a != 1", col("a") != 1);
  expect_parsed("a <> -1", col("a") != -1);
  expect_parsed("a < 3.5", col("a") < 3.5);
  expect_parsed("a <= .5e-3", col("a") <= .5e-3);
  expect_parsed("a > +2.", col("a") > 2.0);
  expect_parsed("a >= 1E3", col("a") >= 1000.0);
  expect_parsed("x between 1 and 5", col("x").between(1, 5));
  expect_parsed("x not between 1 and 5", !col("x").between(1, 5));
  expect_parsed("y in (1, 2.5, 'three')", col("y").in({1, 2.5, "three"}));
  expect_parsed("y NOT IN (1)", !col("y").in({1}));
  expect_parsed("z is null", col("z").is_null());
  expect_parsed("z Is Not Null", !col("z").is_null());
  expect_parsed("s like 'abc'", col("s") == "abc");
  expect_parsed("s like 'abc%'", col("s").starts_with("abc"));
  expect_parsed("s like '%abc%'", col("s").contains("abc"));
  expect_parsed("s not like 'abc%'", !col("s").starts_with("abc"));
  expect_parsed("s like '%'", col("s").starts_with(""));
  expect_parsed("s like '%%'", col("s").contains(""));
  expect_parsed("s like '%abc'", col("s").ends_with("abc"));
  expect_parsed("s like 'a%c'", col("s").like("a%c"));
  expect_parsed("s like '_bc'", col("s").like("_bc"));
  expect_parsed("s not ilike '%ABC'", !col("s").ilike("%ABC"));
  expect_parsed("a < b", col("a") < col("b"));
  expect_parsed("a <> \"odd name\"", col("a") != col("odd name"));
  expect_parsed("3 < a", col("a") > 3);
  expect_parsed("'x' >= a", col("a") <= "x");
  expect_parsed("-1 = a", col("a") == -1);
  expect_parsed("a between b and 5", col("a") >= col("b") && col("a") <= 5);
  expect_parsed("a in (b, 1, 2)", col("a").in({1, 2}) || col("a") == col("b"));
  expect_parsed("true = a", col("a") == true);
  expect_parsed("\"true\" = 1 and inf = 1", col("true") == 1 && col("inf") == 1);
  expect_parsed("inf is null or nan in (2)", col("inf").is_null() || col("nan").in({2}));
  expect_parsed("inf > a", col("a") < std::numeric_limits<double>::infinity());
  expect_parsed("name = 'it''s'", col("name") == "it's");
  expect_parsed(R"("odd "" name" = '')", col("odd \" name") == "");
  expect_parsed("\"and\" = 1", col("and") == 1);
  expect_parsed("größe > 1", col("größe") > 1);
  expect_parsed("flag = true or flag != FALSE", col("flag") == true || col("flag") != false);
  expect_parsed("a = 3.10", col("a") == 3.1);
  Literal many = 12345678901234567.89;
  many.text = "-12345678901234567.89";
  many.real = -many.real;
  expect_parsed("a = -12345678901234567.89", col("a") == many);
  expect_parsed("a = -inf", col("a") == -std::numeric_limits<double>::infinity());
  expect_parsed("a < 170141183460469231731687303715884105727",
                col("a") < Literal((Int128{1} << 126) - 1 + (Int128{1} << 126)));
  expect_parsed("a < -170141183460469231731687303715884105728",
                col("a") < Literal(-(Int128{1} << 126) - (Int128{1} << 126)));
}

Literal number_of(const std::string& text) {
  const auto parsed = parse_predicate("a = " + text);
  return parsed.has_value() ? parsed->literals[0] : Literal("not parsed");
}

TEST(QueryParser, KeepsAllDigitsWhereTheyMatter) {
  EXPECT_EQ(number_of("2.5").text, "");
  EXPECT_EQ(number_of("1e3").text, "");
  EXPECT_EQ(number_of("9007199254740991.0").text, "");
  EXPECT_EQ(number_of("9007199254740993.0").text, "9007199254740993.0");
  EXPECT_EQ(number_of("-12345678901234567890.5").text, "-12345678901234567890.5");
  EXPECT_EQ(number_of("0.99999999999999999999").text, "0.99999999999999999999");
  EXPECT_EQ(number_of("1e999").text, "1e999");
  EXPECT_EQ(number_of("1e999").real, std::numeric_limits<double>::infinity());
  EXPECT_EQ(number_of("-1e-999").real, 0.0);
  EXPECT_EQ(number_of("170141183460469231731687303715884105728").kind, Literal::Kind::real);
  EXPECT_EQ(number_of("170141183460469231731687303715884105728").text,
            "170141183460469231731687303715884105728");
}

TEST(QueryParser, ReadsLongChainsInOneStepATerm) {
  std::string text = "a = 0";
  for (int i = 1; i < 200'000; ++i) {
    text += (i % 2 == 0 ? " or a = " : " or b = ") + std::to_string(i);
  }
  const auto parsed = parse_predicate(text);
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
  EXPECT_EQ(parsed->parts.size(), 200'000U);
}

TEST(QueryParser, AndBindsTighterThanOr) {
  const auto a = col("a") == 1;
  const auto b = col("b") == 2;
  const auto c = col("c") == 3;
  expect_parsed("a = 1 and b = 2 or c = 3", (a && b) || c);
  expect_parsed("a = 1 or b = 2 and c = 3", a || (b && c));
  expect_parsed("(a = 1 or b = 2) and c = 3", (a || b) && c);
  expect_parsed("not a = 1 and b = 2", !a && b);
  expect_parsed("not (a = 1 and b = 2)", !(a && b));
  expect_parsed("not not a = 1", !!a);
  expect_parsed("a = 1 AND b = 2 and (c = 3)", a && b && c);
  expect_parsed("a between 1 and 2 and b = 2", col("a").between(1, 2) && b);
}

TEST(QueryParser, SaysWhereAndWhatWasExpected) {
  EXPECT_EQ(error_of(""), "character 1: expected a column's name, 'not' or '(', found the end");
  EXPECT_EQ(error_of("a <"),
            "character 4: expected a number, a string in single quotes, true, false or a column's name, "
            "found the end");
  EXPECT_EQ(error_of("a < and"),
            "character 5: expected a number, a string in single quotes, true, false or a column's name, "
            "found 'and'");
  EXPECT_EQ(error_of("a 3"),
            "character 3: expected an operator such as '<', or 'between', 'in', 'like', 'ilike', 'is' or "
            "'not', found '3'");
  EXPECT_EQ(error_of("a = 1 b = 2"), "character 7: expected 'and', 'or' or the end, found 'b'");
  EXPECT_EQ(error_of("(a = 1"), "character 7: expected 'and', 'or' or ')', found the end");
  EXPECT_EQ(error_of("a = 1)"), "character 6: expected 'and', 'or' or the end, found ')'");
  EXPECT_EQ(error_of("a between 1 or 2"), "character 13: expected 'and', found 'or'");
  EXPECT_EQ(error_of("a in 1"), "character 6: expected '(', found '1'");
  EXPECT_EQ(
      error_of("a in ()"),
      "character 7: expected a number, a string in single quotes, true, false or a column's name, found ')'");
  EXPECT_EQ(error_of("a in (1 2)"), "character 9: expected ',' or ')', found '2'");
  EXPECT_EQ(error_of("a is 1"), "character 6: expected 'null', 'true', 'false' or 'not', found '1'");
  EXPECT_EQ(error_of("a not 1"), "character 7: expected 'between', 'in', 'like' or 'ilike', found '1'");
  EXPECT_EQ(error_of("a = 'x"), "character 5: the string that begins here is not closed");
  EXPECT_EQ(error_of("\"a = 1"), "character 1: the name that begins here is not closed");
  EXPECT_EQ(error_of("a = 1 and $"), "character 11: unexpected '$'");
  EXPECT_EQ(error_of("größe = 1 and $"), "character 15: unexpected '$'");
  EXPECT_EQ(error_of("a / b > 1"),
            "character 3: division is not supported in expressions; they have +, - and *");
  EXPECT_EQ(error_of("1 < 2"), "character 5: expected a column's name, found '2'");
  EXPECT_EQ(error_of("1 between 0 and 2"), "character 3: expected an operator such as '<', found 'between'");
  EXPECT_EQ(error_of("a like b"), "character 8: expected a string in single quotes, found 'b'");
  EXPECT_EQ(error_of("and = 1"), "character 1: expected a column's name, 'not' or '(', found 'and'");
}

TEST(QueryParser, KnowsBooleans) {
  expect_parsed("flag", col("flag") == true);
  expect_parsed("(flag) and not other", col("flag") == true && !(col("other") == true));
  expect_parsed("(flag or a > 1) and \"odd flag\"",
                (col("flag") == true || col("a") > 1) && col("odd flag") == true);
  const Predicate is_true = col("flag") == true && !col("flag").is_null();
  const Predicate is_false = col("flag") == false && !col("flag").is_null();
  expect_parsed("flag is true", is_true);
  expect_parsed("flag is not false", !is_false);
  EXPECT_EQ(error_of("a + b"),
            "character 6: expected an operator such as '<', or 'between', 'in', 'like', 'ilike', 'is' or "
            "'not', found the end");
}

TEST(QueryParser, NamesWhatOtherLanguagesHave) {
  EXPECT_EQ(error_of("upper(a) = 'X'"),
            "character 1: function 'upper' is not supported; expressions have columns, numbers, +, - and *");
  EXPECT_EQ(error_of("a > 1 and sum(a) > 3"), "character 11: aggregates such as sum() are not possible here");
  EXPECT_EQ(error_of("a % 2 = 0"),
            "character 3: modulo is not supported in expressions; they have +, - and *");
  EXPECT_EQ(error_of("a = 1;"), "character 6: ';' is not supported: write one text without it");
  EXPECT_EQ(error_of("a = 1 && b = 2"), "character 7: '&&' is not supported; write 'and'");
  EXPECT_EQ(error_of("a = 1 || b = 2"), "character 7: '||' is not supported; write 'or'");
  EXPECT_EQ(error_of("!flag"), "character 1: '!' is not supported; write 'not'");
  EXPECT_EQ(error_of("a ~ 'x'"), "character 3: '~' is not supported; like and ilike match patterns");
  const std::string quotes = "dates and times are written in single quotes, such as '2014-08-08 18:00:00'";
  EXPECT_EQ(error_of("day >= 2014-01-01 10:00"), "character 8: " + quotes);
  EXPECT_EQ(error_of("day >= 2014-01-01T10:00:00"), "character 8: " + quotes);
  EXPECT_EQ(error_of("day >= 1/15/2014"), "character 8: " + quotes);
  expect_parsed(
      "year = 2014-01-01",
      query::compare(col("year"), Compare::eq, query::Formula(2014) - query::Formula(1) - query::Formula(1)));
  EXPECT_EQ(error_of("a in (1, null)"),
            "character 10: nothing is equal to null: use 'is null' or 'is not null' instead of 'in'");
  EXPECT_EQ(error_of("a = null"),
            "character 5: nothing is equal to null: use 'is null' or 'is not null' instead of an operator");
}

TEST(QueryParser, NestsOnlySoDeep) {
  const auto nested = [](int depth, const std::string& open) {
    std::string text;
    for (int i = 0; i < depth; ++i) {
      text += open;
    }
    text += "a = 1";
    return text + std::string(open == "(" ? static_cast<size_t>(depth) : 0, ')');
  };
  EXPECT_EQ(error_of(nested(99, "(")), "parsed");
  EXPECT_EQ(error_of(nested(99, "not ")), "parsed");
  EXPECT_EQ(error_of(nested(100'000, "(")), "character 101: nested more than 100 deep");
  EXPECT_EQ(error_of(nested(100'000, "not ")), "character 401: nested more than 100 deep");
}

TEST(QueryParser, ReadsWhatIsWritten) {
  Random random(5);
  const TestTable table = draw_table(random, 100, 30);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = to_source(draw_predicate(random, table, 3));
    const auto parsed = parse_predicate(text);
    ASSERT_TRUE(parsed.has_value()) << text << ": " << parsed.error().message();
    ASSERT_EQ(to_source(*parsed), text);
  }
}

TEST(QueryParser, KnowsAggregates) {
  const auto parsed = parse_aggregates(
      "sum(price), COUNT(*),count(), count(x),min(\"odd name\") ,max(y), avg(z), count(Distinct x), "
      "count(distinct)");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
  const std::vector<query::AggregateSpec> expected = {
      query::sum("price"),     query::count(),  query::count(),  query::count("x"),
      query::min("odd name"),  query::max("y"), query::avg("z"), query::count_distinct("x"),
      query::count("distinct")};
  EXPECT_EQ(*parsed, expected);
  EXPECT_EQ(parse_aggregates("").error().message(),
            "character 1: expected count, sum, min, max or avg, found the end");
  EXPECT_EQ(parse_aggregates("median(x)").error().message(),
            "character 1: unknown aggregate 'median'; expected count, sum, min, max or avg");
  EXPECT_EQ(parse_aggregates("summ(x)").error().message(),
            "character 1: unknown aggregate 'summ'; expected count, sum, min, max or avg");
  EXPECT_EQ(parse_aggregates("x").error().message(),
            "character 1: expected count, sum, min, max or avg, found 'x'");
  EXPECT_EQ(parse_aggregates("sum(abs(x))").error().message(),
            "character 5: function 'abs' is not supported; expressions have columns, numbers, +, - and *");
  EXPECT_EQ(parse_aggregates("sum()").error().message(), "character 5: expected a column's name, found ')'");
  EXPECT_EQ(parse_aggregates("sum(*)").error().message(), "character 5: expected a column's name, found '*'");
  EXPECT_EQ(parse_aggregates("sum(x").error().message(), "character 6: expected ')', found the end");
  EXPECT_EQ(parse_aggregates("count() sum(x)").error().message(),
            "character 9: expected ',' or the end, found 'sum'");
}

TEST(QueryParser, KnowsOrders) {
  const auto parsed =
      query::parse_order("city, sum(price) DESC, \"desc\" desc nulls last, count asc, count() nulls first");
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message();
  query::OrderTerm last = query::descending("desc");
  last.nulls = query::OrderTerm::Nulls::last;
  query::OrderTerm first = query::ascending(query::count());
  first.nulls = query::OrderTerm::Nulls::first;
  const std::vector<query::OrderTerm> expected = {query::ascending("city"),
                                                  query::descending(query::sum("price")), last,
                                                  query::ascending("count"), first};
  EXPECT_EQ(*parsed, expected);
  const auto error = [](const char* text) { return query::parse_order(text).error().message(); };
  EXPECT_EQ(error(""), "character 1: expected a column's name or an aggregate, found the end");
  EXPECT_EQ(error("a b"), "character 3: expected 'asc', 'desc', 'nulls', ',' or the end, found 'b'");
  EXPECT_EQ(error("a nulls"), "character 8: expected 'first' or 'last', found the end");
  EXPECT_EQ(error("f(x)"), "character 1: unknown aggregate 'f'; expected count, sum, min, max or avg");
}

}  // namespace
}  // namespace bobbin::query_tests
