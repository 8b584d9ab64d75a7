// SPDX-License-Identifier: Apache-2.0
// Streams and events of a device: the GPU, or the emulator in its place. There is no default stream.
//
// Threads: several threads may submit work to one stream; its order is then the order of their calls. Only
// one thread at a time may create, move or destroy an object, or record an Event.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bobbin/export.h"
#include "bobbin/status.hpp"
#include "bobbin/types.hpp"

namespace bobbin {

// A non-owning stream handle. The emulator's streams have no handle: its work is done when the call returns.
class BOBBIN_API StreamView {
 public:
  StreamView(Backend backend, void* handle) : backend_(backend), handle_(handle) {}

  [[nodiscard]] Backend backend() const { return backend_; }
  [[nodiscard]] void* handle() const { return handle_; }
  // Waits until everything submitted so far is done.
  [[nodiscard]] Status synchronize() const;

 private:
  Backend backend_;
  void* handle_;
};

class BOBBIN_API Stream {
 public:
  // Fails with `unavailable` if the backend is not in this build, or if it is `cuda` and there is no GPU or
  // no driver.
  static Result<Stream> create(Backend backend);

  Stream(Stream&& other) noexcept : view_(std::exchange(other.view_, {Backend::cpu, nullptr})) {}
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  [[nodiscard]] StreamView view() const { return view_; }

 private:
  explicit Stream(StreamView view) : view_(view) {}

  StreamView view_;
};

// A point in a stream's work. On the emulator it is a timestamp of the host's clock.
class BOBBIN_API Event {
 public:
  static Result<Event> create(Backend backend);

  Event(Event&& other) noexcept
      : backend_(other.backend_), handle_(std::exchange(other.handle_, nullptr)), host_ms_(other.host_ms_) {}
  Event& operator=(Event&& other) noexcept;
  ~Event();

  [[nodiscard]] Status record(StreamView stream);
  // Waits for the event.
  [[nodiscard]] Status synchronize() const;
  // Milliseconds from `start` to this event. Both must have completed.
  [[nodiscard]] Result<double> elapsed_ms_since(const Event& start) const;

 private:
  Event(Backend backend, void* handle) : backend_(backend), handle_(handle) {}

  Backend backend_;
  void* handle_;
  double host_ms_ = 0;
};

struct GpuInfo {
  std::string name;
  int compute_major = 0;
  int compute_minor = 0;
  int num_sms = 0;
  size_t memory_bytes = 0;
  size_t l2_bytes = 0;
};

// All GPUs that this process can use. Fails with `unavailable` and the reason if there is none.
[[nodiscard]] BOBBIN_API Result<std::vector<GpuInfo>> list_gpus();

}  // namespace bobbin
