// SPDX-License-Identifier: Apache-2.0
// Loads parts onto a device once, with several threads. A thread takes one piece of a chunk at a time and
// reads it into the memory of its batch. The thread that reads the last piece of a batch queues its copy; the
// one that reads the last piece of a chunk checks the chunk; the one that checks the last chunk of a batch
// queues the decoding of all. All threads work on a few batches at a time, because memory that stays in the
// cache is faster to read into and to copy from (docs/perf/table.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "bobbin/table.hpp"
#include "table/batches.hpp"
#include "table/destination.hpp"
#include "table/parts.hpp"
#include "table/staging.hpp"

namespace bobbin::table {

class LoadRun {
 public:
  // `fault` has one word per part, initially zero. Everything referred to must outlive the run.
  LoadRun(const Reader& reader, std::span<const Part> parts, std::span<DeviceColumn> columns,
          std::span<Staging> stagings, uint32_t* faults, uint64_t batch_bytes, MemoryResource& memory);

  [[nodiscard]] size_t num_tasks() const { return tasks_.size(); }
  // Takes tasks until none are left; may be called by any number of threads.
  void work();
  // After all threads are done: waits for the device.
  [[nodiscard]] Status finish();

 private:
  // A chunk in progress.
  struct PendingChunk {
    std::atomic<uint64_t> unread{0};  // pieces
    Array array;                      // in the staging's memory
    StringFacts facts;
  };
  // A batch in progress.
  struct Work {
    explicit Work(size_t members) : chunks(members), unchecked(members) {}

    std::once_flag started;
    Status ready;
    Staging* staging = nullptr;
    std::vector<PendingChunk> chunks;
    std::atomic<uint64_t> unread{0};  // pieces of all chunks
    std::atomic<uint64_t> unchecked;  // chunks
  };
  // A piece to read.
  struct Task {
    size_t batch = 0;
    size_t member = 0;
    uint64_t begin = 0;  // in the chunk
    uint64_t bytes = 0;
  };

  void add_tasks(size_t batch, size_t member);
  [[nodiscard]] const LoadBatch::Member& member_of(const Task& task) const {
    return batches_[task.batch].members[task.member];
  }
  [[nodiscard]] Destination destination(size_t part) const;
  void do_task(const Task& task);
  Status start(size_t batch);
  Status read(const Task& task);
  Status check(const Task& task);
  Status check_content(const Task& task);
  Status copy(const Task& task);
  Status copy_bits(const Task& task);
  Status decode(const Task& task);
  Status decode_member(size_t batch, size_t member);
  Status load_slice(size_t batch);

  const Reader& reader_;
  std::span<const Part> parts_;
  std::span<DeviceColumn> columns_;
  std::span<Staging> stagings_;
  uint32_t* faults_;
  StagingPool pool_;
  uint64_t piece_bytes_;
  MemoryResource& memory_;
  std::vector<LoadBatch> batches_;
  std::deque<Work> works_;  // one per batch
  std::vector<Task> tasks_;
  bool with_bits_;
  std::atomic<uint64_t> next_{0};
  FirstError error_;
};

// Validity bits of parts that begin inside a word would overlap: in that case the host combines them.
[[nodiscard]] bool bits_are_whole(std::span<const Part> parts);

}  // namespace bobbin::table
