/* Random layers through every MVE kernel and through the oracle. Runs on the board; test_mve_kernels.py reads the
 * result.
 */
#include <stdbool.h>
#include <string.h>

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "tests/mve/oracle.h"

enum { kMostValues = 6000, kMostChannels = 80, kScratchBytes = 24000, kGuard = 16 };

static int8_t input[kMostValues];
static int8_t second[kMostValues];
static int8_t weights[kMostValues];
static int8_t arranged[2 * kMostValues];
static int8_t expected[kMostValues];
static int8_t output[kMostValues + kGuard];
static int32_t bias[kMostChannels];
static int32_t folded[kMostChannels];
static int32_t multiplier[kMostChannels];
static int32_t shift[kMostChannels];
static int32_t scratch[kScratchBytes / 4];
static uint32_t state;

static uint32_t random_bits(void) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

/** In [least, most]. */
static int32_t random_in(int32_t least, int32_t most) {
  return least + (int32_t)(random_bits() % (uint32_t)(most - least + 1));
}

static bool one_in(uint32_t n) {
  return random_bits() % n == 0;
}

/** Mostly anything, sometimes all extremes, where sums and intermediate widths are greatest. */
static void fill(int8_t *values, int32_t count, int32_t least) {
  const bool extreme = one_in(4);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t any = random_in(least, INT8_MAX);
    values[i] = (int8_t)(extreme ? (any & 1 ? INT8_MAX : least) : any);
  }
}

static cmsis_nn_activation random_activation(void) {
  if (one_in(2)) {
    return (cmsis_nn_activation){INT8_MIN, INT8_MAX};
  }
  const int32_t min = random_in(INT8_MIN, INT8_MAX);
  return (cmsis_nn_activation){min, random_in(min, INT8_MAX)};
}

/** Scales whose outputs use the range of int8, some of them far outside; shifts of both signs in some layers. */
static void random_scales(int32_t channels) {
  const bool odd_shifts = one_in(3);
  for (int32_t i = 0; i < channels; ++i) {
    multiplier[i] = one_in(8) ? 0x40000000 : random_in(0x40000000, INT32_MAX);
    shift[i] = odd_shifts ? random_in(-16, 3) : random_in(-12, -4);
    bias[i] = random_in(-20000, 20000);
    if (odd_shifts && one_in(4)) {
      shift[i] = random_in(-31, -20);
    }
  }
}

static void fold(int32_t offset, int32_t channels, int32_t depth, int32_t channel_pitch, int32_t pitch) {
  for (int32_t o = 0; o < channels; ++o) {
    int32_t sum = 0;
    for (int32_t i = 0; i < depth; ++i) {
      sum += weights[o * channel_pitch + i * pitch];
    }
    folded[o] = bias[o] + offset * sum;
  }
}

/** Whether a kernel succeeded, wrote what was expected and nothing behind it. Readies the output for the next kernel.
 */
static bool same(arm_cmsis_nn_status status, int32_t count) {
  bool good = status == ARM_CMSIS_NN_SUCCESS;
  for (int32_t i = 0; i < count + kGuard; ++i) {
    good = good && output[i] == (i < count ? expected[i] : 0x55);
  }
  memset(output, 0x55, sizeof(output));
  return good;
}

static int32_t output_extent(int32_t in, int32_t taps, int32_t stride, int32_t dilation, int32_t padding) {
  const int32_t span = (taps - 1) * dilation + 1;
  return in + padding < span ? 0 : (in + padding - span) / stride + 1;
}

/** Padding before, and room for an output extent that may reach over the end as TFLite's SAME does. */
static int32_t random_padding(int32_t taps) {
  return one_in(2) ? 0 : random_in(0, taps - 1);
}

