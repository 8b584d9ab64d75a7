// SPDX-License-Identifier: Apache-2.0
// Columns in Arrow's layout, shared by all arrays that show rows of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
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

// Memory of numbers that was released, for later columns: to request it from the system for each slice costs
// more than decoding. Columns return it on whatever thread releases them.
class ColumnMemory {
 public:
  // As table::make_column().
  [[nodiscard]] HostColumn make_column(const Column& column, uint64_t rows);
  [[nodiscard]] std::unique_ptr<std::byte[]> take(uint64_t bytes);
  // Only what take() returned is kept.
  void give(std::unique_ptr<std::byte[]> memory);

 private:
  struct Piece {
    std::unique_ptr<std::byte[]> memory;
    uint64_t bytes = 0;
  };

  std::mutex mutex_;
  std::vector<Piece> free_;
  uint64_t free_bytes_ = 0;
  std::unordered_map<const std::byte*, uint64_t> sizes_;  // of what was taken
};

// In host memory.
struct ArrowColumn : ArrowBuffers {
  HostColumn source;                       // owns the buffers that need no conversion
  std::unique_ptr<std::byte[]> converted;  // owns the others
  std::shared_ptr<ColumnMemory> memory;    // where they came from, if not from the system

  ArrowColumn() = default;
  ArrowColumn(const ArrowColumn&) = delete;
  ArrowColumn& operator=(const ArrowColumn&) = delete;
  ~ArrowColumn();
  // The numbers before their conversion are not needed after it.
  void give_source();
};

// Readers may want an address even where there are no bytes.
[[nodiscard]] inline const void* address_of(const void* data) {
  static constexpr uint64_t kNothing[2] = {};
  return data != nullptr ? data : kNothing;
}

// `format` is one that the column can be exported as.
[[nodiscard]] Result<std::shared_ptr<const ArrowBuffers>> lay_out(
    HostColumn column, const std::string& format, std::shared_ptr<ColumnMemory> memory = nullptr);
// Rows of the columns as a struct array.
void export_rows(const ArrowColumns& columns, uint64_t begin, uint64_t length, ArrowArray* out);

}  // namespace bobbin::interop
