// SPDX-License-Identifier: Apache-2.0
// Applications on grids, matrices and sequences.
#include "assist/apps/grids.hpp"

#include "assist/apps/dense.hpp"
#include "bench/assist_apps.cuh"

namespace bobbin::bench {
namespace {

using namespace assist::apps;

constexpr uint32_t kWarps = 4;
constexpr uint32_t kWidth = 1024 * kWarps;

Status measure_stencil(AppsBench& bench) {
  const uint64_t length = bench.bytes() / sizeof(uint32_t) / kWidth * kWidth;
  BOBBIN_ASSIGN(const auto grid, bench.data<HeatData<kWidth>>(length));
  BOBBIN_TRY(bench.open({"stencil", Limit::memory}, length * sizeof(uint32_t), grid));
  const Global<uint32_t> result{bench.result().as<uint32_t>(), length};
  return measure_views(
      bench,
      [&]<class View>(const View& view) {
        return StencilApp<View, kWarps>{view, result};
      },
      grid);
}

Status measure_convolution(AppsBench& bench) {
  const uint64_t length = bench.bytes() / sizeof(uint32_t) / kWidth * kWidth;
  BOBBIN_ASSIGN(const auto image, bench.data<PixelData<kWidth>>(length));
  BOBBIN_TRY(bench.open({"convolution", Limit::compute}, length * sizeof(uint32_t), image));
  const Global<uint32_t> result{bench.result().as<uint32_t>(), length};
  return measure_views(
      bench,
      [&]<class View>(const View& view) {
        return ConvolutionApp<View, kWarps>{view, result};
      },
      image);
}

Status measure_transpose(AppsBench& bench) {
  constexpr uint64_t kBlock = 32 * RecordData::kFields;
  const uint64_t length = bench.bytes() / sizeof(uint32_t) / kBlock * kBlock;
  BOBBIN_ASSIGN(const auto records, bench.data<RecordData>(length));
  BOBBIN_TRY(bench.open({"transpose", Limit::memory}, length * sizeof(uint32_t), records));
  const Global<uint32_t> result{bench.result().as<uint32_t>(), length};
  return measure_views(
      bench,
      [&]<class View>(const View& view) {
        return TransposeApp<View>{view, result};
      },
      records);
}

// Computation limits these: less data is enough.
Status measure_product(AppsBench& bench) {
  constexpr uint32_t kTiles = 128;
  constexpr uint64_t kLength = uint64_t{kTiles} * kTiles * 1024;
  BOBBIN_ASSIGN(const auto a, bench.data<SmallData>(kLength));
  BOBBIN_ASSIGN(const auto b, bench.data<SmallData>(kLength));
  BOBBIN_TRY(bench.open({"matrix product", Limit::compute}, kLength * sizeof(uint32_t), a, b));
  const Global<uint32_t> result{bench.result().as<uint32_t>(), kLength};
  return measure_views(
      bench,
      [&]<class X, class Y>(const X& its_a, const Y& its_b) {
        return ProductApp<X, Y>{its_a, its_b, kTiles, result};
      },
      a, b);
}

Status measure_alignment(AppsBench& bench) {
  const uint64_t length = bench.bytes() / 8 / assist::kGroupBytes * assist::kGroupBytes;
  BOBBIN_ASSIGN(const auto bases, bench.data<BaseData>(length));
  const uint64_t pairs = length / 256;
  BOBBIN_TRY(bench.open({"Needleman-Wunsch", Limit::compute}, pairs * sizeof(uint32_t), bases));
  const Global<uint32_t> result{bench.result().as<uint32_t>(), pairs};
  return measure_views(
      bench,
      [&]<class View>(const View& view) {
        return AlignApp<View>{view, result};
      },
      bases);
}

}  // namespace

Status measure_grids(AppsBench& bench) {
  BOBBIN_TRY(measure_stencil(bench));
  BOBBIN_TRY(measure_transpose(bench));
  BOBBIN_TRY(measure_convolution(bench));
  BOBBIN_TRY(measure_product(bench));
  return measure_alignment(bench);
}

}  // namespace bobbin::bench
