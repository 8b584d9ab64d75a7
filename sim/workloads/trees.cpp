// SPDX-License-Identifier: Apache-2.0
// Proxies that walk through space: RAY, bh.
#include "sim/workloads/common.hpp"
#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

// ---------------------------------------------------------------------------------------------------------
// RAY: rays through a grid of cells, with one reflection

constexpr uint32_t kSide = 48;  // cells; all of them together fit into the L2
constexpr uint32_t kSteps = 24;
constexpr uint32_t kSky = 0x0040'80ff;

struct Scene {
  Array<uint32_t> cells;  // 0 is empty, others are colours
  Array<uint32_t> pixels;
  uint32_t width = 0;
  uint32_t height = 0;
};

// A floor and balls above it.
[[nodiscard]] std::vector<uint32_t> make_scene(Random& random) {
  std::vector<uint32_t> cells(kSide * kSide * kSide);
  std::fill_n(cells.begin(), kSide * kSide * 2, 0x0060'6060U);
  for (uint32_t ball = 0; ball < 12; ++ball) {
    const auto radius = static_cast<int32_t>(2 + below(random, 4));
    const auto centre = [&] { return static_cast<int32_t>(8 + below(random, kSide - 16)); };
    const std::array<int32_t, 3> c = {centre(), centre(), centre()};
    const uint32_t colour = 0x0020'2020 + below(random, 0x00c0'c0c0);
    for (uint32_t i = 0; i < cells.size(); ++i) {
      const int32_t x = static_cast<int32_t>(i % kSide) - c[0];
      const int32_t y = static_cast<int32_t>(i / kSide % kSide) - c[1];
      const int32_t z = static_cast<int32_t>(i / kSide / kSide) - c[2];
      cells[i] = x * x + y * y + z * z < radius * radius ? colour : cells[i];
    }
  }
  return cells;
}

// Rays start before the front face; pixels are spread over it. For lanes and for the check.
template <class V>
struct Ray {
  V x;
  V y;
  V z;
  V dx;
  V dz;
};
template <class V>
[[nodiscard]] Ray<V> start_ray(const V& column, const V& row, uint32_t width, uint32_t height) {
  const V u = column * V(1.0F / static_cast<float>(width));
  const V v = row * V(1.0F / static_cast<float>(height));
  return {u * V(static_cast<float>(kSide)), V(0.5F), v * V(static_cast<float>(kSide)),
          (u - V(0.5F)) * V(0.5F), (V(0.4F) - v) * V(0.6F)};
}
template <class V>
void advance(Ray<V>& ray) {
  ray.x = ray.x + ray.dx;
  ray.y = ray.y + V(2.0F);
  ray.z = ray.z + ray.dz;
}

// The colour is halved and added to what the reflected ray finds.
template <class V>
[[nodiscard]] V shade(const V& seen, const V& colour) {
  return ((seen >> V(1U)) & V(0x7f7f'7f7fU)) + ((colour >> V(1U)) & V(0x7f7f'7f7fU));
}

[[nodiscard]] Mask in_scene(Warp& w, const Words& x, const Words& y, const Words& z) {
  return w.logical_and(w.logical_and(x < kSide, y < kSide), z < kSide);
}

// Lanes go on until they leave the scene or have hit twice.
Program trace(Warp& w, Scene s) {
  const Words i = w.global_thread();
  const Words row = i / s.width;
  const Floats column = w.cast<float>(i - row * s.width);
  Ray<Floats> ray = start_ray(column, w.cast<float>(row), s.width, s.height);
  Words seen = kSky;
  Words hits = 0U;
  Mask going = Warp::lanes_of(w.active());
  for (uint32_t step = 0; step < kSteps; ++step) {
    const When inside(w, going);
    if (!inside.any()) {
      break;
    }
    const Words x = w.cast<uint32_t>(w.cast<int32_t>(ray.x));
    const Words y = w.cast<uint32_t>(w.cast<int32_t>(ray.y));
    const Words z = w.cast<uint32_t>(w.cast<int32_t>(ray.z));
    const Mask present = in_scene(w, x, y, z);
    const When visible(w, present);
    Mask more = Warp::lanes_of(0);
    if (visible.any()) {
      const Words cell = co_await w.load(s.cells, w.fma(w.fma(z, Words(kSide), y), Words(kSide), x));
      const Mask hit = cell != 0U;
      w.merge(seen, w.select(hit, shade(seen, cell), seen));
      w.merge(hits, w.select(hit, hits + 1U, hits));
      w.merge(ray.dz, w.select(hit, Floats(0.0F) - ray.dz, ray.dz));
      more = hits < 2U;
      Ray<Floats> next = ray;
      advance(next);
      w.merge(ray.x, next.x);
      w.merge(ray.y, next.y);
      w.merge(ray.z, next.z);
    }
    going = {more.bits & w.active(), more.reg};
    co_await end_of_loop(w);
  }
  w.store(s.pixels, i, seen);
}

