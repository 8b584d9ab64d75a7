// SPDX-License-Identifier: Apache-2.0
#include "cli/report/palette.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "bobbin/encoding.hpp"
#include "cli/report/colors.hpp"

namespace bobbin::cli::page {
namespace {

constexpr size_t kMaxStripes = 4;    // more would be too thin to see
constexpr size_t kMaxStriped = 256;  // cascades; others have the colour of their outermost codec

using Totals = std::map<std::string, uint64_t>;

void add_nodes(const NodeInfo& node, Totals& totals) {
  totals[node.codec] += node.bytes;
  std::ranges::for_each(node.children, [&](const NodeInfo& child) { add_nodes(child, totals); });
}

std::vector<Palette::Entry> by_size(const Totals& totals) {
  std::vector<Palette::Entry> entries;
  entries.reserve(totals.size());
  for (const auto& [name, bytes] : totals) {
    entries.push_back({name, "", bytes});
  }
  std::ranges::stable_sort(entries, std::ranges::greater{}, &Palette::Entry::bytes);
  return entries;
}

// "dict(bitpack, fsst)": dict, bitpack, fsst.
std::vector<std::string> codecs_of(const std::string& cascade) {
  constexpr const char* kBetween = "(), ";
  std::vector<std::string> names;
  for (size_t begin = 0; begin != std::string::npos && names.size() < kMaxStripes;) {
    const size_t end = cascade.find_first_of(kBetween, begin);
    names.push_back(cascade.substr(begin, end - begin));
    begin = cascade.find_first_not_of(kBetween, end);
  }
  return names;
}

std::string stripes_css(const std::string& cascade) {
  const std::vector<std::string> names = codecs_of(cascade);
  if (names.size() == 1) {
    return fmt::format("var(--codec-{})", names.front());
  }
  std::string stops;
  for (size_t i = 0; i < names.size(); ++i) {
    stops += fmt::format("{}var(--codec-{}) {}% {}%", i == 0 ? "" : ",", names[i], 100 * i / names.size(),
                         100 * (i + 1) / names.size());
  }
  return "linear-gradient(" + stops + ")";
}

}  // namespace

Palette::Palette(const Model& model) {
  Totals codecs;
  Totals cascades;
  for (const ColumnFacts& facts : model.columns) {
    for (const ColumnSummary::Encoding& encoding : facts.total.encodings) {
      add_nodes(encoding.sum, codecs);
      cascades[to_string(cascade_of(encoding.sum))] += tree_bytes(encoding.sum);
    }
  }
  codecs_ = by_size(codecs);
  for (Entry& entry : codecs_) {
    entry.style = "c-" + entry.name;
    codec_styles_[entry.name] = entry.style;
  }
  cascades_ = by_size(cascades);
  for (size_t i = 0; i < cascades_.size(); ++i) {
    cascades_[i].style =
        i < kMaxStriped ? fmt::format("k{}", i) : codec_styles_.at(codecs_of(cascades_[i].name).front());
    cascade_styles_[cascades_[i].name] = cascades_[i].style;
  }
}

std::string Palette::css() const {
  std::string properties;
  std::string rules;
  for (const Entry& entry : codecs_) {
    properties += fmt::format("--codec-{}: {};\n", entry.name, page::css(color_of(entry.name)));
    rules += fmt::format(".{} {{ background: var(--codec-{}); }}\n", entry.style, entry.name);
  }
  for (const Entry& entry : cascades_ | std::views::take(kMaxStriped)) {
    rules += fmt::format(".{} {{ background: {}; }}\n", entry.style, stripes_css(entry.name));
  }
  return fmt::format(":root {{\n{}}}\n{}", properties, rules);
}

const std::string& Palette::codec_style(const std::string& codec) const {
  return codec_styles_.at(codec);
}

const std::string& Palette::cascade_style(const std::string& cascade) const {
  return cascade_styles_.at(cascade);
}

}  // namespace bobbin::cli::page
