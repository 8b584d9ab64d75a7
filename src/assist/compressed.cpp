// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "array/array.hpp"
#include "assist/device_functions.hpp"
#include "assist/profile.hpp"
#include "bobbin/assist.hpp"
#include "codecs/line/kernels.hpp"
#include "core/bits.hpp"
#include "device/backends.hpp"
#include "file/array_bytes.hpp"

namespace bobbin {
namespace {

constexpr uint64_t kLineBytes = 128;
constexpr uint64_t kGroupBytes = 32 * kLineBytes;
constexpr uint64_t kNumLocks = uint64_t{1} << 14;
constexpr uint64_t kMaxLength = uint64_t{1} << 40;

Status refuse(const std::string& what) {
  return {StatusCode::invalid_argument, "compressed array: " + what};
}

Status check(DType type, uint64_t length, StreamView stream) {
  if (!has_backend(stream.backend()) || stream.backend() == Backend::cpu) {
    return missing_backend(stream.backend());
  }
  if (is_string(type)) {
    return refuse("strings cannot be compressed as lines");
  }
  return length > kMaxLength ? refuse("more than 2^40 values") : Status{};
}

Status check_values(const void* values, uint64_t length) {
  return values == nullptr && length != 0 ? refuse("there are no values") : Status{};
}

MemoryResource& memory_of(const LineOptions& options, StreamView stream) {
  return options.memory != nullptr ? *options.memory : default_memory(stream.backend());
}

const assist::DeviceFunctions& functions(StreamView stream) {
  return *on_backend(stream.backend(), []<Backend kBackend>() { return &assist::functions_on<kBackend>(); });
}

// Groups spread over `bytes`, all of them if they are few; copy(to, from, bytes) copies a group. A partial
// group at the end is not sampled.
template <class Copy>
Result<std::vector<std::byte>> draw_sample(uint64_t bytes, Copy&& copy) {
  const uint64_t groups = bytes / kGroupBytes;
  const uint64_t count = std::min(groups, assist::kSampleGroups);
  std::vector<std::byte> sample(count * kGroupBytes);
  for (uint64_t i = 0; i < count; ++i) {
    BOBBIN_TRY(copy(sample.data() + i * kGroupBytes, groups * i / count * kGroupBytes, kGroupBytes));
  }
  return sample;
}

// The layout to make, and why.
struct Decision {
  LineLayout layout = LineLayout::raw;
  std::string reason;
};

template <class Copy>
Result<Decision> decide(uint64_t bytes, const LineOptions& options, Copy&& copy) {
  if (options.decision == LineDecision::raw || options.layout == LineLayout::raw) {
    return Decision{LineLayout::raw, "raw: as the caller decided"};
  }
  if (options.decision == LineDecision::compressed) {
    return Decision{options.layout, std::string(to_string(options.layout)) + ": as the caller decided"};
  }
  BOBBIN_ASSIGN(const std::vector<std::byte> sample, draw_sample(bytes, copy));
  const assist::Profile profile = assist::Profile::of(sample, options.layout);
  const bool is_timed = options.kernel != nullptr;
  return Decision{profile.pays(is_timed) ? options.layout : LineLayout::raw,
                  profile.reason(options.layout, is_timed)};
}

}  // namespace

std::string_view to_string(LineLayout layout) {
  switch (layout) {
    case LineLayout::tiles:
      return "tiles";
    case LineLayout::slots:
      return "slots";
    case LineLayout::raw:
      break;
  }
  return "raw";
}

// Which members are used depends on the layout.
struct CompressedMemory::Impl {
  DType type{};
  uint64_t length = 0;
  Decision decision;
  std::optional<DeviceBuffer> values;  // or images, or slots
  std::optional<DeviceBuffer> codes;
  std::optional<DeviceBuffer> starts;
  std::optional<DeviceBuffer> locks;

