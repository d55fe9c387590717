/* Convolution and fully connected on arranged weights in plain C: 4 output channels by several pixels per step.
 *
 * Every weight loaded meets kPixels inputs and every input four weights, as many as there are registers for.
 *
 * For the files that include it, each with a copy for its shifts: any_shift is a constant wherever it is handed on.
 */
#ifndef TINSMITH_NN_C_PACKED_PIXELS_H
#define TINSMITH_NN_C_PACKED_PIXELS_H

#include "include/arm_nn_types.h"
#include "src/internal/arguments.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/im2col.h"
#include "src/internal/narrow.h"
#include "src/internal/requantize.h"

#ifndef TINSMITH_NN_FOUR_BITS
#define TINSMITH_NN_FOUR_BITS 0
#endif

enum { kChannels = 4 };

#if defined(__arm__)
enum { kPixels = 2 }; /* 13 registers */
#else
enum { kPixels = 3 }; /* 26 and more */
#endif

#if TINSMITH_NN_FOUR_BITS
#include "src/c/packed_halves.h"
#include "src/internal/sum_s8.h"
#endif

/** Scaling of outputs; a step of 0 means one multiplier and shift for all channels. */
typedef struct {
  const int32_t *bias;
  const int32_t *multiplier;
  const int32_t *shift;
  int32_t step;
  int32_t zero_point;
} output_stage;

#if !TINSMITH_NN_FOUR_BITS

/** Bytes of a group of channels. */
TINSMITH_ALWAYS_INLINE int32_t group_bytes(int32_t depth) {
  return kChannels * depth;
}

/** sums[p][c] += inputs[p][k] * weights[k][c] for one k. pixels is a constant. */
TINSMITH_ALWAYS_INLINE void add_products(int32_t sums[][kChannels], const int8_t *const *inputs, int32_t k,
                                         const int8_t *weights, int32_t pixels) {
  const int32_t w0 = weights[kChannels * k];
  const int32_t w1 = weights[kChannels * k + 1];
  const int32_t w2 = weights[kChannels * k + 2];
  const int32_t w3 = weights[kChannels * k + 3];
  for (int32_t p = 0; p < pixels; ++p) {
    int32_t x = inputs[p][k];
    TINSMITH_KEEP_ORDER(x);
    sums[p][0] += x * w0;
    sums[p][1] += x * w1;
    TINSMITH_KEEP_ORDER(sums[p][0]);
    TINSMITH_KEEP_ORDER(sums[p][1]);
    sums[p][2] += x * w2;
    sums[p][3] += x * w3;
    TINSMITH_KEEP_ORDER(sums[p][2]);
    TINSMITH_KEEP_ORDER(sums[p][3]);
  }
}

/** acc[p][c] = bias[c] + sum over k of x[p][k] * w[k][c]. pixels is a constant. */
TINSMITH_ALWAYS_INLINE void multiply(int32_t acc[][kChannels], const int32_t *bias, const int8_t *const *x,
                                     const int8_t *weights, int32_t depth, int32_t pixels) {
  /* Copies that nothing points to, so that they live in registers. */
  const int8_t *inputs[kPixels];
  int32_t sums[kPixels][kChannels];
  for (int32_t p = 0; p < pixels; ++p) {
    inputs[p] = x[p];
    for (int32_t c = 0; c < kChannels; ++c) {
      sums[p][c] = TINSMITH_NN_NARROW ? 0 : bias[c]; /* of narrow multipliers a part of what is added later */
    }
  }
  const int8_t *end = weights + kChannels * depth;
  const int8_t *end_of_fours = weights + kChannels * (depth & ~3);
  TINSMITH_NO_UNROLL
  while (weights != end_of_fours) {
    add_products(sums, inputs, 0, weights, pixels);
    add_products(sums, inputs, 1, weights, pixels);
    add_products(sums, inputs, 2, weights, pixels);
    add_products(sums, inputs, 3, weights, pixels);
    for (int32_t p = 0; p < pixels; ++p) {
      inputs[p] += 4;
    }
    weights += 4 * kChannels;
  }
  TINSMITH_NO_UNROLL
  while (weights != end) {
    add_products(sums, inputs, 0, weights, pixels);
    for (int32_t p = 0; p < pixels; ++p) {
      ++inputs[p];
    }
    weights += kChannels;
  }
  for (int32_t p = 0; p < pixels; ++p) {
    for (int32_t c = 0; c < kChannels; ++c) {
      acc[p][c] = sums[p][c];
    }
  }
}

