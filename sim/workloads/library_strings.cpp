// SPDX-License-Identifier: Apache-2.0
// Decoders of strings.
#include "bobbin/memory.hpp"
#include "codecs/dict/kernels.hpp"
#include "sim/workloads/library_common.hpp"

namespace bobbin::sim {
namespace {

// Rows of 400 different strings with 4 to 24 letters.
[[nodiscard]] Strings random_strings(uint64_t seed, uint64_t rows) {
  Random random(seed);
  std::vector<std::string> entries(400);
  for (std::string& entry : entries) {
    entry.resize(4 + below(random, 21));
    for (char& letter : entry) {
      letter = static_cast<char>('a' + below(random, 26));
    }
  }
  Strings strings;
  for (uint64_t i = 0; i < rows; ++i) {
    const std::string& entry = entries[below(random, static_cast<uint32_t>(entries.size()))];
    strings.bytes.insert(strings.bytes.end(), entry.begin(), entry.end());
    strings.offsets.push_back(strings.bytes.size());
  }
  return strings;
}

[[nodiscard]] bool is_equal(const Strings& strings, const uint32_t* offsets, const uint8_t* bytes) {
  return std::equal(strings.offsets.begin(), strings.offsets.end(), offsets) &&
         std::equal(strings.bytes.begin(), strings.bytes.end(), bytes);
}

}  // namespace

// Three launches: sizes of tiles, their starts, offsets and bytes. Codes and entries are decoded before, by
// launches that are not recorded.
Status record_dict_strings(Recording& recording, uint64_t seed, bool quick) {
  const Strings strings = random_strings(seed, num_values(quick) / 4);
  BOBBIN_ASSIGN(const Encoded array, codec::dict::encode(strings.view(), nullptr));
  const uint64_t bytes = strings.bytes.size();
  const uint64_t offset_bytes = strings.offsets.size() * sizeof(uint32_t);
  BOBBIN_ASSIGN(const DeviceBuffer offsets, DeviceBuffer::create(offset_bytes, kStream));
  BOBBIN_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(bytes, kStream));
  BOBBIN_ASSIGN(const DeviceBuffer fault, DeviceBuffer::create(sizeof(uint32_t), kStream));
  recording.add_output("offsets", {offsets.as<std::byte>(), offset_bytes});
  recording.add_output("bytes", {out.as<std::byte>(), bytes});
  recording.add_output("fault", {fault.as<std::byte>(), sizeof(uint32_t)});
  const Executor::Scope scope(recording);
  BOBBIN_TRY(codec::dict::Plans<Executor>::decode_strings(
      array, StringSizes::of(bytes), {offsets.data(), out.as<uint8_t>()}, fault.as<uint32_t>(), kStream));
  BOBBIN_RETURN_IF(!is_equal(strings, offsets.as<uint32_t>(), out.as<uint8_t>()), StatusCode::corrupt,
                   "recording: the kernel gave other strings");
  return {};
}

}  // namespace bobbin::sim
