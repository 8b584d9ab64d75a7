// SPDX-License-Identifier: Apache-2.0
// Tests of single strings on their codes, for host and device: only what is examined is decoded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codecs/fsst/symbol_table.hpp"
#include "core/portable.hpp"

namespace bobbin::codec::fsst {

// The bytes that a code decodes to, lowest first.
struct Spelling {
  uint64_t bytes = 0;
  uint32_t length = 0;
};

// Calls f(code, is_literal) for each of `code(begin) .. code(end - 1)` until it returns false. Ignores an
// escape without its literal, which only occurs in corrupt codes.
template <class Code, class F>
BOBBIN_HD void for_each_code(uint64_t begin, uint64_t end, Code&& code, F&& f) {
  for (uint64_t at = begin; at < end; ++at) {
    uint32_t c = code(at);
    const bool literal = c == kEscape;
    if (literal) {
      if (++at == end) {
        return;
      }
      c = code(at);
    }
    if (!f(c, literal)) {
      return;
    }
  }
}

// Whether codes decode to `wanted(0) .. wanted(size - 1)`, with nothing after it if `whole`.
template <class Code, class Symbol, class Wanted>
BOBBIN_HD bool spells(uint64_t begin, uint64_t end, Code&& code, Symbol&& symbol, uint64_t size,
                      Wanted&& wanted, bool whole) {
  uint64_t at = 0;
  bool alike = true;
  for_each_code(begin, end, code, [&](uint32_t c, bool literal) {
    const Spelling spelling = literal ? Spelling{c, 1} : symbol(c);
    for (uint32_t b = 0; b < spelling.length && alike; ++b) {
      if (at == size) {
        alike = !whole;
        return false;
      }
      alike = wanted(at++) == static_cast<uint8_t>(spelling.bytes >> (8 * b));
    }
    return alike;
  });
  return alike && at == size;
}

// Finds a run of bytes with an automaton: state s means that the last s bytes are the run's first s. A step
// consumes a whole code; the last state is final.
class Automaton {
 public:
  static constexpr uint32_t kSteps = 512;  // per state: for each code, then for each literal
  static constexpr size_t kMaxBytes = 4096;

  Automaton(const SymbolTable& table, std::span<const uint8_t> run);

  [[nodiscard]] uint32_t last() const { return last_; }
  [[nodiscard]] std::span<const uint16_t> steps() const { return steps_; }

 private:
  uint32_t last_;
  std::vector<uint16_t> steps_;
};

// Whether an automaton of these steps finds its run.
template <class Code, class Step>
BOBBIN_HD bool finds(uint64_t begin, uint64_t end, Code&& code, Step&& step, uint32_t last) {
  uint32_t state = 0;
  for_each_code(begin, end, code, [&](uint32_t c, bool literal) {
    state = state == last ? last : step(state * Automaton::kSteps + (literal ? 256 : 0) + c);
    return state != last;
  });
  return state == last;
}

}  // namespace bobbin::codec::fsst
