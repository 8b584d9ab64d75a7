// SPDX-License-Identifier: Apache-2.0
// Back ends that a build does not have: the error says how to get them.
#include <gtest/gtest.h>

#include "bobbin/stream.hpp"
#include "device/backends.hpp"

namespace bobbin {
namespace {

TEST(Backends, AMissingOneSaysHowToGetIt) {
  EXPECT_EQ(missing_backend(Backend::emulator).message(),
            "the emulator backend is not in this build; configure with -DBOBBIN_EMULATOR=ON");
  EXPECT_EQ(missing_backend(Backend::cuda).code(), StatusCode::unavailable);
}

TEST(Backends, OnlyThoseOfThisBuildHaveStreams) {
  const Result<Stream> emulator = Stream::create(Backend::emulator);
  EXPECT_EQ(emulator.has_value(), kHasEmulator);
  if (!kHasEmulator) {
    EXPECT_EQ(emulator.error().message(), missing_backend(Backend::emulator).message());
  }
  if (!kHasCuda) {
    EXPECT_EQ(Stream::create(Backend::cuda).error().message(), missing_backend(Backend::cuda).message());
  }
  EXPECT_EQ(Stream::create(Backend::cpu).error().code(), StatusCode::invalid_argument);
}

TEST(Backends, TablesOfMissingOnesAreNull) {
  const auto name = []<Backend kBackend>() { return to_string(kBackend).data(); };
  EXPECT_EQ(on_backend(Backend::cpu, name), nullptr);
  EXPECT_EQ(on_backend(Backend::emulator, name) != nullptr, kHasEmulator);
  EXPECT_EQ(on_backend(Backend::cuda, name) != nullptr, kHasCuda);
}

}  // namespace
}  // namespace bobbin
