// SPDX-License-Identifier: Apache-2.0
// Proxies of MapReduce programs: KM, MM, PVC, PVR, SS.
#include "sim/workloads/common.hpp"
#include "sim/workloads/inputs.hpp"
#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

// ---------------------------------------------------------------------------------------------------------
// KM: the nearest of a few centres for each point, in several passes over the same points

constexpr uint32_t kCentres = 4;

struct Clustering {
  Array<int32_t> points;   // kPointDimensions numbers each
  Array<int32_t> centres;  // of one iteration after another
  Array<uint32_t> labels;
};

// One thread per point. Centres are the same for all lanes and stay in the L1.
Program nearest(Warp& w, Clustering c, uint32_t iteration) {
  const Words i = w.global_thread();
  const Array<uint64_t> pairs = as_pairs(c.points);
  const Lanes<uint64_t> first = co_await w.load(pairs, i * 2U);
  const Lanes<uint64_t> second = co_await w.load(pairs, i * 2U + 1U);
  const std::array<Words, kPointDimensions> x = {low_of(first), high_of(first), low_of(second),
                                                 high_of(second)};
  Words label = 0U;
  Words least = ~0U;
  for (uint32_t centre = 0; centre < kCentres; ++centre) {
    Words distance = 0U;
    for (uint32_t k = 0; k < kPointDimensions; k += 2) {
      const uint32_t at = (iteration * kCentres + centre) * kPointDimensions + k;
      const Lanes<uint64_t> two = co_await w.load(as_pairs(c.centres), Words(at / 2));
      const Words first_difference = x[k] - low_of(two);
      const Words second_difference = x[k + 1] - high_of(two);
      distance = w.fma(first_difference, first_difference, distance);
      distance = w.fma(second_difference, second_difference, distance);
    }
    const Mask nearer = distance < least;
    label = w.select(nearer, Words(centre), label);
    least = w.min(distance, least);
    co_await end_of_loop(w);
  }
  w.store(c.labels, i, label);
}

[[nodiscard]] std::vector<uint32_t> labelled(const std::vector<int32_t>& points,
                                             std::span<const int32_t> centres) {
  std::vector<uint32_t> labels(points.size() / kPointDimensions);
  for (size_t i = 0; i < labels.size(); ++i) {
    int64_t least = INT64_MAX;
    for (uint32_t centre = 0; centre < kCentres; ++centre) {
      int64_t distance = 0;
      for (uint32_t k = 0; k < kPointDimensions; ++k) {
        const int64_t d = points[i * kPointDimensions + k] - centres[centre * kPointDimensions + k];
        distance += d * d;
      }
      labels[i] = distance < least ? centre : labels[i];
      least = std::min(least, distance);
    }
  }
  return labels;
}

// The means of the points with each label.
[[nodiscard]] std::vector<int32_t> means(const std::vector<int32_t>& points,
                                         std::span<const int32_t> centres) {
  const std::vector<uint32_t> labels = labelled(points, centres);
  std::vector<int64_t> sums(kCentres * kPointDimensions);
  std::vector<int64_t> counts(kCentres);
  for (size_t i = 0; i < points.size(); ++i) {
    sums[labels[i / kPointDimensions] * kPointDimensions + i % kPointDimensions] += points[i];
    counts[labels[i / kPointDimensions]] += i % kPointDimensions == 0 ? 1 : 0;
  }
  std::vector<int32_t> out(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    out[i] = static_cast<int32_t>(sums[i] / std::max<int64_t>(1, counts[i / kPointDimensions]));
  }
  return out;
}

// Clusters of points; coordinates from 0 to about 250.
[[nodiscard]] std::vector<int32_t> make_points(Random& random, uint32_t count) {
  std::array<int32_t, kCentres * kPointDimensions> middle{};
  for (int32_t& x : middle) {
    x = static_cast<int32_t>(below(random, 200));
  }
  std::vector<int32_t> points(size_t{count} * kPointDimensions);
  for (size_t i = 0; i < points.size(); i += kPointDimensions) {
    const uint32_t centre = below(random, kCentres);
    for (uint32_t k = 0; k < kPointDimensions; ++k) {
      points[i + k] = middle[centre * kPointDimensions + k] + static_cast<int32_t>(below(random, 50));
    }
  }
  return points;
}

