// PULP-NN's names against the oracle: the arguments arrive in the right places, for all four pairs of types.
#include "tests/named_calls.h"

#include <stddef.h>
#include <string.h>

#include "include/pulp_nn_kernels.h"
#include "tests/oracle.h"
#include "tests/random_data.h"
#include "tests/team.h"

#define BYTES 2048u
#define SHIFT_BITS 16

typedef struct {
  int32_t types;
  void *input, *output, *weights, *scratch, *bias, *kappa, *lambda;
  uint16_t multiplier, shift;
  uint8_t relu, batchnorm;
  tinsmith_pulp_conv2d_t sizes;
} call_t;

static __attribute__((aligned(4))) uint8_t input[BYTES];
static __attribute__((aligned(4))) uint8_t weights[BYTES];
static __attribute__((aligned(4))) uint8_t output[BYTES];
static __attribute__((aligned(4))) uint8_t expected[BYTES];
static __attribute__((aligned(4))) uint8_t scratch[16u * BYTES];
static int8_t bias[MAX_CHANNELS];

#define FOR_TYPES(TYPES, PREFIX, SUFFIX, ...) \
  switch (TYPES) {                            \
    case 0:                                   \
      PREFIX##_u8_u8##SUFFIX(__VA_ARGS__);    \
      break;                                  \
    case 1:                                   \
      PREFIX##_u8_i8##SUFFIX(__VA_ARGS__);    \
      break;                                  \
    case 2:                                   \
      PREFIX##_i8_u8##SUFFIX(__VA_ARGS__);    \
      break;                                  \
    default:                                  \
      PREFIX##_i8_i8##SUFFIX(__VA_ARGS__);    \
      break;                                  \
  }

#define SIZES(S)                                                                                                   \
  (S).input_width, (S).input_height, (S).input_channels, (S).output_width, (S).output_height, (S).output_channels, \
      (S).kernel_width, (S).kernel_height, (S).pad_top, (S).pad_top, (S).pad_left, (S).pad_left, (S).stride_width, \
      (S).stride_height

static void run_conv(void *argument, tinsmith_pulp_core_t core) {
  const call_t *c = argument;
  (void)core;
  FOR_TYPES(c->types, pulp_nn_conv, _i8, c->input, c->scratch, c->bias, c->output, c->weights, c->kappa, c->lambda,
            c->multiplier, c->shift, SIZES(c->sizes), c->relu, c->batchnorm)
}

static void run_pointwise(void *argument, tinsmith_pulp_core_t core) {
  const call_t *c = argument;
  (void)core;
  FOR_TYPES(c->types, pulp_nn_pointwise, _i8, c->input, c->scratch, c->bias, c->output, c->weights, c->kappa, c->lambda,
            c->multiplier, c->shift, SIZES(c->sizes), c->relu, c->batchnorm)
}

static void run_depthwise(void *argument, tinsmith_pulp_core_t core) {
  const call_t *c = argument;
  (void)core;
  FOR_TYPES(c->types, pulp_nn_depthwise, _i8, c->input, c->scratch, c->bias, c->output, c->weights, NULL, c->kappa,
            c->lambda, c->multiplier, c->shift, SIZES(c->sizes), c->relu, c->batchnorm)
}

static void run_linear(void *argument, tinsmith_pulp_core_t core) {
  const call_t *c = argument;
  (void)core;
  FOR_TYPES(c->types, pulp_nn_linear, _i8, c->input, c->bias, c->output, c->weights, c->kappa, c->lambda, c->multiplier,
            c->shift, c->sizes.input_channels, c->sizes.output_channels, c->relu, c->batchnorm)
}

static void run_matmul(void *argument, tinsmith_pulp_core_t core) {
  const call_t *c = argument;
  const uint16_t channels = c->sizes.output_channels;
  if (core.core != 0u) {
    return;
  }
  FOR_TYPES(c->types, pulp_nn_matmul, _i8, c->input, c->bias, c->output, (void *)((uint8_t *)c->output + channels),
            c->weights, c->kappa, c->lambda, c->multiplier, c->shift, c->sizes.input_channels, channels, c->relu,
            c->batchnorm)
}

static void run_add(void *argument, tinsmith_pulp_core_t core) {
  const call_t *c = argument;
  (void)core;
  pulp_nn_add_u8_u8(c->input, c->weights, c->output, c->multiplier, (uint16_t)-c->multiplier, c->shift,
                    c->sizes.input_width, c->sizes.input_height, c->sizes.input_channels);
}

