// SPDX-License-Identifier: Apache-2.0
#include "core/crew.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace bobbin