[[nodiscard]] WorkloadRun set_up_km(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  return run_km(memory, make_points(random, quick ? 46'080 : 131'072));
}

// ---------------------------------------------------------------------------------------------------------
// MM: products of matrices of 8-byte integers; each thread has a row of its own

struct Product {
  Array<uint64_t> a;      // rows x kInner
  Array<uint64_t> b;      // kInner x columns
  Array<uint64_t> tasks;  // the index of the first element of each task's row: a record per task
  Array<uint64_t> c;      // columns x rows
  uint32_t rows = 0;
  uint32_t columns = 0;
};
constexpr uint32_t kInner = 32;

// Lanes read different rows: each load touches 32 lines.
Program multiply(Warp& w, Product p) {
  const Words i = w.global_thread();
  const Words row = i & (p.rows - 1);
  const Words column = i >> static_cast<uint32_t>(std::countr_zero(p.rows));
  const Words start = low_of(co_await w.load(p.tasks, row));
  Lanes<uint64_t> sum = uint64_t{0};
  for (uint32_t k = 0; k < kInner; ++k) {
    const Lanes<uint64_t> a = co_await w.load(p.a, plus(start, k));
    const Lanes<uint64_t> b = co_await w.load(p.b, plus(column, k * p.columns));
    sum = w.fma(a, b, sum);
    co_await end_of_loop(w);
  }
  w.store(p.c, i, sum);
}

[[nodiscard]] std::vector<uint64_t> multiplied(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b,
                                               uint32_t rows, uint32_t columns) {
  std::vector<uint64_t> c(size_t{rows} * columns);
  for (uint32_t i = 0; i < c.size(); ++i) {
    for (uint32_t k = 0; k < kInner; ++k) {
      c[i] += a[size_t{i % rows} * kInner + k] * b[size_t{k} * columns + i / rows];
    }
  }
  return c;
}

[[nodiscard]] std::vector<uint64_t> small_numbers(Random& random, size_t count, uint32_t end) {
  std::vector<uint64_t> out(count);
  for (uint64_t& x : out) {
    x = below(random, end);
  }
  return out;
}

[[nodiscard]] WorkloadRun set_up_mm(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t rows = quick ? 4096 : 8192;
  const uint32_t columns = quick ? 2 : 8;
  const std::vector<uint64_t> a = small_numbers(random, size_t{rows} * kInner, 10);
  const std::vector<uint64_t> b = small_numbers(random, size_t{kInner} * columns, 10);
  std::vector<uint64_t> tasks(rows);
  for (uint32_t i = 0; i < rows; ++i) {
    tasks[i] = uint64_t{i} * kInner;
  }
  const Product p{memory.allocate<uint64_t>("a", std::span(a)),
                  memory.allocate<uint64_t>("b", std::span(b)),
                  memory.allocate<uint64_t>("tasks", std::span<const uint64_t>(tasks)),
                  memory.allocate<uint64_t>("c", size_t{rows} * columns),
                  rows,
                  columns};
  return run_of(
      {launch_of(rows * columns, 14, [p](Warp& w) { return multiply(w, p); })},
      [=](const Memory& end) { return expect_equal(end, p.c, multiplied(a, b, rows, columns), "c"); });
}

// ---------------------------------------------------------------------------------------------------------
// PVC and PVR: views of pages. Records hold 8-byte times and addresses of the pages' names.

constexpr uint32_t kNameBytes = 64;
constexpr uint64_t kNames = 0x7f20'0000'0000;  // the address of the first name, as the host saw it

// Few pages have most views.
[[nodiscard]] uint32_t popular(Random& random, uint32_t pages) {
  uint32_t page = pages;
  while (page > 1 && below(random, 3) != 0) {
    page = std::max(1U, page / 2);
  }
  return below(random, page);
}

struct Views {
  Array<uint64_t> times;
  Array<uint64_t> names;    // addresses
  Array<uint64_t> text;     // of the names
  Array<uint64_t> lengths;  // emitted: the size of each key
  Array<uint32_t> counts;   // by hash
};
constexpr uint32_t kBuckets = 4096;