static void run_max_pool(void *argument, tinsmith_pulp_core_t core) {
  const call_t *c = argument;
  const tinsmith_pulp_conv2d_t *z = &c->sizes;
  (void)core;
  if (c->types < 2) {
    pulp_nn_maxpool_u8(c->input, c->output, z->input_width, z->input_height, z->input_channels, z->output_width,
                       z->output_height, z->kernel_width, z->kernel_height, z->pad_top, z->pad_top, z->pad_left,
                       z->pad_left, z->stride_width, z->stride_height);
  } else {
    pulp_nn_maxpool_i8(c->input, c->output, z->input_width, z->input_height, z->input_channels, z->output_width,
                       z->output_height, z->kernel_width, z->kernel_height, z->pad_top, z->pad_top, z->pad_left,
                       z->pad_left, z->stride_width, z->stride_height);
  }
}

// Draws data and the output stage; what is left are the sizes.
static call_t random_call(random_t *random, tinsmith_pulp_stage_t *stage) {
  call_t call = {.types = random_between(random, 0, 3), .input = input, .output = output, .weights = weights};
  static int32_t kappa[MAX_CHANNELS];
  static int32_t lambda[MAX_CHANNELS];
  for (uint32_t i = 0u; i < MAX_CHANNELS; ++i) {
    kappa[i] = random_between(random, 1, 99);
    lambda[i] = random_between(random, -99999, 99999);
  }
  random_bytes(random, input, BYTES);
  random_bytes(random, weights, BYTES);
  random_bytes(random, bias, sizeof bias);
  call.scratch = scratch;
  call.bias = random_between(random, 0, 1) == 0 ? NULL : bias;
  call.kappa = kappa;
  call.lambda = lambda;
  call.relu = (uint8_t)random_between(random, 0, 1);
  call.batchnorm = (uint8_t)random_between(random, 0, 1);
  call.multiplier = (uint16_t)random_between(random, -20, 99);
  call.shift = (uint16_t)random_between(random, 4, SHIFT_BITS);
  const bool both = call.relu == 1u && call.batchnorm == 1u;
  *stage = (tinsmith_pulp_stage_t){
      .kind = call.types % 2 == 0 ? TINSMITH_PULP_TRUNCATE_U8 : TINSMITH_PULP_TRUNCATE_S8,
      .bias_s8 = call.bias,
      .multipliers = both ? kappa : NULL,
      .addends = both ? lambda : NULL,
      .multiplier = call.relu == 1u ? (int16_t)call.multiplier : 1,
      .shift = call.shift,
  };
  return call;
}

static bool is_as_expected(uint32_t bytes) {
  for (uint32_t i = 0u; i < bytes; ++i) {
    if (output[i] != expected[i]) {
      return false;
    }
  }
  return true;
}

static void random_layer(random_t *random, tinsmith_pulp_conv2d_t *sizes, uint16_t kernel) {
  sizes->kernel_height = sizes->kernel_width = kernel;
  sizes->pad_top = sizes->pad_left = kernel / 2u;
  sizes->stride_height = (uint16_t)random_between(random, 1, kernel == 1u ? 1 : 2);
  sizes->stride_width = (uint16_t)random_between(random, 1, kernel == 1u ? 1 : 2);
  sizes->input_height = (uint16_t)random_between(random, 3, 10);
  sizes->input_width = (uint16_t)random_between(random, 3, 10);
  sizes->input_channels = (uint16_t)random_between(random, 1, 16);
  sizes->output_channels = (uint16_t)random_between(random, 1, 12);
  sizes->output_height = (uint16_t)((sizes->input_height - 1) / sizes->stride_height + 1);
  sizes->output_width = (uint16_t)((sizes->input_width - 1) / sizes->stride_width + 1);
}

static bool call_convolution(random_t *random, uint32_t max_cores, uint16_t kernel, team_work_t run) {
  tinsmith_pulp_conv2d_t *sizes;
  tinsmith_pulp_stage_t stage;
  call_t call = random_call(random, &stage);
  sizes = &call.sizes;
  random_layer(random, sizes, kernel);
  sizes->input = input;
  sizes->input_is_signed = call.types >= 2;
  sizes->stage = stage;
  team_run((uint32_t)random_between(random, 1, (int32_t)max_cores), run, &call);
  oracle_conv2d(sizes, call.weights, expected);
  return is_as_expected((uint32_t)sizes->output_height * sizes->output_width * sizes->output_channels);
}

static bool call_depthwise(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_stage_t stage;
  call_t call = random_call(random, &stage);
  tinsmith_pulp_conv2d_t *sizes = &call.sizes;
  random_layer(random, sizes, 3u);
  sizes->output_channels = sizes->input_channels;
  const tinsmith_pulp_depthwise_t layer = {
      .input = input,
      .weights = call.weights,
      .input_height = sizes->input_height,
      .input_width = sizes->input_width,
      .channels = sizes->input_channels,
      .output_height = sizes->output_height,
      .output_width = sizes->output_width,
      .kernel_height = 3u,
      .kernel_width = 3u,
      .pad_top = 1u,
      .pad_left = 1u,
      .stride_height = sizes->stride_height,
      .stride_width = sizes->stride_width,
      .input_is_signed = call.types >= 2,
      .input_is_chw = true,
      .stage = stage,
  };
  team_run((uint32_t)random_between(random, 1, (int32_t)max_cores), run_depthwise, &call);
  oracle_depthwise(&layer, expected);
  return is_as_expected((uint32_t)sizes->output_height * sizes->output_width * sizes->output_channels);
}

