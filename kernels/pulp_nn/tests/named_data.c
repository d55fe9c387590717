#include "tests/named_data.h"

#include <stddef.h>

#include "tests/oracle.h"

#define MAX_KERNEL_CHANNELS 16

static int8_t bias_bytes[MAX_CHANNELS];
static int32_t bias_words[MAX_CHANNELS];
static int32_t kappa[MAX_CHANNELS];
static int32_t lambda[MAX_CHANNELS];
static int64_t wide_kappa[MAX_CHANNELS];
static int64_t wide_lambda[MAX_CHANNELS];

static uint16_t draw(random_t *random, int32_t low, int32_t high) {
  return (uint16_t)random_between(random, low, high);
}

static uint16_t outputs_of(uint16_t size, uint16_t padding, uint16_t kernel, uint16_t stride) {
  return (uint16_t)((size + padding - kernel) / stride + 1);
}

static void random_sizes(random_t *random, named_call_t *call, uint16_t kernel) {
  const uint16_t stride = kernel == 1u ? 1u : 2u;
  call->kernel_height = draw(random, 1, kernel);
  call->kernel_width = draw(random, 1, kernel);
  // No more than half of a kernel, so that no window of a pool is padding alone.
  call->pad_top = draw(random, 0, (call->kernel_height - 1) / 2);
  call->pad_bottom = draw(random, 0, (call->kernel_height - 1) / 2);
  call->pad_left = draw(random, 0, (call->kernel_width - 1) / 2);
  call->pad_right = draw(random, 0, (call->kernel_width - 1) / 2);
  call->stride_height = draw(random, 1, stride);
  call->stride_width = draw(random, 1, stride);
  call->height = draw(random, call->kernel_height, 11);
  call->width = draw(random, call->kernel_width, 11);
  call->channels = draw(random, 1, MAX_KERNEL_CHANNELS);
  call->output_channels = draw(random, 1, MAX_KERNEL_CHANNELS);
  call->output_height =
      outputs_of(call->height, (uint16_t)(call->pad_top + call->pad_bottom), call->kernel_height, call->stride_height);
  call->output_width =
      outputs_of(call->width, (uint16_t)(call->pad_left + call->pad_right), call->kernel_width, call->stride_width);
}

static void random_add(random_t *random, named_call_t *call) {
  call->requant = random_between(random, 0, 1);
  call->add = (tinsmith_pulp_add_t){
      .lhs_is_signed = call->input_is_signed,
      .rhs_is_signed = random_between(random, 0, 1) == 1,
      .output_is_signed = call->output_is_signed,
      .lhs_multiplier = random_between(random, -99, 300),
      .lhs_addend = random_between(random, -5000, 5000),
      .lhs_shift = random_between(random, 0, 9),
      .rhs_multiplier = random_between(random, -99, 300),
      .rhs_addend = random_between(random, -5000, 5000),
      .rhs_shift = random_between(random, 0, 9),
      .output_multiplier = random_between(random, -99, 300),
      .output_addend = random_between(random, -5000, 5000),
      .output_shift = random_between(random, 0, 9),
  };
}

named_call_t random_named_call(random_t *random, uint16_t kernel) {
  named_call_t call = {.kappa = kappa, .lambda = lambda};
  random_sizes(random, &call, kernel);
  call.input_is_signed = random_between(random, 0, 1) == 1;
  call.output_is_signed = random_between(random, 0, 1) == 1;
  for (uint32_t i = 0u; i < MAX_CHANNELS; ++i) {
    kappa[i] = random_between(random, 1, 99);
    lambda[i] = random_between(random, -99999, 99999);
    bias_words[i] = random_between(random, -99999, 99999);
  }
  random_bytes(random, bias_bytes, sizeof bias_bytes);
  random_bytes(random, input, BUFFER_BYTES);
  random_bytes(random, weights, BUFFER_BYTES);
  call.bias = random_between(random, 0, 1) == 0 ? NULL : bias_bytes;
  call.relu = (uint8_t)random_between(random, 0, 1);
  call.batchnorm = (uint8_t)random_between(random, 0, 1);
  call.multiplier = (uint16_t)random_between(random, -20, 99);
  call.shift = draw(random, 4, 16);
  random_add(random, &call);
  return call;
}