template <class V>
[[nodiscard]] V hash_of(const V& low, const V& high) {
  const V mixed = (low ^ (high * V(0x9e37'79b1U))) * V(0x85eb'ca6bU);
  return (mixed ^ (mixed >> V(15U))) & V(kBuckets - 1);
}

// Counts the views within a period.
Program count_views(Warp& w, Views v, uint64_t first, uint64_t end) {
  const Words i = w.global_thread();
  const Lanes<uint64_t> time = co_await w.load(v.times, i);
  const Lanes<uint64_t> name = co_await w.load(v.names, i);
  const Mask counted = w.logical_and(time >= Lanes<uint64_t>(first), time < Lanes<uint64_t>(end));
  const Words at = low_of(name) >> 3U;
  const When inside(w, counted);
  if (inside.any()) {
    const Lanes<uint64_t> text = co_await w.load(v.text, at);
    const Words bucket = hash_of(low_of(text), high_of(text));
    co_await w.atomic_add(v.counts, bucket, Words(1U));
    w.store(v.lengths, i, w.cast<uint64_t>((high_of(text) >> 8U & 31U) + 20U));
  }
}

[[nodiscard]] std::vector<uint64_t> make_text(Random& random, uint32_t pages) {
  std::vector<uint64_t> text(size_t{pages} * kNameBytes / 8);
  for (uint64_t& x : text) {
    for (uint32_t i = 0; i < 8; ++i) {
      x = x << 8 | ('a' + below(random, 26));
    }
  }
  return text;
}

// Views some milliseconds apart.
[[nodiscard]] std::vector<uint64_t> make_times(Random& random, uint32_t count) {
  std::vector<uint64_t> times(count);
  uint64_t now = 1'400'000'000'000;
  for (uint64_t& time : times) {
    time = now += below(random, 12);
  }
  return times;
}

[[nodiscard]] std::vector<uint64_t> make_names(Random& random, uint32_t count, uint32_t pages) {
  std::vector<uint64_t> names(count);
  for (uint64_t& name : names) {
    name = kNames + uint64_t{popular(random, pages)} * kNameBytes;
  }
  return names;
}

[[nodiscard]] Status check_views(const Memory& end, const Views& v, uint64_t first, uint64_t last) {
  std::vector<uint32_t> counts(kBuckets);
  std::vector<uint64_t> lengths(v.times.count);
  for (size_t i = 0; i < v.times.count; ++i) {
    const uint64_t time = end.view(v.times)[i];
    if (time >= first && time < last) {
      const uint64_t text = end.view(v.text)[(end.view(v.names)[i] & 0xffff'ffff) / 8];
      ++counts[hash_of(static_cast<uint32_t>(text), static_cast<uint32_t>(text >> 32))];
      lengths[i] = (text >> 40 & 31) + 20;
    }
  }
  const Status status = expect_equal(end, v.counts, counts, "counts");
  return status.ok() ? expect_equal(end, v.lengths, lengths, "lengths") : status;
}

[[nodiscard]] WorkloadRun set_up_pvc(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t count = quick ? 61'440 : 327'680;
  const uint32_t pages = 4096;
  const std::vector<uint64_t> times = make_times(random, count);
  const Views v{
      memory.allocate<uint64_t>("times", std::span(times)),
      memory.allocate<uint64_t>("names", std::span<const uint64_t>(make_names(random, count, pages))),
      memory.allocate<uint64_t>("text", std::span<const uint64_t>(make_text(random, pages))),
      memory.allocate<uint64_t>("lengths", count), memory.allocate<uint32_t>("counts", kBuckets, false)};
  const uint64_t first = times[count / 16];
  const uint64_t last = times[count - count / 16];
  return run_of({launch_of(count, 14, [=](Warp& w) { return count_views(w, v, first, last); })},
                [=](const Memory& end) { return check_views(end, v, first, last); });
}

// PVR: records of pages, in the order of their views, by a bitonic network.
struct Ranking {
  Array<uint64_t> views;
  Array<uint64_t> names;
};

// One step of the network: pairs of records `distance` apart.
Program exchange(Warp& w, Ranking r, uint32_t run, uint32_t distance) {
  const Words thread = w.global_thread();
  const auto log = static_cast<uint32_t>(std::countr_zero(distance));
  const Words low = w.fma(thread >> log, Words(2 * distance), thread & (distance - 1));
  const Words high = low + distance;
  const Lanes<uint64_t> a = co_await w.load(r.views, low);
  const Lanes<uint64_t> b = co_await w.load(r.views, high);
  const Mask descending = (low & run) != 0U;
  const Mask greater = a > b;
  const When inside(w, {greater.bits ^ descending.bits, w.logical_or(greater, descending).reg});
  if (inside.any()) {
    const Lanes<uint64_t> c = co_await w.load(r.names, low);
    const Lanes<uint64_t> d = co_await w.load(r.names, high);
    w.store(r.views, low, b);
    w.store(r.views, high, a);
    w.store(r.names, low, d);
    w.store(r.names, high, c);
  }
}

struct NetworkStep {
  uint32_t run = 0;
  uint32_t distance = 0;
};

// The steps of distances that cross blocks: the first phases of a sort are done within blocks.
[[nodiscard]] std::vector<NetworkStep> network(uint32_t count, uint32_t steps) {
  std::vector<NetworkStep> out;
  for (uint32_t distance = count / 4; out.size() < steps; distance /= 2) {
    out.push_back({count / 2, distance});
  }
  return out;
}

[[nodiscard]] Status check_ranking(const Memory& end, const Ranking& r, std::vector<uint64_t> views,
                                   std::vector<uint64_t> names, const std::vector<NetworkStep>& steps) {
  for (const NetworkStep& step : steps) {
    for (uint32_t i = 0; i < views.size(); ++i) {
      const bool descending = (i & step.run) != 0;
      const uint32_t other = i + step.distance;
      if ((i & step.distance) == 0 && (views[i] > views[other]) != descending) {
        std::swap(views[i], views[other]);
        std::swap(names[i], names[other]);
      }
    }
  }
  const Status status = expect_equal(end, r.views, views, "views");
  return status.ok() ? expect_equal(end, r.names, names, "names") : status;
}

[[nodiscard]] WorkloadRun set_up_pvr(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t count = quick ? 1U << 16 : 1U << 18;
  std::vector<uint64_t> views(count);
  std::vector<uint64_t> names(count);
  for (uint32_t i = 0; i < count; ++i) {
    views[i] = 1 + popular(random, 512);
    names[i] = kNames + uint64_t{i} * kNameBytes;
  }
  const Ranking r{memory.allocate<uint64_t>("views", std::span<const uint64_t>(views)),
                  memory.allocate<uint64_t>("names", std::span<const uint64_t>(names))};
  const std::vector<NetworkStep> steps = network(count, 5);
  std::vector<Launch> launches;
  for (const NetworkStep& step : steps) {
    launches.push_back(
        launch_of(count / 2, 14, [=](Warp& w) { return exchange(w, r, step.run, step.distance); }));
  }
  return run_of(std::move(launches),
                [=](const Memory& end) { return check_ranking(end, r, views, names, steps); });
}

// ---------------------------------------------------------------------------------------------------------
// SS: similarity of documents, given how often words occur in them

constexpr uint32_t kOthers = 2;  // documents that each is compared with

[[nodiscard]] Words sum_lanes(Warp& w, Words x) {
  for (uint32_t distance = kLanes / 2; distance > 0; distance /= 2) {
    x = x + w.shuffle(x, w.lane() ^ distance);
  }
  return x;
}

// One warp per document.
Program compare(Warp& w, Array<uint32_t> documents, Array<uint32_t> products, uint32_t count) {
  constexpr uint32_t kParts = kVocabulary / kLanes;
  const uint32_t mine = w.place().block * w.place().block_warps + w.place().warp;
  const Words lane = w.lane();
  std::array<Words, kParts> x;
  for (uint32_t k = 0; k < kParts; ++k) {
    x[k] = co_await w.load(documents, plus(lane, mine * kVocabulary + k * kLanes));
  }
  for (uint32_t other = 1; other <= kOthers; ++other) {
    const uint32_t document = (mine + other * 97) % count;
    Words sum = 0U;
    for (uint32_t k = 0; k < kParts; ++k) {
      const Words y = co_await w.load(documents, plus(lane, document * kVocabulary + k * kLanes));
      sum = w.fma(x[k], y, sum);
    }
    const Words total = sum_lanes(w, sum);
    const When leader(w, lane == 0U);
    w.store(products, Words(mine * kOthers + other - 1), total);
    co_await end_of_loop(w);
  }
}

[[nodiscard]] std::vector<uint32_t> compared(const std::vector<uint32_t>& documents, uint32_t count) {
  std::vector<uint32_t> products(size_t{count} * kOthers);
  for (uint32_t i = 0; i < products.size(); ++i) {
    const size_t mine = i / kOthers;
    const size_t other = (mine + (i % kOthers + 1) * 97) % count;
    for (uint32_t k = 0; k < kVocabulary; ++k) {
      products[i] += documents[mine * kVocabulary + k] * documents[other * kVocabulary + k];
    }
  }
  return products;
}

[[nodiscard]] WorkloadRun set_up_ss(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  std::vector<uint32_t> documents(size_t{quick ? 2560U : 12'288U} * kVocabulary);
  for (uint32_t& x : documents) {
    x = below(random, 4) == 0 ? 1 + below(random, below(random, 8) == 0 ? 300 : 12) : 0;
  }
  return run_ss(memory, documents);
}

}  // namespace

WorkloadRun run_km(Memory& memory, const std::vector<int32_t>& points) {
  constexpr uint32_t kIterations = 2;
  const auto count = static_cast<uint32_t>(points.size() / kPointDimensions);
  std::vector<int32_t> centres(points.begin(), points.begin() + kCentres * kPointDimensions);
  for (uint32_t i = 1; i < kIterations; ++i) {
    const auto last = std::span(centres).last(kCentres * kPointDimensions);
    const std::vector<int32_t> next = means(points, last);
    centres.insert(centres.end(), next.begin(), next.end());
  }
  const Clustering c{memory.allocate<int32_t>("points", std::span(points)),
                     memory.allocate<int32_t>("centres", std::span<const int32_t>(centres)),
                     memory.allocate<uint32_t>("labels", count)};
  std::vector<Launch> launches;
  for (uint32_t i = 0; i < kIterations; ++i) {
    launches.push_back(launch_of(count, 14, [=](Warp& w) { return nearest(w, c, i); }));
  }
  return run_of(std::move(launches), [=](const Memory& end) {
    const auto last = std::span<const int32_t>(centres).last(kCentres * kPointDimensions);
    return expect_equal(end, c.labels, labelled(points, last), "labels");
  });
}

WorkloadRun run_ss(Memory& memory, const std::vector<uint32_t>& documents) {
  const auto count = static_cast<uint32_t>(documents.size() / kVocabulary);
  const auto in = memory.allocate<uint32_t>("documents", std::span<const uint32_t>(documents));
  const auto products = memory.allocate<uint32_t>("products", size_t{count} * kOthers);
  return run_of(
      {launch_of(count * kLanes, 14, [=](Warp& w) { return compare(w, in, products, count); })},
      [=](const Memory& end) { return expect_equal(end, products, compared(documents, count), "products"); });
}

void add_map_reduce(std::vector<Workload>& all) {
  const auto add = [&](std::string_view name, std::string_view represents, std::string_view description,
                       auto setup) {
    all.push_back({name, WorkloadClass::memory, represents, description, setup});
  };
  add("KM", "proxy for Mars KMeans", "nearest centre of integer points, two passes over all points",
      set_up_km);
  add("MM", "proxy for Mars MatrixMul", "products of small 8-byte integers; every lane reads its own row",
      set_up_mm);
  add("PVC", "proxy for Mars PageViewCount",
      "8-byte times and addresses in order, gathered names, atomic counts", set_up_pvc);
  add("PVR", "proxy for Mars PageViewRank", "steps of a bitonic sort of 8-byte counts and addresses",
      set_up_pvr);
  add("SS", "proxy for Mars SimilarityScore", "products of sparse vectors of small counts, one warp each",
      set_up_ss);
}

}  // namespace bobbin::sim
