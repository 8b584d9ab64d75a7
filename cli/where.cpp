// SPDX-License-Identifier: Apache-2.0
#include "cli/where.hpp"

#include "query/parse.hpp"

namespace bobbin::cli {

CLI::Option* add_where_option(CLI::App& verb, std::string& where) {
  return verb
      .add_option("--where", where,
                  "Keep rows that pass a test, such as 'price < 3.5 and qty >= 2' (default: all)")
      ->check(text_for(query::parse_predicate))
      ->type_name("TEXT");
}

Result<query::Scan> where(const query::Scan& scan, const std::string& text) {
  if (text.empty()) {
    return scan;
  }
  BOBBIN_ASSIGN(query::Predicate predicate, query::parse_predicate(text));
  query::Scan narrower = scan.where(std::move(predicate));
  BOBBIN_TRY(narrower.rows(0, 0).error());
  return narrower;
}

}  // namespace bobbin::cli
