// Pooling windows and means in plain C; activations are NHWC.
#ifndef TINSMITH_POOLING_H_
#define TINSMITH_POOLING_H_

#include <stdint.h>

#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_average_pool2d_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_average_pool2d_s8)
#define tinsmith_average_pool2d_s8_up TINSMITH_REFERENCE_SYMBOL(tinsmith_average_pool2d_s8_up)
#define tinsmith_average_pool2d_s8_even TINSMITH_REFERENCE_SYMBOL(tinsmith_average_pool2d_s8_even)
#define tinsmith_average_pool2d_s16_even TINSMITH_REFERENCE_SYMBOL(tinsmith_average_pool2d_s16_even)
#define tinsmith_average_pool2d_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_average_pool2d_s16)
#define tinsmith_average_pool2d_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_average_pool2d_f32)
#define tinsmith_max_pool2d_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_max_pool2d_s8)
#define tinsmith_max_pool2d_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_max_pool2d_s16)
#define tinsmith_max_pool2d_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_max_pool2d_f32)
#define tinsmith_mean_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_s8)
#define tinsmith_mean_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_s16)
#define tinsmith_mean_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** Geometry of a pooling; every size is at least 1, and each window touches the input. */
typedef struct {
  int32_t batches;
  int32_t input_height;
  int32_t input_width;
  int32_t channels;
  int32_t output_height;
  int32_t output_width;
  int32_t window_height;
  int32_t window_width;
  int32_t stride_height;
  int32_t stride_width;
  int32_t padding_top;
  int32_t padding_left;
} tinsmith_pool_shape;

/**
 * Mean of the input elements under each window (padding does not count), rounded to nearest, ties away from zero.
 *
 * @param[in] shape   geometry
 * @param[in] clamp   range of the results
 * @param[in] input   (batches, input_height, input_width, channels)
 * @param[out] output (batches, output_height, output_width, channels); same scale and zero point as the input
 */
void tinsmith_average_pool2d_s8(const tinsmith_pool_shape *shape, const tinsmith_clamp *clamp, const int8_t *input,
                                int8_t *output);
void tinsmith_average_pool2d_s16(const tinsmith_pool_shape *shape, const tinsmith_clamp *clamp, const int16_t *input,
                                 int16_t *output);
/** The same, ties up. */
void tinsmith_average_pool2d_s8_up(const tinsmith_pool_shape *shape, const tinsmith_clamp *clamp, const int8_t *input,
                                   int8_t *output);
/** What means are kept to, and the zero point of input and output. */
typedef struct {
  int32_t min;
  int32_t max;
  int32_t zero_point;
} tinsmith_average_clamp;

/** The same, ties to the even integer before the zero point is added. */
void tinsmith_average_pool2d_s8_even(const tinsmith_pool_shape *shape, const tinsmith_average_clamp *range,
                                     const int8_t *input, int8_t *output);
void tinsmith_average_pool2d_s16_even(const tinsmith_pool_shape *shape, const tinsmith_average_clamp *range,
                                      const int16_t *input, int16_t *output);
/** Sums in the order (ky, kx), then divides by the count. */
void tinsmith_average_pool2d_f32(const tinsmith_pool_shape *shape, const tinsmith_clamp_f32 *clamp, const float *input,
                                 float *output);

/** Largest input element under each window. */
void tinsmith_max_pool2d_s8(const tinsmith_pool_shape *shape, const tinsmith_clamp *clamp, const int8_t *input,
                            int8_t *output);
void tinsmith_max_pool2d_s16(const tinsmith_pool_shape *shape, const tinsmith_clamp *clamp, const int16_t *input,
                             int16_t *output);
void tinsmith_max_pool2d_f32(const tinsmith_pool_shape *shape, const tinsmith_clamp_f32 *clamp, const float *input,
                             float *output);

/**
 * A mean over some dimensions, as two walks over the input; strides are in elements, each rank is in
 * [1, TINSMITH_MAX_RANK]. Kept dimensions are in the output's order, reduced ones outermost first.
 */
typedef struct {
  int32_t kept_rank;
  int32_t kept_shape[TINSMITH_MAX_RANK];
  int32_t kept_strides[TINSMITH_MAX_RANK];
  int32_t reduced_rank;
  int32_t reduced_shape[TINSMITH_MAX_RANK];
  int32_t reduced_strides[TINSMITH_MAX_RANK];
  /** Product of reduced_shape. */
  int32_t count;
} tinsmith_mean_shape;

/** (sum - input_zero_point * count) scaled, plus output_offset, clamped; the scale of a mean divides by the count too.
 */
typedef struct {
  int32_t input_zero_point;
  int32_t output_offset;
  tinsmith_scale scale;
  int32_t clamp_min;
  int32_t clamp_max;
} tinsmith_mean_parameters;

/**
 * Mean over the reduced dimensions.
 *
 * @param[in] shape      which elements belong together; sums beyond 32 bits go round, as in TFLite
 * @param[in] parameters see there
 * @param[in] input      dense
 * @param[out] output    dense, the kept dimensions; does not overlap the input
 */
void tinsmith_mean_s8(const tinsmith_mean_shape *shape, const tinsmith_mean_parameters *parameters, const int8_t *input,
                      int8_t *output);
void tinsmith_mean_s16(const tinsmith_mean_shape *shape, const tinsmith_mean_parameters *parameters,
                       const int16_t *input, int16_t *output);
/** Sums in the input's order, then divides by the count. */
void tinsmith_mean_f32(const tinsmith_mean_shape *shape, const float *input, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_POOLING_H_
