// SPDX-License-Identifier: Apache-2.0
// --where TEXT, which several verbs take, and checks of query texts in general.
#pragma once

#include <string>

#include "bobbin/query.hpp"
#include "cli/command.hpp"

namespace bobbin::cli {

// Accepts the text that `parse` accepts, so that mistakes are reported before anything is touched.
template <class Parse>
[[nodiscard]] CLI::Validator text_for(Parse parse) {
  const auto check = [parse](const std::string& text) -> std::string {
    return parse(text).error().message();
  };
  return {check, "", "text"};
}

CLI::Option* add_where_option(CLI::App& verb, std::string& where);
// Narrowed by the text, unless that is empty. Fails when the text does not fit the file's columns, so that
// nothing is written before that is known.
[[nodiscard]] Result<query::Scan> where(const query::Scan& scan, const std::string& text);

}  // namespace bobbin::cli
