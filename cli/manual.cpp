// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.hpp"

#include <fmt/format.h>

#include "bobbin/version.hpp"
#include "cli/arguments.hpp"

namespace bobbin::cli {
namespace {

// Escapes text for troff.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += "\\&";
    }
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return out;
}

// "-o, --output OUT"
std::string option_head(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : option.get_snames()) {
    text += (text.empty() ? "" : ", ") + fmt::format("\\fB\\-{}\\fR", escaped(name));
  }
  for (const std::string& name : option.get_lnames()) {
    text += (text.empty() ? "" : ", ") + fmt::format("\\fB\\-\\-{}\\fR", escaped(name));
  }
  if (option.get_positional()) {
    text += fmt::format("\\fI{}\\fR", escaped(option.get_name(true)));
  }
  if (!is_flag(option) && !option.get_type_name().empty()) {
    text += fmt::format(" \\fI{}\\fR", escaped(option.get_type_name()));
  }
  return text;
}

std::string option_entry(const CLI::Option& option) {
  std::string text = escaped(option.get_description());
  if (!option.get_default_str().empty()) {
    text += fmt::format(" (default: {})", escaped(option.get_default_str()));
  }
  return fmt::format(".TP\n{}\n{}\n", option_head(option), text);
}

// "sim run" for a verb of a verb.
std::string full_name(const CLI::App& verb) {
  const CLI::App* parent = verb.get_parent();
  const bool nested = parent != nullptr && parent->get_parent() != nullptr;
  return nested ? full_name(*parent) + " " + verb.get_name() : verb.get_name();
}

std::string usage_line(const CLI::App& verb) {
  std::string text = fmt::format("\\fBbobbin {}\\fR [\\fIOPTIONS\\fR]", escaped(full_name(verb)));
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) {
      const std::string name = fmt::format("\\fI{}\\fR{}", escaped(option->get_name(true)),
                                           option->get_allow_extra_args() ? "..." : "");
      text += option->get_required() ? " " + name : " [" + name + "]";
    }
  }
  return text + (verb.get_subcommands(nullptr).empty() ? "" : " \\fIVERB\\fR");
}

std::string footer_of(const CLI::App& app) {
  const std::string footer = app.get_footer();
  return footer.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(footer));
}

std::string verb_section(const CLI::App& verb) {
  std::string text = fmt::format(".SS {}\n{}\n.PP\n{}.\n", escaped(full_name(verb)), usage_line(verb),
                                 escaped(verb.get_description()));
  for (const CLI::Option* option : verb.get_options()) {
    text += option_entry(*option);
  }
  text += footer_of(verb);
  for (const CLI::App* nested : verb.get_subcommands(nullptr)) {
    text += verb_section(*nested);
  }
  return text;
}

}  // namespace

std::string manual_page(CLI::App& app) {
  std::string text = fmt::format(
      ".TH BOBBIN 1 \"\" \"bobbin {}\" \"User Commands\"\n"
      ".SH NAME\nbobbin \\- compressed columns in .bob files\n"
      ".SH SYNOPSIS\n\\fBbobbin\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR] [\\fIFILES\\fR]\n"
      ".SH DESCRIPTION\n{}\n"
      ".PP\nOptions may come before and after files, and take one value each: \\fB\\-\\-name VALUE\\fR or "
      "\\fB\\-\\-name=VALUE\\fR. After \\fB\\-\\-\\fR all arguments are files; \\fB\\-\\fR is stdin or "
      "stdout.\n"
      ".SH OPTIONS\n",
      BOBBIN_VERSION, escaped(app.get_description()));
  for (const CLI::Option* option : app.get_options()) {
    text += option_entry(*option);
  }
  text += ".SH VERBS\n";
  for (const CLI::App* verb : app.get_subcommands(nullptr)) {
    text += verb_section(*verb);
  }
  return text +
         ".SH EXIT STATUS\n0 success; 1 failure; 2 wrong usage. \\fBgrep\\fR exits with 1 when nothing is "
         "found "
         "and with 2 on failure.\n"
         ".SH ENVIRONMENT\n"
         ".TP\n\\fBNO_COLOR\\fR\nNo colours, also on a terminal, when it is set and not empty.\n"
         ".TP\n\\fBTMPDIR\\fR\nFolder for temporary files (default: /tmp).\n"
         ".SH EXAMPLES\n" +
         footer_of(app).substr(4);
}

}  // namespace bobbin::cli
