// Average and maximum under windows, one output element after the other.
#include "tinsmith/pooling.h"

#include "arithmetic.h"
#include "averages.h"
#include "float_rules.h"

// The part of a window that lies inside the input: [y0, y1) x [x0, x1).
typedef struct {
  int32_t y0;
  int32_t y1;
  int32_t x0;
  int32_t x1;
} inside;

static inside clip_window(const tinsmith_pool_shape *shape, int32_t oy, int32_t ox) {
  const int32_t top = oy * shape->stride_height - shape->padding_top;
  const int32_t left = ox * shape->stride_width - shape->padding_left;
  const inside window = {
      .y0 = top < 0 ? 0 : top,
      .y1 = top + shape->window_height > shape->input_height ? shape->input_height : top + shape->window_height,
      .x0 = left < 0 ? 0 : left,
      .x1 = left + shape->window_width > shape->input_width ? shape->input_width : left + shape->window_width,
  };
  return window;
}

static int32_t mean_integer(int32_t sum, int32_t count, const tinsmith_clamp *clamp) {
  return clamp_s32(rounded_quotient(sum, count), clamp->min, clamp->max);
}

static int32_t mean_integer_up(int32_t sum, int32_t count, const tinsmith_clamp *clamp) {
  return clamp_s32(quotient_up(sum, count), clamp->min, clamp->max);
}

static int32_t mean_integer_even(int32_t sum, int32_t count, const tinsmith_average_clamp *range) {
  return clamp_s32(quotient_to_even(sum, count, range->zero_point), range->min, range->max);
}

static float mean_float(float sum, int32_t count, const tinsmith_clamp_f32 *clamp) {
  return clamp_f32(sum / (float)count, clamp->min, clamp->max);
}

#define DEFINE_AVERAGE_POOL(kernel, element, sum_type, clamp_type, mean)                                          \
  void kernel(const tinsmith_pool_shape *shape, const clamp_type *clamp, const element *input, element *output) { \
    for (int32_t n = 0; n < shape->batches; ++n) {                                                                \
      for (int32_t oy = 0; oy < shape->output_height; ++oy) {                                                     \
        for (int32_t ox = 0; ox < shape->output_width; ++ox) {                                                    \
          const inside window = clip_window(shape, oy, ox);                                                       \
          const int32_t count = (window.y1 - window.y0) * (window.x1 - window.x0);                                \
          for (int32_t c = 0; c < shape->channels; ++c) {                                                         \
            sum_type sum = 0;                                                                                     \
            for (int32_t y = window.y0; y < window.y1; ++y) {                                                     \
              for (int32_t x = window.x0; x < window.x1; ++x) {                                                   \
                sum += input[(y * shape->input_width + x) * shape->channels + c];                                 \
              }                                                                                                   \
            }                                                                                                     \
            *output++ = (element)mean(sum, count, clamp);                                                         \
          }                                                                                                       \
        }                                                                                                         \
      }                                                                                                           \
      input += shape->input_height * shape->input_width * shape->channels;                                        \
    }                                                                                                             \
  }

#define DEFINE_MAX_POOL(kernel, element, clamp_type, clamp_function)                                              \
  void kernel(const tinsmith_pool_shape *shape, const clamp_type *clamp, const element *input, element *output) { \
    for (int32_t n = 0; n < shape->batches; ++n) {                                                                \
      for (int32_t oy = 0; oy < shape->output_height; ++oy) {                                                     \
        for (int32_t ox = 0; ox < shape->output_width; ++ox) {                                                    \
          const inside window = clip_window(shape, oy, ox);                                                       \
          for (int32_t c = 0; c < shape->channels; ++c) {                                                         \
            element largest = input[(window.y0 * shape->input_width + window.x0) * shape->channels + c];          \
            for (int32_t y = window.y0; y < window.y1; ++y) {                                                     \
              for (int32_t x = window.x0; x < window.x1; ++x) {                                                   \
                const element value = input[(y * shape->input_width + x) * shape->channels + c];                  \
                largest = value > largest ? value : largest;                                                      \
              }                                                                                                   \
            }                                                                                                     \
            *output++ = (element)clamp_function(largest, clamp->min, clamp->max);                                 \
          }                                                                                                       \
        }                                                                                                         \
      }                                                                                                           \
      input += shape->input_height * shape->input_width * shape->channels;                                        \
    }                                                                                                             \
  }

DEFINE_AVERAGE_POOL(tinsmith_average_pool2d_s8, int8_t, int32_t, tinsmith_clamp, mean_integer)
DEFINE_AVERAGE_POOL(tinsmith_average_pool2d_s8_up, int8_t, int32_t, tinsmith_clamp, mean_integer_up)
DEFINE_AVERAGE_POOL(tinsmith_average_pool2d_s8_even, int8_t, int32_t, tinsmith_average_clamp, mean_integer_even)
DEFINE_AVERAGE_POOL(tinsmith_average_pool2d_s16_even, int16_t, int32_t, tinsmith_average_clamp, mean_integer_even)
DEFINE_AVERAGE_POOL(tinsmith_average_pool2d_s16, int16_t, int32_t, tinsmith_clamp, mean_integer)
DEFINE_AVERAGE_POOL(tinsmith_average_pool2d_f32, float, float, tinsmith_clamp_f32, mean_float)
DEFINE_MAX_POOL(tinsmith_max_pool2d_s8, int8_t, tinsmith_clamp, clamp_s32)
DEFINE_MAX_POOL(tinsmith_max_pool2d_s16, int16_t, tinsmith_clamp, clamp_s32)
DEFINE_MAX_POOL(tinsmith_max_pool2d_f32, float, tinsmith_clamp_f32, clamp_f32)
