// Convolutions as products of matrices: patches of four (packed weights) or two pixels are put together in scratch
// memory, then meet four channels at a time. Pointwise layers without padding need no patches.
#include "include/tinsmith_pulp_nn.h"
#include "src/internal/panel.h"
#include "src/internal/sums.h"

typedef tinsmith_pulp_conv2d_t layer_t;

// What one core computes: pixels first to end - 1 in row-major order, channels likewise.
typedef struct {
  uint32_t first_pixel, end_pixel;
  uint32_t first_channel, end_channel;
} part_t;

// A place in the output.
typedef struct {
  uint32_t y, x;
} place_t;

static uint32_t ceiling(uint32_t value, uint32_t divisor) {
  return quotient(value + divisor - 1u, divisor);
}

static uint32_t smaller(uint32_t lhs, uint32_t rhs) {
  return lhs < rhs ? lhs : rhs;
}

static uint32_t patch_columns(const layer_t *layer) {
  return (uint32_t)layer->kernel_height * layer->kernel_width * layer->input_channels;
}

static uint32_t padded_columns(const layer_t *layer) {
  return (patch_columns(layer) + 3u) & ~3u;
}

static uint32_t block_pixels(const layer_t *layer) {
  return layer->weights_are_packed ? PIXELS_PACKED : PIXELS_PLAIN;
}

// Whether pixels of the input are the columns themselves. Packed weights read whole words of them.
static bool is_direct(const layer_t *layer) {
  const bool is_pointwise = layer->kernel_height == 1u && layer->kernel_width == 1u && layer->stride_height == 1u &&
                            layer->stride_width == 1u && layer->pad_top == 0u && layer->pad_left == 0u &&
                            layer->output_height == layer->input_height && layer->output_width == layer->input_width;
  return is_pointwise && (!layer->weights_are_packed || layer->input_channels % 4u == 0u);
}

static uint32_t scratch_per_core(const layer_t *layer) {
  return is_direct(layer) ? 0u : block_pixels(layer) * padded_columns(layer);
}

uint32_t tinsmith_pulp_conv2d_scratch_bytes(const layer_t *layer, uint32_t cores) {
  return cores * scratch_per_core(layer);
}

// Share `index` of `count` equal ones of `total` units.
static void share(uint32_t total, uint32_t index, uint32_t count, uint32_t *first, uint32_t *end) {
  const uint32_t each = quotient(total, count);
  const uint32_t larger = total - each * count;
  *first = index * each + smaller(index, larger);
  *end = *first + each + (index < larger ? 1u : 0u);
}

// Cycles of a block of channels, and those that a block of pixels costs before its first, to some 20 %. They only
// balance the work: that they wrap for layers beyond any memory does no harm.
static uint32_t cycles_of_channels(const layer_t *layer) {
  return 80u + padded_columns(layer) / 4u * (layer->weights_are_packed ? 24u : 14u);
}

static uint32_t cycles_of_pixels(const layer_t *layer) {
  const uint32_t row_bytes = (uint32_t)layer->kernel_width * layer->input_channels;
  return is_direct(layer) ? 80u : 80u + block_pixels(layer) * layer->kernel_height * (40u + row_bytes / 2u);
}

// How many cores divide the channels of a group's pixels: a power of two that divides the cores. A division takes
// longer than a block's output stage.
static uint32_t balanced_members(const layer_t *layer, uint32_t pixel_blocks, uint32_t channel_blocks, uint32_t cores) {
  const uint32_t channels_cycles = cycles_of_channels(layer);
  const uint32_t pixels_cycles = cycles_of_pixels(layer);
  uint32_t best_members = 1u;
  uint32_t best_cycles = UINT32_MAX;
  for (uint32_t shift = 0u; (cores & ((1u << shift) - 1u)) == 0u && (cores >> shift) != 0u; ++shift) {
    const uint32_t channels = (channel_blocks + (1u << shift) - 1u) >> shift;
    const uint32_t cycles = ceiling(pixel_blocks, cores >> shift) * (channels * channels_cycles + pixels_cycles);
    if (cycles < best_cycles) {
      best_cycles = cycles;
      best_members = 1u << shift;
    }
  }
  return best_members;
}

