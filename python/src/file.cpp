// SPDX-License-Identifier: Apache-2.0
// Files and scans. Python's side has the names and the documentation; here is what needs C++.
#include <fcntl.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <numeric>

#include "array_types.hpp"
#include "bobbin/bobbin.hpp"
#include "capsules.hpp"
#include "device_memory.hpp"
#include "errors.hpp"
#include "file.hpp"
#include "modules.hpp"
#include "predicate.hpp"

namespace bobbin::python {
namespace {

using arrow::TableScanOptions;

File open_path(const nb::bytes& path) {
  const auto work = [text = path_from(path)] { return Reader::open(text); };
  return {std::make_shared<const Reader>(take(interruptible(work)))};
}

// A reader, and the descriptor that it reads from.
struct Opened {
  file::Descriptor descriptor;
  Reader reader;
};

// Opens a duplicate: scans and streams may outlive the caller's descriptor.
File open_descriptor(int descriptor, const std::string& name) {
  auto own = file::Descriptor::own(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  if (own.get() < 0) {
    raise(file::io_error("open", errno).in(printable(name)));
  }
  Reader reader = take(Reader::from_descriptor(own.get(), name));
  const auto opened = std::make_shared<const Opened>(std::move(own), std::move(reader));
  return {std::shared_ptr<const Reader>(opened, &opened->reader)};
}

nb::list columns_of(const File& file) {
  nb::list columns;
  for (const Column& column : file.reader->columns()) {
    columns.append(nb::make_tuple(column.name, to_string(ColumnType{column.type, column.logical}),
                                  column.nullable || is_string(column.type)));
  }
  return columns;
}

nb::list metadata_of(const File& file) {
  nb::list pairs;
  for (const auto& [key, value] : file.reader->metadata()) {
    pairs.append(nb::make_tuple(key, nb::bytes(value.data(), value.size())));
  }
  return pairs;
}

// ---- Encodings ----

nb::dict node_of(const NodeInfo& node) {
  nb::dict made;
  made["codec"] = node.codec;
  made["detail"] = node.detail;
  made["type"] = std::string(to_string(node.type));
  made["length"] = node.length;
  made["bytes"] = node.bytes;
  nb::list children;
  for (const NodeInfo& child : node.children) {
    children.append(node_of(child));
  }
  made["children"] = children;
  return made;
}

uint64_t total_bytes(const NodeInfo& node) {
  return std::accumulate(node.children.begin(), node.children.end(), node.bytes,
                         [](uint64_t sum, const NodeInfo& child) { return sum + total_bytes(child); });
}

// The size of the plain values, as the command counts it: for strings without offsets.
uint64_t raw_bytes(const ChunkInfo& chunk) {
  return is_string(chunk.root.type) ? chunk.strings.num_bytes
                                    : chunk.root.length * size_bytes(chunk.root.type);
}

void add_zone(const Column& column, const ChunkInfo& chunk, uint64_t rows, nb::dict& made) {
  if (is_string(column.type)) {
    made["nulls"] = chunk.strings.null_count;
    made["min"] = nb::bytes(chunk.strings.min.data(), chunk.strings.min.size());
    made["max"] = chunk.strings.max_is_open
                      ? nb::object(nb::none())
                      : nb::object(nb::bytes(chunk.strings.max.data(), chunk.strings.max.size()));
    return;
  }
  made["nulls"] = chunk.null_count;
  const ColumnType type{column.type, column.logical};
  const bool is_empty = chunk.null_count == rows;
  made["min"] = is_empty ? nb::object(nb::none()) : nb::object(nb::str(value_text(type, chunk.min).c_str()));
  made["max"] = is_empty ? nb::object(nb::none()) : nb::object(nb::str(value_text(type, chunk.max).c_str()));
}

nb::dict row_group_of(const File& file, size_t index) {
  if (index >= file.reader->num_row_groups()) {
    throw nb::index_error("no such row group");
  }
  const RowGroupInfo info = *file.reader->row_group(index);
  nb::list chunks;
  for (size_t c = 0; c < info.chunks.size(); ++c) {
    const Column& column = file.reader->columns()[c];
    nb::dict chunk;
    chunk["column"] = column.name;
    chunk["encoding"] = to_string(cascade_of(info.chunks[c].root));
    chunk["bytes"] = total_bytes(info.chunks[c].root);
    chunk["raw_bytes"] = raw_bytes(info.chunks[c]);
    add_zone(column, info.chunks[c], info.num_rows, chunk);
    chunk["tree"] = node_of(info.chunks[c].root);
    chunks.append(chunk);
  }
  nb::dict made;
  made["first_row"] = info.first_row;
  made["num_rows"] = info.num_rows;
  made["chunks"] = chunks;
  return made;
}

// The first row of each row group, and the one after its last.
std::vector<std::pair<uint64_t, uint64_t>> row_group_ranges(const File& file) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (size_t group = 0; group < file.reader->num_row_groups(); ++group) {
    const RowGroupInfo info = *file.reader->row_group(group);
    ranges.emplace_back(info.first_row, info.first_row + info.num_rows);
  }
  return ranges;
}

void verify(const File& file, const std::string& backend, const nb::object& progress) {
  const Backend where = backend_named(backend);
  const auto reader = file.reader;
  const auto share = std::make_shared<std::atomic<double>>(0);
  const auto report = [&] {
    if (!progress.is_none()) {
      progress(share->load());
    }
  };
  const auto work = [reader, where, share] {
    return reader->verify(where, [&](double done) { *share = done; });
  };
  check(interruptible(work, report));
  report();
}

// ---- Scans ----

Spec make_spec(const File& file, std::optional<std::vector<std::string>> columns, nb::handle where,
               uint64_t begin, std::optional<uint64_t> end, std::optional<std::vector<size_t>> row_groups,
               std::optional<uint64_t> limit, std::optional<uint64_t> batch_rows, const std::string& backend,
               unsigned threads) {
  Spec spec;
  TableScanOptions& options = spec.options;
  if (columns.has_value()) {
    options.columns.emplace();
    for (const std::string& name : *columns) {
      const auto found = file.reader->find_column(name);
      if (!found.has_value()) {
        raise({StatusCode::invalid_argument, "no such column: " + quoted_text(name)});
      }
      options.columns->push_back(*found);
    }
  }
  options.where = predicate_from(where);
  options.begin = begin;
  options.num_rows = end.has_value() ? std::max(begin, *end) - begin : UINT64_MAX;
  options.row_groups = std::move(row_groups);
  options.limit = limit.value_or(UINT64_MAX);
  options.batch_rows = batch_rows.value_or(UINT64_MAX);
  options.backend = backend_named(backend);
  options.threads = threads;
  (void)take(arrow::table_scan_fields(*file.reader, options));
  return spec;
}

// The requested types that the columns can have; others stay as they are, as the protocol allows.
void apply_request(const File& file, nb::handle requested, TableScanOptions& options) {
  if (requested.is_none()) {
    return;
  }
  const auto* const schema = pointer_of<ArrowSchema>(requested, "arrow_schema");
  if (schema->release == nullptr) {
    raise({StatusCode::invalid_argument, "the requested schema was released"});
  }
  auto fields = take(arrow::table_scan_fields(*file.reader, options));
  if (schema->n_children != static_cast<int64_t>(fields.size())) {
    raise({StatusCode::invalid_argument, "the requested schema has another number of fields"});
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string format = schema->children[i]->format;
    options.formats.push_back(arrow::can_export_as(fields[i].column, format) ? format : fields[i].format);
  }
}

std::unique_ptr<ArrowArrayStream> start_scan(const File& file, const Spec& spec, nb::handle requested,
                                             std::optional<std::vector<uint64_t>> rows) {
  TableScanOptions options = spec.options;
  options.rows = std::move(rows);
  apply_request(file, requested, options);
  const auto groups_read = spec.groups_read;
  const auto rows_returned = spec.rows_returned;
  *groups_read = 0;
  *rows_returned = 0;
  options.report = [groups_read, rows_returned](const arrow::TableScanCounts& counts) {
    *groups_read = counts.row_groups;
    *rows_returned = counts.rows;
  };
  auto stream = std::make_unique<ArrowArrayStream>();
  check(arrow::export_table_scan(file.reader, std::move(options), stream.get()));
  return stream;
}

nb::object stream_of(const File& file, const Spec& spec, nb::handle requested) {
  return capsule_of(start_scan(file, spec, requested, {}), "arrow_array_stream");
}

// A scan as Python reads it: with the library's own errors, which an Arrow stream cannot pass on.
class Batches {
 public:
  explicit Batches(std::unique_ptr<ArrowArrayStream> stream) : own_(*stream) {}
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  ~Batches() {
    const nb::gil_scoped_release released;  // threads that read ahead end first
    own_.held.release(&own_.held);
  }

