// SPDX-License-Identifier: Apache-2.0
// Reads batches of chunks into pinned memory and copies them to a device, with several threads. A thread
// takes one task at a time: a chunk, which it reads into the memory of its batch and checks, or a piece of a
// chunk, which is checked by the thread that reads its last piece. The thread that reads the last of a batch
// queues its copy; the one that checks the last chunk of a batch finishes the batch. All threads work on a
// few batches at a time, because memory that stays in the cache is faster to read into and to copy from
// (docs/perf/table.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "bobbin/file.hpp"
#include "codecs/codec.hpp"
#include "table/batches.hpp"
#include "table/parts.hpp"
#include "table/staging.hpp"

namespace bobbin::table {

class BatchRun {
 public:
  BatchRun(const BatchRun&) = delete;
  BatchRun& operator=(const BatchRun&) = delete;

  [[nodiscard]] size_t num_tasks() const { return tasks_.size(); }
  // Takes tasks until none are left; may be called by any number of threads.
  void work() { work_up_to(batches_.size()); }

 protected:
  // Everything referred to must outlive the run.
  BatchRun(const Reader& reader, std::span<const Part> parts, uint64_t batch_bytes);
  ~BatchRun() = default;

  // A batch in progress.
  struct Work {
    explicit Work(size_t members) : arrays(members), unread_of(members), unchecked(members) {}

    std::once_flag started;
    Status ready;
    Staging* staging = nullptr;
    std::vector<Array> arrays;                    // of the chunks, in the staging's memory
    std::deque<std::atomic<uint64_t>> unread_of;  // pieces of each chunk
    std::atomic<uint64_t> unread{0};              // pieces of all chunks
    std::atomic<uint64_t> unchecked;              // chunks
  };
  // A chunk or a piece of one.
  struct Task {
    size_t batch = 0;
    size_t member = 0;
    uint64_t begin = 0;  // in the chunk
    uint64_t bytes = 0;
    bool is_chunk = false;
  };

  // Memory for a batch; may wait, but not for a later batch.
  virtual Result<Staging*> take_memory(size_t batch) = 0;
  // What array::validate_content() checks, unless the device does; the chunk is in `arrays`.
  virtual Status check_content(size_t batch, size_t member) = 0;
  // Called once for each batch, by the last thread that worked on it, even after an error. `part` is a part
  // of the batch.
  virtual void finish_batch(size_t batch, size_t part) = 0;

  // Takes tasks as long as the next one is of this batch or of an earlier one.
  void work_up_to(size_t batch);

  const Reader& reader_;
  std::span<const Part> parts_;
  std::vector<LoadBatch> batches_;
  std::deque<Work> works_;  // one per batch
  FirstError error_;

 private:
  void add_tasks(size_t batch, size_t member);
  [[nodiscard]] const LoadBatch::Member& member_of(const Task& task) const {
    return batches_[task.batch].members[task.member];
  }
  void do_task(const Task& task);
  Status start(size_t batch);
  Status read(const Task& task);
  Status check(const Task& task);
  Status copy(const Task& task);

  uint64_t piece_bytes_;
  std::vector<Task> tasks_;
  std::atomic<uint64_t> next_{0};
};

}  // namespace bobbin::table