[[nodiscard]] uint32_t traced(const std::vector<uint32_t>& cells, Ray<float> ray) {
  uint32_t seen = kSky;
  for (uint32_t step = 0, hits = 0; step < kSteps && hits < 2; ++step) {
    const auto x = static_cast<uint32_t>(static_cast<int32_t>(ray.x));
    const auto y = static_cast<uint32_t>(static_cast<int32_t>(ray.y));
    const auto z = static_cast<uint32_t>(static_cast<int32_t>(ray.z));
    if (x >= kSide || y >= kSide || z >= kSide) {
      break;
    }
    const uint32_t cell = cells[(z * kSide + y) * kSide + x];
    if (cell != 0) {
      seen = shade(seen, cell);
      ++hits;
      ray.dz = 0.0F - ray.dz;
    }
    advance(ray);
  }
  return seen;
}

[[nodiscard]] WorkloadRun set_up_ray(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const std::vector<uint32_t> cells = make_scene(random);
  const uint32_t width = quick ? 128 : 256;
  const uint32_t height = quick ? 72 : 128;
  const Scene s{memory.allocate<uint32_t>("cells", std::span(cells)),
                memory.allocate<uint32_t>("pixels", size_t{width} * height), width, height};
  return run_of({launch_of(width * height, 24, [s](Warp& w) { return trace(w, s); })},
                [=](const Memory& end) {
                  std::vector<uint32_t> expected;
                  for (uint32_t i = 0; i < width * height; ++i) {
                    const auto column = static_cast<float>(i % width);
                    const auto row = static_cast<float>(i / width);
                    expected.push_back(traced(cells, start_ray(column, row, width, height)));
                  }
                  return expect_equal(end, s.pixels, expected, "pixels");
                });
}

// ---------------------------------------------------------------------------------------------------------
// bh: the centres of mass of a tree of bodies, level by level, then forces on some of the bodies

constexpr uint32_t kChildren = 4;
constexpr uint32_t kNone = ~0U;
constexpr float kSoft = 0.0001F;

// Nodes in depth-first order. Those without a child are bodies.
struct SpaceTree {
  std::vector<float> x;
  std::vector<float> y;
  std::vector<float> mass;
  std::vector<float> reach;                   // squared: nearer bodies look inside. 0 for bodies
  std::vector<uint32_t> skip;                 // the node after all nodes inside
  std::vector<uint32_t> child;                // kChildren each, kNone if empty
  std::vector<std::vector<uint32_t>> levels;  // nodes with children, by depth
};

struct Body {
  float x = 0;
  float y = 0;
};

void add_body(SpaceTree& tree, const Body& body) {
  tree.x.push_back(body.x);
  tree.y.push_back(body.y);
  tree.mass.push_back(1.0F);
  tree.reach.push_back(0.0F);
  tree.skip.push_back(static_cast<uint32_t>(tree.x.size()));
  tree.child.insert(tree.child.end(), kChildren, kNone);
}

