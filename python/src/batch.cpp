// SPDX-License-Identifier: Apache-2.0
// Batches of encoded arrays.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "array_types.hpp"
#include "bobbin/bobbin.hpp"
#include "capsules.hpp"
#include "errors.hpp"
#include "modules.hpp"

namespace bobbin::python {
namespace {

EncodedBatch encode(const Bytes& values, const std::string& type_name, const Bytes& offsets,
                    const std::optional<std::string>& codec, unsigned threads) {
  const DType type = number_type(type_name);
  const size_t count = offsets.size() / sizeof(uint64_t);
  std::vector<uint64_t> places(count);
  std::memcpy(places.data(), offsets.data(), count * sizeof(uint64_t));
  if (places.empty() || places.back() != values.size() / size_bytes(type)) {
    raise({StatusCode::invalid_argument, "the last offset must be the number of values"});
  }
  const std::optional<Cascade> cascade = cascade_from(codec);
  return take(
      without_gil([&] { return EncodedBatch::encode(type, values.data(), places, cascade, threads); }));
}

size_t value_bytes(const EncodedBatch& batch) {
  return batch.offsets().back() * size_bytes(batch.type());
}

nb::object decode(const EncodedBatch& batch, unsigned threads) {
  const size_t size = value_bytes(batch);
  auto bytes = std::make_unique_for_overwrite<std::byte[]>(size);
  check(without_gil([&] { return batch.decode({bytes.get(), size}, threads); }));
  return memory_view(std::move(bytes), size);
}

void decode_into(const EncodedBatch& batch, const WritableBytes& out, unsigned threads) {
  check(without_gil([&] {
    return batch.decode({reinterpret_cast<std::byte*>(out.data()), out.size()}, threads);
  }));
}

EncodedArray array_at(const EncodedBatch& batch, size_t index) {
  if (index >= batch.size()) {
    throw nb::index_error("the batch has fewer arrays");
  }
  return *batch.array(index);
}

nb::object offsets_of(const EncodedBatch& batch) {
  return memory_view(std::vector<uint64_t>(batch.offsets().begin(), batch.offsets().end()));
}

nb::bytes to_bytes(const EncodedBatch& batch) {
  const std::vector<std::byte> bytes = take(without_gil([&] { return batch.to_bytes(); }));
  return nb::bytes(bytes.data(), bytes.size());
}

EncodedBatch from_bytes(const Bytes& bytes, uint64_t max_length) {
  const auto span = std::as_bytes(std::span(bytes.data(), bytes.size()));
  return take(without_gil([&] { return EncodedBatch::from_bytes(span, max_length); }));
}

}  // namespace

void add_batches(nb::module_& module) {
  nb::class_<EncodedBatch>(module, "Batch")
      .def_prop_ro("type", [](const EncodedBatch& batch) { return std::string(to_string(batch.type())); })
      .def_prop_ro("size", &EncodedBatch::size)
      .def_prop_ro("nbytes", &EncodedBatch::encoded_bytes)
      .def_prop_ro("offsets", offsets_of)
      .def("array", array_at)
      .def("decode", decode)
      .def("decode_into", decode_into)
      .def("to_bytes", to_bytes)
      .def_static("from_bytes", from_bytes);
  module.def("encode_batch", encode, nb::arg("values"), nb::arg("type"), nb::arg("offsets"),
             nb::arg("codec").none(), nb::arg("threads"));
}

}  // namespace bobbin::python
