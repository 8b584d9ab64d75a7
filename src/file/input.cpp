// SPDX-License-Identifier: Apache-2.0
#include "file/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

namespace bobbin::file {
namespace {

// Linux transfers at most about 2 GiB per call; smaller steps also make reading a slow file interruptible.
constexpr size_t kMaxRead = size_t{1} << 30;

}  // namespace

Result<InputFile> InputFile::open(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe without a writer would block.
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number < 0) {
    return io_error("open", errno);
  }
  return from(Descriptor::own(number));
}

Result<InputFile> InputFile::borrow(int descriptor) {
  return from(Descriptor::borrow(descriptor));
}

Result<InputFile> InputFile::from(Descriptor descriptor) {
  struct stat info {};
  if (::fstat(descriptor.get(), &info) != 0) {
    return io_error("open", errno);
  }
  if (S_ISREG(info.st_mode)) {
    return InputFile(std::move(descriptor), static_cast<uint64_t>(info.st_size));
  }
  if (S_ISDIR(info.st_mode)) {
    return Status(StatusCode::io, "open: is a directory");
  }
  if (!S_ISBLK(info.st_mode)) {
    return Status(StatusCode::io, "open: the file is not seekable");
  }
  const off_t end = ::lseek(descriptor.get(), 0, SEEK_END);
  if (end < 0) {
    return io_error("open", errno);
  }
  return InputFile(std::move(descriptor), static_cast<uint64_t>(end));
}

Status InputFile::read_at(uint64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got =
        ::pread(descriptor_.get(), out.data(), std::min(out.size(), kMaxRead), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return io_error(fmt::format("read at byte {}", offset), errno);
    }
    BOBBIN_RETURN_IF(
        got == 0, StatusCode::io,
        fmt::format("read at byte {}: the file ends there; it was {} bytes long when opened", offset, size_));
    offset += static_cast<uint64_t>(got);
    out = out.subspan(static_cast<size_t>(got));
  }
  return {};
}

}  // namespace bobbin::file
