// SPDX-License-Identifier: Apache-2.0
#include "table/read_ahead.hpp"

#include <algorithm>
#include <system_error>

#include "array/strings.hpp"
#include "bobbin/cancel.hpp"
#include "bobbin/gpu.hpp"
#include "core/bits.hpp"
#include "core/parallel.hpp"
#include "device/thread_gpu.hpp"
#include "file/access.hpp"

namespace bobbin::table {
namespace {

// To wake or start a thread takes at most as long as to read and check this many bytes.
constexpr uint64_t kBytesPerThread = uint64_t{256} << 10;
constexpr uint64_t kMostStagings = 16;

// On five cores or more, not all of them: the query's thread, which prepares and launches, must not wait for
// one. 13 threads of 16 cores read as fast as 16 (docs/perf/query.md).
constexpr unsigned threads_of(unsigned cores) {
  return cores - cores / 5;
}

}  // namespace

Part whole_chunk(const Reader& reader, size_t group, size_t column) {
  const file::RowGroup& rows = file::ReaderAccess::footer(reader).row_groups[group];
  return {.slot = column,
          .column = column,
          .group = group,
          .begin = 0,
          .count = rows.num_rows,
          .at = rows.first_row};
}

ReadAhead::ReadAhead(const Reader& reader, std::vector<Part> chunks, StreamView stream,
                     const ReadAheadOptions& options)
    : BatchRun(reader, chunks, options.batch_bytes),
      chunks_(std::move(chunks)),
      stream_(stream),
      states_(batches_.size()),
      ordered_(batches_.size()) {
  parts_ = chunks_;
}

Result<std::unique_ptr<ReadAhead>> ReadAhead::start(const Reader& reader, std::vector<Part> chunks,
                                                    StreamView stream, const ReadAheadOptions& options) {
  std::unique_ptr<ReadAhead> made(new ReadAhead(reader, std::move(chunks), stream, options));
  BOBBIN_TRY(made->make_memory(options));
  made->start_threads(options);
  return made;
}

ReadAhead::~ReadAhead() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  error_.note(0, Status(StatusCode::cancelled, "the query is over"));  // what is left is not read
  released_.notify_all();
  if (crew_ != nullptr) {
    crew_->wait();
    keep_crew(std::move(crew_));
  }
  for (const Staging& staging : stagings_) {
    // The next user of the memory waits for what the device still does with it. If that fails, so has the
    // query.
    static_cast<void>(wait_for_stream(staging.stream(), stream_));
  }
  keep_stagings(std::move(stagings_));
}

uint64_t ReadAhead::most_batches_of_a_group() const {
  uint64_t most = 1;
  for (size_t part = 0, first = 0; part < parts_.size(); ++part) {
    if (parts_[part].group != parts_[first].group) {
      first = part;
    }
    most = std::max<uint64_t>(most, batch_of(part).first - batch_of(first).first + 1);
  }
  return most;
}

// Allocates all memory on the query's thread, whose current GPU is the right one.
Status ReadAhead::make_memory(const ReadAheadOptions& options) {
  uint64_t largest = 1;
  for (const LoadBatch& batch : batches_) {
    largest = std::max(largest, batch.bytes + batch.bits_bytes);
  }
  const uint64_t least = most_batches_of_a_group() + 1;
  const uint64_t wanted = std::max(least, std::min(kMostStagings, options.memory_bytes / largest));
  BOBBIN_ASSIGN(stagings_, borrow_stagings(stream_.backend(), std::min<size_t>(wanted, batches_.size())));
  for (size_t s = 0; s < stagings_.size(); ++s) {
    uint64_t bytes = 0;
    uint64_t extra = 0;
    for (size_t b = s; b < batches_.size(); b += stagings_.size()) {
      bytes = std::max(bytes, batches_[b].bytes);
      extra = std::max(extra, batches_[b].bits_bytes);
    }
    BOBBIN_TRY(stagings_[s].reserve(bytes, extra));
  }
  return {};
}

