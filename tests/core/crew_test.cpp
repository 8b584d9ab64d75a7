// SPDX-License-Identifier: Apache-2.0
#include "core/crew.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <vector>

namespace bobbin {
namespace {

TEST(Crew, EveryMemberWorksOnceARound) {
  for (const unsigned size : {1U, 2U, 5U}) {
    Crew crew(size);
    for (unsigned round = 0; round < 200; ++round) {
      const unsigned members = round % (size + 1);
      std::vector<std::atomic<unsigned>> calls(size);
      crew.run(members, [&](unsigned member) { ++calls[member]; });
      for (unsigned member = 0; member < size; ++member) {
        ASSERT_EQ(calls[member], member < members ? 1U : 0U);
      }
    }
  }
}

TEST(Crew, MayNeverWork) {
  const Crew crew(3);
}

TEST(Crew, WorksWhileTheCallerDoesSomethingElse) {
  Crew crew(4);
  std::atomic<unsigned> called{0};
  const std::function<void(unsigned)> work = [&](unsigned member) { called += member; };
  crew.start(3, work);
  crew.wait();
  EXPECT_EQ(called, 1U + 2U);
}

TEST(Crew, IsKeptForTheNextUse) {
  auto first = borrow_crew(3);
  auto second = borrow_crew(3);  // the first is in use
  EXPECT_NE(first.get(), second.get());
  EXPECT_GE(first->size(), 3U);
  keep_crew(std::move(second));
  keep_crew(std::move(first));  // only one is kept, unless it is larger
  auto again = borrow_crew(2);
  const unsigned size = again->size();
  EXPECT_GE(size, 3U);
  std::atomic<unsigned> calls{0};
  again->run(size, [&](unsigned /*member*/) { ++calls; });
  EXPECT_EQ(calls, size);
  keep_crew(std::move(again));
  EXPECT_GE(borrow_crew(size + 1)->size(), size + 1);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMayFork = false;
#else
constexpr bool kMayFork = true;
#endif

// A process without the threads gets others.
TEST(Crew, IsNotKeptInAChild) {
  if (!kMayFork) {
    GTEST_SKIP() << "sanitizers do not support threads in a child of a process with threads";
  }
  keep_crew(std::make_unique<Crew>(3));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto crew = borrow_crew(2);
    std::atomic<unsigned> calls{0};
    crew->run(2, [&](unsigned /*member*/) { ++calls; });
    ::_exit(calls == 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace bobbin
