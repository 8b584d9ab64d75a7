// SPDX-License-Identifier: Apache-2.0
// Tables in device memory by Arrow's C device interface, and arrays of other libraries encoded where they
// are.
#include "device_table.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>

#include "array_types.hpp"
#include "capsules.hpp"
#include "device_memory.hpp"
#include "errors.hpp"
#include "modules.hpp"

namespace bobbin::python {

Status DeviceTable::check_strings(const Reader& reader, std::span<const size_t> numbers, uint64_t begin,
                                  uint64_t count) {
  const auto found =
      std::ranges::find_if(numbers, [&](size_t number) { return is_string(reader.columns()[number].type); });
  if (found == numbers.end()) {
    return {};
  }
  size_t groups = 0;
  for (size_t group = 0; group < reader.num_row_groups(); ++group) {
    const RowGroupInfo info = *reader.row_group(group);
    groups += info.first_row < begin + count && begin < info.first_row + info.num_rows ? 1 : 0;
  }
  BOBBIN_RETURN_IF(groups > 1, StatusCode::unsupported,
                   "column " + quoted_text(reader.columns()[*found].name) + " holds strings of " +
                       std::to_string(groups) +
                       " row groups, each of which has its own memory; use device_batches()");
  return {};
}

DeviceTable::DeviceTable(const Reader& reader, std::span<const size_t> numbers,
                         std::vector<DeviceColumn> loaded, Backend from)
    : columns(std::move(loaded)), metadata(arrow::own_metadata(reader)), backend(from) {
  const std::vector<arrow::Field> all = arrow::device_fields_of(reader);
  std::ranges::transform(numbers, std::back_inserter(fields), [&](size_t number) { return all[number]; });
}

namespace {

// Whoever releases an array may hold the GIL.
Status wait_for_gpu(int gpu) {
  return wait_without_gil([gpu] { return synchronize_gpu(gpu); });
}

// The requested types that the columns can have; others stay as they are, as the protocol allows.
std::vector<arrow::Field> requested_fields(const DeviceTable& table, nb::handle requested) {
  std::vector<arrow::Field> fields = table.fields;
  if (requested.is_none()) {
    return fields;
  }
  const auto* const schema = pointer_of<ArrowSchema>(requested, "arrow_schema");
  if (schema->release == nullptr || schema->n_children != static_cast<int64_t>(fields.size())) {
    raise({StatusCode::invalid_argument, "the requested schema has another number of fields"});
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string format = schema->children[i]->format;
    fields[i].format = arrow::can_export_as(fields[i].column, format) ? format : fields[i].format;
  }
  return fields;
}

nb::object schema_capsule(const DeviceTable& table, std::span<const arrow::Field> fields) {
  auto schema = std::make_unique<ArrowSchema>();
  arrow::export_schema(fields, table.metadata, schema.get());
  return capsule_of(std::move(schema), "arrow_schema");
}

nb::object schema_of(const DeviceTable& table) {
  return schema_capsule(table, table.fields);
}

// The capsules of __arrow_c_device_array__.
nb::tuple exported(const DeviceTable& table, nb::handle requested) {
  const std::vector<arrow::Field> fields = requested_fields(table, requested);
  std::vector<std::string> formats;
  for (const arrow::Field& field : fields) {
    formats.push_back(field.format);
  }
  const arrow::DeviceExportOptions options{.backend = table.backend, .wait = wait_for_gpu};
  auto array = std::make_unique<ArrowDeviceArray>();
  check(without_gil(
      [&] { return arrow::export_device_columns(table.columns, formats, options, array.get()); }));
  nb::object held = capsule_of(std::move(array));
  return nb::make_tuple(schema_capsule(table, fields), held);
}

// ---- Arrays of other libraries ----

// Encodes on the device with `work`, in the caller's stream if there is one, and brings the result to host
// memory.
template <class F>
EncodedArray encoded_by(Backend backend, std::optional<uint64_t> stream, F&& work) {
  return take(without_gil([&]() -> Result<EncodedArray> {
    BOBBIN_ASSIGN(const CallStream order, CallStream::create(backend, stream));
    BOBBIN_ASSIGN(const EncodedArray there, work(order));
    return there.to_host(order.view());
  }));
}

// `producer` is the stream that makes the values: a cudaStream_t as a number, 1 or 2 for the default ones; 0:
// the values are ready.
EncodedArray encode_at(uint64_t address, uint64_t length, const std::string& type_name,
                       const std::string& codec, const std::string& device, uint64_t producer,
                       std::optional<uint64_t> stream) {
  const DType type = number_type(type_name);
  return encoded_by(device_named(device), stream, [&](const CallStream& order) -> Result<EncodedArray> {
    BOBBIN_TRY(order.wait_for(producer));
    return EncodedArray::encode_on_device(codec, type, reinterpret_cast<const void*>(address), length,
                                          order.view());
  });
}

using AnyArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig>;

// Type, length and address of the array in a DLPack capsule. The address is valid while the capsule's object,
// the last of the four, lives.
nb::tuple look_at_dlpack(const AnyArray& array) {
  for (const DType type : {DType::u8, DType::u16, DType::u32, DType::u64, DType::i8, DType::i16, DType::i32,
                           DType::i64, DType::f32, DType::f64}) {
    if (array.dtype() == dlpack_type(type)) {
      auto owner = std::make_unique<AnyArray>(array);
      const nb::capsule kept(owner.get(),
                             [](void* pointer) noexcept { delete static_cast<AnyArray*>(pointer); });
      owner.release();
      return nb::make_tuple(std::string(to_string(type)), array.size(),
                            reinterpret_cast<uint64_t>(array.data()), kept);
    }
  }
  raise({StatusCode::unsupported, "arrays of this type cannot be encoded"});
}

// The capsules of __arrow_c_device_array__ of another library.
EncodedArray encode_arrow(nb::handle schema_capsule, nb::handle array_capsule, const std::string& codec,
                          const std::string& device, std::optional<uint64_t> stream) {
  const auto* const schema = pointer_of<ArrowSchema>(schema_capsule, "arrow_schema");
  const auto* const array = pointer_of<ArrowDeviceArray>(array_capsule, "arrow_device_array");
  const Backend backend = device_named(device);
  if (backend == Backend::cuda && array->device_type == ARROW_DEVICE_CPU) {
    raise(
        {StatusCode::invalid_argument, "expected an array of numbers, found an Arrow object in host memory"});
  }
  return encoded_by(backend, stream, [&](const CallStream& order) -> Result<EncodedArray> {
    BOBBIN_ASSIGN(std::vector<EncodedArray> made,
                  arrow::encode_device_array(*schema, *array, codec, order.view()));
    BOBBIN_RETURN_IF(made.size() != 1, StatusCode::invalid_argument,
                     "expected an array, found a table of " + std::to_string(made.size()) + " columns");
    return made[0];
  });
}

}  // namespace

void add_device_tables(nb::module_& module) {
  nb::class_<DeviceTable>(module, "DeviceTable")
      .def("schema", schema_of)
      .def("exported", exported, nb::arg("requested").none());
  module.def("encode_at", encode_at, nb::arg("address"), nb::arg("length"), nb::arg("type"), nb::arg("codec"),
             nb::arg("device"), nb::arg("producer"), nb::arg("stream").none());
  module.def("encode_arrow", encode_arrow, nb::arg("schema"), nb::arg("array"), nb::arg("codec"),
             nb::arg("device"), nb::arg("stream").none());
  module.def("look_at_dlpack", look_at_dlpack);
}

}  // namespace bobbin::python
