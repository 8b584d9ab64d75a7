// SPDX-License-Identifier: Apache-2.0
// Proxies that walk along the edges of graphs: BFS, bfs, mst, sssp.
#include "sim/workloads/graph.hpp"
#include "sim/workloads/inputs.hpp"
#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

constexpr uint32_t kUnreached = 0x7fff'ffff;

// Distances in edges from every `gap`-th node, up to `levels`.
[[nodiscard]] std::vector<uint32_t> distances(const Graph& graph, uint32_t gap, uint32_t levels) {
  std::vector<uint32_t> distance(graph.nodes(), kUnreached);
  std::vector<uint32_t> frontier;
  for (uint32_t node = 0; node < graph.nodes(); node += gap) {
    frontier.push_back(node);
    distance[node] = 0;
  }
  for (uint32_t level = 0; level < levels; ++level) {
    std::vector<uint32_t> next;
    for (const uint32_t node : frontier) {
      for (uint32_t e = graph.first[node]; e < graph.first[node + 1]; ++e) {
        if (distance[graph.target[e]] == kUnreached) {
          distance[graph.target[e]] = level + 1;
          next.push_back(graph.target[e]);
        }
      }
    }
    frontier = std::move(next);
  }
  return distance;
}

// The level at which at least one in `part` nodes is in the frontier.
[[nodiscard]] uint32_t busy_level(const Graph& graph, uint32_t gap, uint32_t part) {
  const std::vector<uint32_t> distance = distances(graph, gap, graph.nodes());
  std::vector<uint32_t> counts;
  for (const uint32_t d : distance) {
    if (d != kUnreached) {
      counts.resize(std::max<size_t>(counts.size(), d + 1));
      ++counts[d];
    }
  }
  for (uint32_t level = 0; level < counts.size(); ++level) {
    if (counts[level] > graph.nodes() / part) {
      return level;
    }
  }
  return 0;
}

// ---------------------------------------------------------------------------------------------------------
// BFS: one thread per node, with masks of one byte per node

struct Masks {
  DeviceGraph graph;
  Array<uint8_t> frontier;
  Array<uint8_t> next;
  Array<uint8_t> visited;
  Array<int32_t> cost;
};

Program visit_edges(Warp& w, Masks m, Words node) {
  w.store(m.frontier, node, Lanes<uint8_t>(uint8_t{0}));
  Edges edges;
  co_await load_edges(w, m.graph.first, node, edges);
  const Signed cost = co_await w.load(m.cost, node) + 1;
  for (;;) {
    const When inside(w, edges.edge < edges.end);
    if (!inside.any()) {
      break;
    }
    const Words target = co_await w.load(m.graph.target, edges.edge);
    const Lanes<uint8_t> visited = co_await w.load(m.visited, target);
    {
      const When unseen(w, visited == Lanes<uint8_t>(uint8_t{0}));
      if (unseen.any()) {
        w.store(m.cost, target, cost);
        w.store(m.next, target, Lanes<uint8_t>(uint8_t{1}));
      }
    }
    w.merge(edges.edge, edges.edge + 1U);
    co_await w.branch();
  }
}

Program expand_frontier(Warp& w, Masks m) {
  const Words node = w.global_thread();
  const Lanes<uint8_t> in_frontier = co_await w.load(m.frontier, node);
  const When inside(w, in_frontier != Lanes<uint8_t>(uint8_t{0}));
  if (inside.any()) {
    co_await visit_edges(w, m, node);
  }
}

Program update_masks(Warp& w, Masks m) {
  const Words node = w.global_thread();
  const Lanes<uint8_t> next = co_await w.load(m.next, node);
  const When inside(w, next != Lanes<uint8_t>(uint8_t{0}));
  if (inside.any()) {
    w.store(m.frontier, node, Lanes<uint8_t>(uint8_t{1}));
    w.store(m.visited, node, Lanes<uint8_t>(uint8_t{1}));
    w.store(m.next, node, Lanes<uint8_t>(uint8_t{0}));
  }
}

