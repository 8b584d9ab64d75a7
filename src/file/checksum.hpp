// SPDX-License-Identifier: Apache-2.0
// XXH3-64, used for segments and the footer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "file/checksum_kernels.hpp"

namespace bobbin::file {

[[nodiscard]] uint64_t checksum(std::span<const std::byte> bytes);

// For bytes that come in pieces.
class Checksum {
 public:
  Checksum();
  void add(std::span<const std::byte> bytes);
  [[nodiscard]] uint64_t value() const;

 private:
  static constexpr size_t kStateBytes = 576;

  alignas(64) std::array<std::byte, kStateBytes> state_;
};

}  // namespace bobbin::file
