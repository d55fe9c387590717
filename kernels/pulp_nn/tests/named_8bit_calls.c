// The older pulp-nn's names against the oracle, each with its split over cores.
#include <stddef.h>

#include "include/pulp_nn_8bit_kernels.h"
#include "tests/named_calls.h"
#include "tests/named_data.h"
#include "tests/report.h"

#define KERNEL 4u
#define GAP 3u

// The functions of one signature differ in their names only.
#define CONVOLUTION(FUNCTION)                                                                                  \
  static void FUNCTION(void *argument, tinsmith_pulp_core_t core) {                                            \
    const named_call_t *c = argument;                                                                          \
    (void)core;                                                                                                \
    pulp_nn_##FUNCTION(input, scratch, c->bias, output, weights, c->kappa, c->lambda, c->multiplier, c->shift, \
                       NAMED_SIZES(c), c->relu, c->batchnorm);                                                 \
  }

CONVOLUTION(conv_Ho_parallel)
CONVOLUTION(conv_HoWo_parallel)
CONVOLUTION(conv_Co_parallel)
CONVOLUTION(pointwise_Ho_parallel)
CONVOLUTION(pointwise_HoWo_parallel)
CONVOLUTION(pointwise_Co_parallel)

#define DEPTHWISE(FUNCTION)                                                                                          \
  static void FUNCTION(void *argument, tinsmith_pulp_core_t core) {                                                  \
    const named_call_t *c = argument;                                                                                \
    (void)core;                                                                                                      \
    pulp_nn_##FUNCTION(input, scratch, c->bias, output, weights, NULL, c->kappa, c->lambda, c->multiplier, c->shift, \
                       NAMED_SIZES(c), (int8_t)c->relu, (int8_t)c->batchnorm);                                       \
  }

DEPTHWISE(depthwise_generic)
DEPTHWISE(depthwise_generic_less_4_weights)

static void depthwise_3x3_s1(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  pulp_nn_depthwise_3x3_s1(input, output, c->height, c->width, c->channels, c->pad_left, c->pad_right, weights,
                           (int8_t)c->shift, c->multiplier, c->kappa, c->lambda, c->relu, c->batchnorm,
                           (unsigned int *)(void *)scratch);
}

static void linear(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  pulp_nn_linear(input, c->bias, output, weights, c->kappa, c->lambda, c->multiplier, (int8_t)c->shift, c->channels,
                 c->output_channels, c->relu, c->batchnorm);
}

static void linear_out_32(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  pulp_nn_linear_out_32(input, c->bias, (int32_t *)(void *)output, weights, c->channels, c->output_channels);
}

static void matmul(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  pulp_nn_matmul(weights, input, c->output_channels, c->channels, c->shift, c->multiplier, c->kappa, c->lambda, c->bias,
                 output, output + c->output_channels + GAP, c->relu, c->batchnorm);
}

static void add(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  pulp_nn_add(input, (uint8_t *)weights, output, (uint16_t)c->add.lhs_multiplier, (uint16_t)c->add.rhs_multiplier,
              (uint16_t)c->add.output_shift, c->height, c->width, c->channels);
}

static void average_pool(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  pulp_nn_avgpool(input, output, c->multiplier, (uint16_t)c->add.output_shift, c->add.output_addend,
                  NAMED_POOL_SIZES(c), c->requant);
}

static void max_pool(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  pulp_nn_maxpool(input, output, NAMED_POOL_SIZES(c));
}

static named_call_t unsigned_call(random_t *random, uint16_t kernel) {
  named_call_t call = random_named_call(random, kernel);
  call.input_is_signed = call.output_is_signed = false;
  call.add.kind = TINSMITH_PULP_ADD_WEIGHTED;
  call.add.lhs_is_signed = call.add.rhs_is_signed = call.add.output_is_signed = false;
  return call;
}

static bool depthwise_3x3(random_t *random, uint32_t max_cores) {
  named_call_t call = unsigned_call(random, 1u);
  make_3x3_call(random, &call);
  return named_depthwise(random, max_cores, &call, depthwise_3x3_s1);
}

typedef bool (*named_layer_t)(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work);

typedef struct {
  named_layer_t named;
  team_work_t work;
  uint16_t kernel;
} function_t;

static const function_t kFunctions[] = {
    {named_convolution, conv_Ho_parallel, KERNEL},
    {named_convolution, conv_HoWo_parallel, KERNEL},
    {named_convolution, conv_Co_parallel, KERNEL},
    {named_convolution, pointwise_Ho_parallel, 1u},
    {named_convolution, pointwise_HoWo_parallel, 1u},
    {named_convolution, pointwise_Co_parallel, 1u},
    {named_depthwise, depthwise_generic, KERNEL},
    {named_depthwise, depthwise_generic_less_4_weights, 2u},
    {named_linear, linear, 1u},
    {named_linear_raw, linear_out_32, 1u},
    {named_add, add, 1u},
};

static uint32_t others(random_t *random, uint32_t max_cores) {
  named_call_t product = unsigned_call(random, 1u);
  uint32_t failures = named_matmul(&product, matmul, GAP) ? 0u : 1u;
  named_call_t average = unsigned_call(random, KERNEL);
  failures += named_pool(random, max_cores, &average, TINSMITH_PULP_POOL_AVERAGE_DIVIDED, average_pool) ? 0u : 1u;
  named_call_t max = unsigned_call(random, KERNEL);
  failures += named_pool(random, max_cores, &max, TINSMITH_PULP_POOL_MAX, max_pool) ? 0u : 1u;
  return failures + (depthwise_3x3(random, max_cores) ? 0u : 1u);
}

uint32_t named_8bit_calls(uint32_t seed, uint32_t calls, uint32_t max_cores) {
  const uint32_t functions = sizeof kFunctions / sizeof *kFunctions;
  random_t random = {seed * 2654435761u + 5u};
  uint32_t failures = 0u;
  for (uint32_t i = 0u; i < calls; ++i) {
    for (uint32_t f = 0u; f < functions; ++f) {
      named_call_t call = unsigned_call(&random, kFunctions[f].kernel);
      failures += kFunctions[f].named(&random, max_cores, &call, kFunctions[f].work) ? 0u : 1u;
    }
    failures += others(&random, max_cores);
  }
  report("names of pulp-nn", (functions + 4u) * calls, failures);
  return failures;
}
