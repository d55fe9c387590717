/* The public convolutions on MVE: check the arguments, fold the bias, call the core. */
#ifndef TINSMITH_NN_MVE_CONVOLVE_BODY_H
#define TINSMITH_NN_MVE_CONVOLVE_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "src/internal/arguments.h"
#include "src/internal/compiler.h"
#include "src/internal/public.h"
#include "src/mve/convolve_core.h"
#include "src/mve/scratch.h"

/** Channels whose bias the public functions fold at a time, on the stack: scratch may lie at any address. */
enum { kChannelsAtOnce = 64 };

/** Outputs of a row that is worth cutting into pieces. */
enum { kLongRow = 16 };

/** Outputs [first, first + count) of a single row of outputs, as a convolution of their own. */
static void convolve_piece(const cmsis_nn_conv_params *params, const mve_matrix *matrix,
                           const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                           int32_t first, int32_t count, int8_t *output, int32_t output_pitch, int8_t *fields,
                           int32_t fields_at_once) {
  cmsis_nn_conv_params piece = *params;
  cmsis_nn_dims in = *input_dims;
  const int32_t x = first * params->stride.w - params->padding.w;
  const int32_t skipped = x > 0 ? x : 0;
  const cmsis_nn_dims out = {.n = 1, .h = 1, .w = count, .c = output_pitch};
  in.n = 1;
  in.w -= skipped;
  piece.padding.w = skipped - x;
  tinsmith_mve_convolve_s8(&piece, matrix, &in, input + skipped * in.c, filter_dims, &out,
                           output + first * output_pitch, fields, fields_at_once);
}

/** One padded row of each image: the fields in its middle are multiplied where they are. */
static void convolve_row(const cmsis_nn_conv_params *params, const mve_matrix *matrix, const cmsis_nn_dims *input_dims,
                         const int8_t *input, const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                         int8_t *output, int8_t *fields, int32_t fields_at_once) {
  const int32_t stride = params->stride.w;
  const int32_t last_x =
      input_dims->w - filter_dims->w + params->padding.w; /* The last that lies inside begins here. */
  const int32_t ends[3] = {(params->padding.w + stride - 1) / stride, last_x < 0 ? 0 : last_x / stride + 1,
                           output_dims->w};
  for (int32_t n = 0; n < input_dims->n; ++n) {
    int32_t first = 0;
    for (int32_t i = 0; i < 3; ++i) {
      const int32_t end = ends[i] < output_dims->w ? ends[i] : output_dims->w;
      if (end > first) {
        convolve_piece(params, matrix, input_dims, input, filter_dims, first, end - first, output, output_dims->c,
                       fields, fields_at_once);
        first = end;
      }
    }
    input += input_dims->w * input_dims->c;
    output += output_dims->w * output_dims->c;
  }
}

/** Copy the field of one group that begins at (y, x): of each tap up to sixteen channels. clipped: taps may lie
 * outside. */
TINSMITH_ALWAYS_INLINE void copy_group_field(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input_dims,
                                             const int8_t *input, const cmsis_nn_dims *filter_dims, int32_t y,
                                             int32_t x, int8_t *field, bool clipped) {
  const int32_t channels = filter_dims->c;
  const int32_t step = params->dilation.w * input_dims->c;
  const mve_pred16_t present = vctp8q((uint32_t)channels);
  const int8x16_t zero_point = vdupq_n_s8((int8_t)-params->input_offset);
  for (int32_t rows = filter_dims->h; rows > 0; --rows) {
    const bool row_inside = y >= 0 && y < input_dims->h;
    int32_t from = (y * input_dims->w + x) * input_dims->c;
    int32_t column = x;
    for (int32_t taps = filter_dims->w; taps > 0; --taps) {
      const bool inside = !clipped || (row_inside && column >= 0 && column < input_dims->w);
      vstrbq_p_s8(field, inside ? vldrbq_z_s8(input + from, present) : zero_point, present);
      field += channels;
      from += step;
      column += params->dilation.w;
    }
    y += params->dilation.h;
  }
}

/** One of several groups, of up to sixteen channels. */
static void convolve_group(const cmsis_nn_conv_params *params, const mve_matrix *matrix,
                           const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                           const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields, int32_t fields_at_once) {
  const int32_t last_y = input_dims->h - 1 - (filter_dims->h - 1) * params->dilation.h;
  const int32_t last_x = input_dims->w - 1 - (filter_dims->w - 1) * params->dilation.w;
  int32_t copied = 0;
  for (int32_t n = 0; n < input_dims->n; ++n) {
    int32_t y = -params->padding.h;
    for (int32_t oy = 0; oy < output_dims->h; ++oy) {
      int32_t x = -params->padding.w;
      for (int32_t ox = 0; ox < output_dims->w; ++ox) {
        int8_t *field = fields + copied * matrix->depth;
        if (y >= 0 && y <= last_y && x >= 0 && x <= last_x) {
          copy_group_field(params, input_dims, input, filter_dims, y, x, field, false);
        } else {
          copy_group_field(params, input_dims, input, filter_dims, y, x, field, true);
        }
        if (++copied == fields_at_once) {
          tinsmith_mve_matrix_product_s8(matrix, fields, matrix->depth, copied, output, output_dims->c);
          output += copied * output_dims->c;
          copied = 0;
        }
        x += params->stride.w;
      }
      y += params->stride.h;
    }
    input += input_dims->h * input_dims->w * input_dims->c;
  }
  tinsmith_mve_matrix_product_s8(matrix, fields, matrix->depth, copied, output, output_dims->c);
}

