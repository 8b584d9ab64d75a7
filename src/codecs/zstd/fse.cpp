// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/fse.hpp"

#include <bit>
#include <string>

#include "codecs/zstd/bits.hpp"

namespace bobbin::zstd {
namespace {

constexpr uint32_t kMinLog = 5;

// A value from 0 to `most`, in as few bits as its size leaves open.
uint32_t read_up_to(ForwardBits& bits, uint32_t most) {
  const auto width = static_cast<uint32_t>(std::bit_width(most));
  const uint32_t value = bits.peek(width);
  const uint32_t low = value & ((uint32_t{1} << (width - 1)) - 1);
  const uint32_t spare = (uint32_t{1} << width) - 1 - most;  // values that need one bit less
  if (low < spare) {
    bits.skip(width - 1);
    return low;
  }
  bits.skip(width);
  return value >> (width - 1) != 0 ? value - spare : value;
}

Status damaged_table(const char* what) {
  return {StatusCode::corrupt, std::string("zstd: FSE table: ") + what};
}

}  // namespace

Result<FseCounts> read_fse_counts(std::span<const uint8_t> bytes, uint32_t max_log, uint32_t max_symbols,
                                  size_t& used) {
  ForwardBits bits(bytes);
  FseCounts counts{.log = bits.read(4) + kMinLog};
  if (counts.log > max_log) {
    return damaged_table("accuracy log above its limit");
  }
  int32_t left = int32_t{1} << counts.log;
  while (left > 0) {
    if (counts.num_symbols == max_symbols) {
      return damaged_table("too many symbols");
    }
    const auto count = static_cast<int32_t>(read_up_to(bits, static_cast<uint32_t>(left) + 1)) - 1;
    counts.count[counts.num_symbols++] = static_cast<int16_t>(count);
    left -= count < 0 ? 1 : count;
    // After a zero, two bits tell how many more zeros follow; three means that two more bits do.
    for (uint32_t zeros = count == 0 ? 3 : 0; zeros == 3;) {
      zeros = bits.read(2);
      if (counts.num_symbols + zeros > max_symbols) {
        return damaged_table("too many symbols");
      }
      counts.num_symbols += zeros;
    }
    if (bits.overrun()) {
      return damaged_table("ends too early");
    }
  }
  if (left < 0) {
    return damaged_table("probabilities sum to more than one");
  }
  used = bits.bytes_used();
  return counts;
}

void build_fse_states(const FseCounts& counts, std::span<FseState> states) {
  const uint32_t size = uint32_t{1} << counts.log;
  std::array<uint16_t, kMaxFseSymbols> next{};
  // Symbols of less than one occurrence get one state each, from the end.
  uint32_t high = size;
  for (uint32_t s = 0; s < counts.num_symbols; ++s) {
    next[s] = static_cast<uint16_t>(counts.count[s] < 0 ? 1 : counts.count[s]);
    if (counts.count[s] < 0) {
      states[--high].symbol = static_cast<uint8_t>(s);
    }
  }
  const uint32_t step = (size >> 1) + (size >> 3) + 3;
  uint32_t at = 0;
  for (uint32_t s = 0; s < counts.num_symbols; ++s) {
    for (int32_t i = 0; i < counts.count[s]; ++i) {
      states[at].symbol = static_cast<uint8_t>(s);
      do {
        at = (at + step) & (size - 1);
      } while (at >= high);
    }
  }
  for (uint32_t i = 0; i < size; ++i) {
    const uint32_t occurrence = next[states[i].symbol]++;
    const uint32_t bits = counts.log + 1 - static_cast<uint32_t>(std::bit_width(occurrence));
    states[i].bits = static_cast<uint8_t>(bits);
    states[i].next = static_cast<uint16_t>((occurrence << bits) - size);
  }
}

}  // namespace bobbin::zstd
