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

// bobbin::Cascade with the codecs' ids instead of their names.
struct ResolvedCascade {
  CodecId codec{};
  std::vector<ResolvedCascade> children{};  // empty: the codec chooses how to encode its children, if any

  friend bool operator==(const ResolvedCascade&, const ResolvedCascade&) = default;
};

[[nodiscard]] std::string to_string(const ResolvedCascade& cascade);
[[nodiscard]] Result<ResolvedCascade> parse_cascade(std::string_view text);
// Whether it can encode values of the type, as far as can be known without values.
[[nodiscard]] Status check_cascade(const ResolvedCascade& cascade, DType type);

// The cascade that made an array.
[[nodiscard]] ResolvedCascade cascade_of(const Array& array);

// The bytes are the same on every backend.
[[nodiscard]] Result<Array> encode(const ResolvedCascade& cascade, const Values& values, Backend backend);
// `previous`: the array of the previous chunk, if any.
[[nodiscard]] Result<Array> encode_strings(const ResolvedCascade& cascade, const StringsView& strings,
                                           const Array* previous, Backend backend);

}  // namespace bobbin::select
