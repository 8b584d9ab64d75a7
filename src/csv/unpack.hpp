// SPDX-License-Identifier: Apache-2.0
// Text that was packed by gzip or zstd, unpacked a piece at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "bobbin/status.hpp"

namespace bobbin::csv {

class Unpacker {
 public:
  virtual ~Unpacker() = default;

  struct Step {
    size_t taken = 0;
    size_t written = 0;
  };
  // Unpacks some of `in`, or what is left to write when no more comes.
  [[nodiscard]] virtual Result<Step> unpack(std::span<const char> in, std::span<char> out) = 0;
  // Whether the text may end here: not within a stream.
  [[nodiscard]] virtual bool may_end() const = 0;
};

inline constexpr size_t kMagicBytes = 4;

// The unpacker for a text that begins with these bytes; null when it is not packed.
[[nodiscard]] Result<std::unique_ptr<Unpacker>> make_unpacker(std::string_view begin);

}  // namespace bobbin::csv
