// SPDX-License-Identifier: Apache-2.0
// The ring through which the blocks of a device-wide scan exchange tile sums: checks all interleavings.
//
// Protocol: G blocks, all resident; block b works on tiles b, b+G, b+2G, ... Tile c has slot c mod R, one
// word {tag, value} written and read atomically; a tag identifies one tile, and nothing is ever cleared. To
// finish tile c, its block reads the slots of tiles c-G+1 .. c-1, each by polling until it shows that tile's
// tag. With `ahead` = a, a block publishes tile c+aG before it reads for tile c.
//
// Rule: (3 + 2a)G slots are enough. The readers of tile x are tiles x+1 .. x+G-1; they have all read it once
// tiles up to x+G-1 + (1+a)G are published; a block knows this when it has finished tile x + (2+a)G, and the
// next tile that it publishes after that is x + (3+2a)G: the first one that may reuse the slot of x.
//
// Model: a block is a linear list of steps. The reads of one wait are separate steps in any order (different
// threads do them), so a block may stall anywhere: between publishing and reading, and between two reads. All
// of them end before the block's next publish: the kernel needs a barrier there. A poll that fails changes
// nothing, so every execution is finite, and a lost value shows as a state without a next step. A sum of
// several words, each with its own tag, is several such rings: there is nothing new to check.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scan/ring.hpp"

namespace bobbin::scan {
namespace {

constexpr uint32_t kMaxBlocks = 4;
constexpr uint32_t kMaxSlots = 32;

constexpr uint32_t needed_slots(uint32_t blocks, uint32_t ahead) {
  return (3 + 2 * ahead) * blocks;
}

TEST(RingModel, TheLibraryHasThatManySlots) {
  for (uint32_t blocks = 1; blocks < 300; ++blocks) {
    for (uint32_t ahead = 0; ahead <= 3; ++ahead) {
      EXPECT_GE(ring_slots(blocks, ahead), needed_slots(blocks, ahead));
      EXPECT_TRUE(std::has_single_bit(ring_slots(blocks, ahead)));
    }
  }
}

// ---- The model: blocks as lists of steps over a ring of words ----

// value 0: never written, or cleared.
struct Word {
  uint8_t tag = 0;
  uint8_t value = 0;
  bool operator==(const Word&) const = default;
};

struct SlotWord {
  uint32_t slot = 0;
  Word word;
};

struct Step {
  enum Kind { kWrite, kReadAll, kNextLaunch } kind = kWrite;
  std::vector<SlotWord> words;  // kWrite: the one to store; kReadAll: those to wait for
};

using Program = std::vector<Step>;

struct State {
  std::array<uint8_t, kMaxBlocks> step{};  // index into the block's program
  std::array<uint8_t, kMaxBlocks> read{};  // of a kReadAll: bit i = word i has been read
  std::array<Word, kMaxSlots> ring{};
  bool operator==(const State&) const = default;
};
static_assert(std::has_unique_object_representations_v<State>, "states are hashed as bytes");

struct StateHash {
  size_t operator()(const State& state) const {
    return std::hash<std::string_view>{}({reinterpret_cast<const char*>(&state), sizeof state});
  }
};

enum class Verdict { kSafe, kStuck, kWrongValue };

struct Outcome {
  Verdict verdict = Verdict::kSafe;
  size_t states = 0;
  std::string where;  // the bad state: the step of every block, the tag in every slot
};

// Depth-first search of all states that the programs can reach.
class Search {
 public:
  explicit Search(std::vector<Program> programs) : programs_(std::move(programs)) {}

  Outcome run() {
    visit(State{});
    while (!open_.empty() && bad_ == Verdict::kSafe) {
      const State state = open_.back();
      open_.pop_back();
      last_ = state;
      moved_ = false;
      for (uint32_t block = 0; block < programs_.size(); ++block) advance(state, block);
      if (!moved_ && !all_done(state)) bad_ = Verdict::kStuck;
    }
    return {bad_, seen_.size(), bad_ == Verdict::kSafe ? "" : describe(last_)};
  }

 private:
  void visit(const State& state) {
    moved_ = true;
    if (seen_.insert(state).second) open_.push_back(state);
  }

  bool done(const State& state, uint32_t block) const { return state.step[block] == programs_[block].size(); }

  bool all_done(const State& state) const {
    for (uint32_t block = 0; block < programs_.size(); ++block) {
      if (!done(state, block)) return false;
    }
    return true;
  }

