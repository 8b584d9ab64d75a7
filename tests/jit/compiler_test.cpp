// SPDX-License-Identifier: Apache-2.0
#include "jit/compiler.hpp"

#include <chrono>
#include <cstring>

#include "jit/headers.hpp"
#include "support.hpp"

namespace bobbin::jit {
namespace {

// All functions of the Cta that need no special hardware, and what kernels use of the standard library.
constexpr const char* kSource =
    "#include \"simt/cuda_kernel.cuh\"\n"
    "#include \"core/bit_scan.hpp\"\n"
    "#include \"simt/warp_sum.hpp\"\n"
    R"(

struct SumKernel {
  static constexpr uint32_t kThreads = 128;
  struct Shared {
    bobbin::simt::Shared<uint32_t, 4> sums;
  };

  bobbin::simt::Global<const uint32_t> in;
  bobbin::simt::Global<uint64_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    constexpr auto kRelaxed = bobbin::simt::Order::relaxed;
    auto& shared = cta.template shared<Shared>();
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    const uint32_t value = i < in.size ? cta.load(in, i) : 0;
    cta.store(shared.sums, cta.warp(), cta.reduce_add(value + bobbin::trailing_zeros(value)));
    cta.sync();
    if (cta.lane() == 0) {
      cta.template atomic_add<kRelaxed>(out, 0, uint64_t{cta.load(shared.sums, cta.warp())});
      cta.template atomic_max<kRelaxed>(out, 1, uint64_t{value});
      const uint64_t seen = cta.template atomic_load<bobbin::simt::Order::acquire>(out, 0);
      cta.template atomic_or<kRelaxed>(out, 2, seen);
    }
  }
};
BOBBIN_ENTRY(SumKernel)
)";

TEST(JitCompiler, CompilesForEachArchitecture) {
  BOBBIN_NEEDS_NVRTC();
  for (const int sm : {80, 90, 100}) {
    const auto start = std::chrono::steady_clock::now();
    const auto code = compile(kSource, sm);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(code.has_value()) << code.error().message();
    EXPECT_EQ(std::memcmp(code->data(),
                          "\x7f"
                          "ELF",
                          4),
              0);
    std::printf("sm_%d: %zu bytes in %.0f ms\n", sm, code->size(), took.count());
  }
}

TEST(JitCompiler, TheSameSourceGivesTheSameCode) {
  BOBBIN_NEEDS_NVRTC();
  const auto first = compile(kSource, 90);
  const auto second = compile(kSource, 90);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(*first, *second);
}

TEST(JitCompiler, ASyntaxErrorIsReportedWithItsLine) {
  BOBBIN_NEEDS_NVRTC();
  const auto code = compile("#include <cstdint>\nuint32_t f() {\n  return unknown_name;\n}\n", 90);
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error().code(), StatusCode::invalid_argument);
  EXPECT_NE(code.error().message().find("kernel.cu(3)"), std::string::npos) << code.error().message();
  EXPECT_NE(code.error().message().find("unknown_name"), std::string::npos) << code.error().message();
}

TEST(JitCompiler, AnUnknownArchitectureIsUnsupported) {
  BOBBIN_NEEDS_NVRTC();
  const auto code = compile(kSource, 999);
  ASSERT_FALSE(code.has_value());
  EXPECT_EQ(code.error().code(), StatusCode::unsupported) << code.error().message();
}

TEST(JitCompiler, HeadersAreEmbedded) {
  bool found = false;
  for (const Header& header : headers()) {
    found = found || std::string_view(header.name) == "simt/cuda_cta.cuh";
    EXPECT_GT(std::strlen(header.text), 0U) << header.name;
  }
  EXPECT_TRUE(found);
}

// Run by the next test, in a process whose BOBBIN_NVRTC names nothing.
TEST(JitCompiler, DISABLED_ReportsTheMissingLibrary) {
  for (int i = 0; i < 2; ++i) {
    const auto code = compile(kSource, 90);
    ASSERT_FALSE(code.has_value());
    EXPECT_EQ(code.error().code(), StatusCode::unavailable);
    EXPECT_NE(code.error().message().find("libnvrtc"), std::string::npos) << code.error().message();
    EXPECT_NE(code.error().message().find("/nowhere/libnvrtc.so"), std::string::npos)
        << code.error().message();
  }
}
TEST(JitCompiler, AMissingLibraryIsAnError) {
  EXPECT_EQ(std::system(
                run_test("BOBBIN_NVRTC=/nowhere/libnvrtc.so", "JitCompiler.DISABLED_ReportsTheMissingLibrary")
                    .c_str()),
            0);
}

}  // namespace
}  // namespace bobbin::jit
