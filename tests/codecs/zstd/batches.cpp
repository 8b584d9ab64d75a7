// SPDX-License-Identifier: Apache-2.0
#include "tests/codecs/zstd/batches.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace bobbin::testing {
namespace {

constexpr std::byte kGuard{0xA5};
constexpr size_t kGap = 5;  // bytes between outputs: all alignments occur

// Offsets of consecutive items with a gap between them.
std::vector<uint64_t> lay_out(const std::vector<uint64_t>& sizes, uint64_t& end) {
  std::vector<uint64_t> begins;
  end = kGap;
  for (const uint64_t size : sizes) {
    begins.push_back(end);
    end += size + kGap;
  }
  return begins;
}

struct Placed {
  std::vector<uint64_t> inputs;
  std::vector<uint64_t> outputs;
  uint64_t input_end = 0;
  uint64_t output_end = 0;
};

Placed place(const std::vector<FrameCase>& cases) {
  Placed placed;
  std::vector<uint64_t> stored;
  std::vector<uint64_t> capacities;
  for (const FrameCase& one : cases) {
    stored.push_back(one.frame.size());
    capacities.push_back(one.capacity);
  }
  placed.inputs = lay_out(stored, placed.input_end);
  placed.outputs = lay_out(capacities, placed.output_end);
  return placed;
}

struct Decoded {
  Bytes out;
  std::vector<zstd::FrameResult> results;
};

Result<Decoded> decode(StreamView stream, const std::vector<FrameCase>& cases, const Placed& placed,
                       const zstd::BatchOptions& options) {
  Bytes in(placed.input_end + 4);
  BOBBIN_ASSIGN(const DeviceBuffer input, DeviceBuffer::create(in.size(), stream));
  BOBBIN_ASSIGN(const DeviceBuffer output, DeviceBuffer::create(placed.output_end + 4, stream));
  std::vector<zstd::BatchFrame> frames;
  for (size_t i = 0; i < cases.size(); ++i) {
    std::ranges::copy(cases[i].frame, in.begin() + static_cast<ptrdiff_t>(placed.inputs[i]));
    frames.push_back({input.as<std::byte>() + placed.inputs[i], cases[i].frame.size(),
                      output.as<std::byte>() + placed.outputs[i], cases[i].capacity});
  }
  BOBBIN_ASSIGN(const DeviceBuffer list, DeviceBuffer::create(frames.size() * sizeof(frames[0]), stream));
  BOBBIN_ASSIGN(const DeviceBuffer verdicts,
                DeviceBuffer::create(frames.size() * sizeof(zstd::FrameResult), stream));
  BOBBIN_TRY(copy_async(input.data(), in.data(), in.size(), stream));
  BOBBIN_TRY(copy_async(list.data(), frames.data(), list.size(), stream));
  BOBBIN_TRY(fill_async(output.data(), static_cast<uint8_t>(kGuard), output.size(), stream));
  BOBBIN_TRY(zstd::decode_batch(list.as<zstd::BatchFrame>(), frames.size(), verdicts.as<zstd::FrameResult>(),
                                options, stream));
  Decoded decoded{Bytes(output.size()), std::vector<zstd::FrameResult>(frames.size())};
  BOBBIN_TRY(copy_async(decoded.out.data(), output.data(), output.size(), stream));
  BOBBIN_TRY(copy_async(decoded.results.data(), verdicts.data(), verdicts.size(), stream));
  BOBBIN_TRY(stream.synchronize());
  return decoded;
}

bool guards_hold(const Decoded& decoded, uint64_t begin) {
  return std::all_of(decoded.out.begin() + static_cast<ptrdiff_t>(begin),
                     decoded.out.begin() + static_cast<ptrdiff_t>(begin + kGap),
                     [](std::byte b) { return b == kGuard; });
}

// What is wrong with a frame's result; empty if nothing is.
std::string compare(const FrameCase& one, const zstd::DecodeOptions& options, const zstd::FrameResult& result,
                    const std::byte* out, BatchOutcome& outcome) {
  if (result.verdict == zstd::Verdict::needs_cpu) {
    ++outcome.left_to_cpu;
    return {};
  }
  Bytes expected(one.capacity);
  const auto bytes = zstd::decode_frame(one.frame, expected, options);
  const bool ok = result.verdict == zstd::Verdict::ok;
  ++(ok ? outcome.ok : outcome.refused);
  if (bytes.has_value() != ok) {
    return "the device says " + std::string(zstd::to_string(result.verdict)) + ", the CPU " +
           (bytes.has_value() ? "decodes it" : bytes.error().message());
  }
  if (!ok) {
    return result.bytes == 0 ? "" : "a refused frame with bytes";
  }
  if (result.bytes != *bytes) {
    return "bytes: " + std::to_string(result.bytes) + ", expected " + std::to_string(*bytes);
  }
  const auto differ = std::mismatch(out, out + *bytes, expected.begin());
  return differ.first == out + *bytes ? "" : "byte " + std::to_string(differ.first - out) + " is wrong";
}

}  // namespace

