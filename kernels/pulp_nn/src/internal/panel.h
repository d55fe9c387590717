// Panels: a block of pixels with all channels of a part, four pixels with packed weights and two with plain ones. The
// loop over blocks of four channels with its inner loop and its output stage is one asm statement, for two reasons:
// between statements the compiler saves and restores what the sums push out of the registers, and all of it together
// has to stay below the 512 bytes of a core's own instruction cache, or each of its lines is fetched again for each
// block.
#ifndef TINSMITH_KERNELS_PULP_NN_PANEL_H_
#define TINSMITH_KERNELS_PULP_NN_PANEL_H_

#include <stddef.h>

#include "panel_asm.h"
#include "sums.h"

#define PANEL_LEAST_WORDS 2u

// What a panel is computed with, `words` words a pixel, from channel `first` of a stage on.
typedef struct {
  const tinsmith_pulp_stage_t *stage;
  const int8_t *weights;  // of the first channel
  uint32_t first;
  uint32_t blocks;  // of four channels
  uint32_t words;   // PANEL_LEAST_WORDS or more
  uint32_t step;    // bytes from pixel to pixel; 0 computes one pixel as often as there are in a block
  uint32_t output_step;
} panel_shape_t;

// Whether a panel takes the stage of some channels, but for its bounds: bias, multipliers, addends and shifts as most
// layers have them.
ALWAYS_INLINE bool panel_takes(const tinsmith_pulp_stage_t *stage, tinsmith_pulp_stage_kind_t kind, uint32_t first,
                               uint32_t channels) {
  if (stage_is_wide(kind)) {
    return false;
  }
  if (kind == TINSMITH_PULP_TFLITE_S8) {
    return stage->multipliers != NULL && stage->bias != NULL && stage_scales_right(stage, first, channels);
  }
  if (stage_is_scale(kind)) {
    return true;
  }
  if (stage->multipliers == NULL) {
    return stage->addends == NULL && stage->bias == NULL;
  }
  return stage->addends != NULL;
}

// Whether a truncating stage has multipliers and addends, and no bias.
ALWAYS_INLINE bool panel_is_plain(const tinsmith_pulp_stage_t *stage) {
  return stage->multipliers != NULL && stage->addends != NULL && stage->bias == NULL && stage->bias_s8 == NULL;
}

// The assembly takes all registers and leaves none for a frame pointer, which code that is not optimized has, too.
#if TINSMITH_COREV && defined(__OPTIMIZE__) && !defined(TINSMITH_PULP_FRAME_POINTER)

// First, in the order of panel_asm.h, what the loop reads again for each block. Arrays of parameters are reached from
// `multipliers`, which moves on by four bytes with each channel.
typedef struct {
  const uint8_t *pixels;
  uint32_t count;       // of the inner loop
  uint32_t bias;        // bytes from multipliers to bias; of biases of a byte or beside scales the next block's address
  uint32_t parameters;  // bytes from multipliers + 1 to addends or shifts; or the one multiplier
  int32_t shift_or_zero_point;
  uint8_t *output;
  uint32_t output_step;
  uint32_t rewind;  // from the last pixel of two channels to the first of the next two
  uint32_t step1, step2, step3;
  const int8_t *weights;
  const int32_t *multipliers;
  uint32_t blocks;
  uint32_t row_bytes;
  const int8_t *bytes;  // biases of a byte, or of words beside scales, or NULL
  bool has_bias;        // of a word
  bool is_equal;        // all channels have one multiplier and no addend
} panel_t;

_Static_assert(offsetof(panel_t, output) == 20 && offsetof(panel_t, step3) == 40, "the offsets of panel_asm.h");

