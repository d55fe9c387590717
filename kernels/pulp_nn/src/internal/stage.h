// Output stages: what becomes of the sums of four channels and one or more pixels. `kind` is always a constant here, so
// that each kernel keeps one stage only.
#ifndef TINSMITH_KERNELS_PULP_NN_STAGE_H_
#define TINSMITH_KERNELS_PULP_NN_STAGE_H_

#include "corev.h"
#include "tinsmith_pulp_nn.h"

#define STAGE_CHANNELS 4u

// gemmlowp's rounded doubling high product: acc * multiplier / 2**31 to nearest, ties up; multiplier in [2**30, 2**31),
// |acc| < 2**30. Four times the multiplier is 2**32 + rest, so twice the product's high word, with one bit more below
// it, is acc + (acc * rest >> 32), and the rounding is that of a halving: no low word is needed. mulhsu 5 cycles,
// cv.addRN 1.
ALWAYS_INLINE int32_t doubling_high_product(int32_t acc, int32_t multiplier) {
  return corev_add_round_halve(high_product(acc, (uint32_t)multiplier << 2), acc);
}

// gemmlowp's two roundings for a shift to the right of one or more. Adding the sum's sign before rounding a division by
// a power of two to nearest turns ties away from zero; where the product rounds to 0 its sign is lost, but
// -1 + 2**(shift - 1) divides to 0 as well. Eight cycles: the product's six, srai, cv.addRNr.
ALWAYS_INLINE int32_t scale_right(int32_t acc, int32_t multiplier, int32_t shift) {
  return corev_add_round_shift(doubling_high_product(acc, multiplier), acc >> 31, shift);
}

#define LARGEST_SHIFT_BY_HALVES 22

// The two roundings and the zero point's addition in seven instructions of one cycle; shift in [1, 22], |acc| < 2**30,
// multiplier m in [2**30, 2**31) or 0. With a = acc + 2**30, which is in [0, 2**31), gemmlowp's product is
//   (acc * m + 2**30) >> 31 = ((a * m + f) >> 31) - (m >> 1), f = 2**30 for an even m, 0 for an odd one,
// as 2**30 * m is (m >> 1) * 2**31, and for an odd m 2**30 more, which the rounding's 2**30 makes up for. Of a * m,
// with halves a = (h, l) and m = (i, j),
//   ((l * j >> 16) + l * i + h * j + (f >> 16)) >> 15, plus 2 * h * i,
// is all that is left above bit 31: the sum in brackets is below 2**32 - 2**16, so nothing is lost. The division's sign
// of acc is (a >> 30) - 1. All that does not depend on acc is one addend, which 22 bits of shift keep within 2**30.
ALWAYS_INLINE int32_t scale_by_halves(int32_t acc, int32_t multiplier, int32_t shift, int32_t zero_point) {
  const uint32_t a = (uint32_t)acc + (UINT32_C(1) << 30);
  const uint32_t m = (uint32_t)multiplier;
  const uint32_t half = (~m & 1u) << 14;
  const uint32_t addend = ((uint32_t)zero_point << shift) + (UINT32_C(1) << (shift - 1)) - (m >> 1) - 1u;
  uint32_t product = (a & 0xffffu) * (m & 0xffffu) >> 16;
  product += (a & 0xffffu) * (m >> 16) + (a >> 16) * (m & 0xffffu);
  product = (product + half) >> 15;
  product += (a >> 16) * (m >> 16 << 1);
  return (int32_t)(product + (a >> 30) + addend) >> shift;
}

// The doubling high product for a multiplier that may be 0: the high word, rounded by the low word's top bit.
ALWAYS_INLINE int32_t doubling_high_product_or_0(int32_t acc, int32_t multiplier) {
  const uint32_t doubled = (uint32_t)multiplier << 1;
  return (int32_t)((uint32_t)high_product(acc, doubled) + ((uint32_t)acc * doubled >> 31));
}

// The two roundings for any shift in [-30, 31] and any multiplier.
ALWAYS_INLINE int32_t scale_tflite(int32_t acc, int32_t multiplier, int32_t shift) {
  if (shift > 0) {
    return corev_add_round_shift(doubling_high_product_or_0(acc, multiplier), acc >> 31, shift);
  }
  return doubling_high_product_or_0((int32_t)((uint32_t)acc << -shift), multiplier);
}

ALWAYS_INLINE int32_t scale_truncating(int32_t acc, int32_t multiplier, int32_t addend, int32_t shift) {
  return (int32_t)((uint32_t)acc * (uint32_t)multiplier + (uint32_t)addend) >> shift;
}

// Whether the stage rounds once, with a shift for each channel.
ALWAYS_INLINE bool stage_is_scale(tinsmith_pulp_stage_kind_t kind) {
  return kind == TINSMITH_PULP_SCALE_S8 || kind == TINSMITH_PULP_SCALE_HIGH_S8;
}

