// Functions of one integer by their table.
#ifndef TINSMITH_LOOKUP_H_
#define TINSMITH_LOOKUP_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_lookup_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_lookup_s8)
#define tinsmith_lookup_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_lookup_s16)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Any function of one int8.
 *
 * @param[in] elements at least 1
 * @param[in] table    256 results, that of -128 first
 * @param[in] input    any integers
 * @param[out] output  may be the input
 */
void tinsmith_lookup_s8(int32_t elements, const int8_t *table, const int8_t *input, int8_t *output);

/**
 * Any function of one int16 by straight lines between values 128 apart.
 *
 * @param[in] elements at least 1
 * @param[in] table    513 results, that of -32768 first, that of 32767 (taken for 32768) last
 * @param[in] input    any integers
 * @param[out] output  may be the input
 */
void tinsmith_lookup_s16(int32_t elements, const int16_t *table, const int16_t *input, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_LOOKUP_H_
