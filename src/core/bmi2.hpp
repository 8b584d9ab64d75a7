// SPDX-License-Identifier: Apache-2.0
// Marks a function that is compiled a second time for CPUs with BMI2, and checks whether the CPU has it:
// there a shift by a variable number of bits takes one instruction instead of three. As BOBBIN_AVX2.
#pragma once

#if defined(__x86_64__)
#define BOBBIN_BMI2 [[gnu::target("bmi,bmi2")]]
#else
#define BOBBIN_BMI2
#endif

namespace bobbin {

inline bool have_bmi2() {
#if defined(__x86_64__)
  static const bool have = __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
  return have;
#else
  return false;
#endif
}

}  // namespace bobbin
