// SPDX-License-Identifier: Apache-2.0
// A file is complete or does not exist, and a writer that failed stays failed.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

#include "file/append.hpp"
#include "support.hpp"
#include "tests/drawn.hpp"

namespace bobbin::file_tests {
namespace {

const Bytes kOldContent(100, std::byte{42});

TEST(FileWrite, DroppedWriterLeavesNothing) {
  const TempDir dir;
  const Table table = one_column(DType::u32, 5000);
  {
    auto writer = Writer::create(dir / "t.bob", table.columns, {.rows_per_group = 1024});
    ASSERT_TRUE(writer.has_value());
    ASSERT_OK(file::append_untyped(*writer, table.pointers(), table.rows));
    EXPECT_EQ(dir.listing().size(), 1u);
    EXPECT_FALSE(std::filesystem::exists(dir / "t.bob"));
  }
  EXPECT_TRUE(dir.listing().empty());
}

TEST(FileWrite, DroppedWriterKeepsTheOldFile) {
  const TempDir dir;
  store(dir / "t.bob", kOldContent);
  const Table table = one_column(DType::u32, 5000);
  {
    auto writer = Writer::create(dir / "t.bob", table.columns, {.overwrite = true});
    ASSERT_TRUE(writer.has_value());
    ASSERT_OK(file::append_untyped(*writer, table.pointers(), table.rows));
    EXPECT_EQ(load(dir / "t.bob"), kOldContent);
  }
  EXPECT_EQ(load(dir / "t.bob"), kOldContent);
  EXPECT_EQ(dir.listing().size(), 1u);
}

TEST(FileWrite, OverwritesOnlyWhenAsked) {
  const TempDir dir;
  store(dir / "t.bob", kOldContent);
  const Table table = one_column(DType::u32, 100);
  const Status refused = write_table(dir / "t.bob", table);
  EXPECT_EQ(refused.message(), (dir / "t.bob") + ": create: the file already exists");
  EXPECT_EQ(load(dir / "t.bob"), kOldContent);
  ASSERT_OK(write_table(dir / "t.bob", table, {.overwrite = true}));
  ASSERT_OK(Reader::open(dir / "t.bob")->verify());
  EXPECT_EQ(dir.listing().size(), 1u);
}

TEST(FileWrite, FileThatAppearsMeanwhileIsNotReplaced) {
  const TempDir dir;
  const Table table = one_column(DType::u32, 100);
  auto writer = Writer::create(dir / "t.bob", table.columns, {});
  ASSERT_TRUE(writer.has_value());
  ASSERT_OK(file::append_untyped(*writer, table.pointers(), table.rows));
  store(dir / "t.bob", kOldContent);
  EXPECT_EQ(writer->finish().code(), StatusCode::io);
  EXPECT_EQ(load(dir / "t.bob"), kOldContent);
  EXPECT_EQ(dir.listing().size(), 1u);
}

TEST(FileWrite, ReplacesBehindASymbolicLinkAndKeepsItsMode) {
  const TempDir dir;
  store(dir / "real.bob", kOldContent);
  ::chmod((dir / "real.bob").c_str(), 0600);
  std::filesystem::create_symlink("real.bob", dir / "link.bob");
  const Table table = one_column(DType::u8, 10);
  EXPECT_FALSE(write_table(dir / "link.bob", table).ok());
  ASSERT_OK(write_table(dir / "link.bob", table, {.overwrite = true}));
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link.bob"));
  ASSERT_OK(Reader::open(dir / "real.bob")->verify());
  struct stat info {};
  ASSERT_EQ(::stat((dir / "real.bob").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

// A table whose values are all equal: a reader that saw parts of two files would see two values.
Status write_version(const std::string& path, uint32_t version) {
  const std::vector<uint32_t> values(5000, version);
  auto writer = Writer::create(path, {{"v", DType::u32}}, {.rows_per_group = 1000, .overwrite = true});
  if (!writer.has_value()) {
    return writer.error();
  }
  const void* const columns[] = {values.data()};
  if (const Status status = file::append_untyped(*writer, columns, values.size()); !status.ok()) {
    return status;
  }
  return writer->finish();
}

TEST(FileWrite, ReadersSeeOneFileOrTheOther) {
  const TempDir dir;
  ASSERT_OK(write_version(dir / "t.bob", 0));
  std::atomic<bool> done{false};
  std::atomic<uint64_t> mixed{0};
  const auto read_again = [&] {
    uint32_t newest = 0;
    while (!done) {
      const auto reader = Reader::open(dir / "t.bob");
      std::vector<uint32_t> values(5000);
      const bool read =
          reader.has_value() && reader->read(0, 0, 5000, std::as_writable_bytes(std::span(values))).ok();
      const bool same = std::ranges::count(values, values[0]) == 5000 && values[0] >= newest;
      mixed += read && same ? 0 : 1;
      newest = values[0];
    }
  };
  {
    const std::jthread first(read_again);
    const std::jthread second(read_again);
    for (uint32_t version = 1; version <= 30; ++version) {
      EXPECT_TRUE(write_version(dir / "t.bob", version).ok());
    }
    done = true;
  }
  EXPECT_EQ(mixed, 0U);
}

TEST(FileWrite, NeverReplacesWhatIsNoRegularFile) {
  const TempDir dir;
  const Table table = one_column(DType::u8, 10);
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(dir / "folder");
  std::filesystem::create_symlink("nowhere", dir / "dangling");
  for (const std::string name : {"pipe", "folder", "dangling"}) {
    EXPECT_FALSE(write_table(dir / name, table, {.overwrite = true}).ok()) << name;
  }
  EXPECT_TRUE(std::filesystem::is_fifo(dir / "pipe"));
  EXPECT_EQ(dir.listing().size(), 3u);
  EXPECT_FALSE(write_table(dir / "", table).ok());
  EXPECT_FALSE(write_table(dir / "missing/t.bob", table).ok());
  EXPECT_FALSE(write_table("", table).ok());
}

TEST(FileWrite, RefusesSenselessRequests) {
  const TempDir dir;
  const auto message = [&](std::vector<Column> columns, const WriteOptions& options) {
    const auto writer = Writer::create(dir / "t.bob", std::move(columns), options);
    return writer.has_value() ? std::string("accepted") : writer.error().message();
  };
  const Column good{"a", DType::u8};
  EXPECT_NE(message({good, good}, {}).find("duplicate column name \"a\""), std::string::npos);
  EXPECT_NE(message({{"\xff", DType::u8}}, {}).find("not UTF-8"), std::string::npos);
  EXPECT_NE(message({{std::string(65537, 'x'), DType::u8}}, {}).find("limit"), std::string::npos);
  EXPECT_NE(message({{"a", DType{}}}, {}).find("unknown type"), std::string::npos);
  EXPECT_NE(message({good}, {.rows_per_group = 0}).find("must be from 1"), std::string::npos);
  EXPECT_NE(message({good}, {.rows_per_group = (1 << 24) + 1}).find("must be from 1"), std::string::npos);
  EXPECT_NE(message({good}, {.codec = "gzip"}).find("unknown codec \"gzip\""), std::string::npos);
  EXPECT_TRUE(dir.listing().empty());
}

TEST(FileWrite, FailureIsForEver) {
  const TempDir dir;
  const Table table = one_column(DType::u32, 100);
  auto writer = Writer::create(dir / "t.bob", table.columns, {});
  ASSERT_TRUE(writer.has_value());
  EXPECT_FALSE(file::append_untyped(*writer, {}, 1).ok());
  EXPECT_TRUE(dir.listing().empty());
  EXPECT_FALSE(file::append_untyped(*writer, table.pointers(), table.rows).ok());
  EXPECT_FALSE(writer->finish().ok());
  EXPECT_TRUE(dir.listing().empty());
}

TEST(FileWrite, NothingFollowsFinish) {
  const TempDir dir;
  const Table table = one_column(DType::u32, 100);
  auto writer = Writer::create(dir / "t.bob", table.columns, {});
  ASSERT_OK(file::append_untyped(*writer, table.pointers(), table.rows));
  ASSERT_OK(writer->finish());
  EXPECT_EQ(file::append_untyped(*writer, table.pointers(), 1).code(), StatusCode::invalid_argument);
  EXPECT_EQ(writer->finish().code(), StatusCode::invalid_argument);
  ASSERT_OK(Reader::open(dir / "t.bob")->verify());
  Writer moved = std::move(*writer);
  EXPECT_FALSE(file::append_untyped(*writer, table.pointers(), 1).ok());
  EXPECT_FALSE(writer->finish().ok());
}

TEST(FileWrite, NullValuesAreRefused) {
  const TempDir dir;
  auto writer = Writer::create(dir / "t.bob", {{"a", DType::u8}}, {});
  const std::array<const void*, 1> pointers{nullptr};
  ASSERT_OK(file::append_untyped(*writer, pointers, 0));
  EXPECT_FALSE(file::append_untyped(*writer, pointers, 1).ok());
}

TEST(FileWrite, PipeGetsTheSameBytes) {
  const TempDir dir;
  const Table table = all_types(testing::shrunk(50'000));
  const WriteOptions options{.rows_per_group = 4096};
  ASSERT_OK(write_table(dir / "t.bob", table, options));
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Bytes got;
  std::thread drain([&] {
    std::array<std::byte, 777> piece;
    for (ssize_t n = 0; (n = ::read(ends[0], piece.data(), piece.size())) > 0;) {
      got.insert(got.end(), piece.begin(), piece.begin() + n);
    }
  });
  // A pipe that does not block: short writes and EAGAIN.
  ASSERT_EQ(::fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  auto writer = Writer::to_descriptor(ends[1], "(pipe)", table.columns, options);
  EXPECT_TRUE(file::append_untyped(*writer, table.pointers(), table.rows).ok());
  EXPECT_TRUE(writer->finish().ok());
  ::close(ends[1]);
  drain.join();
  ::close(ends[0]);
  EXPECT_EQ(got, load(dir / "t.bob"));
}

TEST(FileWrite, BrokenPipeAndFullDiskAreErrors) {
  const auto old_handler = std::signal(SIGPIPE, SIG_IGN);
  const Table table = all_types(testing::shrunk(50'000));
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  auto writer = Writer::to_descriptor(ends[1], "(pipe)", table.columns, {});
  ASSERT_TRUE(writer.has_value());
  ASSERT_OK(file::append_untyped(*writer, table.pointers(), table.rows));
  EXPECT_EQ(writer->finish().message(), "(pipe): write: Broken pipe");
  EXPECT_FALSE(writer->finish().ok());
  ::close(ends[1]);

  if (const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC); full >= 0) {
    auto to_full = Writer::to_descriptor(full, "full.bob", table.columns, {});
    ASSERT_OK(file::append_untyped(*to_full, table.pointers(), table.rows));
    EXPECT_EQ(to_full->finish().message(), "full.bob: write: No space left on device");
    ::close(full);
  }
  std::signal(SIGPIPE, old_handler);
}

TEST(FileWrite, FileThatCannotGrowIsRemoved) {
  const TempDir dir;
  const Table table = all_types(100'000);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = write_table(dir / "t.bob", table, {.rows_per_group = 8192});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(status.code(), StatusCode::io);
  EXPECT_TRUE(dir.listing().empty());
}

}  // namespace
}  // namespace bobbin::file_tests
