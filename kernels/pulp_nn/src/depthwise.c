// Depthwise convolutions over planes (planes.h): a 3 x 3 or 5 x 5 kernel in strips (strips.h), other kernels four
// neighbouring outputs at a time, tap word by tap word.
#include "internal/arranged.h"
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

// The same of TFLite's, where all numbers are arrays.
static void arrays_of(const tinsmith_pulp_stage_t *stage, uint32_t first, uint32_t count, channel_t *channels) {
  for (uint32_t i = 0u; i < count; ++i) {
    channels[i].multiplier = stage->multipliers[first + i];
    channels[i].shift = stage->shifts[first + i];
    channels[i].addend = stage->bias[first + i];
    channels[i].zero_point = stage->zero_point;
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
static __attribute__((noinline)) void clamp_outputs(int32_t min, int32_t max, const area_t *area, uint8_t *line,
                                                    uint32_t count) {
  for (uint32_t i = 0u; i < area->lines; ++i) {
    uint8_t *pixel = line;
    for (uint32_t column = 0u; column < area->columns; ++column) {
      if (count == 4u) {
        store_word(pixel, corev_clamp_bytes(load_word(pixel), min, max, true));
      } else {
        for (uint32_t channel = 0u; channel < count; ++channel) {
          pixel[channel] = (uint8_t)corev_clamp_bytes(pixel[channel], min, max, true);
        }
      }
      pixel += area->column_step;
    }
    line += area->line_step;
  }
}

// Kernels that go in strips: 3 x 3 by stride, 5 x 5.
enum { STRIPS_3X3_STRIDE_1, STRIPS_3X3_STRIDE_2, STRIPS_5X5, STRIPS_KERNELS };

typedef void (*stages_t)(const tinsmith_pulp_stage_t *stage, uint32_t first, uint32_t count, channel_t *channels);
typedef strips_t (*choose_strips_t)(tinsmith_pulp_stage_kind_t kind, bool input_is_signed, uint32_t kernel);
typedef blocks_t (*choose_blocks_t)(tinsmith_pulp_stage_kind_t kind, bool input_is_signed);

// The functions that a depthwise layer may need: constants, so that a program of one kind links no others. Without
// choose_blocks, NULL, all layers are 3 x 3 for strips.
typedef struct {
  stages_t stages;
  unpack_t unpack;
  choose_strips_t choose_strips;
  choose_blocks_t choose_blocks;
} loops_t;

// What a core is at: a layer, how it is divided, the core's part of the scratch memory.
typedef struct {
  const layer_t *layer;
  const plan_t *plan;
  uint8_t *planes;
  uint32_t kernel;  // for strips: STRIPS_KERNELS where it or its strides are others
  strips_t strips;
} work_t;

// Whether strips compute these channels.
static bool are_for_strips(const work_t *work, const channel_t *channels, uint32_t count) {
  bool are_fit = work->kernel != STRIPS_KERNELS;
  if (work->layer->stage.kind == TINSMITH_PULP_TFLITE_S8) {
    for (uint32_t i = 0u; i < count; ++i) {
      const bool is_shift_fit = channels[i].shift > 0 && channels[i].shift <= LARGEST_SHIFT_BY_HALVES;
      are_fit = are_fit && is_shift_fit && channels[i].multiplier != 0;
    }
  }
  return are_fit;
}

// Channels from `first` on, block by block; in a place of its own, beside what most layers run.
static __attribute__((noinline)) void run_blocks(const work_t *work, choose_blocks_t choose, uint32_t first,
                                                 uint32_t count, const area_t *area, channel_t *channels) {
  const plan_t *plan = work->plan;
  const tinsmith_pulp_stage_t *stage = &work->layer->stage;
  const blocks_t blocks = choose(stage->kind, work->layer->input_is_signed);
  uint32_t *taps = (uint32_t *)(work->planes + plan->group * plan->plane_bytes);
  const window_t window = {plan->cross.kernel, plan->tap_words, plan->cross.stride, plan->line.stride, taps};
  for (uint32_t i = 0u; i < count; ++i) {
    unpack_taps(work->layer, plan, first + i, taps);
    if (stage_is_wide(stage->kind)) {
      widen(stage, first + i, &channels[i]);
    }
    blocks(area, &window, &channels[i]);
  }
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
  if (loops->choose_blocks == NULL || are_for_strips(work, channels, count)) {
    for (uint32_t i = 0u; i < count; ++i) {
      if (loops->choose_blocks != NULL && work->kernel == STRIPS_5X5) {
        taps_5x5(work->layer, plan, first + i, channels[i].taps);
      } else {
        taps_3x3(work->layer, plan, first + i, channels[i].taps);
      }
    }
    work->strips(area, channels, count);
  } else {
    run_blocks(work, loops->choose_blocks, first, count, area, channels);
  }
  if (stage_is_clamped(stage, stage->kind)) {
    clamp_outputs(stage->min, stage->max, area, output, count);
  }
}

ALWAYS_INLINE uint32_t strips_kernel(const layer_t *layer) {
  const uint32_t kernel = layer->kernel_width;
  const uint32_t stride = layer->stride_width;
  if (layer->kernel_height != kernel || layer->stride_height != stride || stage_is_wide(layer->stage.kind)) {
    return STRIPS_KERNELS;
  }
  if (kernel == 3u && stride <= 2u) {
    return stride == 1u ? STRIPS_3X3_STRIDE_1 : STRIPS_3X3_STRIDE_2;
  }
  return kernel == 5u && stride == 1u ? STRIPS_5X5 : STRIPS_KERNELS;
}

// layer: each core's own, on its stack, which is near, and which the output cannot alias.
ALWAYS_INLINE void depthwise(const layer_t *layer, tinsmith_pulp_core_t core, const loops_t *loops) {
  const plan_t plan = plan_depthwise(layer, core.cores);
  work_t work = {
      .layer = layer,
      .plan = &plan,
      .planes = layer->scratch + core.core * plan_scratch_bytes(&plan),
      .kernel = loops->choose_blocks == NULL ? layer->stride_width - 1u : strips_kernel(layer),
  };
  if (work.kernel != STRIPS_KERNELS) {
    work.strips = loops->choose_strips(layer->stage.kind, layer->input_is_signed, work.kernel);
  }
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
    const uint32_t count = layer->channels - first < plan.group ? layer->channels - first : plan.group;
    if (band != cleared_band) {
      clear_planes(layer, &plan, work.planes);
      cleared_band = band;
    }
    unpack_planes(layer, &plan, band, first, count, work.planes, loops->unpack);
    area.lines = plan.cross.output - top < plan.band_lines ? plan.cross.output - top : plan.band_lines;
    run_group(&work, loops, first, count, &area, (uint8_t *)layer->output + top * plan.cross.output_step + first);
  }
}

#define STRIPS(NAME) {strips_3x3_##NAME##_1, strips_3x3_##NAME##_2, strips_5x5_##NAME}

// By a table: loads take fewer cycles than the lines of code that compare.
static strips_t strips_of(tinsmith_pulp_stage_kind_t kind, bool input_is_signed, uint32_t kernel) {
  static const strips_t kStrips[][2][STRIPS_KERNELS] = {
      [TINSMITH_PULP_TRUNCATE_U8] = {STRIPS(u8_u8), STRIPS(s8_u8)},
      [TINSMITH_PULP_TRUNCATE_S8] = {STRIPS(u8_s8), STRIPS(s8_s8)},
      [TINSMITH_PULP_TFLITE_S8] = {STRIPS(tflite), STRIPS(tflite)},
      [TINSMITH_PULP_SCALE_S8] = {STRIPS(s8_s8), STRIPS(s8_s8)},
      [TINSMITH_PULP_SCALE_HIGH_S8] = {STRIPS(high), STRIPS(high)},
  };
  return kStrips[kind][input_is_signed ? 1 : 0][kernel];
}

ALWAYS_INLINE layer_t copy_of(const layer_t *shared) {
  layer_t layer;
  copy_bytes((uint8_t *)&layer, (const uint8_t *)shared, sizeof layer);
  return layer;
}

void tinsmith_pulp_depthwise(const layer_t *shared, tinsmith_pulp_core_t core) {
  const layer_t layer = copy_of(shared);
  const tinsmith_pulp_stage_kind_t kind = layer.stage.kind;
  const loops_t loops = {
      .stages = stage_is_scale(kind) ? scales_of : stages_of,
      .unpack = layer.input_is_chw ? unpack_chw : unpack_hwc,
      .choose_strips = strips_of,
      .choose_blocks = blocks_of_four,
  };
  depthwise(&layer, core, &loops);
}

// What is constant in a layer of one kind. Bytes of CHW have no such functions.
ALWAYS_INLINE void make_constant(layer_t *layer, tinsmith_pulp_stage_kind_t kind, bool is_3x3) {
  layer->stage.kind = kind;
  layer->input_is_chw = false;
  if (is_3x3) {
    layer->kernel_height = layer->kernel_width = 3u;
  }
}

// Those of one kind, which take a kind for nothing.
#define CHOOSE(LOOPS_KIND)                                                                                             \
  static strips_t strips_of_##LOOPS_KIND(tinsmith_pulp_stage_kind_t kind, bool input_is_signed, uint32_t kernel) {     \
    (void)kind;                                                                                                        \
    (void)input_is_signed;                                                                                             \
    return kernel == STRIPS_5X5 ? strips_5x5_##LOOPS_KIND : strips_3x3_of_##LOOPS_KIND(kind, input_is_signed, kernel); \
  }                                                                                                                    \
  static blocks_t blocks_of_##LOOPS_KIND(tinsmith_pulp_stage_kind_t kind, bool input_is_signed) {                      \
    (void)kind;                                                                                                        \
    (void)input_is_signed;                                                                                             \
    return blocks_##LOOPS_KIND;                                                                                        \
  }
