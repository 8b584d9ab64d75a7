// SPDX-License-Identifier: Apache-2.0
// Work on encoded arrays of strings, whatever their codec. Arrays must have passed validate(); what that
// leaves to decoding comes back as an error here.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "bobbin/memory.hpp"
#include "bobbin/strings.hpp"

namespace bobbin::array {

// Host memory in, host memory out, by any backend.
[[nodiscard]] Result<Array> encode_strings(CodecId codec, const StringsView& strings, const Array* previous,
                                           Backend backend);
[[nodiscard]] Result<Strings> decode_strings(const Array& array, Backend backend);
// On the host, into memory that is there already.
[[nodiscard]] Status decode_strings(const Array& array, const HostStringsOut& out);
// The bits of an array's own strings, from the first bit on; empty when none is null.
[[nodiscard]] std::vector<uint8_t> string_validity(const Array& array);
// What an array says it decodes to may be more than there is memory for.
template <class T>
[[nodiscard]] Status resize(UnsetVector<T>& values, uint64_t size) {
  try {
    values.resize(size);
  } catch (const std::exception&) {
    return {StatusCode::out_of_memory,
            "no memory for " + std::to_string(size * sizeof(T)) + " bytes of strings"};
  }
  return {};
}
// Strings indices[0], indices[1] .. without decoding others.
[[nodiscard]] Result<Strings> take_strings(const Array& array, std::span<const uint64_t> indices,
                                           Backend backend);
// A bit for each string of which the test holds; a null passes none.
[[nodiscard]] Result<Bitmap> match_strings(const Array& array, const StringQuery& query, Backend backend);
// A bit for each string that is there.
[[nodiscard]] Bitmap present_strings(const Array& array);
// Bytes of each string, 0 for nulls, without decoding any.
[[nodiscard]] Result<std::vector<uint64_t>> string_lengths(const Array& array, Backend backend);

// Decoded strings in device memory, as Arrow lays them out; validity stays in the array.
struct StringsOnDevice {
  uint64_t length = 0;
  StringSizes sizes;
  std::shared_ptr<DeviceBuffer> offsets;
  std::shared_ptr<DeviceBuffer> bytes;
};

// Device memory in, device memory out. Waits for the stream, to hear of damage.
[[nodiscard]] Result<StringsOnDevice> decode_strings_on_device(const Array& array, StreamView stream);

}  // namespace bobbin::array
