// SPDX-License-Identifier: Apache-2.0
// Writing: from Arrow streams and arrays, and from plain buffers.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>

#include "array_types.hpp"
#include "bobbin/bobbin.hpp"
#include "capsules.hpp"
#include "errors.hpp"
#include "modules.hpp"

namespace bobbin::python {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// A goal as the command takes it: "smallest", "compact", "fastest" or "fastest:0.2".
Goal goal_from(const std::string& text) {
  if (text == "smallest") {
    return {};
  }
  if (text == "compact") {
    return {.kind = Goal::Kind::compact};
  }
  if (text == "fastest") {
    return {.kind = Goal::Kind::fastest};
  }
  raise({StatusCode::invalid_argument, "unknown goal '" + text + "'; expected smallest, fastest or compact"});
}

WriteOptions options_from(const nb::dict& given) {
  WriteOptions options;
  options.rows_per_group = nb::cast<uint64_t>(given["rows_per_group"]);
  options.codec = nb::cast<std::string>(given["codec"]);
  options.column_codecs = nb::cast<Pairs>(given["column_codecs"]);
  options.goal = goal_from(nb::cast<std::string>(given["goal"]));
  options.overwrite = nb::cast<bool>(given["overwrite"]);
  options.threads = nb::cast<unsigned>(given["threads"]);
  const auto backend = parse_backend(nb::cast<std::string>(given["backend"]));
  if (!backend.has_value()) {
    raise({StatusCode::invalid_argument, "unknown backend; expected cpu, cuda or emulator"});
  }
  options.backend = *backend;
  return options;
}

Metadata metadata_from(const nb::list& pairs) {
  Metadata metadata;
  for (const nb::handle pair : pairs) {
    const auto value = nb::borrow<nb::bytes>(pair[1]);
    metadata.emplace_back(nb::cast<std::string>(pair[0]), std::string(value.c_str(), value.size()));
  }
  return metadata;
}

// The stream may belong to Python code: it is read on this thread, which holds no GIL.
uint64_t write_stream(nb::handle capsule, const nb::bytes& path, const nb::dict& given, const nb::list& pairs,
                      const nb::object& progress) {
  auto* const stream = pointer_of<ArrowArrayStream>(capsule, "arrow_array_stream");
  const std::string target = path_from(path);
  const WriteOptions options = options_from(given);
  const Metadata metadata = metadata_from(pairs);
  Heartbeat heartbeat;
  const auto visit = [&](uint64_t rows) {
    return heartbeat.beat([&] {
      if (!progress.is_none()) {
        progress(rows);
      }
    });
  };
  std::optional<Result<uint64_t>> rows;
  {
    nb::gil_scoped_release released;
    rows.emplace(arrow::write_stream(stream, target, options, metadata, visit));
  }
  heartbeat.rethrow();
  return take(*std::move(rows));
}

ColumnType type_from(const std::string& text) {
  const auto type = parse_column_type(text);
  if (!type.has_value()) {
    raise({StatusCode::invalid_argument, "unknown column type " + quoted_text(text)});
  }
  return *type;
}

// A column of plain buffers: its type, values, offsets of strings and validity bits.
struct Buffers {
  uint64_t length = 0;
  Bytes values;
  std::optional<Bytes> offsets;
  std::optional<Bytes> validity;
};

[[noreturn]] void wrong_buffer(const std::string& what) {
  raise({StatusCode::invalid_argument, "a buffer of " + what + " has the wrong size"});
}

void check_strings(const Buffers& column) {
  const size_t count = column.length + 1;
  if (!column.offsets.has_value() || column.offsets->size() != count * sizeof(uint64_t)) {
    wrong_buffer("offsets");
  }
  const auto* const offsets = reinterpret_cast<const uint64_t*>(column.offsets->data());
  if (!std::is_sorted(offsets, offsets + count) || offsets[column.length] > column.values.size()) {
    raise({StatusCode::invalid_argument, "offsets do not ascend, or exceed the bytes"});
  }
}

ColumnView view_of(const Column& column, const Buffers& buffers) {
  const uint8_t* validity = nullptr;
  if (buffers.validity.has_value()) {
    validity = buffers.validity->data();
    if (buffers.validity->size() < (buffers.length + 7) / 8) {
      wrong_buffer("validity bits");
    }
  }
  if (is_string(column.type)) {
    check_strings(buffers);
    return StringsView{.type = column.type,
                       .length = buffers.length,
                       .offsets = buffers.offsets->data(),
                       .wide = true,
                       .bytes = buffers.values.data(),
                       .validity = validity};
  }
  if (buffers.values.size() != buffers.length * size_bytes(column.type)) {
    wrong_buffer("values");
  }
  return {column.type, buffers.values.data(), buffers.length, validity};
}

class FileWriter {
 public:
  FileWriter(const nb::bytes& path, const std::vector<std::tuple<std::string, std::string, bool>>& columns,
             const nb::dict& given) {
    for (const auto& [name, text, nullable] : columns) {
      const ColumnType type = type_from(text);
      columns_.push_back({name, type.type, nullable && !is_string(type.type), type.logical});
    }
    writer_.emplace(take(Writer::create(path_from(path), columns_, options_from(given))));
  }
  FileWriter(const nb::bytes& path, nb::handle schema, const nb::dict& given) {
    importer_.emplace(take(arrow::Importer::create(*pointer_of<ArrowSchema>(schema, "arrow_schema"))));
    for (const arrow::Field& field : importer_->fields()) {
      columns_.push_back(field.column);
    }
    writer_.emplace(take(Writer::create(path_from(path), columns_, options_from(given))));
    check(importer_->annotate(*writer_));
  }

