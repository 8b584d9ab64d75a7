// SPDX-License-Identifier: Apache-2.0
// The codecs with small kernels, for the GPU and for the emulator. They share a file because reading the
// headers takes longer than compiling any of them.
#include "codecs/constant/kernels.hpp"
#include "codecs/masked/kernels.hpp"
#include "codecs/rle/kernels.hpp"
#include "codecs/sparse/kernels.hpp"
#include "codecs/zigzag/kernels.hpp"
#include "simt/executor.cuh"

namespace bobbin::codec::constant {

template <Backend kBackend>
const DeviceOps& ops_on() {
  static constexpr DeviceOps kOps = Plans<simt::Executor>::ops();
  return kOps;
}
template const DeviceOps& ops_on<simt::kBackend>();

}  // namespace bobbin::codec::constant

namespace bobbin::codec::masked {

template <Backend kBackend>
const DeviceOps& ops_on() {
  static constexpr DeviceOps kOps = Plans<simt::Executor>::ops();
  return kOps;
}
template const DeviceOps& ops_on<simt::kBackend>();

}  // namespace bobbin::codec::masked

namespace bobbin::codec::rle {

template <Backend kBackend>
const DeviceOps& ops_on() {
  static constexpr DeviceOps kOps = Plans<simt::Executor>::ops();
  return kOps;
}
template const DeviceOps& ops_on<simt::kBackend>();

}  // namespace bobbin::codec::rle

namespace bobbin::codec::sparse {

template <Backend kBackend>
const DeviceOps& ops_on() {
  static constexpr DeviceOps kOps = Plans<simt::Executor>::ops();
  return kOps;
}
template const DeviceOps& ops_on<simt::kBackend>();

}  // namespace bobbin::codec::sparse

namespace bobbin::codec::zigzag {

template <Backend kBackend>
const DeviceOps& ops_on() {
  static constexpr DeviceOps kOps = Plans<simt::Executor>::ops();
  return kOps;
}
template const DeviceOps& ops_on<simt::kBackend>();

}  // namespace bobbin::codec::zigzag
