// SPDX-License-Identifier: Apache-2.0
#include "interop/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

namespace bobbin::interop {
namespace {

constexpr int64_t kMaxRows = int64_t{1} << 56;  // no sum or product of sizes overflows
constexpr uint32_t kInlineBytes = 12;           // a view of a string holds that many
constexpr size_t kViewBytes = 16;

Status invalid(std::string message) {
  return {StatusCode::invalid_argument, std::move(message)};
}

// Rows of an array; `first` counts from the start of its buffers.
struct Rows {
  const ArrowArray& array;
  uint64_t first = 0;
  uint64_t length = 0;

  [[nodiscard]] const std::byte* buffer(size_t i) const {
    return static_cast<const std::byte*>(array.buffers[i]);
  }
};

bool bit_at(const std::byte* bits, uint64_t i) {
  return (static_cast<uint8_t>(bits[i / 8]) >> (i % 8) & 1) != 0;
}

// ---- Checks ----

int64_t num_buffers(const ArrowType& type) {
  switch (type.layout) {
    case Layout::strings:
      return 3;
    default:
      return 2;
  }
}

Status check_buffers(const ArrowType& type, const ArrowArray& array) {
  if (type.layout == Layout::all_null) {
    return {};  // Arrow wants no buffers, but some producers have one, which says nothing
  }
  const bool are_views = type.layout == Layout::views;
  const int64_t wanted = are_views ? 3 : num_buffers(type);
  const bool enough = are_views ? array.n_buffers >= wanted : array.n_buffers == wanted;
  BOBBIN_RETURN_IF(!enough, StatusCode::invalid_argument,
                   fmt::format("expected {} buffers, found {}", wanted, array.n_buffers));
  BOBBIN_RETURN_IF(wanted > 0 && array.buffers == nullptr, StatusCode::invalid_argument,
                   "the list of buffers is null");
  return {};
}

// Whether the buffers that the rows need are there.
Status check_data(const ArrowType& type, const Rows& rows) {
  if (rows.length == 0 || type.layout == Layout::all_null) {
    return {};
  }
  const bool is_empty = type.layout == Layout::fixed && type.width == 0;
  BOBBIN_RETURN_IF(rows.array.buffers[1] == nullptr && !is_empty, StatusCode::invalid_argument,
                   "buffer 1 is null");
  BOBBIN_RETURN_IF(rows.array.null_count > 0 && rows.array.buffers[0] == nullptr,
                   StatusCode::invalid_argument, "there are nulls, but buffer 0 is null");
  return {};
}

Result<Rows> check_rows(const ArrowType& type, const ArrowArray& array, uint64_t begin, uint64_t length) {
  BOBBIN_TRY(check_extent(array));
  BOBBIN_RETURN_IF(begin + length > static_cast<uint64_t>(array.length), StatusCode::invalid_argument,
                   fmt::format("expected {} rows, found {}", begin + length, array.length));
  BOBBIN_RETURN_IF(array.null_count < -1 || array.null_count > array.length, StatusCode::invalid_argument,
                   fmt::format("{} nulls among {} rows", array.null_count, array.length));
  BOBBIN_TRY(check_buffers(type, array));
  const Rows rows{array, static_cast<uint64_t>(array.offset) + begin, length};
  BOBBIN_TRY(check_data(type, rows));
  return rows;
}

// ---- Nulls ----

// The rows' bits, beginning with the first of a byte; null if there are no nulls.
const uint8_t* import_validity(const Rows& rows, Scratch& scratch) {
  const auto* const bits = static_cast<const uint8_t*>(rows.array.buffers[0]);
  if (bits == nullptr || rows.array.null_count == 0 || rows.length == 0) {
    return nullptr;
  }
  const uint8_t* const from = bits + rows.first / 8;
  const auto shift = static_cast<uint32_t>(rows.first % 8);
  if (shift == 0) {
    return from;
  }
  const uint64_t size = (rows.length + 7) / 8;
  const uint64_t last = (shift + rows.length - 1) / 8;  // the last byte that may be read
  scratch.validity.resize(size);
  for (uint64_t i = 0; i < size; ++i) {
    const uint32_t next = i + 1 <= last ? from[i + 1] : 0;
    scratch.validity[i] = static_cast<uint8_t>((from[i] | next << 8) >> shift);
  }
  return scratch.validity.data();
}

bool is_null(const uint8_t* validity, uint64_t row) {
  return validity != nullptr && (validity[row / 8] >> (row % 8) & 1) == 0;
}

// ---- Numbers ----

template <class T>
std::span<T> make_values(Scratch& scratch, uint64_t length) {
  scratch.values.resize(length * sizeof(T));
  return {reinterpret_cast<T*>(scratch.values.data()), length};
}

ColumnView view_of(DType type, const Scratch& scratch, uint64_t length, const uint8_t* validity) {
  return {type, scratch.values.data(), length, validity};
}

ColumnView import_bits(const Rows& rows, Scratch& scratch) {
  const std::span<uint8_t> to = make_values<uint8_t>(scratch, rows.length);
  for (uint64_t row = 0; row < rows.length; ++row) {
    to[row] = bit_at(rows.buffer(1), rows.first + row) ? 1 : 0;
  }
  return view_of(DType::u8, scratch, rows.length, import_validity(rows, scratch));
}

ColumnView import_times(const Rows& rows, Scratch& scratch) {
  const std::span<int64_t> to = make_values<int64_t>(scratch, rows.length);
  for (uint64_t row = 0; row < rows.length; ++row) {
    to[row] = value_of<int32_t>(scalar_at(DType::i32, rows.buffer(1), rows.first + row));
  }
  return view_of(DType::i64, scratch, rows.length, import_validity(rows, scratch));
}

// A little-endian integer of `size` bytes, if 64 bits hold it.
std::optional<int64_t> narrowed(const std::byte* from, size_t size) {
  if (size == 4) {
    return value_of<int32_t>(scalar_at(DType::i32, from, 0));
  }
  const auto low = value_of<int64_t>(scalar_at(DType::i64, from, 0));
  const auto sign = std::byte{static_cast<uint8_t>(low < 0 ? 0xff : 0)};
  const bool fits = std::all_of(from + 8, from + size, [&](std::byte byte) { return byte == sign; });
  return fits ? std::optional(low) : std::nullopt;
}

Result<ColumnView> import_decimals(const ArrowType& type, const Rows& rows, Scratch& scratch) {
  const size_t size = type.width / 8;
  const uint8_t* const validity = import_validity(rows, scratch);
  const std::span<int64_t> to = make_values<int64_t>(scratch, rows.length);
  for (uint64_t row = 0; row < rows.length; ++row) {
    const auto value = narrowed(rows.buffer(1) + (rows.first + row) * size, size);
    BOBBIN_RETURN_IF(!value.has_value() && !is_null(validity, row), StatusCode::unsupported,
                     fmt::format("the decimal in row {} does not fit 64 bits", row));
    to[row] = value.value_or(0);
  }
  return view_of(DType::i64, scratch, rows.length, validity);
}

ColumnView import_nothing(const Rows& rows, Scratch& scratch) {
  std::ranges::fill(make_values<uint8_t>(scratch, rows.length), uint8_t{0});
  scratch.validity.assign((rows.length + 7) / 8, 0);
  return view_of(DType::u8, scratch, rows.length, scratch.validity.data());
}

// ---- Strings ----

template <class T>
T load(const std::byte* from, uint64_t i) {
  T value{};
  std::memcpy(&value, from + i * sizeof(T), sizeof(T));
  return value;
}

template <class Offset>
Status check_offsets(const std::byte* offsets, const Rows& rows) {
  auto before = load<Offset>(offsets, 0);
  BOBBIN_RETURN_IF(before < 0, StatusCode::invalid_argument, "an offset is negative");
  for (uint64_t row = 1; row <= rows.length; ++row) {
    const auto offset = load<Offset>(offsets, row);
    BOBBIN_RETURN_IF(offset < before, StatusCode::invalid_argument,
                     fmt::format("the offset of row {} is less than that of the row before", row));
    before = offset;
  }
  const bool needs_bytes = before != load<Offset>(offsets, 0);
  BOBBIN_RETURN_IF(needs_bytes && rows.array.buffers[2] == nullptr, StatusCode::invalid_argument,
                   "buffer 2 is null");
  return {};
}

// Offsets at an address that numbers of their size can have.
template <class Offset>
const void* aligned_offsets(const std::byte* offsets, uint64_t count, Scratch& scratch) {
  if (reinterpret_cast<uintptr_t>(offsets) % sizeof(Offset) == 0) {
    return offsets;
  }
  scratch.offsets.resize((count * sizeof(Offset) + 7) / 8);
  std::memcpy(scratch.offsets.data(), offsets, count * sizeof(Offset));
  return scratch.offsets.data();
}

template <class Offset>
Result<ColumnView> import_strings(DType type, const Rows& rows, Scratch& scratch) {
  if (rows.length == 0) {
    return ColumnView(scratch.strings);  // an empty array need not have offsets
  }
  const std::byte* const offsets = rows.buffer(1) + rows.first * sizeof(Offset);
  BOBBIN_TRY(check_offsets<Offset>(offsets, rows));
  return ColumnView(StringsView{.type = type,
                                .length = rows.length,
                                .offsets = aligned_offsets<Offset>(offsets, rows.length + 1, scratch),
                                .wide = sizeof(Offset) == 8,
                                .bytes = reinterpret_cast<const uint8_t*>(rows.buffer(2)),
                                .validity = import_validity(rows, scratch)});
}

ColumnView import_fixed(const ArrowType& type, const Rows& rows, Scratch& scratch) {
  scratch.offsets.resize(rows.length + 1);
  for (uint64_t row = 0; row <= rows.length; ++row) {
    scratch.offsets[row] = (rows.first + row) * type.width;
  }
  return StringsView{.type = DType::binary,
                     .length = rows.length,
                     .offsets = scratch.offsets.data(),
                     .wide = true,
                     .bytes = reinterpret_cast<const uint8_t*>(rows.buffer(1)),
                     .validity = import_validity(rows, scratch)};
}

// The bytes that a view means: its own, or some of one of the buffers that follow the views.
Result<std::span<const uint8_t>> viewed(const Rows& rows, uint64_t row) {
  const std::byte* const view = rows.buffer(1) + (rows.first + row) * kViewBytes;
  const auto size = load<int32_t>(view, 0);
  if (size >= 0 && static_cast<uint32_t>(size) <= kInlineBytes) {
    return std::span(reinterpret_cast<const uint8_t*>(view) + 4, static_cast<size_t>(size));
  }
  const auto index = load<int32_t>(view, 2);
  const auto offset = load<int32_t>(view, 3);
  const int64_t num_bufs = rows.array.n_buffers - 3;
  const std::byte* const sizes = rows.buffer(static_cast<size_t>(rows.array.n_buffers) - 1);
  const bool is_there = size >= 0 && offset >= 0 && index >= 0 && index < num_bufs && sizes != nullptr &&
                        int64_t{offset} + size <= load<int64_t>(sizes, static_cast<uint64_t>(index)) &&
                        rows.array.buffers[2 + index] != nullptr;
  if (!is_there) {
    return invalid(fmt::format("the view of row {} lies outside its buffer", row));
  }
  const std::byte* const bytes = rows.buffer(2 + static_cast<size_t>(index)) + offset;
  return std::span(reinterpret_cast<const uint8_t*>(bytes), static_cast<size_t>(size));
}

Result<ColumnView> import_views(const ArrowType& type, const Rows& rows, Scratch& scratch) {
  scratch.strings.type = type.type.type;
  const uint8_t* const validity = import_validity(rows, scratch);
  for (uint64_t row = 0; row < rows.length; ++row) {
    if (is_null(validity, row)) {
      scratch.strings.push_null();
    } else {
      BOBBIN_ASSIGN(const std::span<const uint8_t> string, viewed(rows, row));
      scratch.strings.push_back(string);
    }
  }
  return ColumnView(scratch.strings);
}

// ---- Any type ----

Result<ColumnView> import_plain(const ArrowType& type, const Rows& rows, Scratch& scratch) {
  const DType dtype = type.type.type;
  switch (type.layout) {
    case Layout::numbers:
      return ColumnView(dtype, rows.length == 0 ? nullptr : rows.buffer(1) + rows.first * size_bytes(dtype),
                        rows.length, import_validity(rows, scratch));
    case Layout::bits:
      return import_bits(rows, scratch);
    case Layout::time32:
      return import_times(rows, scratch);
    case Layout::decimal:
      return import_decimals(type, rows, scratch);
    case Layout::strings:
      scratch.strings.type = dtype;
      return type.width == 32 ? import_strings<int32_t>(dtype, rows, scratch)
                              : import_strings<int64_t>(dtype, rows, scratch);
    case Layout::fixed:
      return import_fixed(type, rows, scratch);
    case Layout::views:
      return import_views(type, rows, scratch);
    case Layout::all_null:
      break;
  }
  return import_nothing(rows, scratch);
}

// ---- Dictionaries ----

// Which value of the dictionary a row has; nothing for a null.
class Indices {
 public:
  Indices(DType type, const Rows& rows, Scratch& scratch)
      : type_(type), rows_(rows), validity_(import_validity(rows, scratch)) {}

