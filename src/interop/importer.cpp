// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "bobbin/arrow.hpp"
#include "bobbin/text.hpp"
#include "interop/import.hpp"
#include "interop/notes.hpp"
#include "interop/schema.hpp"

namespace bobbin::arrow {
namespace {

using interop::ArrowType;
using interop::Source;

constexpr size_t kMaxValueBytes = 65536;  // of the file's metadata

Status check_schema(const ArrowSchema& schema) {
  BOBBIN_RETURN_IF(schema.release == nullptr, StatusCode::invalid_argument, "the schema was released");
  BOBBIN_RETURN_IF(schema.format == nullptr, StatusCode::invalid_argument, "a schema without a format");
  const bool has_children = schema.n_children == 0 || schema.children != nullptr;
  BOBBIN_RETURN_IF(schema.n_children < 0 || !has_children, StatusCode::invalid_argument,
                   "the list of children is null");
  return {};
}

bool is_integer(const ArrowType& type) {
  return type.layout == interop::Layout::numbers && type.type.logical == Logical{} &&
         !is_float(type.type.type);
}

Result<Source> parse_source(const ArrowSchema& schema) {
  BOBBIN_TRY(check_schema(schema));
  BOBBIN_ASSIGN(const ArrowType type, interop::parse_format(schema.format));
  if (schema.dictionary == nullptr) {
    return Source{type};
  }
  BOBBIN_RETURN_IF(!is_integer(type), StatusCode::invalid_argument, "indices that are not integers");
  BOBBIN_TRY(check_schema(*schema.dictionary));
  BOBBIN_RETURN_IF(schema.dictionary->dictionary != nullptr, StatusCode::unsupported,
                   "dictionaries of dictionaries");
  BOBBIN_ASSIGN(const ArrowType values, interop::parse_format(schema.dictionary->format));
  return Source{values, type};
}

Field field_of(const ArrowSchema& schema, const Source& source) {
  const ColumnType type = source.type.type;
  // A dictionary may hold nulls, whatever the flag says.
  const bool nullable = (schema.flags & ARROW_FLAG_NULLABLE) != 0 || source.index.has_value() ||
                        source.type.layout == interop::Layout::all_null;
  Field field{.column = {schema.name == nullptr ? "" : schema.name, type.type,
                         nullable && !is_string(type.type), type.logical},
              .format = {}};
  const std::string format =
      source.index.has_value() ? schema.dictionary->format : std::string(schema.format);
  field.format = can_export_as(field.column, format) ? format : default_format(field.column);
  field.metadata = interop::unpack_metadata(schema.metadata);
  // What describes another type than the column's would be wrong: an extension whose storage was converted,
  // the categories of a dictionary that was decoded.
  std::erase_if(field.metadata, [&](const auto& pair) {
    return (pair.first.starts_with("ARROW:extension:") && field.format != schema.format) ||
           (source.index.has_value() && pair.first.starts_with("_PL_"));
  });
  return field;
}

// The struct's own nulls have no place in a table.
Status check_no_nulls(const ArrowArray& array) {
  if (array.n_buffers == 0 || array.null_count == 0 || array.buffers == nullptr ||
      array.buffers[0] == nullptr) {
    return {};
  }
  const auto* const bits = static_cast<const uint8_t*>(array.buffers[0]);
  for (int64_t row = array.offset; row < array.offset + array.length; ++row) {
    BOBBIN_RETURN_IF((bits[row / 8] >> (row % 8) & 1) == 0, StatusCode::unsupported,
                     fmt::format("row {} is null as a whole", row - array.offset));
  }
  return {};
}

Status check_struct(const ArrowArray& array, size_t columns) {
  BOBBIN_RETURN_IF(array.release == nullptr, StatusCode::invalid_argument, "the array was released");
  BOBBIN_TRY(interop::check_extent(array));
  BOBBIN_RETURN_IF(array.n_children != static_cast<int64_t>(columns), StatusCode::invalid_argument,
                   fmt::format("expected {} children, found {}", columns, array.n_children));
  BOBBIN_RETURN_IF(columns != 0 && array.children == nullptr, StatusCode::invalid_argument,
                   "the list of children is null");
  BOBBIN_RETURN_IF(array.n_buffers < 0 || array.n_buffers > 1, StatusCode::invalid_argument,
                   fmt::format("expected 1 buffer, found {}", array.n_buffers));
  return check_no_nulls(array);
}

}  // namespace

// ---- Imported batches ----

struct ImportedBatch::Impl {
  uint64_t length = 0;
  std::vector<interop::Scratch> scratch;
  std::vector<ColumnView> columns;
};

ImportedBatch::ImportedBatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ImportedBatch::ImportedBatch(ImportedBatch&&) noexcept = default;
ImportedBatch& ImportedBatch::operator=(ImportedBatch&&) noexcept = default;
ImportedBatch::~ImportedBatch() = default;

uint64_t ImportedBatch::length() const {
  return impl_->length;
}

std::span<const ColumnView> ImportedBatch::columns() const {
  return impl_->columns;
}

// ---- Importer ----

struct Importer::Impl {
  std::vector<Field> fields;
  std::vector<Source> sources;
  Metadata metadata;
};

Importer::Importer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Importer::Importer(Importer&&) noexcept = default;
Importer& Importer::operator=(Importer&&) noexcept = default;
Importer::~Importer() = default;

const std::vector<Field>& Importer::fields() const {
  return impl_->fields;
}

const Metadata& Importer::metadata() const {
  return impl_->metadata;
}

Result<Importer> Importer::create(const ArrowSchema& schema) {
  BOBBIN_TRY(check_schema(schema).in("Arrow"));
  BOBBIN_RETURN_IF(std::string_view(schema.format) != "+s", StatusCode::invalid_argument,
                   fmt::format("Arrow: expected a table (a struct), found {}", quoted_text(schema.format)));
  auto impl = std::make_unique<Impl>();
  for (int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema* const child = schema.children[i];
    BOBBIN_RETURN_IF(child == nullptr, StatusCode::invalid_argument,
                     fmt::format("Arrow: child {} is null", i));
    const auto source = parse_source(*child);
    BOBBIN_TRY(source.error().in(
        fmt::format("Arrow column {}", quoted_text(child->name == nullptr ? "" : child->name))));
    impl->fields.push_back(field_of(*child, *source));
    impl->sources.push_back(*source);
  }
  impl->metadata = interop::unpack_metadata(schema.metadata);
  return Importer(std::move(impl));
}

Result<ImportedBatch> Importer::import(const ArrowArray& array) const {
  BOBBIN_TRY(check_struct(array, impl_->sources.size()).in("Arrow"));
  auto batch = std::make_unique<ImportedBatch::Impl>();
  batch->length = static_cast<uint64_t>(array.length);
  batch->scratch.resize(impl_->sources.size());
  for (size_t i = 0; i < impl_->sources.size(); ++i) {
    const std::string place = "Arrow column " + quoted_text(impl_->fields[i].column.name);
    BOBBIN_RETURN_IF(array.children[i] == nullptr, StatusCode::invalid_argument,
                     place + ": the array is null");
    const auto view =
        interop::import_rows(impl_->sources[i], *array.children[i], static_cast<uint64_t>(array.offset),
                             batch->length, batch->scratch[i]);
    BOBBIN_TRY(view.error().in(place));
    batch->columns.push_back(*view);
  }
  return ImportedBatch(std::move(batch));
}

Status Importer::annotate(Writer& writer) const {
  std::string note = interop::formats_note(impl_->fields);
  if (note.size() > kMaxValueBytes) {
    note.resize(note.rfind('\n', kMaxValueBytes - 1) + 1);
  }
  if (!note.empty()) {
    BOBBIN_TRY(writer.set_metadata(std::string(interop::kFormatsKey), note));
  }
  // More than a file's metadata can hold is refused, and left out.
  for (size_t i = 0; i < impl_->fields.size(); ++i) {
    if (const Metadata& own = impl_->fields[i].metadata; !own.empty()) {
      (void)writer.set_metadata(fmt::format("{}{}", interop::kFieldKey, i), interop::pack_metadata(own));
    }
  }
  for (const auto& [key, value] : impl_->metadata) {
    if (!key.starts_with("bobbin.")) {
      (void)writer.set_metadata(key, value);
    }
  }
  return {};
}

}  // namespace bobbin::arrow
