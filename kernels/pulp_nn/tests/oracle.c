#include "tests/oracle.h"

#include <stddef.h>

static int32_t clamp(int64_t value, int32_t min, int32_t max) {
  return value < min ? min : value > max ? max : (int32_t)value;
}

// gemmlowp's SaturatingRoundingDoublingHighMul: a nudge by sign, then a division that truncates.
static int32_t doubling_high_product(int32_t lhs, int32_t rhs) {
  if (lhs == INT32_MIN && rhs == INT32_MIN) {
    return INT32_MAX;
  }
  const int64_t product = (int64_t)lhs * rhs;
  const int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
  return (int32_t)((product + nudge) / (INT64_C(1) << 31));
}

// gemmlowp's RoundingDivideByPOT.
static int32_t divide_by_power(int32_t value, int32_t exponent) {
  const int32_t mask = (int32_t)((INT64_C(1) << exponent) - 1);
  const int32_t remainder = value & mask;
  const int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> exponent) + (remainder > threshold ? 1 : 0);
}

int32_t oracle_stage(const tinsmith_pulp_stage_t *stage, uint32_t channel, int32_t acc) {
  const int32_t small_bias = stage->bias_s8 == NULL ? 0 : stage->bias_s8[channel];
  const int32_t biased = acc + (stage->bias == NULL ? small_bias : stage->bias[channel]);
  if (stage->kind == TINSMITH_PULP_RAW_S32) {
    return biased;
  }
  if (stage->kind == TINSMITH_PULP_TFLITE_S8) {
    const int32_t shift = stage->shifts[channel];
    const int32_t raised = shift < 0 ? (int32_t)((uint32_t)biased << -shift) : biased;
    const int32_t product = doubling_high_product(raised, stage->multipliers[channel]);
    const int32_t scaled = divide_by_power(product, shift > 0 ? shift : 0);
    return clamp((int64_t)scaled + stage->zero_point, stage->min, stage->max);
  }
  const bool is_wide_u8 = stage->kind == TINSMITH_PULP_TRUNCATE_WIDE_U8;
  if (is_wide_u8 || stage->kind == TINSMITH_PULP_TRUNCATE_WIDE_S8) {
    const int64_t kappa = stage->wide_multipliers == NULL ? stage->multiplier : stage->wide_multipliers[channel];
    const int64_t lambda = stage->wide_addends == NULL ? 0 : stage->wide_addends[channel];
    const int64_t wrapped = (int64_t)((uint64_t)biased * (uint64_t)kappa + (uint64_t)lambda);
    return clamp(wrapped >> stage->shift, is_wide_u8 ? 0 : -128, is_wide_u8 ? 255 : 127);
  }
  if (stage->kind == TINSMITH_PULP_SCALE_S8) {
    const tinsmith_pulp_scale_t scale = stage->scales[channel];
    return clamp((int32_t)((int64_t)acc * scale.multiplier + scale.addend) >> scale.shift, stage->min, stage->max);
  }
  if (stage->kind == TINSMITH_PULP_SCALE_HIGH_S8) {
    const tinsmith_pulp_scale_t scale = stage->scales[channel];
    const int64_t high = (int64_t)biased * scale.multiplier >> 32;
    return clamp((int32_t)(high + scale.addend) >> scale.shift, stage->min, stage->max);
  }
  const int32_t kappa = stage->multipliers == NULL ? stage->multiplier : stage->multipliers[channel];
  const int32_t lambda = stage->addends == NULL ? 0 : stage->addends[channel];
  const int32_t wrapped = (int32_t)((uint32_t)biased * (uint32_t)kappa + (uint32_t)lambda);
  const bool is_unsigned = stage->kind == TINSMITH_PULP_TRUNCATE_U8;
  const bool is_bounded = !is_unsigned && (stage->min != 0 || stage->max != 0);
  const int32_t clipped = clamp(wrapped >> stage->shift, is_unsigned ? 0 : -128, is_unsigned ? 255 : 127);
  return is_bounded ? clamp(clipped, stage->min, stage->max) : clipped;
}

static int32_t value_of(uint8_t byte, bool is_signed) {
  return is_signed ? (int8_t)byte : byte;
}

static int32_t pixel_of(const tinsmith_pulp_conv2d_t *layer, int32_t y, int32_t x, int32_t channel) {
  const bool inside = y >= 0 && y < layer->input_height && x >= 0 && x < layer->input_width;
  const uint8_t *input = layer->input;
  const uint8_t byte =
      inside ? input[(y * layer->input_width + x) * layer->input_channels + channel] : layer->pad_value;
  return value_of(byte, layer->input_is_signed);
}

