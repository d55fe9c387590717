// pulp-nn-mixed's names against the oracle: the arguments arrive in the right places, for all types.
#include "tests/named_calls.h"

#include <stddef.h>

#include "include/pulp_nn_kernels.h"
#include "tests/named_data.h"
#include "tests/report.h"

#define KERNEL 4u

// The same memory whatever the type.
#define IN ((void *)input)
#define OUT ((void *)output)

static void conv(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  NAMED_FOR_TYPES(c, pulp_nn_conv, _i8, IN, scratch, c->bias, OUT, weights, c->kappa, c->lambda, c->multiplier,
                  c->shift, NAMED_SIZES(c), c->relu, c->batchnorm)
}

static void pointwise(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  NAMED_FOR_TYPES(c, pulp_nn_pointwise, _i8, IN, scratch, c->bias, OUT, weights, c->kappa, c->lambda, c->multiplier,
                  c->shift, NAMED_SIZES(c), c->relu, c->batchnorm)
}

static void depthwise(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  NAMED_FOR_TYPES(c, pulp_nn_depthwise, _i8, IN, scratch, c->bias, OUT, weights, NULL, c->kappa, c->lambda,
                  c->multiplier, c->shift, NAMED_SIZES(c), c->relu, c->batchnorm)
}

static void linear(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  NAMED_FOR_TYPES(c, pulp_nn_linear, _i8, IN, c->bias, OUT, weights, c->kappa, c->lambda, c->multiplier, c->shift,
                  c->channels, c->output_channels, c->relu, c->batchnorm)
}

static void linear_raw(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  if (c->input_is_signed) {
    pulp_nn_linear_i8_i32_i8(IN, c->bias, OUT, weights, c->channels, c->output_channels);
  } else {
    pulp_nn_linear_u8_i32_i8(IN, c->bias, OUT, weights, c->channels, c->output_channels);
  }
}

#define GAP 5u

static void matmul_at(const named_call_t *c, void *second) {
  NAMED_FOR_TYPES(c, pulp_nn_matmul, _i8, IN, c->bias, OUT, second, weights, c->kappa, c->lambda, c->multiplier,
                  c->shift, c->channels, c->output_channels, c->relu, c->batchnorm)
}

static void matmul(void *argument, tinsmith_pulp_core_t core) {
  (void)core;
  matmul_at(argument, output + ((const named_call_t *)argument)->output_channels);
}

static void matmul_apart(void *argument, tinsmith_pulp_core_t core) {
  (void)core;
  matmul_at(argument, output + ((const named_call_t *)argument)->output_channels + GAP);
}

static void add_weighted(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  pulp_nn_add_u8_u8(IN, (void *)weights, OUT, (uint16_t)c->add.lhs_multiplier, (uint16_t)c->add.rhs_multiplier,
                    (uint16_t)c->add.output_shift, c->width, c->height, c->channels);
}

#define ADD_ARGUMENTS                                                                                 \
  IN, (void *)weights, OUT, c->add.lhs_multiplier, c->add.lhs_addend, (uint16_t)c->add.lhs_shift,     \
      c->add.rhs_multiplier, c->add.rhs_addend, (uint16_t)c->add.rhs_shift, c->add.output_multiplier, \
      c->add.output_addend, (uint16_t)c->add.output_shift, c->width, c->height, c->channels, c->requant

static void add(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  switch ((c->add.lhs_is_signed ? 4 : 0) | (c->add.rhs_is_signed ? 2 : 0) | (c->add.output_is_signed ? 1 : 0)) {
    case 0:
      pulp_nn_add_u8_u8_u8(ADD_ARGUMENTS);
      break;
    case 1:
      pulp_nn_add_u8_u8_i8(ADD_ARGUMENTS);
      break;
    case 2:
      pulp_nn_add_u8_i8_u8(ADD_ARGUMENTS);
      break;
    case 3:
      pulp_nn_add_u8_i8_i8(ADD_ARGUMENTS);
      break;
    case 4:
      pulp_nn_add_i8_u8_u8(ADD_ARGUMENTS);
      break;
    case 5:
      pulp_nn_add_i8_u8_i8(ADD_ARGUMENTS);
      break;
    case 6:
      pulp_nn_add_i8_i8_u8(ADD_ARGUMENTS);
      break;
    default:
      pulp_nn_add_i8_i8_i8(ADD_ARGUMENTS);
      break;
  }
}

