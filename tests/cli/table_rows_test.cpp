// SPDX-License-Identifier: Apache-2.0
// Which columns of a table a terminal shows, and how wide.
#include "cli/table_rows.hpp"

#include <gtest/gtest.h>

namespace bobbin::cli {
namespace {

using Widths = std::vector<size_t>;
constexpr bool kIsText = true;

Widths fit(const std::vector<ColumnWidth>& columns, size_t room) {
  return fit_widths(columns, room);
}

TEST(TableWidths, NumbersAndDatesAreWholeOrNotShown) {
  const std::vector<ColumnWidth> columns(5, column_width(4, 19, !kIsText));
  EXPECT_EQ(fit(columns, 0), Widths(5, 19));
  EXPECT_EQ(fit(columns, 19 * 5 + 2 * 4), Widths(5, 19));
  EXPECT_EQ(fit(columns, 19 * 5 + 2 * 4 - 1), Widths(4, 19));
  EXPECT_EQ(fit(columns, 80), Widths(3, 19));
  EXPECT_EQ(fit(columns, 10), Widths(1, 19));  // one is always shown
}

TEST(TableWidths, TextIsTruncatedFirst) {
  const ColumnWidth number = column_width(2, 10, !kIsText);
  const ColumnWidth text = column_width(4, 200, kIsText);
  EXPECT_EQ(fit({number, text, number}, 80), (Widths{10, 56, 10}));
  EXPECT_EQ(fit({text, text, number}, 80), (Widths{33, 33, 10}));
  EXPECT_EQ(fit({text, column_width(4, 20, kIsText), number}, 80), (Widths{46, 20, 10}));
  EXPECT_EQ(fit({text, text, text, text, text}, 80).size(), 4U);
  EXPECT_EQ(fit({text}, 80), Widths{80});
  EXPECT_EQ(fit({text}, 0), Widths{200});
}

TEST(TableWidths, LongNamesOfNumbersAreTruncatedToo) {
  const ColumnWidth column = column_width(50, 3, !kIsText);
  EXPECT_EQ(fit({column}, 80), Widths{50});
  EXPECT_EQ(fit({column, column}, 80), (Widths{39, 39}));
  EXPECT_EQ(fit({column, column}, 20), (Widths{20}));
}

TEST(HiddenColumns, AreCountedAndNamed) {
  const std::vector<std::string> names = {"a", "b", std::string(60, 'c')};
  EXPECT_EQ(hidden_columns(names, 1, "--columns"),
            "2 more columns: b, " + std::string(40, 'c') + "...; --columns A,B,... chooses");
  EXPECT_EQ(hidden_columns(names, 2, "--select"),
            "1 more column: " + std::string(40, 'c') + "...; --select A,B,... chooses");
  const std::vector<std::string> many(30, "x");
  EXPECT_TRUE(hidden_columns(many, 1, "--columns").ends_with("x, x, ...; --columns A,B,... chooses"));
}

}  // namespace
}  // namespace bobbin::cli
