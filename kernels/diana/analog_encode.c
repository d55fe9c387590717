// From a convolution to a record of the analog accelerator. What each word means is public in dory-hal and the AiMC
// SDK; which steps the chip knows, in diana-quantlib. Nothing here touches the accelerator.

#include <stdbool.h>
#include <stddef.h>

#include "analog_record.h"
#include "record.h"
#include "tinsmith_diana_analog.h"

#define MOST_SIZE 1023u
#define MOST_BLOCK 15u
#define MOST_PAD 3u

typedef tinsmith_diana_analog_layer_t layer_t;

static const uint32_t sequences[] = {
    0u,
    kTinsmithDianaAnalogPartial,
    kTinsmithDianaAnalogRectify | kTinsmithDianaAnalogQuantize,
    kTinsmithDianaAnalogScale | kTinsmithDianaAnalogQuantize,
    kTinsmithDianaAnalogResidual,
    kTinsmithDianaAnalogResidual | kTinsmithDianaAnalogRectify | kTinsmithDianaAnalogQuantize,
    kTinsmithDianaAnalogScale | kTinsmithDianaAnalogRectify | kTinsmithDianaAnalogQuantize,
    kTinsmithDianaAnalogPartial | kTinsmithDianaAnalogScale | kTinsmithDianaAnalogRectify |
        kTinsmithDianaAnalogQuantize,
    kTinsmithDianaAnalogScale | kTinsmithDianaAnalogResidual | kTinsmithDianaAnalogRectify |
        kTinsmithDianaAnalogQuantize,
};

static bool is_within(uint32_t size, uint32_t most) {
  return size - 1u < most;
}

static bool are_sizes(const layer_t *layer) {
  return is_within(layer->input_height, MOST_SIZE) && is_within(layer->input_width, MOST_SIZE) &&
         is_within(layer->input_channels, MOST_SIZE) && is_within(layer->output_height, MOST_SIZE) &&
         is_within(layer->output_width, MOST_SIZE) &&
         is_within(layer->output_channels, TINSMITH_DIANA_ANALOG_COLUMNS) &&
         tinsmith_diana_is_kernel(layer->kernel_height) && tinsmith_diana_is_kernel(layer->kernel_width) &&
         is_within(layer->stride, 2u);
}

static bool is_pad(uint32_t pad, uint32_t kernel) {
  return pad <= MOST_PAD && pad < kernel;
}

static bool is_padding(const layer_t *layer) {
  return is_pad(layer->pad_top, layer->kernel_height) && is_pad(layer->pad_bottom, layer->kernel_height) &&
         is_pad(layer->pad_left, layer->kernel_width) && is_pad(layer->pad_right, layer->kernel_width);
}

static bool is_shape(const layer_t *layer) {
  const uint32_t height = layer->input_height + layer->pad_top + layer->pad_bottom;
  const uint32_t width = layer->input_width + layer->pad_left + layer->pad_right;
  const uint32_t unroll = layer->unroll;
  return tinsmith_diana_is_output_size(layer->output_height, height, layer->kernel_height, layer->stride) &&
         tinsmith_diana_is_output_size(layer->output_width, width, layer->kernel_width, layer->stride) &&
         is_within(unroll, 8u) && (unroll & (unroll - 1u)) == 0u && layer->output_width % unroll == 0u;
}

static uint32_t weight_rows(const layer_t *layer) {
  return layer->input_channels * layer->kernel_height * layer->kernel_width;
}

// With copies of the weights, each by a stride farther.
static uint32_t array_rows(const layer_t *layer) {
  return layer->input_channels * layer->kernel_height * (layer->kernel_width + (layer->unroll - 1u) * layer->stride);
}

static bool fits_array(const layer_t *layer) {
  if (layer->first_block > MOST_BLOCK || layer->output_channels * layer->unroll > TINSMITH_DIANA_ANALOG_COLUMNS) {
    return false;
  }
  const uint32_t below = TINSMITH_DIANA_ANALOG_ROWS - TINSMITH_DIANA_ANALOG_BLOCK * layer->first_block;
  return array_rows(layer) <= below && analog_lines(weight_rows(layer)) / 2u <= below;
}

static uint32_t packets(const layer_t *layer) {
  return divided_up(layer->output_channels, ANALOG_LANES);
}

static bool is_sequence(uint32_t steps) {
  for (size_t i = 0; i < sizeof sequences / sizeof *sequences; ++i) {
    if (sequences[i] == steps) {
      return true;
    }
  }
  return false;
}

