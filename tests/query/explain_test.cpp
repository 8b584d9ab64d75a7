// SPDX-License-Identifier: Apache-2.0
// Which kernels answer the row groups of a query: one for all of them, although their widths differ.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "bobbin/bobbin.hpp"
#include "plan/compiled.hpp"
#include "tests/backends.hpp"
#include "tests/file/support.hpp"

namespace bobbin::query_tests {
namespace {

constexpr uint64_t kRows = 8192;
constexpr uint64_t kExplainedGroupRows = 2048;

// Values of 3 to 6 bits, by row group, of which 16 are frequent.
Reader write_table(const std::string& path) {
  std::vector<uint32_t> a(kRows);
  std::vector<uint32_t> b(kRows);
  for (uint32_t i = 0; i < kRows; ++i) {
    a[i] = (i * 7919) % (8U << (i / kExplainedGroupRows));
    b[i] = (i * 31) % 200;
  }
  WriteOptions options;
  options.rows_per_group = kExplainedGroupRows;
  options.codec = "ffor";
  Writer writer = Writer::create(path, {{"a", DType::u32}, {"b", DType::u32}}, options).value();
  EXPECT_TRUE(writer.append({a, b}).ok());
  EXPECT_TRUE(writer.finish().ok());
  return Reader::open(path).value();
}

std::set<std::string>& asked() {
  static std::set<std::string> declarations;
  return declarations;
}

// As if no kernel were compiled yet: the general kernel answers.
Result<plan::Ran> note(const plan::Composed& composed, const plan::QueryInput& /*query*/,
                       const plan::Asker& asker, StreamView /*stream*/) {
  EXPECT_TRUE(asker.waits);
  asked().insert(composed.declarations);
  return plan::Ran{};
}

class Explained : public ::testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_EMULATOR();
    plan::composed_runner(Backend::emulator) = &note;
    ::setenv("BOBBIN_QUERY_KERNELS", "compiled", 1);
    asked().clear();
  }
  void TearDown() override {
    plan::composed_runner(Backend::emulator) = nullptr;
    ::unsetenv("BOBBIN_QUERY_KERNELS");
  }

  file_tests::TempDir dir_;
};

query::Query either(const Reader& reader, Backend backend) {
  return query::from(reader).on(backend).where(query::col("a") < 5 || query::col("b") > 150);
}

TEST_F(Explained, OneKernelAnswersAllRowGroups) {
  const Reader reader = write_table(dir_ / "t.bob");
  const query::Value expected = either(reader, Backend::cpu).sum("a").value();
  EXPECT_EQ(either(reader, Backend::emulator).sum("a").value().integer, expected.integer);
  EXPECT_FALSE(asked().empty());  // row groups that come later may need other widths
  // From the second query on, all widths are known.
  asked().clear();
  query::Explanation explanation;
  EXPECT_EQ(either(reader, Backend::emulator).explained(explanation).sum("a").value().integer,
            expected.integer);
  EXPECT_EQ(asked().size(), 1);
  ASSERT_EQ(explanation.sources.size(), 1);
  EXPECT_NE(explanation.sources[0].find("Widths<3, 4, 5, 6>"), std::string::npos) << explanation.sources[0];
  ASSERT_EQ(explanation.steps.size(), kRows / kExplainedGroupRows);
  for (size_t g = 0; g < explanation.steps.size(); ++g) {
    EXPECT_EQ(explanation.steps[g].row_group, g);
    EXPECT_EQ(explanation.steps[g].kernel, "general");
    EXPECT_EQ(explanation.steps[g].reason, "the kernel is not compiled yet");
    EXPECT_EQ(explanation.steps[g].source, 0);
  }
}

// Four row groups, in which x rises and y falls; z has nulls.
TEST(Explanations, ZoneMapsDecideExpressions) {
  const file_tests::TempDir dir;
  std::vector<int32_t> x(kRows);
  std::vector<int64_t> y(kRows);
  std::vector<int32_t> z(kRows, 7);
  std::vector<uint8_t> valid(kRows / 8, 0x7f);
  for (uint32_t i = 0; i < kRows; ++i) {
    x[i] = static_cast<int32_t>(i / kExplainedGroupRows * 100 + i % 50);
    y[i] = 300 - static_cast<int64_t>(i / kExplainedGroupRows * 100 + i % 30);
  }
  WriteOptions options;
  options.rows_per_group = kExplainedGroupRows;
  Writer writer =
      Writer::create(dir / "t.bob", {{"x", DType::i32}, {"y", DType::i64}, {"z", DType::i32, true}}, options)
          .value();
  EXPECT_TRUE(writer.append({x, y, ColumnView(z, valid.data())}).ok());
  EXPECT_TRUE(writer.finish().ok());
  const Reader reader = Reader::open(dir / "t.bob").value();
  const auto skipped = [&](const query::Predicate& where, uint64_t rows) {
    query::Explanation explanation;
    EXPECT_EQ(query::from(reader).explained(explanation).where(where).count().value(), rows);
    return std::ranges::count(explanation.steps, "none", &query::Explanation::Step::kernel);
  };
  using query::col;
  EXPECT_EQ(skipped(col("x") > col("y"), 2 * kExplainedGroupRows), 4);
  EXPECT_EQ(skipped(2 * col("x") < col("y") - 40, kExplainedGroupRows), 4);
  EXPECT_EQ(skipped(col("x") * col("y") < 0, 1979), 3);
  EXPECT_EQ(skipped(col("x") + col("z") > 10'000, 0), 4);
  // Nulls satisfy neither a comparison nor its negation.
  EXPECT_EQ(skipped(col("x") + col("z") < 10'000, kRows / 8 * 7), 0);
  EXPECT_EQ(skipped(!(col("x") + col("z") < 10'000), 0), 4);
}

TEST(Explanations, OfTheHost) {
  const file_tests::TempDir dir;
  const Reader reader = write_table(dir / "t.bob");
  query::Explanation explanation;
  const query::Query all = query::from(reader).explained(explanation);
  EXPECT_TRUE(all.count().has_value());
  EXPECT_EQ(explanation.steps.at(0).kernel, "none");
  EXPECT_EQ(explanation.steps[0].reason, "the footer has the answer");
  explanation = {};
  EXPECT_TRUE(all.where(query::col("a") > 40).sum("b").has_value());
  EXPECT_EQ(explanation.steps.at(0).reason, "zone maps rule it out");
  EXPECT_EQ(explanation.steps.back().kernel, "host");
}

}  // namespace
}  // namespace bobbin::query_tests
