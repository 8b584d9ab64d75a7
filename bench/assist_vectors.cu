// SPDX-License-Identifier: Apache-2.0
// Applications on vectors, points, sparse matrices and graphs.
#include "assist/apps/vectors.hpp"

#include "assist/apps/graphs.hpp"
#include "bench/assist_apps.cuh"

namespace bobbin::bench {
namespace {

using namespace assist::apps;

Status measure_axpy(AppsBench& bench) {
  const uint64_t length = bench.bytes() / sizeof(uint32_t);
  BOBBIN_ASSIGN(const auto x, bench.data<CountData>(length));
  BOBBIN_TRY(bench.open({"axpy", Limit::memory}, length * sizeof(uint32_t), x, x));
  const Global<uint32_t> result{bench.result().as<uint32_t>(), length};
  // The same memory for both would be read once.
  BOBBIN_ASSIGN(const auto y, bench.data<CountData>(length));
  return measure_views(
      bench,
      [&]<class X, class Y>(const X& its_x, const Y& its_y) {
        return AxpyApp<X, Y>{its_x, its_y, 3, result};
      },
      x, y);
}

Status measure_dot(AppsBench& bench) {
  const uint64_t length = bench.bytes() / sizeof(uint32_t);
  BOBBIN_ASSIGN(const auto x, bench.data<WeightData>(length));
  BOBBIN_ASSIGN(const auto y, bench.data<ActivationData>(length));
  BOBBIN_TRY(bench.open({"dot", Limit::memory}, sizeof(uint64_t), x, y));
  const Global<unsigned long long> result{bench.result().as<unsigned long long>(), 1};
  return measure_views(
      bench,
      [&]<class X, class Y>(const X& its_x, const Y& its_y) {
        return DotApp<X, Y>{its_x, its_y, result};
      },
      x, y);
}

struct VectorData {
  using Value = float;
  BOBBIN_HD static float value(uint64_t i) { return static_cast<float>(draw(i, 100)); }
};

Status measure_spmv(AppsBench& bench) {
  constexpr uint64_t kSlice = uint64_t{SparseData::kRows} * SparseData::kEntries;
  const uint64_t length = bench.bytes() / sizeof(uint32_t) / kSlice * kSlice;
  const uint64_t rows = length / SparseData::kEntries;
  const uint64_t columns_of = rows + SparseData::kWidth;
  BOBBIN_ASSIGN(const auto columns, bench.data<SparseData>(length));
  BOBBIN_ASSIGN(const auto coefficients, bench.data<CoefficientData>(length));
  BOBBIN_ASSIGN(const DeviceBuffer vector, DeviceBuffer::create(columns_of * sizeof(float), bench.stream()));
  BOBBIN_TRY(bench.executor().run(FillData<VectorData>{{vector.as<float>(), columns_of}},
                                  ceil_div<uint64_t>(columns_of, FillData<VectorData>::kThreads)));
  BOBBIN_TRY(bench.open({"SpMV", Limit::memory}, rows * sizeof(uint32_t), columns, coefficients));
  const Global<uint32_t> result{bench.result().as<uint32_t>(), rows};
  return measure_views(
      bench,
      [&]<class X, class Y>(const X& its_columns, const Y& its_coefficients) {
        return SpmvApp<X, Y>{its_columns, its_coefficients, {vector.as<float>(), columns_of}, result};
      },
      columns, coefficients);
}

Status measure_kmeans(AppsBench& bench) {
  const uint64_t points = bench.bytes() / sizeof(Quad);
  BOBBIN_ASSIGN(const auto values, bench.data<PointData>(4 * points));
  BOBBIN_TRY(bench.open({"k-means", Limit::memory}, points, values));
  const Global<uint8_t> labels{bench.result().as<uint8_t>(), points};
  const Centres centres = centres_of_points();
  return measure_streams(
      bench,
      [&]<assist::Policy kPolicy, class View>(const View& view) {
        return KmeansApp<View, kPolicy>{view, centres, labels};
      },
      values);
}

// Vertices of which some are known, as in a round in the middle of a search.
template <uint32_t kBelow>
struct KnownData {
  using Value = uint32_t;
  BOBBIN_HD static Value value(uint64_t i) { return mix(i) % 8 == 0 ? draw(i, kBelow) : kUnreached; }
};

template <uint32_t kBelow>
Result<DeviceBuffer> make_known(AppsBench& bench, uint64_t length) {
  BOBBIN_ASSIGN(DeviceBuffer known, DeviceBuffer::create(length * sizeof(uint32_t), bench.stream()));
  using Fill = FillData<KnownData<kBelow>>;
  BOBBIN_TRY(
      bench.executor().run(Fill{{known.as<uint32_t>(), length}}, ceil_div<uint64_t>(length, Fill::kThreads)));
  return Result<DeviceBuffer>(std::move(known));
}

Status measure_bfs(AppsBench& bench) {
  const uint64_t edges = bench.bytes() / sizeof(uint32_t);
  const uint64_t vertices = edges / GridData::kDegree + 2 * GridData::kWidth;
  BOBBIN_ASSIGN(const auto neighbours, bench.data<GridData>(edges));
  BOBBIN_ASSIGN(const DeviceBuffer levels, make_known<4>(bench, vertices));
  BOBBIN_TRY(bench.open({"BFS", Limit::memory}, vertices * sizeof(uint32_t), neighbours));
  bench.begin_with(levels);
  const Global<uint32_t> result{bench.result().as<uint32_t>(), vertices};
  return measure_streams(
      bench,
      [&]<assist::Policy kPolicy, class View>(const View& view) {
        return BfsApp<View, kPolicy>{view, {levels.as<uint32_t>(), vertices}, 2, result};
      },
      neighbours);
}

Status measure_sssp(AppsBench& bench) {
  const uint64_t edges = bench.bytes() / sizeof(uint32_t);
  const uint64_t vertices = edges / GridData::kDegree + 2 * GridData::kWidth;
  BOBBIN_ASSIGN(const auto neighbours, bench.data<GridData>(edges));
  BOBBIN_ASSIGN(const auto lengths, bench.data<DistanceData>(edges));
  BOBBIN_ASSIGN(const DeviceBuffer distances, make_known<1000>(bench, vertices));
  BOBBIN_TRY(bench.open({"SSSP", Limit::memory}, vertices * sizeof(uint32_t), neighbours, lengths));
  bench.begin_with(distances);
  const Global<uint32_t> result{bench.result().as<uint32_t>(), vertices};
  return measure_views(
      bench,
      [&]<class X, class Y>(const X& its_neighbours, const Y& its_lengths) {
        return SsspApp<X, Y>{its_neighbours, its_lengths, {distances.as<uint32_t>(), vertices}, result};
      },
      neighbours, lengths);
}

}  // namespace

Status measure_vectors(AppsBench& bench) {
  BOBBIN_TRY(measure_axpy(bench));
  BOBBIN_TRY(measure_dot(bench));
  BOBBIN_TRY(measure_spmv(bench));
  BOBBIN_TRY(measure_kmeans(bench));
  BOBBIN_TRY(measure_bfs(bench));
  return measure_sssp(bench);
}

}  // namespace bobbin::bench