static bool convolve(void) {
  const int32_t groups = one_in(5) ? random_in(2, 3) : 1;
  const bool pointwise = one_in(3);
  const cmsis_nn_dims filter = {groups * random_in(1, 20), pointwise ? 1 : random_in(1, 5),
                                pointwise ? 1 : random_in(1, 5),
                                one_in(2) ? random_in(1, 6) : random_in(7, 40) / groups};
  const cmsis_nn_dims in = {random_in(1, 2), random_in(filter.h, 8), one_in(4) ? filter.w : random_in(filter.w, 8),
                            filter.c * groups};
  const cmsis_nn_conv_params params = {
      .input_offset = random_in(-127, 128),
      .output_offset = random_in(-128, 127),
      .stride = {random_in(1, 3), random_in(1, 3)},
      .padding = {random_padding(filter.w), random_padding(filter.h)},
      .dilation = {one_in(4) ? 2 : 1, one_in(4) ? 2 : 1},
      .activation = random_activation(),
  };
  const int32_t more_w = random_padding(filter.w);
  const int32_t more_h = random_padding(filter.h);
  const cmsis_nn_dims out = {
      in.n, output_extent(in.h, filter.h, params.stride.h, params.dilation.h, params.padding.h + more_h),
      output_extent(in.w, filter.w, params.stride.w, params.dilation.w, params.padding.w + more_w), filter.n};
  const int32_t depth = filter.h * filter.w * filter.c;
  const int32_t count = out.n * out.h * out.w * out.c;
  if (count == 0 || count > kMostValues || in.n * in.h * in.w * in.c > kMostValues || depth * filter.n > kMostValues ||
      filter.n > kMostChannels) {
    return true;
  }
  fill(input, kMostValues, INT8_MIN);
  fill(weights, kMostValues, one_in(4) ? INT8_MIN : -127);
  random_scales(filter.n);
  fold(params.input_offset, filter.n, depth, depth, 1);
  const cmsis_nn_per_channel_quant_params quant = {multiplier, shift};
  const int32_t *used_bias = one_in(4) ? NULL : bias;
  const cmsis_nn_context ctx = {scratch, sizeof(scratch)};
  oracle_convolve(&params, &quant, &in, input, &filter, weights, used_bias, &out, expected);
  bool good =
      same(arm_convolve_wrapper_s8(&ctx, &params, &quant, &in, input, &filter, weights, NULL, used_bias, &out, output),
           count);
  good &= same(
      arm_convolve_s8(&ctx, &params, &quant, &in, input, &filter, weights, NULL, used_bias, NULL, &out, output), count);
  if (depth == filter.c && groups == 1 && params.dilation.h == 1 && params.dilation.w == 1 && params.padding.h == 0 &&
      params.padding.w == 0) {
    good &= same(
        arm_convolve_1x1_s8(&ctx, &params, &quant, &in, input, &filter, weights, NULL, used_bias, &out, output), count);
  }
  if (groups == 1) {
    oracle_convolve(&params, &quant, &in, input, &filter, weights, bias, &out, expected);
    const int32_t size = tinsmith_convolve_packed_s8_get_buffer_size_mve(&params, &in, &filter, &out);
    const cmsis_nn_context packed_ctx = {size == 0 ? NULL : scratch, size};
    memset(scratch, 0x77, sizeof(scratch));
    good &= same(
        tinsmith_convolve_packed_s8(&packed_ctx, &params, &quant, &in, input, &filter, weights, folded, &out, output),
        count);
    good = good && size <= kScratchBytes - 4 && scratch[(size + 3) / 4] == 0x77777777;
  }
  return good;
}