// The square of `size` from the corner; its bodies, in any order.
[[nodiscard]] uint32_t add_square(SpaceTree& tree, std::vector<Body> bodies, Body corner, float size,
                                  uint32_t depth) {
  const auto node = static_cast<uint32_t>(tree.x.size());
  if (bodies.size() == 1 || depth == 20) {
    add_body(tree, bodies[0]);
    return node;
  }
  add_body(tree, {});
  tree.mass[node] = 0;
  tree.reach[node] = 0.25F * size * size;
  tree.levels.resize(std::max<size_t>(tree.levels.size(), depth + 1));
  tree.levels[depth].push_back(node);
  const float half = size / 2;
  std::array<std::vector<Body>, kChildren> parts;
  for (const Body& body : bodies) {
    parts[(body.x >= corner.x + half ? 1 : 0) + (body.y >= corner.y + half ? 2 : 0)].push_back(body);
  }
  for (uint32_t k = 0; k < kChildren; ++k) {
    if (!parts[k].empty()) {
      const Body inner{corner.x + (k % 2 == 1 ? half : 0), corner.y + (k / 2 == 1 ? half : 0)};
      tree.child[size_t{node} * kChildren + k] =
          add_square(tree, std::move(parts[k]), inner, half, depth + 1);
    }
  }
  tree.skip[node] = static_cast<uint32_t>(tree.x.size());
  return node;
}

[[nodiscard]] SpaceTree make_space(Random& random, uint32_t bodies) {
  std::vector<Body> all(bodies);
  for (Body& body : all) {
    body = {unit(random), unit(random)};
  }
  SpaceTree tree;
  static_cast<void>(add_square(tree, std::move(all), {}, 1.0F, 0));
  return tree;
}

struct Space {
  Array<float> x;
  Array<float> y;
  Array<float> mass;
  Array<float> reach;
  Array<uint32_t> skip;
  Array<uint32_t> child;
  Array<uint32_t> order;  // nodes with children, deepest first
  Array<uint32_t> bodies;
  Array<float> force;
  uint32_t nodes = 0;
};

// One thread per node of a level.
Program summarise(Warp& w, Space s, uint32_t first, uint32_t count) {
  const Words i = w.global_thread();
  const When exists(w, i < count);
  if (!exists.any()) {
    co_return;
  }
  const Words node = co_await w.load(s.order, plus(i, first));
  Floats mass = 0.0F;
  Floats x = 0.0F;
  Floats y = 0.0F;
  for (uint32_t k = 0; k < kChildren; ++k) {
    const Words child = co_await w.load(s.child, plus(node * kChildren, k));
    const When present(w, child != kNone);
    if (present.any()) {
      const Floats child_mass = co_await w.load(s.mass, child);
      w.merge(mass, mass + child_mass);
      w.merge(x, w.fma(co_await w.load(s.x, child), child_mass, x));
      w.merge(y, w.fma(co_await w.load(s.y, child), child_mass, y));
    }
  }
  w.store(s.mass, node, mass);
  w.store(s.x, node, x / mass);
  w.store(s.y, node, y / mass);
}

// One thread per body: nodes that are far away count as one body, others are looked into.
Program attract(Warp& w, Space s) {
  const Words i = w.global_thread();
  const Words body = co_await w.load(s.bodies, i);
  const Floats x = co_await w.load(s.x, body);
  const Floats y = co_await w.load(s.y, body);
  Floats force = 0.0F;
  Words node = 0U;
  for (;;) {
    const When inside(w, node < s.nodes);
    if (!inside.any()) {
      break;
    }
    const Floats dx = co_await w.load(s.x, node) - x;
    const Floats dy = co_await w.load(s.y, node) - y;
    const Floats square = w.fma(dx, dx, w.fma(dy, dy, Floats(kSoft)));
    const Floats reach = co_await w.load(s.reach, node);
    const Mask far = reach < square;
    Words next = plus(node, 1);
    {
      const When counted(w, far);
      if (counted.any()) {
        const Floats mass = co_await w.load(s.mass, node);
        w.merge(force, force + mass * w.reciprocal(w.sqrt(square)));
        const Words skip = co_await w.load(s.skip, node);
        w.merge(next, skip);
      }
    }
    w.merge(node, next);
    co_await end_of_loop(w);
  }
  w.store(s.force, i, force);
}

void summarise(SpaceTree& tree) {
  for (size_t depth = tree.levels.size(); depth-- > 0;) {
    for (const uint32_t node : tree.levels[depth]) {
      float mass = 0;
      float x = 0;
      float y = 0;
      for (uint32_t k = 0; k < kChildren; ++k) {
        const uint32_t child = tree.child[size_t{node} * kChildren + k];
        if (child != kNone) {
          mass = mass + tree.mass[child];
          x = tree.x[child] * tree.mass[child] + x;
          y = tree.y[child] * tree.mass[child] + y;
        }
      }
      tree.mass[node] = mass;
      tree.x[node] = x / mass;
      tree.y[node] = y / mass;
    }
  }
}

