// SPDX-License-Identifier: Apache-2.0
// Tests every verb with each of its options before and after its files. The options come from the parser
// itself, so that new ones are tested too.
#include "cli/arguments.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/io.hpp"
#include "tests/drawn.hpp"

namespace bobbin::cli {
namespace {

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string join(const Words& words) {
  std::string text = "bobbin";
  for (const std::string& word : words) {
    text += " '" + word + "'";
  }
  return text;
}

void switch_off_checks(CLI::Option& option) {
  try {
    for (int i = 0;; ++i) {
      option.get_validator(i)->active(false);
    }
  } catch (const CLI::OptionNotFound&) {
    // there are no more of them
  }
}

// Verbs that have no verbs themselves: `cat`, and `run` of `sim`.
void add_leaves(CLI::App& app, std::vector<CLI::App*>& leaves) {
  for (CLI::App* verb : app.get_subcommands(nullptr)) {
    if (verb->get_subcommands(nullptr).empty()) {
      leaves.push_back(verb);
    }
    add_leaves(*verb, leaves);
  }
}
std::vector<CLI::App*> leaves_of(CLI::App& app) {
  std::vector<CLI::App*> leaves;
  add_leaves(app, leaves);
  return leaves;
}

// "sim", "run"
Words path_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? Words{} : path_of(*verb.get_parent()) + Words{verb.get_name()};
}

// The real parser, but any value is accepted. Each verb lacks a required flag, so that its own checks, which
// rely on valid values, are not reached.
class Bare {
 public:
  Bare() {
    for (CLI::App* verb : leaves_of(command_.app())) {
      verb->add_flag("--never-given")->required();
      for (CLI::Option* option : verb->get_options()) {
        switch_off_checks(*option);
      }
    }
  }

  void parse(const Words& words) {
    try {
      command_.parse(words);
    } catch (const CLI::RequiredError&) {  // other options are missing: not tested here
    } catch (const CLI::RequiresError&) {
    } catch (const CLI::ExcludesError&) {
    } catch (const CLI::ConversionError&) {  // text for a number, which was still consumed as the value
    }
  }

  CLI::App& verb(const Words& path) {
    CLI::App* app = &command_.app();
    for (const std::string& name : path) {
      app = app->get_subcommand(name);
    }
    return *app;
  }

 private:
  Command command_;
};

CLI::Option& find(CLI::App& verb, const std::string& name) {
  return *verb.get_option(name);
}

// The number of times that options other than `name` were given.
size_t others(CLI::App& verb, const std::string& name) {
  size_t count = 0;
  for (const CLI::Option* option : verb.get_options()) {
    count += option->get_positional() || option->check_name(name) ? 0 : option->count();
  }
  return count;
}

Words files_of(CLI::App& verb) {
  Words files;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) {
      files = files + option->results();
    }
  }
  return files;
}

// As many files as the verb takes, up to two, with names that look like something else.
Words files_for(CLI::App& verb) {
  Words files;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) {
      files.emplace_back("cat");
      if (option->get_allow_extra_args()) {
        files.emplace_back("./[a,b]");
      }
    }
  }
  return files;
}

void expect_taken(const Words& verb, const std::string& name, const Words& words, const Words& values,
                  const Words& files) {
  SCOPED_TRACE(join(words));
  Bare bare;
  try {
    bare.parse(words);
  } catch (const CLI::ValidationError&) {  // not a predicate or schema, but still consumed as the value
  }
  EXPECT_EQ(find(bare.verb(verb), name).results(), values);
  EXPECT_EQ(files_of(bare.verb(verb)), files);
  EXPECT_EQ(others(bare.verb(verb), name), 0U);
}

// A name of the option, with its dashes: the long one if there is one.
std::string long_name(const CLI::Option& option) {
  const Words& longer = option.get_lnames();
  return longer.empty() ? "-" + option.get_snames().front() : "--" + longer.front();
}

