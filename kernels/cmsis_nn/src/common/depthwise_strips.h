/* Depthwise convolution on arranged weights, for plain C and the DSP extension.
 *
 * Strip by strip and channel by channel: copy the channel's rows into a padded plane (internal/planes.h), sum the
 * windows, scale the sums. Two passes instead of one, so that neither has more live values than there are registers.
 *
 * For the files that include it, each with a copy for its layers: of_any is a constant wherever it is handed on.
 */
#ifndef TINSMITH_NN_COMMON_DEPTHWISE_STRIPS_H
#define TINSMITH_NN_COMMON_DEPTHWISE_STRIPS_H

#include "include/arm_nn_types.h"
#include "src/internal/arguments.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/depthwise.h"
#include "src/internal/narrow.h"
#include "src/internal/requantize.h"

/** How the sums of a channel become outputs, and where the outputs lie. */
typedef struct {
  int32_t bias;
  int32_t multiplier;
  int32_t shift;
  int32_t half_and_zero_point; /* of any shift: the zero point alone */
  int32_t step;                /* bytes from one output of a row to the next */
} output_stage;

TINSMITH_ALWAYS_INLINE int8_t scale(int32_t acc, int32_t multiplier, int32_t shift, int32_t offset, bool of_any) {
#if TINSMITH_NN_NARROW
  (void)of_any;
  return tinsmith_saturate_s8(tinsmith_scale_narrow(acc, multiplier, shift, offset));
#else
  return tinsmith_saturate_s8(of_any ? tinsmith_requantize_folded_any(acc, multiplier, shift, offset)
                                     : tinsmith_requantize_folded(acc, multiplier, shift, offset));
#endif
}

/** Rows of `count` sums, `pitch` apart, into rows of bytes, `row_step` apart. */
TINSMITH_NOINLINE static void scale_rows(const output_stage *stage, int8_t *output, int32_t row_step,
                                         const int32_t *sums, int32_t pitch, int32_t rows, int32_t count, bool of_any) {
  const int32_t bias = TINSMITH_NN_NARROW ? 0 : stage->bias; /* of narrow multipliers a part of the offset */
  const int32_t multiplier = stage->multiplier;
  const int32_t shift = stage->shift;
  const int32_t offset = stage->half_and_zero_point;
  const int32_t step = stage->step;
  TINSMITH_NO_UNROLL
  for (; rows > 0; --rows) {
    int8_t *out = output;
    const int32_t *sum = sums;
    TINSMITH_NO_UNROLL
    for (int32_t pairs = count / 2; pairs > 0; --pairs) {
      const int8_t value0 = scale(sum[0] + bias, multiplier, shift, offset, of_any);
      const int8_t value1 = scale(sum[1] + bias, multiplier, shift, offset, of_any);
      out[0] = value0;
      out[step] = value1;
      sum += 2;
      out += 2 * step;
    }
    if (count % 2 != 0) {
      *out = scale(*sum + bias, multiplier, shift, offset, of_any);
    }
    output += row_step;
    sums += pitch;
  }
}

/** What does not change within a layer. */
typedef struct {
  const cmsis_nn_per_channel_quant_params *quant_params;
  const int8_t *weights;
  const int32_t *bias;
  int32_t zero_point;
  int32_t channels; /* of the input */
  tinsmith_plane_axes axes;
  tinsmith_strip strip;
  tinsmith_element *planes; /* kPlaneChannels of strip.plane_elements */
  int32_t *sums;
} layer;

/** Output rows [first, first + outputs) of all channels of one image. per_input: output channels of each input channel.
 */
