// SPDX-License-Identifier: Apache-2.0
// One row group during a query. Chunks are loaded when they are first needed. Filters may have any size: what
// exceeds one launch is evaluated to a bitmap first.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "array/array.hpp"
#include "bobbin/file.hpp"
#include "bobbin/memory.hpp"
#include "bobbin/stream.hpp"
#include "file/footer.hpp"
#include "plan/fold_codes.hpp"
#include "plan/pieces.hpp"
#include "plan/plan.hpp"
#include "query/bind.hpp"
#include "query/decoded.hpp"
#include "query/program.hpp"
#include "query/row_ranges.hpp"
#include "table/group_slices.hpp"
#include "table/read_ahead.hpp"

namespace bobbin::query {

// The totals of aggregates, launch by launch. A device may still compute them when the row group that started
// them is gone.
class PendingFold {
 public:
  void add(plan::PendingTotals totals) { launches_.push_back(std::move(totals)); }
  // One total per aggregate. Call it once.
  [[nodiscard]] Result<std::vector<plan::Total>> wait();

 private:
  std::vector<plan::PendingTotals> launches_;
};

class RowGroupQuery {
 public:
  // `stream` belongs to the backend; the CPU needs none. `pieces` is shared by the query's row groups, and so
  // is `ahead`, which may be null: chunks that it has are not read again.
  RowGroupQuery(const Reader& reader, size_t index, StreamView stream, std::shared_ptr<plan::Pieces> pieces,
                table::ReadAhead* ahead);

  [[nodiscard]] size_t index() const { return index_; }
  [[nodiscard]] const file::RowGroup& info() const { return info_; }
  [[nodiscard]] const file::Chunk& chunk(uint32_t column) const { return info_.chunks[column]; }
  // Whether anything had to be read.
  [[nodiscard]] bool was_read() const { return reads_rows_ || !chunks_.empty(); }
  [[nodiscard]] bool is_on_device() const { return !on_cpu(); }

  // Aggregate columns are columns of the file. The predicate is pruned, and not `never`.
  [[nodiscard]] Result<PendingFold> fold(Bound bound, std::span<const plan::Aggregate> aggregates);
  // Which codes the matching rows have, where they are not null: one bit per entry of a non-empty dictionary.
  [[nodiscard]] Result<BitmapWords> mark_codes(Bound bound, uint32_t column);
  // The codes of a column with a dictionary, or integers from `low` on; nulls are one value more.
  struct CellKey {
    uint32_t column = 0;
    bool is_coded = false;
    uint64_t low = 0;
    uint32_t values = 0;
    bool nulls = false;

    [[nodiscard]] uint32_t cells() const { return values + (nulls ? 1 : 0); }
  };
  // The same for each combination of the keys' values (plan::Prepared::create_groups). Nothing if there is no
  // compiled kernel for it on the device, or no loop for it on the host: the predicate then has what was
  // evaluated already.
  [[nodiscard]] Result<std::optional<std::vector<plan::Total>>> fold_cells(
      Bound& bound, std::span<const CellKey> keys, std::span<const plan::Aggregate> aggregates);
  // The matching rows: one bit per row, in as many words as whole vectors need.
  [[nodiscard]] Result<BitmapWords> rows(Bound bound);
  // Checked completely.
  [[nodiscard]] Result<const Array*> load(uint32_t column);
  // Columns are decoded in pieces, so that memory is bounded for any rows: those for some columns together.
  [[nodiscard]] Result<std::vector<RowRange>> pieces(std::span<const uint32_t> columns);
  // A piece of a column on the host, valid until another piece of the column is requested.
  [[nodiscard]] Result<const DecodedColumn*> decoded(uint32_t column, RowRange piece);
  // The same in encoded form.
  [[nodiscard]] Result<Array> load(uint32_t column, RowRange piece);
  // Values of some rows, without decoding the others if the codec can.
  [[nodiscard]] Result<DecodedColumn> take(uint32_t column, std::span<const uint64_t> rows);
  // Some rows of columns, a few at a time: where possible, only their vectors are read.
  [[nodiscard]] Result<table::GroupSlices> slices(std::vector<size_t> columns, std::vector<uint64_t> rows);
  // The number of rows with each code, for a column with a non-empty dictionary.
  [[nodiscard]] Result<std::vector<uint64_t>> count_codes(uint32_t column, const BitmapWords& rows);
  // The same with the sums of another column's integers, over rows where that column is not null.
  [[nodiscard]] Result<std::vector<plan::CodeTotal>> fold_codes(uint32_t column, uint32_t summed,
                                                                BitmapWords rows);

