/* Turns a call given as data into a call of the kernel. */

#include "tests/call.h"

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "include/tinsmith_nn_blockwise.h"
#include "include/tinsmith_nn_narrow.h"
#include "include/tinsmith_nn_nearest.h"
#include "include/tinsmith_nn_two_bits.h"

static cmsis_nn_conv_params convolution(const call_head *h) {
  return (cmsis_nn_conv_params){h->input_offset, h->output_offset, h->stride, h->padding, h->dilation, h->activation};
}

static cmsis_nn_dw_conv_params depthwise(const call_head *h) {
  return (cmsis_nn_dw_conv_params){h->input_offset, h->output_offset, h->ch_mult,   h->stride,
                                   h->padding,      h->dilation,      h->activation};
}

/** Of the broadcasting functions, behind the numbers that they share with those for equal shapes. */
static tinsmith_repetition repetition_of(const call_head *h) {
  return (tinsmith_repetition){h->numbers[9], h->numbers[10], h->numbers[11]};
}

/** Garbage for members that no line of Arm's functions reads: sums and products with it overflow. */
enum { kGarbage = 0x7adbad };

static const cmsis_nn_dims kGarbageDims = {kGarbage, kGarbage, kGarbage, kGarbage};

static void garble_filter(call_head *h, bool all) {
  const cmsis_nn_dims filter = h->filter_dims;
  h->filter_dims = kGarbageDims;
  if (!all) {
    h->filter_dims.h = filter.h;
    h->filter_dims.w = filter.w;
  }
}

/** Of the functions for one output per channel. */
static void garble_image(call_head *h) {
  h->input_dims.n = kGarbage;
  h->ch_mult = kGarbage;
  h->dilation = (cmsis_nn_tile){kGarbage, kGarbage};
}

/** What has the same arguments and scratch, but rounds twice. */
static int32_t twin_of(int32_t kernel) {
  switch (kernel) {
    case kCallConvolvePackedNearest:
      return kCallConvolvePacked;
    case kCallDepthwisePackedNearest:
      return kCallDepthwisePacked;
    case kCallDepthwisePacked3x3Nearest:
      return kCallDepthwisePacked3x3;
    case kCallFullyConnectedPackedNearest:
      return kCallFullyConnectedPacked;
    case kCallConvolvePackedAnyNearest:
      return kCallConvolvePackedAny;
    case kCallConvolvePackedNarrow:
      return kCallConvolvePacked;
    case kCallDepthwisePackedNarrow:
      return kCallDepthwisePacked;
    case kCallConvolvePackedSingleNarrow:
      return kCallConvolvePackedSingle;
    case kCallConvolvePackedSingleNearest:
      return kCallConvolvePackedSingle;
    case kCallDepthwisePackedAnyNearest:
      return kCallDepthwisePackedAny;
    case kCallFullyConnectedPackedDeepNearest:
      return kCallFullyConnectedPackedDeep;
    case kCallDepthwisePixelsNearest:
      return kCallDepthwisePixels;
    case kCallConvolvePackedOffsetNearest:
      return kCallConvolvePackedOffset;
    case kCallFullyConnectedSmallNearest:
      return kCallFullyConnectedSmall;
    case kCallConvolvePackedS2Nearest:
      return kCallConvolvePackedS2;
    case kCallConvolvePackedAnyS2Nearest:
      return kCallConvolvePackedAnyS2;
    case kCallDepthwisePackedS2Nearest:
      return kCallDepthwisePackedS2;
    case kCallDepthwisePackedAnyS2Nearest:
      return kCallDepthwisePackedAnyS2;
    case kCallFullyConnectedPackedS2Nearest:
      return kCallFullyConnectedPackedS2;
    case kCallConvolvePackedS2Narrow:
      return kCallConvolvePackedS2;
    case kCallDepthwisePackedS2Narrow:
      return kCallDepthwisePackedS2;
    case kCallFullyConnectedPackedS4Nearest:
      return kCallFullyConnectedPackedS4;
    case kCallBlockwisePackedS4Nearest:
      return kCallBlockwisePackedS4;
    case kCallConvolvePackedS4Nearest:
      return kCallConvolvePackedS4;
    case kCallDepthwisePackedS4Nearest:
      return kCallDepthwisePackedS4;
    case kCallDepthwisePackedAnyS4Nearest:
      return kCallDepthwisePackedAnyS4;
    case kCallConvolvePackedS4Narrow:
      return kCallConvolvePackedS4;
    case kCallDepthwisePackedS4Narrow:
      return kCallDepthwisePackedS4;
    case kCallConvolveWrapperNearest:
      return kCallConvolveWrapper;
    case kCallDepthwiseWrapperNearest:
      return kCallDepthwiseWrapper;
    case kCallFullyConnectedWrapperNearest:
      return kCallFullyConnectedWrapper;
    default:
      return kernel;
  }
}

