// SPDX-License-Identifier: Apache-2.0
// Who may read a new file, while it is written and afterwards; and what killed processes leave.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "bobbin/csv.hpp"
#include "bobbin/io.hpp"
#include "support.hpp"

namespace bobbin::file_tests {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat info {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777;
}

void make(const std::string& path, const std::string& text, mode_t mode) {
  store(path, std::as_bytes(std::span(text)));
  ASSERT_EQ(::chmod(path.c_str(), mode), 0);
}

std::optional<file::Access> access_of(const std::string& path) {
  const auto file = file::Descriptor::own(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file::Access::of(file.get());
}

class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { (void)::umask(before_); }

 private:
  mode_t before_;
};

TEST(FileOutput, NobodyElseReadsAFileThatIsBeingWritten) {
  const Umask everybody(0);
  const TempDir dir;
  auto output = file::Output::create(dir / "t", false);
  ASSERT_TRUE(output.has_value());
  ASSERT_OK(output->write(std::as_bytes(std::span("secret"))));
  ASSERT_EQ(dir.listing().size(), 1U);
  EXPECT_EQ(mode_of(dir / dir.listing()[0]), 0600U);
  ASSERT_OK(output->commit());
  EXPECT_EQ(mode_of(dir / "t"), 0666U);
}

TEST(FileOutput, ANewFileFollowsTheUmask) {
  const TempDir dir;
  for (const mode_t mask : {0U, 022U, 027U, 077U}) {
    const Umask now(mask);
    auto output = file::Output::create(dir / "t", true);
    ASSERT_TRUE(output.has_value());
    ASSERT_OK(output->commit());
    EXPECT_EQ(mode_of(dir / "t"), 0666U & ~mask);
    ::unlink((dir / "t").c_str());
  }
}

TEST(FileOutput, IsReadByThoseOnlyWhoReadItsSources) {
  const Umask everybody(0);
  const TempDir dir;
  make(dir / "own", "x", 0600);
  make(dir / "all", "x", 0644);
  make(dir / "group", "x", 0660);
  make(dir / "none", "x", 0400);
  const auto written = [&](const std::vector<std::string>& sources) {
    auto output = file::Output::create(dir / "t", true);
    for (const std::string& source : sources) {
      output->restrict_to(*access_of(dir / source));
    }
    EXPECT_TRUE(output->commit().ok());
    const mode_t mode = mode_of(dir / "t");
    ::unlink((dir / "t").c_str());
    return mode;
  };
  EXPECT_EQ(written({"own"}), 0600U);
  EXPECT_EQ(written({"all"}), 0644U);
  EXPECT_EQ(written({"group"}), 0660U);
  EXPECT_EQ(written({"all", "group"}), 0640U);
  EXPECT_EQ(written({"all", "own", "group"}), 0600U);
  EXPECT_EQ(written({"none"}), 0600U);
}

TEST(FileOutput, ReplacingAFileKeepsItsPermissionsAsFarAsTheSourceAllows) {
  const Umask mask(022);
  const TempDir dir;
  make(dir / "source", "x", 0640);
  for (const auto& [before, alone, restricted] : {std::array<mode_t, 3>{0600, 0600, 0600},
                                                  {0664, 0664, 0640},
                                                  {0666, 0666, 0640},
                                                  {0444, 0444, 0440}}) {
    make(dir / "t", "old", before);
    ASSERT_OK(file::Output::create(dir / "t", true)->commit());
    EXPECT_EQ(mode_of(dir / "t"), alone);
    auto output = file::Output::create(dir / "t", true);
    output->restrict_to(*access_of(dir / "source"));
    ASSERT_OK(output->commit());
    EXPECT_EQ(mode_of(dir / "t"), restricted);
  }
}

// Needs root, who may give files away.
TEST(FileOutput, ReplacingAnotherUsersFileKeepsItTheirsUnlessTheyMayNotReadTheSource) {
  const TempDir dir;
  make(dir / "t", "old", 0660);
  make(dir / "secret", "x", 0640);
  make(dir / "open", "x", 0644);
  if (::chown((dir / "t").c_str(), 4242, 4243) != 0) {
    GTEST_SKIP() << "only root may give a file to another user";
  }
  const auto replace = [&](const std::string& source) {
    auto output = file::Output::create(dir / "t", true);
    output->restrict_to(*access_of(dir / source));
    EXPECT_TRUE(output->commit().ok());
    return *access_of(dir / "t");
  };
  const file::Access kept = replace("open");
  EXPECT_EQ(kept.owner, 4242U);
  EXPECT_EQ(kept.group, 4243U);
  EXPECT_EQ(kept.mode, 0640U);
  const file::Access taken = replace("secret");
  EXPECT_EQ(taken.owner, ::geteuid());
  EXPECT_EQ(taken.mode, 0600U) << "the group may not read the source";
}

TEST(FileOutput, WritersRestrictTheirFiles) {
  const Umask everybody(0);
  const TempDir dir;
  make(dir / "t.csv", "a\n1\n", 0600);
  ASSERT_TRUE(csv::import_file(dir / "t.csv", dir / "t.bob").has_value());
  EXPECT_EQ(mode_of(dir / "t.bob"), 0600U);
  ASSERT_OK(csv::export_file(*Reader::open(dir / "t.bob"), dir / "again.csv", {}));
  EXPECT_EQ(mode_of(dir / "again.csv"), 0600U);
  make(dir / "u.csv", "a\n2\n", 0644);
  const std::vector<csv::Input> both{csv::Input::file(dir / "u.csv"), csv::Input::file(dir / "t.csv")};
  ASSERT_TRUE(csv::Importer::open(both)->write(dir / "both.bob").has_value());
  EXPECT_EQ(mode_of(dir / "both.bob"), 0600U);
  ASSERT_TRUE(csv::import_file(dir / "u.csv", dir / "u.bob").has_value());
  EXPECT_EQ(mode_of(dir / "u.bob"), 0644U);
}

// A process that has begun a file, and waits to be killed.
class Child {
 public:
  explicit Child(const std::string& path) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    process_ = ::fork();
    if (process_ == 0) {
      const auto output = file::Output::create(path, true);
      (void)!::write(ready[1], output.has_value() ? "1" : "0", 1);
      ::pause();
      ::_exit(0);
    }
    char begun = '0';
    EXPECT_EQ(::read(ready[0], &begun, 1), 1);
    EXPECT_EQ(begun, '1');
    ::close(ready[0]);
    ::close(ready[1]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { kill(); }
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
      process_ = 0;
    }
  }

