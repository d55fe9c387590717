// Depthwise convolutions over planes (planes.h): a 3 x 3 kernel in strips (strips.h), other kernels four neighbouring
// outputs at a time, tap word by tap word.
#include "include/tinsmith_pulp_nn.h"
#include "src/internal/planes.h"
#include "src/internal/stage.h"
#include "src/internal/strips.h"

typedef tinsmith_pulp_depthwise_t layer_t;

// The output stages of channels first to first + count - 1.
static void stages_of(const tinsmith_pulp_stage_t *stage, uint32_t first, uint32_t count, channel_t *channels) {
  const bool is_tflite = stage->kind == TINSMITH_PULP_TFLITE_S8;
  for (uint32_t i = 0u; i < count; ++i) {
    const uint32_t index = first + i;
    const int32_t bias = stage_bias(stage, index);
    const int32_t multiplier = stage->multipliers == NULL ? stage->multiplier : stage->multipliers[index];
    const uint32_t addend = is_tflite || stage->addends == NULL ? 0u : (uint32_t)stage->addends[index];
    channels[i].multiplier = multiplier;
    channels[i].addend = is_tflite ? bias : (int32_t)(addend + (uint32_t)bias * (uint32_t)multiplier);
    channels[i].shift = is_tflite ? stage->shifts[index] : stage->shift;
    channels[i].zero_point = stage->zero_point;
  }
}

// The output element of a sum that started at 0.
static uint8_t finish(const channel_t *channel, tinsmith_pulp_stage_kind_t kind, int32_t sum) {
  if (kind == TINSMITH_PULP_TFLITE_S8) {
    const int32_t scaled = scale_tflite(sum + channel->addend, channel->multiplier, channel->shift);
    return (uint8_t)clip_s8(scaled + channel->zero_point);
  }
  const int32_t scaled = scale_truncating(sum, channel->multiplier, channel->addend, channel->shift);
  return (uint8_t)(kind == TINSMITH_PULP_TRUNCATE_U8 ? clip_u8(scaled) : clip_s8(scaled));
}

// Adds `count` words' products to four sums: of words `pitch` bytes apart from four places on, and of tap words
// `tap_pitch` bytes apart.
ALWAYS_INLINE void add_products(const uint8_t *const from[4], uint32_t pitch, const uint8_t *taps, uint32_t tap_pitch,
                                uint32_t count, int32_t sums[4], bool is_signed) {
  const uint8_t *p0 = from[0];
  const uint8_t *p1 = from[1];
  const uint8_t *p2 = from[2];
  const uint8_t *p3 = from[3];
#if TINSMITH_COREV
  uint32_t x0, x1, x2, x3, w;
#define FOUR_PRODUCTS(DOT) \
  __asm__ volatile(COREV_LOOP("%[n]")                                                                              \
                   "cv.lw %[w], (%[taps]), %[tap_pitch]\n\t"                                                       \
                   "cv.lw %[x0], (%[p0]), %[pitch]\n\t"                                                            \
                   "cv.lw %[x1], (%[p1]), %[pitch]\n\t"                                                            \
                   "cv.lw %[x2], (%[p2]), %[pitch]\n\t"                                                            \
                   "cv.lw %[x3], (%[p3]), %[pitch]\n\t" DOT " %[s0], %[x0], %[w]\n\t" DOT                          \
                   " %[s1], %[x1], %[w]\n\t" DOT " %[s2], %[x2], %[w]\n\t" DOT                                     \
                   " %[s3], %[x3], %[w]" COREV_LOOP_END                                                            \
                   : [p0] "+&r"(p0), [p1] "+&r"(p1), [p2] "+&r"(p2), [p3] "+&r"(p3), [taps] "+&r"(taps),           \
                     [x0] "=&r"(x0), [x1] "=&r"(x1), [x2] "=&r"(x2), [x3] "=&r"(x3), [w] "=&r"(w),                 \
                     [s0] "+&r"(sums[0]), [s1] "+&r"(sums[1]), [s2] "+&r"(sums[2]), [s3] "+&r"(sums[3])            \
                   : [n] "r"(count), [pitch] "r"(pitch), [tap_pitch] "r"(tap_pitch)                                \
                   : "memory")
  if (is_signed) {
    FOUR_PRODUCTS("cv.sdotsp.b");
  } else {
    FOUR_PRODUCTS("cv.sdotusp.b");
  }
#else
  for (uint32_t i = 0u; i < count; ++i) {
    const uint32_t w = load_word(taps + i * tap_pitch);
    sums[0] = dot4(load_word(p0 + i * pitch), w, sums[0], is_signed);
    sums[1] = dot4(load_word(p1 + i * pitch), w, sums[1], is_signed);
    sums[2] = dot4(load_word(p2 + i * pitch), w, sums[2], is_signed);
    sums[3] = dot4(load_word(p3 + i * pitch), w, sums[3], is_signed);
  }
#endif
}

