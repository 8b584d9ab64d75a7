// SPDX-License-Identifier: Apache-2.0
#include "cli/where.hpp"

namespace bobbin::cli {

Option add_where_option(const Verb& verb, std::optional<query::Predicate>& where) {
  return add_parsed(verb, "--where", where, &query::parse_predicate,
                    "Keep rows that match, such as 'price < 3.5 and qty >= 2' (default: all)")
      .type_name("TEXT");
}

Result<query::Query> where(const query::Query& query, const std::optional<query::Predicate>& predicate) {
  if (!predicate) {
    return query;
  }
  query::Query narrower = query.where(*predicate);
  BOBBIN_TRY(narrower.check());
  return narrower;
}

}  // namespace bobbin::cli