[[nodiscard]] std::vector<int32_t> costs(const Graph& graph, uint32_t levels) {
  std::vector<int32_t> out;
  for (const uint32_t d : distances(graph, graph.nodes(), levels)) {
    out.push_back(d == kUnreached ? -1 : static_cast<int32_t>(d));
  }
  return out;
}

void set_masks(Memory& memory, const Masks& m, const std::vector<int32_t>& cost, uint32_t level) {
  for (size_t i = 0; i < cost.size(); ++i) {
    memory.view(m.frontier)[i] = cost[i] == static_cast<int32_t>(level) ? 1 : 0;
    memory.view(m.visited)[i] = cost[i] >= 0 ? 1 : 0;
  }
}

[[nodiscard]] WorkloadRun set_up_sdk_bfs(Memory& memory, uint64_t seed, bool quick) {
  constexpr uint32_t kLevels = 2;
  Random random(seed);
  const Graph graph = make_random_graph(random, quick ? 24'576 : 65'536, 2, quick ? 10 : 14);
  const uint32_t level = busy_level(graph, graph.nodes(), 40);
  const std::vector<int32_t> cost = costs(graph, level);
  const Masks m{copy_to(memory, graph, false), memory.allocate<uint8_t>("frontier", graph.nodes()),
                memory.allocate<uint8_t>("next", graph.nodes()),
                memory.allocate<uint8_t>("visited", graph.nodes()),
                memory.allocate<int32_t>("cost", std::span(cost))};
  set_masks(memory, m, cost, level);
  std::vector<Launch> launches;
  for (uint32_t i = 0; i < kLevels; ++i) {
    launches.push_back(launch_of(graph.nodes(), 14, [m](Warp& w) { return expand_frontier(w, m); }));
    launches.push_back(launch_of(graph.nodes(), 8, [m](Warp& w) { return update_masks(w, m); }));
  }
  return run_of(std::move(launches), [=](const Memory& end) {
    return expect_equal(end, m.cost, costs(graph, level + kLevels), "cost");
  });
}

// ---------------------------------------------------------------------------------------------------------
// bfs: one thread per node, levels from the distances alone

Program push_level(Warp& w, DeviceGraph graph, Array<uint32_t> distance, uint32_t level) {
  const Words node = w.global_thread();
  const Words mine = co_await w.load(distance, node);
  const When reached(w, mine == level);
  if (!reached.any()) {
    co_return;
  }
  Edges edges;
  co_await load_edges(w, graph.first, node, edges);
  for (;;) {
    const When inside(w, edges.edge < edges.end);
    if (!inside.any()) {
      break;
    }
    const Words target = co_await w.load(graph.target, edges.edge);
    const Words other = co_await w.load(distance, target);
    {
      // Several lanes may store the same number.
      const When farther(w, other > level + 1);
      if (farther.any()) {
        w.store(distance, target, Words(level + 1));
      }
    }
    w.merge(edges.edge, edges.edge + 1U);
    co_await w.branch();
  }
}

[[nodiscard]] WorkloadRun set_up_bfs(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  return run_bfs(memory, make_road_graph(random, quick ? 65'536 : 196'608, 2, 4));
}

// ---------------------------------------------------------------------------------------------------------
// sssp: shortest paths, each node from its neighbours (the pull form, whose result has one order)

Program relax_edges(Warp& w, DeviceGraph graph, Array<uint32_t> in, Array<uint32_t> out) {
  const Words node = w.global_thread();
  Words least = co_await w.load(in, node);
  Edges edges;
  co_await load_edges(w, graph.first, node, edges);
  for (;;) {
    const When inside(w, edges.edge < edges.end);
    if (!inside.any()) {
      break;
    }
    const Words target = co_await w.load(graph.target, edges.edge);
    const Words weight = co_await w.load(graph.weight, edges.edge);
    const Words other = co_await w.load(in, target);
    w.merge(least, w.min(least, other + weight));
    w.merge(edges.edge, edges.edge + 1U);
    co_await w.branch();
  }
  w.store(out, node, least);
}

