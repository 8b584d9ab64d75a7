// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "bobbin/table.hpp"
#include "codecs/masked/masked.hpp"
#include "core/bits.hpp"
#include "core/parallel.hpp"
#include "file/access.hpp"
#include "table/parts.hpp"

namespace bobbin {

using namespace table;

namespace {

constexpr size_t kOutputAlignment = 16;  // of what kernels write to
constexpr uint64_t kRowsPerWord = codec::masked::kRowsPerWord;

// Pinned memory for a chunk's bytes, and when the copy out of it is done.
struct Slot {
  PinnedBuffer memory;
  Event copied;
  bool busy = false;
};

// The same array with its buffers elsewhere: those that lay in `from` lie in `to`.
void relocate(Array& array, const std::byte* from, const std::byte* to) {
  for (Buffer& buffer : array.buffers) {
    buffer = {nullptr, {to + (buffer.bytes.data() - from), buffer.bytes.size()}};
  }
  for (Array& child : array.children) {
    relocate(child, from, to);
  }
}

// Where a part's rows go.
struct Destination {
  std::byte* values = nullptr;
  uint32_t* validity = nullptr;      // none: nobody asks
  DeviceStrings* strings = nullptr;  // of strings
};

// One thread's: a stream, and two slots, so that one is filled while the other one is copied.
class Worker {
 public:
  static Result<Worker> create(Backend backend) {
    BOBBIN_ASSIGN(Stream stream, Stream::create(backend));
    BOBBIN_ASSIGN(Slot first, make_slot(backend));
    BOBBIN_ASSIGN(Slot second, make_slot(backend));
    return Worker(std::move(stream), {std::move(first), std::move(second)});
  }

  Status load(const Reader& reader, const Part& part, const Destination& to) {
    Slot& slot = slots_[next_];
    next_ = 1 - next_;
    const uint64_t bytes = file::ReaderAccess::chunk_bytes(reader, part.group, part.column);
    BOBBIN_TRY(make_ready(slot, bytes));
    const std::span<std::byte> memory = slot.memory.bytes().first(bytes);
    BOBBIN_ASSIGN(const Array array,
                  file::ReaderAccess::load_chunk_into(reader, part.group, part.column, memory));
    const Status status =
        part.count == array.length ? load_whole(slot, memory, array, to) : load_slice(slot, array, part, to);
    return status.ok() ? status : file::ReaderAccess::in_place(reader, status, part.group, part.column);
  }

  [[nodiscard]] Status synchronize() const { return stream_.view().synchronize(); }

 private:
  Worker(Stream stream, std::array<Slot, 2> slots) : stream_(std::move(stream)), slots_(std::move(slots)) {}

  static Result<Slot> make_slot(Backend backend) {
    BOBBIN_ASSIGN(PinnedBuffer memory, PinnedBuffer::create(0, backend));
    BOBBIN_ASSIGN(Event copied, Event::create(backend));
    return Slot{std::move(memory), std::move(copied)};
  }

  Status make_ready(Slot& slot, uint64_t bytes) const {
    if (std::exchange(slot.busy, false)) {
      BOBBIN_TRY(slot.copied.synchronize());
    }
    if (slot.memory.bytes().size() < bytes) {
      // Half as much again: the next chunk may be a little larger.
      BOBBIN_ASSIGN(slot.memory, PinnedBuffer::create(bytes + bytes / 2, stream_.view().backend()));
    }
    return {};
  }

  // All bytes of the chunk in one copy.
  Status load_whole(Slot& slot, std::span<const std::byte> memory, const Array& array,
                    const Destination& to) const {
    const StreamView stream = stream_.view();
    BOBBIN_ASSIGN(const DeviceBuffer encoded, DeviceBuffer::create(memory.size(), stream));
    BOBBIN_TRY(copy_async(encoded.data(), memory.data(), memory.size(), stream));
    BOBBIN_TRY(mark_copied(slot));
    Array there = array;
    relocate(there, memory.data(), encoded.as<std::byte>());
    return decode(array, there, to);
  }

  // A slice may have buffers of its own.
  Status load_slice(Slot& slot, const Array& array, const Part& part, const Destination& to) const {
    BOBBIN_ASSIGN(const Array slice, array::slice(array, part.begin, part.count));
    BOBBIN_ASSIGN(const array::OnDevice encoded, array::to_device(slice, stream_.view()));
    BOBBIN_TRY(mark_copied(slot));
    BOBBIN_TRY(decode(slice, encoded.array, to));
    return synchronize();  // the slice's own buffers go out of scope
  }

  Status mark_copied(Slot& slot) const {
    slot.busy = true;
    return slot.copied.record(stream_.view());
  }

