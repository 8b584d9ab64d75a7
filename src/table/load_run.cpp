// SPDX-License-Identifier: Apache-2.0
#include "table/load_run.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "array/array.hpp"
#include "array/strings.hpp"
#include "codecs/masked/masked.hpp"
#include "file/access.hpp"

namespace bobbin::table {
namespace {

constexpr uint64_t kRowsPerWord = codec::masked::kRowsPerWord;

// A bit for each string, as the codec has them, in memory of whole words.
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
      piece_bytes_(batch_bytes / 2),
      memory_(memory),
      batches_(batches_of(reader, parts, batch_bytes)),
      works_(batches_.size()),
      with_bits_(bits_are_whole(parts)) {
  for (size_t b = 0; b < batches_.size(); ++b) {
    const size_t members = batches_[b].members.size();
    works_[b].arrays.resize(members);
    works_[b].facts.resize(members);
    works_[b].left = members;
    for (size_t m = 0; m < members; ++m) {
      tasks_.push_back({b, m});
    }
  }
}

void LoadRun::work() {
  for (uint64_t i = next_++; i < tasks_.size(); i = next_++) {
    const Task& task = tasks_[i];
    Work& work = works_[task.batch];
    // After an error the rest is only counted, for those who wait for a batch to be over.
    if (!error_.any()) {
      error_.note(i, read(task));
    }
    if (--work.left == 0) {
      if (!error_.any()) {
        error_.note(i, submit(task.batch));
      }
      work.over = true;
      work.over.notify_all();
    }
  }
}

Status LoadRun::finish() {
  for (const Staging& staging : stagings_) {
    error_.note(tasks_.size(), staging.stream().synchronize());
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

// The batch before it in the same memory must have been submitted. Its tasks have all been taken, so it will
// be.
Status LoadRun::start(size_t batch) {
  if (batch >= stagings_.size()) {
    works_[batch - stagings_.size()].over.wait(false);
  }
  // After an error nobody knows what is still being copied from the memory.
  if (error_.any()) {
    return {};
  }
  const Batch& what = batches_[batch];
  return staging_of(batch).make_ready(what.whole ? what.bytes : 0, what.bits_bytes);
}

Status LoadRun::read(const Task& task) {
  Work& work = works_[task.batch];
  std::call_once(work.started, [&] { work.ready = start(task.batch); });
  BOBBIN_TRY(work.ready);
  if (error_.any()) {
    return {};
  }
  const Batch& batch = batches_[task.batch];
  if (!batch.whole) {
    return {};
  }
  const Batch::Member& member = batch.members[task.member];
  const Part& part = parts_[member.part];
  Staging& staging = staging_of(task.batch);
  const auto memory = staging.bytes().subspan(member.begin, member.bytes);
  const auto on_bytes = [&](std::span<const std::byte> piece) {
    const auto end = static_cast<uint64_t>(piece.data() + piece.size() - staging.bytes().data());
    return batch.members.size() == 1 ? staging.copy_to(end, piece_bytes_) : Status();
  };
  BOBBIN_ASSIGN(Array array,
                file::ReaderAccess::load_chunk_into(reader_, part.group, part.column, memory, on_bytes));
  const Status status = check(task, array);
  work.arrays[task.member] = std::move(array);
  return status.ok() ? status : file::ReaderAccess::in_place(reader_, status, part.group, part.column);
}

// What is left to check of a chunk here, and what the device has to know of it.
Status LoadRun::check(const Task& task, const Array& array) {
  const Batch::Member& member = batches_[task.batch].members[task.member];
  const Part& part = parts_[member.part];
  if (!is_string(array.type)) {
    return array::validate_content(array);
  }
  const Staging& staging = staging_of(task.batch);
  StringFacts& facts = works_[task.batch].facts[task.member];
  facts.check_content = array::checks_content_on_device(array, staging.stream());
  if (!facts.check_content) {
    BOBBIN_TRY(array::validate_content(array));
  }
  const auto& chunk = file::ReaderAccess::footer(reader_).row_groups[part.group].chunks[part.column];
  facts.num_bytes = chunk.strings.num_bytes;
  facts.bits = put_bits(array, staging.extra().subspan(member.bits_begin));
  return {};
}

Status LoadRun::submit(size_t batch) {
  if (!batches_[batch].whole) {
    return load_slice(batch);
  }
  Staging& staging = staging_of(batch);
  BOBBIN_TRY(staging.copy_to(batches_[batch].bytes));
  for (size_t m = 0; m < batches_[batch].members.size(); ++m) {
    BOBBIN_TRY(submit_member(batch, m));
  }
  return staging.mark_copied();
}

Status LoadRun::submit_member(size_t batch, size_t m) {
  const Staging& staging = staging_of(batch);
  const Batch::Member& member = batches_[batch].members[m];
  const Part& part = parts_[member.part];
  const Array array = staging.there(works_[batch].arrays[m]);
  const Destination to = destination(member.part);
  const Status status = to.strings == nullptr ? decode_numbers(array, to, staging.stream())
                                              : decode_strings(array, works_[batch].facts[m], to,
                                                               staging.shared_stream(), memory_);
  return status.ok() ? status : file::ReaderAccess::in_place(reader_, status, part.group, part.column);
}

// Some rows of a chunk: a slice has buffers of its own, which must stay until the device has them.
Status LoadRun::load_slice(size_t batch) {
  const size_t part = batches_[batch].members[0].part;
  const Staging& staging = staging_of(batch);
  return with_part(reader_, parts_[part], [&](const Array& slice) -> Status {
    BOBBIN_ASSIGN(const array::OnDevice encoded, array::to_device(slice, staging.stream()));
    const Destination to = destination(part);
    if (to.strings == nullptr) {
      BOBBIN_TRY(decode_numbers(encoded.array, to, staging.stream()));
    } else {
      const StringFacts facts{
          .num_bytes = {}, .check_content = false, .bits = put_bits(slice, staging.extra())};
      BOBBIN_TRY(decode_strings(encoded.array, facts, to, staging.shared_stream(), memory_));
    }
    return staging.stream().synchronize();
  });
}

}  // namespace bobbin::table
