// SPDX-License-Identifier: Apache-2.0
#include "plan/pieces.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "codecs/alp/alp.hpp"
#include "plan/compose.hpp"
#include "plan/scaled_ranges.hpp"

namespace bobbin::plan {
namespace {

// What is known about a node of a column.
struct Known {
  WidthCounts counts{};
  std::vector<uint8_t> widths;
  uint64_t entries = 0;
  uint32_t bits = 0;

  // Whether few of the vectors have another width: those are handled by slow loops.
  [[nodiscard]] bool covers(const WidthCounts& piece) const {
    uint64_t inside = piece[0];
    for (const uint8_t width : widths) {
      inside += piece[width];
    }
    const uint64_t all = std::accumulate(piece.begin(), piece.end(), uint64_t{0});
    return (all - inside) * 32 <= all;
  }
  // The most frequent widths.
  void choose() {
    widths.clear();
    for (uint8_t width = 1; width <= 64; ++width) {
      if (counts[width] != 0) {
        widths.push_back(width);
      }
    }
    std::ranges::stable_sort(widths, std::greater{}, [&](uint8_t width) { return counts[width]; });
    widths.resize(std::min(widths.size(), kMostWidths));
    std::ranges::sort(widths);
  }
};

// What is known about the columns of this process's queries.
class Memory {
 public:
  static Memory& of_process() {
    static Memory memory;
    return memory;
  }

  // Calls f with what is known of a node, or with nothing known if the key is empty.
  template <class F>
  auto with(const std::string& key, F&& f) {
    if (key.empty()) {
      Known nothing;
      return f(nothing);
    }
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMost && !known_.contains(key)) {
      known_.clear();
    }
    return f(known_[key]);
  }

 private:
  static constexpr size_t kMost = 1 << 14;

  std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace

Pieces::Pieces(uint64_t rows, std::string scope) : rows_(rows), scope_(std::move(scope)) {
  begin_run();
}

void Pieces::begin_run() {
  static std::atomic<uint64_t> next = 0;
  run_ = next++;
}

// Row groups may have different encodings: widths are those of nodes of one type in one kind of tree.
std::string Pieces::key_of(uint32_t column, const ColumnPlan& plan, uint32_t node) const {
  if (scope_.empty()) {
    return {};
  }
  std::string key = scope_ + "\n" + std::to_string(column) + "\n" + std::to_string(node);
  for (uint32_t n = 0; n < plan.num_nodes; ++n) {
    key += "\n" + std::to_string(static_cast<uint32_t>(plan.nodes[n].op)) + " " +
           std::to_string(plan.nodes[n].bytes);
  }
  return key;
}

std::vector<uint8_t> Pieces::add_widths(uint32_t column, const ColumnPlan& plan, uint32_t node,
                                        const WidthCounts& counts) const {
  return Memory::of_process().with(key_of(column, plan, node), [&](Known& known) {
    for (size_t width = 0; width < counts.size(); ++width) {
      known.counts[width] += counts[width];
    }
    if (!known.covers(counts)) {
      known.choose();
    }
    return known.widths;
  });
}

uint64_t Pieces::add_entries(uint32_t column, const ColumnPlan& plan, uint64_t entries) const {
  return Memory::of_process().with(key_of(column, plan, plan.num_nodes - 1U), [&](Known& known) {
    known.entries = std::max(known.entries, std::bit_ceil(entries));
    return known.entries;
  });
}

uint32_t Pieces::add_bits(uint32_t column, const ColumnPlan& plan, uint32_t bits) const {
  return Memory::of_process().with(key_of(column, plan, 0), [&](Known& known) {
    known.bits = std::max(known.bits, bits);
    return known.bits;
  });
}

Result<Global<const uint64_t>> Pieces::scaled_ranges(DType type, const ValueRange& range, StreamView stream) {
  constexpr uint32_t kScales = ScaledRange::kExponents * ScaledRange::kExponents;
  const std::tuple key{type, range.low, range.span};
  auto found = ranges_.find(key);
  if (found == ranges_.end()) {
    std::vector<ScaledRange> ranges(kScales);
    const uint32_t most =
        type == DType::f64 ? codec::alp::kMaxExponent<double> : codec::alp::kMaxExponent<float>;
    for (uint8_t e = 0; e <= most; ++e) {
      for (uint8_t f = 0; f <= e; ++f) {
        ranges[ScaledRange::place(e, f)] = scaled_range(type, range, {e, f});
      }
    }
    BOBBIN_ASSIGN(DeviceBuffer there, DeviceBuffer::create(kScales * sizeof(ScaledRange), stream));
    BOBBIN_TRY(copy_async(there.data(), ranges.data(), there.size(), stream));
    BOBBIN_TRY(stream.synchronize());
    found = ranges_.emplace(key, std::move(there)).first;
  }
  return Global<const uint64_t>{found->second.as<uint64_t>(), uint64_t{kScales} * ScaledRange::kWords};
}

Result<const void*> Pieces::fresh_totals(size_t folds, StreamView stream) {
  const size_t bytes = folds * TotalWords::kWords * sizeof(uint64_t);
  if (!fresh_.has_value() || fresh_->size() < bytes) {
    std::vector<uint64_t> words(folds * TotalWords::kWords);
    for (size_t fold = 0; fold < folds; ++fold) {
      words[fold * TotalWords::kWords + TotalWords::least] = ~uint64_t{0};
    }
    BOBBIN_ASSIGN(DeviceBuffer there, DeviceBuffer::create(bytes, stream));
    BOBBIN_TRY(copy_async(there.data(), words.data(), bytes, stream));
    BOBBIN_TRY(stream.synchronize());
    fresh_ = std::move(there);
  }
  return static_cast<const void*>(fresh_->data());
}

}  // namespace bobbin::plan
