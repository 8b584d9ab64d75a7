// SPDX-License-Identifier: Apache-2.0
// Controls: data that does not compress, and arithmetic without memory.
#include <random>

#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

constexpr uint32_t kBlockThreads = 256;

[[nodiscard]] Program add_one(Warp& w, Array<uint32_t> in, Array<uint32_t> out) {
  const Lanes<uint32_t> i = w.global_thread();
  const Lanes<uint32_t> x = co_await w.load(in, i);
  w.store(out, i, x + 1U);
}

[[nodiscard]] Status expect_plus_one(const Memory& memory, Array<uint32_t> in, Array<uint32_t> out) {
  for (uint64_t i = 0; i < in.count; ++i) {
    if (memory.view(out)[i] != memory.view(in)[i] + 1) {
      return {StatusCode::corrupt, "element " + std::to_string(i) + " is not its input plus one"};
    }
  }
  return {};
}

// Random words, read once and written once.
[[nodiscard]] WorkloadRun set_up_stream(Memory& memory, uint64_t seed, bool quick) {
  const uint32_t count = quick ? 1U << 18 : 1U << 21;
  std::mt19937_64 random(seed);
  const auto in = memory.allocate<uint32_t>("in", count);
  const auto out = memory.allocate<uint32_t>("out", count);
  for (uint32_t& x : memory.view(in)) {
    x = static_cast<uint32_t>(random());
  }
  return {.launch = [=](uint32_t number, const Memory&) -> std::optional<Launch> {
            if (number > 0) {
              return std::nullopt;
            }
            return Launch{.blocks = count / kBlockThreads,
                          .block_threads = kBlockThreads,
                          .registers = 12,
                          .kernel = [=](Warp& w) { return add_one(w, in, out); }};
          },
          .check = [=](const Memory& end) { return expect_plus_one(end, in, out); }};
}

}  // namespace

void add_controls(std::vector<Workload>& all) {
  all.push_back({.name = "random-stream",
                 .kind = WorkloadClass::incompressible,
                 .represents = "control",
                 .description = "random words, read once and written once",
                 .setup = set_up_stream});
}

}  // namespace bobbin::sim
