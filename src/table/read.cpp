// SPDX-License-Identifier: Apache-2.0
// Chunks are read and decoded by any free thread, each into its place in the whole column. The string bytes
// of a chunk are known beforehand from its zone map; if only some of its rows are requested, they are decoded
// first. Validity bits are combined at the end.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "bobbin/table.hpp"
#include "core/parallel.hpp"
#include "file/access.hpp"
#include "file/nulls.hpp"
#include "table/parts.hpp"

namespace bobbin {
namespace {

using namespace table;

// What a part has besides the rows of its column.
struct Extra {
  array::Bitmap validity;           // of numbers; empty if there are no nulls
  std::vector<uint8_t> has_string;  // bits; empty if there are no nulls
  std::optional<Strings> strings;   // of a partial chunk
  uint64_t first_byte = 0;          // of its strings, within those of the column
  uint64_t num_bytes = 0;
};

file::ValidityBits bits_of(const array::Bitmap& validity) {
  return {validity.words.empty() ? nullptr : reinterpret_cast<const uint8_t*>(validity.words.data()),
          validity.first};
}

class TableReader {
 public:
  TableReader(const Reader& reader, std::span<const size_t> columns, uint64_t begin, uint64_t count)
      : reader_(reader),
        count_(count),
        parts_(parts_of(reader, columns, begin, count)),
        extras_(parts_.size()) {
    for (const size_t column : columns) {
      HostColumn& made = made_.emplace_back();
      made.column = file::ReaderAccess::columns(reader)[column];
      made.length = count;
      made.strings.type = made.column.type;
    }
  }

  Status read(unsigned threads) {
    std::vector<size_t> all(parts_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    std::vector<size_t> pieces;
    std::ranges::copy_if(all, std::back_inserter(pieces), [&](size_t i) { return is_piece(i); });
    BOBBIN_TRY(for_each(pieces, threads, [&](size_t i) { return read_piece(i); }));
    BOBBIN_TRY(make_room());
    BOBBIN_TRY(for_each(all, threads, [&](size_t i) { return read_part(i); }));
    for (size_t i = 0; i < parts_.size(); ++i) {
      add_validity(i);
    }
    return {};
  }
  [[nodiscard]] std::vector<HostColumn> take() { return std::move(made_); }

 private:
  // Returns the error of the first part that fails.
  template <class F>
  static Status for_each(std::span<const size_t> parts, unsigned threads, F&& f) {
    FirstError error;
    parallel_tasks(parts.size(), threads, [&](uint64_t task) {
      if (!error.up_to(task)) {
        error.note(task, f(parts[task]));
      }
    });
    return error.status();
  }

  [[nodiscard]] HostColumn& column_of(size_t i) { return made_[parts_[i].slot]; }
  [[nodiscard]] bool has_strings(size_t i) { return is_string(column_of(i).column.type); }
  [[nodiscard]] const file::RowGroup& group_of(size_t i) const {
    return file::ReaderAccess::footer(reader_).row_groups[parts_[i].group];
  }
  // Strings of a partial chunk.
  [[nodiscard]] bool is_piece(size_t i) { return has_strings(i) && parts_[i].count != group_of(i).num_rows; }

  Status read_piece(size_t i) {
    return with_part(reader_, parts_[i], Backend::cpu, [&](const Array& array) -> Status {
      BOBBIN_ASSIGN(extras_[i].strings, array::decode_strings(array, Backend::cpu));
      extras_[i].has_string = extras_[i].strings->validity;
      return {};
    });
  }

  Status make_room() {
    std::vector<uint64_t> bytes(made_.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (has_strings(i)) {
        Extra& extra = extras_[i];
        extra.num_bytes = extra.strings.has_value() ? extra.strings->bytes.size()
                                                    : group_of(i).chunks[parts_[i].column].strings.num_bytes;
        extra.first_byte = bytes[parts_[i].slot];
        bytes[parts_[i].slot] += extra.num_bytes;
        BOBBIN_RETURN_IF(bytes[parts_[i].slot] < extra.num_bytes, StatusCode::corrupt,
                         "the total size of the strings overflows");
      }
    }
    for (size_t slot = 0; slot < made_.size(); ++slot) {
      HostColumn& column = made_[slot];
      if (is_string(column.column.type)) {
        BOBBIN_TRY(array::resize(column.strings.bytes, bytes[slot]));
        BOBBIN_TRY(array::resize(column.strings.offsets, count_ + 1));
        column.strings.offsets[0] = 0;
      } else {
        column.values = std::make_unique_for_overwrite<std::byte[]>(count_ * size_bytes(column.column.type));
      }
    }
    return {};
  }

  Status read_part(size_t i) {
    if (extras_[i].strings.has_value()) {
      put_piece(i);
      return {};
    }
    return with_part(reader_, parts_[i], Backend::cpu, [&](const Array& array) {
      return is_string(array.type) ? decode_strings(array, i) : decode_numbers(array, i);
    });
  }

  Status decode_strings(const Array& array, size_t i) {
    Strings& strings = column_of(i).strings;
    Extra& extra = extras_[i];
    extra.has_string = array::string_validity(array);
    return array::decode_strings(
        array, {.ends = strings.offsets.data() + parts_[i].at + 1,
                .base = extra.first_byte,
                .bytes = std::span(strings.bytes).subspan(extra.first_byte, extra.num_bytes)});
  }

  Status decode_numbers(const Array& array, size_t i) {
    const size_t size = size_bytes(array.type);
    const std::span<std::byte> values(column_of(i).values.get() + parts_[i].at * size,
                                      parts_[i].count * size);
    BOBBIN_TRY(array::decode(array, values));
    if (array::has_nulls(array)) {
      BOBBIN_ASSIGN(extras_[i].validity, array::validity(array));
      file::zero_nulls(array.type, values, bits_of(extras_[i].validity));
    }
    return {};
  }

  void put_piece(size_t i) {
    Strings& strings = column_of(i).strings;
    const Extra& extra = extras_[i];
    std::ranges::copy(extra.strings->bytes, strings.bytes.begin() + static_cast<ptrdiff_t>(extra.first_byte));
    for (uint64_t row = 1; row <= parts_[i].count; ++row) {
      strings.offsets[parts_[i].at + row] = extra.first_byte + extra.strings->offsets[row];
    }
  }

  void add_validity(size_t i) {
    const Part& part = parts_[i];
    const Extra& extra = extras_[i];
    if (has_strings(i)) {
      const uint8_t* const bits = extra.has_string.empty() ? nullptr : extra.has_string.data();
      file::append_validity(column_of(i).strings.validity, part.at, {bits}, part.count);
    } else {
      file::append_validity(column_of(i).validity, part.at, bits_of(extra.validity), part.count);
    }
  }

  const Reader& reader_;
  uint64_t count_;
  std::vector<Part> parts_;
  std::vector<Extra> extras_;
  std::vector<HostColumn> made_;
};

}  // namespace

Result<std::vector<HostColumn>> read_columns(const Reader& reader, std::span<const size_t> columns,
                                             uint64_t begin, uint64_t count, unsigned threads) {
  BOBBIN_TRY(check_columns(reader, columns, begin, count));
  TableReader table(reader, columns, begin, count);
  BOBBIN_TRY(table.read(threads));
  return table.take();
}

}  // namespace bobbin
