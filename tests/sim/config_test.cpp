// SPDX-License-Identifier: Apache-2.0
#include "sim/config.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace bobbin::sim {
namespace {

TEST(SimConfig, EveryParameterHasItsOwnNameAndADefaultInRange) {
  const Config config;
  std::set<std::string_view> names;
  for (const Parameter& parameter : parameters()) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_GE(config.*parameter.field, parameter.least) << parameter.name;
    EXPECT_LE(config.*parameter.field, parameter.most) << parameter.name;
    EXPECT_TRUE(!parameter.power_of_two || std::has_single_bit(config.*parameter.field)) << parameter.name;
    EXPECT_FALSE(parameter.source.empty()) << parameter.name;
  }
  EXPECT_EQ(names.size() * sizeof(uint32_t), sizeof(Config));
  EXPECT_TRUE(check(config).ok());
}

TEST(SimConfig, ThePaperPresetNamesEveryParameterWithItsDefault) {
  EXPECT_EQ(to_text(*load_config("paper")), to_text(Config()));
  for (const Parameter& parameter : parameters()) {
    EXPECT_NE(preset_text("paper").find(std::string(parameter.name) + " = "), std::string_view::npos)
        << parameter.name;
  }
}

TEST(SimConfig, TheHopperPresetIsPossible) {
  const Config config = *load_config("hopper");
  EXPECT_TRUE(check(config).ok()) << check(config).message();
  EXPECT_EQ(config.gpu_sms, 132);
  // About 4.8 TB/s: 16 bytes per cycle and chip.
  const double bytes = 16.0 * config.dram_channels * config.dram_chips * config.clock_dram * 1e6;
  EXPECT_NEAR(bytes, 4.8e12, 0.05e12);
}

TEST(SimConfig, WrongParametersGiveOneLine) {
  Config config;
  const auto message = [&](std::string_view assignment) {
    return set_parameter(config, assignment).message();
  };
  EXPECT_EQ(message("dram.chanels=3"), "unknown parameter dram.chanels");
  EXPECT_EQ(message("dram.banks=0"), "dram.banks: expected a power of two from 1 to 64, found 0");
  EXPECT_EQ(message("dram.banks=12"), "dram.banks: expected a power of two from 1 to 64, found 12");
  EXPECT_EQ(message("sm.policy=fifo"), "sm.policy: expected one of gto|rr, found 'fifo'");
  EXPECT_EQ(message("gpu.sms=many"), "gpu.sms: expected a number from 1 to 256, found 'many'");
  EXPECT_EQ(message("gpu.sms"), "expected name=value, found 'gpu.sms'");
  EXPECT_EQ(message("sm.policy = rr"), "");
  EXPECT_EQ(config.sm_policy, 1);
}

TEST(SimConfig, ImpossibleMachinesAreRefused) {
  Config config;
  config.l1_ways = 3;
  EXPECT_EQ(check(config).message(),
            "l1.bytes: 16384 bytes in 3 ways make 42.6667 sets, expected a power of two");
  config = {};
  config.l2_bytes = 786433;
  EXPECT_EQ(check(config).message(), "l2.bytes: 786433 is not a multiple of dram.channels (6)");
  config = {};
  config.dram_write_high = 17;
  EXPECT_EQ(check(config).message(),
            "dram.write_high: expected more than dram.write_low (8) and at most dram.write_buffer (16), "
            "found 17");
}

TEST(SimConfig, FilesHaveCommentsAndErrorsHaveLines) {
  Config config;
  EXPECT_TRUE(read_config(config, "# one\n\n gpu.sms = 2 # two\nsm.policy=rr\n", "x.conf").ok());
  EXPECT_EQ(config.gpu_sms, 2);
  EXPECT_EQ(read_config(config, "gpu.sms = 2\nwhat = 3\n", "x.conf").message(),
            "x.conf:2: unknown parameter what");
}

}  // namespace
}  // namespace bobbin::sim
