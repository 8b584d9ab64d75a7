// SPDX-License-Identifier: Apache-2.0
// bobbin: the command. Runs one verb, and turns errors into one line and an exit code.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "cli/command.hpp"

namespace bobbin::cli {
namespace {

// Output to stdout may fail late: when the buffer is flushed.
int flush_stdout(int code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) {
    return code;
  }
  return report(Status(StatusCode::io, std::string("stdout: ") + std::strerror(errno == 0 ? EIO : errno)));
}

}  // namespace
}  // namespace bobbin::cli

int main(int argc, char** argv) {
  int code = bobbin::cli::kFailure;
  try {
    code = bobbin::cli::flush_stdout(bobbin::cli::run({argv + 1, argv + std::max(argc, 1)}));
  } catch (const std::bad_alloc&) {
    code = bobbin::cli::report({bobbin::StatusCode::out_of_memory, "out of memory"});
  } catch (const std::exception& error) {
    code = bobbin::cli::report({bobbin::StatusCode::invalid_argument, error.what()});
  }
  return code;
}
