// SPDX-License-Identifier: Apache-2.0
// Vectors of a bit-packed array in host memory, one at a time, without the slice and the decoder's dispatch
// that a batch needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "codecs/bitpack/bitpack.hpp"
#include "codecs/codec.hpp"
#include "codecs/ffor/ffor.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"
#include "plan/decide.hpp"

namespace bobbin::plan {

class PackedVectors {
 public:
  // Nothing for other codecs. The array must stay in place.
  [[nodiscard]] static std::optional<PackedVectors> of(const Array& array) {
    const bool packed = array.codec == CodecId::bitpack || array.codec == CodecId::ffor;
    return packed ? std::optional(PackedVectors(array)) : std::nullopt;
  }

  // The values of vector v: in place if there are 1024 that are as wide as their type, otherwise written to
  // `to`; either way, as many can be read. Also loads the packed bytes of the next vector into a cache: they
  // arrive while these values are used.
  const std::byte* unpack(uint64_t v, std::byte* to) const {
    return visit_bits(array_->type, [&]<class T>(std::type_identity<T>) {
      const Place packed = place(v);
      const T first = reference<T>(v);
      load_next(v);
      const auto here = static_cast<uint32_t>(std::min<uint64_t>(kVectorLength, end_ - v * kVectorLength));
      if (here == kVectorLength && packed.width == kBits<T> && first == 0 &&
          reinterpret_cast<uintptr_t>(packed.bytes) % sizeof(T) == 0) {
        return packed.bytes;
      }
      codec::bitpack::unpack_vector<T>(packed.bytes, packed.width, num_rows(here, kBits<T>), first,
                                       reinterpret_cast<T*>(to));
      return static_cast<const std::byte*>(to);
    });
  }

  // What the integers of vector v lie between, from its reference and its width alone.
  [[nodiscard]] std::optional<Limits> limits(uint64_t v) const {
    return visit_type(array_->type, [&]<class T>(std::type_identity<T>) -> std::optional<Limits> {
      if constexpr (std::is_floating_point_v<T>) {
        return std::nullopt;
      } else {
        using Bits = std::make_unsigned_t<T>;
        const auto least = static_cast<T>(reference<Bits>(v));
        const Int128 greatest = Int128{least} + Int128{low_mask<Bits>(place(v).width)};
        const bool wraps = greatest > Int128{std::numeric_limits<T>::max()};
        return wraps ? std::nullopt : std::optional(Limits::of(Int128{least}, greatest));
      }
    });
  }

  // Some values of vector v, by their positions in it.
  template <class T>
  void pick(uint64_t v, std::span<const uint16_t> rows, T* to) const {
    const Place packed = place(v);
    const T first = reference<T>(v);
    std::ranges::transform(rows, to, [&](uint16_t row) {
      return static_cast<T>(codec::bitpack::unpack_one<T>(packed.bytes, packed.width, row) + first);
    });
  }

 private:
  struct Place {
    const std::byte* bytes;
    uint32_t width;
  };

  explicit PackedVectors(const Array& array) : array_(&array), end_(array.offset + array.length) {}

  [[nodiscard]] Place place(uint64_t v) const {
    if (array_->codec == CodecId::bitpack) {
      const uint32_t width = codec::bitpack::width_of(*array_);
      return {array_->buffers[0].bytes.data() + v * width * kRegisterBytes, width};
    }
    const codec::ffor::Parts parts(*array_);
    const codec::ffor::Entry entry = parts.entry(v);
    return {parts.vector(entry), entry.width()};
  }
  template <class T>
  [[nodiscard]] T reference(uint64_t v) const {
    return array_->codec == CodecId::ffor ? codec::ffor::Parts(*array_).reference<T>(v) : T{0};
  }
  void load_next(uint64_t v) const {
    if ((v + 2) * kVectorLength <= end_) {
      const Place next = place(v + 1);
      for (uint32_t at = 0; at < next.width * kRegisterBytes; at += kCacheLine) {
        __builtin_prefetch(next.bytes + at);
      }
    }
  }

  static constexpr uint32_t kCacheLine = 64;

  const Array* array_;
  uint64_t end_;
};

}  // namespace bobbin::plan