  // `here` is the same array in host memory.
  Status decode(const Array& here, const Array& there, const Destination& to) const {
    if (to.strings != nullptr) {
      return decode_strings(there, array::present_strings(here), *to.strings);
    }
    BOBBIN_TRY(decode_numbers(there, to.values));
    return to.validity == nullptr ? Status() : decode_validity(there, to.validity);
  }

  Status decode_numbers(const Array& array, std::byte* to) const {
    const StreamView stream = stream_.view();
    if (reinterpret_cast<uintptr_t>(to) % kOutputAlignment == 0) {
      return array::decode_on_device(array, to, stream);
    }
    const size_t bytes = array.length * size_bytes(array.type);
    BOBBIN_ASSIGN(const DeviceBuffer values, DeviceBuffer::create(bytes, stream));
    BOBBIN_TRY(array::decode_on_device(array, values.data(), stream));
    return copy_async(to, values.data(), bytes, stream);
  }

  Status decode_validity(const Array& array, uint32_t* to) const {
    const StreamView stream = stream_.view();
    const uint64_t words = ceil_div(array.length, kRowsPerWord);
    if (!array::has_nulls(array)) {
      return fill_async(to, 0xff, words * sizeof(uint32_t), stream);
    }
    const Array& validity = codec::masked::validity_of(array);
    BOBBIN_ASSIGN(const DeviceBuffer bits, DeviceBuffer::create(words * sizeof(uint32_t), stream));
    BOBBIN_TRY(array::decode_on_device(validity, bits.data(), stream));
    return copy_async(to, bits.data(), words * sizeof(uint32_t), stream);
  }

  Status decode_strings(const Array& array, const array::Bitmap& present, DeviceStrings& to) const {
    const StreamView stream = stream_.view();
    BOBBIN_ASSIGN(const array::StringsOnDevice strings, array::decode_strings_on_device(array, stream));
    to = {.length = strings.length,
          .wide = strings.sizes.wide,
          .num_bytes = strings.sizes.bytes,
          .offsets = strings.offsets,
          .bytes = strings.bytes,
          .validity = {}};
    if (present.count() == strings.length) {
      return {};
    }
    const size_t bytes = present.words.size() * sizeof(uint32_t);  // their first bit is the first string's
    BOBBIN_ASSIGN(DeviceBuffer validity, DeviceBuffer::create(bytes, stream));
    BOBBIN_TRY(copy_async(validity.data(), present.words.data(), bytes, stream));
    BOBBIN_TRY(stream.synchronize());  // the words go out of scope
    to.validity = std::make_shared<DeviceBuffer>(std::move(validity));
    return {};
  }

  Stream stream_;
  std::array<Slot, 2> slots_;
  size_t next_ = 0;
};

// Bits of parts that begin inside a word would run into each other: then the host puts them together.
bool bits_are_whole(std::span<const Part> parts) {
  return std::ranges::all_of(
      parts, [](const Part& part) { return part.at % kRowsPerWord == 0 && part.begin % kRowsPerWord == 0; });
}

Result<std::shared_ptr<DeviceBuffer>> make_shared_buffer(size_t bytes, StreamView stream,
                                                         MemoryResource& memory) {
  BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(bytes, stream, memory));
  return std::make_shared<DeviceBuffer>(std::move(buffer));
}

}  // namespace

struct Loader::Impl {
  Impl(Stream own, std::vector<Worker> made, MemoryResource& from)
      : stream(std::move(own)), workers(std::move(made)), memory(from) {}

  Result<std::vector<DeviceColumn>> make_columns(const Reader& reader, std::span<const size_t> columns,
                                                 uint64_t count, std::span<const Part> parts);
  Result<std::shared_ptr<DeviceBuffer>> validity_for(const Reader& reader, size_t column, uint64_t count,
                                                     std::span<const Part> parts);
  Status copy_bits(const Reader& reader, size_t column, uint64_t begin, const DeviceColumn& to);
  static Destination destination(DeviceColumn& column, const Part& part, bool with_bits);
  Status run(const Reader& reader, std::span<const Part> parts, std::vector<DeviceColumn>& columns);

  Stream stream;
  std::vector<Worker> workers;
  MemoryResource& memory;
};

// Memory for bits where a part of the column has nulls.
Result<std::shared_ptr<DeviceBuffer>> Loader::Impl::validity_for(const Reader& reader, size_t column,
                                                                 uint64_t count,
                                                                 std::span<const Part> parts) {
  const auto& groups = file::ReaderAccess::footer(reader).row_groups;
  const bool nulls = std::ranges::any_of(parts, [&](const Part& part) {
    return part.column == column && groups[part.group].chunks[column].null_count != 0;
  });
  if (!nulls) {
    return std::shared_ptr<DeviceBuffer>();
  }
  return make_shared_buffer(ceil_div(count, kRowsPerWord) * sizeof(uint32_t), stream.view(), memory);
}

