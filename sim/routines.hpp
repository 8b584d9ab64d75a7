// SPDX-License-Identifier: Apache-2.0
// Assist routines: what an assist warp executes, as instructions of the same set as programs. A routine
// computes its result from the staged line with real lanes; how long it takes follows from its instructions
// and their registers.
#pragma once

#include <array>
#include <cstdint>

#include "sim/line_codec.hpp"
#include "sim/program.hpp"

namespace bobbin::sim {

// A line in the L1, staged for one routine.
struct StagedLine {
  alignas(8) std::array<uint32_t, kLineWords> raw{};
  alignas(8) std::array<uint32_t, kLineWords> image{};
  uint32_t code = kRawCode;  // of the image
};

// What the assist warp store and the register allocation must provide for one routine.
struct RoutineNeeds {
  uint32_t instructions = 0;  // in the store: every path counts once
  uint32_t registers = 0;     // per thread
};
// For decompression, all encodings of the algorithm together.
[[nodiscard]] RoutineNeeds decompress_needs(Algorithm algorithm);
[[nodiscard]] RoutineNeeds compress_needs(Algorithm algorithm);
[[nodiscard]] RoutineNeeds prefetch_needs();
[[nodiscard]] RoutineNeeds memo_needs();

// Routines begin with the MOVE of their live-in: the line's address, in a register of the parent.

// image and code to raw: one routine per encoding (code).
void emit_decompress(Warp& warp, StagedLine& line);
// raw to image and code; kRawCode if the algorithm saves no burst. `hint` is the code of the last line that
// was compressed (kRawCode: none); with `one_encoding`, BDI tries it first and stops if it fits. `best` is
// the paper's BestOfAll: the routine of the algorithm with the smallest image, without a cost of selection.
// With `first_base` BDI's base is the line's first value (Algorithm 2), otherwise the first that is not a
// delta.
void emit_compress(Warp& warp, StagedLine& line, Algorithm algorithm, uint32_t hint, bool one_encoding,
                   bool first_base = false);
// Addresses ahead of a parent's load: `stride` bytes per step, `distance` steps ahead of `address`.
void emit_prefetch_routine(Warp& warp, Address address, int64_t stride, uint32_t distance);

// Memoization at a program point, in the parent's own instruction stream. Lanes whose key is in the table get
// the remembered value and their bit in the result; the others must compute and then remember. Without a
// table (see Warp::memo) no lane hits and no instruction is emitted.
struct MemoHit {
  uint32_t lanes = 0;
  Lanes<uint64_t> value;
};
[[nodiscard]] MemoHit memo_lookup(Warp& warp, const Lanes<uint64_t>& key);
void memo_remember(Warp& warp, const Lanes<uint64_t>& key, const Lanes<uint64_t>& value);

}  // namespace bobbin::sim
