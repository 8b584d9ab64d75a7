// SPDX-License-Identifier: Apache-2.0
// Turns a request into a launch, for any executor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "bobbin/memory.hpp"
#include "core/bits.hpp"
#include "scan/kernels.hpp"
#include "scan/scan.hpp"

namespace bobbin::scan {

struct Workspace::State {
  StreamView stream;
  MemoryResource* memory;
  std::optional<DeviceBuffer> ring;
  uint64_t epoch = 0;

  // A ring of at least `words` words, whose tags are all older than those of the next `tiles` tiles.
  Status reserve(uint64_t words, uint64_t tiles);
};

// The word type in which a value type is computed.
template <class T>
using WordOf = std::conditional_t<std::is_floating_point_v<T> || sizeof(T) >= 4, T, uint32_t>;

// Bytes of shared memory per block on GPUs of compute capability 9.0 and later, minus a reserve.
inline constexpr uint32_t kSharedBytes = 224 * 1024;

// The number of interleaved series. Segments of 25 values of 4 bytes conflict in the banks of shared memory
// if there are three series, or a multiple.
enum class Width : uint8_t { one, several, threes };

// Tiles of 40 to 55 KiB, as many as fit: large enough that finding carries takes less time than a tile, and
// enough of them to load some while others wait for theirs (docs/perf/scan.md). Larger states need more
// registers, so there are fewer warps, with longer segments.
template <class T, uint32_t K, Width kWidth>
struct ShapeFor {
  static constexpr bool kStrided = kWidth != Width::one;
  static constexpr uint32_t kStateBytes = K * static_cast<uint32_t>(sizeof(WordOf<T>));
  static constexpr uint32_t kLead = 2;

  struct Cut {
    uint32_t warps;
    uint32_t items;
  };
  static constexpr Cut strided() {
    switch (sizeof(T)) {
      case 1:
        return {16, 65};
      case 2:
        return {16, 33};
      case 4:
        if (K == 1) {
          return kWidth == Width::threes ? Cut{12, 33} : Cut{16, 25};
        }
        return K == 2 ? Cut{16, 23} : Cut{8, 33};
      default:
        return K == 1 ? Cut{12, 17} : K == 2 ? Cut{8, 23} : Cut{8, 17};
    }
  }
  static constexpr Cut linear() {
    constexpr uint32_t kQuadItems = sizeof(Quad) / sizeof(T);
    if (sizeof(T) == 8 && K > 1) {
      return K <= 5 ? Cut{12, 9 * kQuadItems} : Cut{8, 13 * kQuadItems};
    }
    return sizeof(T) == 4 && K > 4 ? Cut{12, 9 * kQuadItems} : Cut{16, 5 * kQuadItems};
  }
  static constexpr Cut kCut = kStrided ? strided() : linear();
  static constexpr uint32_t kTileBytes =
      kCut.warps * simt::kWarpSize * kCut.items * static_cast<uint32_t>(sizeof(T));
  // The members of ScanKernel::Shared: starts, totals, gathered, kept.
  static constexpr uint32_t kStatesBytes =
      (kStrided ? kMaxTuple : 1) *
      ((kLead + 1) * kCut.warps + (kLead + 2) + 10 + 2 * (K == 1 ? kMaxOrder : 1)) * kStateBytes;
  static constexpr uint32_t kStages = std::min<uint32_t>(6, (kSharedBytes - kStatesBytes) / kTileBytes);
  static_assert(kStages > kLead);
  using type = TileShape<T, kCut.warps, kCut.items, kStages, kStrided>;
};

// Up to this many tiles, one block is faster than several that have to exchange sums.
inline constexpr uint64_t kTilesOfOneBlock = 1;

template <class T>
T mask_of(Op op, DType type) {
  if constexpr (std::is_floating_point_v<T>) {
    return 0;
  } else {
    const auto sign = static_cast<T>(is_signed(type) ? T{1} << (8 * sizeof(T) - 1) : 0);
    const auto all = static_cast<T>(~T{0});
    switch (op) {
      case Op::max:
        return sign;
      case Op::min:
        return static_cast<T>(all ^ sign);
      case Op::bit_and:
        return all;
      case Op::sum:
      case Op::bit_xor:
      case Op::bit_or:
        break;
    }
    return 0;
  }
}

template <class T>
Arguments<T> arguments_of(const Request& request, uint32_t tile_items) {
  const auto off = reinterpret_cast<uintptr_t>(request.in) % sizeof(Quad);
  const uint64_t begin = off / sizeof(T);
  const uint64_t end = begin + request.length;
  const auto* in = reinterpret_cast<const T*>(reinterpret_cast<uintptr_t>(request.in) - off);
  auto* out = reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(request.out) - off);
  return {.in = {in, end},
          .out = {out, end},
          .begin = begin,
          .end = end,
          .ring = {},
          .slots = 0,
          .epoch = 0,
          .tiles = ceil_div<uint64_t>(end, tile_items),
          .tuple = request.options.tuple,
          .rounds = request.options.order,
          .mask = mask_of<T>(request.options.op, request.type),
          .exclusive = request.kind == Kind::exclusive,
          .bulk_out = reinterpret_cast<uintptr_t>(out) % sizeof(Quad) == 0};
}