  // (length, values, offsets, validity) for each column.
  void append(
      const std::vector<std::tuple<uint64_t, Bytes, std::optional<Bytes>, std::optional<Bytes>>>& given) {
    if (given.size() != columns_.size()) {
      raise({StatusCode::invalid_argument, "another number of columns than the file has"});
    }
    std::vector<ColumnView> views;
    for (size_t i = 0; i < given.size(); ++i) {
      const auto& [length, values, offsets, validity] = given[i];
      views.push_back(view_of(columns_[i], {length, values, offsets, validity}));
    }
    append_views(views);
  }

  // All arrays of a stream; their types must be those of the file.
  uint64_t append_stream(nb::handle capsule) {
    (void)writer();
    arrow::Owned<ArrowArrayStream> own(*pointer_of<ArrowArrayStream>(capsule, "arrow_array_stream"));
    ArrowArrayStream& stream = own.held;
    check_stream(stream);
    arrow::Owned<ArrowSchema> schema;
    call_stream(stream, [&] { return stream.get_schema(&stream, &schema.held); });
    const arrow::Importer arrays = take(arrow::Importer::create(schema.held));
    check_fields(arrays.fields());
    uint64_t rows = 0;
    for (;;) {
      arrow::Owned<ArrowArray> array;
      call_stream(stream, [&] { return stream.get_next(&stream, &array.held); });
      if (array.held.release == nullptr) {
        return rows;
      }
      check(append_array(arrays, array.held));
      rows += static_cast<uint64_t>(array.held.length);
      if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
      }
    }
  }

  void set_metadata(const nb::list& pairs) {
    for (const auto& [key, value] : metadata_from(pairs)) {
      check(writer().set_metadata(key, value));
    }
  }

  void finish() {
    Status status;
    {
      nb::gil_scoped_release released;
      status = writer().finish();
    }
    writer_.reset();
    check(status);
  }
  void drop() { writer_.reset(); }

 private:
  Writer& writer() {
    if (!writer_.has_value()) {
      raise({StatusCode::invalid_argument, "the writer is closed"});
    }
    return *writer_;
  }

  void append_views(std::span<const ColumnView> views) {
    Writer& to = writer();
    Status status;
    {
      nb::gil_scoped_release released;
      status = to.append(views);
    }
    check(status);
  }

