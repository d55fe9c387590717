// The convolution, one output element after the other, each chunk of channels by itself.
#include "tinsmith_analog.h"

#define CONVERTED_MIN (-32)
#define CONVERTED_MAX 31

typedef struct {
  const tinsmith_analog_conv2d_parameters *parameters;
  const int8_t *image;
  const uint8_t *weights;
} layer_t;

static int32_t clamped(int32_t value, int32_t least, int32_t most) {
  if (value < least) {
    return least;
  }
  return value > most ? most : value;
}

// Weight number `index`, in [-2, 1]; the compiler has none of -2.
static int32_t weight(const uint8_t *weights, int32_t index) {
  return (int32_t)(((uint32_t)weights[index >> 2] >> (index % 4 * 2) & 3u) ^ 2u) - 2;
}

// floor(value / gain); C rounds towards zero.
static int32_t divided(int32_t value, int32_t gain) {
  return value / gain - (value % gain < 0 ? 1 : 0);
}

// Sum of products over `count` channels from `channel` on; (top, left) is the input place of the first tap.
static int32_t chunk_sum(const layer_t *layer, int32_t top, int32_t left, int32_t output, int32_t channel,
                         int32_t count) {
  const tinsmith_analog_conv2d_parameters *const p = layer->parameters;
  int32_t sum = 0;
  for (int32_t ky = 0; ky < p->kernel_height; ++ky) {
    const int32_t y = top + ky;
    if (y < 0 || y >= p->input_height) {
      continue;
    }
    for (int32_t kx = 0; kx < p->kernel_width; ++kx) {
      const int32_t x = left + kx;
      if (x < 0 || x >= p->input_width) {
        continue;
      }
      const int8_t *const pixel = layer->image + (y * p->input_width + x) * p->input_channels + channel;
      const int32_t tap = (output * p->kernel_height + ky) * p->kernel_width + kx;
      const int32_t first = tap * p->input_channels + channel;
      for (int32_t c = 0; c < count; ++c) {
        sum += pixel[c] * weight(layer->weights, first + c);
      }
    }
  }
  return sum;
}

static int32_t converted(const layer_t *layer, int32_t top, int32_t left, int32_t output) {
  const tinsmith_analog_conv2d_parameters *const p = layer->parameters;
  int32_t total = 0;
  for (int32_t channel = 0; channel < p->input_channels; channel += p->chunk_channels) {
    const int32_t rest = p->input_channels - channel;
    const int32_t count = rest < p->chunk_channels ? rest : p->chunk_channels;
    const int32_t sum = chunk_sum(layer, top, left, output, channel, count);
    total += clamped(divided(sum, p->gain), CONVERTED_MIN, CONVERTED_MAX);
  }
  return total;
}

void tinsmith_analog_conv2d_s8(const tinsmith_analog_conv2d_parameters *parameters, const int8_t *input,
                               const uint8_t *weights, const int8_t *multipliers, const int8_t *addends,
                               int8_t *output) {
  const tinsmith_analog_conv2d_parameters *const p = parameters;
  for (int32_t n = 0; n < p->batches; ++n) {
    const layer_t layer = {p, input + n * p->input_height * p->input_width * p->input_channels, weights};
    for (int32_t oy = 0; oy < p->output_height; ++oy) {
      const int32_t top = oy * p->stride_height - p->padding_top;
      for (int32_t ox = 0; ox < p->output_width; ++ox) {
        const int32_t left = ox * p->stride_width - p->padding_left;
        for (int32_t o = 0; o < p->output_channels; ++o) {
          const int32_t addend = addends[o] * (1 << p->addend_shift);
          const int32_t scaled = converted(&layer, top, left, o) * multipliers[o] + addend;
          *output++ = (int8_t)clamped(scaled >> p->shift, p->clamp_min, p->clamp_max);
        }
      }
    }
  }
}
