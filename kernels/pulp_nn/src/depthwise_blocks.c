#include "internal/blocks.h"
#include "internal/stage.h"

// Four sums, of windows `column_stride` bytes apart.
#if TINSMITH_COREV

// Word after word of a window's lines. Nine instructions for sixteen products.
#define SUM_WORDS(DOT) \
  "1:\n\t"                                                     \
  COREV_LOOP("%[lines]")                                       \
  "cv.lw %[w], (%[taps]), 4\n\t"                               \
  "cv.lw %[x0], (%[p0]), %[pitch]\n\t"                         \
  "cv.lw %[x1], (%[p1]), %[pitch]\n\t"                         \
  "cv.lw %[x2], (%[p2]), %[pitch]\n\t"                         \
  "cv.lw %[x3], (%[p3]), %[pitch]\n\t"                         \
  DOT " %[s0], %[x0], %[w]\n\t"                                \
  DOT " %[s1], %[x1], %[w]\n\t"                                \
  DOT " %[s2], %[x2], %[w]\n\t"                                \
  DOT " %[s3], %[x3], %[w]"                                    \
  COREV_LOOP_END                                               \
  "\tadd %[p0], %[p0], %[back]\n\t"                            \
  "add %[p1], %[p1], %[back]\n\t"                              \
  "add %[p2], %[p2], %[back]\n\t"                              \
  "add %[p3], %[p3], %[back]\n\t"                              \
  "addi %[words], %[words], -1\n\t"                            \
  "bnez %[words], 1b\n"

#define SUM_FOUR(DOT)                                                                                                  \
  __asm__ volatile(SUM_WORDS(DOT)                                                                                      \
                   : [p0] "+&r"(p0), [p1] "+&r"(p1), [p2] "+&r"(p2), [p3] "+&r"(p3), [taps] "+&r"(taps),               \
                     [words] "+&r"(words), [s0] "+&r"(sums[0]), [s1] "+&r"(sums[1]), [s2] "+&r"(sums[2]),              \
                     [s3] "+&r"(sums[3]), [x0] "=&r"(x0), [x1] "=&r"(x1), [x2] "=&r"(x2), [x3] "=&r"(x3), [w] "=&r"(w) \
                   : [lines] "r"(window->lines), [pitch] "r"(pitch), [back] "r"(4u - window->lines * pitch)            \
                   : "memory")

ALWAYS_INLINE void sum_four(const uint8_t *p0, uint32_t pitch, const window_t *window, int32_t sums[BLOCK_OUTPUTS],
                            bool is_signed) {
  const uint8_t *p1 = p0 + window->column_stride;
  const uint8_t *p2 = p1 + window->column_stride;
  const uint8_t *p3 = p2 + window->column_stride;
  const uint32_t *taps = window->taps;
  uint32_t words = window->words;
  uint32_t x0, x1, x2, x3, w;
  if (is_signed) {
    SUM_FOUR("cv.sdotsp.b");
  } else {
    SUM_FOUR("cv.sdotusp.b");
  }
}

#else

ALWAYS_INLINE void sum_four(const uint8_t *from, uint32_t pitch, const window_t *window, int32_t sums[BLOCK_OUTPUTS],
                            bool is_signed) {
  const uint32_t *taps = window->taps;
  for (uint32_t word = 0u; word < window->words; ++word) {
    for (uint32_t line = 0u; line < window->lines; ++line) {
      for (uint32_t i = 0u; i < BLOCK_OUTPUTS; ++i) {
        const uint8_t *place = from + line * pitch + 4u * word + i * window->column_stride;
        sums[i] = corev_dot4(load_word(place), *taps, sums[i], is_signed);
      }
      ++taps;
    }
  }
}

#endif

