// What the tests of PULP-NN's names have in common: arguments at random, and the oracle's answer to them.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_NAMED_DATA_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_NAMED_DATA_H_

#include "tests/buffers.h"
#include "tests/team.h"

// PULP-NN's arguments, those that are the same in every function. Activations and weights are in the buffers' memory.
typedef struct {
  bool input_is_signed, output_is_signed;
  int8_t *bias;
  int32_t *kappa, *lambda;
  bool is_wide;                      /**< with both flags, those of 64 bits */
  int64_t *wide_kappa, *wide_lambda; /**< where is_wide */
  uint16_t multiplier, shift;
  uint8_t relu, batchnorm;
  uint16_t height, width, channels;
  uint16_t output_height, output_width, output_channels;
  uint16_t kernel_height, kernel_width, pad_top, pad_bottom, pad_left, pad_right, stride_height, stride_width;
  tinsmith_pulp_add_t add; /**< of sums: scales and types */
  int requant;             /**< of sums and averages */
} named_call_t;

/** Calls the function PREFIX_<types>SUFFIX of the call's types. */
#define NAMED_FOR_TYPES(CALL, PREFIX, SUFFIX, ...)                                  \
  switch (((CALL)->input_is_signed ? 2 : 0) | ((CALL)->output_is_signed ? 1 : 0)) { \
    case 0:                                                                         \
      PREFIX##_u8_u8##SUFFIX(__VA_ARGS__);                                          \
      break;                                                                        \
    case 1:                                                                         \
      PREFIX##_u8_i8##SUFFIX(__VA_ARGS__);                                          \
      break;                                                                        \
    case 2:                                                                         \
      PREFIX##_i8_u8##SUFFIX(__VA_ARGS__);                                          \
      break;                                                                        \
    default:                                                                        \
      PREFIX##_i8_i8##SUFFIX(__VA_ARGS__);                                          \
      break;                                                                        \
  }

/** The sizes of a layer in PULP-NN's order. */
#define NAMED_SIZES(C)                                                                                     \
  (C)->width, (C)->height, (C)->channels, (C)->output_width, (C)->output_height, (C)->output_channels,     \
      (C)->kernel_width, (C)->kernel_height, (C)->pad_top, (C)->pad_bottom, (C)->pad_left, (C)->pad_right, \
      (C)->stride_width, (C)->stride_height

/** Those of a pool, which has no channels of its own. */
#define NAMED_POOL_SIZES(C)                                                                                \
  (C)->width, (C)->height, (C)->channels, (C)->output_width, (C)->output_height, (C)->kernel_width,        \
      (C)->kernel_height, (C)->pad_top, (C)->pad_bottom, (C)->pad_left, (C)->pad_right, (C)->stride_width, \
      (C)->stride_height

/** Draws everything; kernels of up to `kernel` in both directions, fitting the buffers. */
named_call_t random_named_call(random_t *random, uint16_t kernel);

/** Draws kappa and lambda of 64 bits, and a shift to match. */
void make_wide_call(random_t *random, named_call_t *call);

/** A 3 x 3 kernel without padding above and below, and without bias. */
void make_3x3_call(random_t *random, named_call_t *call);

/** Each runs the work, a call of a function by its name, and says whether the output is the oracle's. */
bool named_convolution(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work);
bool named_depthwise(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work);
bool named_linear(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work);
/** Sums alone, with int32 biases. */
bool named_linear_raw(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work);
/** Two columns; the second output is where work puts it, `gap` bytes behind the first. */
bool named_matmul(named_call_t *call, team_work_t work, uint32_t gap);
bool named_add(random_t *random, uint32_t max_cores, named_call_t *call, team_work_t work);
bool named_pool(random_t *random, uint32_t max_cores, named_call_t *call, tinsmith_pulp_pool_kind_t kind,
                team_work_t work);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_NAMED_DATA_H_