// Four outputs side by side, the last ones of a line more than once. The taps are words, a line after the other.
ALWAYS_INLINE void block_of_four(const plan_t *plan, const area_t *area, const uint8_t *line, uint8_t *output,
                                 uint32_t column, const uint32_t *taps, const channel_t *channel,
                                 tinsmith_pulp_stage_kind_t kind, bool is_signed) {
  uint32_t columns[4];
  const uint8_t *from[4];
  int32_t sums[4] = {0};
  UNROLLED for (uint32_t i = 0u; i < 4u; ++i) {
    columns[i] = column + i < area->columns ? column + i : area->columns - 1u;
    from[i] = line + columns[i] * plan->line.stride;
  }
  for (uint32_t word = 0u; word < plan->tap_words; ++word) {
    add_products(from, area->pitch, (const uint8_t *)(taps + word), 4u * plan->tap_words, plan->cross.kernel, sums,
                 is_signed);
    UNROLLED for (uint32_t i = 0u; i < 4u; ++i) {
      from[i] += 4;
    }
  }
  UNROLLED for (uint32_t i = 0u; i < 4u; ++i) {
    output[columns[i] * area->column_step] = finish(channel, kind, sums[i]);
  }
}

ALWAYS_INLINE void blocks_of_four(const plan_t *plan, const area_t *area, uint32_t index, const uint32_t *taps,
                                  const channel_t *channel, tinsmith_pulp_stage_kind_t kind, bool is_signed) {
  const uint8_t *line = area->plane + index * area->plane_bytes;
  uint8_t *output = area->output + index;
  for (uint32_t i = 0u; i < area->lines; ++i) {
    for (uint32_t column = 0u; column < area->columns; column += 4u) {
      block_of_four(plan, area, line, output, column, taps, channel, kind, is_signed);
    }
    line += plan->cross.stride * area->pitch;
    output += area->line_step;
  }
}

// The outputs of a group's channel `index`, for any kernel and any stride.
static void blocks(const layer_t *layer, const plan_t *plan, const area_t *area, uint32_t index, const uint32_t *taps,
                   const channel_t *channel) {
  const tinsmith_pulp_stage_kind_t kind = layer->stage.kind;
  if (layer->input_is_signed || kind == TINSMITH_PULP_TFLITE_S8) {
    blocks_of_four(plan, area, index, taps, channel, kind, true);
  } else {
    blocks_of_four(plan, area, index, taps, channel, kind, false);
  }
}

// TFLite's clamp, where it is narrower than int8, of `count` channels side by side.
static void clamp_outputs(const tinsmith_pulp_stage_t *stage, const area_t *area, uint32_t count) {
  uint8_t *line = area->output;
  for (uint32_t i = 0u; i < area->lines; ++i) {
    uint8_t *pixel = line;
    for (uint32_t column = 0u; column < area->columns; ++column) {
      if (count == 4u) {
        store_word(pixel, clamp_bytes(load_word(pixel), stage->min, stage->max, true));
      } else {
        for (uint32_t channel = 0u; channel < count; ++channel) {
          pixel[channel] = (uint8_t)clamp_bytes(pixel[channel], stage->min, stage->max, true);
        }
      }
      pixel += area->column_step;
    }
    line += area->line_step;
  }
}

