/* SVDF: the rows of products are those of internal/dots.h, the rest a few numbers per output. */

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/dots_s16.h"
#include "src/internal/implementation.h"
#include "src/internal/move.h"
#include "src/internal/requantize.h"

#if TINSMITH_NN_MVE
#include "src/mve/requantize.h"
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

/** Up to kDotRows sums, scaled, moved and clamped. MVE: all kDotRows of them. */
TINSMITH_ALWAYS_INLINE void scale_sums(int32_t *sums, int32_t count, const cmsis_nn_per_tensor_quant_params *scale,
                                       int32_t offset, const cmsis_nn_activation *range) {
#if TINSMITH_NN_MVE
  (void)count;
  const mve_uniform_scale uniform = mve_uniform(scale->multiplier, scale->shift);
  const mve_output_range output = {offset, range->min, range->max};
  vstrwq_s32(sums, mve_to_range(mve_requantize_uniform(vldrwq_s32(sums), &uniform), &output));
#else
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    const int32_t scaled = tinsmith_requantize(sums[i], scale->multiplier, scale->shift);
    sums[i] = tinsmith_clamp(scaled + offset, range->min, range->max);
  }
#endif
}

/** The newest value of filters [first, first + count) for one input. */
static void newest_values(const layer *l, const int8_t *input, int32_t first, int32_t count, int32_t *values) {
  const int32_t offset = l->folded == NULL ? -l->params->input_offset : 0;
  for (int32_t i = 0; i < count; ++i) {
    values[i] = l->folded == NULL ? 0 : l->folded[first + i];
  }
  tinsmith_dots_s8(values, input, offset, l->weights + first * l->features, l->features, l->features, count);
  scale_sums(values, count, l->input_scale, 0, &l->params->input_activation);
}

/** Outputs of `count` units from their sums. */
static void finish(const layer *l, int32_t *sums, int32_t count, int8_t *output) {
  scale_sums(sums, count, l->output_scale, l->params->output_offset, &l->params->output_activation);
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; ++i) {
    output[i] = (int8_t)sums[i];
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
  for (int32_t n = 0; n < l.batches; ++n) {
    int8_t *newest = state_data + n * l.filters * l.time + l.time - 1;
    for (int32_t first = 0; first < l.filters; first += kDotRows) {
      const int32_t count = l.filters - first < kDotRows ? l.filters - first : kDotRows;
      int32_t values[kDotRows] = {0};
      newest_values(&l, input_data + n * l.features, first, count, values);
      for (int32_t i = 0; i < count; ++i, newest += l.time) {
        *newest = (int8_t)values[i];
      }
    }
  }
  const int32_t units = l.filters / svdf_params->rank;
  const int32_t depth = svdf_params->rank * l.time; /* a unit's filters follow each other, as do their weights */
  const int8_t *state = state_data;
  for (int32_t n = 0; n < l.batches; ++n) {
    const int8_t *weights = weights_time_data;
    for (int32_t first = 0; first < units; first += kDotRows) {
      const int32_t count = units - first < kDotRows ? units - first : kDotRows;
      int32_t sums[kDotRows] = {0};
      for (int32_t i = 0; i < count; ++i) {
        sums[i] = bias_data == NULL ? 0 : bias_data[first + i];
        tinsmith_dots_s8(&sums[i], state, 0, weights, depth, depth, 1);
        state += depth;
        weights += depth;
      }
      finish(&l, sums, count, output_data);
      output_data += count;
    }
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
  for (int32_t n = 0; n < l.batches; ++n) {
    int16_t *newest = state_data + n * l.filters * l.time + l.time - 1;
    for (int32_t first = 0; first < l.filters; first += kDotRows) {
      const int32_t count = l.filters - first < kDotRows ? l.filters - first : kDotRows;
      int32_t values[kDotRows] = {0};
      newest_values(&l, input_data + n * l.features, first, count, values);
      for (int32_t i = 0; i < count; ++i, newest += l.time) {
        *newest = (int16_t)values[i];
      }
    }
  }
  const int32_t units = l.filters / svdf_params->rank;
  const int32_t depth = svdf_params->rank * l.time; /* a unit's filters follow each other, as do their weights */
  const int16_t *state = state_data;
  for (int32_t n = 0; n < l.batches; ++n) {
    const int16_t *weights = weights_time_data;
    for (int32_t first = 0; first < units; first += kDotRows) {
      const int32_t count = units - first < kDotRows ? units - first : kDotRows;
      int32_t sums[kDotRows] = {0};
      for (int32_t i = 0; i < count; ++i) {
        const int32_t start = bias_data == NULL ? 0 : bias_data[first + i];
        sums[i] = (int32_t)tinsmith_dot_s16(start, state, weights, depth);
        state += depth;
        weights += depth;
      }
      finish(&l, sums, count, output_data);
      output_data += count;
    }
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
