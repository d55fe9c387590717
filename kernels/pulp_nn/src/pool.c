// Pooling: eight channels at a time go through a whole window.
#include <stddef.h>

#include "internal/windows.h"
#include "tinsmith_pulp_nn.h"

#define WIDE_CHANNELS 8u
// Below here the reciprocal of a window's area replaces a division.
#define RECIPROCAL_AREAS 3000u
// More than the smallest mean is below 0.
#define MEAN_OFFSET 128

typedef tinsmith_pulp_pool_t layer_t;

// How sums become output elements. Of averages that divide: sums begin at `start`; what is below `limit` was below 0
// and gets `weight`; reciprocal: ceil(2**32 / divisor), or 0.
typedef struct {
  tinsmith_pulp_pool_kind_t kind;
  uint32_t divisor, reciprocal;
  int32_t start, limit, weight;
  int32_t multiplier, addend, shift;
  int32_t min, max;
} finish_t;

// Four or more channels of a pixel.
typedef void (*channels_t)(const finish_t *finish, const window_t *window, uint32_t channel, uint32_t end,
                           uint8_t *output);

// What a pool is; constants where there is a function for it alone.
typedef struct {
  tinsmith_pulp_pool_kind_t kind;
  bool is_signed;
  bool is_alone;
  channels_t channels;
} form_t;

static int32_t larger(int32_t lhs, int32_t rhs) {
  return lhs > rhs ? lhs : rhs;
}

static int32_t smaller(int32_t lhs, int32_t rhs) {
  return lhs < rhs ? lhs : rhs;
}

static window_t window_of(const layer_t *layer, uint32_t pixel_y, uint32_t pixel_x) {
  const int32_t top = (int32_t)(pixel_y * layer->stride_height) - layer->pad_top;
  const int32_t left = (int32_t)(pixel_x * layer->stride_width) - layer->pad_left;
  const int32_t y = larger(top, 0);
  const int32_t x = larger(left, 0);
  const uint32_t taps = (uint32_t)(smaller(left + layer->kernel_width, layer->input_width) - x);
  return (window_t){
      .first = (const uint8_t *)layer->input + (uint32_t)(y * layer->input_width + x) * layer->channels,
      .lines = (uint32_t)(smaller(top + layer->kernel_height, layer->input_height) - y),
      .taps = taps,
      .tap_step = layer->channels,
      .line_step = (layer->input_width - taps) * layer->channels,
  };
}

// Where results are cut off.
typedef struct {
  int32_t min, max;
  bool is_clamped;
} range_t;

// Four or eight channels from `channel` on.
ALWAYS_INLINE void max_block(const range_t *range, const window_t *window, uint32_t channel, uint32_t words,
                             bool is_signed, uint8_t *output) {
  const uint8_t *from = window->first + channel;
  uint32_t max[2] = {load_word(from), words == 2u ? load_word(from + 4) : 0u};
  window_max(window, from, words, is_signed, max);
  UNROLLED for (uint32_t i = 0u; i < words; ++i) {
    store_word(output + channel + 4u * i,
               range->is_clamped ? corev_clamp_bytes(max[i], range->min, range->max, is_signed) : max[i]);
  }
}

// sum + factor * weight in one instruction where the compiler would take four.
ALWAYS_INLINE int32_t multiply_add(int32_t sum, int32_t factor, int32_t weight) {
#if TINSMITH_COREV
  __asm__("cv.mac %0, %1, %2" : "+r"(sum) : "r"(factor), "r"(weight));
  return sum;
#else
  return sum + factor * weight;
#endif
}

// A mean plus MEAN_OFFSET, rounded down: what rounds it otherwise is in the sum already or in the weight. The product
// with the reciprocal is too large by less than sum * divisor / 2**32 / divisor, which cannot reach the next quotient:
// a sum is below 384 times the divisor.
ALWAYS_INLINE int32_t mean_of(const finish_t *finish, int32_t sum) {
  const int32_t rounded = multiply_add(sum, sum < finish->limit ? 1 : 0, finish->weight);
  return high_product(rounded, finish->reciprocal) - MEAN_OFFSET;
}

// The others: huge windows, windows of one pixel, and PULP-NN's division of a product.
static __attribute__((noinline)) int32_t divided(const finish_t *finish, int32_t sum) {
  if (finish->kind == TINSMITH_PULP_POOL_AVERAGE_DIVIDED) {
    const uint32_t mean = (uint32_t)sum * (uint32_t)finish->multiplier / finish->divisor;
    return (int32_t)(mean + (uint32_t)finish->addend) >> finish->shift;
  }
  const int32_t rounded = sum + (sum < finish->limit ? finish->weight : 0);
  return (int32_t)((uint32_t)rounded / finish->divisor) - MEAN_OFFSET;
}

ALWAYS_INLINE void store_mean(const finish_t *finish, int32_t mean, uint8_t *output) {
  *output = (uint8_t)smaller(larger(mean, finish->min), finish->max);
}