template <class K, class Executor>
Status launch(const Executor& executor, const Request& request) {
  using T = typename K::T;
  K kernel{arguments_of<T>(request, K::Shape::tile_items(request.options.tuple))};
  Arguments<T>& args = kernel.args;
  if (args.tiles <= kTilesOfOneBlock) {
    return executor.run(kernel, 1);
  }
  BOBBIN_ASSIGN(const uint32_t together, executor.template most_together<K>());
  const auto blocks = static_cast<uint32_t>(std::min<uint64_t>({together, args.tiles, K::kMaxBlocks}));
  std::optional<Workspace> own;
  Workspace* workspace = request.options.workspace;
  if (workspace == nullptr) {
    MemoryResource* memory = request.options.memory;
    own.emplace(executor.stream(), memory != nullptr ? *memory : default_memory(executor.stream().backend()));
    workspace = &*own;
  }
  args.slots = ring_slots(blocks, K::kDepth - 1);
  const uint64_t words = args.slots * K::kStateWords * args.tuple * args.rounds;
  BOBBIN_TRY(workspace->state().reserve(words, args.tiles));
  args.ring = {workspace->state().ring->template as<uint64_t>(), words};
  args.epoch = workspace->state().epoch;
  workspace->state().epoch += args.tiles;
  return executor.run_together(kernel, blocks);
}

template <class Op, uint32_t K, class T, Width kWidth, class Executor>
Status launch_shape(const Executor& executor, const Request& request) {
  using Chosen = ShapeFor<T, K, kWidth>;
  return launch<ScanKernel<Op, K, typename Chosen::type, Chosen::kLead, false>>(executor, request);
}

template <class Op, uint32_t K, class T, class Executor>
Status launch_vector(const Executor& executor, const Request& request) {
  if (request.options.tuple == 1) {
    return launch_shape<Op, K, T, Width::one>(executor, request);
  }
  if constexpr (K == 1 && sizeof(T) == 4) {
    if (request.options.tuple % 3 == 0) {
      return launch_shape<Op, K, T, Width::threes>(executor, request);
    }
  }
  return launch_shape<Op, K, T, Width::several>(executor, request);
}

template <class T, class Executor, uint32_t K = 1>
Status launch_sum(const Executor& executor, const Request& request) {
  if (request.options.order == K) {
    return launch_vector<Sum<WordOf<T>>, K, T>(executor, request);
  }
  if constexpr (K < kMaxOrder) {
    return launch_sum<T, Executor, K + 1>(executor, request);
  } else {
    return {StatusCode::invalid_argument, "scan: an order past 8"};
  }
}

template <class Op, class T, class Executor>
Status launch_rounds(const Executor& executor, const Request& request) {
  return launch<ScanKernel<Op, 1, typename ShapeFor<T, 1, Width::several>::type, 0, true>>(executor, request);
}

// The scan of one type on one executor: instantiated in a separate file each, because compiling takes long.
template <class T, class Executor>
Status run_values(const Executor& executor, const Request& request) {
  using Word = WordOf<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return launch_vector<Sum<Word>, 1, T>(executor, request);
  } else {
    const bool rounds = request.options.scheme == Scheme::rounds;
    switch (request.options.op) {
      case Op::sum:
        return rounds ? launch_rounds<Sum<Word>, T>(executor, request) : launch_sum<T>(executor, request);
      case Op::bit_xor:
        return rounds || request.options.order > 1 ? launch_rounds<Xor<Word>, T>(executor, request)
                                                   : launch_vector<Xor<Word>, 1, T>(executor, request);
      case Op::max:
      case Op::min:
        return launch_vector<Max<Word>, 1, T>(executor, request);
      case Op::bit_and:
      case Op::bit_or:
        break;
    }
    return launch_vector<Or<Word>, 1, T>(executor, request);
  }
}

// Calls run_values for the request's type. Sums of signed integers are computed as unsigned ones.
template <class Executor>
Status run_request(const Executor& executor, const Request& request) {
  switch (request.type) {
    case DType::u8:
    case DType::i8:
      return run_values<uint8_t>(executor, request);
    case DType::u16:
    case DType::i16:
      return run_values<uint16_t>(executor, request);
    case DType::u32:
    case DType::i32:
      return run_values<uint32_t>(executor, request);
    case DType::f32:
      return run_values<float>(executor, request);
    case DType::f64:
      return run_values<double>(executor, request);
    case DType::u64:
    case DType::i64:
    case DType::utf8:  // rejected earlier
    case DType::binary:
      break;
  }
  return run_values<uint64_t>(executor, request);
}

}  // namespace bobbin::scan
