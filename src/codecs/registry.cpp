// SPDX-License-Identifier: Apache-2.0
#include "codecs/registry.hpp"

#include <array>

#include "codecs/alp/alp.hpp"
#include "codecs/alprd/alprd.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/constant/constant.hpp"
#include "codecs/delta/delta.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/ffor/ffor.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/masked/masked.hpp"
#include "codecs/patched/patched.hpp"
#include "codecs/rle/rle.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/zigzag/zigzag.hpp"
#include "device/backends.hpp"

namespace bobbin {
namespace {

// What the parts of those that split values follow.
constexpr Follows kDictParts[] = {Follows::rows, Follows::distinct};
constexpr Follows kRleParts[] = {Follows::runs, Follows::runs};
constexpr Follows kSparseParts[] = {Follows::exceptions, Follows::exceptions};
constexpr Follows kZigzagParts[] = {Follows::rows};

constexpr Codec kBitpack{.id = CodecId::bitpack,
                         .name = "bitpack",
                         .max_format = 2,
                         .buffers = 1,
                         .estimate = &codec::bitpack::estimate,
                         .encode = &codec::bitpack::encode,
                         .describe = &codec::bitpack::describe,
                         .validate = &codec::bitpack::validate,
                         .decode = &codec::bitpack::decode,
                         .reference = &codec::bitpack::reference,
                         .slice = &codec::bitpack::slice,
                         .value_at = &codec::bitpack::value_at,
                         .compare = &codec::bitpack::compare};

constexpr Codec kFfor{.id = CodecId::ffor,
                      .name = "ffor",
                      .max_format = 2,
                      .buffers = 3,
                      .estimate = &codec::ffor::estimate,
                      .encode = &codec::ffor::encode,
                      .describe = &codec::ffor::describe,
                      .validate = &codec::ffor::validate,
                      .decode = &codec::ffor::decode,
                      .reference = &codec::ffor::reference,
                      .slice = &codec::ffor::slice,
                      .value_at = &codec::ffor::value_at,
                      .compare = &codec::ffor::compare};

constexpr Codec kDelta{.id = CodecId::delta,
                       .name = "delta",
                       .max_format = 2,
                       .looks_back = true,
                       .buffers = 4,
                       .device_cost = 1.2F,
                       .estimate = &codec::delta::estimate,
                       .encode = &codec::delta::encode,
                       .describe = &codec::delta::describe,
                       .validate = &codec::delta::validate,
                       .decode = &codec::delta::decode,
                       .reference = &codec::delta::reference,
                       .slice = &codec::delta::slice,
                       .value_at = &codec::delta::value_at};

constexpr StringOps kFsstStrings{.encode = &codec::fsst::encode,
                                 .sizes = &codec::fsst::sizes,
                                 .decode = &codec::fsst::decode,
                                 .reference = &codec::fsst::reference,
                                 .validity = &codec::fsst::validity,
                                 .lengths = &codec::fsst::lengths,
                                 .take = &codec::fsst::take,
                                 .match = &codec::fsst::match};

constexpr Codec kFsst{.id = CodecId::fsst,
                      .name = "fsst",
                      .max_format = 2,
                      .describe = &codec::fsst::describe,
                      .validate = &codec::fsst::validate,
                      .validate_content = &codec::fsst::validate_content,
                      .slice = &codec::fsst::slice,
                      .strings = &kFsstStrings};

constexpr Codec kPatched{.id = CodecId::patched,
                         .name = "patched",
                         .max_format = 2,
                         .buffers = 6,
                         .device_cost = 1.05F,
                         .estimate = &codec::patched::estimate,
                         .encode = &codec::patched::encode,
                         .describe = &codec::patched::describe,
                         .validate = &codec::patched::validate,
                         .decode = &codec::patched::decode,
                         .reference = &codec::patched::reference,
                         .slice = &codec::patched::slice,
                         .value_at = &codec::patched::value_at,
                         .compare = &codec::patched::compare};

constexpr Codec kAlp{.id = CodecId::alp,
                     .name = "alp",
                     .max_format = 2,
                     .floats_only = true,
                     .buffers = 7,
                     .device_cost = 1.1F,
                     .estimate = &codec::alp::estimate,
                     .encode = &codec::alp::encode,
                     .describe = &codec::alp::describe,
                     .validate = &codec::alp::validate,
                     .decode = &codec::alp::decode,
                     .reference = &codec::alp::reference,
                     .slice = &codec::alp::slice,
                     .value_at = &codec::alp::value_at};

constexpr Codec kAlpRd{.id = CodecId::alprd,
                       .name = "alprd",
                       .max_format = 2,
                       .floats_only = true,
                       .buffers = 7,
                       .device_cost = 1.2F,
                       .estimate = &codec::alprd::estimate,
                       .encode = &codec::alprd::encode,
                       .describe = &codec::alprd::describe,
                       .validate = &codec::alprd::validate,
                       .decode = &codec::alprd::decode,
                       .reference = &codec::alprd::reference,
                       .slice = &codec::alprd::slice,
                       .value_at = &codec::alprd::value_at};

constexpr Codec kMasked{.id = CodecId::masked,
                        .name = "masked",
                        .max_format = 2,
                        .buffers = 6,
                        .estimate = &codec::masked::estimate,
                        .encode = &codec::masked::encode,
                        .describe = &codec::masked::describe,
                        .validate = &codec::masked::validate,
                        .decode = &codec::masked::decode,
                        .reference = &codec::masked::reference,
                        .slice = &codec::masked::slice,
                        .value_at = &codec::masked::value_at,
                        .compare = &codec::masked::compare,
                        .clear_nulls = &codec::masked::clear_nulls};

constexpr Codec kConstant{.id = CodecId::constant,
                          .name = "constant",
                          .max_format = 2,
                          .buffers = 0,
                          .device_cost = 0.5F,
                          .estimate = &codec::constant::estimate,
                          .encode = &codec::constant::encode,
                          .describe = &codec::constant::describe,
                          .validate = &codec::constant::validate,
                          .decode = &codec::constant::decode,
                          .reference = &codec::constant::reference,
                          .slice = &codec::constant::slice,
                          .value_at = &codec::constant::value_at,
                          .compare = &codec::constant::compare};

constexpr Codec kRle{.id = CodecId::rle,
                     .name = "rle",
                     .max_format = 2,
                     .buffers = 0,
                     .device_cost = 1.2F,
                     .estimate = &codec::rle::estimate,
                     .encode = &codec::rle::encode,
                     .split = &codec::rle::split,
                     .splits_into = kRleParts,
                     .describe = &codec::rle::describe,
                     .validate = &codec::rle::validate,
                     .validate_content = &codec::rle::validate_content,
                     .decode = &codec::rle::decode,
                     .reference = &codec::rle::reference,
                     .slice = &codec::rle::slice,
                     .value_at = &codec::rle::value_at,
                     .compare = &codec::rle::compare};

constexpr Codec kSparse{.id = CodecId::sparse,
                        .name = "sparse",
                        .max_format = 2,
                        .buffers = 0,
                        .device_cost = 1.2F,
                        .estimate = &codec::sparse::estimate,
                        .encode = &codec::sparse::encode,
                        .split = &codec::sparse::split,
                        .splits_into = kSparseParts,
                        .describe = &codec::sparse::describe,
                        .validate = &codec::sparse::validate,
                        .validate_content = &codec::sparse::validate_content,
                        .decode = &codec::sparse::decode,
                        .reference = &codec::sparse::reference,
                        .slice = &codec::sparse::slice,
                        .value_at = &codec::sparse::value_at,
                        .compare = &codec::sparse::compare};

constexpr Codec kZigzag{.id = CodecId::zigzag,
                        .name = "zigzag",
                        .max_format = 2,
                        .signed_only = true,
                        .buffers = 0,
                        .estimate = &codec::zigzag::estimate,
                        .encode = &codec::zigzag::encode,
                        .split = &codec::zigzag::split,
                        .splits_into = kZigzagParts,
                        .describe = &codec::zigzag::describe,
                        .validate = &codec::zigzag::validate,
                        .decode = &codec::zigzag::decode,
                        .reference = &codec::zigzag::reference,
                        .slice = &codec::zigzag::slice,
                        .value_at = &codec::zigzag::value_at};

constexpr StringOps kDictStrings{.encode = &codec::dict::encode_strings,
                                 .split = &codec::dict::split_strings,
                                 .sizes = &codec::dict::sizes,
                                 .decode = &codec::dict::decode_strings,
                                 .reference = &codec::dict::reference_strings,
                                 .validity = &codec::dict::validity,
                                 .lengths = &codec::dict::lengths,
                                 .take = &codec::dict::take,
                                 .match = &codec::dict::match};

constexpr Codec kDict{.id = CodecId::dict,
                      .name = "dict",
                      .max_format = 2,
                      .compares_floats = true,
                      .buffers = 0,
                      .device_cost = 1.2F,
                      .estimate = &codec::dict::estimate,
                      .encode = &codec::dict::encode,
                      .split = &codec::dict::split,
                      .splits_into = kDictParts,
                      .describe = &codec::dict::describe,
                      .validate = &codec::dict::validate,
                      .decode = &codec::dict::decode,
                      .reference = &codec::dict::reference,
                      .slice = &codec::dict::slice,
                      .value_at = &codec::dict::value_at,
                      .compare = &codec::dict::compare,
                      .strings = &kDictStrings};

constexpr std::array<const Codec*, 13> kCodecs{&kBitpack, &kFfor,   &kDelta,  &kFsst,     &kPatched,
                                               &kAlp,     &kAlpRd,  &kMasked, &kConstant, &kDict,
                                               &kRle,     &kSparse, &kZigzag};
constexpr std::array<const Codec*, 11> kValueCodecs{&kBitpack,  &kFfor, &kDelta, &kPatched, &kAlp,   &kAlpRd,
                                                    &kConstant, &kDict, &kRle,   &kSparse,  &kZigzag};

template <Backend kBackend>
const DeviceOps* ops_of(CodecId id) {
  switch (id) {
    case CodecId::bitpack:
      return &codec::bitpack::ops_on<kBackend>();
    case CodecId::ffor:
      return &codec::ffor::ops_on<kBackend>();
    case CodecId::delta:
      return &codec::delta::ops_on<kBackend>();
    case CodecId::fsst:
      return &codec::fsst::ops_on<kBackend>();
    case CodecId::patched:
      return &codec::patched::ops_on<kBackend>();
    case CodecId::alp:
      return &codec::alp::ops_on<kBackend>();
    case CodecId::alprd:
      return &codec::alprd::ops_on<kBackend>();
    case CodecId::masked:
      return &codec::masked::ops_on<kBackend>();
    case CodecId::constant:
      return &codec::constant::ops_on<kBackend>();
    case CodecId::rle:
      return &codec::rle::ops_on<kBackend>();
    case CodecId::sparse:
      return &codec::sparse::ops_on<kBackend>();
    case CodecId::zigzag:
      return &codec::zigzag::ops_on<kBackend>();
    case CodecId::dict:
      return &codec::dict::ops_on<kBackend>();
  }
  return nullptr;
}

}  // namespace

std::span<const Codec* const> all_codecs() {
  return kCodecs;
}

std::span<const Codec* const> value_codecs() {
  return kValueCodecs;
}

const Codec* find_codec(CodecId id) {
  for (const Codec* codec : kCodecs) {
    if (codec->id == id) {
      return codec;
    }
  }
  return nullptr;
}

const Codec* find_codec(std::string_view name) {
  for (const Codec* codec : kCodecs) {
    if (codec->name == name) {
      return codec;
    }
  }
  return nullptr;
}

const DeviceOps* device_ops(Backend backend, CodecId id) {
  return on_backend(backend, [id]<Backend kBackend>() { return ops_of<kBackend>(id); });
}

}  // namespace bobbin
