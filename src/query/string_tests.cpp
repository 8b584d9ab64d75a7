// SPDX-License-Identifier: Apache-2.0
#include "query/string_tests.hpp"

#include <algorithm>

#include "file/zone_map.hpp"

namespace bobbin::query {
namespace {

using ConditionKind = StringCondition::Kind;

// Each search goes over all encoded strings; with more searches than this, decoding once is faster.
constexpr size_t kMaxSearches = 4;
// Codecs search for substrings of at most this many bytes.
constexpr size_t kMaxSearchBytes = 4096;

StringQuery search_for(StringTest test, std::string_view text) {
  return {.test = test, .bytes = {reinterpret_cast<const uint8_t*>(text.data()), text.size()}};
}

std::optional<StringQuery> search_of(const StringCondition& condition) {
  switch (condition.kind) {
    case ConditionKind::equals:
      return search_for(StringTest::equals, condition.text);
    case ConditionKind::starts_with:
      return search_for(StringTest::starts_with, condition.text);
    case ConditionKind::contains:
      if (condition.text.size() <= kMaxSearchBytes) {
        return search_for(StringTest::contains, condition.text);
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

// For conditions that StringTests does not keep in a special form.
bool holds(const StringCondition& condition, std::string_view text) {
  switch (condition.kind) {
    case ConditionKind::starts_with:
      return text.starts_with(condition.text);
    case ConditionKind::contains:
      return text.find(condition.text) != std::string_view::npos;
    case ConditionKind::ends_with:
      return text.ends_with(condition.text);
    case ConditionKind::below:
      return text < condition.text;
    case ConditionKind::not_above:
      return text <= condition.text;
    case ConditionKind::equals:
    case ConditionKind::like:
    case ConditionKind::ilike:
      break;
  }
  return false;
}

// Whether a string between zone.min and its upper bound can match.
bool may_hold(const StringCondition& condition, const StringZone& zone, uint64_t num_rows) {
  switch (condition.kind) {
    case ConditionKind::below:
      return zone.min < condition.text;
    case ConditionKind::not_above:
      return zone.min <= condition.text;
    case ConditionKind::like:
      return file::may_match(zone, num_rows,
                             search_for(StringTest::starts_with, Pattern(condition.text, false).prefix()));
    case ConditionKind::contains:
    case ConditionKind::ends_with:
    case ConditionKind::ilike:
      return true;
    case ConditionKind::equals:
    case ConditionKind::starts_with:
      break;
  }
  return file::may_match(zone, num_rows, *search_of(condition));
}

}  // namespace

StringTests::StringTests(std::vector<StringCondition> conditions) : conditions_(std::move(conditions)) {
  for (const StringCondition& condition : conditions_) {
    if (condition.kind == ConditionKind::equals) {
      equal_.insert(condition.text);
    } else if (condition.kind == ConditionKind::like || condition.kind == ConditionKind::ilike) {
      patterns_.emplace_back(condition.text, condition.kind == ConditionKind::ilike);
    } else {
      others_.push_back(&condition);
    }
  }
}

bool StringTests::matches(std::string_view text) const {
  return equal_.contains(text) ||
         std::ranges::any_of(others_, [&](const StringCondition* other) { return holds(*other, text); }) ||
         std::ranges::any_of(patterns_, [&](const Pattern& pattern) { return pattern.matches(text); });
}

bool StringTests::may_match(const StringZone& zone, uint64_t num_rows) const {
  return zone.null_count != num_rows &&
         std::ranges::any_of(conditions_, [&](const StringCondition& condition) {
           return may_hold(condition, zone, num_rows);
         });
}

bool StringTests::must_match(const StringZone& zone) const {
  return !zone.max_is_open && std::ranges::any_of(conditions_, [&](const StringCondition& condition) {
    return (condition.kind == ConditionKind::below && zone.max < condition.text) ||
           (condition.kind == ConditionKind::not_above && zone.max <= condition.text);
  });
}

std::optional<std::vector<StringQuery>> StringTests::searches() const {
  std::vector<StringQuery> searches;
  for (const StringCondition& condition : conditions_) {
    const std::optional<StringQuery> search = search_of(condition);
    if (!search.has_value() || searches.size() == kMaxSearches) {
      return std::nullopt;
    }
    searches.push_back(*search);
  }
  return searches;
}

std::string_view StringTests::common_piece() const {
  if (conditions_.size() != 1) {
    return {};
  }
  const std::string_view piece = conditions_[0].kind == ConditionKind::ends_with
                                     ? std::string_view(conditions_[0].text)
                                 : conditions_[0].kind == ConditionKind::like ? patterns_[0].longest_piece()
                                                                              : std::string_view();
  return piece.substr(0, kMaxSearchBytes);
}

}  // namespace bobbin::query
