// SPDX-License-Identifier: Apache-2.0
// Proxies that compare sequences: MUM, nw.
#include "sim/workloads/common.hpp"
#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

// ---------------------------------------------------------------------------------------------------------
// nw: alignment of pairs of sequences by dynamic programming, one diagonal of tiles per launch

constexpr uint32_t kAlignTile = 32;
constexpr int32_t kPenalty = 10;
constexpr uint32_t kAtOnce = 8;  // rows that are loaded before the first is used

struct Alignments {
  Array<int32_t> scores;  // of pairs of letters
  Array<int32_t> best;    // of prefixes, with a row and a column before the first letters
  uint32_t pairs = 0;
  uint32_t length = 0;  // of a sequence

  [[nodiscard]] uint32_t pitch() const { return length + 1; }
  [[nodiscard]] uint32_t cells() const { return pitch() * pitch(); }
  [[nodiscard]] uint32_t tiles() const { return length / kAlignTile; }
};

// Shared memory of one warp: the scores of a tile, then its results with the row and column before it.
constexpr uint32_t kResultPitch = 4 * (kAlignTile + 1);
constexpr uint32_t kResults = 4 * kAlignTile * kAlignTile;
constexpr uint32_t kAlignShared = kResults + kResultPitch * (kAlignTile + 1);

Program load_tile(Warp& w, Alignments a, uint32_t corner) {
  const Words lane = w.lane();
  const Words row = lane * 4U;
  for (uint32_t y = 0; y < kAlignTile; y += kAtOnce) {
    std::array<Signed, kAtOnce> rows;
    for (uint32_t i = 0; i < kAtOnce; ++i) {
      rows[i] = co_await w.load(a.scores, plus(lane, corner + (y + i + 1) * a.pitch() + 1));
    }
    for (uint32_t i = 0; i < kAtOnce; ++i) {
      w.store_shared(plus(row, 4 * kAlignTile * (y + i)), rows[i]);
    }
  }
  const Signed above = co_await w.load(a.best, plus(lane, corner + 1));
  const Signed left = co_await w.load(a.best, w.fma(lane, Words(a.pitch()), Words(corner + a.pitch())));
  const Signed first = co_await w.load(a.best, Words(corner));
  w.store_shared(plus(row, kResults + 4), above);
  w.store_shared(plus(lane * kResultPitch, kResults + kResultPitch), left);
  w.store_shared(Words(kResults), first);
}

// Lane x computes column x, one row later than the lane to its left.
Program align_tile(Warp& w) {
  const Words lane = w.lane();
  Words result = plus(lane * 4U, kResults);  // up and left of the cell
  Words score = lane * 4U;
  for (uint32_t step = 0; step < 2 * kAlignTile - 1; ++step) {
    const When inside(w, w.alu<uint32_t>(lane, [step](uint32_t x) { return step - x; }) < kAlignTile);
    const Signed diagonal = co_await w.load_shared<int32_t>(result);
    const Signed above = co_await w.load_shared<int32_t>(plus(result, 4));
    const Signed left = co_await w.load_shared<int32_t>(plus(result, kResultPitch));
    const Signed match = co_await w.load_shared<int32_t>(score);
    const Signed best = w.max(diagonal + match, w.max(above, left) - kPenalty);
    w.store_shared(plus(result, kResultPitch + 4), best);
    w.merge(result, result + kResultPitch);
    w.merge(score, score + 4 * kAlignTile);
    co_await end_of_loop(w);
  }
}

Program store_tile(Warp& w, Alignments a, uint32_t corner) {
  const Words lane = w.lane();
  const Words row = plus(lane * 4U, kResults + kResultPitch + 4);
  for (uint32_t y = 0; y < kAlignTile; ++y) {
    const Signed best = co_await w.load_shared<int32_t>(plus(row, y * kResultPitch));
    w.store(a.best, plus(lane, corner + (y + 1) * a.pitch() + 1), best);
  }
}

// Block b has tile b / pairs of the diagonal, of pair b % pairs.
Program align(Warp& w, Alignments a, uint32_t diagonal) {
  const uint32_t first_row = diagonal < a.tiles() ? 0 : diagonal - a.tiles() + 1;
  const uint32_t tile_y = first_row + w.place().block / a.pairs;
  const uint32_t tile_x = diagonal - tile_y;
  const uint32_t pair = w.place().block % a.pairs;
  const uint32_t corner = pair * a.cells() + tile_y * kAlignTile * a.pitch() + tile_x * kAlignTile;
  co_await load_tile(w, a, corner);
  co_await align_tile(w);
  co_await store_tile(w, a, corner);
}

