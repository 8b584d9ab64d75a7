// SPDX-License-Identifier: Apache-2.0
// Where copies go that do not pass through a tile.
#pragma once

#include "codecs/zstd/copy_runs.hpp"

namespace bobbin::zstd {

// A frame's output, written four bytes at a time.
struct WordOutput {
  Global<uint8_t> bytes{};
  ByteWords<uint32_t> all{};

  BOBBIN_HD explicit WordOutput(Global<uint8_t> out)
      : bytes(out), all(ByteWords<uint32_t>::of(out.data, out.size)) {}

  [[nodiscard]] BOBBIN_HD uint32_t skew() const { return all.skew; }
  [[nodiscard]] BOBBIN_HD static uint32_t literal(uint32_t byte) { return byte; }
  template <class Cta>
  [[nodiscard]] BOBBIN_HD uint32_t copied(Cta& cta, uint32_t from) const {
    return cta.load(bytes, from);
  }
  template <class Cta>
  BOBBIN_HD void store(Cta& cta, uint32_t at, uint32_t byte) const {
    cta.store(bytes, at, static_cast<uint8_t>(byte));
  }
  template <class Cta>
  BOBBIN_HD void store_four(Cta& cta, uint32_t word, const uint32_t (&four)[4]) const {
    cta.store(all.words, word, four[0] | four[1] << 8 | four[2] << 16 | four[3] << 24);
  }
};

}  // namespace bobbin::zstd
