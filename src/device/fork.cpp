// SPDX-License-Identifier: Apache-2.0
#include "device/fork.hpp"

#include <utility>

#include "device/cuda_api.hpp"

namespace bobbin {

Result<Fork> Fork::create(StreamView stream, uint32_t branches) {
  Fork fork(stream);
  if (stream.backend() != Backend::cuda || branches <= 1) {
    return fork;
  }
  BOBBIN_ASSIGN(fork.event_, cuda_api::event_create());
  BOBBIN_TRY(cuda_api::event_record(fork.event_, stream.handle()));
  for (uint32_t i = 1; i < branches; ++i) {
    BOBBIN_ASSIGN(Stream other, Stream::create(stream.backend()));
    BOBBIN_TRY(cuda_api::stream_wait(other.view().handle(), fork.event_));
    fork.others_.push_back(std::move(other));
  }
  return fork;
}

Fork::Fork(Fork&& other) noexcept
    : stream_(other.stream_),
      others_(std::move(other.others_)),
      event_(std::exchange(other.event_, nullptr)) {}

Fork::~Fork() {
  if (event_ != nullptr) {
    static_cast<void>(join());
    cuda_api::event_destroy(event_);
  }
}

Status Fork::join() {
  for (const Stream& other : std::exchange(others_, {})) {
    BOBBIN_TRY(cuda_api::event_record(event_, other.view().handle()));
    BOBBIN_TRY(cuda_api::stream_wait(stream_.handle(), event_));
  }
  return {};
}

}  // namespace bobbin
