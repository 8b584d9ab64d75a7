// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "codecs/delta/delta.hpp"
#include "codecs/fsst/fsst.hpp"
#include "codecs/fsst/match.hpp"

namespace bobbin::codec::fsst {
namespace {

// All of a child's values; both types fit 64 bits.
std::vector<uint64_t> all_offsets(const Array& child) {
  std::vector<uint64_t> offsets(child.length);
  if (child.type == DType::u64) {
    delta::decode(child, offsets.data());
    return offsets;
  }
  std::vector<uint32_t> narrow(child.length);
  delta::decode(child, narrow.data());
  std::ranges::copy(narrow, offsets.begin());
  return offsets;
}

// Sets the bits of strings that are not null and for which `test` is true of their codes' begin and end.
template <class Test>
void test_all(const Array& array, const Parts& parts, uint32_t* bitmap, Test&& test) {
  const std::vector<uint64_t> offsets = all_offsets(*parts.code_offsets);
  std::fill_n(bitmap, ceil_div<uint64_t>(array.length, 32), 0U);
  for (uint64_t i = 0; i < array.length; ++i) {
    const uint64_t bit = array.offset + i;
    const bool null = !parts.validity.empty() && (parts.validity[bit / 8] >> (bit % 8) & 1) == 0;
    if (!null && test(offsets[i], offsets[i + 1])) {
      bitmap[i / 32] |= uint32_t{1} << (i % 32);
    }
  }
}

// For each prefix of a run, the longest proper suffix that is also a prefix (Knuth, Morris, Pratt).
std::vector<uint32_t> borders(std::span<const uint8_t> run) {
  std::vector<uint32_t> border(run.size() + 1);
  for (uint32_t i = 1, k = 0; i < run.size(); ++i) {
    while (k != 0 && run[i] != run[k]) {
      k = border[k];
    }
    k += run[i] == run[k] ? 1 : 0;
    border[i + 1] = k;
  }
  return border;
}

}  // namespace

Automaton::Automaton(const SymbolTable& table, std::span<const uint8_t> run)
    : last_(static_cast<uint32_t>(run.size())), steps_((run.size() + 1) * kSteps, 0) {
  const std::vector<uint32_t> border = borders(run);
  const auto after_byte = [&](uint32_t state, uint32_t byte) -> uint16_t& {
    return steps_[state * kSteps + 256 + byte];
  };
  // From the steps of a shorter prefix: following borders one by one takes quadratic time for "aaaa".
  for (uint32_t state = 0; state <= last_; ++state) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const bool fits = state != last_ && run[state] == byte;
      const uint32_t otherwise = state == last_ ? last_ : state == 0 ? 0 : after_byte(border[state], byte);
      after_byte(state, byte) = static_cast<uint16_t>(fits ? state + 1 : otherwise);
    }
  }
  for (uint32_t state = 0; state <= last_; ++state) {
    for (uint32_t code = 0; code < 256; ++code) {
      uint32_t next = state;
      for (uint32_t b = 0; b < table.lengths[code]; ++b) {
        next = after_byte(next, static_cast<uint8_t>(table.symbols[code] >> (8 * b)));
      }
      steps_[state * kSteps + code] = static_cast<uint16_t>(next);
    }
  }
}

// Tries all symbols: a table from another writer may not fit a Matcher.
std::vector<uint8_t> encode_constant(const SymbolTable& table, std::span<const uint8_t> bytes) {
  std::vector<uint8_t> codes;
  for (size_t at = 0; at < bytes.size();) {
    const size_t rest = std::min(bytes.size(), at / kPieceBytes * kPieceBytes + kPieceBytes) - at;
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<size_t>(rest, sizeof(word)));
    uint32_t best = kEscape;
    for (uint32_t c = 0; c < table.size(); ++c) {
      const uint32_t length = table.lengths[c];
      if (length <= rest && (word ^ table.symbols[c]) << (64 - 8 * length) == 0) {
        best = c;  // symbols are ordered by length
      }
    }
    codes.push_back(static_cast<uint8_t>(best));
    if (best == kEscape) {
      codes.push_back(bytes[at]);
    }
    at += best == kEscape ? 1 : table.lengths[best];
  }
  return codes;
}

Status check_query(const StringQuery& query) {
  BOBBIN_RETURN_IF(query.test == StringTest::contains && query.bytes.size() > Automaton::kMaxBytes,
                   StatusCode::unsupported,
                   "fsst: cannot search for more than " + std::to_string(Automaton::kMaxBytes) + " bytes");
  return {};
}

Status match(const Array& array, const StringQuery& query, uint32_t* bitmap) {
  BOBBIN_TRY(check_query(query));
  const Parts parts(array);
  const SymbolTable table = parts.table();
  const auto code = [&](uint64_t at) { return parts.codes[at]; };
  if (query.test == StringTest::contains) {
    const Automaton automaton(table, query.bytes);
    const auto step = [&](uint32_t i) { return automaton.steps()[i]; };
    test_all(array, parts, bitmap,
             [&](uint64_t begin, uint64_t end) { return finds(begin, end, code, step, automaton.last()); });
  } else if (query.test == StringTest::equals && parts.header.canonical) {
    const std::vector<uint8_t> wanted = encode_constant(table, query.bytes);
    test_all(array, parts, bitmap, [&](uint64_t begin, uint64_t end) {
      return end - begin == wanted.size() &&
             std::equal(wanted.begin(), wanted.end(), parts.codes.begin() + static_cast<ptrdiff_t>(begin));
    });
  } else {
    const auto symbol = [&](uint32_t c) { return Spelling{table.symbols[c], table.lengths[c]}; };
    const auto wanted = [&](uint64_t i) { return query.bytes[i]; };
    test_all(array, parts, bitmap, [&](uint64_t begin, uint64_t end) {
      return spells(begin, end, code, symbol, query.bytes.size(), wanted, query.test == StringTest::equals);
    });
  }
  return {};
}

}  // namespace bobbin::codec::fsst
