// SPDX-License-Identifier: Apache-2.0
// XXH3-64 with the vector size that the including file is compiled for.
#pragma once

#include <xxhash.h>

#include "file/checksum_kernels.hpp"

namespace bobbin::file {
namespace {

uint64_t checksum_of(const void* bytes, size_t size) {
  return XXH3_64bits(bytes, size);
}
void begin_checksum(void* state) {
  XXH3_64bits_reset(static_cast<XXH3_state_t*>(state));
}
void add_to_checksum(void* state, const void* bytes, size_t size) {
  XXH3_64bits_update(static_cast<XXH3_state_t*>(state), bytes, size);
}
uint64_t checksum_value(const void* state) {
  return XXH3_64bits_digest(static_cast<const XXH3_state_t*>(state));
}

constexpr ChecksumKernels make_kernels() {
  return {&checksum_of, &begin_checksum, &add_to_checksum, &checksum_value};
}

}  // namespace
}  // namespace bobbin::file