static int32_t conv2d_sum(const tinsmith_pulp_conv2d_t *layer, const int8_t *weights, int32_t y, int32_t x) {
  int32_t sum = 0;
  for (int32_t ky = 0; ky < layer->kernel_height; ++ky) {
    for (int32_t kx = 0; kx < layer->kernel_width; ++kx) {
      for (int32_t c = 0; c < layer->input_channels; ++c) {
        const int32_t row = y * layer->stride_height - layer->pad_top + ky;
        const int32_t column = x * layer->stride_width - layer->pad_left + kx;
        sum += pixel_of(layer, row, column, c) * *weights++;
      }
    }
  }
  return sum;
}

void oracle_conv2d(const tinsmith_pulp_conv2d_t *layer, const int8_t *weights, uint8_t *output) {
  const int32_t row_weights = layer->kernel_height * layer->kernel_width * layer->input_channels;
  for (int32_t y = 0; y < layer->output_height; ++y) {
    for (int32_t x = 0; x < layer->output_width; ++x) {
      for (int32_t c = 0; c < layer->output_channels; ++c) {
        const int32_t sum = conv2d_sum(layer, weights + c * row_weights, y, x);
        *output++ = (uint8_t)oracle_stage(&layer->stage, (uint32_t)c, sum);
      }
    }
  }
}

void oracle_linear(const tinsmith_pulp_linear_t *layer, const int8_t *weights, void *output) {
  for (uint32_t row = 0u; row < layer->outputs; ++row) {
    int32_t sum = 0;
    for (uint32_t i = 0u; i < layer->inputs; ++i) {
      sum += value_of(((const uint8_t *)layer->input)[i], layer->input_is_signed) * *weights++;
    }
    const int32_t value = oracle_stage(&layer->stage, row, sum);
    if (layer->stage.kind == TINSMITH_PULP_RAW_S32) {
      ((int32_t *)output)[row] = value;
    } else {
      ((uint8_t *)output)[row] = (uint8_t)value;
    }
  }
}

static int32_t depthwise_sum(const tinsmith_pulp_depthwise_t *layer, int32_t y, int32_t x, int32_t channel) {
  const uint8_t *input = layer->input;
  const int8_t *weights = layer->weights + channel * layer->kernel_height * layer->kernel_width;
  int32_t sum = 0;
  for (int32_t ky = 0; ky < layer->kernel_height; ++ky) {
    for (int32_t kx = 0; kx < layer->kernel_width; ++kx) {
      const int32_t row = y * layer->stride_height - layer->pad_top + ky;
      const int32_t column = x * layer->stride_width - layer->pad_left + kx;
      const bool inside = row >= 0 && row < layer->input_height && column >= 0 && column < layer->input_width;
      const int32_t hwc = (row * layer->input_width + column) * layer->channels + channel;
      const int32_t chw = (channel * layer->input_height + row) * layer->input_width + column;
      const uint8_t byte = inside ? input[layer->input_is_chw ? chw : hwc] : layer->pad_value;
      sum += value_of(byte, layer->input_is_signed) * *weights++;
    }
  }
  return sum;
}

void oracle_depthwise(const tinsmith_pulp_depthwise_t *layer, uint8_t *output) {
  for (int32_t y = 0; y < layer->output_height; ++y) {
    for (int32_t x = 0; x < layer->output_width; ++x) {
      for (int32_t c = 0; c < layer->channels; ++c) {
        *output++ = (uint8_t)oracle_stage(&layer->stage, (uint32_t)c, depthwise_sum(layer, y, x, c));
      }
    }
  }
}

static int32_t scale(int32_t value, int32_t multiplier, int32_t shift) {
  return divide_by_power(doubling_high_product(value, multiplier), shift);
}

static int32_t add_tflite(const tinsmith_pulp_add_t *layer, int32_t lhs_value, int32_t rhs_value) {
  if (layer->lhs_table != NULL) {
    const int64_t by_tables = (int64_t)layer->lhs_table[lhs_value & 255] + layer->rhs_table[rhs_value & 255];
    return clamp(by_tables >> layer->table_shift, layer->min, layer->max);
  }
  const int32_t lhs = (lhs_value - layer->lhs_zero_point) * (1 << 20);
  const int32_t rhs = (rhs_value - layer->rhs_zero_point) * (1 << 20);
  const int32_t sum =
      scale(lhs, layer->lhs_multiplier, layer->lhs_shift) + scale(rhs, layer->rhs_multiplier, layer->rhs_shift);
  const int32_t scaled = scale(sum, layer->output_multiplier, layer->output_shift);
  return clamp((int64_t)scaled + layer->output_zero_point, layer->min, layer->max);
}

