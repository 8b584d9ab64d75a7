// SPDX-License-Identifier: Apache-2.0
// Replays the log of DRAM commands against the timings of the configuration, written down again from the data
// sheet's rules, not from the scheduler.
#include <gtest/gtest.h>

#include <map>

#include "tests/sim/support.hpp"

namespace bobbin::sim {
namespace {

constexpr int64_t kLongAgo = -1'000'000;

struct BankHistory {
  int64_t row = -1;
  int64_t activate = kLongAgo;
  int64_t precharge = kLongAgo;
  int64_t read = kLongAgo;
  int64_t write = kLongAgo;
};

struct ChipHistory {
  std::map<uint32_t, BankHistory> banks;
  std::map<uint32_t, int64_t> group_column;
  int64_t activate = kLongAgo;
  int64_t column = kLongAgo;
  int64_t read = kLongAgo;
  int64_t write = kLongAgo;
  int64_t bus_free = kLongAgo;
};

class Checker {
 public:
  explicit Checker(const Config& config) : config_(config) {}

  // Empty if all is well; otherwise the rule that is broken.
  [[nodiscard]] std::string check(const std::vector<DramEvent>& log) {
    std::map<uint32_t, int64_t> last_command;
    for (const DramEvent& event : log) {
      const auto now = static_cast<int64_t>(event.cycle);
      if (last_command.contains(event.channel) && last_command[event.channel] >= now) {
        return "command bus";
      }
      last_command[event.channel] = now;
      const std::string rule = check(event, chips_[{event.channel, event.chip}], now);
      if (!rule.empty()) {
        return rule;
      }
    }
    return "";
  }

 private:
  using Rule = std::pair<const char*, int64_t>;  // name, earliest cycle

  [[nodiscard]] static std::string first_broken(std::initializer_list<Rule> rules, int64_t now) {
    for (const auto& [name, earliest] : rules) {
      if (now < earliest) {
        return name;
      }
    }
    return "";
  }

  [[nodiscard]] std::string check(const DramEvent& event, ChipHistory& chip, int64_t now) {
    BankHistory& bank = chip.banks[event.bank];
    if (event.command == DramCommand::activate) {
      const std::string rule = first_broken({{"tRC", bank.activate + config_.dram_rc},
                                             {"tRP", bank.precharge + config_.dram_rp},
                                             {"tRRD", chip.activate + config_.dram_rrd}},
                                            now);
      const bool was_open = bank.row >= 0;
      bank.row = event.row;
      bank.activate = chip.activate = now;
      return was_open ? "row open" : rule;
    }
    const int64_t write_end = config_.dram_wl + config_.dram_burst_cycles;
    if (event.command == DramCommand::precharge) {
      const std::string rule = first_broken({{"tRAS", bank.activate + config_.dram_ras},
                                             {"tRTP", bank.read + config_.dram_rtp},
                                             {"tWR", bank.write + write_end + config_.dram_wr}},
                                            now);
      const bool was_closed = bank.row < 0;
      bank.row = -1;
      bank.precharge = now;
      return was_closed ? "row closed" : rule;
    }
    return check_column(event, chip, bank, now);
  }

  [[nodiscard]] std::string check_column(const DramEvent& event, ChipHistory& chip, BankHistory& bank,
                                         int64_t now) {
    const bool is_write = event.command == DramCommand::write;
    const uint32_t group = event.bank % config_.dram_groups;
    const int64_t group_column = chip.group_column.contains(group) ? chip.group_column[group] : kLongAgo;
    const int64_t write_end = config_.dram_wl + config_.dram_burst_cycles;
    std::string rule =
        first_broken({{"tRCD", bank.activate + config_.dram_rcd},
                      {"tCCD", chip.column + config_.dram_ccd},
                      {"tCCDL", group_column + config_.dram_ccdl},
                      {"tCDLR", is_write ? kLongAgo : chip.write + write_end + config_.dram_cdlr}},
                     now);
    const int64_t data = now + (is_write ? config_.dram_wl : config_.dram_cl);
    rule = bank.row != event.row ? "another row" : rule.empty() && data < chip.bus_free ? "data bus" : rule;
    chip.bus_free = data + config_.dram_burst_cycles;
    chip.column = chip.group_column[group] = now;
    (is_write ? chip.write : chip.read) = now;
    (is_write ? bank.write : bank.read) = now;
    return rule;
  }

  const Config& config_;
  std::map<std::pair<uint32_t, uint32_t>, ChipHistory> chips_;
};

[[nodiscard]] std::vector<DramEvent> log_of(const Config& config, const Workload& workload, Design design) {
  EventLog log;
  const auto result = simulate(config, workload, design, {.log = &log});
  EXPECT_TRUE(result.has_value()) << result.error().message();
  return log.dram;
}

TEST(SimDramLog, EveryCommandKeepsTheTimings) {
  Config config;
  config.l2_bytes = 6 * 16384;
  for (const Design design : {Design::base, Design::caba_bdi, Design::hw_bdi_mem}) {
    for (const Workload& workload : {stream_workload(1 << 16, small_delta), scatter_workload(1 << 14),
                                     read_workload(1 << 16, 4, random_word)}) {
      const std::vector<DramEvent> log = log_of(config, workload, design);
      EXPECT_GT(log.size(), 100);
      EXPECT_EQ(Checker(config).check(log), "") << workload.name << " " << to_string(design);
    }
  }
}

// The checker must see what it is for: commands that come too early.
TEST(SimDramLog, TheCheckerFindsViolations) {
  Config config;
  config.l2_bytes = 6 * 16384;
  const std::vector<DramEvent> log = log_of(config, stream_workload(1 << 17, random_word), Design::base);
  const auto stricter = [&](uint32_t Config::*timing) {
    Config other = config;
    other.*timing += 3;
    return Checker(other).check(log);
  };
  EXPECT_EQ(stricter(&Config::dram_rcd), "tRCD");
  EXPECT_EQ(stricter(&Config::dram_ccdl), "tCCDL");
  EXPECT_EQ(stricter(&Config::dram_rp), "tRP");
  EXPECT_EQ(stricter(&Config::dram_cdlr), "tCDLR");
  std::vector<DramEvent> changed = log;
  changed[50].cycle = changed[49].cycle;
  changed[50].channel = changed[49].channel;
  EXPECT_EQ(Checker(config).check(changed), "command bus");
}

}  // namespace
}  // namespace bobbin::sim
