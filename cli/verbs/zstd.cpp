// SPDX-License-Identifier: Apache-2.0
// bobbin zstd: standard .zst files, with the conventions of zstd's own tool.
#include "bobbin/zstd.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"

namespace bobbin::cli {
namespace {

constexpr std::string_view kZstSuffix = ".zst";
constexpr size_t kBatchBytes = size_t{32} << 20;
constexpr uint64_t kDeviceBatchBytes = uint64_t{256} << 20;
constexpr uint64_t kWorthDevice = uint64_t{8} << 20;
constexpr uint64_t kMostWhole = uint64_t{8} << 20;  // content of frames that are decoded whole

struct ZstdArgs {
  std::vector<std::string> inputs;
  std::string output;
  std::string dictionary;
  std::string range;
  uint32_t level = 3;
  uint32_t num_levels = 0;  // how many were given: -19 is -1 and -9
  bool keep = false;
  uint32_t frame_bytes = uint32_t{64} << 10;
  uint64_t max_window = uint64_t{128} << 20;
  unsigned threads = 0;
  std::string backend = "auto";
  bool decompress = false;
  bool to_stdout = false;
  bool test = false;
  bool list = false;
  bool remove = false;
  bool force = false;
  bool quiet = false;
  bool no_checksum = false;
  bool train = false;
  bool lines = false;
  uint64_t max_size = uint64_t{110} << 10;
};

// The longest header of a frame.
constexpr size_t kHeaderBytes = 18;

// `check` sees the first bytes of a stream, if it has that many, before more is read.
Result<std::vector<std::byte>> read_all(const Input& input,
                                        const std::function<Status(std::span<const std::byte>)>& check = {}) {
  std::vector<std::byte> bytes(input.length.value_or(kBatchBytes) + 1);
  size_t size = 0;
  if (!input.length && check) {
    const auto head = std::span(bytes).first(kHeaderBytes);
    BOBBIN_ASSIGN(size, read_full(input, head));
    if (size == head.size()) {
      BOBBIN_TRY(check(head));
    }
  }
  while (true) {
    BOBBIN_ASSIGN(const size_t got, read_full(input, std::span(bytes).subspan(size)));
    size += got;
    if (size < bytes.size()) {
      bytes.resize(size);
      return bytes;
    }
    bytes.resize(2 * bytes.size());
  }
}

struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

std::optional<ByteRange> parse_range(const std::string& text) {
  ByteRange range;
  const char* const stop = text.data() + text.size();
  const auto first = std::from_chars(text.data(), stop, range.begin);
  if (first.ec != std::errc() || first.ptr == stop || *first.ptr != ':') {
    return std::nullopt;
  }
  const auto second = std::from_chars(first.ptr + 1, stop, range.end);
  const bool valid = second.ec == std::errc() && second.ptr == stop && range.begin <= range.end;
  return valid ? std::optional(range) : std::nullopt;
}

class Job {
 public:
  Job(const ZstdArgs& args, std::optional<zstd::Dictionary> dictionary)
      : args_(args), dictionary_(std::move(dictionary)) {
    decode_.max_window = args.max_window;
    decode_.dictionary = dictionary_.has_value() ? &*dictionary_ : nullptr;
  }

  Status run(const std::string& path) {
    if (args_.list) {
      return list(path);
    }
    BOBBIN_ASSIGN(Input input, open_input(path));
    if (args_.test) {
      BOBBIN_ASSIGN(const uint64_t bytes, decompress(input, nullptr, input.name));
      say(fmt::format("{}: {} bytes, no error\n", printable(input.name), bytes));
      return {};
    }
    BOBBIN_ASSIGN(const std::string name, output_name(path));
    // A device may never end, and nobody wants a file beside it.
    const bool beside_input = !args_.to_stdout && args_.output.empty() && name != "-";
    BOBBIN_RETURN_IF(beside_input && !input.length.has_value(), StatusCode::invalid_argument,
                     input.name + ": not a regular file; name the output with -o or use -c");
    BOBBIN_ASSIGN(const Target target, open_target(name, args_.force, input.descriptor.get()));
    BOBBIN_TRY(check_not_input(target, args_.dictionary));
    BOBBIN_ASSIGN(file::Output output, open_output(target, args_.force, input.access));
    if (!target.stream && input.length.has_value()) {
      output.take_attributes(input.descriptor.get());
    }
    BOBBIN_ASSIGN(const uint64_t bytes, transform(input, output, target.name));
    BOBBIN_TRY(output.commit().in(target.name));
    if (!target.stream) {
      say(fmt::format("{}: {} => {} bytes ({})\n", printable(input.name), bytes, output.position(),
                      printable(target.name)));
    }
    // What went into a stream may not have arrived.
    if (args_.remove && !is_stdin(path) && !target.stream) {
      BOBBIN_RETURN_IF(::unlink(path.c_str()) != 0, StatusCode::io, path + ": could not be removed");
    }
    return {};
  }