TINSMITH_ALWAYS_INLINE void convolve_strip(const layer *l, const int8_t *input, int8_t *output, int32_t first,
                                           int32_t outputs, int32_t per_input, bool of_any) {
  const tinsmith_axis *row = &l->axes.row;
  const tinsmith_axis *column = &l->axes.column;
  const int32_t pitch = l->strip.pitch;
  const int32_t taps = row->kernel * column->kernel;
  const int32_t rows = (outputs - 1) * column->stride + column->kernel;
  const int32_t first_row = first * column->stride - column->padding; /* of the plane, in the input */
  const int32_t end_row = first_row + rows < column->input ? first_row + rows : column->input;
  const int32_t from = first_row < 0 ? 0 : (first_row < column->input ? first_row : column->input);
  const int32_t room = pitch - row->padding; /* less than the input when the last elements meet no window */
  tinsmith_plane_copy copy = {
      .pitch = pitch,
      .input_row = column->input_step,
      .input_step = row->input_step,
      .rows = end_row - from,
      .count = row->input < room ? row->input : room,
  };
  for (int32_t p = 0; p < kPlaneChannels; ++p) {
    copy.planes[p] = l->planes + p * l->strip.plane_elements + (from - first_row) * pitch + row->padding;
  }
  input += from * column->input_step;
  TINSMITH_NO_UNROLL
  for (int32_t next = 0; next < l->channels; next += kPlaneChannels) {
    /* The last channels, if fewer than a step, are done together with those before them, again. */
    const int32_t channel = next + kPlaneChannels <= l->channels ? next : l->channels - kPlaneChannels;
    copy.input = input + channel;
    tinsmith_copy_to_planes(&copy);
    TINSMITH_NO_UNROLL
    for (int32_t p = 0; p < kPlaneChannels; ++p) {
      const int32_t first_output = (channel + p) * per_input;
      TINSMITH_NO_UNROLL
      for (int32_t c = first_output; c < first_output + per_input; ++c) {
        const int32_t shift = l->quant_params->shift[c];
        const output_stage stage = {
            .bias = l->bias[c],
            .multiplier = l->quant_params->multiplier[c],
            .shift = shift,
#if TINSMITH_NN_NARROW
            .half_and_zero_point = l->bias[c],
#else
            .half_and_zero_point = of_any ? l->zero_point : tinsmith_half_and_zero_point(shift, l->zero_point),
#endif
            .step = row->output_step,
        };
        const tinsmith_element *plane = l->planes + p * l->strip.plane_elements;
        (of_any ? tinsmith_sum_windows_any : tinsmith_sum_windows)(l->sums, plane, &l->axes, pitch, outputs,
                                                                   l->weights + c * taps);
        scale_rows(&stage, output + first * column->output_step + c, column->output_step, l->sums, pitch, outputs,
                   row->output, of_any);
      }
    }
  }
}

/** Plane elements that read as zero: their positions outside the input are never written by a channel. */
static void fill_planes(const layer *l, int32_t zero_point) {
  const int32_t count = kPlaneChannels * l->strip.plane_elements;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    l->planes[i] = (tinsmith_element)zero_point;
  }
}

/** The whole layer, as tinsmith_depthwise_packed_s8(). of_any: of its sister for any shift and channel multiplier. */
TINSMITH_ALWAYS_INLINE arm_cmsis_nn_status convolve_strips(const cmsis_nn_context *ctx,
                                                           const cmsis_nn_dw_conv_params *dw_conv_params,
                                                           const cmsis_nn_per_channel_quant_params *quant_params,
                                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                           const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                           int8_t *output_data, bool of_any) {
  const int32_t channels = input_dims->c;
  const int32_t per_input = of_any ? dw_conv_params->ch_mult : 1;
  const arm_cmsis_nn_status status =
      tinsmith_check_depthwise_packed(ctx, dw_conv_params, 2, per_input, input_dims, output_dims);
  const int32_t outputs = filter_dims->n; /* rows of a full strip */
  if (status != ARM_CMSIS_NN_SUCCESS || outputs < 1) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  layer l = {
      .quant_params = quant_params,
      .weights = filter_data,
      .bias = bias_data,
      .zero_point = dw_conv_params->output_offset,
      .channels = channels,
      .axes = tinsmith_plane_axes_of(dw_conv_params, input_dims, filter_dims, output_dims),
  };
  l.axes.row.output_step *= per_input;
  l.axes.column.output_step *= per_input;
  l.strip = tinsmith_strip_of(&l.axes, outputs);
  /* Scratch: sums, then planes. */
  l.sums = (int32_t *)ctx->buf;
  l.planes = (tinsmith_element *)(l.sums + l.strip.sums);
  const int32_t image_outputs = output_dims->h * output_dims->w * channels * per_input;

  for (int32_t n = 0; n < input_dims->n; ++n) {
    const int8_t *input = input_data + n * input_dims->h * input_dims->w * channels;
    int8_t *output = output_data + n * image_outputs;
    for (int32_t first = 0; first < l.axes.column.output; first += outputs) {
      const int32_t left = l.axes.column.output - first;
      fill_planes(&l, -dw_conv_params->input_offset);
      convolve_strip(&l, input, output, first, left < outputs ? left : outputs, per_input, of_any);
    }
  }
  tinsmith_apply_activation(&dw_conv_params->activation, output_data, input_dims->n * image_outputs);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_COMMON_DEPTHWISE_STRIPS_H */
