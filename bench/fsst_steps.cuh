// SPDX-License-Identifier: Apache-2.0
// FSST decoding in the steps of a published blog post: one thread per string, then one change at a time. The
// benchmark runs these steps next to our kernel, to show what each change gains on this GPU. Sources are
// trusted, as in the post: nothing here is checked, so these kernels are for the benchmark only.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/bits.hpp"
#include "core/portable.hpp"

namespace bobbin::bench {

// All pointers are in device memory. Strings are contiguous in the codes and in the output.
struct StepInput {
  const uint8_t* codes;  // 255: the next byte is a literal; 8-byte aligned, with 16 bytes of slack at the end
  uint64_t code_bytes;   // nothing is read at or past this, rounded up to 8
  const uint32_t* code_offsets;  // strings + 1
  const uint32_t* offsets;       // strings + 1, in the output
  uint64_t strings;
  const uint64_t* symbols;      // 256, zero-padded, lowest byte first; entry 255 is unused
  const uint8_t* lengths;       // 256, 1 to 8
  const uint32_t* split_codes;  // splits + 1, from make_splits
  const uint32_t* split_bytes;  // splits + 1, the same positions in the output
  uint64_t splits;
  uint8_t* out;  // 16-byte aligned
};

// Errors are left to the caller's cudaGetLastError.
using StepLaunch = void (*)(const StepInput&, cudaStream_t);

struct Step {
  const char* name;
  StepLaunch launch;
};

namespace steps {

constexpr uint32_t kEscape = 255;

// One string (or split) per thread. The original kernel has 64 threads per block and 32 strings per thread;
// with one each, a smaller column still fills the GPU, and 10 million strings are 78 thousand blocks.
constexpr uint32_t kThreads = 128;

// The inputs never change during a kernel. Declaring this lets loads move ahead of byte stores, which might
// otherwise alias anything.
template <class T>
BOBBIN_HD T load(const T* p) {
#ifdef __CUDA_ARCH__
  return __ldg(p);
#else
  return *p;
#endif
}

BOBBIN_HD bool is_aligned(const uint8_t* p, uint32_t bytes) {
  return reinterpret_cast<uintptr_t>(p) % bytes == 0;
}

// Codes one by one from memory.
struct ByteReader {
  const uint8_t* at;

  BOBBIN_HD uint32_t next() { return load(at++); }
};

// Codes from an aligned word in a register; single bytes until the first aligned address. The word with the
// last code is read as a whole, but none after it.
struct WordReader {
  const uint8_t* at;
  uint64_t window = 0;
  uint32_t left = 0;  // bytes in the window

  BOBBIN_HD uint32_t next() {
    if (left == 0) {
      const bool whole = is_aligned(at, 8);
      window = whole ? load(reinterpret_cast<const uint64_t*>(at)) : load(at);
      left = whole ? 8 : 1;
    }
    const auto code = static_cast<uint32_t>(window & 255);
    window >>= 8;
    --left;
    ++at;
    return code;
  }
};

// Symbols from global memory, in practice from L1.
struct GlobalTable {
  BOBBIN_HD static uint64_t symbol(const StepInput& in, uint32_t code) { return load(in.symbols + code); }
  BOBBIN_HD static uint32_t length(const StepInput& in, uint32_t code) { return load(in.lengths + code); }
};

// Symbols from a block's shared memory, to which its threads copy them.
struct SharedTable {
  uint64_t symbols[256];
  uint8_t lengths[256];

  BOBBIN_HD void stage(const StepInput& in, uint32_t thread, uint32_t threads) {
    for (uint32_t i = thread; i < 256; i += threads) {
      symbols[i] = load(in.symbols + i);
      lengths[i] = load(in.lengths + i);
    }
  }
  BOBBIN_HD uint64_t symbol(const StepInput& /*in*/, uint32_t code) const { return symbols[code]; }
  BOBBIN_HD uint32_t length(const StepInput& /*in*/, uint32_t code) const { return lengths[code]; }
};

// Stores each byte separately.
struct ByteSink {
  uint8_t* out;

  BOBBIN_HD void put(uint64_t symbol, uint32_t length) {
    for (uint32_t i = 0; i < length; ++i) {
      *out++ = static_cast<uint8_t>(symbol >> 8 * i);
    }
  }
  BOBBIN_HD void finish() {}
};

// Collects up to 24 bytes in registers: 16 for the widest store, plus one symbol. Bytes past `fill` are zero,
// so that a symbol is inserted with OR.
struct Scratch {
  uint8_t* out;
  uint64_t low = 0;
  uint64_t middle = 0;
  uint64_t high = 0;
  uint32_t fill = 0;  // at most 16 between calls

  BOBBIN_HD void put(uint64_t symbol, uint32_t length) {
    const uint32_t shift = fill % 8 * 8;
    const uint64_t first = symbol << shift;
    const uint64_t rest = symbol >> 1 >> (63 - shift);  // 0 if the shift is 0
    if (fill < 8) {
      low |= first;
      middle |= rest;
    } else if (fill < 16) {
      middle |= first;
      high |= rest;
    } else {
      high = symbol;
    }
    fill += length;
    while (fill > 16) {
      drain();
    }
  }

