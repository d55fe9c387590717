/* Turns a call given as data into a call of a kernel of other types than int8, or with a state: call.c's twin. */

#include <stddef.h>
#include <string.h>

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "include/tinsmith_nn_nearest.h"
#include "include/tinsmith_nn_recurrent.h"
#include "include/tinsmith_nn_rescaling.h"
#include "tests/call.h"

/** The order is that of OTHER_KERNELS in other_cases.py. */
typedef enum {
  kOtherConvolve,
  kOtherDepthwise,
  kOtherFullyConnected,
  kOtherMatmul,
  kOtherMatmulS8,
  kOtherAdd,
  kOtherMul,
  kOtherRelu,
  kOtherActivation,
  kOtherAveragePool,
  kOtherMaxPool,
  kOtherSoftmax,
  kOtherTransposeConv,
  kOtherConvolveS4,
  kOtherDepthwiseS4,
  kOtherFullyConnectedS4,
  kOtherSvdf,
  kOtherSvdfS16,
  kOtherMinimum,
  kOtherMaximum,
  kOtherLstm,
  kOtherLstmS16,
  kOtherSvdfHalves,
  kOtherSvdfHalvesS16,
  kOtherLstmCells,
  kOtherMeanColumns,
  kOtherMeanColumnsS16,
  kOtherRescaleS8S8,
  kOtherRescaleS8U8,
  kOtherRescaleS8S16,
  kOtherRescaleU8S8,
  kOtherRescaleS16S8,
  kOtherRescaleS16S16,
  kOtherDifference,
  kOtherDifferenceBroadcast,
  kOtherFlipSigns,
  kOtherSoftmaxS8,
  kOtherSoftmaxS8S16,
  kOtherMeanColumnsNearest,
  kOtherMeanColumnsS16Nearest,
  kOtherRescaleS8S8Nearest,
  kOtherRescaleS8U8Nearest,
  kOtherRescaleS8S16Nearest,
  kOtherRescaleU8S8Nearest,
  kOtherRescaleS16S8Nearest,
  kOtherRescaleS16S16Nearest,
  kOtherWeightedSum,
  kOtherWeightedSumBroadcast,
  kOtherProduct,
  kOtherProductBroadcast,
  kOtherMatmulS8Nearest,
  kOtherAveragePoolEven,
} other_kernel;

static cmsis_nn_conv_params convolution(const call_head *h) {
  return (cmsis_nn_conv_params){h->input_offset, h->output_offset, h->stride, h->padding, h->dilation, h->activation};
}

static cmsis_nn_dw_conv_params depthwise(const call_head *h) {
  return (cmsis_nn_dw_conv_params){h->input_offset, h->output_offset, h->ch_mult,   h->stride,
                                   h->padding,      h->dilation,      h->activation};
}

/** One of the two matrices' scratch: as the manual says, that of a layer with as many outputs as columns. */
static int32_t matmul_scratch(const call_head *h) {
  const cmsis_nn_dims columns = {.n = h->filter_dims.c, .c = h->filter_dims.w};
  return arm_fully_connected_s8_get_buffer_size(&columns);
}

/** Behind the numbers of a difference, a sum or a product. */
static tinsmith_repetition repetition(const call_head *h) {
  return (tinsmith_repetition){h->numbers[11], h->numbers[12], h->numbers[13]};
}