Status Loader::Impl::copy_bits(const Reader& reader, size_t column, uint64_t begin, const DeviceColumn& to) {
  std::vector<uint8_t> bits(to.validity->size());
  BOBBIN_TRY(reader.read_validity(column, begin, to.length,
                                  std::span(bits).first(ceil_div<uint64_t>(to.length, 8))));
  BOBBIN_TRY(copy_async(to.validity->data(), bits.data(), bits.size(), stream.view()));
  return stream.view().synchronize();
}

Result<std::vector<DeviceColumn>> Loader::Impl::make_columns(const Reader& reader,
                                                             std::span<const size_t> columns, uint64_t count,
                                                             std::span<const Part> parts) {
  std::vector<DeviceColumn> made;
  const size_t groups = parts.empty() ? 0 : parts.back().group - parts.front().group + 1;
  for (const size_t column : columns) {
    DeviceColumn to{
        .column = reader.columns()[column], .length = count, .values = {}, .validity = {}, .strings = {}};
    if (is_string(to.column.type)) {
      to.strings.resize(groups);
    } else {
      BOBBIN_ASSIGN(to.values, make_shared_buffer(count * size_bytes(to.column.type), stream.view(), memory));
      BOBBIN_ASSIGN(to.validity, validity_for(reader, column, count, parts));
    }
    made.push_back(std::move(to));
  }
  BOBBIN_TRY(stream.view().synchronize());  // other streams use the memory
  return made;
}

Destination Loader::Impl::destination(DeviceColumn& column, const Part& part, bool with_bits) {
  Destination to;
  to.values = column.values->as<std::byte>() + part.at * size_bytes(column.column.type);
  if (with_bits && column.validity != nullptr) {
    to.validity = column.validity->as<uint32_t>() + part.at / kRowsPerWord;
  }
  return to;
}

Status Loader::Impl::run(const Reader& reader, std::span<const Part> parts,
                         std::vector<DeviceColumn>& columns) {
  FirstError error;
  std::atomic<uint64_t> next{0};
  const bool with_bits = bits_are_whole(parts);
  parallel_for(std::min<uint64_t>(workers.size(), parts.size()), [&](uint64_t w) {
    for (uint64_t task = next++; task < parts.size() && !error.any(); task = next++) {
      const Part& part = parts[task];
      DeviceColumn& column = columns[part.slot];
      const Destination to = is_string(column.column.type)
                                 ? Destination{.strings = &column.strings[part.group - parts.front().group]}
                                 : destination(column, part, with_bits);
      error.note(task, workers[w].load(reader, part, to));
    }
    error.note(parts.size(), workers[w].synchronize());
  });
  return error.status();
}

Loader::Loader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;
Loader::~Loader() = default;

Result<Loader> Loader::create(Backend backend, const LoadOptions& options) {
  BOBBIN_RETURN_IF(backend == Backend::cpu, StatusCode::invalid_argument,
                   "a loader is for a device: read_columns() reads into host memory");
  BOBBIN_ASSIGN(Stream stream, Stream::create(backend));
  std::vector<Worker> workers;
  for (unsigned i = 0; i < num_threads(options.threads); ++i) {
    BOBBIN_ASSIGN(Worker worker, Worker::create(backend));
    workers.push_back(std::move(worker));
  }
  MemoryResource& memory = options.memory != nullptr ? *options.memory : default_memory(backend);
  return Loader(std::make_unique<Impl>(std::move(stream), std::move(workers), memory));
}

Result<std::vector<DeviceColumn>> Loader::load(const Reader& reader, std::span<const size_t> columns,
                                               uint64_t begin, uint64_t count) {
  BOBBIN_TRY(check_columns(reader, columns, begin, count));
  const std::vector<Part> parts = parts_of(reader, columns, begin, count);
  BOBBIN_ASSIGN(std::vector<DeviceColumn> made, impl_->make_columns(reader, columns, count, parts));
  if (parts.empty()) {
    return made;
  }
  BOBBIN_TRY(impl_->run(reader, parts, made));
  for (size_t i = 0; i < made.size() && !bits_are_whole(parts); ++i) {
    if (made[i].validity != nullptr) {
      BOBBIN_TRY(impl_->copy_bits(reader, columns[i], begin, made[i]));
    }
  }
  return made;
}

}  // namespace bobbin