#define CHOOSE_3X3(LOOPS_KIND)                                                                                         \
  static strips_t strips_3x3_of_##LOOPS_KIND(tinsmith_pulp_stage_kind_t kind, bool input_is_signed, uint32_t kernel) { \
    (void)kind;                                                                                                        \
    (void)input_is_signed;                                                                                             \
    return kernel == STRIPS_3X3_STRIDE_1 ? strips_3x3_##LOOPS_KIND##_1 : strips_3x3_##LOOPS_KIND##_2;                  \
  }

CHOOSE_3X3(tflite)
CHOOSE_3X3(s8_s8)
CHOOSE_3X3(high)
CHOOSE(tflite)
CHOOSE(s8_s8)
CHOOSE(high)

#define LOOPS(STAGES, LOOPS_KIND) {STAGES, unpack_hwc, strips_of_##LOOPS_KIND, blocks_of_##LOOPS_KIND}
#define LOOPS_3X3(STAGES, LOOPS_KIND) {STAGES, unpack_hwc, strips_3x3_of_##LOOPS_KIND, NULL}

// From LAYER, each core's own.
#define RUN(LAYER, KIND, IS_3X3, ...)  \
  layer_t layer = LAYER;               \
  make_constant(&layer, KIND, IS_3X3); \
  const loops_t loops = __VA_ARGS__;   \
  depthwise(&layer, core, &loops);

