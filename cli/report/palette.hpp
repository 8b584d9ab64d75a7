// SPDX-License-Identifier: Apache-2.0
// Colours: a codec has a hue, and cascades with the same codec on top are shades of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/report/model.hpp"

namespace bobbin::cli::page {

inline constexpr size_t kHues = 12;   // codecs beyond are grey
inline constexpr size_t kShades = 4;  // of a hue; cascades beyond share the last one

class Palette {
 public:
  struct Entry {
    std::string name;
    std::string style;  // the classes that colour it
    uint64_t bytes = 0;
  };

  explicit Palette(const Model& model);

  // Those with most bytes first.
  [[nodiscard]] const std::vector<Entry>& codecs() const { return codecs_; }
  [[nodiscard]] const std::vector<Entry>& cascades() const { return cascades_; }
  [[nodiscard]] const std::string& codec_style(const std::string& codec) const;
  [[nodiscard]] const std::string& cascade_style(const std::string& cascade) const;

 private:
  void add_nodes(const NodeInfo& node);
  void name_styles();

  std::map<std::string, uint64_t> codec_bytes_;
  std::map<std::string, uint64_t> cascade_bytes_;
  std::map<std::string, std::string> codec_styles_;
  std::map<std::string, std::string> cascade_styles_;
  std::vector<Entry> codecs_;
  std::vector<Entry> cascades_;
};

}  // namespace bobbin::cli::page
