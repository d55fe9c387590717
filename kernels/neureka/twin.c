// A job of N-EUREKA in plain loops over whole images, one output channel after the other: the same bytes, from the
// same registers and packed weights.

#include "twin.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "registers.h"

// A job as its words say it, in sizes instead of tiles. side: of the window. arrays as in tinsmith_neureka_places_t,
// but the input begins with its padding.
typedef struct {
  const uint32_t *words;
  uint32_t mode, side;
  uint32_t input_channels, output_channels, output_height, output_width;
  uint32_t pad_top, pad_left, behind_rows, behind_columns;
  int32_t pad_value;
  uint32_t weight_bits;
  uintptr_t input;
  const uint8_t *weights;
  const uint8_t *scales;
  const uint8_t *biases;
  uint8_t *output;
} layer_t;

static bool has(const layer_t *layer, uint32_t bit) {
  return (layer->words[kConfiguration] >> bit & 1u) != 0u;
}

static uint32_t field(const layer_t *layer, uint32_t bit, uint32_t bits) {
  return layer->words[kConfiguration] >> bit & ((1u << bits) - 1u);
}

static uintptr_t address(const tinsmith_neureka_job_t *job, uint32_t word) {
  uintptr_t address = job->words[word];
#if UINTPTR_MAX > UINT32_MAX
  address |= (uintptr_t)job->upper[word] << 32;
#endif
  return address;
}

static uint32_t upper(uint32_t word) {
  return word >> 16;
}

static uint32_t lower(uint32_t word) {
  return word & 0xffffu;
}

static uint32_t size_of(uint32_t number, uint32_t remainder, uint32_t tile) {
  if (number == 0u || remainder == 0u || remainder > tile) {
    abort();
  }
  return (number - 1u) * tile + remainder;
}

static int32_t signed_byte(uint32_t byte) {
  return (int32_t)(byte ^ 0x80u) - 0x80;
}

// Bytes of the input's type.
static int32_t element(const layer_t *layer, uint32_t byte) {
  return has(layer, kInputIsSigned) ? signed_byte(byte) : (int32_t)byte;
}

// Where padding begins again, in rows or columns counted from the first of the padding before; the remainder of the
// input says the same of the last tile.
static uint32_t behind(uint32_t output_size, uint32_t margin, uint32_t padding, uint32_t remainder,
                       uint32_t output_remainder) {
  if (remainder != output_remainder + margin - padding) {
    abort();
  }
  return output_size + margin - padding;
}

static void set_sizes(layer_t *layer) {
  const uint32_t *const words = layer->words;
  const bool is_1x1 = layer->mode == kTinsmithNeureka1x1;
  const uint32_t output_tile = layer->mode == kTinsmithNeurekaDepthwise3x3 ? kTileChannels3x3 : kTileOutputChannels;
  layer->input_channels = size_of(lower(words[kTilesChannels]), lower(words[kRemainderChannels]),
                                  is_1x1 ? kTileInputChannels1x1 : kTileChannels3x3);
  layer->output_channels = size_of(upper(words[kTilesChannels]), upper(words[kRemainderChannels]), output_tile);
  layer->output_height = size_of(upper(words[kTilesOutput]), upper(words[kRemainderOutput]), kTileSide);
  layer->output_width = size_of(lower(words[kTilesOutput]), lower(words[kRemainderOutput]), kTileSide);
}

static void set_padding(layer_t *layer) {
  const uint32_t *const words = layer->words;
  const uint32_t padding = words[kPadding];
  const uint32_t margin = layer->side - 1u;
  layer->pad_top = padding >> kPadTop & 15u;
  layer->pad_left = padding >> kPadLeft & 15u;
  layer->behind_rows = behind(layer->output_height, margin, padding >> kPadBottom & 15u, upper(words[kRemainderInput]),
                              upper(words[kRemainderOutput]));
  layer->behind_columns = behind(layer->output_width, margin, padding >> kPadRight & 15u, lower(words[kRemainderInput]),
                                 lower(words[kRemainderOutput]));
  layer->pad_value = element(layer, padding & 0xffu);
}

static layer_t decode(const tinsmith_neureka_job_t *job) {
  layer_t layer = {.words = job->words};
  layer.mode = field(&layer, kMode, 2u);
  if (layer.mode > kTinsmithNeureka1x1) {
    abort();
  }
  layer.side = layer.mode == kTinsmithNeureka1x1 ? 1u : 3u;
  layer.weight_bits = field(&layer, kWeightBits, 3u) + 1u;
  set_sizes(&layer);
  set_padding(&layer);
  layer.input = address(job, kInput);
  layer.weights = (const uint8_t *)(address(job, kWeights) +
                                    (has(&layer, kFromWeightMemory) ? TINSMITH_NEUREKA_WEIGHT_MEMORY : 0u));
  layer.scales = (const uint8_t *)address(job, kScales);
  layer.biases = (const uint8_t *)address(job, kBiases);
  layer.output = (uint8_t *)address(job, kOutput);
  return layer;
}

// The word that has bit `bit` of a weight, and the bit's place in it.
typedef struct {
  size_t word;
  uint32_t place;
} weight_place_t;

