// Softmax over the last axis, in plain C.
#ifndef TINSMITH_SOFTMAX_H_
#define TINSMITH_SOFTMAX_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_softmax_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_softmax_s8)
#define tinsmith_softmax_s8_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_softmax_s8_s16)
#define tinsmith_softmax_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_softmax_s16)
#define tinsmith_softmax_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_softmax_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** Parameters of the fixed-point softmax: beta * scale of the input as multiplier * 2**(shift - 31), in Q5.26. */
typedef struct {
  int32_t multiplier;
  /** At least 0. */
  int32_t shift;
  /** At most 0: elements further below the row's largest than this have the probability 0. */
  int32_t diff_min;
} tinsmith_softmax_parameters;

/**
 * Softmax of int8 in gemmlowp's fixed-point arithmetic, as TFLite's reference kernel does it.
 *
 * @param[in] rows       at least 1
 * @param[in] depth      elements of a row, in [1, 4095]
 * @param[in] parameters see there
 * @param[in] input      (rows, depth)
 * @param[out] output    (rows, depth), scale 1/256 and zero point -128; may be the input
 */
void tinsmith_softmax_s8(int32_t rows, int32_t depth, const tinsmith_softmax_parameters *parameters,
                         const int8_t *input, int8_t *output);

/** The same with probabilities of 16 bits, scale 1/65536 and zero point -32768. The output is not the input. */
void tinsmith_softmax_s8_s16(int32_t rows, int32_t depth, const tinsmith_softmax_parameters *parameters,
                             const int8_t *input, int16_t *output);

/** Tables of 513 values and the scale of softmax of int16. */
typedef struct {
  /** beta * scale of the input * 65535 / 10 as multiplier * 2**(shift - 31). */
  int32_t multiplier;
  /** In [-31, 15]. */
  int32_t shift;
  /** exp(x) in units of 2**-15, x from -10 to 0. */
  const int16_t *exponential;
  /** 1 / (1 + x) in units of 2**-15, x from 0 to 1. */
  const int16_t *reciprocal;
} tinsmith_softmax_s16_parameters;

/**
 * Softmax of int16 by straight lines between the values of two tables, as TFLite's reference kernel does it.
 *
 * @param[in] rows       at least 1
 * @param[in] depth      elements of a row, in [1, 65536]
 * @param[in] parameters see there
 * @param[in] input      (rows, depth)
 * @param[out] output    (rows, depth), scale 1/32768 and zero point 0; may be the input
 */
void tinsmith_softmax_s16(int32_t rows, int32_t depth, const tinsmith_softmax_s16_parameters *parameters,
                          const int16_t *input, int16_t *output);

/**
 * Softmax of float: exp(beta * (x - max)) by a polynomial with only float additions and multiplications, summed in
 * order of depth, so that every machine gives the same bits. Relative error of exp: below 3e-7.
 *
 * @param[in] rows    at least 1
 * @param[in] depth   elements of a row, at least 1
 * @param[in] beta    positive
 * @param[in] input   (rows, depth), finite
 * @param[out] output (rows, depth); may be the input
 */
void tinsmith_softmax_f32(int32_t rows, int32_t depth, float beta, const float *input, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_SOFTMAX_H_
