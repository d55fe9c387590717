// Pooling: largest values four channels an instruction, means channel by channel.
#include "include/tinsmith_pulp_nn.h"
#include "src/internal/stage.h"

typedef tinsmith_pulp_pool_t layer_t;

// The part of a window that lies inside the input: rows y to y_end - 1, columns likewise.
typedef struct {
  int32_t y, y_end, x, x_end;
} window_t;

static int32_t larger(int32_t lhs, int32_t rhs) {
  return lhs > rhs ? lhs : rhs;
}

static int32_t smaller(int32_t lhs, int32_t rhs) {
  return lhs < rhs ? lhs : rhs;
}

static window_t window_of(const layer_t *layer, uint32_t pixel) {
  const int32_t top = (int32_t)(pixel / layer->output_width * layer->stride_height) - layer->pad_top;
  const int32_t left = (int32_t)(pixel % layer->output_width * layer->stride_width) - layer->pad_left;
  return (window_t){larger(top, 0), smaller(top + layer->kernel_height, layer->input_height), larger(left, 0),
                    smaller(left + layer->kernel_width, layer->input_width)};
}

static const uint8_t *pixel_at(const layer_t *layer, int32_t y, int32_t x) {
  return (const uint8_t *)layer->input + (uint32_t)(y * layer->input_width + x) * layer->channels;
}

static uint32_t max_word(const layer_t *layer, const window_t *window, uint32_t channel) {
  uint32_t word = load_word(pixel_at(layer, window->y, window->x) + channel);
  for (int32_t y = window->y; y < window->y_end; ++y) {
    const uint8_t *from = pixel_at(layer, y, window->x) + channel;
    for (int32_t x = window->x; x < window->x_end; ++x) {
      word = max_bytes(word, load_word(from), layer->input_is_signed);
      from += layer->channels;
    }
  }
  return word;
}

static int32_t max_single(const layer_t *layer, const window_t *window, uint32_t channel) {
  int32_t value = INT32_MIN;
  for (int32_t y = window->y; y < window->y_end; ++y) {
    for (int32_t x = window->x; x < window->x_end; ++x) {
      const uint8_t *from = pixel_at(layer, y, x) + channel;
      value = larger(value, layer->input_is_signed ? (int8_t)*from : *from);
    }
  }
  return value;
}

// Channels first to end - 1 of an output pixel.
static void max_pixel(const layer_t *layer, const window_t *window, uint32_t channel, uint32_t end, uint8_t *output) {
  for (; channel + 4u <= end; channel += 4u) {
    store_word(output + channel, max_word(layer, window, channel));
  }
  for (; channel < end; ++channel) {
    output[channel] = (uint8_t)max_single(layer, window, channel);
  }
}

// Four sums: a dot product with a word that holds a single 1 picks a byte.
static void sum_four(const layer_t *layer, const window_t *window, uint32_t channel, int32_t *sums) {
  const bool is_signed = layer->input_is_signed;
  int32_t a = 0;
  int32_t b = 0;
  int32_t c = 0;
  int32_t d = 0;
  for (int32_t y = window->y; y < window->y_end; ++y) {
    const uint8_t *from = pixel_at(layer, y, window->x) + channel;
    for (int32_t x = window->x; x < window->x_end; ++x) {
      const uint32_t word = load_word(from);
      a = dot4(word, 0x00000001u, a, is_signed);
      b = dot4(word, 0x00000100u, b, is_signed);
      c = dot4(word, 0x00010000u, c, is_signed);
      d = dot4(word, 0x01000000u, d, is_signed);
      from += layer->channels;
    }
  }
  sums[0] = a;
  sums[1] = b;
  sums[2] = c;
  sums[3] = d;
}

static int32_t sum_single(const layer_t *layer, const window_t *window, uint32_t channel) {
  int32_t sum = 0;
  for (int32_t y = window->y; y < window->y_end; ++y) {
    for (int32_t x = window->x; x < window->x_end; ++x) {
      const uint8_t *from = pixel_at(layer, y, x) + channel;
      sum += layer->input_is_signed ? (int8_t)*from : *from;
    }
  }
  return sum;
}

static uint8_t finish(const layer_t *layer, int32_t sum, int32_t count) {
  if (layer->kind != TINSMITH_PULP_POOL_AVERAGE_TFLITE) {
    const int32_t scaled = layer->kind == TINSMITH_PULP_POOL_AVERAGE_PLAIN
                               ? sum / (layer->kernel_height * layer->kernel_width)
                               : scale_truncating(sum, layer->multiplier, layer->addend, layer->shift);
    return (uint8_t)(layer->output_is_signed ? clip_s8(scaled) : clip_u8(scaled));
  }
  const int32_t mean = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
  return (uint8_t)smaller(larger(mean, layer->min), layer->max);
}

static void average_pixel(const layer_t *layer, const window_t *window, uint32_t channel, uint32_t end,
                          uint8_t *output) {
  const int32_t count = (window->y_end - window->y) * (window->x_end - window->x);
  for (; channel + 4u <= end; channel += 4u) {
    int32_t sums[4];
    sum_four(layer, window, channel, sums);
    for (uint32_t i = 0u; i < 4u; ++i) {
      output[channel + i] = finish(layer, sums[i], count);
    }
  }
  for (; channel < end; ++channel) {
    output[channel] = finish(layer, sum_single(layer, window, channel), count);
  }
}

// A core's share of a row of all pixels' blocks of four channels: part of a pixel, whole ones, part of a pixel.
void tinsmith_pulp_pool(const layer_t *layer, tinsmith_pulp_core_t core) {
  const uint32_t blocks = (layer->channels + 3u) / 4u;
  const uint32_t units = (uint32_t)layer->output_height * layer->output_width * blocks;
  uint32_t first = (uint32_t)((uint64_t)units * core.core / core.cores);
  const uint32_t last = (uint32_t)((uint64_t)units * (core.core + 1u) / core.cores);
  while (first < last) {
    const uint32_t pixel = first / blocks;
    const uint32_t end_unit = (pixel + 1u) * blocks < last ? (pixel + 1u) * blocks : last;
    const uint32_t channel = 4u * (first - pixel * blocks);
    const uint32_t end_block = 4u * (end_unit - pixel * blocks);
    const uint32_t end = end_block < layer->channels ? end_block : layer->channels;
    const window_t window = window_of(layer, pixel);
    uint8_t *output = (uint8_t *)layer->output + pixel * layer->channels;
    if (layer->kind == TINSMITH_PULP_POOL_MAX) {
      max_pixel(layer, &window, channel, end, output);
    } else {
      average_pixel(layer, &window, channel, end, output);
    }
    first = end_unit;
  }
}
