// SPDX-License-Identifier: Apache-2.0
// Strings as codes for symbols, in tiles that can be decoded independently: see spec.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/fsst/symbol_table.hpp"
#include "core/bits.hpp"

namespace bobbin::codec::fsst {

inline constexpr uint32_t kTileBytes = 2048;
inline constexpr uint64_t kLiteralFirst = uint64_t{1} << 63;

BOBBIN_HD constexpr uint64_t num_tiles(uint64_t code_bytes) {
  return ceil_div<uint64_t>(code_bytes, kTileBytes);
}

struct Header {
  std::array<uint8_t, kMaxSymbolBytes> counts{};
  uint64_t out_begin = 0;
  uint64_t out_bytes = 0;
  uint64_t code_begin = 0;
  uint64_t code_end = 0;
  bool canonical = false;

  static constexpr size_t kBytes = 41;
  [[nodiscard]] static Header parse(std::span<const uint8_t> metadata);
  [[nodiscard]] std::vector<uint8_t> serialize() const;
};

// The parts of a validated array, by name.
struct Parts {
  Header header;
  const std::byte* symbols;
  std::span<const uint8_t> codes;
  std::span<const uint64_t> tiles;
  std::span<const uint8_t> validity;
  const Array* code_offsets;
  const Array* offsets;

  explicit Parts(const Array& array);
  [[nodiscard]] SymbolTable table() const { return SymbolTable::parse(header.counts, symbols); }
  [[nodiscard]] bool wide() const { return offsets->type == DType::u64; }
};

// Computes the words of a stream's tiles; nothing if the codes are corrupt.
[[nodiscard]] Result<std::vector<uint64_t>> index_tiles(const SymbolTable& table,
                                                        std::span<const uint8_t> codes);

// The canonical codes of a string, for comparisons.
[[nodiscard]] std::vector<uint8_t> encode_constant(const SymbolTable& table, std::span<const uint8_t> bytes);
[[nodiscard]] Status check_query(const StringQuery& query);

// Arrow's offsets are signed.
[[nodiscard]] constexpr bool needs_wide_offsets(uint64_t out_bytes, uint64_t code_bytes) {
  return out_bytes > INT32_MAX || code_bytes > INT32_MAX;
}
// Builds an array from its parts, as named in spec.md: buffers 0 to 3, children 0 and 1.
[[nodiscard]] Array join_parts(DType type, uint64_t length, const SymbolTable& table, uint64_t out_bytes,
                               std::vector<Buffer> buffers, std::vector<Array> children);

// Number of codes per byte of a sample.
[[nodiscard]] double expected_share(const SymbolTable& table, const Pieces& sample);

// Returns a new table, or the previous one if that is about as good.
[[nodiscard]] SymbolTable choose_table(const Pieces& sample, const Array* previous);

}  // namespace bobbin::codec::fsst
