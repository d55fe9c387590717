// The names of the older pulp-nn.
#include "include/pulp_nn_8bit_kernels.h"

#include "src/internal/named.h"

static tinsmith_pulp_stage_t stage_u8(const int8_t *bias, const int32_t *kappa, const int32_t *lambda,
                                      uint16_t multiplier, uint16_t shift, int has_relu, int has_batchnorm) {
  return stage_of(TINSMITH_PULP_TRUNCATE_U8, bias, kappa, lambda, multiplier, shift, has_relu != 0, has_batchnorm != 0);
}

#define CONVOLUTION(NAME, SPLIT)                                                                       \
  void NAME(const uint8_t *pInBuffer, uint8_t *pIm2ColBuffer, const int8_t *bias, uint8_t *pOutBuffer, \
            const int8_t *pWeight, int32_t *k, int32_t *lambda, uint16_t out_mult, uint16_t out_shift, \
            CONVOLUTION_SIZES, int flag_relu, int flag_batch_norm) {                                   \
    IGNORE_OTHER_SIDES;                                                                                \
    const tinsmith_pulp_conv2d_t layer = {                                                             \
        CONVOLUTION_FIELDS,                                                                            \
        .input = pInBuffer,                                                                            \
        .weights = pWeight,                                                                            \
        .output = pOutBuffer,                                                                          \
        .scratch = pIm2ColBuffer,                                                                      \
        .split = SPLIT,                                                                                \
        .stage = stage_u8(bias, k, lambda, out_mult, out_shift, flag_relu, flag_batch_norm),           \
    };                                                                                                 \
    run_conv2d(&layer);                                                                                \
  }

CONVOLUTION(pulp_nn_conv_Ho_parallel, TINSMITH_PULP_SPLIT_ROWS)
CONVOLUTION(pulp_nn_conv_HoWo_parallel, TINSMITH_PULP_SPLIT_PIXELS)
CONVOLUTION(pulp_nn_conv_Co_parallel, TINSMITH_PULP_SPLIT_CHANNELS)
CONVOLUTION(pulp_nn_pointwise_Ho_parallel, TINSMITH_PULP_SPLIT_ROWS)
CONVOLUTION(pulp_nn_pointwise_HoWo_parallel, TINSMITH_PULP_SPLIT_PIXELS)
CONVOLUTION(pulp_nn_pointwise_Co_parallel, TINSMITH_PULP_SPLIT_CHANNELS)

#define DEPTHWISE(NAME)                                                                                              \
  void NAME(const uint8_t *Im_in, uint8_t *bufferC, const int8_t *bias, uint8_t *Im_out, const int8_t *wt,           \
            uint8_t *bufferB, int32_t *k, int32_t *lambda, uint16_t out_mult, uint16_t out_shift, CONVOLUTION_SIZES, \
            int8_t FLAG_RELU, int8_t FLAG_BATCH_NORM) {                                                              \
    (void)bufferB;                                                                                                   \
    (void)ch_out;                                                                                                    \
    IGNORE_OTHER_SIDES;                                                                                              \
    const tinsmith_pulp_depthwise_t layer = {                                                                        \
        DEPTHWISE_FIELDS,   .input = Im_in,                                                                          \
        .weights = wt,      .output = Im_out,                                                                        \
        .scratch = bufferC, .stage = stage_u8(bias, k, lambda, out_mult, out_shift, FLAG_RELU, FLAG_BATCH_NORM),     \
    };                                                                                                               \
    run_depthwise(&layer);                                                                                           \
  }

DEPTHWISE(pulp_nn_depthwise_generic)
DEPTHWISE(pulp_nn_depthwise_generic_less_4_weights)

void pulp_nn_depthwise_3x3_s1(uint8_t *In_Img, uint8_t *Out_Img, int R, int C, int CH, int p_l, int p_r, int8_t *Kernel,
                              int8_t out_shift, uint16_t out_mult, int32_t *kappa, int32_t *lambda, int flag_relu,
                              int flag_batch_norm, unsigned int *memory_chan) {
  const tinsmith_pulp_depthwise_t layer = {
      .input = In_Img,
      .weights = Kernel,
      .output = Out_Img,
      .scratch = (uint8_t *)memory_chan,
      .input_height = (uint16_t)R,
      .input_width = (uint16_t)C,
      .channels = (uint16_t)CH,
      .output_height = (uint16_t)(R - 2),
      .output_width = (uint16_t)(C + p_l + p_r - 2),
      .kernel_height = 3u,
      .kernel_width = 3u,
      .pad_left = (uint16_t)p_l,
      .stride_height = 1u,
      .stride_width = 1u,
      .input_is_chw = true,
      .stage = stage_u8(NULL, kappa, lambda, out_mult, (uint16_t)out_shift, flag_relu, flag_batch_norm),
  };
  run_depthwise(&layer);
}

void pulp_nn_linear(uint8_t *pInBuffer, int8_t *bias, uint8_t *pOutBuffer, int8_t *pWeights, int32_t *k,
                    int32_t *lambda, uint16_t out_mult, int8_t out_shift, uint16_t dim_vec, uint16_t num_o_neurons,
                    int flag_relu, int flag_batch_norm) {
  const tinsmith_pulp_linear_t layer = {
      .input = pInBuffer,
      .weights = pWeights,
      .output = pOutBuffer,
      .inputs = dim_vec,
      .outputs = num_o_neurons,
      .stage = stage_u8(bias, k, lambda, out_mult, (uint16_t)out_shift, flag_relu, flag_batch_norm),
  };
  run_linear(&layer);
}

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

uint8_t *pulp_nn_matmul(const int8_t *pWeight, uint8_t *pInBuffer, uint16_t ch_out, uint16_t num_col_im2col,
                        uint16_t out_shift, uint16_t out_mult, int32_t *k, int32_t *lambda, const int8_t *bias,
                        uint8_t *pOut, uint8_t *pOut2, int flag_relu, int flag_batch_norm) {
  tinsmith_pulp_conv2d_t layer = {
      .input = pInBuffer,
      .weights = pWeight,
      .output = pOut,
      .stage = stage_u8(bias, k, lambda, out_mult, out_shift, flag_relu, flag_batch_norm),
  };
  run_columns(&layer, num_col_im2col, ch_out, pOut2);
  return pOut + 2u * ch_out;
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