  [[nodiscard]] LineLayout layout() const { return decision.layout; }
  [[nodiscard]] uint64_t bytes() const { return length * size_bytes(type); }
  [[nodiscard]] uint64_t lines() const { return ceil_div<uint64_t>(bytes(), kLineBytes); }
  [[nodiscard]] assist::SlotMemory slots() const {
    return {codes->as<uint8_t>(), values->as<uint32_t>(), lines()};
  }
  // The codec's array, without owning it.
  [[nodiscard]] Array tiles() const {
    const auto part = [](const DeviceBuffer& buffer) {
      return Buffer{nullptr, {buffer.as<const std::byte>(), buffer.size()}};
    };
    return {.codec = CodecId::line,
            .type = type,
            .length = length,
            .offset = 0,
            .metadata = {codec::line::kMaxLineLog},
            .buffers = {part(*starts), part(*codes), part(*values)},
            .children = {}};
  }
};

// Makes the members of an array.
struct CompressedMemoryAccess {
  using Impl = CompressedMemory::Impl;

  MemoryResource& memory;
  StreamView stream;
  std::unique_ptr<Impl> impl;

  CompressedMemoryAccess(DType type, uint64_t length, Decision decision, const LineOptions& options,
                         StreamView on)
      : memory(memory_of(options, on)), stream(on), impl(std::make_unique<Impl>()) {
    impl->type = type;
    impl->length = length;
    impl->decision = std::move(decision);
  }

  Result<DeviceBuffer> create(uint64_t bytes) { return DeviceBuffer::create(bytes, stream, memory); }
  Result<DeviceBuffer> copy_of(const void* from, uint64_t bytes) {
    BOBBIN_ASSIGN(DeviceBuffer to, create(bytes));
    BOBBIN_TRY(copy_async(to.data(), from, bytes, stream));
    return to;
  }

  Status copy_raw(const void* values) {
    BOBBIN_ASSIGN(impl->values, copy_of(values, impl->bytes()));
    return {};
  }
  // Only what the images take is kept; where the array was encoded, there is room for the worst case.
  Status copy_tiles(const Array& array) {
    const auto copy = [&](const Buffer& buffer) { return copy_of(buffer.bytes.data(), buffer.bytes.size()); };
    BOBBIN_ASSIGN(impl->starts, copy(array.buffers[0]));
    BOBBIN_ASSIGN(impl->codes, copy(array.buffers[1]));
    BOBBIN_ASSIGN(impl->values, copy(array.buffers[2]));
    return {};
  }
  // Codes and slots are not yet set.
  Status create_slots() {
    BOBBIN_ASSIGN(impl->values, create(impl->lines() * kLineBytes));
    BOBBIN_ASSIGN(impl->codes, create(impl->lines()));
    BOBBIN_ASSIGN(impl->locks, create(kNumLocks * sizeof(uint32_t)));
    return fill_async(impl->locks->data(), 0, impl->locks->size(), stream);
  }
  Status compress(const void* values) {
    if (impl->layout() == LineLayout::slots) {
      BOBBIN_TRY(create_slots());
      return functions(stream).write_slots(values, impl->bytes(), impl->slots(), stream);
    }
    BOBBIN_ASSIGN(const Array array,
                  functions(stream).encode_tiles(impl->type, values, impl->length, stream));
    return copy_tiles(array);
  }

