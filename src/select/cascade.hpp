// SPDX-License-Identifier: Apache-2.0
// A cascade: a codec, and cascades for the parts it splits values into. As text: "ffor", "dict(bitpack,
// delta)".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bobbin/status.hpp"
#include "bobbin/strings.hpp"
#include "codecs/codec.hpp"

namespace bobbin::select {

inline constexpr uint32_t kMaxDepth = 8;  // for cascades given as text

struct Cascade {
  CodecId codec{};
  std::vector<Cascade> children{};  // empty: the codec chooses how to encode its children, if any

  friend bool operator==(const Cascade&, const Cascade&) = default;
};

[[nodiscard]] std::string to_string(const Cascade& cascade);
[[nodiscard]] Result<Cascade> parse_cascade(std::string_view text);
// Whether it can encode values of the type, as far as can be known without values.
[[nodiscard]] Status check_cascade(const Cascade& cascade, DType type);

// The cascade that made an array.
[[nodiscard]] Cascade cascade_of(const Array& array);

// The bytes are the same on every backend.
[[nodiscard]] Result<Array> encode(const Cascade& cascade, const Values& values, Backend backend);
// `previous`: the array of the previous chunk, if any.
[[nodiscard]] Result<Array> encode_strings(const Cascade& cascade, const StringsView& strings,
                                           const Array* previous, Backend backend);

}  // namespace bobbin::select
