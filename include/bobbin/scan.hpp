// SPDX-License-Identifier: Apache-2.0
// Prefix scans of any order and tuple width, in one pass over memory, on a CPU or a GPU.
//
//   Stream stream = ...;
//   BOBBIN_TRY(scan::inclusive<uint32_t>(in, out, {.order = 2, .tuple = 3}, stream.view()));
//
// A tuple of width s is s interleaved series: value i belongs to series i modulo s. A scan of order k is
// applied k times, which decodes differences of order k. The exclusive scan of a value is the inclusive scan
// of the value before it in its series; for the first value, it is the operation's neutral element.
//
// Integers wrap around. For the operations max, min, and, or, every order gives the result of order 1; xor is
// applied k times. Floats can be summed at order 1; a backend gives the same result from run to run, but
// backends group the additions differently.
//
// Threads: scans may run at the same time, except that a Workspace serves one scan at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "bobbin/export.h"
#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "bobbin/types.hpp"

namespace bobbin::scan {

enum class Op : uint8_t { sum, max, min, bit_xor, bit_and, bit_or };
enum class Kind : uint8_t { inclusive, exclusive };

// How blocks of a GPU exchange their sums. `vector`: one exchange of `order` words, combined with binomial
// coefficients; integer sums only. `rounds`: one exchange of one word per order. `automatic`: vector where
// possible.
enum class Scheme : uint8_t { automatic, vector, rounds };

inline constexpr uint32_t kMaxOrder = 8;
inline constexpr uint32_t kMaxTuple = 32;
inline constexpr uint64_t kMaxLength = uint64_t{1} << 40;

// Memory through which blocks of a GPU exchange sums, kept from scan to scan. Without a workspace, each scan
// allocates and clears its own memory. A workspace is for one stream at a time.
class BOBBIN_API Workspace {
 public:
  explicit Workspace(StreamView stream);
  Workspace(StreamView stream, MemoryResource& memory);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  struct State;
  [[nodiscard]] State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

struct Options {
  uint32_t order = 1;  // 1 to 8
  uint32_t tuple = 1;  // 1 to 32
  Op op = Op::sum;
  Scheme scheme = Scheme::automatic;
  MemoryResource* memory = nullptr;  // for temporary memory; nullptr: the backend's default
  Workspace* workspace = nullptr;    // used instead of `memory`, if given
};

// Asynchronous in `stream` on a GPU; done on return on the CPU and the emulator. `in` and `out` have `length`
// values each, are in the backend's memory, and are aligned to their type. They may be the same array;
// overlapping otherwise is an error.
[[nodiscard]] BOBBIN_API Status run(DType type, Kind kind, const void* in, void* out, uint64_t length,
                                    const Options& options, StreamView stream);

template <class T>
[[nodiscard]] Status run(Kind kind, std::span<const T> in, std::span<T> out, const Options& options,
                         StreamView stream) {
  BOBBIN_RETURN_IF(in.size() != out.size(), StatusCode::invalid_argument,
                   "scan: input and output differ in length");
  return run(kDTypeOf<T>, kind, in.data(), out.data(), in.size(), options, stream);
}

template <class T>
[[nodiscard]] Status inclusive(std::type_identity_t<std::span<const T>> in, std::span<T> out,
                               const Options& options, StreamView stream) {
  return run<T>(Kind::inclusive, in, out, options, stream);
}
template <class T>
[[nodiscard]] Status exclusive(std::type_identity_t<std::span<const T>> in, std::span<T> out,
                               const Options& options, StreamView stream) {
  return run<T>(Kind::exclusive, in, out, options, stream);
}

[[nodiscard]] BOBBIN_API std::string_view to_string(Op op);
// "sum", "max", "min", "xor", "and", "or"; nothing for other names.
[[nodiscard]] BOBBIN_API std::optional<Op> parse_op(std::string_view name);

}  // namespace bobbin::scan
