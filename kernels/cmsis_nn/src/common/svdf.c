/* SVDF: the rows of products are those of internal/dots.h, the rest a few numbers per output. */

#include <stdbool.h>
#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/dots_s16.h"
#include "src/internal/implementation.h"
#include "src/internal/move.h"
#include "src/internal/requantize.h"
#include "src/internal/short_copy.h"

#if TINSMITH_NN_MVE
#include "src/mve/requantize.h"
#elif TINSMITH_NN_DSP
#include "src/internal/dsp.h"
#endif

/** What both kinds of state share. */
typedef struct {
  const cmsis_nn_svdf_params *params;
  const cmsis_nn_per_tensor_quant_params *input_scale;
  const cmsis_nn_per_tensor_quant_params *output_scale;
  const int32_t *folded; /* -input_offset * (sum of each filter's weights), or NULL if that is to be added here */
  const int8_t *weights;
  int32_t filters;
  int32_t time;
  int32_t batches;
  int32_t features;
} layer;

static layer layer_of(const cmsis_nn_svdf_params *params, const cmsis_nn_per_tensor_quant_params *input_scale,
                      const cmsis_nn_per_tensor_quant_params *output_scale, const cmsis_nn_dims *input_dims,
                      const cmsis_nn_dims *weights_feature_dims, const int8_t *weights,
                      const cmsis_nn_dims *weights_time_dims) {
  return (layer){
      .params = params,
      .input_scale = input_scale,
      .output_scale = output_scale,
      .folded = NULL,
      .weights = weights,
      .filters = weights_feature_dims->n,
      .time = weights_time_dims->h,
      .batches = input_dims->n,
      .features = input_dims->h,
  };
}

/** Sums that are collected before they are scaled. */
enum { kSumsAtOnce = 32 };

/** Sums, scaled, moved and clamped, to int8 or, if is_wide, int16, `pitch` values apart. */
TINSMITH_ALWAYS_INLINE void leave(const int32_t *sums, int32_t count, const cmsis_nn_per_tensor_quant_params *scale,
                                  int32_t offset, const cmsis_nn_activation *range, bool is_wide, void *values,
                                  int32_t pitch) {
#if TINSMITH_NN_MVE
  const mve_uniform_scale uniform = mve_uniform(scale->multiplier, scale->shift);
  const mve_output_range output = {offset, range->min, range->max};
  const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)pitch);
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t value = mve_to_range(mve_requantize_uniform(vldrwq_z_s32(sums, p), &uniform), &output);
    if (is_wide) {
      vstrhq_scatter_shifted_offset_p_s32(values, places, value, p);
      values = (int16_t *)values + kWordLanes * pitch;
    } else {
      vstrbq_scatter_offset_p_s32(values, places, value, p);
      values = (int8_t *)values + kWordLanes * pitch;
    }
    sums += kWordLanes;
  }
#else
  const tinsmith_scale uniform = tinsmith_scale_of(scale->multiplier, scale->shift);
  const int32_t low = range->min, high = range->max;
  TINSMITH_NO_UNROLL
  for (const int32_t *end = sums + count; sums != end; ++sums) {
    const int32_t value = tinsmith_clamp(tinsmith_scale_sum(*sums, &uniform) + offset, low, high);
    if (is_wide) {
      *(int16_t *)values = (int16_t)value;
      values = (int16_t *)values + pitch;
    } else {
      *(int8_t *)values = (int8_t)value;
      values = (int8_t *)values + pitch;
    }
  }
#endif
}

/** sum + the products. */
static inline int32_t dot_s8(int32_t sum, const int8_t *x, const int8_t *w, int32_t depth) {
#if TINSMITH_NN_MVE
  for (int32_t left = depth; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    sum = vmladavaq_p_s8(sum, vldrbq_z_s8(x, p), vldrbq_z_s8(w, p), p);
    x += kByteLanes;
    w += kByteLanes;
  }
#else
#if TINSMITH_NN_DSP
  TINSMITH_NO_UNROLL
  for (; depth > 3; depth -= 4) {
    const uint32_t four = tinsmith_load_word(x), weights = tinsmith_load_word(w);
    sum = tinsmith_smlad(tinsmith_sxtb16(four), tinsmith_sxtb16(weights), sum);
    sum = tinsmith_smlad(tinsmith_sxtb16_ror8(four), tinsmith_sxtb16_ror8(weights), sum);
    x += 4;
    w += 4;
  }
#endif
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    sum += *x++ * *w++;
  }
#endif
  return sum;
}

/** The newest value of each filter, where the state has it last. */
TINSMITH_ALWAYS_INLINE void remember(const layer *l, const int8_t *input, bool is_wide, void *newest) {
  const int32_t offset = l->folded == NULL ? -l->params->input_offset : 0;
  for (int32_t first = 0; first < l->filters; first += kSumsAtOnce) {
    const int32_t count = l->filters - first < kSumsAtOnce ? l->filters - first : kSumsAtOnce;
    int32_t sums[kSumsAtOnce];
    if (l->folded != NULL) {
      tinsmith_copy_many(sums, l->folded + first, count * (int32_t)sizeof *sums);
    } else {
      tinsmith_clear_many(sums, count * (int32_t)sizeof *sums);
    }
    tinsmith_dots_s8(sums, input, offset, l->weights + first * l->features, l->features, l->features, count);
    leave(sums, count, l->input_scale, 0, &l->params->input_activation, is_wide, newest, l->time);
    newest = is_wide ? (void *)((int16_t *)newest + count * l->time) : (int8_t *)newest + count * l->time;
  }
}