static bool is_output(const layer_t *layer) {
  const bool has_scales = (layer->steps & kTinsmithDianaAnalogScale) != 0u;
  const uint32_t most_packets = has_scales ? TINSMITH_DIANA_ANALOG_PACKETS - packets(layer) : 0u;
  return is_sequence(layer->steps) && layer->first_packet <= most_packets && layer->shift <= 31u &&
         layer->residual_shift <= 15u && layer->offset_shift <= 15u;
}

// Up to 16 channels lie in one bank, which may go on in the next.
static bool is_image(uint32_t height, uint32_t width, uint32_t channels) {
  const uint32_t bytes = height * width * divided_up(channels, ANALOG_PIXEL) * ANALOG_LANES;
  return bytes <= (channels > ANALOG_LANES ? TINSMITH_DIANA_BANK_BYTES : TINSMITH_DIANA_L1_BYTES);
}

static tinsmith_diana_status_t check_layer(const layer_t *layer) {
  if (!are_sizes(layer)) {
    return kTinsmithDianaBadShape;
  }
  if (!is_padding(layer)) {
    return kTinsmithDianaBadPadding;
  }
  if (!is_shape(layer)) {
    return kTinsmithDianaBadShape;
  }
  if (!fits_array(layer)) {
    return kTinsmithDianaBadWeights;
  }
  if (!is_output(layer)) {
    return kTinsmithDianaBadOutput;
  }
  return is_image(layer->input_height, layer->input_width, layer->input_channels) &&
                 is_image(layer->output_height, layer->output_width, layer->output_channels)
             ? kTinsmithDianaOk
             : kTinsmithDianaBadMemory;
}

static void set(uint32_t *words, uint32_t half, uint32_t value) {
  words[half / 2u] |= value << (half % 2u * 16u);
}

static void set_shape(const layer_t *layer, uint32_t *words) {
  set(words, kAnalogInputChannels, layer->input_channels);
  set(words, kAnalogOutputChannels, layer->output_channels);
  set(words, kAnalogInputWidth, layer->input_width);
  set(words, kAnalogInputHeight, layer->input_height);
  set(words, kAnalogKernel, layer->kernel_width | layer->kernel_height << 4);
  set(words, kAnalogEvaluations, layer->output_width / layer->unroll);
  set(words, kAnalogOutputHeight, layer->output_height);
  set(words, kAnalogUnroll, layer->unroll);
  set(words, kAnalogStride, layer->stride);
  set(words, kAnalogPadding, layer->pad_bottom | layer->pad_top << 2 | layer->pad_right << 4 | layer->pad_left << 6);
  set(words, kAnalogChannelBlocks, divided_up(layer->input_channels, ANALOG_PIXEL));
}

static void set_array(const layer_t *layer, uint32_t *words) {
  const uint32_t used = divided_up(layer->output_channels, ANALOG_COLUMN_BLOCK);
  set(words, kAnalogInits, ANALOG_BYTES | layer->first_block << ANALOG_FIRST_BLOCK);
  set(words, kAnalogColumnBlocks, 0xffffu << (16u - used) & 0xffffu);
  set(words, kAnalogLines, analog_lines(weight_rows(layer)));
  set(words, kAnalogPacket, layer->first_packet);
  set(words, kAnalogPackets, packets(layer));
}

tinsmith_diana_status_t tinsmith_diana_analog_encode(const tinsmith_diana_analog_layer_t *layer,
                                                     tinsmith_diana_analog_record_t *record) {
  const tinsmith_diana_status_t status = check_layer(layer);
  if (status != kTinsmithDianaOk) {
    return status;
  }
  *record = (tinsmith_diana_analog_record_t){{0u}};
  uint32_t *const words = record->words;
  set(words, kAnalogSkips, ANALOG_SKIPS ^ layer->steps << ANALOG_FIRST_STEP);
  set(words, kAnalogPrecision, ANALOG_PRECISION);
  set(words, kAnalogTiming, ANALOG_TIMING);
  set(words, kAnalogStop, ANALOG_GOES_ON);
  set(words, kAnalogReserved, ANALOG_RESERVED);
  set(words, kAnalogShifts, layer->shift | layer->residual_shift << 8 | layer->offset_shift << 12);
  set_shape(layer, words);
  set_array(layer, words);
  return kTinsmithDianaOk;
}
