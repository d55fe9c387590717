// Bilinear interpolation of images. Places are computed in the order of operations of TFLite's reference kernel.
#include "tinsmith/resize.h"

#include "float_rules.h"

enum { kFractionBits = 10, kOne = 1 << kFractionBits };

// Two neighbours along an axis, and how far behind `low` the place between them is.
typedef struct {
  int32_t low;
  int32_t high;
  int32_t above;
} place_integer;

typedef struct {
  int32_t low;
  int32_t high;
  float above;
} place_f32;

static int32_t within(int32_t index, int32_t size) {
  return index < 0 ? 0 : index >= size ? size - 1 : index;
}

static place_integer find_integer(int32_t index, int32_t step, int32_t size, int32_t is_half) {
  // Up to 2**20 steps of up to 2**30: beyond 32 bits only by way of the product.
  const int64_t scaled = (int64_t)index * step + (is_half ? step / 2 - kOne / 2 : 0);
  // Dividing cuts towards 0; what lies below 0 is 0 anyway.
  place_integer found = {within((int32_t)(scaled / kOne), size), within((int32_t)((scaled + kOne - 1) / kOne), size),
                         0};
  found.above = (int32_t)(scaled - (int64_t)found.low * kOne);
  return found;
}

static place_f32 find_f32(int32_t index, float step, int32_t size, int32_t is_half) {
  const float scaled = is_half ? ((float)index + 0.5f) * step - 0.5f : (float)index * step;
  const int32_t cut = (int32_t)scaled;
  const int32_t floor = (float)cut > scaled ? cut - 1 : cut;
  const int32_t ceiling = (float)cut < scaled ? cut + 1 : cut;
  place_f32 found = {within(floor, size), within(ceiling, size), 0.0f};
  found.above = scaled - (float)found.low;
  return found;
}

// Ties away from zero.
static int32_t rounded(int64_t sum) {
  const int64_t half = (int64_t)1 << (2 * kFractionBits - 1);
  return (int32_t)((sum + (sum > 0 ? half : -half)) / ((int64_t)1 << (2 * kFractionBits)));
}

static float unrounded(float sum) {
  return sum;
}

// int8 as the uint8 that it stands for, and back.
static float from_s8(int8_t value) {
  return (float)(value + 128);
}

static int32_t to_s8(float sum) {
  return (int32_t)(sum + 0.5f) - 128;
}

// `number` holds products, `weight` how far a place is from an element. `load` makes a number of an element.
#define DEFINE_RESIZE(kernel, element, number, load, weight, place, find, vertical, horizontal, one, finish) \
  void kernel(const tinsmith_resize_shape *shape, const element *input, element *output) {                   \
    const int32_t row = shape->input_width * shape->channels;                                                \
    for (int32_t batch = 0; batch < shape->batches; ++batch) {                                               \
      for (int32_t y = 0; y < shape->output_height; ++y) {                                                   \
        const place down = find(y, shape->vertical, shape->input_height, shape->half_pixel_centers);         \
        for (int32_t x = 0; x < shape->output_width; ++x) {                                                  \
          const place right = find(x, shape->horizontal, shape->input_width, shape->half_pixel_centers);     \
          const element *left_column = input + right.low * shape->channels;                                  \
          const element *right_column = input + right.high * shape->channels;                                \
          const weight up_weight = one - down.above;                                                         \
          const weight left_weight = one - right.above;                                                      \
          for (int32_t c = 0; c < shape->channels; ++c) {                                                    \
            number sum = 0;                                                                                  \
            sum += load(left_column[down.low * row + c]) * up_weight * left_weight;                          \
            sum += load(left_column[down.high * row + c]) * down.above * left_weight;                        \
            sum += load(right_column[down.low * row + c]) * up_weight * right.above;                         \
            sum += load(right_column[down.high * row + c]) * down.above * right.above;                       \
            *output++ = (element)finish(sum);                                                                \
          }                                                                                                  \
        }                                                                                                    \
      }                                                                                                      \
      input += shape->input_height * row;                                                                    \
    }                                                                                                        \
  }

DEFINE_RESIZE(tinsmith_resize_bilinear_s8, int8_t, int64_t, (int64_t), int32_t, place_integer, find_integer,
              vertical_step, horizontal_step, kOne, rounded)
DEFINE_RESIZE(tinsmith_resize_bilinear_s16, int16_t, int64_t, (int64_t), int32_t, place_integer, find_integer,
              vertical_step, horizontal_step, kOne, rounded)
DEFINE_RESIZE(tinsmith_resize_bilinear_f32, float, float, (float), float, place_f32, find_f32, vertical_step_f32,
              horizontal_step_f32, 1.0f, unrounded)
DEFINE_RESIZE(tinsmith_resize_bilinear_s8_in_f32, int8_t, float, from_s8, float, place_f32, find_f32, vertical_step_f32,
              horizontal_step_f32, 1.0f, to_s8)