  // The capsules of __arrow_c_array__; None after the last rows.
  nb::object next() {
    auto array = std::make_unique<ArrowArray>();
    call([&](ArrowArrayStream* stream) { return stream->get_next(stream, array.get()); });
    if (PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
    if (array->release == nullptr) {
      return nb::none();
    }
    auto schema = std::make_unique<ArrowSchema>();
    call([&](ArrowArrayStream* stream) { return stream->get_schema(stream, schema.get()); });
    return nb::make_tuple(capsule_of(std::move(schema), "arrow_schema"),
                          capsule_of(std::move(array), "arrow_array"));
  }

 private:
  template <class F>
  void call(F&& function) {
    int code = 0;
    {
      const nb::gil_scoped_release released;
      code = function(&own_.held);
    }
    if (code != 0) {
      raise(arrow::stream_error(own_.held).value_or(Status(StatusCode::io, "Arrow stream: it failed")));
    }
  }

  arrow::Owned<ArrowArrayStream> own_;
};

std::unique_ptr<Batches> batches_of(const File& file, const Spec& spec, nb::handle requested,
                                    std::optional<std::vector<uint64_t>> rows) {
  return std::make_unique<Batches>(start_scan(file, spec, requested, std::move(rows)));
}

nb::object schema_of(const File& file, const Spec& spec) {
  const auto fields = take(arrow::table_scan_fields(*file.reader, spec.options));
  auto schema = std::make_unique<ArrowSchema>();
  arrow::export_schema(fields, arrow::own_metadata(*file.reader), schema.get());
  return capsule_of(std::move(schema), "arrow_schema");
}

Result<std::vector<uint64_t>> matching_rows(const Reader& reader, const TableScanOptions& options,
                                            uint64_t* read) {
  std::vector<uint64_t> all;
  query::QueryStats stats;
  const uint64_t end = options.begin + std::min(options.num_rows, UINT64_MAX - options.begin);
  const auto visit = [&](size_t group, std::span<const uint64_t> rows) -> Result<bool> {
    const auto& wanted = options.row_groups;
    if (!wanted.has_value() || std::ranges::binary_search(*wanted, group)) {
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all.size() < options.limit;
  };
  BOBBIN_TRY(query_of(reader, options).visit_rows(visit, options.begin, end, &stats));
  all.resize(std::min<uint64_t>(all.size(), options.limit));
  *read = stats.read;
  return all;
}

std::vector<uint64_t> rows_of(const File& file, const Spec& spec) {
  const auto work = [reader = file.reader, options = spec.options, counter = spec.groups_read] {
    uint64_t read = 0;
    auto rows = matching_rows(*reader, options, &read);
    *counter = read;
    return rows;
  };
  std::vector<uint64_t> rows = take(interruptible(work));
  *spec.rows_returned = rows.size();
  return rows;
}

nb::object row_ids(const File& file, const Spec& spec) {
  return memory_view(rows_of(file, spec));
}

uint64_t count_rows(const File& file, const Spec& spec) {
  if (spec.is_partial()) {
    return rows_of(file, spec).size();
  }
  const auto work = [reader = file.reader, options = spec.options, counter = spec.groups_read] {
    query::QueryStats stats;
    auto values = query_of(*reader, options).run({query::count()}, &stats);
    *counter = stats.read;
    return values;
  };
  return static_cast<uint64_t>(take(interruptible(work))[0].integer);
}

// Rows of values: the keys, then the aggregates. Without keys there is one row.
nb::list aggregate(const File& file, const Spec& spec, const std::vector<std::string>& keys,
                   const Aggregates& aggregates, const std::vector<std::string>& titles,
                   const std::string& order, std::optional<uint64_t> limit, uint64_t max_groups) {
  if (spec.is_partial()) {
    raise({StatusCode::unsupported,
           "aggregates are not supported for scans with rows=, row_groups= or limit="});
  }
  const auto wanted = aggregates_from(aggregates);
  const query::ResultOptions result{.order = order_from(order, titles, wanted),
                                    .limit = limit.value_or(UINT64_MAX),
                                    .max_groups = max_groups};
  const auto work = [=, reader = file.reader, options = spec.options, counter = spec.groups_read] {
    query::QueryStats stats;
    auto table = query_of(*reader, options).group_by(keys, wanted, result, &stats);
    *counter = stats.read;
    return table;
  };
  return rows_from(take(interruptible(work)));
}

Result<std::vector<HostColumn>> read_all(const Reader& reader, const TableScanOptions& options,
                                         uint64_t* read) {
  const bool is_range = !options.where.has_value() && !options.row_groups.has_value();
  if (is_range) {
    const uint64_t begin = std::min(options.begin, reader.num_rows());
    const uint64_t count = std::min({options.num_rows, options.limit, reader.num_rows() - begin});
    return read_columns(reader, *options.columns, begin, count, options.threads);
  }
  BOBBIN_ASSIGN(const std::vector<uint64_t> rows, matching_rows(reader, options, read));
  return read_rows(reader, *options.columns, rows);
}

// Per column: type, number of rows, values or (offsets, bytes), validity bits or None.
nb::list columns_in_memory(const File& file, const Spec& spec) {
  TableScanOptions options = spec.options;
  if (!options.columns.has_value()) {
    options.columns.emplace(file.reader->columns().size());
    std::iota(options.columns->begin(), options.columns->end(), size_t{0});
  }
  const auto work = [reader = file.reader, options, counter = spec.groups_read] {
    uint64_t read = reader->num_row_groups();
    auto columns = read_all(*reader, options, &read);
    *counter = read;
    return columns;
  };
  nb::list made;
  for (HostColumn& column : take(interruptible(work))) {
    const bool are_strings = is_string(column.column.type);
    const std::string type = to_string(column.type());
    std::vector<uint8_t>& bits = are_strings ? column.strings.validity : column.validity;
    const nb::object validity = bits.empty() ? nb::object(nb::none()) : memory_view(std::move(bits));
    const uint64_t length = column.length;
    *spec.rows_returned = length;
    const size_t size = are_strings ? 0 : length * size_bytes(column.column.type);
    const nb::object values = are_strings
                                  ? nb::object(nb::make_tuple(memory_view(std::move(column.strings.offsets)),
                                                              memory_view(std::move(column.strings.bytes))))
                                  : memory_view(std::move(column.values), size);
    made.append(nb::make_tuple(type, length, values, validity));
  }
  return made;
}

// str or bytes objects of strings as columns_in_memory() returns them; None for nulls.
nb::list strings_from(const Bytes& offsets, const Bytes& bytes, const std::optional<Bytes>& validity,
                      bool is_text) {
  const size_t length = offsets.size() / sizeof(uint64_t) - 1;
  const auto* const ends = reinterpret_cast<const uint64_t*>(offsets.data());
  const auto* const data = reinterpret_cast<const char*>(bytes.data());
  nb::object made = nb::steal(PyList_New(static_cast<Py_ssize_t>(length)));
  for (size_t i = 0; i < length; ++i) {
    const auto size = static_cast<Py_ssize_t>(ends[i + 1] - ends[i]);
    const bool is_null = validity.has_value() && (validity->data()[i / 8] >> (i % 8) & 1) == 0;
    PyObject* const string = is_null   ? Py_NewRef(Py_None)
                             : is_text ? PyUnicode_DecodeUTF8(data + ends[i], size, nullptr)
                                       : PyBytes_FromStringAndSize(data + ends[i], size);
    if (string == nullptr) {
      throw nb::python_error();
    }
    PyList_SetItem(made.ptr(), static_cast<Py_ssize_t>(i), string);
  }
  return nb::borrow<nb::list>(made);
}

std::vector<std::string> formats_of(const File& file) {
  std::vector<std::string> formats;
  for (const arrow::Field& field : arrow::fields_of(*file.reader)) {
    formats.push_back(field.format);
  }
  return formats;
}

}  // namespace

void add_files(nb::module_& module) {
  module.def("strings", strings_from, nb::arg("offsets"), nb::arg("bytes"), nb::arg("validity").none(),
             nb::arg("is_text"));
  nb::class_<Spec>(module, "Spec")
      .def_prop_ro("row_groups_read", [](const Spec& spec) { return spec.groups_read->load(); })
      .def_prop_ro("rows_returned", [](const Spec& spec) { return spec.rows_returned->load(); });
  nb::class_<Batches>(module, "Batches").def("next", &Batches::next);
  nb::class_<File>(module, "File")
      .def_static("open", open_path)
      .def_static("open_descriptor", open_descriptor)
      .def_prop_ro("columns", columns_of)
      .def_prop_ro("formats", formats_of)
      .def_prop_ro("metadata", metadata_of)
      .def_prop_ro("num_rows", [](const File& file) { return file.reader->num_rows(); })
      .def_prop_ro("num_row_groups", [](const File& file) { return file.reader->num_row_groups(); })
      .def_prop_ro("file_bytes", [](const File& file) { return file.reader->file_bytes(); })
      .def_prop_ro("checksum", [](const File& file) { return file.reader->checksum(); })
      .def_prop_ro("format_version", [](const File& file) { return file.reader->format_version(); })
      .def_prop_ro("row_group_ranges", row_group_ranges)
      .def("row_group", row_group_of)
      .def("verify", verify, nb::arg("backend"), nb::arg("progress").none())
      .def("spec", make_spec, nb::arg("columns").none(), nb::arg("where").none(), nb::arg("begin"),
           nb::arg("end").none(), nb::arg("row_groups").none(), nb::arg("limit").none(),
           nb::arg("batch_rows").none(), nb::arg("backend"), nb::arg("threads"))
      .def("stream", stream_of, nb::arg("spec"), nb::arg("requested").none())
      .def("batches", batches_of, nb::arg("spec"), nb::arg("requested").none(), nb::arg("rows").none())
      .def("schema", schema_of)
      .def("row_ids", row_ids)
      .def("count", count_rows)
      .def("aggregate", aggregate, nb::arg("spec"), nb::arg("keys"), nb::arg("aggregates"), nb::arg("titles"),
           nb::arg("order"), nb::arg("limit").none(), nb::arg("max_groups"))
      .def("read", columns_in_memory);
}

}  // namespace bobbin::python
