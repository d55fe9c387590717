// PULP-NN's names for kappa and lambda of 64 bits against the oracle.
#define PULP_NN_64_BY_ORIGINAL_NAMES
#include <stddef.h>

#include "include/pulp_nn_kernels_64.h"
#include "tests/named_calls.h"
#include "tests/named_data.h"
#include "tests/report.h"

#define KERNEL 4u
#define GAP 3u

// The same memory whatever the type.
#define IN ((void *)input)
#define OUT ((void *)output)

#define SCALES c->wide_kappa, c->wide_lambda, c->multiplier
#define FLAGS c->relu, c->batchnorm

// The functions of one name and all types.
#define OF_ALL_TYPES(FUNCTION, ...)                                     \
  static void FUNCTION(void *argument, tinsmith_pulp_core_t core) {     \
    const named_call_t *c = argument;                                   \
    (void)core;                                                         \
    NAMED_FOR_TYPES(c, pulp_nn_##FUNCTION, _i8, IN, __VA_ARGS__, FLAGS) \
  }

OF_ALL_TYPES(conv, scratch, c->bias, OUT, weights, SCALES, c->shift, NAMED_SIZES(c))
OF_ALL_TYPES(pointwise, scratch, c->bias, OUT, weights, SCALES, c->shift, NAMED_SIZES(c))
OF_ALL_TYPES(depthwise, scratch, c->bias, OUT, weights, NULL, SCALES, c->shift, NAMED_SIZES(c))
OF_ALL_TYPES(linear, c->bias, OUT, weights, SCALES, c->shift, c->channels, c->output_channels)
OF_ALL_TYPES(matmul, c->bias, OUT, (void *)(output + c->output_channels + GAP), weights, SCALES, c->shift, c->channels,
             c->output_channels)

// Those of the older pulp-nn.
#define OF_BYTES(FUNCTION, ...)                                          \
  static void u8_##FUNCTION(void *argument, tinsmith_pulp_core_t core) { \
    const named_call_t *c = argument;                                    \
    (void)core;                                                          \
    pulp_nn_##FUNCTION(__VA_ARGS__);                                     \
  }

#define OF_CONVOLUTION(FUNCTION) \
  OF_BYTES(FUNCTION, input, scratch, c->bias, output, weights, SCALES, c->shift, NAMED_SIZES(c), FLAGS)

#define OF_DEPTHWISE(FUNCTION)                                                                         \
  OF_BYTES(FUNCTION, input, scratch, c->bias, output, weights, NULL, SCALES, c->shift, NAMED_SIZES(c), \
           (int8_t)c->relu, (int8_t)c->batchnorm)

OF_CONVOLUTION(conv_Ho_parallel)
OF_CONVOLUTION(conv_HoWo_parallel)
OF_CONVOLUTION(conv_Co_parallel)
OF_CONVOLUTION(pointwise_Ho_parallel)
OF_CONVOLUTION(pointwise_HoWo_parallel)
OF_CONVOLUTION(pointwise_Co_parallel)
OF_DEPTHWISE(depthwise_generic)
OF_DEPTHWISE(depthwise_generic_less_4_weights)
OF_BYTES(depthwise_3x3_s1, input, output, c->height, c->width, c->channels, c->pad_left, c->pad_right, weights,
         (int8_t)c->shift, c->multiplier, c->wide_kappa, c->wide_lambda, c->relu, c->batchnorm,
         (unsigned int *)(void *)scratch)
OF_BYTES(linear, input, c->bias, output, weights, SCALES, (int8_t)c->shift, c->channels, c->output_channels, FLAGS)
OF_BYTES(matmul, weights, input, c->output_channels, c->channels, c->shift, c->multiplier, c->wide_kappa,
         c->wide_lambda, c->bias, output, output + c->output_channels + GAP, FLAGS)

typedef struct {
  bool (*named)(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work);
  team_work_t work;
  uint16_t kernel;
  bool is_for_bytes;
} function_t;

static bool call_matmul(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work) {
  (void)random;
  (void)max_cores;
  return named_matmul(call, work, GAP);
}

static bool call_3x3(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work) {
  make_3x3_call(random, call);
  return named_depthwise(random, max_cores, call, work);
}

static const function_t kFunctions[] = {
    {named_convolution, conv, KERNEL, false},
    {named_convolution, pointwise, 1u, false},
    {named_depthwise, depthwise, KERNEL, false},
    {named_linear, linear, 1u, false},
    {call_matmul, matmul, 1u, false},
    {named_convolution, u8_conv_Ho_parallel, KERNEL, true},
    {named_convolution, u8_conv_HoWo_parallel, KERNEL, true},
    {named_convolution, u8_conv_Co_parallel, KERNEL, true},
    {named_convolution, u8_pointwise_Ho_parallel, 1u, true},
    {named_convolution, u8_pointwise_HoWo_parallel, 1u, true},
    {named_convolution, u8_pointwise_Co_parallel, 1u, true},
    {named_depthwise, u8_depthwise_generic, KERNEL, true},
    {named_depthwise, u8_depthwise_generic_less_4_weights, 2u, true},
    {call_3x3, u8_depthwise_3x3_s1, 1u, true},
    {named_linear, u8_linear, 1u, true},
    {call_matmul, u8_matmul, 1u, true},
};

uint32_t named_64_calls(uint32_t seed, uint32_t calls, uint32_t max_cores) {
  const uint32_t functions = sizeof kFunctions / sizeof *kFunctions;
  random_t random = {seed * 2654435761u + 7u};
  uint32_t failures = 0u;
  for (uint32_t i = 0u; i < calls * functions; ++i) {
    const function_t *function = &kFunctions[i % functions];
    named_call_t call = random_named_call(&random, function->kernel);
    if (function->is_for_bytes) {
      call.input_is_signed = call.output_is_signed = false;
    }
    make_wide_call(&random, &call);
    failures += function->named(&random, max_cores, &call, function->work) ? 0u : 1u;
  }
  report("names with 64 bits", functions * calls, failures);
  return failures;
}
