// SPDX-License-Identifier: Apache-2.0
#include "bobbin/io.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace bobbin::file {

Result<Descriptor> nameless_file() {
  const char* directory = std::getenv("TMPDIR");
  std::string path =
      std::string(directory == nullptr || *directory == '\0' ? "/tmp" : directory) + "/bobbin-XXXXXX";
  const int number = ::mkostemp(path.data(), O_CLOEXEC);
  if (number < 0) {
    return io_error("temporary file " + path, errno);
  }
  (void)::unlink(path.c_str());
  return Descriptor::own(number);
}

}  // namespace bobbin::file
