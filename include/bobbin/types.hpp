// SPDX-License-Identifier: Apache-2.0
// The value types of columns, and where work can run.
//
// Threads: everything here is plain data and functions without state.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "bobbin/export.h"

namespace bobbin {

// The numbers are part of the file format: their meaning never changes.
enum class DType : uint8_t {
  u8 = 1,
  u16 = 2,
  u32 = 3,
  u64 = 4,
  i8 = 5,
  i16 = 6,
  i32 = 7,
  i64 = 8,
  f32 = 9,
  f64 = 10,
  utf8 = 11,   // strings that are valid UTF-8
  binary = 12  // strings of any bytes
};

// The types whose values have a fixed size.
inline constexpr DType kAllTypes[] = {DType::u8,  DType::u16, DType::u32, DType::u64, DType::i8,
                                      DType::i16, DType::i32, DType::i64, DType::f32, DType::f64};
inline constexpr DType kIntegerTypes[] = {DType::u8, DType::u16, DType::u32, DType::u64,
                                          DType::i8, DType::i16, DType::i32, DType::i64};

[[nodiscard]] constexpr bool is_float(DType type) {
  return type == DType::f32 || type == DType::f64;
}
[[nodiscard]] constexpr bool is_string(DType type) {
  return type == DType::utf8 || type == DType::binary;
}
// Signed integers; floats are not included.
[[nodiscard]] constexpr bool is_signed(DType type) {
  return type >= DType::i8 && type <= DType::i64;
}
// Not for strings, which vary in size.
[[nodiscard]] constexpr size_t size_bytes(DType type) {
  return is_float(type) ? (type == DType::f32 ? 4 : 8) : size_t{1} << ((static_cast<uint8_t>(type) - 1) % 4);
}
[[nodiscard]] constexpr uint32_t size_bits(DType type) {
  return static_cast<uint32_t>(8 * size_bytes(type));
}

// The DType of a C++ type: kDTypeOf<float> is DType::f32.
template <class T>
inline constexpr DType kDTypeOf = [] {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8);
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? DType::f32 : DType::f64;
  } else {
    return static_cast<DType>(std::countr_zero(sizeof(T)) + (std::is_signed_v<T> ? 5 : 1));
  }
}();

// The meaning of a column's values, if they are not plain values of their type. The numbers are part of the
// file format.
struct BOBBIN_API Logical {
  enum class Kind : uint8_t {
    plain = 0,      // the values themselves
    boolean = 1,    // u8: 0 or 1
    date = 2,       // i32: days since 1970-01-01
    timestamp = 3,  // i64: `unit`s since 1970-01-01 00:00:00, without a time zone
    decimal = 4,    // a signed integer: the number times 10^scale
    time = 5        // i64: `unit`s since midnight
  };
  enum class Unit : uint8_t { seconds = 0, milliseconds = 1, microseconds = 2, nanoseconds = 3 };
  static constexpr uint8_t kMaxScale = 18;

  Kind kind = Kind::plain;
  Unit unit = Unit::seconds;  // of a timestamp or time
  uint8_t scale = 0;          // of a decimal: digits after the point, up to kMaxScale

  [[nodiscard]] bool fits(DType type) const;
  friend bool operator==(const Logical&, const Logical&) = default;
};

[[nodiscard]] BOBBIN_API std::string_view to_string(DType type);
// "u32" to DType::u32; nothing for a name that is not a type.
[[nodiscard]] BOBBIN_API std::optional<DType> parse_dtype(std::string_view name);

// A column's type as people write it: "u32", "bool", "date", "timestamp[us]", "time[s]", "decimal(2)". A
// decimal that does not have 64 bits is followed by its type: "decimal(2) i32".
struct ColumnType {
  DType type{};
  Logical logical{};

  friend bool operator==(const ColumnType&, const ColumnType&) = default;
};
[[nodiscard]] BOBBIN_API std::string to_string(const ColumnType& type);
[[nodiscard]] BOBBIN_API std::optional<ColumnType> parse_column_type(std::string_view text);

// Where work runs. `emulator` runs the GPU kernels on the CPU, thread by thread, and checks them.
enum class Backend : uint8_t { cpu, cuda, emulator };

[[nodiscard]] BOBBIN_API std::string_view to_string(Backend backend);
[[nodiscard]] BOBBIN_API std::optional<Backend> parse_backend(std::string_view name);

// One value of any column type: the value's bits, zero-extended. Interpreted by the column's DType.
struct Scalar {
  uint64_t bits = 0;

  friend bool operator==(const Scalar&, const Scalar&) = default;
};

// The unsigned integer type of the same size.
template <class T>
using BitsOf = std::conditional_t<
    sizeof(T) == 1, uint8_t,
    std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

// scalar_of(1.5F) has the bits of the float; value_of<float>() is its inverse.
template <class T>
[[nodiscard]] constexpr Scalar scalar_of(T value) {
  return {std::bit_cast<BitsOf<T>>(value)};
}
template <class T>
[[nodiscard]] constexpr T value_of(Scalar scalar) {
  return std::bit_cast<T>(static_cast<BitsOf<T>>(scalar.bits));
}
// Element i of an array of numbers, at any alignment.
[[nodiscard]] inline Scalar scalar_at(DType type, const void* values, uint64_t i) {
  const size_t size = size_bytes(type);
  Scalar scalar;
  // A constant size in each branch becomes one load.
  const auto* const from = static_cast<const std::byte*>(values) + i * size;
  if (size == 8) {
    std::memcpy(&scalar.bits, from, 8);
  } else if (size == 4) {
    std::memcpy(&scalar.bits, from, 4);
  } else if (size == 2) {
    std::memcpy(&scalar.bits, from, 2);
  } else {
    std::memcpy(&scalar.bits, from, 1);
  }
  return scalar;
}

// Whether a is before b in the order of zone maps: by value; -0.0 is before +0.0, and NaN lies beyond the
// infinities on the side of its sign bit.
[[nodiscard]] BOBBIN_API bool less(DType type, Scalar a, Scalar b);
// The nearest double. Logical types are not considered: a decimal gives its stored integer.
[[nodiscard]] BOBBIN_API double to_double(DType type, Scalar value);

// The type of sums of integers, which are exact.
__extension__ typedef __int128 Int128;

enum class Compare : uint8_t { eq, ne, lt, le, gt, ge };

}  // namespace bobbin