// Scores of a substitution matrix: a match is 4 to 11, others are -4 to 3.
[[nodiscard]] int32_t substitution(uint32_t a, uint32_t b) {
  const uint32_t mixed = (a * 7 + b * 7 + a * b) % 8;
  return a == b ? 4 + static_cast<int32_t>(mixed) : static_cast<int32_t>(mixed) - 4;
}

[[nodiscard]] std::vector<int32_t> make_scores(Random& random, const Alignments& a) {
  std::vector<int32_t> scores(size_t{a.pairs} * a.cells());
  for (uint32_t pair = 0; pair < a.pairs; ++pair) {
    std::vector<uint32_t> left(a.length);
    std::vector<uint32_t> top(a.length);
    for (uint32_t i = 0; i < a.length; ++i) {
      left[i] = below(random, 20);
      top[i] = below(random, 4) == 0 ? below(random, 20) : left[i];  // related sequences
    }
    for (uint32_t y = 0; y < a.length; ++y) {
      for (uint32_t x = 0; x < a.length; ++x) {
        scores[size_t{pair} * a.cells() + (y + 1) * a.pitch() + x + 1] = substitution(left[y], top[x]);
      }
    }
  }
  return scores;
}

[[nodiscard]] std::vector<int32_t> first_row_and_column(const Alignments& a) {
  std::vector<int32_t> best(size_t{a.pairs} * a.cells());
  for (uint32_t pair = 0; pair < a.pairs; ++pair) {
    for (uint32_t i = 1; i <= a.length; ++i) {
      const int32_t gap = -kPenalty * static_cast<int32_t>(i);
      best[size_t{pair} * a.cells() + i] = gap;
      best[size_t{pair} * a.cells() + i * a.pitch()] = gap;
    }
  }
  return best;
}

[[nodiscard]] std::vector<int32_t> aligned(const std::vector<int32_t>& scores, const Alignments& a) {
  std::vector<int32_t> best = first_row_and_column(a);
  for (uint32_t pair = 0; pair < a.pairs; ++pair) {
    for (uint32_t y = 1; y <= a.length; ++y) {
      for (uint32_t x = 1; x <= a.length; ++x) {
        const size_t at = size_t{pair} * a.cells() + y * a.pitch() + x;
        best[at] = std::max(best[at - a.pitch() - 1] + scores[at],
                            std::max(best[at - a.pitch()], best[at - 1]) - kPenalty);
      }
    }
  }
  return best;
}

[[nodiscard]] WorkloadRun set_up_nw(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  Alignments a{.scores = {}, .best = {}, .pairs = quick ? 14U : 20U, .length = quick ? 96U : 192U};
  const std::vector<int32_t> scores = make_scores(random, a);
  a.scores = memory.allocate<int32_t>("scores", std::span(scores));
  a.best = memory.allocate<int32_t>("best", std::span<const int32_t>(first_row_and_column(a)));
  std::vector<Launch> launches;
  for (uint32_t diagonal = 0; diagonal + 1 < 2 * a.tiles(); ++diagonal) {
    const uint32_t tiles = std::min(diagonal + 1, 2 * a.tiles() - 1 - diagonal);
    launches.push_back(
        {tiles * a.pairs, kLanes, 18, kAlignShared, [=](Warp& w) { return align(w, a, diagonal); }});
  }
  return run_of(std::move(launches),
                [=](const Memory& end) { return expect_equal(end, a.best, aligned(scores, a), "best"); });
}

// ---------------------------------------------------------------------------------------------------------
// MUM: matches of queries with a reference, by walking down a tree of its substrings

constexpr uint32_t kLetters = 4;
constexpr uint32_t kTreeDepth = 14;

// The children of each node by letter, in depth-first order; 0 is none. The root is node 0.
using Tree = std::vector<uint32_t>;

void insert(Tree& tree, std::span<const uint8_t> text) {
  uint32_t node = 0;
  for (const uint8_t letter : text) {
    const size_t edge = size_t{node} * kLetters + letter;
    if (tree[edge] == 0) {
      tree[edge] = static_cast<uint32_t>(tree.size() / kLetters);
      tree.resize(tree.size() + kLetters);
    }
    node = tree[edge];
  }
}

// Numbers nodes in the order in which a walk first meets them, so that most children are near.
void renumber(const Tree& from, uint32_t node, Tree& to) {
  const size_t mine = to.size();
  to.resize(mine + kLetters);
  for (uint32_t letter = 0; letter < kLetters; ++letter) {
    const uint32_t child = from[size_t{node} * kLetters + letter];
    if (child != 0) {
      to[mine + letter] = static_cast<uint32_t>(to.size() / kLetters);
      renumber(from, child, to);
    }
  }
}