 private:
  void say(const std::string& text) const {
    if (!args_.quiet) {
      std::fputs(text.c_str(), stderr);
    }
  }

  [[nodiscard]] Result<std::string> output_name(const std::string& path) const {
    if (args_.to_stdout || (args_.output.empty() && (is_stdin(path) || !args_.range.empty()))) {
      return std::string("-");
    }
    if (!args_.output.empty()) {
      return args_.output;
    }
    if (!args_.decompress) {
      return path + std::string(kZstSuffix);
    }
    const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
    BOBBIN_RETURN_IF(
        !file.ends_with(kZstSuffix) || file.size() == kZstSuffix.size(), StatusCode::invalid_argument,
        path + ": the name does not end in .zst after other characters; name the output with -o or use -c");
    return path.substr(0, path.size() - kZstSuffix.size());
  }

  Result<uint64_t> transform(const Input& input, file::Output& output, const std::string& name) {
    if (!args_.range.empty()) {
      return extract(input, output, name);
    }
    return args_.decompress ? decompress(input, &output, name) : compress(input, output, name);
  }

  // A batch of frames at a time; the seek table comes last.
  Result<uint64_t> compress(const Input& input, file::Output& output, const std::string& name) const {
    BOBBIN_ASSIGN(const Backend backend, backend_for(input.length.value_or(0)));
    const size_t together = backend == Backend::cpu ? kBatchBytes : kDeviceBatchBytes;
    const size_t batch = std::max<size_t>(together / args_.frame_bytes, 1) * args_.frame_bytes;
    const zstd::EncodeOptions options{.level = args_.level,
                                      .frame_bytes = args_.frame_bytes,
                                      .checksum = !args_.no_checksum,
                                      .threads = args_.threads,
                                      .dictionary = decode_.dictionary};
    std::vector<std::byte> content(std::min<size_t>(batch, input.length.value_or(batch) + 1));
    std::vector<zstd::SeekEntry> entries;
    Progress progress(input.name, args_.quiet);
    uint64_t total = 0;
    for (size_t got = content.size(); got == content.size();) {
      BOBBIN_ASSIGN(got, read_full(input, content));
      if (got == 0 && total > 0) {
        break;
      }
      total += got;
      BOBBIN_ASSIGN(const auto frames, zstd::encode(std::span(content).first(got), options, backend));
      BOBBIN_ASSIGN(const auto listed, zstd::list_frames(frames));
      entries.insert(entries.end(), listed.begin(), listed.end());
      BOBBIN_TRY(output.write(frames).in(name));
      progress.show(total, input.length.value_or(0));
    }
    if (entries.size() > 1) {
      BOBBIN_TRY(output.write(zstd::make_seek_table(entries)).in(name));
    }
    return total;
  }

  // Frames that are decoded together: one on the CPU, in pieces if it is large; many on a device.
  struct Part {
    uint64_t stored = 0;
    uint64_t bound = 0;  // of the content
    uint64_t frames = 0;
  };

  [[nodiscard]] Result<zstd::FrameExtent> measure(const Input& input, std::span<const std::byte> bytes,
                                                  uint64_t at) const {
    auto extent = zstd::measure_frame(bytes.subspan(at), decode_);
    return extent.has_value() ? extent : extent.error().in(frame_place(input, at));
  }

  static std::string frame_place(const Input& input, uint64_t at) {
    return fmt::format("{}: frame at byte {}", input.name, at);
  }

