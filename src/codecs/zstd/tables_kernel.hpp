// SPDX-License-Identifier: Apache-2.0
// A frame's occurrences, then its entropy tables: one warp per frame, one lane for the tables.
#pragma once

#include "codecs/zstd/encode_slice.hpp"

namespace bobbin::zstd {

struct TablesKernel {
  static constexpr uint32_t kThreads = simt::kWarpSize;

  struct Shared {
    EncoderTables tables;
    Occurrences occurrences;
    TableWork work;
  };
  static constexpr uint32_t kTableQuads = sizeof(EncoderTables) / sizeof(Quad);
  static_assert(sizeof(EncoderTables) % sizeof(Quad) == 0);

  EncodeSlice slice;
  DefaultCounts defaults;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    clear(cta, shared.tables);
    clear(cta, shared.occurrences);
    cta.sync_warp();
    for (uint32_t block = 0; block < slice.num_blocks(cta.block()); ++block) {
      count(cta, shared.occurrences, block);
    }
    cta.sync_warp();
    const uint32_t leaves = sort_leaves(cta, shared.occurrences, shared.work, cta.lane(), simt::kWarpSize);
    cta.sync_warp();
    if (cta.lane() == 0) {
      TableBuilder<Cta> builder(cta, shared.occurrences, shared.work, shared.tables);
      builder.build_tree(leaves);
      for (uint32_t field = 0; field < kFields; ++field) {
        builder.build_field(field, defaults);
      }
    }
    cta.sync_warp();
    const auto& from = simt::seen_as<simt::Shared<Quad, kTableQuads>>(shared.tables);
    const auto to = slice.part<Quad>(cta.block(), 0, kTableQuads);
    for (uint32_t i = cta.lane(); i < kTableQuads; i += simt::kWarpSize) {
      cta.store(to, i, cta.load(from, i));
    }
  }

 private:
  template <class Cta, class T>
  BOBBIN_HD static void clear(Cta& cta, T& what) {
    auto& quads = simt::seen_as<simt::Shared<Quad, sizeof(T) / sizeof(Quad)>>(what);
    for (uint32_t i = cta.lane(); i < sizeof(T) / sizeof(Quad); i += simt::kWarpSize) {
      cta.store(quads, i, Quad{});
    }
  }

  template <class Cta>
  BOBBIN_HD void count(Cta& cta, Occurrences& occurrences, uint32_t block) const {
    const BlockRecord record = cta.load(slice.records(cta.block()), block);
    const auto literals = slice.literals<uint32_t>(cta.block(), block);
    const auto add = [&](auto& array, uint32_t symbol) {
      cta.template atomic_add<simt::Order::relaxed>(array, symbol, uint32_t{1});
    };
    for (uint32_t i = 4 * cta.lane(); i < record.literals; i += 4 * simt::kWarpSize) {
      uint32_t word = cta.load(literals, i / 4);
      for (uint32_t k = i; k < record.literals && k < i + 4; ++k, word >>= 8) {
        add(occurrences.literals, word & 255);
      }
    }
    const auto sequences = slice.sequences(cta.block(), block);
    for (uint32_t i = cta.lane(); i < record.sequences; i += simt::kWarpSize) {
      const CodedSequence s = PackedSequence::unpack(cta.load(sequences, i));
      add(occurrences.fields, kLiteralField * kMaxTableSymbols + Coded::literals(s.literals).symbol);
      add(occurrences.fields, kOffsetField * kMaxTableSymbols + Coded::offset(s.offset_value).symbol);
      add(occurrences.fields, kMatchField * kMaxTableSymbols + Coded::match(s.match).symbol);
    }
  }
};

}  // namespace bobbin::zstd
