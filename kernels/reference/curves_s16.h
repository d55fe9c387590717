// The logistic function and tanh of one int16 by straight lines between the values of a table; see tinsmith/logistic.h.
#ifndef TINSMITH_KERNELS_REFERENCE_CURVES_S16_H_
#define TINSMITH_KERNELS_REFERENCE_CURVES_S16_H_

#include <stdint.h>

#include "tinsmith/logistic.h"

#define TABLE_SIZE 256
#define LOGISTIC_STEP_BITS 9  // 512 of 12288 steps are 1/24, which is what the table goes by
#define TANH_STEP_BITS 8      // tanh(x) = 2 / (1 + exp(-2 x)) - 1
#define LOGISTIC_LIMIT 32766  // makes 32767 after rounding
#define TANH_LIMIT 32767

// value * multiplier stays within 30 bits, the half that is added too.
static inline int32_t table_steps(const tinsmith_curve_parameters *parameters, int32_t value) {
  const int32_t half = (int32_t)((UINT32_C(1) << parameters->right_shift) >> 1);
  return (value * parameters->multiplier + half) >> parameters->right_shift;
}

// The table at steps of 2**-bits of its own, times 2**bits; from its last value on `limit` instead.
static inline int32_t between_values(const int16_t *table, int32_t steps, int32_t bits, int32_t limit) {
  const int32_t index = steps >> bits;
  if (index >= TABLE_SIZE - 1) {
    return limit << bits;
  }
  const int32_t fraction = steps & ((1 << bits) - 1);
  return (table[index] << bits) + fraction * (table[index + 1] - table[index]);
}

// Of a function that is odd; below zero one less, so that halves go away from zero once they are rounded.
static inline int32_t odd(const int16_t *table, int32_t steps, int32_t bits, int32_t limit) {
  return steps < 0 ? -between_values(table, -steps, bits, limit) - 1 : between_values(table, steps, bits, limit);
}

static inline int32_t logistic_from_table(const tinsmith_curve_parameters *parameters, int32_t value) {
  const int32_t steps = table_steps(parameters, value);
  const int32_t above_half = odd(parameters->table, steps, LOGISTIC_STEP_BITS, LOGISTIC_LIMIT);
  return (above_half + (1 << 24) + (1 << 9)) >> 10;
}

static inline int32_t tanh_from_table(const tinsmith_curve_parameters *parameters, int32_t value) {
  const int32_t steps = table_steps(parameters, value);
  return (odd(parameters->table, steps, TANH_STEP_BITS, TANH_LIMIT) + (1 << 7)) >> 8;
}

#endif  // TINSMITH_KERNELS_REFERENCE_CURVES_S16_H_
