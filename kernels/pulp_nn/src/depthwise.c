// Depthwise convolutions over planes (planes.h): four neighbouring outputs of a 3 x 3 kernel are six loads and twelve
// dot products; other kernels go tap word by tap word.
#include "include/tinsmith_pulp_nn.h"
#include "src/internal/planes.h"
#include "src/internal/stage.h"

typedef tinsmith_pulp_depthwise_t layer_t;

// The output stage of one channel. addend: lambda with the bias inside, or TFLite's bias.
typedef struct {
  int32_t multiplier, addend, shift, zero_point, min, max;
} channel_t;

static channel_t channel_of(const tinsmith_pulp_stage_t *stage, uint32_t channel) {
  channel_t result = {.shift = stage->shift, .zero_point = stage->zero_point, .min = stage->min, .max = stage->max};
  const int32_t bias = stage_bias(stage, channel);
  result.multiplier = stage->multipliers == NULL ? stage->multiplier : stage->multipliers[channel];
  if (stage->kind == TINSMITH_PULP_TFLITE_S8) {
    result.shift = stage->shifts[channel];
    result.addend = bias;
    return result;
  }
  const uint32_t addend = stage->addends == NULL ? 0u : (uint32_t)stage->addends[channel];
  result.addend = (int32_t)(addend + (uint32_t)bias * (uint32_t)result.multiplier);
  return result;
}

// The output element of a sum that started at 0.
ALWAYS_INLINE uint8_t finish(const channel_t *channel, tinsmith_pulp_stage_kind_t kind, int32_t sum) {
  if (kind == TINSMITH_PULP_TFLITE_S8) {
    const int32_t scaled = scale_tflite(sum + channel->addend, channel->multiplier, channel->shift);
    const int32_t value = scaled + channel->zero_point;
    const int32_t raised = value < channel->min ? channel->min : value;
    return (uint8_t)(raised > channel->max ? channel->max : raised);
  }
  const int32_t scaled = scale_truncating(sum, channel->multiplier, channel->addend, channel->shift);
  return (uint8_t)(kind == TINSMITH_PULP_TRUNCATE_U8 ? clip_u8(scaled) : clip_s8(scaled));
}

// One output: `lines` lines of `words` tap words.
ALWAYS_INLINE int32_t sum_at(const uint8_t *top, uint32_t pitch, const uint32_t *taps, uint32_t lines, uint32_t words,
                             bool is_signed) {
  int32_t sum = 0;
  for (uint32_t line = 0u; line < lines; ++line) {
    for (uint32_t word = 0u; word < words; ++word) {
      sum = dot4(load_word(top + 4u * word), taps[words * line + word], sum, is_signed);
    }
    top += pitch;
  }
  return sum;
}

ALWAYS_INLINE int32_t sum_3x3(const uint8_t *top, uint32_t pitch, const uint32_t *taps, bool is_signed) {
  const int32_t first = dot4(load_word(top), taps[0], 0, is_signed);
  const int32_t second = dot4(load_word(top + pitch), taps[1], first, is_signed);
  return dot4(load_word(top + 2u * pitch), taps[2], second, is_signed);
}

#if TINSMITH_COREV

// One line's share of four sums: A holds bytes 0 to 3, M bytes 2 to 5; the second tap word is moved up by a byte.
#define LINE_DOTS(DOT, LINE, TAPS)                                                                                \
  "lw %[m], 2(%[" LINE                                                                                            \
  "])\n\t"                                                                                                        \
  "cv.lw %[a], (%[" LINE "]), 4\n\t" DOT " %[s2], %[m], %[" TAPS "]\n\t" DOT " %[s3], %[m], %[" TAPS "s]\n\t" DOT \
  " %[s0], %[a], %[" TAPS "]\n\t" DOT " %[s1], %[a], %[" TAPS "s]\n\t"

#define ALL_DOTS(FIRST, DOT) LINE_DOTS(FIRST, "p0", "t0") LINE_DOTS(DOT, "p1", "t1") LINE_DOTS(DOT, "p2", "t2")

#define TRUNCATE_ONE(SUM, CLIP) \
  "mul %[" SUM "], %[" SUM      \
  "], %[multiplier]\n\t"        \
  "add %[" SUM "], %[" SUM      \
  "], %[addend]\n\t"            \
  "sra %[" SUM "], %[" SUM "], %[shift]\n\t" CLIP " %[" SUM "], %[" SUM

#define STORE_ONE(SUM) "cv.sb %[" SUM "], (%[to]), %[step]\n\t"

#define TRUNCATE_U8(SUM) TRUNCATE_ONE(SUM, "cv.clipu") "], 9\n\t" STORE_ONE(SUM)
#define TRUNCATE_S8(SUM) TRUNCATE_ONE(SUM, "cv.clip") "], 8\n\t" STORE_ONE(SUM)

