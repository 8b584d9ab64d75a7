// SPDX-License-Identifier: Apache-2.0
// Tile functions of alprd: convert left codes to left parts, and join both parts. bitpack unpacks, patched
// applies patches.
//
// Formula: spec.md. Codes below eight, which are nearly all, are looked up in four registers, two at a time;
// others are searched for. A left part has at most 16 bits, so it affects only the upper 32 bits of a value.
//
// Shape: two codes per word; 16 bytes of values. Cost: four instructions per code, two per value.
#pragma once

#include <cstdint>

#include "codecs/alprd/alprd.hpp"
#include "simt/cta.hpp"

namespace bobbin::codec::alprd {

using simt::Global;
using simt::Quad;

}  // namespace bobbin::codec::alprd
