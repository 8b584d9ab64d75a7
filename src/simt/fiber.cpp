// SPDX-License-Identifier: Apache-2.0
#include "simt/fiber.hpp"

#include <sys/mman.h>

#include <new>
#include <vector>

// The sanitizers' fiber interfaces; null unless their runtime is linked in.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** save, const void* bottom, size_t size);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* saved, const void** bottom, size_t* size);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* begin, size_t size);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
}

namespace bobbin::simt::emulator {
namespace {

constexpr unsigned kNoSynchronisation = 1;

// Fibers end inside functions, which leaves AddressSanitizer's marks on their stacks: they must be cleared
// before the memory is reused.
void forget_marks(const void* begin, size_t size) {
  if (__asan_unpoison_memory_region != nullptr) {
    __asan_unpoison_memory_region(begin, size);
  }
}

}  // namespace

namespace {

void release_pages(std::byte* data, size_t bytes) {
  forget_marks(data, bytes);  // a shared library may be loaded at this address next
  munmap(data, bytes);
}

struct Mapping {
  std::byte* data;
  size_t bytes;
};

// Memory of earlier launches on this system thread: mapping it again, page by page, would take as long as a
// short kernel. (ThreadSanitizer must forget what earlier fibers did there: it gets new pages.)
class KeptPages {
 public:
  KeptPages() = default;
  KeptPages(const KeptPages&) = delete;
  KeptPages& operator=(const KeptPages&) = delete;
  ~KeptPages() {
    for (const Mapping& mapping : mappings_) {
      release_pages(mapping.data, mapping.bytes);
    }
  }

  // The smallest that is large enough, or null.
  [[nodiscard]] Mapping take(size_t bytes) {
    auto best = mappings_.end();
    for (auto it = mappings_.begin(); it != mappings_.end(); ++it) {
      if (it->bytes >= bytes && (best == mappings_.end() || it->bytes < best->bytes)) {
        best = it;
      }
    }
    if (best == mappings_.end()) {
      return {nullptr, bytes};
    }
    const Mapping taken = *best;
    mappings_.erase(best);
    return taken;
  }

  void keep(std::byte* data, size_t bytes) {
    if (__tsan_create_fiber != nullptr || bytes > kMaxBytes) {
      release_pages(data, bytes);
      return;
    }
    mappings_.push_back({data, bytes});
    if (mappings_.size() > kMaxMappings) {
      release_pages(mappings_.front().data, mappings_.front().bytes);
      mappings_.erase(mappings_.begin());
    }
  }

 private:
  // Only pages that stacks have reached take memory.
  static constexpr size_t kMaxMappings = 8;
  static constexpr size_t kMaxBytes = size_t{160} << 20;
  std::vector<Mapping> mappings_;
};

KeptPages& kept_pages() {
  thread_local KeptPages kept;
  return kept;
}

}  // namespace

Pages::Pages(size_t bytes) {
  const Mapping kept = kept_pages().take(bytes);
  data_ = kept.data;
  size_ = kept.bytes;
  if (data_ == nullptr) {
    void* data =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) {
      throw std::bad_alloc();
    }
    data_ = static_cast<std::byte*>(data);
  }
  forget_marks(data_, bytes);
}

Pages::~Pages() {
  if (data_ != nullptr) {
    kept_pages().keep(data_, size_);
  }
}

namespace {

// ThreadSanitizer has room for 8128 contexts.
constexpr size_t kMaxKept = 4096;

struct KeptContexts {
  KeptContexts() = default;
  KeptContexts(const KeptContexts&) = delete;
  KeptContexts& operator=(const KeptContexts&) = delete;
  ~KeptContexts() {
    for (void* const context : contexts) {
      __tsan_destroy_fiber(context);
    }
  }
  std::vector<void*> contexts;
};

KeptContexts& kept_contexts() {
  thread_local KeptContexts kept;
  return kept;
}

}  // namespace

RaceContext::~RaceContext() {
  if (context_ == nullptr) {
    return;
  }
  std::vector<void*>& kept = kept_contexts().contexts;
  if (may_be_kept_ && kept.size() < kMaxKept) {
    kept.push_back(context_);
  } else {
    __tsan_destroy_fiber(context_);
  }
}

void RaceContext::obtain() {
  if (context_ != nullptr || __tsan_create_fiber == nullptr) {
    return;
  }
  std::vector<void*>& kept = kept_contexts().contexts;
  if (kept.empty()) {
    context_ = __tsan_create_fiber(0);
  } else {
    context_ = kept.back();
    kept.pop_back();
  }
}

void* Fiber::current_races() {
  return __tsan_get_current_fiber == nullptr ? nullptr : __tsan_get_current_fiber();
}

void Fiber::switch_races(void* context) {
  if (context != nullptr) {
    __tsan_switch_to_fiber(context, kNoSynchronisation);
  }
}

void Fiber::adopt_current() {
  races_ = current_races();
}

void Fiber::start(std::byte* stack, size_t size, void (*entry)(void*), void* argument) {
  stack_ = stack;
  stack_size_ = size;
  entry_ = entry;
  argument_ = argument;
  own_races_.obtain();
  own_races_.may_be_kept(false);
  races_ = own_races_.get();
  forget_marks(stack, size);
  // The stack grows downwards from its end.
  context_ = boost::context::detail::make_fcontext(stack + size, size, &Fiber::enter);
}

// Records where the previous fiber stopped, and returns it.
Fiber& Fiber::arrive(const boost::context::detail::transfer_t& arrival) {
  Fiber& from = *static_cast<const Change*>(arrival.data)->from;
  from.context_ = arrival.fctx;
  return from;
}

void Fiber::enter(boost::context::detail::transfer_t arrival) {
  Fiber* const self = static_cast<const Change*>(arrival.data)->to;
  Fiber& from = arrive(arrival);
  if (__sanitizer_finish_switch_fiber != nullptr) {
    const void* bottom = nullptr;
    size_t size = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
    // The bounds of the scheduler's own stack are learned here, at the first switch away from it.
    if (from.stack_ == nullptr) {
      from.stack_ = static_cast<std::byte*>(const_cast<void*>(bottom));
      from.stack_size_ = size;
    }
  }
  self->entry_(self->argument_);
}

void Fiber::change(Fiber& from, Fiber& to) {
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(&from.fake_stack_, to.stack_, to.stack_size_);
  }
  switch_races(to.races_);
  Change change{&from, &to};
  arrive(boost::context::detail::jump_fcontext(to.context_, &change));
  if (__sanitizer_finish_switch_fiber != nullptr) {
    __sanitizer_finish_switch_fiber(from.fake_stack_, nullptr, nullptr);
  }
}

}  // namespace bobbin::simt::emulator
