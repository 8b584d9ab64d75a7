// SPDX-License-Identifier: Apache-2.0
// Streams and device memory that belong to the caller.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bobbin/bobbin.hpp"
#include "errors.hpp"

namespace bobbin::python {

// A Python object that any thread may drop.
using Kept = std::shared_ptr<nb::object>;
[[nodiscard]] Kept keep(nb::object object);

// Calls wait() without the GIL, which this thread may hold: what the GPU has to do first may need it.
template <class F>
auto wait_without_gil(F&& wait) {
  if (Py_IsInitialized() == 0) {
    return wait();
  }
  const nb::gil_scoped_acquire acquired;  // no more than a count if it is held already
  const nb::gil_scoped_release released;
  return wait();
}

// Memory of a Python function, which gets a size and the number of a stream, and returns an address and the
// object that owns the memory.
class CallerMemory final : public MemoryResource {
 public:
  // If there is a stream of the caller, memory may be in use there until its work of now is done.
  CallerMemory(nb::object function, std::optional<uint64_t> stream)
      : function_(keep(std::move(function))), stream_(stream) {}

  [[nodiscard]] Result<void*> allocate(size_t bytes, StreamView stream) override;
  // Waits for the stream: the object is dropped, and what its memory's next user waits for is not known.
  void deallocate(void* data, size_t bytes, StreamView stream) noexcept override;

  // Raises what the function has raised, if it has.
  void raise_error() const;

 private:
  Kept function_;
  std::optional<uint64_t> stream_;
  std::map<void*, Kept> owners_;  // the GIL protects it
  Kept error_;                    // an exception
};

// Where to decode or load to.
struct Target {
  Backend backend;
  std::optional<uint64_t> stream;  // the caller's: a cudaStream_t as a number, 1 or 2 for the default ones
  Kept stream_object;              // lives as long as what was made in the stream
  std::shared_ptr<CallerMemory> memory;  // or none: Bobbin's own

  [[nodiscard]] MemoryResource& resource() const {
    return memory != nullptr ? *memory : default_memory(backend);
  }
};

// "auto" is the GPU if there is one, else the CPU.
[[nodiscard]] Backend backend_named(const std::string& name);
[[nodiscard]] Backend device_named(const std::string& name);
[[nodiscard]] Target target_from(const std::string& device, std::optional<uint64_t> stream,
                                 nb::object stream_object, nb::object memory);
// A stream by its number.
[[nodiscard]] StreamView stream_view(Backend backend, uint64_t number);

// As take(); an exception of the caller's function is raised as it is.
template <class T>
T take_from(Result<T> result, const Target& target) {
  if (!result.has_value() && target.memory != nullptr) {
    target.memory->raise_error();
  }
  return take(std::move(result));
}

// The columns' buffers keep the memory that they come from.
void keep_memory(std::vector<DeviceColumn>& columns, const std::shared_ptr<CallerMemory>& memory);

// A caller's stream, or one of ours for this call.
class CallStream {
 public:
  static Result<CallStream> create(Backend backend, std::optional<uint64_t> stream);

  [[nodiscard]] StreamView view() const { return own_.has_value() ? own_->view() : view_; }
  // Later work waits for what the stream `producer` was given so far; 0: for nothing.
  [[nodiscard]] Status wait_for(uint64_t producer) const;
  // Waits for the work, if the stream is ours.
  [[nodiscard]] Status finish() const;
  [[nodiscard]] std::optional<Stream> release() { return std::exchange(own_, std::nullopt); }

 private:
  explicit CallStream(StreamView view) : view_(view) {}

  std::optional<Stream> own_;
  StreamView view_;
};

}  // namespace bobbin::python
