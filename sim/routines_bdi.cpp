// SPDX-License-Identifier: Apache-2.0
// BDI: deltas from a base, or from zero.
#include "sim/routines_common.hpp"

namespace bobbin::sim::routine {
namespace {

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
void expand(Warp& w, StagedLine& staged) {
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

}  // namespace

// One routine per encoding.
void decompress_bdi(Warp& w, StagedLine& staged) {
  switch (staged.code) {
    case line::kZeros:
      return decompress_zeros(w, staged);
    case line::kRepeat:
      return decompress_repeat(w, staged);
    case 3:
      return expand<uint64_t, int8_t>(w, staged);
    case 4:
      return expand<uint64_t, int16_t>(w, staged);
    case 5:
      return expand<uint64_t, int32_t>(w, staged);
    case 6:
      return expand<uint32_t, int8_t>(w, staged);
    case 7:
      return expand<uint32_t, int16_t>(w, staged);
    default:
      return expand<uint16_t, int8_t>(w, staged);
  }
}

void compress_bdi(Warp& w, StagedLine& staged, bool first_base, uint32_t hint, bool one_encoding) {
  BdiCompressor(w, staged, first_base).compress(hint, one_encoding);
}

}  // namespace bobbin::sim::routine
