// SPDX-License-Identifier: Apache-2.0
// Partial aggregates, and tables by Arrow, in the C interface.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bobbin/arrow.hpp"
#include "bobbin/arrow_device.hpp"
#include "bobbin/file.hpp"
#include "bobbin/partial.hpp"
#include "bobbin/query.hpp"
#include "bobbin/schema.hpp"
#include "bobbin/text.hpp"
#include "capi/objects.hpp"

// Names and namespace are given by the C header.
struct bobbin_partial {  // NOLINT(readability-identifier-naming)
  bobbin::query::Partial partial;
};

struct bobbin_result {  // NOLINT(readability-identifier-naming)
  struct Cell {
    bool is_null = false;
    std::string text;
  };
  size_t columns = 0;
  std::vector<std::vector<Cell>> rows;
};

namespace bobbin::capi {
namespace {

constexpr uint32_t kFirstTableScanSize = sizeof(bobbin_table_scan);  // of the first version that had it
constexpr const char* kPartial = "the partial aggregate";

Result<std::shared_ptr<const Reader>> open(const char* path) {
  BOBBIN_TRY(check_given(path, "the path"));
  BOBBIN_ASSIGN(Reader reader, Reader::open(path));
  return std::make_shared<const Reader>(std::move(reader));
}

Result<std::vector<std::string>> to_names(const char* const* names, size_t count) {
  BOBBIN_RETURN_IF(names == nullptr && count > 0, StatusCode::invalid_argument, "the list of names is null");
  std::vector<std::string> made;
  for (size_t i = 0; i < count; ++i) {
    BOBBIN_TRY(check_given(names[i], "a name"));
    made.emplace_back(names[i]);
  }
  return made;
}

Result<query::Partial> partial_of(const char* path, const char* where, const char* const* names,
                                  size_t num_names, const char* aggregates, Backend backend) {
  BOBBIN_ASSIGN(const auto reader, open(path));
  BOBBIN_TRY(check_given(aggregates, "the list of aggregates"));
  BOBBIN_ASSIGN(const auto keys, to_names(names, num_names));
  BOBBIN_ASSIGN(const auto wanted, query::parse_aggregates(aggregates));
  query::Query query = query::from(*reader).on(backend);
  if (where != nullptr) {
    BOBBIN_ASSIGN(query::Predicate predicate, query::parse_predicate(where));
    query = std::move(query).where(std::move(predicate));
  }
  return query.partial(keys, wanted);
}

bobbin_result texts_of(const query::ResultTable& table) {
  bobbin_result result{.columns = table.columns.size(), .rows = {}};
  for (const auto& row : table.rows) {
    auto& cells = result.rows.emplace_back();
    for (const query::Value& value : row) {
      cells.push_back({value.is_null(), value.is_null() ? "" : query::to_string(value)});
    }
  }
  return result;
}

// ---- Table scans ----

struct TableScan {
  std::shared_ptr<const Reader> reader;
  bobbin_table_scan given{};
  std::optional<std::vector<size_t>> columns;
  std::optional<query::Predicate> where;
};

Result<std::optional<std::vector<size_t>>> to_columns(const Reader& reader, const bobbin_table_scan& given) {
  if (given.columns == nullptr) {
    BOBBIN_RETURN_IF(given.num_columns != 0, StatusCode::invalid_argument, "the list of columns is null");
    return std::optional<std::vector<size_t>>();
  }
  BOBBIN_ASSIGN(const auto names, to_names(given.columns, given.num_columns));
  std::vector<size_t> columns;
  for (const std::string& name : names) {
    const auto found = reader.find_column(name);
    BOBBIN_RETURN_IF(!found.has_value(), StatusCode::invalid_argument,
                     "no such column: " + quoted_text(name));
    columns.push_back(*found);
  }
  return std::optional(std::move(columns));
}

Result<TableScan> to_table_scan(const char* path, const bobbin_table_scan* given) {
  TableScan scan;
  BOBBIN_ASSIGN(scan.given,
                copy_options<bobbin_table_scan>(given, BOBBIN_TABLE_SCAN_INIT, kFirstTableScanSize,
                                                "table scan", "BOBBIN_TABLE_SCAN_INIT"));
  BOBBIN_ASSIGN(scan.reader, open(path));
  BOBBIN_ASSIGN(scan.columns, to_columns(*scan.reader, scan.given));
  if (scan.given.where != nullptr) {
    BOBBIN_ASSIGN(scan.where, query::parse_predicate(scan.given.where));
  }
  return scan;
}

Result<EncodedArray> encode_column(const ArrowSchema* schema, const ArrowDeviceArray* from, size_t column,
                                   const char* codec, StreamView stream) {
  BOBBIN_TRY(check_given(schema, "the schema"));
  BOBBIN_TRY(check_given(from, "the array"));
  BOBBIN_ASSIGN(const auto arrays,
                arrow::encode_device_array(*schema, *from, codec == nullptr ? "" : codec, stream));
  BOBBIN_RETURN_IF(column >= arrays.size(), StatusCode::invalid_argument,
                   "column " + std::to_string(column) + " of " + std::to_string(arrays.size()));
  return arrays[column];
}

}  // namespace
}  // namespace bobbin::capi

