// SPDX-License-Identifier: Apache-2.0
#include "sim/routines.hpp"

#include <algorithm>
#include <bit>

#include "sim/routines_common.hpp"

namespace bobbin::sim {
namespace {

namespace line = codec::line;

// The algorithm that the best of all would take.
[[nodiscard]] Algorithm best_for(const StagedLine& staged) {
  LineBytes bytes;
  std::memcpy(bytes.data(), staged.raw.data(), kLineBytes);
  const uint32_t code = compress_line(bytes, Algorithm::best, false).code;
  return code >= line::kFpc ? Algorithm::fpc : code == line::kCpack ? Algorithm::cpack : Algorithm::bdi;
}

// The best of all has the routines of all three in the store and runs one of them at a time.
[[nodiscard]] RoutineNeeds needs_of(Algorithm algorithm, RoutineNeeds bdi, RoutineNeeds fpc,
                                    RoutineNeeds cpack) {
  switch (algorithm) {
    case Algorithm::fpc:
      return fpc;
    case Algorithm::cpack:
      return cpack;
    case Algorithm::best:
      return {bdi.instructions + fpc.instructions + cpack.instructions,
              std::max({bdi.registers, fpc.registers, cpack.registers})};
    default:
      return bdi;
  }
}

}  // namespace

RoutineNeeds decompress_needs(Algorithm algorithm) {
  return needs_of(algorithm, {52, 4}, {40, 5}, {14, 6});
}

RoutineNeeds compress_needs(Algorithm algorithm) {
  return needs_of(algorithm, {103, 9}, {64, 7}, {45, 8});
}

RoutineNeeds prefetch_needs() {
  return {6, 4};
}

RoutineNeeds memo_needs() {
  return {8, 4};
}

void emit_decompress(Warp& warp, StagedLine& staged) {
  if (staged.code == kRawCode) {
    staged.raw = staged.image;
  } else if (staged.code < line::kCpack) {
    routine::decompress_bdi(warp, staged);
  } else if (staged.code == line::kCpack) {
    routine::decompress_cpack(warp, staged);
  } else {
    routine::decompress_fpc(warp, staged);
  }
}

void emit_compress(Warp& warp, StagedLine& staged, Algorithm algorithm, uint32_t hint, bool one_encoding,
                   bool first_base) {
  staged.image = {};
  switch (algorithm == Algorithm::best ? best_for(staged) : algorithm) {
    case Algorithm::fpc:
      routine::compress_fpc(warp, staged);
      break;
    case Algorithm::cpack:
      routine::compress_cpack(warp, staged);
      break;
    default:
      routine::compress_bdi(warp, staged, first_base, hint, one_encoding);
      break;
  }
  if (staged.code == kRawCode) {
    staged.image = staged.raw;
  }
}

// The stride is that from the parent's last address, which spare registers keep with the last stride. A
// prefetch follows if it is the same again.
void emit_prefetch_routine(Warp& warp, Address address, int64_t stride, uint32_t distance) {
  const Register now = warp.emit(Op::move);
  const Register step = warp.emit(Op::alu, now.id());
  const Register same = warp.emit(Op::alu, step.id());
  const Register ahead = warp.emit(Op::alu, now.id(), step.id());
  warp.emit_plain(Op::branch, same.id());
  warp.emit_prefetch(address + static_cast<Address>(stride * distance), ahead);
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
  const Register equal = warp.emit(Op::alu, tag.id(), key.reg.id());
  warp.emit(Op::vote, equal.id());
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
