// SPDX-License-Identifier: Apache-2.0
#include "query/row_group.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "array/strings.hpp"
#include "bobbin/memory.hpp"
#include "codecs/bitpack/bitpack.hpp"
#include "codecs/dict/dict.hpp"
#include "codecs/registry.hpp"
#include "core/bits.hpp"
#include "core/lanes.hpp"
#include "device/fetch.hpp"
#include "file/access.hpp"
#include "plan/count_codes.hpp"
#include "plan/host.hpp"
#include "query/compare_columns.hpp"
#include "query/program.hpp"

namespace bobbin::query {
namespace {

using file::ReaderAccess;

uint64_t words_of(uint64_t rows) {
  return num_vectors(rows) * (kVectorLength / 32);
}

// Builds whole vectors of one bit per row; bits after the last row are 0.
void resize_rows(BitmapWords& words, uint64_t rows) {
  if (rows % 32 != 0) {
    words.back() &= low_mask<uint32_t>(static_cast<uint32_t>(rows % 32));
  }
  words.resize(words_of(rows));
}

// A column of zeros, which takes no bytes: it gives the number of rows.
Array rows_alone(uint64_t rows) {
  return {.codec = CodecId::bitpack,
          .type = DType::u8,
          .length = rows,
          .offset = 0,
          .metadata = {0},
          .buffers = {Buffer{}},
          .children = {}};
}

Result<DeviceBuffer> send(const BitmapWords& words, StreamView stream) {
  BOBBIN_ASSIGN(DeviceBuffer buffer, DeviceBuffer::create(words.size() * sizeof(uint32_t), stream));
  BOBBIN_TRY(copy_async(buffer.data(), words.data(), buffer.size(), stream));
  return buffer;
}

Result<plan::PendingTotals> run_on_device(std::span<const plan::Source> sources, const Program& program,
                                          uint64_t words, BitmapWords* rows, StreamView stream,
                                          const std::shared_ptr<plan::Pieces>& pieces) {
  BOBBIN_ASSIGN(const auto prepared, plan::Prepared::create(sources, program.filter, program.aggregates,
                                                            stream, plan::QueryPath::automatic, pieces));
  if (rows == nullptr) {
    BOBBIN_TRY(prepared.run(stream));
    return prepared.send_totals(stream);
  }
  BOBBIN_ASSIGN(const DeviceBuffer bitmap, DeviceBuffer::create(words * sizeof(uint32_t), stream));
  BOBBIN_TRY(prepared.run(bitmap.as<uint32_t>(), stream));
  rows->resize(words);
  BOBBIN_TRY(fetch(rows->data(), bitmap.data(), bitmap.size(), stream));
  return prepared.send_totals(stream);
}

}  // namespace

Result<std::vector<plan::Total>> PendingFold::wait() {
  std::vector<plan::Total> all;
  for (plan::PendingTotals& launch : launches_) {
    BOBBIN_ASSIGN(const std::vector<plan::Total> some, launch.wait());
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

RowGroupQuery::RowGroupQuery(const Reader& reader, size_t index, StreamView stream,
                             std::shared_ptr<plan::Pieces> pieces, table::ReadAhead* ahead)
    : reader_(reader),
      index_(index),
      info_(ReaderAccess::footer(reader).row_groups[index]),
      stream_(stream),
      pieces_(std::move(pieces)),
      ahead_(ahead) {}

Result<BitmapWords> RowGroupQuery::search(const Bound& bound, const Array& strings, const StringQuery& query,
                                          Backend backend) {
  auto matches = array::match_strings(strings, query, backend);
  if (!matches.has_value()) {
    return ReaderAccess::in_place(reader_, matches.error(), index_, bound.column);
  }
  chunks_.at(bound.column).is_checked = true;
  return std::move(matches->words);
}

Result<BitmapWords> RowGroupQuery::match_candidates(const Bound& bound, const Array& strings,
                                                    std::string_view piece, Backend backend) {
  const StringQuery query{.test = StringTest::contains,
                          .bytes = {reinterpret_cast<const uint8_t*>(piece.data()), piece.size()}};
  BOBBIN_ASSIGN(BitmapWords found, search(bound, strings, query, backend));
  const Array* const searched = &strings;
  BOBBIN_ASSIGN(const std::vector<RowRange> ranges, cut_rows({&searched, 1}, strings.length));
  for (const RowRange& range : ranges) {
    const std::vector<uint64_t> rows = rows_of(found, range.begin, range.end);
    const auto texts = DecodedColumn::of(strings, rows);
    if (!texts.has_value()) {
      return ReaderAccess::in_place(reader_, texts.error(), index_, bound.column);
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!bound.tests->matches(texts->text(i))) {
        found[rows[i] / 32] &= ~(1U << (rows[i] % 32));
      }
    }
  }
  return found;
}

// The strings are those of the column, possibly a piece that is decoded already, or the entries of its
// dictionary.
Result<BitmapWords> RowGroupQuery::match_all(const Bound& bound, const Array& strings) {
  BOBBIN_ASSIGN(const Array* column, load(bound.column));
  const Array* const searched = &strings;
  BOBBIN_ASSIGN(const std::vector<RowRange> ranges, cut_rows({&searched, 1}, strings.length));
  return collect_bits(ranges, strings.length, [&](RowRange range) -> Result<BitmapWords> {
    if (&strings == column) {
      BOBBIN_ASSIGN(const DecodedColumn* values, decoded(bound.column, range));
      return matching_rows(*values, *bound.tests);
    }
    BOBBIN_ASSIGN(const Array part, array::slice(strings, range.begin, range.size()));
    const auto values = DecodedColumn::of(part);
    if (!values.has_value()) {
      return ReaderAccess::in_place(reader_, values.error(), index_, bound.column);
    }
    return matching_rows(*values, *bound.tests);
  });
}

// Nulls satisfy no test: for a negated one they have to be removed again.
Result<BitmapWords> RowGroupQuery::match(const Bound& bound, const Array& strings, Backend backend) {
  BitmapWords found;
  if (bound.kind != Bound::Kind::strings) {
    found = array::present_strings(strings).words;
  } else if (const auto searches = bound.tests->searches(); searches.has_value()) {
    found.resize((strings.length + 31) / 32);
    for (const StringQuery& query : *searches) {
      BOBBIN_ASSIGN(const BitmapWords matches, search(bound, strings, query, backend));
      std::ranges::transform(found, matches, found.begin(), std::bit_or());
    }
  } else {
    const std::string_view piece = bound.tests->common_piece();
    BOBBIN_ASSIGN(
        found, piece.empty() ? match_all(bound, strings) : match_candidates(bound, strings, piece, backend));
  }
  if (bound.kind == Bound::Kind::is_null || bound.negated) {
    std::ranges::transform(found, found.begin(), std::bit_not());
  }
  if (bound.negated) {
    std::ranges::transform(found, array::present_strings(strings).words, found.begin(), std::bit_and());
  }
  return found;
}

// Dictionary entries are tested on the host: there are few, and what remains is a test of codes.
Status RowGroupQuery::settle_strings(Bound& bound) {
  BOBBIN_ASSIGN(const LoadedChunk* chunk, load_unchecked(bound.column));
  const Array& array = chunk->array;
  if (array.codec == CodecId::dict && array.length != 0) {
    const Array& dictionary = codec::dict::dictionary_of(array);
    BOBBIN_ASSIGN(const BitmapWords found, match(bound, dictionary, Backend::cpu));
    Bound codes{.kind = Bound::Kind::codes, .column = bound.column};
    for (uint64_t entry = 0; entry < dictionary.length; ++entry) {
      codes.passes.push_back(static_cast<uint8_t>(found[entry / 32] >> (entry % 32) & 1));
    }
    bound = std::move(codes);
    return {};
  }
  BOBBIN_ASSIGN(BitmapWords found, match(bound, array, stream_.backend()));
  // Searches have done this, but not all tests search: those for nulls do not.
  BOBBIN_TRY(check_content(bound.column));
  resize_rows(found, info_.num_rows);
  bound = {.kind = Bound::Kind::rows, .bitmap = std::move(found)};
  return {};
}

Status RowGroupQuery::settle(Bound& bound, bool keeps_comparisons) {
  for (Bound& part : bound.parts) {
    BOBBIN_TRY(settle(part, keeps_comparisons));
  }
  switch (bound.kind) {
    case Bound::Kind::set:
      return settle_set(bound);
    case Bound::Kind::columns:
      return settle_columns(bound);
    case Bound::Kind::compare:
      return keeps_comparisons && fits_launch(bound.comparison->program) ? Status()
                                                                         : settle_comparison(bound);
    case Bound::Kind::strings:
    case Bound::Kind::is_null:
    case Bound::Kind::not_null:
      return is_string(reader_.columns()[bound.column].type) ? settle_strings(bound) : Status();
    default:
      return {};
  }
}

Status RowGroupQuery::settle_set(Bound& bound) {
  const auto test = [&](RowRange piece) -> Result<BitmapWords> {
    BOBBIN_ASSIGN(const DecodedColumn* values, decoded(bound.column, piece));
    return rows_in_set(*values, *bound.set);
  };
  BOBBIN_ASSIGN(BitmapWords found, collect_bits({&bound.column, 1}, test));
  bound = {.kind = Bound::Kind::rows, .bitmap = std::move(found)};
  return {};
}

Status RowGroupQuery::settle_columns(Bound& bound) {
  const Column& left = reader_.columns()[bound.column];
  const Column& right = reader_.columns()[bound.other];
  const uint32_t columns[] = {bound.column, bound.other};
  const auto test = [&](RowRange piece) -> Result<BitmapWords> {
    BOBBIN_ASSIGN(const DecodedColumn* left_values, decoded(bound.column, piece));
    BOBBIN_ASSIGN(const DecodedColumn* right_values, decoded(bound.other, piece));
    return compare_columns({*left_values, left}, bound.op, {*right_values, right}, bound.negated);
  };
  BOBBIN_ASSIGN(BitmapWords found, collect_bits(columns, test));
  bound = {.kind = Bound::Kind::rows, .bitmap = std::move(found)};
  return {};
}

Status RowGroupQuery::to_bitmap(Bound& bound) {
  if (bound.kind != Bound::Kind::rows) {
    BitmapWords found;
    BOBBIN_ASSIGN(plan::PendingTotals none, launch(bound, {}, &found, on_cpu()));
    BOBBIN_TRY(none.wait().error());
    bound = {.kind = Bound::Kind::rows, .bitmap = std::move(found)};
  }
  return {};
}

// Takes one part after another; if there is no room for the next, the previous ones become one bitmap.
Status RowGroupQuery::reduce_parts(Bound& bound) {
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

Status RowGroupQuery::reduce(Bound& bound) {
  if (fits(bound, {})) {
    return {};
  }
  for (Bound& part : bound.parts) {
    BOBBIN_TRY(reduce(part));
  }
  return reduce_parts(bound);
}

Result<plan::PendingTotals> RowGroupQuery::launch(const Bound& bound,
                                                  std::span<const plan::Aggregate> aggregates,
                                                  BitmapWords* rows, bool on_host) {
  const Program program = compile(bound, aggregates);
  std::vector<DeviceBuffer> bitmaps;
  BOBBIN_ASSIGN(std::vector<plan::Source> sources, place_all(program, on_host, bitmaps));
  const Array alone = rows_alone(info_.num_rows);
  if (std::ranges::none_of(sources, [](const plan::Source& source) { return source.array != nullptr; })) {
    sources.push_back({.array = &alone});
  }
  if (!on_host) {
    return run_on_device(sources, program, words_of(info_.num_rows), rows, stream_, pieces_);
  }
  if (pieces_->reports != nullptr) {
    pieces_->reports->push_back({.kernel = plan::LaunchReport::Kernel::host});
  }
  array::Bitmap found;
  BOBBIN_ASSIGN(auto totals, plan::run_on_host(sources, program.filter, program.aggregates,
                                               rows == nullptr ? nullptr : &found));
  if (rows != nullptr) {
    *rows = std::move(found.words);
  }
  return plan::PendingTotals(std::move(totals));
}

Result<std::vector<plan::Source>> RowGroupQuery::place_all(const Program& program, bool on_host,
                                                           std::vector<DeviceBuffer>& bitmaps) {
  std::vector<plan::Source> sources;
  for (const Operand& operand : program.operands) {
    if (!std::holds_alternative<const BitmapWords*>(operand)) {
      BOBBIN_ASSIGN(const plan::Source source, place(operand, on_host));
      sources.push_back(source);
      continue;
    }
    const BitmapWords& words = *std::get<const BitmapWords*>(operand);
    if (!on_host) {
      BOBBIN_ASSIGN(DeviceBuffer sent, send(words, stream_));
      bitmaps.push_back(std::move(sent));
    }
    sources.push_back({.bitmap = on_host ? words.data() : bitmaps.back().as<uint32_t>()});
  }
  return sources;
}

Result<PendingFold> RowGroupQuery::fold(Bound bound, std::span<const plan::Aggregate> aggregates) {
  BOBBIN_ASSIGN(auto computed, fold_compiled(bound, aggregates, nullptr));
  if (computed.has_value()) {
    return std::move(*computed);
  }
  BOBBIN_TRY(settle(bound, on_cpu()));
  BOBBIN_TRY(reduce(bound));
  return !on_cpu() && computes(aggregates) ? fold_on_both(std::move(bound), aggregates)
                                           : fold_settled(bound, aggregates, on_cpu());
}

Result<PendingFold> RowGroupQuery::fold_settled(Bound& bound, std::span<const plan::Aggregate> aggregates,
                                                bool on_host) {
  if (!fits(bound, aggregates)) {
    BOBBIN_TRY(to_bitmap(bound));
  }
  PendingFold pending;
  while (!aggregates.empty()) {
    size_t taken = aggregates.size();
    while (!fits(bound, aggregates.first(taken))) {
      --taken;
    }
    BOBBIN_ASSIGN(plan::PendingTotals some, launch(bound, aggregates.first(taken), nullptr, on_host));
    pending.add(std::move(some));
    aggregates = aggregates.subspan(taken);
  }
  return pending;
}

Result<RowGroupQuery::Codes> RowGroupQuery::place_codes(uint32_t column) {
  BOBBIN_ASSIGN(const Array* array, load(column));
  BOBBIN_ASSIGN(const Array* placed, place(column));
  return Codes{is_string(array->type) ? placed : &codec::dict::codes_of(plan::values_of(*placed)),
               codec::dict::dictionary_of(plan::values_of(*array)).length};
}

Result<std::vector<uint64_t>> RowGroupQuery::count_codes(uint32_t column, const BitmapWords& rows) {
  BOBBIN_ASSIGN(const Codes codes, place_codes(column));
  if (on_cpu()) {
    return plan::count_codes(*codes.array, rows.data(), codes.entries);
  }
  BOBBIN_ASSIGN(const DeviceBuffer sent, send(rows, stream_));
  return plan::count_codes_on_device(*codes.array, sent.as<uint32_t>(), codes.entries, stream_);
}

Result<std::vector<plan::CodeTotal>> RowGroupQuery::fold_codes(uint32_t column, uint32_t summed,
                                                               BitmapWords rows) {
  BOBBIN_ASSIGN(const Codes codes, place_codes(column));
  BOBBIN_ASSIGN(const Array* array, load(summed));
  if (array::has_nulls(*array)) {
    find_codec(array->codec)->clear_nulls(*array, rows.data());
  }
  BOBBIN_ASSIGN(const Array* values, place(summed));
  if (on_cpu()) {
    return plan::fold_codes(*codes.array, plan::values_of(*values), rows.data(), codes.entries);
  }
  BOBBIN_ASSIGN(const DeviceBuffer sent, send(rows, stream_));
  return plan::fold_codes_on_device(*codes.array, plan::values_of(*values), sent.as<uint32_t>(),
                                    codes.entries, stream_);
}

Result<BitmapWords> RowGroupQuery::rows(Bound bound) {
  BitmapWords found;
  BOBBIN_ASSIGN(const auto computed, fold_compiled(bound, {}, &found));
  if (computed.has_value()) {
    return found;
  }
  BOBBIN_TRY(settle(bound, on_cpu()));
  BOBBIN_TRY(reduce(bound));
  BOBBIN_TRY(to_bitmap(bound));
  return std::move(bound.bitmap);
}

}  // namespace bobbin::query
