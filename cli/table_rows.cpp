// SPDX-License-Identifier: Apache-2.0
#include "cli/table_rows.hpp"

#include <unistd.h>

#include <algorithm>

#include "bobbin/text.hpp"
#include "cli/format.hpp"
#include "cli/terminal.hpp"

namespace bobbin::cli {
namespace {

constexpr std::string_view kBetweenColumns = "  ";
constexpr size_t kLeastWidth = 16;  // the smallest width to which text is truncated
constexpr size_t kLongestHiddenName = 40;
constexpr size_t kRowsForWidths = 1000;  // buffered to determine widths
constexpr size_t kBytesForWidths = size_t{4} << 20;
constexpr std::string_view kNull = "null";

class TableSink final : public RowSink {
 public:
  TableSink(file::Output& output, const std::vector<Column>& columns) : output_(output) {
    for (const Column& column : columns) {
      names_.push_back(printable(column.name));
    }
  }

  Status begin() override { return {}; }

  Status append(std::span<const HostColumn> columns, uint64_t rows) override {
    types_.clear();
    for (const HostColumn& column : columns) {
      types_.push_back(column.column.type);
    }
    for (uint64_t row = 0; row < rows; ++row) {
      held_.push_back(cells_of(columns, row));
      for (const Cell& cell : held_.back()) {
        held_bytes_ += cell.text.size();
      }
      if (held_.size() >= kRowsForWidths || held_bytes_ >= kBytesForWidths) {
        BOBBIN_TRY(write_held());
      }
    }
    return {};
  }

  Status finish() override {
    BOBBIN_TRY(write_held());
    if (widths_.size() == names_.size()) {
      return {};
    }
    const std::string hidden = hidden_columns(names_, widths_.size(), "--columns");
    const std::string line = styled(hidden, Style::dim, STDOUT_FILENO) + "\n";
    return output_.write(std::as_bytes(std::span(line)));
  }

 private:
  struct Cell {
    std::string text;
    bool null = false;
  };
  using Cells = std::vector<Cell>;

  static Cells cells_of(std::span<const HostColumn> columns, uint64_t row) {
    Cells cells;
    for (const HostColumn& column : columns) {
      if (column.is_null(row)) {
        cells.push_back({std::string(kNull), true});
      } else if (is_string(column.column.type)) {
        cells.push_back({printable(column.string(row))});
      } else {
        cells.push_back({value_text(column.type(), column.number(row))});
      }
    }
    return cells;
  }

  Status write_held() {
    if (!begun_) {
      begun_ = true;
      find_widths();
      Cells head;
      for (const std::string& name : names_) {
        head.push_back({name});
      }
      BOBBIN_TRY(write_line(head, true));
    }
    for (const Cells& cells : held_) {
      BOBBIN_TRY(write_line(cells, false));
    }
    held_.clear();
    held_bytes_ = 0;
    return {};
  }

  void find_widths() {
    std::vector<ColumnWidth> widths;
    for (size_t c = 0; c < names_.size(); ++c) {
      size_t values = 0;
      for (const Cells& cells : held_) {
        values = std::max(values, display_width(cells[c].text));
      }
      widths.push_back(column_width(display_width(names_[c]), values, is_text(c)));
    }
    room_ = terminal_width();
    widths_ = fit_widths(widths, room_);
  }

  [[nodiscard]] bool is_text(size_t column) const {
    return column >= types_.size() || is_string(types_[column]);
  }

  Status write_line(const Cells& cells, bool head) {
    std::string line;
    for (size_t c = 0; c < widths_.size(); ++c) {
      // Without a terminal nothing is truncated, and numbers never are, even if they are wider than those of
      // earlier rows.
      const bool whole = room_ == 0 || (!head && !is_text(c));
      const std::string text = whole ? cells[c].text : fitted(cells[c].text, widths_[c]);
      const std::string blanks(widths_[c] - std::min(widths_[c], display_width(text)), ' ');
      const std::string shown = head            ? styled(text, Style::bold, STDOUT_FILENO)
                                : cells[c].null ? styled(text, Style::dim, STDOUT_FILENO)
                                                : text;
      const bool right = !is_text(c);
      const bool last = c + 1 == widths_.size();
      line += right ? blanks + shown : shown + (last ? "" : blanks);
      line += last ? "" : kBetweenColumns;
    }
    line += '\n';
    return output_.write(std::as_bytes(std::span(line)));
  }

  file::Output& output_;
  std::vector<std::string> names_;
  std::vector<DType> types_;
  std::vector<size_t> widths_;
  size_t room_ = 0;
  bool begun_ = false;
  std::vector<Cells> held_;
  size_t held_bytes_ = 0;
};

}  // namespace

ColumnWidth column_width(size_t name, size_t values, bool is_text) {
  const size_t whole = std::max(name, values);
  return {whole, is_text ? std::min(whole, kLeastWidth) : std::max(values, std::min(name, kLeastWidth))};
}

std::vector<size_t> fit_widths(std::span<const ColumnWidth> columns, size_t room) {
  std::vector<size_t> widths;
  size_t used = 0;
  for (const ColumnWidth& column : columns) {
    used += column.least + (widths.empty() ? 0 : kBetweenColumns.size());
    if (room != 0 && used > room && !widths.empty()) {
      used -= column.least + kBetweenColumns.size();
      break;
    }
    widths.push_back(room == 0 ? column.whole : column.least);
  }
  // What is left is shared evenly by the truncated columns.
  size_t left = room > used ? room - used : 0;
  while (left > 0) {
    std::vector<size_t> truncated;
    for (size_t c = 0; c < widths.size(); ++c) {
      if (widths[c] < columns[c].whole) {
        truncated.push_back(c);
      }
    }
    if (truncated.empty()) {
      break;
    }
    const size_t share = std::max<size_t>(1, left / truncated.size());
    for (const size_t c : truncated) {
      const size_t more = std::min({share, left, columns[c].whole - widths[c]});
      widths[c] += more;
      left -= more;
    }
  }
  return widths;
}

std::string hidden_columns(std::span<const std::string> names, size_t shown, std::string_view option) {
  constexpr size_t kMostNamed = 20;
  const std::span<const std::string> hidden = names.subspan(shown);
  std::string text = count(hidden.size(), "more column") + ": ";
  for (size_t i = 0; i < std::min(hidden.size(), kMostNamed); ++i) {
    text += (i == 0 ? "" : ", ") + clipped(hidden[i], kLongestHiddenName);
  }
  return text + (hidden.size() > kMostNamed ? ", ..." : "") + "; " + std::string(option) + " A,B,... chooses";
}

std::unique_ptr<RowSink> make_table_sink(file::Output& output, const std::vector<Column>& columns) {
  return std::make_unique<TableSink>(output, columns);
}

}  // namespace bobbin::cli
