// The names of the older pulp-nn.
#include "pulp_nn_8bit_kernels.h"

#include "internal/named_8bit_layers.h"

LAYERS(int32_t, )

void pulp_nn_linear_out_32(uint8_t *pInBuffer, int8_t *bias, int32_t *pOutBuffer, int8_t *pWeights, uint16_t dim_vec,
                           uint16_t num_o_neurons) {
  const void *words = bias;
  const tinsmith_pulp_linear_t layer = {
      .input = pInBuffer,
      .weights = pWeights,
      .output = pOutBuffer,
      .inputs = dim_vec,
      .outputs = num_o_neurons,
      .stage = {.kind = TINSMITH_PULP_RAW_S32, .bias = words},
  };
  run_linear(&layer);
}

void pulp_nn_add(uint8_t *Im_in_1, uint8_t *Im_in_2, uint8_t *Im_out, uint16_t out_mult1, uint16_t out_mult2,
                 uint16_t out_shift, uint16_t dim_im_in_h, uint16_t dim_im_in_w, uint16_t ch_im_in) {
  const tinsmith_pulp_add_t layer = {
      .kind = TINSMITH_PULP_ADD_WEIGHTED,
      .lhs = Im_in_1,
      .rhs = Im_in_2,
      .output = Im_out,
      .count = (uint32_t)dim_im_in_h * dim_im_in_w * ch_im_in,
      .lhs_multiplier = (int16_t)out_mult1,
      .rhs_multiplier = (int16_t)out_mult2,
      .output_shift = out_shift,
  };
  run_add(&layer);
}

void pulp_nn_avgpool(uint8_t *Im_in, uint8_t *Im_out, int32_t lambda, uint16_t out_shift, int32_t out_add, POOL_SIZES,
                     int flag_requant) {
  IGNORE_OTHER_SIDES;
  const tinsmith_pulp_pool_t layer = {
      POOL_FIELDS,
      .kind = flag_requant != 0 ? TINSMITH_PULP_POOL_AVERAGE_DIVIDED : TINSMITH_PULP_POOL_AVERAGE_PLAIN,
      .input = Im_in,
      .output = Im_out,
      .multiplier = lambda,
      .addend = out_add,
      .shift = out_shift,
  };
  run_pool(&layer);
}

void pulp_nn_maxpool(uint8_t *Im_in, uint8_t *Im_out, POOL_SIZES) {
  IGNORE_OTHER_SIDES;
  const tinsmith_pulp_pool_t layer = {
      POOL_FIELDS, .kind = TINSMITH_PULP_POOL_MAX, .input = Im_in, .output = Im_out, .max = UINT8_MAX,
  };
  run_pool(&layer);
}
