// Normalization of rows, the last axis: the logarithm of softmax, and division by the Euclidean norm.
#ifndef TINSMITH_NORMALIZATION_H_
#define TINSMITH_NORMALIZATION_H_

#include <stdint.h>

#include "tinsmith/symbols.h"
#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_log_softmax_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_log_softmax_s8)
#define tinsmith_log_softmax_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_log_softmax_f32)
#define tinsmith_l2_normalization_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_l2_normalization_s8)
#define tinsmith_l2_normalization_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_l2_normalization_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** The scale of the input in Q5.26, and back. */
typedef struct {
  /** Its shift is at least 0. */
  tinsmith_scale forward;
  /** At most 0: elements further below the row's largest than this do not count in the sum. */
  int32_t diff_min;
  tinsmith_scale back;
} tinsmith_log_softmax_parameters;

/**
 * Logarithm of softmax of int8 in gemmlowp's fixed-point arithmetic, as TFLite's reference kernel does it.
 *
 * @param[in] rows       at least 1
 * @param[in] depth      elements of a row, in [1, 4095]
 * @param[in] parameters see there
 * @param[in] input      (rows, depth)
 * @param[out] output    (rows, depth), scale 1/16 and zero point 127; may be the input
 */
void tinsmith_log_softmax_s8(int32_t rows, int32_t depth, const tinsmith_log_softmax_parameters *parameters,
                             const int8_t *input, int8_t *output);

/**
 * (x - max) - log(sum of exp(x - max)) of float, exp and log by additions, multiplications and divisions only, summed
 * in order of depth.
 *
 * @param[in] rows    at least 1
 * @param[in] depth   elements of a row, at least 1
 * @param[in] input   (rows, depth), finite
 * @param[out] output (rows, depth); may be the input
 */
void tinsmith_log_softmax_f32(int32_t rows, int32_t depth, const float *input, float *output);

/**
 * Each row divided by the root of the sum of its squares, in fixed point as TFLite's reference kernel does it.
 *
 * @param[in] rows       at least 1
 * @param[in] depth      elements of a row, in [1, 33025]
 * @param[in] zero_point of the input
 * @param[in] input      (rows, depth)
 * @param[out] output    (rows, depth), scale 1/128 and zero point 0; may be the input
 */
void tinsmith_l2_normalization_s8(int32_t rows, int32_t depth, int32_t zero_point, const int8_t *input, int8_t *output);

/** The same of float, any depth; squares are added in order of depth, and the divisor is at least 1e-6. */
void tinsmith_l2_normalization_f32(int32_t rows, int32_t depth, const float *input, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_NORMALIZATION_H_
