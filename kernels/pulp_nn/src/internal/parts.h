// How the cores of a team divide a convolution. All inline: an arranged layer's split is a constant.
#ifndef TINSMITH_KERNELS_PULP_NN_PARTS_H_
#define TINSMITH_KERNELS_PULP_NN_PARTS_H_

#include "conv2d.h"

ALWAYS_INLINE uint32_t ceiling(uint32_t value, uint32_t divisor) {
  return quotient(value + divisor - 1u, divisor);
}

// Share `index` of `count` equal ones of `total` units.
ALWAYS_INLINE void share(uint32_t total, uint32_t index, uint32_t count, uint32_t *first, uint32_t *end) {
  const uint32_t each = quotient(total, count);
  const uint32_t larger = total - each * count;
  *first = index * each + smaller(index, larger);
  *end = *first + each + (index < larger ? 1u : 0u);
}

// Cycles of a block of channels, and those that a block of pixels costs before its first, to some 20 %. They only
// balance the work: that they wrap for layers beyond any memory does no harm.
ALWAYS_INLINE uint32_t cycles_of_channels(const tinsmith_pulp_conv2d_t *layer) {
  return 80u + padded_columns(layer) / 4u * (layer->weights_are_packed ? 24u : 14u);
}

ALWAYS_INLINE uint32_t cycles_of_pixels(const tinsmith_pulp_conv2d_t *layer) {
  const uint32_t row_bytes = (uint32_t)layer->kernel_width * layer->input_channels;
  return is_direct(layer) ? 80u : 80u + block_pixels(layer) * (20u + layer->kernel_height * (6u + row_bytes / 2u));
}

// How many cores divide the channels of a group's pixels: a power of two that divides the cores. A division takes
// longer than a block's output stage.
ALWAYS_INLINE uint32_t balanced_members(const tinsmith_pulp_conv2d_t *layer, uint32_t pixel_blocks,
                                        uint32_t channel_blocks, uint32_t cores) {
  const uint32_t channels_cycles = cycles_of_channels(layer);
  const uint32_t pixels_cycles = cycles_of_pixels(layer);
  uint32_t best_members = 1u;
  uint32_t best_cycles = UINT32_MAX;
  for (uint32_t shift = 0u; (cores & ((1u << shift) - 1u)) == 0u && (cores >> shift) != 0u; ++shift) {
    const uint32_t groups = cores >> shift;
    const uint32_t pixels = ceiling(pixel_blocks, groups);
    const uint32_t channels = (channel_blocks + (1u << shift) - 1u) >> shift;
    const uint32_t cycles = pixels * (channels * channels_cycles + pixels_cycles);
    if (cycles < best_cycles) {
      best_cycles = cycles;
      best_members = 1u << shift;
    }
    if (pixels * groups == pixel_blocks) {
      break;  // Nobody would wait: larger groups could only take longer.
    }
  }
  return best_members;
}

// A core's part of the output, by the layer's split. Pixels are as many as fill blocks wherever the split allows.
ALWAYS_INLINE part_t part_of(const tinsmith_pulp_conv2d_t *layer, tinsmith_pulp_core_t core) {
  const uint32_t pixels = (uint32_t)layer->output_height * layer->output_width;
  const uint32_t channel_blocks = ceiling(layer->output_channels, STAGE_CHANNELS);
  part_t part = {.runs = 1u};
  uint32_t line = pixels;
  uint32_t members = 1u;
  uint32_t unit = 1u;
  if (layer->split == TINSMITH_PULP_SPLIT_ROWS) {
    unit = layer->output_width;
  } else if (layer->split == TINSMITH_PULP_SPLIT_COLUMNS) {
    unit = block_pixels(layer);
    line = layer->output_width;
    part.runs = layer->output_height;
  } else if (layer->split == TINSMITH_PULP_SPLIT_CHANNELS) {
    members = core.cores;
  } else if (layer->split == TINSMITH_PULP_SPLIT_BALANCED) {
    unit = block_pixels(layer);
    members = balanced_members(layer, ceiling(pixels, unit), channel_blocks, core.cores);
  }
  const uint32_t group = members == 1u ? core.core : quotient(core.core, members);
  const uint32_t groups = members == 1u ? core.cores : quotient(core.cores, members);
  share(ceiling(line, unit), group, groups, &part.first_pixel, &part.end_pixel);
  share(channel_blocks, core.core - group * members, members, &part.first_channel, &part.end_channel);
  part.first_pixel *= unit;
  part.end_pixel = smaller(part.end_pixel * unit, line);
  part.first_channel = smaller(part.first_channel * STAGE_CHANNELS, layer->output_channels);
  part.end_channel = smaller(part.end_channel * STAGE_CHANNELS, layer->output_channels);
  return part;
}

#endif  // TINSMITH_KERNELS_PULP_NN_PARTS_H_
