// 1 / sqrt(x) in fixed point, for rows that are divided by a norm or a deviation.
#ifndef TINSMITH_KERNELS_REFERENCE_INVERSE_ROOT_H_
#define TINSMITH_KERNELS_REFERENCE_INVERSE_ROOT_H_

#include "fixed_point.h"

#define ONE_IN_Q3 (1 << 28)
#define THREE_HALVES_IN_Q3 (3 << 27)
#define ROOT_STEPS 5        // of Newton's method, as TFLite has them: within 2**-19
#define EXACT_ROOT_STEPS 6  // within 2**-23

// 1 / sqrt(2 x) of x in [1/4, 1], with 3 integer bits, by Newton's method; the result has none.
static inline int32_t newton_root(int32_t x, int32_t steps) {
  const int32_t half = divide_by_power_of_two(x, 1);
  int32_t root = ONE_IN_Q3;
  for (int32_t step = 0; step < steps; ++step) {
    const int32_t cube = saturating_shift_left(multiply_high(multiply_high(root, root), root), 6);
    root = saturating_shift_left(multiply_high(root, THREE_HALVES_IN_Q3) - multiply_high(half, cube), 3);
  }
  return multiply_high(root, FIXED_ROOT_HALF);
}

// 1 / sqrt(value) as TFLite's GetInvSqrtQuantizedMultiplierExp, of 0 as of 1.
static inline tinsmith_scale inverse_root_of(int32_t value, int32_t steps) {
  tinsmith_scale result = {INT32_MAX, 0};
  if (value <= 1) {
    return result;
  }
  int32_t shift = 11;
  while (value >= 1 << 29) {
    value /= 4;
    ++shift;
  }
  while (value < 1 << 27) {
    value *= 4;
    --shift;
  }
  const int32_t root = newton_root(value >> 1, steps);
  result.multiplier = shift < 0 ? shift_left_s32(root, -shift) : root;
  result.shift = shift < 0 ? 0 : -shift;
  return result;
}

#endif  // TINSMITH_KERNELS_REFERENCE_INVERSE_ROOT_H_
