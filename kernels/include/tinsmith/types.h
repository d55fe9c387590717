// Parameter structs that several subjects share.
#ifndef TINSMITH_TYPES_H_
#define TINSMITH_TYPES_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

/** Dimensions that a strided kernel can walk; the compiler merges dimensions, so that real networks need fewer. */
#define TINSMITH_MAX_RANK 6

/**
 * How an int32 accumulator becomes an output element: scaled by multiplier * 2**(shift - 31) with two roundings (to
 * nearest, ties up, by the multiplier; to nearest, ties away from zero, by the shift: gemmlowp's arithmetic), then
 * output_offset is added, then it is clamped.
 */
typedef struct {
  /** Q31 numbers, 0 or in [2**30, 2**31); one, or one per output channel. */
  const int32_t *multipliers;
  /** In [-31, 30], positive is to the left; as many as multipliers. */
  const int32_t *shifts;
  /** 0: one multiplier for all channels; 1: one per channel. */
  int32_t channel_step;
  /** Minus the input's zero point, added to every input element. */
  int32_t input_offset;
  /** The output's zero point. */
  int32_t output_offset;
  int32_t clamp_min;
  int32_t clamp_max;
} tinsmith_output_stage;

/** One multiplier * 2**(shift - 31), ranges as in tinsmith_output_stage. */
typedef struct {
  int32_t multiplier;
  int32_t shift;
} tinsmith_scale;

/** Smallest and largest integer result. */
typedef struct {
  int32_t min;
  int32_t max;
} tinsmith_clamp;

/** Smallest and largest result of a float kernel; -FLT_MAX and FLT_MAX when the network does not clamp. */
typedef struct {
  float min;
  float max;
} tinsmith_clamp_f32;

#endif  // TINSMITH_TYPES_H_
