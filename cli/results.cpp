// SPDX-License-Identifier: Apache-2.0
#include "cli/results.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bobbin/csv.hpp"
#include "bobbin/io.hpp"
#include "bobbin/text.hpp"
#include "cli/format.hpp"
#include "cli/json_rows.hpp"

namespace bobbin::cli {
namespace {

using query::ResultColumn;
using query::ResultTable;
using query::Value;

// Values of a column are printed with the digits of its type: 3.1 of f32 is not printed as a double.
std::string text_of(const Value& value, const std::optional<ColumnType>& type) {
  return value.kind == Value::Kind::real && type.has_value() && type->type == DType::f32 &&
                 !std::isnan(value.real)
             ? fmt::format("{}", static_cast<float>(value.real))
             : query::to_string(value);
}

// The value as JSON, as `cat` prints it too.
void append_json(std::string& out, const Value& value, const std::optional<ColumnType>& type) {
  if (value.is_null()) {
    out += "null";
  } else if (value.kind == Value::Kind::text) {
    append_json_string(out, value.text);
  } else {
    append_json_text(out, value.logical.kind, text_of(value, type));
  }
}

// Names as keys of an object: a duplicate gets a number that makes it another name than all columns have.
std::vector<std::string> keys_of(const ResultTable& result) {
  std::set<std::string> names;
  for (const ResultColumn& column : result.columns) {
    names.insert(column.name);
  }
  std::set<std::string> repeated;
  std::vector<std::string> keys;
  for (const ResultColumn& column : result.columns) {
    std::string key = column.name;
    if (!repeated.insert(column.name).second) {
      for (int number = 1; !names.insert(key).second; ++number) {
        key = fmt::format("{}_{}", column.name, number);
      }
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

void print_table(const ResultTable& result) {
  std::vector<std::string> heads(result.columns.size());
  std::ranges::transform(result.columns, heads.begin(),
                         [](const ResultColumn& column) { return printable(column.name); });
  std::vector<std::vector<std::string>> lines;
  for (const std::vector<Value>& row : result.rows) {
    lines.emplace_back();
    for (size_t c = 0; c < row.size(); ++c) {
      lines.back().push_back(printable(text_of(row[c], result.columns[c].type)));
    }
  }
  print_table(heads, lines);
}

Status print_csv(const ResultTable& result) {
  std::vector<Column> columns;
  std::vector<HostColumn> texts;
  for (size_t c = 0; c < result.columns.size(); ++c) {
    columns.push_back({result.columns[c].name, DType::binary});
    HostColumn& made = texts.emplace_back();
    made.column = columns.back();
    for (const std::vector<Value>& row : result.rows) {
      if (row[c].is_null()) {
        made.strings.push_null();
      } else {
        made.strings.push_back(bytes_of(text_of(row[c], result.columns[c].type)));
      }
    }
  }
  file::Output output = file::Output::borrow(STDOUT_FILENO);
  BOBBIN_ASSIGN(csv::RowWriter writer, csv::RowWriter::create(output, columns, {}));
  BOBBIN_TRY(writer.begin().in("stdout"));
  BOBBIN_TRY(writer.append(texts, result.rows.size()).in("stdout"));
  BOBBIN_TRY(writer.finish().in("stdout"));
  return output.commit().in("stdout");
}

void print_json(const ResultTable& result, const query::QueryStats& stats) {
  const std::vector<std::string> keys = keys_of(result);
  std::string out = "{\n  \"rows\": [";
  for (const std::vector<Value>& values : result.rows) {
    out += out.ends_with('[') ? "\n    {" : ",\n    {";
    for (size_t c = 0; c < values.size(); ++c) {
      out += c == 0 ? "\n      " : ",\n      ";
      append_json_string(out, keys[c]);
      out += ": ";
      append_json(out, values[c], result.columns[c].type);
    }
    out += values.empty() ? "}" : "\n    }";
  }
  out += result.rows.empty() ? "]" : "\n  ]";
  print(fmt::format("{},\n  \"row_groups\": {},\n  \"row_groups_read\": {}\n}}\n", out, stats.row_groups,
                    stats.read));
}

namespace {

// Without the row group.
std::string how(const query::Explanation::Step& step) {
  std::string text = step.kernel;
  if (!step.reason.empty()) {
    text += fmt::format(" ({})", step.reason);
  }
  if (step.registers != 0) {
    text += fmt::format(", {} registers", step.registers);
  }
  if (step.local_bytes != 0) {
    text += fmt::format(", {} bytes of local memory", step.local_bytes);
  }
  if (step.source.has_value()) {
    text += fmt::format(", source {}", *step.source + 1);
  }
  return text;
}

// What was done for a row group, one step after another.
struct GroupLine {
  size_t first = 0;
  size_t last = 0;
  std::string how;
};

std::vector<GroupLine> lines_of(const query::Explanation& explanation) {
  std::vector<GroupLine> lines;
  const auto finish = [&] {
    if (lines.size() > 1 && lines[lines.size() - 2].how == lines.back().how) {
      lines[lines.size() - 2].last = lines.back().last;
      lines.pop_back();
    }
  };
  for (const query::Explanation::Step& step : explanation.steps) {
    if (!lines.empty() && lines.back().last == step.row_group) {
      lines.back().how += ", then " + how(step);
      continue;
    }
    finish();
    lines.push_back({step.row_group, step.row_group, how(step)});
  }
  finish();
  return lines;
}

}  // namespace

void print_explanation(const query::Explanation& explanation) {
  for (const GroupLine& line : lines_of(explanation)) {
    print(line.first == line.last
              ? fmt::format("row group {}: {}\n", line.first, line.how)
              : fmt::format("row groups {} to {}: {}\n", line.first, line.last, line.how));
  }
  for (size_t i = 0; i < explanation.sources.size(); ++i) {
    print(fmt::format("\nsource {}:\n{}", i + 1, explanation.sources[i]));
  }
}

}  // namespace bobbin::cli