static part_t part_of(const layer_t *layer, tinsmith_pulp_core_t core) {
  const uint32_t pixels = (uint32_t)layer->output_height * layer->output_width;
  const uint32_t channel_blocks = ceiling(layer->output_channels, STAGE_CHANNELS);
  part_t part = {0u, pixels, 0u, layer->output_channels};
  uint32_t members = 1u;
  uint32_t unit = 1u;
  if (layer->split == TINSMITH_PULP_SPLIT_ROWS) {
    unit = layer->output_width;
  } else if (layer->split == TINSMITH_PULP_SPLIT_CHANNELS) {
    members = core.cores;
  } else if (layer->split == TINSMITH_PULP_SPLIT_BALANCED) {
    unit = block_pixels(layer);
    members = balanced_members(layer, ceiling(pixels, unit), channel_blocks, core.cores);
  }
  const uint32_t group = members == 1u ? core.core : quotient(core.core, members);
  const uint32_t groups = members == 1u ? core.cores : quotient(core.cores, members);
  share(ceiling(pixels, unit), group, groups, &part.first_pixel, &part.end_pixel);
  share(channel_blocks, core.core - group * members, members, &part.first_channel, &part.end_channel);
  part.first_pixel *= unit;
  part.end_pixel = smaller(part.end_pixel * unit, pixels);
  part.first_channel = smaller(part.first_channel * STAGE_CHANNELS, layer->output_channels);
  part.end_channel = smaller(part.end_channel * STAGE_CHANNELS, layer->output_channels);
  return part;
}

// One row of the kernel: bytes left of the input, inside, and right of it.
static void build_row(const layer_t *layer, uint8_t *to, int32_t y, int32_t x) {
  const uint32_t channels = layer->input_channels;
  const int32_t width = layer->kernel_width;
  if (y < 0 || y >= layer->input_height) {
    fill_bytes(to, layer->pad_value, (uint32_t)width * channels);
    return;
  }
  int32_t left = x < 0 ? -x : 0;
  left = left > width ? width : left;
  int32_t right = x + width - layer->input_width;
  right = right < 0 ? 0 : right > width - left ? width - left : right;
  const int32_t inside = width - left - right;
  if (left > 0) {
    fill_bytes(to, layer->pad_value, (uint32_t)left * channels);
    to += (uint32_t)left * channels;
  }
  if (inside > 0) {
    const uint32_t start = ((uint32_t)y * layer->input_width + (uint32_t)(x + left)) * channels;
    copy_bytes(to, (const uint8_t *)layer->input + start, (uint32_t)inside * channels);
    to += (uint32_t)inside * channels;
  }
  if (right > 0) {
    fill_bytes(to, layer->pad_value, (uint32_t)right * channels);
  }
}

static void build_patch(const layer_t *layer, uint8_t *to, place_t place) {
  const int32_t top = (int32_t)(place.y * layer->stride_height) - layer->pad_top;
  const int32_t left = (int32_t)(place.x * layer->stride_width) - layer->pad_left;
  const uint32_t row_bytes = (uint32_t)layer->kernel_width * layer->input_channels;
  for (int32_t row = 0; row < layer->kernel_height; ++row) {
    build_row(layer, to, top + row, left);
    to += row_bytes;
  }
  // What packed weights multiply by zero must be no more than readable, but a checker would call it uninitialized.
  fill_bytes(to, 0u, padded_columns(layer) - patch_columns(layer));
}

static void build_patches(const layer_t *layer, uint8_t *to, uint32_t pixel, uint32_t count) {
  place_t place = {pixel / layer->output_width, pixel % layer->output_width};
  for (uint32_t i = 0u; i < count; ++i) {
    build_patch(layer, to, place);
    to += padded_columns(layer);
    if (++place.x == layer->output_width) {
      place.x = 0u;
      ++place.y;
    }
  }
}

