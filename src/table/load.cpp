// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "array/strings.hpp"
#include "bobbin/table.hpp"
#include "core/bits.hpp"
#include "core/crew.hpp"
#include "core/parallel.hpp"
#include "device/thread_gpu.hpp"
#include "file/access.hpp"
#include "table/load_run.hpp"

namespace bobbin {

using namespace table;

namespace {

// Batches that are being read or copied: few enough to stay in a large cache, and enough that copies never
// have to wait.
unsigned num_stagings(unsigned threads) {
  return std::max(4U, threads);
}

}  // namespace

struct Loader::Impl {
  Impl(unsigned threads, uint64_t bytes, std::shared_ptr<Stream> own, std::vector<Staging> made,
       MemoryResource& from)
      : batch_bytes(bytes),
        stream(std::move(own)),
        stagings(std::move(made)),
        memory(from),
        num_threads(threads),
        crew(threads) {}

  Result<std::vector<DeviceColumn>> make_columns(const Reader& reader, std::span<const size_t> columns,
                                                 uint64_t count, std::span<const Part> parts);
  Result<std::shared_ptr<DeviceBuffer>> validity_for(const Reader& reader, size_t column, uint64_t count,
                                                     std::span<const Part> parts);
  Status copy_bits(const Reader& reader, size_t column, uint64_t begin, const DeviceColumn& to);
  Status run(const Reader& reader, std::span<const Part> parts, std::vector<DeviceColumn>& columns);
  Status check_faults(const Reader& reader, std::span<const Part> parts, const uint32_t* faults) const;
  Result<std::shared_ptr<DeviceBuffer>> make_buffer(size_t bytes);

  uint64_t batch_bytes;
  std::shared_ptr<Stream> stream;  // shared with what was loaded: memory is released in its order
  std::vector<Staging> stagings;
  MemoryResource& memory;
  unsigned num_threads;
  Crew crew;
};

Result<std::shared_ptr<DeviceBuffer>> Loader::Impl::make_buffer(size_t bytes) {
  BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(bytes, stream->view(), memory));
  return with_stream(std::make_shared<DeviceBuffer>(std::move(buffer)), stream);
}

// Memory for validity bits if any part of the column has nulls.
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
  return make_buffer(bitmap_bytes(count));
}

Status Loader::Impl::copy_bits(const Reader& reader, size_t column, uint64_t begin, const DeviceColumn& to) {
  std::vector<uint8_t> bits(to.validity->size());
  BOBBIN_TRY(reader.read_validity(column, begin, to.length,
                                  std::span(bits).first(ceil_div<uint64_t>(to.length, 8))));
  BOBBIN_TRY(copy_async(to.validity->data(), bits.data(), bits.size(), stream->view()));
  return stream->view().synchronize();
}

Result<std::vector<DeviceColumn>> Loader::Impl::make_columns(const Reader& reader,
                                                             std::span<const size_t> columns, uint64_t count,
                                                             std::span<const Part> parts) {
  std::vector<DeviceColumn> made;
  const size_t groups = parts.empty() ? 0 : parts.back().group - parts.front().group + 1;
  for (const size_t column : columns) {
    DeviceColumn to{.column = file::ReaderAccess::columns(reader)[column],
                    .length = count,
                    .values = {},
                    .validity = {},
                    .strings = {}};
    if (is_string(to.column.type)) {
      to.strings.resize(groups);
    } else {
      BOBBIN_ASSIGN(to.values, make_buffer(count * size_bytes(to.column.type)));
      BOBBIN_ASSIGN(to.validity, validity_for(reader, column, count, parts));
    }
    made.push_back(std::move(to));
  }
  return made;
}

Status Loader::Impl::run(const Reader& reader, std::span<const Part> parts,
                         std::vector<DeviceColumn>& columns) {
  BOBBIN_ASSIGN(const DeviceBuffer faults,
                DeviceBuffer::create(parts.size() * sizeof(uint32_t), stream->view()));
  BOBBIN_TRY(fill_async(faults.data(), 0, faults.size(), stream->view()));
  BOBBIN_TRY(stream->view().synchronize());  // other streams use it, and the columns' memory
  LoadRun run(reader, parts, columns, stagings, faults.as<uint32_t>(), batch_bytes, memory);
  crew.run(static_cast<unsigned>(std::min<size_t>(num_threads, run.num_tasks())),
           [&, gpu = ThreadGpu(stream->view().backend())](unsigned /*member*/) {
             if (gpu.use().ok()) {  // always for the calling thread, which does what others do not
               run.work();
             }
           });
  BOBBIN_TRY(run.finish());
  return check_faults(reader, parts, faults.as<uint32_t>());
}

Status Loader::Impl::check_faults(const Reader& reader, std::span<const Part> parts,
                                  const uint32_t* faults) const {
  std::vector<uint32_t> words(parts.size());
  BOBBIN_TRY(copy_async(words.data(), faults, parts.size() * sizeof(uint32_t), stream->view()));
  BOBBIN_TRY(stream->view().synchronize());
  const auto damaged = std::ranges::find_if(words, [](uint32_t word) { return word != 0; });
  if (damaged == words.end()) {
    return {};
  }
  const Part& part = parts[static_cast<size_t>(damaged - words.begin())];
  return file::ReaderAccess::in_place(reader, array::damaged_strings(), part.group, part.column);
}

Loader::Loader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Loader::Loader(Loader&&) noexcept = default;
Loader& Loader::operator=(Loader&&) noexcept = default;
Loader::~Loader() = default;

Result<Loader> Loader::create(Backend backend, const LoadOptions& options) {
  BOBBIN_RETURN_IF(backend == Backend::cpu, StatusCode::invalid_argument,
                   "a loader requires a device; use read_columns() to read into host memory");
  BOBBIN_RETURN_IF(options.batch_bytes == 0, StatusCode::invalid_argument, "the batch size must not be zero");
  MemoryResource& memory = options.memory != nullptr ? *options.memory : default_memory(backend);
  BOBBIN_ASSIGN(Stream stream, Stream::create(backend));
  const unsigned threads = num_threads(options.threads);
  std::vector<Staging> stagings;
  for (unsigned i = 0; i < num_stagings(threads); ++i) {
    BOBBIN_ASSIGN(Staging staging, Staging::create(backend));
    stagings.push_back(std::move(staging));
  }
  auto shared = std::make_shared<Stream>(std::move(stream));
  return Loader(
      std::make_unique<Impl>(threads, options.batch_bytes, std::move(shared), std::move(stagings), memory));
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