// As scale_right() in stage.h. The registers a and m are free by now.
#define TFLITE_S8(SUM)            \
  "mulhsu %[a], %[" SUM           \
  "], %[multiplier]\n\t"          \
  "mul %[m], %[" SUM              \
  "], %[multiplier]\n\t"          \
  "srli %[m], %[m], 31\n\t"       \
  "add %[a], %[a], %[m]\n\t"      \
  "srai %[" SUM "], %[" SUM       \
  "], 31\n\t"                     \
  "cv.addRNr %[a], %[" SUM        \
  "], %[shift]\n\t"               \
  "add %[a], %[a], %[zero]\n\t"   \
  "cv.max %[a], %[a], %[min]\n\t" \
  "cv.min %[a], %[a], %[max]\n\t" \
  "cv.sb %[a], (%[to]), %[step]\n\t"

#define START_SUMS               \
  "addi %[s0], %[addend], 0\n\t" \
  "addi %[s1], %[addend], 0\n\t" \
  "addi %[s2], %[addend], 0\n\t" \
  "addi %[s3], %[addend], 0\n\t"

#define FOUR(STAGE) STAGE("s0") STAGE("s1") STAGE("s2") STAGE("s3")

#define BLOCKS_OF_FOUR(BODY, ...)                                                                                \
  __asm__ volatile(COREV_LOOP("%[n]") BODY COREV_LOOP_END                                                        \
                   : [p0] "+&r"(p0), [p1] "+&r"(p1), [p2] "+&r"(p2), [to] "+&r"(to), [a] "=&r"(a), [m] "=&r"(m), \
                     [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3)                              \
                   : [n] "r"(blocks), [step] "r"(step), [t0] "r"(taps[0]), [t1] "r"(taps[1]), [t2] "r"(taps[2]), \
                     [t0s] "r"(taps[0] << 8), [t1s] "r"(taps[1] << 8), [t2s] "r"(taps[2] << 8),                  \
                     [addend] "r"(channel->addend), [shift] "r"(channel->shift), __VA_ARGS__                     \
                   : "memory")

#define TRUNCATED [multiplier] "r"(channel->multiplier)
#define SCALED                                                                                          \
  [multiplier] "r"(channel->multiplier << 1), [zero] "r"(channel->zero_point), [min] "r"(channel->min), \
      [max] "r"(channel->max)

// Blocks of four outputs, one block or more.
ALWAYS_INLINE void blocks_3x3(const uint8_t *p0, uint32_t pitch, const uint32_t *taps, uint32_t blocks, uint8_t *to,
                              uint32_t step, const channel_t *channel, tinsmith_pulp_stage_kind_t kind,
                              bool is_signed) {
  const uint8_t *p1 = p0 + pitch;
  const uint8_t *p2 = p1 + pitch;
  uint32_t a, m, s0, s1, s2, s3;
  if (kind == TINSMITH_PULP_TFLITE_S8) {
    BLOCKS_OF_FOUR(START_SUMS ALL_DOTS("cv.sdotsp.b", "cv.sdotsp.b") FOUR(TFLITE_S8), SCALED);
  } else if (kind == TINSMITH_PULP_TRUNCATE_U8) {
    if (is_signed) {
      BLOCKS_OF_FOUR(ALL_DOTS("cv.dotsp.b", "cv.sdotsp.b") FOUR(TRUNCATE_U8), TRUNCATED);
    } else {
      BLOCKS_OF_FOUR(ALL_DOTS("cv.dotusp.b", "cv.sdotusp.b") FOUR(TRUNCATE_U8), TRUNCATED);
    }
  } else {
    if (is_signed) {
      BLOCKS_OF_FOUR(ALL_DOTS("cv.dotsp.b", "cv.sdotsp.b") FOUR(TRUNCATE_S8), TRUNCATED);
    } else {
      BLOCKS_OF_FOUR(ALL_DOTS("cv.dotusp.b", "cv.sdotusp.b") FOUR(TRUNCATE_S8), TRUNCATED);
    }
  }
}

#else

ALWAYS_INLINE void blocks_3x3(const uint8_t *top, uint32_t pitch, const uint32_t *taps, uint32_t blocks, uint8_t *to,
                              uint32_t step, const channel_t *channel, tinsmith_pulp_stage_kind_t kind,
                              bool is_signed) {
  for (uint32_t i = 0u; i < 4u * blocks; ++i) {
    to[i * step] = finish(channel, kind, sum_3x3(top + i, pitch, taps, is_signed));
  }
}

#endif