  // Visits every state that one step of `block` leads to.
  void advance(const State& state, uint32_t block) {
    if (done(state, block)) return;
    const Step& step = programs_[block][state.step[block]];
    switch (step.kind) {
      case Step::kWrite:
        return write(state, block, step.words.front());
      case Step::kReadAll:
        return read(state, block, step.words);
      case Step::kNextLaunch:
        return start_launch(state, block);
    }
  }

  void write(State state, uint32_t block, const SlotWord& target) {
    state.ring[target.slot] = target.word;
    ++state.step[block];
    visit(state);
  }

  void read(const State& state, uint32_t block, const std::vector<SlotWord>& words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const Word found = state.ring[words[i].slot];
      const bool already = (state.read[block] >> i & 1) != 0;
      if (already || found.tag != words[i].word.tag) continue;
      if (found.value != words[i].word.value) bad_ = Verdict::kWrongValue;
      State next = state;
      next.read[block] |= static_cast<uint8_t>(1u << i);
      if (next.read[block] == (1u << words.size()) - 1) finish_reads(next, block);
      visit(next);
    }
  }

  static void finish_reads(State& state, uint32_t block) {
    state.read[block] = 0;
    ++state.step[block];
  }

  // A launch begins when all blocks of the previous one have ended. All start in one step: a block that
  // starts late is one that stalls before its first write.
  void start_launch(State state, uint32_t block) {
    if (block != 0) return;
    for (uint32_t b = 0; b < programs_.size(); ++b) {
      if (done(state, b) || programs_[b][state.step[b]].kind != Step::kNextLaunch) return;
    }
    for (uint32_t b = 0; b < programs_.size(); ++b) ++state.step[b];
    visit(state);
  }

  static std::string describe(const State& state) {
    std::string text = "steps";
    for (uint8_t step : state.step) text += ' ' + std::to_string(step);
    text += ", tags";
    for (Word word : state.ring) text += ' ' + std::to_string(word.tag);
    return text;
  }

  std::vector<Program> programs_;
  std::unordered_set<State, StateHash> seen_;
  std::vector<State> open_;
  State last_;
  bool moved_ = false;
  Verdict bad_ = Verdict::kSafe;
};

// ---- The schemes: which words a block writes and waits for ----

enum class Clear { kNever, kOnPublish, kAfterReads };

// A tile by its number in the launch and by its number since the ring was made.
struct Tile {
  uint32_t in_launch = 0;
  uint32_t in_all = 0;
};

// Flags are tags that are all equal; a wrapping tag represents one of 32 bits, which would take too long to
// wrap in a search.
uint32_t tag_of_all(Tile tile) {
  return tile.in_all + 1;
}
uint32_t tag_of_launch(Tile tile) {
  return tile.in_launch + 1;
}
uint32_t tag_wrapping(Tile tile) {
  return (tile.in_all + 1) % 16;
}
uint32_t tag_boolean(Tile) {
  return 1;
}
uint32_t slot_of_launch(Tile tile) {
  return tile.in_launch;
}
uint32_t slot_of_all(Tile tile) {
  return tile.in_all;
}

struct Scheme {
  uint32_t blocks = 2;
  uint32_t slots = 6;
  uint32_t ahead = 0;
  Clear clear = Clear::kNever;
  uint32_t (*tag)(Tile) = tag_of_all;
  uint32_t (*slot)(Tile) = slot_of_launch;  // to be taken mod slots
};

// The steps of one block in one launch of `tiles` tiles, of which the first is number `base` overall.
class LaunchProgram {
 public:
  LaunchProgram(const Scheme& scheme, uint32_t base, uint32_t tiles, Program& program)
      : scheme_(scheme), base_(base), tiles_(tiles), program_(program) {}

  void append(uint32_t block) {
    const uint32_t lead = scheme_.ahead * scheme_.blocks;
    for (uint32_t c = block; c < block + lead; c += scheme_.blocks) publish(c);
    for (uint32_t c = block; c < tiles_; c += scheme_.blocks) {
      publish(c + lead);
      if (scheme_.clear == Clear::kOnPublish) clear_before(c);
      read_for(c);
      if (scheme_.clear == Clear::kAfterReads) clear_before(c);
    }
  }

 private:
  SlotWord word(uint32_t c) const {
    const Tile tile{c, base_ + c};
    const auto tag = static_cast<uint8_t>(scheme_.tag(tile));
    return {scheme_.slot(tile) % scheme_.slots, {tag, static_cast<uint8_t>(tile.in_all + 1)}};
  }