// shared: the same in memory, of which no copy can be a register's. is_tflite: of TFLite's means only.
ALWAYS_INLINE void finish_block(const finish_t *finish, const finish_t *shared, bool is_tflite, const int32_t *sums,
                                uint32_t count, uint8_t *output) {
  if (finish->reciprocal != 0u) {
    UNROLLED for (uint32_t i = 0u; i < count; ++i) {
      store_mean(finish, mean_of(finish, sums[i]), output + i);
    }
  } else if (!is_tflite && finish->kind == TINSMITH_PULP_POOL_AVERAGE_SCALED) {
    UNROLLED for (uint32_t i = 0u; i < count; ++i) {
      store_mean(finish, scale_truncating(sums[i], finish->multiplier, finish->addend, finish->shift), output + i);
    }
  } else {
    UNROLLED for (uint32_t i = 0u; i < count; ++i) {
      store_mean(finish, divided(shared, sums[i]), output + i);
    }
  }
}

ALWAYS_INLINE void average_block(const finish_t *finish, const finish_t *shared, bool is_tflite, const window_t *window,
                                 uint32_t channel, uint32_t words, bool is_signed, uint8_t *output) {
  int32_t sums[WIDE_CHANNELS];
  UNROLLED for (uint32_t i = 0u; i < BLOCK_CHANNELS * words; ++i) {
    sums[i] = finish->start;
  }
  window_sums(window, window->first + channel, words, is_signed, sums);
  finish_block(finish, shared, is_tflite, sums, BLOCK_CHANNELS * words, output + channel);
}

// One channel.
ALWAYS_INLINE void single(form_t form, const finish_t *finish, const window_t *window, uint32_t channel,
                          uint8_t *output) {
  const uint8_t *from = window->first + channel;
  int32_t max = INT32_MIN;
  int32_t sum = finish->start;
  for (uint32_t line = 0u; line < window->lines; ++line) {
    for (uint32_t tap = 0u; tap < window->taps; ++tap) {
      const int32_t value = form.is_signed ? (int8_t)*from : *from;
      max = larger(max, value);
      sum += value;
      from += window->tap_step;
    }
    from += window->line_step;
  }
  if (form.kind == TINSMITH_PULP_POOL_MAX) {
    store_mean(finish, max, output + channel);
  } else {
    finish_block(finish, finish, form.kind == TINSMITH_PULP_POOL_AVERAGE_TFLITE, &sum, 1u, output + channel);
  }
}

// Channels from `channel` to end - 1 of an output pixel, four or more: eight at a time, four, and then the last four
// again where one to three are left over.
#define FOR_CHANNELS(BLOCK, ...)                                              \
  for (; channel + WIDE_CHANNELS <= end; channel += WIDE_CHANNELS) {          \
    BLOCK(__VA_ARGS__, &window, channel, 2u, is_signed, output);              \
  }                                                                           \
  if (channel + BLOCK_CHANNELS <= end) {                                      \
    BLOCK(__VA_ARGS__, &window, channel, 1u, is_signed, output);              \
  }                                                                           \
  if ((end & 3u) != 0u) {                                                     \
    BLOCK(__VA_ARGS__, &window, end - BLOCK_CHANNELS, 1u, is_signed, output); \
  }

// Structs become locals, which the output cannot alias.
ALWAYS_INLINE void max_channels(const finish_t *finish, const window_t *shared, uint32_t channel, uint32_t end,
                                bool is_signed, uint8_t *output) {
  const window_t window = *shared;
  const range_t range = {finish->min, finish->max, finish->max - finish->min != UINT8_MAX};
  FOR_CHANNELS(max_block, &range)
}

ALWAYS_INLINE void average_channels(const finish_t *shared_finish, const window_t *shared, uint32_t channel,
                                    uint32_t end, bool is_signed, bool is_tflite, uint8_t *output) {
  const window_t window = *shared;
  const finish_t finish = *shared_finish;
  FOR_CHANNELS(average_block, &finish, shared_finish, is_tflite)
}

#define PIXEL(NAME, CHANNELS, ...)                                                                             \
  static __attribute__((noinline)) void NAME(const finish_t *finish, const window_t *window, uint32_t channel, \
                                             uint32_t end, uint8_t *output) {                                  \
    CHANNELS(finish, window, channel, end, __VA_ARGS__, output);                                               \
  }

PIXEL(max_u8, max_channels, false)
PIXEL(max_s8, max_channels, true)
PIXEL(average_u8, average_channels, false, false)
PIXEL(average_s8, average_channels, true, false)
PIXEL(average_tflite_s8, average_channels, true, true)

ALWAYS_INLINE finish_t finish_of(const layer_t *layer, tinsmith_pulp_pool_kind_t kind) {
  const bool has_range = kind == TINSMITH_PULP_POOL_MAX || kind == TINSMITH_PULP_POOL_AVERAGE_TFLITE;
  return (finish_t){
      .kind = kind,
      .multiplier = layer->multiplier,
      .addend = layer->addend,
      .shift = layer->shift,
      .min = has_range                 ? layer->min
             : layer->output_is_signed ? INT8_MIN
                                       : 0,
      .max = has_range                 ? layer->max
             : layer->output_is_signed ? INT8_MAX
                                       : UINT8_MAX,
  };
}

