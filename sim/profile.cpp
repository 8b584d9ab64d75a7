// SPDX-License-Identifier: Apache-2.0
#include "sim/profile.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "sim/simulate.hpp"

namespace bobbin::sim {
namespace {

constexpr uint64_t kMostInstructions = 1'000'000'000;

[[nodiscard]] bool is_global(Op op) {
  return op == Op::load || op == Op::store || op == Op::atomic;
}

struct Touched {
  bool read = false;  // before it was written, if it was
  bool written = false;
};

// Counts instructions and remembers the lines that they access.
class Counter {
 public:
  void see(const Warp& warp, const Instruction& instruction) {
    const auto lanes = static_cast<uint32_t>(std::popcount(instruction.mask));
    ++instructions_;
    lanes_ += lanes;
    operations_ += instruction.op == Op::alu || instruction.op == Op::sfu ? lanes : 0;
    if (is_global(instruction.op)) {
      ++memory_instructions_;
      accessed_bytes_ += uint64_t{lanes} * instruction.width;
      see_lines(warp.operands(instruction), instruction);
    }
  }

  [[nodiscard]] WorkloadProfile profile() const {
    WorkloadProfile out;
    out.instructions = instructions_;
    out.memory_instructions = memory_instructions_;
    out.line_accesses = line_accesses_;
    const auto is_touched = [](const Touched& line) { return line.read || line.written; };
    out.bytes_touched =
        kLineBytes * static_cast<uint64_t>(std::count_if(touched_.begin(), touched_.end(), is_touched));
    out.active_lanes =
        static_cast<double>(lanes_) / static_cast<double>(std::max<uint64_t>(1, instructions_));
    out.intensity =
        static_cast<double>(operations_) / static_cast<double>(std::max<uint64_t>(1, accessed_bytes_));
    return out;
  }

  [[nodiscard]] const std::vector<Touched>& touched() const { return touched_; }

 private:
  void see_lines(const MemoryOperands& operands, const Instruction& instruction) {
    std::vector<uint64_t> lines;
    for (uint32_t i = 0; i < kLanes; ++i) {
      if ((instruction.mask >> i & 1) != 0) {
        lines.push_back(Memory::line_of(operands.address[i]));
      }
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    line_accesses_ += lines.size();
    for (const uint64_t line : lines) {
      touched_.resize(std::max<size_t>(touched_.size(), line + 1));
      touched_[line].read |= instruction.op == Op::load && !touched_[line].written;
      touched_[line].written |= instruction.op != Op::load;
    }
  }

  uint64_t instructions_ = 0;
  uint64_t lanes_ = 0;
  uint64_t operations_ = 0;
  uint64_t memory_instructions_ = 0;
  uint64_t accessed_bytes_ = 0;
  uint64_t line_accesses_ = 0;
  std::vector<Touched> touched_;
};

// Bursts of the lines that are read, as they were before, or written, as they are after the run; by
// algorithm.
void add_bursts(const Memory& memory, const std::vector<Touched>& touched, bool Touched::*which,
                std::array<uint64_t, 5>& bursts) {
  for (uint64_t line = 0; line < touched.size(); ++line) {
    const bool counts = touched[line].*which;
    const bool compressible = counts && memory.allocation_of(line).compressible;
    for (size_t i = 0; counts && i < bursts.size(); ++i) {
      const Algorithm algorithm = compressible ? static_cast<Algorithm>(i) : Algorithm::none;
      bursts[i] += bursts_of(compress_line(memory.line(line), algorithm, false).size);
    }
  }
}

}  // namespace

bobbin::Result<WorkloadProfile> profile_workload(const Workload& workload, uint64_t seed, bool quick) {
  Counter counter;
  const auto run = run_functionally(workload, seed, quick, kMostInstructions,
                                    [&](const Warp& w, const Instruction& i) { counter.see(w, i); });
  if (!run.has_value()) {
    return run.error();
  }
  Memory before;
  static_cast<void>(workload.setup(before, seed, quick));
  std::array<uint64_t, 5> bursts{};
  add_bursts(before, counter.touched(), &Touched::read, bursts);
  add_bursts(run->memory, counter.touched(), &Touched::written, bursts);
  WorkloadProfile profile = counter.profile();
  profile.launches = run->launches;
  for (size_t i = 0; i < bursts.size(); ++i) {
    profile.ratio[i] = static_cast<double>(bursts[0]) / static_cast<double>(std::max<uint64_t>(1, bursts[i]));
  }
  return profile;
}

}  // namespace bobbin::sim
