// SPDX-License-Identifier: Apache-2.0
#include "bobbin/scan.hpp"

#include <string>

#include "device/backends.hpp"
#include "scan/plans.hpp"
#include "scan/scan.hpp"

namespace bobbin::scan {
namespace {

Status refuse(const std::string& what) {
  return {StatusCode::invalid_argument, "scan: " + what};
}

bool overlaps(const Request& request) {
  const auto in = reinterpret_cast<uintptr_t>(request.in);
  const auto out = reinterpret_cast<uintptr_t>(request.out);
  const uint64_t bytes = request.length * size_bytes(request.type);
  return in != out && in < out + bytes && out < in + bytes;
}

Status check(const Request& request) {
  const Options& options = request.options;
  if (options.order < 1 || options.order > kMaxOrder) {
    return refuse("order " + std::to_string(options.order) + " is out of range; expected 1 to 8");
  }
  if (options.tuple < 1 || options.tuple > kMaxTuple) {
    return refuse("a tuple of " + std::to_string(options.tuple) + " is out of range; expected 1 to 32");
  }
  if (request.length > kMaxLength) {
    return refuse(std::to_string(request.length) + " values exceed the limit of 2^40");
  }
  if (options.op > Op::bit_or || options.scheme > Scheme::rounds || request.kind > Kind::exclusive) {
    return refuse("unknown operation");
  }
  if (is_string(request.type)) {
    return refuse("strings cannot be scanned");
  }
  if (is_float(request.type) && (options.op != Op::sum || options.order != 1)) {
    return refuse("floats support only sums of order 1");
  }
  const bool integer_sum = options.op == Op::sum && !is_float(request.type);
  if (options.scheme == Scheme::vector && options.op == Op::bit_xor && options.order > 1) {
    return refuse("xor of a higher order requires the scheme rounds");
  }
  if (options.scheme == Scheme::rounds && !integer_sum && options.op != Op::bit_xor) {
    return refuse("the scheme rounds supports only integer sums and xor");
  }
  if (request.length == 0) {
    return {};
  }
  if (request.in == nullptr || request.out == nullptr) {
    return refuse("the input or output is null");
  }
  const size_t size = size_bytes(request.type);
  if (reinterpret_cast<uintptr_t>(request.in) % size != 0 ||
      reinterpret_cast<uintptr_t>(request.out) % size != 0) {
    return refuse("values are not aligned to their size");
  }
  return overlaps(request) ? refuse("input and output partly overlap") : Status{};
}

constexpr struct {
  Op op;
  std::string_view name;
} kOps[] = {{Op::sum, "sum"},     {Op::max, "max"},     {Op::min, "min"},
            {Op::bit_xor, "xor"}, {Op::bit_and, "and"}, {Op::bit_or, "or"}};

}  // namespace

Status run(DType type, Kind kind, const void* in, void* out, uint64_t length, const Options& options,
           StreamView stream) {
  const Request request{type, kind, in, out, length, options};
  BOBBIN_TRY(check(request));
  if (length == 0) {
    return {};
  }
  if (stream.backend() != Backend::cpu) {
    const auto run = on_backend(stream.backend(), []<Backend kBackend>() { return &run_on<kBackend>; });
    return run == nullptr ? missing_backend(stream.backend()) : run(request, stream);
  }
  run_on_cpu(request);
  return {};
}

std::string_view to_string(Op op) {
  for (const auto& entry : kOps) {
    if (entry.op == op) {
      return entry.name;
    }
  }
  return "?";
}

std::optional<Op> parse_op(std::string_view name) {
  for (const auto& entry : kOps) {
    if (entry.name == name) {
      return entry.op;
    }
  }
  return std::nullopt;
}

Workspace::Workspace(StreamView stream) : Workspace(stream, default_memory(stream.backend())) {}
Workspace::Workspace(StreamView stream, MemoryResource& memory)
    : state_(std::make_unique<State>(stream, &memory)) {}
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

Status Workspace::State::reserve(uint64_t words, uint64_t tiles) {
  const size_t bytes = words * sizeof(uint64_t);
  const bool fits = ring && ring->size() >= bytes;
  if (fits && epoch + tiles <= kMaxEpoch) {
    return {};
  }
  BOBBIN_RETURN_IF(tiles > kMaxEpoch, StatusCode::unsupported, "scan: too many tiles");
  if (!fits) {
    ring.reset();
    BOBBIN_ASSIGN(DeviceBuffer fresh, DeviceBuffer::create(bytes, stream, *memory));
    ring.emplace(std::move(fresh));
  }
  epoch = 0;
  return fill_async(ring->data(), 0, ring->size(), stream);
}

}  // namespace bobbin::scan
