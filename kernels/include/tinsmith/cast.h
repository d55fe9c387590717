// The same numbers in another element type, in plain C.
#ifndef TINSMITH_CAST_H_
#define TINSMITH_CAST_H_

#include <stdint.h>

#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_cast_s8_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s8_u8)
#define tinsmith_cast_s8_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s8_s16)
#define tinsmith_cast_s8_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s8_s32)
#define tinsmith_cast_s8_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s8_s64)
#define tinsmith_cast_s8_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s8_f32)
#define tinsmith_cast_s8_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s8_bool)
#define tinsmith_cast_u8_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_u8_s8)
#define tinsmith_cast_u8_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_u8_s16)
#define tinsmith_cast_u8_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_u8_s32)
#define tinsmith_cast_u8_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_u8_s64)
#define tinsmith_cast_u8_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_u8_f32)
#define tinsmith_cast_u8_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_u8_bool)
#define tinsmith_cast_s16_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s16_s8)
#define tinsmith_cast_s16_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s16_u8)
#define tinsmith_cast_s16_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s16_s32)
#define tinsmith_cast_s16_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s16_s64)
#define tinsmith_cast_s16_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s16_f32)
#define tinsmith_cast_s16_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s16_bool)
#define tinsmith_cast_s32_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s32_s8)
#define tinsmith_cast_s32_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s32_u8)
#define tinsmith_cast_s32_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s32_s16)
#define tinsmith_cast_s32_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s32_s64)
#define tinsmith_cast_s32_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s32_f32)
#define tinsmith_cast_s32_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s32_bool)
#define tinsmith_cast_s64_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s64_s8)
#define tinsmith_cast_s64_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s64_u8)
#define tinsmith_cast_s64_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s64_s16)
#define tinsmith_cast_s64_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s64_s32)
#define tinsmith_cast_s64_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s64_f32)
#define tinsmith_cast_s64_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_s64_bool)
#define tinsmith_cast_f32_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_f32_s8)
#define tinsmith_cast_f32_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_f32_u8)
#define tinsmith_cast_f32_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_f32_s16)
#define tinsmith_cast_f32_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_f32_s32)
#define tinsmith_cast_f32_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_f32_s64)
#define tinsmith_cast_f32_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_f32_bool)
#define tinsmith_cast_bool_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_bool_s8)
#define tinsmith_cast_bool_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_bool_u8)
#define tinsmith_cast_bool_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_bool_s16)
#define tinsmith_cast_bool_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_bool_s32)
#define tinsmith_cast_bool_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_bool_s64)
#define tinsmith_cast_bool_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_cast_bool_f32)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Change the element type. Of integers the low bits are kept; float is cut off towards zero, what lies beyond the range
 * becomes the nearest integer there is, and not-a-number 0; bool, a byte of 0 or 1, is whether a number differs from 0.
 *
 * @param[in] elements at least 1
 * @param[in] input    any numbers
 * @param[out] output  may begin where the input does if its elements are not larger and one of both has bytes
 */
void tinsmith_cast_s8_u8(int32_t elements, const int8_t *input, uint8_t *output);
void tinsmith_cast_s8_s16(int32_t elements, const int8_t *input, int16_t *output);
void tinsmith_cast_s8_s32(int32_t elements, const int8_t *input, int32_t *output);
void tinsmith_cast_s8_s64(int32_t elements, const int8_t *input, int64_t *output);
void tinsmith_cast_s8_f32(int32_t elements, const int8_t *input, float *output);
void tinsmith_cast_s8_bool(int32_t elements, const int8_t *input, uint8_t *output);
void tinsmith_cast_u8_s8(int32_t elements, const uint8_t *input, int8_t *output);
void tinsmith_cast_u8_s16(int32_t elements, const uint8_t *input, int16_t *output);
void tinsmith_cast_u8_s32(int32_t elements, const uint8_t *input, int32_t *output);
void tinsmith_cast_u8_s64(int32_t elements, const uint8_t *input, int64_t *output);
void tinsmith_cast_u8_f32(int32_t elements, const uint8_t *input, float *output);
void tinsmith_cast_u8_bool(int32_t elements, const uint8_t *input, uint8_t *output);
void tinsmith_cast_s16_s8(int32_t elements, const int16_t *input, int8_t *output);
void tinsmith_cast_s16_u8(int32_t elements, const int16_t *input, uint8_t *output);
void tinsmith_cast_s16_s32(int32_t elements, const int16_t *input, int32_t *output);
void tinsmith_cast_s16_s64(int32_t elements, const int16_t *input, int64_t *output);
void tinsmith_cast_s16_f32(int32_t elements, const int16_t *input, float *output);
void tinsmith_cast_s16_bool(int32_t elements, const int16_t *input, uint8_t *output);
void tinsmith_cast_s32_s8(int32_t elements, const int32_t *input, int8_t *output);
void tinsmith_cast_s32_u8(int32_t elements, const int32_t *input, uint8_t *output);
void tinsmith_cast_s32_s16(int32_t elements, const int32_t *input, int16_t *output);
void tinsmith_cast_s32_s64(int32_t elements, const int32_t *input, int64_t *output);
void tinsmith_cast_s32_f32(int32_t elements, const int32_t *input, float *output);
void tinsmith_cast_s32_bool(int32_t elements, const int32_t *input, uint8_t *output);
void tinsmith_cast_s64_s8(int32_t elements, const int64_t *input, int8_t *output);
void tinsmith_cast_s64_u8(int32_t elements, const int64_t *input, uint8_t *output);
void tinsmith_cast_s64_s16(int32_t elements, const int64_t *input, int16_t *output);
void tinsmith_cast_s64_s32(int32_t elements, const int64_t *input, int32_t *output);
void tinsmith_cast_s64_f32(int32_t elements, const int64_t *input, float *output);
void tinsmith_cast_s64_bool(int32_t elements, const int64_t *input, uint8_t *output);
void tinsmith_cast_f32_s8(int32_t elements, const float *input, int8_t *output);
void tinsmith_cast_f32_u8(int32_t elements, const float *input, uint8_t *output);
void tinsmith_cast_f32_s16(int32_t elements, const float *input, int16_t *output);
void tinsmith_cast_f32_s32(int32_t elements, const float *input, int32_t *output);
void tinsmith_cast_f32_s64(int32_t elements, const float *input, int64_t *output);
void tinsmith_cast_f32_bool(int32_t elements, const float *input, uint8_t *output);
void tinsmith_cast_bool_s8(int32_t elements, const uint8_t *input, int8_t *output);
void tinsmith_cast_bool_u8(int32_t elements, const uint8_t *input, uint8_t *output);
void tinsmith_cast_bool_s16(int32_t elements, const uint8_t *input, int16_t *output);
void tinsmith_cast_bool_s32(int32_t elements, const uint8_t *input, int32_t *output);
void tinsmith_cast_bool_s64(int32_t elements, const uint8_t *input, int64_t *output);
void tinsmith_cast_bool_f32(int32_t elements, const uint8_t *input, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_CAST_H_
