#include "thresholds.h"

void thresholds_relu_s8(int32_t count, int32_t least, int32_t zero, const int8_t *input, int8_t *output) {
  for (int32_t i = 0; i < count; ++i) {
    output[i] = input[i] >= least ? input[i] : (int8_t)zero;
  }
}

static int32_t largest(const thresholds_pool *pool, const int8_t *image, int32_t row, int32_t column) {
  int32_t found = INT8_MIN;
  for (int32_t y = row; y < row + pool->window[0]; ++y) {
    for (int32_t x = column; x < column + pool->window[1]; ++x) {
      if (y < 0 || y >= pool->input[0] || x < 0 || x >= pool->input[1]) {
        continue;
      }
      const int32_t value = image[(y * pool->input[1] + x) * pool->channels];
      found = value > found ? value : found;
    }
  }
  return found;
}

void thresholds_max_pool_relu_s8(const thresholds_pool *pool, int32_t least, int32_t zero, const int8_t *input,
                                 int8_t *output) {
  for (int32_t image = 0; image < pool->images; ++image) {
    for (int32_t y = 0; y < pool->output[0]; ++y) {
      for (int32_t x = 0; x < pool->output[1]; ++x) {
        for (int32_t c = 0; c < pool->channels; ++c) {
          const int32_t value =
              largest(pool, input + c, y * pool->stride[0] - pool->padding[0], x * pool->stride[1] - pool->padding[1]);
          *output++ = (int8_t)(value >= least ? value : zero);
        }
      }
    }
    input += pool->input[0] * pool->input[1] * pool->channels;
  }
}
