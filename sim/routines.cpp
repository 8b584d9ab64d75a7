// SPDX-License-Identifier: Apache-2.0
// Every call on lanes below is one instruction, unless its comment says otherwise. Sign-extending loads and
// comparisons of a value with its own lowest byte or half word (PTX: ld.s8, vset with a selector) exist on
// the paper's GPU and count as one.
#include "sim/routines.hpp"

#include <algorithm>
#include <bit>

#include "codecs/line/line.hpp"

namespace bobbin::sim {
namespace {

namespace line = codec::line;

using Words = std::array<uint32_t, kLineWords>;
using Offsets = Lanes<uint32_t>;

// An offset outside of the line: the lane is inactive, by the static mask of the assist warp.
constexpr uint32_t kNowhere = 0xffff'0000;
constexpr uint32_t kWordsOfSegment = line::kPartWords;
constexpr uint32_t kSegments = kLineWords / kWordsOfSegment;
// Images of FPC' with more words save no burst.
constexpr uint32_t kMostFpcWords = (kLineBytes - kBurstBytes) / 4;

// The MOVE of the line's address, from a register of the parent.
[[nodiscard]] Offsets live_in(Warp& w) {
  Offsets address;
  address.reg = w.emit(Op::move);
  return address;
}

// The MOVE of the code to a register of the parent.
void live_out(Warp& w) {
  w.emit(Op::move);
}

// first + step * (lane - begin) for `count` lanes. No instruction: the load/store unit adds a constant and a
// multiple of the lane's number to the address, as for any coalesced access.
[[nodiscard]] Offsets at(const Offsets& address, uint32_t first, uint32_t step, uint32_t begin = 0,
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
[[nodiscard]] Lanes<To> load_as(Warp& w, const Words& words, const Offsets& offsets) {
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
[[nodiscard]] Lanes<uint32_t> ballot(Warp& w, const Mask& mask) {
  Lanes<uint32_t> out = mask.bits;
  out.reg = w.emit(Op::vote, mask.reg.id());
  return out;
}

// The global predicate, and the branch on it.
[[nodiscard]] bool branch_if_all(Warp& w, const Mask& mask) {
  const Register all = w.emit(Op::vote, mask.reg.id());
  w.emit_plain(Op::branch, all.id());
  return mask.bits == 0xffff'ffff;
}

// An instruction whose result replaces its first operand, in the same register.
void redefine(Warp& w, Register& reg, uint16_t a = kNoRegister, uint16_t b = kNoRegister) {
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

// ---------------------------------------------------------------------------------------------------------
// BDI

// Bytes of a pass: one value per lane.
template <class T>
inline constexpr uint32_t kPassBytes = kLanes * static_cast<uint32_t>(sizeof(T));

// Where the fields of an image are. Values of 2 bytes take two passes of 32 lanes.
template <class V>
struct Layout {
  static constexpr uint32_t kPasses = sizeof(V) == 2 ? 2 : 1;
  static constexpr uint32_t kBaseBytes = sizeof(V) == 8 ? 8 : 4;
  static constexpr uint32_t kDeltas = kBaseBytes + 4 * kPasses;
};

// The first 8 bytes hold the base, and with bases of up to 4 bytes the first word of the mask.
template <class V>
[[nodiscard]] Lanes<uint32_t> load_mask(Warp& w, const StagedLine& staged, const Offsets& address,
                                        const Lanes<uint64_t>& head, uint32_t pass) {
  if (sizeof(V) < 8 && pass == 0) {
    return part_of<uint32_t>(head, 32);
  }
  return w.load_line<uint32_t>(staged.image, at(address, Layout<V>::kBaseBytes + 4 * pass, 0));
}

// Lanes whose bit is set get the base added, in one masked addition.
template <class V>
void masked_add(Warp& w, Lanes<V>& value, const Lanes<V>& base, Lanes<uint32_t> mask) {
  for (uint32_t i = 0; i < kLanes; ++i) {
    value.value[i] = static_cast<V>(value[i] + ((mask[i] >> i & 1) != 0 ? base[i] : V{0}));
  }
  redefine(w, mask.reg);  // to a predicate
  redefine(w, value.reg, base.reg.id(), mask.reg.id());
  carry<V>(w, value.reg);
}

template <class V, class D>
void decompress_bdi(Warp& w, StagedLine& staged) {
  const Offsets address = live_in(w);
  const Lanes<uint64_t> head = w.load_line<uint64_t>(staged.image, at(address, 0, 0));
  const Lanes<V> base = part_of<V>(head, 0);
  for (uint32_t pass = 0; pass < Layout<V>::kPasses; ++pass) {
    const Offsets deltas = at(address, Layout<V>::kDeltas + pass * kPassBytes<D>, sizeof(D));
    Lanes<V> value = load_as<V, D>(w, staged.image, deltas);
    masked_add(w, value, base, load_mask<V>(w, staged, address, head, pass));
    w.store_line(staged.raw, at(address, pass * kPassBytes<V>, sizeof(V)), value);
  }
}

void decompress_zeros(Warp& w, StagedLine& staged) {
  w.store_line<uint32_t>(staged.raw, at(live_in(w), 0, 4), 0U);
}

void decompress_repeat(Warp& w, StagedLine& staged) {
  const Offsets address = live_in(w);
  const Lanes<uint64_t> value = w.load_line<uint64_t>(staged.image, at(address, 0, 0));
  w.store_line(staged.raw, at(address, 0, 8), value);
}

// The values of a line, one register per pass.
template <class V>
using Values = std::array<Lanes<V>, Layout<V>::kPasses>;

template <class V>
[[nodiscard]] Values<V> load_values(Warp& w, const StagedLine& staged, const Offsets& address) {
  Values<V> values;
  for (uint32_t pass = 0; pass < values.size(); ++pass) {
    values[pass] = w.load_line<V>(staged.raw, at(address, pass * kPassBytes<V>, sizeof(V)));
  }
  return values;
}

// Whether values are deltas of a type. One comparison with the value's own lowest part; values of 8 bytes
// take the sign of the lower half and a comparison of the upper one as well.
template <class V, class D>
[[nodiscard]] Mask are_deltas(Warp& w, const Lanes<V>& x) {
  Mask out;
  for (uint32_t i = 0; i < kLanes; ++i) {
    out.bits |= (line::is_delta(x[i], 8 * sizeof(D)) ? 1U : 0U) << i;
  }
  out.reg = w.emit(Op::alu, x.reg.id());
  carry<V>(w, out.reg);
  if constexpr (sizeof(D) < 4) {
    carry<V>(w, out.reg);
  }
  return out;
}

// One encoding of one line: the values, then what is left of them, and which of them need the base.
template <class V>
struct BdiTrial {
  bool fits = false;
  Values<V> values;
  Lanes<V> base = V{0};
  std::array<Lanes<uint32_t>, Layout<V>::kPasses> mask;
};

// The first value that is not a delta by itself becomes the base; or, by Algorithm 2, the first one.
template <class V>
[[nodiscard]] Lanes<V> load_base(Warp& w, const StagedLine& staged, const Offsets& address,
                                 const std::array<Lanes<uint32_t>, Layout<V>::kPasses>& mask,
                                 bool first_base) {
  if (first_base) {
    return w.load_line<V>(staged.raw, at(address, 0, 0));
  }
  Offsets leader = kNowhere;
  for (uint32_t pass = Layout<V>::kPasses; pass-- > 0;) {
    const uint32_t bits = mask[pass][0];
    leader = bits == 0 ? leader : Offsets(static_cast<uint32_t>(std::countr_zero(bits)) + kLanes * pass);
    leader.reg = w.emit(Op::alu, mask[pass].reg.id(), leader.reg.id(), address.reg.id());
  }
  Offsets from = leader;
  std::transform(from.value.begin(), from.value.end(), from.value.begin(),
                 [](uint32_t i) { return i == kNowhere ? i : static_cast<uint32_t>(i * sizeof(V)); });
  return w.load_line<V>(staged.raw, from);
}

// The base is subtracted from lanes that are not deltas by themselves.
template <class V>
void masked_subtract(Warp& w, Lanes<V>& value, const Lanes<V>& base, const Mask& alone) {
  for (uint32_t i = 0; i < kLanes; ++i) {
    value.value[i] = static_cast<V>(value[i] - ((alone.bits >> i & 1) != 0 ? V{0} : base[i]));
  }
  redefine(w, value.reg, base.reg.id(), alone.reg.id());
  carry<V>(w, value.reg);
}

template <class V, class D>
[[nodiscard]] BdiTrial<V> try_bdi(Warp& w, const StagedLine& staged, const Offsets& address,
                                  bool first_base) {
  BdiTrial<V> trial;
  trial.values = load_values<V>(w, staged, address);
  std::array<Mask, Layout<V>::kPasses> alone;
  for (uint32_t pass = 0; pass < alone.size(); ++pass) {
    alone[pass] = are_deltas<V, D>(w, trial.values[pass]);
    trial.mask[pass] = ballot(w, {~alone[pass].bits, alone[pass].reg});
  }
  trial.base = load_base<V>(w, staged, address, trial.mask, first_base);
  for (uint32_t pass = 0; pass < alone.size(); ++pass) {
    masked_subtract(w, trial.values[pass], trial.base, alone[pass]);
    alone[pass] = are_deltas<V, D>(w, trial.values[pass]);
  }
  // The comparison of a second pass includes the result of the first.
  const uint32_t all = alone.front().bits & alone.back().bits;
  trial.fits = branch_if_all(w, {all, alone.back().reg});
  return trial;
}

template <class V, class D>
void store_bdi(Warp& w, StagedLine& staged, const Offsets& address, const BdiTrial<V>& trial) {
  for (uint32_t pass = 0; pass < trial.values.size(); ++pass) {
    const Lanes<V>& delta = trial.values[pass];
    Lanes<D> narrow;
    std::transform(delta.value.begin(), delta.value.end(), narrow.value.begin(),
                   [](V x) { return static_cast<D>(x); });
    narrow.reg = delta.reg;
    const uint32_t lanes = std::min<uint32_t>(kLanes, kLineBytes / sizeof(V));
    w.store_line(staged.image, at(address, Layout<V>::kDeltas + pass * kPassBytes<D>, sizeof(D), 0, lanes),
                 narrow);
  }
  Lanes<uint64_t> head = trial.base[0] | (sizeof(V) < 8 ? uint64_t{trial.mask[0][0]} << 32 : 0);
  head.reg = trial.base.reg;
  w.store_line(staged.image, at(address, 0, 0, 0, 1), head);
  if constexpr (sizeof(V) != 4) {
    w.store_line(staged.image, at(address, Layout<V>::kDeltas - 4, 0, 0, 1),
                 trial.mask[Layout<V>::kPasses - 1]);
  }
}

// Compression of one line by BDI: `trial` of one encoding after another.
class BdiCompressor {
 public:
  BdiCompressor(Warp& w, StagedLine& staged, bool first_base)
      : w_(w), staged_(staged), address_(live_in(w)), first_base_(first_base) {}

  void compress(uint32_t hint, bool one_encoding) {
    if (!one_encoding || !attempt(hint)) {
      search();
    }
    live_out(w_);
  }

 private:
  // Tests an encoding and stores the image if it fits.
  template <class V, class D>
  [[nodiscard]] bool attempt(uint32_t code) {
    const BdiTrial<V> trial = try_bdi<V, D>(w_, staged_, address_, first_base_);
    if (trial.fits) {
      store_bdi<V, D>(w_, staged_, address_, trial);
      staged_.code = code;
    }
    return trial.fits;
  }

  [[nodiscard]] bool attempt(uint32_t code) {
    switch (code) {
      case line::kZeros:
        return attempt_zeros();
      case line::kRepeat:
        return attempt_repeat();
      case 3:
        return attempt<uint64_t, int8_t>(code);
      case 4:
        return attempt<uint64_t, int16_t>(code);
      case 5:
        return attempt<uint64_t, int32_t>(code);
      case 6:
        return attempt<uint32_t, int8_t>(code);
      case 7:
        return attempt<uint32_t, int16_t>(code);
      case 8:
        return attempt<uint16_t, int8_t>(code);
      default:
        return false;
    }
  }

  template <class V, class D>
  [[nodiscard]] bool fits() {
    return try_bdi<V, D>(w_, staged_, address_, first_base_).fits;
  }

  [[nodiscard]] bool attempt_zeros() {
    const Lanes<uint32_t> x = w_.load_line<uint32_t>(staged_.raw, at(address_, 0, 4));
    if (!branch_if_all(w_, x == 0U)) {
      return false;
    }
    staged_.code = line::kZeros;
    return true;
  }

  [[nodiscard]] bool attempt_repeat() {
    const Lanes<uint64_t> first = w_.load_line<uint64_t>(staged_.raw, at(address_, 0, 0));
    const Lanes<uint64_t> x = w_.load_line<uint64_t>(staged_.raw, at(address_, 0, 8));
    Mask equal = x == first;
    carry<uint64_t>(w_, equal.reg);
    equal.bits |= 0xffff'0000;  // 16 lanes have a value
    if (!branch_if_all(w_, equal)) {
      return false;
    }
    w_.store_line(staged_.image, at(address_, 0, 0, 0, 1), first);
    staged_.code = line::kRepeat;
    return true;
  }

  // The smallest image. The widest deltas come first: if they do not fit, narrower ones need no test. Zeros
  // and repeats fit 8-byte values with 1-byte deltas too.
  void search() {
    if (attempt_zeros()) {
      return;
    }
    const bool wide8 = fits<uint64_t, int32_t>();
    if (wide8 && fits<uint64_t, int8_t>()) {
      static_cast<void>(attempt_repeat() || attempt(3));
      return;
    }
    const bool wide4 = fits<uint32_t, int16_t>();
    const bool found = (wide4 && attempt(6)) || (wide8 && attempt(4)) || (wide4 && attempt(7)) ||
                       (wide8 && attempt(5)) || attempt(8);
    staged_.code = found ? staged_.code : kRawCode;
  }

  Warp& w_;
  StagedLine& staged_;
  Offsets address_;
  bool first_base_;
};

// ---------------------------------------------------------------------------------------------------------
// FPC': segments one after another, the four words of a segment in parallel

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
      return w.alu<uint32_t>(bytes, [](uint32_t x) {
        return (line::signed_byte(x, 0) & 0xffff) | line::signed_byte(x, 1) << 16;
      });
    }
    case 6:
      return load_as<uint32_t, uint8_t>(w, staged.image, from(1)) * 0x0101'0101U;
    default:
      return w.load_line<uint32_t>(staged.image, from(4));
  }
}

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

// ---------------------------------------------------------------------------------------------------------
// C-Pack'

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
  switch (staged.code) {
    case kRawCode:
      staged.raw = staged.image;
      return;
    case line::kZeros:
      return decompress_zeros(warp, staged);
    case line::kRepeat:
      return decompress_repeat(warp, staged);
    case 3:
      return decompress_bdi<uint64_t, int8_t>(warp, staged);
    case 4:
      return decompress_bdi<uint64_t, int16_t>(warp, staged);
    case 5:
      return decompress_bdi<uint64_t, int32_t>(warp, staged);
    case 6:
      return decompress_bdi<uint32_t, int8_t>(warp, staged);
    case 7:
      return decompress_bdi<uint32_t, int16_t>(warp, staged);
    case 8:
      return decompress_bdi<uint16_t, int8_t>(warp, staged);
    case line::kCpack:
      return decompress_cpack(warp, staged);
    default:
      return decompress_fpc(warp, staged);
  }
}

void emit_compress(Warp& warp, StagedLine& staged, Algorithm algorithm, uint32_t hint, bool one_encoding,
                   bool first_base) {
  staged.image = {};
  switch (algorithm == Algorithm::best ? best_for(staged) : algorithm) {
    case Algorithm::fpc:
      compress_fpc(warp, staged);
      break;
    case Algorithm::cpack:
      compress_cpack(warp, staged);
      break;
    default:
      BdiCompressor(warp, staged, first_base).compress(hint, one_encoding);
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
