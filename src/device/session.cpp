// SPDX-License-Identifier: Apache-2.0
#include "device/session.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <vector>

#include "bobbin/memory.hpp"
#include "device/thread_gpu.hpp"

namespace bobbin {
namespace {

// Two halves, so that the CPU fills one while the other is copied. The bus takes about 80 us for 4 MiB, much
// more than a copy's own cost.
constexpr size_t kHalfBytes = size_t{4} << 20;

// Pinned memory, and the point in the stream's work after which it may be used again.
struct Half {
  PinnedBuffer memory;
  Event done;
  bool busy = false;

  static Result<Half> create(Backend backend) {
    BOBBIN_ASSIGN(PinnedBuffer memory, PinnedBuffer::create(kHalfBytes, backend));
    BOBBIN_ASSIGN(Event done, Event::create(backend));
    return Half{.memory = std::move(memory), .done = std::move(done)};
  }
  Status wait() {
    const bool was_busy = std::exchange(busy, false);
    return was_busy ? done.synchronize() : Status();
  }
  Status mark(StreamView stream) {
    busy = true;
    return done.record(stream);
  }
};

}  // namespace

struct Session::Parts {
  int gpu = 0;
  Stream stream;
  std::array<Half, 2> halves;
};

// Never destroyed: at exit the CUDA runtime may be gone before it.
struct Session::Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Parts>> free;

  static Pool& instance() {
    static Pool* const pool = std::make_unique<Pool>().release();
    return *pool;
  }

  std::unique_ptr<Parts> take(Backend backend, int gpu) {
    const std::scoped_lock lock(mutex);
    const auto found = std::ranges::find_if(free, [&](const std::unique_ptr<Parts>& parts) {
      return parts->stream.view().backend() == backend && parts->gpu == gpu;
    });
    if (found == free.end()) {
      return nullptr;
    }
    std::unique_ptr<Parts> parts = std::move(*found);
    free.erase(found);
    return parts;
  }

  void put(std::unique_ptr<Parts> parts) {
    const std::scoped_lock lock(mutex);
    free.push_back(std::move(parts));
  }
};

Session::Session(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Session::Session(Session&&) noexcept = default;

Session::~Session() {
  if (parts_ != nullptr) {
    Pool::instance().put(std::move(parts_));
  }
}

Result<Session> Session::borrow(Backend backend) {
  BOBBIN_ASSIGN(const int gpu, current_gpu(backend));
  if (std::unique_ptr<Parts> parts = Pool::instance().take(backend, gpu)) {
    return Session(std::move(parts));
  }
  BOBBIN_ASSIGN(Stream stream, Stream::create(backend));
  BOBBIN_ASSIGN(Half first, Half::create(backend));
  BOBBIN_ASSIGN(Half second, Half::create(backend));
  return Session(std::make_unique<Parts>(
      Parts{.gpu = gpu, .stream = std::move(stream), .halves = {std::move(first), std::move(second)}}));
}

StreamView Session::stream() const {
  return parts_->stream.view();
}

Status Session::upload(void* to, std::span<const std::byte> from) {
  auto* target = static_cast<std::byte*>(to);
  for (size_t piece = 0; !from.empty(); ++piece) {
    const auto part = from.first(std::min(from.size(), kHalfBytes));
    Half& half = parts_->halves[piece % 2];
    BOBBIN_TRY(half.wait());
    std::memcpy(half.memory.bytes().data(), part.data(), part.size());
    BOBBIN_TRY(copy_async(target, half.memory.bytes().data(), part.size(), stream()));
    BOBBIN_TRY(half.mark(stream()));
    target += part.size();
    from = from.subspan(part.size());
  }
  return {};
}

Status Session::download(std::span<std::byte> to, const void* from) {
  const auto* source = static_cast<const std::byte*>(from);
  const auto part_of = [&](size_t piece) {
    const size_t begin = std::min(to.size(), piece * kHalfBytes);
    return to.subspan(begin, std::min(to.size() - begin, kHalfBytes));
  };
  // The next piece is transferred while the previous one is copied to its place.
  for (size_t piece = 0; piece == 0 || !part_of(piece - 1).empty(); ++piece) {
    if (const auto part = part_of(piece); !part.empty()) {
      Half& half = parts_->halves[piece % 2];
      BOBBIN_TRY(half.wait());
      BOBBIN_TRY(copy_async(half.memory.bytes().data(), source + piece * kHalfBytes, part.size(), stream()));
      BOBBIN_TRY(half.mark(stream()));
    }
    if (piece > 0) {
      const auto part = part_of(piece - 1);
      Half& half = parts_->halves[(piece - 1) % 2];
      BOBBIN_TRY(half.wait());
      std::memcpy(part.data(), half.memory.bytes().data(), part.size());
    }
  }
  return stream().synchronize();
}

}  // namespace bobbin
