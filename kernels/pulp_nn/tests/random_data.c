#include "tests/random_data.h"

#include <stddef.h>

// With a sum of 2**10 products still below 2**30, as TFLite's stage requires.
#define LARGEST_BIAS ((1 << 30) - (1 << 25))

// xorshift32 of George Marsaglia.
static uint32_t next(random_t *random) {
  uint32_t x = random->state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  random->state = x;
  return x;
}

int32_t random_between(random_t *random, int32_t low, int32_t high) {
  // The high bits of a product reach all of the range, however wide it is.
  const uint64_t count = (uint64_t)((int64_t)high - low) + 1u;
  return (int32_t)(low + (int64_t)(next(random) * count >> 32));
}

void random_bytes(random_t *random, void *bytes, uint32_t count) {
  static const uint8_t kExtremes[4] = {0x80, 0x7f, 0xff, 0x00};
  uint8_t *byte = bytes;
  for (uint32_t i = 0u; i < count; ++i) {
    const uint32_t bits = next(random);
    byte[i] = bits % 7u == 0u ? kExtremes[(bits >> 8) & 3u] : (uint8_t)(bits >> 16);
  }
}

static int32_t one_of(random_t *random, int32_t lhs, int32_t rhs) {
  return random_between(random, 0, 1) == 0 ? lhs : rhs;
}

// A number of up to `bits` bits and a sign; bits in [1, 60].
static int64_t random_wide(random_t *random, int32_t bits) {
  const uint64_t high = next(random);
  return (int64_t)((high << 32 | next(random)) >> (63 - bits)) - (INT64_C(1) << bits);
}

// 64-bit kappas and lambdas, for sums of up to about sum_bits bits.
static void random_wide_stage(random_t *random, int32_t sum_bits, tinsmith_pulp_stage_t *stage) {
  static int64_t multipliers[MAX_CHANNELS];
  static int64_t addends[MAX_CHANNELS];
  const int32_t kappa_bits = random_between(random, 3, 35);
  const bool has_extremes = random_between(random, 0, 3) == 0;
  for (uint32_t i = 0u; i < MAX_CHANNELS; ++i) {
    multipliers[i] = random_wide(random, kappa_bits);
    addends[i] = random_wide(random, kappa_bits + sum_bits);
    if (has_extremes && random_between(random, 0, 7) == 0) {
      multipliers[i] = random_between(random, 0, 1) == 0 ? INT64_MIN : INT64_MAX;
      addends[i] = random_between(random, 0, 1) == 0 ? INT64_MIN : INT64_MAX;
    }
  }
  stage->shift = has_extremes ? random_between(random, 0, 63) : kappa_bits + sum_bits - random_between(random, 6, 9);
  stage->wide_multipliers = random_between(random, 0, 3) == 0 ? NULL : multipliers;
  stage->wide_addends = random_between(random, 0, 3) == 0 ? NULL : addends;
}

// The stages that round once. The shift of a high word is less by the two bits that it has less than the sum.
static tinsmith_pulp_stage_t random_scale_stage(random_t *random, tinsmith_pulp_stage_kind_t kind, int32_t sum_bits) {
  static int32_t bias[MAX_CHANNELS];
  static tinsmith_pulp_scale_t scales[MAX_CHANNELS];
  const bool is_high = kind == TINSMITH_PULP_SCALE_HIGH_S8;
  const int32_t excess = sum_bits - 7;
  const bool has_extremes = random_between(random, 0, 3) == 0;
  for (uint32_t i = 0u; i < MAX_CHANNELS; ++i) {
    const int32_t shift = random_between(random, excess - 2, excess + 2) + (is_high ? -2 : 5);
    bias[i] = random_between(random, -1000, 1000);
    scales[i].multiplier = is_high ? random_between(random, 1 << 30, INT32_MAX) : random_between(random, 1, 63);
    scales[i].shift = shift > 0 ? shift : 0;
    scales[i].addend = random_between(random, -128, 127) * (1 << scales[i].shift) + (1 << scales[i].shift) / 2;
    if (has_extremes && random_between(random, 0, 7) == 0) {
      bias[i] = one_of(random, -LARGEST_BIAS, LARGEST_BIAS);
      scales[i].multiplier = one_of(random, INT32_MIN, INT32_MAX);
      scales[i].addend = one_of(random, INT32_MIN, INT32_MAX);
      scales[i].shift = one_of(random, 0, 31);
    }
  }
  tinsmith_pulp_stage_t stage = {.kind = kind, .bias = is_high ? bias : NULL, .scales = scales};
  stage.min = -128;
  stage.max = 127;
  if (random_between(random, 0, 2) == 0) {
    stage.min = random_between(random, -128, 127);
    stage.max = random_between(random, stage.min, 127);
  }
  return stage;
}

