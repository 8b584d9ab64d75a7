// SPDX-License-Identifier: Apache-2.0
#include "interop/schema.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "bobbin/arrow.hpp"

namespace bobbin {
namespace interop {
namespace {

void append(std::string& packed, int32_t number) {
  packed.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void append(std::string& packed, const std::string& text) {
  append(packed, static_cast<int32_t>(text.size()));
  packed += text;
}

int32_t read_number(const char*& packed) {
  int32_t number = 0;
  std::memcpy(&number, packed, sizeof(number));
  packed += sizeof(number);
  return number;
}

std::optional<std::string> read_text(const char*& packed) {
  const int32_t size = read_number(packed);
  if (size < 0) {
    return std::nullopt;
  }
  std::string text(packed, static_cast<size_t>(size));
  packed += size;
  return text;
}

// What a schema structure owns: its texts, and its children.
struct SchemaOwner {
  std::string format;
  std::string name;
  std::string metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;

  SchemaOwner(std::string type, std::string title) : format(std::move(type)), name(std::move(title)) {}
  SchemaOwner(const SchemaOwner&) = delete;
  SchemaOwner& operator=(const SchemaOwner&) = delete;
  ~SchemaOwner() {
    for (ArrowSchema& child : children) {
      if (child.release != nullptr) {
        child.release(&child);
      }
    }
  }
};

void release_schema(ArrowSchema* schema) {
  delete static_cast<SchemaOwner*>(schema->private_data);
  schema->release = nullptr;
}

void hand_over(std::unique_ptr<SchemaOwner> owner, bool nullable, ArrowSchema* out) {
  *out = {.format = owner->format.c_str(),
          .name = owner->name.c_str(),
          .metadata = owner->metadata.empty() ? nullptr : owner->metadata.data(),
          .flags = nullable ? ARROW_FLAG_NULLABLE : 0,
          .n_children = static_cast<int64_t>(owner->children.size()),
          .children = owner->pointers.data(),
          .dictionary = nullptr,
          .release = release_schema,
          .private_data = nullptr};
  out->private_data = owner.release();
}

}  // namespace

std::string pack_metadata(const Metadata& metadata) {
  std::string packed;
  if (!metadata.empty()) {
    append(packed, static_cast<int32_t>(metadata.size()));
  }
  for (const auto& [key, value] : metadata) {
    append(packed, key);
    append(packed, value);
  }
  return packed;
}

Metadata unpack_metadata(const char* packed) {
  Metadata metadata;
  if (packed == nullptr) {
    return metadata;
  }
  for (int32_t left = read_number(packed); left > 0; --left) {
    auto key = read_text(packed);
    auto value = key.has_value() ? read_text(packed) : std::nullopt;
    if (!value.has_value()) {
      break;
    }
    metadata.emplace_back(*std::move(key), *std::move(value));
  }
  return metadata;
}

std::optional<Metadata> parse_metadata(std::string_view packed) {
  const auto number = [&]() -> std::optional<size_t> {
    if (packed.size() < sizeof(int32_t)) {
      return std::nullopt;
    }
    const char* at = packed.data();
    const int32_t read = read_number(at);
    packed.remove_prefix(sizeof(int32_t));
    return read < 0 ? std::nullopt : std::optional(static_cast<size_t>(read));
  };
  const auto text = [&]() -> std::optional<std::string> {
    const auto size = number();
    if (!size.has_value() || *size > packed.size()) {
      return std::nullopt;
    }
    std::string taken(packed.substr(0, *size));
    packed.remove_prefix(*size);
    return taken;
  };
  Metadata metadata;
  const auto count = number();
  for (size_t i = 0; i < count.value_or(0); ++i) {
    auto key = text();
    auto value = key.has_value() ? text() : std::nullopt;
    if (!value.has_value()) {
      return std::nullopt;
    }
    metadata.emplace_back(*std::move(key), *std::move(value));
  }
  return count.has_value() && packed.empty() ? std::optional(std::move(metadata)) : std::nullopt;
}

}  // namespace interop

namespace arrow {

void export_schema(std::span<const Field> fields, const Metadata& metadata, ArrowSchema* out) {
  auto owner = std::make_unique<interop::SchemaOwner>("+s", "");
  owner->metadata = interop::pack_metadata(metadata);
  owner->children.resize(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    const Column& column = fields[i].column;
    auto field = std::make_unique<interop::SchemaOwner>(fields[i].format, column.name);
    field->metadata = interop::pack_metadata(fields[i].metadata);
    interop::hand_over(std::move(field), column.nullable || is_string(column.type), &owner->children[i]);
    owner->pointers.push_back(&owner->children[i]);
  }
  interop::hand_over(std::move(owner), false, out);
}

}  // namespace arrow
}  // namespace bobbin
