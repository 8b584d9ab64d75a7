// SPDX-License-Identifier: Apache-2.0
// Kernels compiled at run time, on the GPU.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "bobbin/memory.hpp"
#include "jit/kernel.hpp"
#include "simt/cta.hpp"
#include "tests/jit/support.hpp"

namespace bobbin::jit {
namespace {

// `Scratch` values of shared memory, most of them unused. Adds `kPlus` to each value.
std::string source_of(uint32_t plus, uint32_t scratch) {
  return "#include \"simt/cuda_kernel.cuh\"\n"
         "constexpr uint32_t kPlus = " +
         std::to_string(plus) + ";\nconstexpr uint32_t kScratch = " + std::to_string(scratch) + R"(;
struct SumKernel {
  static constexpr uint32_t kThreads = 128;
  struct Shared {
    bobbin::simt::Shared<uint32_t, kScratch> sums;
  };

  bobbin::simt::Global<const uint32_t> in;
  bobbin::simt::Global<uint64_t> out;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    constexpr auto kRelaxed = bobbin::simt::Order::relaxed;
    auto& shared = cta.template shared<Shared>();
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    const uint32_t at = kScratch - 1 - cta.warp();
    cta.store(shared.sums, at, cta.reduce_add(i < in.size ? cta.load(in, i) + kPlus : 0));
    cta.sync_warp();
    if (cta.lane() == 0) {
      cta.template atomic_add<kRelaxed>(out, 0, uint64_t{cta.load(shared.sums, at)});
      cta.template atomic_max<kRelaxed>(out, 1, uint64_t{cta.block()});
    }
  }
};
BOBBIN_ENTRY(SumKernel)
)";
}

// The kernel's struct as the host has it.
struct Arguments {
  simt::Global<const uint32_t> in;
  simt::Global<uint64_t> out;
};

template <class T>
T take(Result<T> result) {
  EXPECT_TRUE(result.has_value()) << result.error().message();
  return std::move(*result);
}

class GpuJit : public ::testing::Test {
 protected:
  static constexpr uint32_t kValues = 1'000'003;
  static constexpr uint64_t kBlocks = (kValues + 127) / 128;

  void SetUp() override { BOBBIN_NEEDS_NVRTC(); }

  // What the kernel leaves: the sum and the last block.
  std::vector<uint64_t> run(const Kernel& kernel, uint32_t shared_bytes) {
    std::vector<uint32_t> values(kValues);
    std::iota(values.begin(), values.end(), 0U);
    std::vector<uint64_t> totals(2, 0);
    const DeviceBuffer in = take(DeviceBuffer::create(kValues * sizeof(uint32_t), stream_.view()));
    const DeviceBuffer out = take(DeviceBuffer::create(sizeof(uint64_t) * 2, stream_.view()));
    EXPECT_TRUE(copy_async(in.data(), values.data(), in.size(), stream_.view()).ok());
    EXPECT_TRUE(copy_async(out.data(), totals.data(), out.size(), stream_.view()).ok());
    const Arguments arguments{{in.as<const uint32_t>(), kValues}, {out.as<uint64_t>(), 2}};
    const Status launched = kernel.launch({.blocks = kBlocks, .threads = 128, .shared_bytes = shared_bytes},
                                          arguments, stream_.view());
    EXPECT_TRUE(launched.ok()) << launched.message();
    EXPECT_TRUE(copy_async(totals.data(), out.data(), out.size(), stream_.view()).ok());
    EXPECT_TRUE(stream_.view().synchronize().ok());
    return totals;
  }
  static std::vector<uint64_t> expected(uint64_t plus) {
    return {uint64_t{kValues} * (kValues - 1) / 2 + plus * kValues, kBlocks - 1};
  }

  Stream stream_ = take(Stream::create(Backend::cuda));
};

