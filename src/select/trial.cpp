// SPDX-License-Identifier: Apache-2.0
#include "select/trial.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "codecs/delta/delta.hpp"
#include "codecs/nesting.hpp"
#include "codecs/registry.hpp"
#include "core/dispatch.hpp"
#include "core/lanes.hpp"
#include "select/sample.hpp"

namespace bobbin::select {
namespace {

// Nested codecs. Few values cannot repay the time to try the deepest cascades.
constexpr size_t kDepth = 4;
constexpr size_t kDepthOfFew = 3;
constexpr double kFew = 4096;
// Queries read cascades in one launch: a part of one must not have to be decoded to memory first.
constexpr float kMostNestedCost = 2;

// What a buffer costs in a file of format version 2. Up to 512 bytes it is part of the footer: its size is
// stored, and trailing zeros are free. Larger ones are padded to a multiple of 16 bytes, 8 on average, and
// have a size and a checksum, and for those over 16 KiB one more per 16 KiB.
constexpr double kInFooter = 512;
constexpr double kInFooterCost = 2;
constexpr double kSegmentCost = 8 + 3 + 8;
constexpr double kPartBytes = 16 << 10;

double segment_cost(double bytes) {
  if (bytes <= kInFooter) {
    return kInFooterCost;
  }
  return kSegmentCost + (bytes > kPartBytes ? 8 * std::ceil(bytes / kPartBytes) : 0);
}

uint64_t without_zeros(std::span<const std::byte> bytes) {
  const auto last =
      std::ranges::find_if(bytes.rbegin(), bytes.rend(), [](std::byte b) { return b != std::byte{0}; });
  return static_cast<uint64_t>(bytes.rend() - last);
}

// A lower bound on the bytes that identify this many places among all.
double least_bytes(double places, double all) {
  return places <= 0 || places >= all ? 0 : places * std::log2(all / places) / 8;
}

// Whether differences of the values are neither small nor mostly alike.
bool has_noisy_steps(const Values& values) {
  return 2 * count_step_runs(values) > values.length &&
         visit_bits(values.type, [&]<class T>(std::type_identity<T>) {
           return codec::delta::is_hopeless(values.as<T>());
         });
}

// Calls f for each piece: differences across pieces of a sample do not occur in the values.
template <class F>
void for_each_piece(const Part& part, F&& f) {
  const size_t size = size_bytes(part.values.type);
  const uint64_t piece = part.piece == 0 ? part.values.length : part.piece;
  for (uint64_t first = 0; first < part.values.length; first += piece) {
    f(Values{part.values.type, static_cast<const std::byte*>(part.values.data) + first * size,
             std::min(piece, part.values.length - first)});
  }
}

uint64_t estimate(const Codec& codec, const Part& part) {
  if (!codec.looks_back || part.piece == 0) {
    return codec.estimate(part.values);
  }
  uint64_t bytes = 0;
  for_each_piece(part, [&](const Values& piece) { bytes += codec.estimate(piece); });
  return bytes;
}

OwnedValues joined(const std::vector<Split>& pieces, size_t child) {
  OwnedValues all{pieces[0].children[child].type, 0, {}};
  for (const Split& piece : pieces) {
    all.length += piece.children[child].length;
  }
  const NewBuffer buffer = make_buffer(all.length * size_bytes(all.type));
  std::byte* to = buffer.data;
  for (const Split& piece : pieces) {
    to = std::ranges::copy(piece.children[child].buffer.bytes, to).out;
  }
  all.buffer = buffer.buffer;
  return all;
}

Result<Split> split(const Codec& codec, const Part& part) {
  if (!codec.looks_back || part.piece == 0) {
    return codec.split(part.values);
  }
  std::vector<Split> pieces;
  Status failure;
  for_each_piece(part, [&](const Values& values) {
    Result<Split> piece = codec.split(values);
    if (piece.has_value()) {
      pieces.push_back(std::move(*piece));
    } else {
      failure = piece.error();
    }
  });
  BOBBIN_TRY(failure);
  Split all{.node = pieces[0].node, .children = {}};
  for (size_t i = 0; i < pieces[0].children.size(); ++i) {
    all.children.push_back(joined(pieces, i));
  }
  return all;
}

// A codec with distinct values has their codes as its first child.
double distinct_in(const Part& part, const Split& split, uint64_t entries) {
  return static_cast<double>(
      estimate_distinct(split.children[0].view(), entries, static_cast<uint64_t>(part.all)));
}

bool follows_rows(const Codec& codec, size_t i) {
  const Follows follows = codec.parts()[i].follows;
  return follows == Follows::rows || follows == Follows::whole_rows;
}

double values_in_all(const Codec& codec, const Part& part, const Split& split, size_t i) {
  const auto sampled = static_cast<double>(split.children[i].length);
  switch (codec.parts()[i].follows) {
    case Follows::runs:
      return std::max(part.runs, sampled);
    case Follows::distinct:
      return distinct_in(part, split, split.children[i].length);
    case Follows::vectors:
      return std::ceil(part.all / kVectorLength);
    case Follows::rows:
    case Follows::whole_rows:
    case Follows::exceptions:
    case Follows::other:
      break;
  }
  return sampled * part.scale();
}

// A child that is not worth encoding is returned empty.
Part child_part(const Codec& codec, const Part& part, const Split& split, size_t i) {
  const double all = values_in_all(codec, part, split, i);
  const bool rows = follows_rows(codec, i);
  if (!rows && 2 * all > part.all) {
    return {};
  }
  Part child = part_of(split.children[i].view(), std::max(all, 1.0));
  child.piece = rows ? part.piece : 0;
  child.differences = rows && (codec.looks_back || part.differences);
  if (rows && codec.looks_back && part.steps != 0) {
    child.runs = part.steps;
    child.known = true;
  }
  return child;
}

// Codes get wider with distinct values that are missing in the sample.
uint64_t wider_codes_of(const Codec& codec, const Part& part, const Split& split, size_t i) {
  if (codec.parts()[i].follows != Follows::distinct) {
    return 0;
  }
  const uint64_t entries = split.children[i].length;
  return wider_codes(entries, static_cast<uint64_t>(distinct_in(part, split, entries)), part.all);
}

// Whether it encodes where values change, or where they differ from one value.
bool takes_places(const Codec& codec) {
  return std::ranges::any_of(codec.parts(), [](const ChildShape& child) {
    return child.follows == Follows::runs || child.follows == Follows::exceptions;
  });
}

// All parts of a split; empty if one is not worth encoding, or cannot be smaller than `most`.
std::vector<Part> child_parts(const Codec& codec, const Part& part, const Split& split, uint64_t most) {
  std::vector<Part> children;
  for (size_t i = 0; i < split.children.size(); ++i) {
    children.push_back(child_part(codec, part, split, i));
    const bool tells_places =
        codec.parts()[i].follows == Follows::runs || codec.parts()[i].follows == Follows::exceptions;
    const double least = tells_places ? least_bytes(children.back().all, part.all) : 0;
    if (children.back().all == 0 || least > static_cast<double>(most)) {
      return {};
    }
  }
  return children;
}

// Whether more than half of all values are distinct. If a third of them were sampled, three quarters of these
// show that.
bool has_many_distinct(const Part& part) {
  const auto sampled = static_cast<double>(part.values.length);
  if (3 * sampled < part.all) {
    return false;
  }
  const double most = sampled >= part.all ? part.all / 2 : 0.75 * sampled;
  return static_cast<double>(least_distinct(part.values)) > most;
}

// Whether equal values are so rarely neighbours that none of them has a majority worth encoding apart.
bool has_no_majority(const Part& part) {
  constexpr double kShare = 64;
  return part.all >= kShare && part.runs > part.all - part.all / kShare;
}

// Whether nearly all values are one value: then only the others and their places are left to encode.
bool is_mostly_one(const Part& part) {
  constexpr uint64_t kShare = 32;  // one of this many may differ
  const uint64_t length = part.values.length;
  if (length < 2 * kShare || kShare * part.runs > 2 * part.all + kShare) {
    return false;
  }
  return visit_bits(part.values.type, [&]<class T>(std::type_identity<T>) {
    const std::span<const T> values = part.values.as<T>();
    const auto count_of = [&](T value) { return static_cast<uint64_t>(std::ranges::count(values, value)); };
    // If there is such a value, the middle or the first one nearly always is.
    const uint64_t least = length - length / kShare;
    return count_of(values[length / 2]) >= least || count_of(values[0]) >= least;
  });
}

// Whether a child would have values for more than half of the rows. child_part() would find that too, but
// only after the split.
bool is_hopeless(const Codec& codec, const Part& part) {
  return std::ranges::any_of(codec.parts(), [&](const ChildShape& child) {
    switch (child.follows) {
      case Follows::runs:
        return 2 * part.runs > part.all;
      case Follows::distinct:
        return has_many_distinct(part);
      case Follows::exceptions:
        return has_no_majority(part) || !has_majority(part.values);
      default:
        return false;
    }
  });
}

// One vector of many, on which codecs are compared first: those that are larger than others there need not be
// tried on all values. Only if the vector looks like the others.
class Probe {
 public:
  explicit Probe(const Part& part) {
    const uint64_t vectors = part.values.length / kVectorLength;
    const Codec& simple = *find_codec(CodecId::ffor);
    if (vectors < kLeastVectors || !simple.takes(part.values.type)) {
      return;
    }
    const uint64_t first = vectors / 2 * kVectorLength;
    vector_ = {part.values.type,
               static_cast<const std::byte*>(part.values.data) + first * size_bytes(part.values.type),
               kVectorLength};
    const double share = kVectorLength / static_cast<double>(part.values.length);
    const double here = static_cast<double>(simple.estimate(vector_));
    const double all = static_cast<double>(simple.estimate(part.values)) * share;
    typical_ = here * kSimilar >= all && all * kSimilar >= here;
  }

