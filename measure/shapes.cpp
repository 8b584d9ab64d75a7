// SPDX-License-Identifier: Apache-2.0
#include "measure/shapes.hpp"

#include <bit>
#include <cstring>

namespace bobbin::bench {
namespace {

class Constant final : public Generator {
 public:
  explicit Constant(uint64_t /*seed*/) {}
  uint64_t next() override { return 42; }
};

class Counter final : public Generator {
 public:
  explicit Counter(uint64_t seed) : value_(seed % 1000) {}
  uint64_t next() override { return value_++; }

 private:
  uint64_t value_;
};

// Milliseconds since 1970, increasing by up to two seconds.
class Timestamps final : public Generator {
 public:
  explicit Timestamps(uint64_t seed) : random_(seed) {}
  uint64_t next() override { return value_ += random_.below(2000); }

 private:
  Random random_;
  uint64_t value_ = 1'700'000'000'000;
};

class Uniform final : public Generator {
 public:
  Uniform(uint64_t seed, uint64_t bound) : random_(seed), bound_(bound) {}
  uint64_t next() override { return random_.below(bound_); }

 private:
  Random random_;
  uint64_t bound_;
};

// Runs of adjacent ids around a centre that jumps, as in a table sorted by something else.
class Clustered final : public Generator {
 public:
  explicit Clustered(uint64_t seed) : random_(seed) {}
  uint64_t next() override {
    if (left_ == 0) {
      left_ = 500 + random_.below(4000);
      centre_ = random_.below(4'000'000'000);
    }
    --left_;
    return centre_ + random_.below(200);
  }

 private:
  Random random_;
  uint64_t left_ = 0;
  uint64_t centre_ = 0;
};

// A signed random walk that is pulled back to zero: about -2000 to 2000.
class Sensor final : public Generator {
 public:
  explicit Sensor(uint64_t seed) : random_(seed) {}
  uint64_t next() override {
    value_ += static_cast<int64_t>(random_.below(129)) - 64 - value_ / 128;
    return static_cast<uint64_t>(value_);
  }

 private:
  Random random_;
  int64_t value_ = 0;
};

class FullWidth final : public Generator {
 public:
  explicit FullWidth(uint64_t seed) : random_(seed) {}
  uint64_t next() override { return random_.next(); }

 private:
  Random random_;
};

// Half the values are below 4, a quarter below 8, and so on: a long tail, as in word or visit counts.
class Skewed final : public Generator {
 public:
  explicit Skewed(uint64_t seed) : random_(seed) {}
  uint64_t next() override {
    const auto bits = static_cast<uint32_t>(2 + std::countr_zero(random_.next() | uint64_t{1} << 24));
    return random_.next() & ((uint64_t{1} << bits) - 1);
  }

 private:
  Random random_;
};

template <class G>
std::unique_ptr<Generator> make(uint64_t seed) {
  return std::make_unique<G>(seed);
}

template <uint64_t kBound>
std::unique_ptr<Generator> make_below(uint64_t seed) {
  return std::make_unique<Uniform>(seed, kBound);
}

constexpr ColumnShape kShapes[] = {
    {"constant", "one value", DType::u32, &make<Constant>},
    {"counter", "row numbers", DType::u32, &make<Counter>},
    {"timestamps", "rising milliseconds", DType::i64, &make<Timestamps>},
    {"small", "0 to 9", DType::u8, &make_below<10>},
    {"percent", "0 to 100", DType::u16, &make_below<101>},
    {"uniform20", "uniform, 20 bits", DType::u32, &make_below<(1 << 20)>},
    {"clustered", "ids around jumping centres", DType::u64, &make<Clustered>},
    {"sensor", "signed walk around zero", DType::i16, &make<Sensor>},
    {"skewed", "small counts with a long tail", DType::u32, &make<Skewed>},
    {"random", "every bit random", DType::u32, &make<FullWidth>},
};

Bytes fill(Generator& generator, DType type, uint64_t length) {
  const size_t size = size_bytes(type);
  Bytes bytes(static_cast<size_t>(length) * size);
  for (uint64_t i = 0; i < length; ++i) {
    const uint64_t value = generator.next();
    std::memcpy(bytes.data() + i * size, &value, size);  // little-endian: the low bytes come first
  }
  return bytes;
}

class LowBits final : public Generator {
 public:
  LowBits(uint64_t seed, uint64_t mask) : random_(seed), mask_(mask) {}
  uint64_t next() override { return random_.next() & mask_; }

 private:
  Random random_;
  uint64_t mask_;
};

}  // namespace

std::span<const ColumnShape> all_shapes() {
  return kShapes;
}

const ColumnShape* find_shape(std::string_view name) {
  for (const ColumnShape& shape : kShapes) {
    if (shape.name == name) {
      return &shape;
    }
  }
  return nullptr;
}

Bytes make_values(const ColumnShape& shape, DType type, uint64_t length, uint64_t seed) {
  const std::unique_ptr<Generator> generator = shape.make(seed);
  return fill(*generator, type, length);
}

Bytes make_uniform(DType type, uint32_t bits, uint64_t length, uint64_t seed) {
  LowBits generator(seed, bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1);
  return fill(generator, type, length);
}

}  // namespace bobbin::bench