using namespace bobbin;

// ---- Partial aggregates ----

bobbin_status bobbin_partial_of_file(const char* path, const char* where, const char* const* keys,
                                     size_t num_keys, const char* aggregates, bobbin_backend backend,
                                     bobbin_partial** partial) {
  return capi::guarded_maker(partial, [&]() -> Result<bobbin_partial*> {
    BOBBIN_ASSIGN(const Backend on, capi::to_enum(backend, Backend::cpu, Backend::emulator, "backend"));
    BOBBIN_ASSIGN(query::Partial made, capi::partial_of(path, where, keys, num_keys, aggregates, on));
    return capi::new_object(bobbin_partial{std::move(made)});
  });
}

void bobbin_partial_destroy(bobbin_partial* partial) {
  const std::unique_ptr<bobbin_partial> owner(partial);
}

bobbin_status bobbin_partial_merge(bobbin_partial* partial, const bobbin_partial* other) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(partial, capi::kPartial));
    BOBBIN_TRY(capi::check_given(other, capi::kPartial));
    const query::Partial more = other->partial;  // it may be the same
    return partial->partial.merge(more);
  });
}

bobbin_status bobbin_partial_to_bytes(const bobbin_partial* partial, bobbin_bytes** bytes) {
  return capi::guarded_maker(bytes, [&]() -> Result<bobbin_bytes*> {
    BOBBIN_TRY(capi::check_given(partial, capi::kPartial));
    return capi::handed_over(partial->partial.to_bytes());
  });
}

bobbin_status bobbin_partial_from_bytes(const void* bytes, size_t size, bobbin_partial** partial) {
  return capi::guarded_maker(partial, [&]() -> Result<bobbin_partial*> {
    BOBBIN_ASSIGN(const auto in, capi::to_bytes(bytes, size));
    BOBBIN_ASSIGN(query::Partial made, query::Partial::from_bytes(in));
    return capi::new_object(bobbin_partial{std::move(made)});
  });
}

bobbin_status bobbin_partial_finish(const bobbin_partial* partial, const char* order, uint64_t limit,
                                    bobbin_result** result) {
  return capi::guarded_maker(result, [&]() -> Result<bobbin_result*> {
    BOBBIN_TRY(capi::check_given(partial, capi::kPartial));
    query::ResultOptions options{.limit = limit};
    if (order != nullptr) {
      BOBBIN_ASSIGN(options.order, query::parse_order(order));
    }
    BOBBIN_ASSIGN(const query::ResultTable table, partial->partial.finish(options));
    return capi::new_object(capi::texts_of(table));
  });
}