// Windows of several pixels: a word has one bit of all pixels of 28 channels. Of 1x1: all bits, padded to 8, of 32.
static weight_place_t weight_place(const layer_t *layer, uint32_t pixel, uint32_t channel, uint32_t bit) {
  if (layer->mode == kTinsmithNeureka1x1) {
    const weight_place_t of_1x1 = {channel / kTileInputChannels1x1,
                                   channel % kTileInputChannels1x1 / 4u * 32u + bit * 4u + channel % 4u};
    return of_1x1;
  }
  const weight_place_t of_3x3 = {(size_t)(channel / kTileChannels3x3) * layer->weight_bits + bit,
                                 pixel * kTileChannels3x3 + channel % kTileChannels3x3};
  return of_3x3;
}

static int32_t weight(const layer_t *layer, uint32_t output_channel, uint32_t pixel, uint32_t input_channel) {
  const uint8_t *const words = layer->weights + (size_t)output_channel * layer->words[kWeightChannelBytes];
  uint32_t stored = 0u;
  for (uint32_t bit = 0u; bit < layer->weight_bits; ++bit) {
    const weight_place_t at = weight_place(layer, pixel, input_channel, bit);
    const uint8_t byte = words[at.word * layer->words[kWeightWordBytes] + at.place / 8u];
    stored |= (uint32_t)(byte >> at.place % 8u & 1u) << bit;
  }
  return (int32_t)(stored + layer->words[kWeightOffset]);
}

// The input channels of an output channel: all, or its own.
static uint32_t first_channel(const layer_t *layer, uint32_t output_channel) {
  return layer->mode == kTinsmithNeurekaDepthwise3x3 ? output_channel : 0u;
}

static uint32_t channels_read(const layer_t *layer) {
  return layer->mode == kTinsmithNeurekaDepthwise3x3 ? 1u : layer->input_channels;
}

// Sums wrap at 32 bits. y, x: of a pixel of the input, from its padding on.
static uint32_t products(const layer_t *layer, uint32_t y, uint32_t x, uint32_t channel, const int32_t *weights) {
  const bool is_inside =
      y >= layer->pad_top && y < layer->behind_rows && x >= layer->pad_left && x < layer->behind_columns;
  const uint8_t *const pixel = (const uint8_t *)(layer->input + (uintptr_t)y * layer->words[kInputRowBytes] +
                                                 (uintptr_t)x * layer->words[kInputPixelBytes]);
  uint32_t sum = 0u;
  for (uint32_t i = 0u; i < channels_read(layer); ++i) {
    const int32_t value = is_inside ? element(layer, pixel[channel + i]) : layer->pad_value;
    sum += (uint32_t)value * (uint32_t)weights[i];
  }
  return sum;
}

static uint32_t load_32(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static int32_t clipped(int32_t value, int32_t least, int32_t most) {
  if (value < least) {
    return least;
  }
  return value > most ? most : value;
}

static int32_t normalized(const layer_t *layer, uint32_t sum, uint32_t channel) {
  const bool is_wide = field(layer, kScaleWidth, 2u) == kWidth32;
  const uint32_t scale = is_wide ? load_32(layer->scales + (size_t)channel * 4u) : layer->scales[channel];
  const uint32_t bias = has(layer, kHasBiases) ? load_32(layer->biases + (size_t)channel * 4u) : 0u;
  const int32_t value = (int32_t)(sum * scale + bias);
  const int32_t rectified = !has(layer, kIsIdentity) && value < 0 ? 0 : value;
  return rectified >> field(layer, kShift, 5u);
}

static void store(const layer_t *layer, uint32_t y, uint32_t x, uint32_t channel, uint32_t sum) {
  uint8_t *const pixel =
      layer->output + (size_t)y * layer->words[kOutputRowBytes] + (size_t)x * layer->words[kOutputPixelBytes];
  const int32_t value = has(layer, kNormalizes) ? normalized(layer, sum, channel) : (int32_t)sum;
  if (field(layer, kOutputWidth, 2u) == kWidth32) {
    memcpy(pixel + (size_t)channel * 4u, &value, sizeof value);
    return;
  }
  const int32_t least = has(layer, kIsIdentity) ? -128 : 0;
  pixel[channel] = (uint8_t)clipped(value, least, least + 255);
}

static void compute_channel(const layer_t *layer, uint32_t channel, int32_t *weights) {
  const uint32_t first = first_channel(layer, channel);
  const uint32_t count = channels_read(layer);
  const uint32_t pixels = layer->side * layer->side;
  for (uint32_t i = 0u; i < pixels * count; ++i) {
    weights[i] = weight(layer, channel, i / count, first + i % count);
  }
  for (uint32_t y = 0u; y < layer->output_height; ++y) {
    for (uint32_t x = 0u; x < layer->output_width; ++x) {
      uint32_t sum = 0u;
      for (uint32_t i = 0u; i < pixels; ++i) {
        sum += products(layer, y + i / layer->side, x + i % layer->side, first, weights + (size_t)i * count);
      }
      store(layer, y, x, channel, sum);
    }
  }
}

void tinsmith_neureka_run(const tinsmith_neureka_job_t *job) {
  const layer_t layer = decode(job);
  int32_t *const weights = malloc(sizeof *weights * layer.side * layer.side * channels_read(&layer));
  if (weights == NULL) {
    abort();
  }
  for (uint32_t channel = 0u; channel < layer.output_channels; ++channel) {
    compute_channel(&layer, channel, weights);
  }
  free(weights);
}
