// SPDX-License-Identifier: Apache-2.0
#include "codecs/zstd/fse_encode.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace bobbin::zstd {
namespace {

// Takes from the symbols that lose least by it until the sum is right.
void take_back(FseCounts& counts, std::span<const uint32_t> occurrences, int32_t excess) {
  for (; excess > 0; --excess) {
    uint32_t best = 0;
    double least = 0;
    for (uint32_t s = 0; s < counts.num_symbols; ++s) {
      if (counts.count[s] <= 1) {
        continue;
      }
      const double loss = static_cast<double>(occurrences[s]) / (counts.count[s] - 0.5);
      if (best == 0 || loss < least) {
        best = s + 1;
        least = loss;
      }
    }
    --counts.count[best - 1];
  }
}

}  // namespace

uint32_t choose_log(uint64_t total, uint32_t num_used, uint32_t max_log) {
  const auto enough = static_cast<uint32_t>(std::bit_width(total - 1)) - (total > 64 ? 2 : 0);
  const auto needed = static_cast<uint32_t>(std::bit_width(num_used - 1)) + 1;
  return std::clamp(std::max(enough, needed), uint32_t{5}, max_log);
}

FseCounts normalise(std::span<const uint32_t> occurrences, uint32_t log) {
  FseCounts counts{.log = log};
  const uint64_t total = std::accumulate(occurrences.begin(), occurrences.end(), uint64_t{0});
  const uint64_t size = uint64_t{1} << log;
  int32_t sum = 0;
  uint32_t largest = 0;
  for (uint32_t s = 0; s < occurrences.size(); ++s) {
    if (occurrences[s] == 0) {
      continue;
    }
    counts.num_symbols = s + 1;
    const uint64_t share = (2 * occurrences[s] * size + total) / (2 * total);
    counts.count[s] = static_cast<int16_t>(std::max<uint64_t>(share, 1));
    sum += counts.count[s];
    largest = occurrences[s] > occurrences[largest] ? s : largest;
  }
  const int32_t excess = sum - static_cast<int32_t>(size);
  if (excess < 0) {
    counts.count[largest] = static_cast<int16_t>(counts.count[largest] - excess);
  } else {
    take_back(counts, occurrences, excess);
  }
  return counts;
}

void write_fse_counts(const FseCounts& counts, std::vector<uint8_t>& out) {
  BitWriter bits(out, 4 + 2 * size_t{counts.num_symbols});
  put_fse_counts(bits, counts.num_symbols, counts.log, [&](uint32_t s) { return int32_t{counts.count[s]}; });
}

FseEncoder::FseEncoder(const FseCounts& counts) : log_(counts.log) {
  const uint32_t size = uint32_t{1} << log_;
  std::array<FseState, size_t{1} << 9> states;
  build_fse_states(counts, states);
  std::array<uint32_t, kMaxFseSymbols> first{};
  uint32_t total = 0;
  for (uint32_t s = 0; s < counts.num_symbols; ++s) {
    const uint32_t count = static_cast<uint32_t>(counts.count[s] < 0 ? 1 : counts.count[s]);
    first[s] = total;
    if (count == 0) {
      continue;
    }
    // A state in [size, 2 size) gives up bits until it lies in [count, 2 count); one bit more or less
    // depends on where the state lies, which the bias turns into an addition and a shift.
    const uint32_t most = log_ - static_cast<uint32_t>(std::bit_width(count - 1)) + (count == 1 ? 0 : 1);
    symbols_[s].bits_bias = (most << 16) - (count << most);
    symbols_[s].state_bias = static_cast<int32_t>(total) - static_cast<int32_t>(count);
    total += count;
  }
  for (uint32_t i = 0; i < size; ++i) {
    next_[first[states[i].symbol]++] = static_cast<uint16_t>(size + i);
  }
}

void FseEncoder::start(uint32_t symbol) {
  const Symbol& s = symbols_[symbol];
  const uint32_t bits = (s.bits_bias + (uint32_t{1} << 15)) >> 16;
  const uint32_t value = (bits << 16) - s.bits_bias;
  state_ = next_[static_cast<size_t>(static_cast<int32_t>(value >> bits) + s.state_bias)];
}

}  // namespace bobbin::zstd