// What a core is at: a layer, how it is divided, the core's part of the scratch memory.
typedef struct {
  const layer_t *layer;
  const plan_t *plan;
  uint8_t *planes;
  strips_t strips;  // NULL where the kernel or its strides are others
} work_t;

// Whether strips compute these channels.
static bool are_for_strips(const work_t *work, const channel_t *channels, uint32_t count) {
  bool are_fit = work->strips != NULL;
  if (work->layer->stage.kind == TINSMITH_PULP_TFLITE_S8) {
    for (uint32_t i = 0u; i < count; ++i) {
      are_fit = are_fit && channels[i].shift > 0 && channels[i].multiplier != 0;
    }
  }
  return are_fit;
}

// `count` channels from `first` on.
static void run_group(const work_t *work, uint32_t first, uint32_t count, const area_t *area) {
  const plan_t *plan = work->plan;
  const tinsmith_pulp_stage_t *stage = &work->layer->stage;
  channel_t channels[4];
  stages_of(stage, first, count, channels);
  if (are_for_strips(work, channels, count)) {
    for (uint32_t i = 0u; i < count; ++i) {
      taps_3x3(work->layer, plan, first + i, channels[i].taps);
    }
    work->strips(area, channels, count);
  } else {
    uint32_t *taps = (uint32_t *)(work->planes + plan->group * plan->plane_bytes);
    for (uint32_t i = 0u; i < count; ++i) {
      unpack_taps(work->layer, plan, first + i, taps);
      blocks(work->layer, plan, area, i, taps, &channels[i]);
    }
  }
  if (stage->kind == TINSMITH_PULP_TFLITE_S8 && (stage->min > -128 || stage->max < 127)) {
    clamp_outputs(stage, area, count);
  }
}

static strips_t strips_of(const layer_t *layer) {
  const bool is_3x3 = layer->kernel_height == 3u && layer->kernel_width == 3u;
  const bool is_even = layer->stride_height == layer->stride_width && layer->stride_width <= 2u;
  return is_3x3 && is_even ? strips_3x3(layer->stage.kind, layer->input_is_signed, layer->stride_width) : NULL;
}

void tinsmith_pulp_depthwise(const layer_t *shared, tinsmith_pulp_core_t core) {
  // On the stack, which is near, and which the output cannot alias.
  layer_t layer;
  copy_bytes((uint8_t *)&layer, (const uint8_t *)shared, sizeof layer);
  const plan_t plan = plan_depthwise(&layer, core.cores);
  const work_t work = {&layer, &plan, layer.scratch + core.core * plan_scratch_bytes(&plan), strips_of(&layer)};
  area_t area = {
      .plane = work.planes,
      .plane_bytes = plan.plane_bytes,
      .columns = plan.line.output,
      .pitch = plan.pitch,
      .column_step = plan.line.output_step,
      .line_step = plan.cross.output_step,
  };
  const uint32_t tasks = plan.groups << plan.band_shift;
  const uint32_t end = quotient(tasks * (core.core + 1u), core.cores);
  uint32_t cleared_band = UINT32_MAX;
  for (uint32_t task = quotient(tasks * core.core, core.cores); task < end; ++task) {
    const uint32_t first = (task >> plan.band_shift) * plan.group;
    const uint32_t band = task & ((1u << plan.band_shift) - 1u);
    const uint32_t top = band * plan.band_lines;
    if (top >= plan.cross.output) {
      continue;
    }
    const uint32_t count = layer.channels - first < plan.group ? layer.channels - first : plan.group;
    if (band != cleared_band) {
      clear_planes(&layer, &plan, work.planes);
      cleared_band = band;
    }
    unpack_planes(&layer, &plan, band, first, count, work.planes);
    area.output = (uint8_t *)layer.output + top * plan.cross.output_step + first;
    area.lines = plan.cross.output - top < plan.band_lines ? plan.cross.output - top : plan.band_lines;
    run_group(&work, first, count, &area);
  }
}
