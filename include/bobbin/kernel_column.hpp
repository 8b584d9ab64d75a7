// SPDX-License-Identifier: Apache-2.0
// An encoded array in device memory, for your own kernels: see docs/kernels.md. Threads may share a column;
// kernels in other streams than the one it was created with must wait for that stream first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bobbin/encoded_array.hpp"
#include "bobbin/export.h"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

class BOBBIN_API KernelColumn {
 public:
  // `array` must be in the memory of the stream's device; the column shares that memory. Dictionaries, and
  // row numbers of rle and sparse, are decoded into the column's own memory; so is the whole array if its
  // codec has no stages. Asynchronous.
  static Result<KernelColumn> create(const EncodedArray& array, StreamView stream);

  [[nodiscard]] DType type() const;
  [[nodiscard]] uint64_t length() const;
  // The stages that make its values, from the first on: "unpack", "unpack, scale, patch".
  [[nodiscard]] std::string stages() const;
  // A plan::QueryInput of this column alone, for bobbin/device/plan/device.cuh.
  [[nodiscard]] const void* input() const;

 private:
  struct Impl;
  explicit KernelColumn(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace bobbin
