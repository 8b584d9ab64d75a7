// SPDX-License-Identifier: Apache-2.0
// Writing: from Arrow streams and arrays, and from plain buffers.
#include <fcntl.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "array_types.hpp"
#include "bobbin/bobbin.hpp"
#include "capsules.hpp"
#include "device_memory.hpp"
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

// Who may use a file; nothing if it cannot be opened: then nothing is read from it either.
std::optional<file::Access> access_to(const nb::bytes& path) {
  const int number = ::open(path_from(path).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const file::Descriptor opened = number < 0 ? file::Descriptor() : file::Descriptor::own(number);
  return file::Access::of(opened.get());
}

WriteOptions options_from(const nb::dict& given) {
  WriteOptions options;
  options.rows_per_group = nb::cast<uint64_t>(given["rows_per_group"]);
  options.codec = nb::cast<std::string>(given["codec"]);
  options.column_codecs = nb::cast<Pairs>(given["column_codecs"]);
  options.goal = goal_from(nb::cast<std::string>(given["goal"]));
  options.overwrite = nb::cast<bool>(given["overwrite"]);
  options.threads = nb::cast<unsigned>(given["threads"]);
  options.backend = backend_named(nb::cast<std::string>(given["backend"]));
  if (given.contains("source") && !given["source"].is_none()) {
    if (const auto source = access_to(nb::cast<nb::bytes>(given["source"]))) {
      options.sources.push_back(*source);
    }
  }
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

// An Arrow stream of another library, released with this. It may belong to Python code: it is read on the
// caller's thread, without the GIL.
class StreamReader {
 public:
  explicit StreamReader(ArrowArrayStream& from) : own_(from) {
    if (own_.held.release == nullptr) {
      raise({StatusCode::invalid_argument, "Arrow stream: it was released"});
    }
    if (own_.held.get_schema == nullptr || own_.held.get_next == nullptr) {
      raise({StatusCode::invalid_argument, "Arrow stream: a function is missing"});
    }
    call([&](ArrowArrayStream& stream) { return stream.get_schema(&stream, &schema_.held); });
    importer_.emplace(take(arrow::Importer::create(schema_.held)));
  }

  StreamReader(const StreamReader&) = delete;
  StreamReader& operator=(const StreamReader&) = delete;
  ~StreamReader() {
    const nb::gil_scoped_release released;  // threads that end with the stream may need the GIL
    own_.held.release(&own_.held);
  }

  [[nodiscard]] const ArrowSchema& schema() const { return schema_.held; }
  [[nodiscard]] const arrow::Importer& importer() const { return *importer_; }
  // False after the last.
  bool next(ArrowArray& array) const {
    call([&](ArrowArrayStream& stream) { return stream.get_next(&stream, &array); });
    return array.release != nullptr;
  }

 private:
  template <class F>
  void call(F&& function) const {
    int code = 0;
    {
      nb::gil_scoped_release released;
      code = function(own_.held);
    }
    if (code == 0) {
      return;
    }
    if (const auto own_error = arrow::stream_error(own_.held); own_error.has_value()) {
      raise(*own_error);
    }
    const char* const text =
        own_.held.get_last_error == nullptr ? nullptr : own_.held.get_last_error(&own_.held);
    raise({code == ENOMEM ? StatusCode::out_of_memory : StatusCode::io,
           "Arrow stream: " + (text != nullptr ? std::string(text) : std::generic_category().message(code))});
  }

  mutable arrow::Owned<ArrowArrayStream> own_;
  arrow::Owned<ArrowSchema> schema_;
  std::optional<arrow::Importer> importer_;
};

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
  FileWriter(const nb::bytes& path, const ArrowSchema& schema, const nb::dict& given) {
    importer_.emplace(take(arrow::Importer::create(schema)));
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
    const StreamReader stream(*pointer_of<ArrowArrayStream>(capsule, "arrow_array_stream"));
    check_fields(stream.importer().fields());
    return append_all(stream, [](uint64_t) {});
  }

  // Calls report() with the number of rows so far, every 100 ms at most.
  template <class F>
  uint64_t append_all(const StreamReader& stream, F&& report) {
    Heartbeat heartbeat;
    uint64_t rows = 0;
    for (;;) {
      arrow::Owned<ArrowArray> array;
      if (!stream.next(array.held)) {
        return rows;
      }
      append_array(stream.importer(), array.held);
      rows += static_cast<uint64_t>(array.held.length);
      if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
      }
      if (heartbeat.is_due()) {
        report(rows);
      }
    }
  }

  void set_metadata(const nb::list& pairs) {
    for (const auto& [key, value] : metadata_from(pairs)) {
      check(writer().set_metadata(key, value));
    }
  }

  void finish() {
    const Status status = change([](Writer& to) { return to.finish(); });
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

  // After Ctrl-C the writer is closed, and there is no file.
  template <class F>
  Status change(F&& work) {
    Writer& to = writer();
    try {
      return cancellable([&] { return work(to); });
    } catch (...) {
      writer_.reset();
      throw;
    }
  }

  void append_views(std::span<const ColumnView> views) {
    check(change([&](Writer& to) { return to.append(views); }));
  }

  void append_array(const arrow::Importer& importer, const ArrowArray& array) {
    if (columns_.empty() && array.length != 0) {
      raise({StatusCode::unsupported,
             "a table without columns has no place for its " + std::to_string(array.length) + " rows"});
    }
    check(change([&](Writer& to) -> Status {
      BOBBIN_ASSIGN(const arrow::ImportedBatch batch, importer.import(array));
      return to.append(batch.columns());
    }));
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

  std::vector<Column> columns_;
  std::optional<arrow::Importer> importer_;
  std::optional<Writer> writer_;
};

// A file for other writers, which appears when it is complete.
class OutputFile {
 public:
  OutputFile(const nb::bytes& path, bool overwrite, const nb::bytes& source) {
    Result<file::Output> made = file::Output::create(path_from(path), overwrite);
    check(made.error().in(printable(path_from(path))));
    output_.emplace(std::move(*made));
    if (const auto access = access_to(source)) {
      output_->restrict_to(*access);
    }
  }

  void write(const nb::bytes& bytes) {
    const std::span text(bytes.c_str(), bytes.size());
    check(without_gil([&] { return output().write(std::as_bytes(text)); }));
  }
  [[nodiscard]] uint64_t position() { return output().position(); }
  void commit() {
    check(without_gil([&] { return output().commit(); }));
    output_.reset();
  }
  void drop() { output_.reset(); }

 private:
  file::Output& output() {
    if (!output_.has_value()) {
      raise({StatusCode::invalid_argument, "the output is closed"});
    }
    return *output_;
  }

  std::optional<file::Output> output_;
};

uint64_t write_stream(nb::handle capsule, const nb::bytes& path, const nb::dict& given, const nb::list& pairs,
                      const nb::object& progress) {
  const StreamReader stream(*pointer_of<ArrowArrayStream>(capsule, "arrow_array_stream"));
  FileWriter writer(path, stream.schema(), given);
  writer.set_metadata(pairs);
  const uint64_t rows = writer.append_all(stream, [&](uint64_t so_far) {
    if (!progress.is_none()) {
      progress(so_far);
    }
  });
  writer.finish();
  return rows;
}

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
                    const auto& type = *pointer_of<ArrowSchema>(schema, "arrow_schema");
                    return std::make_unique<FileWriter>(path, type, options).release();
                  })
      .def("append", &FileWriter::append)
      .def("append_stream", &FileWriter::append_stream)
      .def("set_metadata", &FileWriter::set_metadata)
      .def("finish", &FileWriter::finish)
      .def("drop", &FileWriter::drop);
  nb::class_<OutputFile>(module, "Output")
      .def(nb::init<const nb::bytes&, bool, const nb::bytes&>())
      .def("write", &OutputFile::write)
      .def_prop_ro("position", &OutputFile::position)
      .def("commit", &OutputFile::commit)
      .def("drop", &OutputFile::drop);
}

}  // namespace bobbin::python