// The output element of a sum that started at 0.
ALWAYS_INLINE uint8_t finish(const channel_t *channel, tinsmith_pulp_stage_kind_t kind, int32_t sum) {
  if (kind == TINSMITH_PULP_TFLITE_S8) {
    const int32_t scaled = scale_tflite(sum + channel->addend, channel->multiplier, channel->shift);
    return (uint8_t)corev_clip_s8(scaled + channel->zero_point);
  }
  if (stage_is_wide(kind)) {
    return (uint8_t)stage_wide(channel->stage, channel->index, (int32_t)((uint32_t)sum + (uint32_t)channel->addend));
  }
  if (kind == TINSMITH_PULP_SCALE_HIGH_S8) {
    const int32_t acc = (int32_t)((uint32_t)sum + (uint32_t)channel->addend);
    const tinsmith_pulp_scale_t scale = {channel->multiplier, channel->zero_point, channel->shift};
    return (uint8_t)corev_clip_s8(scale_once(kind, acc, scale));
  }
  const int32_t scaled = scale_truncating(sum, channel->multiplier, channel->addend, channel->shift);
  return (uint8_t)(kind == TINSMITH_PULP_TRUNCATE_U8 ? corev_clip_u8(scaled) : corev_clip_s8(scaled));
}

// A line's last block steps back over outputs that are done already.
ALWAYS_INLINE void blocks(const area_t *area, const window_t *shared, const channel_t *shared_channel,
                          tinsmith_pulp_stage_kind_t kind, bool is_signed) {
  const window_t window = *shared;
  const channel_t channel = *shared_channel;
  const uint32_t columns = area->columns;
  const uint32_t last = columns < BLOCK_OUTPUTS ? 0u : columns - BLOCK_OUTPUTS;
  const uint32_t count = columns < BLOCK_OUTPUTS ? columns : BLOCK_OUTPUTS;
  const uint8_t *from = channel.plane;
  uint8_t *to = channel.output;
  for (uint32_t line = 0u; line < area->lines; ++line) {
    for (uint32_t next = 0u; next < columns; next += BLOCK_OUTPUTS) {
      const uint32_t column = next < last ? next : last;
      int32_t sums[BLOCK_OUTPUTS] = {0};
      sum_four(from + column * window.column_stride, area->pitch, &window, sums, is_signed);
      uint8_t *output = to + column * area->column_step;
      UNROLLED for (uint32_t i = 0u; i < BLOCK_OUTPUTS; ++i) {
        if (i < count) {
          *output = finish(&channel, kind, sums[i]);
          output += area->column_step;
        }
      }
    }
    from += window.line_stride * area->pitch;
    to += area->line_step;
  }
}

#define DEFINE(NAME, KIND, IS_SIGNED)                                                        \
  void blocks_##NAME(const area_t *area, const window_t *window, const channel_t *channel) { \
    blocks(area, window, channel, KIND, IS_SIGNED);                                          \
  }

DEFINE(u8_u8, TINSMITH_PULP_TRUNCATE_U8, false)
DEFINE(u8_s8, TINSMITH_PULP_TRUNCATE_S8, false)
DEFINE(s8_u8, TINSMITH_PULP_TRUNCATE_U8, true)
DEFINE(s8_s8, TINSMITH_PULP_TRUNCATE_S8, true)
DEFINE(tflite, TINSMITH_PULP_TFLITE_S8, true)
DEFINE(high, TINSMITH_PULP_SCALE_HIGH_S8, true)
// Which of both wide stages it is, stage_wide() finds out.
DEFINE(u8_wide, TINSMITH_PULP_TRUNCATE_WIDE_S8, false)
DEFINE(s8_wide, TINSMITH_PULP_TRUNCATE_WIDE_S8, true)

blocks_t blocks_of_four(tinsmith_pulp_stage_kind_t kind, bool input_is_signed) {
  switch (kind) {
    case TINSMITH_PULP_TFLITE_S8:
      return blocks_tflite;
    case TINSMITH_PULP_SCALE_HIGH_S8:
      return blocks_high;
    case TINSMITH_PULP_TRUNCATE_U8:
      return input_is_signed ? blocks_s8_u8 : blocks_u8_u8;
    case TINSMITH_PULP_TRUNCATE_WIDE_U8:
    case TINSMITH_PULP_TRUNCATE_WIDE_S8:
      return input_is_signed ? blocks_s8_wide : blocks_u8_wide;
    default:
      return input_is_signed ? blocks_s8_s8 : blocks_u8_s8;
  }
}