#define TYPED_DEPTHWISE(NAME, KIND, STAGES, LOOPS_KIND)                                       \
  void tinsmith_pulp_depthwise_##NAME(const layer_t *shared, tinsmith_pulp_core_t core) {     \
    RUN(copy_of(shared), KIND, false, LOOPS(STAGES, LOOPS_KIND))                              \
  }                                                                                           \
  void tinsmith_pulp_depthwise_3x3_##NAME(const layer_t *shared, tinsmith_pulp_core_t core) { \
    RUN(copy_of(shared), KIND, true, LOOPS_3X3(STAGES, LOOPS_KIND))                           \
  }

TYPED_DEPTHWISE(tflite_s8, TINSMITH_PULP_TFLITE_S8, stages_of, tflite)
TYPED_DEPTHWISE(truncate_s8, TINSMITH_PULP_TRUNCATE_S8, stages_of, s8_s8)
// A shift for each channel is no more work than one for all.
TYPED_DEPTHWISE(scale_s8, TINSMITH_PULP_SCALE_S8, scales_of, s8_s8)
TYPED_DEPTHWISE(scale_high_s8, TINSMITH_PULP_SCALE_HIGH_S8, scales_of, high)

#define ARRANGED_DEPTHWISE(SUFFIX, KIND, STAGES, LOOPS_KIND)                                                       \
  void tinsmith_pulp_arranged_depthwise##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) {     \
    RUN(depthwise_of(call, KIND), KIND, false, LOOPS(STAGES, LOOPS_KIND))                                          \
  }                                                                                                                \
  void tinsmith_pulp_arranged_depthwise_3x3##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) { \
    RUN(depthwise_of(call, KIND), KIND, true, LOOPS_3X3(STAGES, LOOPS_KIND))                                       \
  }

ARRANGED_DEPTHWISE(, TINSMITH_PULP_TFLITE_S8, arrays_of, tflite)
ARRANGED_DEPTHWISE(_scaled, TINSMITH_PULP_SCALE_S8, scales_of, s8_s8)
ARRANGED_DEPTHWISE(_scaled_high, TINSMITH_PULP_SCALE_HIGH_S8, scales_of, high)