 private:
  pid_t process_ = 0;
};

TEST(FileOutput, RemovesWhatKilledProcessesLeft) {
  const TempDir dir;
  {
    Child killed(dir / "a");
    const Child living(dir / "b");
    ASSERT_EQ(dir.listing().size(), 2U);
    killed.kill();
    ASSERT_EQ(dir.listing().size(), 2U);
    const auto output = file::Output::create(dir / "c", false);
    ASSERT_TRUE(output.has_value());
    EXPECT_EQ(dir.listing().size(), 2U) << "its own, and that of the living process";
  }
  EXPECT_EQ(dir.listing().size(), 1U) << "the one that was killed last";
}

TEST(FileOutput, KeepsWhatOnlyLooksLikeIt) {
  const TempDir dir;
  const std::string digits = "0123456789abcdef";
  for (const std::string& name :
       {std::string(".bobbin-notes.tmp"), std::string(".bobbin-0123456789ABCDEF.tmp"), ".bobbin-" + digits,
        ".bobbin-" + digits + ".tmp.gz", ".bobbin-12345-" + digits + ".tmp"}) {
    make(dir / name, "mine", 0600);
  }
  make(dir / "target", "mine", 0600);
  std::filesystem::create_symlink("target", dir / (".bobbin-" + digits + ".tmp"));
  std::filesystem::create_directory(dir / ".bobbin-0000000000000000.tmp");
  ASSERT_EQ(::mkfifo((dir / ".bobbin-0000000000000001.tmp").c_str(), 0600), 0);
  const size_t before = dir.listing().size();
  const std::string left = ".bobbin-0000000000000002.tmp";
  make(dir / left, "left", 0600);
  const std::string foreign = ".bobbin-0000000000000003.tmp";
  make(dir / foreign, "foreign", 0600);
  const bool is_root = ::chown((dir / foreign).c_str(), 4242, 4242) == 0;
  ASSERT_OK(file::Output::create(dir / "t", false)->commit());
  EXPECT_FALSE(std::filesystem::exists(dir / left));
  EXPECT_EQ(std::filesystem::exists(dir / foreign), is_root);
  EXPECT_EQ(dir.listing().size(), before + 1 + (is_root ? 1 : 0));
}

}  // namespace
}  // namespace bobbin::file_tests
