/* Turns a call given as data into a call of the kernel. */

#include "tests/call.h"

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"

static cmsis_nn_conv_params convolution(const call_head *h) {
  return (cmsis_nn_conv_params){h->input_offset, h->output_offset, h->stride, h->padding, h->dilation, h->activation};
}

static cmsis_nn_dw_conv_params depthwise(const call_head *h) {
  return (cmsis_nn_dw_conv_params){h->input_offset, h->output_offset, h->ch_mult,   h->stride,
                                   h->padding,      h->dilation,      h->activation};
}

int32_t call_scratch_bytes(const call_head *h) {
  const cmsis_nn_conv_params conv = convolution(h);
  const cmsis_nn_dw_conv_params dw = depthwise(h);
  const cmsis_nn_dims *in = &h->input_dims;
  const cmsis_nn_dims *filter = &h->filter_dims;
  const cmsis_nn_dims *out = &h->output_dims;
  switch (h->kernel) {
    case kCallConvolvePacked:
      return tinsmith_convolve_packed_s8_get_buffer_size(&conv, in, filter, out);
    case kCallDepthwisePacked:
      return tinsmith_depthwise_packed_s8_get_buffer_size(&dw, in, filter, out);
    case kCallFullyConnectedPacked:
      return tinsmith_fully_connected_packed_s8_get_buffer_size(filter);
    case kCallConvolveWrapper:
      return arm_convolve_wrapper_s8_get_buffer_size(&conv, in, filter, out);
    case kCallConvolve:
      return arm_convolve_s8_get_buffer_size(in, filter);
    case kCallDepthwiseWrapper:
      return arm_depthwise_conv_wrapper_s8_get_buffer_size(&dw, in, filter, out);
    case kCallFullyConnectedWrapper:
      return arm_fully_connected_s8_get_buffer_size(filter);
    case kCallAveragePool:
      return arm_avgpool_s8_get_buffer_size(out->w, out->c);
    default:
      return 0;
  }
}

