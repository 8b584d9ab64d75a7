// SPDX-License-Identifier: Apache-2.0
// Work on single strings of a column: taking some, testing all. One thread per string.
#pragma once

#include <cstdint>

#include "codecs/fsst/match.hpp"
#include "codecs/fsst/tile.hpp"
#include "codecs/string_kernels.hpp"
#include "simt/bitmap.hpp"

namespace bobbin::codec::fsst {

// The bytes of the strings to take.
template <class T>
struct TakeBytesKernel {
  static constexpr uint32_t kThreads = 256;
  struct Shared {
    SharedTable table;
  };

  CodeStream stream;
  Global<const T> code_offsets;
  Global<const uint64_t> indices;
  Global<const uint64_t> offsets;  // in the output
  Global<uint8_t> out;
  Global<uint32_t> fault;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& table = cta.template shared<Shared>().table;
    table.fill(cta, stream.symbols, stream.counts, kThreads);
    cta.sync();
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < indices.size && !take(cta, table, i)) {
      cta.template atomic_store<simt::Order::relaxed>(fault, 0, uint32_t{1});
    }
  }

 private:
  template <class Cta>
  BOBBIN_HD bool take(Cta& cta, const SharedTable& table, uint64_t i) const {
    const uint64_t index = cta.load(indices, i);
    uint64_t to = cta.load(offsets, i);
    const uint64_t end = cta.load(offsets, i + 1);
    bool literal = false;
    for (uint64_t at = cta.load(code_offsets, index); at < cta.load(code_offsets, index + 1); ++at) {
      const uint32_t code = cta.load(stream.codes, at);
      const uint32_t entry = code + (literal ? 256 : 0);
      literal = !literal && code == kEscape;
      const uint32_t length = table.length(cta, entry);
      if (length == kNoMeaning || to + length > end) {
        return false;
      }
      const uint64_t symbol = table.symbol(cta, entry);
      for (uint32_t b = 0; b < length; ++b) {
        cta.store(out, to++, static_cast<uint8_t>(symbol >> (8 * b)));
      }
    }
    return to == end && !literal;
  }
};

// Tests every string; nulls never pass.
template <class T>
struct MatchKernel {
  static constexpr uint32_t kThreads = 256;
  struct Shared {
    SharedTable table;
  };

  CodeStream stream;
  Global<const T> code_offsets;
  DeviceValidity validity;
  uint64_t length;  // strings
  StringTest test;
  bool on_codes;                 // `wanted` are the codes of the string to compare with
  Global<const uint8_t> wanted;  // bytes or codes
  Global<const uint16_t> steps;  // an Automaton's
  uint32_t last;
  Global<uint32_t> bitmap;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& table = cta.template shared<Shared>().table;
    if (!on_codes) {
      table.fill(cta, stream.symbols, stream.counts, kThreads);
      cta.sync();
    }
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    simt::store_bits(cta, bitmap, i, i < length && validity.at(cta, i) && holds(cta, table, i));
  }

 private:
  template <class Cta>
  BOBBIN_HD bool holds(Cta& cta, const SharedTable& table, uint64_t i) const {
    const uint64_t begin = cta.load(code_offsets, i);
    const uint64_t end = cta.load(code_offsets, i + 1);
    const auto code = [&](uint64_t at) -> uint32_t { return cta.load(stream.codes, at); };
    if (on_codes) {
      return end - begin == wanted.size && same_codes(cta, begin);
    }
    if (test == StringTest::contains) {
      return finds(
          begin, end, code, [&](uint32_t s) { return cta.load(steps, s); }, last);
    }
    const auto symbol = [&](uint32_t c) {
      const uint32_t length_of = table.length(cta, c);
      return Spelling{table.symbol(cta, c), length_of == kNoMeaning ? 0 : length_of};
    };
    return spells(
        begin, end, code, symbol, wanted.size, [&](uint64_t w) { return cta.load(wanted, w); },
        test == StringTest::equals);
  }
  template <class Cta>
  BOBBIN_HD bool same_codes(Cta& cta, uint64_t begin) const {
    for (uint64_t w = 0; w < wanted.size; ++w) {
      if (cta.load(stream.codes, begin + w) != cta.load(wanted, w)) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace bobbin::codec::fsst