// A linear layer, or two of them as a matrix product.
static bool call_linear(random_t *random, uint32_t max_cores, uint32_t columns, team_work_t run) {
  tinsmith_pulp_stage_t stage;
  call_t call = random_call(random, &stage);
  tinsmith_pulp_linear_t layer = {.input = input, .stage = stage, .input_is_signed = call.types >= 2};
  call.sizes.input_channels = layer.inputs = (uint16_t)random_between(random, 1, 60);
  call.sizes.output_channels = layer.outputs = (uint16_t)random_between(random, 1, 30);
  team_run((uint32_t)random_between(random, 1, (int32_t)max_cores), run, &call);
  for (uint32_t i = 0u; i < columns; ++i) {
    oracle_linear(&layer, call.weights, expected + i * layer.outputs);
    layer.input = input + layer.inputs;
  }
  return is_as_expected(columns * layer.outputs);
}

static bool call_add(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_stage_t stage;
  call_t call = random_call(random, &stage);
  random_layer(random, &call.sizes, 1u);
  const uint32_t count = (uint32_t)call.sizes.input_width * call.sizes.input_height * call.sizes.input_channels;
  for (uint32_t i = 0u; i < count; ++i) {
    const int32_t scaled = (int16_t)call.multiplier * (input[i] - weights[i]);
    // Towards minus infinity, as an arithmetic shift does.
    const int32_t unit = 1 << call.shift;
    const int32_t sum = scaled >= 0 ? scaled / unit : -((-scaled + unit - 1) / unit);
    expected[i] = (uint8_t)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
  }
  team_run((uint32_t)random_between(random, 1, (int32_t)max_cores), run_add, &call);
  return is_as_expected(count);
}

// The largest element of a window, with the padding left out.
static int32_t largest(const call_t *call, int32_t top, int32_t left, uint32_t channel) {
  const tinsmith_pulp_conv2d_t *sizes = &call->sizes;
  int32_t found = INT32_MIN;
  for (int32_t y = top; y < top + sizes->kernel_height; ++y) {
    for (int32_t x = left; x < left + sizes->kernel_width; ++x) {
      if (y >= 0 && y < sizes->input_height && x >= 0 && x < sizes->input_width) {
        const uint32_t at = ((uint32_t)y * sizes->input_width + (uint32_t)x) * sizes->input_channels + channel;
        const int32_t value = call->types < 2 ? input[at] : (int8_t)input[at];
        found = value > found ? value : found;
      }
    }
  }
  return found;
}

static bool call_max_pool(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_stage_t stage;
  call_t call = random_call(random, &stage);
  tinsmith_pulp_conv2d_t *sizes = &call.sizes;
  random_layer(random, sizes, 3u);
  team_run((uint32_t)random_between(random, 1, (int32_t)max_cores), run_max_pool, &call);
  uint32_t count = 0u;
  for (int32_t y = 0; y < sizes->output_height; ++y) {
    for (int32_t x = 0; x < sizes->output_width; ++x) {
      for (uint32_t channel = 0u; channel < sizes->input_channels; ++channel) {
        expected[count++] = (uint8_t)largest(&call, y * sizes->stride_height - sizes->pad_top,
                                             x * sizes->stride_width - sizes->pad_left, channel);
      }
    }
  }
  return is_as_expected(count);
}

uint32_t named_calls(uint32_t seed, uint32_t calls, uint32_t max_cores) {
  random_t random = {seed * 2654435761u + 3u};
  uint32_t failures = 0u;
  for (uint32_t i = 0u; i < calls; ++i) {
    failures += call_convolution(&random, max_cores, 3u, run_conv) ? 0u : 1u;
    failures += call_convolution(&random, max_cores, 1u, run_pointwise) ? 0u : 1u;
    failures += call_depthwise(&random, max_cores) ? 0u : 1u;
    failures += call_linear(&random, max_cores, 1u, run_linear) ? 0u : 1u;
    failures += call_linear(&random, max_cores, 2u, run_matmul) ? 0u : 1u;
    failures += call_add(&random, max_cores) ? 0u : 1u;
    failures += call_max_pool(&random, max_cores) ? 0u : 1u;
  }
  print_text("named ");
  print_number((int32_t)(7u * calls));
  print_text(" calls, ");
  print_number((int32_t)failures);
  print_text(" wrong\n");
  return failures;
}