// Outputs from `first` on to the end of a line, one by one.
ALWAYS_INLINE void singles(const uint8_t *top, const plan_t *plan, uint32_t first, const uint32_t *taps, uint8_t *to,
                           const channel_t *channel, tinsmith_pulp_stage_kind_t kind, bool is_signed) {
  const side_t *line = &plan->line;
  top += first * line->stride;
  to += first * line->output_step;
  if (plan->cross.kernel == 3u && plan->tap_words == 1u) {
    for (uint32_t i = first; i < line->output; ++i) {
      *to = finish(channel, kind, sum_3x3(top, plan->pitch, taps, is_signed));
      top += line->stride;
      to += line->output_step;
    }
    return;
  }
  for (uint32_t i = first; i < line->output; ++i) {
    const int32_t sum = sum_at(top, plan->pitch, taps, plan->cross.kernel, plan->tap_words, is_signed);
    *to = finish(channel, kind, sum);
    top += line->stride;
    to += line->output_step;
  }
}

// The lines of a band for one channel.
ALWAYS_INLINE void channel_band(const plan_t *plan, uint32_t lines, const uint8_t *plane, const uint32_t *taps,
                                uint8_t *to, const channel_t *channel, tinsmith_pulp_stage_kind_t kind,
                                bool is_signed) {
  const side_t *line = &plan->line;
  const bool is_fast = line->stride == 1u && line->kernel == 3u && plan->cross.kernel == 3u &&
                       (kind != TINSMITH_PULP_TFLITE_S8 || channel->shift > 0);
  const uint32_t blocks = is_fast ? line->output / 4u : 0u;
  for (uint32_t i = 0u; i < lines; ++i) {
    if (blocks != 0u) {
      blocks_3x3(plane, plan->pitch, taps, blocks, to, line->output_step, channel, kind, is_signed);
    }
    if ((line->output & 3u) != 0u || blocks == 0u) {
      singles(plane, plan, 4u * blocks, taps, to, channel, kind, is_signed);
    }
    plane += plan->cross.stride * plan->pitch;
    to += plan->cross.output_step;
  }
}

ALWAYS_INLINE void depthwise(const layer_t *shared, tinsmith_pulp_core_t core, tinsmith_pulp_stage_kind_t kind,
                             bool is_signed) {
  // On the stack, which is near, and which the output cannot alias.
  const layer_t local = *shared;
  const layer_t *layer = &local;
  const plan_t plan = plan_depthwise(layer, core.cores);
  uint8_t *planes = layer->scratch + core.core * plan_scratch_bytes(&plan);
  uint32_t *taps = (uint32_t *)(planes + plan.group * plan.plane_bytes);
  const uint32_t groups = plan.group == 4u ? (layer->channels + 3u) / 4u : layer->channels;
  const uint32_t end = quotient(groups * plan.bands * (core.core + 1u), core.cores);
  uint32_t cleared_band = UINT32_MAX;
  for (uint32_t task = quotient(groups * plan.bands * core.core, core.cores); task < end; ++task) {
    const uint32_t first = quotient(task, plan.bands) * plan.group;
    const uint32_t band = task & (plan.bands - 1u);
    const uint32_t top = band * plan.band_lines;
    if (top >= plan.cross.output) {
      continue;
    }
    const uint32_t left = plan.cross.output - top;
    const uint32_t lines = left < plan.band_lines ? left : plan.band_lines;
    const uint32_t count = layer->channels - first < plan.group ? layer->channels - first : plan.group;
    if (band != cleared_band) {
      clear_planes(layer, &plan, planes);
      cleared_band = band;
    }
    unpack_planes(layer, &plan, band, first, count, planes);
    for (uint32_t i = 0u; i < count; ++i) {
      const channel_t channel = channel_of(&layer->stage, first + i);
      unpack_taps(layer, &plan, first + i, taps);
      channel_band(&plan, lines, planes + i * plan.plane_bytes, taps,
                   (uint8_t *)layer->output + top * plan.cross.output_step + first + i, &channel, kind, is_signed);
    }
  }
}

#define DEPTHWISE(NAME, KIND, IS_SIGNED)                                                        \
  static __attribute__((noinline)) void NAME(const layer_t *layer, tinsmith_pulp_core_t core) { \
    depthwise(layer, core, KIND, IS_SIGNED);                                                    \
  }

DEPTHWISE(u8_u8, TINSMITH_PULP_TRUNCATE_U8, false)
DEPTHWISE(u8_s8, TINSMITH_PULP_TRUNCATE_S8, false)
DEPTHWISE(s8_u8, TINSMITH_PULP_TRUNCATE_U8, true)
DEPTHWISE(s8_s8, TINSMITH_PULP_TRUNCATE_S8, true)
DEPTHWISE(tflite, TINSMITH_PULP_TFLITE_S8, true)

void tinsmith_pulp_depthwise(const layer_t *layer, tinsmith_pulp_core_t core) {
  if (layer->stage.kind == TINSMITH_PULP_TFLITE_S8) {
    tflite(layer, core);
  } else if (layer->stage.kind == TINSMITH_PULP_TRUNCATE_U8) {
    (layer->input_is_signed ? s8_u8 : u8_u8)(layer, core);
  } else {
    (layer->input_is_signed ? s8_s8 : u8_s8)(layer, core);
  }
}
