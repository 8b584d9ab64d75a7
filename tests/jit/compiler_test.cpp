// SPDX-License-Identifier: Apache-2.0
#include "jit/compiler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

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

// The shims agree with the standard library: the same source is compiled by both.
#define BOBBIN_SHIM_CHECKS                                                                                   \
  static_assert(std::is_same_v<std::make_signed_t<uint64_t>, int64_t>);                                      \
  static_assert(std::is_same_v<std::make_unsigned_t<int8_t>, uint8_t>);                                      \
  static_assert(std::is_same_v<std::conditional_t<false, int, float>, float>);                               \
  static_assert(std::is_same_v<std::remove_const_t<const int>, int>);                                        \
  static_assert(std::is_same_v<std::remove_cvref_t<const int&>, int>);                                       \
  static_assert(std::is_signed_v<int8_t> && std::is_signed_v<double> && !std::is_signed_v<uint8_t>);         \
  static_assert(std::is_unsigned_v<uint16_t> && std::is_unsigned_v<bool> && !std::is_unsigned_v<float>);     \
  static_assert(std::is_integral_v<const char> && !std::is_integral_v<float>);                               \
  static_assert(std::is_floating_point_v<float> && !std::is_floating_point_v<int>);                          \
  static_assert(std::same_as<int, int> && std::convertible_to<int, long>);                                   \
  static_assert(!std::convertible_to<int*, float> && std::unsigned_integral<uint32_t>);                      \
  static_assert(std::numeric_limits<int8_t>::max() == 127 && std::numeric_limits<int8_t>::min() == -128);    \
  static_assert(std::numeric_limits<uint16_t>::max() == 65535 && std::numeric_limits<uint16_t>::min() == 0); \
  static_assert(std::numeric_limits<int64_t>::max() == INT64_MAX);                                           \
  static_assert(std::numeric_limits<int64_t>::min() == INT64_MIN);                                           \
  static_assert(std::numeric_limits<uint64_t>::max() == UINT64_MAX);                                         \
  static_assert(std::numeric_limits<uint32_t>::digits == 32 && std::numeric_limits<int32_t>::digits == 31);  \
  static_assert(std::numeric_limits<float>::digits == 24 && std::numeric_limits<double>::digits == 53);      \
  static_assert(std::bit_cast<uint32_t>(std::numeric_limits<float>::infinity()) == 0x7f800000);              \
  static_assert(std::bit_cast<uint64_t>(std::numeric_limits<double>::lowest()) == 0xffefffffffffffff);       \
  static_assert(std::popcount(0xf0U) == 4 && std::popcount(uint64_t{0}) == 0);                               \
  static_assert(std::countl_zero(uint8_t{1}) == 7 && std::countl_zero(0U) == 32);                            \
  static_assert(std::countr_zero(8U) == 3 && std::countr_zero(uint64_t{0}) == 64);                           \
  static_assert(std::countr_zero(uint8_t{0x80}) == 7 && std::countr_zero(uint16_t{0}) == 16);                \
  static_assert(std::bit_width(255U) == 8 && std::bit_ceil(5U) == 8 && std::bit_ceil(0U) == 1);              \
  static_assert(std::has_single_bit(64U) && !std::has_single_bit(0U));                                       \
  static_assert(std::min(1, 2) == 1 && std::max(1, 2) == 2 && std::clamp(5, 1, 3) == 3);                     \
  static_assert(std::is_same_v<std::make_index_sequence<3>, std::index_sequence<0, 1, 2>>);                  \
  static_assert(std::array<int, 3>{1, 2, 3}[1] == 2 && std::array<int, 3>{}.size() == 3);                    \
  static_assert(std::integral_constant<int, 5>{}() == 5 && std::true_type::value);                           \
  static_assert(std::endian::native == std::endian::little && sizeof(std::byte) == 1);
BOBBIN_SHIM_CHECKS
#define BOBBIN_TEXT_INNER(...) #__VA_ARGS__
#define BOBBIN_TEXT(...) BOBBIN_TEXT_INNER(__VA_ARGS__)

TEST(JitCompiler, ShimsAgreeWithTheStandardLibrary) {
  BOBBIN_NEEDS_NVRTC();
  std::string source;
  for (const Header& header : headers()) {
    if (std::strchr(header.name, '.') == nullptr) {  // as headers of the standard library are called
      source += "#include <" + std::string(header.name) + ">\n";
    }
  }
  const auto code = compile(source + BOBBIN_TEXT(BOBBIN_SHIM_CHECKS), 90);
  EXPECT_TRUE(code.has_value()) << code.error().message();
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
