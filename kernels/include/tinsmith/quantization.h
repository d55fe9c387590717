// Changes between float and integers, and between integers of different scales, in plain C.
#ifndef TINSMITH_QUANTIZATION_H_
#define TINSMITH_QUANTIZATION_H_

#include <stdint.h>

#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_quantize_f32_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_quantize_f32_s8)
#define tinsmith_quantize_f32_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_quantize_f32_u8)
#define tinsmith_quantize_f32_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_quantize_f32_s16)
#define tinsmith_quantize_even_f32_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_quantize_even_f32_s8)
#define tinsmith_quantize_even_f32_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_quantize_even_f32_u8)
#define tinsmith_quantize_even_f32_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_quantize_even_f32_s16)
#define tinsmith_dequantize_s8_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_dequantize_s8_f32)
#define tinsmith_dequantize_u8_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_dequantize_u8_f32)
#define tinsmith_dequantize_s16_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_dequantize_s16_f32)
#define tinsmith_requantize_s8_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_s8)
#define tinsmith_requantize_s8_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_s16)
#define tinsmith_requantize_s8_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_s32)
#define tinsmith_requantize_s16_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_s8)
#define tinsmith_requantize_s16_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_s16)
#define tinsmith_requantize_s16_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_s32)
#define tinsmith_requantize_s32_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_s8)
#define tinsmith_requantize_s32_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_s16)
#define tinsmith_requantize_s32_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_s32)
#define tinsmith_requantize_s8_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s8_u8)
#define tinsmith_requantize_u8_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_s8)
#define tinsmith_requantize_u8_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_u8)
#define tinsmith_requantize_u8_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_s16)
#define tinsmith_requantize_u8_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_u8_s32)
#define tinsmith_requantize_s16_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s16_u8)
#define tinsmith_requantize_s32_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_s32_u8)
#define tinsmith_recentre_u8_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_recentre_u8_s8)
#define tinsmith_recentre_s8_u8 TINSMITH_REFERENCE_SYMBOL(tinsmith_recentre_s8_u8)
#define tinsmith_requantize_sums_s32_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s32_s8)
#define tinsmith_requantize_sums_s32_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s32_s16)
#define tinsmith_requantize_sums_s64_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s64_s8)
#define tinsmith_requantize_sums_s64_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_requantize_sums_s64_s16)

