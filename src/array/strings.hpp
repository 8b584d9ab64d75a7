// SPDX-License-Identifier: Apache-2.0
// Work on encoded arrays of strings, whatever their codec. Arrays must have passed validate(); what that
// leaves to decoding comes back as an error here.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
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

  [[nodiscard]] StringsOut out() const { return {offsets->data(), bytes->as<uint8_t>()}; }
};

// Device memory in, device memory out. Waits for the stream, to hear of damage.
[[nodiscard]] Result<StringsOnDevice> decode_strings_on_device(const Array& array, StreamView stream);
// The same without waiting: `fault`, a word of device memory, is set where there is damage. `num_bytes` is
// how many bytes the strings have, as somebody says: damage, if it is not so. Not known: waits, to find out.
[[nodiscard]] Result<StringsOnDevice> start_decoding_strings(const Array& array,
                                                             std::optional<uint64_t> num_bytes,
                                                             uint32_t* fault, StreamView stream,
                                                             MemoryResource& memory);
// What a fault means.
[[nodiscard]] Status damaged_strings();
// Whether the device can check what validate_content() would, by the next one.
[[nodiscard]] bool checks_content_on_device(const Array& array, StreamView stream);
// Sets `fault` where decoded strings are not what validate_content() asks for.
[[nodiscard]] Status check_content_on_device(const Array& array, const StringsOnDevice& decoded,
                                             uint32_t* fault, StreamView stream);

}  // namespace bobbin::array
