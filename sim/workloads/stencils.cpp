// SPDX-License-Identifier: Apache-2.0
// Proxies that compute each cell of a grid from its neighbours: CONS, LPS, hs.
#include "sim/workloads/common.hpp"
#include "sim/workloads/list.hpp"

namespace bobbin::sim {
namespace {

// ---------------------------------------------------------------------------------------------------------
// CONS: separable convolution of an image, rows and then columns, through shared memory

constexpr uint32_t kRadius = 4;
constexpr uint32_t kTaps = 2 * kRadius + 1;

[[nodiscard]] float tap(uint32_t i) {
  constexpr float kHalf[] = {0.2F, 0.16F, 0.12F, 0.08F, 0.04F};
  return kHalf[i < kRadius ? kRadius - i : i - kRadius];
}

struct Image {
  uint32_t width = 0;
  uint32_t height = 0;
};

// Pixels of 8 bits as floats: smooth shapes on a flat background.
[[nodiscard]] std::vector<float> make_image(Random& random, const Image& size) {
  std::vector<float> pixels(size_t{size.width} * size.height, 32.0F);
  const auto width = static_cast<int32_t>(size.width);
  const auto height = static_cast<int32_t>(size.height);
  for (uint32_t shape = 0; shape < 6; ++shape) {
    const auto x0 = static_cast<int32_t>(below(random, size.width));
    const auto y0 = static_cast<int32_t>(below(random, size.height));
    const auto radius = static_cast<int32_t>(size.width / 16 + below(random, size.width / 8));
    for (int32_t y = std::max(0, y0 - radius); y < std::min(height, y0 + radius); ++y) {
      for (int32_t x = std::max(0, x0 - radius); x < std::min(width, x0 + radius); ++x) {
        const int32_t shade = 250 - 120 * (std::abs(x - x0) + std::abs(y - y0)) / (2 * radius);
        pixels[static_cast<size_t>(y) * size.width + static_cast<size_t>(x)] =
            static_cast<float>(shade - static_cast<int32_t>(below(random, 4)));
      }
    }
  }
  return pixels;
}

// One thread per pixel. A block's pixels are neighbours along the filter: `step` is 1 for rows, the width for
// columns, and the line of pixels is read again from shared memory.
struct Convolution {
  Array<float> in;
  Array<float> out;
  Image size;
  bool columns = false;
};

// The index of a pixel: blocks of rows take 256 pixels of one row, blocks of columns 32 columns of 8 rows.
struct Tile {
  Words x;
  Words y;
};
[[nodiscard]] Tile tile_of(Warp& w, const Convolution& c) {
  const Words thread = w.thread();
  const uint32_t wide = c.columns ? 32 : kBlockThreads;
  const uint32_t high = kBlockThreads / wide;
  const uint32_t across = c.size.width / wide;
  const uint32_t block = w.place().block;
  return {(thread & (wide - 1)) + block % across * wide,
          (thread >> static_cast<uint32_t>(std::countr_zero(wide))) + block / across * high};
}

[[nodiscard]] Words clamp(Warp& w, const Signed& x, uint32_t end) {
  return w.bits_as<uint32_t>(w.min(w.max(x, Signed(0)), Signed(static_cast<int32_t>(end) - 1)));
}

Program convolve(Warp& w, Convolution c) {
  const Tile tile = tile_of(w, c);
  const Words along = c.columns ? tile.y : tile.x;
  const uint32_t length = c.columns ? c.size.height : c.size.width;
  const uint32_t pitch = c.columns ? 128 : 4;                                // bytes between neighbours
  const uint32_t interior = c.columns ? kBlockThreads / 32 : kBlockThreads;  // of the tile
  const Words slot = w.thread() * 4U;
  // The tile, and an apron of kRadius before and after it, in parts of a block's size.
  const Words position = slot >> (c.columns ? 7U : 2U);
  for (uint32_t part = 0; part * interior < interior + 2 * kRadius; ++part) {
    const When inside(w,
                      part == 0 ? Warp::lanes_of(~0U) : position < interior + 2 * kRadius - part * interior);
    if (inside.any()) {
      const Signed at = w.bits_as<int32_t>(along) + static_cast<int32_t>(part * interior - kRadius);
      const Words clamped = clamp(w, at, length);
      const Words pixel = c.columns ? w.fma(clamped, Words(c.size.width), tile.x)
                                    : w.fma(tile.y, Words(c.size.width), clamped);
      const Floats value = co_await w.load(c.in, pixel);
      w.store_shared(plus(slot, part * interior * pitch), value);
    }
  }
  co_await w.barrier();
  Floats sum = 0.0F;
  for (uint32_t i = 0; i < kTaps; ++i) {
    const Floats value = co_await w.load_shared<float>(plus(slot, i * pitch));
    sum = w.fma(value, Floats(tap(i)), sum);
  }
  w.store(c.out, w.fma(tile.y, Words(c.size.width), tile.x), sum);
}

[[nodiscard]] std::vector<float> convolved(const std::vector<float>& in, const Image& size, bool columns) {
  std::vector<float> out(in.size());
  const auto clamped = [](int64_t x, uint32_t end) {
    return static_cast<uint32_t>(std::min<int64_t>(std::max<int64_t>(x, 0), end - 1));
  };
  for (uint32_t y = 0; y < size.height; ++y) {
    for (uint32_t x = 0; x < size.width; ++x) {
      float sum = 0;
      for (uint32_t i = 0; i < kTaps; ++i) {
        const int64_t shift = int64_t{i} - kRadius;
        const uint32_t from_x = columns ? x : clamped(x + shift, size.width);
        const uint32_t from_y = columns ? clamped(y + shift, size.height) : y;
        sum = in[size_t{from_y} * size.width + from_x] * tap(i) + sum;
      }
      out[size_t{y} * size.width + x] = sum;
    }
  }
  return out;
}

[[nodiscard]] WorkloadRun set_up_cons(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const Image size = quick ? Image{512, 160} : Image{1024, 320};
  const std::vector<float> pixels = make_image(random, size);
  const auto in = memory.allocate<float>("image", std::span(pixels));
  const auto middle = memory.allocate<float>("rows", pixels.size());
  const auto out = memory.allocate<float>("columns", pixels.size());
  const auto threads = static_cast<uint32_t>(pixels.size());
  const auto pass = [&](Array<float> from, Array<float> to, bool columns) {
    const Convolution c{from, to, size, columns};
    const uint32_t slots = columns ? 32 * (kBlockThreads / 32 + 2 * kRadius) : kBlockThreads + 2 * kRadius;
    return launch_of(
        threads, 15, [c](Warp& w) { return convolve(w, c); }, 4 * slots);
  };
  return run_of({pass(in, middle, false), pass(middle, out, true)}, [=](const Memory& end) {
    return expect_equal(end, out, convolved(convolved(pixels, size, false), size, true), "columns");
  });
}

// ---------------------------------------------------------------------------------------------------------
// LPS: Jacobi iterations of the Laplace equation on a cube with fixed faces

struct Cube {
  uint32_t x = 0;
  uint32_t y = 0;
  uint32_t z = 0;

