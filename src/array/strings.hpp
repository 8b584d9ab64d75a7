// SPDX-License-Identifier: Apache-2.0
// Operations on encoded string arrays of any codec. Arrays must have passed validate() or, for functions that
// take a backend, validate_for() it; errors that can only be detected while decoding are returned here.
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

// Like validate(), but leaves the content of strings to a device that can check it: there it takes less time
// than on the host. The next functions have it checked before they rely on it.
[[nodiscard]] Status validate_for(const Array& array, Backend backend);

// Host memory in, host memory out, on any backend.
[[nodiscard]] Result<Array> encode_strings(CodecId codec, const StringsView& strings, const Array* previous,
                                           Backend backend);
[[nodiscard]] Result<Strings> decode_strings(const Array& array, Backend backend);
// On the host, into existing memory.
[[nodiscard]] Status decode_strings(const Array& array, const HostStringsOut& out);
// The validity bits of an array's strings, starting at the first bit; empty if none is null.
[[nodiscard]] std::vector<uint8_t> string_validity(const Array& array);
// The decoded size that an array declares may be more than the available memory.
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
// Strings indices[0], indices[1] .., without decoding others.
[[nodiscard]] Result<Strings> take_strings(const Array& array, std::span<const uint64_t> indices,
                                           Backend backend);
// One bit per string that satisfies the test; a null never does.
[[nodiscard]] Result<Bitmap> match_strings(const Array& array, const StringQuery& query, Backend backend);
// One bit per non-null string.
[[nodiscard]] Bitmap present_strings(const Array& array);
// The size of all strings together, decoded.
[[nodiscard]] uint64_t string_bytes(const Array& array);
// How many strings from `begin` on have at most `bytes` bytes together, decoded: at least one, if there is
// one.
[[nodiscard]] Result<uint64_t> strings_within(const Array& array, uint64_t begin, uint64_t bytes);
// The size of each string in bytes, 0 for nulls, without decoding any.
[[nodiscard]] Result<std::vector<uint64_t>> string_lengths(const Array& array, Backend backend);

// Decoded strings in device memory, in Arrow's layout; validity stays in the array.
struct StringsOnDevice {
  uint64_t length = 0;
  StringSizes sizes;
  std::shared_ptr<DeviceBuffer> offsets;
  std::shared_ptr<DeviceBuffer> bytes;

  [[nodiscard]] StringsOut out() const { return {offsets->data(), bytes->as<uint8_t>()}; }
};

// Device memory in, device memory out. Waits for the stream to report damage.
[[nodiscard]] Result<StringsOnDevice> decode_strings_on_device(const Array& array, StreamView stream);
// The same without waiting: `fault`, a word of device memory, is set if there is damage. `num_bytes` is the
// expected size of the strings: any other size is damage. If it is not given, the call waits to determine it.
[[nodiscard]] Result<StringsOnDevice> start_decoding_strings(const Array& array,
                                                             std::optional<uint64_t> num_bytes,
                                                             uint32_t* fault, StreamView stream,
                                                             MemoryResource& memory);
// The error for a fault.
[[nodiscard]] Status damaged_strings();
// Whether the backend is a device that can check what validate_content() would, with the next function.
[[nodiscard]] bool checks_content_on_device(const Array& array, Backend backend);
// Sets `fault` if the array does not satisfy validate_content(). `offsets` are its decoded offsets, or null.
[[nodiscard]] Status check_content_on_device(const Array& array, const void* offsets, uint32_t* fault,
                                             StreamView stream);

}  // namespace bobbin::array
