// SPDX-License-Identifier: Apache-2.0
// One CPU core: scans of some types, orders and tuples, compared with memcpy of the same array in the same
// run.
// usage: bobbin-bench-cpu-scan [--out FILE.json] [--mib N]
#include <algorithm>
#include <cstring>
#include <random>

#include "bench/program.hpp"
#include "bobbin/scan.hpp"
#include "measure/peers.hpp"
#include "measure/report.hpp"

namespace bobbin::bench {
namespace {

struct Case {
  DType type;
  scan::Options options;
  double bar = 0;  // goal, relative to memcpy
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const DType type : {DType::u8, DType::u16, DType::u32, DType::u64}) {
    for (const uint32_t order : {1U, 2U, 5U, 8U}) {
      const bool has_bar = type == DType::u32 && (order == 1 || order == 8);
      cases.push_back({type, {.order = order}, has_bar ? (order == 1 ? 0.5 : 0.2) : 0});
    }
    for (const uint32_t tuple : {2U, 3U, 5U, 8U, 32U}) {
      cases.push_back({type, {.tuple = tuple}});
    }
    cases.push_back({type, {.order = 2, .tuple = 3}});
  }
  for (const scan::Op op : {scan::Op::max, scan::Op::bit_xor}) {
    cases.push_back({DType::u32, {.op = op}});
  }
  cases.push_back({DType::f32, {}});
  cases.push_back({DType::f64, {}});
  return cases;
}

Bytes random_bytes(uint64_t size) {
  Bytes bytes(size);
  std::mt19937_64 random(1);
  for (uint64_t i = 0; i + 8 <= size; i += 8) {
    const uint64_t word = random() & 0x3fffffff3fffffff;  // small enough to be summed as floats too
    std::memcpy(bytes.data() + i, &word, 8);
  }
  return bytes;
}

Status run(const Arguments& arguments) {
  const Plan plan{.runs = 7, .seconds = 5, .cache = Cache::cold};
  const Bytes in = random_bytes(std::max<uint64_t>(1, arguments.number("--mib", 256)) << 20);
  const Bytes out(in.size());
  TextTable table({"type", "op", "order", "tuple", "GB/s", "of memcpy", "spread %", "bar"}, 2);
  Json rows = Json::array();
  const StreamView cpu(Backend::cpu, nullptr);
  for (const Case& c : all_cases()) {
    const Sample copy = measure([&] { std::memcpy(out.data(), in.data(), in.size()); }, plan);
    Status status;
    const Sample sample = measure(
        [&] {
          status = scan::run(c.type, scan::Kind::inclusive, in.data(), out.data(),
                             in.size() / size_bytes(c.type), c.options, cpu);
        },
        plan);
    BOBBIN_TRY(status);
    const double share = copy.median_s / sample.median_s;
    const std::string op(scan::to_string(c.options.op));
    table.add({std::string(to_string(c.type)), op, std::to_string(c.options.order),
               std::to_string(c.options.tuple), gigabytes_per_second(sample.bytes_per_second(in.size())),
               number(share), number(100 * sample.spread, 1), c.bar > 0 ? number(c.bar) : "-"});
    rows.push_back({{"what", "scan"},
                    {"type", to_string(c.type)},
                    {"op", op},
                    {"order", c.options.order},
                    {"tuple", c.options.tuple},
                    {"bytes", in.size()},
                    {"seconds", to_json(sample)},
                    {"memcpy_seconds", to_json(copy)},
                    {"share", share},
                    {"bar", c.bar}});
  }
  return publish(table.markdown(), rows, arguments);
}

}  // namespace
}  // namespace bobbin::bench

int main(int argc, char** argv) {
  return bobbin::bench::run_program(argc, argv, bobbin::bench::run);
}
