// SPDX-License-Identifier: Apache-2.0
// Reads chunks of row groups ahead of a caller that uses them in file order: threads read and check them in
// pinned memory and queue their copies to a device, batch by batch.
//
// Errors are not reported here. find() does not return a chunk that could not be read, checked or copied, and
// after such an error it may not return other chunks either. The caller loads those itself and gets the same
// error as without reading ahead.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "bobbin/file.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/table.hpp"
#include "core/crew.hpp"
#include "table/batch_run.hpp"

namespace bobbin::table {

struct ReadAheadOptions {
  unsigned threads = 0;  // 0: nearly as many as there are cores, but not more than the bytes are worth
  uint64_t batch_bytes = LoadOptions().batch_bytes;
  // Pinned memory, and as much device memory; more if the batches of one row group and one more batch need
  // it. It should fit into the CPU's last-level cache (docs/perf/table.md).
  uint64_t memory_bytes = uint64_t{128} << 20;
};

// All rows of a column in a row group.
[[nodiscard]] Part whole_chunk(const Reader& reader, size_t group, size_t column);

class ReadAhead final : private BatchRun {
 public:
  // Starts to read `chunks`: whole chunks, in file order. The device's work with them is submitted to
  // `stream`. The reader must outlive the result.
  static Result<std::unique_ptr<ReadAhead>> start(const Reader& reader, std::vector<Part> chunks,
                                                  StreamView stream, const ReadAheadOptions& options = {});
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();  // waits for its threads

  // A chunk that was read and checked as by array::validate_for(). It is in host memory, and in device memory
  // for work that is submitted to the stream from now on.
  struct ReadChunk {
    const Array* array = nullptr;
    const Staging* staging = nullptr;

    [[nodiscard]] Array there(const Array& part) const { return staging->there(part); }
  };
  // Waits for the chunk, or reads it. Call from one thread, in file order; earlier row groups are released.
  // Empty if the chunk was not requested or could not be read.
  [[nodiscard]] std::optional<ReadChunk> find(size_t group, size_t column);
  // Says that the host no longer uses the chunks of this row group and of earlier ones. Work that was
  // submitted to the stream before may still use them.
  void release(size_t group);

  // The number of batches that can be in memory.
  [[nodiscard]] size_t num_stagings() const { return stagings_.size(); }
  [[nodiscard]] size_t num_threads() const { return num_threads_; }

 private:
  ReadAhead(const Reader& reader, std::vector<Part> chunks, StreamView stream,
            const ReadAheadOptions& options);

  Status make_memory(const ReadAheadOptions& options);
  void start_threads(const ReadAheadOptions& options);
  [[nodiscard]] uint64_t most_batches_of_a_group() const;
  [[nodiscard]] std::pair<size_t, size_t> batch_of(size_t part) const;  // and the index in it
  bool wait_for(size_t batch);

  Result<Staging*> take_memory(size_t batch) override;
  Status check_content(size_t batch, size_t member) override;
  void finish_batch(size_t batch, size_t part) override;

  std::vector<Part> chunks_;
  StreamView stream_;
  std::vector<Staging> stagings_;  // batch b uses number b modulo their number
  std::mutex mutex_;
  std::condition_variable finished_;
  std::condition_variable released_;
  enum class State : uint8_t { open, read, failed };
  std::vector<State> states_;  // of the batches
  std::vector<bool> ordered_;  // batches that the stream waits for
  size_t num_released_ = 0;    // batches, from the first on
  bool is_over_ = false;
  std::function<void(unsigned)> read_;  // what each thread does
  unsigned num_threads_ = 0;
  std::unique_ptr<Crew> crew_;  // null if there are no threads
};

}  // namespace bobbin::table