static bool depthwise(void) {
  const bool multiplied = one_in(4);
  const bool tall = one_in(4);
  const cmsis_nn_dims filter = {1, one_in(2) ? 3 : random_in(1, tall ? 17 : 5),
                                tall        ? 1
                                : one_in(2) ? 3
                                            : random_in(1, 5),
                                multiplied ? 3 : random_in(1, 40)};
  const cmsis_nn_dims in = {one_in(4) ? 2 : 1, random_in(1, tall ? 40 : 10), tall ? 1 : random_in(1, 25), filter.c};
  const cmsis_nn_dw_conv_params params = {
      .input_offset = random_in(-127, 128),
      .output_offset = random_in(-128, 127),
      .ch_mult = multiplied ? random_in(1, 9) : 1,
      .stride = {random_in(1, 3), random_in(1, 3)},
      .padding = {random_padding(filter.w), random_padding(filter.h)},
      .dilation = {one_in(6) ? 2 : 1, one_in(6) ? 2 : 1},
      .activation = random_activation(),
  };
  const int32_t more_w = random_padding(filter.w);
  const int32_t more_h = random_padding(filter.h);
  const cmsis_nn_dims out = {
      in.n, output_extent(in.h, filter.h, params.stride.h, params.dilation.h, params.padding.h + more_h),
      output_extent(in.w, filter.w, params.stride.w, params.dilation.w, params.padding.w + more_w),
      in.c * params.ch_mult};
  const int32_t taps = filter.h * filter.w;
  const int32_t count = out.n * out.h * out.w * out.c;
  if (count == 0 || count > kMostValues || in.n * in.h * in.w * in.c > kMostValues || taps * out.c > kMostValues) {
    return true;
  }
  const cmsis_nn_dims filter_dims = {1, filter.h, filter.w, out.c};
  fill(input, kMostValues, INT8_MIN);
  fill(weights, kMostValues, one_in(4) ? INT8_MIN : -127);
  random_scales(out.c);
  fold(params.input_offset, out.c, taps, 1, out.c);
  const cmsis_nn_per_channel_quant_params quant = {multiplier, shift};
  const int32_t *used_bias = one_in(4) ? NULL : bias;
  oracle_depthwise(&params, &quant, &in, input, &filter_dims, weights, used_bias, &out, expected);
  const cmsis_nn_context none = {NULL, 0};
  bool good = same(
      arm_depthwise_conv_s8(&none, &params, &quant, &in, input, &filter_dims, weights, NULL, used_bias, &out, output),
      count);
  const int32_t size = arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(&params, &in, &filter_dims, &out);
  if (size > kScratchBytes - 4) {
    return good;
  }
  const cmsis_nn_context ctx = {size == 0 ? NULL : scratch, size};
  memset(scratch, 0x77, sizeof(scratch));
  good &= same(arm_depthwise_conv_wrapper_s8(&ctx, &params, &quant, &in, input, &filter_dims, weights, NULL, used_bias,
                                             &out, output),
               count);
  if (size != 0) {
    oracle_depthwise(&params, &quant, &in, input, &filter_dims, weights, bias, &out, expected);
    good &= same(
        tinsmith_depthwise_packed_s8(&ctx, &params, &quant, &in, input, &filter_dims, weights, folded, &out, output),
        count);
  }
  return good && scratch[(size + 3) / 4] == 0x77777777;
}

/** The arrangement that tinsmith_nn.h describes, into `arranged`. */
static void arrange_fully_connected(int32_t depth, int32_t outputs) {
  int8_t *to = arranged;
  for (int32_t first = 0; first < outputs; first += 6) {
    for (int32_t k = 0; k < depth; k += 16) {
      for (int32_t o = first; o < outputs && o < first + 6; ++o) {
        for (int32_t i = k; i < k + 16; ++i) {
          *to++ = i < depth ? weights[o * depth + i] : 0;
        }
      }
    }
  }
}

static bool fully_connected(void) {
  const int32_t batches = random_in(1, 3);
  const int32_t depth = random_in(1, 150);
  const int32_t outputs = random_in(1, 40);
  const cmsis_nn_fc_params params = {
      .input_offset = random_in(-127, 128),
      .filter_offset = one_in(3) ? random_in(-127, 127) : 0,
      .output_offset = random_in(-128, 127),
      .activation = random_activation(),
  };
  const cmsis_nn_dims in = {batches, 1, 1, depth};
  const cmsis_nn_dims filter = {depth, 1, 1, outputs};
  const cmsis_nn_dims out = {batches, 1, 1, outputs};
  fill(input, batches * depth, INT8_MIN);
  fill(weights, depth * outputs, INT8_MIN);
  random_scales(outputs);
  const cmsis_nn_quant_params quant = {multiplier, shift, one_in(2)};
  const int32_t *used_bias = one_in(4) ? NULL : bias;
  oracle_fully_connected(&params, &quant, batches, depth, outputs, input, weights, used_bias, expected);
  arm_vector_sum_s8(scratch, depth, outputs, weights, params.input_offset, params.filter_offset, used_bias);
  const cmsis_nn_context ctx = {scratch, arm_fully_connected_s8_get_buffer_size_mve(&filter)};
  bool good = same(arm_fully_connected_wrapper_s8(&ctx, &params, &quant, &in, input, &filter, weights, NULL, used_bias,
                                                  &out, output),
                   batches * outputs);
  if (params.filter_offset == 0) {
    arrange_fully_connected(depth, outputs);
    const cmsis_nn_context none = {NULL, 0};
    good &= same(tinsmith_fully_connected_packed_s8(&none, &params, &quant, &in, input, &filter, arranged, scratch,
                                                    &out, output),
                 batches * outputs);
  }
  return good;
}

