// The logistic function 1 / (1 + exp(-x)) and tanh, in plain C; of int8 see lookup.h.
#ifndef TINSMITH_LOGISTIC_H_
#define TINSMITH_LOGISTIC_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_logistic_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_logistic_s16)
#define tinsmith_tanh_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_tanh_s16)
#define tinsmith_logistic_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_logistic_f32)
#define tinsmith_tanh_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_tanh_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** How the steps of int16 become those of a table: value * multiplier * 2**-right_shift, nearest, ties up. */
typedef struct {
  /** In [1, 32767]. */
  int32_t multiplier;
  /** In [0, 31]. */
  int32_t right_shift;
  /** 256 values: 65536 / (1 + exp(-i / 24)) - 32768, or a little more, in [0, 32767] and not falling. */
  const int16_t *table;
} tinsmith_curve_parameters;

/**
 * Logistic function and tanh of int16 by straight lines between the values of a table, as TFLite's reference kernels
 * do it: 12288 steps of the scaled input make 1.
 *
 * @param[in] elements   at least 1
 * @param[in] parameters see there
 * @param[in] input      any integers
 * @param[out] output    scale 1/32768 and zero point 0; may be the input
 */
void tinsmith_logistic_s16(int32_t elements, const tinsmith_curve_parameters *parameters, const int16_t *input,
                           int16_t *output);
void tinsmith_tanh_s16(int32_t elements, const tinsmith_curve_parameters *parameters, const int16_t *input,
                       int16_t *output);

/**
 * 1 / (1 + exp(-x)) of float, below -9 exp(x) as in TFLite, within 4 units in the last place; the same bits on every
 * machine. Not-a-number stays.
 *
 * @param[in] elements at least 1
 * @param[in] input    any numbers
 * @param[out] output  may be the input
 */
void tinsmith_logistic_f32(int32_t elements, const float *input, float *output);

/** tanh of float, within 2 units in the last place; the same bits on every machine, which are those of fdlibm. */
void tinsmith_tanh_f32(int32_t elements, const float *input, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_LOGISTIC_H_
