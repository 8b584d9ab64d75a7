// SPDX-License-Identifier: Apache-2.0
// What one thread of the host does with each compressed byte before it is copied to a device: reads it from
// the page cache into memory that is used again and again, and checks it. With that, how many threads feed a
// bus of 55 GB/s. The file is that of bobbin-bench-gpu-tpch. Times are those of the CPU.
// usage: bobbin-bench-cpu-file [--rows N] [--out FILE.json]
#include <cmath>
#include <ctime>
#include <vector>

#include "bench/program.hpp"
#include "bench/query_file.hpp"
#include "measure/report.hpp"

namespace bobbin::bench {
namespace {

constexpr uint64_t kBlock = uint64_t{1} << 20;
constexpr double kBusBytes = 55e9;
constexpr double kGoal = 0.8;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

Status measure_file(TextTable& table, Json& results, const LineItems& lines, uint64_t rows,
                    uint64_t rows_per_group) {
  const LinesFile file;
  BOBBIN_ASSIGN(const Reader reader, file.write(lines, rows, rows_per_group));
  std::vector<std::byte> memory(uint64_t{64} << 20);
  BOBBIN_ASSIGN(const HostStages stages, measure_host_stages(reader, memory, cpu_seconds));
  const auto speed = [&](double seconds) {
    return number(static_cast<double>(stages.bytes) / seconds / 1e9, 2);
  };
  const double threads = std::ceil(kGoal * kBusBytes / stages.bytes_per_second());
  table.add({"row groups of " + std::to_string(rows_per_group), speed(stages.read_s), speed(stages.check_s),
             speed(stages.read_s + stages.check_s), speed(stages.at_once_s), number(threads, 0)});
  results.push_back({{"what", "TPC-H Q6, what one thread does with each byte of a file"},
                     {"rows", rows},
                     {"rows_per_group", rows_per_group},
                     {"encoded_bytes", stages.bytes},
                     {"read_seconds", stages.read_s},
                     {"check_seconds", stages.check_s},
                     {"at_once_seconds", stages.at_once_s},
                     {"threads_for_44_GB_per_second", threads}});
  return {};
}

Status run(const Arguments& arguments) {
  const uint64_t rows = arguments.number("--rows", 8 * kBlock);
  const LineItems lines = LineItems::drawn(kBlock);
  TextTable table{{"one thread, GB/s", "read", "check", "both", "at once", "threads for 44 GB/s"}, 1};
  Json results = Json::array();
  for (const uint64_t group : {kBlock / 8, kBlock, 8 * kBlock}) {
    BOBBIN_TRY(measure_file(table, results, lines, rows, group));
  }
  return publish(table.markdown(), results, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