 private:
  struct LoadedChunk {
    Array array;
    bool is_checked = false;  // also by array::validate_content()
    std::optional<table::ReadAhead::ReadChunk> ahead{};
    std::optional<array::OnDevice> there{};  // for strings: only the codes
    std::optional<DecodedColumn> decoded{};
    RowRange decoded_piece{};
    std::shared_ptr<const StringEntries> entries{};
    // The codes of a column with a dictionary, with its nulls: in host memory, and in that of the backend.
    std::optional<Array> codes{};
    std::optional<Array> codes_there{};
  };

  [[nodiscard]] bool on_cpu() const { return stream_.backend() == Backend::cpu; }
  // The strings of a column's dictionary, if they are needed and few enough to be decoded together.
  Result<std::shared_ptr<const StringEntries>> entries(uint32_t column, uint64_t rows);
  // Read now, or ahead.
  Result<LoadedChunk> read_chunk(uint32_t column);
  // Checked for searches on the backend only: a device checks the strings' content before it searches them.
  Result<const LoadedChunk*> load_unchecked(uint32_t column);
  // The rest of the check, on the host, unless it was done.
  Status check_content(uint32_t column);
  // The chunk in the memory of the backend.
  Result<const Array*> place(uint32_t column);
  // In the memory of the host, or of the backend.
  Result<plan::Source> place(const Operand& operand, bool on_host);
  Result<plan::Source> place_key(const CellKey& key);
  // Columns and bitmaps of a program, which must stay in place; `bitmaps` keeps those that were sent.
  Result<std::vector<plan::Source>> place_all(const Program& program, bool on_host,
                                              std::vector<DeviceBuffer>& bitmaps);
  // In one launch. Nothing if there is no compiled kernel for it.
  Result<std::optional<BitmapWords>> mark_compiled(const Bound& bound, uint32_t column);
  // The codes of a column with a dictionary, in the memory of the backend.
  struct Codes {
    const Array* array = nullptr;
    uint64_t entries = 0;
  };
  Result<Codes> place_codes(uint32_t column);
  // Replaces tests that launches do not support by bitmaps, or by tests of codes.
  Status settle(Bound& bound, bool keeps_comparisons);
  Status settle_strings(Bound& bound);
  Status settle_set(Bound& bound);
  Status settle_columns(Bound& bound);
  Status settle_comparison(Bound& bound);
  // One bit per matching string; the bits after the last one may be anything.
  Result<BitmapWords> match(const Bound& bound, const Array& strings, Backend backend);
  Result<BitmapWords> search(const Bound& bound, const Array& strings, const StringQuery& query,
                             Backend backend);
  // The matching strings, found by decoding only those that a search reports as candidates, or all of them.
  Result<BitmapWords> match_candidates(const Bound& bound, const Array& strings, std::string_view piece,
                                       Backend backend);
  Result<BitmapWords> match_all(const Bound& bound, const Array& strings);
  // The bits that test(piece) gives for each row of each piece of the columns, in whole vectors; and those of
  // any ranges, in as many words as they need.
  using TestPiece = std::function<Result<BitmapWords>(RowRange piece)>;
  Result<BitmapWords> collect_bits(std::span<const uint32_t> columns, const TestPiece& test);
  static Result<BitmapWords> collect_bits(std::span<const RowRange> ranges, uint64_t rows,
                                          const TestPiece& test);
  // Reduces a predicate until it fits into one launch.
  Status reduce(Bound& bound);
  Status reduce_parts(Bound& bound);
  Status to_bitmap(Bound& bound);
  // Folds the rows of a predicate that is settled and reduced.
  Result<PendingFold> fold_settled(Bound& bound, std::span<const plan::Aggregate> aggregates, bool on_host);
  [[nodiscard]] static bool computes(std::span<const plan::Aggregate> aggregates);
  // With expressions, on a device. Nothing if there are none, or no kernel is compiled for them.
  Result<std::optional<PendingFold>> fold_compiled(Bound bound, std::span<const plan::Aggregate> aggregates,
                                                   BitmapWords* rows);
  // Expressions on the host, columns on the device.
  Result<PendingFold> fold_on_both(Bound bound, std::span<const plan::Aggregate> aggregates);
  // The predicate and the aggregates must fit into one launch.
  Result<plan::PendingTotals> launch(const Bound& bound, std::span<const plan::Aggregate> aggregates,
                                     BitmapWords* rows, bool on_host);

  const Reader& reader_;
  size_t index_;
  const file::RowGroup& info_;
  StreamView stream_;
  std::shared_ptr<plan::Pieces> pieces_;
  table::ReadAhead* ahead_;
  std::map<uint32_t, LoadedChunk> chunks_;
  bool reads_rows_ = false;
};

}  // namespace bobbin::query