/** The head with garbage wherever the public function does not look. */
static call_head garbled(const call_head *head) {
  call_head h = *head;
  switch (twin_of(h.kernel)) {
    case kCallConvolveWrapper:
    case kCallConvolve:
      h.filter_dims.n = h.output_dims.n = kGarbage;
      break;
    case kCallConvolve1x1Fast:
      h.output_dims.h = h.output_dims.w = kGarbage;
      /* fallthrough */
    case kCallConvolve1x1:
      garble_filter(&h, true);
      h.output_dims.n = kGarbage;
      h.dilation = (cmsis_nn_tile){kGarbage, kGarbage};
      break;
    case kCallConvolve1xN:
      h.filter_dims.n = h.output_dims.n = kGarbage;
#if defined(ARM_MATH_MVEI)
      h.filter_dims.h = h.filter_dims.c = h.output_dims.h = kGarbage;
      h.stride.h = h.padding.h = h.dilation.h = kGarbage;
#endif
      break;
    case kCallDepthwise3x3:
      garble_image(&h);
      garble_filter(&h, false);
      h.output_dims.n = kGarbage;
      break;
    case kCallDepthwiseOpt:
#if defined(ARM_MATH_DSP)
      garble_image(&h);
#endif
      /* fallthrough */
    case kCallDepthwiseWrapper:
    case kCallDepthwise:
      garble_filter(&h, false);
      h.output_dims.n = kGarbage;
      break;
    case kCallFullyConnectedWrapper:
      h.input_dims = h.output_dims = kGarbageDims;
      h.input_dims.n = head->input_dims.n;
      h.output_dims.c = head->output_dims.c;
      h.filter_dims.h = h.filter_dims.w = kGarbage;
      break;
    case kCallAveragePool:
    case kCallMaxPool:
      garble_filter(&h, false);
      h.output_dims.n = kGarbage;
      break;
    default:
      break;
  }
  return h;
}

/** What is left of dims for a size function that reads but two or three of them. */
static cmsis_nn_dims only(int32_t h, int32_t w, int32_t c) {
  return (cmsis_nn_dims){kGarbage, h, w, c};
}

/** Of tinsmith_depthwise_packed_s4(), and of two bits, without its weights. */
static int32_t depthwise_packed_bytes(const cmsis_nn_dw_conv_params *dw, const cmsis_nn_dims *in,
                                      const cmsis_nn_dims *filter, const cmsis_nn_dims *out) {
#if TINSMITH_NN_MVE
  if (filter->h == 3 && filter->w == 3) {
    return tinsmith_depthwise_packed_3x3_s8_get_buffer_size_mve(dw, in, filter, out);
  }
#endif
  return tinsmith_depthwise_packed_s8_get_buffer_size(dw, in, filter, out);
}

/** Of tinsmith_convolve_packed_s2(). Plain C has weights of four channels at a time. */
static int32_t convolve_two_bits_bytes(const cmsis_nn_conv_params *conv, const cmsis_nn_dims *in,
                                       const cmsis_nn_dims *filter, const cmsis_nn_dims *out) {
  const int32_t channels = TINSMITH_NN_C ? (filter->n + 3) / 4 * 4 : filter->n;
  const int32_t widened = tinsmith_packed_s2_get_weights_size(channels * filter->h * filter->w * filter->c);
  return (TINSMITH_NN_DSP ? 0 : widened) + tinsmith_convolve_packed_s8_get_buffer_size(conv, in, filter, out);
}