[[nodiscard]] std::vector<uint32_t> relaxed(const Graph& graph, const std::vector<uint32_t>& in) {
  std::vector<uint32_t> out = in;
  for (uint32_t node = 0; node < graph.nodes(); ++node) {
    for (uint32_t e = graph.first[node]; e < graph.first[node + 1]; ++e) {
      out[node] = std::min(out[node], in[graph.target[e]] + graph.weight[e]);
    }
  }
  return out;
}

[[nodiscard]] std::vector<uint32_t> relaxed(const Graph& graph, std::vector<uint32_t> distance,
                                            uint32_t iterations) {
  for (uint32_t i = 0; i < iterations; ++i) {
    distance = relaxed(graph, distance);
  }
  return distance;
}

[[nodiscard]] WorkloadRun set_up_sssp(Memory& memory, uint64_t seed, bool quick) {
  constexpr uint32_t kIterations = 2;
  Random random(seed);
  const Graph graph = make_road_graph(random, quick ? 36'864 : 131'072, 2, 4);
  // Some iterations have been done: a part of the graph is reached.
  std::vector<uint32_t> distance(graph.nodes(), kUnreached);
  for (uint32_t i = 0; i < graph.nodes(); i += 4096) {
    distance[i] = 0;
  }
  distance = relaxed(graph, std::move(distance), 16);
  const DeviceGraph device = copy_to(memory, graph, true);
  const Swapping<uint32_t> arrays{memory.allocate<uint32_t>("distance", std::span<const uint32_t>(distance)),
                                  memory.allocate<uint32_t>("next", graph.nodes())};
  std::vector<Launch> launches;
  for (uint32_t i = 0; i < kIterations; ++i) {
    const auto in = arrays.in(i);
    const auto out = arrays.out(i);
    launches.push_back(
        launch_of(graph.nodes(), 14, [=](Warp& w) { return relax_edges(w, device, in, out); }));
  }
  return run_of(std::move(launches), [=](const Memory& end) {
    return expect_equal(end, arrays.in(kIterations), relaxed(graph, distance, kIterations), "distance");
  });
}

// ---------------------------------------------------------------------------------------------------------
// mst: the first round of Boruvka: lightest edges, hooking, pointer jumping

struct Trees {
  DeviceGraph graph;
  Array<uint32_t> lightest;  // the neighbour over each node's lightest edge
  Swapping<uint32_t> parent;
};

// Among edges with the same weight, the one to the lower node is chosen.
Program find_lightest(Warp& w, Trees t) {
  const Words node = w.global_thread();
  Words least = ~0U;
  Words best = node;
  Edges edges;
  co_await load_edges(w, t.graph.first, node, edges);
  for (;;) {
    const When inside(w, edges.edge < edges.end);
    if (!inside.any()) {
      break;
    }
    const Words target = co_await w.load(t.graph.target, edges.edge);
    const Words weight = co_await w.load(t.graph.weight, edges.edge);
    const Words component = co_await w.load(t.parent.first, target);
    const Mask lighter = w.logical_or(weight < least, w.logical_and(weight == least, component < best));
    const Mask taken = w.logical_and(lighter, component != node);
    w.merge(least, w.select(taken, weight, least));
    w.merge(best, w.select(taken, component, best));
    w.merge(edges.edge, edges.edge + 1U);
    co_await w.branch();
  }
  w.store(t.lightest, node, best);
}

// If two nodes chose each other, the lower one becomes a root.
Program hook(Warp& w, Trees t) {
  const Words node = w.global_thread();
  const Words other = co_await w.load(t.lightest, node);
  const Words back = co_await w.load(t.lightest, other);
  const Mask root = w.logical_and(back == node, node < other);
  w.store(t.parent.second, node, w.select(root, node, other));
}

Program jump(Warp& w, Array<uint32_t> in, Array<uint32_t> out) {
  const Words node = w.global_thread();
  const Words parent = co_await w.load(in, node);
  const Words grandparent = co_await w.load(in, parent);
  w.store(out, node, grandparent);
}

