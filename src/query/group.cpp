// SPDX-License-Identifier: Apache-2.0
#include "query/group.hpp"

#include <algorithm>
#include <functional>

#include "array/strings.hpp"
#include "bobbin/memory.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/dict/dict.hpp"
#include "core/bits.hpp"
#include "core/lanes.hpp"
#include "file/access.hpp"
#include "plan/count_codes.hpp"
#include "plan/host.hpp"
#include "query/program.hpp"

namespace bobbin::query {
namespace {

using file::ReaderAccess;

uint64_t words_of(uint64_t rows) {
  return num_vectors(rows) * (kVectorLength / 32);
}

// Makes whole vectors of a bit a row; there is no row behind the last.
void resize_rows(Words& words, uint64_t rows) {
  if (rows % 32 != 0) {
    words.back() &= low_mask<uint32_t>(static_cast<uint32_t>(rows % 32));
  }
  words.resize(words_of(rows));
}

// A column of nothing but zeros, which takes no bytes: it tells how many rows there are.
Array rows_alone(uint64_t rows) {
  return {.codec = CodecId::bitpack,
          .type = DType::u8,
          .length = rows,
          .offset = 0,
          .metadata = {0},
          .buffers = {Buffer{}},
          .children = {}};
}

Result<DeviceBuffer> send(const Words& words, StreamView stream) {
  BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(words.size() * sizeof(uint32_t), stream));
  BOBBIN_TRY(copy_async(buffer.data(), words.data(), buffer.size(), stream));
  return buffer;
}

Result<std::vector<plan::Total>> run_on_device(std::span<const plan::Source> sources, const Program& program,
                                               uint64_t words, Words* rows, StreamView stream) {
  BOBBIN_ASSIGN(const auto prepared,
                plan::Prepared::create(sources, program.filter, program.aggregates, stream));
  if (rows == nullptr) {
    BOBBIN_TRY(prepared.run(stream));
    return prepared.totals(stream);
  }
  BOBBIN_ASSIGN(const DeviceBuffer bitmap, DeviceBuffer::create(words * sizeof(uint32_t), stream));
  BOBBIN_TRY(prepared.run(bitmap.as<uint32_t>(), stream));
  rows->resize(words);
  BOBBIN_TRY(copy_async(rows->data(), bitmap.data(), bitmap.size(), stream));
  return prepared.totals(stream);
}

}  // namespace

Group::Group(const Reader& reader, size_t index, StreamView stream)
    : reader_(reader),
      index_(index),
      info_(ReaderAccess::footer(reader).row_groups[index]),
      stream_(stream) {}

Result<const Array*> Group::load(uint32_t column) {
  auto found = chunks_.find(column);
  if (found == chunks_.end()) {
    BOBBIN_ASSIGN(Array array, ReaderAccess::load_chunk(reader_, index_, column));
    found = chunks_.emplace(column, Chunk{std::move(array), {}}).first;
  }
  return &found->second.array;
}

Result<const Array*> Group::place(uint32_t column) {
  BOBBIN_ASSIGN(const Array* array, load(column));
  const Array& values = is_string(array->type) ? codec::dict::codes_of(*array) : *array;
  if (on_cpu()) {
    return &values;
  }
  std::optional<array::OnDevice>& there = chunks_.at(column).there;
  if (!there.has_value()) {
    BOBBIN_ASSIGN(there, array::to_device(values, stream_));
  }
  return &there->array;
}

Result<const Array*> Group::place(const Operand& operand) {
  const auto* codes = std::get_if<CodesOf>(&operand);
  return place(codes != nullptr ? codes->column : std::get<uint32_t>(operand));
}

// Nulls pass no test: of a negated one they have to be taken out again.
Result<Words> Group::match(const Bound& bound, const Array& strings, Backend backend) const {
  Words found = bound.kind == Bound::Kind::strings ? Words((strings.length + 31) / 32)
                                                   : array::present_strings(strings).words;
  for (const StringCondition& condition : bound.tests) {
    const auto matches = array::match_strings(strings, condition.query(), backend);
    if (!matches.has_value()) {
      return ReaderAccess::in_place(reader_, matches.error(), index_, bound.column);
    }
    std::ranges::transform(found, matches->words, found.begin(), std::bit_or());
  }
  if (bound.kind == Bound::Kind::is_null || bound.negated) {
    std::ranges::transform(found, found.begin(), std::bit_not());
  }
  if (bound.negated) {
    std::ranges::transform(found, array::present_strings(strings).words, found.begin(), std::bit_and());
  }
  return found;
}

// Of a dictionary, its entries are tested, on the host: there are few, and what is left is a test of codes.
Status Group::settle_strings(Bound& bound) {
  BOBBIN_ASSIGN(const Array* array, load(bound.column));
  if (array->codec == CodecId::dict && array->length != 0) {
    const Array& dictionary = codec::dict::dictionary_of(*array);
    BOBBIN_ASSIGN(const Words found, match(bound, dictionary, Backend::cpu));
    Bound codes{.kind = Bound::Kind::codes, .column = bound.column};
    for (uint64_t entry = 0; entry < dictionary.length; ++entry) {
      codes.passes.push_back(static_cast<uint8_t>(found[entry / 32] >> (entry % 32) & 1));
    }
    bound = std::move(codes);
    return {};
  }
  BOBBIN_ASSIGN(Words found, match(bound, *array, stream_.backend()));
  resize_rows(found, info_.num_rows);
  bound = {.kind = Bound::Kind::rows, .bitmap = std::move(found)};
  return {};
}

