// SPDX-License-Identifier: Apache-2.0
// The scan on one CPU thread, in pieces that fit the L1 cache. A piece is scanned in one of four ways:
//
//   rows      A vector holds adjacent series and moves down the rows: tuples of 8 bytes or more.
//   flat      Order 1, and 2 where it pays off, of one series: within a vector by shuffles.
//   segments  Narrower tuples: the piece is split into as many segments as a vector has values and
//             transposed, so that a vector holds the same value of each segment. A first pass finds the
//             states
//             at the ends of the segments, from which those at their starts follow; a second pass scans.
//             This takes 2k vector additions per vector of values at order k, instead of k per value.
//   by value  Everything else, and floats of narrow tuples, whose additions keep their order.
#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "core/dispatch.hpp"
#include "core/portable.hpp"
#include "core/stream_copy.hpp"
#include "scan/cpu_loops.hpp"
#include "scan/scan.hpp"

namespace bobbin::scan {
namespace {

using cpu::Ahead;

// A piece in segments, the next piece, its rows and its results share an L1 cache of 32 KiB. Segments whose
// length is a power of two would be slower, because they start at the same position within pages.
constexpr size_t kSegmentsBytes = 31 * 256;
constexpr size_t kRowsBytes = 4096;
constexpr size_t kMaxPieceBytes = std::max(kSegmentsBytes, kRowsBytes);
// Tuples of fewer bytes are not scanned by rows.
template <class T>
constexpr size_t kNarrowBytes = sizeof(T) == 1 ? 4 : 8;
// A single series is scanned flat up to this order. (Measured: a second pass of shuffles costs less than the
// transpositions for 32 bits only.)
template <class T>
constexpr uint32_t kFlatOrders = sizeof(T) == 4 ? 2 : 1;
// Shorter segments are not worth finding their starts. (They have at least 16 bytes, as the transposition
// requires.)
constexpr size_t kMinSegmentRows = 16;
constexpr size_t kMaxVectorBytes = 32;
// Limits for the states of all series, and for the widest tuple: a xor scan of order 8 is one of order 1 of
// wider tuples.
constexpr size_t kMaxStates = size_t{kMaxOrder} * kMaxTuple;

// Compiles a function twice: as it is, and for AVX2.
template <auto kBody>
struct Compiled;
template <class... Args, void (*kBody)(Args...)>
struct Compiled<kBody> {
  static void plain(Args... args) { kBody(args...); }
  BOBBIN_AVX2 static void avx2(Args... args) { kBody(args...); }
};

// The functions for one type, operation and order. For floats they keep the order of additions.
template <class T>
struct Kernels {
  using Rows = void(const T* in, T* out, cpu::StridedRows shape, size_t columns, const T* before, T* after,
                    Ahead<T> ahead);

