// SPDX-License-Identifier: Apache-2.0
// Rows of some columns as chunks: one task each, for any free thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "bobbin/file.hpp"
#include "bobbin/status.hpp"
#include "file/access.hpp"

namespace bobbin::table {

// Rows of one column within one row group.
struct Part {
  size_t slot = 0;  // index among the requested columns
  size_t column = 0;
  size_t group = 0;
  uint64_t begin = 0;  // in the row group
  uint64_t count = 0;
  uint64_t at = 0;  // position of the first row among those requested
};

[[nodiscard]] Status check_columns(const Reader& reader, std::span<const size_t> columns, uint64_t begin,
                                   uint64_t count);
// By row groups, then by columns, as in the file.
[[nodiscard]] std::vector<Part> parts_of(const Reader& reader, std::span<const size_t> columns,
                                         uint64_t begin, uint64_t count);

// Calls f with the part's array, read and checked as array::validate_for() does; errors are prefixed with the
// file and the chunk.
template <class F>
Status with_part(const Reader& reader, const Part& part, Backend backend, F&& f) {
  BOBBIN_ASSIGN(const Array array, file::ReaderAccess::load_rows(reader, part.group, part.column, part.begin,
                                                                 part.count, backend));
  const Status status = f(array);
  return status.ok() ? status : file::ReaderAccess::in_place(reader, status, part.group, part.column);
}

// Keeps the error of the earliest task that fails. The message does not depend on threads if a task is
// skipped only when it or an earlier one has failed.
class FirstError {
 public:
  void note(uint64_t task, const Status& status);
  [[nodiscard]] bool any() const { return up_to(UINT64_MAX - 1); }
  // The error of this task or an earlier one.
  [[nodiscard]] bool up_to(uint64_t task) const { return task_.load() <= task; }
  [[nodiscard]] Status status() const;

 private:
  mutable std::mutex mutex_;
  std::atomic<uint64_t> task_{UINT64_MAX};
  Status status_;
};

}  // namespace bobbin::table
