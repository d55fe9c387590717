// Fully connected layers: four outputs at a time, a core takes blocks of four.
#include "internal/arranged.h"
#include "internal/sums.h"
#include "tinsmith_pulp_nn.h"

typedef tinsmith_pulp_linear_t layer_t;

ALWAYS_INLINE void store_single(const layer_t *layer, tinsmith_pulp_stage_kind_t kind, uint32_t row, int32_t sum) {
  const int32_t value = stage_element(&layer->stage, kind, row, sum);
  if (kind == TINSMITH_PULP_RAW_S32) {
    ((int32_t *)layer->output)[row] = value;
  } else {
    ((uint8_t *)layer->output)[row] = (uint8_t)value;
  }
}

// layer: each core's own, on its stack, which is near, and which the output cannot alias.
ALWAYS_INLINE void rows(const layer_t *layer, uint32_t first, uint32_t end, tinsmith_pulp_stage_kind_t kind,
                        bool is_signed, bool is_packed) {
  const uint32_t length = is_packed ? (layer->inputs + 3u) & ~3u : layer->inputs;
  const uint32_t element_bytes = kind == TINSMITH_PULP_RAW_S32 ? sizeof(int32_t) : 1u;
  const int8_t *weights = layer->weights + first * length;
  uint32_t row = first;
  for (; row + STAGE_CHANNELS <= end; row += STAGE_CHANNELS) {
    int32_t acc[STAGE_CHANNELS];
    stage_start(&layer->stage, row, acc, 1u);
    if (is_packed) {
      weights = sums_4x1_packed(weights, layer->input, length / 4u, acc, is_signed);
    } else {
      sums_plain(weights, length, layer->input, 0u, 1u, acc, is_signed);
      weights += STAGE_CHANNELS * length;
    }
    stage_store(&layer->stage, kind, row, acc, 1u, (uint8_t *)layer->output + row * element_bytes, 0u);
  }
  for (; row < end; ++row) {
    const int32_t sum =
        sum_single(weights, is_packed ? 16u : 4u, length, layer->input, stage_bias(&layer->stage, row), is_signed);
    store_single(layer, kind, row, sum);
    weights += is_packed ? 4u : length;
  }
}

// The same of a layer that all cores read.
ALWAYS_INLINE void rows_of_copy(const layer_t *shared, uint32_t first, uint32_t end, tinsmith_pulp_stage_kind_t kind,
                                bool is_signed, bool is_packed) {
  layer_t layer;
  copy_bytes((uint8_t *)&layer, (const uint8_t *)shared, sizeof layer);
  rows(&layer, first, end, kind, is_signed, is_packed);
}

ALWAYS_INLINE void by_weights(const layer_t *layer, uint32_t first, uint32_t end, tinsmith_pulp_stage_kind_t kind,
                              bool is_signed) {
  if (layer->weights_are_packed) {
    rows_of_copy(layer, first, end, kind, is_signed, true);
  } else {
    rows_of_copy(layer, first, end, kind, is_signed, false);
  }
}

#define LINEAR(NAME, KIND, IS_SIGNED)                                                              \
  static __attribute__((noinline)) void NAME(const layer_t *layer, uint32_t first, uint32_t end) { \
    by_weights(layer, first, end, KIND, IS_SIGNED);                                                \
  }

LINEAR(u8_u8, TINSMITH_PULP_TRUNCATE_U8, false)
LINEAR(u8_s8, TINSMITH_PULP_TRUNCATE_S8, false)
LINEAR(u8_s32, TINSMITH_PULP_RAW_S32, false)
LINEAR(s8_u8, TINSMITH_PULP_TRUNCATE_U8, true)
LINEAR(s8_s8, TINSMITH_PULP_TRUNCATE_S8, true)
LINEAR(s8_s32, TINSMITH_PULP_RAW_S32, true)
LINEAR(tflite, TINSMITH_PULP_TFLITE_S8, true)
LINEAR(scale, TINSMITH_PULP_SCALE_S8, true)
LINEAR(scale_high, TINSMITH_PULP_SCALE_HIGH_S8, true)

// The wide stages cost more than to ask about the types for each block.
static __attribute__((noinline)) void wide(const layer_t *layer, uint32_t first, uint32_t end) {
  rows_of_copy(layer, first, end, TINSMITH_PULP_TRUNCATE_WIDE_S8, layer->input_is_signed, layer->weights_are_packed);
}

// A core's rows: first to end - 1.
typedef struct {
  uint32_t first, end;
} part_t;

static part_t part_of(const layer_t *layer, tinsmith_pulp_core_t core) {
  const uint32_t blocks = (layer->outputs + STAGE_CHANNELS - 1u) / STAGE_CHANNELS;
  const uint32_t end = STAGE_CHANNELS * quotient(blocks * (core.core + 1u), core.cores);
  return (part_t){STAGE_CHANNELS * quotient(blocks * core.core, core.cores),
                  end > layer->outputs ? layer->outputs : end};
}

// Packed weights and int8, in little code.
#define PACKED(NAME, KIND)                                                                   \
  void tinsmith_pulp_linear_packed_##NAME(const layer_t *layer, tinsmith_pulp_core_t core) { \
    const part_t part = part_of(layer, core);                                                \
    if (part.first < part.end) {                                                             \
      rows_of_copy(layer, part.first, part.end, KIND, true, true);                           \
    }                                                                                        \
  }
#define ARRANGED(SUFFIX, KIND)                                                                              \
  void tinsmith_pulp_arranged_linear##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) { \
    const layer_t layer = linear_of(call, KIND);                                                            \
    const part_t part = part_of(&layer, core);                                                              \
    if (part.first < part.end) {                                                                            \
      rows(&layer, part.first, part.end, KIND, true, true);                                                 \
    }                                                                                                       \
  }

PACKED(tflite_s8, TINSMITH_PULP_TFLITE_S8)
PACKED(truncate_s8, TINSMITH_PULP_TRUNCATE_S8)
PACKED(scale_s8, TINSMITH_PULP_SCALE_S8)
PACKED(scale_high_s8, TINSMITH_PULP_SCALE_HIGH_S8)
ARRANGED(, TINSMITH_PULP_TFLITE_S8)
ARRANGED(_scaled, TINSMITH_PULP_SCALE_S8)
ARRANGED(_scaled_high, TINSMITH_PULP_SCALE_HIGH_S8)

void tinsmith_pulp_linear(const layer_t *layer, tinsmith_pulp_core_t core) {
  const part_t part = part_of(layer, core);
  const uint32_t first = part.first;
  const uint32_t end = part.end;
  if (first >= end) {
    return;
  }
  switch (layer->stage.kind) {
    case TINSMITH_PULP_TRUNCATE_U8:
      (layer->input_is_signed ? s8_u8 : u8_u8)(layer, first, end);
      break;
    case TINSMITH_PULP_TRUNCATE_S8:
      (layer->input_is_signed ? s8_s8 : u8_s8)(layer, first, end);
      break;
    case TINSMITH_PULP_RAW_S32:
      (layer->input_is_signed ? s8_s32 : u8_s32)(layer, first, end);
      break;
    case TINSMITH_PULP_TRUNCATE_WIDE_U8:
    case TINSMITH_PULP_TRUNCATE_WIDE_S8:
      wide(layer, first, end);
      break;
    case TINSMITH_PULP_TFLITE_S8:
      tflite(layer, first, end);
      break;
    case TINSMITH_PULP_SCALE_S8:
      scale(layer, first, end);
      break;
    case TINSMITH_PULP_SCALE_HIGH_S8:
      scale_high(layer, first, end);
      break;
  }
}
