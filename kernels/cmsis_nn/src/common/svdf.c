/* SVDF: the rows of products are those of internal/dots.h, the rest a few numbers per output. */

#include <string.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

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

/** The newest value of filters [first, first + count) for one input. */
static void newest_values(const layer *l, const int8_t *input, int32_t first, int32_t count, int32_t *values) {
  const int32_t offset = l->folded == NULL ? -l->params->input_offset : 0;
  for (int32_t i = 0; i < count; ++i) {
    values[i] = l->folded == NULL ? 0 : l->folded[first + i];
  }
  tinsmith_dots_s8(values, input, offset, l->weights + first * l->features, l->features, l->features, count);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t scaled = tinsmith_requantize(values[i], l->input_scale->multiplier, l->input_scale->shift);
    values[i] = tinsmith_clamp(scaled, l->params->input_activation.min, l->params->input_activation.max);
  }
}

static int8_t finish(const layer *l, int32_t sum) {
  const int32_t scaled = tinsmith_requantize(sum, l->output_scale->multiplier, l->output_scale->shift);
  return (int8_t)tinsmith_clamp(scaled + l->params->output_offset, l->params->output_activation.min,
                                l->params->output_activation.max);
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
  memmove(state_data, state_data + 1, (size_t)(states - 1));
  for (int32_t n = 0; n < l.batches; ++n) {
    int8_t *newest = state_data + n * l.filters * l.time + l.time - 1;
    for (int32_t first = 0; first < l.filters; first += kDotRows) {
      const int32_t count = l.filters - first < kDotRows ? l.filters - first : kDotRows;
      int32_t values[kDotRows];
      newest_values(&l, input_data + n * l.features, first, count, values);
      for (int32_t i = 0; i < count; ++i, newest += l.time) {
        *newest = (int8_t)values[i];
      }
    }
  }
  const int32_t units = l.filters / svdf_params->rank;
  const int8_t *state = state_data;
  for (int32_t n = 0; n < l.batches; ++n) {
    const int8_t *weights = weights_time_data;
    for (int32_t unit = 0; unit < units; ++unit) {
      int32_t sum = bias_data == NULL ? 0 : bias_data[unit];
      for (int32_t r = 0; r < svdf_params->rank; ++r) {
        tinsmith_dots_s8(&sum, state, 0, weights, l.time, l.time, 1);
        state += l.time;
        weights += l.time;
      }
      *output_data++ = finish(&l, sum);
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
  memmove(state_data, state_data + 1, (size_t)(states - 1) * sizeof *state_data);
  for (int32_t n = 0; n < l.batches; ++n) {
    int16_t *newest = state_data + n * l.filters * l.time + l.time - 1;
    for (int32_t first = 0; first < l.filters; first += kDotRows) {
      const int32_t count = l.filters - first < kDotRows ? l.filters - first : kDotRows;
      int32_t values[kDotRows];
      newest_values(&l, input_data + n * l.features, first, count, values);
      for (int32_t i = 0; i < count; ++i, newest += l.time) {
        *newest = (int16_t)values[i];
      }
    }
  }
  const int32_t units = l.filters / svdf_params->rank;
  const int16_t *state = state_data;
  for (int32_t n = 0; n < l.batches; ++n) {
    const int16_t *weights = weights_time_data;
    for (int32_t unit = 0; unit < units; ++unit) {
      int64_t sum = bias_data == NULL ? 0 : bias_data[unit];
      for (int32_t r = 0; r < svdf_params->rank; ++r) {
        tinsmith_dots_s16(&sum, state, weights, l.time, 1);
        state += l.time;
        weights += l.time;
      }
      *output_data++ = finish(&l, (int32_t)sum);
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
