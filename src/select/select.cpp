// SPDX-License-Identifier: Apache-2.0
#include "select/select.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "array/array.hpp"
#include "codecs/nesting.hpp"
#include "codecs/registry.hpp"
#include "core/bits.hpp"
#include "core/lanes.hpp"
#include "select/sample.hpp"
#include "select/trial.hpp"

namespace bobbin::select {
namespace {

// If an encoding is this much larger than estimated, the next one is tried.
constexpr double kSurprise = 1.05;
// Speed counts too: a cascade that takes one copy's time longer to decode must be smaller by this share.
constexpr double kCostWeight = 0.03;
// For the goal `compact`: codecs that only it tries have to save this share for each copy's time that they
// take longer to decode; 2 % for zstd.
constexpr double kCompactGain = 0.02 / 14;
constexpr uint32_t kCompactTries = 6;

// A sample of values, and facts about all of them.
class Sample {
 public:
  explicit Sample(const Values& values, bool differences = false) {
    const std::vector<uint64_t> vectors = sampled_vectors(values.length);
    const bool takes_all = vectors.size() == num_vectors(values.length);
    sample_ = takes_all ? OwnedValues{} : sample_of(values, vectors);
    part_ = {.values = takes_all ? values : sample_.view(),
             .all = static_cast<double>(values.length),
             .runs = static_cast<double>(count_runs(values)),
             .known = true,
             .differences = differences};
    if (!takes_all) {
      part_.steps = is_float(values.type) ? 0 : static_cast<double>(count_step_runs(values));
      part_.piece = kVectorLength;
    }
  }

  [[nodiscard]] const Part& part() const { return part_; }

