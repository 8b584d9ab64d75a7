// SPDX-License-Identifier: Apache-2.0
#include "cli/report/html.hpp"

#include <fmt/format.h>

#include "bobbin/text.hpp"
#include "cli/format.hpp"
#include "measure/report.hpp"

namespace bobbin::cli::page {
namespace {

// The policy makes sure that a browser loads nothing and runs no script, whatever names the page contains.
constexpr const char* kDocument = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>{}</style>
</head>
<body>
{}</body>
</html>
)";

constexpr size_t kLongestName = 80;
constexpr double kLeastShare = 0.1;  // the smallest percentage that is written as a number

void append_escaped(char c, std::string& html) {
  switch (c) {
    case '&':
      html += "&amp;";
      return;
    case '<':
      html += "&lt;";
      return;
    case '>':
      html += "&gt;";
      return;
    case '"':
      html += "&quot;";
      return;
    case '\'':
      html += "&#39;";
      return;
    default:
      html += c;
  }
}

}  // namespace

std::string document_html(std::string_view title, std::string_view style, std::string_view body) {
  return fmt::format(kDocument, title, style, body);
}

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : printable(text)) {
    append_escaped(c, html);
  }
  return html;
}

std::string escaped_lines(std::string_view text) {
  std::string html;
  for (size_t newline = text.find('\n'); newline != std::string_view::npos; newline = text.find('\n')) {
    html += escaped(text.substr(0, newline)) + "\n";
    text.remove_prefix(newline + 1);
  }
  return html + escaped(text);
}

std::string name_html(std::string_view name) {
  return "<bdi>" + escaped(clipped(printable(name), kLongestName)) + "</bdi>";
}

std::string bytes_html(uint64_t bytes) {
  return fmt::format("<span title=\"{}\">{}</span>", count(bytes, "byte"), bench::human_bytes(bytes));
}

std::string number_html(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string html;
  for (size_t i = 0; i < digits.size(); ++i) {
    html += i > 0 && (digits.size() - i) % 3 == 0 ? "&#8239;" : "";
    html += digits[i];
  }
  return html;
}

std::string share_html(uint64_t part, uint64_t whole) {
  const double share = whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (whole == 0) {
    return "-";
  }
  return part > 0 && share < kLeastShare ? fmt::format("&lt;{} %", kLeastShare)
                                         : fmt::format("{:.1f} %", share);
}

}  // namespace bobbin::cli::page
