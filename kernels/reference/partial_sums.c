// Sums of channels, and means of them.
#include "tinsmith/partial_sums.h"

#include <stddef.h>

#include "arithmetic.h"
#include "averages.h"

// Added as unsigned numbers, which wrap.
#define DEFINE_CHANNEL_SUMS(kernel, element)                                                                          \
  void kernel(const tinsmith_channel_sums_shape *shape, const element *input, const int32_t *sums, int32_t *output) { \
    const int32_t channels = shape->channels;                                                                         \
    for (int32_t n = 0; n < shape->batches; ++n) {                                                                    \
      for (int32_t c = 0; c < channels; ++c) {                                                                        \
        uint32_t sum = sums == NULL ? 0 : (uint32_t)sums[n * channels + c];                                           \
        const element *next = input + c;                                                                              \
        for (int32_t left = shape->pixels; left > 0; --left) {                                                        \
          sum += (uint32_t)(int32_t)*next;                                                                            \
          next += channels;                                                                                           \
        }                                                                                                             \
        output[n * channels + c] = (int32_t)sum;                                                                      \
      }                                                                                                               \
      input += shape->pixels * channels;                                                                              \
    }                                                                                                                 \
  }

DEFINE_CHANNEL_SUMS(tinsmith_channel_sums_s8, int8_t)
DEFINE_CHANNEL_SUMS(tinsmith_channel_sums_s16, int16_t)

static int32_t average(const tinsmith_average_of_sums_parameters *p, int32_t sum) {
  const int32_t mean = p->halves == kTinsmithHalvesAway ? rounded_quotient(sum, p->count)
                       : p->halves == kTinsmithHalvesUp ? quotient_up(sum, p->count)
                                                        : quotient_to_even(sum, p->count, p->zero_point);
  return clamp_s32(mean, p->clamp_min, p->clamp_max);
}

void tinsmith_average_of_sums_s8(const tinsmith_average_of_sums_parameters *parameters, const int32_t *sums,
                                 int8_t *output) {
  for (int32_t i = 0; i < parameters->elements; ++i) {
    output[i] = (int8_t)average(parameters, sums[i]);
  }
}

void tinsmith_average_of_sums_s16(const tinsmith_average_of_sums_parameters *parameters, const int32_t *sums,
                                  int16_t *output) {
  for (int32_t i = 0; i < parameters->elements; ++i) {
    output[i] = (int16_t)average(parameters, sums[i]);
  }
}
