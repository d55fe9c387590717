// Squared differences and quotients of two operands, with numpy's broadcasting, in plain C.
#ifndef TINSMITH_DIFFERENCES_H_
#define TINSMITH_DIFFERENCES_H_

#include <stdint.h>

#include "tinsmith/elementwise.h"
#include "tinsmith/symbols.h"
#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_squared_difference_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_squared_difference_s8)
#define tinsmith_squared_difference_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_squared_difference_s32)
#define tinsmith_squared_difference_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_squared_difference_f32)
#define tinsmith_div_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_div_f32)
#define tinsmith_div_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_div_s32)
#define tinsmith_div_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_div_s64)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * (lhs - rhs)**2; the output may be the same memory as an operand of the output's shape. Of int8 the left shift is 7,
 * and the output's may be above 0; int32 is not quantized, it wraps.
 */
void tinsmith_squared_difference_s8(const tinsmith_broadcast *broadcast, const tinsmith_add_parameters *parameters,
                                    const int8_t *lhs, const int8_t *rhs, int8_t *output);
void tinsmith_squared_difference_s32(const tinsmith_broadcast *broadcast, const int32_t *lhs, const int32_t *rhs,
                                     int32_t *output);
void tinsmith_squared_difference_f32(const tinsmith_broadcast *broadcast, const float *lhs, const float *rhs,
                                     float *output);

/** lhs / rhs, clamped. */
void tinsmith_div_f32(const tinsmith_broadcast *broadcast, const tinsmith_clamp_f32 *clamp, const float *lhs,
                      const float *rhs, float *output);

/** The same of integers, towards 0; 0 of what is divided by 0. Those of 64 bits are not clamped. */
void tinsmith_div_s32(const tinsmith_broadcast *broadcast, const tinsmith_clamp *clamp, const int32_t *lhs,
                      const int32_t *rhs, int32_t *output);
void tinsmith_div_s64(const tinsmith_broadcast *broadcast, const int64_t *lhs, const int64_t *rhs, int64_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_DIFFERENCES_H_