  T neutral;
  uint32_t order;
  size_t vector_values;
  Rows* one;                      // value by value
  std::array<Rows*, 4> by_bytes;  // 4, 8, 16, 32 at a time
  Rows* ends = nullptr;           // scans, but stores only the states
  void (*cut)(const T* in, T* out, size_t length) = nullptr;
  void (*uncut)(const T* in, T* out, size_t length) = nullptr;
  void (*find_starts)(size_t rows, size_t tuple, T* states, const T* ends, T* starts) = nullptr;
  void (*flat)(const T* in, T* out, size_t length, T* state, const T* ahead) = nullptr;
};

template <size_t kBytes, auto kBody>
constexpr auto* kCompiled = kBytes == 32 ? &Compiled<kBody>::avx2 : &Compiled<kBody>::plain;

template <class T, class Operation, uint32_t kOrder, size_t kBytes, size_t kTogether>
constexpr auto* rows_together() {
  if constexpr (kTogether >= kNarrowBytes<T> && kTogether <= kBytes) {
    return kCompiled<kBytes, cpu::scan_rows<T, Operation, kOrder, kTogether, true>>;
  } else {
    return static_cast<typename Kernels<T>::Rows*>(nullptr);
  }
}

template <class T, class Operation, uint32_t kOrder, size_t kBytes>
constexpr Kernels<T> make_kernels() {
  Kernels<T> kernels{.neutral = Operation::template kNeutral<T>,
                     .order = kOrder,
                     .vector_values = kBytes / sizeof(T),
                     .one = kCompiled<0, cpu::scan_rows<T, Operation, kOrder, sizeof(T), true>>,
                     .by_bytes = {rows_together<T, Operation, kOrder, kBytes, 4>(),
                                  rows_together<T, Operation, kOrder, kBytes, 8>(),
                                  rows_together<T, Operation, kOrder, kBytes, 16>(),
                                  rows_together<T, Operation, kOrder, kBytes, 32>()}};
  if constexpr (std::is_integral_v<T> && kOrder <= kFlatOrders<T>) {
    kernels.flat = kCompiled<kBytes, cpu::scan_flat<T, Operation, kOrder, kBytes>>;
  }
  if constexpr (std::is_integral_v<T> && sizeof(T) < 8) {
    kernels.ends = kCompiled<kBytes, cpu::scan_rows<T, Operation, kOrder, kBytes, false>>;
    kernels.cut = kCompiled<kBytes, cpu::cut<T, kBytes, false>>;
    kernels.uncut = kCompiled<kBytes, cpu::cut<T, kBytes, true>>;
    kernels.find_starts = kCompiled<kBytes, cpu::find_starts<T, Operation, kOrder, kBytes>>;
  }
  return kernels;
}

template <class T, class Operation, uint32_t kOrder = 1>
const Kernels<T>& kernels_of() {
  static constexpr Kernels<T> kPlain = make_kernels<T, Operation, kOrder, 16>();
  static constexpr Kernels<T> kAvx2 = make_kernels<T, Operation, kOrder, 32>();
  return have_avx2() ? kAvx2 : kPlain;
}

template <class T>
const Kernels<T>& sum_kernels(uint32_t order) {
  static constexpr auto kOfOrder = []<uint32_t... kI>(std::integer_sequence<uint32_t, kI...>) {
    return std::array{&kernels_of<T, cpu::Sum, kI + 1>...};
  }(std::make_integer_sequence<uint32_t, kMaxOrder>{});
  return kOfOrder[order - 1]();
}

// Scans a sequence piece by piece.
template <class T>
class PiecewiseScan {
 public:
  PiecewiseScan(const Kernels<T>& kernels, size_t tuple) : kernels_(kernels), tuple_(tuple) {
    std::fill_n(states(), kernels.order * tuple, kernels.neutral);
  }

  // State j of series i is at j * tuple + i.
  T* states() { return states_[current_]; }

  // The length of all pieces except the last, which may be shorter.
  [[nodiscard]] size_t piece() const {
    if (in_segments()) {
      const size_t unit = tuple_ * kernels_.vector_values;
      return kSegmentsBytes / sizeof(T) / unit * unit;
    }
    return kRowsBytes / sizeof(T) / tuple_ * tuple_;
  }

  // Whether a piece may be scanned in place: only if no value is scanned twice.
  [[nodiscard]] bool in_place() const {
    return is_narrow() || tuple_ % std::bit_floor(std::min(tuple_, kernels_.vector_values)) == 0;
  }

  // `ahead` is what will be scanned next, if anything.
  void scan(const T* in, T* out, size_t length, const T* ahead) {
    const size_t rows = length / tuple_;
    size_t done = 0;  // rows
    if (is_flat()) {
      done = length / kernels_.vector_values * kernels_.vector_values;
      kernels_.flat(in, out, done, states(), ahead);
    } else if (!is_narrow()) {
      done = rows;
      T* before = states();
      current_ ^= 1;
      auto* scan_rows = rows_by(std::min(tuple_, kernels_.vector_values) * sizeof(T));
      scan_rows(in, out, {rows, tuple_}, tuple_, before, states(), {ahead, tuple_});
    } else if (in_segments() && rows >= kMinSegmentRows * kernels_.vector_values) {
      const size_t segment_rows = rows / kernels_.vector_values;
      done = segment_rows * kernels_.vector_values;
      scan_segments(in, out, segment_rows, ahead);
    }
    const auto scan_values = [&](size_t first, cpu::StridedRows shape, size_t columns) {
      kernels_.one(in + first, out + first, shape, columns, states(), states(), {ahead + first, tuple_});
    };
    if (done != rows) {
      scan_values(done * tuple_, {rows - done, tuple_}, tuple_);
    }
    scan_values(rows * tuple_, {1, tuple_}, length % tuple_);
  }