int32_t call_scratch_bytes(const call_head *head) {
  const call_head read = garbled(head);
  const call_head *h = &read;
  const cmsis_nn_conv_params conv = convolution(h);
  const cmsis_nn_dw_conv_params dw = depthwise(h);
  const cmsis_nn_dims *in = &h->input_dims;
  const cmsis_nn_dims *filter = &h->filter_dims;
  const cmsis_nn_dims *out = &h->output_dims;
  switch (twin_of(h->kernel)) {
    case kCallConvolvePacked:
    case kCallConvolvePackedAny:
      return tinsmith_convolve_packed_s8_get_buffer_size(&conv, in, filter, out);
    case kCallDepthwisePacked:
    case kCallDepthwisePackedAny:
      return tinsmith_depthwise_packed_s8_get_buffer_size(&dw, in, filter, out);
#if TINSMITH_NN_DSP
    case kCallConvolvePackedSingle:
      return tinsmith_convolve_packed_single_s8_get_buffer_size_dsp(&conv, filter);
#endif
    case kCallConvolvePackedOffset:
#if TINSMITH_NN_MVE
      return tinsmith_convolve_packed_offset_s8_get_buffer_size_mve(&conv, filter);
#else
      return tinsmith_convolve_packed_s8_get_buffer_size(&conv, in, filter, out);
#endif
    case kCallConvolvePackedS4:
#if TINSMITH_NN_MVE
      return tinsmith_convolve_packed_s4_get_buffer_size_mve(&conv, in, filter, out);
#else
      return tinsmith_convolve_packed_s8_get_buffer_size(&conv, in, filter, out);
#endif
    case kCallConvolvePackedS2:
    case kCallConvolvePackedAnyS2:
      return convolve_two_bits_bytes(&conv, in, filter, out);
    case kCallDepthwisePackedS2:
    case kCallDepthwisePackedAnyS2:
      return tinsmith_packed_s2_get_weights_size(filter->h * filter->w * filter->c) +
             depthwise_packed_bytes(&dw, in, filter, out);
    case kCallFullyConnectedPackedS2:
#if TINSMITH_NN_DSP
      return 0;
#elif TINSMITH_NN_MVE
      return tinsmith_fully_connected_packed_s2_get_buffer_size_mve(filter);
#else
      return tinsmith_fully_connected_packed_s2_get_buffer_size_c(filter);
#endif
    case kCallBlockwisePackedS4:
      return TINSMITH_NN_MVE ? 0 : tinsmith_blockwise_fully_connected_packed_s4_get_buffer_size(filter, h->numbers[0]);
    case kCallDepthwisePackedS4:
    case kCallDepthwisePackedAnyS4:
      return tinsmith_packed_s4_get_weights_size(filter) + depthwise_packed_bytes(&dw, in, filter, out);
#if TINSMITH_NN_MVE
    case kCallDepthwisePacked3x3:
      return tinsmith_depthwise_packed_3x3_s8_get_buffer_size_mve(&dw, in, filter, out);
#endif
    case kCallDepthwisePixels:
      return tinsmith_depthwise_pixels_s8_get_buffer_size(filter);
    case kCallFullyConnectedPacked:
    case kCallFullyConnectedPackedDeep:
    case kCallFullyConnectedSmall:
      return tinsmith_fully_connected_packed_s8_get_buffer_size(filter);
    case kCallConvolveWrapper:
      return arm_convolve_wrapper_s8_get_buffer_size(&conv, in, filter, out);
    case kCallConvolve:
    case kCallConvolve1xN: {
      const cmsis_nn_dims channels = only(kGarbage, kGarbage, in->c);
      const cmsis_nn_dims taps = only(head->filter_dims.h, filter->w, kGarbage);
      return arm_convolve_s8_get_buffer_size(&channels, &taps);
    }
    case kCallDepthwiseOpt: {
      const cmsis_nn_dims image = only(in->h, in->w, in->c);
      return arm_depthwise_conv_s8_opt_get_buffer_size(&image, filter);
    }
    case kCallDepthwiseWrapper:
      return arm_depthwise_conv_wrapper_s8_get_buffer_size(&dw, in, filter, out);
    case kCallFullyConnectedWrapper:
      return arm_fully_connected_s8_get_buffer_size(filter);
    case kCallAveragePool:
      return arm_avgpool_s8_get_buffer_size(out->w, out->c);
    case kCallAddBroadcast:
    case kCallMulBroadcast: {
      const tinsmith_repetition repetition = repetition_of(h);
      return tinsmith_broadcast_s8_get_buffer_size(&repetition);
    }
    default:
      return 0;
  }
}

