// SPDX-License-Identifier: Apache-2.0
#include "interop/export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "bobbin/arrow.hpp"
#include "bobbin/text.hpp"
#include "core/bits.hpp"
#include "interop/formats.hpp"

namespace bobbin {
namespace interop {
namespace {

constexpr uint64_t kMaxFreeBytes = uint64_t{64} << 20;
constexpr uint64_t kRoom = uint64_t{64} << 10;  // sizes are multiples of this, so that they repeat

template <class To>
To* make_room(ArrowColumn& column, uint64_t count) {
  const uint64_t bytes = count * sizeof(To);
  column.converted = column.memory != nullptr ? column.memory->take(bytes)
                                              : std::make_unique_for_overwrite<std::byte[]>(bytes);
  return reinterpret_cast<To*>(column.converted.get());
}

template <class T>
const T* values_of(const ArrowColumn& column) {
  return reinterpret_cast<const T*>(column.source.values.get());
}

void pack_bits(ArrowColumn& column) {
  const uint64_t length = column.source.length;
  const uint8_t* const from = values_of<uint8_t>(column);
  auto* const to = make_room<uint8_t>(column, (length + 7) / 8);
  for (uint64_t row = 0; row < length; row += 8) {
    uint8_t bits = 0;
    for (uint64_t i = 0; i < std::min<uint64_t>(8, length - row); ++i) {
      bits = static_cast<uint8_t>(bits | (from[row + i] != 0) << i);
    }
    to[row / 8] = bits;
  }
}

template <class From>
void widen(ArrowColumn& column) {
  const From* const from = values_of<From>(column);
  std::copy_n(from, column.source.length, make_room<Int128>(column, column.source.length));
}

void widen_decimals(ArrowColumn& column) {
  switch (size_bytes(column.source.column.type)) {
    case 1:
      return widen<int8_t>(column);
    case 2:
      return widen<int16_t>(column);
    case 4:
      return widen<int32_t>(column);
    default:
      return widen<int64_t>(column);
  }
}

Status narrow_times(ArrowColumn& column) {
  const int64_t* const from = values_of<int64_t>(column);
  auto* const to = make_room<int32_t>(column, column.source.length);
  for (uint64_t row = 0; row < column.source.length; ++row) {
    to[row] = static_cast<int32_t>(from[row]);
    BOBBIN_RETURN_IF(to[row] != from[row], StatusCode::unsupported,
                     fmt::format("column {}: the time {} does not fit Arrow's 32 bits",
                                 quoted_text(column.source.column.name), from[row]));
  }
  return {};
}

Status narrow_offsets(ArrowColumn& column) {
  const auto& offsets = column.source.strings.offsets;
  BOBBIN_RETURN_IF(offsets.back() > std::numeric_limits<int32_t>::max(), StatusCode::unsupported,
                   fmt::format("column {}: {} bytes of strings do not fit Arrow's 32-bit offsets",
                               quoted_text(column.source.column.name), offsets.back()));
  auto* const to = make_room<int32_t>(column, offsets.size());
  std::ranges::transform(offsets, to, [](uint64_t offset) { return static_cast<int32_t>(offset); });
  return {};
}

// Strings of one size without offsets. Nulls take as many bytes as the others.
Status align_strings(ArrowColumn& column, uint32_t width) {
  const HostColumn& source = column.source;
  auto* to = make_room<std::byte>(column, source.length * width);
  for (uint64_t row = 0; row < source.length; ++row, to += width) {
    const std::string_view string = source.string(row);
    if (source.is_null(row)) {
      std::fill_n(to, width, std::byte{});
      continue;
    }
    BOBBIN_RETURN_IF(string.size() != width, StatusCode::corrupt,
                     fmt::format("column {}: a value has {} bytes, but its type has {}",
                                 quoted_text(source.column.name), string.size(), width));
    std::memcpy(to, string.data(), width);
  }
  return {};
}

Status convert(ArrowColumn& column, const ArrowType& type) {
  switch (type.layout) {
    case Layout::bits:
      pack_bits(column);
      return {};
    case Layout::decimal:
      widen_decimals(column);
      return {};
    case Layout::time32:
      return narrow_times(column);
    case Layout::strings:
      return type.width == 32 ? narrow_offsets(column) : Status();
    case Layout::fixed:
      return align_strings(column, type.width);
    default:
      return {};
  }
}

void point_at_buffers(ArrowColumn& column, const ArrowType& type) {
  const bool are_strings = is_string(column.source.column.type);
  const std::vector<uint8_t>& validity =
      are_strings ? column.source.strings.validity : column.source.validity;
  column.has_nulls = !validity.empty();
  column.buffers[0] = validity.empty() ? nullptr : validity.data();
  const void* const own = are_strings ? static_cast<const void*>(column.source.strings.offsets.data())
                                      : column.source.values.get();
  column.buffers[1] = address_of(column.converted != nullptr ? column.converted.get() : own);
  column.n_buffers = are_strings && type.layout != Layout::fixed ? 3 : 2;
  column.buffers[2] = address_of(column.source.strings.bytes.data());
}

// What an exported array of a column owns. Receivers may move children out of their parent, so that each
// keeps its own share of the memory.
struct ColumnOwner {
  std::shared_ptr<const ArrowBuffers> column;
  std::array<const void*, 3> buffers;
};

void release_column(ArrowArray* array) {
  delete static_cast<ColumnOwner*>(array->private_data);
  array->release = nullptr;
}

void export_column(const std::shared_ptr<const ArrowBuffers>& column, uint64_t begin, uint64_t length,
                   ArrowArray* out) {
  auto owner = std::make_unique<ColumnOwner>(ColumnOwner{column, column->buffers});
  *out = {.length = static_cast<int64_t>(length),
          .null_count = column->has_nulls ? -1 : 0,
          .offset = static_cast<int64_t>(begin),
          .n_buffers = column->n_buffers,
          .n_children = 0,
          .buffers = owner->buffers.data(),
          .children = nullptr,
          .dictionary = nullptr,
          .release = release_column,
          .private_data = nullptr};
  out->private_data = owner.release();
}

struct StructOwner {
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  const void* validity = nullptr;  // never any

