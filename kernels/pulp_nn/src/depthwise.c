// Depthwise convolutions over planes (planes.h): a 3 x 3 or 5 x 5 kernel in strips (strips.h), other kernels four
// neighbouring outputs at a time, tap word by tap word.
#include "internal/blocks.h"
#include "internal/planes.h"
#include "internal/stage.h"
#include "internal/strips.h"
#include "tinsmith_pulp_nn.h"

typedef tinsmith_pulp_depthwise_t layer_t;

// Numbers of channels side by side, or one number for all.
typedef struct {
  const int32_t *next;
  uint32_t step;
} numbers_t;

static inline numbers_t numbers_of(const int32_t *array, const int32_t *number, uint32_t first) {
  return array == NULL ? (numbers_t){number, 0u} : (numbers_t){array + first, 1u};
}

static inline int32_t take(numbers_t *numbers) {
  const int32_t number = *numbers->next;
  numbers->next += numbers->step;
  return number;
}

// The output stages of channels whose scales lie side by side.
static void scales_of(const tinsmith_pulp_stage_t *stage, uint32_t first, uint32_t count, channel_t *channels) {
  for (uint32_t i = 0u; i < count; ++i) {
    const tinsmith_pulp_scale_t *scale = stage->scales + first + i;
    channels[i].multiplier = scale->multiplier;
    channels[i].shift = scale->shift;
    channels[i].addend = stage->bias == NULL ? scale->addend : stage->bias[first + i];
    channels[i].zero_point = scale->addend;
  }
}

// The output stages of channels first to first + count - 1.
static void stages_of(const tinsmith_pulp_stage_t *stage, uint32_t first, uint32_t count, channel_t *channels) {
  const bool is_tflite = stage->kind == TINSMITH_PULP_TFLITE_S8;
  const int32_t zero = 0;
  const int32_t one = 1;
  numbers_t multipliers = numbers_of(stage->multipliers, &stage->multiplier, first);
  numbers_t factors = is_tflite ? (numbers_t){&one, 0u} : multipliers;
  numbers_t addends = numbers_of(is_tflite ? NULL : stage->addends, &zero, first);
  numbers_t shifts = numbers_of(is_tflite ? stage->shifts : NULL, &stage->shift, first);
  numbers_t biases = numbers_of(stage->bias, &zero, first);
  for (channel_t *channel = channels; channel < channels + count; ++channel) {
    channel->multiplier = take(&multipliers);
    channel->shift = take(&shifts);
    channel->addend = (int32_t)((uint32_t)take(&addends) + (uint32_t)take(&biases) * (uint32_t)take(&factors));
    channel->zero_point = stage->zero_point;
  }
  if (stage->bias == NULL && stage->bias_s8 != NULL) {
    for (uint32_t i = 0u; i < count; ++i) {
      const uint32_t factor = is_tflite ? 1u : (uint32_t)channels[i].multiplier;
      channels[i].addend = (int32_t)((uint32_t)channels[i].addend + (uint32_t)stage->bias_s8[first + i] * factor);
    }
  }
}

// What a wide stage takes instead.
static void widen(const tinsmith_pulp_stage_t *stage, uint32_t index, channel_t *channel) {
  channel->addend = stage_bias(stage, index);
  channel->stage = stage;
  channel->index = index;
}

// Bounds narrower than int8's, of `count` channels side by side.
static void clamp_outputs(const tinsmith_pulp_stage_t *stage, const area_t *area, uint8_t *line, uint32_t count) {
  for (uint32_t i = 0u; i < area->lines; ++i) {
    uint8_t *pixel = line;
    for (uint32_t column = 0u; column < area->columns; ++column) {
      if (count == 4u) {
        store_word(pixel, corev_clamp_bytes(load_word(pixel), stage->min, stage->max, true));
      } else {
        for (uint32_t channel = 0u; channel < count; ++channel) {
          pixel[channel] = (uint8_t)corev_clamp_bytes(pixel[channel], stage->min, stage->max, true);
        }
      }
      pixel += area->column_step;
    }
    line += area->line_step;
  }
}

typedef void (*stages_t)(const tinsmith_pulp_stage_t *stage, uint32_t first, uint32_t count, channel_t *channels);

// The functions that a depthwise layer may need, NULL where there is none: constants, so that a program of one kind
// links no others. Without blocks all layers are for strips.
typedef struct {
  stages_t stages;
  unpack_t unpack;
  strips_t strips_3x3[2];  // by stride
  strips_t strips_5x5;
  void (*taps_5x5)(const layer_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps);
  blocks_t blocks;
} loops_t;

// What a core is at: a layer, how it is divided, the core's part of the scratch memory.
typedef struct {
  const layer_t *layer;
  const plan_t *plan;
  uint8_t *planes;
  strips_t strips;  // NULL where the kernel or its strides are others
  void (*taps)(const layer_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps);  // for strips
} work_t;

// Whether strips compute these channels.
static bool are_for_strips(const work_t *work, const channel_t *channels, uint32_t count) {
  bool are_fit = work->strips != NULL;
  if (work->layer->stage.kind == TINSMITH_PULP_TFLITE_S8) {
    for (uint32_t i = 0u; i < count; ++i) {
      const bool is_shift_fit = channels[i].shift > 0 && channels[i].shift <= LARGEST_SHIFT_BY_HALVES;
      are_fit = are_fit && is_shift_fit && channels[i].multiplier != 0;
    }
  }
  return are_fit;
}

