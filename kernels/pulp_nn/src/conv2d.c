// Convolutions as products of matrices: patches of four (packed weights) or two pixels are put together in scratch
// memory, then meet four channels at a time. Pointwise layers without padding need no patches.
#include "internal/conv2d.h"

#include "internal/arranged.h"
#include "internal/clamp.h"
#include "internal/panel.h"
#include "internal/parts.h"
#include "tinsmith_pulp_nn.h"

typedef tinsmith_pulp_conv2d_t layer_t;

static uint32_t scratch_per_core(const layer_t *layer) {
  return is_direct(layer) ? 0u : block_pixels(layer) * padded_columns(layer);
}

uint32_t tinsmith_pulp_conv2d_scratch_bytes(const layer_t *layer, uint32_t cores) {
  return cores * scratch_per_core(layer);
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

// Four channels of a pixel, or those before `end`: the rows that fill a block up are zeros.
ALWAYS_INLINE void compact_block(const layer_t *layer, uint32_t channel, uint32_t end, const int8_t *weights,
                                 const uint8_t *columns, uint8_t *output, tinsmith_pulp_stage_kind_t kind,
                                 bool is_signed) {
  int32_t acc[STAGE_CHANNELS] = {0, 0, 0, 0};
  (void)sums_4x1_packed(weights, columns, padded_columns(layer) / 4u, acc, is_signed);
  ROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS && channel + i < end; ++i) {
    const uint32_t sum = (uint32_t)acc[i] + (uint32_t)stage_bias(&layer->stage, channel + i);
    output[channel + i] = (uint8_t)stage_element(&layer->stage, kind, channel + i, (int32_t)sum);
  }
}

// The channels of a part from `channel` on with packed weights, whole blocks or not, in little code.
ALWAYS_INLINE void compact_blocks(const layer_t *layer, const part_t *part, uint32_t channel, const pixels_t *pixels,
                                  tinsmith_pulp_stage_kind_t kind, bool is_signed) {
  const uint32_t length = padded_columns(layer);
  for (; channel < part->end_channel; channel += STAGE_CHANNELS) {
    ROLLED for (uint32_t pixel = 0u; pixel < PIXELS_PACKED; ++pixel) {
      compact_block(layer, channel, part->end_channel, layer->weights + channel * length,
                    pixels->columns + pixel * pixels->step, pixels->output + pixel * pixels->output_step, kind,
                    is_signed);
    }
  }
}

// Which code a convolution consists of.
typedef struct {
  tinsmith_pulp_stage_kind_t kind;
  bool is_signed, is_packed;
  bool is_compact;  // packed: of truncating panels only that without bias, compact blocks, neither other blocks nor
                    // rests
} form_t;

// The panel of a part's whole blocks of channels; of no blocks where a panel does not fit.
ALWAYS_INLINE panel_t panel_of_part(const layer_t *layer, const part_t *part, const pixels_t *pixels, form_t form) {
  const tinsmith_pulp_stage_kind_t kind = form.kind;
  const bool is_packed = form.is_packed;
  const uint32_t columns = is_packed ? padded_columns(layer) : patch_columns(layer);
  const uint32_t channels = (part->end_channel - part->first_channel) & ~3u;
  const bool has_form = !form.is_compact || kind != TINSMITH_PULP_TRUNCATE_S8 || panel_is_plain(&layer->stage);
  const bool fits = columns % 4u == 0u && columns >= 4u * PANEL_LEAST_WORDS && has_form &&
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

// What a panel of `channels` channels has stored for some pixels, to the layer's bounds.
static __attribute__((noinline)) void clamp_panel(const layer_t *layer, uint8_t *output, uint32_t channels,
                                                  uint32_t pixels) {
  for (; pixels != 0u; --pixels) {
    clamp_bytes(output, channels, layer->stage.min, layer->stage.max, true);
    output += layer->output_channels;
  }
}

// With plain weights the cores begin six cycles apart, as many as an iteration has loads: where rows of weights and
// patches begin in one bank of the memory, cores in step would meet there in every block.
ALWAYS_INLINE void begin_apart(tinsmith_pulp_core_t core, bool is_packed) {
#if TINSMITH_COREV
  if (!is_packed && core.core != 0u) {
    __asm__ volatile(COREV_LOOP("%[n]") "nop\n\tnop\n\tnop" COREV_LOOP_END : : [n] "r"(2u * core.core));
  }
#else
  (void)core;
  (void)is_packed;
#endif
}

// layer: each core's own, on its stack, which is near, and which the output cannot alias.
ALWAYS_INLINE void convolve(const layer_t *layer, tinsmith_pulp_core_t core, form_t form) {
  const tinsmith_pulp_stage_kind_t kind = form.kind;
  const bool is_signed = form.is_signed;
  const bool is_packed = form.is_packed;
  const part_t part = form.is_compact ? part_of(layer, core) : part_of_conv2d(layer, core);
  if (part.first_channel == part.end_channel || part.first_pixel == part.end_pixel) {
    return;
  }
  const uint32_t size = is_packed ? PIXELS_PACKED : PIXELS_PLAIN;
  const bool fills_block = part.end_pixel - part.first_pixel >= size;
  const uint32_t advance = fills_block ? size : 1u;
  const bool direct = is_direct(layer);
  const uint32_t step = direct ? layer->input_channels : padded_columns(layer);
  patches_t patches;
  if (!direct) {
    patches_of(layer, layer->scratch + core.core * size * step, &patches);
  }
  begin_apart(core, is_packed);
  pixels_t pixels = {.step = fills_block ? step : 0u, .output_step = fills_block ? layer->output_channels : 0u};
  panel_t panel = panel_of_part(layer, &part, &pixels, form);
  const bool with_panels = panel.blocks != 0u;
  const bool is_clamped = with_panels && stage_is_clamped(&layer->stage, kind);
  const uint32_t paneled = panel.blocks * STAGE_CHANNELS;
  for (uint32_t run = 0u; run < part.runs; ++run) {
    const uint32_t end = part.end_pixel + run * layer->output_width;
    for (uint32_t pixel = part.first_pixel + run * layer->output_width; pixel < end; pixel += advance) {
      // Fewer pixels than a block are left: step back over some that are done.
      pixel = smaller(pixel, end - advance);
      pixels.output = (uint8_t *)layer->output + pixel * layer->output_channels;
      if (direct) {
        pixels.columns = (const uint8_t *)layer->input + pixel * step;
      } else {
        build_patches(&patches, pixel, advance);
        pixels.columns = patches.to;
      }
      if (with_panels) {
        panel_compute(&panel, pixels.columns, pixels.output + part.first_channel, kind, is_signed, is_packed,
                      form.is_compact);
        if (is_clamped) {
          clamp_panel(layer, pixels.output + part.first_channel, paneled, advance);
        }
      } else if (!form.is_compact) {
        whole_blocks(layer, &part, &pixels, kind, is_signed, is_packed);
      }
      if (form.is_compact) {
        compact_blocks(layer, &part, part.first_channel + paneled, &pixels, kind, is_signed);
      } else if (part.end_channel % STAGE_CHANNELS != 0u) {
        rest_channels(layer, &part, &pixels, kind, is_signed, is_packed);
      }
    }
  }
}

// The same of a layer that all cores read.
ALWAYS_INLINE void convolve_copy(const layer_t *shared, tinsmith_pulp_core_t core, form_t form) {
  layer_t layer;
  copy_bytes((uint8_t *)&layer, (const uint8_t *)shared, sizeof layer);
  layer.weights_are_packed = form.is_packed;
  convolve(&layer, core, form);
}

#define CONVOLVE(NAME, KIND, IS_SIGNED, IS_PACKED)                                              \
  static __attribute__((noinline)) void NAME(const layer_t *layer, tinsmith_pulp_core_t core) { \
    convolve_copy(layer, core, (form_t){KIND, IS_SIGNED, IS_PACKED, false});                    \
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
CONVOLVE(scale_plain, TINSMITH_PULP_SCALE_S8, true, false)
CONVOLVE(scale_high_plain, TINSMITH_PULP_SCALE_HIGH_S8, true, false)

#define COMPACT(NAME, KIND)                                                                  \
  void tinsmith_pulp_conv2d_packed_##NAME(const layer_t *layer, tinsmith_pulp_core_t core) { \
    convolve_copy(layer, core, (form_t){KIND, true, true, true});                            \
  }
#define ARRANGED(SUFFIX, KIND)                                                                              \
  void tinsmith_pulp_arranged_conv2d##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) { \
    const layer_t layer = conv2d_of(call, KIND);                                                            \
    convolve(&layer, core, (form_t){KIND, true, true, true});                                               \
  }

