// One integer from one scale to another.
#ifndef TINSMITH_KERNELS_REFERENCE_REQUANTIZED_H_
#define TINSMITH_KERNELS_REFERENCE_REQUANTIZED_H_

#include <stdint.h>

#include "arithmetic.h"
#include "tinsmith/quantization.h"

static inline int32_t centred(const tinsmith_requantize_parameters *parameters, int32_t value) {
  return (int32_t)((uint32_t)value + (uint32_t)parameters->input_offset);
}

static inline int32_t requantized(const tinsmith_requantize_parameters *parameters, int32_t value) {
  const int64_t scaled = scale_s32(centred(parameters, value), parameters->scale.multiplier, parameters->scale.shift);
  const int64_t shifted = scaled + parameters->output_offset;
  const int64_t raised = shifted < parameters->clamp_min ? parameters->clamp_min : shifted;
  return (int32_t)(raised > parameters->clamp_max ? parameters->clamp_max : raised);
}

static inline int32_t requantized_nearest(const tinsmith_requantize_parameters *parameters, int32_t value) {
  const int64_t product = (int64_t)centred(parameters, value) * parameters->scale.multiplier;
  const int64_t scaled = round_nearest(product, parameters->scale.shift);
  return offset_and_clamp_s64(scaled, parameters->output_offset, parameters->clamp_min, parameters->clamp_max);
}

static inline int32_t requantized_floor(const tinsmith_requantize_parameters *parameters, int32_t value) {
  const int64_t product = (int64_t)centred(parameters, value) * parameters->scale.multiplier;
  const int64_t scaled = round_floor(product, parameters->scale.shift);
  return offset_and_clamp_s64(scaled, parameters->output_offset, parameters->clamp_min, parameters->clamp_max);
}

#endif  // TINSMITH_KERNELS_REFERENCE_REQUANTIZED_H_
