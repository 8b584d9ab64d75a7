// SPDX-License-Identifier: Apache-2.0
// Results as text tables and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bobbin/status.hpp"
#include "measure/timing.hpp"

namespace bobbin::bench {

using Json = nlohmann::ordered_json;

// A markdown table with aligned columns: the first left-aligned, numbers right-aligned.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headers, size_t left_columns = 1)
      : rows_{std::move(headers)}, left_columns_(left_columns) {}

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string markdown() const;

 private:
  std::vector<std::vector<std::string>> rows_;
  size_t left_columns_;
};

// "1234.5"; "-" for what was not measured.
[[nodiscard]] std::string number(double value, int digits = 2);
[[nodiscard]] std::string megabytes_per_second(double bytes_per_second);
[[nodiscard]] std::string gigabytes_per_second(double bytes_per_second);
// "4.0 MiB"
[[nodiscard]] std::string human_bytes(uint64_t bytes);

[[nodiscard]] Json to_json(const Sample& sample);
[[nodiscard]] Json to_json(const Machine& machine);

// {machine, commit, date, rows}. The commit comes from the environment variable BOBBIN_COMMIT.
[[nodiscard]] Json make_report(const Machine& machine, Json rows);
// The same heading for a table: machine, commit, date.
[[nodiscard]] std::string report_head(const Machine& machine);
// Text for any JSON; bytes that are not UTF-8 are replaced, never thrown at the caller.
[[nodiscard]] std::string dump(const Json& json);
[[nodiscard]] Status write_text(const std::string& path, const std::string& text);

}  // namespace bobbin::bench