  CompressedMemory finish() && { return CompressedMemory(std::move(impl)); }
};

CompressedMemory::CompressedMemory(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CompressedMemory::CompressedMemory(CompressedMemory&&) noexcept = default;
CompressedMemory& CompressedMemory::operator=(CompressedMemory&&) noexcept = default;
CompressedMemory::~CompressedMemory() = default;

namespace {

// Whether the kernel has a say after the values.
bool samples_kernel(const LineOptions& options, const Decision& decision) {
  return options.kernel && options.decision == LineDecision::by_sample && decision.layout != LineLayout::raw;
}

// Whole groups, or all values.
uint64_t sampled_length(DType type, uint64_t length, const LineOptions& options) {
  const uint64_t most = std::max(options.kernel_bytes, kGroupBytes) / kGroupBytes * kGroupBytes;
  return std::min(length, most / size_bytes(type));
}

// Times the kernel on values in device memory, raw and compressed, and decides again.
Status sample_kernel(DType type, const void* values, uint64_t length, const LineOptions& options,
                     StreamView stream, Decision& decision) {
  CompressedMemoryAccess access(type, length, decision, options, stream);
  BOBBIN_TRY(access.compress(values));
  const CompressedMemory compressed = std::move(access).finish();
  LineParts raw;
  raw.length = length;
  raw.values = const_cast<void*>(values);  // the kernel only reads them
  BOBBIN_ASSIGN(const double speedup,
                compressed_speedup([&] { return options.kernel(raw); },
                                   [&] { return options.kernel(compressed.parts()); }, stream));
  const bool pays = speedup >= assist::kLeastSpeedup;
  const std::string found =
      fmt::format("the kernel's speed on a sample is {:.2f} times that on raw values", speedup);
  decision.reason = pays ? decision.reason + "; " + found : "raw: " + found;
  decision.layout = pays ? decision.layout : LineLayout::raw;
  return {};
}

}  // namespace

Result<CompressedMemory> CompressedMemory::from_host(DType type, const void* values, uint64_t length,
                                                     const LineOptions& options, StreamView stream) {
  BOBBIN_TRY(check(type, length, stream));
  BOBBIN_TRY(check_values(values, length));
  const auto copy = [&](std::byte* to, uint64_t from, uint64_t bytes) {
    std::memcpy(to, static_cast<const std::byte*>(values) + from, bytes);
    return Status{};
  };
  BOBBIN_ASSIGN(Decision decision, decide(length * size_bytes(type), options, copy));
  if (samples_kernel(options, decision)) {
    const uint64_t some = sampled_length(type, length, options);
    BOBBIN_ASSIGN(const DeviceBuffer raw, DeviceBuffer::create(some * size_bytes(type), stream));
    BOBBIN_TRY(copy_async(raw.data(), values, raw.size(), stream));
    BOBBIN_TRY(sample_kernel(type, raw.data(), some, options, stream, decision));
  }
  CompressedMemoryAccess made(type, length, std::move(decision), options, stream);
  if (made.impl->layout() == LineLayout::tiles) {
    BOBBIN_ASSIGN(const Array array, codec::line::encode_for_reading({type, values, length}));
    BOBBIN_TRY(made.copy_tiles(array));
    BOBBIN_TRY(stream.synchronize());
  } else if (made.impl->layout() == LineLayout::slots) {
    // Slots take as many bytes as the values: the device compresses them faster.
    BOBBIN_ASSIGN(const DeviceBuffer raw, made.copy_of(values, made.impl->bytes()));
    BOBBIN_TRY(made.compress(raw.data()));
    BOBBIN_TRY(stream.synchronize());
  } else {
    BOBBIN_TRY(made.copy_raw(values));
    BOBBIN_TRY(stream.synchronize());
  }
  return std::move(made).finish();
}

Result<CompressedMemory> CompressedMemory::from_device(DType type, const void* values, uint64_t length,
                                                       const LineOptions& options, StreamView stream) {
  BOBBIN_TRY(check(type, length, stream));
  BOBBIN_TRY(check_values(values, length));
  if (reinterpret_cast<uintptr_t>(values) % 16 != 0) {
    return refuse("the values are not aligned to 16 bytes");
  }
  const auto copy = [&](std::byte* to, uint64_t from, uint64_t bytes) {
    return copy_async(to, static_cast<const std::byte*>(values) + from, bytes, stream);
  };
  BOBBIN_ASSIGN(Decision decision, decide(length * size_bytes(type), options, copy));
  if (samples_kernel(options, decision)) {
    BOBBIN_TRY(sample_kernel(type, values, sampled_length(type, length, options), options, stream, decision));
  }
  CompressedMemoryAccess made(type, length, std::move(decision), options, stream);
  BOBBIN_TRY(made.impl->layout() == LineLayout::raw ? made.copy_raw(values) : made.compress(values));
  BOBBIN_TRY(stream.synchronize());
  return std::move(made).finish();
}

Result<CompressedMemory> CompressedMemory::zeros(DType type, uint64_t length, const LineOptions& options,
                                                 StreamView stream) {
  BOBBIN_TRY(check(type, length, stream));
  const bool is_raw = options.decision == LineDecision::raw || options.layout == LineLayout::raw;
  Decision decision{is_raw ? LineLayout::raw : LineLayout::slots,
                    is_raw ? "raw: as the caller decided" : "slots: for kernels to write"};
  CompressedMemoryAccess made(type, length, std::move(decision), options, stream);
  if (is_raw) {
    BOBBIN_ASSIGN(made.impl->values, made.create(made.impl->bytes()));
    BOBBIN_TRY(fill_async(made.impl->values->data(), 0, made.impl->bytes(), stream));
  } else {
    BOBBIN_TRY(made.create_slots());
    BOBBIN_TRY(fill_async(made.impl->codes->data(), codec::line::kZeros, made.impl->lines(), stream));
  }
  return std::move(made).finish();
}

Result<CompressedMemory> CompressedMemory::from_bytes(std::span<const std::byte> bytes,
                                                      const LineOptions& options, StreamView stream) {
  BOBBIN_ASSIGN(const Array array, file::unpack_array(bytes, kMaxLength));
  BOBBIN_TRY(check(array.type, array.length, stream));
  if (array.codec != CodecId::line || array.metadata[0] != codec::line::kMaxLineLog) {
    return refuse("the bytes are not those of the codec line with lines of 128 bytes");
  }
  CompressedMemoryAccess made(array.type, array.length, {LineLayout::tiles, "tiles: as the bytes have it"},
                              options, stream);
  BOBBIN_TRY(made.copy_tiles(array));
  BOBBIN_TRY(stream.synchronize());
  return std::move(made).finish();
}

Result<CompressedMemory> CompressedMemory::from_slots(DType type, uint64_t length,
                                                      std::span<const uint8_t> codes,
                                                      std::span<const std::byte> slots,
                                                      const LineOptions& options, StreamView stream) {
  BOBBIN_TRY(check(type, length, stream));
  CompressedMemoryAccess made(type, length, {LineLayout::slots, "slots: as the caller has them"}, options,
                              stream);
  if (codes.size() != made.impl->lines() || slots.size() != codes.size() * kLineBytes) {
    return refuse("expected " + std::to_string(made.impl->lines()) + " codes and 128 bytes for each");
  }
  for (size_t i = 0; i < codes.size(); ++i) {
    uint32_t first = 0;
    std::memcpy(&first, slots.data() + i * kLineBytes, sizeof first);
    const bool is_valid =
        codec::line::is_valid(codes[i], kLineBytes) &&
        (codes[i] < codec::line::kFpc || codec::line::is_valid_fpc(first, codes[i], kLineBytes));
    BOBBIN_RETURN_IF(
        !is_valid, StatusCode::corrupt,
        "compressed array: slot " + std::to_string(i) + " contradicts its code " + std::to_string(codes[i]));
  }
  BOBBIN_TRY(made.create_slots());
  BOBBIN_TRY(copy_async(made.impl->codes->data(), codes.data(), codes.size(), stream));
  BOBBIN_TRY(copy_async(made.impl->values->data(), slots.data(), slots.size(), stream));
  BOBBIN_TRY(stream.synchronize());
  return std::move(made).finish();
}

DType CompressedMemory::type() const {
  return impl_->type;
}

uint64_t CompressedMemory::length() const {
  return impl_->length;
}

LineLayout CompressedMemory::layout() const {
  return impl_->layout();
}

const std::string& CompressedMemory::reason() const {
  return impl_->decision.reason;
}

LineParts CompressedMemory::parts() const {
  LineParts parts{.layout = layout(), .length = length()};
  if (layout() == LineLayout::raw) {
    parts.values = impl_->values->data();
    return parts;
  }
  parts.codes = impl_->codes->as<uint8_t>();
  parts.lines = impl_->codes->size();
  parts.images = impl_->values->as<uint32_t>();
  parts.image_words = impl_->values->size() / sizeof(uint32_t);
  if (layout() == LineLayout::slots) {
    parts.locks = impl_->locks->as<uint32_t>();
    parts.num_locks = kNumLocks;
  } else {
    parts.starts = impl_->starts->as<uint32_t>();
    parts.tiles = impl_->starts->size() / sizeof(uint32_t);
    parts.tile_lines =
        codec::line::Layout{kLineBytes, static_cast<uint32_t>(size_bytes(type()))}.tile_lines();
  }
  return parts;
}

Status CompressedMemory::to_device(void* out, StreamView stream) const {
  BOBBIN_TRY(check(type(), length(), stream));
  if (reinterpret_cast<uintptr_t>(out) % 16 != 0) {
    return refuse("the output is not aligned to 16 bytes");
  }
  switch (layout()) {
    case LineLayout::tiles:
      return length() == 0 ? Status{} : functions(stream).decode_tiles(impl_->tiles(), out, stream);
    case LineLayout::slots:
      return functions(stream).read_slots(impl_->slots(), out, impl_->bytes(), stream);
    case LineLayout::raw:
      break;
  }
  return copy_async(out, impl_->values->data(), impl_->bytes(), stream);
}

Status CompressedMemory::to_host(std::span<std::byte> out, StreamView stream) const {
  if (out.size() != impl_->bytes()) {
    return refuse("the output must have exactly as many bytes as the values");
  }
  BOBBIN_ASSIGN(const DeviceBuffer raw, DeviceBuffer::create(out.size(), stream));
  BOBBIN_TRY(to_device(raw.data(), stream));
  BOBBIN_TRY(copy_async(out.data(), raw.data(), out.size(), stream));
  return stream.synchronize();
}

Result<LineUse> CompressedMemory::use(StreamView stream) const {
  LineUse use;
  use.memory_bytes = impl_->values->size();
  use.moved_bytes = impl_->bytes();
  if (layout() == LineLayout::raw) {
    return use;
  }
  std::vector<uint8_t> codes(impl_->codes->size());
  BOBBIN_TRY(copy_async(codes.data(), impl_->codes->data(), codes.size(), stream));
  BOBBIN_TRY(stream.synchronize());
  use.classes = assist::count_classes(codes);
  const bool is_slots = layout() == LineLayout::slots;
  use.memory_bytes += codes.size() + (is_slots ? impl_->locks->size() : impl_->starts->size());
  use.moved_bytes = is_slots ? codes.size() : use.memory_bytes;
  for (const LineClass& each : use.classes) {
    use.moved_bytes += is_slots ? each.sector_bytes : 0;
  }
  if (use.moved_bytes != 0) {
    use.ratio = static_cast<double>(impl_->bytes()) / static_cast<double>(use.moved_bytes);
  }
  return use;
}

Result<std::vector<std::byte>> CompressedMemory::to_bytes(StreamView stream) const {
  if (layout() != LineLayout::tiles) {
    return refuse("only tiles can be packed into bytes");
  }
  BOBBIN_ASSIGN(const Array array, array::to_host(impl_->tiles(), stream));
  return file::pack_array(array);
}

Result<double> compressed_speedup(const std::function<Status()>& on_raw,
                                  const std::function<Status()>& on_compressed, StreamView stream) {
  constexpr int kRuns = 5;
  BOBBIN_ASSIGN(Event start, Event::create(stream.backend()));
  BOBBIN_ASSIGN(Event end, Event::create(stream.backend()));
  double least[2] = {0, 0};
  for (int i = 0; i <= kRuns; ++i) {  // the first runs are not counted
    for (const bool compressed : {false, true}) {
      BOBBIN_TRY(start.record(stream));
      BOBBIN_TRY(compressed ? on_compressed() : on_raw());
      BOBBIN_TRY(end.record(stream));
      BOBBIN_TRY(end.synchronize());
      BOBBIN_ASSIGN(const double ms, end.elapsed_ms_since(start));
      double& best = least[compressed ? 1 : 0];
      best = i <= 1 ? ms : std::min(best, ms);
    }
  }
  return least[1] > 0 ? least[0] / least[1] : 1.0;
}

}  // namespace bobbin
