// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/delta/delta.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/fsst/stream.hpp"
#include "codecs/string_validity.hpp"

namespace bobbin::codec::fsst {
namespace {

std::string wrong_size(uint64_t index) {
  return "fsst: string " + std::to_string(index) + " does not have the size that its codes give";
}

Status take_one(const Parts& parts, uint64_t index, StreamDecoder& decoder, Strings& out) {
  const uint64_t begin = delta::value_at(*parts.code_offsets, index).bits;
  const uint64_t end = delta::value_at(*parts.code_offsets, index + 1).bits;
  const uint64_t size =
      delta::value_at(*parts.offsets, index + 1).bits - delta::value_at(*parts.offsets, index).bits;
  // Both kinds of offsets are valid, but may not match each other.
  const bool possible = size <= (end - begin) * kMaxSymbolBytes;
  const size_t before = out.bytes.size();
  out.bytes.resize(before + (possible ? size : 0));
  decoder.set_room(out.bytes.data() + before, possible ? size : 0);
  const bool decoded = possible && decoder.decode(parts.codes.data() + begin, parts.codes.data() + end);
  BOBBIN_RETURN_IF(
      !decoded || decoder.literal_is_next() || decoder.position() != out.bytes.data() + out.bytes.size(),
      StatusCode::corrupt, wrong_size(index));
  out.finish_string();
  return {};
}

template <class T>
std::vector<uint64_t> differences(const Array& offsets) {
  std::vector<T> ends(offsets.length);
  delta::decode(offsets, ends.data());
  std::vector<uint64_t> sizes(offsets.length - 1);
  for (uint64_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = ends[i + 1] - ends[i];
  }
  return sizes;
}

std::vector<uint64_t> sizes_between(const Array& offsets) {
  return offsets.type == DType::u64 ? differences<uint64_t>(offsets) : differences<uint32_t>(offsets);
}

// The decoded size of a string's codes; nothing if they end with an escape.
std::optional<uint64_t> bytes_of(const SymbolTable& table, std::span<const uint8_t> codes) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] != kEscape) {
      bytes += table.lengths[codes[i]];
    } else if (++i < codes.size()) {
      ++bytes;
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

}  // namespace

std::vector<uint8_t> validity(const Array& array) {
  return validity_in(array, 3);
}

std::vector<uint64_t> lengths(const Array& array) {
  return sizes_between(*Parts(array).offsets);
}

Status check_each(const Array& array) {
  const Parts parts(array);
  const SymbolTable table = parts.table();
  const std::vector<uint64_t> sizes = lengths(array);
  const std::vector<uint64_t> code_sizes = sizes_between(*parts.code_offsets);
  uint64_t at = parts.header.code_begin;
  for (uint64_t i = 0; i < array.length; ++i) {
    BOBBIN_RETURN_IF(bytes_of(table, parts.codes.subspan(at, code_sizes[i])) != sizes[i], StatusCode::corrupt,
                     wrong_size(i));
    at += code_sizes[i];
  }
  return {};
}

Status take(const Array& array, std::span<const uint64_t> indices, Strings& out) {
  const Parts parts(array);
  StreamDecoder decoder(parts.table(), nullptr, 0);
  for (const uint64_t index : indices) {
    const uint64_t bit = array.offset + index;
    if (!parts.validity.empty() && (parts.validity[bit / 8] >> (bit % 8) & 1) == 0) {
      out.push_null();
    } else {
      BOBBIN_TRY(take_one(parts, index, decoder, out));
    }
  }
  return {};
}

}  // namespace bobbin::codec::fsst
