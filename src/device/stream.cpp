// SPDX-License-Identifier: Apache-2.0
#include "bobbin/stream.hpp"

#include <chrono>

#include "bobbin/gpu.hpp"
#include "device/backends.hpp"
#include "device/cuda_api.hpp"

namespace bobbin {
namespace {

double host_clock_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Status check_device(Backend backend) {
  BOBBIN_RETURN_IF(backend == Backend::cpu, StatusCode::invalid_argument, "the cpu backend has no streams");
  return has_backend(backend) ? Status{} : missing_backend(backend);
}

}  // namespace

Status StreamView::synchronize() const {
  return backend_ == Backend::cuda ? cuda_api::stream_synchronize(handle_) : Status{};
}

Result<Stream> Stream::create(Backend backend) {
  BOBBIN_TRY(check_device(backend));
  void* handle = nullptr;
  if (backend == Backend::cuda) {
    BOBBIN_ASSIGN(handle, cuda_api::stream_create());
  }
  return Stream(StreamView(backend, handle));
}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(view_, other.view_);
  return *this;
}

Stream::~Stream() {
  if (view_.handle() != nullptr) {
    cuda_api::stream_destroy(view_.handle());
  }
}

Result<Event> Event::create(Backend backend) {
  BOBBIN_TRY(check_device(backend));
  void* handle = nullptr;
  if (backend == Backend::cuda) {
    BOBBIN_ASSIGN(handle, cuda_api::event_create());
  }
  return Event(backend, handle);
}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(backend_, other.backend_);
  std::swap(handle_, other.handle_);
  std::swap(host_ms_, other.host_ms_);
  return *this;
}

Event::~Event() {
  if (handle_ != nullptr) {
    cuda_api::event_destroy(handle_);
  }
}

Status Event::record(StreamView stream) {
  if (backend_ == Backend::cuda) {
    return cuda_api::event_record(handle_, stream.handle());
  }
  host_ms_ = host_clock_ms();
  return {};
}

Status Event::synchronize() const {
  return backend_ == Backend::cuda ? cuda_api::event_synchronize(handle_) : Status{};
}

Result<double> Event::elapsed_ms_since(const Event& start) const {
  if (backend_ == Backend::cuda) {
    return cuda_api::event_elapsed_ms(start.handle_, handle_);
  }
  return host_ms_ - start.host_ms_;
}

Result<std::vector<GpuInfo>> list_gpus() {
  return cuda_api::list_gpus();
}

Result<int> gpu_of(const void* device_memory) {
  return cuda_api::gpu_of(device_memory);
}

Status synchronize_gpu(int gpu) {
  return cuda_api::gpu_synchronize(gpu);
}

Status wait_for_stream(StreamView stream, StreamView other) {
  if (stream.backend() != Backend::cuda || stream.handle() == other.handle()) {
    return {};
  }
  BOBBIN_ASSIGN(void* const event, cuda_api::event_create());
  Status status = cuda_api::event_record(event, other.handle());
  if (status.ok()) {
    status = cuda_api::stream_wait(stream.handle(), event);
  }
  cuda_api::event_destroy(event);  // CUDA keeps it until the wait is over
  return status;
}

Status wait_for_event(StreamView stream, void* cuda_event) {
  return stream.backend() == Backend::cuda ? cuda_api::stream_wait(stream.handle(), cuda_event) : Status{};
}

}  // namespace bobbin
