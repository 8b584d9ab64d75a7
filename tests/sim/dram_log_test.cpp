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
  explicit Checker(const Config& config) : config_(config) {}  // timings in cycles of the chips

  // Empty if all is well; otherwise the rule that is broken.
  [[nodiscard]] std::string check(const std::vector<DramEvent>& log) {
    std::map<std::pair<uint32_t, uint32_t>, int64_t> last_command;
    for (const DramEvent& event : log) {
      const auto now = static_cast<int64_t>(event.cycle);
      const std::pair bus(event.channel, config_.dram_commands == 0 ? 0 : event.chip);
      if (last_command.contains(bus) && last_command[bus] >= now) {
        return "command bus";
      }
      last_command[bus] = now;
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
    const int64_t read_end = config_.dram_cl + config_.dram_burst_cycles + config_.dram_turnaround;
    std::string rule =
        first_broken({{"tRCD", bank.activate + config_.dram_rcd},
                      {"tCCD", chip.column + config_.dram_ccd},
                      {"tCCDL", group_column + config_.dram_ccdl},
                      {"tCDLR", is_write ? kLongAgo : chip.write + write_end + config_.dram_cdlr},
                      {"tRTW", is_write ? chip.read + read_end - config_.dram_wl : kLongAgo}},
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

// A faster or slower bus changes the clock, not the nanoseconds: cycles of the chips' arrays grow with it.
[[nodiscard]] Config in_cycles_of_the_chips(const Config& config) {
  Config out = config;
  for (uint32_t Config::*const timing :
       {&Config::dram_cl, &Config::dram_wl, &Config::dram_rp, &Config::dram_rc, &Config::dram_ras,
        &Config::dram_rcd, &Config::dram_rrd, &Config::dram_cdlr, &Config::dram_wr, &Config::dram_rtp}) {
    out.*timing = (config.*timing * config.dram_bandwidth_percent + 99) / 100;
  }
  return out;
}

TEST(SimDramLog, EveryCommandKeepsTheTimings) {
  for (const char* setting : {"dram.commands=channel", "dram.commands=chip", "dram.bandwidth_percent=50",
                              "dram.bandwidth_percent=200", "dram.queue=2", "dram.groups=1"}) {
    Config config;
    config.l2_bytes = 6 * 16384;
    ASSERT_TRUE(set_parameter(config, setting).ok());
    for (const Design design : {Design::base, Design::caba_bdi, Design::hw_bdi_mem}) {
      for (const Workload& workload : {stream_workload(1 << 15, small_delta), scatter_workload(1 << 13),
                                       read_workload(1 << 15, 4, random_word)}) {
        const std::vector<DramEvent> log = log_of(config, workload, design);
        EXPECT_GT(log.size(), 100);
        EXPECT_EQ(Checker(in_cycles_of_the_chips(config)).check(log), "")
            << workload.name << " " << to_string(design) << " " << setting;
      }
    }
  }
}

constexpr DramCommand kActivate = DramCommand::activate;
constexpr DramCommand kPrecharge = DramCommand::precharge;
constexpr DramCommand kRead = DramCommand::read;
constexpr DramCommand kWrite = DramCommand::write;

[[nodiscard]] DramEvent at(uint64_t cycle, DramCommand command, uint32_t bank = 0, uint32_t row = 0,
                           uint32_t chip = 0) {
  return {.cycle = cycle, .channel = 0, .chip = chip, .bank = bank, .row = row, .command = command};
}

struct RuleCase {
  const char* rule;
  std::vector<DramEvent> log;  // the last command is as early as the rule allows
};

// With the timings of the paper: CL 12, WL 4, RP 12, RC 40, RAS 28, RCD 12, RRD 6, CDLR 5, WR 12, CCD 2,
// CCDL 3 (banks 0 and 4 are of one group), RTP 2, bursts of 2 cycles, 2 idle cycles after reads.
[[nodiscard]] std::vector<RuleCase> rule_cases() {
  return {
      {"tRCD", {at(100, kActivate), at(112, kRead)}},
      {"tRAS", {at(100, kActivate), at(128, kPrecharge)}},
      {"tRP", {at(100, kActivate), at(140, kPrecharge), at(152, kActivate, 0, 1)}},
      {"tRC", {at(100, kActivate), at(128, kPrecharge), at(140, kActivate, 0, 1)}},
      {"tRRD", {at(100, kActivate), at(106, kActivate, 1)}},
      {"tRTP", {at(100, kActivate), at(130, kRead), at(132, kPrecharge)}},
      {"tWR", {at(100, kActivate), at(130, kWrite), at(148, kPrecharge)}},
      {"tCCD", {at(100, kActivate), at(106, kActivate, 1), at(120, kRead), at(122, kRead, 1)}},
      {"tCCDL", {at(100, kActivate), at(106, kActivate, 4), at(120, kRead), at(123, kRead, 4)}},
      {"tCDLR", {at(100, kActivate), at(106, kActivate, 1), at(120, kWrite), at(131, kRead, 1)}},
      {"tRTW", {at(100, kActivate), at(106, kActivate, 1), at(120, kRead), at(132, kWrite, 1)}},
      {"command bus", {at(100, kActivate), at(101, kActivate, 0, 0, 1)}},
  };
}

// Each rule to the cycle: what is as early as allowed passes, one cycle earlier is found.
TEST(SimDramLog, TheCheckerFindsEachViolationByOneCycle) {
  const Config config;
  for (const RuleCase& one : rule_cases()) {
    EXPECT_EQ(Checker(config).check(one.log), "") << one.rule;
    std::vector<DramEvent> early = one.log;
    --early.back().cycle;
    const std::string found = Checker(config).check(early);
    // 12 cycles after RAS's 28, tRC and tRP end together: either is right.
    const bool both = std::string_view(one.rule) == "tRC" && found == "tRP";
    EXPECT_TRUE(found == one.rule || both) << one.rule << ": " << found;
  }
  EXPECT_EQ(Checker(config).check({at(100, kActivate), at(150, kActivate, 0, 1)}), "row open");
  EXPECT_EQ(Checker(config).check({at(100, kPrecharge)}), "row closed");
  EXPECT_EQ(Checker(config).check({at(100, kActivate, 0, 5), at(150, kRead, 0, 6)}), "another row");
  // A bus of its own for each chip.
  Config two = config;
  two.dram_commands = 1;
  EXPECT_EQ(Checker(two).check({at(100, kActivate), at(100, kActivate, 0, 0, 1)}), "");
}

// The same in logs of the simulator: one command of a real log comes one cycle too early.
TEST(SimDramLog, TheCheckerFindsViolationsInALogOfARun) {
  Config config;
  config.l2_bytes = 6 * 16384;
  const std::vector<DramEvent> log = log_of(config, stream_workload(1 << 17, random_word), Design::base);
  EXPECT_EQ(Checker(config).check(log), "");
  const auto stricter = [&](uint32_t Config::*timing) {
    Config other = config;
    ++(other.*timing);
    return Checker(other).check(log);
  };
  EXPECT_EQ(stricter(&Config::dram_rcd), "tRCD");
  EXPECT_EQ(stricter(&Config::dram_ccdl), "tCCDL");
  EXPECT_EQ(stricter(&Config::dram_rp), "tRP");
  EXPECT_EQ(stricter(&Config::dram_cdlr), "tCDLR");
  EXPECT_EQ(stricter(&Config::dram_rrd), "tRRD");
  EXPECT_EQ(stricter(&Config::dram_turnaround), "tRTW");
}

// A lone warp that reads one line per row: nothing else is in the way, so that every command is as early as
// the timings allow.
Program one_by_one(Warp& w, Array<uint32_t> in, Array<uint32_t> out, uint32_t stride) {
  Lanes<uint32_t> sum = 0;
  for (uint32_t i = 0; i < in.count; i += stride) {
    sum = sum + co_await w.load(in, w.lane() + i + sum);  // zeros: the next address needs this value
  }
  w.store(out, w.lane(), sum);
}

TEST(SimDramLog, CommandsOfALoneWarpAreAsEarlyAsTheTimingsAllow) {
  Config config;
  config.gpu_sms = 1;
  config.dram_banks = 4;  // 64 rows of one chip: banks are used again
  // The next line of the same chip and channel that is in another row.
  const uint32_t stride = config.dram_row_bytes / 4 * config.dram_chips * config.dram_channels;
  const Workload workload{
      .name = "rows", .setup = [=](Memory& memory, uint64_t, bool) {
        const auto in = memory.allocate<uint32_t>("in", 64 * stride);
        const auto out = memory.allocate<uint32_t>("out", kLanes);
        return one_launch({1, kLanes, 12, 0, [=](Warp& w) { return one_by_one(w, in, out, stride); }});
      }};
  const std::vector<DramEvent> log = log_of(config, workload, Design::base);
  EXPECT_EQ(Checker(config).check(log), "");
  uint32_t lines = 0;
  for (size_t i = 0; i + 4 < log.size(); ++i) {
    if (log[i].command != kActivate || log[i + 1].command != kRead) {
      continue;
    }
    ++lines;
    EXPECT_EQ(log[i + 1].cycle - log[i].cycle, config.dram_rcd);
    for (size_t k = 2; k <= 4; ++k) {
      EXPECT_EQ(log[i + k].cycle - log[i + k - 1].cycle, config.dram_ccdl);
    }
    if (i > 0 && log[i - 1].command == kPrecharge) {
      EXPECT_EQ(log[i].cycle - log[i - 1].cycle, config.dram_rp);
    }
  }
  EXPECT_GE(lines, 60);
}

}  // namespace
}  // namespace bobbin::sim