ALWAYS_INLINE panel_t panel_of(const panel_shape_t *shape, tinsmith_pulp_stage_kind_t kind) {
  const tinsmith_pulp_stage_t *stage = shape->stage;
  const bool is_tflite = kind == TINSMITH_PULP_TFLITE_S8;
  const bool is_equal = stage->multipliers == NULL;
  const bool has_bytes = stage->bias == NULL && stage->bias_s8 != NULL;
  const uint32_t multipliers = (uint32_t)stage->multipliers;
  const uint32_t parameters = (uint32_t)(is_tflite ? stage->shifts : stage->addends) - multipliers - 4u;
  return (panel_t){
      .count = stage->bias == NULL && !has_bytes ? shape->words - 1u : shape->words,
      .bias = (uint32_t)stage->bias - multipliers,
      .parameters = is_equal ? (uint32_t)stage->multiplier : parameters,
      .shift_or_zero_point = is_tflite ? stage->zero_point : stage->shift,
      .output_step = shape->output_step,
      .rewind = 2u - 3u * shape->output_step,
      .step1 = shape->step - 4u,
      .step2 = 2u * shape->step - 4u,
      .step3 = 3u * shape->step - 4u,
      .weights = shape->weights,
      .multipliers = stage_is_scale(kind) ? &stage->scales[shape->first].multiplier
                     : is_equal           ? NULL
                                          : stage->multipliers + shape->first,
      .blocks = shape->blocks,
      .row_bytes = 4u * shape->words,
      .bytes = kind == TINSMITH_PULP_SCALE_HIGH_S8 ? (const int8_t *)(stage->bias + shape->first)
               : has_bytes                         ? stage->bias_s8 + shape->first
                                                   : NULL,
      .has_bias = stage->bias != NULL,
      .is_equal = is_equal,
  };
}

#define PANEL_COMMON                                                                                                  \
  [panel] "+m"(*panel), [weights] "+&r"(weights), [multipliers] "+&r"(multipliers), [pixel] "=&r"(pixel),             \
      [step1] "+&r"(step1), [step2] "+&r"(step2), [x] "+&r"(x), [y] "=&r"(y), [w0] "=&r"(w0), [w1] "=&r"(w1),         \
      [w2] "=&r"(w2), [w3] "=&r"(w3), [a0] "=&r"(acc[0]), [a1] "=&r"(acc[1]), [a2] "=&r"(acc[2]), [a3] "=&r"(acc[3]), \
      [b0] "=&r"(acc[4]), [b1] "=&r"(acc[5]), [b2] "=&r"(acc[6]), [b3] "=&r"(acc[7])

// All 28 registers.
#define ASM_4X4(BEGIN, DOT, STAGE)                                                                              \
  __asm__ volatile(                                                                                             \
      PANEL_4X4(BEGIN, DOT, STAGE)                                                                              \
      : PANEL_COMMON, [step3] "+&r"(step3), [c0] "=&r"(acc[8]), [c1] "=&r"(acc[9]), [c2] "=&r"(acc[10]),        \
        [c3] "=&r"(acc[11]), [d0] "=&r"(acc[12]), [d1] "=&r"(acc[13]), [d2] "=&r"(acc[14]), [d3] "=&r"(acc[15]) \
      :                                                                                                         \
      : "memory")

#define ASM_4X2(BEGIN, DOT, STAGE)                                                                   \
  __asm__ volatile(PANEL_4X2(BEGIN, DOT, STAGE)                                                      \
                   : PANEL_COMMON, [output] "+&r"(output)                                            \
                   : [output_step] "r"(panel->output_step), [row1] "r"(panel->row_bytes - 4u),       \
                     [row2] "r"(2u * panel->row_bytes - 4u), [row3] "r"(3u * panel->row_bytes - 4u), \
                     [three_rows] "r"(3u * panel->row_bytes)                                         \
                   : "memory")

#define WITH_BYTES_OR_NOTHING(ASM, DOT, STAGE) \
  if (panel->bytes != NULL) {                  \
    panel->bias = (uint32_t)panel->bytes;      \
    ASM(BEGIN_WITH_BYTES, DOT, STAGE);         \
  } else {                                     \
    ASM(BEGIN_WITH_PRODUCTS, DOT, STAGE);      \
  }

#define TRUNCATING_PANEL(ASM, DOT, TRUNCATING, EQUAL, CLIP) \
  if (is_plain) {                                           \
    ASM(BEGIN_WITH_PRODUCTS, DOT, TRUNCATING(CLIP));        \
  } else if (panel->is_equal) {                             \
    WITH_BYTES_OR_NOTHING(ASM, DOT, EQUAL(CLIP))            \
  } else if (panel->has_bias) {                             \
    ASM(BEGIN_WITH_BIAS, DOT, TRUNCATING(CLIP));            \
  } else {                                                  \
    WITH_BYTES_OR_NOTHING(ASM, DOT, TRUNCATING(CLIP))       \
  }

