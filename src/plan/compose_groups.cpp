// SPDX-License-Identifier: Apache-2.0
#include "plan/compose_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "core/lanes.hpp"
#include "plan/compose.hpp"

namespace bobbin::plan {
namespace {

// A word of each cell.
struct Tally {
  uint32_t counts = 0;  // folds whose count it is
  uint32_t nulls = kNoColumn;
  std::vector<const GroupFold*> sums{};

  [[nodiscard]] bool takes(const GroupFold& fold) const {
    return sums.size() == 1 && fold.narrow != 0 && sums[0]->narrow == fold.narrow;
  }
};

uint32_t null_column(const GroupFold& fold) {
  return fold.has_nulls ? fold.column : kNoColumn;
}

// Sums share a word if they can; other folds are counted by a word that counts the same rows.
std::vector<Tally> make_tallies(std::span<const GroupFold> folds) {
  std::vector<Tally> tallies;
  for (const GroupFold& fold : folds) {
    if (fold.op == Fold::sum) {
      auto found = std::ranges::find_if(tallies, [&](const Tally& tally) { return tally.takes(fold); });
      if (found == tallies.end()) {
        found = tallies.insert(tallies.end(), Tally{.nulls = null_column(fold)});
      }
      found->counts |= 1U << fold.fold;
      found->sums.push_back(&fold);
    }
  }
  for (const GroupFold& fold : folds) {
    if (fold.op != Fold::sum) {
      auto found = std::ranges::find(tallies, null_column(fold), &Tally::nulls);
      if (found == tallies.end()) {
        found = tallies.insert(tallies.end(), Tally{.nulls = null_column(fold)});
      }
      found->counts |= 1U << fold.fold;
    }
  }
  return tallies;
}

std::string text_of(const Tally& tally) {
  std::string text = fmt::format("Tally<{}, {}", tally.counts, tally.nulls);
  for (const GroupFold* sum : tally.sums) {
    text += fmt::format(", GroupSum<{}, {}, {}{}>", sum->fold, sum->slot,
                        std::strcmp(sum->numbers, "integers") == 0, sum->map);
  }
  return text + ">";
}

}  // namespace

WrittenGroups write_groups(std::span<const GroupFold> folds, std::span<const uint32_t> key_slots,
                           uint32_t cells) {
  // Row groups with a few more values or a few less share a kernel.
  const uint32_t room = std::bit_ceil(cells) + 1;
  std::vector<std::string> items;
  size_t words = 0;
  size_t fields = 0;
  for (const Tally& tally : make_tallies(folds)) {
    items.push_back(text_of(tally));
    words += 1;
    fields += 1 + tally.sums.size();
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