static bool has_both_flags(const named_call_t *call) {
  return call->relu == 1u && call->batchnorm == 1u;
}

void make_wide_call(random_t *random, named_call_t *call) {
  const int32_t bits = random_between(random, 0, 40);
  const int64_t unit = INT64_C(1) << bits;
  for (uint32_t i = 0u; i < MAX_CHANNELS; ++i) {
    wide_kappa[i] = kappa[i] * unit + random_between(random, 0, 99);
    wide_lambda[i] = lambda[i] * unit - random_between(random, 0, 99);
  }
  call->is_wide = true;
  call->wide_kappa = wide_kappa;
  call->wide_lambda = wide_lambda;
  call->shift = (uint16_t)(call->shift + (has_both_flags(call) ? bits : 0));
}

void make_3x3_call(random_t *random, named_call_t *call) {
  call->kernel_height = call->kernel_width = 3u;
  call->height = (uint16_t)(call->height + 2u);
  call->width = (uint16_t)(call->width + 2u);
  call->pad_left = draw(random, 0, 1);
  call->pad_right = draw(random, 0, 1);
  call->output_height = (uint16_t)(call->height - 2u);
  call->output_width = (uint16_t)(call->width + call->pad_left + call->pad_right - 2u);
  call->bias = NULL;
}

static tinsmith_pulp_stage_t stage_of(const named_call_t *call) {
  const bool has_both = has_both_flags(call);
  if (has_both && call->is_wide) {
    return (tinsmith_pulp_stage_t){
        .kind = call->output_is_signed ? TINSMITH_PULP_TRUNCATE_WIDE_S8 : TINSMITH_PULP_TRUNCATE_WIDE_U8,
        .bias_s8 = call->bias,
        .wide_multipliers = wide_kappa,
        .wide_addends = wide_lambda,
        .shift = call->shift,
    };
  }
  return (tinsmith_pulp_stage_t){
      .kind = call->output_is_signed ? TINSMITH_PULP_TRUNCATE_S8 : TINSMITH_PULP_TRUNCATE_U8,
      .bias_s8 = call->bias,
      .multipliers = has_both ? kappa : NULL,
      .addends = has_both ? lambda : NULL,
      .multiplier = call->relu == 1u ? (int16_t)call->multiplier : 1,
      .shift = call->shift,
  };
}

static void run(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work, uint32_t bytes) {
  clear_output(bytes);
  team_run((uint32_t)random_between(random, 1, (int32_t)max_cores), work, call);
}

bool named_convolution(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work) {
  const tinsmith_pulp_conv2d_t layer = {
      .input = input,
      .input_height = call->height,
      .input_width = call->width,
      .input_channels = call->channels,
      .output_height = call->output_height,
      .output_width = call->output_width,
      .output_channels = call->output_channels,
      .kernel_height = call->kernel_height,
      .kernel_width = call->kernel_width,
      .pad_top = call->pad_top,
      .pad_left = call->pad_left,
      .stride_height = call->stride_height,
      .stride_width = call->stride_width,
      .input_is_signed = call->input_is_signed,
      .stage = stage_of(call),
  };
  const uint32_t bytes = (uint32_t)call->output_height * call->output_width * call->output_channels;
  run(random, max_cores, call, work, bytes);
  oracle_conv2d(&layer, weights, expected);
  return output_is_right(bytes);
}

bool named_depthwise(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work) {
  const tinsmith_pulp_depthwise_t layer = {
      .input = input,
      .weights = weights,
      .input_height = call->height,
      .input_width = call->width,
      .channels = call->channels,
      .output_height = call->output_height,
      .output_width = call->output_width,
      .kernel_height = call->kernel_height,
      .kernel_width = call->kernel_width,
      .pad_top = call->pad_top,
      .pad_left = call->pad_left,
      .stride_height = call->stride_height,
      .stride_width = call->stride_width,
      .input_is_signed = call->input_is_signed,
      .input_is_chw = true,
      .stage = stage_of(call),
  };
  const uint32_t bytes = (uint32_t)call->output_height * call->output_width * call->channels;
  call->output_channels = call->channels;
  run(random, max_cores, call, work, bytes);
  oracle_depthwise(&layer, expected);
  return output_is_right(bytes);
}