// What depends on the number of pixels in a window; a division, so only when it changes. TFLite adds half of the
// divisor to the sum's amount, which below 0 is one less of its complement where the divisor is even; PULP-NN truncates
// towards 0, so that a sum below 0 is rounded up.
ALWAYS_INLINE void set_divisor(const layer_t *layer, tinsmith_pulp_pool_kind_t kind, finish_t *finish,
                               const window_t *window) {
  const bool is_tflite = kind == TINSMITH_PULP_POOL_AVERAGE_TFLITE;
  const uint32_t area = is_tflite ? window->lines * window->taps : (uint32_t)layer->kernel_height * layer->kernel_width;
  if (area == finish->divisor) {
    return;
  }
  finish->divisor = area;
  if (is_tflite || kind == TINSMITH_PULP_POOL_AVERAGE_PLAIN) {
    finish->reciprocal = area > 1u && area < RECIPROCAL_AREAS ? UINT32_MAX / area + 1u : 0u;
    finish->start = (int32_t)(MEAN_OFFSET * area + (is_tflite ? area / 2u : 0u));
    finish->limit = finish->start;
    finish->weight = is_tflite ? (int32_t)(area & 1u) - 1 : (int32_t)area - 1;
  }
}

// Fewer than four channels.
ALWAYS_INLINE void singles(form_t form, const finish_t *finish, const window_t *window, uint32_t channel, uint32_t end,
                           uint8_t *output) {
  for (; channel < end; ++channel) {
    single(form, finish, window, channel, output);
  }
}

// Those of any pool, out of the way of the others.
static __attribute__((noinline)) void singles_of_any(const layer_t *layer, const finish_t *finish,
                                                     const window_t *window, uint32_t channel, uint32_t end,
                                                     uint8_t *output) {
  singles((form_t){layer->kind, layer->input_is_signed, false, NULL}, finish, window, channel, end, output);
}

// A core's share of a row of all pixels' blocks of four channels: part of a pixel, whole ones, part of a pixel.
ALWAYS_INLINE void pool(const layer_t *layer, tinsmith_pulp_core_t core, form_t form) {
  const uint32_t blocks = (layer->channels + BLOCK_CHANNELS - 1u) / BLOCK_CHANNELS;
  const uint32_t units = (uint32_t)layer->output_height * layer->output_width * blocks;
  const uint32_t first = quotient(units * core.core, core.cores);
  uint32_t left = quotient(units * (core.core + 1u), core.cores) - first;
  const uint32_t first_pixel = quotient(first, blocks);
  uint32_t block = first - first_pixel * blocks;
  uint32_t y = quotient(first_pixel, layer->output_width);
  uint32_t x = first_pixel - y * layer->output_width;
  uint8_t *output = (uint8_t *)layer->output + first_pixel * layer->channels;
  finish_t finish = finish_of(layer, form.kind);
  while (left != 0u) {
    const uint32_t count = blocks - block < left ? blocks - block : left;
    const uint32_t channel = BLOCK_CHANNELS * block;
    const uint32_t end = (uint32_t)smaller((int32_t)(channel + BLOCK_CHANNELS * count), layer->channels);
    const window_t window = window_of(layer, y, x);
    if (form.kind != TINSMITH_PULP_POOL_MAX) {
      set_divisor(layer, form.kind, &finish, &window);
    }
    if (end - channel < BLOCK_CHANNELS) {
      if (form.is_alone) {
        singles(form, &finish, &window, channel, end, output);
      } else {
        singles_of_any(layer, &finish, &window, channel, end, output);
      }
    } else {
      form.channels(&finish, &window, channel, end, output);
    }
    left -= count;
    block = 0u;
    output += layer->channels;
    if (++x == layer->output_width) {
      x = 0u;
      ++y;
    }
  }
}

void tinsmith_pulp_pool(const layer_t *layer, tinsmith_pulp_core_t core) {
  const bool is_signed = layer->input_is_signed;
  if (layer->kind == TINSMITH_PULP_POOL_MAX) {
    pool(layer, core, (form_t){TINSMITH_PULP_POOL_MAX, is_signed, false, is_signed ? max_s8 : max_u8});
  } else {
    pool(layer, core, (form_t){layer->kind, is_signed, false, is_signed ? average_s8 : average_u8});
  }
}

void tinsmith_pulp_max_pool_s8(const layer_t *layer, tinsmith_pulp_core_t core) {
  pool(layer, core, (form_t){TINSMITH_PULP_POOL_MAX, true, true, max_s8});
}

void tinsmith_pulp_average_pool_tflite_s8(const layer_t *layer, tinsmith_pulp_core_t core) {
  pool(layer, core, (form_t){TINSMITH_PULP_POOL_AVERAGE_TFLITE, true, true, average_tflite_s8});
}
