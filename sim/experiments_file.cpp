// SPDX-License-Identifier: Apache-2.0
#include "sim/experiments_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bobbin::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "bobbin sim results";
constexpr uint32_t kVersion = 2;

// Reads members of a JSON object. The first problem is kept; what is read after it does not matter.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {
    if (!json.is_object()) {
      fail("expected an object");
    }
  }

  [[nodiscard]] std::string text(const char* name) {
    const Json* found = find(name);
    if (found != nullptr && found->is_string()) {
      return found->get<std::string>();
    }
    fail(fmt::format("expected text in '{}'", name));
    return {};
  }
  [[nodiscard]] uint64_t number(const char* name) {
    const Json* found = find(name);
    if (found != nullptr && found->is_number_unsigned()) {
      return found->get<uint64_t>();
    }
    fail(fmt::format("expected a whole number in '{}'", name));
    return 0;
  }
  [[nodiscard]] uint32_t small(const char* name) {
    const uint64_t value = number(name);
    if (value > UINT32_MAX) {
      fail(fmt::format("'{}' is too large", name));
    }
    return static_cast<uint32_t>(value);
  }
  [[nodiscard]] bool flag(const char* name) {
    const Json* found = find(name);
    if (found != nullptr && found->is_boolean()) {
      return found->get<bool>();
    }
    fail(fmt::format("expected true or false in '{}'", name));
    return false;
  }
  [[nodiscard]] const Json& part(const char* name) {
    const Json* found = find(name);
    if (found == nullptr) {
      fail(fmt::format("'{}' is missing", name));
    }
    return found == nullptr ? kNothing : *found;
  }
  [[nodiscard]] const Json* find(const char* name) const {
    const auto found = json_.is_object() ? json_.find(name) : json_.end();
    return json_.is_object() && found != json_.end() ? &*found : nullptr;
  }
  void fail(const std::string& message) {
    if (status_.ok()) {
      status_ = Status(StatusCode::corrupt, message);
    }
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  static inline const Json kNothing;
  const Json& json_;
  Status status_;
};

[[nodiscard]] bobbin::Result<Json> parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    return Status(StatusCode::corrupt, "not valid JSON");
  }
  return json;
}

[[nodiscard]] std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

[[nodiscard]] Json head_json(const ResultSet& set) {
  return {{"format", kFormat},  {"version", kVersion}, {"build", set.build},
          {"quick", set.quick}, {"seed", set.seed},    {"config", to_text(set.machine)}};
}

[[nodiscard]] Status read_head(const Json& json, ResultSet& set) {
  Fields fields(json);
  if (fields.text("format") != kFormat) {
    return {StatusCode::corrupt, "not a file of simulation results"};
  }
  const uint64_t version = fields.number("version");
  if (fields.status().ok() && version != kVersion) {
    return {StatusCode::unsupported, fmt::format("version {} of results, expected {}", version, kVersion)};
  }
  set.build = fields.text("build");
  set.quick = fields.flag("quick");
  set.seed = fields.number("seed");
  const std::string config = fields.text("config");
  BOBBIN_TRY(fields.status());
  BOBBIN_TRY(read_config(set.machine, config, "config"));
  return check(set.machine);
}

[[nodiscard]] Json run_json(const Case& one, const RunResult& run) {
  return {{"settings", one.settings}, {"result", Json::parse(to_json(run))}};
}

[[nodiscard]] Status read_counters(const Json& json, Counters& counters) {
  Fields fields(json);
  for (const CounterName& counter : counter_names()) {
    counters.*counter.field = fields.number(std::string(counter.name).c_str());
  }
  return fields.status();
}

[[nodiscard]] Status read_result(const Json& json, RunResult& run) {
  Fields fields(json);
  run.workload = fields.text("workload");
  run.design = fields.text("design");
  run.seed = fields.number("seed");
  run.quick = fields.flag("quick");
  run.compression_disabled = fields.flag("compression_disabled");
  run.sms = fields.small("sms");
  run.dram_buses = fields.small("dram_buses");
  run.clock_core = fields.small("clock_core");
  run.clock_dram = fields.small("clock_dram");
  const Json& counters = fields.part("counters");
  BOBBIN_TRY(fields.status());
  return read_counters(counters, run.counters);
}

[[nodiscard]] bobbin::Result<Case> make_case(const std::string& workload, const std::string& design,
                                             const std::string& settings) {
  const std::optional<Design> found = find_design(design);
  if (!found) {
    return Status(StatusCode::corrupt, fmt::format("unknown design '{}'", design));
  }
  return Case{workload, *found, settings};
}

[[nodiscard]] Status read_run(const Json& json, ResultSet& set) {
  Fields fields(json);
  const std::string settings = fields.text("settings");
  const Json& result = fields.part("result");
  BOBBIN_TRY(fields.status());
  RunResult run;
  BOBBIN_TRY(read_result(result, run));
  BOBBIN_ASSIGN(Case one, make_case(run.workload, run.design, settings));
  set.runs.insert_or_assign(std::move(one), std::move(run));
  return {};
}

[[nodiscard]] Status read_failure(const Json& json, ResultSet& set) {
  Fields fields(json);
  const std::string workload = fields.text("workload");
  const std::string design = fields.text("design");
  const std::string settings = fields.text("settings");
  const std::string error = fields.text("error");
  BOBBIN_TRY(fields.status());
  BOBBIN_ASSIGN(Case one, make_case(workload, design, settings));
  set.failures.insert_or_assign(std::move(one), error);
  return {};
}

