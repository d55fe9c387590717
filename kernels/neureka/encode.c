// From a layer to the registers of a job. What each word means is public in pulp-nnx's hardware abstraction for
// N-EUREKA; nothing here touches the accelerator.

#include <stddef.h>

#include "registers.h"
#include "tinsmith/neureka.h"

#define MOST 0xffffu
#define MOST_PADDING 2u

// A size as tiles: how many, and what the last one has, which is never 0.
typedef struct {
  uint32_t number;
  uint32_t remainder;
} tiles_t;

static tiles_t tiles_of(uint32_t size, uint32_t tile) {
  const uint32_t number = (size - 1u) / tile + 1u;
  const tiles_t tiles = {number, size - (number - 1u) * tile};
  return tiles;
}

static uint32_t halves(uint32_t upper, uint32_t lower) {
  return upper << 16 | lower;
}

// What a window of several pixels takes of the input beyond an output's own pixel.
static uint32_t window_margin(const tinsmith_neureka_layer_t *layer) {
  return layer->mode == kTinsmithNeureka1x1 ? 0u : 2u;
}

static bool is_size(uint32_t size) {
  return size - 1u < MOST;
}

static bool is_shape(const tinsmith_neureka_layer_t *layer) {
  const bool are_sizes = is_size(layer->input_height) && is_size(layer->input_width) &&
                         is_size(layer->input_channels) && is_size(layer->output_height) &&
                         is_size(layer->output_width) && is_size(layer->output_channels);
  const uint32_t margin = window_margin(layer);
  return are_sizes && layer->output_height + margin == layer->input_height + layer->pad_top + layer->pad_bottom &&
         layer->output_width + margin == layer->input_width + layer->pad_left + layer->pad_right &&
         (layer->mode != kTinsmithNeurekaDepthwise3x3 || layer->input_channels == layer->output_channels);
}

// Padding at the end is known to the last tile only. It may be all that this one reads but one row.
static bool ends_in_last_tile(uint32_t padding, uint32_t output_size) {
  const tiles_t tiles = tiles_of(output_size, kTileSide);
  return tiles.number == 1u || padding <= tiles.remainder;
}

static bool is_padding(const tinsmith_neureka_layer_t *layer) {
  const uint32_t most = layer->mode == kTinsmithNeureka1x1 ? 0u : MOST_PADDING;
  const int32_t least_value = layer->input_is_signed ? -128 : 0;
  return layer->pad_top <= most && layer->pad_right <= most && layer->pad_bottom <= most && layer->pad_left <= most &&
         ends_in_last_tile(layer->pad_bottom, layer->output_height) &&
         ends_in_last_tile(layer->pad_right, layer->output_width) && layer->pad_value >= least_value &&
         layer->pad_value <= least_value + 255;
}

static bool is_output(const tinsmith_neureka_layer_t *layer) {
  if (layer->scale_bits == 0u) {
    return layer->output_bits == 32u && layer->shift == 0u && !layer->is_rectified && layer->places.biases == NULL;
  }
  return (layer->scale_bits == 8u || layer->scale_bits == 32u) && layer->shift < 32u &&
         (layer->output_bits == 8u || layer->output_bits == 32u);
}

static tinsmith_neureka_status_t check(const tinsmith_neureka_layer_t *layer) {
  if ((uint32_t)layer->mode > kTinsmithNeureka1x1) {
    return kTinsmithNeurekaBadMode;
  }
  if (!is_shape(layer)) {
    return kTinsmithNeurekaBadShape;
  }
  if (!is_padding(layer)) {
    return kTinsmithNeurekaBadPadding;
  }
  if (layer->weight_bits < 2u || layer->weight_bits > 8u) {
    return kTinsmithNeurekaBadWeights;
  }
  return is_output(layer) ? kTinsmithNeurekaOk : kTinsmithNeurekaBadOutput;
}

static uint32_t width_of(uint32_t bits) {
  return bits == 32u ? kWidth32 : kWidth8;
}

static uint32_t configuration(const tinsmith_neureka_layer_t *layer) {
  uint32_t word = (layer->weight_bits - 1u) << kWeightBits | (uint32_t)layer->mode << kMode |
                  (uint32_t)layer->in_weight_memory << kFromWeightMemory | (uint32_t)layer->prefetches << kPrefetches |
                  1u << kOffsetsWeights | (uint32_t)!layer->is_rectified << kIsIdentity |
                  (uint32_t)layer->input_is_signed << kInputIsSigned;
  word |= width_of(layer->output_bits) << kOutputWidth;
  if (layer->scale_bits == 0u) {
    return word;
  }
  word |= width_of(layer->scale_bits) << kScaleWidth;
  return word | 1u << kNormalizes | layer->shift << kShift | (uint32_t)(layer->places.biases != NULL) << kHasBiases;
}

