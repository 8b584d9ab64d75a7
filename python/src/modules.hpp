// SPDX-License-Identifier: Apache-2.0
// The parts of the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace bobbin::python {

void add_files(nanobind::module_& module);
void add_writers(nanobind::module_& module);
void add_arrays(nanobind::module_& module);
void add_partials(nanobind::module_& module);
void add_batches(nanobind::module_& module);
void add_devices(nanobind::module_& module);
void add_device_tables(nanobind::module_& module);

}  // namespace bobbin::python
