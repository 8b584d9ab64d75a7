// SPDX-License-Identifier: Apache-2.0
#include "jit/cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "jit/compiler.hpp"
#include "jit/known_compiler.hpp"

namespace bobbin::jit {
namespace {

constexpr int kAnyArchitecture = 90;

bool is_main_thread() {
  return ::gettid() == ::getpid();
}

// What a kernel in the folder depends on.
std::string key_of(std::string_view version, const std::string& source, int sm) {
  return compiler_identity(version, sm) + '\n' + source;
}

}  // namespace

Cache& Cache::of_process() {
  static Cache cache(FolderOptions::from_environment());
  return cache;
}

Cache::~Cache() {
  stop();
}

void Cache::stop() {
  std::thread worker;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    worker = std::move(worker_);
  }
  changed_.notify_all();
  if (worker.joinable()) {
    worker.join();
  }
}

Result<Cubin> Cache::get(std::string_view source, int sm) {
  Lock lock(mutex_);
  const EntryPointer entry = entry_of(source, sm);
  while (entry->state != State::done) {
    if (entry->state == State::fresh) {
      look_up(*entry, lock);
    } else if (entry->state == State::missing) {  // even if it is queued: others may be before it
      compile_now(*entry, lock);
    } else {
      changed_.wait(lock);
    }
  }
  return outcome(*entry);
}

Result<Cubin> Cache::find(std::string_view source, int sm) {
  Lock lock(mutex_);
  const EntryPointer entry = entry_of(source, sm);
  if (entry->state == State::fresh) {
    look_up(*entry, lock);
  }
  return entry->state == State::done ? outcome(*entry) : Cubin{};
}

Result<Cubin> Cache::request(std::string_view source, int sm) {
  Lock lock(mutex_);
  const EntryPointer entry = entry_of(source, sm);
  if (entry->state == State::fresh) {
    look_up(*entry, lock);
  }
  if (entry->state == State::missing && !entry->queued) {
    entry->queued = true;
    queue_.push_back(entry);
    changed_.notify_all();
    start_worker(lock);
  }
  return entry->state == State::done ? outcome(*entry) : Cubin{};
}

Cache::Counts Cache::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

Cache::EntryPointer Cache::entry_of(std::string_view source, int sm) {
  EntryPointer& entry = entries_[fmt::format("{}\n{}", sm, source)];
  if (entry == nullptr) {
    entry = std::make_shared<Entry>();
    entry->source = source;
    entry->sm = sm;
  }
  return entry;
}

void Cache::look_up(Entry& entry, Lock& lock) {
  entry.state = State::busy;
  lock.unlock();
  const std::optional<std::string> version = known_compiler_version(folder_);
  std::optional<std::vector<std::byte>> code;
  if (version.has_value()) {
    code = folder_.read(key_of(*version, entry.source, entry.sm));
  }
  lock.lock();
  entry.state = State::missing;
  if (code.has_value()) {
    ++counts_.from_folder;
    finish(entry, std::move(*code));
  }
  changed_.notify_all();
}

void Cache::compile_now(Entry& entry, Lock& lock) {
  entry.state = State::busy;
  lock.unlock();
  // Once the library is loaded its version is certain, and the folder may have the kernel after all: the
  // version was not known before, or another process was faster.
  const Result<std::string> version = loaded_compiler_version(folder_);
  const std::string key = version.has_value() ? key_of(*version, entry.source, entry.sm) : "";
  std::optional<std::vector<std::byte>> found = version.has_value() ? folder_.read(key) : std::nullopt;
  Result<std::vector<std::byte>> code =
      found.has_value() ? Result(std::move(*found)) : compile(entry.source, entry.sm);
  if (!found.has_value() && code.has_value()) {
    folder_.write(key, *code);
  }
  lock.lock();
  ++(found.has_value() ? counts_.from_folder : counts_.compiled);
  finish(entry, std::move(code));
  changed_.notify_all();
}

void Cache::finish(Entry& entry, Result<std::vector<std::byte>> code) {
  entry.state = State::done;
  if (code.has_value()) {
    entry.cubin = std::make_shared<const std::vector<std::byte>>(std::move(*code));
  } else {
    entry.error = code.error();
  }
}

Result<Cubin> Cache::outcome(const Entry& entry) {
  if (!entry.error.ok()) {
    return entry.error;
  }
  return entry.cubin;
}

// When the process ends, the compiler's library closes down, and a thread that compiles then would crash. So
// such a thread must be waited for before that: by a function that is registered with atexit() after the
// library's own, which it registers in its first compilation. Until then, the main thread waits when it ends,
// before any of these functions run; and another thread waits here.
void Cache::start_worker(Lock& lock) {
  if (worker_.joinable() || stop_) {
    return;
  }
  worker_ = std::thread([this] { work(); });
  if (this != &of_process()) {
    return;
  }
  if (is_main_thread()) {
    struct AtEnd {
      ~AtEnd() { of_process().stop(); }
    };
    thread_local const AtEnd at_end;
    static_cast<void>(at_end);
  } else {
    changed_.wait(lock, [&] { return worker_is_ready_; });
  }
}

// The thread that compiles what was requested.
void Cache::work() {
  static_cast<void>(compile("", kAnyArchitecture));
  if (this == &of_process()) {
    static_cast<void>(std::atexit([] { of_process().stop(); }));
  }
  Lock lock(mutex_);
  worker_is_ready_ = true;
  changed_.notify_all();
  while (!stop_) {
    if (queue_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const EntryPointer entry = queue_.front();
    queue_.pop_front();
    if (entry->state == State::missing) {
      compile_now(*entry, lock);
    }
  }
}

}  // namespace bobbin::jit
