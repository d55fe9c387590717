/* Four accumulators to four int8 outputs at once, rounded as TFLite rounds.
 *
 * TFLite scales in two roundings (gemmlowp): a doubling high multiply that rounds half up, which is what VQRDMULH does,
 * then a right shift that rounds half away from zero, where VRSHL rounds half up. The two shifts differ only on ties of
 * negative numbers; taking 1 from every negative number first makes them equal. Files that round once
 * (internal/rounding.h) do without: of the product they take the floor, which is what VQDMULH does.
 */
#ifndef TINSMITH_NN_MVE_REQUANTIZE_H
#define TINSMITH_NN_MVE_REQUANTIZE_H

#include <arm_mve.h>
#include <stdbool.h>
#include <stdint.h>

#include "include/arm_nn_types.h"
#include "src/internal/rounding.h"

/** Lanes of an int32 vector, and of an int8 vector. */
enum { kWordLanes = 4, kByteLanes = 16 };

/** Predicate that is true everywhere. */
enum { kAllLanes = 0xffff };

/** Where outputs end up after scaling. */
typedef struct {
  int32_t offset; /**< Zero point of the output. */
  int32_t min;    /**< Clamp, after the offset. */
  int32_t max;
} mve_output_range;

/** acc >> -shift, half away from zero. shift in [-31, -1]. */
static inline int32x4_t mve_divide_by_power(int32x4_t acc, int32x4_t shift) {
  /* Doubling, times 1, high half: acc + (acc >> 31) in one instruction. */
  return vrshlq_s32(vqdmlahq_n_s32(acc, acc, 1), shift);
}

/** acc scaled by multiplier * 2^(shift - 31), multiplier in [0, 2^31), shift in [-31, -1]. */
static inline int32x4_t mve_requantize_right(int32x4_t acc, int32x4_t multiplier, int32x4_t shift) {
#if TINSMITH_NN_NEAREST
  return vrshlq_s32(vqdmulhq_s32(acc, multiplier), shift);
#else
  return mve_divide_by_power(vqrdmulhq_s32(acc, multiplier), shift);
#endif
}

/** The same for any shift in [-31, 30]; lanes may differ in sign. Rounded once, |acc| * 2^(shift + 1) must fit if shift
 * is not negative. */
static inline int32x4_t mve_requantize(int32x4_t acc, int32x4_t multiplier, int32x4_t shift) {
#if TINSMITH_NN_NEAREST
  const int32x4_t negative = vminq_s32(shift, vdupq_n_s32(-1));
  return mve_requantize_right(vshlq_s32(acc, vsubq_s32(shift, negative)), multiplier, negative);
#else
  const int32x4_t zero = vdupq_n_s32(0);
  const int32x4_t right = vminq_s32(shift, zero);
  acc = vshlq_s32(acc, vmaxq_s32(shift, zero));
  acc = vqrdmulhq_s32(acc, multiplier);
  /* -1 where acc is negative and is going to be shifted. */
  const int32x4_t tie = vshrq_n_s32(vandq_s32(acc, right), 31);
  return vrshlq_s32(vaddq_s32(acc, tie), right);
#endif
}

/** One multiplier and shift for all lanes. */
typedef struct {
  int32_t multiplier; /**< [0, 2^31) */
  int32_t left;       /**< >= 0 */
  int32_t right;      /**< <= 0; rounded once < 0 */
  int32_t tie;        /**< 1 if right is negative, else 0. Rounded once it is not read. */
} mve_uniform_scale;

static inline mve_uniform_scale mve_uniform(int32_t multiplier, int32_t shift) {
  const int32_t most = TINSMITH_NN_NEAREST ? -1 : 0; /* to the right */
  const mve_uniform_scale scale = {
      .multiplier = multiplier,
      .left = shift > most ? shift - most : 0,
      .right = shift < most ? shift : most,
      .tie = shift < 0,
  };
  return scale;
}

/** As mve_requantize() of numbers that have been shifted to the left. */
static inline int32x4_t mve_requantize_uniform_right(int32x4_t acc, const mve_uniform_scale *scale) {
#if TINSMITH_NN_NEAREST
  acc = vqdmulhq_n_s32(acc, scale->multiplier);
#else
  acc = vqrdmulhq_n_s32(acc, scale->multiplier);
  /* acc + tie * (acc >> 31). VQDMLAH would do it at once, but keeps clang 20 from tail-predicating loops. */
  acc = vaddq_s32(acc, vqdmulhq_n_s32(acc, scale->tie));
#endif
  return vrshlq_n_s32(acc, scale->right);
}

