// SPDX-License-Identifier: Apache-2.0
#include "file/checksum.hpp"

#include <xxhash.h>

#include "core/portable.hpp"

namespace bobbin::file {
namespace {

const ChecksumKernels& kernels() {
  return have_avx2() ? kChecksumOnAvx2 : kChecksumOnAnyCpu;
}

}  // namespace

uint64_t checksum(std::span<const std::byte> bytes) {
  return kernels().of(bytes.data(), bytes.size());
}

Checksum::Checksum() {
  static_assert(sizeof(XXH3_state_t) == kStateBytes && alignof(XXH3_state_t) <= 64);
  kernels().begin(state_.data());
}

void Checksum::add(std::span<const std::byte> bytes) {
  kernels().add(state_.data(), bytes.data(), bytes.size());
}

uint64_t Checksum::value() const {
  return kernels().value(state_.data());
}

}  // namespace bobbin::file
