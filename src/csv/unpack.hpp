// SPDX-License-Identifier: Apache-2.0
// Decompresses gzip or zstd text, piece by piece.
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
  // Decompresses part of `in`, or the remaining output if there is no more input.
  [[nodiscard]] virtual Result<Step> unpack(std::span<const char> in, std::span<char> out) = 0;
  // Whether the text may end here: not within a stream.
  [[nodiscard]] virtual bool may_end() const = 0;
};

inline constexpr size_t kMagicBytes = 4;

// The decompressor for a text that begins with these bytes; null if it is not compressed.
[[nodiscard]] Result<std::unique_ptr<Unpacker>> make_unpacker(std::string_view begin);

}  // namespace bobbin::csv