[[nodiscard]] std::vector<float> attracted(SpaceTree tree, const std::vector<uint32_t>& bodies) {
  summarise(tree);
  std::vector<float> forces;
  for (const uint32_t body : bodies) {
    float force = 0;
    for (uint32_t node = 0; node < tree.x.size();) {
      const float dx = tree.x[node] - tree.x[body];
      const float dy = tree.y[node] - tree.y[body];
      const float square = dx * dx + (dy * dy + kSoft);
      const bool far = tree.reach[node] < square;
      force = far ? force + tree.mass[node] * (1.0F / std::sqrt(square)) : force;
      node = far ? tree.skip[node] : node + 1;
    }
    forces.push_back(force);
  }
  return forces;
}

// Neighbours in groups of a warp, from all over space.
[[nodiscard]] std::vector<uint32_t> choose_bodies(const SpaceTree& tree, uint32_t count) {
  std::vector<uint32_t> all;
  for (uint32_t node = 0; node < tree.x.size(); ++node) {
    if (tree.reach[node] == 0.0F) {
      all.push_back(node);
    }
  }
  const size_t gap = all.size() / (count / kLanes);
  std::vector<uint32_t> chosen;
  for (uint32_t i = 0; i < count; ++i) {
    chosen.push_back(all[i / kLanes * gap + i % kLanes]);
  }
  return chosen;
}

[[nodiscard]] Space copy_to(Memory& memory, const SpaceTree& tree, const std::vector<uint32_t>& bodies) {
  std::vector<uint32_t> order;
  for (size_t depth = tree.levels.size(); depth-- > 0;) {
    order.insert(order.end(), tree.levels[depth].begin(), tree.levels[depth].end());
  }
  const auto floats = [&](const char* name, const std::vector<float>& values) {
    return memory.allocate<float>(name, std::span<const float>(values));
  };
  const auto words = [&](const char* name, const std::vector<uint32_t>& values) {
    return memory.allocate<uint32_t>(name, std::span<const uint32_t>(values));
  };
  return {floats("x", tree.x),
          floats("y", tree.y),
          floats("mass", tree.mass),
          floats("reach", tree.reach),
          words("skip", tree.skip),
          words("child", tree.child),
          words("order", order),
          words("bodies", bodies),
          memory.allocate<float>("force", bodies.size()),
          static_cast<uint32_t>(tree.x.size())};
}

[[nodiscard]] WorkloadRun set_up_bh(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const SpaceTree tree = make_space(random, quick ? 20'000 : 60'000);
  const std::vector<uint32_t> bodies = choose_bodies(tree, quick ? 2560 : 12'288);
  const Space s = copy_to(memory, tree, bodies);
  std::vector<Launch> launches;
  uint32_t first = 0;
  for (size_t depth = tree.levels.size(); depth-- > 0;) {
    const auto count = static_cast<uint32_t>(tree.levels[depth].size());
    const uint32_t threads = (count + kBlockThreads - 1) / kBlockThreads * kBlockThreads;
    if (count > 0) {
      launches.push_back(launch_of(threads, 14, [=](Warp& w) { return summarise(w, s, first, count); }));
    }
    first += count;
  }
  launches.push_back(
      launch_of(static_cast<uint32_t>(bodies.size()), 18, [s](Warp& w) { return attract(w, s); }));
  return run_of(std::move(launches), [=](const Memory& end) {
    return expect_equal(end, s.force, attracted(tree, bodies), "force");
  });
}

}  // namespace

void add_trees(std::vector<Workload>& all) {
  all.push_back({.name = "RAY",
                 .kind = WorkloadClass::memory,
                 .represents = "proxy for CUDA SDK ray tracing",
                 .description = "rays with one reflection through a mostly empty grid that fits into the L2",
                 .setup = set_up_ray});
  all.push_back({.name = "bh",
                 .kind = WorkloadClass::memory,
                 .represents = "proxy for Lonestar bh",
                 .description = "centres of mass of a tree and forces on bodies; divergent walks over floats",
                 .setup = set_up_bh});
}

}  // namespace bobbin::sim
