// From a layer's record and array to the kernels' records, which each core makes on its own stack.
#include "tinsmith_pulp_arranged.h"

#include <stddef.h>

#include "tinsmith_pulp_nn.h"

// words: bias, multipliers and shifts of the channels.
static tinsmith_pulp_stage_t stage_of(const tinsmith_pulp_output_numbers_t *numbers, const int32_t *words,
                                      uint32_t channels) {
  const tinsmith_pulp_stage_t stage = {
      .kind = TINSMITH_PULP_TFLITE_S8,
      .bias = words,
      .multipliers = words + channels,
      .shifts = words + 2u * channels,
      .zero_point = numbers->zero_point,
      .min = numbers->min,
      .max = numbers->max,
  };
  return stage;
}

void tinsmith_pulp_arranged_conv2d(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) {
  const tinsmith_pulp_window_numbers_t *numbers = call->numbers;
  const int32_t *words = call->constants;
  const tinsmith_pulp_conv2d_t layer = {
      .input = call->input,
      .weights = (const int8_t *)(words + 3u * numbers->output_channels),
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
      .stage = stage_of(&numbers->output, words, numbers->output_channels),
  };
  tinsmith_pulp_conv2d_packed_tflite_s8(&layer, core);
}

static tinsmith_pulp_depthwise_t depthwise_of(const tinsmith_pulp_call_t *call) {
  const tinsmith_pulp_window_numbers_t *numbers = call->numbers;
  const int32_t *words = call->constants;
  const tinsmith_pulp_depthwise_t layer = {
      .input = call->input,
      .weights = (const int8_t *)(words + 3u * numbers->input_channels),
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
      .stage = stage_of(&numbers->output, words, numbers->input_channels),
  };
  return layer;
}

void tinsmith_pulp_arranged_depthwise(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) {
  const tinsmith_pulp_depthwise_t layer = depthwise_of(call);
  tinsmith_pulp_depthwise_tflite_s8(&layer, core);
}

void tinsmith_pulp_arranged_depthwise_3x3(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) {
  const tinsmith_pulp_depthwise_t layer = depthwise_of(call);
  tinsmith_pulp_depthwise_3x3_tflite_s8(&layer, core);
}

void tinsmith_pulp_arranged_linear(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) {
  const tinsmith_pulp_linear_numbers_t *numbers = call->numbers;
  const int32_t *words = call->constants;
  const tinsmith_pulp_linear_t layer = {
      .input = call->input,
      .weights = (const int8_t *)(words + 3u * numbers->outputs),
      .output = call->output,
      .inputs = numbers->inputs,
      .outputs = numbers->outputs,
      .input_is_signed = true,
      .weights_are_packed = true,
      .stage = stage_of(&numbers->output, words, numbers->outputs),
  };
  tinsmith_pulp_linear_packed_tflite_s8(&layer, core);
}