// A block of pixels: their columns and where their channels go, and how many bytes from pixel to pixel. Steps of 0
// compute one pixel as often as there are in a block.
typedef struct {
  const uint8_t *columns;
  uint8_t *output;
  uint32_t step;
  uint32_t output_step;
} pixels_t;

// All whole blocks of channels of a part, one after the other.
ALWAYS_INLINE void whole_blocks(const layer_t *layer, const part_t *part, const pixels_t *pixels,
                                tinsmith_pulp_stage_kind_t kind, bool is_signed, bool is_packed) {
  const uint32_t length = is_packed ? padded_columns(layer) : patch_columns(layer);
  const uint32_t count = is_packed ? PIXELS_PACKED : PIXELS_PLAIN;
  const int8_t *weights = layer->weights + part->first_channel * length;
  for (uint32_t channel = part->first_channel; channel < (part->end_channel & ~3u); channel += STAGE_CHANNELS) {
    int32_t acc[STAGE_CHANNELS * PIXELS_PACKED];
    // Or the compiler keeps a pointer for each array, more than there are registers.
    __asm__("" : "+r"(channel));
    stage_start(&layer->stage, channel, acc, count);
    if (is_packed) {
      weights = sums_4x4(weights, pixels->columns, pixels->step, length / 4u, acc, is_signed);
    } else {
      sums_plain(weights, length, pixels->columns, pixels->step, PIXELS_PLAIN, acc, is_signed);
      weights += STAGE_CHANNELS * length;
    }
    stage_store(&layer->stage, kind, channel, acc, count, pixels->output + channel, pixels->output_step);
  }
}

// Channels that do not fill a block.
ALWAYS_INLINE void rest_channels(const layer_t *layer, const part_t *part, const pixels_t *pixels,
                                 tinsmith_pulp_stage_kind_t kind, bool is_signed, bool is_packed) {
  const uint32_t length = is_packed ? padded_columns(layer) : patch_columns(layer);
  const uint32_t count = is_packed ? PIXELS_PACKED : PIXELS_PLAIN;
  for (uint32_t channel = part->end_channel & ~3u; channel < part->end_channel; ++channel) {
    const uint32_t row = is_packed ? (channel & ~3u) * length + 4u * (channel & 3u) : channel * length;
    for (uint32_t pixel = 0u; pixel < count; ++pixel) {
      const int32_t sum =
          sum_single(layer->weights + row, is_packed ? 16u : 4u, length, pixels->columns + pixel * pixels->step,
                     stage_bias(&layer->stage, channel), is_signed);
      pixels->output[pixel * pixels->output_step + channel] = (uint8_t)stage_element(&layer->stage, kind, channel, sum);
    }
  }
}

// The panel of a part's whole blocks of channels; of no blocks where a panel does not fit.
ALWAYS_INLINE panel_t panel_of_part(const layer_t *layer, const part_t *part, const pixels_t *pixels,
                                    tinsmith_pulp_stage_kind_t kind, bool is_packed) {
  const uint32_t columns = is_packed ? padded_columns(layer) : patch_columns(layer);
  const uint32_t channels = (part->end_channel - part->first_channel) & ~3u;
  const bool fits = columns % 4u == 0u && columns >= 4u * PANEL_LEAST_WORDS &&
                    panel_takes(&layer->stage, kind, part->first_channel, channels);
  const panel_shape_t shape = {
      .stage = &layer->stage,
      .weights = layer->weights + part->first_channel * columns,
      .first = part->first_channel,
      .blocks = fits ? channels / STAGE_CHANNELS : 0u,
      .words = columns / 4u,
      .step = pixels->step,
      .output_step = pixels->output_step,
  };
  return panel_of(&shape, kind);
}