  [[nodiscard]] uint32_t cells() const { return x * y * z; }
};

// Faces are 1, the inside 0.
[[nodiscard]] std::vector<float> make_cube(const Cube& size) {
  std::vector<float> cells(size.cells());
  for (uint32_t i = 0; i < size.cells(); ++i) {
    const uint32_t x = i % size.x;
    const uint32_t y = i / size.x % size.y;
    const uint32_t z = i / size.x / size.y;
    const bool face = x == 0 || x + 1 == size.x || y == 0 || y + 1 == size.y || z == 0 || z + 1 == size.z;
    cells[i] = face ? 1.0F : 0.0F;
  }
  return cells;
}

constexpr uint32_t kDepth = 8;  // of the cells that a thread computes

// The mean of a cell's six neighbours, for lanes that are not on a face.
Program relax_cell(Warp& w, Array<float> in, Cube size, Words at, Mask inner, const Floats& beneath,
                   const Floats& above, Floats& cell) {
  const When inside(w, inner);
  const Floats west = co_await w.load(in, at - 1U);
  const Floats east = co_await w.load(in, at + 1U);
  const Floats south = co_await w.load(in, at - size.x);
  const Floats north = co_await w.load(in, at + size.x);
  w.merge(cell, (((west + east) + (south + north)) + (beneath + above)) * (1.0F / 6.0F));
}

// A thread walks along z and keeps three cells of its column in registers.
Program relax(Warp& w, Array<float> in, Array<float> out, Cube size) {
  const uint32_t plane = size.x * size.y;
  const uint32_t first = w.place().block * kBlockThreads / plane * kDepth;  // the same for all threads
  const Words column = w.global_thread() & (plane - 1);
  const Words x = column & (size.x - 1);
  const Words y = column >> static_cast<uint32_t>(std::countr_zero(size.x));
  const Mask inner =
      w.logical_and(w.logical_and(x > 0U, x < size.x - 1), w.logical_and(y > 0U, y < size.y - 1));
  Words at = column + first * plane;
  Floats beneath = 0.0F;
  if (first > 0) {
    beneath = co_await w.load(in, at - plane);
  }
  Floats cell = co_await w.load(in, at);
  for (uint32_t z = first; z < first + kDepth; ++z) {
    Floats above = 0.0F;
    if (z + 1 < size.z) {
      above = co_await w.load(in, at + plane);
    }
    Floats next = cell;
    if (z > 0 && z + 1 < size.z) {
      co_await relax_cell(w, in, size, at, inner, beneath, above, next);
    }
    w.store(out, at, next);
    beneath = std::move(cell);
    cell = std::move(above);
    at = at + plane;
    co_await end_of_loop(w);
  }
}

[[nodiscard]] std::vector<float> relaxed(const std::vector<float>& in, const Cube& size) {
  std::vector<float> out = in;
  const uint32_t plane = size.x * size.y;
  for (uint32_t i = plane; i + plane < size.cells(); ++i) {
    const uint32_t x = i % size.x;
    const uint32_t y = i / size.x % size.y;
    if (x > 0 && x + 1 < size.x && y > 0 && y + 1 < size.y) {
      out[i] =
          (((in[i - 1] + in[i + 1]) + (in[i - size.x] + in[i + size.x])) + (in[i - plane] + in[i + plane])) *
          (1.0F / 6.0F);
    }
  }
  return out;
}

[[nodiscard]] WorkloadRun set_up_lps(Memory& memory, uint64_t, bool quick) {
  const Cube size = quick ? Cube{64, 64, 32} : Cube{64, 128, 64};
  const uint32_t iterations = 2;
  const std::vector<float> cells = make_cube(size);
  const Swapping<float> grids{memory.allocate<float>("u1", std::span(cells)),
                              memory.allocate<float>("u2", cells.size())};
  std::vector<Launch> launches;
  for (uint32_t i = 0; i < iterations; ++i) {
    const auto in = grids.in(i);
    const auto out = grids.out(i);
    launches.push_back(
        launch_of(size.cells() / kDepth, 22, [=](Warp& w) { return relax(w, in, out, size); }));
  }
  return run_of(std::move(launches), [=](const Memory& end) {
    return expect_equal(end, grids.in(iterations), relaxed(relaxed(cells, size), size), "u");
  });
}

// ---------------------------------------------------------------------------------------------------------
// hs: temperatures of a chip from its power, by explicit time steps

struct Chip {
  Array<float> power;
  Swapping<float> temperature;
  uint32_t width = 0;
  uint32_t height = 0;
};

constexpr float kCell = 0.03F;
constexpr float kAmbient = 80.0F;

// Units of a floor plan, with one power each and large idle areas.
[[nodiscard]] std::vector<float> make_power(Random& random, uint32_t width, uint32_t height) {
  constexpr uint32_t kUnit = 48;
  std::vector<float> power(size_t{width} * height);
  for (uint32_t y0 = 0; y0 < height; y0 += kUnit) {
    for (uint32_t x0 = 0; x0 < width; x0 += kUnit) {
      const float watts = below(random, 3) == 0 ? 0.0F : unit(random) * 0.01F;
      for (uint32_t y = y0; y < std::min(height, y0 + kUnit); ++y) {
        std::fill_n(power.begin() + static_cast<ptrdiff_t>(size_t{y} * width + x0),
                    std::min(kUnit, width - x0), watts);
      }
    }
  }
  return power;
}

// Smooth hills around 330 kelvin.
[[nodiscard]] std::vector<float> make_temperature(Random& random, uint32_t width, uint32_t height) {
  std::vector<float> kelvin(size_t{width} * height);
  const float phase = unit(random);
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      const float hill = std::abs(static_cast<float>((x + 2 * y) % 512) / 256.0F - 1.0F);
      kelvin[size_t{y} * width + x] = 325.0F + phase + 8.0F * hill + 0.002F * unit(random);
    }
  }
  return kelvin;
}

