// SPDX-License-Identifier: Apache-2.0
#include "sim/routines.hpp"

#include <cstring>

namespace bobbin::sim {
namespace {

// Number of steps between the loads and the store of a routine.
[[nodiscard]] uint32_t steps_of(uint32_t code) {
  return code >= 0x80 ? 24 : code == 9 ? 10 : code >= 8 ? 6 : 3;
}

void emit_steps(Warp& warp, uint32_t count) {
  Register value = warp.emit(Op::move);
  value = warp.emit(Op::line_load, value.id());
  for (uint32_t i = 0; i < count; ++i) {
    value = warp.emit(Op::alu, value.id());
  }
  warp.emit_plain(Op::line_store, value.id());
}

}  // namespace

RoutineNeeds decompress_needs(Algorithm algorithm) {
  return {algorithm == Algorithm::bdi ? 60U : 100U, 4};
}
RoutineNeeds compress_needs(Algorithm algorithm) {
  return {algorithm == Algorithm::bdi ? 40U : 60U, 6};
}
RoutineNeeds prefetch_needs() {
  return {4, 2};
}
RoutineNeeds memo_needs() {
  return {8, 4};
}

void emit_decompress(Warp& warp, StagedLine& line) {
  LineImage image{line.code, image_size(line.code), line.image};
  const LineBytes bytes = expand_line(image);
  std::memcpy(line.raw.data(), bytes.data(), kLineBytes);
  emit_steps(warp, steps_of(line.code));
}

void emit_compress(Warp& warp, StagedLine& line, Algorithm algorithm, uint32_t hint, bool one_encoding) {
  LineBytes bytes;
  std::memcpy(bytes.data(), line.raw.data(), kLineBytes);
  const LineImage image = compress_line(bytes, algorithm, false);
  line.image = image.words;
  line.code = image.code;
  emit_steps(warp, one_encoding && hint == image.code ? 8 : 30);
}

void emit_prefetch_routine(Warp& warp, Address address, int64_t stride, uint32_t distance) {
  Register at = warp.emit(Op::move);
  at = warp.emit(Op::alu, at.id());
  warp.emit_prefetch(address + static_cast<Address>(stride * distance), at);
}

MemoHit memo_lookup(Warp& warp, const Lanes<uint64_t>& key) {
  MemoHit hit;
  if (warp.memo == nullptr) {
    return hit;
  }
  warp.assisting = true;
  Register at = warp.emit(Op::move, key.reg.id());
  at = warp.emit(Op::alu, at.id());
  at = warp.emit(Op::alu, at.id());
  const Register tag = warp.emit(Op::shared_load, at.id());
  hit.value.reg = warp.emit(Op::shared_load, at.id());
  warp.emit_plain(Op::vote, tag.id());
  warp.assisting = false;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const MemoTable::Entry& entry = warp.memo->at(key[i]);
    const bool found = entry.used && entry.key == key[i];
    hit.lanes |= (found ? 1U : 0U) << i;
    hit.value.value[i] = found ? entry.value : 0;
  }
  hit.lanes &= warp.active();
  warp.memo->lookups += static_cast<uint32_t>(std::popcount(warp.active()));
  warp.memo->hits += static_cast<uint32_t>(std::popcount(hit.lanes));
  return hit;
}

void memo_remember(Warp& warp, const Lanes<uint64_t>& key, const Lanes<uint64_t>& value) {
  if (warp.memo == nullptr) {
    return;
  }
  for (uint32_t i = 0; i < kLanes; ++i) {
    if ((warp.active() >> i & 1) != 0) {
      warp.memo->at(key[i]) = {key[i], value[i], true};
    }
  }
  warp.assisting = true;
  warp.emit_plain(Op::shared_store, key.reg.id(), value.reg.id());
  warp.assisting = false;
}

}  // namespace bobbin::sim
