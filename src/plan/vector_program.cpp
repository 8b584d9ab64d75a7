// SPDX-License-Identifier: Apache-2.0
#include "plan/vector_program.hpp"

#include <algorithm>
#include <functional>
#include <type_traits>

#include "core/dispatch.hpp"
#include "core/portable.hpp"
#include "plan/arithmetic.hpp"
#include "plan/host_loops.hpp"

namespace bobbin::plan {
namespace {

constexpr uint32_t kRows = kVectorLength;

template <class F>
auto visit_number(NumberType type, F&& f) {
  switch (type) {
    case NumberType::i32:
      return f(std::type_identity<int32_t>{});
    case NumberType::i64:
      return f(std::type_identity<int64_t>{});
    case NumberType::i128:
      return f(std::type_identity<Int128>{});
    case NumberType::f64:
      break;
  }
  return f(std::type_identity<double>{});
}

size_t size_of(NumberType type) {
  return visit_number(type, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

template <class T>
const T* values(const std::byte* from) {
  return reinterpret_cast<const T*>(from);
}

template <class Op, class Out, class A, class B>
BOBBIN_INLINE void combine_vectors(const std::byte* a, const std::byte* b, std::byte* out,
                                   [[maybe_unused]] uint8_t* overflow, uint32_t count) {
  const A* const x = values<A>(a);
  const B* const y = values<B>(b);
  auto* const to = reinterpret_cast<Out*>(out);
  for (uint32_t i = 0; i < count; ++i) {
    if constexpr (sizeof(Out) == sizeof(Int128)) {
      const bool exceeds = std::is_same_v<Op, Add>        ? __builtin_add_overflow(x[i], y[i], &to[i])
                           : std::is_same_v<Op, Subtract> ? __builtin_sub_overflow(x[i], y[i], &to[i])
                                                          : __builtin_mul_overflow(x[i], y[i], &to[i]);
      overflow[i] |= exceeds ? 1 : 0;
    } else {
      to[i] = Op::of(static_cast<Out>(x[i]), static_cast<Out>(y[i]));
    }
  }
}
template <class Op, class Out, class A, class B>
BOBBIN_AVX2 void combine_avx2(const std::byte* a, const std::byte* b, std::byte* out, uint8_t* overflow,
                              uint32_t count) {
  combine_vectors<Op, Out, A, B>(a, b, out, overflow, count);
}
template <class Op, class Out, class A, class B>
VectorProgram::Loop combine_loop() {
  return have_avx2() ? &combine_avx2<Op, Out, A, B> : &combine_vectors<Op, Out, A, B>;
}

// Operands of up to 64 bits are widened as they are read.
template <class Op>
VectorProgram::Loop loop_for(NumberType out, NumberType a, NumberType b) {
  if (out == NumberType::f64) {
    return combine_loop<Op, double, double, double>();
  }
  if (out == NumberType::i128) {
    return combine_loop<Op, Int128, Int128, Int128>();
  }
  if (out == NumberType::i32) {
    return combine_loop<Op, int32_t, int32_t, int32_t>();
  }
  const bool narrow_a = a == NumberType::i32;
  const bool narrow_b = b == NumberType::i32;
  return narrow_a ? (narrow_b ? combine_loop<Op, int64_t, int32_t, int32_t>()
                              : combine_loop<Op, int64_t, int32_t, int64_t>())
                  : (narrow_b ? combine_loop<Op, int64_t, int64_t, int32_t>()
                              : combine_loop<Op, int64_t, int64_t, int64_t>());
}

template <class Out, class In>
BOBBIN_INLINE void convert_vector(const std::byte* a, const std::byte* /*b*/, std::byte* out,
                                  uint8_t* /*overflow*/, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    reinterpret_cast<Out*>(out)[i] = static_cast<Out>(values<In>(a)[i]);
  }
}
template <class Out, class In>
BOBBIN_AVX2 void convert_avx2(const std::byte* a, const std::byte* b, std::byte* out, uint8_t* overflow,
                              uint32_t count) {
  convert_vector<Out, In>(a, b, out, overflow, count);
}
template <class Out, class In>
VectorProgram::Loop convert_loop() {
  return have_avx2() ? &convert_avx2<Out, In> : &convert_vector<Out, In>;
}

template <class T, class Comp>
BOBBIN_INLINE void compare_vectors(const std::byte* a, const std::byte* b, uint32_t* bits) {
  for (uint32_t w = 0; w < kRows / 32; ++w) {
    uint8_t flags[32];
    for (uint32_t i = 0; i < 32; ++i) {
      flags[i] = static_cast<uint8_t>(Comp()(values<T>(a)[w * 32 + i], values<T>(b)[w * 32 + i]));
    }
    bits[w] = gather_bits(flags);
  }
}
template <class T, class Comp>
BOBBIN_AVX2 void compare_avx2(const std::byte* a, const std::byte* b, uint32_t* bits) {
  compare_vectors<T, Comp>(a, b, bits);
}

}  // namespace

VectorProgram::VectorProgram(const Expression& expression, std::span<const DType> types,
                             std::optional<NumberType> result)
    : type_(result.value_or(expression.type())),
      columns_(expression.columns()),
      registers_(columns_.size(), nullptr) {
  struct Place {
    uint32_t at;
    NumberType type;
  };
  if (expression.is_wide() || type_ == NumberType::i128) {
    overflow_ = std::make_unique<uint8_t[]>(kRows);
  }
  std::vector<Place> stack;
  for (const Expression::Step& step : expression.steps) {
    switch (step.op) {
      case Expression::Op::column:
        stack.push_back({add_column(step, types[step.column]), step.type});
        continue;
      case Expression::Op::constant:
        stack.push_back({add_constant(step), step.type});
        continue;
      case Expression::Op::to_real:
        stack.back() = {to_real(stack.back().at, stack.back().type, step.real), step.type};
        continue;
      case Expression::Op::negate:
        // -x is 0 - x. Floats are multiplied by -1 instead, because 0 - x loses the sign of zero.
        stack.push_back(stack.back());
        stack[stack.size() - 2] = {
            add_constant({.op = Expression::Op::constant, .type = step.type, .integer = 0, .real = -1.0}),
            step.type};
        break;
      default:
        break;
    }
    const Place b = stack.back();
    stack.pop_back();
    const Place a = stack.back();
    const bool wide = step.type == NumberType::i128;
    Instruction made{.a = wide ? convert(a.at, a.type, step.type) : a.at,
                     .b = wide ? convert(b.at, b.type, step.type) : b.at};
    const bool times = step.op == Expression::Op::multiply ||
                       (step.op == Expression::Op::negate && step.type == NumberType::f64);
    made.loop = times                            ? loop_for<Multiply>(step.type, a.type, b.type)
                : step.op == Expression::Op::add ? loop_for<Add>(step.type, a.type, b.type)
                                                 : loop_for<Subtract>(step.type, a.type, b.type);
    made.out = add_register(step.type);
    instructions_.push_back(made);
    stack.back() = {made.out, step.type};
  }
  result_ = convert(stack.back().at, stack.back().type, type_);
}

uint32_t VectorProgram::add_register(NumberType type) {
  memory_.emplace_back(kRows * size_of(type));
  registers_.push_back(memory_.back().data());
  return static_cast<uint32_t>(registers_.size() - 1);
}

uint32_t VectorProgram::convert(uint32_t from, NumberType from_type, NumberType to_type) {
  if (from_type == to_type) {
    return from;
  }
  const Loop loop = visit_number(from_type, [&]<class In>(std::type_identity<In>) {
    return to_type == NumberType::i128 ? convert_loop<Int128, In>() : convert_loop<int64_t, In>();
  });
  instructions_.push_back({.loop = loop, .a = from, .b = from, .out = add_register(to_type)});
  return instructions_.back().out;
}

// Values that have the right bits already are not copied.
uint32_t VectorProgram::add_column(const Expression::Step& step, DType type) {
  const auto from = static_cast<uint32_t>(std::ranges::lower_bound(columns_, step.column) - columns_.begin());
  const bool same = step.type == NumberType::f64   ? type == DType::f64
                    : step.type == NumberType::i32 ? type == DType::i32 || type == DType::u32
                    : step.type == NumberType::i64 ? type == DType::i64 || type == DType::u64
                                                   : false;
  if (same) {
    return from;
  }
  const Loop loop = visit_type(type, [&]<class In>(std::type_identity<In>) {
    return visit_number(step.type,
                        []<class Out>(std::type_identity<Out>) { return convert_loop<Out, In>(); });
  });
  instructions_.push_back({.loop = loop, .a = from, .b = from, .out = add_register(step.type)});
  return instructions_.back().out;
}

uint32_t VectorProgram::add_constant(const Expression::Step& step) {
  const uint32_t made = add_register(step.type);
  visit_number(step.type, [&]<class T>(std::type_identity<T>) {
    const T value = std::is_floating_point_v<T> ? static_cast<T>(step.real) : static_cast<T>(step.integer);
    std::fill_n(reinterpret_cast<T*>(memory_.back().data()), kRows, value);
  });
  return made;
}

uint32_t VectorProgram::to_real(uint32_t from, NumberType type, double divisor) {
  const Loop loop =
      visit_number(type, []<class In>(std::type_identity<In>) { return convert_loop<double, In>(); });
  instructions_.push_back(
      {.loop = loop, .a = from, .b = from, .out = add_register(NumberType::f64), .divisor = divisor});
  return instructions_.back().out;
}

const std::byte* VectorProgram::run(std::span<const std::byte* const> inputs, uint32_t count) {
  std::ranges::copy(inputs, registers_.begin());
  if (overflow_ != nullptr) {
    std::fill_n(overflow_.get(), kRows, 0);
  }
  for (const Instruction& instruction : instructions_) {
    auto* const out = memory_[instruction.out - columns_.size()].data();
    instruction.loop(registers_[instruction.a], registers_[instruction.b], out, overflow_.get(), count);
    if (instruction.divisor != 1) {
      auto* const reals = reinterpret_cast<double*>(out);
      std::transform(reals, reals + count, reals, [&](double real) { return real / instruction.divisor; });
    }
  }
  return registers_[result_];
}

CompareLoop compare_loop(Compare op, NumberType type) {
  return visit_number(type, [&]<class T>(std::type_identity<T>) -> CompareLoop {
    const auto pick = []<class Comp>(Comp) -> CompareLoop {
      return have_avx2() ? &compare_avx2<T, Comp> : &compare_vectors<T, Comp>;
    };
    switch (op) {
      case Compare::eq:
        return pick(std::equal_to<>());
      case Compare::ne:
        return pick(std::not_equal_to<>());
      case Compare::lt:
        return pick(std::less<>());
      case Compare::le:
        return pick(std::less_equal<>());
      case Compare::gt:
        return pick(std::greater<>());
      case Compare::ge:
        break;
    }
    return pick(std::greater_equal<>());
  });
}

NumberType compared_type(const Comparison& comparison) {
  return std::max(comparison.left.type(), comparison.right.type());
}

}  // namespace bobbin::plan
