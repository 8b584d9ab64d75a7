// SPDX-License-Identifier: Apache-2.0
#include "plan/sample_widths.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "codecs/ffor/stage.hpp"
#include "core/bits.hpp"
#include "device/fetch.hpp"

namespace bobbin::plan {
namespace {

WidthCounts count_entries(std::span<const uint32_t> entries) {
  WidthCounts counts{};
  for (const uint32_t entry : entries) {
    ++counts[codec::ffor::Entry{entry}.width()];
  }
  return counts;
}

WidthCounts count_one_width(const Frames& frames) {
  WidthCounts counts{};
  counts[frames.width] = 1;
  return counts;
}

Result<WidthCounts> count_on_host(const Frames& frames) {
  if (frames.entries.data == nullptr) {
    return count_one_width(frames);
  }
  std::vector<uint32_t> entries(frames.entries.size / sizeof(uint32_t));
  std::memcpy(entries.data(), frames.entries.data, entries.size() * sizeof(uint32_t));
  return count_entries(entries);
}

// In some parts of device memory.
Result<WidthCounts> count_widths(const Frames& frames, StreamView stream) {
  if (frames.entries.data == nullptr) {
    return count_one_width(frames);
  }
  constexpr uint64_t kAtOnce = 512;
  constexpr uint64_t kPlaces = 4;
  const uint64_t vectors = frames.entries.size / sizeof(uint32_t);
  std::vector<uint32_t> entries(std::min(vectors, kAtOnce * kPlaces));
  const uint64_t at_once = ceil_div<uint64_t>(entries.size(), kPlaces);
  Fetch copies(stream);
  for (uint64_t to = 0; to < entries.size(); to += at_once) {
    const uint64_t count = std::min<uint64_t>(at_once, entries.size() - to);
    const uint64_t from = to / at_once * (vectors / kPlaces);
    BOBBIN_TRY(copies.add(entries.data() + to, frames.entries.data + from * sizeof(uint32_t),
                          count * sizeof(uint32_t)));
  }
  BOBBIN_TRY(copies.wait());
  return count_entries(entries);
}

// The bits of the values of some vectors, with their sign: how many sums fit into a word
// (stages/group_folds.hpp).
Result<uint32_t> sample_bits(const ColumnPlan& column, const std::vector<uint8_t>& widths,
                             StreamView stream) {
  const Frames& frames = column.frames();
  const uint64_t size = column.packed_bytes();
  std::vector<std::byte> bytes(std::min<uint64_t>(frames.references.size / size, 512) * size);
  BOBBIN_TRY(fetch(bytes.data(), frames.references.data, bytes.size(), stream));
  const uint64_t most = widths.empty() ? 0 : low_mask<uint64_t>(widths.back());
  const uint64_t sign = column.is_signed ? uint64_t{1} << (8 * size - 1) : 0;
  Bounds bounds;
  const auto add = [&](uint64_t reference) {
    const uint64_t first = (reference + frames.base) & low_mask<uint64_t>(static_cast<uint32_t>(8 * size));
    const Int128 least = static_cast<Int128>(first ^ sign) - static_cast<Int128>(sign);
    bounds = {std::min(bounds.least, least), std::max(bounds.greatest, least + static_cast<Int128>(most))};
  };
  for (size_t at = 0; at < bytes.size(); at += size) {
    uint64_t reference = 0;
    std::memcpy(&reference, bytes.data() + at, size);
    add(reference);
  }
  if (bytes.empty()) {
    add(0);
  }
  return std::min<uint32_t>(bits_for(bounds), 64);
}

}  // namespace

Result<KnownWidths> sample_widths(std::span<const Source> columns, const QueryInput& query,
                                  const Pieces& pieces, StreamView stream) {
  KnownWidths widths;
  for (size_t c = 0; c < columns.size(); ++c) {
    const ColumnPlan& column = query.columns[c];
    ColumnPlan on_host;
    std::vector<Dictionary> not_needed;
    const bool there = columns[c].host != nullptr &&
                       make_column(values_of(*columns[c].host), QueryPath::interpreted, on_host, not_needed);
    for (uint32_t n = 0; n < column.num_nodes; ++n) {
      if (column.nodes[n].op == Op::unpack) {
        BOBBIN_ASSIGN(const WidthCounts counts, there ? count_on_host(on_host.nodes[n].frames)
                                                      : count_widths(column.nodes[n].frames, stream));
        widths.of[c][n] = pieces.add_widths(columns[c].column, column, n, counts);
      }
    }
    if (query.groups.num_keys != 0 && column.form == ColumnForm::packed && !column.looks_up()) {
      BOBBIN_ASSIGN(const uint32_t bits, sample_bits(column, widths.of[c][0], stream));
      widths.bits[c] = pieces.add_bits(columns[c].column, column, bits);
    }
    if (column.num_nodes != 0 && column.looks_up()) {
      widths.entries[c] =
          pieces.add_entries(columns[c].column, column, uint64_t{column.dictionary().last} + 1);
    }
  }
  return widths;
}

}  // namespace bobbin::plan
