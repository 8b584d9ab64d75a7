// SPDX-License-Identifier: Apache-2.0
// One loading of parts onto a device, by several threads. A thread takes a chunk at a time: it reads and
// checks it in the memory of its batch. Whoever ends a batch's last one queues its copy and its decoding.
// Large chunks, which have a batch to themselves, are copied in pieces as they are read.
#pragma once

#include <atomic>
#include <cstdint>
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
  // A fault has a word for each part, zero before. All that is referred to outlives the run.
  LoadRun(const Reader& reader, std::span<const Part> parts, std::span<DeviceColumn> columns,
          std::span<Staging> stagings, uint32_t* faults, uint64_t batch_bytes, MemoryResource& memory);

  [[nodiscard]] size_t num_tasks() const { return tasks_.size(); }
  // Takes chunks until there are none left; for any number of threads at once.
  void work();
  // Once they are done: waits for the device.
  [[nodiscard]] Status finish();

 private:
  // A batch under way.
  struct Work {
    std::once_flag started;
    Status ready;
    std::vector<Array> arrays;  // of its members, in the staging's memory
    std::vector<StringFacts> facts;
    std::atomic<size_t> left{0};
    std::atomic<bool> over{false};
  };
  struct Task {
    size_t batch = 0;
    size_t member = 0;
  };

  [[nodiscard]] Staging& staging_of(size_t batch) const { return stagings_[batch % stagings_.size()]; }
  [[nodiscard]] Destination destination(size_t part) const;
  Status start(size_t batch);
  Status read(const Task& task);
  Status check(const Task& task, const Array& array);
  Status submit(size_t batch);
  Status submit_member(size_t batch, size_t member);
  Status load_slice(size_t batch);

  const Reader& reader_;
  std::span<const Part> parts_;
  std::span<DeviceColumn> columns_;
  std::span<Staging> stagings_;
  uint32_t* faults_;
  uint64_t piece_bytes_;  // of a chunk that is copied while it is read
  MemoryResource& memory_;
  std::vector<Batch> batches_;
  std::vector<Work> works_;  // one a batch
  std::vector<Task> tasks_;
  bool with_bits_;
  std::atomic<uint64_t> next_{0};
  FirstError error_;
};

// Bits of parts that begin inside a word would run into each other: then the host puts them together.
[[nodiscard]] bool bits_are_whole(std::span<const Part> parts);

}  // namespace bobbin::table
