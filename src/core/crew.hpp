// SPDX-License-Identifier: Apache-2.0
// A pool of persistent threads, for repeated work that takes less time than starting threads would.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace bobbin {

class Crew {
 public:
  // The caller of run() counts as one of them.
  explicit Crew(unsigned size) {
    try {
      for (unsigned member = 1; member < size; ++member) {
        threads_.emplace_back([this, member] { serve(member); });
      }
    } catch (...) {
      dismiss();  // those that were started
      throw;
    }
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { dismiss(); }

  // Calls work(0) .. work(members - 1), each on a separate thread; at most as many as the crew has. Returns
  // when all are done. One call at a time; the work must not throw.
  void run(unsigned members, const std::function<void(unsigned member)>& work) {
    start(members, work);
    if (members != 0) {
      work(0);
    }
    wait();
  }
  // The same without work(0), and without waiting. `work` must exist until wait() returns.
  void start(unsigned members, const std::function<void(unsigned member)>& work) {
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      members_ = members;
      busy_ = std::min(members, size()) - (members == 0 ? 0 : 1);
      ++round_;
    }
    begin_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return busy_ == 0; });
  }
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(threads_.size()) + 1; }

 private:
  void dismiss() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    begin_.notify_all();
  }

  void serve(unsigned member) {
    std::unique_lock lock(mutex_);
    for (uint64_t seen = 0;;) {
      begin_.wait(lock, [&] { return over_ || round_ != seen; });
      if (over_) {
        return;
      }
      seen = round_;
      if (member >= members_) {
        continue;  // nobody waits for it
      }
      const auto& work = *work_;
      lock.unlock();
      work(member);
      lock.lock();
      if (--busy_ == 0) {
        end_.notify_one();
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned members_ = 0;
  unsigned busy_ = 0;  // members that have not finished this round
  uint64_t round_ = 0;
  bool over_ = false;
  std::vector<std::jthread> threads_;  // last member: destroyed before what the threads use
};

// A crew of at least `size` that the process keeps between its uses, or a new one. Throws std::system_error
// if its threads cannot be started.
std::unique_ptr<Crew> borrow_crew(unsigned size);
// One of them is kept.
void keep_crew(std::unique_ptr<Crew> crew);

}  // namespace bobbin