 private:
  OwnedValues sample_;
  Part part_;
};

bool is_compact(const Goal& goal) {
  return goal.kind == Goal::Kind::compact;
}

// What the parts of a tree that only the goal `compact` tries have to save, in bytes.
double bytes_to_save(const Array& array) {
  const Codec& codec = *find_codec(array.codec);
  if (codec.compact_only) {
    return kCompactGain * codec.device_cost * static_cast<double>(array::encoded_bytes(array));
  }
  double bytes = 0;
  for (const Array& child : array.children) {
    bytes += bytes_to_save(child);
  }
  return bytes;
}

uint64_t weighed_bytes(const Array& array) {
  return stored_bytes(array) + static_cast<uint64_t>(bytes_to_save(array));
}

// The symbols, which all strings share, may be the first buffer of an array of strings.
uint64_t shared_bytes(const Array& array) {
  return find_codec(array.codec)->shares_first_buffer
             ? std::min<uint64_t>(array.buffers[0].bytes.size(), stored_bytes(array))
             : 0;
}

// A candidate from an encoded sample of strings; `scale` is the size of all strings relative to the sample.
Candidate candidate_of(const Codec& codec, const Array& sample, double scale) {
  const uint64_t shared = shared_bytes(sample);
  const double grows = static_cast<double>(stored_bytes(sample) - shared) * scale;
  return Candidate{{codec.id}, static_cast<uint64_t>(grows) + shared, codec.device_cost};
}

std::optional<Candidate> whole_strings(const Codec& codec, const StringsView& sample, double scale,
                                       bool is_all) {
  Result<Array> array = codec.strings->encode(sample, nullptr);
  if (!array.has_value()) {
    return std::nullopt;
  }
  Candidate candidate = candidate_of(codec, *array, scale);
  if (is_all) {
    candidate.whole = std::make_shared<const Array>(std::move(*array));
  }
  return candidate;
}

// The encoded size of strings without repetitions, relative to their text.
double encoded_share(const Array& array, const StringsView& strings) {
  return static_cast<double>(stored_bytes(array) - shared_bytes(array)) /
         std::max<double>(static_cast<double>(strings.num_bytes()), 1);
}

// `share`: receives the encoded_share() of the distinct strings.
std::optional<Candidate> strings_in_parts(const Codec& codec, const StringsView& sample, double rows,
                                          double& share) {
  // Entries for more than half of all rows cost more than they save.
  const bool is_all = static_cast<double>(sample.length) == rows;
  Result<StringSplit> split = codec.strings->split(sample, is_all ? sample.length / 2 : sample.length);
  if (!split.has_value() || split->children.empty()) {
    return std::nullopt;
  }
  const uint64_t entries = split->strings.length();
  const Values codes = split->children[0].view();
  const uint64_t all = std::max<uint64_t>(estimate_distinct(codes, entries, static_cast<uint64_t>(rows)), 1);
  if (2 * static_cast<double>(all) > rows) {
    return std::nullopt;
  }
  const Codec& inside = *find_codec(CodecId::fsst);
  Result<Array> last = inside.strings->encode(split->strings.view(), nullptr);
  if (!last.has_value()) {
    return std::nullopt;
  }
  share = encoded_share(*last, split->strings.view());
  const Candidate inner =
      candidate_of(inside, *last, static_cast<double>(all) / static_cast<double>(entries));
  const Candidate numbers = Trial({codec.id}).best(part_of_codes(codes, rows));
  Candidate candidate{{codec.id, {numbers.cascade, inner.cascade}},
                      numbers.bytes + inner.bytes + wider_codes(entries, all, rows) + kNodeBytes,
                      codec.device_cost + numbers.cost};
  if (static_cast<double>(sample.length) == rows) {
    candidate.parts = std::make_shared<const SplitStrings>(SplitStrings{std::move(*split), std::move(*last)});
  }
  return candidate;
}

// A lower bound: strings encoded one by one take at least one code per eight bytes, and about `share` of
// their text, less where the frequent ones get symbols of their own. If another cascade is smaller than that,
// symbols need not be learnt.
double least_bytes_of(const StringsView& strings, double share) {
  constexpr double kMostGain = 2;
  uint64_t codes = 0;
  for (uint64_t i = 0; i < strings.length; ++i) {
    codes += ceil_div<uint64_t>(strings.size(i), 8);
  }
  return std::max(static_cast<double>(codes), static_cast<double>(strings.num_bytes()) * share / kMostGain);
}

// The size of all strings relative to the sample.
double scale_of(const StringsView& sample, const StringsView& strings) {
  return (static_cast<double>(strings.num_bytes()) + static_cast<double>(strings.length)) /
         std::max<double>(static_cast<double>(sample.num_bytes()) + static_cast<double>(sample.length), 1);
}

void order(std::vector<Candidate>& candidates, const Goal& goal) {
  sort_by_bytes(candidates);
  if (is_compact(goal)) {
    // General compression first: the others have to be smaller, which estimates do not tell, because their
    // parts may be compressed too.
    std::ranges::stable_partition(candidates, [](const Candidate& candidate) {
      return find_codec(candidate.cascade.codec)->compact_only;
    });
  } else if (goal.kind == Goal::Kind::smallest) {
    std::ranges::stable_sort(candidates, {}, [](const Candidate& candidate) {
      return static_cast<double>(candidate.bytes) * (1 + kCostWeight * candidate.cost);
    });
  } else if (!candidates.empty()) {
    const double most = static_cast<double>(candidates[0].bytes) * (1 + goal.slack);
    const auto end = std::ranges::find_if(
        candidates, [&](const Candidate& candidate) { return static_cast<double>(candidate.bytes) > most; });
    std::stable_sort(candidates.begin(), end,
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  }
}

// Limits how often further candidates are tried because an estimate is unsure.
struct Effort {
  uint64_t raw_bytes = 0;
  uint32_t tries = 1;
  bool compact = false;

  // Estimates for values that shrink this much are unreliable: patterns break where pieces of the sample
  // meet. No estimate includes what general compression of a cascade's parts will save.
  [[nodiscard]] bool is_unsure(uint64_t bytes) const { return compact || bytes < raw_bytes / kMuchSmaller; }
  // How many times smaller than estimated an encoding may become.
  [[nodiscard]] uint64_t reach() const { return compact ? 3 : 2; }

 private:
  static constexpr uint64_t kMuchSmaller = 16;
};

// Tries candidates as long as they may be better than the best so far.
template <class Encode>
Result<Array> encode_best(const std::vector<Candidate>& candidates, const Effort& effort,
                          Encode&& encode_with) {
  std::optional<Array> best;
  uint64_t least = UINT64_MAX;
  uint32_t tries = 0;
  bool unsure = false;
  Status failure(StatusCode::unsupported, "no codec supports these values");
  for (const Candidate& candidate : candidates) {
    if (candidate.bytes / (unsure ? effort.reach() : 1) >= least) {
      continue;
    }
    Result<Array> array = encode_with(candidate);
    if (!array.has_value()) {
      failure = array.error();
      continue;
    }
    const uint64_t bytes = weighed_bytes(*array);
    if (bytes < least) {
      least = bytes;
      best = std::move(*array);
    }
    unsure = ++tries < effort.tries && effort.is_unsure(least);
    if (!unsure && static_cast<double>(bytes) <= kSurprise * static_cast<double>(candidate.bytes)) {
      break;
    }
  }
  return best.has_value() ? Result<Array>(std::move(*best)) : Result<Array>(failure);
}

// The fastest is chosen by its estimate alone: others are smaller.
Effort effort_for(const Goal& goal, uint64_t raw_bytes, uint32_t tries) {
  if (is_compact(goal)) {
    return {raw_bytes, kCompactTries, true};
  }
  return {raw_bytes, goal.kind == Goal::Kind::smallest ? tries : 1};
}

// General compression of a sample, as a candidate for all values.
void add_compressed(std::vector<Candidate>& candidates, const Part& part, const Goal& goal) {
  for (const Codec* codec : value_codecs()) {
    if (is_compact(goal) && codec->compact_only && codec->takes(part.values.type)) {
      const double bytes = static_cast<double>(codec->estimate(part.values)) * part.scale();
      candidates.push_back(
          {{codec->id},
           stored_estimate(bytes, codec->tree_buffers, part.all, size_bytes(part.values.type)),
           codec->device_cost});
    }
  }
}

bool is_sampled_whole(uint64_t rows) {
  return sampled_vectors(rows).size() == num_vectors(rows);
}

// Encodes values with a cascade chosen from a sample. The sample shows little of the parts that a codec will
// split all values into: unless it had all values, cascades for the parts are chosen again after the split.
class Encoder {
 public:
  Encoder(const Goal& goal, Backend backend) : goal_(goal), backend_(backend) {}

  Result<Array> encode(const ResolvedCascade& cascade, const Values& values) {
    return encode(cascade, values, is_sampled_whole(values.length));
  }

  Result<Array> encode(const ResolvedCascade& cascade, const StringsView& strings, const Array* previous) {
    if (cascade.children.empty()) {
      return select::encode_strings(cascade, strings, previous, backend_);
    }
    BOBBIN_ASSIGN(StringSplit split, find_codec(cascade.codec)->strings->split(strings, strings.length));
    for (size_t i = 0; i < split.children.size(); ++i) {
      BOBBIN_TRY(add_child(split.node, cascade, split.children[i].view(), is_sampled_whole(strings.length)));
    }
    BOBBIN_ASSIGN(Array last, encode_last(cascade.children.back(), split.strings.view()));
    split.node.children.push_back(std::move(last));
    return std::move(split.node);
  }

  // For strings that were split, and of which the last part was encoded, when the cascade was chosen.
  Result<Array> encode(const ResolvedCascade& cascade, const SplitStrings& parts) {
    Array node = parts.split.node;
    for (const OwnedValues& child : parts.split.children) {
      BOBBIN_TRY(add_child(node, cascade, child.view(), true));
    }
    node.children.push_back(parts.last);
    return node;
  }

 private:
  // The strings that a codec split others into.
  Result<Array> encode_last(const ResolvedCascade& cascade, const StringsView& strings) {
    BOBBIN_ASSIGN(Array chosen, select::encode_strings(cascade, strings, nullptr, backend_));
    for (const Codec* codec : all_codecs()) {
      if (is_compact(goal_) && codec->compact_only && codec->strings != nullptr) {
        Result<Array> compressed = codec->strings->encode(strings, nullptr);
        if (compressed.has_value() && weighed_bytes(*compressed) < weighed_bytes(chosen)) {
          chosen = std::move(*compressed);
        }
      }
    }
    return chosen;
  }

  Result<Array> encode(const ResolvedCascade& cascade, const Values& values, bool sure) {
    if (cascade.children.empty()) {
      return array::encode(cascade.codec, values, backend_);
    }
    BOBBIN_ASSIGN(Split split, find_codec(cascade.codec)->split(values));
    for (const OwnedValues& child : split.children) {
      BOBBIN_TRY(add_child(split.node, cascade, child.view(), sure));
    }
    return std::move(split.node);
  }

  // Adds the node's next child.
  Status add_child(Array& node, const ResolvedCascade& cascade, const Values& values, bool sure) {
    const Codec& codec = *find_codec(node.codec);
    const size_t index = node.children.size();
    const bool differences = codec.looks_back && index == 0;
    const uint32_t lookups = lookups_;
    lookups_ -= looked_up_child(node.codec) == index ? 1 : 0;
    chain_.push_back(node.codec);
    Result<Array> child = sure && !is_compact(goal_) ? encode(cascade.children[index], values, true)
                                                     : encode_best_of(values, differences);
    chain_.pop_back();
    lookups_ = lookups;
    if (!child.has_value()) {
      return child.error();
    }
    node.children.push_back(std::move(*child));
    return {};
  }

  Result<Array> encode_best_of(const Values& values, bool differences) {
    const Sample sample(values, differences);
    std::vector<Candidate> candidates = Trial(chain_).candidates(sample.part());
    add_compressed(candidates, sample.part(), goal_);
    std::erase_if(candidates,
                  [&](const Candidate& candidate) { return num_lookups(candidate.cascade) > lookups_; });
    order(candidates, goal_);
    const bool sure = is_sampled_whole(values.length);
    const Effort effort = effort_for(goal_, values.length * size_bytes(values.type), sure ? 1 : 2);
    return encode_best(candidates, effort,
                       [&](const Candidate& candidate) { return encode(candidate.cascade, values, sure); });
  }

  const Goal& goal_;
  Backend backend_;
  std::vector<CodecId> chain_;      // the codecs that enclose the current values
  uint32_t lookups_ = kMaxLookups;  // how many nested lookups are still allowed
};

}  // namespace

Choice choose(const Values& values, const Goal& goal) {
  const Sample sample(values);
  Choice choice{.rows = values.length,
                .sampled = sample.part().values.length,
                .runs = static_cast<uint64_t>(sample.part().runs),
                .candidates = Trial().candidates(sample.part())};
  add_compressed(choice.candidates, sample.part(), goal);
  order(choice.candidates, goal);
  return choice;
}

Result<Array> encode(const Values& values, const Goal& goal, Backend backend) {
  const Effort effort = effort_for(goal, values.length * size_bytes(values.type), 4);
  return encode_best(choose(values, goal).candidates, effort, [&](const Candidate& candidate) {
    // Devices encode on their own.
    return candidate.whole != nullptr && backend == Backend::cpu
               ? Result<Array>(*candidate.whole)
               : encode_as(candidate.cascade, values, goal, backend);
  });
}

Result<Array> encode_as(const ResolvedCascade& candidate, const Values& values, const Goal& goal,
                        Backend backend) {
  return Encoder(goal, backend).encode(candidate, values);
}

namespace {

// Codecs that keep strings whole are considered if the others may be larger, or always.
Choice choose_strings(const StringsView& strings, const Goal& goal, bool always_whole) {
  const std::vector<uint64_t> vectors = sampled_vectors(strings.length);
  const bool takes_all = samples_all(strings, vectors);
  const Strings some = takes_all ? Strings{} : sample_of(strings, vectors);
  const StringsView sample = takes_all ? strings : some.view();
  Choice choice{.rows = strings.length, .sampled = sample.length, .runs = 0, .candidates = {}};
  const double scale = scale_of(sample, strings);
  const auto try_codecs = [&](bool splitting, auto&& attempt) {
    for (const Codec* codec : all_codecs()) {
      if (codec->strings == nullptr || (codec->strings->split != nullptr) != splitting ||
          (codec->compact_only && !is_compact(goal))) {
        continue;
      }
      if (std::optional<Candidate> candidate = attempt(*codec); candidate.has_value()) {
        choice.candidates.push_back(std::move(*candidate));
      }
    }
  };
  double share = 0;
  try_codecs(true, [&](const Codec& codec) {
    return strings_in_parts(codec, sample, static_cast<double>(strings.length), share);
  });
  const double least = least_bytes_of(sample, share) * scale;
  if (always_whole || is_compact(goal) || choice.candidates.empty() ||
      static_cast<double>(choice.candidates[0].bytes) > least) {
    try_codecs(false, [&](const Codec& codec) { return whole_strings(codec, sample, scale, takes_all); });
  }
  order(choice.candidates, goal);
  return choice;
}

}  // namespace

Choice choose_strings(const StringsView& strings, const Goal& goal) {
  return choose_strings(strings, goal, false);
}

Result<Array> encode_strings(const StringsView& strings, const Array* previous, const Goal& goal,
                             Backend backend) {
  const Effort effort = effort_for(goal, strings.num_bytes(), 1);
  const auto encode_with = [&](const Candidate& candidate) {
    // Entries may be compressed further for the goal `compact`, and devices encode on their own.
    const bool on_host = backend == Backend::cpu;
    if (candidate.whole != nullptr && previous == nullptr && on_host) {
      return Result<Array>(*candidate.whole);
    }
    const bool is_ready = candidate.parts != nullptr && !is_compact(goal) && on_host;
    return is_ready ? Encoder(goal, backend).encode(candidate.cascade, *candidate.parts)
                    : encode_strings_as(candidate.cascade, strings, previous, goal, backend);
  };
  auto best = encode_best(choose_strings(strings, goal, false).candidates, effort, encode_with);
  // The sample may have shown few of many different strings: then a dictionary fails.
  return best.error().code() == StatusCode::unsupported
             ? encode_best(choose_strings(strings, goal, true).candidates, effort, encode_with)
             : best;
}

Result<Array> encode_strings_as(const ResolvedCascade& candidate, const StringsView& strings,
                                const Array* previous, const Goal& goal, Backend backend) {
  return Encoder(goal, backend).encode(candidate, strings, previous);
}

}  // namespace bobbin::select