  // Leaves out the codecs that are larger than another one.
  void filter(std::vector<const Codec*>& codecs) const {
    if (!typical_) {
      return;
    }
    std::vector<double> bytes(codecs.size(), kAlways);
    double least = std::numeric_limits<double>::max();
    for (const bool slow : {false, true}) {
      for (size_t i = 0; i < codecs.size(); ++i) {
        const Codec& codec = *codecs[i];
        if (codec.all_alike || (codec.exceeds != nullptr) != slow) {
          continue;
        }
        bytes[i] = slow && codec.exceeds(vector_, static_cast<uint64_t>(std::min(kLarger * least, kMost)))
                       ? std::numeric_limits<double>::max()
                       : static_cast<double>(codec.estimate(vector_));
        least = std::min(least, bytes[i]);
      }
    }
    size_t i = 0;
    std::erase_if(codecs, [&](const Codec*) { return bytes[i++] > kLarger * least; });
  }

 private:
  static constexpr uint64_t kLeastVectors = 3;
  static constexpr double kSimilar = 1.1;
  static constexpr double kLarger = 1.05;
  static constexpr double kAlways = -1;
  static constexpr double kMost = 0x1p56;

  Values vector_{};
  bool typical_ = false;
};

// A lower bound on the size of a split: its nodes alone.
uint64_t least_split_bytes(const Codec& codec) {
  return kNodeBytes * (1 + codec.parts().size());
}

// Adds the best cascade that may be nested in the codec; false if there is none.
bool add_child(Candidate& candidate, const Part& parent, const Part& child,
               const std::vector<Candidate>& best) {
  std::vector<ResolvedCascade>& children = candidate.cascade.children;
  for (const Candidate& choice : best) {
    children.push_back(choice.cascade);
    if (!nesting_fault(candidate.cascade, parent.values.type).has_value()) {
      candidate.bytes += choice.bytes;
      candidate.cost += choice.cost * child.all / std::max(parent.all, 1.0);
      return true;
    }
    children.pop_back();
  }
  return false;
}

}  // namespace

Part part_of(const Values& values, double all) {
  Part part{.values = values, .all = all};
  part.runs = static_cast<double>(count_runs(values)) * part.scale();
  part.known = static_cast<double>(values.length) >= all;
  return part;
}

Part part_of_codes(const Values& codes, double all) {
  Part part = part_of(codes, all);
  part.differences = all < kFew && has_noisy_steps(codes);
  return part;
}

uint64_t stored_bytes(const Array& array) {
  uint64_t bytes = kNodeBytes + without_zeros(std::as_bytes(std::span(array.metadata)));
  for (const Buffer& buffer : array.buffers) {
    const auto size = static_cast<double>(buffer.bytes.size());
    bytes += (size <= kInFooter ? without_zeros(buffer.bytes) : buffer.bytes.size()) +
             static_cast<uint64_t>(segment_cost(size));
  }
  for (const Array& child : array.children) {
    bytes += stored_bytes(child);
  }
  return bytes;
}

// A few values that share one row of a vector take one word each, whatever their width; trailing zeros are
// free.
uint64_t stored_estimate(double bytes, uint32_t buffers, double values, size_t size) {
  const double words = values * static_cast<double>(size);
  if (words <= kRegisterBytes) {
    bytes = std::min(bytes, words + 4.0 * buffers);
  }
  // One buffer, with packed values, has nearly all bytes.
  const double costs = buffers == 0 ? 0 : segment_cost(bytes) + (buffers - 1) * kInFooterCost;
  return static_cast<uint64_t>(bytes + costs) + kNodeBytes;
}

void sort_by_bytes(std::vector<Candidate>& candidates) {
  std::ranges::stable_sort(candidates, {}, &Candidate::bytes);
}

uint64_t wider_codes(uint64_t entries, uint64_t all, double rows) {
  const auto more = static_cast<double>(std::bit_width(all)) - static_cast<double>(std::bit_width(entries));
  return static_cast<uint64_t>(std::max(more, 0.0) * rows / 8);
}

// Those that may encode the part, and either split it or not.
std::vector<const Codec*> Trial::codecs_for(const Part& part, bool splitting) const {
  std::vector<const Codec*> codecs;
  for (const Codec* codec : value_codecs()) {
    const bool inside_itself = std::ranges::find(chain_, codec->id) != chain_.end();
    const bool redundant = part.differences && codec->looks_back;
    const bool slows = !chain_.empty() && codec->device_cost > kMostNestedCost;
    if ((codec->split != nullptr) == splitting && codec->takes(part.values.type) && !inside_itself &&
        !redundant && !slows && !codec->compact_only) {
      codecs.push_back(codec);
    }
  }
  return codecs;
}

std::vector<Candidate> Trial::candidates(const Part& part, uint64_t most) {
  std::vector<Candidate> found;
  const auto add = [&](std::optional<Candidate> candidate) {
    if (candidate.has_value()) {
      found.push_back(std::move(*candidate));
    }
  };
  const bool mostly_one = is_mostly_one(part);
  std::vector<const Codec*> codecs = codecs_for(part, false);
  std::erase_if(codecs, [&](const Codec* codec) { return mostly_one && codec->exceeds != nullptr; });
  Probe(part).filter(codecs);
  const bool alone = std::ranges::count(codecs, false, &Codec::all_alike) == 1;
  for (const Codec* codec : codecs) {
    const bool encodes = alone && !codec->all_alike && chain_.empty() && part.is_all();
    add(encodes ? encoded(*codec, part) : whole(*codec, part));
  }
  sort_by_bytes(found);
  // The outermost level may also list candidates that are nearly as good, for reports; inside only the best
  // matters.
  const uint64_t least = found.empty() ? UINT64_MAX / 2 : found[0].bytes;
  const uint64_t bound = std::min(most, lists_ && chain_.size() == depth_ ? 2 * least : least);
  for (const Codec* codec : codecs_for(part, true)) {
    if (!mostly_one || takes_places(*codec) || codec->signed_only) {
      add(in_parts(*codec, part, bound));
    }
  }
  sort_by_bytes(found);
  return found;
}

std::optional<Candidate> Trial::whole(const Codec& codec, const Part& part) {
  const bool is_constant = codec.all_alike;
  // A sample of equal values does not prove that all values are equal.
  const bool unproven = is_constant && (part.runs > 1 || !part.known);
  const uint64_t bytes = unproven ? kNoEncoding : estimate(codec, part);
  if (bytes == kNoEncoding) {
    return std::nullopt;
  }
  // A constant has only metadata, mostly zeros: nothing is smaller.
  const double all = is_constant ? 0 : static_cast<double>(bytes) * part.scale();
  return Candidate{{codec.id},
                   stored_estimate(all, codec.tree_buffers, part.all, size_bytes(part.values.type)),
                   codec.device_cost};
}

// To encode the values takes about as long as to estimate how, and need not be done again.
std::optional<Candidate> Trial::encoded(const Codec& codec, const Part& part) {
  Result<Array> array = codec.encode(part.values);
  if (!array.has_value()) {
    return std::nullopt;
  }
  Candidate candidate{{codec.id}, stored_bytes(*array), codec.device_cost};
  candidate.whole = std::make_shared<const Array>(std::move(*array));
  return candidate;
}

std::optional<Candidate> Trial::in_parts(const Codec& codec, const Part& part, uint64_t most) {
  const bool no_signs = codec.signed_only && !has_both_signs(part.values);
  if (chain_.size() + 1 >= depth_ + (part.all < kFew ? kDepthOfFew : kDepth) || part.values.length == 0 ||
      no_signs || least_split_bytes(codec) > most || is_hopeless(codec, part)) {
    return std::nullopt;
  }
  const Result<Split> parts = split(codec, part);
  const std::vector<Part> children =
      parts.has_value() ? child_parts(codec, part, *parts, most) : std::vector<Part>{};
  Candidate candidate{{codec.id}, kNodeBytes, codec.device_cost};
  bool fits = !children.empty();
  candidate.bytes += fits ? parts->node.metadata.size() : 0;
  chain_.push_back(codec.id);
  for (size_t i = 0; i < children.size() && fits; ++i) {
    fits = candidate.bytes <= most &&
           add_child(candidate, part, children[i], candidates(children[i], most - candidate.bytes));
    candidate.bytes += fits ? wider_codes_of(codec, part, *parts, i) : 0;
  }
  chain_.pop_back();
  return fits && candidate.bytes <= most ? std::optional(std::move(candidate)) : std::nullopt;
}

}  // namespace bobbin::select
