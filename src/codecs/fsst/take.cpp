// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codecs/delta/delta.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/fsst/stream.hpp"
#include "codecs/string_validity.hpp"
#include "core/lanes.hpp"

namespace bobbin::codec::fsst {
namespace {

std::string wrong_size(uint64_t index) {
  return "fsst: string " + std::to_string(index) + " does not have the size that its codes give";
}

// Offsets of strings, decoded a vector at a time: strings that are taken together mostly share one.
template <class T>
class Offsets {
 public:
  explicit Offsets(const Array& array) : array_(array) {}

  uint64_t operator[](uint64_t index) {
    const uint64_t i = array_.offset + index;
    if (i / kVectorLength != vector_) {
      vector_ = i / kVectorLength;
      delta::decode_vector(array_, vector_, values_);
    }
    return values_[i % kVectorLength];
  }

 private:
  const Array& array_;
  uint64_t vector_ = UINT64_MAX;
  alignas(64) T values_[kVectorLength];
};

// Appends strings.
template <class T>
class Taker {
 public:
  Taker(const Parts& parts, Strings& out)
      : codes_(parts.codes),
        code_offsets_(*parts.code_offsets),
        offsets_(*parts.offsets),
        decoder_(parts.table(), nullptr, 0),
        out_(out),
        at_(out.bytes.size()) {}

  // The bytes of a string, which the output does not show before finish() or finish_string().
  Status take(uint64_t index) {
    const uint64_t begin = code_offsets_[index];
    const uint64_t end = code_offsets_[index + 1];
    const uint64_t first = offsets_[index];
    const uint64_t size = offsets_[index + 1] - first;
    // Both kinds of offsets are valid, but may not match each other.
    BOBBIN_RETURN_IF(size > (end - begin) * kMaxSymbolBytes, StatusCode::corrupt, wrong_size(index));
    if (out_.bytes.size() < at_ + size + kSlack) {
      out_.bytes.resize(2 * (at_ + size + kSlack));
    }
    uint8_t* const to = out_.bytes.data() + at_;
    decoder_.set_room(to, size + kSlack);
    const bool decoded = decoder_.decode(codes_.data() + begin, codes_.data() + end);
    BOBBIN_RETURN_IF(!decoded || decoder_.literal_is_next() || decoder_.position() != to + size,
                     StatusCode::corrupt, wrong_size(index));
    at_ += size;
    return {};
  }
  void finish_string() {
    finish();
    out_.finish_string();
  }
  void finish() { out_.bytes.resize(at_); }
  [[nodiscard]] uint64_t end() const { return at_; }

 private:
  static constexpr uint64_t kSlack =
      8 * kMaxSymbolBytes;  // room for the decoder to write eight codes at once

  std::span<const uint8_t> codes_;
  Offsets<T> code_offsets_;
  Offsets<T> offsets_;
  StreamDecoder decoder_;
  Strings& out_;
  uint64_t at_;
};

template <class T>
Status take_with_nulls(const Array& array, const Parts& parts, std::span<const uint64_t> indices,
                       Strings& out) {
  Taker<T> taker(parts, out);
  for (const uint64_t index : indices) {
    const uint64_t bit = array.offset + index;
    if (!parts.validity.empty() && (parts.validity[bit / 8] >> (bit % 8) & 1) == 0) {
      out.push_null();
    } else {
      BOBBIN_TRY(taker.take(index));
      taker.finish_string();
    }
  }
  return {};
}

template <class T>
Status take_all(const Array& array, const Parts& parts, std::span<const uint64_t> indices, Strings& out) {
  if (!parts.validity.empty() || !out.validity.empty()) {
    return take_with_nulls<T>(array, parts, indices, out);
  }
  Taker<T> taker(parts, out);
  out.offsets.reserve(out.offsets.size() + indices.size());
  for (const uint64_t index : indices) {
    BOBBIN_TRY(taker.take(index));
    out.offsets.push_back(taker.end());
  }
  taker.finish();
  return {};
}

template <class T>
std::vector<uint64_t> differences(const Array& offsets) {
  UnsetVector<T> ends(offsets.length);
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
  return parts.wide() ? take_all<uint64_t>(array, parts, indices, out)
                      : take_all<uint32_t>(array, parts, indices, out);
}

}  // namespace bobbin::codec::fsst
