// SPDX-License-Identifier: Apache-2.0
// Memory follows what is asked for: columns whose strings take far more bytes than the file. Each query runs
// in a process of its own, which may not take much more memory than this one.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

#include "bobbin/arrow.hpp"
#include "bobbin/bobbin.hpp"
#include "bobbin/encoding.hpp"
#include "tests/file/support.hpp"

namespace bobbin::query_tests {
namespace {

using query::col;

constexpr uint64_t kLongRows = 100;
constexpr uint64_t kLongBytes = uint64_t{1} << 20;
constexpr uint64_t kMostMemory = uint64_t{64} << 20;

// What the process may still allocate, and what it has.
uint64_t data_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmData:")) {
      return std::stoull(line.substr(7)) * 1024;
    }
  }
  return 0;
}

// Whether f() succeeds in a process that may take 64 MiB more than this one.
bool fits(const std::function<Status()>& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit most{.rlim_cur = data_bytes() + kMostMemory, .rlim_max = data_bytes() + kMostMemory};
    ::setrlimit(RLIMIT_DATA, &most);
    bool done = false;
    try {
      const Status status = f();
      done = status.ok();
      if (!done) {
        (void)!::write(STDERR_FILENO, (status.message() + "\n").data(), status.message().size() + 1);
      }
    } catch (const std::exception&) {
      (void)!::write(STDERR_FILENO, "out of memory\n", 14);
    }
    ::_exit(done ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// String `entry`: they differ at their ends only, so that comparisons see all of them.
std::string long_string(uint64_t entry) {
  std::string text(kLongBytes, 'a');
  text += "0123456789"[entry / 100 % 10];
  text += "0123456789"[entry / 10 % 10];
  text += "0123456789"[entry % 10];
  return text;
}

struct LongShape {
  const char* name;
  uint64_t entries;  // different strings
  bool nulls;
  const char* codec;
};

// Row i has string i % entries; every ninth row is null, if there are nulls.
void write_long(const std::string& path, const LongShape& shape) {
  const std::vector<Column> columns{{"s", DType::utf8}, {"n", DType::i64}};
  auto writer = Writer::create(path, columns, {.column_codecs = {{"s", shape.codec}}});
  ASSERT_TRUE(writer.has_value()) << writer.error().message();
  for (uint64_t row = 0; row < kLongRows; ++row) {
    Strings one;
    one.type = DType::utf8;
    const std::string text = long_string(row % shape.entries);
    if (shape.nulls && row % 9 == 0) {
      one.push_null();
    } else {
      one.push_back({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    }
    const std::vector<int64_t> number{static_cast<int64_t>(row)};
    ASSERT_TRUE(writer->append({ColumnView(one), ColumnView(number)}).ok());
  }
  const Status done = writer->finish();
  ASSERT_TRUE(done.ok()) << done.message();
}

Status wrong(const std::string& what) {
  return {StatusCode::corrupt, what + " is wrong"};
}

Status expect_text(const Result<query::Value>& found, uint64_t entry) {
  BOBBIN_TRY(found.error());
  return found->text == long_string(entry) ? Status() : wrong("the string");
}

class LongStrings : public ::testing::TestWithParam<LongShape> {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer takes more memory";
#endif
    ASSERT_NO_FATAL_FAILURE(write_long(path(), GetParam()));
  }
  [[nodiscard]] std::string path() const { return dir_ / "long.bob"; }
  // Runs f with the file.
  bool fits_with(const std::function<Status(const Reader&)>& f) const {
    return fits([&]() -> Status {
      BOBBIN_ASSIGN(const Reader reader, Reader::open(path()));
      return f(reader);
    });
  }
  [[nodiscard]] uint64_t present() const { return kLongRows - (GetParam().nulls ? (kLongRows + 8) / 9 : 0); }

 private:
  file_tests::TempDir dir_;
};

TEST_P(LongStrings, Aggregates) {
  EXPECT_TRUE(fits_with([](const Reader& reader) { return expect_text(query::from(reader).min("s"), 0); }));
  const uint64_t last = GetParam().entries - 1;
  EXPECT_TRUE(
      fits_with([&](const Reader& reader) { return expect_text(query::from(reader).max("s"), last); }));
  EXPECT_TRUE(fits_with([&](const Reader& reader) -> Status {
    BOBBIN_ASSIGN(const uint64_t count, query::from(reader).where(col("s") == col("s")).count());
    return count == present() ? Status() : wrong("the count");
  }));
  // Strings of a group are compared, not kept.
  EXPECT_TRUE(fits_with([](const Reader& reader) -> Status {
    BOBBIN_ASSIGN(const query::ResultTable table,
                  query::from(reader).where(col("n") < 4).group_by({"n"}, {query::max("s")}));
    return table.rows.size() == 4 ? Status() : wrong("the number of groups");
  }));
}

TEST_P(LongStrings, Tests) {
  EXPECT_TRUE(fits_with([&](const Reader& reader) -> Status {
    BOBBIN_ASSIGN(const uint64_t count, query::from(reader).where(col("s").ilike("%A___")).count());
    return count == present() ? Status() : wrong("the count");
  }));
  EXPECT_TRUE(fits_with([&](const Reader& reader) -> Status {
    BOBBIN_ASSIGN(const uint64_t count, query::from(reader).where(col("s") < "b").count());
    return count == present() ? Status() : wrong("the count");
  }));
  EXPECT_TRUE(fits_with([&](const Reader& reader) -> Status {
    BOBBIN_ASSIGN(const uint64_t count, query::from(reader).where(col("s").like("a%0_0")).count());
    return count != 0 ? Status() : wrong("the count");
  }));
}

TEST_P(LongStrings, Rows) {
  EXPECT_TRUE(fits_with([](const Reader& reader) -> Status {
    BOBBIN_ASSIGN(const query::ResultTable table,
                  query::from(reader)
                      .where(!col("s").is_null())
                      .select({"n", "s"}, {.order = {query::ascending("s")}, .limit = 3}));
    return table.rows.size() == 3 && table.rows[0][1].text == long_string(0) ? Status() : wrong("the order");
  }));
  EXPECT_TRUE(fits_with([](const Reader& reader) -> Status {
    uint64_t rows = 0;
    const auto visit = [&](std::span<const std::vector<query::Value>> some) -> Status {
      rows += some.size();
      return {};
    };
    BOBBIN_TRY(query::from(reader).visit_selected({"s", "n"}, {}, visit));
    return rows == kLongRows ? Status() : wrong("the number of rows");
  }));
}

TEST_P(LongStrings, Slices) {
  const uint64_t entries = GetParam().entries;
  const bool nulls = GetParam().nulls;
  const auto read = [&](const Reader& reader, bool picked) -> Status {
    const std::vector<size_t> columns{1, 0};
    uint64_t rows = 0;
    const auto visit = [&](std::span<const HostColumn> slice, uint64_t count) -> Status {
      for (uint64_t i = 0; i < count; ++i) {
        const auto row = static_cast<uint64_t>(value_of<int64_t>(slice[0].number(i)));
        const bool null = nulls && row % 9 == 0;
        if (slice[1].is_null(i) != null || (!null && slice[1].string(i) != long_string(row % entries))) {
          return wrong("a string");
        }
      }
      rows += count;
      return {};
    };
    if (!picked) {
      BOBBIN_TRY(visit_slices(reader, columns, 1, kLongRows - 1, visit));
      return rows == kLongRows - 1 ? Status() : wrong("the number of rows");
    }
    const auto take = [&](size_t group, std::span<const uint64_t> some) -> Result<bool> {
      BOBBIN_TRY(visit_slices(reader, group, columns, some, visit));
      return true;
    };
    BOBBIN_TRY(query::from(reader).where(col("n") > 0).visit_rows(take));
    return rows == kLongRows - 1 ? Status() : wrong("the number of rows");
  };
  EXPECT_TRUE(fits_with([&](const Reader& reader) { return read(reader, false); }));
  EXPECT_TRUE(fits_with([&](const Reader& reader) { return read(reader, true); }));
}

TEST_P(LongStrings, Stream) {
  for (const bool filtered : {false, true}) {
    EXPECT_TRUE(fits([&]() -> Status {
      BOBBIN_ASSIGN(Reader reader, Reader::open(path()));
      arrow::TableScanOptions options;
      if (filtered) {
        options.where = col("n") > 0;
      }
      ArrowArrayStream stream{};
      BOBBIN_TRY(
          arrow::export_table_scan(std::make_shared<const Reader>(std::move(reader)), options, &stream));
      int64_t rows = 0;
      int code = 0;
      for (ArrowArray array{}; (code = stream.get_next(&stream, &array)) == 0 && array.release != nullptr;) {
        rows += array.length;
        array.release(&array);
      }
      stream.release(&stream);
      return code == 0 && rows == int64_t{kLongRows} - (filtered ? 1 : 0) ? Status() : wrong("the stream");
    }));
  }
}

TEST_P(LongStrings, Verify) {
  EXPECT_TRUE(fits_with([](const Reader& reader) { return reader.verify(); }));
}

INSTANTIATE_TEST_SUITE_P(Shapes, LongStrings,
                         ::testing::Values(LongShape{"one_entry", 1, false, "dict"},
                                           LongShape{"nulls", 1, true, "dict"},
                                           LongShape{"some_entries", 12, true, "dict"},
                                           LongShape{"many_entries", 40, true, "dict"},
                                           LongShape{"zstd", kLongRows, false, "zstd"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bobbin::query_tests