static bool elementwise(void) {
  const int32_t count = random_in(0, 70);
  const int32_t offset_1 = random_in(-127, 128);
  const int32_t offset_2 = random_in(-127, 128);
  const int32_t out_offset = random_in(-128, 127);
  const cmsis_nn_activation range = random_activation();
  fill(input, count, INT8_MIN);
  fill(second, count, INT8_MIN);
  random_scales(4);
  for (int32_t i = 0; i < 3; ++i) {
    shift[i] = one_in(3) ? 0 : random_in(-20, 0);
  }
  for (int32_t i = 0; i < count; ++i) {
    const int32_t a = oracle_requantize((input[i] + offset_1) << 20, multiplier[0], shift[0]);
    const int32_t b = oracle_requantize((second[i] + offset_2) << 20, multiplier[1], shift[1]);
    expected[i] = oracle_to_range(oracle_requantize(a + b, multiplier[2], shift[2]), out_offset, &range);
  }
  bool good =
      same(arm_elementwise_add_s8(input, second, offset_1, multiplier[0], shift[0], offset_2, multiplier[1], shift[1],
                                  20, output, out_offset, multiplier[2], shift[2], range.min, range.max, count),
           count);
  const int32_t mul_shift = one_in(3) ? random_in(0, 14) : random_in(-14, -3);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t product = (input[i] + offset_1) * (second[i] + offset_2);
    expected[i] = oracle_to_range(oracle_requantize(product, multiplier[3], mul_shift), out_offset, &range);
  }
  good &= same(arm_elementwise_mul_s8(input, second, offset_1, offset_2, output, out_offset, multiplier[3], mul_shift,
                                      range.min, range.max, count),
               count);
  const cmsis_nn_activation relu6 = {0, 6};
  for (int32_t i = 0; i < count; ++i) {
    expected[i] = oracle_to_range(input[i], 0, &relu6);
  }
  memcpy(output, input, (size_t)count);
  arm_relu6_s8(output, (uint16_t)count);
  good &= same(ARM_CMSIS_NN_SUCCESS, count);
  const cmsis_nn_activation relu = {0, INT8_MAX};
  for (int32_t i = 0; i < count; ++i) {
    expected[i] = oracle_to_range(input[i], 0, &relu);
  }
  memcpy(output, input, (size_t)count);
  arm_relu_q7(output, (uint16_t)count);
  return good & same(ARM_CMSIS_NN_SUCCESS, count);
}

static bool pooling(void) {
  const cmsis_nn_dims filter = {1, random_in(1, 5), random_in(1, 5), 1};
  const cmsis_nn_dims in = {random_in(1, 2), random_in(filter.h, 9), random_in(filter.w, 9), random_in(1, 35)};
  const cmsis_nn_pool_params params = {
      .stride = {random_in(1, 3), random_in(1, 3)},
      .padding = {random_padding(filter.w), random_padding(filter.h)},
      .activation = random_activation(),
  };
  const cmsis_nn_dims out = {in.n, output_extent(in.h, filter.h, params.stride.h, 1, 2 * params.padding.h),
                             output_extent(in.w, filter.w, params.stride.w, 1, 2 * params.padding.w), in.c};
  const int32_t count = out.n * out.h * out.w * out.c;
  if (count > kMostValues || in.n * in.h * in.w * in.c > kMostValues) {
    return true;
  }
  const cmsis_nn_context none = {NULL, 0};
  fill(input, kMostValues, INT8_MIN);
  oracle_pool(1, &params, &in, input, &filter, &out, expected);
  bool good = same(arm_avgpool_s8(&none, &params, &in, input, &filter, &out, output), count);
  oracle_pool(0, &params, &in, input, &filter, &out, expected);
  good &= same(arm_max_pool_s8(&none, &params, &in, input, &filter, &out, output), count);
  return good;
}

/** What the board reports for each group of kernels. */
typedef struct {
  uint32_t cases;
  uint32_t failures;
  uint32_t failing_state; /**< Random state before the first failing case. */
} result;

static result run_cases(bool (*run_case)(void), uint32_t cases) {
  result r = {cases, 0, 0};
  for (uint32_t i = 0; i < cases; ++i) {
    const uint32_t before = state;
    if (!run_case()) {
      r.failing_state = r.failures == 0 ? before : r.failing_state;
      ++r.failures;
    }
  }
  return r;
}

int test_mve_kernels_run(void *arena) {
  uint32_t seed_and_cases[2];
  memcpy(seed_and_cases, arena, sizeof(seed_and_cases));
  state = seed_and_cases[0];
  const uint32_t cases = seed_and_cases[1];
  memset(output, 0x55, sizeof(output));
  const result results[] = {
      run_cases(convolve, cases),    run_cases(depthwise, cases), run_cases(fully_connected, cases),
      run_cases(elementwise, cases), run_cases(pooling, cases),
  };
  memcpy(arena, results, sizeof(results));
  return 0;
}
