// SPDX-License-Identifier: Apache-2.0
#include "cli/table_rows.hpp"

#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "bobbin/text.hpp"
#include "cli/format.hpp"
#include "cli/terminal.hpp"

namespace bobbin::cli {
namespace {

constexpr std::string_view kBetweenColumns = "  ";
constexpr size_t kLeastWidth = 8;        // the smallest width to which a column is truncated
constexpr size_t kRowsForWidths = 1000;  // buffered to determine widths
constexpr size_t kBytesForWidths = size_t{4} << 20;
constexpr std::string_view kNull = "null";

size_t line_width(const std::vector<size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), size_t{0}) +
         kBetweenColumns.size() * (widths.empty() ? 0 : widths.size() - 1);
}

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
    const std::string hidden =
        count(names_.size() - widths_.size(), "more column") + "; --columns A,B,... chooses";
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
    std::vector<size_t> widths;
    for (size_t c = 0; c < names_.size(); ++c) {
      size_t width = display_width(names_[c]);
      for (const Cells& cells : held_) {
        width = std::max(width, display_width(cells[c].text));
      }
      widths.push_back(width);
    }
    room_ = terminal_width();
    widths_ = fit_widths(std::move(widths), room_);
  }

  Status write_line(const Cells& cells, bool head) {
    std::string line;
    for (size_t c = 0; c < widths_.size(); ++c) {
      // Without a terminal nothing is truncated, not even values wider than those of earlier rows.
      const std::string text = room_ == 0 ? cells[c].text : fitted(cells[c].text, widths_[c]);
      const std::string blanks(widths_[c] - std::min(widths_[c], display_width(text)), ' ');
      const std::string shown = head            ? styled(text, Style::bold, STDOUT_FILENO)
                                : cells[c].null ? styled(text, Style::dim, STDOUT_FILENO)
                                                : text;
      const bool right = c < types_.size() && !is_string(types_[c]);
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

std::vector<size_t> fit_widths(std::vector<size_t> widths, size_t room) {
  if (room == 0) {
    return widths;
  }
  while (line_width(widths) > room) {
    const auto widest = std::ranges::max_element(widths);
    const size_t excess = line_width(widths) - room;
    if (*widest <= kLeastWidth) {
      if (widths.size() == 1) {
        break;
      }
      widths.pop_back();
      continue;
    }
    // Not below the next widest at once, so that columns are truncated evenly.
    size_t next = kLeastWidth;
    for (const size_t width : widths) {
      next = width < *widest ? std::max(next, width) : next;
    }
    const auto alike = static_cast<size_t>(std::ranges::count(widths, *widest));
    const size_t cut = std::min(*widest - next, (excess + alike - 1) / alike);
    std::ranges::replace(widths, size_t{*widest}, *widest - cut);
  }
  return widths;
}

std::unique_ptr<RowSink> make_table_sink(file::Output& output, const std::vector<Column>& columns) {
  return std::make_unique<TableSink>(output, columns);
}

}  // namespace bobbin::cli
