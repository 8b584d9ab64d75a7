// SPDX-License-Identifier: Apache-2.0
#include "file/unfinished.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "bobbin/io.hpp"

namespace bobbin::file {
namespace {

constexpr size_t kLongestName = 63;
constexpr size_t kMostFiles = 256;

// A signal handler may interrupt any step, and run in another thread: what it reads is published by `state`.
struct UnfinishedFile {
  enum State : uint8_t { free, changing, kept };

  std::atomic<State> state = free;
  int directory = -1;
  std::array<char, kLongestName + 1> name{};
};

std::array<UnfinishedFile, kMostFiles> unfinished;
std::atomic<bool> is_ending = false;
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<UnfinishedFile::State>::is_always_lock_free);

}  // namespace

size_t note_unfinished(int directory, const std::string& name) {
  if (name.size() > kLongestName) {
    return kMostFiles;
  }
  for (size_t i = 0; i < kMostFiles; ++i) {
    UnfinishedFile& file = unfinished[i];
    auto expected = UnfinishedFile::free;
    if (!file.state.compare_exchange_strong(expected, UnfinishedFile::changing)) {
      continue;
    }
    file.directory = directory;
    file.name.fill('\0');
    std::ranges::copy(name, file.name.begin());
    file.state = UnfinishedFile::kept;
    while (is_ending) {  // another thread is ending the process: nothing new is created
      ::pause();
    }
    return i;
  }
  return kMostFiles;
}

void forget_unfinished(size_t number) {
  if (number < kMostFiles) {
    unfinished[number].state = UnfinishedFile::free;
  }
}

void remove_unfinished() {
  is_ending = true;
  for (const UnfinishedFile& file : unfinished) {
    if (file.state == UnfinishedFile::kept) {
      (void)::unlinkat(file.directory, file.name.data(), 0);
    }
  }
}

}  // namespace bobbin::file
