// SPDX-License-Identifier: Apache-2.0
// Decoders of numbers.
#include "bobbin/memory.hpp"
#include "codecs/delta/kernels.hpp"
#include "codecs/dict/kernels.hpp"
#include "codecs/ffor/kernels.hpp"
#include "sim/workloads/library_common.hpp"

namespace bobbin::sim {
namespace {

// Encodes, then lets `decode` run a kernel that must give the values again.
template <class Decode>
Status record_decoding(Recording& recording, CodecId id, const std::vector<uint32_t>& values, Decode decode) {
  BOBBIN_ASSIGN(const Encoded array, find_codec(id)->encode({DType::u32, values.data(), values.size()}));
  const size_t bytes = values.size() * sizeof(uint32_t);
  BOBBIN_ASSIGN(const DeviceBuffer out, DeviceBuffer::create(bytes, kStream));
  add_inputs(recording, array);
  recording.add_output("values", {out.as<std::byte>(), bytes});
  const Executor::Scope scope(recording);
  BOBBIN_TRY(decode(array, out.as<uint32_t>(), Executor(kStream)));
  BOBBIN_RETURN_IF(std::memcmp(out.data(), values.data(), bytes) != 0, StatusCode::corrupt,
                   "recording: the kernel gave other values");
  return {};
}

// The plan's kernel for codes that are packed. The entries are decoded first, by a launch that is not
// recorded.
Status run_dict(const Encoded& array, uint32_t* out, const Executor& executor) {
  using K = codec::dict::UnpackKernel<uint32_t, uint8_t, codec::patched::AnyFrames<uint8_t>>;
  const Encoded& codes = codec::dict::codes_of(array);
  const Encoded& dictionary = codec::dict::dictionary_of(array);
  BOBBIN_ASSIGN(const DeviceBuffer entries,
                DeviceBuffer::create(dictionary.length * sizeof(uint32_t), executor.stream()));
  BOBBIN_TRY(
      device_ops(Backend::emulator, dictionary.codec)->decode(dictionary, entries.data(), executor.stream()));
  const K kernel{.source = codec::patched::Plans<Executor>::frames_of<uint8_t>(codes),
                 .last = codec::dict::last_code<uint8_t>(dictionary.length),
                 .entries = {entries.as<uint32_t>(), dictionary.length},
                 .out = {out, array.length},
                 .offset = 0,
                 .end = array.length};
  return executor.run(kernel, K::blocks(array.length));
}

}  // namespace

Status record_ffor_decode(Recording& recording, uint64_t seed, bool quick) {
  Random random(seed);
  std::vector<uint32_t> values(num_values(quick));
  uint32_t reference = 0;
  uint32_t range = 1;
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % 1024 == 0) {
      reference = below(random, 1U << 24);
      range = 1U << (4 + below(random, 9));
    }
    values[i] = reference + below(random, range);
  }
  return record_decoding(recording, CodecId::ffor, values,
                         [](const Encoded& array, uint32_t* out, const Executor& executor) {
                           const auto source = codec::ffor::Plans<Executor>::source<uint32_t>(array);
                           return codec::bitpack::run_decode<uint32_t>(executor, source, array, out);
                         });
}

// One warp per block, as in kernels that decode deltas beside other work: two need more shared memory than
// the paper's machine has.
Status record_delta_decode(Recording& recording, uint64_t seed, bool quick) {
  Random random(seed);
  std::vector<uint32_t> values(num_values(quick));
  uint32_t now = 1'600'000'000;
  for (uint32_t& value : values) {
    now += below(random, 60);
    value = now;
  }
  return record_decoding(recording, CodecId::delta, values,
                         [](const Encoded& array, uint32_t* out, const Executor& executor) {
                           using K = codec::delta::DecodeKernel<uint32_t, 1>;
                           const auto plan = codec::delta::Plans<Executor>::decoding<uint32_t, K>(array, out);
                           return executor.run(plan.kernel, plan.blocks);
                         });
}

// Entries are skewed: half of the rows have one of four.
Status record_dict_decode(Recording& recording, uint64_t seed, bool quick) {
  Random random(seed);
  std::array<uint32_t, 200> entries;
  for (uint32_t& entry : entries) {
    entry = static_cast<uint32_t>(random());
  }
  std::vector<uint32_t> values(num_values(quick));
  for (uint32_t& value : values) {
    value = entries[below(random, below(random, 2) == 0 ? 4 : entries.size())];
  }
  return record_decoding(recording, CodecId::dict, values, run_dict);
}

}  // namespace bobbin::sim
