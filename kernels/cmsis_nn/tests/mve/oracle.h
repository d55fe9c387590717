/* The operators as plain loops, written from TFLite's definitions: the oracle of the kernel tests. */
#ifndef TINSMITH_NN_TESTS_ORACLE_H
#define TINSMITH_NN_TESTS_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include "include/arm_nn_types.h"

/** gemmlowp's SaturatingRoundingDoublingHighMul. */
static inline int32_t oracle_high_mul(int32_t a, int32_t b) {
  if (a == b && a == INT32_MIN) {
    return INT32_MAX;
  }
  const int64_t product = (int64_t)a * b;
  const int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
  return (int32_t)((product + nudge) / ((int64_t)1 << 31));
}

/** gemmlowp's RoundingDivideByPOT. */
static inline int32_t oracle_divide_by_power(int32_t value, int32_t exponent) {
  const int32_t mask = (int32_t)((1u << exponent) - 1);
  const int32_t remainder = value & mask;
  const int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> exponent) + (remainder > threshold ? 1 : 0);
}

static inline int32_t oracle_requantize(int32_t acc, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t raised = (int32_t)((uint32_t)acc << left);
  return oracle_divide_by_power(oracle_high_mul(raised, multiplier), shift > 0 ? 0 : -shift);
}

static inline int8_t oracle_to_range(int32_t value, int32_t offset, const cmsis_nn_activation *range) {
  value += offset;
  value = value < range->min ? range->min : value;
  return (int8_t)(value > range->max ? range->max : value);
}

static inline void oracle_convolve(const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
                                   const cmsis_nn_dims *in, const int8_t *input, const cmsis_nn_dims *filter,
                                   const int8_t *weights, const int32_t *bias, const cmsis_nn_dims *out,
                                   int8_t *output) {
  const int32_t outputs_per_group = filter->n / (in->c / filter->c);
  for (int32_t n = 0; n < in->n; ++n) {
    for (int32_t y = 0; y < out->h; ++y) {
      for (int32_t x = 0; x < out->w; ++x) {
        for (int32_t o = 0; o < filter->n; ++o) {
          int32_t acc = bias != NULL ? bias[o] : 0;
          for (int32_t ky = 0; ky < filter->h; ++ky) {
            for (int32_t kx = 0; kx < filter->w; ++kx) {
              const int32_t iy = y * params->stride.h - params->padding.h + ky * params->dilation.h;
              const int32_t ix = x * params->stride.w - params->padding.w + kx * params->dilation.w;
              if (iy < 0 || iy >= in->h || ix < 0 || ix >= in->w) {
                continue;
              }
              for (int32_t c = 0; c < filter->c; ++c) {
                const int32_t channel = o / outputs_per_group * filter->c + c;
                const int32_t value = input[((n * in->h + iy) * in->w + ix) * in->c + channel];
                const int32_t weight = weights[((o * filter->h + ky) * filter->w + kx) * filter->c + c];
                acc += (value + params->input_offset) * weight;
              }
            }
          }
          acc = oracle_requantize(acc, quant->multiplier[o], quant->shift[o]);
          *output++ = oracle_to_range(acc, params->output_offset, &params->activation);
        }
      }
    }
  }
}

static inline void oracle_depthwise(const cmsis_nn_dw_conv_params *params,
                                    const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *in,
                                    const int8_t *input, const cmsis_nn_dims *filter, const int8_t *weights,
                                    const int32_t *bias, const cmsis_nn_dims *out, int8_t *output) {
  for (int32_t n = 0; n < in->n; ++n) {
    for (int32_t y = 0; y < out->h; ++y) {
      for (int32_t x = 0; x < out->w; ++x) {
        for (int32_t o = 0; o < out->c; ++o) {
          int32_t acc = bias != NULL ? bias[o] : 0;
          for (int32_t ky = 0; ky < filter->h; ++ky) {
            for (int32_t kx = 0; kx < filter->w; ++kx) {
              const int32_t iy = y * params->stride.h - params->padding.h + ky * params->dilation.h;
              const int32_t ix = x * params->stride.w - params->padding.w + kx * params->dilation.w;
              if (iy >= 0 && iy < in->h && ix >= 0 && ix < in->w) {
                const int32_t value = input[((n * in->h + iy) * in->w + ix) * in->c + o / params->ch_mult];
                acc += (value + params->input_offset) * weights[(ky * filter->w + kx) * out->c + o];
              }
            }
          }
          acc = oracle_requantize(acc, quant->multiplier[o], quant->shift[o]);
          *output++ = oracle_to_range(acc, params->output_offset, &params->activation);
        }
      }
    }
  }
}

/** shift and multiplier: one, or one per output if per_channel. */
static inline void oracle_fully_connected(const cmsis_nn_fc_params *params, const cmsis_nn_quant_params *quant,
                                          int32_t batches, int32_t depth, int32_t outputs, const int8_t *input,
                                          const int8_t *weights, const int32_t *bias, int8_t *output) {
  for (int32_t n = 0; n < batches; ++n) {
    for (int32_t o = 0; o < outputs; ++o) {
      int32_t acc = bias != NULL ? bias[o] : 0;
      for (int32_t i = 0; i < depth; ++i) {
        acc += (input[n * depth + i] + params->input_offset) * (weights[o * depth + i] + params->filter_offset);
      }
      const int32_t q = quant->is_per_channel ? o : 0;
      acc = oracle_requantize(acc, quant->multiplier[q], quant->shift[q]);
      *output++ = oracle_to_range(acc, params->output_offset, &params->activation);
    }
  }
}

/** average: else maximum. */
static inline void oracle_pool(int average, const cmsis_nn_pool_params *params, const cmsis_nn_dims *in,
                               const int8_t *input, const cmsis_nn_dims *filter, const cmsis_nn_dims *out,
                               int8_t *output) {
  for (int32_t n = 0; n < in->n; ++n) {
    for (int32_t y = 0; y < out->h; ++y) {
      for (int32_t x = 0; x < out->w; ++x) {
        for (int32_t c = 0; c < in->c; ++c) {
          int32_t sum = 0;
          int32_t count = 0;
          int32_t most = INT8_MIN;
          for (int32_t ky = 0; ky < filter->h; ++ky) {
            for (int32_t kx = 0; kx < filter->w; ++kx) {
              const int32_t iy = y * params->stride.h - params->padding.h + ky;
              const int32_t ix = x * params->stride.w - params->padding.w + kx;
              if (iy >= 0 && iy < in->h && ix >= 0 && ix < in->w) {
                const int32_t value = input[((n * in->h + iy) * in->w + ix) * in->c + c];
                sum += value;
                most = value > most ? value : most;
                ++count;
              }
            }
          }
          const int32_t mean = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
          *output++ = oracle_to_range(average ? mean : most, 0, &params->activation);
        }
      }
    }
  }
}

#endif /* TINSMITH_NN_TESTS_ORACLE_H */