 private:
  [[nodiscard]] bool is_flat() const { return tuple_ == 1 && kernels_.flat != nullptr; }
  [[nodiscard]] bool is_narrow() const { return tuple_ * sizeof(T) < kNarrowBytes<T>; }
  [[nodiscard]] bool in_segments() const { return is_narrow() && !is_flat() && kernels_.cut != nullptr; }

  // For rows of `bytes` or more.
  [[nodiscard]] auto* rows_by(size_t bytes) const { return kernels_.by_bytes[std::bit_width(bytes) - 3]; }

  void scan_segments(const T* in, T* out, size_t rows, const T* ahead) {
    const cpu::StridedRows shape{rows, tuple_ * kernels_.vector_values};
    const Ahead<T> first_half{ahead, shape.stride / 2};
    const Ahead<T> second_half{ahead + rows * shape.stride / 2, shape.stride / 2};
    std::fill_n(starts_, kernels_.order * shape.stride, kernels_.neutral);
    kernels_.cut(in, rows_, rows * tuple_);
    kernels_.ends(rows_, rows_, shape, shape.stride, starts_, ends_, first_half);
    kernels_.find_starts(rows, tuple_, states(), ends_, starts_);
    rows_by(kernels_.vector_values * sizeof(T))(rows_, rows_, shape, shape.stride, starts_, ends_,
                                                second_half);
    kernels_.uncut(rows_, out, rows * tuple_);
  }

  static constexpr size_t kSegmentStates =
      kMaxOrder * kNarrowBytes<T> * kMaxVectorBytes / sizeof(T) / sizeof(T);