  Result<std::optional<uint64_t>> at(uint64_t row, uint64_t dictionary_length) const {
    if (is_null(validity_, row)) {
      return std::optional<uint64_t>();
    }
    const uint64_t index = widened(scalar_at(type_, rows_.buffer(1), rows_.first + row));
    if (index >= dictionary_length) {
      return invalid(fmt::format("row {}: no such value in the dictionary of {}", row, dictionary_length));
    }
    return std::optional(index);
  }

 private:
  // The sign is extended: a negative index of any width is larger than all dictionaries.
  [[nodiscard]] uint64_t widened(Scalar scalar) const {
    const uint32_t unused = is_signed(type_) ? 64 - size_bits(type_) : 0;
    return static_cast<uint64_t>(static_cast<int64_t>(scalar.bits << unused) >> unused);
  }

  DType type_;
  const Rows& rows_;
  const uint8_t* validity_;
};

Result<ColumnView> take_strings(const StringsView& from, const Indices& indices, uint64_t length,
                                Strings& to) {
  to.type = from.type;
  for (uint64_t row = 0; row < length; ++row) {
    BOBBIN_ASSIGN(const auto index, indices.at(row, from.length));
    if (index.has_value() && !from.is_null(*index)) {
      to.push_back(from.string(*index));
    } else {
      to.push_null();
    }
  }
  return ColumnView(to);
}

Result<ColumnView> take_numbers(const ColumnView& from, const Indices& indices, uint64_t length,
                                Scratch& to) {
  const size_t size = size_bytes(from.type());
  to.values.assign(length * size, std::byte{});
  std::vector<uint8_t> validity((length + 7) / 8, 0);
  for (uint64_t row = 0; row < length; ++row) {
    BOBBIN_ASSIGN(const auto index, indices.at(row, from.length()));
    if (index.has_value() && !is_null(from.validity(), *index)) {
      std::memcpy(to.values.data() + row * size, static_cast<const std::byte*>(from.values()) + *index * size,
                  size);
      validity[row / 8] = static_cast<uint8_t>(validity[row / 8] | 1 << (row % 8));
    }
  }
  to.validity = std::move(validity);
  return ColumnView(from.type(), to.values.data(), length, to.validity.data());
}

Result<ColumnView> import_dictionary(const Source& source, const Rows& rows, Scratch& scratch) {
  const ArrowArray* const dictionary = rows.array.dictionary;
  BOBBIN_RETURN_IF(dictionary == nullptr || dictionary->release == nullptr, StatusCode::invalid_argument,
                   "the dictionary is missing");
  const auto length = static_cast<uint64_t>(std::max<int64_t>(0, dictionary->length));
  BOBBIN_ASSIGN(const Rows entries, check_rows(source.type, *dictionary, 0, length));
  Scratch own;
  BOBBIN_ASSIGN(const ColumnView values, import_plain(source.type, entries, own));
  const Indices indices(source.index->type.type, rows, scratch);
  return is_string(values.type()) ? take_strings(values.strings(), indices, rows.length, scratch.strings)
                                  : take_numbers(values, indices, rows.length, scratch);
}

}  // namespace

Status check_extent(const ArrowArray& array) {
  BOBBIN_RETURN_IF(array.length < 0 || array.offset < 0 || array.length > kMaxRows || array.offset > kMaxRows,
                   StatusCode::invalid_argument,
                   fmt::format("length {} and offset {}", array.length, array.offset));
  return {};
}

Result<ColumnView> import_rows(const Source& source, const ArrowArray& array, uint64_t begin, uint64_t length,
                               Scratch& scratch) {
  BOBBIN_RETURN_IF(array.release == nullptr, StatusCode::invalid_argument, "the array was released");
  const ArrowType& stored = source.index.has_value() ? *source.index : source.type;
  BOBBIN_ASSIGN(const Rows rows, check_rows(stored, array, begin, length));
  return source.index.has_value() ? import_dictionary(source, rows, scratch)
                                  : import_plain(source.type, rows, scratch);
}

}  // namespace bobbin::interop