  explicit StructOwner(size_t size) : children(size), pointers(size) {
    std::ranges::transform(children, pointers.begin(), [](ArrowArray& child) { return &child; });
  }
  StructOwner(const StructOwner&) = delete;
  StructOwner& operator=(const StructOwner&) = delete;
  ~StructOwner() {
    for (ArrowArray& child : children) {
      if (child.release != nullptr) {
        child.release(&child);
      }
    }
  }
};

void release_struct(ArrowArray* array) {
  delete static_cast<StructOwner*>(array->private_data);
  array->release = nullptr;
}

}  // namespace

HostColumn ColumnMemory::make_column(const Column& column, uint64_t rows) {
  HostColumn made;
  made.column = column;
  made.length = rows;
  made.strings.type = column.type;
  if (!is_string(column.type)) {
    made.values = take(rows * size_bytes(column.type));
  }
  return made;
}

std::unique_ptr<std::byte[]> ColumnMemory::take(uint64_t bytes) {
  const uint64_t room = round_up<uint64_t>(bytes, kRoom);
  const std::lock_guard lock(mutex_);
  // The latest is most likely still in a cache. What is much larger is kept for others.
  const auto found = std::find_if(free_.rbegin(), free_.rend(), [&](const Piece& piece) {
    return piece.bytes >= room && piece.bytes <= room + room / 4;
  });
  if (found != free_.rend()) {
    Piece piece = std::move(*found);
    free_.erase(std::next(found).base());
    free_bytes_ -= piece.bytes;
    sizes_[piece.memory.get()] = piece.bytes;
    return std::move(piece.memory);
  }
  auto memory = std::make_unique_for_overwrite<std::byte[]>(room);
  sizes_[memory.get()] = room;
  return memory;
}

void ColumnMemory::give(std::unique_ptr<std::byte[]> memory) {
  const std::lock_guard lock(mutex_);
  const auto size = sizes_.find(memory.get());
  if (size == sizes_.end()) {
    return;
  }
  if (free_bytes_ + size->second <= kMaxFreeBytes) {
    free_.push_back({std::move(memory), size->second});
    free_bytes_ += size->second;
  }
  sizes_.erase(size);
}

ArrowColumn::~ArrowColumn() {
  if (memory != nullptr) {
    give_source();
    memory->give(std::move(converted));
  }
}

void ArrowColumn::give_source() {
  if (memory != nullptr) {
    memory->give(std::move(source.values));
  }
}

Result<std::shared_ptr<const ArrowBuffers>> lay_out(HostColumn column, const std::string& format,
                                                    std::shared_ptr<ColumnMemory> memory) {
  BOBBIN_ASSIGN(const ArrowType type, parse_format(format));
  auto made = std::make_shared<ArrowColumn>();
  made->source = std::move(column);
  made->memory = std::move(memory);
  BOBBIN_TRY(convert(*made, type));
  if (made->converted != nullptr) {
    made->give_source();
  }
  point_at_buffers(*made, type);
  return std::shared_ptr<const ArrowBuffers>(std::move(made));
}

void export_rows(const ArrowColumns& columns, uint64_t begin, uint64_t length, ArrowArray* out) {
  auto owner = std::make_unique<StructOwner>(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    export_column(columns[i], begin, length, &owner->children[i]);
  }
  *out = {.length = static_cast<int64_t>(length),
          .null_count = 0,
          .offset = 0,
          .n_buffers = 1,
          .n_children = static_cast<int64_t>(columns.size()),
          .buffers = &owner->validity,
          .children = owner->pointers.data(),
          .dictionary = nullptr,
          .release = release_struct,
          .private_data = nullptr};
  out->private_data = owner.release();
}

}  // namespace interop

namespace arrow {

Status export_columns(std::vector<HostColumn> columns, std::span<const std::string> formats,
                      ArrowArray* out) {
  BOBBIN_RETURN_IF(columns.size() != formats.size(), StatusCode::invalid_argument,
                   fmt::format("{} types for {} columns", formats.size(), columns.size()));
  const uint64_t length = columns.empty() ? 0 : columns[0].length;
  interop::ArrowColumns made;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string name = quoted_text(columns[i].column.name);
    BOBBIN_RETURN_IF(columns[i].length != length, StatusCode::invalid_argument,
                     fmt::format("column {} has {} rows, not {}", name, columns[i].length, length));
    BOBBIN_RETURN_IF(!can_export_as(columns[i].column, formats[i]), StatusCode::invalid_argument,
                     fmt::format("column {} cannot be exported as {}", name, quoted_text(formats[i])));
    BOBBIN_ASSIGN(auto column, interop::lay_out(std::move(columns[i]), formats[i]));
    made.push_back(std::move(column));
  }
  interop::export_rows(made, 0, length, out);
  return {};
}

}  // namespace arrow
}  // namespace bobbin
