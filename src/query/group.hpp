// SPDX-License-Identifier: Apache-2.0
// One row group on its way through a query. Chunks are loaded when they are first needed. Filters may have
// any size: what is more than one launch can do becomes a bitmap before.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "bobbin/file.hpp"
#include "bobbin/stream.hpp"
#include "file/footer.hpp"
#include "plan/plan.hpp"
#include "query/bind.hpp"
#include "query/program.hpp"

namespace bobbin::query {

// A bit for each row, in as many words as whole vectors need.
using Words = std::vector<uint32_t>;

class Group {
 public:
  // `stream` is of the backend; the CPU's needs none.
  Group(const Reader& reader, size_t index, StreamView stream);

  [[nodiscard]] size_t index() const { return index_; }
  [[nodiscard]] const file::RowGroup& info() const { return info_; }
  [[nodiscard]] const file::Chunk& chunk(uint32_t column) const { return info_.chunks[column]; }
  // Whether anything had to be read.
  [[nodiscard]] bool was_read() const { return !chunks_.empty(); }

  // Columns of aggregates are the file's. The predicate is pruned, and not `never`.
  [[nodiscard]] Result<std::vector<plan::Total>> fold(Bound bound,
                                                      std::span<const plan::Aggregate> aggregates);
  // Which rows pass.
  [[nodiscard]] Result<Words> rows(Bound bound);
  [[nodiscard]] Result<const Array*> load(uint32_t column);
  // How many of the rows have each code of a column with a dictionary that has entries.
  [[nodiscard]] Result<std::vector<uint64_t>> count_codes(uint32_t column, const Words& rows);

 private:
  struct Chunk {
    Array array;
    std::optional<array::OnDevice> there;  // of strings: only the codes
  };

  [[nodiscard]] bool on_cpu() const { return stream_.backend() == Backend::cpu; }
  // The chunk where the backend works on it.
  Result<const Array*> place(uint32_t column);
  Result<const Array*> place(const Operand& operand);
  // Turns tests of strings into bitmaps, or into tests of codes.
  Status settle(Bound& bound);
  Status settle_strings(Bound& bound);
  // A bit for each string that passes; the bits behind the last one may be anything.
  Result<Words> match(const Bound& bound, const Array& strings, Backend backend) const;
  // Makes a predicate small enough for one launch.
  Status reduce(Bound& bound);
  Status reduce_parts(Bound& bound);
  Status to_bitmap(Bound& bound);
  // The predicate and the aggregates fit one launch.
  Result<std::vector<plan::Total>> launch(const Bound& bound, std::span<const plan::Aggregate> aggregates,
                                          Words* rows);

  const Reader& reader_;
  size_t index_;
  const file::RowGroup& info_;
  StreamView stream_;
  std::map<uint32_t, Chunk> chunks_;
};

}  // namespace bobbin::query
