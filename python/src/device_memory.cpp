// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

namespace bobbin::python {
namespace {

// The buffer goes first.
struct KeptBuffer {
  std::shared_ptr<CallerMemory> memory;
  std::shared_ptr<DeviceBuffer> buffer;
};

void keep_memory(std::shared_ptr<DeviceBuffer>& buffer, const std::shared_ptr<CallerMemory>& memory) {
  if (buffer != nullptr) {
    const auto both = std::make_shared<KeptBuffer>(memory, std::move(buffer));
    buffer = std::shared_ptr<DeviceBuffer>(both, both->buffer.get());
  }
}

}  // namespace

Kept keep(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* kept) {
            if (Py_IsInitialized() == 0) {
              kept->release();  // Python is gone, and the object with it
              delete kept;
              return;
            }
            const nb::gil_scoped_acquire acquired;
            delete kept;
          }};
}

Result<void*> CallerMemory::allocate(size_t bytes, StreamView stream) {
  void* address = nullptr;
  {
    const nb::gil_scoped_acquire acquired;
    try {
      const uint64_t number = stream_.value_or(reinterpret_cast<uint64_t>(stream.handle()));
      const auto made = nb::cast<nb::tuple>((*function_)(bytes, number));
      address = reinterpret_cast<void*>(nb::cast<uint64_t>(made[0]));
      owners_[address] = keep(made[1]);
    } catch (const nb::python_error& error) {
      error_ = keep(nb::borrow(error.value()));
      return Status(StatusCode::out_of_memory, "the function of memory= failed");
    }
  }
  if (stream_.has_value()) {
    BOBBIN_TRY(stream_view(stream.backend(), *stream_).synchronize());
  }
  return address;
}

void CallerMemory::deallocate(void* data, size_t /*bytes*/, StreamView stream) noexcept {
  if (!wait_without_gil([&] { return stream.synchronize(); }).ok()) {
    return;  // somebody may still use it: it is kept for as long as this object
  }
  if (Py_IsInitialized() != 0) {
    const nb::gil_scoped_acquire acquired;
    owners_.erase(data);
  }
}

void CallerMemory::raise_error() const {
  if (error_ != nullptr) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error_->ptr())), error_->ptr());
    throw nb::python_error();
  }
}

Backend backend_named(const std::string& name) {
  if (name == "auto") {
    return list_gpus().has_value() ? Backend::cuda : Backend::cpu;
  }
  const auto backend = parse_backend(name);
  if (!backend.has_value()) {
    raise({StatusCode::invalid_argument,
           "unknown backend '" + name + "'; expected auto, cpu, cuda or emulator"});
  }
  return *backend;
}

Backend device_named(const std::string& name) {
  const auto backend = parse_backend(name);
  if (!backend.has_value() || *backend == Backend::cpu) {
    raise({StatusCode::invalid_argument, "unknown device '" + name + "'; expected cuda or emulator"});
  }
  return *backend;
}

Target target_from(const std::string& device, std::optional<uint64_t> stream, nb::object stream_object,
                   nb::object memory) {
  Target made{.backend = device_named(device),
              .stream = stream,
              .stream_object = keep(std::move(stream_object)),
              .memory = nullptr};
  if (!memory.is_none()) {
    made.memory = std::make_shared<CallerMemory>(std::move(memory), stream);
  }
  return made;
}

StreamView stream_view(Backend backend, uint64_t number) {
  return {backend, backend == Backend::cuda ? reinterpret_cast<void*>(number) : nullptr};
}

void keep_memory(std::vector<DeviceColumn>& columns, const std::shared_ptr<CallerMemory>& memory) {
  if (memory == nullptr) {
    return;
  }
  for (DeviceColumn& column : columns) {
    keep_memory(column.values, memory);
    keep_memory(column.validity, memory);
    for (DeviceStrings& strings : column.strings) {
      keep_memory(strings.offsets, memory);
      keep_memory(strings.bytes, memory);
      keep_memory(strings.validity, memory);
    }
  }
}

Result<CallStream> CallStream::create(Backend backend, std::optional<uint64_t> stream) {
  CallStream made(stream_view(backend, stream.value_or(0)));
  if (!stream.has_value()) {
    BOBBIN_ASSIGN(made.own_, Stream::create(backend));
  }
  return made;
}

Status CallStream::wait_for(uint64_t producer) const {
  if (producer == 0) {
    return {};
  }
  return wait_for_stream(view(), stream_view(view().backend(), producer));
}

Status CallStream::finish() const {
  return own_.has_value() ? own_->view().synchronize() : Status();
}

}  // namespace bobbin::python
