// SPDX-License-Identifier: Apache-2.0
#include "jit/cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "jit/compiler.hpp"
#include "jit/known_compiler.hpp"
#include "support.hpp"
#include "tests/drawn.hpp"

namespace bobbin::jit {
namespace {

namespace fs = std::filesystem;

std::string source_of(int i) {
  return "extern \"C\" __global__ void bobbin_kernel(int* out) { *out = " + std::to_string(i) + "; }\n";
}

std::vector<std::byte> some_bytes(size_t count) {
  std::vector<std::byte> bytes(count);
  for (size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(i * 7);
  }
  return bytes;
}

size_t count_files(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(JitFolder, ReturnsWhatWasWritten) {
  const TestFolder where;
  const Folder folder({.path = where.path() + "/a/b"});
  EXPECT_FALSE(folder.read("key").has_value());
  folder.write("key", some_bytes(1000));
  EXPECT_EQ(folder.read("key"), some_bytes(1000));
  EXPECT_FALSE(folder.read("another").has_value());
  folder.write("key", {});
  EXPECT_EQ(folder.read("key"), std::vector<std::byte>{});
  EXPECT_EQ(count_files(where.path() + "/a/b"), 1U);
}

TEST(JitFolder, RefusesDamagedFiles) {
  const TestFolder where;
  const Folder folder({.path = where.path()});
  const std::string path = folder.path_of("key");
  folder.write("key", some_bytes(100));
  const auto size = static_cast<size_t>(fs::file_size(path));
  for (size_t i = 0; i < size; ++i) {  // one byte changed
    folder.write("key", some_bytes(100));
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(i));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(i));
    file.put(byte);
    file.close();
    EXPECT_FALSE(folder.read("key").has_value()) << "byte " << i;
  }
  for (size_t i = 0; i < size; ++i) {  // too short
    folder.write("key", some_bytes(100));
    fs::resize_file(path, i);
    EXPECT_FALSE(folder.read("key").has_value()) << i << " bytes";
  }
  folder.write("key", some_bytes(100));
  std::ofstream(path, std::ios::app) << "more";
  EXPECT_FALSE(folder.read("key").has_value());
}

TEST(JitFolder, AFileOfAnotherKeyIsNotReturned) {
  const TestFolder where;
  const Folder folder({.path = where.path()});
  folder.write("one", some_bytes(10));
  fs::copy_file(folder.path_of("one"), folder.path_of("two"));
  EXPECT_FALSE(folder.read("two").has_value());
}

TEST(JitFolder, RemovesTheLeastRecentlyUsed) {
  const TestFolder where;
  const Folder folder({.path = where.path(), .most_bytes = 5000});
  const auto set_age = [&](const std::string& key, int minutes) {
    fs::last_write_time(folder.path_of(key),
                        fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
  };
  for (int i = 0; i < 4; ++i) {
    folder.write(std::to_string(i), some_bytes(1100));
    set_age(std::to_string(i), 10 - i);
  }
  EXPECT_TRUE(folder.read("0").has_value());  // now the most recently used
  folder.write("4", some_bytes(1100));
  EXPECT_TRUE(folder.read("0").has_value());
  EXPECT_FALSE(folder.read("1").has_value());
  EXPECT_TRUE(folder.read("4").has_value());
}

TEST(JitFolder, RemovesOldTemporaryFiles) {
  const TestFolder where;
  const Folder folder({.path = where.path()});
  folder.write("key", some_bytes(10));
  const std::string own = "/0123456789abcdef0123456789abcde";
  for (const std::string& name : {own + "0.part", own + "1.part", std::string("/old.part")}) {
    std::ofstream(where.path() + name) << "x";
  }
  for (const std::string& name : {own + "0.part", std::string("/old.part")}) {
    fs::last_write_time(where.path() + name, fs::file_time_type::clock::now() - std::chrono::hours(2));
  }
  folder.write("key", some_bytes(10));
  EXPECT_FALSE(fs::exists(where.path() + own + "0.part"));
  EXPECT_TRUE(fs::exists(where.path() + own + "1.part"));
  EXPECT_TRUE(fs::exists(where.path() + "/old.part")) << "not a name of ours";
}

TEST(JitFolder, RemovesOnlyItsOwnKernels) {
  const TestFolder where;
  const Folder folder({.path = where.path(), .most_bytes = 3000});
  folder.write("0", some_bytes(1000));
  const std::string other = where.path() + "/notes.kernel";
  const std::string elsewhere = where.path() + "-file";
  const std::string link = where.path() + "/0123456789abcdef0123456789abcdef.kernel";
  for (const std::string& path : {other, elsewhere}) {
    std::ofstream(path) << std::string(5000, 'x');
  }
  fs::create_symlink(elsewhere, link);
  for (int i = 1; i < 4; ++i) {
    folder.write(std::to_string(i), some_bytes(1000));
  }
  EXPECT_FALSE(fs::exists(folder.path_of("0")));
  EXPECT_TRUE(fs::exists(folder.path_of("3")));
  EXPECT_TRUE(fs::exists(other) && fs::is_symlink(link) && fs::exists(elsewhere));
  fs::remove(elsewhere);
}

TEST(JitFolder, DoesNotFollowLinks) {
  const TestFolder where;
  const TestFolder outside;
  const Folder folder({.path = where.path()});
  folder.write("key", some_bytes(10));
  fs::rename(folder.path_of("key"), outside.path());
  fs::create_symlink(outside.path(), folder.path_of("key"));
  EXPECT_FALSE(folder.read("key").has_value());
  const auto size = fs::file_size(outside.path());
  folder.write("key", some_bytes(20));  // in place of the link
  EXPECT_EQ(folder.read("key"), some_bytes(20));
  EXPECT_FALSE(fs::is_symlink(folder.path_of("key")));
  EXPECT_EQ(fs::file_size(outside.path()), size);
  // A pipe would make the reader wait.
  fs::remove(folder.path_of("key"));
  ASSERT_EQ(::mkfifo(folder.path_of("key").c_str(), 0600), 0);
  EXPECT_FALSE(folder.read("key").has_value());
}

TEST(JitFolder, AFileThatOthersCanWriteIsNotRead) {
  const TestFolder where;
  const Folder folder({.path = where.path()});
  folder.write("key", some_bytes(10));
  EXPECT_EQ(fs::status(where.path()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder.path_of("key")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  fs::permissions(folder.path_of("key"), fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(folder.read("key").has_value());
}

TEST(JitFolder, DISABLED_OfOthers) {
  const Folder folder(FolderOptions::from_environment());
  for (int i = 0; i < 3; ++i) {
    folder.write("key", some_bytes(10));
    EXPECT_FALSE(folder.read("key").has_value());
  }
}

// Runs the test above with a folder, and returns what it says on stderr.
std::string complaint_about(const std::string& folder) {
  const TestFolder said;
  const std::string command = run_test("BOBBIN_CACHE_DIR='" + folder + "'", "JitFolder.DISABLED_OfOthers");
  EXPECT_EQ(std::system((command + " 2>'" + said.path() + "'").c_str()), 0);
  std::ifstream file(said.path());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(JitFolder, AFolderThatIsNotTheUsersOwnIsNotUsed) {
  const TestFolder where;
  const std::string rest = ": compiled kernels are not kept (BOBBIN_CACHE_DIR names another folder)\n";
  fs::create_directory(where.path());
  for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(where.path(), fs::perms::owner_all | others);
    EXPECT_EQ(complaint_about(where.path()),
              "bobbin: " + where.path() + ": can be written by other users" + rest);
    EXPECT_EQ(count_files(where.path()), 0U);
  }
  fs::permissions(where.path(), fs::perms::owner_all);
  const TestFolder link;
  fs::create_directory_symlink(where.path(), link.path());
  EXPECT_EQ(complaint_about(link.path() + "/"), "bobbin: " + link.path() + ": is a symbolic link" + rest);
  EXPECT_EQ(count_files(where.path()), 0U);
  if (::chown(where.path().c_str(), 1, 1) == 0) {  // only root may
    EXPECT_EQ(complaint_about(where.path()), "bobbin: " + where.path() + ": belongs to another user" + rest);
    EXPECT_EQ(count_files(where.path()), 0U);
  }
}

TEST(JitFolder, AFolderThatCannotBeWrittenIsIgnored) {
  const TestFolder where;
  std::ofstream(where.path()) << "a file";
  for (const std::string& path : {where.path(), where.path() + "/below", std::string("/proc/nowhere")}) {
    const Folder folder({.path = path});
    folder.write("key", some_bytes(10));
    EXPECT_FALSE(folder.read("key").has_value());
  }
}

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    const char* const before = std::getenv(name);
    before_ = before == nullptr ? "" : before;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { before_.empty() ? ::unsetenv(name_) : ::setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

TEST(JitFolder, TheEnvironmentSaysWhere) {
  const Environment home("HOME", "/somebody");
  const Environment xdg("XDG_CACHE_HOME", nullptr);
  const Environment named("BOBBIN_CACHE_DIR", nullptr);
  const Environment off("BOBBIN_CACHE", nullptr);
  EXPECT_EQ(FolderOptions::from_environment().path, "/somebody/.cache/bobbin");
  const Environment xdg_set("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(FolderOptions::from_environment().path, "/x/bobbin");
  const Environment named_set("BOBBIN_CACHE_DIR", "/y");
  EXPECT_EQ(FolderOptions::from_environment().path, "/y");
  const Environment off_set("BOBBIN_CACHE", "off");
  EXPECT_EQ(FolderOptions::from_environment().path, "");
}

TEST(JitCache, CompilesOnceAndThenReadsTheFolder) {
  BOBBIN_NEEDS_NVRTC();
  const TestFolder where;
  Cubin first;
  for (int i = 0; i < 2; ++i) {
    Cache cache({.path = where.path()});
    const auto start = std::chrono::steady_clock::now();
    const auto cubin = cache.get(source_of(1), 90);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(cubin.has_value()) << cubin.error().message();
    std::printf("%s: %.2f ms\n", i == 0 ? "compiled" : "from the folder", took.count());
    EXPECT_EQ(cache.get(source_of(1), 90)->get(), cubin->get());
    EXPECT_EQ(cache.counts().compiled, i == 0 ? 1U : 0U);
    EXPECT_EQ(cache.counts().from_folder, i == 0 ? 0U : 1U);
    first = i == 0 ? *cubin : first;
    EXPECT_EQ(**cubin, *first);
  }
}

TEST(JitCache, ADamagedEntryIsCompiledAgainAndReplaced) {
  BOBBIN_NEEDS_NVRTC();
  const TestFolder where;
  const auto compiled_by_new_cache = [&] {
    Cache cache({.path = where.path()});
    EXPECT_TRUE(cache.get(source_of(2), 90).has_value());
    return cache.counts().compiled;
  };
  EXPECT_EQ(compiled_by_new_cache(), 1U);
  for (const auto& file : fs::directory_iterator(where.path())) {
    fs::resize_file(file.path(), file.file_size() / 2);
  }
  EXPECT_EQ(compiled_by_new_cache(), 1U);
  EXPECT_EQ(compiled_by_new_cache(), 0U);
}

TEST(JitCache, WorksWithoutAFolder) {
  BOBBIN_NEEDS_NVRTC();
  for (int i = 0; i < 2; ++i) {
    Cache cache(FolderOptions{});
    EXPECT_TRUE(cache.get(source_of(3), 90).has_value());
    EXPECT_TRUE(cache.get(source_of(3), 90).has_value());
    EXPECT_EQ(cache.counts().compiled, 1U);
  }
}

TEST(JitCache, KernelsDifferByArchitecture) {
  BOBBIN_NEEDS_NVRTC();
  Cache cache(FolderOptions{});
  const auto one = cache.get(source_of(4), 80);
  const auto other = cache.get(source_of(4), 90);
  ASSERT_TRUE(one.has_value() && other.has_value());
  EXPECT_NE(**one, **other);
}

TEST(JitCache, AnErrorIsRemembered) {
  BOBBIN_NEEDS_NVRTC();
  const TestFolder where;
  Cache cache({.path = where.path()});
  for (int i = 0; i < 2; ++i) {
    const auto cubin = cache.get("not C++", 90);
    ASSERT_FALSE(cubin.has_value());
    EXPECT_EQ(cubin.error().code(), StatusCode::invalid_argument);
  }
  EXPECT_EQ(cache.counts().compiled, 1U);
  EXPECT_LE(count_files(where.path()), 1U);  // the compiler's note
}

TEST(JitCache, RequestDoesNotWait) {
  BOBBIN_NEEDS_NVRTC();
  Cache cache(FolderOptions{});
  for (int i = 0; i < 3; ++i) {
    const auto first = cache.request(source_of(5 + i), 90);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(*first, nullptr);
  }
  for (int i = 0; i < 3; ++i) {
    Cubin found;
    while (found == nullptr) {
      const auto again = cache.request(source_of(5 + i), 90);
      ASSERT_TRUE(again.has_value()) << again.error().message();
      found = *again;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(cache.get(source_of(5 + i), 90)->get(), found.get());
  }
  EXPECT_EQ(cache.counts().compiled, 3U);
}

TEST(JitCache, FindCompilesNothing) {
  BOBBIN_NEEDS_NVRTC();
  Cache cache(FolderOptions{});
  EXPECT_EQ(*cache.find(source_of(4), 90), nullptr);
  EXPECT_EQ(*cache.find(source_of(4), 90), nullptr);
  EXPECT_EQ(cache.counts().compiled, 0U);
  const auto made = cache.get(source_of(4), 90);
  ASSERT_TRUE(made.has_value()) << made.error().message();
  EXPECT_EQ(*cache.find(source_of(4), 90), *made);
  EXPECT_EQ(*cache.find(source_of(4), 80), nullptr);
}

TEST(JitCache, ARequestThatFailsReportsIt) {
  BOBBIN_NEEDS_NVRTC();
  Cache cache(FolderOptions{});
  auto found = cache.request("not C++", 90);
  while (found.has_value()) {
    ASSERT_EQ(*found, nullptr);
    found = cache.request("not C++", 90);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(found.error().code(), StatusCode::invalid_argument);
}

TEST(JitCache, ThreadsCompileAKernelOnce) {
  BOBBIN_NEEDS_NVRTC();
  Cache cache(FolderOptions{});
  std::vector<std::thread> threads;
  std::vector<Cubin> found(8);
  for (size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&cache, &to = found[i], i] {
      if (i % 2 == 0) {
        static_cast<void>(cache.request(source_of(8), 90));
      }
      const auto cubin = cache.get(source_of(8), 90);
      to = cubin.has_value() ? *cubin : nullptr;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const Cubin& cubin : found) {
    EXPECT_NE(cubin, nullptr);
    EXPECT_EQ(cubin, found[0]);
  }
  EXPECT_EQ(cache.counts().compiled, 1U);
}

// Without waiting for what was requested.
TEST(JitCache, EndsWhileItCompiles) {
  BOBBIN_NEEDS_NVRTC();
  Cache cache(FolderOptions{});
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(cache.request(source_of(20 + i), 90).has_value());
  }
}

// Run by the next test, in processes that share a folder.
constexpr int kKernels = 6;
TEST(JitCache, DISABLED_OfAProcess) {
  const bool all_known = std::getenv("BOBBIN_JIT_ALL_KNOWN") != nullptr;
  Cache& cache = Cache::of_process();
  for (int i = 0; i < kKernels; ++i) {
    const auto cubin = cache.get(source_of(i), 90);
    ASSERT_TRUE(cubin.has_value()) << cubin.error().message();
    const auto expected = compile(source_of(i), 90);
    ASSERT_TRUE(expected.has_value());
    EXPECT_EQ(**cubin, *expected);
  }
  if (all_known) {
    EXPECT_EQ(cache.counts().compiled, 0U);
  }
  ASSERT_TRUE(
      cache.request(source_of(1000 + static_cast<int>(::getpid())), 90).has_value());  // ends compiling
}
TEST(JitCache, ProcessesShareAFolder) {
  BOBBIN_NEEDS_NVRTC();
  const TestFolder where;
  const std::string child =
      run_test("BOBBIN_CACHE_DIR='" + where.path() + "'", "JitCache.DISABLED_OfAProcess");
  const std::string both = child + " & first=$!; " + child + " && wait $first";
  EXPECT_EQ(std::system(both.c_str()), 0);
  EXPECT_EQ(std::system(("BOBBIN_JIT_ALL_KNOWN=1 " + child).c_str()), 0);
  size_t kernels = 0;
  for (const auto& file : fs::directory_iterator(where.path())) {
    EXPECT_EQ(file.path().extension(), ".kernel");
    ++kernels;
  }
  EXPECT_GE(kernels, static_cast<size_t>(kKernels));
}

// Run by the next test, twice.
TEST(JitCache, DISABLED_OfANewProcess) {
  const bool known = std::getenv("BOBBIN_JIT_ALL_KNOWN") != nullptr;
  const auto start = std::chrono::steady_clock::now();
  Cache& cache = Cache::of_process();
  const auto cubin = cache.get(source_of(1), 90);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(cubin.has_value()) << cubin.error().message();
  std::fprintf(stderr, "%s: %.2f ms\n", known ? "a new process, from the folder" : "a new process, compiled",
               took.count());
  EXPECT_EQ(cache.counts().from_folder, known ? 1U : 0U);
  EXPECT_EQ(nvrtc_is_loaded(), std::getenv("BOBBIN_JIT_NO_NOTE") != nullptr || !known);
}
TEST(JitCache, ReadsTheFolderWithoutLoadingTheCompiler) {
  BOBBIN_NEEDS_NVRTC();
  const TestFolder where;
  const std::string child =
      run_test("BOBBIN_CACHE_DIR='" + where.path() + "'", "JitCache.DISABLED_OfANewProcess");
  EXPECT_EQ(std::system(child.c_str()), 0);
  EXPECT_EQ(std::system(("BOBBIN_JIT_ALL_KNOWN=1 " + child).c_str()), 0);
  // By another name the library is not known yet, but it is the same one.
  const fs::path file = (*nvrtc())->file;
  const std::string another = (file.parent_path() / "." / file.filename()).string();
  const std::string named = "BOBBIN_JIT_NO_NOTE=1 BOBBIN_NVRTC='" + another + "' ";
  EXPECT_EQ(std::system((named + "BOBBIN_JIT_ALL_KNOWN=1 " + child).c_str()), 0);
}

TEST(JitKnownCompiler, IsNotedAgainIfTheNoteIsDamaged) {
  BOBBIN_NEEDS_NVRTC();
  const TestFolder where;
  const Folder folder({.path = where.path()});
  const auto version = known_compiler_version(folder);
  ASSERT_TRUE(version.has_value());
  EXPECT_EQ(*version, (*nvrtc())->version);
  EXPECT_EQ(count_files(where.path()), 1U);
  const auto path = fs::directory_iterator(where.path())->path();
  fs::resize_file(path, 10);
  EXPECT_EQ(known_compiler_version(folder), version);
  EXPECT_GT(fs::file_size(path), 10U);
}

// Run by the next test: the process ends at some point of the first compilation.
TEST(JitCache, DISABLED_EndsAtOnce) {
  const auto request = [] { ASSERT_TRUE(Cache::of_process().request(source_of(1), 90).has_value()); };
  if (std::getenv("BOBBIN_JIT_OTHER_THREAD") != nullptr) {
    std::thread(request).join();
  } else {
    request();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(std::getenv("BOBBIN_JIT_WAIT"))));
}
TEST(JitCache, AProcessMayEndWhileItCompiles) {
  BOBBIN_NEEDS_NVRTC();
  for (const uint64_t number : testing::drawn(10, testing::kListShare)) {
    const uint64_t wait = 8 * number;  // milliseconds
    for (const char* thread : {"", "BOBBIN_JIT_OTHER_THREAD=1 "}) {
      const std::string environment = thread + ("BOBBIN_CACHE=off BOBBIN_JIT_WAIT=" + std::to_string(wait));
      EXPECT_EQ(std::system(run_test(environment, "JitCache.DISABLED_EndsAtOnce").c_str()), 0) << wait;
    }
  }
}

TEST(JitCache, CanBeSwitchedOff) {
  BOBBIN_NEEDS_NVRTC();
  const TestFolder where;
  const std::string child =
      run_test("BOBBIN_CACHE=off BOBBIN_CACHE_DIR='" + where.path() + "'", "JitCache.DISABLED_OfAProcess");
  EXPECT_EQ(std::system(child.c_str()), 0);
  EXPECT_FALSE(fs::exists(where.path()));
}

}  // namespace
}  // namespace bobbin::jit