int32_t call_run(const call *c) {
  const call_head read = garbled(c->head);
  const call_head *h = &read;
  const int32_t scratch_bytes = call_scratch_bytes(c->head);
  const cmsis_nn_context ctx = {scratch_bytes > 0 ? c->scratch : NULL, scratch_bytes};
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
#if !TINSMITH_NN_C
    case kCallConvolvePackedOffset:
      return tinsmith_convolve_packed_offset_s8(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                c->output);
#endif
    case kCallDepthwisePixels:
      return tinsmith_depthwise_pixels_s8(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
#if !TINSMITH_NN_MVE
    case kCallConvolvePackedNarrow:
      return tinsmith_convolve_packed_s8_narrow(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                c->output);
    case kCallDepthwisePackedNarrow:
      return tinsmith_depthwise_packed_s8_narrow(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
    case kCallConvolvePackedS4Narrow:
      return tinsmith_convolve_packed_s4_narrow(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                c->output);
    case kCallDepthwisePackedS4Narrow:
      return tinsmith_depthwise_packed_s4_narrow(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
    case kCallConvolvePackedAny:
      return tinsmith_convolve_packed_any_s8(&ctx, &conv, &channels, in, input, filter, second, bias, out, c->output);
    case kCallDepthwisePackedAny:
      return tinsmith_depthwise_packed_any_s8(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
#endif
#if TINSMITH_NN_DSP
    case kCallConvolvePackedSingleNarrow:
      return tinsmith_convolve_packed_single_s8_narrow(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                       c->output);
    case kCallConvolvePackedSingle:
      return tinsmith_convolve_packed_single_s8(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                c->output);
    case kCallFullyConnectedPackedDeep:
      return tinsmith_fully_connected_packed_deep_s8(&ctx, &fc, &either, in, input, filter, second, bias, out,
                                                     c->output);
#endif
#if TINSMITH_NN_MVE
    case kCallDepthwisePacked3x3:
      return tinsmith_depthwise_packed_3x3_s8(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
    case kCallDepthwisePacked3x3Nearest:
      return tinsmith_depthwise_packed_3x3_s8_nearest(&ctx, &dw, &channels, in, input, filter, second, bias, out,
                                                      c->output);
    case kCallFullyConnectedSmall:
      return tinsmith_fully_connected_small_s8(&ctx, &fc, &either, in, input, filter, second, bias, out, c->output);
#endif
    case kCallDepthwisePackedS4:
      return tinsmith_depthwise_packed_s4(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
#if !TINSMITH_NN_MVE
    case kCallDepthwisePackedAnyS4:
      return tinsmith_depthwise_packed_any_s4(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
#endif
    case kCallConvolvePackedS4:
      return tinsmith_convolve_packed_s4(&ctx, &conv, &channels, in, input, filter, second, bias, out, c->output);
    case kCallDepthwisePackedS4Nearest:
      return tinsmith_depthwise_packed_s4_nearest(&ctx, &dw, &channels, in, input, filter, second, bias, out,
                                                  c->output);
#if !TINSMITH_NN_MVE
    case kCallDepthwisePackedAnyS4Nearest:
      return tinsmith_depthwise_packed_any_s4_nearest(&ctx, &dw, &channels, in, input, filter, second, bias, out,
                                                      c->output);
#endif
    case kCallConvolvePackedS4Nearest:
      return tinsmith_convolve_packed_s4_nearest(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                 c->output);
    case kCallFullyConnectedPackedS4:
      return tinsmith_fully_connected_packed_s4(&ctx, &fc, &either, in, input, filter, second, bias, out, c->output);
    case kCallFullyConnectedPackedS4Nearest:
      return tinsmith_fully_connected_packed_s4_nearest(&ctx, &fc, &either, in, input, filter, second, bias, out,
                                                        c->output);
    case kCallBlockwisePackedS4:
      return tinsmith_blockwise_fully_connected_packed_s4(&ctx, &fc, &either, in, input, filter, second, bias, n[0],
                                                          out, c->output);
    case kCallBlockwisePackedS4Nearest:
      return tinsmith_blockwise_fully_connected_packed_s4_nearest(&ctx, &fc, &either, in, input, filter, second, bias,
                                                                  n[0], out, c->output);
    case kCallConvolvePackedS2:
      return tinsmith_convolve_packed_s2(&ctx, &conv, &channels, in, input, filter, second, bias, out, c->output);
    case kCallConvolvePackedS2Nearest:
      return tinsmith_convolve_packed_s2_nearest(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                 c->output);
#if !TINSMITH_NN_MVE
    case kCallConvolvePackedS2Narrow:
      return tinsmith_convolve_packed_s2_narrow(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                c->output);
    case kCallConvolvePackedAnyS2:
      return tinsmith_convolve_packed_any_s2(&ctx, &conv, &channels, in, input, filter, second, bias, out, c->output);
    case kCallConvolvePackedAnyS2Nearest:
      return tinsmith_convolve_packed_any_s2_nearest(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                     c->output);
#endif
    case kCallDepthwisePackedS2:
      return tinsmith_depthwise_packed_s2(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
    case kCallDepthwisePackedS2Nearest:
      return tinsmith_depthwise_packed_s2_nearest(&ctx, &dw, &channels, in, input, filter, second, bias, out,
                                                  c->output);
#if !TINSMITH_NN_MVE
    case kCallDepthwisePackedS2Narrow:
      return tinsmith_depthwise_packed_s2_narrow(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
    case kCallDepthwisePackedAnyS2:
      return tinsmith_depthwise_packed_any_s2(&ctx, &dw, &channels, in, input, filter, second, bias, out, c->output);
    case kCallDepthwisePackedAnyS2Nearest:
      return tinsmith_depthwise_packed_any_s2_nearest(&ctx, &dw, &channels, in, input, filter, second, bias, out,
                                                      c->output);
#endif
    case kCallFullyConnectedPackedS2:
      return tinsmith_fully_connected_packed_s2(&ctx, &fc, &either, in, input, filter, second, bias, out, c->output);
    case kCallFullyConnectedPackedS2Nearest:
      return tinsmith_fully_connected_packed_s2_nearest(&ctx, &fc, &either, in, input, filter, second, bias, out,
                                                        c->output);
    case kCallFullyConnectedPacked:
      return tinsmith_fully_connected_packed_s8(&ctx, &fc, &either, in, input, filter, second, bias, out, c->output);
    case kCallConvolvePackedNearest:
      return tinsmith_convolve_packed_s8_nearest(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                 c->output);
    case kCallDepthwisePackedNearest:
      return tinsmith_depthwise_packed_s8_nearest(&ctx, &dw, &channels, in, input, filter, second, bias, out,
                                                  c->output);
    case kCallDepthwisePixelsNearest:
      return tinsmith_depthwise_pixels_s8_nearest(&ctx, &dw, &channels, in, input, filter, second, bias, out,
                                                  c->output);
    case kCallFullyConnectedPackedNearest:
      return tinsmith_fully_connected_packed_s8_nearest(&ctx, &fc, &either, in, input, filter, second, bias, out,
                                                        c->output);
#if !TINSMITH_NN_C
    case kCallConvolvePackedOffsetNearest:
      return tinsmith_convolve_packed_offset_s8_nearest(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                        c->output);
#endif
#if !TINSMITH_NN_MVE
    case kCallConvolvePackedAnyNearest:
      return tinsmith_convolve_packed_any_s8_nearest(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                     c->output);
    case kCallDepthwisePackedAnyNearest:
      return tinsmith_depthwise_packed_any_s8_nearest(&ctx, &dw, &channels, in, input, filter, second, bias, out,
                                                      c->output);
#endif
#if TINSMITH_NN_DSP
    case kCallConvolvePackedSingleNearest:
      return tinsmith_convolve_packed_single_s8_nearest(&ctx, &conv, &channels, in, input, filter, second, bias, out,
                                                        c->output);
    case kCallFullyConnectedPackedDeepNearest:
      return tinsmith_fully_connected_packed_deep_s8_nearest(&ctx, &fc, &either, in, input, filter, second, bias, out,
                                                             c->output);
#endif
#if TINSMITH_NN_MVE
    case kCallFullyConnectedSmallNearest:
      return tinsmith_fully_connected_small_s8_nearest(&ctx, &fc, &either, in, input, filter, second, bias, out,
                                                       c->output);
#endif
    case kCallConvolveWrapperNearest:
      return tinsmith_convolve_s8_nearest(&ctx, &conv, &channels, in, input, filter, second, &kGarbageDims, bias, out,
                                          c->output);
    case kCallDepthwiseWrapperNearest:
      return tinsmith_depthwise_s8_nearest(&ctx, &dw, &channels, in, input, filter, second, &kGarbageDims, bias, out,
                                           c->output);
    case kCallFullyConnectedWrapperNearest: {
      if (ctx.size > 0) { /* With MVE, the buffer is an input. */
        arm_vector_sum_s8(ctx.buf, filter->n, out->c, second, fc.input_offset, fc.filter_offset, bias);
      }
      const cmsis_nn_per_tensor_quant_params one = {*multiplier, *shift};
      return h->is_per_channel ? arm_fully_connected_per_channel_s8_nearest(&ctx, &fc, &channels, in, input, filter,
                                                                            second, &kGarbageDims, bias, out, c->output)
                               : arm_fully_connected_s8_nearest(&ctx, &fc, &one, in, input, filter, second,
                                                                &kGarbageDims, bias, out, c->output);
    }
    case kCallConvolveWrapper:
      return arm_convolve_wrapper_s8(&ctx, &conv, &channels, in, input, filter, second, &kGarbageDims, bias, out,
                                     c->output);
    case kCallConvolve:
      return arm_convolve_s8(&ctx, &conv, &channels, in, input, filter, second, &kGarbageDims, bias, NULL, out,
                             c->output);
    case kCallConvolve1x1:
      return arm_convolve_1x1_s8(&ctx, &conv, &channels, in, input, filter, second, &kGarbageDims, bias, out,
                                 c->output);
    case kCallConvolve1x1Fast:
      return arm_convolve_1x1_s8_fast(&ctx, &conv, &channels, in, input, filter, second, &kGarbageDims, bias, out,
                                      c->output);
    case kCallConvolve1xN:
      return arm_convolve_1_x_n_s8(&ctx, &conv, &channels, in, input, filter, second, &kGarbageDims, bias, out,
                                   c->output);
    case kCallDepthwiseOpt:
      return arm_depthwise_conv_s8_opt(&ctx, &dw, &channels, in, input, filter, second, &kGarbageDims, bias, out,
                                       c->output);
    case kCallDepthwise3x3:
      return arm_depthwise_conv_3x3_s8(&ctx, &dw, &channels, in, input, filter, second, &kGarbageDims, bias, out,
                                       c->output);
    case kCallDepthwiseWrapper:
      return arm_depthwise_conv_wrapper_s8(&ctx, &dw, &channels, in, input, filter, second, &kGarbageDims, bias, out,
                                           c->output);
    case kCallDepthwise:
      return arm_depthwise_conv_s8(&ctx, &dw, &channels, in, input, filter, second, &kGarbageDims, bias, out,
                                   c->output);
    case kCallFullyConnectedWrapper:
      if (ctx.size > 0) { /* With MVE, the buffer is an input. */
        arm_vector_sum_s8(ctx.buf, filter->n, out->c, second, fc.input_offset, fc.filter_offset, bias);
      }
      return arm_fully_connected_wrapper_s8(&ctx, &fc, &either, in, input, filter, second, &kGarbageDims, bias, out,
                                            c->output);
    case kCallAdd:
      return arm_elementwise_add_s8(input, second, n[0], n[1], n[2], n[3], n[4], n[5], n[6], c->output,
                                    h->output_offset, n[7], n[8], h->activation.min, h->activation.max,
                                    h->output_bytes);
    case kCallMul:
      return arm_elementwise_mul_s8(input, second, n[0], n[3], c->output, h->output_offset, n[7], n[8],
                                    h->activation.min, h->activation.max, h->output_bytes);
    case kCallAddBroadcast: {
      const tinsmith_repetition repetition = repetition_of(h);
      const tinsmith_add_params params = {n[0], n[1], n[2],         n[3], n[4], n[5], n[6], h->output_offset,
                                          n[7], n[8], h->activation};
      return tinsmith_add_broadcast_s8(&ctx, &params, &repetition, input, second, c->output);
    }
    case kCallMulBroadcast: {
      const tinsmith_repetition repetition = repetition_of(h);
      const tinsmith_mul_params params = {n[0], n[3], h->output_offset, n[7], n[8], h->activation};
      return tinsmith_mul_broadcast_s8(&ctx, &params, &repetition, input, second, c->output);
    }
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