[[nodiscard]] float step_of(float cell, float north, float south, float west, float east, float watts) {
  const float vertical = (north + south) - 2.0F * cell;
  const float horizontal = (west + east) - 2.0F * cell;
  const float flow = ((vertical * 0.1F + horizontal * 0.1F) + (kAmbient - cell) * 0.0001F) + watts;
  return flow * kCell + cell;
}

Program heat(Warp& w, Chip chip, Array<float> in, Array<float> out) {
  const Words i = w.global_thread();
  const Words x = i % chip.width;
  const Words y = i / chip.width;
  const Floats cell = co_await w.load(in, i);
  const Floats watts = co_await w.load(chip.power, i);
  const Floats north = co_await w.load(in, w.select(y > 0U, i - chip.width, i));
  const Floats south = co_await w.load(in, w.select(y < chip.height - 1, i + chip.width, i));
  const Floats west = co_await w.load(in, w.select(x > 0U, i - 1U, i));
  const Floats east = co_await w.load(in, w.select(x < chip.width - 1, i + 1U, i));
  const Floats twice = cell * 2.0F;
  const Floats vertical = (north + south) - twice;
  const Floats horizontal = (west + east) - twice;
  const Floats flow = ((vertical * 0.1F + horizontal * 0.1F) + (Floats(kAmbient) - cell) * 0.0001F) + watts;
  w.store(out, i, w.fma(flow, Floats(kCell), cell));
}

