// SPDX-License-Identifier: Apache-2.0
#include "table/load_run.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/masked/masked.hpp"
#include "core/bits.hpp"
#include "file/access.hpp"

namespace bobbin::table {
namespace {

constexpr uint64_t kRowsPerWord = codec::masked::kRowsPerWord;
// The piece of a chunk that a thread reads at a time, so that others can read the rest in parallel: large
// enough that taking a piece costs less than reading it, and such that a file with false sizes cannot fill
// the memory with pieces.
constexpr uint64_t kPiecesPerBatch = 8;
constexpr uint64_t kPiecesPerChunk = 16;
constexpr uint64_t kLeastPiece = uint64_t{1} << 16;

// One bit per string, as stored by the codec, in whole words of memory.
std::span<const std::byte> put_bits(const Array& array, std::span<std::byte> memory) {
  const std::vector<uint8_t> bits = array::string_validity(array);
  if (bits.empty()) {
    return {};
  }
  const auto words = memory.first(bitmap_bytes(array.length));
  std::memcpy(words.data(), bits.data(), bits.size());
  std::ranges::fill(words.subspan(bits.size()), std::byte{0});
  return words;
}

}  // namespace

bool bits_are_whole(std::span<const Part> parts) {
  return std::ranges::all_of(
      parts, [](const Part& part) { return part.at % kRowsPerWord == 0 && part.begin % kRowsPerWord == 0; });
}

LoadRun::LoadRun(const Reader& reader, std::span<const Part> parts, std::span<DeviceColumn> columns,
                 std::span<Staging> stagings, uint32_t* faults, uint64_t batch_bytes, MemoryResource& memory)
    : reader_(reader),
      parts_(parts),
      columns_(columns),
      stagings_(stagings),
      faults_(faults),
      pool_(stagings),
      piece_bytes_(std::max(kLeastPiece, batch_bytes / kPiecesPerBatch)),
      memory_(memory),
      batches_(batches_of(reader, parts, batch_bytes)),
      with_bits_(bits_are_whole(parts)) {
  for (size_t b = 0; b < batches_.size(); ++b) {
    works_.emplace_back(batches_[b].members.size());
    for (size_t m = 0; m < batches_[b].members.size(); ++m) {
      add_tasks(b, m);
    }
  }
}

// At least one, even for a chunk without bytes and for a partial chunk.
void LoadRun::add_tasks(size_t batch, size_t member) {
  const uint64_t bytes = batches_[batch].whole ? batches_[batch].members[member].bytes : 0;
  const uint64_t most = std::max(piece_bytes_, ceil_div(bytes, kPiecesPerChunk));
  uint64_t begin = 0;
  do {
    const uint64_t piece = std::min(most, bytes - begin);
    tasks_.push_back({batch, member, begin, piece});
    begin += piece;
    ++works_[batch].unread;
    ++works_[batch].chunks[member].unread;
  } while (begin < bytes);
}

void LoadRun::work() {
  for (uint64_t i = next_++; i < tasks_.size(); i = next_++) {
    do_task(tasks_[i]);
  }
}

// After an error, only earlier parts are still processed and the rest is just counted: a batch's memory must
// be released in any case, for those who wait for it.
void LoadRun::do_task(const Task& task) {
  const size_t part = member_of(task).part;
  Work& work = works_[task.batch];
  const auto attempt = [&](bool wanted, Status (LoadRun::*step)(const Task&)) {
    if (wanted) {
      error_.note(part, (this->*step)(task));
    }
  };
  attempt(!error_.up_to(part), &LoadRun::read);
  if (--work.unread == 0) {
    attempt(!error_.any(), &LoadRun::copy);
  }
  if (--work.chunks[task.member].unread != 0) {
    return;
  }
  attempt(!error_.up_to(part), &LoadRun::check);
  if (--work.unchecked != 0) {
    return;
  }
  attempt(!error_.any(), &LoadRun::copy_bits);
  if (work.staging != nullptr) {
    error_.note(part, work.staging->mark_copied());  // the memory need not wait for decoding
  }
  // A slice is read only here.
  attempt(batches_[task.batch].whole ? !error_.any() : !error_.up_to(part), &LoadRun::decode);
  if (work.staging != nullptr) {
    pool_.give_back(*work.staging);
  }
}

Status LoadRun::finish() {
  for (const Staging& staging : stagings_) {
    error_.note(parts_.size(), staging.stream().synchronize());
  }
  return error_.status();
}

Destination LoadRun::destination(size_t part_index) const {
  const Part& part = parts_[part_index];
  DeviceColumn& column = columns_[part.slot];
  Destination to;
  to.fault = faults_ + part_index;
  if (is_string(column.column.type)) {
    to.strings = &column.strings[part.group - parts_.front().group];
    return to;
  }
  to.values = column.values->as<std::byte>() + part.at * size_bytes(column.column.type);
  if (with_bits_ && column.validity != nullptr) {
    to.validity = column.validity->as<uint32_t>() + part.at / kRowsPerWord;
  }
  return to;
}

// Waits for memory. Batches that have memory are read by threads that do not wait: a thread takes the
// remaining pieces of its batch before any of the next one.
Status LoadRun::start(size_t batch) {
  const LoadBatch& what = batches_[batch];
  works_[batch].staging = &pool_.take();
  return works_[batch].staging->make_ready(what.whole ? what.bytes : 0, what.bits_bytes);
}

Status LoadRun::read(const Task& task) {
  Work& work = works_[task.batch];
  std::call_once(work.started, [&] { work.ready = start(task.batch); });
  BOBBIN_TRY(work.ready);
  const LoadBatch::Member& member = member_of(task);
  const Part& part = parts_[member.part];
  return file::ReaderAccess::read_chunk(
      reader_, part.group, part.column, task.begin,
      work.staging->bytes().subspan(batches_[task.batch].whole ? member.begin + task.begin : 0, task.bytes));
}

Status LoadRun::copy(const Task& task) {
  return batches_[task.batch].whole ? works_[task.batch].staging->copy() : Status();
}

Status LoadRun::check(const Task& task) {
  if (!batches_[task.batch].whole) {
    return {};
  }
  Work& work = works_[task.batch];
  PendingChunk& chunk = work.chunks[task.member];
  const LoadBatch::Member& member = member_of(task);
  const Part& part = parts_[member.part];
  BOBBIN_ASSIGN(chunk.array,
                file::ReaderAccess::chunk_in(reader_, part.group, part.column,
                                             work.staging->bytes().subspan(member.begin, member.bytes)));
  const Status status = check_content(task);
  return status.ok() ? status : file::ReaderAccess::in_place(reader_, status, part.group, part.column);
}

// What remains to be checked for a chunk here, and what the device has to know about it.
Status LoadRun::check_content(const Task& task) {
  const Staging& staging = *works_[task.batch].staging;
  auto& [unread, array, facts] = works_[task.batch].chunks[task.member];
  if (!is_string(array.type)) {
    return array::validate_content(array);
  }
  facts.check_content = array::checks_content_on_device(array, staging.stream().backend());
  if (!facts.check_content) {
    BOBBIN_TRY(array::validate_content(array));
  }
  const LoadBatch::Member& member = member_of(task);
  const Part& part = parts_[member.part];
  const auto& chunk = file::ReaderAccess::footer(reader_).row_groups[part.group].chunks[part.column];
  facts.num_bytes = chunk.strings.num_bytes;
  facts.bits = put_bits(array, staging.extra().subspan(member.bits_begin));
  return {};
}

Status LoadRun::copy_bits(const Task& task) {
  const Work& work = works_[task.batch];
  for (size_t m = 0; m < work.chunks.size(); ++m) {
    BOBBIN_TRY(copy_validity(work.chunks[m].facts, destination(batches_[task.batch].members[m].part),
                             work.staging->shared_stream(), memory_));
  }
  return {};
}

Status LoadRun::decode(const Task& task) {
  if (!batches_[task.batch].whole) {
    return load_slice(task.batch);
  }
  for (size_t m = 0; m < batches_[task.batch].members.size(); ++m) {
    error_.note(batches_[task.batch].members[m].part, decode_member(task.batch, m));
  }
  return {};
}

Status LoadRun::decode_member(size_t batch, size_t m) {
  const Work& work = works_[batch];
  const Staging& staging = *work.staging;
  const LoadBatch::Member& member = batches_[batch].members[m];
  const Part& part = parts_[member.part];
  const Array array = staging.there(work.chunks[m].array);
  const Destination to = destination(member.part);
  const Status status = to.strings == nullptr ? decode_numbers(array, to, staging.stream())
                                              : decode_strings(array, work.chunks[m].facts, to,
                                                               staging.shared_stream(), memory_);
  return status.ok() ? status : file::ReaderAccess::in_place(reader_, status, part.group, part.column);
}

// A partial chunk: a slice has its own buffers, which must stay valid until the device has copied them.
Status LoadRun::load_slice(size_t batch) {
  const size_t part = batches_[batch].members[0].part;
  const Staging& staging = *works_[batch].staging;
  const Backend backend = staging.stream().backend();
  return with_part(reader_, parts_[part], backend, [&](const Array& slice) -> Status {
    BOBBIN_ASSIGN(const array::OnDevice encoded, array::to_device(slice, staging.stream()));
    const Destination to = destination(part);
    const StringFacts facts{
        .num_bytes = {},
        .check_content = array::checks_content_on_device(slice, backend),
        .bits = to.strings == nullptr ? std::span<const std::byte>() : put_bits(slice, staging.extra())};
    Status status = to.strings == nullptr ? decode_numbers(encoded.array, to, staging.stream())
                                          : copy_validity(facts, to, staging.shared_stream(), memory_);
    if (status.ok() && to.strings != nullptr) {
      status = decode_strings(encoded.array, facts, to, staging.shared_stream(), memory_);
    }
    const Status done = staging.stream().synchronize();
    return status.ok() ? done : status;
  });
}

}  // namespace bobbin::table