// One rounding of a product's low or high word. acc: of the high word with its bias.
ALWAYS_INLINE int32_t scale_once(tinsmith_pulp_stage_kind_t kind, int32_t acc, tinsmith_pulp_scale_t scale) {
  if (kind == TINSMITH_PULP_SCALE_HIGH_S8) {
    return (int32_t)((uint32_t)((int64_t)acc * scale.multiplier >> 32) + (uint32_t)scale.addend) >> scale.shift;
  }
  return scale_truncating(acc, scale.multiplier, scale.addend, scale.shift);
}

// Whether the stage is one of those with 64-bit parameters.
ALWAYS_INLINE bool stage_is_wide(tinsmith_pulp_stage_kind_t kind) {
  return kind == TINSMITH_PULP_TRUNCATE_WIDE_U8 || kind == TINSMITH_PULP_TRUNCATE_WIDE_S8;
}

ALWAYS_INLINE int32_t clamp_to(int32_t value, int32_t min, int32_t max) {
  const int32_t raised = value < min ? min : value;
  return raised > max ? max : raised;
}

// Whether outputs are bounded more narrowly than by int8.
ALWAYS_INLINE bool stage_is_clamped(const tinsmith_pulp_stage_t *stage, tinsmith_pulp_stage_kind_t kind) {
  const bool is_bounded = kind == TINSMITH_PULP_TRUNCATE_S8 && (stage->min != 0 || stage->max != 0);
  return (is_bounded || kind == TINSMITH_PULP_TFLITE_S8 || stage_is_scale(kind)) &&
         (stage->min > -128 || stage->max < 127);
}

// Theirs (stage_wide.c), of a sum with its bias and of acc[pixel][4 channels]. Which of both it is, stage->kind says.
int32_t stage_wide(const tinsmith_pulp_stage_t *stage, uint32_t channel, int32_t acc);
void stage_wide_block(const tinsmith_pulp_stage_t *stage, uint32_t channel, int32_t *acc, uint32_t pixels);

ALWAYS_INLINE int32_t stage_bias(const tinsmith_pulp_stage_t *stage, uint32_t channel) {
  if (stage->bias != NULL) {
    return stage->bias[channel];
  }
  return stage->bias_s8 == NULL ? 0 : stage->bias_s8[channel];
}

// A single output element, bias already in acc; int8 and uint8 alike are returned as their value.
ALWAYS_INLINE int32_t stage_element(const tinsmith_pulp_stage_t *stage, tinsmith_pulp_stage_kind_t kind,
                                    uint32_t channel, int32_t acc) {
  if (kind == TINSMITH_PULP_RAW_S32) {
    return acc;
  }
  if (kind == TINSMITH_PULP_TFLITE_S8) {
    const int32_t scaled = scale_tflite(acc, stage->multipliers[channel], stage->shifts[channel]);
    return clamp_to(corev_clip_s8(scaled + stage->zero_point), stage->min, stage->max);
  }
  if (stage_is_wide(kind)) {
    return stage_wide(stage, channel, acc);
  }
  if (stage_is_scale(kind)) {
    return clamp_to(corev_clip_s8(scale_once(kind, acc, stage->scales[channel])), stage->min, stage->max);
  }
  const int32_t multiplier = stage->multipliers == NULL ? stage->multiplier : stage->multipliers[channel];
  const int32_t addend = stage->addends == NULL ? 0 : stage->addends[channel];
  const int32_t scaled = scale_truncating(acc, multiplier, addend, stage->shift);
  if (stage_is_clamped(stage, kind)) {
    return clamp_to(corev_clip_s8(scaled), stage->min, stage->max);
  }
  return kind == TINSMITH_PULP_TRUNCATE_U8 ? corev_clip_u8(scaled) : corev_clip_s8(scaled);
}

// acc[pixel][4 channels], all of them the biases of channels channel to channel + 3.
ALWAYS_INLINE void stage_start(const tinsmith_pulp_stage_t *stage, uint32_t channel, int32_t *acc, uint32_t pixels) {
  const int32_t *words = stage->bias;
  const int8_t *bytes = stage->bias_s8;
  if (words != NULL) {
    UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS * pixels; ++i) {
      acc[i] = words[channel + i % STAGE_CHANNELS];
    }
  } else if (bytes != NULL) {
    UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS * pixels; ++i) {
      acc[i] = bytes[channel + i % STAGE_CHANNELS];
    }
  } else {
    UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS * pixels; ++i) {
      acc[i] = 0;
    }
  }
}

// Whether scale_right() fits all of some channels.
ALWAYS_INLINE bool stage_scales_right(const tinsmith_pulp_stage_t *stage, uint32_t first, uint32_t channels) {
  int32_t below_1 = 0;
  for (uint32_t channel = first; channel < first + channels; ++channel) {
    below_1 |= (stage->shifts[channel] - 1) | (stage->multipliers[channel] - 1);
  }
  return below_1 >= 0;
}