[[nodiscard]] std::vector<float> heated(const std::vector<float>& in, const std::vector<float>& power,
                                        uint32_t width, uint32_t height) {
  std::vector<float> out(in.size());
  for (uint32_t i = 0; i < in.size(); ++i) {
    const uint32_t x = i % width;
    const uint32_t y = i / width;
    out[i] = step_of(in[i], in[y > 0 ? i - width : i], in[y < height - 1 ? i + width : i],
                     in[x > 0 ? i - 1 : i], in[x < width - 1 ? i + 1 : i], power[i]);
  }
  return out;
}

[[nodiscard]] WorkloadRun set_up_hs(Memory& memory, uint64_t seed, bool quick) {
  Random random(seed);
  const uint32_t width = quick ? 384 : 768;
  const uint32_t height = quick ? 256 : 512;
  const std::vector<float> power = make_power(random, width, height);
  const std::vector<float> kelvin = make_temperature(random, width, height);
  const Chip chip{memory.allocate<float>("power", std::span(power)),
                  {memory.allocate<float>("temperature", std::span(kelvin)),
                   memory.allocate<float>("next", kelvin.size())},
                  width,
                  height};
  const auto step = [&](uint32_t number) {
    const auto in = chip.temperature.in(number);
    const auto out = chip.temperature.out(number);
    return launch_of(width * height, 20, [=](Warp& w) { return heat(w, chip, in, out); });
  };
  return run_of({step(0)}, [=](const Memory& end) {
    return expect_equal(end, chip.temperature.second, heated(kelvin, power, width, height), "temperature");
  });
}

}  // namespace

void add_stencils(std::vector<Workload>& all) {
  all.push_back({.name = "CONS",
                 .kind = WorkloadClass::memory,
                 .represents = "proxy for CUDA SDK convolutionSeparable",
                 .description = "separable convolution of a float image, 9 taps, through shared memory",
                 .setup = set_up_cons});
  all.push_back({.name = "LPS",
                 .kind = WorkloadClass::memory,
                 .represents = "proxy for CUDA SDK laplace3d",
                 .description = "7-point Jacobi iterations on a float cube with fixed faces, mostly zeros",
                 .setup = set_up_lps});
  all.push_back(
      {.name = "hs",
       .kind = WorkloadClass::memory,
       .represents = "proxy for Rodinia hotspot",
       .description = "5-point heat step on smooth float temperatures and a piecewise constant power",
       .setup = set_up_hs});
}

}  // namespace bobbin::sim
