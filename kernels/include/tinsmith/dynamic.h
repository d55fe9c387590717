// float32 as 8-bit integers whose scale each run chooses anew, as TFLite's kernels with int8 weights and float32
// activations need them.
#ifndef TINSMITH_DYNAMIC_H_
#define TINSMITH_DYNAMIC_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_dynamic_scale TINSMITH_REFERENCE_SYMBOL(tinsmith_dynamic_scale)
#define tinsmith_dynamic_scale_symmetric TINSMITH_REFERENCE_SYMBOL(tinsmith_dynamic_scale_symmetric)
#define tinsmith_dynamic_quantize TINSMITH_REFERENCE_SYMBOL(tinsmith_dynamic_quantize)
#define tinsmith_dynamic_quantize_symmetric TINSMITH_REFERENCE_SYMBOL(tinsmith_dynamic_quantize_symmetric)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What one step of the integers of each row stands for: its largest number less its smallest, 0 among them, over 255.
 * A row of zeros has 1. NaN counts for neither.
 *
 * @param[in] rows    at least 1
 * @param[in] depth   numbers of a row, at least 1
 * @param[in] input   (rows, depth)
 * @param[out] output (rows); does not overlap the input
 */
void tinsmith_dynamic_scale(int32_t rows, int32_t depth, const float *input, float *output);

/** The same of integers from -127 to 127: the largest magnitude over 127. */
void tinsmith_dynamic_scale_symmetric(int32_t rows, int32_t depth, const float *input, float *output);

/**
 * Each number in steps of its row's scale: a number of 8 bits, rounded with halves away from zero, less the one that
 * stands for 0. NaN gives 0.
 *
 * @param[in] rows    at least 1
 * @param[in] depth   numbers of a row, at least 1
 * @param[in] input   (rows, depth)
 * @param[out] output (rows, depth), from -255 to 255; does not overlap the input
 */
void tinsmith_dynamic_quantize(int32_t rows, int32_t depth, const float *input, int16_t *output);

/** The same of integers from -127 to 127, of which 0 stands for 0. */
void tinsmith_dynamic_quantize_symmetric(int32_t rows, int32_t depth, const float *input, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_DYNAMIC_H_
