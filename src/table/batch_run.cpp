// SPDX-License-Identifier: Apache-2.0
#include "table/batch_run.hpp"

#include <algorithm>

#include "core/bits.hpp"
#include "file/access.hpp"

namespace bobbin::table {
namespace {

// Bytes are checked fastest by the thread that has just read them, as they are in its core's cache. So a
// thread reads a whole chunk, unless that is larger than half a batch. The first batches are read in pieces,
// because nothing can be copied before they are there, and the last ones, so that no thread is left without
// work.
constexpr size_t kBatchesInPieces = 2;
// The piece of a chunk that a thread reads at a time, so that others can read the rest in parallel: large
// enough that taking a piece costs less than reading it, and such that a file with false sizes cannot fill
// the memory with pieces.
constexpr uint64_t kPiecesPerBatch = 8;
constexpr uint64_t kPiecesPerChunk = 16;
constexpr uint64_t kLeastPiece = uint64_t{1} << 16;

}  // namespace

BatchRun::BatchRun(const Reader& reader, std::span<const Part> parts, uint64_t batch_bytes)
    : reader_(reader),
      parts_(parts),
      batches_(batches_of(reader, parts, batch_bytes)),
      piece_bytes_(std::max(kLeastPiece, batch_bytes / kPiecesPerBatch)) {
  for (size_t b = 0; b < batches_.size(); ++b) {
    works_.emplace_back(batches_[b].members.size());
    for (size_t m = 0; m < batches_[b].members.size(); ++m) {
      add_tasks(b, m);
    }
  }
}

// At least one, even for a chunk without bytes and for a partial chunk.
void BatchRun::add_tasks(size_t batch, size_t member) {
  const uint64_t bytes = batches_[batch].whole ? batches_[batch].members[member].bytes : 0;
  const bool in_pieces = batch < kBatchesInPieces || batch + kBatchesInPieces >= batches_.size();
  const uint64_t chunk = in_pieces ? piece_bytes_ : piece_bytes_ * (kPiecesPerBatch / 2);
  const uint64_t most = bytes <= chunk ? chunk : std::max(piece_bytes_, ceil_div(bytes, kPiecesPerChunk));
  uint64_t begin = 0;
  do {
    const uint64_t piece = std::min(most, bytes - begin);
    tasks_.push_back({batch, member, begin, piece, piece == bytes});
    begin += piece;
    ++works_[batch].unread;
    ++works_[batch].unread_of[member];
  } while (begin < bytes);
}

void BatchRun::work_up_to(size_t batch) {
  for (uint64_t i = next_; i < tasks_.size() && tasks_[i].batch <= batch;) {
    if (next_.compare_exchange_weak(i, i + 1)) {
      do_task(tasks_[i]);
      i = next_;
    }
  }
}

// After an error, only earlier parts are still processed and the rest is just counted: a batch's memory must
// be released in any case, for those who wait for it.
void BatchRun::do_task(const Task& task) {
  const size_t part = member_of(task).part;
  Work& work = works_[task.batch];
  const auto attempt = [&](bool wanted, Status (BatchRun::*step)(const Task&)) {
    if (wanted) {
      error_.note(part, (this->*step)(task));
    }
  };
  attempt(!error_.up_to(part), &BatchRun::read);
  if (--work.unread == 0) {
    attempt(!error_.any(), &BatchRun::copy);
  }
  if (--work.unread_of[task.member] != 0) {
    return;
  }
  attempt(!error_.up_to(part), &BatchRun::check);
  if (--work.unchecked == 0) {
    finish_batch(task.batch, part);
  }
}

// Waits for memory. Batches that have memory are read by threads that do not wait: a thread takes the
// remaining pieces of its batch before any of the next one.
Status BatchRun::start(size_t batch) {
  const LoadBatch& what = batches_[batch];
  BOBBIN_ASSIGN(works_[batch].staging, take_memory(batch));
  return works_[batch].staging->make_ready(what.whole ? what.bytes : 0, what.bits_bytes);
}

Status BatchRun::read(const Task& task) {
  Work& work = works_[task.batch];
  std::call_once(work.started, [&] { work.ready = start(task.batch); });
  BOBBIN_TRY(work.ready);
  const LoadBatch::Member& member = member_of(task);
  const Part& part = parts_[member.part];
  if (!batches_[task.batch].whole) {
    return {};
  }
  const auto to = work.staging->bytes().subspan(member.begin + task.begin, task.bytes);
  return task.is_chunk ? file::ReaderAccess::read_checked_chunk(reader_, part.group, part.column, to)
                       : file::ReaderAccess::read_chunk(reader_, part.group, part.column, task.begin, to);
}

Status BatchRun::copy(const Task& task) {
  return batches_[task.batch].whole ? works_[task.batch].staging->copy() : Status();
}

Status BatchRun::check(const Task& task) {
  if (!batches_[task.batch].whole) {
    return {};
  }
  Work& work = works_[task.batch];
  const LoadBatch::Member& member = member_of(task);
  const Part& part = parts_[member.part];
  const auto memory = work.staging->bytes().subspan(member.begin, member.bytes);
  if (!task.is_chunk) {
    BOBBIN_TRY(file::ReaderAccess::check_chunk(reader_, part.group, part.column, memory));
  }
  BOBBIN_ASSIGN(work.arrays[task.member],
                file::ReaderAccess::chunk_in(reader_, part.group, part.column, memory));
  const Status status = check_content(task.batch, task.member);
  return status.ok() ? status : file::ReaderAccess::in_place(reader_, status, part.group, part.column);
}

}  // namespace bobbin::table
