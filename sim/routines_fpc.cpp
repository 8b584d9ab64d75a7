// SPDX-License-Identifier: Apache-2.0
// FPC': segments one after another, the four words of a segment in parallel.
#include "core/permute_bytes.hpp"
#include "sim/routines_common.hpp"

namespace bobbin::sim::routine {
namespace {

// Extracts a segment's pattern and jumps to its path.
void jump_to_pattern(Warp& w, const Register& patterns) {
  const Register pattern = w.emit(Op::alu, patterns.id());
  w.emit_plain(Op::branch, pattern.id());
}

// The words of one segment, in lanes 0 to 3, from its image.
[[nodiscard]] Lanes<uint32_t> expand_segment(Warp& w, const StagedLine& staged, const Offsets& address,
                                             uint32_t pattern) {
  const auto from = [&](uint32_t step) { return at(address, 0, step, 0, kWordsOfSegment); };
  switch (pattern) {
    case 0:
      return 0U;
    case 2:
      return load_as<uint32_t, int8_t>(w, staged.image, from(1));
    case 3:
      return load_as<uint32_t, int16_t>(w, staged.image, from(2));
    case 4:
      return load_as<uint32_t, uint16_t>(w, staged.image, from(2)) << 16U;
    case 5: {
      const auto bytes = load_as<uint32_t, uint16_t>(w, staged.image, from(2));
      return w.alu<uint32_t>(
          bytes, [](uint32_t x) { return (signed_byte(x, 0) & 0xffff) | signed_byte(x, 1) << 16; });
    }
    case 6:
      return load_as<uint32_t, uint8_t>(w, staged.image, from(1)) * 0x0101'0101U;
    default:
      return w.load_line<uint32_t>(staged.image, from(4));
  }
}

}  // namespace

void decompress_fpc(Warp& w, StagedLine& staged) {
  Offsets address = live_in(w);
  const Lanes<uint32_t> patterns = w.load_line<uint32_t>(staged.image, at(address, 0, 0));
  const Offsets raw = address;
  for (uint32_t i = 0, next = 4; i < kSegments; ++i) {
    const uint32_t pattern = patterns[0] >> 3 * i & 7;
    jump_to_pattern(w, patterns.reg);
    const Lanes<uint32_t> words = expand_segment(w, staged, at(address, next, 0), pattern);
    w.store_line(staged.raw, at(raw, 4 * kWordsOfSegment * i, 4, 0, kWordsOfSegment), words);
    if (pattern != 0) {
      address.reg = w.emit(Op::alu, address.reg.id());  // the next segment's base address
      next += 4 * line::segment_words(pattern);
    }
  }
}

namespace {

// Adds `bit` to the set of each lane for which a test holds, which takes `tests` instructions.
template <class F>
void collect(Warp& w, Lanes<uint32_t>& set, const Lanes<uint32_t>& x, uint32_t bit, uint32_t tests, F holds) {
  Register predicate = x.reg;
  for (uint32_t i = 0; i < tests; ++i) {
    predicate = w.emit(Op::alu, x.reg.id(), predicate.id());
  }
  for (uint32_t i = 0; i < kLanes; ++i) {
    set.value[i] |= holds(x[i]) ? 1U << bit : 0U;
  }
  set.reg = w.emit(Op::alu, set.reg.id(), predicate.id());
}

// Patterns by their bytes, then by their number: the first that fits is taken.
constexpr std::array<uint32_t, 7> kPatternOrder = {0, 2, 6, 3, 4, 5, 7};

// The pattern of each lane's segment.
[[nodiscard]] Lanes<uint32_t> find_patterns(Warp& w, const Lanes<uint32_t>& x) {
  Lanes<uint32_t> set = 1U << 6;
  collect(w, set, x, 0, 1, [](uint32_t v) { return v == 0; });
  collect(w, set, x, 1, 1, [](uint32_t v) { return line::is_delta(v, 8); });
  collect(w, set, x, 2, 2, [](uint32_t v) { return v == (v & 0xff) * 0x0101'0101U; });
  collect(w, set, x, 3, 1, [](uint32_t v) { return line::is_delta(v, 16); });
  collect(w, set, x, 4, 1, [](uint32_t v) { return (v & 0xffff) == 0; });
  collect(w, set, x, 5, 2, [](uint32_t v) {
    return line::is_delta(static_cast<uint16_t>(v), 8) && line::is_delta(static_cast<uint16_t>(v >> 16), 8);
  });
  for (uint32_t distance = 1; distance < kWordsOfSegment; distance *= 2) {
    Lanes<uint32_t> other = 0U;
    for (uint32_t i = 0; i < kLanes; ++i) {
      other.value[i] = i ^ distance;  // the exchange's fixed pattern: no register
    }
    set = set & w.shuffle(set, other);
  }
  const auto first = w.alu<uint32_t>(set, [](uint32_t v) { return std::countr_zero(v); });
  return w.alu<uint32_t>(first, [](uint32_t i) { return kPatternOrder[i]; });
}

// The bytes of one segment, in its own lanes.
void store_segment(Warp& w, StagedLine& staged, const Lanes<uint32_t>& x, uint32_t pattern, uint32_t first,
                   const Offsets& to) {
  const auto offsets = [&](uint32_t step) { return at(to, 0, step, first, kWordsOfSegment); };
  const auto narrow = [&]<class T>(const Lanes<uint32_t>& words, T) {
    Lanes<T> out;
    std::transform(words.value.begin(), words.value.end(), out.value.begin(),
                   [](uint32_t v) { return static_cast<T>(v); });
    out.reg = words.reg;
    w.store_line(staged.image, offsets(sizeof(T)), out);
  };
  switch (pattern) {
    case 0:
      return;
    case 2:
    case 6:
      return narrow(x, uint8_t{});
    case 3:
      return narrow(x, uint16_t{});
    case 4:
      return narrow(x >> 16U, uint16_t{});
    case 5:
      return narrow(w.alu<uint32_t>(x, [](uint32_t v) { return (v & 0xff) | (v >> 8 & 0xff00); }),
                    uint16_t{});
    default:
      return narrow(x, uint32_t{});
  }
}

}  // namespace

void compress_fpc(Warp& w, StagedLine& staged) {
  Offsets address = live_in(w);
  const Offsets start = address;
  const Lanes<uint32_t> x = w.load_line<uint32_t>(staged.raw, at(address, 0, 4));
  const Lanes<uint32_t> found = find_patterns(w, x);
  Lanes<uint32_t> patterns = 0U;
  uint32_t words = 1;
  for (uint32_t i = 0; i < kSegments; ++i) {
    const uint32_t first = kWordsOfSegment * i;
    const Lanes<uint32_t> pattern = w.shuffle(found, Lanes<uint32_t>(first));
    const uint32_t inserted = patterns[0] | pattern[0] << 3 * i;
    patterns.reg = w.emit(Op::alu, patterns.reg.id(), pattern.reg.id());
    patterns.value.fill(inserted);
    w.emit_plain(Op::branch, pattern.reg.id());
    store_segment(w, staged, x, pattern[0], first, at(address, 4 * words, 0));
    if (pattern[0] != 0) {
      address.reg = w.emit(Op::alu, address.reg.id());
      words += line::segment_words(pattern[0]);
    }
  }
  w.store_line(staged.image, at(start, 0, 0, 0, 1), patterns);
  const Register saved = w.emit(Op::alu, address.reg.id());
  w.emit_plain(Op::branch, saved.id());
  // A line of zeros has a code of its own, as with the other algorithms.
  staged.code = words > kMostFpcWords ? kRawCode : words == 1 ? line::kZeros : line::kFpc + words;
  live_out(w);
}

}  // namespace bobbin::sim::routine