// One array per kind of number: short, and still readable.
[[nodiscard]] Json timeline_json(const Timeline& timeline) {
  Json issues = Json::array();
  for (const IssueEvent& event : timeline.issues) {
    issues.push_back({event.cycle, event.scheduler, event.warp, static_cast<uint32_t>(event.op),
                      event.assist ? 1 : 0, event.low_priority ? 1 : 0});
  }
  return {{"workload", timeline.of.workload},
          {"design", to_string(timeline.of.design)},
          {"settings", timeline.of.settings},
          {"sm", timeline.sm},
          {"first_cycle", timeline.first_cycle},
          {"end_cycle", timeline.end_cycle},
          {"issues", issues}};
}

[[nodiscard]] bobbin::Result<IssueEvent> read_issue(const Json& json, const Timeline& timeline) {
  constexpr size_t kNumbers = 6;
  constexpr uint64_t kMostWarps = 1024;
  const auto bad = Status(StatusCode::corrupt, "an event of the timeline is damaged");
  if (!json.is_array() || json.size() != kNumbers ||
      !std::ranges::all_of(json, [](const Json& one) { return one.is_number_unsigned(); })) {
    return bad;
  }
  const auto at = [&json](size_t i) { return json[i].get<uint64_t>(); };
  const bool inside = at(0) >= timeline.first_cycle && at(0) < timeline.end_cycle;
  if (!inside || at(1) > kMostWarps || at(2) > kMostWarps || at(3) >= kNumOps) {
    return bad;
  }
  return IssueEvent{.cycle = at(0),
                    .sm = timeline.sm,
                    .scheduler = static_cast<uint32_t>(at(1)),
                    .warp = static_cast<uint32_t>(at(2)),
                    .op = static_cast<Op>(at(3)),
                    .assist = at(4) != 0,
                    .low_priority = at(5) != 0};
}

[[nodiscard]] Status read_timeline(const Json& json, ResultSet& set) {
  constexpr uint64_t kMostCycles = 100'000;
  Fields fields(json);
  const std::string workload = fields.text("workload");
  const std::string design = fields.text("design");
  const std::string settings = fields.text("settings");
  Timeline timeline;
  timeline.sm = fields.small("sm");
  timeline.first_cycle = fields.number("first_cycle");
  timeline.end_cycle = fields.number("end_cycle");
  const Json& issues = fields.part("issues");
  BOBBIN_TRY(fields.status());
  BOBBIN_ASSIGN(timeline.of, make_case(workload, design, settings));
  if (timeline.end_cycle < timeline.first_cycle || timeline.end_cycle - timeline.first_cycle > kMostCycles) {
    return {StatusCode::corrupt, "the timeline has impossible cycles"};
  }
  for (const Json& issue : issues) {
    BOBBIN_ASSIGN(const IssueEvent event, read_issue(issue, timeline));
    timeline.issues.push_back(event);
  }
  set.timeline = std::move(timeline);
  return {};
}

[[nodiscard]] Status read_list(const Json& json, const char* name, Status (*read)(const Json&, ResultSet&),
                               ResultSet& set) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_array()) {
    return {StatusCode::corrupt, fmt::format("expected a list in '{}'", name)};
  }
  for (size_t i = 0; i < found->size(); ++i) {
    BOBBIN_TRY(read((*found)[i], set).in(fmt::format("{}[{}]", name, i)));
  }
  return {};
}

[[nodiscard]] Status read_all(std::string_view text, ResultSet& set) {
  BOBBIN_ASSIGN(const Json json, parse(text));
  BOBBIN_TRY(read_head(json, set));
  BOBBIN_TRY(read_list(json, "runs", read_run, set));
  BOBBIN_TRY(read_list(json, "failures", read_failure, set));
  const auto timeline = json.find("timeline");
  return timeline == json.end() || timeline->is_null() ? Status() : read_timeline(*timeline, set);
}

}  // namespace

std::string to_json(const ResultSet& set) {
  std::string text = dump(head_json(set));
  text.back() = ',';
  text += "\n\"runs\": [";
  for (const auto& [one, run] : set.runs) {
    text += (&one == &set.runs.begin()->first ? "\n" : ",\n") + dump(run_json(one, run));
  }
  text += "\n],\n\"failures\": [";
  for (const auto& [one, error] : set.failures) {
    const Json json = {{"workload", one.workload},
                       {"design", to_string(one.design)},
                       {"settings", one.settings},
                       {"error", error}};
    text += (&one == &set.failures.begin()->first ? "\n" : ",\n") + dump(json);
  }
  return text + "],\n\"timeline\": " + (set.timeline ? dump(timeline_json(*set.timeline)) : "null") + "}\n";
}

bobbin::Result<ResultSet> parse_results(std::string_view text, const std::string& name) {
  ResultSet set;
  if (const Status status = read_all(text, set).in(name); !status.ok()) {
    return status;
  }
  return set;
}

std::string journal_head(const ResultSet& set) {
  return dump(head_json(set)) + "\n";
}

std::string journal_line(const Case& one, const RunResult& run) {
  return dump(run_json(one, run)) + "\n";
}

bool same_setup(const ResultSet& a, const ResultSet& b) {
  return a.build == b.build && a.quick == b.quick && a.seed == b.seed &&
         to_text(a.machine) == to_text(b.machine);
}

Status read_journal(std::string_view text, const std::string& name, ResultSet& set) {
  ResultSet other;
  bool is_first = true;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const bobbin::Result<Json> json = parse(text.substr(0, end));
    if (!json.has_value()) {
      return json.error().in(name);
    }
    BOBBIN_TRY((is_first ? read_head(*json, other) : read_run(*json, other)).in(name));
    is_first = false;
    text.remove_prefix(end + 1);
  }
  if (is_first || !same_setup(set, other)) {
    return {};
  }
  set.runs.merge(other.runs);
  return {};
}

}  // namespace bobbin::sim
