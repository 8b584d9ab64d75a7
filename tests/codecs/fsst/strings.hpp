// SPDX-License-Identifier: Apache-2.0
// Inputs for string codecs, and the checks they must pass. Checks return an empty string, or what went wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bobbin/strings.hpp"
#include "codecs/codec.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

struct StringsInput {
  std::string name;
  Strings strings;
};

[[nodiscard]] std::span<const uint8_t> bytes_of(std::string_view text);
// Sentences of a few words, `rows` of them.
[[nodiscard]] Strings make_sentences(uint64_t rows, Random& random);
// The cases a person would think of.
[[nodiscard]] std::vector<StringsInput> string_edges();
// Arbitrary strings.
[[nodiscard]] Strings draw_strings(Random& random);
// `rows` strings, each one of the given ones.
[[nodiscard]] Strings draw_from(const Strings& strings, uint64_t rows, Random& random);

// The CPU's decoder, the reference decoder and slices reproduce them, including offsets and validity.
[[nodiscard]] std::string check_strings(const Strings& strings, CodecId codec = CodecId::fsst);
// The backend decodes, slices, takes and tests like the CPU, whose results equal those on plain strings; and
// it encodes to the same bytes.
[[nodiscard]] std::string check_strings_on(const Strings& strings, Backend backend, Random& random,
                                           CodecId codec = CodecId::fsst);
// An arbitrary array: refused, or all decoders give the same strings or report damage.
[[nodiscard]] std::string check_any_strings(const Array& array, bool with_emulator);

[[nodiscard]] bool same_array(const Array& a, const Array& b);

}  // namespace bobbin::testing
