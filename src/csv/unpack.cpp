// SPDX-License-Identifier: Apache-2.0
#include "csv/unpack.hpp"

#include <algorithm>
#include <limits>
#include <string>

#if BOBBIN_HAVE_ZLIB
#include <zlib.h>
#endif
#if BOBBIN_HAVE_ZSTD
#include <zstd.h>
#endif

namespace bobbin::csv {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

#if BOBBIN_HAVE_ZLIB
class Gzip final : public Unpacker {
 public:
  Gzip() { usable_ = inflateInit2(&stream_, kGzipWindow) == Z_OK; }
  ~Gzip() override {
    if (usable_) {
      (void)inflateEnd(&stream_);
    }
  }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  Result<Step> unpack(std::span<const char> in, std::span<char> out) override {
    BOBBIN_RETURN_IF(!usable_, StatusCode::out_of_memory, "no memory to decompress gzip");
    if (ended_) {
      if (in.empty()) {
        return Step{};
      }
      // Zeros may follow a stream; anything else begins another one.
      const auto rest = std::ranges::find_if(in, [](char c) { return c != '\0'; });
      if (rest != in.begin()) {
        return Step{.taken = static_cast<size_t>(rest - in.begin())};
      }
      (void)inflateReset(&stream_);
      ended_ = false;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = bounded(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = bounded(out.size());
    const uInt in_size = stream_.avail_in;
    const uInt out_size = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    ended_ = code == Z_STREAM_END;
    BOBBIN_RETURN_IF(
        code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR, StatusCode::corrupt,
        std::string("damaged gzip data") + (stream_.msg == nullptr ? "" : std::string(": ") + stream_.msg));
    return Step{in_size - stream_.avail_in, out_size - stream_.avail_out};
  }
  bool may_end() const override { return ended_; }

 private:
  static constexpr int kGzipWindow = 15 + 16;  // the largest one, with a gzip header

  static uInt bounded(size_t size) {
    return static_cast<uInt>(std::min<size_t>(size, std::numeric_limits<uInt>::max()));
  }

  z_stream stream_{};
  bool usable_ = false;
  bool ended_ = false;
};
#endif

#if BOBBIN_HAVE_ZSTD
class Zstd final : public Unpacker {
 public:
  Result<Step> unpack(std::span<const char> in, std::span<char> out) override {
    BOBBIN_RETURN_IF(stream_ == nullptr, StatusCode::out_of_memory, "no memory to decompress zstd");
    if (ended_ && in.empty()) {
      return Step{};
    }
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const size_t code = ZSTD_decompressStream(stream_.get(), &to, &from);
    BOBBIN_RETURN_IF(ZSTD_isError(code) != 0, StatusCode::corrupt,
                     std::string("damaged zstd data: ") + ZSTD_getErrorName(code));
    ended_ = code == 0;
    return Step{from.pos, to.pos};
  }
  bool may_end() const override { return ended_; }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { (void)ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  bool ended_ = false;
};
#endif

}  // namespace

Result<std::unique_ptr<Unpacker>> make_unpacker(std::string_view begin) {
  if (begin.starts_with(kGzipMagic)) {
#if BOBBIN_HAVE_ZLIB
    return std::unique_ptr<Unpacker>(std::make_unique<Gzip>());
#else
    return Status(StatusCode::unsupported, "compressed with gzip, but this build has no zlib");
#endif
  }
  if (begin.starts_with(kZstdMagic)) {
#if BOBBIN_HAVE_ZSTD
    return std::unique_ptr<Unpacker>(std::make_unique<Zstd>());
#else
    return Status(StatusCode::unsupported, "compressed with zstd, but this build has no libzstd");
#endif
  }
  return std::unique_ptr<Unpacker>();
}

}  // namespace bobbin::csv