  const Kernels<T>& kernels_;
  size_t tuple_;
  uint32_t current_ = 0;
  T states_[2][kMaxStates];
  T starts_[kSegmentStates];
  T ends_[kSegmentStates];
  alignas(64) T rows_[kSegmentsBytes / sizeof(T)];
};

// copy_past_caches with AVX2 stores. `to` and its end are aligned to a cache line.
BOBBIN_AVX2 void copy_past_caches_avx2([[maybe_unused]] void* to, [[maybe_unused]] const void* from,
                                       [[maybe_unused]] size_t bytes) {
#if defined(__x86_64__)
  auto* target = static_cast<__m256i*>(to);
  const auto* source = static_cast<const __m256i*>(from);
  for (size_t i = 0; i < bytes / sizeof(__m256i); i += 2) {
    const __m256i first = _mm256_loadu_si256(source + i);
    const __m256i second = _mm256_loadu_si256(source + i + 1);
    _mm256_stream_si256(target + i, first);
    _mm256_stream_si256(target + i + 1, second);
  }
#endif
}

template <class T>
void write_past_caches(T* to, const T* from, size_t length) {
  constexpr size_t kLine = 64;
  const size_t to_line = (kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine / sizeof(T);
  const size_t head = std::min(to_line, length);
  const size_t lines = (length - head) * sizeof(T) / kLine;
  const size_t tail = head + lines * (kLine / sizeof(T));
  std::copy_n(from, head, to);
  (have_avx2() ? copy_past_caches_avx2 : copy_past_caches)(to + head, from + head, lines * kLine);
  std::copy_n(from + tail, length - tail, to + tail);
}

// In an exclusive scan each value gets the inclusive result of the value `shift` before it.
struct Plan {
  Kind kind;
  uint64_t length;
  uint32_t tuple;
  uint32_t shift;
};

template <class T>
void run_with(const Kernels<T>& kernels, const T* in, T* out, const Plan& plan) {
  PiecewiseScan<T> scanner(kernels, plan.tuple);
  const bool inclusive = plan.kind == Kind::inclusive;
  const bool past_caches = in != out && plan.length * sizeof(T) >= kStreamBytes;
  const bool direct = inclusive && !past_caches && (in != out || scanner.in_place());
  // The values of a piece, preceded by the last ones of the previous piece.
  alignas(64) T buffer[kMaxStates + kMaxPieceBytes / sizeof(T)];
  T* values = buffer + kMaxStates;
  const T* results = inclusive ? values : values - plan.shift;
  std::fill_n(values - plan.shift, plan.shift, kernels.neutral);
  const size_t piece = scanner.piece();
  for (uint64_t first = 0; first < plan.length; first += piece) {
    const size_t here = std::min<uint64_t>(piece, plan.length - first);
    const T* ahead = in + first + (first + piece < plan.length ? piece : 0);
    if (direct) {
      scanner.scan(in + first, out + first, here, ahead);
      continue;
    }
    if (first != 0) {
      std::copy_n(values + piece - plan.shift, plan.shift, values - plan.shift);
    }
    scanner.scan(in + first, values, here, ahead);
    if (past_caches) {
      write_past_caches(out + first, results, here);
    } else {
      std::copy_n(results, here, out + first);
    }
  }
  if (past_caches) {
    end_copies_past_caches();
  }
}

template <class T>
void run_with(const Kernels<T>& kernels, const Request& request) {
  const uint32_t tuple = request.options.tuple;
  run_with(kernels, static_cast<const T*>(request.in), static_cast<T*>(request.out),
           Plan{request.kind, request.length, tuple, tuple});
}

// Two xor scans of tuples of s are one of tuples of 2s: order k is one scan of order 1 per set bit of k.
template <class T>
void run_xor(const Request& request) {
  const T* in = static_cast<const T*>(request.in);
  T* out = static_cast<T*>(request.out);
  Plan plan{Kind::inclusive, request.length, request.options.tuple, request.options.tuple};
  for (uint32_t order = request.options.order; order != 0; order /= 2, plan.tuple *= 2) {
    if (order == 1) {
      plan.kind = request.kind;
    }
    if (order % 2 != 0) {
      run_with(kernels_of<T, cpu::Xor>(), in, out, plan);
      in = out;
    }
  }
}

}  // namespace

void run_on_cpu(const Request& request) {
  const Op op = request.options.op;
  if (request.type == DType::f32) {
    run_with(kernels_of<float, cpu::Sum>(), request);
  } else if (request.type == DType::f64) {
    run_with(kernels_of<double, cpu::Sum>(), request);
  } else if (op == Op::max || op == Op::min) {
    visit_integer(request.type, [&]<class T>(std::type_identity<T>) {
      run_with(op == Op::max ? kernels_of<T, cpu::Max>() : kernels_of<T, cpu::Min>(), request);
    });
  } else {
    visit_bits(request.type, [&]<class T>(std::type_identity<T>) {
      if (op == Op::bit_xor) {
        run_xor<T>(request);
      } else {
        run_with(op == Op::sum       ? sum_kernels<T>(request.options.order)
                 : op == Op::bit_and ? kernels_of<T, cpu::And>()
                                     : kernels_of<T, cpu::Or>(),
                 request);
      }
    });
  }
}

template <class T>
void scan_tile_on_cpu(T* values, uint64_t length, uint32_t order, uint32_t tuple, T* states) {
  PiecewiseScan<T> scanner(sum_kernels<T>(order), tuple);
  for (uint32_t lane = 0; lane < tuple; ++lane) {
    for (uint32_t j = 0; j < order; ++j) {
      scanner.states()[j * tuple + lane] = states[lane * order + j];
    }
  }
  const size_t piece = scanner.piece();
  alignas(64) T buffer[kMaxPieceBytes / sizeof(T)];
  for (uint64_t first = 0; first < length; first += piece) {
    const size_t here = std::min<uint64_t>(piece, length - first);
    if (scanner.in_place()) {
      scanner.scan(values + first, values + first, here, values + first);
    } else {
      scanner.scan(values + first, buffer, here, values + first);
      std::copy_n(buffer, here, values + first);
    }
  }
  for (uint32_t lane = 0; lane < tuple; ++lane) {
    for (uint32_t j = 0; j < order; ++j) {
      states[lane * order + j] = scanner.states()[j * tuple + lane];
    }
  }
}

template void scan_tile_on_cpu<uint8_t>(uint8_t*, uint64_t, uint32_t, uint32_t, uint8_t*);
template void scan_tile_on_cpu<uint16_t>(uint16_t*, uint64_t, uint32_t, uint32_t, uint16_t*);
template void scan_tile_on_cpu<uint32_t>(uint32_t*, uint64_t, uint32_t, uint32_t, uint32_t*);
template void scan_tile_on_cpu<uint64_t>(uint64_t*, uint64_t, uint32_t, uint32_t, uint64_t*);

}  // namespace bobbin::scan