  [[nodiscard]] Result<Part> next_part(const Input& input, std::span<const std::byte> bytes, uint64_t at,
                                       Backend backend) const {
    const uint64_t enough = backend == Backend::cpu ? 0 : kDeviceBatchBytes;
    Part part;
    do {
      BOBBIN_ASSIGN(const zstd::FrameExtent extent, measure(input, bytes, at + part.stored));
      if (part.frames > 0 && extent.content_bound > kDeviceBatchBytes) {
        break;  // too long for a device
      }
      ++part.frames;
      part.stored += extent.compressed_bytes;
      part.bound += extent.content_bound;
    } while (part.bound < enough && at + part.stored < bytes.size());
    return part;
  }

  [[nodiscard]] Result<std::vector<std::byte>> decode_part(const Input& input,
                                                           std::span<const std::byte> bytes, uint64_t at,
                                                           const Part& part, Backend backend) const {
    auto content = zstd::decode_all(bytes.subspan(at, part.stored), part.bound, decode_, backend);
    if (content.has_value()) {
      return content;
    }
    // Finds the frame that failed.
    for (const uint64_t end = at + part.stored; at < end;) {
      BOBBIN_ASSIGN(const zstd::FrameExtent extent, measure(input, bytes, at));
      const auto one = zstd::decode_in_pieces(
          bytes.subspan(at, extent.compressed_bytes), [](auto) { return Status(); }, decode_);
      if (!one.has_value()) {
        return one.error().in(frame_place(input, at));
      }
      at += extent.compressed_bytes;
    }
    return content.error().in(input.name);
  }

  // Starting a GPU is not worthwhile for small files unless it is requested.
  [[nodiscard]] Result<Backend> backend_for(uint64_t bytes) const {
    return args_.backend == "auto" && bytes < kWorthDevice ? Result<Backend>(Backend::cpu)
                                                           : pick_backend(args_.backend);
  }

  [[nodiscard]] Result<std::vector<std::byte>> read_frames(const Input& input) const {
    return read_all(input, [&](std::span<const std::byte> head) {
      const auto header = zstd::parse_frame_header(head, decode_);
      return header.has_value() ? Status() : header.error().in(frame_place(input, 0));
    });
  }

  // Returns the bytes read, or without output the bytes decoded.
  Result<uint64_t> decompress(const Input& input, file::Output* output, const std::string& name) const {
    BOBBIN_ASSIGN(const std::vector<std::byte> bytes, read_frames(input));
    BOBBIN_RETURN_IF(bytes.empty(), StatusCode::corrupt, input.name + ": empty, not a .zst file");
    BOBBIN_ASSIGN(const Backend asked, backend_for(bytes.size()));
    const Backend backend = decode_.dictionary != nullptr ? Backend::cpu : asked;
    Progress progress(input.name, args_.quiet);
    uint64_t decoded = 0;
    for (uint64_t at = 0; at < bytes.size();) {
      BOBBIN_ASSIGN(const Part part, next_part(input, bytes, at, backend));
      const auto take = [&](std::span<const std::byte> content) -> Status {
        decoded += content.size();
        return output != nullptr ? output->write(content).in(name) : Status();
      };
      const bool on_cpu = backend == Backend::cpu || part.bound > kDeviceBatchBytes;
      if (on_cpu && part.frames == 1 && part.bound > kMostWhole) {
        const auto done = zstd::decode_in_pieces(std::span(bytes).subspan(at, part.stored), take, decode_);
        if (!done.has_value()) {
          return is_of_frame(done.error()) ? done.error().in(frame_place(input, at)) : done.error();
        }
      } else {
        BOBBIN_ASSIGN(const auto content, decode_part(input, bytes, at, part, backend));
        BOBBIN_TRY(take(content));
      }
      at += part.stored;
      progress.show(at, bytes.size());
    }
    return output != nullptr ? bytes.size() : decoded;
  }

  // Errors of writing name a place already.
  static bool is_of_frame(const Status& error) { return error.code() != StatusCode::io; }

  // BEGIN:END of the content.
  Result<uint64_t> extract(const Input& input, file::Output& output, const std::string& name) const {
    BOBBIN_ASSIGN(const std::vector<std::byte> bytes, read_frames(input));
    const ByteRange range = *parse_range(args_.range);
    const auto part = zstd::decode_range(bytes, range.begin, range.end - range.begin, decode_);
    if (!part.has_value()) {
      return part.error().in(input.name);
    }
    BOBBIN_TRY(output.write(*part).in(name));
    return range.end - range.begin;
  }