#define BY_STAGE(ASM, TRUNCATING, EQUAL, TFLITE, ONCE)           \
  if (kind == TINSMITH_PULP_TFLITE_S8) {                         \
    ASM(BEGIN_WITH_BIAS, "sp.b", TFLITE);                        \
  } else if (kind == TINSMITH_PULP_SCALE_S8) {                   \
    ASM(BEGIN_WITH_PRODUCTS, "sp.b", ONCE(SCALE));               \
  } else if (kind == TINSMITH_PULP_SCALE_HIGH_S8) {              \
    panel->bias = (uint32_t)panel->bytes;                        \
    ASM(BEGIN_WITH_ADDRESS, "sp.b", ONCE(SCALE_HIGH));           \
  } else if (kind == TINSMITH_PULP_TRUNCATE_U8) {                \
    if (is_signed) {                                             \
      TRUNCATING_PANEL(ASM, "sp.b", TRUNCATING, EQUAL, CLIP_U8)  \
    } else {                                                     \
      TRUNCATING_PANEL(ASM, "usp.b", TRUNCATING, EQUAL, CLIP_U8) \
    }                                                            \
  } else if (is_signed) {                                        \
    TRUNCATING_PANEL(ASM, "sp.b", TRUNCATING, EQUAL, CLIP_S8)    \
  } else {                                                       \
    TRUNCATING_PANEL(ASM, "usp.b", TRUNCATING, EQUAL, CLIP_S8)   \
  }

// is_plain: all truncating stages are. The panel must be a variable of the calling function: there may be no register
// left for its address.
ALWAYS_INLINE void panel_compute(panel_t *panel, const uint8_t *pixels, uint8_t *output,
                                 tinsmith_pulp_stage_kind_t kind, bool is_signed, bool is_packed, bool is_plain) {
  panel->pixels = pixels;
  panel->output = output;
  const int8_t *weights = panel->weights;
  const int32_t *multipliers = panel->multipliers;
  const uint8_t *pixel;
  uint32_t step1 = panel->step1;
  uint32_t step2 = panel->step2;
  uint32_t step3 = panel->step3;
  uint32_t x = panel->blocks;
  uint32_t y, w0, w1, w2, w3;
  int32_t acc[STAGE_CHANNELS * PIXELS_PACKED];
  if (is_packed) {
    BY_STAGE(ASM_4X4, STAGE_TRUNCATE_4X4, STAGE_EQUAL_4X4, STAGE_TFLITE_4X4, STAGE_SCALE_4X4)
  } else {
    BY_STAGE(ASM_4X2, STAGE_TRUNCATE_4X2, STAGE_EQUAL_4X2, STAGE_TFLITE_4X2, STAGE_SCALE_4X2)
  }
}

#else

typedef panel_shape_t panel_t;

ALWAYS_INLINE panel_t panel_of(const panel_shape_t *shape, tinsmith_pulp_stage_kind_t kind) {
  (void)kind;
  return *shape;
}

ALWAYS_INLINE void panel_compute(panel_t *panel, const uint8_t *pixels, uint8_t *output,
                                 tinsmith_pulp_stage_kind_t kind, bool is_signed, bool is_packed, bool is_plain) {
  (void)is_plain;
  const uint32_t count = is_packed ? PIXELS_PACKED : PIXELS_PLAIN;
  const uint32_t row_bytes = 4u * panel->words;
  for (uint32_t block = 0u; block < panel->blocks; ++block) {
    const uint32_t channel = panel->first + STAGE_CHANNELS * block;
    const int8_t *weights = panel->weights + STAGE_CHANNELS * block * row_bytes;
    int32_t acc[STAGE_CHANNELS * PIXELS_PACKED];
    stage_start(panel->stage, channel, acc, count);
    if (is_packed) {
      (void)sums_4x4(weights, pixels, panel->step, panel->words, acc, is_signed);
    } else {
      sums_4x2_words(weights, row_bytes, pixels, panel->step, panel->words, acc, is_signed);
    }
    stage_store(panel->stage, kind, channel, acc, count, output + STAGE_CHANNELS * block, panel->output_step);
  }
}

#endif

#endif  // TINSMITH_KERNELS_PULP_NN_PANEL_H_
