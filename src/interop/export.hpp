// SPDX-License-Identifier: Apache-2.0
// Columns in Arrow's layout, shared by all arrays that show rows of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bobbin/arrow_abi.h"
#include "bobbin/status.hpp"
#include "bobbin/table.hpp"

namespace bobbin::interop {

// The buffers that arrays point at. Whatever owns them derives from this.
struct ArrowBuffers {
  bool has_nulls = false;
  int64_t n_buffers = 2;
  std::array<const void*, 3> buffers{};
};
using ArrowColumns = std::vector<std::shared_ptr<const ArrowBuffers>>;

// In host memory.
struct ArrowColumn : ArrowBuffers {
  HostColumn source;                       // owns the buffers that need no conversion
  std::unique_ptr<std::byte[]> converted;  // owns the others
};

// Readers may want an address even where there are no bytes.
[[nodiscard]] inline const void* address_of(const void* data) {
  static constexpr uint64_t kNothing[2] = {};
  return data != nullptr ? data : kNothing;
}

// `format` is one that the column can be exported as.
[[nodiscard]] Result<std::shared_ptr<const ArrowBuffers>> lay_out(HostColumn column,
                                                                  const std::string& format);
// Rows of the columns as a struct array.
void export_rows(const ArrowColumns& columns, uint64_t begin, uint64_t length, ArrowArray* out);

}  // namespace bobbin::interop
