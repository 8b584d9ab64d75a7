// SPDX-License-Identifier: Apache-2.0
// bobbin grep: the strings of a column that pass a test, found without decoding the others.
#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "file/text.hpp"

namespace bobbin::cli {
namespace {

struct Args {
  std::string input;
  std::optional<std::string> column;
  std::string backend = "auto";
  StringTest test{};
  std::string text;
  bool count = false;
};

Status print_matches(const OpenReader& file, size_t column, const StringQuery& query, Backend backend) {
  for (size_t group = 0; group < file.reader.num_row_groups(); ++group) {
    BOBBIN_ASSIGN(const StringMatches found, file.reader.find_strings(column, group, query, backend));
    for (size_t i = 0; i < found.rows.size(); ++i) {
      const auto string = found.strings.view().string(i);
      const std::string_view text(reinterpret_cast<const char*>(string.data()), string.size());
      print(fmt::format("{}\t{}\n", found.rows[i], file::printable(text)));
    }
  }
  return {};
}

Status print_count(const OpenReader& file, size_t column, const StringQuery& query, Backend backend) {
  uint64_t total = 0;
  for (size_t group = 0; group < file.reader.num_row_groups(); ++group) {
    BOBBIN_ASSIGN(const uint64_t found, file.reader.count_strings(column, group, query, backend));
    total += found;
  }
  print(fmt::format("{}\n", total));
  return {};
}

Status grep(const Args& args) {
  BOBBIN_ASSIGN(const OpenReader file, open_reader(args.input));
  BOBBIN_ASSIGN(const size_t column, find_column(file, args.column));
  const Column& asked = file.reader.columns()[column];
  BOBBIN_RETURN_IF(
      !is_string(asked.type), StatusCode::invalid_argument,
      fmt::format("{}: column '{}' holds {}, no strings", file.name, asked.name, to_string(asked.type)));
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  const StringQuery query{.test = args.test,
                          .bytes = {reinterpret_cast<const uint8_t*>(args.text.data()), args.text.size()}};
  return args.count ? print_count(file, column, query, backend) : print_matches(file, column, query, backend);
}

struct TestOption {
  const char* flag;
  const char* help;
  StringTest test;
};
constexpr TestOption kTests[] = {{"--equals", "Strings that are S", StringTest::equals},
                                 {"--prefix", "Strings that begin with S", StringTest::starts_with},
                                 {"--contains", "Strings with S in them", StringTest::contains}};

// Finds out which test was asked for: exactly one must be.
void set_test(const CLI::App& verb, Args& args) {
  size_t given = 0;
  for (const TestOption& option : kTests) {
    if (verb.get_option(option.flag)->count() > 0) {
      args.test = option.test;
      ++given;
    }
  }
  if (given != 1) {
    throw CLI::ValidationError("give one of --equals, --prefix and --contains");
  }
}

}  // namespace

void add_grep(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("grep", "Find strings of a column without decoding the others");
  auto args = std::make_shared<Args>();
  add_input(*verb, args->input, "A .bob file; '-' for stdin")->required();
  for (const TestOption& option : kTests) {
    may_be_empty(verb->add_option(option.flag, args->text, option.help))->type_name("S");
  }
  add_column(*verb, args->column, "Column to search (default: the only one)");
  verb->add_flag("--count", args->count, "Print only how many there are");
  add_backend_option(*verb, args->backend);
  verb->footer(
      "Prints the row, counted from 0, a tab and the string, with control bytes as \\xNN. Nulls never "
      "match.\n"
      "Row groups that cannot hold a string with that beginning are not read.\n"
      "Examples:\n"
      "  bobbin grep urls.bob --prefix https://example.org/\n"
      "  bobbin grep log.bob --column message --contains timeout --count");
  verb->callback([args, verb, &action] {
    set_test(*verb, *args);
    action = [args] { return report(grep(*args)); };
  });
}

}  // namespace bobbin::cli
