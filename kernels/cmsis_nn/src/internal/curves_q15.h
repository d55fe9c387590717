/* The logistic function and tanh of gemmlowp's fixed point of 16 bits, as LSTMs of TFLite compute them: "Qm" has m
 * integer bits and 15 - m fraction bits. arm_nn_activation_s16() goes by a table instead and gives other numbers.
 *
 * Of the arguments that are possible here, no product and only the marked sums need to saturate: tests go through all.
 */
#ifndef TINSMITH_NN_INTERNAL_CURVES_Q15_H
#define TINSMITH_NN_INTERNAL_CURVES_Q15_H

#include <stdint.h>

#include "src/internal/compiler.h"
#include "src/internal/lstm_gates.h"

enum {
  kQ2One = 1 << 13,
  kOneEighth = 1 << 12,         /* Q0 */
  kExpOfMinusOneEighth = 28918, /* Q0 */
  kOneThird = 10923,            /* Q0 */
  kReciprocalStart = 23130,     /* 48/17 in Q2 */
  kReciprocalSlope = -15420,    /* -32/17 in Q2 */
  kPowers = 7,
};

/** exp(-2^(i - 2)) in Q0; those behind are 0. */
#define TINSMITH_EXP_OF_POWERS {25520, 19875, 12055, 4435, 600, 11, 0}

/* Q0 of a product, halves up: (a * b + 2^14) / 2^15. With b * 2^17 that is the high word of a product, rounded, one
 * instruction of the DSP extension; of a b of 2^14 and more it reads as b * 2^17 - 2^32, for which a makes up. */

/** b in [-2^14, 2^14) */
static inline int32_t tinsmith_multiply_q15(int32_t a, int32_t b) {
#if defined(__ARM_FEATURE_DSP)
  return (int32_t)(((int64_t)a * (b * (1 << 17)) + (INT64_C(1) << 31)) >> 32);
#else
  return (a * b + (1 << 14)) >> 15;
#endif
}

/** b in [2^14, 2^15) */
static inline int32_t tinsmith_multiply_large_q15(int32_t a, int32_t b) {
#if defined(__ARM_FEATURE_DSP)
  int32_t product;
  __asm__("smmlar %0, %1, %2, %1" : "=r"(product) : "r"(a), "r"((uint32_t)b << 17));
  return product;
#else
  return (a * b + (1 << 14)) >> 15;
#endif
}

static inline int32_t tinsmith_at_most_one(int32_t value) {
  return value > kQ0One ? kQ0One : value;
}

/** exp(value) in Q0 of a number below 0 with `integer_bits` in [1, 7]: of what is above the next quarter below by a
 * series around -1/8, of the quarters bit by bit. most: integer_bits + 2, or kPowers. */
TINSMITH_ALWAYS_INLINE int32_t tinsmith_exp_q15(int32_t value, int32_t integer_bits, int32_t most) {
  static const int16_t powers[kPowers] = TINSMITH_EXP_OF_POWERS;
  const int32_t bits = 13 - integer_bits; /* of a quarter */
  const int32_t fraction = (value & ((1 << bits) - 1)) - (1 << bits);
  const int32_t quarters = (fraction - value) >> bits;
  const int32_t x = (int32_t)((uint32_t)fraction << integer_bits) + kOneEighth;
  const int32_t x2 = tinsmith_multiply_q15(x, x);
  const int32_t x3 = tinsmith_multiply_q15(x2, x);
  const int32_t x4_over_4 = (tinsmith_multiply_q15(x2, x2) + 2) >> 2;
  const int32_t higher = (tinsmith_multiply_q15(x4_over_4 + x3, kOneThird) + x2 + 1) >> 1;
  const int32_t series = tinsmith_multiply_large_q15(x + higher, kExpOfMinusOneEighth);
  int32_t result = tinsmith_at_most_one(kExpOfMinusOneEighth + series);
  if (quarters & 1) {
    result = tinsmith_multiply_large_q15(result, powers[0]);
  }
  if (quarters & 2) {
    result = tinsmith_multiply_large_q15(result, powers[1]);
  }
#if defined(__clang__)
#pragma clang loop unroll(full)
#endif
  for (int32_t i = 2; i < most; ++i) {
    if (quarters & (1 << i)) {
      result = tinsmith_multiply_q15(result, powers[i]);
    }
  }
  return most == kPowers && quarters >= 1 << kPowers ? 0 : result;
}

/** 2 / (1 + value) in Q2 of a number in [0, 1] in Q0, by Newton's method. */
static inline int32_t tinsmith_twice_reciprocal_q15(int32_t value) {
  const int32_t half = (value + (1 << 15)) >> 1;
  int32_t x = kReciprocalStart + tinsmith_multiply_q15(half, kReciprocalSlope);
  for (int32_t step = 0; step < 3; ++step) {
    const int32_t error = kQ2One - tinsmith_multiply_large_q15(x, half);
    x += tinsmith_multiply_q15(x, error) * 4;
  }
  return x;
}

/** 1 / (1 + exp(-value)) in Q0 of a number in Q3. */
TINSMITH_ALWAYS_INLINE int32_t tinsmith_logistic_q15(int32_t value) {
  const int32_t exponential = tinsmith_exp_q15(value > 0 ? -value : value, kGateIntegerBits, kGateIntegerBits + 2);
  const int32_t above = tinsmith_at_most_one(2 * tinsmith_twice_reciprocal_q15(exponential));
  const int32_t result = value > 0 ? above : kQ0One - above;
  return value == 0 ? 1 << 14 : result;
}

/** tanh(value) in Q0 of a number with `integer_bits` in [0, 6]. most: integer_bits + 3, or kPowers. */
TINSMITH_ALWAYS_INLINE int32_t tinsmith_tanh_q15(int32_t value, int32_t integer_bits, int32_t most) {
  const int32_t exponential = tinsmith_exp_q15(value > 0 ? -value : value, integer_bits + 1, most);
  const int32_t above = tinsmith_at_most_one(4 * (tinsmith_twice_reciprocal_q15(exponential) - kQ2One));
  const int32_t result = value > 0 ? above : -above;
  return value == 0 ? 0 : result;
}

#endif /* TINSMITH_NN_INTERNAL_CURVES_Q15_H */
