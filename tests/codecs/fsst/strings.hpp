// SPDX-License-Identifier: Apache-2.0
// Inputs for codecs of strings, and the checks they must pass. Checks return an empty string, or what went
// wrong.
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
// Any strings at all.
[[nodiscard]] Strings draw_strings(Random& random);
// `rows` times one of the given strings.
[[nodiscard]] Strings draw_from(const Strings& strings, uint64_t rows, Random& random);

// They come back from the CPU's decoder, from the reference decoder, and from slices; offsets and validity
// too.
[[nodiscard]] std::string check_strings(const Strings& strings, CodecId codec = CodecId::fsst);
// The backend decodes, slices, takes and tests as the CPU does, which does as one does on plain strings; and
// it encodes to the same bytes.
[[nodiscard]] std::string check_strings_on(const Strings& strings, Backend backend, Random& random,
                                           CodecId codec = CodecId::fsst);
// Any array at all: refused, or every decoder gives the same strings or finds it damaged.
[[nodiscard]] std::string check_any_strings(const Array& array, bool with_emulator);

[[nodiscard]] bool same_array(const Array& a, const Array& b);

}  // namespace bobbin::testing
