// SPDX-License-Identifier: Apache-2.0
// Device functions of compressed arrays, on the GPU and in the emulator.
#include "assist/device_functions.hpp"
#include "assist/kernels.hpp"
#include "codecs/line/kernels.hpp"
#include "simt/executor.cuh"

namespace bobbin::assist {
namespace {

Status write_slots(const void* values, uint64_t bytes, const SlotMemory& to, StreamView stream) {
  using Writer = SlotWriter<uint8_t>;
  const Writer writer{{to.slots, to.lines * Writer::kWords}, {to.codes, to.lines}, bytes, {}};
  const WriteKernel<Writer> kernel{{{static_cast<const uint8_t*>(values), bytes}}, writer};
  return simt::Executor(stream).run(kernel, kernel.blocks());
}

Status read_slots(const SlotMemory& from, void* values, uint64_t bytes, StreamView stream) {
  using View = SlotView<uint8_t>;
  const View view{{{from.slots, from.lines * (kLineBytes / 4)}}, {from.codes, from.lines}, bytes};
  const ReadKernel<View> kernel{view, {static_cast<uint8_t*>(values), bytes}};
  return simt::Executor(stream).run(kernel, kernel.blocks());
}

}  // namespace

template <Backend kBackend>
const DeviceFunctions& functions_on() {
  using Tiles = codec::line::Plans<simt::Executor>;
  static constexpr DeviceFunctions kFunctions{.write_slots = &write_slots,
                                              .read_slots = &read_slots,
                                              .encode_tiles = &Tiles::encode<codec::line::kForReading>,
                                              .decode_tiles = &Tiles::decode};
  return kFunctions;
}
template const DeviceFunctions& functions_on<simt::kBackend>();

}  // namespace bobbin::assist