#ifdef __cplusplus
extern "C" {
#endif

/** (input + input_offset) scaled, plus output_offset, clamped. */
typedef struct {
  /** Minus the input's zero point. */
  int32_t input_offset;
  /** The output's zero point. */
  int32_t output_offset;
  tinsmith_scale scale;
  int32_t clamp_min;
  int32_t clamp_max;
} tinsmith_requantize_parameters;

/** round(input / scale) + zero_point, ties away from zero, saturated; not-a-number becomes zero_point. */
void tinsmith_quantize_f32_s8(int32_t elements, float scale, int32_t zero_point, const float *input, int8_t *output);
void tinsmith_quantize_f32_u8(int32_t elements, float scale, int32_t zero_point, const float *input, uint8_t *output);
void tinsmith_quantize_f32_s16(int32_t elements, float scale, int32_t zero_point, const float *input, int16_t *output);

/** The same with ties to the even integer, before zero_point is added. */
void tinsmith_quantize_even_f32_s8(int32_t elements, float scale, int32_t zero_point, const float *input,
                                   int8_t *output);
void tinsmith_quantize_even_f32_u8(int32_t elements, float scale, int32_t zero_point, const float *input,
                                   uint8_t *output);
void tinsmith_quantize_even_f32_s16(int32_t elements, float scale, int32_t zero_point, const float *input,
                                    int16_t *output);

/** scale * (input - zero_point). */
void tinsmith_dequantize_s8_f32(int32_t elements, float scale, int32_t zero_point, const int8_t *input, float *output);
void tinsmith_dequantize_u8_f32(int32_t elements, float scale, int32_t zero_point, const uint8_t *input, float *output);
void tinsmith_dequantize_s16_f32(int32_t elements, float scale, int32_t zero_point, const int16_t *input,
                                 float *output);

/**
 * Change scale and zero point, and clamp: also the quantized rectifiers.
 *
 * @param[in] elements   at least 1
 * @param[in] parameters see there
 * @param[in] input      any integers
 * @param[out] output    may be the input where the types have one size
 */
void tinsmith_requantize_s8_s8(int32_t elements, const tinsmith_requantize_parameters *parameters, const int8_t *input,
                               int8_t *output);
void tinsmith_requantize_s8_s16(int32_t elements, const tinsmith_requantize_parameters *parameters, const int8_t *input,
                                int16_t *output);
void tinsmith_requantize_s8_s32(int32_t elements, const tinsmith_requantize_parameters *parameters, const int8_t *input,
                                int32_t *output);
void tinsmith_requantize_s16_s8(int32_t elements, const tinsmith_requantize_parameters *parameters,
                                const int16_t *input, int8_t *output);
void tinsmith_requantize_s16_s16(int32_t elements, const tinsmith_requantize_parameters *parameters,
                                 const int16_t *input, int16_t *output);
void tinsmith_requantize_s16_s32(int32_t elements, const tinsmith_requantize_parameters *parameters,
                                 const int16_t *input, int32_t *output);
void tinsmith_requantize_s32_s8(int32_t elements, const tinsmith_requantize_parameters *parameters,
                                const int32_t *input, int8_t *output);
void tinsmith_requantize_s32_s16(int32_t elements, const tinsmith_requantize_parameters *parameters,
                                 const int32_t *input, int16_t *output);
void tinsmith_requantize_s32_s32(int32_t elements, const tinsmith_requantize_parameters *parameters,
                                 const int32_t *input, int32_t *output);
void tinsmith_requantize_s8_u8(int32_t elements, const tinsmith_requantize_parameters *parameters, const int8_t *input,
                               uint8_t *output);
void tinsmith_requantize_u8_s8(int32_t elements, const tinsmith_requantize_parameters *parameters, const uint8_t *input,
                               int8_t *output);
void tinsmith_requantize_u8_u8(int32_t elements, const tinsmith_requantize_parameters *parameters, const uint8_t *input,
                               uint8_t *output);
void tinsmith_requantize_u8_s16(int32_t elements, const tinsmith_requantize_parameters *parameters,
                                const uint8_t *input, int16_t *output);
void tinsmith_requantize_u8_s32(int32_t elements, const tinsmith_requantize_parameters *parameters,
                                const uint8_t *input, int32_t *output);
void tinsmith_requantize_s16_u8(int32_t elements, const tinsmith_requantize_parameters *parameters,
                                const int16_t *input, uint8_t *output);
void tinsmith_requantize_s32_u8(int32_t elements, const tinsmith_requantize_parameters *parameters,
                                const int32_t *input, uint8_t *output);

/**
 * Between uint8 and int8 of one scale and zero points that are 128 apart: the highest bit is turned.
 *
 * @param[in] elements at least 1
 * @param[in] input    any integers
 * @param[out] output  may be the input
 */
void tinsmith_recentre_u8_s8(int32_t elements, const uint8_t *input, int8_t *output);
void tinsmith_recentre_s8_u8(int32_t elements, const int8_t *input, uint8_t *output);

/**
 * Scale the sums of an operator with weights, add the offset and clamp, as that operator does at its end: int32 with
 * two roundings, int64 (|sum| below 2**47) with one, by a multiplier reduced to 15 bits. stage->input_offset is not
 * read.
 *
 * @param[in] rows     at least 1
 * @param[in] channels elements of a row
 * @param[in] stage    one multiplier, or one per channel
 * @param[in] input    (rows, channels)
 * @param[out] output  (rows, channels); does not overlap the input
 */
void tinsmith_requantize_sums_s32_s8(int32_t rows, int32_t channels, const tinsmith_output_stage *stage,
                                     const int32_t *input, int8_t *output);
void tinsmith_requantize_sums_s32_s16(int32_t rows, int32_t channels, const tinsmith_output_stage *stage,
                                      const int32_t *input, int16_t *output);
void tinsmith_requantize_sums_s64_s8(int32_t rows, int32_t channels, const tinsmith_output_stage *stage,
                                     const int64_t *input, int8_t *output);
void tinsmith_requantize_sums_s64_s16(int32_t rows, int32_t channels, const tinsmith_output_stage *stage,
                                      const int64_t *input, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_QUANTIZATION_H_
