// Sums and pools by the names of pulp-nn-mixed.
#include "internal/named.h"
#include "pulp_nn_kernels.h"

#define AVERAGE_POOL(NAME, IN, OUT)                                                                                  \
  void NAME(IN *pIn, OUT *pOut, int32_t lambda, uint16_t out_shift, int32_t out_add, POOL_SIZES, int flag_requant) { \
    IGNORE_OTHER_SIDES;                                                                                              \
    const tinsmith_pulp_pool_t layer = {                                                                             \
        POOL_FIELDS,                                                                                                 \
        .kind = flag_requant != 0 ? TINSMITH_PULP_POOL_AVERAGE_SCALED : TINSMITH_PULP_POOL_AVERAGE_PLAIN,            \
        .input = pIn,                                                                                                \
        .output = pOut,                                                                                              \
        .input_is_signed = IS_SIGNED_##IN,                                                                           \
        .output_is_signed = IS_SIGNED_##OUT,                                                                         \
        .multiplier = lambda / (dim_kernel_x * dim_kernel_y),                                                        \
        .addend = out_add,                                                                                           \
        .shift = out_shift,                                                                                          \
    };                                                                                                               \
    run_pool(&layer);                                                                                                \
  }

AVERAGE_POOL(pulp_nn_avgpool_u8_u8, uint8_t, uint8_t)
AVERAGE_POOL(pulp_nn_avgpool_u8_i8, uint8_t, int8_t)
AVERAGE_POOL(pulp_nn_avgpool_i8_u8, int8_t, uint8_t)
AVERAGE_POOL(pulp_nn_avgpool_i8_i8, int8_t, int8_t)

#define MAX_POOL(NAME, TYPE)                            \
  void NAME(TYPE *pIn, TYPE *pOut, POOL_SIZES) {        \
    IGNORE_OTHER_SIDES;                                 \
    const tinsmith_pulp_pool_t layer = {                \
        POOL_FIELDS,                                    \
        .kind = TINSMITH_PULP_POOL_MAX,                 \
        .input = pIn,                                   \
        .output = pOut,                                 \
        .input_is_signed = IS_SIGNED_##TYPE,            \
        .min = IS_SIGNED_##TYPE ? INT8_MIN : 0,         \
        .max = IS_SIGNED_##TYPE ? INT8_MAX : UINT8_MAX, \
    };                                                  \
    run_pool(&layer);                                   \
  }

MAX_POOL(pulp_nn_maxpool_u8, uint8_t)
MAX_POOL(pulp_nn_maxpool_i8, int8_t)

void pulp_nn_add_u8_u8(uint8_t *pIn1, uint8_t *pIn2, uint8_t *pOut, uint16_t out_mult1, uint16_t out_mult2,
                       uint16_t out_shift, uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in) {
  const tinsmith_pulp_add_t layer = {
      .kind = TINSMITH_PULP_ADD_WEIGHTED,
      .lhs = pIn1,
      .rhs = pIn2,
      .output = pOut,
      .count = (uint32_t)dim_im_in_x * dim_im_in_y * ch_im_in,
      .lhs_multiplier = (int16_t)out_mult1,
      .rhs_multiplier = (int16_t)out_mult2,
      .output_shift = out_shift,
  };
  run_add(&layer);
}

#define ADD(NAME, IN1, IN2, OUT)                                                                                    \
  void NAME(IN1 *pIn1, IN2 *pIn2, OUT *pOut, int32_t in1_mul, int32_t in1_add, uint16_t in1_shift, int32_t in2_mul, \
            int32_t in2_add, uint16_t in2_shift, int32_t out_mul, int32_t out_add, uint16_t out_shift,              \
            uint16_t dim_im_in_x, uint16_t dim_im_in_y, uint16_t ch_im_in, int out_requant_flag) {                  \
    const tinsmith_pulp_add_t layer = {                                                                             \
        .kind = TINSMITH_PULP_ADD_REQUANTIZED,                                                                      \
        .lhs = pIn1,                                                                                                \
        .rhs = pIn2,                                                                                                \
        .output = pOut,                                                                                             \
        .count = (uint32_t)dim_im_in_x * dim_im_in_y * ch_im_in,                                                    \
        .lhs_is_signed = IS_SIGNED_##IN1,                                                                           \
        .rhs_is_signed = IS_SIGNED_##IN2,                                                                           \
        .output_is_signed = IS_SIGNED_##OUT,                                                                        \
        .lhs_multiplier = in1_mul,                                                                                  \
        .lhs_addend = in1_add,                                                                                      \
        .lhs_shift = in1_shift,                                                                                     \
        .rhs_multiplier = in2_mul,                                                                                  \
        .rhs_addend = in2_add,                                                                                      \
        .rhs_shift = in2_shift,                                                                                     \
        .output_multiplier = out_requant_flag != 0 ? out_mul : 1,                                                   \
        .output_addend = out_requant_flag != 0 ? out_add : 0,                                                       \
        .output_shift = out_requant_flag != 0 ? out_shift : 0,                                                      \
    };                                                                                                              \
    run_add(&layer);                                                                                                \
  }

ADD(pulp_nn_add_u8_u8_u8, uint8_t, uint8_t, uint8_t)
ADD(pulp_nn_add_u8_u8_i8, uint8_t, uint8_t, int8_t)
ADD(pulp_nn_add_u8_i8_u8, uint8_t, int8_t, uint8_t)
ADD(pulp_nn_add_u8_i8_i8, uint8_t, int8_t, int8_t)
ADD(pulp_nn_add_i8_u8_u8, int8_t, uint8_t, uint8_t)
ADD(pulp_nn_add_i8_u8_i8, int8_t, uint8_t, int8_t)
ADD(pulp_nn_add_i8_i8_u8, int8_t, int8_t, uint8_t)
ADD(pulp_nn_add_i8_i8_i8, int8_t, int8_t, int8_t)
