// Normalization of rows, the last axis, by their moments: layer norm, and by the root of the mean square alone.
#ifndef TINSMITH_MOMENTS_H_
#define TINSMITH_MOMENTS_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_layer_norm_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_layer_norm_s8)
#define tinsmith_layer_norm_s8_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_layer_norm_s8_s16)
#define tinsmith_layer_norm_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_layer_norm_s16)
#define tinsmith_layer_norm_s16_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_layer_norm_s16_s8)
#define tinsmith_layer_norm_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_layer_norm_f32)
#define tinsmith_rms_norm_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_rms_norm_s8)
#define tinsmith_rms_norm_s8_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_rms_norm_s8_s16)
#define tinsmith_rms_norm_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_rms_norm_s16)
#define tinsmith_rms_norm_s16_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_rms_norm_s16_s8)
#define tinsmith_rms_norm_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_rms_norm_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** How integers are normalized. X is depth**2 times the variance of a row's integers, or their mean square. */
typedef struct {
  /** Subtracted from the input; 0 for layer norm, which needs none. */
  int32_t zero_point;
  /** X + e is kept in units of 2**-square_shift; even, in [-62, 60]. */
  int32_t square_shift;
  /** e in that unit: epsilon * depth**2 / scale**2, below 2**62. */
  int64_t epsilon;
  /** 31 - square_shift / 2 - the bits below 1 of a normalized element, of which there are 27 at most in all. */
  int32_t base_shift;
  /** gamma of each element where there is no gamma. */
  int32_t gain;
  /** Bits below a step of the result, in [1, 30]. */
  int32_t right_shift;
  int32_t output_zero_point;
} tinsmith_moment_parameters;

/**
 * (x - mean) / sqrt(variance + epsilon) * gamma + beta in integers: exact moments, one inverse root for each row, and
 * one rounding to nearest, ties up, of each element. Others are of int16, or between int8 and int16.
 *
 * @param[in] rows       at least 1
 * @param[in] depth      elements of a row, in [1, 32768]
 * @param[in] parameters see there
 * @param[in] input      (rows, depth)
 * @param[in] gamma      (depth), in parts of a step times those of a normalized element; NULL for `gain` of all
 * @param[in] beta       (depth), in units of 2**-right_shift steps; NULL for none
 * @param[out] output    (rows, depth); may be the input if it has the same type
 */
void tinsmith_layer_norm_s8(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,
                            const int8_t *input, const int32_t *gamma, const int32_t *beta, int8_t *output);
void tinsmith_layer_norm_s8_s16(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,
                                const int8_t *input, const int32_t *gamma, const int32_t *beta, int16_t *output);
void tinsmith_layer_norm_s16(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,
                             const int16_t *input, const int32_t *gamma, const int32_t *beta, int16_t *output);
void tinsmith_layer_norm_s16_s8(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,
                                const int16_t *input, const int32_t *gamma, const int32_t *beta, int8_t *output);

/** x / sqrt(mean of squares + epsilon) * gamma, as the layer norms. */
void tinsmith_rms_norm_s8(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,
                          const int8_t *input, const int32_t *gamma, int8_t *output);
void tinsmith_rms_norm_s8_s16(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,
                              const int8_t *input, const int32_t *gamma, int16_t *output);
void tinsmith_rms_norm_s16(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,
                           const int16_t *input, const int32_t *gamma, int16_t *output);
void tinsmith_rms_norm_s16_s8(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,
                              const int16_t *input, const int32_t *gamma, int8_t *output);

/**
 * Layer norm of float, any depth: sums in order of depth, one root and one division for each row.
 *
 * @param[in] epsilon  above 0
 * @param[in] gamma    (depth), or NULL for 1
 * @param[in] beta     (depth), or NULL for 0
 * @param[out] output  (rows, depth); may be the input
 */
void tinsmith_layer_norm_f32(int32_t rows, int32_t depth, float epsilon, const float *input, const float *gamma,
                             const float *beta, float *output);

/** The same by the root of the mean square. */
void tinsmith_rms_norm_f32(int32_t rows, int32_t depth, float epsilon, const float *input, const float *gamma,
                           float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_MOMENTS_H_