#endif /* !TINSMITH_NN_FOUR_BITS */

#if TINSMITH_NN_NARROW

/** Outputs of channel c of a group. pixels is a constant. */
TINSMITH_ALWAYS_INLINE void scale_channel(const output_stage *stage, int32_t acc[][kChannels], int32_t c,
                                          int32_t channels, int8_t *output, int32_t pixels) {
  const int32_t multiplier = stage->multiplier[c];
  const int32_t shift = stage->shift[c];
  const int32_t addend = stage->bias[c];
  for (int32_t p = 0; p < pixels; ++p) {
    output[p * channels + c] = tinsmith_saturate_s8(tinsmith_scale_narrow(acc[p][c], multiplier, shift, addend));
  }
}

/** Outputs of a last group that is not complete. */
TINSMITH_NOINLINE static void scale_rest(const output_stage *stage, int32_t acc[][kChannels], int32_t left,
                                         int32_t channels, int8_t *output, int32_t pixels) {
  TINSMITH_NO_UNROLL
  for (int32_t c = 0; c < left; ++c) {
    scale_channel(stage, acc, c, channels, output, pixels);
  }
}

/** Outputs of the group of channels that begins with `first`. stage: of that group. pixels is a constant. */
TINSMITH_ALWAYS_INLINE void scale_group(const output_stage *stage, int32_t acc[][kChannels], int32_t left,
                                        int32_t channels, int8_t *output, int32_t pixels) {
  if (left < kChannels) {
    int32_t copy[kPixels][kChannels]; /* whose address is taken, so that the sums themselves stay in registers */
    memcpy(copy, acc, (size_t)pixels * sizeof copy[0]);
    scale_rest(stage, copy, left, channels, output, pixels);
    return;
  }
  scale_channel(stage, acc, 0, channels, output, pixels);
  scale_channel(stage, acc, 1, channels, output, pixels);
  scale_channel(stage, acc, 2, channels, output, pixels);
  scale_channel(stage, acc, 3, channels, output, pixels);
}

#else

/** Outputs of the group of channels that begins with `first`. Returns the stage of the next ones. pixels is a constant.
 */
TINSMITH_ALWAYS_INLINE output_stage scale_group(output_stage stage, int32_t acc[][kChannels], int32_t first,
                                                int32_t channels, int8_t *output, int32_t pixels, bool any_shift) {
  TINSMITH_NO_UNROLL
  for (int32_t c = 0; c < kChannels && c < channels - first; ++c) {
    const int32_t multiplier = *stage.multiplier;
    const int32_t shift = *stage.shift;
    const int32_t offset = any_shift ? 0 : tinsmith_half_and_zero_point(shift, stage.zero_point);
    stage.multiplier += stage.step;
    stage.shift += stage.step;
    for (int32_t p = 0; p < pixels; ++p) {
      const int32_t value = any_shift ? tinsmith_requantize_folded_any(acc[p][c], multiplier, shift, stage.zero_point)
                                      : tinsmith_requantize_folded(acc[p][c], multiplier, shift, offset);
      output[p * channels + first + c] = tinsmith_saturate_s8(value);
    }
  }
  return stage;
}

#endif

/** All channels of `pixels` pixels, kPixels or 1: output[p][o] = stage(bias[o] + sum over k of w[o][k] * x[p][k]). */
TINSMITH_ALWAYS_INLINE void multiply_pixels(output_stage stage, const int8_t *const *x, const int8_t *weights,
                                            int32_t depth, int32_t channels, int8_t *output, int32_t pixels,
                                            bool any_shift) {
#if TINSMITH_NN_FOUR_BITS
  int32_t starts[kPixels];
  for (int32_t p = 0; p < pixels; ++p) {
    starts[p] = -8 * tinsmith_sum_s8(x[p], depth);
  }
#endif
  for (int32_t first = 0; first < channels; first += kChannels) {
    int32_t acc[kPixels][kChannels];
    const int32_t *bias = TINSMITH_NN_NARROW ? NULL : stage.bias + first;
#if TINSMITH_NN_FOUR_BITS
    multiply(acc, bias, starts, x, weights, depth, pixels);
#else
    multiply(acc, bias, x, weights, depth, pixels);
#endif
    weights += group_bytes(depth);
#if TINSMITH_NN_NARROW
    (void)any_shift;
    scale_group(&stage, acc, channels - first, channels, output + first, pixels);
    stage.bias += kChannels;
    stage.multiplier += kChannels;
    stage.shift += kChannels;
#else
    stage = scale_group(stage, acc, first, channels, output, pixels, any_shift);
#endif
  }
}

