// SPDX-License-Identifier: Apache-2.0
// Long calls end when they are cancelled.
#include "bobbin/cancel.hpp"

#include <numeric>
#include <thread>

#include "bobbin/query.hpp"
#include "bobbin/table.hpp"
#include "core/parallel.hpp"
#include "tests/file/support.hpp"

namespace bobbin::file_tests {
namespace {

TEST(Cancel, ScopesAreNestedAndBelongToAThread) {
  EXPECT_TRUE(CancelScope::check().ok());
  const CancelToken token;
  {
    const CancelScope scope(token);
    EXPECT_TRUE(CancelScope::check().ok());
    token.cancel();
    EXPECT_EQ(CancelScope::check().code(), StatusCode::cancelled);
    {
      const CancelScope inner{CancelToken()};
      EXPECT_TRUE(CancelScope::check().ok());
    }
    EXPECT_EQ(CancelScope::check().code(), StatusCode::cancelled);
    std::jthread([] { EXPECT_TRUE(CancelScope::check().ok()); });
    parallel_for(3, [](uint64_t) { EXPECT_EQ(CancelScope::check().code(), StatusCode::cancelled); });
  }
  EXPECT_TRUE(CancelScope::check().ok());
}

TEST(Cancel, CallsReturnAndNoFileIsMade) {
  const TempDir dir;
  std::vector<int64_t> values(10'000);
  std::iota(values.begin(), values.end(), 0);
  const auto fill = [&](const std::string& name) -> Status {
    BOBBIN_ASSIGN(Writer writer,
                  Writer::create(dir / name, {{"x", DType::i64}}, {.rows_per_group = 1024, .threads = 2}));
    BOBBIN_TRY(writer.append({values}));
    return writer.finish();
  };
  ASSERT_TRUE(fill("t.bob").ok());
  const Reader reader = Reader::open(dir / "t.bob").value();
  const CancelToken token;
  token.cancel();
  const CancelScope scope(token);
  EXPECT_EQ(reader.verify().code(), StatusCode::cancelled);
  EXPECT_EQ(query::from(reader).sum("x").error().code(), StatusCode::cancelled);
  const size_t columns[] = {0};
  EXPECT_EQ(read_columns(reader, columns, 0, 10'000, 2).error().code(), StatusCode::cancelled);
  EXPECT_EQ(fill("u.bob").code(), StatusCode::cancelled);
  EXPECT_EQ(dir.listing().size(), 1U);
}

}  // namespace
}  // namespace bobbin::file_tests