using Visit = std::function<void(CLI::App& verb, CLI::Option& option)>;
void for_each_option(bool flags, const Visit& visit) {
  Command command;
  std::vector<std::pair<CLI::App*, CLI::Option*>> found;
  for (CLI::App* verb : leaves_of(command.app())) {
    for (CLI::Option* option : verb->get_options()) {
      if (!option->get_positional() && option != verb->get_help_ptr() && is_flag(*option) == flags) {
        found.emplace_back(verb, option);
      }
    }
  }
  for (const auto& [verb, option] : testing::drawn_of(found)) {
    visit(*verb, *option);
  }
}

TEST(Arguments, OptionsTakeOneValueAndNoMore) {
  const Words values = {"1", "-f", "--", "--json", "cat", "[1,2]", "{}", "%%", "=", "a b"};
  for_each_option(false, [&](CLI::App& verb, CLI::Option& option) {
    EXPECT_EQ(option.get_expected_min(), 1) << verb.get_name() << " " << option.get_name();
    EXPECT_FALSE(option.get_allow_extra_args()) << verb.get_name() << " " << option.get_name();
    const std::string name = long_name(option);
    const Words files = files_for(verb);
    for (const std::string& value : testing::drawn_of(values, testing::kDrawnShare)) {
      for (const Words& given : {Words{name, value}, Words{name + "=" + value}}) {
        expect_taken(path_of(verb), name, path_of(verb) + given + files, {value}, files);
        expect_taken(path_of(verb), name, path_of(verb) + files + given, {value}, files);
      }
    }
    for (const std::string& letter : option.get_snames()) {
      for (const Words& given : {Words{"-" + letter, "1"}, Words{"-" + letter + "1"}}) {
        expect_taken(path_of(verb), name, path_of(verb) + given + files, {"1"}, files);
        expect_taken(path_of(verb), name, path_of(verb) + files + given, {"1"}, files);
      }
    }
  });
}

TEST(Arguments, FlagsTakeNoValue) {
  for_each_option(true, [](CLI::App& verb, CLI::Option& option) {
    const Words files = files_for(verb);
    Words names = {long_name(option)};
    for (const std::string& letter : option.get_snames()) {
      if ("-" + letter != names[0]) {
        names.push_back("-" + letter);
      }
    }
    for (const std::string& name : names) {
      expect_taken(path_of(verb), name, path_of(verb) + Words{name} + files, {"true"}, files);
      expect_taken(path_of(verb), name, path_of(verb) + files + Words{name}, {"true"}, files);
    }
    for (const char* value : {"", "true", "1"}) {
      EXPECT_THROW(Bare().parse(path_of(verb) + Words{names[0] + "=" + value}), CLI::ParseError) << names[0];
    }
  });
}

TEST(Arguments, AnEmptyValueIsTakenOrRefused) {
  size_t taken = 0;
  for_each_option(false, [&](CLI::App& verb, CLI::Option& option) {
    const std::string name = long_name(option);
    const Words files = files_for(verb);
    for (const Words& given : {Words{name + "="}, Words{name, ""}}) {
      const Words before = path_of(verb) + given + files;
      const Words after = path_of(verb) + files + given + Words{"--help"};
      if (can_be_empty(option)) {
        expect_taken(path_of(verb), name, before, {""}, files);
        EXPECT_THROW(Bare().parse(after), CLI::CallForHelp) << join(after);
        ++taken;
      } else {
        EXPECT_THROW(Bare().parse(before), CLI::ValidationError) << join(before);
        EXPECT_THROW(Bare().parse(after), CLI::ValidationError) << join(after);
      }
    }
  });
  if (testing::kAllCasesRun) {
    EXPECT_GT(taken, 0U);
  }
}

TEST(Arguments, AFileNameIsNotEmpty) {
  Command command;
  for (CLI::App* verb : leaves_of(command.app())) {
    const auto places = verb->get_options([](CLI::Option* option) { return option->get_positional(); });
    Words words = path_of(*verb);
    for (size_t i = 0; i + 1 < places.size(); ++i) {
      words.emplace_back("a");
    }
    words.emplace_back("");
    EXPECT_THROW(Bare().parse(words), CLI::ParseError) << join(words);
  }
}

