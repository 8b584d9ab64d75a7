// SPDX-License-Identifier: Apache-2.0
// Tries codecs on a sample, and codecs on what they make of it.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "codecs/codec.hpp"
#include "select/select.hpp"

namespace bobbin::select {

// Values of a sample, or what a codec made of them, and how many of them all rows will make.
struct Part {
  Values values;
  double all = 0;
  double runs = 0;           // of equal values, in all
  double steps = 0;          // runs of equal differences, in all; 0: they were not counted
  bool known = false;        // the number of runs is not an estimate
  uint64_t piece = 0;        // how many values stood side by side; 0: all of them
  bool differences = false;  // or made of them: a codec of higher orders has taken them twice, if it pays

  [[nodiscard]] double scale() const {
    return values.length == 0 ? 1 : all / static_cast<double>(values.length);
  }
};
[[nodiscard]] Part part_of(const Values& values, double all);

// Bytes of an array in a file, with what its nodes and segments cost there.
[[nodiscard]] uint64_t stored_bytes(const Array& array);
// The same of an array without children of its own, as far as an estimate tells: `bytes` in `buffers`
// buffers, of `values` values of `size` bytes.
[[nodiscard]] uint64_t stored_estimate(double bytes, uint32_t buffers, double values, size_t size);
inline constexpr uint64_t kNodeBytes = 4;

void sort_by_bytes(std::vector<Candidate>& candidates);

// Bytes that codes of `rows` values take more when there are not `entries` of them but `all`.
[[nodiscard]] uint64_t wider_codes(uint64_t entries, uint64_t all, double rows);

class Trial {
 public:
  // `chain`: the codecs around the part. None of them is tried inside itself.
  explicit Trial(std::vector<CodecId> chain = {}) : chain_(std::move(chain)), depth_(chain_.size()) {}

  // All that can encode the part, the smallest first.
  [[nodiscard]] std::vector<Candidate> candidates(const Part& part) { return candidates(part, UINT64_MAX); }

 private:
  // Without those that are made of parts and take more than `most`.
  std::vector<Candidate> candidates(const Part& part, uint64_t most);
  static std::optional<Candidate> whole(const Codec& codec, const Part& part);
  std::optional<Candidate> in_parts(const Codec& codec, const Part& part, uint64_t most);

  std::vector<CodecId> chain_;  // those around the part that is tried
  size_t depth_;                // how many of them were there from the start
};

}  // namespace bobbin::select
