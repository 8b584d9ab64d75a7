// SPDX-License-Identifier: Apache-2.0
#include "cli/python.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "bobbin/text.hpp"
#include "cli/interrupt.hpp"

namespace bobbin::cli {
namespace {

constexpr std::array kEndings = {".parquet", ".pq", ".arrow", ".feather", ".ipc"};
constexpr int kMissing = 3;

// Not `-m bobbin`: a folder of that name in the current directory would be taken for the package.
constexpr const char* kProgram =
    "import sys\n"
    "sys.path[:] = [place for place in sys.path if place]\n"
    "try:\n"
    "    from bobbin.__main__ import main\n"
    "except ImportError:\n"
    "    sys.exit(3)\n"
    "sys.exit(main(sys.argv[1:]))\n";

Status missing(const std::string& python) {
  return {
      StatusCode::unavailable,
      fmt::format("reading this file needs the Python package bobbin and pyarrow, which {} does not have; "
                  "install them (pip install 'bobbin[arrow]'), or set BOBBIN_PYTHON to an interpreter that "
                  "has them",
                  printable(python))};
}

}  // namespace

bool is_for_python(const std::string& path) {
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return path.ends_with(ending); });
}

Result<bool> convert_by_python(const std::vector<std::string>& arguments) {
  const char* const chosen = std::getenv("BOBBIN_PYTHON");
  std::vector<std::string> words = {chosen != nullptr && *chosen != '\0' ? chosen : "python3", "-c", kProgram,
                                    "convert"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  std::ranges::transform(words, std::back_inserter(pointers), [](std::string& word) { return word.data(); });
  pointers.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0) {
    return missing(words[0]);
  }
  pass_interrupts_to(child);  // it removes its unfinished file, and ends
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    BOBBIN_RETURN_IF(errno != EINTR, StatusCode::io, "the Python interpreter cannot be waited for");
  }
  pass_interrupts_to(0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return code == kMissing ? Result<bool>(missing(words[0])) : Result<bool>(code == 0);
}

}  // namespace bobbin::cli
