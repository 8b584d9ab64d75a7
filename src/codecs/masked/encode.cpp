// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "codecs/ffor/ffor.hpp"
#include "codecs/masked/masked.hpp"
#include "codecs/smallest.hpp"

namespace bobbin::codec::masked {
namespace {

Values values_of(const BitmapWords& words) {
  return {DType::u32, words.data(), words.size()};
}

// The codecs that may encode the words.
constexpr CodecId kCandidates[] = {CodecId::bitpack, CodecId::ffor, CodecId::patched};

}  // namespace

BitmapWords validity_words(uint64_t rows, const uint8_t* validity_bits) {
  BitmapWords words(num_words(rows), ~uint32_t{0});
  if (validity_bits != nullptr) {
    std::copy_n(validity_bits, ceil_div<uint64_t>(rows, 8), reinterpret_cast<uint8_t*>(words.data()));
  }
  if (rows % kRowsPerWord != 0) {
    words.back() &= low_mask<uint32_t>(static_cast<uint32_t>(rows % kRowsPerWord));
  }
  return words;
}

Result<Array> wrap(Array values, const uint8_t* validity_bits) {
  const BitmapWords words = validity_words(values.length, validity_bits);
  BOBBIN_ASSIGN(Array validity, encode_smallest(values_of(words), kCandidates));
  return join(std::move(values), std::move(validity));
}

Result<Array> join(Array values, Array validity) {
  BOBBIN_RETURN_IF(values.offset != 0, StatusCode::invalid_argument,
                   "masked: cannot add validity to a slice of values");
  return Array{.codec = CodecId::masked,
               .type = values.type,
               .length = values.length,
               .offset = 0,
               .metadata = {},
               .buffers = {},
               .children = {std::move(values), std::move(validity)}};
}

uint64_t estimate(const Values& values) {
  const BitmapWords words = validity_words(values.length, nullptr);
  return ffor::estimate(values) + smallest_estimate(values_of(words), kCandidates);
}

Result<Array> encode(const Values& values) {
  BOBBIN_ASSIGN(Array encoded, ffor::encode(values));
  return wrap(std::move(encoded), nullptr);
}

}  // namespace bobbin::codec::masked