int32_t call_run(const call *c) {
  const call_head *h = c->head;
  const cmsis_nn_context ctx = {c->scratch, call_scratch_bytes(h)};
  const cmsis_nn_conv_params conv = convolution(h);
  const cmsis_nn_dw_conv_params dw = depthwise(h);
  const cmsis_nn_fc_params fc = {h->input_offset, 0, h->output_offset, h->activation};
  const cmsis_nn_pool_params pool = {h->stride, h->padding, h->activation};
  const cmsis_nn_dims *in = &h->input_dims;
  const cmsis_nn_dims *filter = &h->filter_dims;
  const cmsis_nn_dims *out = &h->output_dims;
  const int8_t *input = c->arrays[0];
  const int8_t *second = c->arrays[1];
  const int32_t *bias = h->array_bytes[2] > 0 ? c->arrays[2] : NULL;
  /* The API takes pointers to non-const, which no kernel writes through. */
  int32_t *multiplier = (int32_t *)(uintptr_t)c->arrays[3];
  int32_t *shift = (int32_t *)(uintptr_t)c->arrays[4];
  const cmsis_nn_per_channel_quant_params channels = {multiplier, shift};
  const cmsis_nn_quant_params either = {multiplier, shift, h->is_per_channel};
  const int32_t *n = h->numbers;
  switch (h->kernel) {
    case kCallConvolvePacked:
      return tinsmith_convolve_packed_s8(&ctx, &conv, &channels, in, input, filter, second, bias, out, c->output);
    case kCallDepthwisePacked:
      return tinsmith_depthwise_packed_s8(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
    case kCallFullyConnectedPacked:
      return tinsmith_fully_connected_packed_s8(&ctx, &fc, &either, in, input, filter, second, bias, out, c->output);
    case kCallConvolveWrapper:
      return arm_convolve_wrapper_s8(&ctx, &conv, &channels, in, input, filter, second, out, bias, out, c->output);
    case kCallConvolve:
      return arm_convolve_s8(&ctx, &conv, &channels, in, input, filter, second, out, bias, NULL, out, c->output);
    case kCallDepthwiseWrapper:
      return arm_depthwise_conv_wrapper_s8(&ctx, &dw, &channels, in, input, filter, second, out, bias, out, c->output);
    case kCallDepthwise:
      return arm_depthwise_conv_s8(&ctx, &dw, &channels, in, input, filter, second, out, bias, out, c->output);
    case kCallFullyConnectedWrapper:
      if (ctx.size > 0) { /* With MVE, the buffer is an input. */
        arm_vector_sum_s8(ctx.buf, filter->n, filter->c, second, fc.input_offset, fc.filter_offset, bias);
      }
      return arm_fully_connected_wrapper_s8(&ctx, &fc, &either, in, input, filter, second, out, bias, out, c->output);
    case kCallAdd:
      return arm_elementwise_add_s8(input, second, n[0], n[1], n[2], n[3], n[4], n[5], n[6], c->output,
                                    h->output_offset, n[7], n[8], h->activation.min, h->activation.max,
                                    h->output_bytes);
    case kCallMul:
      return arm_elementwise_mul_s8(input, second, n[0], n[3], c->output, h->output_offset, n[7], n[8],
                                    h->activation.min, h->activation.max, h->output_bytes);
    case kCallAveragePool:
      return arm_avgpool_s8(&ctx, &pool, in, input, filter, out, c->output);
    case kCallMaxPool:
      return arm_max_pool_s8(&ctx, &pool, in, input, filter, out, c->output);
    case kCallSoftmax:
      arm_softmax_s8(input, n[0], n[1], n[2], n[3], n[4], c->output);
      return 0;
    case kCallTranspose: {
      const uint32_t permutation[4] = {(uint32_t)n[1], (uint32_t)n[2], (uint32_t)n[3], (uint32_t)n[4]};
      const cmsis_nn_transpose_params params = {n[0], permutation};
      return arm_transpose_s8(input, c->output, in, out, &params);
    }
    case kCallPad: {
      const cmsis_nn_dims before = {n[1], n[2], n[3], n[4]};
      const cmsis_nn_dims after = {n[5], n[6], n[7], n[8]};
      return arm_pad_s8(input, c->output, (int8_t)n[0], in, &before, &after);
    }
    case kCallConcatenateX:
      /* Both inputs along the axis that n[0] names, 0 being the innermost. */
      for (int32_t i = 0; i < 2; ++i) {
        const int8_t *part = i == 0 ? input : second;
        const int32_t *e = n + 1 + 4 * i; /* x, y, z, w */
        const uint32_t offset = i == 0 ? 0 : (uint32_t)n[1 + n[0]];
        const uint16_t whole = (uint16_t)(n[1 + n[0]] + n[5 + n[0]]);
        const uint16_t x = (uint16_t)e[0], y = (uint16_t)e[1], z = (uint16_t)e[2], w = (uint16_t)e[3];
        if (n[0] == 0) {
          arm_concatenation_s8_x(part, x, y, z, w, c->output, whole, offset);
        } else if (n[0] == 1) {
          arm_concatenation_s8_y(part, x, y, z, w, c->output, whole, offset);
        } else if (n[0] == 2) {
          arm_concatenation_s8_z(part, x, y, z, w, c->output, whole, offset);
        } else {
          arm_concatenation_s8_w(part, x, y, z, w, c->output, offset);
        }
      }
      return 0;
    case kCallRelu:
    case kCallRelu6:
    case kCallReshape:
      arm_reshape_s8(input, c->output, (uint32_t)h->output_bytes);
      if (h->kernel == kCallRelu) {
        arm_relu_q7(c->output, (uint16_t)h->output_bytes);
      } else if (h->kernel == kCallRelu6) {
        arm_relu6_s8(c->output, (uint16_t)h->output_bytes);
      }
      return 0;
    default:
      return ARM_CMSIS_NN_NO_IMPL_ERROR;
  }
}