void ReadAhead::start_threads(const ReadAheadOptions& options) {
  uint64_t bytes = 0;
  for (const LoadBatch& batch : batches_) {
    bytes += batch.bytes;
  }
  const uint64_t most = options.threads != 0 ? options.threads
                        : bytes < kBytesPerThread
                            ? 0
                            : std::min<uint64_t>(bytes / kBytesPerThread, threads_of(bobbin::num_threads(0)));
  num_threads_ = static_cast<unsigned>(std::min<uint64_t>(most, num_tasks()));
  if (num_threads_ == 0) {
    return;
  }
  const CancelToken* const token = CancelScope::current();
  read_ = [this, gpu = ThreadGpu(stream_.backend()),
           copy = token == nullptr ? std::nullopt : std::optional(*token)](unsigned /*member*/) {
    if (!gpu.use().ok()) {
      return;  // others do the same work
    }
    std::optional<CancelScope> scope;
    if (copy.has_value()) {
      scope.emplace(*copy);
    }
    work();
  };
  while (num_threads_ != 0) {
    try {
      crew_ = borrow_crew(num_threads_ + 1);
      crew_->start(num_threads_ + 1, read_);
      return;
    } catch (const std::system_error&) {
      num_threads_ /= 2;  // fewer threads do the same work, or the query's thread does
    }
  }
}

Result<Staging*> ReadAhead::take_memory(size_t batch) {
  std::unique_lock lock(mutex_);
  released_.wait(lock, [&] { return is_over_ || batch < num_released_ + stagings_.size(); });
  BOBBIN_RETURN_IF(is_over_, StatusCode::cancelled, "the query is over");
  return &stagings_[batch % stagings_.size()];
}

Status ReadAhead::check_content(size_t batch, size_t member) {
  const Array& array = works_[batch].arrays[member];
  Status status =
      array::checks_content_on_device(array, stream_.backend()) ? Status() : array::validate_content(array);
  // The device decodes. Chunks that compress very well would take much host memory until they are used.
  array::free_decoded(array);
  return status;
}

void ReadAhead::finish_batch(size_t batch, size_t part) {
  if (works_[batch].staging != nullptr) {
    error_.note(part, works_[batch].staging->mark_copied());
  }
  {
    // If there is no error so far, the whole batch was read, checked and copied.
    const std::scoped_lock lock(mutex_);
    states_[batch] = error_.any() ? State::failed : State::read;
  }
  finished_.notify_one();
}

std::pair<size_t, size_t> ReadAhead::batch_of(size_t part) const {
  const auto after = std::ranges::upper_bound(
      batches_, part, {}, [](const LoadBatch& batch) { return batch.members.front().part; });
  const auto batch = static_cast<size_t>(after - batches_.begin()) - 1;
  return {batch, part - batches_[batch].members.front().part};
}

// Instead of only waiting, this thread reads what no thread has begun to read. There is memory for that: at
// least for all batches of a row group.
bool ReadAhead::wait_for(size_t batch) {
  work_up_to(batch);
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return states_[batch] != State::open; });
  return states_[batch] == State::read;
}

std::optional<ReadAhead::ReadChunk> ReadAhead::find(size_t group, size_t column) {
  const auto place = [](const Part& part) { return std::pair(part.group, part.column); };
  const auto found = std::ranges::lower_bound(chunks_, std::pair(group, column), {}, place);
  if (found == chunks_.end() || place(*found) != std::pair(group, column)) {
    return std::nullopt;
  }
  if (group > 0) {
    release(group - 1);
  }
  const auto [batch, member] = batch_of(static_cast<size_t>(found - chunks_.begin()));
  if (!wait_for(batch)) {
    return std::nullopt;
  }
  const Work& work = works_[batch];
  if (!ordered_[batch]) {
    if (!wait_for_stream(stream_, work.staging->stream()).ok()) {
      return std::nullopt;
    }
    ordered_[batch] = true;
  }
  return ReadChunk{&work.arrays[member], work.staging};
}

// Releases one batch after another, so that there is memory for each that has to be waited for.
void ReadAhead::release(size_t group) {
  while (num_released_ < batches_.size() &&
         chunks_[batches_[num_released_].members.back().part].group <= group) {
    // Waits for batches that find() never returned, too: a thread may be reading them.
    if (wait_for(num_released_) && ordered_[num_released_]) {
      error_.note(0, wait_for_stream(works_[num_released_].staging->stream(), stream_));
    }
    works_[num_released_].arrays = {};
    {
      const std::scoped_lock lock(mutex_);
      ++num_released_;
    }
    released_.notify_all();
  }
}

}  // namespace bobbin::table
