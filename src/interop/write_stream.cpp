// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <system_error>

#include "bobbin/arrow.hpp"

namespace bobbin::arrow {
namespace {

Status failed(ArrowArrayStream& stream, int code) {
  if (const auto own = stream_error(stream); own.has_value()) {
    return *own;
  }
  const char* const text = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
  return {code == ENOMEM ? StatusCode::out_of_memory : StatusCode::io,
          fmt::format("Arrow stream: {}",
                      text != nullptr ? std::string(text) : std::generic_category().message(code))};
}

Status append_all(ArrowArrayStream& stream, const Importer& importer, Writer& writer, uint64_t& rows,
                  const WriteVisitor& visit) {
  for (;;) {
    Owned<ArrowArray> array;
    if (const int code = stream.get_next(&stream, &array.held); code != 0) {
      return failed(stream, code);
    }
    if (array.held.release == nullptr) {
      return {};
    }
    BOBBIN_ASSIGN(const ImportedBatch batch, importer.import(array.held));
    BOBBIN_TRY(writer.append(batch.columns()));
    rows += batch.length();
    if (visit) {
      BOBBIN_TRY(visit(rows));
    }
  }
}

}  // namespace

Result<uint64_t> write_stream(ArrowArrayStream* stream, const std::string& path, const WriteOptions& options,
                              const Metadata& metadata, const WriteVisitor& visit) {
  BOBBIN_RETURN_IF(stream == nullptr || stream->release == nullptr, StatusCode::invalid_argument,
                   "Arrow stream: it was released");
  Owned<ArrowArrayStream> own(*stream);
  BOBBIN_RETURN_IF(own.held.get_schema == nullptr || own.held.get_next == nullptr,
                   StatusCode::invalid_argument, "Arrow stream: a function is missing");
  Owned<ArrowSchema> schema;
  if (const int code = own.held.get_schema(&own.held, &schema.held); code != 0) {
    return failed(own.held, code);
  }
  BOBBIN_ASSIGN(const Importer importer, Importer::create(schema.held));
  std::vector<Column> columns;
  for (const Field& field : importer.fields()) {
    columns.push_back(field.column);
  }
  BOBBIN_ASSIGN(Writer writer, Writer::create(path, std::move(columns), options));
  BOBBIN_TRY(importer.annotate(writer));
  for (const auto& [key, value] : metadata) {
    BOBBIN_TRY(writer.set_metadata(key, value));
  }
  uint64_t rows = 0;
  BOBBIN_TRY(append_all(own.held, importer, writer, rows, visit));
  BOBBIN_TRY(writer.finish());
  return rows;
}

}  // namespace bobbin::arrow
