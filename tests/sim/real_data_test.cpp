// SPDX-License-Identifier: Apache-2.0
// Workloads with data from files: the files are made by the test.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/simulate.hpp"

namespace bobbin::sim {
namespace {

namespace fs = std::filesystem;

// A folder with a text of words that follow each other by a rule, and a table of temperatures.
class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("bobbin-sim-data-" + std::to_string(getpid()));
    fs::create_directories(folder_ / "strings");
    fs::create_directories(folder_ / "tables");
    std::ofstream text(folder_ / "strings/wikipedia.txt");
    for (uint32_t i = 0; i < 60'000; ++i) {
      text << "Word" << static_cast<char>('a' + i % 26) << static_cast<char>('a' + i * i % 23)
           << static_cast<char>('a' + i / 97 % 26) << (i % 12 == 11 ? ".\n" : " ");
    }
    std::ofstream table(folder_ / "tables/weather.csv");
    for (uint32_t i = 0; i < 12'000; ++i) {
      table << "0" << i % 90 << "|2014-08-08 18:00:00|" << i % 12 << "|1|" << i % 30 << "|"
            << (i % 7 == 0 ? "" : "-3") << "|0|4\n";
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string folder() const { return folder_.string(); }

 private:
  fs::path folder_;
};

TEST_F(RealData, EveryFormIsCorrectOnEveryKindOfDesign) {
  for (const std::string_view name : workloads_with_data()) {
    const auto workload = with_data(*find_workload(name), folder());
    ASSERT_TRUE(workload.has_value()) << workload.error().message();
    EXPECT_EQ(workload->name, std::string(name) + "-data");
    for (const Design design : {Design::base, Design::caba_bdi, Design::hw_bdi_mem}) {
      const auto run = simulate({}, *workload, design, {.quick = true});
      ASSERT_TRUE(run.has_value()) << run.error().message();
      EXPECT_GT(run->counters.instructions, 1000) << name;
    }
  }
}

TEST_F(RealData, TheSeedDoesNotMatter) {
  const auto workload = with_data(*find_workload("KM"), folder());
  ASSERT_TRUE(workload.has_value());
  const auto cycles = [&](uint64_t seed) {
    return simulate({}, *workload, Design::base, {.seed = seed, .quick = true})->counters.core_cycles;
  };
  EXPECT_EQ(cycles(1), cycles(2));
}

TEST_F(RealData, WhatIsMissingGivesOneLine) {
  EXPECT_EQ(with_data(*find_workload("TRA"), folder()).error().message(),
            "workload TRA has no form with data from files; KM, SS and bfs have");
  EXPECT_EQ(with_data(*find_workload("KM"), "nowhere").error().message(),
            "nowhere/tables/weather.csv: cannot be opened");
  std::ofstream(folder() + "/tables/weather.csv") << "1|2|3\n";
  EXPECT_EQ(with_data(*find_workload("KM"), folder()).error().message(),
            folder() + "/tables/weather.csv: 6 bytes, expected at least 262144");
}

}  // namespace
}  // namespace bobbin::sim
