// SPDX-License-Identifier: Apache-2.0
// Rates in GB/s for one file or text after another: a row of the table and of the JSON per measurement.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "measure/report.hpp"

namespace bobbin::bench {

class Rates {
 public:
  // What differs between benchmarks.
  struct Form {
    const char* subject;  // "file" or "text"
    const char* ratio;    // raw bytes over encoded ones: its name
    const char* rate;     // heading in the table
    int ratio_digits;
    int rate_digits;
  };
  struct Row {
    std::string subject;
    std::string what;
    uint64_t bytes;  // that the rate counts
    double ratio;
    Sample sample;
    double memcpy_rate;  // in bytes per second
    double bar;          // the goal in GB/s; 0: none
  };

  explicit Rates(const Form& form)
      : form_(form), table_({form.subject, "what", form.ratio, "ms", form.rate, "spread %", "bar"}, 2) {}

  void add(const Row& row) {
    const double rate = row.sample.bytes_per_second(row.bytes) / 1e9;
    table_.add({row.subject, row.what, number(row.ratio, form_.ratio_digits),
                number(row.sample.median_s * 1e3, 3), number(rate, form_.rate_digits),
                number(100 * row.sample.spread, 1), row.bar > 0 ? number(row.bar, 0) : "-"});
    rows_.push_back({{form_.subject, row.subject},
                     {"what", row.what},
                     {"bytes", row.bytes},
                     {form_.ratio, row.ratio},
                     {"seconds", to_json(row.sample)},
                     {"gb_per_s", rate},
                     {"memcpy_gb_per_s", row.memcpy_rate / 1e9},
                     {"bar", row.bar}});
  }
  [[nodiscard]] std::string markdown() const { return table_.markdown(); }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  Form form_;
  TextTable table_;
  Json rows_ = Json::array();
};

}  // namespace bobbin::bench
