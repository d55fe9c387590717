// Quotients rounded down and what they leave, with numpy's broadcasting.
#ifndef TINSMITH_DIVISION_H_
#define TINSMITH_DIVISION_H_

#include <stdint.h>

#include "tinsmith/elementwise.h"
#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_floor_div_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_floor_div_s32)
#define tinsmith_floor_div_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_floor_div_s64)
#define tinsmith_floor_div_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_floor_div_f32)
#define tinsmith_floor_mod_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_floor_mod_s32)
#define tinsmith_floor_mod_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_floor_mod_s64)
#define tinsmith_floor_mod_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_floor_mod_f32)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The largest integer that is not above lhs / rhs. Of integers the quotient wraps, and is 0 where the divisor is; of
 * float the quotient is one of double, so that it is rounded down where it should be.
 *
 * @param[in] broadcast how the operands meet
 * @param[in] lhs       dividends
 * @param[in] rhs       divisors
 * @param[out] output   dense; may be an operand that has its shape
 */
void tinsmith_floor_div_s32(const tinsmith_broadcast *broadcast, const int32_t *lhs, const int32_t *rhs,
                            int32_t *output);
void tinsmith_floor_div_s64(const tinsmith_broadcast *broadcast, const int64_t *lhs, const int64_t *rhs,
                            int64_t *output);
void tinsmith_floor_div_f32(const tinsmith_broadcast *broadcast, const float *lhs, const float *rhs, float *output);

/** What the quotient leaves, of the divisor's sign; of integers 0 where the divisor is 0. */
void tinsmith_floor_mod_s32(const tinsmith_broadcast *broadcast, const int32_t *lhs, const int32_t *rhs,
                            int32_t *output);
void tinsmith_floor_mod_s64(const tinsmith_broadcast *broadcast, const int64_t *lhs, const int64_t *rhs,
                            int64_t *output);
void tinsmith_floor_mod_f32(const tinsmith_broadcast *broadcast, const float *lhs, const float *rhs, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_DIVISION_H_
