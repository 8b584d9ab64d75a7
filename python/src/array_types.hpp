// SPDX-License-Identifier: Apache-2.0
// What functions of arrays take.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <optional>
#include <string>

#include "bobbin/encoding.hpp"
#include "bobbin/types.hpp"
#include "errors.hpp"

namespace bobbin::python {

using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WritableBytes = nb::ndarray<uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Calls work() while other Python threads run.
template <class F>
auto without_gil(F&& work) {
  nb::gil_scoped_release released;
  return work();
}

inline DType number_type(const std::string& name) {
  const auto type = parse_dtype(name);
  if (!type.has_value() || is_string(*type)) {
    raise({StatusCode::invalid_argument, "arrays of " + name + " cannot be encoded"});
  }
  return *type;
}

inline std::optional<Cascade> cascade_from(const std::optional<std::string>& codec) {
  return codec.has_value() ? std::optional(take(parse_cascade(*codec))) : std::nullopt;
}

inline nb::dlpack::dtype dlpack_type(DType type) {
  using Code = nb::dlpack::dtype_code;
  const Code code = is_float(type) ? Code::Float : is_signed(type) ? Code::Int : Code::UInt;
  return {static_cast<uint8_t>(code), static_cast<uint8_t>(size_bits(type)), 1};
}

}  // namespace bobbin::python