COMPACT(tflite_s8, TINSMITH_PULP_TFLITE_S8)
COMPACT(truncate_s8, TINSMITH_PULP_TRUNCATE_S8)
COMPACT(scale_s8, TINSMITH_PULP_SCALE_S8)
COMPACT(scale_high_s8, TINSMITH_PULP_SCALE_HIGH_S8)
ARRANGED(, TINSMITH_PULP_TFLITE_S8)
ARRANGED(_scaled, TINSMITH_PULP_SCALE_S8)
ARRANGED(_scaled_high, TINSMITH_PULP_SCALE_HIGH_S8)

// The wide stages cost more than to ask about the input's type for each block.
#define CONVOLVE_WIDE(NAME, IS_PACKED)                                                                              \
  static __attribute__((noinline)) void NAME(const layer_t *layer, tinsmith_pulp_core_t core) {                     \
    convolve_copy(layer, core, (form_t){TINSMITH_PULP_TRUNCATE_WIDE_S8, layer->input_is_signed, IS_PACKED, false}); \
  }

CONVOLVE_WIDE(wide_plain, false)
CONVOLVE_WIDE(wide_packed, true)

typedef void (*kernel_t)(const layer_t *layer, tinsmith_pulp_core_t core);

void tinsmith_pulp_conv2d(const layer_t *layer, tinsmith_pulp_core_t core) {
  static const kernel_t kTruncating[2][2][2] = {
      {{u8_u8_plain, u8_u8_packed}, {u8_s8_plain, u8_s8_packed}},
      {{s8_u8_plain, s8_u8_packed}, {s8_s8_plain, s8_s8_packed}},
  };
  const uint32_t packed = layer->weights_are_packed ? 1u : 0u;
  if (layer->stage.kind == TINSMITH_PULP_TFLITE_S8) {
    (packed == 1u ? tinsmith_pulp_conv2d_packed_tflite_s8 : tflite_plain)(layer, core);
    return;
  }
  if (layer->stage.kind == TINSMITH_PULP_SCALE_S8) {
    (packed == 1u ? tinsmith_pulp_conv2d_packed_scale_s8 : scale_plain)(layer, core);
    return;
  }
  if (layer->stage.kind == TINSMITH_PULP_SCALE_HIGH_S8) {
    (packed == 1u ? tinsmith_pulp_conv2d_packed_scale_high_s8 : scale_high_plain)(layer, core);
    return;
  }
  if (stage_is_wide(layer->stage.kind)) {
    (packed == 1u ? wide_packed : wide_plain)(layer, core);
    return;
  }
  const uint32_t output = layer->stage.kind == TINSMITH_PULP_TRUNCATE_S8 ? 1u : 0u;
  kTruncating[layer->input_is_signed ? 1 : 0][output][packed](layer, core);
}
