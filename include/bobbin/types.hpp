// SPDX-License-Identifier: Apache-2.0
// The value types of columns, and where work can run.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

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

// The meaning of a column's values, where it is more than their type. The numbers are part of the file
// format.
struct Logical {
  enum class Kind : uint8_t {
    plain = 0,      // the values themselves
    boolean = 1,    // u8: 0 or 1
    date = 2,       // i32: days since 1970-01-01
    timestamp = 3,  // i64: `unit`s since 1970-01-01 00:00:00, without a time zone
    decimal = 4     // a signed integer: the number times 10^scale
  };
  enum class Unit : uint8_t { seconds = 0, milliseconds = 1, microseconds = 2, nanoseconds = 3 };
  static constexpr uint8_t kMaxScale = 18;

  Kind kind = Kind::plain;
  Unit unit = Unit::seconds;  // of a timestamp
  uint8_t scale = 0;          // of a decimal: digits after the point, up to kMaxScale

  [[nodiscard]] bool fits(DType type) const;
  friend bool operator==(const Logical&, const Logical&) = default;
};

[[nodiscard]] std::string_view to_string(DType type);
// "u32" to DType::u32; nothing for a name that is not a type.
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);

// A column's type as people write it: "u32", "bool", "date", "timestamp[us]", "decimal(2)". A decimal that
// does not have 64 bits is followed by its type: "decimal(2) i32".
struct ColumnType {
  DType type{};
  Logical logical{};

  friend bool operator==(const ColumnType&, const ColumnType&) = default;
};
[[nodiscard]] std::string to_string(const ColumnType& type);
[[nodiscard]] std::optional<ColumnType> parse_column_type(std::string_view text);

// Where work runs. `emulator` runs the GPU kernels on the CPU, thread by thread, and checks them.
enum class Backend : uint8_t { cpu, cuda, emulator };

[[nodiscard]] std::string_view to_string(Backend backend);
[[nodiscard]] std::optional<Backend> parse_backend(std::string_view name);

// One value of any column type: the value's bits, zero-extended. Interpreted by the column's DType.
struct Scalar {
  uint64_t bits = 0;

  friend bool operator==(const Scalar&, const Scalar&) = default;
};

// Sums of integers are exact.
__extension__ typedef __int128 Int128;

enum class Compare : uint8_t { eq, ne, lt, le, gt, ge };

}  // namespace bobbin
