// SPDX-License-Identifier: Apache-2.0
// Kernels of one type with different arguments, run by one launch: a launch takes as long as decoding some
// megabytes, so that a thousand small arrays would otherwise take a thousand times that.
//
// The arguments and a table of blocks are in device memory; a block loads its own before it begins. The
// kernels write to a member `out`, and do not ask for the number of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "bobbin/memory.hpp"
#include "bobbin/status.hpp"
#include "bobbin/stream.hpp"
#include "core/bits.hpp"
#include "simt/cta.hpp"

namespace bobbin::simt {

// A Cta of which only the block's number differs.
template <class Cta>
class Renumbered : public Cta {
 public:
  BOBBIN_HD Renumbered(const Cta& cta, uint32_t block) : Cta(cta), block_(block) {}
  [[nodiscard]] BOBBIN_HD uint32_t block() const { return block_; }
  uint32_t num_blocks() const = delete;

 private:
  uint32_t block_;
};

template <class K>
struct GatheredKernel {
  static constexpr uint32_t kThreads = K::kThreads;
  static constexpr uint32_t kMinBlocks = K::kMinBlocks;
  static constexpr uint32_t kMostBlocks = [] {
    if constexpr (requires { K::kMostBlocks; }) {
      return K::kMostBlocks;
    } else {
      return uint32_t{0};
    }
  }();
  static constexpr uint32_t kQuads = ceil_div<uint32_t>(sizeof(K), sizeof(Quad));
  struct Shared {
    typename K::Shared own;  // first, where the kernel expects it
    simt::Shared<Quad, kQuads> arguments;
  };

  Global<const Quad> arguments;  // kQuads for each kernel
  Global<const uint64_t>
      places;      // for each block: the kernel's number in the high half, the block's in the low
  std::byte* out;  // the kernels' outputs are relative to it

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    auto& shared = cta.template shared<Shared>();
    const uint64_t place = cta.load(places, cta.block());
    for (uint32_t q = cta.thread(); q < kQuads; q += kThreads) {
      cta.store(shared.arguments, q, cta.load(arguments, (place >> 32) * kQuads + q));
    }
    cta.sync();
    K& kernel = seen_as<K>(shared.arguments);
    if (cta.thread() == 0) {
      kernel.out.data = reinterpret_cast<decltype(kernel.out.data)>(
          out + reinterpret_cast<uintptr_t>(static_cast<void*>(kernel.out.data)));
    }
    cta.sync();
    Renumbered<Cta> renumbered(cta, static_cast<uint32_t>(place));
    kernel(renumbered);
  }
};

// Launches for many arrays: prepared once, run as often as needed.
class Gathered {
 public:
  // `kernel.out` points to where its values begin, in bytes from the beginning of the output.
  template <class Executor, Kernel K>
  void add(const K& kernel, uint64_t blocks) {
    Group& group = group_of(&run_group<Executor, K>);
    const uint64_t number = group.kernels++;
    group.arguments.resize(group.kernels * GatheredKernel<K>::kQuads);
    std::memcpy(&group.arguments[number * GatheredKernel<K>::kQuads], &kernel, sizeof(K));
    for (uint64_t block = 0; block < blocks; ++block) {
      group.places.push_back(number << 32 | block);
    }
  }

  // Copies arguments to the device. Waits for the stream.
  Status upload(StreamView stream) {
    for (Group& group : groups_) {
      const size_t bytes = group.arguments.size() * sizeof(Quad);
      const size_t places = group.places.size() * sizeof(uint64_t);
      BOBBIN_ASSIGN(DeviceBuffer memory, DeviceBuffer::create(bytes + places, stream));
      BOBBIN_TRY(copy_async(memory.as<std::byte>(), group.arguments.data(), bytes, stream));
      BOBBIN_TRY(copy_async(memory.as<std::byte>() + bytes, group.places.data(), places, stream));
      group.memory = std::move(memory);
    }
    return stream.synchronize();
  }

  // Asynchronous; after upload().
  [[nodiscard]] Status run(void* out, StreamView stream) const {
    for (const Group& group : groups_) {
      BOBBIN_TRY(group.launch(group, static_cast<std::byte*>(out), stream));
    }
    return {};
  }

 private:
  struct Group;
  using Launch = Status (*)(const Group& group, std::byte* out, StreamView stream);
  struct Group {
    Launch launch = nullptr;
    uint64_t kernels = 0;
    std::vector<Quad> arguments;
    std::vector<uint64_t> places;
    std::optional<DeviceBuffer> memory;  // after upload()
  };

  Group& group_of(Launch launch) {
    for (Group& group : groups_) {
      if (group.launch == launch) {
        return group;
      }
    }
    return groups_.emplace_back(Group{.launch = launch, .arguments = {}, .places = {}, .memory = {}});
  }

  template <class Executor, Kernel K>
  static Status run_group(const Group& group, std::byte* out, StreamView stream) {
    const auto* const quads = group.memory->as<const Quad>();
    const GatheredKernel<K> kernel{
        .arguments = {quads, group.arguments.size()},
        .places = {reinterpret_cast<const uint64_t*>(quads + group.arguments.size()), group.places.size()},
        .out = out};
    return Executor(stream).run(kernel, group.places.size());
  }

  std::vector<Group> groups_;
};

}  // namespace bobbin::simt
