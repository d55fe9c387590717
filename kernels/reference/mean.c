// Means and sums over any set of dimensions, one output element after the other.
#include "arithmetic.h"
#include "float_rules.h"
#include "reduced.h"
#include "tinsmith/partial_sums.h"
#include "tinsmith/pooling.h"
#include "tinsmith/reduction.h"
#include "tinsmith/rounding.h"

// Sums are unsigned because they may go round: means of more than 2**16 int16, which TFLite sums in 32 bits.
static int32_t centred_sum(uint32_t sum, int32_t count, const tinsmith_mean_parameters *parameters) {
  return (int32_t)(sum - (uint32_t)parameters->input_zero_point * (uint32_t)count);
}

static int32_t finish_tflite(int32_t sum, const tinsmith_mean_parameters *parameters) {
  const int32_t scaled = scale_s32(sum, parameters->scale.multiplier, parameters->scale.shift);
  return offset_and_clamp(scaled, parameters->output_offset, parameters->clamp_min, parameters->clamp_max);
}

static int32_t finish_nearest(int32_t sum, const tinsmith_mean_parameters *parameters) {
  const int64_t scaled = round_nearest((int64_t)sum * parameters->scale.multiplier, parameters->scale.shift);
  return offset_and_clamp_s64(scaled, parameters->output_offset, parameters->clamp_min, parameters->clamp_max);
}

static int32_t finish_floor(int32_t sum, const tinsmith_mean_parameters *parameters) {
  const int64_t scaled = round_floor((int64_t)sum * parameters->scale.multiplier, parameters->scale.shift);
  return offset_and_clamp_s64(scaled, parameters->output_offset, parameters->clamp_min, parameters->clamp_max);
}

// `sum` over the reduced dimensions, from the element `first`.
#define DEFINE_SUM(name, element, sum_type)                                                              \
  static sum_type name(const tinsmith_mean_shape *shape, const element *first) {                         \
    int32_t index[TINSMITH_MAX_RANK] = {0};                                                              \
    int32_t place = 0;                                                                                   \
    sum_type sum = 0;                                                                                    \
    do {                                                                                                 \
      sum += (sum_type)first[place];                                                                     \
    } while (advance(index, &place, shape->reduced_rank, shape->reduced_shape, shape->reduced_strides)); \
    return sum;                                                                                          \
  }

DEFINE_SUM(sum_s8, int8_t, uint32_t)
DEFINE_SUM(sum_s16, int16_t, uint32_t)
DEFINE_SUM(sum_s32, int32_t, uint32_t)
DEFINE_SUM(sum_s64, int64_t, uint64_t)
DEFINE_SUM(sum_f32, float, float)

#define DEFINE_MEAN(kernel, element, sum, finish)                                                                 \
  void kernel(const tinsmith_mean_shape *shape, const tinsmith_mean_parameters *parameters, const element *input, \
              element *output) {                                                                                  \
    int32_t index[TINSMITH_MAX_RANK] = {0};                                                                       \
    int32_t place = 0;                                                                                            \
    do {                                                                                                          \
      *output++ = (element)finish(centred_sum(sum(shape, input + place), shape->count, parameters), parameters);  \
    } while (advance(index, &place, shape->kept_rank, shape->kept_shape, shape->kept_strides));                   \
  }

DEFINE_MEAN(tinsmith_mean_s8, int8_t, sum_s8, finish_tflite)
DEFINE_MEAN(tinsmith_mean_s8_nearest, int8_t, sum_s8, finish_nearest)
DEFINE_MEAN(tinsmith_mean_s8_floor, int8_t, sum_s8, finish_floor)
DEFINE_MEAN(tinsmith_mean_s16, int16_t, sum_s16, finish_tflite)
DEFINE_MEAN(tinsmith_mean_s16_nearest, int16_t, sum_s16, finish_nearest)
DEFINE_MEAN(tinsmith_mean_s16_floor, int16_t, sum_s16, finish_floor)

#define DEFINE_MEAN_OF_SUMS(kernel, element, finish)                                                     \
  void kernel(const tinsmith_mean_of_sums_shape *shape, const tinsmith_mean_parameters *parameters,      \
              const int32_t *sums, element *output) {                                                    \
    for (int32_t i = 0; i < shape->elements; ++i) {                                                      \
      output[i] = (element)finish(centred_sum((uint32_t)sums[i], shape->count, parameters), parameters); \
    }                                                                                                    \
  }

DEFINE_MEAN_OF_SUMS(tinsmith_mean_of_sums_s8, int8_t, finish_tflite)
DEFINE_MEAN_OF_SUMS(tinsmith_mean_of_sums_s8_nearest, int8_t, finish_nearest)
DEFINE_MEAN_OF_SUMS(tinsmith_mean_of_sums_s8_floor, int8_t, finish_floor)
DEFINE_MEAN_OF_SUMS(tinsmith_mean_of_sums_s16, int16_t, finish_tflite)
DEFINE_MEAN_OF_SUMS(tinsmith_mean_of_sums_s16_nearest, int16_t, finish_nearest)
DEFINE_MEAN_OF_SUMS(tinsmith_mean_of_sums_s16_floor, int16_t, finish_floor)

void tinsmith_mean_f32(const tinsmith_mean_shape *shape, const float *input, float *output) {
  int32_t index[TINSMITH_MAX_RANK] = {0};
  int32_t place = 0;
  do {
    *output++ = sum_f32(shape, input + place) / (float)shape->count;
  } while (advance(index, &place, shape->kept_rank, shape->kept_shape, shape->kept_strides));
}

#define DEFINE_TOTAL(kernel, element, sum)                                                      \
  void kernel(const tinsmith_mean_shape *shape, const element *input, element *output) {        \
    int32_t index[TINSMITH_MAX_RANK] = {0};                                                     \
    int32_t place = 0;                                                                          \
    do {                                                                                        \
      *output++ = (element)sum(shape, input + place);                                           \
    } while (advance(index, &place, shape->kept_rank, shape->kept_shape, shape->kept_strides)); \
  }

DEFINE_TOTAL(tinsmith_sum_s32, int32_t, sum_s32)
DEFINE_TOTAL(tinsmith_sum_s64, int64_t, sum_s64)
DEFINE_TOTAL(tinsmith_sum_f32, float, sum_f32)
