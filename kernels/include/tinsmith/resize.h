// Images in another size, by bilinear interpolation; activations are NHWC.
#ifndef TINSMITH_RESIZE_H_
#define TINSMITH_RESIZE_H_

#include <stdint.h>

#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_resize_bilinear_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_resize_bilinear_s8)
#define tinsmith_resize_bilinear_s8_in_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_resize_bilinear_s8_in_f32)
#define tinsmith_resize_bilinear_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_resize_bilinear_s16)
#define tinsmith_resize_bilinear_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_resize_bilinear_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes, all in [1, 2**20], and elements of the input from one of the output to the next. */
typedef struct {
  int32_t batches;
  int32_t input_height;
  int32_t input_width;
  int32_t channels;
  int32_t output_height;
  int32_t output_width;
  /** Of integers, in units of 1/1024. */
  int32_t vertical_step;
  int32_t horizontal_step;
  /** Of float, and of int8 that is interpolated so. */
  float vertical_step_f32;
  float horizontal_step_f32;
  /** 1 if elements lie in the middle of what they cover, else 0. */
  int32_t half_pixel_centers;
} tinsmith_resize_shape;

/**
 * Each element of the output as the mean of the four around its place in the input, by their distance in units of
 * 1/1024; rounded to nearest, ties away from zero.
 *
 * @param[in] shape   sizes and steps
 * @param[in] input   (batches, input_height, input_width, channels)
 * @param[out] output (batches, output_height, output_width, channels); same scale and zero point, no overlap
 */
void tinsmith_resize_bilinear_s8(const tinsmith_resize_shape *shape, const int8_t *input, int8_t *output);
void tinsmith_resize_bilinear_s16(const tinsmith_resize_shape *shape, const int16_t *input, int16_t *output);
/** Adds from 0 on: upper left, lower left, upper right, lower right, each times the row's weight, then the column's. */
void tinsmith_resize_bilinear_f32(const tinsmith_resize_shape *shape, const float *input, float *output);
/** int8 for uint8: the bytes, 128 higher, as floats in the same order, then rounded half up. */
void tinsmith_resize_bilinear_s8_in_f32(const tinsmith_resize_shape *shape, const int8_t *input, int8_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_RESIZE_H_
