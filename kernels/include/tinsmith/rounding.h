// The kernels that round once, in plain C: each as the one of the same name without _nearest or _floor, but for how an
// accumulator is scaled by multiplier * 2**(shift - 31):
//
// - _nearest: (acc * multiplier + 2**(30 - shift)) >> (31 - shift), to nearest, ties up;
// - _floor: (acc * multiplier) >> (31 - shift), down.
//
// Neither wraps or saturates before the clamp. multiplier in [0, 2**31), in [0, 2**15) where accumulators have 64 bits
// (int16 by int8, sums of int64; |acc| below 2**47), shift in [-31, 31]. Fully connected layers of int16 have 64 bits
// with a bias and without.
#ifndef TINSMITH_ROUNDING_H_
#define TINSMITH_ROUNDING_H_

#include <stdint.h>

#include "tinsmith/convolution.h"
#include "tinsmith/elementwise.h"
#include "tinsmith/fully_connected.h"
#include "tinsmith/matmul.h"
#include "tinsmith/partial_sums.h"
#include "tinsmith/pooling.h"
#include "tinsmith/quantization.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_conv2d_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s8_nearest)
#define tinsmith_conv2d_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s8_floor)
#define tinsmith_conv2d_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s16_nearest)
#define tinsmith_conv2d_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s16_floor)
#define tinsmith_depthwise_conv2d_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s8_nearest)
#define tinsmith_depthwise_conv2d_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s8_floor)
#define tinsmith_depthwise_conv2d_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s16_nearest)
#define tinsmith_depthwise_conv2d_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s16_floor)
#define tinsmith_fully_connected_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s8_nearest)
#define tinsmith_fully_connected_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s8_floor)
#define tinsmith_fully_connected_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s16_nearest)
#define tinsmith_fully_connected_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s16_floor)
#define tinsmith_conv2d_s8_asymmetric_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s8_asymmetric_nearest)
#define tinsmith_conv2d_s8_asymmetric_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_conv2d_s8_asymmetric_floor)
#define tinsmith_depthwise_conv2d_s8_asymmetric_nearest \
  TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s8_asymmetric_nearest)
#define tinsmith_depthwise_conv2d_s8_asymmetric_floor \
  TINSMITH_REFERENCE_SYMBOL(tinsmith_depthwise_conv2d_s8_asymmetric_floor)
#define tinsmith_fully_connected_s8_asymmetric_nearest \
  TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s8_asymmetric_nearest)
#define tinsmith_fully_connected_s8_asymmetric_floor \
  TINSMITH_REFERENCE_SYMBOL(tinsmith_fully_connected_s8_asymmetric_floor)
