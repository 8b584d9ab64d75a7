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
    : BatchRun(reader, parts, batch_bytes),
      columns_(columns),
      stagings_(stagings),
      faults_(faults),
      pool_(stagings),
      memory_(memory),
      with_bits_(bits_are_whole(parts)) {
  for (const LoadBatch& batch : batches_) {
    facts_.emplace_back(batch.members.size());
  }
}

Result<Staging*> LoadRun::take_memory(size_t /*batch*/) {
  return &pool_.take();
}

void LoadRun::finish_batch(size_t batch, size_t part) {
  Staging* const staging = works_[batch].staging;
  if (!error_.any()) {
    error_.note(part, copy_bits(batch));
  }
  if (staging != nullptr) {
    error_.note(part, staging->mark_copied());  // the memory need not wait for decoding
  }
  // A slice is read only here.
  if (batches_[batch].whole ? !error_.any() : !error_.up_to(part)) {
    error_.note(part, decode(batch));
  }
  if (staging != nullptr) {
    pool_.give_back(*staging);
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

// What remains to be checked for a chunk here, and what the device has to know about it.
Status LoadRun::check_content(size_t batch, size_t m) {
  const Staging& staging = *works_[batch].staging;
  const Array& array = works_[batch].arrays[m];
  StringFacts& facts = facts_[batch][m];
  if (!is_string(array.type)) {
    return array::validate_content(array);
  }
  facts.check_content = array::checks_content_on_device(array, staging.stream().backend());
  if (!facts.check_content) {
    BOBBIN_TRY(array::validate_content(array));
  }
  const LoadBatch::Member& member = batches_[batch].members[m];
  const Part& part = parts_[member.part];
  const auto& chunk = file::ReaderAccess::footer(reader_).row_groups[part.group].chunks[part.column];
  facts.num_bytes = chunk.strings.num_bytes;
  facts.bits = put_bits(array, staging.extra().subspan(member.bits_begin));
  return {};
}

Status LoadRun::copy_bits(size_t batch) {
  for (size_t m = 0; m < facts_[batch].size(); ++m) {
    BOBBIN_TRY(copy_validity(facts_[batch][m], destination(batches_[batch].members[m].part),
                             works_[batch].staging->shared_stream(), memory_));
  }
  return {};
}

Status LoadRun::decode(size_t batch) {
  if (!batches_[batch].whole) {
    return load_slice(batch);
  }
  for (size_t m = 0; m < batches_[batch].members.size(); ++m) {
    error_.note(batches_[batch].members[m].part, decode_member(batch, m));
  }
  return {};
}

Status LoadRun::decode_member(size_t batch, size_t m) {
  const Work& work = works_[batch];
  const Staging& staging = *work.staging;
  const LoadBatch::Member& member = batches_[batch].members[m];
  const Part& part = parts_[member.part];
  const Array array = staging.there(work.arrays[m]);
  const Destination to = destination(member.part);
  const Status status = to.strings == nullptr
                            ? decode_numbers(array, to, staging.stream())
                            : decode_strings(array, facts_[batch][m], to, staging.shared_stream(), memory_);
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