static void average_pool(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  NAMED_FOR_TYPES(c, pulp_nn_avgpool, , IN, OUT, c->multiplier, (uint16_t)c->add.output_shift, c->add.output_addend,
                  NAMED_POOL_SIZES(c), c->requant)
}

static void max_pool(void *argument, tinsmith_pulp_core_t core) {
  const named_call_t *c = argument;
  (void)core;
  if (c->input_is_signed) {
    pulp_nn_maxpool_i8(IN, OUT, NAMED_POOL_SIZES(c));
  } else {
    pulp_nn_maxpool_u8(IN, OUT, NAMED_POOL_SIZES(c));
  }
}

typedef bool (*named_layer_t)(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work);

static bool layer(random_t *random, uint32_t max_cores, uint16_t kernel, named_layer_t named, team_work_t work) {
  named_call_t call = random_named_call(random, kernel);
  return named(random, max_cores, &call, work);
}

static bool sum(random_t *random, uint32_t max_cores, tinsmith_pulp_add_kind_t kind) {
  named_call_t call = random_named_call(random, KERNEL);
  call.add.kind = kind;
  if (kind == TINSMITH_PULP_ADD_WEIGHTED) {
    call.add.lhs_is_signed = call.add.rhs_is_signed = call.add.output_is_signed = false;
  }
  return named_add(random, max_cores, &call, kind == TINSMITH_PULP_ADD_WEIGHTED ? add_weighted : add);
}

static bool pool(random_t *random, uint32_t max_cores, tinsmith_pulp_pool_kind_t kind, team_work_t work) {
  named_call_t call = random_named_call(random, KERNEL);
  return named_pool(random, max_cores, &call, kind, work);
}

static bool product(random_t *random, bool is_apart) {
  named_call_t call = random_named_call(random, 1u);
  return named_matmul(&call, is_apart ? matmul_apart : matmul, is_apart ? GAP : 0u);
}

uint32_t named_calls(uint32_t seed, uint32_t calls, uint32_t max_cores) {
  random_t random = {seed * 2654435761u + 3u};
  uint32_t failures = 0u;
  for (uint32_t i = 0u; i < calls; ++i) {
    failures += layer(&random, max_cores, KERNEL, named_convolution, conv) ? 0u : 1u;
    failures += layer(&random, max_cores, 1u, named_convolution, pointwise) ? 0u : 1u;
    failures += layer(&random, max_cores, KERNEL, named_depthwise, depthwise) ? 0u : 1u;
    failures += layer(&random, max_cores, 1u, named_linear, linear) ? 0u : 1u;
    failures += layer(&random, max_cores, 1u, named_linear_raw, linear_raw) ? 0u : 1u;
    failures += product(&random, i % 2u == 1u) ? 0u : 1u;
    failures += sum(&random, max_cores, TINSMITH_PULP_ADD_WEIGHTED) ? 0u : 1u;
    failures += sum(&random, max_cores, TINSMITH_PULP_ADD_REQUANTIZED) ? 0u : 1u;
    failures += pool(&random, max_cores, TINSMITH_PULP_POOL_AVERAGE_SCALED, average_pool) ? 0u : 1u;
    failures += pool(&random, max_cores, TINSMITH_PULP_POOL_MAX, max_pool) ? 0u : 1u;
  }
  report("names of pulp-nn-mixed", 10u * calls, failures);
  return failures;
}
