// SPDX-License-Identifier: Apache-2.0
// Graphs in the form that all proxies of graph programs use, and loops over edges.
#pragma once

#include "sim/workloads/common.hpp"

namespace bobbin::sim {

// Edges of node i are first[i] to before first[i + 1].
struct Graph {
  std::vector<uint32_t> first;
  std::vector<uint32_t> target;
  std::vector<uint32_t> weight;

  [[nodiscard]] uint32_t nodes() const { return static_cast<uint32_t>(first.size() - 1); }
};

struct DeviceGraph {
  Array<uint32_t> first;
  Array<uint32_t> target;
  Array<uint32_t> weight;
};

// Targets of each node, with weights that differ from one another.
template <class Target>
[[nodiscard]] Graph make_graph(Random& random, uint32_t nodes, uint32_t least, uint32_t most, Target target) {
  Graph graph{{0}, {}, {}};
  for (uint32_t i = 0; i < nodes; ++i) {
    const uint32_t degree = least + below(random, most - least + 1);
    for (uint32_t k = 0; k < degree; ++k) {
      graph.target.push_back(target(i));
      graph.weight.push_back(1 + below(random, 100));
    }
    graph.first.push_back(static_cast<uint32_t>(graph.target.size()));
  }
  return graph;
}

// Any node may be a neighbour.
[[nodiscard]] inline Graph make_random_graph(Random& random, uint32_t nodes, uint32_t least, uint32_t most) {
  return make_graph(random, nodes, least, most, [&](uint32_t) { return below(random, nodes); });
}

// Neighbours are near in number, as in a road map whose nodes are numbered by region; a few roads are long.
[[nodiscard]] inline Graph make_road_graph(Random& random, uint32_t nodes, uint32_t least, uint32_t most) {
  return make_graph(random, nodes, least, most, [&](uint32_t i) {
    const uint32_t reach = below(random, 64) == 0 ? 4000 : 50;
    return (i + nodes + below(random, 2 * reach) - reach) % nodes;
  });
}

[[nodiscard]] inline DeviceGraph copy_to(Memory& memory, const Graph& graph, bool weights) {
  return {memory.allocate<uint32_t>("first", std::span<const uint32_t>(graph.first)),
          memory.allocate<uint32_t>("target", std::span<const uint32_t>(graph.target)),
          weights ? memory.allocate<uint32_t>("weight", std::span<const uint32_t>(graph.weight))
                  : Array<uint32_t>()};
}

// A loop over the edges of each lane's node: `edge` counts up to `end`.
struct Edges {
  Words edge;
  Words end;
};
inline Program load_edges(Warp& w, Array<uint32_t> first, Words node, Edges& edges) {
  edges.edge = co_await w.load(first, node);
  edges.end = co_await w.load(first, plus(node, 1));
}

}  // namespace bobbin::sim
