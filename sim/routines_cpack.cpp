// SPDX-License-Identifier: Apache-2.0
// C-Pack': words as entries of a dictionary of four, with their last byte where it differs.
#include "sim/routines_common.hpp"

namespace bobbin::sim::routine {
namespace {

constexpr uint32_t kDictionaryWords = 3;
constexpr uint32_t kIndexes = 4 * kDictionaryWords;
constexpr uint32_t kMismatchBytes = kIndexes + kLineWords / 4;

// The dictionary index of each lane's word.
[[nodiscard]] Lanes<uint32_t> load_index(Warp& w, const StagedLine& staged) {
  const Lanes<uint32_t> lane = w.lane();
  const Lanes<uint32_t> indexes = w.load_line<uint32_t>(
      staged.image, w.alu<uint32_t>(lane, [](uint32_t i) { return kIndexes + i / 16 * 4; }));
  return (indexes >> (lane * 2U)) & 3U;
}

// The dictionary's word of each lane; lanes with index 0 load nothing.
[[nodiscard]] Lanes<uint32_t> load_entry(Warp& w, const StagedLine& staged, const Lanes<uint32_t>& index) {
  const Mask is_zero = index == 0U;
  Offsets from = (index - 1U) * 4U;
  for (uint32_t i = 0; i < kLanes; ++i) {
    from.value[i] = (is_zero.bits >> i & 1) != 0 ? kNowhere : from[i];
  }
  return w.load_line<uint32_t>(staged.image, from);
}

}  // namespace

void decompress_cpack(Warp& w, StagedLine& staged) {
  const Offsets address = live_in(w);
  const Lanes<uint32_t> entry = load_entry(w, staged, load_index(w, staged));
  const auto bytes = load_as<uint32_t, uint8_t>(w, staged.image, at(address, kMismatchBytes, 1));
  Lanes<uint32_t> word;
  for (uint32_t i = 0; i < kLanes; ++i) {
    word.value[i] = (entry[i] & ~0xffU) | bytes[i];
  }
  word.reg = w.emit(Op::alu, entry.reg.id(), bytes.reg.id());
  w.store_line(staged.raw, at(address, 0, 4), word);
}

namespace {

// What the dictionary covers so far.
struct Coverage {
  Mask known;
  Lanes<uint32_t> index = 0U;
};

// The first word that is not covered becomes entry `number`, which is stored at once. False if all words are
// covered.
[[nodiscard]] bool add_entry(Warp& w, StagedLine& staged, const Offsets& address, const Lanes<uint32_t>& x,
                             uint32_t number, Coverage& coverage) {
  Lanes<uint32_t> missing = ballot(w, {~coverage.known.bits, coverage.known.reg});
  w.emit_plain(Op::branch, missing.reg.id());
  if (missing[0] == 0) {
    return false;
  }
  redefine(w, missing.reg);  // the offset of the first one
  Lanes<uint32_t> entry = static_cast<uint32_t>(std::countr_zero(missing[0])) * 4;
  entry.reg = std::move(missing.reg);
  entry = w.load_line<uint32_t>(staged.raw, entry);
  w.store_line(staged.image, at(address, 4 * (number - 1), 0, 0, 1), entry);
  const Mask match = (x ^ entry) < 256U;
  coverage.index = w.select(match, Lanes<uint32_t>(number), coverage.index);
  coverage.known.bits |= match.bits;
  redefine(w, coverage.known.reg, match.reg.id());
  return true;
}

// Packs two bits per lane: four lanes make one byte.
[[nodiscard]] Lanes<uint8_t> pack_indexes(Warp& w, const Lanes<uint32_t>& index) {
  const Lanes<uint32_t> lane = w.lane();
  Lanes<uint32_t> packed = index << w.alu<uint32_t>(lane, [](uint32_t i) { return i % 4 * 2; });
  for (uint32_t distance = 1; distance < 4; distance *= 2) {
    Lanes<uint32_t> other = 0U;
    for (uint32_t i = 0; i < kLanes; ++i) {
      other.value[i] = i ^ distance;
    }
    packed = packed | w.shuffle(packed, other);
  }
  Lanes<uint8_t> out;
  std::transform(packed.value.begin(), packed.value.end(), out.value.begin(),
                 [](uint32_t v) { return static_cast<uint8_t>(v); });
  out.reg = packed.reg;
  return out;
}

void store_cpack(Warp& w, StagedLine& staged, const Offsets& address, const Lanes<uint32_t>& x,
                 const Coverage& coverage) {
  Lanes<uint8_t> bytes;
  std::transform(x.value.begin(), x.value.end(), bytes.value.begin(),
                 [](uint32_t v) { return static_cast<uint8_t>(v); });
  bytes.reg = x.reg;
  w.store_line(staged.image, at(address, kMismatchBytes, 1), bytes);
  const Lanes<uint8_t> packed = pack_indexes(w, coverage.index);
  Offsets to = kNowhere;
  for (uint32_t i = 0; i < kLanes; i += 4) {
    to.value[i] = kIndexes + i / 4;
  }
  to.reg = address.reg;
  w.store_line(staged.image, to, packed);
}

}  // namespace

void compress_cpack(Warp& w, StagedLine& staged) {
  const Offsets address = live_in(w);
  const Lanes<uint32_t> x = w.load_line<uint32_t>(staged.raw, at(address, 0, 4));
  if (branch_if_all(w, x == 0U)) {
    staged.code = line::kZeros;
    return live_out(w);
  }
  Coverage coverage{.known = x < 256U};
  for (uint32_t number = 1; number <= kDictionaryWords; ++number) {
    if (!add_entry(w, staged, address, x, number, coverage)) {
      break;
    }
  }
  staged.code = kRawCode;
  if (branch_if_all(w, coverage.known)) {
    store_cpack(w, staged, address, x, coverage);
    staged.code = line::kCpack;
  }
  live_out(w);
}

}  // namespace bobbin::sim::routine
