// SPDX-License-Identifier: Apache-2.0
// Tests of strings, combined with or.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/strings.hpp"
#include "query/pattern.hpp"

namespace bobbin::query {

struct StringCondition {
  enum class Kind : uint8_t {
    equals,
    starts_with,
    contains,
    ends_with,
    like,
    ilike,
    below,  // in byte order
    not_above,
  };

  Kind kind{};
  std::string text;
};

class StringTests {
 public:
  explicit StringTests(std::vector<StringCondition> conditions);
  StringTests(const StringTests&) = delete;  // members point at others
  StringTests& operator=(const StringTests&) = delete;

  [[nodiscard]] const std::vector<StringCondition>& conditions() const { return conditions_; }
  [[nodiscard]] bool matches(std::string_view text) const;
  // Whether any string of a chunk can match, and whether all must, according to their zone.
  [[nodiscard]] bool may_match(const StringZone& zone, uint64_t num_rows) const;
  [[nodiscard]] bool must_match(const StringZone& zone) const;

  // What a search of encoded strings can answer alone; empty if they have to be decoded.
  [[nodiscard]] std::optional<std::vector<StringQuery>> searches() const;
  // A substring that all matches contain. Empty if nothing is known.
  [[nodiscard]] std::string_view common_piece() const;

 private:
  std::vector<StringCondition> conditions_;
  std::unordered_set<std::string_view> equal_;  // texts of `conditions_`
  std::vector<const StringCondition*> others_;
  std::vector<Pattern> patterns_;
};

}  // namespace bobbin::query
