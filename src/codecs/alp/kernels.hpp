// SPDX-License-Identifier: Apache-2.0
// Plans that launch ALP's kernels. Packed integers, with or without patches, are decoded in one launch.
// Encoding takes four: samples, integers, ffor's packing, patches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bobbin/memory.hpp"
#include "codecs/alp/alp.hpp"
#include "codecs/alp/encode_kernel.hpp"
#include "codecs/alp/tile.hpp"
#include "codecs/patched/kernels.hpp"
#include "codecs/registry.hpp"

namespace bobbin::codec::alp {

// Integers of another encoding, decoded in the place of the values.
template <class Float>
struct ConvertKernel {
  static constexpr uint32_t kThreads = 256;
  using Shared = simt::NoShared;

  Global<BitsOf<Float>> values;  // offset .. end-1
  uint64_t offset;
  Global<const uint8_t> scales;
  Powers<Float> powers;

  template <class Cta>
  BOBBIN_HD void operator()(Cta& cta) const {
    const uint64_t i = uint64_t{cta.block()} * kThreads + cta.thread();
    if (i < values.size) {
      const uint64_t v = (offset + i) / kVectorLength;
      const auto scaling =
          DeviceScaling<Float>::of(powers, cta.load(scales, 2 * v), cta.load(scales, 2 * v + 1));
      const Float value = scaling.value_of(cta.load(values, i));
      cta.store(values, i, std::bit_cast<BitsOf<Float>>(value));
    }
  }
};

// The codec's device functions for one executor.
template <class Executor>
struct Plans {
  static Status decode(const Array& array, void* out, StreamView stream) {
    return visit_float(array.type, [&]<class Float>(std::type_identity<Float>) -> Status {
      return decode_with<Float>(array, nullptr, out, stream);
    });
  }

  static Status decode_patched(const Array& array, void* out, StreamView stream) {
    return visit_float(array.type, [&]<class Float>(std::type_identity<Float>) -> Status {
      return decode_with<Float>(array.children[0], &array, out, stream);
    });
  }

  static bool gather(const Array& array, uint64_t out, simt::Gathered& others) {
    return visit_float(array.type, [&]<class Float>(std::type_identity<Float>) {
      return gather_with<Float>(array, nullptr, out, others);
    });
  }
  static bool gather_patched(const Array& array, uint64_t out, simt::Gathered& others) {
    return visit_float(array.type, [&]<class Float>(std::type_identity<Float>) {
      return gather_with<Float>(array.children[0], &array, out, others);
    });
  }

  static Result<Array> encode(DType type, const void* data, uint64_t length, StreamView stream) {
    BOBBIN_RETURN_IF(!is_float(type), StatusCode::unsupported,
                     "alp: type " + std::string(to_string(type)) + " is not a float");
    return visit_float(type, [&]<class Float>(std::type_identity<Float>) -> Result<Array> {
      return encode_values<Float>(type, {static_cast<const Float*>(data), length}, Executor(stream));
    });
  }

  static constexpr DeviceOps ops() {
    return {.decode = &decode,
            .decode_patched = &decode_patched,
            .gather = &gather,
            .gather_patched = &gather_patched,
            .encode = &encode};
  }

 private:
  using Patched = patched::Plans<Executor>;
  using SharedBuffer = std::shared_ptr<DeviceBuffer>;

  // The result of converting values, before they are packed.
  template <class Float>
  struct Made {
    SharedBuffer scales;
    SharedBuffer starts;
    DeviceBuffer integers;
    DeviceBuffer marks;
    uint64_t patches = 0;
  };

