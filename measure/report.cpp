// SPDX-License-Identifier: Apache-2.0
#include "measure/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>

namespace bobbin::bench {
namespace {

// Counts characters, not bytes: continuation bytes of UTF-8 have no width.
size_t display_width(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(),
                                           [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

std::string commit_name() {
  const char* commit = std::getenv("BOBBIN_COMMIT");
  return commit == nullptr ? "unknown" : commit;
}

std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  const size_t size = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text, size};
}

}  // namespace

std::string TextTable::markdown() const {
  std::vector<size_t> widths(rows_.front().size(), 3);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string text;
  const auto add_row = [&](const std::vector<std::string>& row) {
    text += '|';
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - display_width(row[i]), ' ');
      text += ' ' + (i < left_columns_ ? row[i] + space : space + row[i]) + " |";
    }
    text += '\n';
  };
  add_row(rows_.front());
  text += '|';
  for (size_t i = 0; i < widths.size(); ++i) {
    text += i < left_columns_ ? std::string(widths[i] + 2, '-') : std::string(widths[i] + 1, '-') + ':';
    text += '|';
  }
  text += '\n';
  std::for_each(rows_.begin() + 1, rows_.end(), add_row);
  return text;
}

std::string number(double value, int digits) {
  return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string megabytes_per_second(double bytes_per_second) {
  return number(bytes_per_second / 1e6, 0);
}

std::string gigabytes_per_second(double bytes_per_second) {
  return number(bytes_per_second / 1e9, 2);
}

std::string human_bytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) {
    return fmt::format("{} B", bytes);
  }
  auto amount = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (amount >= 1024 && unit + 1 < std::size(kUnits)) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

Json to_json(const Sample& sample) {
  return {{"median_s", sample.median_s},
          {"min_s", sample.min_s},
          {"max_s", sample.max_s},
          {"spread", sample.spread},
          {"runs", sample.runs}};
}

Json to_json(const Machine& machine) {
  Json json{{"cpu", machine.cpu},
            {"cores", machine.cores},
            {"last_level_cache_bytes", machine.last_level_cache_bytes}};
  json["gpu"] = machine.gpu.empty() ? Json(nullptr) : Json(machine.gpu);
  return json;
}

Json make_report(const Machine& machine, Json rows) {
  return {{"machine", to_json(machine)},
          {"commit", commit_name()},
          {"date", date_now()},
          {"rows", std::move(rows)}};
}

std::string report_head(const Machine& machine) {
  return fmt::format("{}, {} cores, {}; commit {}; {}", machine.cpu, machine.cores,
                     machine.gpu.empty() ? "no GPU" : machine.gpu, commit_name(), date_now());
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Status write_text(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  BOBBIN_RETURN_IF(file == nullptr, StatusCode::io, path + ": " + std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  BOBBIN_RETURN_IF(!written || !closed, StatusCode::io, path + ": cannot write: " + std::strerror(errno));
  return {};
}

}  // namespace bobbin::bench
