// SPDX-License-Identifier: Apache-2.0
// The proxies and controls: results, sizes, and how well their data compresses.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "sim/profile.hpp"
#include "sim/simulate.hpp"

namespace bobbin::sim {
namespace {

[[nodiscard]] const std::map<std::string_view, WorkloadProfile>& profiles() {
  static const auto kProfiles = [] {
    std::map<std::string_view, WorkloadProfile> all;
    for (const Workload& workload : workloads()) {
      const auto profile = profile_workload(workload, 7, true);
      EXPECT_TRUE(profile.has_value()) << profile.error().message();
      all[workload.name] = profile.has_value() ? *profile : WorkloadProfile();
    }
    return all;
  }();
  return kProfiles;
}

TEST(SimWorkloads, NamesAreDifferentAndProxiesSaySo) {
  std::set<std::string_view> names;
  for (const Workload& workload : workloads()) {
    EXPECT_TRUE(names.insert(workload.name).second) << workload.name;
    EXPECT_FALSE(workload.description.empty()) << workload.name;
    const bool proxy = workload.represents.starts_with("proxy for ");
    EXPECT_TRUE(proxy || workload.represents == "control") << workload.name;
    EXPECT_EQ(find_workload(workload.name), &workload);
  }
  EXPECT_EQ(find_workload("nothing"), nullptr);
}

TEST(SimWorkloads, QuickSizesAreSmallButLargerThanTheL2) {
  for (const Workload& workload : workloads()) {
    const WorkloadProfile& profile = profiles().at(workload.name);
    EXPECT_LE(profile.instructions, 300'000) << workload.name;
    if (workload.kind != WorkloadClass::compute && workload.name != "RAY") {
      EXPECT_GT(profile.bytes_touched, 786'432) << workload.name;
    }
  }
}

TEST(SimWorkloads, SeedsDecideTheData) {
  for (const Workload& workload : workloads()) {
    const auto bytes = [&](uint64_t seed) {
      Memory memory;
      static_cast<void>(workload.setup(memory, seed, true));
      return std::vector<uint8_t>(memory.bytes().begin(), memory.bytes().end());
    };
    EXPECT_EQ(bytes(3), bytes(3)) << workload.name;
  }
}

// A check that accepts anything would hide every error of the simulator.
TEST(SimWorkloads, ChecksFindAWrongBit) {
  for (const Workload& workload : workloads()) {
    Memory memory;
    const WorkloadRun run = workload.setup(memory, 7, true);
    EXPECT_FALSE(run.check(memory).ok()) << workload.name;
  }
}

TEST(SimWorkloads, CompressibilityIsWhatThePaperReports) {
  const auto ratio = [](std::string_view name, Algorithm algorithm) {
    return profiles().at(name).ratio[static_cast<size_t>(algorithm)];
  };
  for (const Workload& workload : workloads()) {
    const double best = ratio(workload.name, Algorithm::best);
    if (workload.kind == WorkloadClass::memory) {
      EXPECT_GT(best, 1.1) << workload.name;
    } else if (workload.kind == WorkloadClass::incompressible) {
      EXPECT_LT(best, 1.02) << workload.name;
    }
  }
}

}  // namespace
}  // namespace bobbin::sim