  BOBBIN_HD void finish() {
    while (fill > 0) {
      drain();
    }
  }

  // The widest store that the available bytes and the address allow. It never passes the end of the string,
  // so neighbouring strings are not affected.
  BOBBIN_HD void drain() {
    if (fill >= 16 && is_aligned(out, 16)) {
      *reinterpret_cast<ulonglong2*>(out) = {low, middle};
      drop_word();
      drop_word();
    } else if (fill >= 8 && is_aligned(out, 8)) {
      *reinterpret_cast<uint64_t*>(out) = low;
      drop_word();
    } else if (fill >= 4 && is_aligned(out, 4)) {
      store_part<uint32_t>();
    } else if (fill >= 2 && is_aligned(out, 2)) {
      store_part<uint16_t>();
    } else {
      store_part<uint8_t>();
    }
  }

  BOBBIN_HD void drop_word() {
    low = middle;
    middle = high;
    high = 0;
    out += 8;
    fill -= 8;
  }

  template <class T>
  BOBBIN_HD void store_part() {
    constexpr uint32_t kBits = 8 * sizeof(T);
    *reinterpret_cast<T*>(out) = static_cast<T>(low);
    low = low >> kBits | middle << (64 - kBits);
    middle = middle >> kBits | high << (64 - kBits);
    high >>= kBits;
    out += sizeof(T);
    fill -= sizeof(T);
  }
};

// Decodes the i-th string, or split.
template <class Reader, class Table, class Sink, bool kSplits>
BOBBIN_HD void decode_one(const StepInput& in, const Table& table, uint64_t i) {
  const uint32_t* const starts = kSplits ? in.split_codes : in.code_offsets;
  Reader reader{in.codes + load(starts + i)};
  Sink sink{in.out + load((kSplits ? in.split_bytes : in.offsets) + i)};
  const uint8_t* const end = in.codes + load(starts + i + 1);
  while (reader.at < end) {
    const uint32_t code = reader.next();
    if (code == kEscape) {
      sink.put(reader.next(), 1);
    } else {
      sink.put(table.symbol(in, code), table.length(in, code));
    }
  }
  sink.finish();
}

template <class Reader, class Table, class Sink, bool kSplits>
__global__ void __launch_bounds__(kThreads) decode(const __grid_constant__ StepInput in) {
  __shared__ Table table;
  if constexpr (!std::is_empty_v<Table>) {
    table.stage(in, threadIdx.x, kThreads);
    __syncthreads();
  }
  const uint64_t i = uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < (kSplits ? in.splits : in.strings)) {
    decode_one<Reader, Table, Sink, kSplits>(in, table, i);
  }
}

template <class Reader, class Table, class Sink, bool kSplits>
void launch(const StepInput& in, cudaStream_t stream) {
  const auto blocks = static_cast<uint32_t>(ceil_div<uint64_t>(kSplits ? in.splits : in.strings, kThreads));
  if (blocks > 0) {
    decode<Reader, Table, Sink, kSplits><<<blocks, kThreads, 0, stream>>>(in);
  }
}

}  // namespace steps

inline const Step kSteps[] = {
    {"thread per string", steps::launch<steps::ByteReader, steps::GlobalTable, steps::ByteSink, false>},
    {"aligned loads", steps::launch<steps::WordReader, steps::GlobalTable, steps::ByteSink, false>},
    {"shared table", steps::launch<steps::WordReader, steps::SharedTable, steps::ByteSink, false>},
    {"buffered stores", steps::launch<steps::ByteReader, steps::GlobalTable, steps::Scratch, false>},
    {"splits", steps::launch<steps::WordReader, steps::SharedTable, steps::Scratch, true>},
};

// Where the threads of the last step begin: the first code at or after every `every` code bytes, regardless
// of strings, and the end. Both sides are below 4 GiB.
inline void make_splits(std::span<const uint8_t> codes, const uint8_t (&lengths)[256],
                        std::vector<uint32_t>& split_codes, std::vector<uint32_t>& split_bytes,
                        uint32_t every = 32) {
  split_codes.clear();
  split_bytes.clear();
  uint64_t next = 0;
  uint32_t byte = 0;
  uint64_t at = 0;
  while (at < codes.size()) {
    if (at >= next) {
      split_codes.push_back(static_cast<uint32_t>(at));
      split_bytes.push_back(byte);
      next = (at / every + 1) * every;
    }
    const bool literal = codes[at] == steps::kEscape;
    byte += literal ? 1 : lengths[codes[at]];
    at += literal ? 2 : 1;
  }
  split_codes.push_back(static_cast<uint32_t>(at));
  split_bytes.push_back(byte);
}

}  // namespace bobbin::bench
