// SPDX-License-Identifier: Apache-2.0
// Kernels of the library on the simulated machine. A kernel runs once, in the emulator, and each thread's
// operations are recorded (recorded_cta.hpp). The operations of a warp's 32 lanes are then aligned to
// instructions with active lanes (align()), which a Program issues: with the kernel's addresses and data, so
// that memory must hold the kernel's output after the simulated run.
//
// Arithmetic between two operations is not recorded: the parameter record.alu says how much of it is assumed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bobbin/status.hpp"
#include "sim/workload.hpp"

namespace bobbin::sim {

struct RecordingParameters {
  uint32_t registers = 24;  // per thread: 1024 threads leave some for assist warps
  uint32_t together = 60;   // blocks of a kernel that launches as many as are resident: 4 per SM of the paper
};

enum class RecordedKind : uint8_t {
  load,
  store,
  atomic,
  shared_load,
  shared_store,
  shared_atomic,
  vote,          // shuffles, ballots, reductions: all lanes take part
  warp_barrier,  // only orders memory
  barrier,
  copy_wait,
  copy_in,  // a bulk copy of `bytes`, from `address` to shared memory
  copy_out,
  other,  // one instruction
};

// One operation of one thread. Global addresses are the host's until Recording::address() maps them.
struct RecordedOp {
  RecordedKind kind = RecordedKind::other;
  uint8_t width = 4;      // bytes of the access: 1, 2, 4, 8 or 16
  bool constant = false;  // a load of memory that the kernel does not change
  bool is_signed = false;
  Atomic atomic = Atomic::add;
  uint32_t place = 0;  // a number for the operation's line of source, kind and width
  uint32_t bytes = 0;
  uint64_t address = 0;
  std::array<uint64_t, 2>
      value{};           // loaded or stored; of a copy out: where its bytes are in Recording::copied
  uint64_t compare = 0;  // of an atomic; of a bulk copy: the offset in shared memory
};
using LaneOps = std::vector<RecordedOp>;

// One instruction of a warp, before it is lowered to those of the simulated machine.
struct RecordedStep {
  RecordedKind kind = RecordedKind::other;
  uint32_t place = 0;
  uint32_t mask = 0;
  size_t first = 0;  // in RecordedWarp::ops: one per active lane
};
struct RecordedWarp {
  std::vector<RecordedStep> steps;
  std::vector<RecordedOp> ops;
};

// Lanes whose next operations are at the same place issue together. Where places differ, lanes wait for those
// that will still come to their place before the next operation of the whole warp; the others issue first.
[[nodiscard]] RecordedWarp align(std::span<const LaneOps> lanes);

// An array in the host's memory that a kernel accesses, and what is known about its bytes.
struct RecordedRegion {
  std::string name;
  uint32_t number = 0;  // in the order in which regions became known
  uint64_t host = 0;
  std::vector<uint8_t> initial;
  std::vector<uint8_t> current;
  std::vector<uint8_t> known;  // 1: `current` is the kernel's view of this byte
  bool transferred = false;
  bool atomics = false;
  Address base = 0;

  [[nodiscard]] uint64_t end() const { return host + current.size(); }
};

struct RecordedLaunch {
  uint32_t blocks = 0;
  uint32_t threads = 0;
  uint32_t shared_bytes = 0;
  std::vector<RecordedWarp> warps;  // of all blocks
};

// The launches of one call into the library. Memory that the call frees must not be allocated again while it
// is recorded: addresses would depend on the allocator.
class Recording {
 public:
  explicit Recording(const RecordingParameters& parameters = {}) : parameters_(parameters) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Names an array before a kernel runs. Inputs have their contents; outputs begin as zeros. Arrays that a
  // kernel accesses and nobody named are scratch memory: bytes that it reads first are taken as they are.
  void add_input(std::string name, std::span<const std::byte> bytes);
  void add_output(std::string name, std::span<std::byte> bytes);

  [[nodiscard]] const RecordingParameters& parameters() const { return parameters_; }
  [[nodiscard]] const std::vector<RecordedLaunch>& launches() const { return launches_; }

  // ---- for the Cta and the executor
  void begin_launch(uint32_t blocks, uint32_t threads, uint32_t shared_bytes);
  [[nodiscard]] LaneOps& lane(uint32_t block, uint32_t thread);
  // The last thread of a block to end aligns its warps.
  void end_thread(uint32_t block);
  [[nodiscard]] uint32_t place_of(const SourcePlace& where, RecordedKind kind, uint32_t width);
  // `extent` bytes from `array` on are one array, of which `bytes` at `at` are accessed.
  void see_load(const void* array, uint64_t extent, const void* at, std::span<const uint8_t> bytes);
  void see_store(const void* array, uint64_t extent, const void* at, std::span<const uint8_t> bytes);
  void see_atomic(const void* at);
  [[nodiscard]] uint64_t keep(std::span<const uint8_t> bytes);  // of a copy out

  // ---- for the simulated run
  // What went wrong while recording: the host changed memory between two launches.
  [[nodiscard]] const Status& status() const { return status_; }
  // Allocates all regions; addresses are known from then on.
  void allocate(Memory& memory);
  [[nodiscard]] Address address(uint64_t host) const;
  [[nodiscard]] std::span<const uint8_t> copied(uint64_t at, uint32_t bytes) const {
    return std::span(copied_).subspan(at, bytes);
  }
  // Whether memory holds what the kernels left.
  [[nodiscard]] Status check(const Memory& memory) const;

 private:
  struct BlockOps {
    std::vector<LaneOps> lanes;
    uint32_t ended = 0;
  };
  struct PlaceKey {
    const char* file;
    int line;
    RecordedKind kind;
    uint32_t width;
    auto operator<=>(const PlaceKey&) const = default;
  };

  RecordedRegion& region_of(const void* array, uint64_t extent);
  void add_region(std::string name, const void* data, uint64_t bytes);

  RecordingParameters parameters_;
  std::map<uint64_t, RecordedRegion> regions_;  // by their first address
  uint32_t num_regions_ = 0;
  std::map<PlaceKey, uint32_t> places_;
  std::unordered_map<uint32_t, std::unique_ptr<BlockOps>> running_;
  std::vector<RecordedLaunch> launches_;
  std::vector<uint8_t> copied_;
  Status status_;
};

// The recorded launches as a workload's run.
[[nodiscard]] WorkloadRun replay(std::shared_ptr<Recording> recording, Memory& memory);

}  // namespace bobbin::sim
