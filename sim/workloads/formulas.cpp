// SPDX-License-Identifier: Apache-2.0
// Proxy that walks between the clauses and the variables of a formula: sp.
#include "sim/workloads/graph.hpp"
#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

constexpr uint32_t kLiterals = 3;

struct Formula {
  std::vector<uint32_t> literal;  // variable << 1 | negated, kLiterals per clause
  std::vector<float> survey;      // per literal
  std::vector<uint32_t> first;    // the literals of each variable
  std::vector<uint32_t> occurrence;
};

struct DeviceFormula {
  Array<uint32_t> literal;
  Array<float> survey;
  Array<uint32_t> first;
  Array<uint32_t> occurrence;
  Array<float> plain;    // per variable: the product over its plain literals
  Array<float> negated;  // and over its negated ones
  Array<float> next;     // surveys
  uint32_t variables = 0;
};

// Surveys of the parts that are already settled are 0.
[[nodiscard]] Formula make_formula(Random& random, uint32_t clauses, uint32_t variables) {
  Formula f;
  std::vector<std::vector<uint32_t>> lists(variables);
  bool settled = false;
  for (uint32_t i = 0; i < clauses * kLiterals; ++i) {
    settled = i % 192 == 0 ? below(random, 2) == 0 : settled;
    const uint32_t variable = below(random, variables);
    f.literal.push_back(variable << 1 | below(random, 2));
    f.survey.push_back(settled ? 0.0F : unit(random) * 0.9F);
    lists[variable].push_back(i);
  }
  f.first.push_back(0);
  for (const auto& list : lists) {
    f.occurrence.insert(f.occurrence.end(), list.begin(), list.end());
    f.first.push_back(static_cast<uint32_t>(f.occurrence.size()));
  }
  return f;
}

Program update_variables(Warp& w, DeviceFormula f) {
  const Words variable = w.global_thread();
  const When exists(w, variable < f.variables);
  if (!exists.any()) {
    co_return;
  }
  Floats plain = 1.0F;
  Floats negated = 1.0F;
  Edges edges;
  co_await load_edges(w, f.first, variable, edges);
  for (;;) {
    const When inside(w, edges.edge < edges.end);
    if (!inside.any()) {
      break;
    }
    const Words at = co_await w.load(f.occurrence, edges.edge);
    const Words literal = co_await w.load(f.literal, at);
    const Floats factor = Floats(1.0F) - co_await w.load(f.survey, at);
    const Mask is_negated = (literal & 1U) != 0U;
    w.merge(negated, w.select(is_negated, negated * factor, negated));
    w.merge(plain, w.select(is_negated, plain, plain * factor));
    w.merge(edges.edge, edges.edge + 1U);
    co_await w.branch();
  }
  w.store(f.plain, variable, plain);
  w.store(f.negated, variable, negated);
}

// How strongly the other clauses push a literal to be false.
template <class V>
[[nodiscard]] V pressure(const V& same, const V& other) {
  const V against = (V(1.0F) - other) * same;
  return against / (against + other + V(0.001F));
}

Program update_clauses(Warp& w, DeviceFormula f) {
  const Words first = w.global_thread() * kLiterals;
  std::array<Floats, kLiterals> push;
  for (uint32_t k = 0; k < kLiterals; ++k) {
    const Words literal = co_await w.load(f.literal, plus(first, k));
    const Words variable = literal >> 1U;
    const Floats plain = co_await w.load(f.plain, variable);
    const Floats negated = co_await w.load(f.negated, variable);
    const Mask is_negated = (literal & 1U) != 0U;
    push[k] = pressure(w.select(is_negated, negated, plain), w.select(is_negated, plain, negated));
  }
  for (uint32_t k = 0; k < kLiterals; ++k) {
    w.store(f.next, plus(first, k), push[(k + 1) % kLiterals] * push[(k + 2) % kLiterals]);
  }
}

[[nodiscard]] std::vector<float> surveys(const Formula& f, uint32_t variables) {
  std::vector<std::array<float, 2>> product(variables, {1.0F, 1.0F});
  for (uint32_t variable = 0; variable < variables; ++variable) {
    for (uint32_t e = f.first[variable]; e < f.first[variable + 1]; ++e) {
      const uint32_t at = f.occurrence[e];
      product[variable][f.literal[at] & 1] *= 1.0F - f.survey[at];
    }
  }
  std::vector<float> next(f.literal.size());
  for (size_t clause = 0; clause < next.size(); clause += kLiterals) {
    std::array<float, kLiterals> push{};
    for (uint32_t k = 0; k < kLiterals; ++k) {
      const uint32_t literal = f.literal[clause + k];
      push[k] = pressure(product[literal >> 1][literal & 1], product[literal >> 1][1 - (literal & 1)]);
    }
    for (uint32_t k = 0; k < kLiterals; ++k) {
      next[clause + k] = push[(k + 1) % kLiterals] * push[(k + 2) % kLiterals];
    }
  }
  return next;
}

[[nodiscard]] WorkloadRun set_up_sp(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t clauses = quick ? 24'576 : 98'304;
  const uint32_t variables = clauses * 10 / 42;
  const Formula formula = make_formula(random, clauses, variables);
  const DeviceFormula f{
      memory.allocate<uint32_t>("literal", std::span<const uint32_t>(formula.literal)),
      memory.allocate<float>("survey", std::span<const float>(formula.survey)),
      memory.allocate<uint32_t>("first", std::span<const uint32_t>(formula.first)),
      memory.allocate<uint32_t>("occurrence", std::span<const uint32_t>(formula.occurrence)),
      memory.allocate<float>("plain", variables),
      memory.allocate<float>("negated", variables),
      memory.allocate<float>("next", formula.literal.size()),
      variables};
  const uint32_t variable_threads = (variables + kBlockThreads - 1) / kBlockThreads * kBlockThreads;
  return run_of(
      {launch_of(variable_threads, 16, [f](Warp& w) { return update_variables(w, f); }),
       launch_of(clauses, 18, [f](Warp& w) { return update_clauses(w, f); })},
      [=](const Memory& end) { return expect_equal(end, f.next, surveys(formula, variables), "next"); });
}

}  // namespace

void add_formulas(std::vector<Workload>& all) {
  all.push_back({"sp", WorkloadClass::memory, "proxy for Lonestar sp",
                 "one update of survey propagation on a random formula; divergent gathers", set_up_sp});
}

}  // namespace bobbin::sim
