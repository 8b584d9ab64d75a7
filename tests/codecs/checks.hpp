// SPDX-License-Identifier: Apache-2.0
// The checks every codec must pass. Each returns an empty string, or what went wrong: tests and fuzz targets
// decide what to do with it.
#pragma once

#include <string>

#include "codecs/codec.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Values come back from the CPU's decoder and from the reference decoder; two encodings have the same bytes;
// the size is the estimate.
[[nodiscard]] std::string check_round_trip(const Codec& codec, const Input& input);

// Slices, single values and comparisons equal the same on decoded values.
[[nodiscard]] std::string check_operations(const Codec& codec, const Input& input, Random& random);

// The backend decodes, slices and compares as the CPU does, and encodes to the same bytes. (Here and below
// the CPU takes the place of a backend that the build does not have.)
[[nodiscard]] std::string check_backend(const Codec& codec, const Input& input, Backend backend,
                                        Random& random);

// Every buffer cut short or one byte too long, metadata changed, numbers of parts changed: validate()
// refuses.
[[nodiscard]] std::string check_shapes_refused(const Codec& codec, const Input& input);

// The array with some bits changed: validate() refuses it, or every decoder gives the same values.
[[nodiscard]] std::string check_flips(const Codec& codec, const Input& input, Random& random);

// Any array at all: validate() refuses it, or every decoder, the backend's too, gives the same values.
// Buffers are copied to allocations of their exact size, so that AddressSanitizer sees a step outside.
[[nodiscard]] std::string check_any_array(const Array& array, Backend backend);

}  // namespace bobbin::testing