#define tinsmith_batch_matmul_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_batch_matmul_s8_nearest)
#define tinsmith_batch_matmul_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_batch_matmul_s8_floor)
#define tinsmith_batch_matmul_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_batch_matmul_s16_nearest)
#define tinsmith_batch_matmul_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_batch_matmul_s16_floor)
#define tinsmith_add_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_add_s8_nearest)
#define tinsmith_add_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_add_s8_floor)
#define tinsmith_add_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_add_s16_nearest)
#define tinsmith_add_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_add_s16_floor)
#define tinsmith_sub_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_sub_s8_nearest)
#define tinsmith_sub_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_sub_s8_floor)
#define tinsmith_sub_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_sub_s16_nearest)
#define tinsmith_sub_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_sub_s16_floor)
#define tinsmith_mul_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_mul_s8_nearest)
#define tinsmith_mul_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_mul_s8_floor)
#define tinsmith_mul_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_mul_s16_nearest)
#define tinsmith_mul_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_mul_s16_floor)
#define tinsmith_mean_of_sums_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_of_sums_s8_nearest)
#define tinsmith_mean_of_sums_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_of_sums_s8_floor)
#define tinsmith_mean_of_sums_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_of_sums_s16_nearest)
#define tinsmith_mean_of_sums_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_of_sums_s16_floor)
#define tinsmith_mean_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_s8_nearest)
#define tinsmith_mean_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_s8_floor)
#define tinsmith_mean_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_s16_nearest)
#define tinsmith_mean_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_s16_floor)
#define tinsmith_requantize_s8_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_s8_nearest)
#define tinsmith_requantize_s8_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_s8_floor)
#define tinsmith_requantize_s8_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_s16_nearest)
#define tinsmith_requantize_s8_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_s16_floor)
#define tinsmith_requantize_s8_s32_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_s32_nearest)
#define tinsmith_requantize_s8_s32_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_s32_floor)
#define tinsmith_requantize_s16_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_s8_nearest)
#define tinsmith_requantize_s16_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_s8_floor)
#define tinsmith_requantize_s16_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_s16_nearest)
#define tinsmith_requantize_s16_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_s16_floor)
#define tinsmith_requantize_s16_s32_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_s32_nearest)
#define tinsmith_requantize_s16_s32_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_s32_floor)
#define tinsmith_requantize_s32_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_s8_nearest)
#define tinsmith_requantize_s32_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_s8_floor)
#define tinsmith_requantize_s32_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_s16_nearest)
#define tinsmith_requantize_s32_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_s16_floor)
#define tinsmith_requantize_s32_s32_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_s32_nearest)
#define tinsmith_requantize_s32_s32_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_s32_floor)
#define tinsmith_requantize_s8_u8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_u8_nearest)
#define tinsmith_requantize_s8_u8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_u8_floor)
#define tinsmith_requantize_u8_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_s8_nearest)
#define tinsmith_requantize_u8_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_s8_floor)
#define tinsmith_requantize_u8_u8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_u8_nearest)
#define tinsmith_requantize_u8_u8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_u8_floor)
#define tinsmith_requantize_u8_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_s16_nearest)
#define tinsmith_requantize_u8_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_s16_floor)
#define tinsmith_requantize_u8_s32_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_s32_nearest)
#define tinsmith_requantize_u8_s32_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_s32_floor)
#define tinsmith_requantize_s16_u8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_u8_nearest)
#define tinsmith_requantize_s16_u8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_u8_floor)
#define tinsmith_requantize_s32_u8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_u8_nearest)
#define tinsmith_requantize_s32_u8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_u8_floor)
#define tinsmith_requantize_sums_s32_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s32_s8_nearest)
#define tinsmith_requantize_sums_s32_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s32_s8_floor)
#define tinsmith_requantize_sums_s32_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s32_s16_nearest)
#define tinsmith_requantize_sums_s32_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s32_s16_floor)
#define tinsmith_requantize_sums_s64_s8_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s64_s8_nearest)
#define tinsmith_requantize_sums_s64_s8_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s64_s8_floor)
#define tinsmith_requantize_sums_s64_s16_nearest TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s64_s16_nearest)
#define tinsmith_requantize_sums_s64_s16_floor TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s64_s16_floor)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Addition or subtraction that rounds once: (lhs + lhs_offset) * lhs_multiplier + (or -) (rhs + rhs_offset) *
 * rhs_multiplier, scaled by 2**(shift - 31), plus output_offset, clamped.
 */
typedef struct {
  /** Minus the zero points. */
  int32_t lhs_offset;
  int32_t rhs_offset;
  /** In [0, 2**31). */
  int32_t lhs_multiplier;
  int32_t rhs_multiplier;
  /** In [-31, 31]. */
  int32_t shift;
  /** The output's zero point. */
  int32_t output_offset;
  int32_t clamp_min;
  int32_t clamp_max;
} tinsmith_weighted_sum_parameters;

/** Both kernels of a name. */
#define TINSMITH_BOTH_ROUNDINGS(kernel, ...) \
  void kernel##_nearest(__VA_ARGS__);        \
  void kernel##_floor(__VA_ARGS__)