  template <class Float>
  static Result<Array> encode_values(DType type, Global<const Float> values, const Executor& executor) {
    const StreamView stream = executor.stream();
    BOBBIN_ASSIGN(const std::vector<Scale> scales, find_scales<Float>(values, executor));
    BOBBIN_ASSIGN(Made<Float> made, make_integers<Float>(values, scales, executor));
    BOBBIN_ASSIGN(Array packed, device_ops(stream.backend(), CodecId::ffor)
                                    ->encode(integer_type(type), made.integers.data(), values.size, stream));
    Array array{.codec = CodecId::alp,
                .type = type,
                .length = values.size,
                .offset = 0,
                .metadata = {},
                .buffers = {{made.scales, {made.scales->template as<std::byte>(), made.scales->size()}}},
                .children = {std::move(packed)}};
    return made.patches == 0 ? std::move(array)
                             : with_patches<Float>(std::move(array), values, made, executor);
  }

  template <class Float>
  static Result<std::vector<Scale>> find_scales(Global<const Float> values, const Executor& executor) {
    constexpr uint32_t kPitch = SampleKernel<Float>::kPitch;
    const uint64_t vectors = num_vectors(values.size);
    const uint64_t sampled = std::min(vectors, kSampledVectors);
    std::vector<Float> host(sampled * kPitch);
    const size_t bytes = host.size() * sizeof(Float);
    BOBBIN_ASSIGN(const DeviceBuffer gathered, DeviceBuffer::create(bytes, executor.stream()));
    BOBBIN_TRY(
        executor.run(SampleKernel<Float>{values, {gathered.template as<Float>(), host.size()}}, sampled));
    BOBBIN_TRY(copy_async(host.data(), gathered.data(), bytes, executor.stream()));
    BOBBIN_TRY(executor.stream().synchronize());
    std::vector<std::vector<Float>> samples;
    for (uint64_t i = 0; i < sampled; ++i) {
      const uint32_t size = count_of(values.size, sampled_vector(i, sampled, vectors));
      const auto sample = std::span(host).subspan(i * kPitch, Sample::of(size).count);
      samples.emplace_back(sample.begin(), sample.end());
    }
    return choose_scales<Float>(samples);
  }

  // Waits for the stream, to learn the number of patches.
  template <class Float>
  static Result<Made<Float>> make_integers(Global<const Float> values, std::span<const Scale> scales,
                                           const Executor& executor) {
    using K = EncodeKernel<Float>;
    const StreamView stream = executor.stream();
    const uint64_t vectors = num_vectors(values.size);
    const uint64_t tiles = ceil_div<uint64_t>(vectors, K::kVectors);
    BOBBIN_ASSIGN(SharedBuffer scale_bytes, Patched::make_shared_buffer(2 * vectors, stream));
    BOBBIN_ASSIGN(SharedBuffer starts, Patched::make_shared_buffer((vectors + 1) * sizeof(uint32_t), stream));
    BOBBIN_ASSIGN(DeviceBuffer integers, DeviceBuffer::create(values.size * sizeof(Float), stream));
    BOBBIN_ASSIGN(DeviceBuffer marks, DeviceBuffer::create(vectors * kVectorLength / 8, stream));
    BOBBIN_ASSIGN(const DeviceBuffer work, DeviceBuffer::create((1 + tiles) * sizeof(uint64_t), stream));
    BOBBIN_TRY(fill_async(work.data(), 0, work.size(), stream));
    auto* const words = work.template as<uint64_t>();
    K kernel{.values = values,
             .integers = {integers.template as<IntegerOf<Float>>(), values.size},
             .scales = {scale_bytes->template as<uint8_t>(), 2 * vectors},
             .marks = {marks.template as<uint32_t>(), vectors * K::kSteps},
             .starts = {starts->template as<uint32_t>(), vectors + 1},
             .tickets = {words, 1},
             .states = {words + 1, tiles},
             .num_choices = static_cast<uint32_t>(scales.size()),
             .choices = {},
             .quantizers = {}};
    for (size_t i = 0; i < scales.size(); ++i) {
      kernel.choices[i] = scales[i];
      kernel.quantizers[i] = Quantizer<Float>::of(scales[i]);
    }
    BOBBIN_TRY(executor.run(kernel, tiles));
    uint64_t last = 0;  // the state of the last tile: all patches
    if (tiles != 0) {
      BOBBIN_TRY(copy_async(&last, words + tiles, sizeof last, stream));
    }
    BOBBIN_TRY(stream.synchronize());
    return Made<Float>{std::move(scale_bytes), std::move(starts), std::move(integers), std::move(marks),
                       last & simt::TileState::kSum};
  }