[[nodiscard]] Tree make_tree(const std::vector<uint8_t>& reference) {
  Tree tree(kLetters);
  for (size_t i = 0; i + kTreeDepth <= reference.size(); ++i) {
    insert(tree, std::span(reference).subspan(i, kTreeDepth));
  }
  Tree ordered;
  renumber(tree, 0, ordered);
  return ordered;
}

struct Matching {
  Array<uint32_t> tree;
  Array<uint32_t> queries;  // one letter per byte
  Array<uint32_t> lengths;  // of the match at each position of each query
  uint32_t words = 0;       // of a query
};

// One thread per query and position.
Program match(Warp& w, Matching m) {
  const Words i = w.global_thread();
  const Words query = w.alu<uint32_t>(i, [](uint32_t x) { return x >> 3; });
  const Words start = i & 7U;
  Words node = 0U;
  Words length = 0U;
  Words letters = 0U;
  Mask matching = Warp::lanes_of(w.active());
  for (uint32_t step = 0; step < kTreeDepth; ++step) {
    const When inside(w, matching);
    if (!inside.any()) {
      break;
    }
    const Words position = start + step;
    letters = co_await w.load(m.queries, w.fma(query, Words(m.words), position >> 2U));
    const Words letter = (letters >> ((position & 3U) * 8U)) & 3U;
    const Words child = co_await w.load(m.tree, w.fma(node, Words(kLetters), letter));
    const Mask found = child != 0U;
    matching = {matching.bits & (found.bits | ~w.active()) & w.active(), found.reg};
    w.merge(length, w.select(found, length + 1U, length));
    w.merge(node, child);
    co_await end_of_loop(w);
  }
  w.store(m.lengths, i, length);
}

[[nodiscard]] std::vector<uint8_t> random_letters(Random& random, uint32_t count) {
  std::vector<uint8_t> letters(count);
  for (uint8_t& letter : letters) {
    letter = static_cast<uint8_t>(below(random, kLetters));
  }
  return letters;
}

// Pieces of the reference with a few errors.
[[nodiscard]] std::vector<uint8_t> make_queries(Random& random, const std::vector<uint8_t>& reference,
                                                uint32_t count, uint32_t length) {
  std::vector<uint8_t> letters;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t from = below(random, static_cast<uint32_t>(reference.size()) - length);
    for (uint32_t k = 0; k < length; ++k) {
      const bool error = below(random, 24) == 0;
      letters.push_back(error ? static_cast<uint8_t>(below(random, kLetters)) : reference[from + k]);
    }
  }
  return letters;
}

[[nodiscard]] std::vector<uint32_t> matched(const Tree& tree, const std::vector<uint8_t>& queries,
                                            uint32_t length) {
  std::vector<uint32_t> lengths;
  for (size_t query = 0; query < queries.size(); query += length) {
    for (uint32_t start = 0; start < 8; ++start) {
      uint32_t node = 0;
      uint32_t found = 0;
      while (found < kTreeDepth) {
        node = tree[size_t{node} * kLetters + queries[query + start + found]];
        if (node == 0) {
          break;
        }
        ++found;
      }
      lengths.push_back(found);
    }
  }
  return lengths;
}

[[nodiscard]] WorkloadRun set_up_mum(Memory& memory, uint64_t seed, bool quick) {
  constexpr uint32_t kLength = 24;  // of a query
  Random random(seed);
  const std::vector<uint8_t> reference = random_letters(random, quick ? 12'000 : 40'000);
  const uint32_t count = quick ? 1536 : 8192;
  const Tree tree = make_tree(reference);
  const std::vector<uint8_t> queries = make_queries(random, reference, count, kLength);
  std::vector<uint32_t> words(queries.size() / 4);
  std::memcpy(words.data(), queries.data(), queries.size());
  Matching m{.tree = memory.allocate<uint32_t>("tree", std::span(tree)),
             .queries = memory.allocate<uint32_t>("queries", std::span<const uint32_t>(words)),
             .lengths = memory.allocate<uint32_t>("lengths", size_t{count} * 8),
             .words = kLength / 4};
  return run_of({launch_of(count * 8, 16, [m](Warp& w) { return match(w, m); })}, [=](const Memory& end) {
    return expect_equal(end, m.lengths, matched(tree, queries, kLength), "lengths");
  });
}

}  // namespace

void add_sequences(std::vector<Workload>& all) {
  all.push_back({.name = "MUM",
                 .kind = WorkloadClass::memory,
                 .represents = "proxy for MUMmerGPU",
                 .description = "walks of divergent length down a tree of substrings of random DNA",
                 .setup = set_up_mum});
  all.push_back({.name = "nw",
                 .kind = WorkloadClass::memory,
                 .represents = "proxy for Rodinia needle",
                 .description = "dynamic programming over tiles of integer scores in shared memory",
                 .setup = set_up_nw});
}

}  // namespace bobbin::sim
