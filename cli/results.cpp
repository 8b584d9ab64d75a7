// SPDX-License-Identifier: Apache-2.0
#include "cli/results.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bobbin/csv.hpp"
#include "bobbin/io.hpp"
#include "bobbin/text.hpp"
#include "cli/format.hpp"
#include "cli/json_rows.hpp"
#include "cli/table_rows.hpp"
#include "cli/terminal.hpp"

namespace bobbin::cli {
namespace {

using query::ResultColumn;
using query::Value;
using Rows = std::span<const std::vector<Value>>;

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
std::vector<std::string> keys_of(const ResultColumns& columns) {
  std::set<std::string> names;
  for (const ResultColumn& column : columns) {
    names.insert(column.name);
  }
  std::set<std::string> repeated;
  std::vector<std::string> keys;
  for (const ResultColumn& column : columns) {
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

class TablePrinter final : public ResultPrinter {
 public:
  TablePrinter(ResultColumns columns, bool with_stats)
      : columns_(std::move(columns)), with_stats_(with_stats) {
    std::ranges::transform(columns_, std::back_inserter(heads_),
                           [](const ResultColumn& column) { return printable(column.name); });
    is_text_.resize(heads_.size());
  }

  Status add(Rows rows) override {
    constexpr size_t kMostHeld = size_t{8} << 20;
    for (const std::vector<Value>& row : rows) {
      held_.emplace_back();
      for (size_t c = 0; c < row.size(); ++c) {
        held_.back().push_back(printable(text_of(row[c], columns_[c].type)));
        is_text_[c] = is_text_[c] || row[c].kind == Value::Kind::text;
        held_bytes_ += held_.back().back().size();
      }
      if (held_bytes_ >= kMostHeld) {
        print_held();
      }
    }
    return {};
  }

  Status finish(const query::QueryStats& stats) override {
    if (!held_.empty() || widths_.empty()) {
      print_held();
    }
    if (widths_.size() < heads_.size()) {
      print(styled(hidden_columns(heads_, widths_.size(), "--select"), Style::dim, STDOUT_FILENO) + "\n");
    }
    if (with_stats_) {
      print(fmt::format("{}, {} read\n", count(stats.row_groups, "row group"), stats.read));
    }
    return {};
  }

 private:
  // Only the columns that a terminal has room for. Later rows have the widths of the first ones.
  void find_widths() {
    std::vector<ColumnWidth> widths;
    for (size_t c = 0; c < heads_.size(); ++c) {
      size_t values = 0;
      for (const auto& line : held_) {
        values = std::max(values, display_width(line[c]));
      }
      widths.push_back(column_width(display_width(heads_[c]), values, is_text_[c]));
    }
    room_ = terminal_width();
    widths_ = fit_widths(widths, room_);
  }

  void print_held() {
    if (widths_.empty()) {
      find_widths();
      print_table(heads_, held_, "", widths_);
    } else {
      std::ranges::for_each(held_, [&](const auto& line) { print_line(line); });
    }
    held_.clear();
    held_bytes_ = 0;
  }
  void print_line(const std::vector<std::string>& line) const {
    std::string text;
    for (size_t c = 0; c < widths_.size(); ++c) {
      const std::string cell = room_ == 0 || !is_text_[c] ? line[c] : fitted(line[c], widths_[c]);
      const size_t blanks = widths_[c] - std::min(widths_[c], display_width(cell));
      text += cell + (c + 1 == widths_.size() ? "\n" : std::string(blanks + 2, ' '));
    }
    print(text);
  }

  ResultColumns columns_;
  bool with_stats_;
  std::vector<std::string> heads_;
  std::vector<bool> is_text_;
  std::vector<size_t> widths_;
  size_t room_ = 0;
  std::vector<std::vector<std::string>> held_;
  size_t held_bytes_ = 0;
};

class CsvPrinter final : public ResultPrinter {
 public:
  explicit CsvPrinter(ResultColumns columns)
      : columns_(std::move(columns)), output_(file::Output::borrow(STDOUT_FILENO)) {}

  Status add(Rows rows) override {
    BOBBIN_TRY(begin());
    std::vector<HostColumn> texts;
    for (size_t c = 0; c < columns_.size(); ++c) {
      HostColumn& made = texts.emplace_back();
      made.column = {columns_[c].name, DType::binary};
      for (const std::vector<Value>& row : rows) {
        if (row[c].is_null()) {
          made.strings.push_null();
        } else {
          made.strings.push_back(bytes_of(text_of(row[c], columns_[c].type)));
        }
      }
    }
    return writer_->append(texts, rows.size()).in("stdout");
  }

  Status finish(const query::QueryStats& /*stats*/) override {
    BOBBIN_TRY(begin());
    BOBBIN_TRY(writer_->finish().in("stdout"));
    return output_.commit().in("stdout");
  }

 private:
  Status begin() {
    if (writer_.has_value()) {
      return {};
    }
    std::vector<Column> columns;
    for (const ResultColumn& column : columns_) {
      columns.push_back({column.name, DType::binary});
    }
    BOBBIN_ASSIGN(writer_, csv::RowWriter::create(output_, columns, {}));
    return writer_->begin().in("stdout");
  }

  ResultColumns columns_;
  file::Output output_;
  std::optional<csv::RowWriter> writer_;
};

class JsonPrinter final : public ResultPrinter {
 public:
  explicit JsonPrinter(ResultColumns columns) : columns_(std::move(columns)), keys_(keys_of(columns_)) {}

  Status add(Rows rows) override {
    for (const std::vector<Value>& values : rows) {
      std::string out = is_first_ ? "{\n  \"rows\": [\n    {" : ",\n    {";
      is_first_ = false;
      for (size_t c = 0; c < values.size(); ++c) {
        out += c == 0 ? "\n      " : ",\n      ";
        append_json_string(out, keys_[c]);
        out += ": ";
        append_json(out, values[c], columns_[c].type);
      }
      out += values.empty() ? "}" : "\n    }";
      print(out);
    }
    return {};
  }

  Status finish(const query::QueryStats& stats) override {
    print(is_first_ ? "{\n  \"rows\": []" : "\n  ]");
    print(fmt::format(",\n  \"row_groups\": {},\n  \"row_groups_read\": {}\n}}\n", stats.row_groups,
                      stats.read));
    return {};
  }

 private:
  ResultColumns columns_;
  std::vector<std::string> keys_;
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<ResultPrinter> make_table_printer(ResultColumns columns, bool with_stats) {
  return std::make_unique<TablePrinter>(std::move(columns), with_stats);
}

std::unique_ptr<ResultPrinter> make_csv_printer(ResultColumns columns) {
  return std::make_unique<CsvPrinter>(std::move(columns));
}

std::unique_ptr<ResultPrinter> make_json_printer(ResultColumns columns) {
  return std::make_unique<JsonPrinter>(std::move(columns));
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