  [[nodiscard]] Status list(const std::string& path) const {
    BOBBIN_ASSIGN(const Input input, open_input(path));
    BOBBIN_ASSIGN(const std::vector<std::byte> bytes, read_frames(input));
    BOBBIN_RETURN_IF(bytes.empty(), StatusCode::corrupt, input.name + ": empty, not a .zst file");
    uint64_t frames = 0;
    uint64_t skipped = 0;
    uint64_t blocks = 0;
    std::optional<uint64_t> content = 0;
    bool checksum = false;
    for (uint64_t at = 0; at < bytes.size();) {
      const auto extent = zstd::measure_frame(std::span(bytes).subspan(at), decode_);
      if (!extent.has_value()) {
        return extent.error().in(fmt::format("{}: frame at byte {}", input.name, at));
      }
      at += extent->compressed_bytes;
      ++(extent->header.skippable ? skipped : frames);
      if (extent->header.skippable) {
        continue;
      }
      blocks += extent->num_blocks;
      checksum = checksum || extent->header.has_checksum;
      content = content.has_value() && extent->header.content_bytes.has_value()
                    ? std::optional(*content + *extent->header.content_bytes)
                    : std::nullopt;
    }
    print(fmt::format(
        "{}: {} frames, {} skippable, {} blocks, {} bytes of {}, ratio {}, checksum {}\n",
        printable(input.name), frames, skipped, blocks, bytes.size(),
        content.has_value() ? std::to_string(*content) : "unknown size",
        content.has_value() && !bytes.empty()
            ? fmt::format("{:.3f}", static_cast<double>(*content) / static_cast<double>(bytes.size()))
            : "unknown",
        checksum ? "XXH64" : "none"));
    return {};
  }