  template <class Float>
  static Result<Array> with_patches(Array array, Global<const Float> values, const Made<Float>& made,
                                    const Executor& executor) {
    using K = CollectKernel<BitsOf<Float>>;
    BOBBIN_RETURN_IF(made.patches > UINT32_MAX, StatusCode::unsupported,
                     "patched: too many patches: split the array");
    const StreamView stream = executor.stream();
    const uint64_t vectors = num_vectors(values.size);
    BOBBIN_ASSIGN(SharedBuffer indices, Patched::make_shared_buffer(made.patches * sizeof(uint16_t), stream));
    BOBBIN_ASSIGN(SharedBuffer patches, Patched::make_shared_buffer(made.patches * sizeof(Float), stream));
    const K kernel{.values = {reinterpret_cast<const BitsOf<Float>*>(values.data), values.size},
                   .marks = {made.marks.template as<uint32_t>(), vectors * kWarpSize},
                   .starts = {made.starts->template as<uint32_t>(), vectors + 1},
                   .indices = {indices->template as<uint16_t>(), made.patches},
                   .patches = {patches->template as<BitsOf<Float>>(), made.patches}};
    BOBBIN_TRY(executor.run(kernel, ceil_div<uint64_t>(vectors, K::kVectors)));
    BOBBIN_TRY(stream.synchronize());
    return Patched::wrap(std::move(array), {made.starts, indices, patches}, made.patches);
  }

  static bool is_packed(const Array& integers) {
    return integers.codec == CodecId::bitpack || integers.codec == CodecId::ffor;
  }
  static Global<const uint8_t> scales_of(const Array& array) {
    const auto bytes = array.buffers[0].bytes;
    return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  }
  // Packed integers; `patched`, if given, holds the patches over the values.
  template <class Float>
  static ScaledFrames<Float> source_of(const Array& array, const Array* patched) {
    using Patches = typename ScaledFrames<Float>::Patches;
    return {{Patched::template frames_of<BitsOf<Float>>(array.children[0])},
            patched == nullptr ? Patches{} : patched::source_of<Patches>(*patched),
            scales_of(array),
            kPowers<Float>};
  }

  template <class Float>
  static bool gather_with(const Array& array, const Array* patched, uint64_t out, simt::Gathered& others) {
    return is_packed(array.children[0]) && bitpack::gather_decode<BitsOf<Float>, Executor>(
                                               source_of<Float>(array, patched), array, out, others);
  }

  template <class Float>
  static Status decode_with(const Array& array, const Array* patched, void* out, StreamView stream) {
    using T = BitsOf<Float>;
    const Executor executor(stream);
    const Array& integers = array.children[0];
    if (is_packed(integers)) {
      return bitpack::run_decode<T>(executor, source_of<Float>(array, patched), array, out);
    }
    BOBBIN_TRY(device_ops(stream.backend(), integers.codec)->decode(integers, out, stream));
    const Global<T> values{static_cast<T*>(out), array.length};
    const ConvertKernel<Float> convert{values, array.offset, scales_of(array), kPowers<Float>};
    BOBBIN_TRY(executor.run(convert, ceil_div<uint64_t>(array.length, ConvertKernel<Float>::kThreads)));
    return patched == nullptr
               ? Status{}
               : Patched::template write_patches<T>(
                     executor, patched::source_of<patched::PatchSource<T>>(*patched), array, out);
  }
};

}  // namespace bobbin::codec::alp