ALWAYS_INLINE void stage_tflite(const tinsmith_pulp_stage_t *stage, uint32_t channel, int32_t *acc, uint32_t pixels) {
  const int32_t zero_point = stage->zero_point;
  UNROLLED for (uint32_t c = 0u; c < STAGE_CHANNELS; ++c) {
    const int32_t multiplier = stage->multipliers[channel + c];
    const int32_t shift = stage->shifts[channel + c];
    if (__builtin_expect(shift > 0 && multiplier != 0, 1)) {
      UNROLLED for (uint32_t i = c; i < STAGE_CHANNELS * pixels; i += STAGE_CHANNELS) {
        acc[i] = corev_clip_s8(scale_right(acc[i], multiplier, shift) + zero_point);
      }
    } else {
      UNROLLED for (uint32_t i = c; i < STAGE_CHANNELS * pixels; i += STAGE_CHANNELS) {
        acc[i] = corev_clip_s8(scale_tflite(acc[i], multiplier, shift) + zero_point);
      }
    }
  }
}

ALWAYS_INLINE void stage_scale(const tinsmith_pulp_stage_t *stage, tinsmith_pulp_stage_kind_t kind, uint32_t channel,
                               int32_t *acc, uint32_t pixels) {
  UNROLLED for (uint32_t c = 0u; c < STAGE_CHANNELS; ++c) {
    const tinsmith_pulp_scale_t scale = stage->scales[channel + c];
    UNROLLED for (uint32_t i = c; i < STAGE_CHANNELS * pixels; i += STAGE_CHANNELS) {
      acc[i] = corev_clip_s8(scale_once(kind, acc[i], scale));
    }
  }
}

// kappa and lambda of a channel for its pixels.
ALWAYS_INLINE void stage_truncate_channel(tinsmith_pulp_stage_kind_t kind, int32_t multiplier, int32_t addend,
                                          int32_t shift, int32_t *acc, uint32_t pixels) {
  UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS * pixels; i += STAGE_CHANNELS) {
    const int32_t scaled = scale_truncating(acc[i], multiplier, addend, shift);
    acc[i] = kind == TINSMITH_PULP_TRUNCATE_U8 ? corev_clip_u8(scaled) : corev_clip_s8(scaled);
  }
}

ALWAYS_INLINE void stage_truncate(const tinsmith_pulp_stage_t *stage, tinsmith_pulp_stage_kind_t kind, uint32_t channel,
                                  int32_t *acc, uint32_t pixels) {
  const int32_t shift = stage->shift;
  if (__builtin_expect(stage->multipliers != NULL && stage->addends != NULL, 1)) {
    const int32_t *multipliers = stage->multipliers + channel;
    const int32_t *addends = stage->addends + channel;
    UNROLLED for (uint32_t c = 0u; c < STAGE_CHANNELS; ++c) {
      stage_truncate_channel(kind, multipliers[c], addends[c], shift, acc + c, pixels);
    }
    return;
  }
  if (stage->multipliers == NULL && stage->addends == NULL) {
    const int32_t multiplier = stage->multiplier;
    UNROLLED for (uint32_t c = 0u; c < STAGE_CHANNELS; ++c) {
      stage_truncate_channel(kind, multiplier, 0, shift, acc + c, pixels);
    }
    return;
  }
  UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS * pixels; ++i) {
    acc[i] = stage_element(stage, kind, channel + i % STAGE_CHANNELS, acc[i]);
  }
}

// Writes acc[pixel][4 channels] of channels channel to channel + 3, output_step bytes from pixel to pixel.
ALWAYS_INLINE void stage_store(const tinsmith_pulp_stage_t *stage, tinsmith_pulp_stage_kind_t kind, uint32_t channel,
                               int32_t *acc, uint32_t pixels, uint8_t *output, uint32_t output_step) {
  if (kind == TINSMITH_PULP_RAW_S32) {
    for (uint32_t pixel = 0u; pixel < pixels; ++pixel) {
      memcpy(output + pixel * output_step, acc + STAGE_CHANNELS * pixel, STAGE_CHANNELS * sizeof *acc);
    }
    return;
  }
  if (kind == TINSMITH_PULP_TFLITE_S8) {
    stage_tflite(stage, channel, acc, pixels);
  } else if (stage_is_wide(kind)) {
    stage_wide_block(stage, channel, acc, pixels);
  } else if (stage_is_scale(kind)) {
    stage_scale(stage, kind, channel, acc, pixels);
  } else {
    stage_truncate(stage, kind, channel, acc, pixels);
  }
  const bool is_clamped = stage_is_clamped(stage, kind);
  UNROLLED for (uint32_t pixel = 0u; pixel < pixels; ++pixel) {
    const int32_t *values = acc + STAGE_CHANNELS * pixel;
    uint32_t word = corev_pack_bytes(values[0], values[1], values[2], values[3]);
    if (is_clamped) {
      word = corev_clamp_bytes(word, stage->min, stage->max, true);
    }
    store_word(output, word);
    output += output_step;
  }
}

#endif  // TINSMITH_KERNELS_PULP_NN_STAGE_H_
