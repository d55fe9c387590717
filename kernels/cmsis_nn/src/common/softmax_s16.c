/* Softmax with results of int16, and of uint8, as softmax.c. */

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/softmax.h"

#if TINSMITH_NN_MVE

static void softmax_row(const int8_t *input, int32_t size, int32_t mult, int32_t shift, int32_t diff_min,
                        int16_t *output) {
  const mve_softmax_differences d = {mve_softmax_max(input, size), mult, shift, diff_min};
  const tinsmith_softmax_row row =
      tinsmith_softmax_row_from(d.max, mve_softmax_sum(&d, input, size, kAccumulationIntegerBits));
  for (int32_t left = size; left > 0; left -= kWordLanes) {
    vstrhq_p_s32(output, mve_softmax_shares(&row, &d, input, left, 16), vctp32q((uint32_t)left));
    input += kWordLanes;
    output += kWordLanes;
  }
}

#else

static void softmax_row(const int8_t *input, int32_t size, int32_t mult, int32_t shift, int32_t diff_min,
                        int16_t *output) {
  const tinsmith_softmax_row row = tinsmith_softmax_row_of(input, size, mult, shift, diff_min);
  for (int32_t i = 0; i < size; ++i) {
    const int32_t difference = input[i] - row.max;
    int32_t value = INT16_MIN;
    if (difference >= diff_min) {
      value = tinsmith_softmax_share(&row, difference, mult, shift, 16) + INT16_MIN;
    }
    output[i] = (int16_t)tinsmith_clamp(value, INT16_MIN, INT16_MAX);
  }
}

#endif /* !TINSMITH_NN_MVE */

void arm_softmax_s8_s16(const int8_t *input, const int32_t num_rows, const int32_t row_size, const int32_t mult,
                        const int32_t shift, const int32_t diff_min, int16_t *output) {
  for (int32_t row = 0; row < num_rows; ++row) {
    softmax_row(input, row_size, mult, shift, diff_min, output);
    input += row_size;
    output += row_size;
  }
}

/** Between uint8 and the int8 128 lower lies one bit. */
enum { kSignBit = 0x80 };

void arm_softmax_u8(const uint8_t *input, const int32_t num_rows, const int32_t row_size, const int32_t mult,
                    const int32_t shift, const int32_t diff_min, uint8_t *output) {
  const int32_t size = num_rows * row_size;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < size; ++i) {
    output[i] = input[i] ^ kSignBit;
  }
  arm_softmax_s8((const int8_t *)output, num_rows, row_size, mult, shift, diff_min, (int8_t *)output);
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < size; ++i) {
    output[i] ^= kSignBit;
  }
}

enum {
  kTableBits = 7, /* of the way between two values of a table */
  kTableMiddle = 256,
};

/** A table's value at an int16, by a straight line. */
static int32_t look_up(const int16_t *table, int32_t value) {
  const int16_t *base = table + kTableMiddle + (value >> kTableBits);
  const int32_t offset = value & ((1 << kTableBits) - 1);
  return (int16_t)(base[0] + (((base[1] - base[0]) * offset + (1 << (kTableBits - 1))) >> kTableBits));
}

/* The table of exponentials goes from -10, at the least int16, to 0, at the greatest. */

#if TINSMITH_NN_MVE

enum { kHalfLanes = 8 };

/** Where each value less the greatest is in the table. */
static void places_of(const int16_t *input, int32_t size, int32_t mult, int32_t shift, int16_t *output) {
  const mve_uniform_scale scale = mve_uniform(mult, shift);
  const mve_output_range range = {INT16_MAX, INT16_MIN, INT16_MAX};
  const int16_t *values = input;
  int16_t max = INT16_MIN;
  for (int32_t left = size; left > 0; left -= kHalfLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)left);
    max = vmaxvq_p_s16(max, vldrhq_z_s16(values, p), p);
    values += kHalfLanes;
  }
  for (int32_t left = size; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t difference = vsubq_n_s32(vldrhq_z_s32(input, p), max);
    vstrhq_p_s32(output, mve_to_range(mve_requantize_uniform(difference, &scale), &range), p);
    input += kWordLanes;
    output += kWordLanes;
  }
}

/** exp of each value less the greatest, in Q0.15; the sum of all. */
static int32_t exponentials(const int16_t *input, int32_t size, int32_t mult, int32_t shift, const int16_t *table,
                            int16_t *output) {
  places_of(input, size, mult, shift, output);
  int32_t sum = 0;
  for (int32_t i = 0; i < size; ++i) {
    const int32_t value = look_up(table, output[i]);
    output[i] = (int16_t)value;
    sum += value;
  }
  return sum;
}

/** Each value times the factor, in half of 2^right, rounded half up. */
static void multiply_all(int16_t *values, int32_t size, int32_t factor, int32_t right) {
  for (int32_t left = size; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    const int32x4_t product = vshlq_r_s32(vmulq_n_s32(vldrhq_z_s32(values, p), factor), -right);
    vstrhq_p_s32(values, vrshrq_n_s32(product, 1), p);
    values += kWordLanes;
  }
}

#else

/** exp of each value less the greatest, in Q0.15; the sum of all. */
static int32_t exponentials(const int16_t *input, int32_t size, int32_t mult, int32_t shift, const int16_t *table,
                            int16_t *output) {
  int32_t max = INT16_MIN;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < size; ++i) {
    max = input[i] > max ? input[i] : max;
  }
  int32_t sum = 0;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < size; ++i) {
    const int32_t difference = tinsmith_requantize(input[i] - max, mult, shift) + INT16_MAX;
    const int32_t value = look_up(table, tinsmith_clamp(difference, INT16_MIN, INT16_MAX));
    output[i] = (int16_t)value;
    sum += value;
  }
  return sum;
}

/** Each value times the factor, in half of 2^right, rounded half up. */
static void multiply_all(int16_t *values, int32_t size, int32_t factor, int32_t right) {
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < size; ++i) {
    values[i] = (int16_t)((((values[i] * factor) >> right) + 1) >> 1);
  }
}

#endif /* !TINSMITH_NN_MVE */

static void softmax_row_s16(const int16_t *input, int32_t size, int32_t mult, int32_t shift,
                            const cmsis_nn_softmax_lut_s16 *tables, int16_t *output) {
  const int32_t sum = exponentials(input, size, mult, shift, tables->exp_lut, output);
  const int32_t headroom = __builtin_clz((uint32_t)sum);
  /* sum = (1 + x) 2^(31 - headroom); x in Q0.16, 2^15 lower, is the place in the table of 1 / (1 + x). */
  const int32_t leading = (int32_t)((((uint32_t)sum << (headroom - 1)) + (1 << 13)) >> 14);
  const int32_t place = leading - 3 * (1 << 15); /* 2^15 if x rounds to 1: the last value but one is as near. */
  const int32_t reciprocal = look_up(tables->one_by_one_lut, place > INT16_MAX ? INT16_MAX : place);
  multiply_all(output, size, reciprocal, 30 - headroom);
}

arm_cmsis_nn_status arm_softmax_s16(const int16_t *input, const int32_t num_rows, const int32_t row_size,
                                    const int32_t mult, const int32_t shift,
                                    const cmsis_nn_softmax_lut_s16 *softmax_params, int16_t *output) {
  if (softmax_params->exp_lut == NULL || softmax_params->one_by_one_lut == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  for (int32_t row = 0; row < num_rows; ++row) {
    softmax_row_s16(input, row_size, mult, shift, softmax_params, output);
    input += row_size;
    output += row_size;
  }
  return ARM_CMSIS_NN_SUCCESS;
}