static int32_t clip_to(int32_t value, bool is_signed) {
  return is_signed ? clamp(value, -128, 127) : clamp(value, 0, 255);
}

void oracle_add(const tinsmith_pulp_add_t *layer, uint8_t *output) {
  const bool is_tflite = layer->kind == TINSMITH_PULP_ADD_TFLITE;
  for (uint32_t i = 0u; i < layer->count; ++i) {
    const int32_t lhs = value_of(((const uint8_t *)layer->lhs)[i], is_tflite || layer->lhs_is_signed);
    const int32_t rhs = value_of(((const uint8_t *)layer->rhs)[i], is_tflite || layer->rhs_is_signed);
    if (is_tflite) {
      output[i] = (uint8_t)add_tflite(layer, lhs, rhs);
    } else if (layer->kind == TINSMITH_PULP_ADD_WEIGHTED) {
      const int32_t sum = lhs * layer->lhs_multiplier + rhs * layer->rhs_multiplier + layer->output_addend;
      const int32_t clipped = clip_to(sum >> layer->output_shift, layer->output_is_signed);
      const bool is_bounded = layer->min != 0 || layer->max != 0;
      output[i] = (uint8_t)(is_bounded ? clamp(clipped, layer->min, layer->max) : clipped);
    } else {
      const int32_t lhs_scaled = (lhs * layer->lhs_multiplier + layer->lhs_addend) >> layer->lhs_shift;
      const int32_t rhs_scaled = (rhs * layer->rhs_multiplier + layer->rhs_addend) >> layer->rhs_shift;
      const int32_t sum = clip_to(lhs_scaled, layer->lhs_is_signed) + clip_to(rhs_scaled, layer->rhs_is_signed);
      const int32_t scaled = (sum * layer->output_multiplier + layer->output_addend) >> layer->output_shift;
      output[i] = (uint8_t)clip_to(scaled, layer->output_is_signed);
    }
  }
}

static uint8_t pool_element(const tinsmith_pulp_pool_t *layer, int32_t y, int32_t x, int32_t channel) {
  int32_t sum = 0;
  int32_t max = INT32_MIN;
  int32_t count = 0;
  for (int32_t ky = 0; ky < layer->kernel_height; ++ky) {
    for (int32_t kx = 0; kx < layer->kernel_width; ++kx) {
      const int32_t row = y * layer->stride_height - layer->pad_top + ky;
      const int32_t column = x * layer->stride_width - layer->pad_left + kx;
      if (row >= 0 && row < layer->input_height && column >= 0 && column < layer->input_width) {
        const uint8_t *input = layer->input;
        const int32_t index = (row * layer->input_width + column) * layer->channels + channel;
        const int32_t value = value_of(input[index], layer->input_is_signed);
        sum += value;
        max = value > max ? value : max;
        ++count;
      }
    }
  }
  if (layer->kind == TINSMITH_PULP_POOL_MAX) {
    return (uint8_t)clamp(max, layer->min, layer->max);
  }
  if (layer->kind == TINSMITH_PULP_POOL_AVERAGE_TFLITE) {
    const int32_t mean = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
    return (uint8_t)clamp(mean, layer->min, layer->max);
  }
  const int32_t area = layer->kernel_height * layer->kernel_width;
  int32_t scaled = sum / area;
  if (layer->kind == TINSMITH_PULP_POOL_AVERAGE_SCALED) {
    scaled = (sum * layer->multiplier + layer->addend) >> layer->shift;
  } else if (layer->kind == TINSMITH_PULP_POOL_AVERAGE_DIVIDED) {
    scaled = ((int32_t)((int64_t)sum * layer->multiplier / area) + layer->addend) >> layer->shift;
  }
  return (uint8_t)clip_to(scaled, layer->output_is_signed);
}

void oracle_pool(const tinsmith_pulp_pool_t *layer, uint8_t *output) {
  for (int32_t y = 0; y < layer->output_height; ++y) {
    for (int32_t x = 0; x < layer->output_width; ++x) {
      for (int32_t c = 0; c < layer->channels; ++c) {
        *output++ = pool_element(layer, y, x, c);
      }
    }
  }
}