static void set_strides(const tinsmith_neureka_layer_t *layer, uint32_t input_channel_tiles, uint32_t *words) {
  words[kInputPixelBytes] = layer->input_pixel_bytes;
  words[kInputRowBytes] = layer->input_row_bytes;
  words[kInputD2] = 0u;
  words[kOutputWordBytes] = kWordBytes;
  words[kOutputPixelBytes] = layer->output_pixel_bytes;
  words[kOutputRowBytes] = layer->output_row_bytes;
  words[kWeightWordBytes] = kWordBytes;
  switch (layer->mode) {
    case kTinsmithNeureka3x3:
      words[kWeightChannelBytes] = kWordBytes * layer->weight_bits * input_channel_tiles;
      break;
    case kTinsmithNeurekaDepthwise3x3:
      words[kWeightChannelBytes] = 0u;
      break;
    case kTinsmithNeureka1x1:
      words[kWeightChannelBytes] = kWordBytes * input_channel_tiles;
      break;
  }
  words[kWeightD2] = 0u;
}

static void set_tiles(const tinsmith_neureka_layer_t *layer, tiles_t input_channels, uint32_t *words) {
  const bool is_depthwise = layer->mode == kTinsmithNeurekaDepthwise3x3;
  const tiles_t output_channels = is_depthwise ? input_channels : tiles_of(layer->output_channels, kTileOutputChannels);
  const tiles_t rows = tiles_of(layer->output_height, kTileSide);
  const tiles_t columns = tiles_of(layer->output_width, kTileSide);
  const uint32_t margin = window_margin(layer);
  words[kRemainderChannels] = halves(output_channels.remainder, input_channels.remainder);
  words[kRemainderOutput] = halves(rows.remainder, columns.remainder);
  words[kRemainderInput] =
      halves(rows.remainder + margin - layer->pad_bottom, columns.remainder + margin - layer->pad_right);
  words[kTilesChannels] = halves(output_channels.number, input_channels.number);
  words[kTilesOutput] = halves(rows.number, columns.number);
}

tinsmith_neureka_status_t tinsmith_neureka_encode(const tinsmith_neureka_layer_t *layer, tinsmith_neureka_job_t *job) {
  const tinsmith_neureka_status_t status = check(layer);
  if (status != kTinsmithNeurekaOk) {
    return status;
  }
  uint32_t *const words = job->words;
  const bool is_1x1 = layer->mode == kTinsmithNeureka1x1;
  const tiles_t input_channels = is_1x1 ? tiles_of(layer->input_channels, kTileInputChannels1x1)
                                        : tiles_of(layer->input_channels, kTileChannels3x3);
  set_strides(layer, input_channels.number, words);
  set_tiles(layer, input_channels, words);
  words[kPadding] = layer->pad_top << kPadTop | layer->pad_right << kPadRight | layer->pad_bottom << kPadBottom |
                    layer->pad_left << kPadLeft | ((uint32_t)layer->pad_value & 0xffu);
  words[kWeightOffset] = (uint32_t)layer->weight_offset;
  words[kFilterMask] = 0u;
  words[kConfiguration] = configuration(layer);
  tinsmith_neureka_place(job, &layer->places);
  return kTinsmithNeurekaOk;
}

static void set_address(tinsmith_neureka_job_t *job, uint32_t word, uintptr_t address) {
  job->words[word] = (uint32_t)address;
#if UINTPTR_MAX > UINT32_MAX
  job->upper[word] = (uint32_t)(address >> 32);
#endif
}

void tinsmith_neureka_place(tinsmith_neureka_job_t *job, const tinsmith_neureka_places_t *places) {
  const uint32_t padding = job->words[kPadding];
  const uintptr_t top = padding >> kPadTop & 15u;
  const uintptr_t left = padding >> kPadLeft & 15u;
  const bool in_weight_memory = (job->words[kConfiguration] >> kFromWeightMemory & 1u) != 0u;
  set_address(job, kWeights, (uintptr_t)places->weights - (in_weight_memory ? TINSMITH_NEUREKA_WEIGHT_MEMORY : 0u));
  set_address(job, kInput,
              (uintptr_t)places->input - top * job->words[kInputRowBytes] - left * job->words[kInputPixelBytes]);
  set_address(job, kOutput, (uintptr_t)places->output);
  set_address(job, kScales, (uintptr_t)places->scales);
  set_address(job, kShifts, 0u);
  set_address(job, kBiases, (uintptr_t)places->biases);
}