TINSMITH_NOINLINE static void multiply_block(const output_stage *stage, const int8_t *const *x, const int8_t *weights,
                                             int32_t depth, int32_t channels, int8_t *output, bool any_shift) {
  multiply_pixels(*stage, x, weights, depth, channels, output, kPixels, any_shift);
}

TINSMITH_NOINLINE static void multiply_one(const output_stage *stage, const int8_t *x, const int8_t *weights,
                                           int32_t depth, int32_t channels, int8_t *output, bool any_shift) {
  multiply_pixels(*stage, &x, weights, depth, channels, output, 1, any_shift);
}

/** A convolution, as tinsmith_convolve_packed_s8(). any_shift: quant_params are those of its sister for any shift. */
TINSMITH_ALWAYS_INLINE arm_cmsis_nn_status convolve_pixels(const cmsis_nn_context *ctx,
                                                           const cmsis_nn_conv_params *conv_params,
                                                           const cmsis_nn_per_channel_quant_params *quant_params,
                                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                           const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                           int8_t *output_data, bool any_shift) {
  const tinsmith_windows windows = tinsmith_windows_of(conv_params, input_dims, input_data, filter_dims, output_dims);
  const bool in_place = tinsmith_windows_are_pixels(&windows);
  const arm_cmsis_nn_status status =
      tinsmith_check_convolve_packed(ctx, in_place, input_dims, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const int32_t depth = filter_dims->h * filter_dims->w * filter_dims->c;
  const int32_t window_bytes = (depth + 3) / 4 * 4;
  const int32_t channels = output_dims->c;
  const int32_t pixels = output_dims->n * output_dims->h * output_dims->w;
  const output_stage stage = {bias_data, quant_params->multiplier, quant_params->shift, 1, conv_params->output_offset};

  tinsmith_window window = tinsmith_first_window(&windows);
  int8_t *output = output_data;
  for (int32_t left = pixels; left > 0; left -= kPixels) {
    const int32_t count = left < kPixels ? left : kPixels;
    const int8_t *x[kPixels];
    for (int32_t p = 0; p < count; ++p) {
      if (in_place) {
        x[p] = tinsmith_window_pixel(&windows, &window);
      } else {
        int8_t *bytes = (int8_t *)ctx->buf + p * window_bytes;
        tinsmith_copy_window(&windows, &window, 0, bytes);
        x[p] = bytes;
      }
      tinsmith_next_window(&windows, &window);
    }
    if (count == kPixels) {
      multiply_block(&stage, x, filter_data, depth, channels, output, any_shift);
    } else {
      for (int32_t p = 0; p < count; ++p) {
        multiply_one(&stage, x[p], filter_data, depth, channels, output + p * channels, any_shift);
      }
    }
    output += count * channels;
  }
  tinsmith_apply_activation(&conv_params->activation, output_data, pixels * channels);
  return ARM_CMSIS_NN_SUCCESS;
}

static inline output_stage stage_of_rows(const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
                                         const int32_t *bias) {
  return (output_stage){bias, quant_params->multiplier, quant_params->shift, quant_params->is_per_channel ? 1 : 0,
                        fc_params->output_offset};
}

/** A fully connected layer, as tinsmith_fully_connected_packed_s8(). any_shift: as of convolve_pixels(). */
TINSMITH_ALWAYS_INLINE arm_cmsis_nn_status multiply_rows(const cmsis_nn_fc_params *fc_params,
                                                         const cmsis_nn_quant_params *quant_params,
                                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                         const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                         int8_t *output_data, bool any_shift) {
  const arm_cmsis_nn_status status = tinsmith_check_fully_connected_packed(fc_params, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const output_stage stage = stage_of_rows(fc_params, quant_params, bias_data);
  const int32_t channels = output_dims->c;
  for (int32_t n = 0; n < input_dims->n; ++n) {
    multiply_one(&stage, input_data + n * filter_dims->n, filter_data, filter_dims->n, channels,
                 output_data + n * channels, any_shift);
  }
  tinsmith_apply_activation(&fc_params->activation, output_data, input_dims->n * channels);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_C_PACKED_PIXELS_H */
