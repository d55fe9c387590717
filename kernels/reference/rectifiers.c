// Leaky and parametric rectifiers and hard swish.
#include "tinsmith/rectifiers.h"

#include "arithmetic.h"
#include "broadcast.h"
#include "float_rules.h"

static int32_t rectified(const tinsmith_rectifier_parameters *parameters, int32_t value, int32_t alpha) {
  const int32_t centred = value + parameters->input_offset;
  const tinsmith_scale *scale = centred < 0 ? &parameters->negative : &parameters->positive;
  return scale_s32(centred < 0 ? centred * alpha : centred, scale->multiplier, scale->shift);
}

static int32_t parametric(const tinsmith_rectifier_parameters *parameters, int32_t value, int32_t alpha) {
  const int32_t scaled = rectified(parameters, value, alpha + parameters->alpha_offset);
  return offset_and_clamp(scaled, parameters->output_offset, INT8_MIN, INT8_MAX);
}

void tinsmith_leaky_relu_s16(int32_t elements, const tinsmith_rectifier_parameters *parameters, const int16_t *input,
                             int16_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    const int32_t scaled = rectified(parameters, input[i], 1);
    output[i] = (int16_t)offset_and_clamp(scaled, parameters->output_offset, INT16_MIN, INT16_MAX);
  }
}

void tinsmith_leaky_relu_f32(int32_t elements, float alpha, const float *input, float *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = input[i] > 0.0f ? input[i] : input[i] * alpha;
  }
}

DEFINE_ELEMENTWISE(tinsmith_prelu_s8, int8_t, tinsmith_rectifier_parameters, parametric)
DEFINE_PLAIN(tinsmith_prelu_f32, float, left >= 0.0f ? left : left * right)

void tinsmith_hard_swish_f32(int32_t elements, const float *input, float *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = input[i] * clamp_f32(input[i] + 3.0f, 0.0f, 6.0f) / 6.0f;
  }
}
