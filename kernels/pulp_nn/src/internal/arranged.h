// From a compiler's record and array (tinsmith_pulp_arranged.h) to the kernels' records, which each core makes for
// itself: inline in each kernel, so that what it does not need is not even written.
#ifndef TINSMITH_KERNELS_PULP_NN_ARRANGED_H_
#define TINSMITH_KERNELS_PULP_NN_ARRANGED_H_

#include "corev.h"
#include "tinsmith_pulp_arranged.h"

// How many words a channel has.
ALWAYS_INLINE uint32_t words_of(tinsmith_pulp_stage_kind_t kind) {
  return kind == TINSMITH_PULP_SCALE_HIGH_S8 ? 4u : 3u;
}

// words: the channels' arrays, in the order of the header. kind: a constant.
ALWAYS_INLINE tinsmith_pulp_stage_t stage_of(const tinsmith_pulp_output_numbers_t *numbers, const int32_t *words,
                                             uint32_t channels, tinsmith_pulp_stage_kind_t kind) {
  if (kind != TINSMITH_PULP_TFLITE_S8) {
    const bool is_high = kind == TINSMITH_PULP_SCALE_HIGH_S8;
    const tinsmith_pulp_stage_t stage = {
        .kind = kind,
        .bias = is_high ? words : NULL,
        .scales = (const tinsmith_pulp_scale_t *)(is_high ? words + channels : words),
        .min = numbers->min,
        .max = numbers->max,
    };
    return stage;
  }
  const tinsmith_pulp_stage_t stage = {
      .kind = kind,
      .bias = words,
      .multipliers = words + channels,
      .shifts = words + 2u * channels,
      .zero_point = numbers->zero_point,
      .min = numbers->min,
      .max = numbers->max,
  };
  return stage;
}

ALWAYS_INLINE tinsmith_pulp_conv2d_t conv2d_of(const tinsmith_pulp_call_t *call, tinsmith_pulp_stage_kind_t kind) {
  const tinsmith_pulp_window_numbers_t *numbers = call->numbers;
  const int32_t *words = call->constants;
  const tinsmith_pulp_conv2d_t layer = {
      .input = call->input,
      .weights = (const int8_t *)(words + words_of(kind) * numbers->output_channels),
      .output = call->output,
      .scratch = call->scratch,
      .input_height = numbers->input_height,
      .input_width = numbers->input_width,
      .input_channels = numbers->input_channels,
      .output_height = numbers->output_height,
      .output_width = numbers->output_width,
      .output_channels = numbers->output_channels,
      .kernel_height = numbers->kernel_height,
      .kernel_width = numbers->kernel_width,
      .pad_top = numbers->pad_top,
      .pad_left = numbers->pad_left,
      .stride_height = numbers->stride_height,
      .stride_width = numbers->stride_width,
      .pad_value = (uint8_t)numbers->pad_value,
      .input_is_signed = true,
      .weights_are_packed = true,
      .stage = stage_of(&numbers->output, words, numbers->output_channels, kind),
  };
  return layer;
}

ALWAYS_INLINE tinsmith_pulp_depthwise_t depthwise_of(const tinsmith_pulp_call_t *call,
                                                     tinsmith_pulp_stage_kind_t kind) {
  const tinsmith_pulp_window_numbers_t *numbers = call->numbers;
  const int32_t *words = call->constants;
  const tinsmith_pulp_depthwise_t layer = {
      .input = call->input,
      .weights = (const int8_t *)(words + words_of(kind) * numbers->input_channels),
      .output = call->output,
      .scratch = call->scratch,
      .input_height = numbers->input_height,
      .input_width = numbers->input_width,
      .channels = numbers->input_channels,
      .output_height = numbers->output_height,
      .output_width = numbers->output_width,
      .kernel_height = numbers->kernel_height,
      .kernel_width = numbers->kernel_width,
      .pad_top = numbers->pad_top,
      .pad_left = numbers->pad_left,
      .stride_height = numbers->stride_height,
      .stride_width = numbers->stride_width,
      .pad_value = (uint8_t)numbers->pad_value,
      .input_is_signed = true,
      .stage = stage_of(&numbers->output, words, numbers->input_channels, kind),
  };
  return layer;
}

ALWAYS_INLINE tinsmith_pulp_linear_t linear_of(const tinsmith_pulp_call_t *call, tinsmith_pulp_stage_kind_t kind) {
  const tinsmith_pulp_linear_numbers_t *numbers = call->numbers;
  const int32_t *words = call->constants;
  const tinsmith_pulp_linear_t layer = {
      .input = call->input,
      .weights = (const int8_t *)(words + words_of(kind) * numbers->outputs),
      .output = call->output,
      .inputs = numbers->inputs,
      .outputs = numbers->outputs,
      .input_is_signed = true,
      .weights_are_packed = true,
      .stage = stage_of(&numbers->output, words, numbers->outputs, kind),
  };
  return layer;
}

#endif  // TINSMITH_KERNELS_PULP_NN_ARRANGED_H_
