// SPDX-License-Identifier: Apache-2.0
// What the routines of the algorithms share.
//
// Every call on lanes below is one instruction, unless its comment says otherwise. Sign-extending loads and
// comparisons of a value with its own lowest byte or half word (PTX: ld.s8, vset with a selector) exist on
// the paper's GPU and count as one.
#pragma once

#include <algorithm>
#include <bit>

#include "codecs/line/choose.hpp"
#include "sim/routines.hpp"

namespace bobbin::sim::routine {

namespace line = codec::line;

using LineWords = std::array<uint32_t, kLineWords>;
using Offsets = Lanes<uint32_t>;

// An offset outside of the line: the lane is inactive, by the static mask of the assist warp.
inline constexpr uint32_t kNowhere = 0xffff'0000;
inline constexpr uint32_t kWordsOfSegment = line::kPartWords;
inline constexpr uint32_t kSegments = kLineWords / kWordsOfSegment;
// Images of FPC' with more words save no burst.
inline constexpr uint32_t kMostFpcWords = (kLineBytes - kBurstBytes) / 4;

// The MOVE of the line's address, from a register of the parent.
[[nodiscard]] inline Offsets live_in(Warp& w) {
  Offsets address;
  address.reg = w.emit(Op::move);
  return address;
}

// The MOVE of the code to a register of the parent.
inline void live_out(Warp& w) {
  w.emit(Op::move);
}

// first + step * (lane - begin) for `count` lanes. No instruction: the load/store unit adds a constant and a
// multiple of the lane's number to the address, as for any coalesced access.
[[nodiscard]] inline Offsets at(const Offsets& address, uint32_t first, uint32_t step, uint32_t begin = 0,
                                uint32_t count = kLanes) {
  Offsets out = kNowhere;
  for (uint32_t i = begin; i < begin + count; ++i) {
    out.value[i] = address.value[i] + first + step * (i - begin);
  }
  out.reg = address.reg;
  return out;
}

// A load that extends its value; with a signed `From`, by its sign.
template <class To, class From>
[[nodiscard]] Lanes<To> load_as(Warp& w, const LineWords& words, const Offsets& offsets) {
  const Lanes<From> loaded = w.load_line<From>(words, offsets);
  Lanes<To> out;
  std::transform(loaded.value.begin(), loaded.value.end(), out.value.begin(),
                 [](From x) { return static_cast<To>(x); });
  out.reg = loaded.reg;
  return out;
}

// One part of a register pair: no instruction.
template <class To>
[[nodiscard]] Lanes<To> part_of(const Lanes<uint64_t>& pair, uint32_t shift) {
  Lanes<To> out;
  std::transform(pair.value.begin(), pair.value.end(), out.value.begin(),
                 [shift](uint64_t x) { return static_cast<To>(x >> shift); });
  out.reg = pair.reg;
  return out;
}

// A vote whose bits all lanes get, as a number.
[[nodiscard]] inline Lanes<uint32_t> ballot(Warp& w, const Mask& mask) {
  Lanes<uint32_t> out = mask.bits;
  out.reg = w.emit(Op::vote, mask.reg.id());
  return out;
}

// The global predicate, and the branch on it.
[[nodiscard]] inline bool branch_if_all(Warp& w, const Mask& mask) {
  const Register all = w.emit(Op::vote, mask.reg.id());
  w.emit_plain(Op::branch, all.id());
  return mask.bits == 0xffff'ffff;
}

// An instruction whose result replaces its first operand, in the same register.
inline void redefine(Warp& w, Register& reg, uint16_t a = kNoRegister, uint16_t b = kNoRegister) {
  const uint16_t before = reg.id();
  reg = {};
  reg = w.emit(Op::alu, before, a, b);
}

// Values of 8 bytes need another instruction for their upper half.
template <class V>
void carry(Warp& w, Register& reg) {
  if constexpr (sizeof(V) == 8) {
    redefine(w, reg);
  }
}

// image to raw.
void decompress_bdi(Warp& w, StagedLine& staged);
void decompress_fpc(Warp& w, StagedLine& staged);
void decompress_cpack(Warp& w, StagedLine& staged);
// raw to image and code. See emit_compress().
void compress_bdi(Warp& w, StagedLine& staged, bool first_base, uint32_t hint, bool one_encoding);
void compress_fpc(Warp& w, StagedLine& staged);
void compress_cpack(Warp& w, StagedLine& staged);

}  // namespace bobbin::sim::routine
