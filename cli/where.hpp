// SPDX-License-Identifier: Apache-2.0
// --where TEXT, as several verbs take it, and texts of queries in general.
#pragma once

#include <string>

#include "bobbin/query.hpp"
#include "cli/command.hpp"

namespace bobbin::cli {

// Accepts text that `parse` does, so that mistakes show before anything is touched.
template <class Parse>
[[nodiscard]] CLI::Validator text_for(Parse parse) {
  const auto check = [parse](const std::string& text) -> std::string {
    return parse(text).error().message();
  };
  return {check, "", "text"};
}

CLI::Option* add_where_option(CLI::App& verb, std::string& where);
// Narrowed by the text, unless that is empty. Fails when it does not go with the file's columns, so that
// nothing is written before that is known.
[[nodiscard]] Result<query::Scan> where(const query::Scan& scan, const std::string& text);

}  // namespace bobbin::cli