int32_t call_scratch_bytes(const call_head *h) {
  const cmsis_nn_conv_params conv = convolution(h);
  const cmsis_nn_dw_conv_params dw = depthwise(h);
  const tinsmith_repetition repeated = repetition(h);
  switch (h->kernel) {
    case kOtherDifferenceBroadcast:
    case kOtherWeightedSumBroadcast:
    case kOtherProductBroadcast:
      return tinsmith_broadcast_s8_get_buffer_size(&repeated);
    case kOtherConvolve:
      return arm_convolve_wrapper_s16_get_buffer_size(&conv, &h->input_dims, &h->filter_dims, &h->output_dims);
    case kOtherDepthwise:
      return arm_depthwise_conv_wrapper_s16_get_buffer_size(&dw, &h->input_dims, &h->filter_dims, &h->output_dims);
    case kOtherMatmulS8:
    case kOtherMatmulS8Nearest:
      return matmul_scratch(h);
    case kOtherConvolveS4:
      return arm_convolve_wrapper_s4_get_buffer_size(&conv, &h->input_dims, &h->filter_dims, &h->output_dims);
    case kOtherDepthwiseS4:
      return arm_depthwise_conv_wrapper_s4_get_buffer_size(&dw, &h->input_dims, &h->filter_dims, &h->output_dims);
    case kOtherSvdf:
      return arm_svdf_s8_get_buffer_size(&h->filter_dims);
    case kOtherTransposeConv: {
      const cmsis_nn_transpose_conv_params transposed = {.stride = h->stride};
      return arm_transpose_conv_s8_get_buffer_size(&transposed, &h->input_dims, &h->filter_dims, &h->output_dims);
    }
    default:
      return 0;
  }
}

/** The output begins with the state after the call. */
static int32_t run_svdf(const call *c, const cmsis_nn_context *ctx) {
  const call_head *h = c->head;
  const int32_t *n = h->numbers;
  const cmsis_nn_svdf_params params = {n[0], h->input_offset, h->output_offset, {n[1], n[2]}, h->activation};
  const cmsis_nn_per_tensor_quant_params input_scale = {n[3], n[4]}, output_scale = {n[5], n[6]};
  const cmsis_nn_dims none = {0};
  int32_t byte;
  const cmsis_nn_context some = {&byte, sizeof byte};
  const int32_t state_bytes = n[7];
  const int32_t *bias = c->arrays[3];
  const int8_t *weights = c->arrays[1];
  memcpy(c->output, c->arrays[4], (size_t)state_bytes);
  int8_t *output = c->output + state_bytes;
  if (h->kernel == kOtherSvdfS16) {
    return arm_svdf_state_s16_s8(&some, &some, &params, &input_scale, &output_scale, &h->input_dims, c->arrays[0],
                                 &none, (int16_t *)c->output, &h->filter_dims, weights, &h->output_dims, c->arrays[2],
                                 &none, bias, &none, output);
  }
  if (ctx->buf != NULL) {
    arm_vector_sum_s8(ctx->buf, h->input_dims.h, h->filter_dims.n, weights, -h->input_offset, 0, NULL);
  }
  return arm_svdf_s8(ctx, &some, &some, &params, &input_scale, &output_scale, &h->input_dims, c->arrays[0], &none,
                     c->output, &h->filter_dims, weights, &h->output_dims, c->arrays[2], &none, bias, &none, output);
}

/** The output begins with the state after the call, which is made in place. */
static int32_t run_svdf_halves(const call *c) {
  const call_head *h = c->head;
  const int32_t *n = h->numbers;
  const cmsis_nn_dims *sizes = &h->filter_dims;
  const int32_t batches = h->input_dims.n, state_bytes = n[7];
  const tinsmith_svdf_params features = {batches, sizes->n, sizes->w,         h->input_dims.h,
                                         n[2],    n[3],     h->output_offset, {n[0], n[1]}};
  const tinsmith_svdf_params time = {batches, sizes->h, sizes->c, 0, n[4], n[5], n[6], h->activation};
  const int32_t *sums = c->arrays[3];
  const int32_t *bias = sums + sizes->n;
  int8_t *output = c->output + state_bytes;
  memcpy(c->output, c->arrays[4], (size_t)state_bytes);
  if (h->kernel == kOtherSvdfHalvesS16) {
    int16_t *state = (int16_t *)c->output;
    tinsmith_svdf_features_s16(&features, sums, state, c->arrays[0], c->arrays[1], state);
    tinsmith_svdf_time_s16(&time, bias, state, c->arrays[2], output);
    return 0;
  }
  tinsmith_svdf_features_s8(&features, sums, c->output, c->arrays[0], c->arrays[1], c->output);
  tinsmith_svdf_time_s8(&time, bias, c->output, c->arrays[2], output);
  return 0;
}