static tinsmith_pulp_linear_t linear_of(const named_call_t *call) {
  return (tinsmith_pulp_linear_t){
      .input = input,
      .inputs = call->channels,
      .outputs = call->output_channels,
      .input_is_signed = call->input_is_signed,
      .stage = stage_of(call),
  };
}

bool named_linear(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work) {
  call->channels = draw(random, 1, 70);
  call->output_channels = draw(random, 1, MAX_CHANNELS);
  const tinsmith_pulp_linear_t layer = linear_of(call);
  run(random, max_cores, call, work, layer.outputs);
  oracle_linear(&layer, weights, expected);
  return output_is_right(layer.outputs);
}

bool named_linear_raw(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work) {
  call->channels = draw(random, 1, 70);
  call->output_channels = draw(random, 1, MAX_CHANNELS);
  call->bias = call->bias == NULL ? NULL : (int8_t *)bias_words;
  tinsmith_pulp_linear_t layer = linear_of(call);
  layer.stage =
      (tinsmith_pulp_stage_t){.kind = TINSMITH_PULP_RAW_S32, .bias = (const int32_t *)(const void *)call->bias};
  const uint32_t bytes = layer.outputs * (uint32_t)sizeof(int32_t);
  run(random, max_cores, call, work, bytes);
  oracle_linear(&layer, weights, expected);
  return output_is_right(bytes);
}

bool named_matmul(named_call_t *call, team_work_t work, uint32_t gap) {
  tinsmith_pulp_linear_t layer = linear_of(call);
  const uint32_t second = layer.outputs + gap;
  clear_output(second + layer.outputs);
  team_run(1u, work, call);
  oracle_linear(&layer, weights, expected);
  for (uint32_t i = layer.outputs; i < second; ++i) {
    expected[i] = MARGIN_VALUE;
  }
  layer.input = input + layer.inputs;
  oracle_linear(&layer, weights, expected + second);
  return output_is_right(second + layer.outputs);
}

bool named_add(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work) {
  tinsmith_pulp_add_t layer = call->add;
  layer.lhs = input;
  layer.rhs = weights;
  layer.count = (uint32_t)call->height * call->width * call->channels;
  if (layer.kind == TINSMITH_PULP_ADD_REQUANTIZED && call->requant == 0) {
    layer.output_multiplier = 1;
    layer.output_addend = 0;
    layer.output_shift = 0;
  }
  if (layer.kind == TINSMITH_PULP_ADD_WEIGHTED) {
    layer.output_addend = 0;
  }
  run(random, max_cores, call, work, layer.count);
  oracle_add(&layer, expected);
  return output_is_right(layer.count);
}

bool named_pool(random_t *random, uint32_t max_cores, named_call_t *call, tinsmith_pulp_pool_kind_t kind,
                team_work_t work) {
  const tinsmith_pulp_pool_kind_t plain = TINSMITH_PULP_POOL_AVERAGE_PLAIN;
  tinsmith_pulp_pool_t layer = {
      .kind = kind != TINSMITH_PULP_POOL_MAX && call->requant == 0 ? plain : kind,
      .input = input,
      .input_height = call->height,
      .input_width = call->width,
      .channels = call->channels,
      .output_height = call->output_height,
      .output_width = call->output_width,
      .kernel_height = call->kernel_height,
      .kernel_width = call->kernel_width,
      .pad_top = call->pad_top,
      .pad_left = call->pad_left,
      .stride_height = call->stride_height,
      .stride_width = call->stride_width,
      .input_is_signed = call->input_is_signed,
      .output_is_signed = call->output_is_signed,
      .multiplier = call->multiplier & 0x3ff,
      .addend = call->add.output_addend,
      .shift = call->add.output_shift,
      .min = call->input_is_signed ? INT8_MIN : 0,
      .max = call->input_is_signed ? INT8_MAX : UINT8_MAX,
  };
  call->multiplier = (uint16_t)layer.multiplier;
  if (kind == TINSMITH_PULP_POOL_AVERAGE_SCALED) {
    layer.multiplier /= layer.kernel_height * layer.kernel_width;
  }
  const uint32_t bytes = (uint32_t)call->output_height * call->output_width * call->channels;
  run(random, max_cores, call, work, bytes);
  oracle_pool(&layer, expected);
  return output_is_right(bytes);
}
