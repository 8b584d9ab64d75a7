// SPDX-License-Identifier: Apache-2.0
// bobbin scan: the prefix scan of a raw array.
#include "bobbin/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "bobbin/io.hpp"
#include "bobbin/text.hpp"
#include "cli/command.hpp"
#include "cli/format.hpp"
#include "cli/io.hpp"
#include "cli/progress.hpp"

namespace bobbin::cli {
namespace {

constexpr size_t kScanBlockBytes = size_t{1} << 20;  // read between two looks at the clock

using Bytes = std::vector<std::byte>;

struct ScanArgs {
  std::string input;
  std::string output;
  std::string type;
  std::string op = "sum";
  std::string scheme = "auto";
  std::string backend = "auto";
  uint32_t order = 1;
  uint32_t tuple = 1;
  bool exclusive = false;
  bool force = false;
  bool quiet = false;
};

// What to scan and how, from arguments that have been checked individually.
struct ScanJob {
  DType type;
  scan::Kind kind;
  scan::Options options;

  [[nodiscard]] Status run(void* values, uint64_t bytes, StreamView stream) const {
    return scan::run(type, kind, values, values, bytes / size_bytes(type), options, stream);
  }
};

constexpr struct {
  std::string_view name;
  scan::Scheme scheme;
} kSchemes[] = {
    {"auto", scan::Scheme::automatic}, {"vector", scan::Scheme::vector}, {"rounds", scan::Scheme::rounds}};

std::optional<scan::Scheme> parse_scheme(std::string_view name) {
  for (const auto& entry : kSchemes) {
    if (entry.name == name) {
      return entry.scheme;
    }
  }
  return std::nullopt;
}

ScanJob make_job(const ScanArgs& args) {
  return {.type = *parse_dtype(args.type),
          .kind = args.exclusive ? scan::Kind::exclusive : scan::Kind::inclusive,
          .options = {.order = args.order,
                      .tuple = args.tuple,
                      .op = *scan::parse_op(args.op),
                      .scheme = *parse_scheme(args.scheme)}};
}

Status check_length(const Input& input, uint64_t bytes, DType type) {
  BOBBIN_TRY(check_whole_values(input.name, bytes, type));
  BOBBIN_RETURN_IF(
      bytes / size_bytes(type) > scan::kMaxLength, StatusCode::unsupported,
      fmt::format("{}: {} values exceed the limit of 2^40", input.name, bytes / size_bytes(type)));
  return {};
}

Result<Bytes> read_blocks(const Input& input, bool quiet) {
  Progress progress(input.name, quiet);
  Bytes bytes;
  bytes.reserve(input.length.value_or(0) + kScanBlockBytes);  // so that the last block fits without a copy
  for (size_t got = kScanBlockBytes; got == kScanBlockBytes;) {
    const size_t before = bytes.size();
    bytes.resize(before + kScanBlockBytes);
    BOBBIN_ASSIGN(got, read_full(input, std::span(bytes).subspan(before)));
    bytes.resize(before + got);
    progress.show(bytes.size(), input.length.value_or(0));
  }
  return bytes;
}

Status out_of_memory(const Input& input) {
  return {StatusCode::out_of_memory,
          input.name + ": does not fit in memory" +
              (input.length ? " (" + count(*input.length, "byte") + ")" : std::string())};
}

Result<Bytes> read_all(const Input& input, bool quiet) {
  try {
    return read_blocks(input, quiet);
  } catch (const std::bad_alloc&) {
    return out_of_memory(input);
  } catch (const std::length_error&) {
    return out_of_memory(input);
  }
}

// Copies to the device, scans there in place, and copies back.
Status run_on_device(const ScanJob& job, std::span<std::byte> values, Backend backend) {
  BOBBIN_ASSIGN(const Stream stream, Stream::create(backend));
  BOBBIN_ASSIGN(const DeviceBuffer device, DeviceBuffer::create(values.size(), stream.view()));
  BOBBIN_TRY(copy_async(device.data(), values.data(), values.size(), stream.view()));
  BOBBIN_TRY(job.run(device.data(), values.size(), stream.view()));
  BOBBIN_TRY(copy_async(values.data(), device.data(), values.size(), stream.view()));
  return stream.view().synchronize();
}

Status run_job(const ScanJob& job, std::span<std::byte> values, Backend backend) {
  return backend == Backend::cpu ? job.run(values.data(), values.size(), StreamView(Backend::cpu, nullptr))
                                 : run_on_device(job, values, backend);
}

Status write_blocks(std::span<const std::byte> bytes, file::Output& output, const std::string& name) {
  while (!bytes.empty()) {
    const size_t size = std::min(bytes.size(), kScanBlockBytes);
    BOBBIN_TRY(output.write(bytes.first(size)).in(name));
    bytes = bytes.subspan(size);
  }
  return output.commit().in(name);
}

Status scan_file(const ScanArgs& args) {
  const ScanJob job = make_job(args);
  BOBBIN_ASSIGN(const Input input, open_input(args.input));
  BOBBIN_TRY(check_length(input, input.length.value_or(0), job.type));
  BOBBIN_ASSIGN(const Backend backend, pick_backend(args.backend));
  BOBBIN_ASSIGN(const Target target, open_target(args.output, args.force, input.descriptor.get()));
  BOBBIN_ASSIGN(file::Output output, open_output(target, args.force, input.access));
  BOBBIN_ASSIGN(Bytes values, read_all(input, args.quiet));
  BOBBIN_TRY(check_length(input, values.size(), job.type));
  BOBBIN_TRY(run_job(job, values, backend).in(input.name));
  BOBBIN_TRY(write_blocks(values, output, target.name));
  if (!args.quiet && !target.stream) {
    std::fputs(fmt::format("{}: {} => {}\n", printable(input.name),
                           count(values.size() / size_bytes(job.type), "value"), printable(target.name))
                   .c_str(),
               stderr);
  }
  return {};
}

// Arguments that are valid individually but not together. An empty scan asks the library, which knows the
// rules.
void check_together(const ScanArgs& args) {
  if (args.output.empty() && !is_stdin(args.input)) {
    refuse_without("--output");
  }
  const Status status = make_job(args).run(nullptr, 0, StreamView(Backend::cpu, nullptr));
  if (!status.ok()) {
    refuse(status.message());
  }
}

void add_scan_options(const Verb& verb, ScanArgs& args) {
  verb.add_option("--order", args.order, "Order of the scan, 1 to 8: how many times to apply it")
      .between(1, scan::kMaxOrder)
      .type_name("N")
      .show_default();
  verb.add_option("--tuple", args.tuple, "Number of interleaved series, 1 to 32")
      .between(1, scan::kMaxTuple)
      .type_name("N")
      .show_default();
  verb.add_option("--op", args.op, "sum, max, min, xor, and, or; floats: sum, of order 1")
      .one_of("operation", {"sum", "max", "min", "xor", "and", "or"})
      .type_name("OP")
      .show_default();
  verb.add_flag("--exclusive", args.exclusive, "Exclude each value from its own result");
  verb.add_option("--scheme", args.scheme, "How thread blocks exchange sums: auto, vector, rounds")
      .one_of("scheme", {"auto", "vector", "rounds"})
      .type_name("SCHEME")
      .show_default();
}

}  // namespace

void add_scan(const Parser& parser, Action& action) {
  const Verb verb = parser.add_verb("scan", "Compute the prefix scan of a raw little-endian array");
  auto args = std::make_shared<ScanArgs>();
  add_input(verb, args->input, "Raw array; '-' or nothing for stdin");
  add_type_option(verb, args->type).required();
  add_output(verb, args->output, "File to write, '-' for stdout (default: stdout for stdin)");
  add_force(verb, args->force);
  add_scan_options(verb, *args);
  add_backend_option(verb, args->backend);
  add_quiet(verb, args->quiet);
  verb.footer(
      "The whole array is held in memory, and in GPU memory if it is scanned there. The input is kept.\n"
      "Integers wrap around. Scans of order k undo differences of order k.\n"
      "Examples:\n"
      "  bobbin scan deltas.bin --type i64 -o values.bin\n"
      "  bobbin scan rgb.bin --type u8 --order 2 --tuple 3 -o - | od -t u1");
  verb.callback([args, &action] {
    check_together(*args);
    action = [args] { return report(scan_file(*args)); };
  });
}

}  // namespace bobbin::cli
