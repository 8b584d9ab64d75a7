// SPDX-License-Identifier: Apache-2.0
// Compiled kernels, in memory and in a folder that processes share.
//
// Threads: any number may use a Cache. A kernel is compiled once per process, however many threads ask for
// it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "bobbin/status.hpp"
#include "jit/folder.hpp"

namespace bobbin::jit {

// A kernel's machine code, as compile() returns it.
using Cubin = std::shared_ptr<const std::vector<std::byte>>;

class Cache {
 public:
  // How often each way was taken, for tests and reports.
  struct Counts {
    uint64_t compiled = 0;
    uint64_t from_folder = 0;
  };

  explicit Cache(FolderOptions options) : folder_(std::move(options)) {}
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  // Waits for a kernel that is being compiled.
  ~Cache();

  // The one of this process, in the folder that the environment names (folder.hpp).
  [[nodiscard]] static Cache& of_process();

  // Waits for the compiler if need be. Errors are those of compile(); one for a source is remembered.
  [[nodiscard]] Result<Cubin> get(std::string_view source, int sm);
  // Does not wait: null if the kernel is not ready. A thread of the cache is then compiling it, so a later
  // call finds it.
  [[nodiscard]] Result<Cubin> request(std::string_view source, int sm);
  // Null if the kernel is neither in memory nor in the folder. Nothing is compiled.
  [[nodiscard]] Result<Cubin> find(std::string_view source, int sm);

  [[nodiscard]] Counts counts() const;

 private:
  enum class State : uint8_t { fresh, missing /* in the folder */, busy, done };
  struct Entry {
    std::string source;
    int sm = 0;
    State state = State::fresh;
    bool queued = false;
    Cubin cubin;
    Status error;
  };
  using EntryPointer = std::shared_ptr<Entry>;
  using Lock = std::unique_lock<std::mutex>;

  EntryPointer entry_of(std::string_view source, int sm);
  // Both release the lock while they work, with the entry `busy`. The first leaves it `missing` or `done`; it
  // does not load the compiler's library.
  void look_up(Entry& entry, Lock& lock);
  void compile_now(Entry& entry, Lock& lock);
  void finish(Entry& entry, Result<std::vector<std::byte>> code);
  [[nodiscard]] static Result<Cubin> outcome(const Entry& entry);
  void start_worker(Lock& lock);
  void work();
  // Waits for the thread that compiles; nothing is requested any more.
  void stop();

  Folder folder_;
  mutable std::mutex mutex_;  // of everything below
  std::condition_variable changed_;
  std::unordered_map<std::string, EntryPointer> entries_;
  std::deque<EntryPointer> queue_;
  std::thread worker_;  // started by the first request
  bool worker_is_ready_ = false;
  bool stop_ = false;
  Counts counts_;
};

}  // namespace bobbin::jit
