// SPDX-License-Identifier: Apache-2.0
#include "select/cascade.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/nesting.hpp"
#include "codecs/registry.hpp"

namespace bobbin::select {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<ResolvedCascade> parse_all() {
    BOBBIN_ASSIGN(ResolvedCascade cascade, parse(1));
    skip_spaces();
    if (at_ != text_.size()) {
      return expected("the end");
    }
    return cascade;
  }

 private:
  Result<ResolvedCascade> parse(uint32_t depth) {
    BOBBIN_RETURN_IF(depth > kMaxDepth, StatusCode::invalid_argument,
                     fmt::format("cascade '{}': more than {} nested codecs", text_, kMaxDepth));
    skip_spaces();
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= 'a' && text_[at_] <= 'z') {
      ++at_;
    }
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty()) {
      return expected("a codec name");
    }
    const Codec* codec = find_codec(name);
    BOBBIN_RETURN_IF(codec == nullptr, StatusCode::invalid_argument,
                     fmt::format("unknown codec \"{}\"", name));
    ResolvedCascade cascade{.codec = codec->id};
    for (char before = '('; accept(before); before = ',') {
      BOBBIN_ASSIGN(ResolvedCascade child, parse(depth + 1));
      cascade.children.push_back(std::move(child));
    }
    if (!cascade.children.empty() && !accept(')')) {
      return expected("',' or ')'");
    }
    return cascade;
  }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }
  bool accept(char wanted) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != wanted) {
      return false;
    }
    ++at_;
    return true;
  }
  [[nodiscard]] Status expected(std::string_view what) const {
    return {StatusCode::invalid_argument,
            fmt::format("cascade '{}': expected {} at character {}", text_, what, at_ + 1)};
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::string_view name_of(const ResolvedCascade& cascade) {
  return find_codec(cascade.codec)->name;
}

Status check_children(const ResolvedCascade& cascade, size_t wanted) {
  BOBBIN_RETURN_IF(
      !cascade.children.empty() && cascade.children.size() != wanted, StatusCode::invalid_argument,
      wanted == 0 ? fmt::format("codec {} chooses the codecs of its children itself", name_of(cascade))
                  : fmt::format("codec {} expects {} children, found {}", name_of(cascade), wanted,
                                cascade.children.size()));
  return {};
}

// Checks each codec separately, with the type of the values it encodes.
Status check_parts(const ResolvedCascade& cascade, DType type) {
  const Codec& codec = *find_codec(cascade.codec);
  BOBBIN_RETURN_IF(codec.has_nulls(), StatusCode::invalid_argument,
                   fmt::format("codec {} is for nulls and is applied automatically", codec.name));
  BOBBIN_RETURN_IF(!codec.takes(type), StatusCode::invalid_argument,
                   fmt::format("codec {} does not support type {}", codec.name, bobbin::to_string(type)));
  BOBBIN_TRY(check_children(cascade, codec.parts().size()));
  for (size_t i = 0; i < cascade.children.size(); ++i) {
    BOBBIN_TRY(check_parts(cascade.children[i], child_type(cascade.codec, i, type)));
  }
  return {};
}

Result<Array> encode_checked(const ResolvedCascade& cascade, const Values& values, Backend backend) {
  if (cascade.children.empty()) {
    return array::encode(cascade.codec, values, backend);
  }
  BOBBIN_ASSIGN(Split split, find_codec(cascade.codec)->split(values));
  for (size_t i = 0; i < split.children.size(); ++i) {
    BOBBIN_ASSIGN(Array child, encode_checked(cascade.children[i], split.children[i].view(), backend));
    split.node.children.push_back(std::move(child));
  }
  return std::move(split.node);
}

Result<Array> encode_checked(const ResolvedCascade& cascade, const StringsView& strings,
                             const Array* previous, Backend backend) {
  if (cascade.children.empty()) {
    const bool alike = previous != nullptr && previous->codec == cascade.codec;
    return array::encode_strings(cascade.codec, strings, alike ? previous : nullptr, backend);
  }
  BOBBIN_ASSIGN(StringSplit split, find_codec(cascade.codec)->strings->split(strings, strings.length));
  for (size_t i = 0; i < split.children.size(); ++i) {
    BOBBIN_ASSIGN(Array child, encode_checked(cascade.children[i], split.children[i].view(), backend));
    split.node.children.push_back(std::move(child));
  }
  BOBBIN_ASSIGN(Array last, encode_checked(cascade.children.back(), split.strings.view(), nullptr, backend));
  split.node.children.push_back(std::move(last));
  return std::move(split.node);
}

}  // namespace

std::string to_string(const ResolvedCascade& cascade) {
  std::string text(name_of(cascade));
  for (size_t i = 0; i < cascade.children.size(); ++i) {
    text += (i == 0 ? "(" : ", ") + to_string(cascade.children[i]);
  }
  return cascade.children.empty() ? text : text + ")";
}

Result<ResolvedCascade> parse_cascade(std::string_view text) {
  return Parser(text).parse_all();
}

Status check_cascade(const ResolvedCascade& cascade, DType type) {
  BOBBIN_TRY(check_parts(cascade, type));
  const std::optional<std::string> fault = nesting_fault(cascade, type);
  BOBBIN_RETURN_IF(fault.has_value(), StatusCode::invalid_argument,
                   fmt::format("cascade '{}': {}", to_string(cascade), *fault));
  return {};
}

Result<Array> encode(const ResolvedCascade& cascade, const Values& values, Backend backend) {
  BOBBIN_TRY(check_cascade(cascade, values.type));
  return encode_checked(cascade, values, backend);
}

Result<Array> encode_strings(const ResolvedCascade& cascade, const StringsView& strings,
                             const Array* previous, Backend backend) {
  BOBBIN_TRY(check_cascade(cascade, strings.type));
  return encode_checked(cascade, strings, previous, backend);
}

ResolvedCascade cascade_of(const Array& array) {
  ResolvedCascade cascade{.codec = array.codec};
  if (!find_codec(array.codec)->parts().empty()) {
    for (const Array& child : array.children) {
      cascade.children.push_back(cascade_of(child));
    }
  }
  return cascade;
}

}  // namespace bobbin::select
