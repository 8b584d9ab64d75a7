// SPDX-License-Identifier: Apache-2.0
// Chunks are read and decoded by whoever is free; what has no place of its own before its size is known,
// strings and bits, is put together at the end.
#include <utility>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "bobbin/table.hpp"
#include "core/bits.hpp"
#include "core/parallel.hpp"
#include "file/access.hpp"
#include "file/gather.hpp"
#include "file/nulls.hpp"
#include "table/parts.hpp"

namespace bobbin {
namespace {

using namespace table;

// What a part brings along beside its values.
struct Extra {
  array::Bitmap validity;  // empty: no nulls
  Strings strings;
};

file::ValidityBits bits_of(const array::Bitmap& validity) {
  return {validity.words.empty() ? nullptr : reinterpret_cast<const uint8_t*>(validity.words.data()),
          validity.first};
}

HostColumn make_column(const Column& column, uint64_t count) {
  HostColumn made;
  made.column = column;
  made.length = count;
  made.strings.type = column.type;
  if (!is_string(column.type)) {
    made.values = std::make_unique_for_overwrite<std::byte[]>(count * size_bytes(column.type));
  }
  return made;
}

Status read_part(const Array& array, std::span<std::byte> values, Extra& extra) {
  if (is_string(array.type)) {
    BOBBIN_ASSIGN(extra.strings, array::decode_strings(array, Backend::cpu));
    return {};
  }
  BOBBIN_TRY(array::decode(array, values));
  if (array::has_nulls(array)) {
    BOBBIN_ASSIGN(extra.validity, array::validity(array));
    file::zero_nulls(array.type, values, bits_of(extra.validity));
  }
  return {};
}

void add_extra(HostColumn& column, const Part& part, Extra& extra) {
  if (is_string(column.column.type)) {
    if (part.at == 0) {
      column.strings = std::move(extra.strings);
    } else {
      file::append_strings(column.strings, extra.strings.view(), 0, part.count);
    }
    return;
  }
  file::append_validity(column.validity, part.at, bits_of(extra.validity), part.count);
}

}  // namespace

Result<std::vector<HostColumn>> read_columns(const Reader& reader, std::span<const size_t> columns,
                                             uint64_t begin, uint64_t count, unsigned threads) {
  BOBBIN_TRY(check_columns(reader, columns, begin, count));
  std::vector<HostColumn> made;
  for (const size_t column : columns) {
    made.push_back(make_column(reader.columns()[column], count));
  }
  const std::vector<Part> parts = parts_of(reader, columns, begin, count);
  std::vector<Extra> extras(parts.size());
  FirstError error;
  parallel_tasks(parts.size(), threads, [&](uint64_t task) {
    if (error.any()) {
      return;
    }
    const Part& part = parts[task];
    const DType type = made[part.slot].column.type;
    const size_t size = is_string(type) ? 0 : size_bytes(type);
    const std::span<std::byte> values(made[part.slot].values.get() + part.at * size, part.count * size);
    error.note(task, with_part(reader, part,
                               [&](const Array& array) { return read_part(array, values, extras[task]); }));
  });
  BOBBIN_TRY(error.status());
  for (size_t i = 0; i < parts.size(); ++i) {
    add_extra(made[parts[i].slot], parts[i], extras[i]);
  }
  return made;
}

}  // namespace bobbin
