// SPDX-License-Identifier: Apache-2.0
#include "csv/source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "bobbin/io.hpp"
#include "bobbin/text.hpp"
#include "core/text.hpp"

namespace bobbin::csv {
namespace {

constexpr size_t kRawBytes = size_t{1} << 16;
constexpr size_t kLookBytes = size_t{1} << 12;
constexpr size_t kBeginBytes = size_t{1} << 17;  // as much as is looked at to detect the dialect

}  // namespace

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
  source.access_ = file::Access::of(descriptor);
  source.start_ = ::lseek(descriptor, 0, SEEK_CUR);
  struct stat info {};
  source.end_ = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : 0;
  return source;
}

Result<Source> Source::keeping(int descriptor, std::string name, std::string_view begin) {
  Source source = from_descriptor(descriptor, std::move(name));
  if (source.start_ < 0) {
    BOBBIN_ASSIGN(source.kept_, file::nameless_file());
    source.keeps_ = true;
    BOBBIN_TRY(source.keep(begin));
  }
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

Source Source::of_text(std::string_view text) {
  Source source = from_memory(text, "");
  source.as_it_is_ = true;
  return source;
}

void Source::rewind() {
  offset_ = raw_offset_ = 0;
  begun_ = false;
  unpacker_.reset();
  transcoder_.reset();
  raw_begin_ = raw_end_ = 0;
  ready_.clear();
  ready_begin_ = 0;
}

Result<size_t> Source::read_kept(std::span<char> out) {
  const size_t size = std::min<uint64_t>(out.size(), kept_bytes_ - raw_offset_);
  while (true) {
    const ssize_t got = ::pread(kept_.get(), out.data(), size, static_cast<off_t>(raw_offset_));
    if (got > 0) {
      return static_cast<size_t>(got);
    }
    if (got == 0 || errno != EINTR) {
      return file::io_error("temporary file: read", got == 0 ? EIO : errno);
    }
  }
}

Status Source::keep(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(kept_.get(), bytes.data(), bytes.size(), static_cast<off_t>(kept_bytes_));
    if (written >= 0) {
      kept_bytes_ += static_cast<uint64_t>(written);
      bytes = bytes.subspan(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return file::io_error("temporary file: write", errno);
    }
  }
  return {};
}

Result<size_t> Source::read_descriptor(std::span<char> out) {
  while (true) {
    const ssize_t size = start_ < 0 ? ::read(descriptor_.get(), out.data(), out.size())
                                    : ::pread(descriptor_.get(), out.data(), out.size(),
                                              start_ + static_cast<off_t>(raw_offset_));
    if (size == 0 && start_ >= 0) {
      BOBBIN_TRY(file::check_end(start_ + static_cast<int64_t>(raw_offset_), end_).in(name_));
    }
    if (size >= 0) {
      return static_cast<size_t>(size);
    }
    if (errno != EINTR) {
      return file::io_error(name_ + ": read", errno);
    }
  }
}

Result<size_t> Source::read_raw(std::span<char> out) {
  size_t size = 0;
  if (in_memory_) {
    size = std::min(out.size(), text_.size() - raw_offset_);
    std::copy_n(text_.data() + raw_offset_, size, out.data());
  } else if (raw_offset_ < kept_bytes_) {
    BOBBIN_ASSIGN(size, read_kept(out));
  } else {
    BOBBIN_ASSIGN(size, read_descriptor(out));
    if (keeps_) {
      BOBBIN_TRY(keep(out.first(size)));
    }
  }
  raw_offset_ += size;
  return size;
}

// Makes this many bytes available in raw_, if there are that many.
Status Source::fill_raw(size_t bytes) {
  raw_.resize(std::max(raw_.size(), kRawBytes));
  while (raw_end_ - raw_begin_ < bytes) {
    BOBBIN_ASSIGN(const size_t size, read_raw(std::span(raw_).subspan(raw_end_)));
    if (size == 0) {
      break;
    }
    raw_end_ += size;
  }
  return {};
}

// Detects compression and encoding from the first bytes.
Status Source::begin() {
  begun_ = true;
  if (as_it_is_) {
    return {};
  }
  BOBBIN_TRY(fill_raw(kMagicBytes));
  Result<std::unique_ptr<Unpacker>> unpacker = make_unpacker({raw_.data(), std::min(raw_end_, kMagicBytes)});
  if (!unpacker.has_value()) {
    return unpacker.error().in(name_);
  }
  unpacker_ = std::move(*unpacker);
  Transcoder transcoder(encoding_);
  // To recognise a byte order mark, or UTF-16 without one.
  ready_.resize(detects_ ? kLookBytes : 2);
  size_t size = 0;
  for (size_t got = 1; got > 0 && size < ready_.size(); size += got) {
    BOBBIN_ASSIGN(got, unpack(std::span(ready_).subspan(size)));
  }
  ready_.resize(size);
  transcoder.look_at_begin(ready_, detects_);
  encoding_ = transcoder.encoding();
  if (!transcoder.is_plain()) {
    const std::string begin = std::exchange(ready_, {});
    BOBBIN_TRY(transcoder.convert(begin, ready_).in(name_));
    transcoder_ = transcoder;
  }
  return {};
}

Status Source::detect_encoding() {
  detects_ = true;
  std::string begin(kBeginBytes, '\0');
  size_t size = 0;
  for (size_t got = 1; got > 0 && size < begin.size(); size += got) {
    BOBBIN_ASSIGN(got, read(std::span(begin).subspan(size)));
  }
  rewind();
  // The last character may be cut.
  const bool is_whole = size < begin.size();
  begin.resize(is_whole ? size : character_start(begin, size - 1));
  return is_utf8(begin) ? Status() : settle_encoding();
}

Status Source::settle_encoding() {
  settled_ = true;
  rewind();
  EncodingSurvey survey;
  std::string piece(kBeginBytes, '\0');
  for (size_t got = 1; got > 0;) {
    BOBBIN_ASSIGN(got, read(piece));
    survey.add(std::string_view(piece).substr(0, got));
  }
  survey.finish();
  encoding_note_ = survey.note();
  encoding_ = survey.western().value_or(encoding_);
  rewind();
  return {};
}

Result<size_t> Source::unpack(std::span<char> out) {
  if (!unpacker_) {
    const size_t there = std::min(out.size(), raw_end_ - raw_begin_);
    if (there == 0) {
      return read_raw(out);
    }
    std::copy_n(raw_.data() + raw_begin_, there, out.data());
    raw_begin_ += there;
    return there;
  }
  while (true) {
    if (raw_begin_ == raw_end_) {
      raw_begin_ = raw_end_ = 0;
      BOBBIN_TRY(fill_raw(1));
    }
    const bool ended = raw_end_ == 0;
    const auto step = unpacker_->unpack(std::span(raw_).subspan(raw_begin_, raw_end_ - raw_begin_), out);
    if (!step.has_value()) {
      return step.error().in(name_);
    }
    raw_begin_ += step->taken;
    if (step->written > 0) {
      return step->written;
    }
    if (ended) {
      BOBBIN_RETURN_IF(!unpacker_->may_end(), StatusCode::corrupt,
                       name_ + ": the compressed data ends too soon: the file is truncated");
      return size_t{0};
    }
  }
}

Result<size_t> Source::transcode(std::span<char> out) {
  std::vector<char> piece(kRawBytes);
  while (ready_begin_ == ready_.size()) {
    ready_.clear();
    ready_begin_ = 0;
    BOBBIN_ASSIGN(const size_t size, unpack(piece));
    if (size == 0) {
      BOBBIN_TRY(transcoder_->finish().in(name_));
      return size_t{0};
    }
    BOBBIN_TRY(transcoder_->convert({piece.data(), size}, ready_).in(name_));
  }
  const size_t size = std::min(out.size(), ready_.size() - ready_begin_);
  std::copy_n(ready_.data() + ready_begin_, size, out.data());
  ready_begin_ += size;
  return size;
}

Result<size_t> Source::read(std::span<char> out) {
  if (!begun_) {
    BOBBIN_TRY(begin());
  }
  size_t size = 0;
  if (ready_begin_ < ready_.size() || transcoder_) {
    if (transcoder_) {
      BOBBIN_ASSIGN(size, transcode(out));
    } else {  // the first bytes
      size = std::min(out.size(), ready_.size() - ready_begin_);
      std::copy_n(ready_.data() + ready_begin_, size, out.data());
      ready_begin_ += size;
    }
  } else {
    BOBBIN_ASSIGN(size, unpack(out));
  }
  offset_ += size;
  return size;
}

}  // namespace bobbin::csv
