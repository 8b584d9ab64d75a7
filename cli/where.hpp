// SPDX-License-Identifier: Apache-2.0
// --where TEXT, which several verbs take, and options that are parsed by the library.
#pragma once

#include <optional>
#include <string>

#include "bobbin/query.hpp"
#include "cli/command.hpp"

namespace bobbin::cli {

// An option whose text `parse` turns into `value`. Text that it refuses is a usage error, reported before
// anything is touched.
template <class T, class Parse>
Option add_parsed(const Verb& verb, const std::string& name, T& value, Parse parse, const std::string& help) {
  const auto keep = [&value, parse](const std::string& text) -> Status {
    BOBBIN_ASSIGN(value, parse(text));
    return {};
  };
  return verb.add_parsed(name, keep, help);
}

Option add_where_option(const Verb& verb, std::optional<query::Predicate>& where);
// Narrowed by the predicate, if there is one. Fails if it does not fit the file's columns, so that nothing is
// written before that is known.
[[nodiscard]] Result<query::Query> where(const query::Query& query,
                                         const std::optional<query::Predicate>& predicate);

}  // namespace bobbin::cli