TEST(Arguments, OneVerbIsAddedIfItIsNamed) {
  Command full;
  const size_t all = full.app().get_subcommands(nullptr).size();
  EXPECT_EQ(Command("no verb").app().get_subcommands(nullptr).size(), all);
  for (const CLI::App* verb : full.app().get_subcommands(nullptr)) {
    const std::string& name = verb->get_name();
    const bool describes_all = name == "man" || name == "completion" || name == "help";
    Command command(name);
    EXPECT_EQ(command.app().get_subcommands(nullptr).size(), describes_all ? all : 1U) << name;
    EXPECT_NO_THROW(command.app().get_subcommand(name)) << name;
  }
}

TEST(Arguments, AfterTwoDashesAllAreFiles) {
  expect_taken({"verify"}, "--quiet", {"verify", "-q", "--", "-x", "--quiet", "query", "-"}, {"true"},
               {"-x", "--quiet", "query", "-"});
}

TEST(Arguments, ValuesMayBeRepeated) {
  expect_taken({"compress"}, "--null", {"compress", "--null", "NA", "in.csv", "--null=", "--null", "{}"},
               {"NA", "", "{}"}, {"in.csv"});
}

TEST(Arguments, LettersMayStandTogether) {
  Bare bare;
  bare.parse({"compress", "in.csv", "-fqo", "out"});
  CLI::App& verb = bare.verb({"compress"});
  EXPECT_EQ(find(verb, "--output").results(), Words{"out"});
  EXPECT_EQ(find(verb, "--force").count(), 1U);
  EXPECT_EQ(find(verb, "--quiet").count(), 1U);
}

std::string error_of(const Words& words) {
  try {
    Bare().parse(words);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(Arguments, MistakesAreNamed) {
  EXPECT_EQ(error_of({"comprss", "x"}), "unknown verb 'comprss'; did you mean 'compress'?");
  EXPECT_EQ(error_of({"sim", "rnu", "x"}), "unknown verb 'rnu'; did you mean 'run'?");
  EXPECT_EQ(error_of({"frobnicate"}), "unknown verb 'frobnicate'");
  EXPECT_EQ(error_of({"cat", "--delimeter", "x"}),
            "unknown option '--delimeter'; did you mean '--delimiter'?");
  EXPECT_EQ(error_of({"cat", "-z"}), "unknown option '-z'");
  EXPECT_EQ(error_of({"compress", "-fz"}), "unknown option '-z' in '-fz'");
  EXPECT_EQ(error_of({"compress", "x", "-o"}), "-o needs a value: OUT");
  EXPECT_EQ(error_of({"compress", "x", "--output="}), "--output needs a value: OUT is empty");
  EXPECT_EQ(error_of({"stats", "--json=1", "x"}), "--json takes no value");
  EXPECT_EQ(error_of({"verify", "a", ""}), "a file name is empty");
  EXPECT_EQ(error_of({"cat", "a", "b"}), "unexpected argument 'b'");
  EXPECT_EQ(error_of({"devices", "a"}), "unexpected argument 'a'");
}

// What was read of it would be taken for all of it.
TEST(Input, AFileThatBecomesShorterIsAnError) {
  const std::string path = ::testing::TempDir() + "shorter.bin";
  std::ofstream(path) << std::string(1000, 'x');
  const auto input = open_input(path);
  ASSERT_TRUE(input.has_value());
  std::vector<std::byte> bytes(400);
  EXPECT_EQ(read_full(*input, bytes).value(), 400);
  std::filesystem::resize_file(path, 600);
  EXPECT_EQ(read_full(*input, bytes).error().message(),
            path + ": the file ends at byte 600; it had 1000 bytes when it was opened");
}

}  // namespace
}  // namespace bobbin::cli
