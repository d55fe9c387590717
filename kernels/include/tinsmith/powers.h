// Powers with computed exponents, with numpy's broadcasting.
#ifndef TINSMITH_POWERS_H_
#define TINSMITH_POWERS_H_

#include "tinsmith/elementwise.h"
#include "tinsmith/symbols.h"

// The name that objects know the function by; see symbols.h.
#define tinsmith_pow_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_pow_f32)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * lhs to the power of rhs within 1.5 units in the last place, by integers. Ends are those of C99: 1 where rhs is 0 or
 * lhs is 1, whatever the other; NaN below zero where rhs is no integer.
 *
 * @param[in] broadcast how the operands meet
 * @param[in] lhs       bases
 * @param[in] rhs       exponents
 * @param[out] output   dense; may be an operand that has its shape
 */
void tinsmith_pow_f32(const tinsmith_broadcast *broadcast, const float *lhs, const float *rhs, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_POWERS_H_