/** Outputs of one batch from its state. A unit's filters follow each other, as do their weights. */
TINSMITH_ALWAYS_INLINE void give(const layer *l, bool is_wide, const void *state, const void *weights,
                                 const int32_t *bias, int8_t *output) {
  const int32_t units = l->filters / l->params->rank;
  const int32_t depth = l->params->rank * l->time;
  for (int32_t first = 0; first < units; first += kSumsAtOnce) {
    const int32_t count = units - first < kSumsAtOnce ? units - first : kSumsAtOnce;
    int32_t sums[kSumsAtOnce];
    TINSMITH_NO_UNROLL
    for (int32_t i = 0; i < count; ++i) {
      const int32_t start = bias == NULL ? 0 : bias[first + i];
      if (is_wide) {
        sums[i] = (int32_t)tinsmith_dot_s16(start, state, weights, depth);
        state = (const int16_t *)state + depth;
        weights = (const int16_t *)weights + depth;
      } else {
        sums[i] = dot_s8(start, state, weights, depth);
        state = (const int8_t *)state + depth;
        weights = (const int8_t *)weights + depth;
      }
    }
    leave(sums, count, l->output_scale, l->params->output_offset, &l->params->output_activation, false, output + first,
          1);
  }
}

arm_cmsis_nn_status arm_svdf_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *input_ctx,
                                const cmsis_nn_context *output_ctx, const cmsis_nn_svdf_params *svdf_params,
                                const cmsis_nn_per_tensor_quant_params *input_quant_params,
                                const cmsis_nn_per_tensor_quant_params *output_quant_params,
                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                const cmsis_nn_dims *state_dims, int8_t *state_data,
                                const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
                                const cmsis_nn_dims *weights_time_dims, const int8_t *weights_time_data,
                                const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)state_dims;
  (void)bias_dims;
  (void)output_dims;
  if (input_ctx->buf == NULL || output_ctx->buf == NULL || (TINSMITH_NN_MVE && ctx->buf == NULL)) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  layer l = layer_of(svdf_params, input_quant_params, output_quant_params, input_dims, weights_feature_dims,
                     weights_feature_data, weights_time_dims);
  l.folded = TINSMITH_NN_MVE ? ctx->buf : NULL;
  const int32_t states = l.batches * l.filters * l.time;
  tinsmith_move_forward(state_data, state_data + 1, states - 1);
  const int32_t values = l.filters * l.time; /* of a batch */
  for (int32_t n = 0; n < l.batches; ++n) {
    remember(&l, input_data + n * l.features, false, state_data + n * values + l.time - 1);
  }
  for (int32_t n = 0; n < l.batches; ++n) {
    give(&l, false, state_data + n * values, weights_time_data, bias_data,
         output_data + n * (l.filters / svdf_params->rank));
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_svdf_state_s16_s8(const cmsis_nn_context *input_ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_svdf_params *svdf_params,
                                          const cmsis_nn_per_tensor_quant_params *input_quant_params,
                                          const cmsis_nn_per_tensor_quant_params *output_quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *state_dims, int16_t *state_data,
                                          const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
                                          const cmsis_nn_dims *weights_time_dims, const int16_t *weights_time_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)state_dims;
  (void)bias_dims;
  (void)output_dims;
  if (input_ctx->buf == NULL || output_ctx->buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const layer l = layer_of(svdf_params, input_quant_params, output_quant_params, input_dims, weights_feature_dims,
                           weights_feature_data, weights_time_dims);
  const int32_t states = l.batches * l.filters * l.time;
  tinsmith_move_forward(state_data, state_data + 1, (states - 1) * (int32_t)sizeof *state_data);
  const int32_t values = l.filters * l.time; /* of a batch */
  for (int32_t n = 0; n < l.batches; ++n) {
    remember(&l, input_data + n * l.features, true, state_data + n * values + l.time - 1);
  }
  for (int32_t n = 0; n < l.batches; ++n) {
    give(&l, true, state_data + n * values, weights_time_data, bias_data,
         output_data + n * (l.filters / svdf_params->rank));
  }
  return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_svdf_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims) {
  (void)filter_dims;
  return 0;
}

/* A sum for each filter. */
int32_t arm_svdf_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims) {
  return filter_dims->n * (int32_t)sizeof(int32_t);
}

int32_t arm_svdf_s8_get_buffer_size(const cmsis_nn_dims *filter_dims) {
  return TINSMITH_NN_MVE ? arm_svdf_s8_get_buffer_size_mve(filter_dims) : arm_svdf_s8_get_buffer_size_dsp(filter_dims);
}
