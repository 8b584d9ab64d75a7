// SPDX-License-Identifier: Apache-2.0
#include "core/crew.hpp"

#include <unistd.h>

#include <utility>

namespace bobbin {
namespace {

struct Kept {
  std::mutex mutex;
  std::unique_ptr<Crew> crew;
  pid_t process = ::getpid();
};

// Never destroyed: its threads wait until the process ends.
Kept& kept() {
  static auto* const one = new Kept;
  return *one;
}

}  // namespace

// Waits for no other thread: after a fork, the one that has the lock may not exist.
std::unique_ptr<Crew> borrow_crew(unsigned size) {
  Kept& keeper = kept();
  if (const std::unique_lock lock(keeper.mutex, std::try_to_lock); lock.owns_lock()) {
    if (keeper.process != ::getpid()) {
      keeper.process = ::getpid();
      static_cast<void>(keeper.crew.release());  // its threads did not come along
    }
    if (keeper.crew != nullptr && keeper.crew->size() >= size) {
      return std::move(keeper.crew);
    }
  }
  return std::make_unique<Crew>(size);
}

void keep_crew(std::unique_ptr<Crew> crew) {
  Kept& keeper = kept();
  if (const std::unique_lock lock(keeper.mutex, std::try_to_lock); lock.owns_lock()) {
    if (keeper.crew == nullptr || keeper.crew->size() < crew->size()) {
      keeper.crew.swap(crew);
    }
  }
}

}  // namespace bobbin