Bytes bytes_in(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Bytes draw_content(std::mt19937_64& random, size_t size) {
  static constexpr std::array<std::string_view, 6> kWords{"bobbin ",     "thread ", "loom ",
                                                          "2026-11-16,", "weft;",   "\n"};
  Bytes content;
  const uint64_t kind = random() % 6;
  std::geometric_distribution<int> rare(0.01 + 0.03 * static_cast<double>(random() % 10));
  while (content.size() < size) {
    Bytes piece;
    if (kind == 0) {
      piece = bytes_in(kWords[random() % kWords.size()]);
    } else if (kind == 1) {
      piece = bytes_in(std::to_string(random() % 1000) + ",");
    } else if (kind == 2) {
      piece = Bytes(1, static_cast<std::byte>(random() % 256));
    } else if (kind == 5) {
      piece = Bytes(1, static_cast<std::byte>(std::min(rare(random), 255)));
    } else if (kind == 3) {
      piece = Bytes(1 + random() % 700, static_cast<std::byte>(random() % 3));
    } else {
      piece = bytes_in("id=" + std::to_string(1000 + content.size() / 40) +
                       " temp=" + std::to_string(20 + random() % 5) + " state=running zone=eu-north\n");
    }
    content.insert(content.end(), piece.begin(), piece.end());
  }
  content.resize(size);
  return content;
}

Bytes compress_by_libzstd(const Bytes& content, const LibzstdOptions& options) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, options.level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, options.checksum ? 1 : 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, options.content_size ? 1 : 0);
  if (options.window_log != 0) {
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, options.window_log);
  }
  if (options.content_size) {
    ZSTD_CCtx_setPledgedSrcSize(context, content.size());
  }
  const size_t step = options.flush_every == 0 ? content.size() : options.flush_every;
  Bytes frame(ZSTD_compressBound(content.size()) + 64 + (step == 0 ? 0 : content.size() / step * 16));
  ZSTD_outBuffer out{frame.data(), frame.size(), 0};
  for (size_t at = 0; at < content.size() && options.flush_every != 0; at += step) {
    ZSTD_inBuffer in{content.data() + at, std::min(step, content.size() - at), 0};
    while (ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush) != 0) {
    }
  }
  const bool flushed = options.flush_every != 0;
  ZSTD_inBuffer in{content.data(), flushed ? 0 : content.size(), 0};
  while (ZSTD_compressStream2(context, &out, &in, ZSTD_e_end) != 0) {
  }
  frame.resize(out.pos);
  ZSTD_freeCCtx(context);
  return frame;
}

Bytes draw_frame(std::mt19937_64& random, const Bytes& content) {
  static constexpr std::array<int, 6> kLevels{-5, 1, 3, 6, 12, 19};
  if (random() % 3 == 0) {
    const zstd::EncodeOptions options{.level = static_cast<uint32_t>(1 + random() % 9),
                                      .frame_bytes = uint32_t{1} << 20,
                                      .block_bytes = uint32_t{1} << (9 + random() % 6),
                                      .checksum = random() % 2 == 0};
    auto frames = zstd::encode(content, options);
    return std::move(*frames);
  }
  const LibzstdOptions options{.level = kLevels[random() % kLevels.size()],
                               .checksum = random() % 2 == 0,
                               .content_size = random() % 2 == 0,
                               .window_log = random() % 3 == 0 ? static_cast<int>(10 + random() % 8) : 0,
                               .flush_every = random() % 3 == 0 ? 300 + random() % 8000 : 0};
  return compress_by_libzstd(content, options);
}

std::vector<FoundFrame> frames_of_others() {
  std::vector<FoundFrame> found;
  const char* const folder = std::getenv("BOBBIN_ZSTD_FRAMES");
  if (folder == nullptr) {
    return found;
  }
  for (const std::string_view kind : {"frames", "valid", "refused"}) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / kind)) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      found.push_back({entry.path(), bytes_in(text), kind != "refused"});
    }
  }
  return found;
}

BatchOutcome check_batch_on(Backend backend, const std::vector<FrameCase>& cases,
                            zstd::BatchOptions options) {
  BatchOutcome outcome;
  const auto stream = Stream::create(backend);
  if (!stream.has_value()) {
    outcome.error = stream.error().message();
    return outcome;
  }
  options.max_out_bytes = 1;
  for (const FrameCase& one : cases) {
    options.max_out_bytes = std::max(options.max_out_bytes, one.capacity);
  }
  const Placed placed = place(cases);
  const auto decoded = decode(stream->view(), cases, placed, options);
  if (!decoded.has_value()) {
    outcome.error = decoded.error().message();
    return outcome;
  }
  const zstd::DecodeOptions by_cpu{.max_window = options.max_window,
                                   .magicless = options.magicless,
                                   .verify_checksums = options.verify_checksums};
  for (size_t i = 0; i < cases.size() && outcome.error.empty(); ++i) {
    std::string error =
        compare(cases[i], by_cpu, decoded->results[i], decoded->out.data() + placed.outputs[i], outcome);
    if (!guards_hold(*decoded, placed.outputs[i] - kGap) ||
        !guards_hold(*decoded, placed.outputs[i] + cases[i].capacity)) {
      error += " bytes outside the output were written";
    }
    outcome.error = error.empty() ? "" : "frame " + std::to_string(i) + ": " + error;
  }
  return outcome;
}

}  // namespace bobbin::testing