Status Group::settle(Bound& bound) {
  for (Bound& part : bound.parts) {
    BOBBIN_TRY(settle(part));
  }
  const bool leaf = bound.kind == Bound::Kind::strings || bound.kind == Bound::Kind::is_null ||
                    bound.kind == Bound::Kind::not_null;
  return leaf && is_string(reader_.columns()[bound.column].type) ? settle_strings(bound) : Status();
}

Status Group::to_bitmap(Bound& bound) {
  if (bound.kind != Bound::Kind::rows) {
    Words found;
    BOBBIN_ASSIGN(const auto totals, launch(bound, {}, &found));
    bound = {.kind = Bound::Kind::rows, .bitmap = std::move(found)};
  }
  return {};
}

// Takes part after part; when there is no room for the next, those before become one bitmap.
Status Group::reduce_parts(Bound& bound) {
  Bound taken{.kind = bound.kind};
  for (Bound& part : bound.parts) {
    taken.parts.push_back(std::move(part));
    if (fits(taken, {})) {
      continue;
    }
    Bound next = std::move(taken.parts.back());
    taken.parts.pop_back();
    BOBBIN_TRY(to_bitmap(taken));
    taken = {.kind = bound.kind, .parts = {std::move(taken), std::move(next)}};
    if (!fits(taken, {})) {
      BOBBIN_TRY(to_bitmap(taken.parts.back()));
    }
  }
  bound = std::move(taken);
  return {};
}

Status Group::reduce(Bound& bound) {
  if (fits(bound, {})) {
    return {};
  }
  for (Bound& part : bound.parts) {
    BOBBIN_TRY(reduce(part));
  }
  return reduce_parts(bound);
}

Result<std::vector<plan::Total>> Group::launch(const Bound& bound,
                                               std::span<const plan::Aggregate> aggregates, Words* rows) {
  const Program program = compile(bound, aggregates);
  std::vector<plan::Source> sources;
  std::vector<DeviceBuffer> bitmaps;
  for (const Operand& operand : program.operands) {
    if (!std::holds_alternative<const Words*>(operand)) {
      BOBBIN_ASSIGN(const Array* array, place(operand));
      sources.push_back({.array = array, .bitmap = nullptr});
      continue;
    }
    const Words& words = *std::get<const Words*>(operand);
    if (!on_cpu()) {
      BOBBIN_ASSIGN(DeviceBuffer sent, send(words, stream_));
      bitmaps.push_back(std::move(sent));
    }
    sources.push_back({.array = nullptr, .bitmap = on_cpu() ? words.data() : bitmaps.back().as<uint32_t>()});
  }
  const Array alone = rows_alone(info_.num_rows);
  if (std::ranges::none_of(sources, [](const plan::Source& source) { return source.array != nullptr; })) {
    sources.push_back({.array = &alone, .bitmap = nullptr});
  }
  if (!on_cpu()) {
    return run_on_device(sources, program, words_of(info_.num_rows), rows, stream_);
  }
  array::Bitmap found;
  BOBBIN_ASSIGN(auto totals, plan::run_on_host(sources, program.filter, program.aggregates,
                                               rows == nullptr ? nullptr : &found));
  if (rows != nullptr) {
    *rows = std::move(found.words);
  }
  return totals;
}

Result<std::vector<plan::Total>> Group::fold(Bound bound, std::span<const plan::Aggregate> aggregates) {
  BOBBIN_TRY(settle(bound));
  BOBBIN_TRY(reduce(bound));
  if (!fits(bound, aggregates)) {
    BOBBIN_TRY(to_bitmap(bound));
  }
  std::vector<plan::Total> totals;
  while (totals.size() < aggregates.size()) {
    const auto left = aggregates.subspan(totals.size());
    size_t taken = left.size();
    while (!fits(bound, left.first(taken))) {
      --taken;
    }
    BOBBIN_ASSIGN(const auto some, launch(bound, left.first(taken), nullptr));
    totals.insert(totals.end(), some.begin(), some.end());
  }
  return totals;
}

Result<std::vector<uint64_t>> Group::count_codes(uint32_t column, const Words& rows) {
  BOBBIN_ASSIGN(const Array* array, load(column));
  BOBBIN_ASSIGN(const Array* placed, place(column));
  const uint64_t entries = codec::dict::dictionary_of(plan::values_of(*array)).length;
  const Array& codes = is_string(array->type) ? *placed : codec::dict::codes_of(plan::values_of(*placed));
  if (on_cpu()) {
    return plan::count_codes(codes, rows.data(), entries);
  }
  BOBBIN_ASSIGN(const DeviceBuffer sent, send(rows, stream_));
  return plan::count_codes_on_device(codes, sent.as<uint32_t>(), entries, stream_);
}

Result<Words> Group::rows(Bound bound) {
  BOBBIN_TRY(settle(bound));
  BOBBIN_TRY(reduce(bound));
  BOBBIN_TRY(to_bitmap(bound));
  return std::move(bound.bitmap);
}

}  // namespace bobbin::query
