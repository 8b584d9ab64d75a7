// SPDX-License-Identifier: Apache-2.0
// The checks that every codec must pass. Each returns an empty string, or what went wrong: tests and fuzz
// targets decide what to do with it.
#pragma once

#include <string>

#include "codecs/codec.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// The CPU's decoder and the reference decoder reproduce the values; two encodings have the same bytes; the
// size equals the estimate.
[[nodiscard]] std::string check_round_trip(const Codec& codec, const Input& input);

// Slices, single values and comparisons give the same results as on decoded values.
[[nodiscard]] std::string check_operations(const Codec& codec, const Input& input, Random& random);

// The backend decodes, slices and compares like the CPU, and encodes to the same bytes. (Here and below, the
// CPU replaces a backend that the build does not have.)
[[nodiscard]] std::string check_backend(const Codec& codec, const Input& input, Backend backend,
                                        Random& random);

// Every buffer truncated or one byte too long, metadata changed, numbers of parts changed: validate()
// refuses.
[[nodiscard]] std::string check_shapes_refused(const Codec& codec, const Input& input);

// The array with some bits changed: validate() refuses it, or all decoders give the same values.
[[nodiscard]] std::string check_flips(const Codec& codec, const Input& input, uint64_t flips, Random& random);

// An arbitrary array: validate() refuses it, or all decoders, including the backend's, give the same values.
// Buffers are copied to allocations of their exact size, so that AddressSanitizer detects out-of-bounds
// access.
[[nodiscard]] std::string check_any_array(const Array& array, Backend backend);

}  // namespace bobbin::testing