/** Gates lie one after the other: forget, input, cell, output. */
static int32_t run_lstm(const call *c) {
  const call_head *h = c->head;
  const int32_t *n = h->numbers;
  const int32_t *scales = c->arrays[4];
  const int32_t bias_bytes = n[4] * (h->kernel == kOtherLstm ? 4 : 8);
  cmsis_nn_lstm_gate gates[4];
  for (int32_t i = 0; i < 4; ++i) {
    gates[i] = (cmsis_nn_lstm_gate){
        scales[4 * i],
        scales[4 * i + 1],
        (const int8_t *)c->arrays[1] + i * n[4] * n[3],
        (const int8_t *)c->arrays[3] + 2 * i * bias_bytes,
        scales[4 * i + 2],
        scales[4 * i + 3],
        (const int8_t *)c->arrays[2] + i * n[4] * n[4],
        (const int8_t *)c->arrays[3] + (2 * i + 1) * bias_bytes,
        NULL,
        i == 2 ? ARM_TANH : ARM_SIGMOID,
    };
  }
  const cmsis_nn_lstm_params params = {
      n[0],     n[1],     n[2],     n[3],     n[4],
      0,        n[5],     n[6],     n[7],     n[8],
      n[9],     n[10],    n[11],    n[12],    h->output_offset,
      gates[0], gates[1], gates[2], gates[3],
  };
  int16_t buffers[3][96];
  cmsis_nn_lstm_context context = {buffers[0], buffers[1], buffers[2]};
  return h->kernel == kOtherLstm ? arm_lstm_unidirectional_s8(c->arrays[0], c->output, &params, &context)
                                 : arm_lstm_unidirectional_s16(c->arrays[0], (int16_t *)c->output, &params, &context);
}

/** The output begins with the cells and the last output after the call, which are made in place. */
static int32_t run_lstm_cells(const call *c) {
  const int32_t *n = c->head->numbers;
  const int32_t batches = n[0], depth = n[2], cells = n[3];
  const int8_t *weights = c->arrays[1];
  const int32_t *biases = c->arrays[2];
  const int32_t *scales = biases + 8 * cells;
  const int16_t *state = c->arrays[3];
  const int16_t *peepholes = state + batches * cells;
  tinsmith_lstm_gate gates[4];
  for (int32_t i = 0; i < 4; ++i) {
    gates[i] = (tinsmith_lstm_gate){
        i > 0 || n[11] ? weights + i * cells * depth : NULL,
        biases + i * cells,
        weights + 4 * cells * depth + i * cells * cells,
        biases + (4 + i) * cells,
        n[12] && i != 2 ? peepholes + i * cells : NULL,
        {scales[6 * i], scales[6 * i + 1]},
        {scales[6 * i + 2], scales[6 * i + 3]},
        {scales[6 * i + 4], scales[6 * i + 5]},
    };
  }
  const tinsmith_lstm_layer layer = {batches,  n[1],        depth,    cells,    n[4],          n[5],
                                     gates[0], gates[1],    gates[2], gates[3], {n[9], n[10]}, c->head->output_offset,
                                     n[6],     {n[7], n[8]}};
  int16_t *last_cells = (int16_t *)c->output;
  int8_t *last = c->output + 2 * batches * cells;
  memcpy(last_cells, state, (size_t)(2 * batches * cells));
  memcpy(last, c->arrays[4], (size_t)(batches * cells));
  tinsmith_lstm_cells_s8(&layer, c->arrays[0], last, last_cells, last + batches * cells, last, last_cells);
  return 0;
}

static int32_t run_mean_columns(const call *c) {
  const call_head *h = c->head;
  const int32_t *n = h->numbers;
  const tinsmith_columns_params params = {n[0], n[1], n[2], n[3], n[4], n[5], h->output_offset, h->activation};
  int16_t *output_s16 = (int16_t *)c->output;
  switch (h->kernel) {
    case kOtherMeanColumns:
      tinsmith_mean_columns_s8(&params, c->arrays[0], c->output);
      return 0;
    case kOtherMeanColumnsS16:
      tinsmith_mean_columns_s16(&params, c->arrays[0], output_s16);
      return 0;
    case kOtherMeanColumnsNearest:
      tinsmith_mean_columns_s8_nearest(&params, c->arrays[0], c->output);
      return 0;
    default:
      tinsmith_mean_columns_s16_nearest(&params, c->arrays[0], output_s16);
      return 0;
  }
}

