// SPDX-License-Identifier: Apache-2.0
// The ring through which blocks exchange the sums of their tiles.
//
// Block b of G works on tiles b, b+G, b+2G ... The sum of tile c goes to slot c modulo R; each of its words
// is stored together with the tile's tag in one 64-bit word: a reader that finds the tag has the value, and
// no order between words matters. Nothing is ever cleared. For the carry into tile c a block reads the G-1
// tiles before it and the state it kept from its own last tile: blocks never wait for a carry, only for sums.
//
// Slots may be reused when their readers are known to be done. A block publishes `ahead` tiles of its own
// before it looks for the carry into one: when it publishes tile x+R it has read for its tile x+R-(1+ahead)G,
// so all tiles before that one are published; tile x's last reader, x+G-1, is done once its block publishes
// x+G-1+(1+ahead)G. Hence R >= (3+2*ahead)G: tests/scan searches all interleavings.
#pragma once

#include <bit>
#include <cstdint>

namespace bobbin::scan {

// The number of slots of a ring. A power of two, so that a mask gives the slot.
constexpr uint64_t ring_slots(uint64_t blocks, uint32_t ahead) {
  return std::bit_ceil((3 + 2 * uint64_t{ahead}) * blocks);
}

// The tag of a tile, never 0, which is what a fresh ring holds. `epoch` counts the tiles of earlier scans on
// the same ring: tile c of a scan has the tag of tile epoch + c.
constexpr uint32_t ring_tag(uint64_t epoch, uint64_t tile) {
  return static_cast<uint32_t>(epoch + tile + 1);
}

// The number of tiles after which tags of a ring would repeat.
inline constexpr uint64_t kMaxEpoch = UINT32_MAX - 1;

}  // namespace bobbin::scan
