// Pooling windows and means in plain C; activations are NHWC.
#ifndef TINSMITH_POOLING_H_
#define TINSMITH_POOLING_H_

#include <stdint.h>

#include "tinsmith/types.h"

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

/** Smallest and largest integer result. */
typedef struct {
  int32_t min;
  int32_t max;
} tinsmith_clamp;

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

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_POOLING_H_