void bobbin_result_destroy(bobbin_result* result) {
  const std::unique_ptr<bobbin_result> owner(result);
}

size_t bobbin_result_columns(const bobbin_result* result) {
  return result == nullptr ? 0 : result->columns;
}

size_t bobbin_result_rows(const bobbin_result* result) {
  return result == nullptr ? 0 : result->rows.size();
}

const char* bobbin_result_text(const bobbin_result* result, size_t row, size_t column) {
  if (row >= bobbin_result_rows(result) || column >= bobbin_result_columns(result)) {
    return nullptr;
  }
  const bobbin_result::Cell& cell = result->rows[row][column];
  return cell.is_null ? nullptr : cell.text.c_str();
}

// ---- Arrow ----

bobbin_status bobbin_arrow_table_scan(const char* path, const bobbin_table_scan* scan,
                                      ArrowArrayStream* stream) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(stream, "the stream"));
    stream->release = nullptr;
    BOBBIN_ASSIGN(capi::TableScan read, capi::to_table_scan(path, scan));
    arrow::TableScanOptions options{.columns = std::move(read.columns),
                                    .where = std::move(read.where),
                                    .begin = read.given.begin,
                                    .num_rows = read.given.num_rows,
                                    .limit = read.given.limit,
                                    .batch_rows = read.given.batch_rows,
                                    .threads = read.given.threads};
    return arrow::export_table_scan(std::move(read.reader), std::move(options), stream);
  });
}

bobbin_status bobbin_arrow_write(ArrowArrayStream* stream, const char* path, uint32_t overwrite,
                                 uint64_t* rows) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(stream, "the stream"));
    arrow::Owned<ArrowArrayStream> own(*stream);  // released in every case
    BOBBIN_TRY(capi::check_given(path, "the path"));
    BOBBIN_RETURN_IF(overwrite > 1, StatusCode::invalid_argument, "overwrite is not 0 or 1");
    BOBBIN_ASSIGN(const uint64_t written,
                  arrow::write_stream(&own.held, path, {.overwrite = overwrite == 1}));
    if (rows != nullptr) {
      *rows = written;
    }
    return {};
  });
}

bobbin_status bobbin_arrow_table_scan_on_device(const char* path, const bobbin_table_scan* scan,
                                                bobbin_backend backend, ArrowDeviceArrayStream* stream) {
  return capi::guarded([&]() -> Status {
    BOBBIN_TRY(capi::check_given(stream, "the stream"));
    stream->release = nullptr;
    BOBBIN_ASSIGN(const Backend on, capi::to_enum(backend, Backend::cuda, Backend::emulator, "device"));
    BOBBIN_ASSIGN(capi::TableScan read, capi::to_table_scan(path, scan));
    BOBBIN_RETURN_IF(read.where.has_value(), StatusCode::unsupported,
                     "filters are not supported when loading onto a device");
    arrow::DeviceTableScanOptions options{.columns = std::move(read.columns),
                                          .begin = read.given.begin,
                                          .num_rows = std::min(read.given.num_rows, read.given.limit),
                                          .backend = on,
                                          .load = {.threads = read.given.threads}};
    return arrow::export_device_table_scan(std::move(read.reader), std::move(options), stream);
  });
}

bobbin_status bobbin_arrow_encode_on_device(const ArrowSchema* schema, const ArrowDeviceArray* from,
                                            size_t column, const char* codec, bobbin_backend backend,
                                            void* cuda_stream, bobbin_array** array) {
  return capi::guarded_maker(array, [&]() -> Result<bobbin_array*> {
    BOBBIN_ASSIGN(const StreamView stream, capi::to_device_stream(backend, cuda_stream));
    BOBBIN_ASSIGN(EncodedArray made, capi::encode_column(schema, from, column, codec, stream));
    return capi::handed_over(std::move(made));
  });
}
