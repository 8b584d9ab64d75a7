// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "bobbin/text.hpp"

namespace bobbin::python {

void raise(const Status& status) {
  const std::string message = is_utf8(status.message()) ? status.message() : printable(status.message());
  const nb::object error = nb::module_::import_("bobbin.errors")
                               .attr("from_status")(std::string(to_string(status.code())), message);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw nb::python_error();
}

}  // namespace bobbin::python