TINSMITH_BOTH_ROUNDINGS(tinsmith_conv2d_s8, const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                        const int8_t *input, const int8_t *weights, const int32_t *bias, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_conv2d_s16, const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage,
                        const int16_t *input, const int8_t *weights, const int32_t *bias, int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_depthwise_conv2d_s8, const tinsmith_conv2d_shape *shape,
                        const tinsmith_output_stage *stage, const int8_t *input, const int8_t *weights,
                        const int32_t *bias, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_depthwise_conv2d_s16, const tinsmith_conv2d_shape *shape,
                        const tinsmith_output_stage *stage, const int16_t *input, const int8_t *weights,
                        const int32_t *bias, int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_fully_connected_s8, const tinsmith_fully_connected_shape *shape,
                        const tinsmith_output_stage *stage, const int8_t *input, const int8_t *weights,
                        const int32_t *bias, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_fully_connected_s16, const tinsmith_fully_connected_shape *shape,
                        const tinsmith_output_stage *stage, const int16_t *input, const int8_t *weights,
                        const int32_t *bias, int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_conv2d_s8_asymmetric, const tinsmith_conv2d_shape *shape,
                        const tinsmith_output_stage *stage, int32_t weights_offset, const int8_t *input,
                        const int8_t *weights, const int32_t *bias, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_depthwise_conv2d_s8_asymmetric, const tinsmith_conv2d_shape *shape,
                        const tinsmith_output_stage *stage, int32_t weights_offset, const int8_t *input,
                        const int8_t *weights, const int32_t *bias, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_fully_connected_s8_asymmetric, const tinsmith_fully_connected_shape *shape,
                        const tinsmith_output_stage *stage, int32_t weights_offset, const int8_t *input,
                        const int8_t *weights, const int32_t *bias, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_add_s8, const tinsmith_broadcast *broadcast,
                        const tinsmith_weighted_sum_parameters *parameters, const int8_t *lhs, const int8_t *rhs,
                        int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_add_s16, const tinsmith_broadcast *broadcast,
                        const tinsmith_weighted_sum_parameters *parameters, const int16_t *lhs, const int16_t *rhs,
                        int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_sub_s8, const tinsmith_broadcast *broadcast,
                        const tinsmith_weighted_sum_parameters *parameters, const int8_t *lhs, const int8_t *rhs,
                        int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_sub_s16, const tinsmith_broadcast *broadcast,
                        const tinsmith_weighted_sum_parameters *parameters, const int16_t *lhs, const int16_t *rhs,
                        int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_mul_s8, const tinsmith_broadcast *broadcast, const tinsmith_mul_parameters *parameters,
                        const int8_t *lhs, const int8_t *rhs, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_mul_s16, const tinsmith_broadcast *broadcast,
                        const tinsmith_mul_parameters *parameters, const int16_t *lhs, const int16_t *rhs,
                        int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_mean_s8, const tinsmith_mean_shape *shape, const tinsmith_mean_parameters *parameters,
                        const int8_t *input, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_mean_s16, const tinsmith_mean_shape *shape, const tinsmith_mean_parameters *parameters,
                        const int16_t *input, int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_mean_of_sums_s8, const tinsmith_mean_of_sums_shape *shape,
                        const tinsmith_mean_parameters *parameters, const int32_t *sums, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_mean_of_sums_s16, const tinsmith_mean_of_sums_shape *shape,
                        const tinsmith_mean_parameters *parameters, const int32_t *sums, int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_batch_matmul_s8, const tinsmith_matmul_shape *shape,
                        const tinsmith_matmul_parameters *parameters, const int8_t *lhs, const int8_t *rhs,
                        int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_batch_matmul_s16, const tinsmith_matmul_shape *shape,
                        const tinsmith_matmul_parameters *parameters, const int16_t *lhs, const int16_t *rhs,
                        int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s8_s8, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int8_t *input, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s8_s16, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int8_t *input, int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s8_s32, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int8_t *input, int32_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s16_s8, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int16_t *input, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s16_s16, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int16_t *input, int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s16_s32, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int16_t *input, int32_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s32_s8, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int32_t *input, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s32_s16, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int32_t *input, int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s32_s32, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int32_t *input, int32_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s8_u8, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int8_t *input, uint8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_u8_s8, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const uint8_t *input, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_u8_u8, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const uint8_t *input, uint8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_u8_s16, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const uint8_t *input, int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_u8_s32, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const uint8_t *input, int32_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s16_u8, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int16_t *input, uint8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_s32_u8, int32_t elements, const tinsmith_requantize_parameters *parameters,
                        const int32_t *input, uint8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_sums_s32_s8, int32_t rows, int32_t channels,
                        const tinsmith_output_stage *stage, const int32_t *input, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_sums_s32_s16, int32_t rows, int32_t channels,
                        const tinsmith_output_stage *stage, const int32_t *input, int16_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_sums_s64_s8, int32_t rows, int32_t channels,
                        const tinsmith_output_stage *stage, const int64_t *input, int8_t *output);
TINSMITH_BOTH_ROUNDINGS(tinsmith_requantize_sums_s64_s16, int32_t rows, int32_t channels,
                        const tinsmith_output_stage *stage, const int64_t *input, int16_t *output);

#undef TINSMITH_BOTH_ROUNDINGS

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_ROUNDING_H_