static int32_t run_rescale(const call *c) {
  const call_head *h = c->head;
  const int32_t *n = h->numbers;
  const tinsmith_rescale_params params = {n[0], n[1], n[2], n[3], n[4], h->activation};
  const void *input = c->arrays[0];
  void *output = c->output;
  switch (h->kernel) {
    case kOtherRescaleS8S8:
      tinsmith_rescale_s8_s8(&params, n[5], input, output);
      return 0;
    case kOtherRescaleS8U8:
      tinsmith_rescale_s8_u8(&params, n[5], input, output);
      return 0;
    case kOtherRescaleS8S16:
      tinsmith_rescale_s8_s16(&params, n[5], input, output);
      return 0;
    case kOtherRescaleU8S8:
      tinsmith_rescale_u8_s8(&params, n[5], input, output);
      return 0;
    case kOtherRescaleS16S8:
      tinsmith_rescale_s16_s8(&params, n[5], input, output);
      return 0;
    case kOtherRescaleS16S16:
      tinsmith_rescale_s16_s16(&params, n[5], input, output);
      return 0;
    case kOtherRescaleS8S8Nearest:
      tinsmith_rescale_s8_s8_nearest(&params, n[5], input, output);
      return 0;
    case kOtherRescaleS8U8Nearest:
      tinsmith_rescale_s8_u8_nearest(&params, n[5], input, output);
      return 0;
    case kOtherRescaleS8S16Nearest:
      tinsmith_rescale_s8_s16_nearest(&params, n[5], input, output);
      return 0;
    case kOtherRescaleU8S8Nearest:
      tinsmith_rescale_u8_s8_nearest(&params, n[5], input, output);
      return 0;
    case kOtherRescaleS16S8Nearest:
      tinsmith_rescale_s16_s8_nearest(&params, n[5], input, output);
      return 0;
    default:
      tinsmith_rescale_s16_s16_nearest(&params, n[5], input, output);
      return 0;
  }
}

static int32_t run_weighted_sum(const call *c, const cmsis_nn_context *ctx) {
  const call_head *h = c->head;
  const int32_t *n = h->numbers;
  const tinsmith_weighted_sum_params params = {n[0], n[1], n[2], n[3], n[4], n[5], n[6], h->activation};
  if (h->kernel == kOtherWeightedSum) {
    tinsmith_weighted_sum_s8(&params, c->arrays[0], c->arrays[1], c->output, h->output_bytes);
    return 0;
  }
  const tinsmith_repetition repeated = repetition(h);
  return tinsmith_weighted_sum_broadcast_s8(ctx, &params, &repeated, c->arrays[0], c->arrays[1], c->output);
}

static int32_t run_product(const call *c, const cmsis_nn_context *ctx) {
  const call_head *h = c->head;
  const int32_t *n = h->numbers;
  const tinsmith_product_params params = {n[0], n[1], n[2], n[3], n[4], n[5], h->activation};
  if (h->kernel == kOtherProduct) {
    tinsmith_product_s8(&params, c->arrays[0], c->arrays[1], c->output, h->output_bytes);
    return 0;
  }
  const tinsmith_repetition repeated = repetition(h);
  return tinsmith_product_broadcast_s8(ctx, &params, &repeated, c->arrays[0], c->arrays[1], c->output);
}

static int32_t run_difference(const call *c, const cmsis_nn_context *ctx) {
  const call_head *h = c->head;
  const int32_t *n = h->numbers;
  const tinsmith_difference_params params = {n[0], n[1], n[2], n[3], n[4],  n[5],
                                             n[6], n[7], n[8], n[9], n[10], h->activation};
  if (h->kernel == kOtherDifference) {
    tinsmith_difference_s8(&params, c->arrays[0], c->arrays[1], c->output, h->output_bytes);
    return 0;
  }
  const tinsmith_repetition repeated = repetition(h);
  return tinsmith_difference_broadcast_s8(ctx, &params, &repeated, c->arrays[0], c->arrays[1], c->output);
}

