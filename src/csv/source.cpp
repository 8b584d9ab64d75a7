// SPDX-License-Identifier: Apache-2.0
#include "csv/source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace bobbin::csv {

Result<Source> Source::open(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) {
    return file::io_error(path, errno);
  }
  Source source = from_descriptor(number, path);
  source.descriptor_ = file::Descriptor::own(number);
  return source;
}

Source Source::from_descriptor(int descriptor, std::string name) {
  Source source;
  source.name_ = std::move(name);
  source.descriptor_ = file::Descriptor::borrow(descriptor);
  source.start_ = ::lseek(descriptor, 0, SEEK_CUR);
  return source;
}

Source Source::from_memory(std::string_view text, std::string name) {
  Source source;
  source.name_ = std::move(name);
  source.in_memory_ = true;
  source.text_ = text;
  source.start_ = 0;
  return source;
}

Result<size_t> Source::read(std::span<char> out) {
  if (in_memory_) {
    const size_t size = std::min(out.size(), text_.size() - offset_);
    std::copy_n(text_.data() + offset_, size, out.data());
    offset_ += size;
    return size;
  }
  while (true) {
    const ssize_t size =
        start_ < 0 ? ::read(descriptor_.get(), out.data(), out.size())
                   : ::pread(descriptor_.get(), out.data(), out.size(), start_ + static_cast<off_t>(offset_));
    if (size >= 0) {
      offset_ += static_cast<uint64_t>(size);
      return static_cast<size_t>(size);
    }
    if (errno != EINTR) {
      return file::io_error(name_ + ": read", errno);
    }
  }
}

}  // namespace bobbin::csv