ALWAYS_INLINE void convolve(const layer_t *shared, tinsmith_pulp_core_t core, tinsmith_pulp_stage_kind_t kind,
                            bool is_signed, bool is_packed) {
  // On the stack, which is near, and which the output cannot alias.
  const layer_t local = *shared;
  const layer_t *layer = &local;
  const part_t part = part_of(layer, core);
  if (part.first_channel == part.end_channel || part.first_pixel == part.end_pixel) {
    return;
  }
  const uint32_t size = is_packed ? PIXELS_PACKED : PIXELS_PLAIN;
  const bool fills_block = part.end_pixel - part.first_pixel >= size;
  const uint32_t advance = fills_block ? size : 1u;
  const bool direct = is_direct(layer);
  const uint32_t step = direct ? layer->input_channels : padded_columns(layer);
  uint8_t *patches = layer->scratch + core.core * scratch_per_core(layer);
  pixels_t pixels = {.step = fills_block ? step : 0u, .output_step = fills_block ? layer->output_channels : 0u};
  panel_t panel = panel_of_part(layer, &part, &pixels, kind, is_packed);
  const bool with_panels = panel.blocks != 0u;
  for (uint32_t pixel = part.first_pixel; pixel < part.end_pixel; pixel += advance) {
    // Fewer pixels than a block are left: step back over some that are done.
    pixel = smaller(pixel, part.end_pixel - advance);
    pixels.output = (uint8_t *)layer->output + pixel * layer->output_channels;
    pixels.columns = patches;
    if (direct) {
      pixels.columns = (const uint8_t *)layer->input + pixel * step;
    } else {
      build_patches(layer, patches, pixel, advance);
    }
    if (with_panels) {
      panel_compute(&panel, pixels.columns, pixels.output + part.first_channel, kind, is_signed, is_packed);
    } else {
      whole_blocks(layer, &part, &pixels, kind, is_signed, is_packed);
    }
    if (part.end_channel % STAGE_CHANNELS != 0u) {
      rest_channels(layer, &part, &pixels, kind, is_signed, is_packed);
    }
  }
}

#define CONVOLVE(NAME, KIND, IS_SIGNED, IS_PACKED)                                              \
  static __attribute__((noinline)) void NAME(const layer_t *layer, tinsmith_pulp_core_t core) { \
    convolve(layer, core, KIND, IS_SIGNED, IS_PACKED);                                          \
  }

CONVOLVE(u8_u8_plain, TINSMITH_PULP_TRUNCATE_U8, false, false)
CONVOLVE(u8_u8_packed, TINSMITH_PULP_TRUNCATE_U8, false, true)
CONVOLVE(u8_s8_plain, TINSMITH_PULP_TRUNCATE_S8, false, false)
CONVOLVE(u8_s8_packed, TINSMITH_PULP_TRUNCATE_S8, false, true)
CONVOLVE(s8_u8_plain, TINSMITH_PULP_TRUNCATE_U8, true, false)
CONVOLVE(s8_u8_packed, TINSMITH_PULP_TRUNCATE_U8, true, true)
CONVOLVE(s8_s8_plain, TINSMITH_PULP_TRUNCATE_S8, true, false)
CONVOLVE(s8_s8_packed, TINSMITH_PULP_TRUNCATE_S8, true, true)
CONVOLVE(tflite_plain, TINSMITH_PULP_TFLITE_S8, true, false)
CONVOLVE(tflite_packed, TINSMITH_PULP_TFLITE_S8, true, true)

typedef void (*kernel_t)(const layer_t *layer, tinsmith_pulp_core_t core);

void tinsmith_pulp_conv2d(const layer_t *layer, tinsmith_pulp_core_t core) {
  static const kernel_t kTruncating[2][2][2] = {
      {{u8_u8_plain, u8_u8_packed}, {u8_s8_plain, u8_s8_packed}},
      {{s8_u8_plain, s8_u8_packed}, {s8_s8_plain, s8_s8_packed}},
  };
  const uint32_t packed = layer->weights_are_packed ? 1u : 0u;
  if (layer->stage.kind == TINSMITH_PULP_TFLITE_S8) {
    (packed == 1u ? tflite_packed : tflite_plain)(layer, core);
    return;
  }
  const uint32_t output = layer->stage.kind == TINSMITH_PULP_TRUNCATE_S8 ? 1u : 0u;
  kTruncating[layer->input_is_signed ? 1 : 0][output][packed](layer, core);
}
