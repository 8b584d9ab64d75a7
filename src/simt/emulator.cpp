// SPDX-License-Identifier: Apache-2.0
#include "simt/emulator.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "simt/fiber.hpp"

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
}

namespace bobbin::simt::emulator {

struct Block;

// Lists that grow while a fiber runs are reserved beforehand: ThreadSanitizer would attribute a fiber's
// allocation to the kernel.
constexpr size_t kReserved = 256;
constexpr size_t kCopiesPerThread = 16;  // a thread's share of a vector of 64-bit values

enum class State : uint8_t { running, at_barrier, at_warp, at_copy_barrier, at_copy_wait, done };

struct Thread {
  Machine* machine = nullptr;
  Block* block = nullptr;
  uint32_t index = 0;
  State state = State::running;
  const char* operation = "start";
  Where where;
  CopyBarrier* copy_barrier = nullptr;
  uint32_t parity = 0;
  uint32_t stores_pending = 0;
  uint32_t loads_pending = 0;
  Fiber fiber;
};

// A meeting of threads: a block barrier or a warp operation. There are two of each, used alternately, so that
// a thread that has reached the next one cannot disturb one that is still leaving.
struct Meeting {
  uint32_t arrived = 0;
  const char* operation = nullptr;
  Where where;
  char order[2] = {};  // addresses for ThreadSanitizer
  uint32_t round = 0;
};

// A copy in flight: into shared memory, counted by a barrier or by the thread, or out of it, counted by the
// thread.
struct Copy {
  std::byte* to;
  const std::byte* from;
  uint32_t bytes;
  CopyBarrier* barrier;
  Thread* thread;
  bool is_store;
};

struct Warp {
  uint32_t num_done = 0;
  Meeting meeting;
  Exchange exchanges[2];
};

struct Block {
  Block(size_t memory_bytes, uint32_t threads)
      : memory(memory_bytes), thread(threads), warp(threads / kWarpSize) {
    copies.reserve(std::max(kReserved, threads * kCopiesPerThread));
  }

  uint32_t index = 0;
  uint32_t num_done = 0;
  Pages memory;                  // shared memory, then the stacks
  std::vector<uint8_t> written;  // one flag per byte of shared memory
  std::vector<Thread> thread;
  std::vector<Warp> warp;
  Meeting barrier;
  std::vector<Copy> copies;
  char end = 0;  // an address for ThreadSanitizer
};

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kStackBytes = size_t{128} << 10;
// From one stack to the next. A power of two would give the ends of all stacks, which is what threads use,
// the same few lines of every cache.
constexpr size_t kStackStride = kStackBytes + kPage + 320;
constexpr uint8_t kPoison = 0xCD;

// How a CopyBarrier's 16 bytes are used here.
struct BarrierState {
  uint32_t arrivals_expected;
  uint32_t arrivals_pending;
  int32_t bytes_pending;
  uint32_t phase;
};

BarrierState state_of(const CopyBarrier& barrier) {
  return std::bit_cast<BarrierState>(barrier);
}
void set_state(CopyBarrier& barrier, const BarrierState& state) {
  barrier = std::bit_cast<CopyBarrier>(state);
}

// ThreadSanitizer intercepts memcpy and memset wherever they are called. The emulator's own copies are not
// accesses of the kernel, so they go byte by byte through volatile, which no compiler turns into a call.
void copy_bytes(void* to, const void* from, size_t bytes) {
  auto* target = static_cast<volatile std::byte*>(to);
  const auto* source = static_cast<const volatile std::byte*>(from);
  for (size_t i = 0; i < bytes; ++i) {
    target[i] = source[i];
  }
}
void set_bytes(uint8_t* bytes, size_t count, uint8_t value) {
  auto* target = static_cast<volatile uint8_t*>(bytes);
  for (size_t i = 0; i < count; ++i) {
    target[i] = value;
  }
}

void acquire(void* address) {
  if (__tsan_acquire != nullptr) {
    __tsan_acquire(address);
  }
}
void release(void* address) {
  if (__tsan_release != nullptr) {
    __tsan_release(address);
  }
}

std::string_view file_name(const Where& where) {
  const std::string_view path = where.file;
  return path.substr(path.rfind('/') + 1);
}

std::string place(const Where& where) {
  return std::string(file_name(where)) + ":" + std::to_string(where.line);
}

// Mostly the same literal.
bool same_text(const char* a, const char* b) {
  return a == b || std::string_view(a) == b;
}

bool same_place(const Where& a, const Where& b) {
  return a.line == b.line && same_text(a.file, b.file);
}

std::string who(const Thread& thread) {
  return "block " + std::to_string(thread.block->index) + " thread " + std::to_string(thread.index);
}

}  // namespace