[[nodiscard]] std::vector<uint32_t> lightest_neighbours(const Graph& graph) {
  std::vector<uint32_t> lightest(graph.nodes());
  for (uint32_t node = 0; node < graph.nodes(); ++node) {
    uint32_t least = ~0U;
    lightest[node] = node;
    for (uint32_t e = graph.first[node]; e < graph.first[node + 1]; ++e) {
      const uint32_t weight = graph.weight[e];
      const uint32_t target = graph.target[e];
      if (target != node && (weight < least || (weight == least && target < lightest[node]))) {
        least = weight;
        lightest[node] = target;
      }
    }
  }
  return lightest;
}

[[nodiscard]] std::vector<uint32_t> jumped(const std::vector<uint32_t>& lightest, uint32_t jumps) {
  std::vector<uint32_t> parent(lightest.size());
  for (uint32_t i = 0; i < parent.size(); ++i) {
    parent[i] = lightest[lightest[i]] == i && i < lightest[i] ? i : lightest[i];
  }
  for (uint32_t k = 0; k < jumps; ++k) {
    const std::vector<uint32_t> before = parent;
    for (uint32_t i = 0; i < parent.size(); ++i) {
      parent[i] = before[before[i]];
    }
  }
  return parent;
}

[[nodiscard]] WorkloadRun set_up_mst(Memory& memory, uint64_t seed, bool quick) {
  constexpr uint32_t kJumps = 3;
  Random random(seed);
  const Graph graph = make_road_graph(random, quick ? 36'864 : 131'072, 2, 4);
  std::vector<uint32_t> own(graph.nodes());
  for (uint32_t i = 0; i < own.size(); ++i) {
    own[i] = i;
  }
  const Trees t{copy_to(memory, graph, true),
                memory.allocate<uint32_t>("lightest", graph.nodes()),
                {memory.allocate<uint32_t>("parent", std::span<const uint32_t>(own)),
                 memory.allocate<uint32_t>("next", graph.nodes())}};
  std::vector<Launch> launches = {launch_of(graph.nodes(), 20, [t](Warp& w) { return find_lightest(w, t); }),
                                  launch_of(graph.nodes(), 10, [t](Warp& w) { return hook(w, t); })};
  for (uint32_t i = 1; i <= kJumps; ++i) {
    const auto in = t.parent.in(i);
    const auto out = t.parent.out(i);
    launches.push_back(launch_of(graph.nodes(), 8, [=](Warp& w) { return jump(w, in, out); }));
  }
  return run_of(std::move(launches), [=](const Memory& end) {
    return expect_equal(end, t.parent.in(kJumps + 1), jumped(lightest_neighbours(graph), kJumps), "parent");
  });
}

}  // namespace

WorkloadRun run_bfs(Memory& memory, const Graph& graph) {
  constexpr uint32_t kLevels = 3;
  constexpr uint32_t kGap = 512;  // between sources: one search alone would keep few warps busy
  const uint32_t level = busy_level(graph, kGap, 20);
  const DeviceGraph device = copy_to(memory, graph, false);
  const auto distance =
      memory.allocate<uint32_t>("distance", std::span<const uint32_t>(distances(graph, kGap, level)));
  std::vector<Launch> launches;
  for (uint32_t i = level; i < level + kLevels; ++i) {
    launches.push_back(
        launch_of(graph.nodes(), 13, [=](Warp& w) { return push_level(w, device, distance, i); }));
  }
  return run_of(std::move(launches), [=](const Memory& end) {
    return expect_equal(end, distance, distances(graph, kGap, level + kLevels), "distance");
  });
}

void add_graphs(std::vector<Workload>& all) {
  const auto add = [&](std::string_view name, std::string_view represents, std::string_view description,
                       auto setup) {
    all.push_back({name, WorkloadClass::memory, represents, description, setup});
  };
  add("BFS", "proxy for CUDA SDK BFS", "two levels of a random graph, with one-byte masks; divergent gathers",
      set_up_sdk_bfs);
  add("bfs", "proxy for Lonestar bfs", "three levels of a road graph, from distances; divergent gathers",
      set_up_bfs);
  add("mst", "proxy for Lonestar mst", "a round of Boruvka on a road graph: lightest edges, pointer jumping",
      set_up_mst);
  add("sssp", "proxy for Lonestar sssp", "two rounds of Bellman-Ford on a road graph; divergent gathers",
      set_up_sssp);
}

}  // namespace bobbin::sim
