// SPDX-License-Identifier: Apache-2.0
#include "codecs/registry.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "device/backends.hpp"

namespace bobbin {
namespace {

#define BOBBIN_CODEC_POINTER(name, id) &codec::name::kCodec,
constexpr const Codec* kCodecs[] = {BOBBIN_CODECS(BOBBIN_CODEC_POINTER)};
#undef BOBBIN_CODEC_POINTER

template <Backend kBackend>
const DeviceOps* ops_of(CodecId id) {
  switch (id) {
#define BOBBIN_OPS_CASE(name, id) \
  case CodecId::name:             \
    return &codec::name::ops_on<kBackend>();
    BOBBIN_CODECS(BOBBIN_OPS_CASE)
#undef BOBBIN_OPS_CASE
  }
  return nullptr;
}

}  // namespace

std::span<const Codec* const> all_codecs() {
  return kCodecs;
}

std::span<const Codec* const> value_codecs() {
  static const std::vector<const Codec*> codecs = [] {
    std::vector<const Codec*> found;
    std::ranges::copy_if(kCodecs, std::back_inserter(found),
                         [](const Codec* codec) { return codec->encode != nullptr && !codec->has_nulls(); });
    return found;
  }();
  return codecs;
}

const Codec* find_codec(CodecId id) {
  switch (id) {
#define BOBBIN_CODEC_CASE(name, id) \
  case CodecId::name:               \
    return &codec::name::kCodec;
    BOBBIN_CODECS(BOBBIN_CODEC_CASE)
#undef BOBBIN_CODEC_CASE
  }
  return nullptr;
}

const Codec* find_codec(std::string_view name) {
  const auto* const found = std::ranges::find(kCodecs, name, &Codec::name);
  return found == std::end(kCodecs) ? nullptr : *found;
}

const DeviceOps* device_ops(Backend backend, CodecId id) {
  return on_backend(backend, [id]<Backend kBackend>() { return ops_of<kBackend>(id); });
}

}  // namespace bobbin
