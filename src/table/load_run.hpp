// SPDX-License-Identifier: Apache-2.0
// Loads parts onto a device once, with several threads: batches are decoded when they are checked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bobbin/table.hpp"
#include "table/batch_run.hpp"
#include "table/destination.hpp"
#include "table/parts.hpp"
#include "table/staging.hpp"

namespace bobbin::table {

class LoadRun final : public BatchRun {
 public:
  // `fault` has one word per part, initially zero. Everything referred to must outlive the run.
  LoadRun(const Reader& reader, std::span<const Part> parts, std::span<DeviceColumn> columns,
          std::span<Staging> stagings, uint32_t* faults, uint64_t batch_bytes, MemoryResource& memory);

  // After all threads are done: waits for the device.
  [[nodiscard]] Status finish();

 private:
  Result<Staging*> take_memory(size_t batch) override;
  Status check_content(size_t batch, size_t member) override;
  void finish_batch(size_t batch, size_t part) override;

  [[nodiscard]] Destination destination(size_t part) const;
  Status copy_bits(size_t batch);
  Status decode(size_t batch);
  Status decode_member(size_t batch, size_t member);
  Status load_slice(size_t batch);

  std::span<DeviceColumn> columns_;
  std::span<Staging> stagings_;
  uint32_t* faults_;
  StagingPool pool_;
  MemoryResource& memory_;
  std::vector<std::vector<StringFacts>> facts_;  // of each batch's chunks
  bool with_bits_;
};

// Validity bits of parts that begin inside a word would overlap: in that case the host combines them.
[[nodiscard]] bool bits_are_whole(std::span<const Part> parts);

}  // namespace bobbin::table
