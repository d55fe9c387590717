// Weights out of what flash holds of them, before a kernel reads them.
#ifndef TINSMITH_DECOMPRESS_H_
#define TINSMITH_DECOMPRESS_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_decompress_rice TINSMITH_REFERENCE_SYMBOL(tinsmith_decompress_rice)
#define tinsmith_decompress_lz4 TINSMITH_REFERENCE_SYMBOL(tinsmith_decompress_lz4)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Integers of a Rice code: a byte with k below 8, then bits, the highest of each byte first. As many ones as z >> k, a
 * zero, and the k lowest bits of z, which is 2v, or -2v - 1 below 0; or 16 ones and the 8 bits of z.
 *
 * @param[in] code    four bytes behind its bits are read, and mean nothing
 * @param[in] size    number of integers, from 0 on
 * @param[out] output (size)
 */
void tinsmith_decompress_rice(const uint8_t *code, int32_t size, int8_t *output);

/**
 * Bytes of an LZ4 block that is known to be sound: it is not looked at whether its matches lie within it.
 *
 * @param[in] code    a block, without a frame
 * @param[in] size    number of bytes that it stands for, from 0 on
 * @param[out] output (size)
 */
void tinsmith_decompress_lz4(const uint8_t *code, int32_t size, int8_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_DECOMPRESS_H_
