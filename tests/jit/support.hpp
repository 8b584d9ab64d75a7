// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "jit/nvrtc.hpp"

namespace bobbin::jit {

// Tests that compile are skipped where libnvrtc is not installed.
#define BOBBIN_NEEDS_NVRTC()                                  \
  do {                                                        \
    if (const auto library = nvrtc(); !library.has_value()) { \
      GTEST_SKIP() << library.error().message();              \
    }                                                         \
  } while (false)

// A folder that is removed at the end.
class TestFolder {
 public:
  TestFolder() {
    static std::atomic<int> number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("bobbin-jit-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    std::filesystem::remove_all(path_);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline bool is_a_test(const std::string& name) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int k = 0; k < suite.total_test_count(); ++k) {
      if (name == std::string(suite.name()) + "." + suite.GetTestInfo(k)->name()) {
        return true;
      }
    }
  }
  return false;
}

// Another process of this program with one test, as a command of a shell. What only such processes run is a
// disabled test. A filter that selects nothing succeeds: the test must be there. Leaks are looked for in this
// process only: the others end together with threads of the compiler, and g++ 12's LeakSanitizer may crash
// when a thread ends while it looks.
inline std::string run_test(const std::string& environment, const std::string& test) {
  EXPECT_TRUE(is_a_test(test)) << test;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  return "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" " +
         environment + " '" + self + "' --gtest_filter=" + test +
         " --gtest_also_run_disabled_tests >/dev/null";
}

}  // namespace bobbin::jit