  const ZstdArgs& args_;
  std::optional<zstd::Dictionary> dictionary_;
  zstd::DecodeOptions decode_;
};

Result<std::optional<zstd::Dictionary>> load_dictionary(const ZstdArgs& args) {
  if (args.dictionary.empty()) {
    return std::optional<zstd::Dictionary>();
  }
  BOBBIN_ASSIGN(const Input input, open_input(args.dictionary));
  BOBBIN_ASSIGN(const std::vector<std::byte> bytes, read_all(input));
  auto dictionary = zstd::Dictionary::parse(bytes);
  if (!dictionary.has_value()) {
    return dictionary.error().in(args.dictionary);
  }
  return std::optional(std::move(*dictionary));
}

// One sample per file, or per line.
void add_samples(std::span<const std::byte> file, bool lines,
                 std::vector<std::span<const std::byte>>& samples) {
  if (!lines) {
    samples.push_back(file);
    return;
  }
  while (!file.empty()) {
    const auto newline = std::ranges::find(file, std::byte{'\n'});
    const auto size = std::min<size_t>(static_cast<size_t>(newline - file.begin()) + 1, file.size());
    samples.push_back(file.first(size));
    file = file.subspan(size);
  }
}

Status train(const ZstdArgs& args) {
  std::vector<std::vector<std::byte>> files;
  std::vector<std::optional<file::Access>> sources;
  for (const std::string& path : args.inputs) {
    BOBBIN_ASSIGN(const Input input, open_input(path));
    sources.push_back(input.access);
    BOBBIN_ASSIGN(files.emplace_back(), read_all(input));
  }
  std::vector<std::span<const std::byte>> samples;
  for (const std::vector<std::byte>& file : files) {
    add_samples(file, args.lines, samples);
  }
  BOBBIN_ASSIGN(const auto dictionary,
                zstd::train_dictionary(samples, {.max_bytes = args.max_size, .level = args.level}));
  BOBBIN_ASSIGN(const Target target, open_target(args.output, args.force, -1));
  for (const std::string& path : args.inputs) {
    BOBBIN_TRY(check_not_input(target, path));
  }
  BOBBIN_ASSIGN(file::Output output, open_output(target, args.force, {}));
  for (const auto& source : sources) {
    if (source.has_value()) {
      output.restrict_to(*source);
    }
  }
  BOBBIN_TRY(output.write(dictionary).in(target.name));
  BOBBIN_TRY(output.commit().in(target.name));
  if (!args.quiet && !target.stream) {
    std::fputs(fmt::format("{}: dictionary of {} bytes from {} samples\n", printable(target.name),
                           dictionary.size(), samples.size())
                   .c_str(),
               stderr);
  }
  return {};
}

int run_zstd(const ZstdArgs& args) {
  if (args.train) {
    const Status status = train(args);
    return status.ok() ? kOk : report(status);
  }
  auto dictionary = load_dictionary(args);
  if (!dictionary.has_value()) {
    return report(dictionary.error());
  }
  Job job(args, std::move(*dictionary));
  int code = kOk;
  const std::vector<std::string> standard{"-"};
  for (const std::string& path : args.inputs.empty() ? standard : args.inputs) {
    const Status status = job.run(path);
    code = status.ok() ? code : report(status);
  }
  return code;
}

}  // namespace

void add_zstd(const Parser& parser, Action& action) {
  const Verb verb =
      parser.add_verb("zstd", "Compress to standard .zst files, decompress, test and list them");
  auto args = std::make_shared<ZstdArgs>();
  add_inputs(verb, args->inputs, "Files (default: stdin to stdout)");
  verb.add_flag("-d,--decompress", args->decompress, "Decompress");
  verb.add_flag("-t,--test", args->test, "Decompress, write nothing, report errors");
  verb.add_flag("-l,--list", args->list, "List frames, sizes and ratio");
  for (uint32_t level = 1; level <= 9; ++level) {
    verb.add_flag_callback(
        fmt::format("-{}", level),
        [args, level] {
          args->level = level;
          ++args->num_levels;
        },
        level == 1 ? "Levels: -1 is fastest, -9 smallest (default: -3)" : "");
  }
  add_output(verb, args->output, "Output file (default: the input's name with .zst added or removed)");
  verb.add_flag("-c,--stdout", args->to_stdout, "Write to stdout").excludes(verb.option("--output"));
  verb.add_option("-D,--dictionary", args->dictionary, "Dictionary to compress or decompress with")
      .type_name("FILE");
  verb.add_flag("--train", args->train, "Make a dictionary, named by -o, from sample files");
  verb.add_flag("--lines", args->lines, "With --train: every line is a sample (default: every file)");
  verb.add_option("--max-size", args->max_size, "With --train: largest dictionary in bytes (default: 112640)")
      .between(1024, uint64_t{16} << 20);
  verb.add_option("--seek", args->range, "Decompress bytes BEGIN:END of the content only")
      .check("range",
             [](const std::string& text) {
               return parse_range(text) ? "" : "'" + text + "' is not BEGIN:END, in bytes of the content";
             })
      .type_name("RANGE")
      .excludes(verb.option("--test"))
      .excludes(verb.option("--list"));
  verb.add_option("--frame-size", args->frame_bytes, "Content bytes per frame (default: 65536)")
      .between(256, uint64_t{1} << 30);
  verb.add_option("--max-window", args->max_window, "Largest window to accept, in bytes (default: 128 MiB)");
  verb.add_option("-T,--threads", args->threads, "Frames to compress in parallel (default: 0, one per core)");
  add_backend_option(verb, args->backend)
      .description(
          "Where to work: auto (the GPU if there is one and the file is large), cpu, cuda or emulator");
  verb.add_flag("--no-check", args->no_checksum, "Write no checksums");
  verb.add_flag("-k,--keep", args->keep, "Keep the source (the default)");
  verb.add_flag("--rm", args->remove,
                "Remove the source after success, unless the output is a stream (default: keep it)")
      .excludes(verb.option("--keep"))
      .excludes(verb.option("--seek"));
  add_force(verb, args->force);
  add_quiet(verb, args->quiet);
  verb.footer(
      "Any zstd tool reads the output. Frames of 64 KiB and a seek table make every part of a large file\n"
      "readable by itself: bobbin zstd --seek 1000000:1000100 log.zst");
  verb.callback([args, &action] {
    if (args->num_levels > 1) {
      refuse("expected one level, from -1 to -9");
    }
    if (args->train && args->output.empty()) {
      refuse("--train: name the dictionary with -o");
    }
    if (!args->train && args->inputs.size() > 1 && !args->output.empty()) {
      refuse("-o: several inputs cannot have one output");
    }
    action = [args] { return run_zstd(*args); };
  });
}

}  // namespace bobbin::cli
