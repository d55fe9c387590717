// Fixed-point arithmetic of the reference kernels: gemmlowp's roundings (see the paper and code of that project), as
// TFLite's reference kernels use them, and the two that round once (tinsmith/rounding.h).
#ifndef TINSMITH_KERNELS_REFERENCE_ARITHMETIC_H_
#define TINSMITH_KERNELS_REFERENCE_ARITHMETIC_H_

#include <stdint.h>

#include "float_rules.h"
#include "tinsmith/types.h"

// A function of which each kernel that calls it gets a copy: a call for each output element would cost more.
#if defined(__GNUC__)
#define INLINE_IN_EACH_KERNEL static inline __attribute__((always_inline))
#else
#define INLINE_IN_EACH_KERNEL static inline
#endif

static inline int32_t clamp_s32(int32_t value, int32_t min, int32_t max) {
  const int32_t raised = value < min ? min : value;
  return raised > max ? max : raised;
}

static inline float clamp_f32(float value, float min, float max) {
  const float raised = value < min ? min : value;
  return raised > max ? max : raised;
}

// Multiply by 2**shift without the undefined behaviour of shifting negative numbers; wraps like the hardware.
static inline int32_t shift_left_s32(int32_t value, int32_t shift) {
  return (int32_t)((uint32_t)value << shift);
}

// High 32 bits of 2 * lhs * rhs, rounded to nearest, ties up; saturates the one product that does not fit. gemmlowp
// adds a nudge by sign and divides with truncation; this shift gives the same number.
static inline int32_t multiply_high(int32_t lhs, int32_t rhs) {
  if (lhs == INT32_MIN && rhs == INT32_MIN) {
    return INT32_MAX;
  }
  return (int32_t)(((int64_t)lhs * rhs + (INT64_C(1) << 30)) >> 31);
}

// value / 2**exponent, rounded to nearest, ties away from zero; exponent in [0, 31].
static inline int32_t divide_by_power_of_two(int32_t value, int32_t exponent) {
  const int32_t mask = (int32_t)((UINT32_C(1) << exponent) - 1);
  const int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> exponent) + ((value & mask) > threshold ? 1 : 0);
}

// value * multiplier * 2**(shift - 31) with two roundings.
static inline int32_t scale_s32(int32_t value, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t right = shift > 0 ? 0 : -shift;
  return divide_by_power_of_two(multiply_high(shift_left_s32(value, left), multiplier), right);
}

// scaled + offset, clamped, without overflow of the sum; offset, min and max within int16.
static inline int32_t offset_and_clamp(int32_t scaled, int32_t offset, int32_t min, int32_t max) {
  return clamp_s32(scaled, min - offset, max - offset) + offset;
}

// The output element of an accumulator.
static inline int32_t apply_stage(const tinsmith_output_stage *stage, int32_t acc, int32_t channel) {
  const int32_t index = channel * stage->channel_step;
  const int32_t scaled = scale_s32(acc, stage->multipliers[index], stage->shifts[index]);
  return offset_and_clamp(scaled, stage->output_offset, stage->clamp_min, stage->clamp_max);
}

// value * multiplier * 2**(shift - 31) for a 64-bit value: TFLite reduces the multiplier to 15 bits, then rounds once
// to nearest, ties up. |value| < 2**47, shift in [-31, 7].
static inline int32_t scale_s64(int64_t value, int32_t multiplier, int32_t shift) {
  const int32_t reduced = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
  const int32_t right = 15 - shift;
  return (int32_t)((value * reduced + (INT64_C(1) << (right - 1))) >> right);
}

// The output element of a 64-bit accumulator.
static inline int32_t apply_stage_s64(const tinsmith_output_stage *stage, int64_t acc, int32_t channel) {
  const int32_t index = channel * stage->channel_step;
  const int32_t scaled = scale_s64(acc, stage->multipliers[index], stage->shifts[index]);
  return offset_and_clamp(scaled, stage->output_offset, stage->clamp_min, stage->clamp_max);
}

// product * 2**(shift - 31) rounded once: to nearest, ties up. |product| <= 2**62, shift in [-31, 31].
static inline int64_t round_nearest(int64_t product, int32_t shift) {
  const int32_t right = 31 - shift;
  return (product + ((INT64_C(1) << right) >> 1)) >> right;
}

// The same, down.
static inline int64_t round_floor(int64_t product, int32_t shift) {
  return product >> (31 - shift);
}

// scaled + offset, clamped to numbers of int32; |scaled| <= 2**62.
static inline int32_t offset_and_clamp_s64(int64_t scaled, int32_t offset, int32_t min, int32_t max) {
  const int64_t shifted = scaled + offset;
  const int64_t raised = shifted < min ? min : shifted;
  return (int32_t)(raised > max ? max : raised);
}

// apply_stage for accumulators of 32 bits, or of 64 with a multiplier of 15; `round` is one of the two above.
#define DEFINE_APPLY_STAGE(name, round)                                                            \
  static inline int32_t name(const tinsmith_output_stage *stage, int64_t acc, int32_t channel) {   \
    const int32_t index = channel * stage->channel_step;                                           \
    const int64_t scaled = round(acc * stage->multipliers[index], stage->shifts[index]);           \
    return offset_and_clamp_s64(scaled, stage->output_offset, stage->clamp_min, stage->clamp_max); \
  }

DEFINE_APPLY_STAGE(apply_stage_nearest, round_nearest)
DEFINE_APPLY_STAGE(apply_stage_floor, round_floor)

#endif  // TINSMITH_KERNELS_REFERENCE_ARITHMETIC_H_
