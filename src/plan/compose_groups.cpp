// SPDX-License-Identifier: Apache-2.0
#include "plan/compose_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <vector>

#include "core/bits.hpp"
#include "core/lanes.hpp"
#include "plan/compose.hpp"
#include "plan/stages/group_cells.hpp"

namespace bobbin::plan {
namespace {

constexpr uint32_t kWordBits = 64;

struct WordOfSums {
  uint32_t bits = 0;
  std::vector<const GroupFold*> sums{};
};
// The words of each cell that are added in one pass.
struct Tally {
  uint32_t counts = 0;  // folds whose count it is
  uint32_t nulls = 0;
  uint32_t kind = 0;
  std::vector<WordOfSums> words{};
};

// A thread adds 2^kRowBits rows to a word.
uint32_t field_bits(const GroupFold& fold) {
  return std::min(kWordBits, fold.bits + kRowBits);
}

// The first word also has the count.
void add_sum(Tally& tally, const GroupFold& fold) {
  const uint32_t bits = field_bits(fold);
  const auto found = std::ranges::find_if(
      tally.words, [&](const WordOfSums& word) { return word.bits + bits <= kWordBits; });
  if (found != tally.words.end()) {
    found->bits += bits;
    found->sums.push_back(&fold);
    return;
  }
  const bool first = tally.words.empty();
  constexpr uint32_t kMost = kWordBits - kRowBits - 1;
  tally.words.push_back({first ? std::min(bits, kMost) + kRowBits + 1 : bits, {&fold}});
}

// Sums without nulls share passes and words; other folds are counted with them, or by a word of their own.
std::vector<Tally> make_tallies(std::span<const GroupFold> folds) {
  std::vector<Tally> tallies;
  std::vector<const GroupFold*> sums;
  for (const GroupFold& fold : folds) {
    if (fold.op == Fold::sum) {
      sums.push_back(&fold);
    }
  }
  std::ranges::stable_sort(sums, std::greater(), [](const GroupFold* sum) { return field_bits(*sum); });
  for (const GroupFold* sum : sums) {
    auto found = std::ranges::find_if(tallies, [&](const Tally& tally) {
      return sum->nulls == 0 && tally.nulls == 0 && tally.kind == sum->kind;
    });
    if (found == tallies.end()) {
      found = tallies.insert(tallies.end(), Tally{.nulls = sum->nulls, .kind = sum->kind});
    }
    found->counts |= 1U << sum->fold;
    add_sum(*found, *sum);
  }
  for (const GroupFold& fold : folds) {
    if (fold.op != Fold::sum) {
      auto found = std::ranges::find(tallies, fold.nulls, &Tally::nulls);
      if (found == tallies.end()) {
        found = tallies.insert(tallies.end(), Tally{.nulls = fold.nulls});
      }
      found->counts |= 1U << fold.fold;
    }
  }
  return tallies;
}

std::string text_of(const Tally& tally) {
  std::string text = fmt::format("Tally<{}, {}", tally.counts, tally.nulls);
  for (const WordOfSums& word : tally.words) {
    std::vector<std::string> sums;
    uint32_t left = kWordBits - (&word == tally.words.data() ? kRowBits + 1 : 0);
    for (const GroupFold* sum : word.sums) {
      const uint32_t bits = std::min(left, field_bits(*sum));
      left -= bits;
      sums.push_back(fmt::format("GroupSum<{}, {}, {}, {}{}>", sum->fold, sum->slot, bits,
                                 std::strcmp(sum->numbers, "integers") == 0, sum->map));
    }
    text += fmt::format(", Word<{}>", fmt::join(sums, ", "));
  }
  return text + ">";
}

// Row groups with a few more values or a few less share a kernel.
uint32_t room_for(uint32_t cells) {
  return (cells <= 8 ? round_up<uint32_t>(cells, 2) : std::bit_ceil(cells)) + 1;
}

}  // namespace

WrittenGroups write_groups(std::span<const GroupFold> folds, std::span<const uint32_t> key_slots,
                           uint32_t cells) {
  const uint32_t room = room_for(cells);
  std::vector<std::string> items;
  size_t words = 0;
  size_t fields = 0;
  for (const Tally& tally : make_tallies(folds)) {
    items.push_back(text_of(tally));
    words += std::max<size_t>(1, tally.words.size());
    fields += 1;
    for (const WordOfSums& word : tally.words) {
      fields += word.sums.size();
    }
  }
  for (const GroupFold& fold : folds) {
    if (fold.op == Fold::extremes) {
      items.push_back(
          fmt::format("GroupMinMax<{}, {}, Numbers::{}{}>", fold.fold, fold.slot, fold.numbers, fold.map));
      words += 2;
    }
  }
  std::vector<std::string> keys;
  for (size_t k = 0; k < key_slots.size(); ++k) {
    keys.push_back(fmt::format("Key<{}, {}>", key_slots[k], k));
  }
  const size_t bytes = size_t{Composed::kWarps} * kVectorLength +
                       room * (words * Composed::kThreads + fields * Composed::kWarps) * sizeof(uint64_t);
  return {fmt::format("GroupBy<{}, List<{}>, {}>", room, fmt::join(keys, ", "), fmt::join(items, ", ")),
          bytes};
}

}  // namespace bobbin::plan