  Status append_array(const arrow::Importer& importer, const ArrowArray& array) {
    Writer& to = writer();
    nb::gil_scoped_release released;
    BOBBIN_ASSIGN(const arrow::Batch batch, importer.import(array));
    return to.append(batch.columns());
  }

  void check_fields(const std::vector<arrow::Field>& fields) const {
    bool same = fields.size() == columns_.size();
    for (size_t i = 0; same && i < fields.size(); ++i) {
      const Column& column = fields[i].column;
      same = column.name == columns_[i].name && column.type == columns_[i].type &&
             column.logical == columns_[i].logical;
    }
    if (!same) {
      raise({StatusCode::invalid_argument, "the columns are not those of the file"});
    }
  }

  static void check_stream(const ArrowArrayStream& stream) {
    if (stream.release == nullptr) {
      raise({StatusCode::invalid_argument, "Arrow stream: it was released"});
    }
    if (stream.get_schema == nullptr || stream.get_next == nullptr) {
      raise({StatusCode::invalid_argument, "Arrow stream: a function is missing"});
    }
  }

  template <class F>
  static void call_stream(ArrowArrayStream& stream, F&& call) {
    int code = 0;
    {
      nb::gil_scoped_release released;
      code = call();
    }
    if (code != 0) {
      const char* const text = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
      raise({StatusCode::io, std::string("Arrow stream: ") + (text == nullptr ? "failed" : text)});
    }
  }

  std::vector<Column> columns_;
  std::optional<arrow::Importer> importer_;
  std::optional<Writer> writer_;
};

// A stream with one array, from the capsules of __arrow_c_array__.
struct SingleArray {
  arrow::Owned<ArrowSchema> schema;
  arrow::Owned<ArrowArray> array;

  SingleArray(ArrowSchema& type, ArrowArray& values) : schema(type), array(values) {}
};

SingleArray& single(ArrowArrayStream* stream) {
  return *static_cast<SingleArray*>(stream->private_data);
}

// The type can be asked for once: nothing here asks again.
int single_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  *out = std::exchange(single(stream).schema.held, {});
  return out->release == nullptr ? EINVAL : 0;
}

int single_next(ArrowArrayStream* stream, ArrowArray* out) {
  *out = std::exchange(single(stream).array.held, {});
  return 0;
}

nb::object stream_of_array(nb::handle schema, nb::handle array) {
  auto owner = std::make_unique<SingleArray>(*pointer_of<ArrowSchema>(schema, "arrow_schema"),
                                             *pointer_of<ArrowArray>(array, "arrow_array"));
  auto stream = std::make_unique<ArrowArrayStream>();
  *stream = {.get_schema = single_schema,
             .get_next = single_next,
             .get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; },
             .release =
                 [](ArrowArrayStream* self) {
                   delete &single(self);
                   self->release = nullptr;
                 },
             .private_data = owner.release()};
  return capsule_of(std::move(stream), "arrow_array_stream");
}

}  // namespace

void add_writers(nb::module_& module) {
  module.def("write_stream", write_stream, nb::arg("stream"), nb::arg("path"), nb::arg("options"),
             nb::arg("metadata"), nb::arg("progress").none());
  module.def("stream_of_array", stream_of_array);
  nb::class_<FileWriter>(module, "Writer")
      .def(nb::init<const nb::bytes&, const std::vector<std::tuple<std::string, std::string, bool>>&,
                    const nb::dict&>())
      .def_static("like",
                  [](const nb::bytes& path, nb::handle schema, const nb::dict& options) {
                    return std::make_unique<FileWriter>(path, schema, options).release();
                  })
      .def("append", &FileWriter::append)
      .def("append_stream", &FileWriter::append_stream)
      .def("set_metadata", &FileWriter::set_metadata)
      .def("finish", &FileWriter::finish)
      .def("drop", &FileWriter::drop);
}

}  // namespace bobbin::python