tinsmith_pulp_stage_t random_stage(random_t *random, tinsmith_pulp_stage_kind_t kind, int32_t sum_bits) {
  static int32_t bias[MAX_CHANNELS];
  static int8_t small_bias[MAX_CHANNELS];
  static int32_t multipliers[MAX_CHANNELS];
  static int32_t addends[MAX_CHANNELS];
  static int32_t shifts[MAX_CHANNELS];
  tinsmith_pulp_stage_t stage = {.kind = kind, .bias = bias, .multiplier = 1};
  if (kind == TINSMITH_PULP_SCALE_S8 || kind == TINSMITH_PULP_SCALE_HIGH_S8) {
    return random_scale_stage(random, kind, sum_bits);
  }
  const bool is_tflite = kind == TINSMITH_PULP_TFLITE_S8;
  const int32_t excess = sum_bits - 7;
  const bool has_extremes = random_between(random, 0, 3) == 0;
  for (uint32_t i = 0u; i < MAX_CHANNELS; ++i) {
    bias[i] = random_between(random, -1000, 1000);
    small_bias[i] = (int8_t)bias[i];
    multipliers[i] = is_tflite ? random_between(random, 1 << 30, INT32_MAX) : random_between(random, -40, 40);
    addends[i] = random_between(random, -20000, 20000);
    shifts[i] = random_between(random, excess - 2, excess + 2);
    if (random_between(random, 0, 19) == 0) {
      shifts[i] = random_between(random, -3, 3);
    }
    if (has_extremes && random_between(random, 0, 7) == 0) {
      bias[i] = one_of(random, -LARGEST_BIAS, LARGEST_BIAS);
      multipliers[i] = is_tflite ? one_of(random, 1 << 30, INT32_MAX) : one_of(random, INT32_MIN, INT32_MAX);
      addends[i] = one_of(random, INT32_MIN, INT32_MAX);
      shifts[i] = one_of(random, 1, 31);
    }
    if (has_extremes && is_tflite && random_between(random, 0, 39) == 0) {
      multipliers[i] = 0;
    }
  }
  stage.shift = random_between(random, excess + 2, excess + 6);
  if (has_extremes) {
    stage.shift = one_of(random, 0, 31);
  }
  if (is_tflite) {
    stage.multipliers = multipliers;
    stage.shifts = shifts;
    stage.zero_point = random_between(random, -128, 127);
    stage.min = random_between(random, 0, 2) == 0 ? stage.zero_point : -128;
    stage.max = random_between(random, 0, 2) == 0 ? random_between(random, stage.min, 127) : 127;
    return stage;
  }
  switch (random_between(random, 0, 2)) {
    case 0:
      stage.bias = NULL;
      break;
    case 1:
      stage.bias = NULL;
      stage.bias_s8 = small_bias;
      break;
    default:
      break;
  }
  if (kind == TINSMITH_PULP_TRUNCATE_WIDE_U8 || kind == TINSMITH_PULP_TRUNCATE_WIDE_S8) {
    stage.multiplier = random_between(random, -60, 60);
    random_wide_stage(random, sum_bits, &stage);
    return stage;
  }
  // Of uint8 they count for nothing.
  if (random_between(random, 0, 2) == 0) {
    stage.min = random_between(random, 0, 2) == 0 ? -128 : random_between(random, -128, 127);
    stage.max = random_between(random, stage.min, 127);
  }
  switch (random_between(random, 0, 3)) {
    case 0: /* PULP-NN without batch normalization */
      stage.multiplier = random_between(random, 1, 60);
      break;
    case 1: /* a scale per channel without an addend */
      stage.multipliers = multipliers;
      break;
    default:
      stage.multipliers = multipliers;
      stage.addends = addends;
      break;
  }
  return stage;
}