// Schedules fibers. A fiber whose turn ends chooses the next and changes to it; blocks begin and end on the
// caller's own stack.
class Machine {
 public:
  Machine(const Launch& launch, const EmulatorOptions& options)
      : launch_(launch), options_(options), random_(options.seed) {
    scheduler_.adopt_current();
    ready_.reserve(static_cast<size_t>(options.resident_blocks) * launch.threads);
  }

  Status run();

  [[nodiscard]] const Launch& launch() const { return launch_; }
  // Called on a fiber: lets others run.
  void yield(Thread& thread) {
    Thread* const next = end_turn(thread);
    if (next != &thread) {
      Fiber::change(thread.fiber, next == nullptr ? scheduler_ : next->fiber);
    }
  }
  // Records the fault. A fiber that calls this must yield next and never continues: whatever is on its
  // stack is leaked, so the message is built and released before that.
  void fault(std::string what) { fault_ = Status(StatusCode::device, "emulator: " + std::move(what)); }
  void made_progress() { idle_polls_ = 0; }
  void polled() { ++idle_polls_; }
  void finished(Thread& thread);
  void runnable(Thread& thread) {
    thread.state = State::running;
    ready_.push_back(&thread);
  }
  void end_phase_if_complete(Block& block, CopyBarrier& barrier);
  char start_of_grid = 0;  // addresses for ThreadSanitizer
  char end_of_grid = 0;

 private:
  void end_fibers();
  void admit();
  void retire(Block& block);  // another takes its place
  // Who continues after this thread; null if the scheduler must act first.
  Thread* end_turn(Thread& thread);
  // Who continues; null if nobody can, or nobody does more than poll.
  Thread* choose();
  Status deadlock() const;
  bool complete_a_copy();
  // Blocks that get the same memory and fibers, one after the other, are ordered for ThreadSanitizer. At
  // least four sets are used, so that it finds races between most pairs of blocks even if one is resident at
  // a time.
  [[nodiscard]] size_t num_slots() const { return std::max<size_t>(options_.resident_blocks, 4); }
  // A number below n, which is far below 2^32. (SplitMix64: one is drawn for every step.)
  size_t draw(size_t n) {
    uint64_t z = random_ += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return static_cast<size_t>((z >> 32) * n >> 32);
  }

  Launch launch_;
  EmulatorOptions options_;
  uint64_t random_;
  Fiber scheduler_;
  std::vector<uint32_t> waiting_blocks_;
  std::vector<std::unique_ptr<Block>> resident_;
  std::vector<std::unique_ptr<Block>> spare_;
  std::vector<Thread*> ready_;
  size_t running_ = 0;      // which of them
  Block* ended_ = nullptr;  // all of its threads are done
  std::optional<Status> fault_;
  uint64_t idle_polls_ = 0;
};