int32_t call_run(const call *c) {
  const call_head *h = c->head;
  const int32_t scratch_bytes = call_scratch_bytes(h);
  const cmsis_nn_context ctx = {scratch_bytes > 0 ? c->scratch : NULL, scratch_bytes};
  const cmsis_nn_conv_params conv = convolution(h);
  const cmsis_nn_dw_conv_params dw = depthwise(h);
  const cmsis_nn_fc_params fc = {h->input_offset, h->numbers[0], h->output_offset, h->activation};
  const cmsis_nn_bmm_params matmul = {false, false, fc};
  const cmsis_nn_pool_params pool = {h->stride, h->padding, h->activation};
  const cmsis_nn_transpose_conv_params transposed = {h->input_offset, h->output_offset, h->stride,    h->padding,
                                                     {0, 0},          h->dilation,      h->activation};
  const cmsis_nn_dims *in = &h->input_dims;
  const cmsis_nn_dims *filter = &h->filter_dims;
  const cmsis_nn_dims *out = &h->output_dims;
  const int8_t *input = c->arrays[0];
  const int16_t *input_s16 = c->arrays[0];
  const int8_t *weights = c->arrays[1];
  int16_t *output_s16 = (int16_t *)c->output;
  const void *bias = h->array_bytes[2] > 0 ? c->arrays[2] : NULL;
  const cmsis_nn_bias_data either_bias = {bias, h->numbers[1] != 0};
  /* The API takes pointers to non-const, which no kernel writes through. */
  int32_t *multiplier = (int32_t *)(uintptr_t)c->arrays[3];
  int32_t *shift = (int32_t *)(uintptr_t)c->arrays[4];
  const cmsis_nn_per_channel_quant_params channels = {multiplier, shift};
  const int32_t *n = h->numbers;
  switch (h->kernel) {
    case kOtherConvolve:
      return arm_convolve_wrapper_s16(&ctx, &conv, &channels, in, input_s16, filter, weights, out, &either_bias, out,
                                      output_s16);
    case kOtherDepthwise:
      return arm_depthwise_conv_wrapper_s16(&ctx, &dw, &channels, in, input_s16, filter, weights, out, bias, out,
                                            output_s16);
    case kOtherFullyConnected: {
      const cmsis_nn_per_tensor_quant_params scale = {*multiplier, *shift};
      return arm_fully_connected_s16(&ctx, &fc, &scale, in, input_s16, filter, weights, out, bias, out, output_s16);
    }
    case kOtherMatmul: {
      const cmsis_nn_per_tensor_quant_params scale = {*multiplier, *shift};
      return arm_batch_matmul_s16(&ctx, &matmul, &scale, in, input_s16, filter, c->arrays[1], out, output_s16);
    }
    case kOtherMatmulS8: {
      const cmsis_nn_per_tensor_quant_params scale = {*multiplier, *shift};
      return arm_batch_matmul_s8(&ctx, &matmul, &scale, in, input, filter, weights, out, c->output);
    }
    case kOtherMatmulS8Nearest: {
      const cmsis_nn_per_tensor_quant_params scale = {*multiplier, *shift};
      return arm_batch_matmul_s8_nearest(&ctx, &matmul, &scale, in, input, filter, weights, out, c->output);
    }
    case kOtherAveragePoolEven: {
      const tinsmith_average_pool_params even = {
          h->stride, h->padding, {h->activation.min, h->activation.max, h->output_offset}};
      return tinsmith_average_pool_even_s8(&even, in, input, filter, out, c->output);
    }
    case kOtherAdd:
      return arm_elementwise_add_s16(input_s16, c->arrays[1], 0, n[0], n[1], 0, n[2], n[3], n[4], output_s16, 0, n[5],
                                     n[6], h->activation.min, h->activation.max, h->output_bytes / 2);
    case kOtherMul:
      return arm_elementwise_mul_s16(input_s16, c->arrays[1], 0, 0, output_s16, 0, n[5], n[6], h->activation.min,
                                     h->activation.max, h->output_bytes / 2);
    case kOtherRelu:
      memcpy(output_s16, input_s16, (size_t)h->output_bytes);
      arm_relu_q15(output_s16, (uint16_t)(h->output_bytes / 2));
      return 0;
    case kOtherActivation:
      return arm_nn_activation_s16(input_s16, output_s16, h->output_bytes / 2, n[0],
                                   n[1] == 0 ? ARM_SIGMOID : ARM_TANH);
    case kOtherAveragePool:
      return arm_avgpool_s16(&ctx, &pool, in, input_s16, filter, out, output_s16);
    case kOtherMaxPool:
      return arm_max_pool_s16(&ctx, &pool, in, input_s16, filter, out, output_s16);
    case kOtherSoftmax: {
      const cmsis_nn_softmax_lut_s16 tables = {c->arrays[1], c->arrays[2]};
      return arm_softmax_s16(input_s16, n[0], n[1], n[2], n[3], &tables, output_s16);
    }
    case kOtherSoftmaxS8:
      arm_softmax_s8(input, n[0], n[1], n[2], n[3], n[4], c->output);
      return 0;
    case kOtherSoftmaxS8S16:
      arm_softmax_s8_s16(input, n[0], n[1], n[2], n[3], n[4], output_s16);
      return 0;
    case kOtherTransposeConv:
      return arm_transpose_conv_wrapper_s8(&ctx, &ctx, &transposed, &channels, in, input, filter, weights, out, bias,
                                           out, c->output);
    case kOtherConvolveS4:
      return arm_convolve_wrapper_s4(&ctx, &conv, &channels, in, input, filter, weights, out, bias, out, c->output);
    case kOtherDepthwiseS4:
      return arm_depthwise_conv_wrapper_s4(&ctx, &dw, &channels, in, input, filter, weights, out, bias, out, c->output);
    case kOtherFullyConnectedS4: {
      const cmsis_nn_per_tensor_quant_params scale = {*multiplier, *shift};
      return arm_fully_connected_s4(&ctx, &fc, &scale, in, input, filter, weights, out, bias, out, c->output);
    }
    case kOtherSvdf:
    case kOtherSvdfS16:
      return run_svdf(c, &ctx);
    case kOtherSvdfHalves:
    case kOtherSvdfHalvesS16:
      return run_svdf_halves(c);
    case kOtherLstmCells:
      return run_lstm_cells(c);
    case kOtherMeanColumns:
    case kOtherMeanColumnsS16:
    case kOtherMeanColumnsNearest:
    case kOtherMeanColumnsS16Nearest:
      return run_mean_columns(c);
    case kOtherRescaleS8S8:
    case kOtherRescaleS8U8:
    case kOtherRescaleS8S16:
    case kOtherRescaleU8S8:
    case kOtherRescaleS16S8:
    case kOtherRescaleS16S16:
    case kOtherRescaleS8S8Nearest:
    case kOtherRescaleS8U8Nearest:
    case kOtherRescaleS8S16Nearest:
    case kOtherRescaleU8S8Nearest:
    case kOtherRescaleS16S8Nearest:
    case kOtherRescaleS16S16Nearest:
      return run_rescale(c);
    case kOtherWeightedSum:
    case kOtherWeightedSumBroadcast:
      return run_weighted_sum(c, &ctx);
    case kOtherProduct:
    case kOtherProductBroadcast:
      return run_product(c, &ctx);
    case kOtherFlipSigns:
      tinsmith_flip_signs(h->output_bytes, input, c->output);
      return 0;
    case kOtherDifference:
    case kOtherDifferenceBroadcast:
      return run_difference(c, &ctx);
    case kOtherMinimum:
      return arm_minimum_s8(&ctx, input, in, weights, filter, c->output, out);
    case kOtherMaximum:
      return arm_maximum_s8(&ctx, input, in, weights, filter, c->output, out);
    case kOtherLstm:
    case kOtherLstmS16:
      return run_lstm(c);
    default:
      return ARM_CMSIS_NN_NO_IMPL_ERROR;
  }
}
