// SPDX-License-Identifier: Apache-2.0
// Encoded arrays in memory, and what the build and the machine have.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>

#include "array_types.hpp"
#include "bobbin/bobbin.hpp"
#include "capsules.hpp"
#include "errors.hpp"
#include "modules.hpp"

namespace bobbin::python {
namespace {

EncodedArray encode(const Bytes& values, const std::string& type_name,
                    const std::optional<std::string>& codec) {
  const DType type = number_type(type_name);
  const std::optional<Cascade> cascade = cascade_from(codec);
  const uint64_t length = values.size() / size_bytes(type);
  return take(without_gil([&] { return EncodedArray::encode(type, values.data(), length, cascade); }));
}

void decode_into(const EncodedArray& array, const WritableBytes& out) {
  if (out.size() != array.length() * size_bytes(array.type())) {
    raise({StatusCode::invalid_argument, "the output has another size than the values"});
  }
  check(without_gil([&] { return array.decode({reinterpret_cast<std::byte*>(out.data()), out.size()}); }));
}

nb::object decode(const EncodedArray& array) {
  const size_t size = array.length() * size_bytes(array.type());
  auto bytes = std::make_unique_for_overwrite<std::byte[]>(size);
  check(without_gil([&] { return array.decode({bytes.get(), size}); }));
  return memory_view(std::move(bytes), size);
}

nb::dict tree_of(const Cascade& cascade) {
  nb::list children;
  for (const Cascade& child : cascade.children) {
    children.append(tree_of(child));
  }
  nb::dict made;
  made["codec"] = cascade.codec;
  made["children"] = children;
  return made;
}

uint64_t index_of(const EncodedArray& array, int64_t index) {
  const auto length = static_cast<int64_t>(array.length());
  const int64_t from_start = index < 0 ? index + length : index;
  if (from_start < 0 || from_start >= length) {
    throw nb::index_error("the array has fewer values");
  }
  return static_cast<uint64_t>(from_start);
}

nb::object number_of(DType type, Scalar value) {
  if (is_float(type)) {
    return nb::float_(to_double(type, value));
  }
  if (!is_signed(type)) {
    return nb::int_(value.bits);
  }
  const uint32_t unused = 64 - size_bits(type);
  return nb::int_(static_cast<int64_t>(value.bits << unused) >> unused);
}

nb::object value_at(const EncodedArray& array, int64_t index) {
  return number_of(array.type(), take(array.value_at(index_of(array, index))));
}

EncodedArray slice(const EncodedArray& array, uint64_t begin, uint64_t length) {
  return take(array.slice(begin, length));
}

nb::object take_values(const EncodedArray& array, const std::vector<int64_t>& indices) {
  std::vector<uint64_t> rows;
  for (const int64_t index : indices) {
    rows.push_back(index_of(array, index));
  }
  std::vector<std::byte> out(rows.size() * size_bytes(array.type()));
  check(without_gil([&] { return array.take(rows, out); }));
  return memory_view(std::move(out));
}

// One byte per value: 1 if it passes. `constant` has the bytes of one value.
nb::object compare(const EncodedArray& array, int op, const nb::bytes& constant) {
  if (constant.size() != size_bytes(array.type())) {
    raise({StatusCode::invalid_argument, "the constant has another type than the values"});
  }
  Scalar scalar;
  std::memcpy(&scalar.bits, constant.c_str(), constant.size());
  const std::vector<uint8_t> bits =
      take(without_gil([&] { return array.compare(static_cast<Compare>(op), scalar); }));
  std::vector<uint8_t> flags(array.length());
  for (uint64_t i = 0; i < flags.size(); ++i) {
    flags[i] = bits[i / 8] >> (i % 8) & 1;
  }
  return memory_view(std::move(flags));
}

nb::bytes to_bytes(const EncodedArray& array) {
  const std::vector<std::byte> bytes = take(without_gil([&] { return array.to_bytes(); }));
  return nb::bytes(bytes.data(), bytes.size());
}

EncodedArray from_bytes(const Bytes& bytes, uint64_t max_length) {
  const auto span = std::as_bytes(std::span(bytes.data(), bytes.size()));
  return take(without_gil([&] { return EncodedArray::from_bytes(span, max_length); }));
}

nb::list devices() {
  nb::list made;
  const auto gpus = list_gpus();
  if (!gpus.has_value()) {
    return made;  // none, or no driver
  }
  for (const GpuInfo& gpu : *gpus) {
    nb::dict one;
    one["name"] = gpu.name;
    one["compute"] = nb::make_tuple(gpu.compute_major, gpu.compute_minor);
    one["memory_bytes"] = gpu.memory_bytes;
    made.append(one);
  }
  return made;
}

}  // namespace

void add_arrays(nb::module_& module) {
  nb::class_<EncodedArray>(module, "Encoded")
      .def_prop_ro("type", [](const EncodedArray& array) { return std::string(to_string(array.type())); })
      .def_prop_ro("length", &EncodedArray::length)
      .def_prop_ro("nbytes", &EncodedArray::encoded_bytes)
      .def_prop_ro("encoding", [](const EncodedArray& array) { return to_string(array.cascade()); })
      .def_prop_ro("tree", [](const EncodedArray& array) { return tree_of(array.cascade()); })
      .def("value_at", value_at)
      .def("slice", slice)
      .def("take", take_values)
      .def("compare", compare)
      .def("to_bytes", to_bytes)
      .def_static("from_bytes", from_bytes)
      .def("decode", decode)
      .def("decode_into", decode_into);
  module.def("encode", encode, nb::arg("values"), nb::arg("type"), nb::arg("codec").none());
  module.def("codecs", codec_names);
  module.def("devices", devices);
}

}  // namespace bobbin::python

NB_MODULE(_core, module) {
  module.attr("version") = BOBBIN_VERSION;
  bobbin::python::add_files(module);
  bobbin::python::add_writers(module);
  bobbin::python::add_arrays(module);
  bobbin::python::add_partials(module);
  bobbin::python::add_batches(module);
  bobbin::python::add_devices(module);
  bobbin::python::add_device_tables(module);
}
