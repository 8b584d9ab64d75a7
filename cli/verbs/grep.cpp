// SPDX-License-Identifier: Apache-2.0
// bobbin grep: the matching strings of a column, found without decoding the others.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "bobbin/query.hpp"
#include "bobbin/table.hpp"
#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/table_input.hpp"
#include "cli/terminal.hpp"

namespace bobbin::cli {
namespace {

// As in grep: distinguishes failure from "nothing found".
constexpr int kNotFound = 1;
constexpr int kGrepFailure = 2;

struct GrepArgs {
  std::string pattern;  // or the input, if the pattern is given by an option
  std::string input;
  std::optional<std::string> column;
  ImportArgs reading;
  std::string backend = "auto";
  StringTest test = StringTest::contains;
  std::string text;
  bool ignore_case = false;
  bool count = false;
};

char folded(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_folded(char a, char b) {
  return folded(a) == folded(b);
}

// The position of `text` in a string that matches; its size if it does not match.
size_t find_text(std::string_view string, const GrepArgs& args) {
  const auto found = args.ignore_case ? std::ranges::search(string, args.text, &same_folded)
                                      : std::ranges::search(string, args.text);
  const auto at = static_cast<size_t>(found.begin() - string.begin());
  const bool whole = args.test != StringTest::equals || string.size() == args.text.size();
  const bool anchored = args.test == StringTest::contains || at == 0;
  const bool passes = (!found.empty() || args.text.empty()) && whole && anchored;
  return passes ? at : string.size() + 1;
}

query::Query query_of(const OpenReader& file, size_t column, const GrepArgs& args, Backend backend) {
  using Kind = query::Predicate::Kind;
  const Kind kind = args.test == StringTest::equals        ? Kind::compare
                    : args.test == StringTest::starts_with ? Kind::starts_with
                                                           : Kind::contains;
  return query::from(file.reader)
      .on(backend)
      .where({.kind = kind,
              .op = Compare::eq,
              .column = file.reader.columns()[column].name,
              .literals = {query::Literal(args.text)}});
}

// The row, a tab and the string, with the match highlighted on a terminal.
void print_match(uint64_t row, std::string_view string, const GrepArgs& args) {
  const size_t at = std::min(find_text(string, args), string.size());
  print(fmt::format("{}\t{}{}{}\n", row, printable(string.substr(0, at)),
                    args.text.empty()
                        ? ""
                        : styled(printable(string.substr(at, args.text.size())), Style::red, STDOUT_FILENO),
                    printable(string.substr(std::min(string.size(), at + args.text.size())))));
}

using MatchVisitor = std::function<void(uint64_t row, std::string_view string)>;

// Row groups that the zone map rules out are not read, and strings that do not match are not decoded.
Status visit_matches(const OpenReader& file, size_t column, const GrepArgs& args, Backend backend,
                     const MatchVisitor& visit) {
  const auto visit_group = [&](size_t group, std::span<const uint64_t> rows) -> Result<bool> {
    const auto visit_slice = [&](std::span<const HostColumn> columns, uint64_t count) -> Status {
      for (uint64_t i = 0; i < count; ++i) {
        visit(rows[i], columns.front().string(i));
      }
      rows = rows.subspan(count);
      return Status();
    };
    BOBBIN_TRY(visit_slices(file.reader, group, std::span(&column, 1), rows, visit_slice));
    return true;
  };
  return query_of(file, column, args, backend).visit_rows(visit_group);
}

// Ignoring case does not work with the order of the zone map or on codes: all strings are decoded, a slice at
// a time.
Status visit_folded_matches(const OpenReader& file, size_t column, const GrepArgs& args, Backend backend,
                            const MatchVisitor& visit) {
  uint64_t first = 0;
  const auto visit_slice = [&](std::span<const HostColumn> columns, uint64_t rows) -> Status {
    for (uint64_t i = 0; i < rows; ++i) {
      const std::string_view string = columns.front().string(i);
      if (!columns.front().is_null(i) && find_text(string, args) <= string.size()) {
        visit(first + i, string);
      }
    }
    first += rows;
    return Status();
  };
  return visit_slices(file.reader, std::span(&column, 1), 0, file.reader.num_rows(), visit_slice, backend);
}

// Returns the number of matches.
Result<uint64_t> count_matches(const OpenReader& file, size_t column, const GrepArgs& args, Backend backend) {
  uint64_t total = 0;
  if (args.ignore_case) {
    BOBBIN_TRY(visit_folded_matches(file, column, args, backend,
                                    [&](uint64_t /*row*/, std::string_view /*string*/) { ++total; }));
  } else {
    BOBBIN_ASSIGN(total, query_of(file, column, args, backend).count());
  }
  print(fmt::format("{}\n", total));
  return total;
}

// Returns the number of matches.
Result<uint64_t> print_matches(const OpenReader& file, size_t column, const GrepArgs& args, Backend backend) {
  uint64_t total = 0;
  const MatchVisitor visit = [&](uint64_t row, std::string_view string) {
    print_match(row, string, args);
    ++total;
  };
  if (args.ignore_case) {
    BOBBIN_TRY(visit_folded_matches(file, column, args, backend, visit));
    return total;
  }
  BOBBIN_TRY(visit_matches(file, column, args, backend, visit));
  return total;
}

Result<uint64_t> grep(const GrepArgs& args) {
  BOBBIN_ASSIGN(const OpenTable file, open_table(args.input, args.reading));
  BOBBIN_ASSIGN(const size_t column, find_string_column(file, args.column));
  const Column& asked = file.reader.columns()[column];
  BOBBIN_RETURN_IF(!is_string(asked.type), StatusCode::invalid_argument,
                   fmt::format("{}: column '{}' holds {}, not strings", file.name, asked.name,
                               to_string(ColumnType{asked.type, asked.logical})));
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  return (args.count ? count_matches : print_matches)(file, column, args, backend);
}

int run_grep(const GrepArgs& args) {
  const Result<uint64_t> found = grep(args);
  if (!found.has_value()) {
    (void)report(found.error());
    return kGrepFailure;
  }
  return *found == 0 ? kNotFound : kOk;
}

struct TestOption {
  const char* flag;
  const char* help;
  StringTest test;
};
constexpr TestOption kTests[] = {{"--equals", "Find strings equal to S", StringTest::equals},
                                 {"--prefix", "Find strings that begin with S", StringTest::starts_with},
                                 {"--contains", "Find strings that contain S", StringTest::contains}};

// The pattern is the first argument, unless an option gives it.
void set_test(const Verb& verb, GrepArgs& args) {
  size_t given = 0;
  for (const TestOption& option : kTests) {
    if (verb.option(option.flag).count() > 0) {
      args.test = option.test;
      ++given;
    }
  }
  const size_t words = verb.option("PATTERN").count() + verb.option("IN").count();
  if (given > 1) {
    refuse("give one of --equals, --prefix and --contains");
  }
  if (words < (given == 0 ? 2 : 1)) {
    refuse_without(given == 0 && words == 0 ? "PATTERN" : "IN");
  }
  if (given == 0) {
    args.text = args.pattern;
    return;
  }
  if (words > 1) {
    refuse("unexpected argument '" + args.input + "'");
  }
  if (args.pattern.empty()) {
    refuse("a file name is empty");
  }
  args.input = args.pattern;
}

}  // namespace

void add_grep(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("grep", "Find matching strings in a column without decoding the others");
  auto args = std::make_shared<GrepArgs>();
  verb.add_option("PATTERN", args->pattern, "Text to find; omit it with --equals, --prefix or --contains")
      .may_be_empty()
      .type_name("");
  add_input(verb, args->input, kTableHelp);
  for (const TestOption& option : kTests) {
    verb.add_option(option.flag, args->text, option.help).may_be_empty().type_name("S");
  }
  verb.add_flag("-i,--ignore-case", args->ignore_case, "Do not distinguish a to z from A to Z");
  add_column(verb, args->column, "Column to search (default: the only string column)");
  verb.add_flag("-c,--count", args->count, "Print only the number of strings found");
  add_backend_option(verb, args->backend);
  add_import_options(verb, args->reading);
  verb.footer(
      "Prints the row, counted from 0, a tab and the string, with control bytes as \\xNN. PATTERN is plain\n"
      "text. Nulls never match. Row groups that zone maps rule out are not read.\n"
      "Exit status: 0 found, 1 nothing found, 2 failure.\n"
      "Examples:\n"
      "  bobbin grep -i timeout log.bob --column message\n"
      "  bobbin grep --prefix https://example.org/ urls.bob --count");
  verb.callback([args, verb, &action] {
    set_test(verb, *args);
    action = [args] { return run_grep(*args); };
  });
}

}  // namespace bobbin::cli
