// SPDX-License-Identifier: Apache-2.0
// Memory and Arrow structures as Python objects that own them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "bobbin/arrow_abi.h"
#include "errors.hpp"

namespace bobbin::python {

// A capsule of Arrow's PyCapsule interface. A receiver moves the structure out; if none does, it is released
// here.
template <class T>
nb::object capsule_of(std::unique_ptr<T> made, const char* name) {
  const auto destroy = [](void* pointer) noexcept {
    const std::unique_ptr<T> owned(static_cast<T*>(pointer));
    if (owned->release != nullptr) {
      owned->release(owned.get());
    }
  };
  return nb::capsule(made.release(), name, destroy);
}

// An array in device memory has its release inside.
inline nb::object capsule_of(std::unique_ptr<ArrowDeviceArray> made) {
  const auto destroy = [](void* pointer) noexcept {
    const std::unique_ptr<ArrowDeviceArray> owned(static_cast<ArrowDeviceArray*>(pointer));
    if (owned->array.release != nullptr) {
      owned->array.release(&owned->array);
    }
  };
  return nb::capsule(made.release(), "arrow_device_array", destroy);
}

template <class T>
T* pointer_of(nb::handle capsule, const char* name) {
  auto* const pointer = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (pointer == nullptr) {
    throw nb::python_error();
  }
  return pointer;
}

// A path comes as bytes: it may have any, not only UTF-8.
inline std::string path_from(const nb::bytes& path) {
  return {path.c_str(), path.size()};
}

// A memoryview of bytes. An empty one has an address too, as a memoryview of null cannot be made.
template <class Owner>
nb::object memory_view_of(std::unique_ptr<Owner> owner, void* data, size_t size) {
  static uint64_t nothing = 0;
  const nb::capsule capsule(owner.get(), [](void* pointer) noexcept { delete static_cast<Owner*>(pointer); });
  owner.release();
  void* const address = data == nullptr ? &nothing : data;
  return nb::cast(nb::ndarray<nb::memview, uint8_t, nb::ndim<1>>(address, {size}, capsule));
}

// A memoryview of the elements of a vector, which moves into the object.
template <class Vector>
nb::object memory_view(Vector values) {
  auto owner = std::make_unique<Vector>(std::move(values));
  void* const data = owner->data();
  const size_t size = owner->size() * sizeof(typename Vector::value_type);
  return memory_view_of(std::move(owner), data, size);
}

inline nb::object memory_view(std::unique_ptr<std::byte[]> bytes, size_t size) {
  void* const data = bytes.get();
  return memory_view_of(std::make_unique<std::unique_ptr<std::byte[]>>(std::move(bytes)), data, size);
}

}  // namespace bobbin::python
