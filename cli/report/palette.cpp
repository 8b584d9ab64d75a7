// SPDX-License-Identifier: Apache-2.0
#include "cli/report/palette.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bobbin::cli::page {
namespace {

std::vector<Palette::Entry> by_size(const std::map<std::string, uint64_t>& totals) {
  std::vector<Palette::Entry> entries;
  entries.reserve(totals.size());
  for (const auto& [name, bytes] : totals) {
    entries.push_back({name, "", bytes});
  }
  std::ranges::stable_sort(entries, std::ranges::greater{}, &Palette::Entry::bytes);
  return entries;
}

}  // namespace

Palette::Palette(const Model& model) {
  for (const ColumnFacts& facts : model.columns) {
    for (const ColumnSummary::Encoding& encoding : facts.total.encodings) {
      add_nodes(encoding.sum);
      cascade_bytes_[cascade_text(encoding.sum)] += tree_bytes(encoding.sum);
    }
  }
  codecs_ = by_size(codec_bytes_);
  cascades_ = by_size(cascade_bytes_);
  name_styles();
}

void Palette::add_nodes(const NodeInfo& node) {
  codec_bytes_[node.codec] += node.bytes;
  std::ranges::for_each(node.children, [this](const NodeInfo& child) { add_nodes(child); });
}

void Palette::name_styles() {
  for (size_t i = 0; i < codecs_.size(); ++i) {
    codecs_[i].style = fmt::format("h{}", std::min(i, kHues));
    codec_styles_[codecs_[i].name] = codecs_[i].style;
  }
  std::map<std::string, size_t> shades;
  for (Entry& entry : cascades_) {
    const std::string root = entry.name.substr(0, entry.name.find('('));
    const size_t shade = std::min(shades[root]++, kShades - 1);
    entry.style = codec_styles_[root] + (shade == 0 ? "" : fmt::format(" s{}", shade));
    cascade_styles_[entry.name] = entry.style;
  }
}

const std::string& Palette::codec_style(const std::string& codec) const {
  return codec_styles_.at(codec);
}

const std::string& Palette::cascade_style(const std::string& cascade) const {
  return cascade_styles_.at(cascade);
}

}  // namespace bobbin::cli::page
