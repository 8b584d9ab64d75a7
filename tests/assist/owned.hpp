// SPDX-License-Identifier: Apache-2.0
// Checks of arrays that the library owns, on any back end: kernels read and write
// them, and the results are those of plain loops on the host.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "assist/kernels.hpp"
#include "assist/parts.hpp"
#include "bobbin/assist.hpp"
#include "tests/assist/device.hpp"
#include "tests/codecs/component.hpp"

namespace bobbin::testing {

// Adds the index to each value, in place.
template <class Writer>
struct AddIndexKernel {
  using T = typename Writer::Value;
  static constexpr uint32_t kThreads = 64;
  struct Shared {
    typename Writer::Shared warp[2];
  };
  Writer writer;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t group = uint64_t{cta.block()} * 2 + cta.warp();
    if (group < writer.num_groups()) {
      writer.update(cta, cta.template shared<Shared>().warp[cta.warp()], group,
                    [&](uint64_t index, const simt::Quad& quad, uint32_t /*count*/) {
                      return simt::quad_of<T>([&](uint32_t i) {
                        return static_cast<T>(simt::value_of_quad<T>(quad, i) + index + i);
                      });
                    });
    }
  }
  [[nodiscard]] uint64_t blocks() const { return ceil_div<uint64_t>(writer.num_groups(), 2); }
};

template <class T>
std::vector<T> near_values(uint64_t count) {
  std::vector<T> values(count);
  for (uint64_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(100 + i * 7 % 50);
  }
  return values;
}

// Groups of one class, and groups of several: near values, zeros, repeated ones, random ones.
template <class T>
std::vector<T> many_kinds(uint64_t count) {
  Random random(count);
  std::vector<T> values(count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t line = i * sizeof(T) / assist::kLineBytes;
    const uint64_t kind = line / 64 % 2 == 0 ? line / 128 % 5 : line % 5;
    const uint64_t near = line * 1'000'003 + random.below(100);
    const uint64_t wide = line * 1'000'003 + random.below(30'000);
    values[i] = static_cast<T>(kind == 0   ? near
                               : kind == 1 ? 0
                               : kind == 2 ? line
                               : kind == 3 ? wide
                                           : random.next());
  }
  return values;
}

template <class T>
void expect_holds(const CompressedArray<T>& array, const std::vector<T>& values, StreamView stream) {
  std::vector<T> out(values.size());
  const Status status = array.to_host(out, stream);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(std::memcmp(out.data(), values.data(), values.size() * sizeof(T)), 0) << array.reason();
}

// Made on the host and on the device, in every layout and by every decision.
template <class T>
void check_layouts(const auto& device, const std::vector<T>& values) {
  const DeviceValues<T> raw(device, values);
  for (const LineLayout layout : {LineLayout::raw, LineLayout::tiles, LineLayout::slots}) {
    for (const LineDecision decision :
         {LineDecision::by_sample, LineDecision::compressed, LineDecision::raw}) {
      const LineOptions options{.layout = layout, .decision = decision};
      expect_holds(*CompressedArray<T>::from_host(values, options, device.stream()), values, device.stream());
      expect_holds(
          *CompressedArray<T>::from_device(raw.global().data, values.size(), options, device.stream()),
          values, device.stream());
    }
  }
}

template <bool kFilters, assist::Policy kPolicy, class View>
void check_sum(const auto& device, const View& view, const std::vector<typename View::Value>& values) {
  using T = typename View::Value;
  const T low = 50;
  const T span = 90;
  const DeviceValues<unsigned long long> found(device, 2);
  device.run(assist::SumKernel<View, kFilters, kPolicy>{view, low, span, found.global()});
  unsigned long long expected[2] = {0, 0};
  for (const T x : values) {
    const bool hit = !kFilters || static_cast<T>(x - low) <= span;
    expected[0] += hit ? x : 0;
    expected[1] += hit ? 1 : 0;
  }
  EXPECT_EQ(found.values()[0], expected[0]);
  EXPECT_EQ(found.values()[1], expected[1]);
}

// Streams of every policy, and single values, of an array of each layout.
template <class T>
void check_reading(const auto& device, const std::vector<T>& values) {
  using assist::Policy;
  using assist::Roles;
  std::vector<uint32_t> indices;
  for (uint64_t i = 0; i < values.size(); i += 7) {
    indices.push_back(static_cast<uint32_t>(i * 13 % values.size()));
  }
  const DeviceValues<uint32_t> places(device, indices);
  for (const LineLayout layout : {LineLayout::raw, LineLayout::tiles, LineLayout::slots}) {
    const LineOptions options{.layout = layout, .decision = LineDecision::compressed};
    const auto array = *CompressedArray<T>::from_host(values, options, device.stream());
    assist::with_view<T>(array.parts(), [&]<class View>(const View& view) {
      check_sum<true, assist::kNoRoles>(device, view, values);
      check_sum<false, Policy{Roles::fetch, 8, 4, 8, true}>(device, view, values);
      check_sum<true, assist::kExpandAhead>(device, view, values);
      const DeviceValues<T> found(device, indices.size());
      device.run(assist::GatherKernel<View>{view, places.constant(), found.global()});
      const std::vector<T> got = found.values();
      for (size_t i = 0; i < indices.size(); ++i) {
        ASSERT_EQ(got[i], values[indices[i]]) << indices[i];
      }
    });
  }
}

// Whole groups, updates in place, and single values, in slots and in a raw array.
template <class T>
void check_writing(const auto& device, const std::vector<T>& values) {
  const DeviceValues<T> raw(device, values);
  std::vector<T> updated = values;
  for (uint64_t i = 0; i < values.size(); ++i) {
    updated[i] = static_cast<T>(updated[i] + i);
  }
  Random random(7);
  std::vector<uint32_t> indices;
  std::vector<T> new_values;
  for (uint64_t i = 0; i < values.size(); i += 3) {
    indices.push_back(static_cast<uint32_t>(i));
    new_values.push_back(static_cast<T>(random.next() >> random.below(64)));
  }
  for (size_t i = indices.size(); i > 1; --i) {  // the warps share lines
    std::swap(indices[i - 1], indices[random.below(i)]);
  }
  std::vector<T> put = updated;
  for (size_t i = 0; i < indices.size(); ++i) {
    put[indices[i]] = new_values[i];
  }
  const DeviceValues<uint32_t> places(device, indices);
  const DeviceValues<T> its_values(device, new_values);
  for (const LineDecision decision : {LineDecision::compressed, LineDecision::raw}) {
    const auto array = *CompressedArray<T>::zeros(values.size(), {.decision = decision}, device.stream());
    assist::with_writer<T>(array.parts(), [&]<class Writer>(const Writer& writer) {
      device.run(assist::WriteKernel<Writer>{{raw.constant()}, writer});
      expect_holds(array, values, device.stream());
      device.run(AddIndexKernel<Writer>{writer});
      expect_holds(array, updated, device.stream());
      device.run(assist::PutKernel<Writer>{writer, places.constant(), its_values.constant()});
      expect_holds(array, put, device.stream());
    });
  }
}

}  // namespace bobbin::testing
