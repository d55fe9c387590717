// Rectifiers that are more than a clamp: leaky, parametric, hard swish, in plain C; of int8 see lookup.h, too.
#ifndef TINSMITH_RECTIFIERS_H_
#define TINSMITH_RECTIFIERS_H_

#include <stdint.h>

#include "tinsmith/elementwise.h"
#include "tinsmith/symbols.h"
#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_leaky_relu_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_leaky_relu_s16)
#define tinsmith_leaky_relu_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_leaky_relu_f32)
#define tinsmith_prelu_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_prelu_s8)
#define tinsmith_prelu_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_prelu_f32)
#define tinsmith_hard_swish_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_hard_swish_f32)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Rectifiers of integers: the input, with its offset added, is scaled by `positive`, or below zero times alpha by
 * `negative`; output_offset is added, then it saturates.
 */
typedef struct {
  /** Minus the zero points. */
  int32_t input_offset;
  int32_t alpha_offset;
  /** The output's zero point. */
  int32_t output_offset;
  tinsmith_scale positive;
  /** Of the leaky one alpha is in here; the multiplier has its sign. */
  tinsmith_scale negative;
} tinsmith_rectifier_parameters;

/**
 * value > 0 ? value : alpha * value.
 *
 * @param[in] elements   at least 1
 * @param[in] parameters alpha_offset is not read
 * @param[in] input      any numbers
 * @param[out] output    may be the input
 */
void tinsmith_leaky_relu_s16(int32_t elements, const tinsmith_rectifier_parameters *parameters, const int16_t *input,
                             int16_t *output);
void tinsmith_leaky_relu_f32(int32_t elements, float alpha, const float *input, float *output);

/**
 * value >= 0 ? value : alpha * value, with an alpha for each element.
 *
 * @param[in] broadcast  the output has the input's shape
 * @param[in] parameters of int8
 * @param[in] input      any numbers
 * @param[in] alpha      any numbers
 * @param[out] output    may be the input, or an alpha of its shape
 */
void tinsmith_prelu_s8(const tinsmith_broadcast *broadcast, const tinsmith_rectifier_parameters *parameters,
                       const int8_t *input, const int8_t *alpha, int8_t *output);
void tinsmith_prelu_f32(const tinsmith_broadcast *broadcast, const float *input, const float *alpha, float *output);

/** value * min(max(value + 3, 0), 6) / 6; the output may be the input. */
void tinsmith_hard_swish_f32(int32_t elements, const float *input, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_RECTIFIERS_H_