/** The same for loops over whole vectors. */
static inline int32x4_t mve_requantize_uniform_whole(int32x4_t acc, const mve_uniform_scale *scale) {
#if TINSMITH_NN_NEAREST
  acc = vqdmulhq_n_s32(acc, scale->multiplier);
#else
  acc = vqrdmulhq_n_s32(acc, scale->multiplier);
  acc = vqdmlahq_n_s32(acc, acc, scale->tie);
#endif
  return vrshlq_n_s32(acc, scale->right);
}

/** As mve_requantize(). */
static inline int32x4_t mve_requantize_uniform(int32x4_t acc, const mve_uniform_scale *scale) {
  return mve_requantize_uniform_right(vshlq_r_s32(acc, scale->left), scale);
}

/** Move by the zero point and clamp. */
static inline int32x4_t mve_to_range(int32x4_t value, const mve_output_range *range) {
  value = vaddq_n_s32(value, range->offset);
  value = vmaxq_s32(value, vdupq_n_s32(range->min));
  return vminq_s32(value, vdupq_n_s32(range->max));
}

/** Sixteen scaled values to outputs: value 4 * i + j is lane i of vector j, as VLD4 loads them. */
static inline int8x16_t mve_narrow(const int32x4_t value[4], const mve_output_range *range) {
  /* Saturating steps to 16 and 8 bits do not change what the clamp lets through. */
  int16x8_t even = vqmovntq_s32(vqmovnbq_s32(vdupq_n_s16(0), value[0]), value[2]);
  int16x8_t odd = vqmovntq_s32(vqmovnbq_s32(vdupq_n_s16(0), value[1]), value[3]);
  even = vqaddq_n_s16(even, (int16_t)range->offset);
  odd = vqaddq_n_s16(odd, (int16_t)range->offset);
  int8x16_t result = vqmovntq_s16(vqmovnbq_s16(vdupq_n_s8(0), even), odd);
  result = vmaxq_s8(result, vdupq_n_s8((int8_t)range->min));
  return vminq_s8(result, vdupq_n_s8((int8_t)range->max));
}

/** Raw sums of four channels at one position. */
typedef int32_t mve_sums[kWordLanes];

/** What turns sums into outputs. */
typedef struct {
  const int32_t *multiplier; /**< One per channel, or four copies of one value if not per_channel. */
  const int32_t *shift;      /**< As multiplier. */
  bool per_channel;
  bool shifts_right; /**< Every shift is negative: the usual case, and the faster one. */
  mve_output_range range;
} mve_output_scale;

/** That of a fully connected layer, whose rows are one by one: the general case costs a row nothing worth a test. */
static inline mve_output_scale mve_scale_of_rows(const cmsis_nn_fc_params *fc_params,
                                                 const cmsis_nn_quant_params *quant_params) {
  return (mve_output_scale){
      .multiplier = quant_params->multiplier,
      .shift = quant_params->shift,
      .per_channel = quant_params->is_per_channel != 0,
      .shifts_right = false,
      .range = {fc_params->output_offset, fc_params->activation.min, fc_params->activation.max},
  };
}

/**
 * Requantize and store the sums of channels [channel, channel + 4) of which `present` exist.
 *
 * @param[in]  scale        Of the whole layer.
 * @param[in]  channel      First of the four.
 * @param[in]  present      Channels that exist, as lanes of 32 bits.
 * @param[in]  bias         Added to the sums of each position.
 * @param[in]  sums         Raw sums, position by position; not const, as ISO C lets no array of arrays become it.
 * @param[in]  count        Positions, >= 0.
 * @param[out] output       Channel `channel` of the first position.
 * @param[in]  output_pitch Bytes from position to position.
 */
void tinsmith_mve_store_sums(const mve_output_scale *scale, int32_t channel, mve_pred16_t present, int32x4_t bias,
                             mve_sums *sums, int32_t count, int8_t *output, int32_t output_pitch);

/**
 * Requantize and store sums of channels [channel, channel + count) at one position.
 *
 * @param[in]  scale   Of the whole layer; needs only one multiplier and shift if not per_channel.
 * @param[in]  channel First channel.
 * @param[in]  sums    [count], bias included.
 * @param[in]  count   >= 0
 * @param[out] output  Channel `channel`.
 */
void tinsmith_mve_store_row(const mve_output_scale *scale, int32_t channel, const int32_t *sums, int32_t count,
                            int8_t *output);

/** Whether every shift is negative. count: >= 0 */
bool tinsmith_mve_shifts_right(const int32_t *shift, int32_t count);

#endif /* TINSMITH_NN_MVE_REQUANTIZE_H */
