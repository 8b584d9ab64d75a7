// SPDX-License-Identifier: Apache-2.0
// Results and versions: mistakes in the use of a Result end the process, in every build.
#include "bobbin/status.hpp"

#include <gtest/gtest.h>

#include <string>

#include "bobbin/version.hpp"

namespace bobbin {
namespace {

Result<std::string> made(bool fails) {
  return fails ? Result<std::string>(Status(StatusCode::io, "disk full")) : Result<std::string>("text");
}

TEST(ResultDeathTest, AValueThatIsNotThereAborts) {
  const Result<std::string> failed = made(true);
  EXPECT_DEATH((void)failed.value(), "value of a failed Result was used: i/o error: disk full");
  EXPECT_DEATH((void)failed->size(), "disk full");
  EXPECT_DEATH((void)*made(true), "disk full");
}

TEST(ResultDeathTest, AResultNeedsAnError) {
  EXPECT_DEATH((void)Result<int>(Status()), "made from a Status without an error");
}

TEST(Result, ATemporaryGivesItsValueAway) {
  const std::string& kept = made(false).value();  // lives as long as the reference
  EXPECT_EQ(kept, "text");
  EXPECT_EQ(*made(false), "text");
  EXPECT_TRUE(made(false).error().ok());
}

TEST(Version, MacrosAgree) {
  EXPECT_EQ(std::to_string(BOBBIN_VERSION_MAJOR) + "." + std::to_string(BOBBIN_VERSION_MINOR) + "." +
                std::to_string(BOBBIN_VERSION_PATCH),
            BOBBIN_VERSION);
  EXPECT_EQ(BOBBIN_VERSION_NUMBER,
            BOBBIN_VERSION_MAJOR * 10000 + BOBBIN_VERSION_MINOR * 100 + BOBBIN_VERSION_PATCH);
  EXPECT_LE(kMinReadableFormat, kFormatVersion);
}

}  // namespace
}  // namespace bobbin