  void publish(uint32_t c) {
    if (c < tiles_) program_.push_back({Step::kWrite, {word(c)}});
  }

  void clear_before(uint32_t c) {
    if (c < 2 * scheme_.blocks) return;
    program_.push_back({Step::kWrite, {{word(c - 2 * scheme_.blocks).slot, {}}}});
  }

  void read_for(uint32_t c) {
    Step step{Step::kReadAll, {}};
    const uint32_t first = c < scheme_.blocks ? 0 : c - scheme_.blocks + 1;
    for (uint32_t x = first; x < c; ++x) step.words.push_back(word(x));
    if (!step.words.empty()) program_.push_back(step);
  }

  const Scheme& scheme_;
  uint32_t base_;
  uint32_t tiles_;
  Program& program_;
};

// Searches launches of these numbers of tiles, one after another, on a ring that is not cleared between them.
Outcome check(const Scheme& scheme, const std::vector<uint32_t>& launches) {
  EXPECT_TRUE(scheme.blocks <= kMaxBlocks && scheme.slots <= kMaxSlots) << "does not fit a State";
  std::vector<Program> programs(scheme.blocks);
  for (uint32_t block = 0; block < scheme.blocks; ++block) {
    uint32_t base = 0;
    for (uint32_t tiles : launches) {
      if (base != 0) programs[block].push_back({Step::kNextLaunch, {}});
      LaunchProgram(scheme, base, tiles, programs[block]).append(block);
      base += tiles;
    }
  }
  return Search(std::move(programs)).run();
}

// One launch, long enough to go around the ring twice.
Outcome check(const Scheme& scheme) {
  return check(scheme, {2 * scheme.slots + scheme.blocks + 1});
}

// ---- Tests ----

struct Shape {
  uint32_t blocks;
  uint32_t ahead;
};

void expect_safe(const Scheme& scheme) {
  const Outcome outcome = check(scheme);
  EXPECT_EQ(outcome.verdict, Verdict::kSafe) << scheme.blocks << " blocks, " << scheme.slots
                                             << " slots, ahead " << scheme.ahead << ": " << outcome.where;
}

// All ring sizes from 1 to `last` that can lose a value.
std::vector<uint32_t> unsafe_sizes(Shape shape, uint32_t last) {
  std::vector<uint32_t> sizes;
  for (uint32_t slots = 1; slots <= last; ++slots) {
    const Outcome outcome = check({.blocks = shape.blocks, .slots = slots, .ahead = shape.ahead});
    if (outcome.verdict != Verdict::kSafe) sizes.push_back(slots);
  }
  return sizes;
}

TEST(RingModel, SearchVisitsEveryInterleaving) {
  // Block 0 writes tile 0; block 1 writes tile 1, then reads tile 0: 2 x 3 states minus one, because a read
  // cannot come before its write.
  const Outcome outcome = check({.blocks = 2, .slots = 6}, {2});
  EXPECT_EQ(outcome.verdict, Verdict::kSafe);
  EXPECT_EQ(outcome.states, 5u);
}

TEST(RingModel, SearchCatchesALostValue) {
  for (uint32_t blocks : {2u, 3u, 4u}) {
    const Outcome outcome = check({.blocks = blocks, .slots = 2 * blocks});
    EXPECT_EQ(outcome.verdict, Verdict::kStuck) << blocks << " blocks";
    EXPECT_FALSE(outcome.where.empty());
  }
}

TEST(RingModel, NeededSlotsAreEnoughAndOnlyOneOfThemIsSpare) {
  for (Shape shape : {Shape{2, 0}, {3, 0}, {2, 1}, {3, 1}, {2, 2}, {3, 2}}) {
    SCOPED_TRACE(::testing::Message() << shape.blocks << " blocks, ahead " << shape.ahead);
    const uint32_t needed = needed_slots(shape.blocks, shape.ahead);
    // Rounded up to a power of two, as in the library.
    const std::vector<uint32_t> unsafe = unsafe_sizes(shape, std::bit_ceil(needed));
    ASSERT_FALSE(unsafe.empty());
    EXPECT_EQ(unsafe.back(), needed - 2);
  }
}

TEST(RingModel, NeededSlotsAreEnoughForFourBlocks) {
  const uint32_t needed = needed_slots(4, 0);
  EXPECT_EQ(check({.blocks = 4, .slots = needed - 2}).verdict, Verdict::kStuck);
  for (uint32_t slots : {needed - 1, needed, std::bit_ceil(needed)})
    expect_safe({.blocks = 4, .slots = slots});
}

TEST(RingModel, PublishingAheadNeedsTheLargerRing) {
  for (uint32_t blocks : {2u, 3u, 4u}) {
    const Outcome outcome = check({.blocks = blocks, .slots = needed_slots(blocks, 0), .ahead = 1});
    EXPECT_EQ(outcome.verdict, Verdict::kStuck) << blocks << " blocks";
  }
}

TEST(RingModel, SafetyDoesNotGrowWithTheRing) {
  // Two blocks and an odd ring: the block that reuses a slot is the only reader of what was there. So a size
  // that passes says nothing about a larger one: the rule must hold for all sizes from the required one on.
  EXPECT_EQ(unsafe_sizes({2, 0}, 16), (std::vector<uint32_t>{1, 2, 4}));
  EXPECT_EQ(unsafe_sizes({2, 1}, 16), (std::vector<uint32_t>{1, 2, 3, 4, 6, 8}));
}

TEST(RingModel, FlagsClearedOnPublishDeadlock) {
  // SAM v1.1. A block stalls after publishing tile x+1; the others do not need it to publish x+2G, which
  // clears the flag of x that the stalled block has not seen yet. A larger ring does not help.
  for (uint32_t blocks : {2u, 3u}) {
    for (uint32_t rings : {3u, 4u, 5u, 8u}) {
      const Outcome outcome =
          check({.blocks = blocks, .slots = rings * blocks, .clear = Clear::kOnPublish, .tag = tag_boolean});
      EXPECT_EQ(outcome.verdict, Verdict::kStuck) << blocks << " blocks, " << rings << " slots a block";
    }
  }
}

TEST(RingModel, FlagsClearedAfterReadsNeedMoreSlotsThanTags) {
  for (uint32_t blocks : {2u, 3u}) {
    Scheme scheme{.blocks = blocks, .clear = Clear::kAfterReads, .tag = tag_boolean};
    scheme.slots = 3 * blocks;
    EXPECT_EQ(check(scheme).verdict, Verdict::kWrongValue);  // the flag of the previous tile in that slot
    scheme.slots = 4 * blocks - 1;
    EXPECT_NE(check(scheme).verdict, Verdict::kSafe);
    for (scheme.slots = 4 * blocks; scheme.slots <= 5 * blocks; ++scheme.slots) expect_safe(scheme);
  }
}

// A launch that fills the ring, some that do not (one has fewer tiles than blocks), and one that wraps again.
const std::vector<uint32_t> kLaunches = {17, 1, 5, 20};

TEST(RingModel, TagsThatContinueNeedNoClearBetweenLaunches) {
  for (Shape shape : {Shape{2, 0}, {3, 0}, {2, 1}, {3, 1}}) {
    for (auto slot : {slot_of_launch, slot_of_all}) {
      const uint32_t slots = needed_slots(shape.blocks, shape.ahead);
      const Scheme scheme{.blocks = shape.blocks, .slots = slots, .ahead = shape.ahead, .slot = slot};
      EXPECT_EQ(check(scheme, kLaunches).verdict, Verdict::kSafe) << shape.blocks << ' ' << shape.ahead;
    }
  }
}

TEST(RingModel, TagsThatStartAgainReadTheLaunchBefore) {
  EXPECT_EQ(check({.blocks = 2, .slots = 6, .tag = tag_of_launch}, {4, 4}).verdict, Verdict::kWrongValue);
}

TEST(RingModel, TagsMayWrapOnlyIfLaunchesContinueInTheRing) {
  // The launch of 7 leaves slot 7 unchanged, and 16 tiles later, when tags wrap, the same tag is due there.
  // Slots that follow the count of all tiles are all rewritten within R tiles, so that no tag becomes stale.
  Scheme scheme{.blocks = 2, .slots = 8, .tag = tag_wrapping};
  scheme.slot = slot_of_launch;
  EXPECT_EQ(check(scheme, {9, 7, 9}).verdict, Verdict::kWrongValue);
  scheme.slot = slot_of_all;
  EXPECT_EQ(check(scheme, {9, 7, 9}).verdict, Verdict::kSafe);
  EXPECT_EQ(check(scheme, {9, 7, 1, 20, 33}).verdict, Verdict::kSafe);
}

}  // namespace
}  // namespace bobbin::scan