/** Group by group, some channels at a time, for their bias to be folded. fields: as for the core. */
static void convolve(const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
                     const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                     const int8_t *filter, const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output,
                     int8_t *fields) {
  int32_t folded_bias[kChannelsAtOnce];
  mve_matrix part = mve_matrix_of(params, quant, filter_dims, filter, output_dims->c, NULL);
  part.bias = folded_bias; /* not handed over above: GCC would take it for read there */
  const int32_t fields_at_once = mve_fields_fitting(part.depth, mve_convolve_bytes(input_dims, filter_dims));
  const int32_t groups = input_dims->c / filter_dims->c;
  const int32_t group_channels = output_dims->c / groups;
  const bool is_small_group = groups > 1 && filter_dims->c <= kByteLanes;
  const bool is_padded_row = input_dims->h == 1 && output_dims->h == 1 && filter_dims->h == 1 && groups == 1 &&
                             params->dilation.w == 1 && params->padding.h == 0 && params->padding.w > 0 &&
                             output_dims->w >= kLongRow;
  for (int32_t group = 0; group < groups; ++group) {
    for (int32_t left = group_channels; left > 0; left -= part.channels) {
      part.channels = left < kChannelsAtOnce ? left : kChannelsAtOnce;
      arm_vector_sum_s8(folded_bias, part.depth, part.channels, part.weights, params->input_offset, 0, bias);
      (is_padded_row    ? convolve_row
       : is_small_group ? convolve_group
                        : tinsmith_mve_convolve_s8)(params, &part, input_dims, input, filter_dims, output_dims, output,
                                                    fields, fields_at_once);
      part.weights += part.channels * part.depth;
      part.scale.multiplier += part.channels;
      part.scale.shift += part.channels;
      bias = bias == NULL ? NULL : bias + part.channels;
      output += part.channels;
    }
    input += filter_dims->c;
  }
}

arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data) {
  (void)bias_dims;
  const arm_cmsis_nn_status status = tinsmith_check_convolve(ctx, input_dims, filter_dims, upscale_dims, output_dims);
  if (status == ARM_CMSIS_NN_SUCCESS) {
    convolve(conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data, output_dims,
             output_data, ctx->buf);
  }
  return status;
}

static arm_cmsis_nn_status convolve_1x1(const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *input_dims,
                                        const int8_t *input, const int8_t *filter, const int32_t *bias,
                                        const cmsis_nn_dims *output_dims, int8_t *output) {
  const cmsis_nn_conv_params params = tinsmith_1x1_params(conv_params);
  const cmsis_nn_dims filter_dims = tinsmith_1x1_filter_dims(input_dims, output_dims);
  if (!mve_fields_in_place(&params, input_dims, &filter_dims, output_dims)) {
    return ARM_CMSIS_NN_ARG_ERROR; /* The output reaches beyond the input. */
  }
  convolve(&params, quant, input_dims, input, &filter_dims, filter, bias, output_dims, output, NULL);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_1x1_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)filter_dims;
  (void)bias_dims;
  const arm_cmsis_nn_status status = tinsmith_check_convolve_1x1(conv_params);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  return convolve_1x1(conv_params, quant_params, input_dims, input_data, filter_data, bias_data, output_dims,
                      output_data);
}

arm_cmsis_nn_status arm_convolve_1x1_s8_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)filter_dims;
  (void)bias_dims;
  const arm_cmsis_nn_status status = tinsmith_check_convolve_1x1_fast(conv_params);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const cmsis_nn_dims dims = tinsmith_1x1_fast_output_dims(input_dims, output_dims);
  return convolve_1x1(conv_params, quant_params, input_dims, input_data, filter_data, bias_data, &dims, output_data);
}

/* Of dims and parameters only what lies along the row is read. */
arm_cmsis_nn_status arm_convolve_1_x_n_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)bias_dims;
  const arm_cmsis_nn_status status = tinsmith_check_convolve_1_x_n(ctx, conv_params, input_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  cmsis_nn_conv_params params = tinsmith_1x1_params(conv_params);
  params.stride.h = 1;
  params.padding.w = conv_params->padding.w;
  const cmsis_nn_dims filter = {.n = output_dims->c, .h = 1, .w = filter_dims->w, .c = input_dims->c};
  const cmsis_nn_dims output = {.n = input_dims->n, .h = 1, .w = output_dims->w, .c = output_dims->c};
  convolve(&params, quant_params, input_dims, input_data, &filter, filter_data, bias_data, &output, output_data,
           ctx->buf);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_CONVOLVE_BODY_H */