// `count` channels from `first` on, whose outputs start at `output`.
ALWAYS_INLINE void run_group(const work_t *work, const loops_t *loops, uint32_t first, uint32_t count,
                             const area_t *area, uint8_t *output) {
  const plan_t *plan = work->plan;
  const tinsmith_pulp_stage_t *stage = &work->layer->stage;
  channel_t channels[4];
  loops->stages(stage, first, count, channels);
  for (uint32_t i = 0u; i < count; ++i) {
    channels[i].plane = work->planes + i * plan->plane_bytes;
    channels[i].output = output + i;
  }
  if (loops->blocks == NULL || are_for_strips(work, channels, count)) {
    for (uint32_t i = 0u; i < count; ++i) {
      work->taps(work->layer, plan, first + i, channels[i].taps);
    }
    work->strips(area, channels, count);
  } else {
    uint32_t *taps = (uint32_t *)(work->planes + plan->group * plan->plane_bytes);
    const window_t window = {plan->cross.kernel, plan->tap_words, plan->cross.stride, plan->line.stride, taps};
    for (uint32_t i = 0u; i < count; ++i) {
      unpack_taps(work->layer, plan, first + i, taps);
      if (stage_is_wide(stage->kind)) {
        widen(stage, first + i, &channels[i]);
      }
      loops->blocks(area, &window, &channels[i]);
    }
  }
  if (stage_is_clamped(stage, stage->kind)) {
    clamp_outputs(stage, area, output, count);
  }
}

ALWAYS_INLINE void choose_strips(work_t *work, const loops_t *loops) {
  const layer_t *layer = work->layer;
  const uint32_t kernel = layer->kernel_width;
  const uint32_t stride = layer->stride_width;
  if (layer->kernel_height != kernel || layer->stride_height != stride || stage_is_wide(layer->stage.kind)) {
    return;
  }
  if (kernel == 3u && stride <= 2u) {
    work->strips = loops->strips_3x3[stride - 1u];
    work->taps = taps_3x3;
  } else if (kernel == 5u && stride == 1u) {
    work->strips = loops->strips_5x5;
    work->taps = loops->taps_5x5;
  }
}

ALWAYS_INLINE void depthwise(const layer_t *shared, tinsmith_pulp_core_t core, const loops_t *loops) {
  // On the stack, which is near, and which the output cannot alias.
  layer_t layer;
  copy_bytes((uint8_t *)&layer, (const uint8_t *)shared, sizeof layer);
  const plan_t plan = plan_depthwise(&layer, core.cores);
  work_t work = {
      .layer = &layer,
      .plan = &plan,
      .planes = layer.scratch + core.core * plan_scratch_bytes(&plan),
  };
  choose_strips(&work, loops);
  area_t area = {
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
    unpack_planes(&layer, &plan, band, first, count, work.planes, loops->unpack);
    area.lines = plan.cross.output - top < plan.band_lines ? plan.cross.output - top : plan.band_lines;
    run_group(&work, loops, first, count, &area, (uint8_t *)layer.output + top * plan.cross.output_step + first);
  }
}

void tinsmith_pulp_depthwise(const layer_t *layer, tinsmith_pulp_core_t core) {
  const tinsmith_pulp_stage_kind_t kind = layer->stage.kind;
  const bool is_signed = layer->input_is_signed;
  loops_t loops = {
      .stages = stage_is_scale(kind) ? scales_of : stages_of,
      .unpack = layer->input_is_chw ? unpack_chw : unpack_hwc,
      .taps_5x5 = taps_5x5,
      .blocks = blocks_of_four(kind, is_signed),
  };
  if (layer->kernel_width == 3u && layer->stride_width <= 2u) {
    loops.strips_3x3[layer->stride_width - 1u] = strips_3x3(kind, is_signed, layer->stride_width);
  } else if (layer->kernel_width == 5u) {
    loops.strips_5x5 = strips_5x5(kind, is_signed);
  }
  depthwise(layer, core, &loops);
}

#define TYPED_DEPTHWISE(NAME, STAGES, KINDS)                                                                        \
  void tinsmith_pulp_depthwise_##NAME(const layer_t *layer, tinsmith_pulp_core_t core) {                            \
    const loops_t loops = {                                                                                         \
        STAGES,   unpack_hwc,    {strips_3x3_##KINDS##_1, strips_3x3_##KINDS##_2}, strips_5x5_##KINDS,              \
        taps_5x5, blocks_##KINDS};                                                                                  \
    depthwise(layer, core, &loops);                                                                                 \
  }                                                                                                                 \
  void tinsmith_pulp_depthwise_3x3_##NAME(const layer_t *layer, tinsmith_pulp_core_t core) {                        \
    const loops_t loops = {STAGES, unpack_hwc, {strips_3x3_##KINDS##_1, strips_3x3_##KINDS##_2}, NULL, NULL, NULL}; \
    depthwise(layer, core, &loops);                                                                                 \
  }

TYPED_DEPTHWISE(tflite_s8, stages_of, tflite)
TYPED_DEPTHWISE(truncate_s8, stages_of, s8_s8)
// A shift for each channel is no more work than one for all.
TYPED_DEPTHWISE(scale_s8, scales_of, s8_s8)
TYPED_DEPTHWISE(scale_high_s8, scales_of, high)