TEST_F(GpuJit, RunsACompiledKernel) {
  Cache cache(FolderOptions{});
  const Kernel* const kernel = take(get_kernel(cache, source_of(3, 4)));
  EXPECT_EQ(run(*kernel, 16), expected(3));
  EXPECT_EQ(take(get_kernel(cache, source_of(3, 4))), kernel);
  const uint32_t resident = take(kernel->resident_blocks({.threads = 128, .shared_bytes = 16}));
  EXPECT_GE(resident, 16U);
}

TEST_F(GpuJit, KernelsMayHaveMuchSharedMemory) {
  Cache cache(FolderOptions{});
  const Kernel* const kernel = take(get_kernel(cache, source_of(5, 16000)));
  EXPECT_EQ(run(*kernel, 64000), expected(5));
  EXPECT_LT(take(kernel->resident_blocks({.threads = 128, .shared_bytes = 64000})),
            take(kernel->resident_blocks({.threads = 128, .shared_bytes = 1024})));
}

TEST_F(GpuJit, ARequestedKernelIsReadyLater) {
  Cache cache(FolderOptions{});
  const Kernel* kernel = take(request_kernel(cache, source_of(7, 4)));
  EXPECT_EQ(kernel, nullptr);
  while (kernel == nullptr) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kernel = take(request_kernel(cache, source_of(7, 4)));
  }
  EXPECT_EQ(run(*kernel, 16), expected(7));
}

TEST_F(GpuJit, WrongArgumentsAreRefused) {
  Cache cache(FolderOptions{});
  const Kernel* const kernel = take(get_kernel(cache, source_of(3, 4)));
  const LaunchShape shape{.blocks = 1, .threads = 128, .shared_bytes = 16};
  EXPECT_EQ(kernel->launch(shape, uint64_t{0}, stream_.view()).code(), StatusCode::invalid_argument);
  const StreamView emulated(Backend::emulator, nullptr);
  EXPECT_EQ(kernel->launch(shape, Arguments{}, emulated).code(), StatusCode::invalid_argument);
  EXPECT_TRUE(kernel->launch({.blocks = 0, .threads = 128}, Arguments{}, stream_.view()).ok());
  EXPECT_EQ(run(*kernel, 16), expected(3));  // no error was left
}

TEST_F(GpuJit, SourcesWithoutTheEntryPointAreRefused) {
  Cache cache(FolderOptions{});
  EXPECT_FALSE(get_kernel(cache, "extern \"C\" __global__ void other(int* p) { *p = 1; }").has_value());
  EXPECT_EQ(run(*take(get_kernel(cache, source_of(3, 4))), 16), expected(3));
}

// Run by the next test, in two processes.
TEST_F(GpuJit, DISABLED_OfANewProcess) {
  const bool known = std::getenv("BOBBIN_JIT_ALL_KNOWN") != nullptr;
  ASSERT_TRUE(stream_.view().synchronize().ok());  // CUDA starts
  const auto start = std::chrono::steady_clock::now();
  Cache& cache = Cache::of_process();
  const Kernel* const kernel = take(get_kernel(cache, source_of(11, 4)));
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(run(*kernel, 16), expected(11));
  std::fprintf(stderr, "%s: %.2f ms\n", known ? "from the folder and loaded" : "compiled and loaded",
               took.count());
  EXPECT_EQ(cache.counts().from_folder, known ? 1U : 0U);
  EXPECT_EQ(cache.counts().compiled, known ? 0U : 1U);
}
TEST_F(GpuJit, ASecondProcessDoesNotCompile) {
  const TestFolder where;
  const std::string child =
      run_test("BOBBIN_CACHE_DIR='" + where.path() + "'", "GpuJit.DISABLED_OfANewProcess");
  EXPECT_EQ(std::system(child.c_str()), 0);
  EXPECT_EQ(std::system(("BOBBIN_JIT_ALL_KNOWN=1 " + child).c_str()), 0);
}

}  // namespace
}  // namespace bobbin::jit
