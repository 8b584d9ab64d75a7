// SPDX-License-Identifier: Apache-2.0
#include "bench/program.hpp"

#include <malloc.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace bobbin::bench {

Arguments::Arguments(int argc, char** argv, const std::set<std::string>& flags) {
  const auto is_name = [&](int i) { return std::string_view(argv[i]).starts_with("--"); };
  for (int i = 1; i < argc; ++i) {
    if (!is_name(i)) {
      files_.emplace_back(argv[i]);
      continue;
    }
    const bool has_value = i + 1 < argc && !is_name(i + 1) && !flags.contains(argv[i]);
    values_[argv[i]] = has_value ? argv[i + 1] : "";
    i += has_value ? 1 : 0;
  }
}

std::string Arguments::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : found->second;
}

uint64_t Arguments::number(const std::string& name, uint64_t otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
}

int run_program(int argc, char** argv, const std::function<Status(const Arguments&)>& run,
                const std::set<std::string>& flags) {
  const Status status = run(Arguments(argc, argv, flags));
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", argv[0], status.message().c_str());
  }
  return status.ok() ? 0 : 1;
}

void stay_on_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof(one), &one);
}

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

Status publish(const std::string& table, const Json& rows, const Arguments& arguments) {
  const Machine machine = describe_machine();
  std::printf("%s\n%s\n", report_head(machine).c_str(), table.c_str());
  const std::string out = arguments.text("--out");
  return out.empty() ? Status{} : write_text(out, dump(make_report(machine, rows)) + "\n");
}

}  // namespace bobbin::bench
