// SPDX-License-Identifier: Apache-2.0
// The codecs and cascades of a file, with the CSS classes that colour them. A codec has a colour; a cascade
// has stripes in the colours of its codecs, the outermost on top.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/report/model.hpp"

namespace bobbin::cli::page {

class Palette {
 public:
  struct Entry {
    std::string name;
    std::string style;  // the class that colours it
    uint64_t bytes = 0;
  };

  explicit Palette(const Model& model);

  // Those with the most bytes first.
  [[nodiscard]] const std::vector<Entry>& codecs() const { return codecs_; }
  [[nodiscard]] const std::vector<Entry>& cascades() const { return cascades_; }
  [[nodiscard]] const std::string& codec_style(const std::string& codec) const;
  [[nodiscard]] const std::string& cascade_style(const std::string& cascade) const;
  // The rules of those classes.
  [[nodiscard]] std::string css() const;

 private:
  std::vector<Entry> codecs_;
  std::vector<Entry> cascades_;
  std::map<std::string, std::string> codec_styles_;
  std::map<std::string, std::string> cascade_styles_;
};

}  // namespace bobbin::cli::page