namespace {

void fiber_main(void* argument) {
  auto& thread = *static_cast<Thread*>(argument);
  const Launch& launch = thread.machine->launch();
  // After what the caller did before the launch, and after the block that had this memory and these fibers
  // before.
  acquire(&thread.machine->start_of_grid);
  acquire(&thread.block->end);
  launch.body(launch.kernel, thread);
  thread.machine->finished(thread);
}

size_t shared_pages(const Launch& launch) {
  return (launch.shared_bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

void Machine::admit() {
  while (resident_.size() < options_.resident_blocks && !waiting_blocks_.empty()) {
    const size_t chosen = draw(waiting_blocks_.size());
    std::swap(waiting_blocks_[chosen], waiting_blocks_.back());
    const uint32_t index = waiting_blocks_.back();
    waiting_blocks_.pop_back();
    const size_t shared = shared_pages(launch_);
    std::unique_ptr<Block> block;
    if (resident_.size() + spare_.size() >= num_slots()) {
      std::swap(spare_[draw(spare_.size())], spare_.back());
      block = std::move(spare_.back());
      spare_.pop_back();
    } else {
      block = std::make_unique<Block>(shared + launch_.threads * kStackStride, launch_.threads);
    }
    // Fibers that start now come after the caller and after the mapping of pages. (No fiber comes before the
    // scheduler.)
    release(&start_of_grid);
    block->index = index;
    block->num_done = 0;
    std::ranges::for_each(block->warp, [](Warp& warp) { warp.num_done = 0; });
    block->written.assign(launch_.shared_bytes, 0);
    set_bytes(reinterpret_cast<uint8_t*>(block->memory.data()), launch_.shared_bytes, kPoison);
    for (uint32_t i = 0; i < launch_.threads; ++i) {
      Thread& thread = block->thread[i];
      thread.machine = this;
      thread.block = block.get();
      thread.index = i;
      thread.operation = "start";
      thread.stores_pending = 0;
      thread.loads_pending = 0;
      thread.fiber.start(block->memory.data() + shared + i * kStackStride, kStackBytes, &fiber_main, &thread);
      runnable(thread);
    }
    resident_.push_back(std::move(block));
  }
}

void Machine::retire(Block& block) {
  if (!block.copies.empty()) {
    fault("asynchronous copy: block " + std::to_string(block.index) + " ended with copies in flight");
    return;
  }
  const auto it =
      std::find_if(resident_.begin(), resident_.end(), [&](const auto& b) { return b.get() == &block; });
  std::unique_ptr<Block> gone = std::move(*it);
  resident_.erase(it);
  spare_.push_back(std::move(gone));
  admit();
}

// Everything the fibers did is ordered before what the caller does next. After a fault, some fibers are
// abandoned: they will not continue, but ThreadSanitizer cannot know that.
void Machine::end_fibers() {
  for (auto& block : resident_) {
    for (Thread& thread : block->thread) {
      thread.fiber.stand_in([&] { release(&end_of_grid); });
    }
  }
  acquire(&end_of_grid);
}

Status Machine::run() {
  for (uint64_t i = launch_.blocks; i-- > 0;) {
    waiting_blocks_.push_back(static_cast<uint32_t>(i));
  }
  admit();
  while (!resident_.empty() && !fault_) {
    if (Thread* const next = choose(); next != nullptr) {
      Fiber::change(scheduler_, next->fiber);
    } else {
      fault_ = deadlock();
    }
    if (ended_ != nullptr && !fault_) {
      retire(*std::exchange(ended_, nullptr));
    }
  }
  end_fibers();  // before the fault is read, which a fiber may have written
  return fault_.value_or(Status());
}

Thread* Machine::end_turn(Thread& thread) {
  if (thread.state != State::running) {
    // Others may have become ready meanwhile: they come after it.
    ready_[running_] = ready_.back();
    ready_.pop_back();
    made_progress();
  }
  if (thread.state == State::done && thread.block->num_done == launch_.threads) {
    ended_ = thread.block;
  }
  return fault_ || ended_ != nullptr ? nullptr : choose();
}

Thread* Machine::choose() {
  while (ready_.empty()) {
    if (!complete_a_copy()) {
      return nullptr;
    }
  }
  if (idle_polls_ > options_.patience) {
    return nullptr;
  }
  // Asynchronous copies complete at a random moment.
  if (draw(8) == 0) {
    complete_a_copy();
  }
  running_ = draw(ready_.size());
  return ready_[running_];
}

void Machine::finished(Thread& thread) {
  release(&end_of_grid);
  release(&thread.block->end);
  thread.state = State::done;
  thread.operation = "end";
  thread.fiber.ends();
  Block& block = *thread.block;
  ++block.num_done;
  Warp& warp = block.warp[thread.index / kWarpSize];
  ++warp.num_done;
  if (block.barrier.arrived != 0) {
    fault("divergent barrier: " + who(thread) + " ended while others wait at " + block.barrier.operation +
          " (" + place(block.barrier.where) + ")");
    yield(thread);
  }
  if (warp.meeting.arrived != 0) {
    fault(std::string("divergent warp: ") + who(thread) + " ended while others wait at " +
          warp.meeting.operation + " (" + place(warp.meeting.where) + ")");
    yield(thread);
  }
  yield(thread);
}

bool Machine::complete_a_copy() {
  const auto copies = [](const auto& block) { return !block->copies.empty(); };
  const auto num_blocks = static_cast<size_t>(std::ranges::count_if(resident_, copies));
  if (num_blocks == 0) {
    return false;
  }
  Block& block = **std::ranges::next((resident_ | std::views::filter(copies)).begin(),
                                     static_cast<ptrdiff_t>(draw(num_blocks)));
  const size_t chosen = draw(block.copies.size());
  std::swap(block.copies[chosen], block.copies.back());
  const Copy copy = block.copies.back();
  block.copies.pop_back();
  copy_bytes(copy.to, copy.from, copy.bytes);
  made_progress();
  if (!copy.is_store) {
    set_bytes(block.written.data() + (copy.to - block.memory.data()), copy.bytes, 1);
  }
  if (copy.thread != nullptr) {
    Thread& thread = *copy.thread;
    uint32_t& pending = copy.is_store ? thread.stores_pending : thread.loads_pending;
    if (--pending == 0 && thread.state == State::at_copy_wait) {
      runnable(thread);
    }
    return true;
  }
  BarrierState state = state_of(*copy.barrier);
  state.bytes_pending -= static_cast<int32_t>(copy.bytes);
  set_state(*copy.barrier, state);
  end_phase_if_complete(block, *copy.barrier);
  return true;
}

void Machine::end_phase_if_complete(Block& block, CopyBarrier& barrier) {
  BarrierState state = state_of(barrier);
  if (state.arrivals_pending != 0 || state.bytes_pending != 0) {
    return;
  }
  state.arrivals_pending = state.arrivals_expected;
  ++state.phase;
  set_state(barrier, state);
  for (Thread& thread : block.thread) {
    if (thread.state == State::at_copy_barrier && thread.copy_barrier == &barrier) {
      runnable(thread);
    }
  }
}

// Who waits where: one line per place where threads of a block wait.
Status Machine::deadlock() const {
  std::map<std::tuple<uint32_t, std::string, std::string>, uint32_t> groups;
  for (const auto& block : resident_) {
    for (const Thread& thread : block->thread) {
      ++groups[{block->index, thread.operation, thread.state == State::done ? "" : place(thread.where)}];
    }
  }
  std::string report = "emulator: deadlock (";
  report += ready_.empty() ? "no thread can continue" : "all running threads only poll, and nothing changes";
  report += ")";
  for (const auto& [key, count] : groups) {
    const auto& [block, operation, at] = key;
    report += "; block " + std::to_string(block) + ": " + std::to_string(count) + " threads at " + operation;
    report += at.empty() ? "" : " (" + at + ")";
  }
  return {StatusCode::device, std::move(report)};
}

namespace {

// One thread arrives; the last of `expected` releases all.
template <class Members>
void meet(Thread& thread, Meeting& meeting, uint32_t expected, State state, const char* kind,
          const char* operation, const Where& where, bool orders_memory, Members&& members) {
  Machine& machine = *thread.machine;
  thread.operation = operation;
  thread.where = where;
  if (meeting.arrived == 0) {
    meeting.operation = operation;
    meeting.where = where;
  } else if (!same_place(meeting.where, where) || !same_text(meeting.operation, operation)) {
    machine.fault(std::string("divergent ") + kind + ": " + who(thread) + " is at " + operation + " (" +
                  place(where) + ") while others wait at " + meeting.operation + " (" + place(meeting.where) +
                  ")");
    machine.yield(thread);
  }
  char* order = &meeting.order[meeting.round % 2];
  if (orders_memory) {
    release(order);
  }
  ++meeting.arrived;
  if (meeting.arrived < expected) {
    thread.state = state;
  } else {
    meeting.arrived = 0;
    ++meeting.round;
    members([&](Thread& other) {
      if (&other != &thread) {
        machine.runnable(other);
      }
    });
  }
  machine.yield(thread);
  if (orders_memory) {
    acquire(order);
  }
}

void meet_block(Thread& thread, const char* operation, const Where& where) {
  Block& block = *thread.block;
  if (block.num_done != 0) {
    thread.machine->fault("divergent barrier: " + who(thread) + " is at " + operation + " (" + place(where) +
                          ") but other threads have ended");
    thread.machine->yield(thread);
  }
  meet(thread, block.barrier, static_cast<uint32_t>(block.thread.size()), State::at_barrier, "barrier",
       operation, where, true, [&](auto&& each) {
         for (Thread& other : block.thread) {
           each(other);
         }
       });
}

void meet_warp(Thread& thread, const char* operation, const Where& where, bool orders_memory) {
  Block& block = *thread.block;
  const uint32_t first = thread.index / kWarpSize * kWarpSize;
  Warp& warp = block.warp[thread.index / kWarpSize];
  if (warp.num_done != 0) {
    thread.machine->fault("divergent warp: " + who(thread) + " is at " + operation + " (" + place(where) +
                          ") but " + std::to_string(warp.num_done) + " of its warp have ended");
    thread.machine->yield(thread);
  }
  meet(thread, warp.meeting, kWarpSize, State::at_warp, "warp", operation, where, orders_memory,
       [&](auto&& each) {
         for (uint32_t i = first; i < first + kWarpSize; ++i) {
           each(block.thread[i]);
         }
       });
}

// The position of an access in the block's shared memory; faults if it is outside the array.
size_t shared_offset(Thread& thread, const char* access, const void* data, uint64_t index, uint64_t size,
                     size_t bytes, const Where& where) {
  if (index >= size) {
    thread.machine->fault(std::string("out of bounds: ") + who(thread) + " does a shared " + access +
                          " of item " + std::to_string(index) + " of " + std::to_string(size) + " (" +
                          place(where) + ")");
    thread.machine->yield(thread);
  }
  return static_cast<size_t>(static_cast<const std::byte*>(data) - thread.block->memory.data()) +
         index * bytes;
}

uint8_t* barrier_flags(Thread& thread, const CopyBarrier& barrier) {
  return thread.block->written.data() +
         (reinterpret_cast<const std::byte*>(&barrier) - thread.block->memory.data());
}

}  // namespace

uint32_t thread_index(const Thread& thread) {
  return thread.index;
}
uint32_t block_index(const Thread& thread) {
  return thread.block->index;
}
uint32_t num_blocks(const Thread& thread) {
  return static_cast<uint32_t>(thread.machine->launch().blocks);
}
std::byte* shared_memory(const Thread& thread, size_t /*bytes*/) {
  return thread.block->memory.data();
}

void block_barrier(Thread& thread, Where where) {
  meet_block(thread, "sync", where);
}
void warp_barrier(Thread& thread, Where where) {
  meet_warp(thread, "sync_warp", where, true);
}

const Exchange& exchange(Thread& thread, const char* operation, const void* value, size_t bytes,
                         Where where) {
  Warp& warp = thread.block->warp[thread.index / kWarpSize];
  Exchange& now = warp.exchanges[warp.meeting.round % 2];
  copy_bytes(now.values[thread.index % kWarpSize], value, bytes);
  meet_warp(thread, operation, where, false);
  return now;
}

void check_global(Thread& thread, const char* access, const void* /*data*/, uint64_t index, uint64_t size,
                  Where where) {
  if (index >= size) {
    thread.machine->fault(std::string("out of bounds: ") + who(thread) + " does a global " + access +
                          " of item " + std::to_string(index) + " of " + std::to_string(size) + " (" +
                          place(where) + ")");
    thread.machine->yield(thread);
  }
}

void check_shared_load(Thread& thread, const void* data, uint64_t index, uint64_t size, size_t bytes,
                       Where where) {
  const size_t offset = shared_offset(thread, "load", data, index, size, bytes, where);
  const auto& written = thread.block->written;
  for (size_t i = offset; i < offset + bytes; ++i) {
    if (written[i] == 0) {
      thread.machine->fault("uninitialised: " + who(thread) +
                            " loads shared memory that was never written, " + "item " +
                            std::to_string(index) + " (" + place(where) + ")");
      thread.machine->yield(thread);
    }
  }
}

void check_shared_store(Thread& thread, const void* data, uint64_t index, uint64_t size, size_t bytes,
                        Where where) {
  const size_t offset = shared_offset(thread, "store", data, index, size, bytes, where);
  set_bytes(thread.block->written.data() + offset, bytes, 1);
}

void after_atomic(Thread& thread, bool changed, Where where) {
  thread.operation = "atomic";
  thread.where = where;
  changed ? thread.machine->made_progress() : thread.machine->polled();
  thread.machine->yield(thread);
}

void barrier_init(Thread& thread, CopyBarrier& barrier, uint32_t arrivals, Where /*where*/) {
  set_state(barrier,
            {.arrivals_expected = arrivals, .arrivals_pending = arrivals, .bytes_pending = 0, .phase = 0});
  set_bytes(barrier_flags(thread, barrier), sizeof barrier, 1);
}

void barrier_arrive_expect(Thread& thread, CopyBarrier& barrier, uint32_t bytes, Where where) {
  if (*barrier_flags(thread, barrier) == 0) {
    thread.machine->fault("uninitialised: " + who(thread) +
                          " arrives at a copy barrier that was not initialised (" + place(where) + ")");
    thread.machine->yield(thread);
  }
  BarrierState state = state_of(barrier);
  state.bytes_pending += static_cast<int32_t>(bytes);
  --state.arrivals_pending;
  set_state(barrier, state);
  release(&barrier);
  thread.machine->end_phase_if_complete(*thread.block, barrier);
}

void barrier_wait(Thread& thread, CopyBarrier& barrier, uint32_t parity, Where where) {
  thread.operation = "barrier_wait";
  thread.where = where;
  if (*barrier_flags(thread, barrier) == 0) {
    thread.machine->fault("uninitialised: " + who(thread) +
                          " waits at a copy barrier that was not initialised (" + place(where) + ")");
    thread.machine->yield(thread);
  }
  while (state_of(barrier).phase % 2 == parity) {
    thread.state = State::at_copy_barrier;
    thread.copy_barrier = &barrier;
    thread.machine->yield(thread);
  }
  acquire(&barrier);
}

namespace {

void check_copy(Thread& thread, const void* to, const void* from, uint32_t bytes, const Where& where) {
  if (bytes % 16 != 0 || reinterpret_cast<uintptr_t>(to) % 16 != 0 ||
      reinterpret_cast<uintptr_t>(from) % 16 != 0) {
    thread.machine->fault("asynchronous copy: " + who(thread) +
                          " copies data that is not aligned to 16 bytes (" + place(where) + ")");
    thread.machine->yield(thread);
  }
}

// Until the copy completes, the target counts as unwritten, so that early reads are detected.
void start_load(Block& block, const Copy& copy) {
  set_bytes(block.written.data() + (copy.to - block.memory.data()), copy.bytes, 0);
  block.copies.push_back(copy);
}

void wait_for_copies(Thread& thread, const uint32_t& pending, const char* operation, const Where& where) {
  thread.operation = operation;
  thread.where = where;
  while (pending != 0) {
    thread.state = State::at_copy_wait;
    thread.machine->yield(thread);
  }
}

}  // namespace

void bulk_load(Thread& thread, void* to, const void* from, uint32_t bytes, CopyBarrier& barrier,
               Where where) {
  check_copy(thread, to, from, bytes, where);
  start_load(*thread.block, {static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes,
                             &barrier, nullptr, false});
}

void load_async(Thread& thread, void* to, const void* from, uint32_t bytes, Where where) {
  check_copy(thread, to, from, bytes, where);
  ++thread.loads_pending;
  start_load(*thread.block, {static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, nullptr,
                             &thread, false});
}

void load_wait(Thread& thread, Where where) {
  wait_for_copies(thread, thread.loads_pending, "load_wait", where);
}

// The bytes are read when the copy completes: overwriting them before that corrupts the result.
void bulk_store(Thread& thread, void* to, const void* from, uint32_t bytes, Where where) {
  check_copy(thread, to, from, bytes, where);
  ++thread.stores_pending;
  thread.block->copies.push_back(
      {static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, nullptr, &thread, true});
}

void bulk_store_wait(Thread& thread, Where where) {
  wait_for_copies(thread, thread.stores_pending, "bulk_store_wait", where);
}

Status run(const Launch& launch, const EmulatorOptions& options) {
  BOBBIN_RETURN_IF(launch.blocks > INT32_MAX, StatusCode::unsupported, "too many blocks for one launch");
  return Machine(launch, options).run();
}

}  // namespace bobbin::simt::emulator

namespace bobbin::simt {

EmulatorOptions& default_emulator_options() {
  static EmulatorOptions options;
  return options;
}

}  // namespace bobbin::simt
