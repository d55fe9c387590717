/* The windows of int16 pooling, which each implementation reduces in its own way. */
#ifndef TINSMITH_NN_INTERNAL_POOL_S16_H
#define TINSMITH_NN_INTERNAL_POOL_S16_H

#include <stdint.h>

#include "include/arm_nn_types.h"
#include "src/internal/compiler.h"
#include "src/internal/requantize.h"

/** The part of a window inside the input. */
typedef struct {
  const int16_t *input; /* first pixel, channel 0 */
  int32_t rows;
  int32_t columns;
  int32_t row; /* values from one row of the input to the next */
  int32_t channels;
} tinsmith_pool_window;

typedef void (*tinsmith_reduction_s16)(const tinsmith_pool_window *window, const cmsis_nn_activation *activation,
                                       int16_t *output);

/** C divides towards zero: half away from zero, like TFLite. */
static inline int16_t tinsmith_mean_s16(int32_t sum, int32_t count, const cmsis_nn_activation *activation) {
  const int32_t rounded = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
  return (int16_t)tinsmith_clamp(rounded, activation->min, activation->max);
}

/** The taps of [start, start + taps) inside [0, extent): their number, and the first. */
static inline int32_t tinsmith_clip_pool(int32_t start, int32_t taps, int32_t extent, int32_t *first) {
  const int32_t end = start + taps < extent ? start + taps : extent;
  *first = start > 0 ? start : 0;
  return end - *first;
}

/** reduce is a constant, so that each use becomes a function of its own. */
TINSMITH_ALWAYS_INLINE arm_cmsis_nn_status tinsmith_pool_s16(const cmsis_nn_pool_params *params,
                                                             const cmsis_nn_dims *input_dims, const int16_t *input,
                                                             const cmsis_nn_dims *filter_dims,
                                                             const cmsis_nn_dims *output_dims, int16_t *output,
                                                             tinsmith_reduction_s16 reduce) {
  if (input_dims->n < 1) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const int32_t channels = input_dims->c;
  tinsmith_pool_window window = {.row = input_dims->w * channels, .channels = channels};
  for (int32_t n = 0; n < input_dims->n; ++n) {
    for (int32_t oy = 0; oy < output_dims->h; ++oy) {
      int32_t y;
      const int32_t rows =
          tinsmith_clip_pool(oy * params->stride.h - params->padding.h, filter_dims->h, input_dims->h, &y);
      for (int32_t ox = 0; ox < output_dims->w; ++ox) {
        int32_t x;
        window.columns =
            tinsmith_clip_pool(ox * params->stride.w - params->padding.w, filter_dims->w, input_dims->w, &x);
        if (rows < 1 || window.columns < 1) {
          return ARM_CMSIS_NN_ARG_ERROR;
        }
        window.rows = rows;
        if (window.columns == input_dims->w) { /* Whole rows follow each other as one. */
          window.columns *= rows;
          window.rows = 1;
        }
        window.input = input + y * window.row + x * channels;
        reduce(&window, &params->activation, output);
        output += channels;
      }
    }
    input += input_dims->h * window.row;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/** The two public functions, from an implementation's reductions. */
#define TINSMITH_POOLING_S16(mean, maximum)                                                                     \
  arm_cmsis_nn_status arm_avgpool_s16(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,     \
                                      const cmsis_nn_dims *input_dims, const int16_t *input_data,               \
                                      const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,       \
                                      int16_t *output_data) {                                                   \
    (void)ctx;                                                                                                  \
    return tinsmith_pool_s16(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, mean); \
  }                                                                                                             \
                                                                                                                \
  arm_cmsis_nn_status arm_max_pool_s16(                                                                         \
      const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params, const cmsis_nn_dims *input_dims,    \
      const int16_t *src, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int16_t *dst) {   \
    (void)ctx;                                                                                                  \
    return tinsmith_pool_s16(pool_params, input_dims, src, filter_dims, output_dims, dst, maximum);             \
  }

#endif /* TINSMITH_NN_INTERNAL_POOL_S16_H */
