// Addition, subtraction, multiplication, minimum and maximum with numpy's broadcasting, and rectifiers, in plain C.
#ifndef TINSMITH_ELEMENTWISE_H_
#define TINSMITH_ELEMENTWISE_H_

#include <stdint.h>

#include "tinsmith/quantization.h"
#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_add_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_add_s8)
#define tinsmith_add_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_add_s16)
#define tinsmith_add_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_add_s32)
#define tinsmith_add_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_add_f32)
#define tinsmith_add_requantize_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_add_requantize_s8)
#define tinsmith_add_requantize_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_add_requantize_s16)
#define tinsmith_sub_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_sub_s8)
#define tinsmith_sub_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_sub_s16)
#define tinsmith_sub_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_sub_s32)
#define tinsmith_sub_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_sub_f32)
#define tinsmith_add_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_add_s64)
#define tinsmith_sub_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_sub_s64)
#define tinsmith_mul_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_mul_s8)
#define tinsmith_mul_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_mul_s16)
#define tinsmith_mul_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_mul_s64)
#define tinsmith_mul_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_mul_s32)
#define tinsmith_mul_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_mul_f32)
#define tinsmith_minimum_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_minimum_s8)
#define tinsmith_minimum_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_minimum_s16)
#define tinsmith_minimum_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_minimum_s32)
#define tinsmith_minimum_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_minimum_s64)
#define tinsmith_minimum_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_minimum_f32)
#define tinsmith_minimum_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_minimum_bool)
#define tinsmith_maximum_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_maximum_s8)
#define tinsmith_maximum_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_maximum_s16)
#define tinsmith_maximum_s32 TINSMITH_REFERENCE_SYMBOL(tinsmith_maximum_s32)
#define tinsmith_maximum_s64 TINSMITH_REFERENCE_SYMBOL(tinsmith_maximum_s64)
#define tinsmith_maximum_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_maximum_f32)
#define tinsmith_maximum_bool TINSMITH_REFERENCE_SYMBOL(tinsmith_maximum_bool)
#define tinsmith_clamp_elements_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_clamp_elements_f32)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * How two operands meet: the output is dense with `rank` dimensions `shape`, outermost first; a stride of 0 repeats an
 * operand along that dimension. Strides are in elements.
 */
typedef struct {
  /** In [1, TINSMITH_MAX_RANK]. */
  int32_t rank;
  int32_t shape[TINSMITH_MAX_RANK];
  int32_t lhs_strides[TINSMITH_MAX_RANK];
  int32_t rhs_strides[TINSMITH_MAX_RANK];
} tinsmith_broadcast;

/**
 * Addition or subtraction of quantized numbers: each operand, with its offset added and shifted left by left_shift, is
 * scaled; their sum (difference) is scaled to the output.
 */
typedef struct {
  /** Minus the zero points. */
  int32_t lhs_offset;
  int32_t rhs_offset;
  /** The output's zero point. */
  int32_t output_offset;
  /** 20 for int8, 15 for int16. */
  int32_t left_shift;
  /** Shifts are at most 0. */
  tinsmith_scale lhs;
  tinsmith_scale rhs;
  tinsmith_scale output;
  int32_t clamp_min;
  int32_t clamp_max;
} tinsmith_add_parameters;

/** Multiplication of quantized numbers: (lhs + lhs_offset) * (rhs + rhs_offset), scaled to the output. */
typedef struct {
  int32_t lhs_offset;
  int32_t rhs_offset;
  int32_t output_offset;
  tinsmith_scale output;
  int32_t clamp_min;
  int32_t clamp_max;
} tinsmith_mul_parameters;

/**
 * Sum of two operands; the output may be the same memory as an operand of the output's shape. int32 is not quantized:
 * it wraps, then it is clamped.
 */
void tinsmith_add_s8(const tinsmith_broadcast *broadcast, const tinsmith_add_parameters *parameters, const int8_t *lhs,
                     const int8_t *rhs, int8_t *output);
void tinsmith_add_s16(const tinsmith_broadcast *broadcast, const tinsmith_add_parameters *parameters,
                      const int16_t *lhs, const int16_t *rhs, int16_t *output);
void tinsmith_add_s32(const tinsmith_broadcast *broadcast, const tinsmith_clamp *clamp, const int32_t *lhs,
                      const int32_t *rhs, int32_t *output);
void tinsmith_add_f32(const tinsmith_broadcast *broadcast, const tinsmith_clamp_f32 *clamp, const float *lhs,
                      const float *rhs, float *output);

/** Sum of two operands, which then changes its scale and is clamped: tinsmith_requantize_s8_s8 in the same pass. */
void tinsmith_add_requantize_s8(const tinsmith_broadcast *broadcast, const tinsmith_add_parameters *parameters,
                                const tinsmith_requantize_parameters *end, const int8_t *lhs, const int8_t *rhs,
                                int8_t *output);
void tinsmith_add_requantize_s16(const tinsmith_broadcast *broadcast, const tinsmith_add_parameters *parameters,
                                 const tinsmith_requantize_parameters *end, const int16_t *lhs, const int16_t *rhs,
                                 int16_t *output);

/** Difference lhs - rhs; parameters as for the sum. */
void tinsmith_sub_s8(const tinsmith_broadcast *broadcast, const tinsmith_add_parameters *parameters, const int8_t *lhs,
                     const int8_t *rhs, int8_t *output);
void tinsmith_sub_s16(const tinsmith_broadcast *broadcast, const tinsmith_add_parameters *parameters,
                      const int16_t *lhs, const int16_t *rhs, int16_t *output);
void tinsmith_sub_s32(const tinsmith_broadcast *broadcast, const tinsmith_clamp *clamp, const int32_t *lhs,
                      const int32_t *rhs, int32_t *output);
void tinsmith_sub_f32(const tinsmith_broadcast *broadcast, const tinsmith_clamp_f32 *clamp, const float *lhs,
                      const float *rhs, float *output);

/** Sum and difference of int64, which must fit. */
void tinsmith_add_s64(const tinsmith_broadcast *broadcast, const int64_t *lhs, const int64_t *rhs, int64_t *output);
void tinsmith_sub_s64(const tinsmith_broadcast *broadcast, const int64_t *lhs, const int64_t *rhs, int64_t *output);

/** Product of two operands. */
void tinsmith_mul_s8(const tinsmith_broadcast *broadcast, const tinsmith_mul_parameters *parameters, const int8_t *lhs,
                     const int8_t *rhs, int8_t *output);
void tinsmith_mul_s16(const tinsmith_broadcast *broadcast, const tinsmith_mul_parameters *parameters,
                      const int16_t *lhs, const int16_t *rhs, int16_t *output);
void tinsmith_mul_s32(const tinsmith_broadcast *broadcast, const tinsmith_clamp *clamp, const int32_t *lhs,
                      const int32_t *rhs, int32_t *output);
/** int64 wraps. */
void tinsmith_mul_s64(const tinsmith_broadcast *broadcast, const int64_t *lhs, const int64_t *rhs, int64_t *output);
void tinsmith_mul_f32(const tinsmith_broadcast *broadcast, const tinsmith_clamp_f32 *clamp, const float *lhs,
                      const float *rhs, float *output);

/**
 * The smaller of two operands of one quantization, lhs < rhs ? lhs : rhs; so rhs, where one is NaN. The output may be
 * the same memory as an operand of the output's shape.
 */
void tinsmith_minimum_s8(const tinsmith_broadcast *broadcast, const int8_t *lhs, const int8_t *rhs, int8_t *output);
void tinsmith_minimum_s16(const tinsmith_broadcast *broadcast, const int16_t *lhs, const int16_t *rhs, int16_t *output);
void tinsmith_minimum_s32(const tinsmith_broadcast *broadcast, const int32_t *lhs, const int32_t *rhs, int32_t *output);
void tinsmith_minimum_s64(const tinsmith_broadcast *broadcast, const int64_t *lhs, const int64_t *rhs, int64_t *output);
void tinsmith_minimum_f32(const tinsmith_broadcast *broadcast, const float *lhs, const float *rhs, float *output);
/** Of bytes of 0 or 1: lhs and rhs. */
void tinsmith_minimum_bool(const tinsmith_broadcast *broadcast, const uint8_t *lhs, const uint8_t *rhs,
                           uint8_t *output);

/** The larger: lhs > rhs ? lhs : rhs. */
void tinsmith_maximum_s8(const tinsmith_broadcast *broadcast, const int8_t *lhs, const int8_t *rhs, int8_t *output);
void tinsmith_maximum_s16(const tinsmith_broadcast *broadcast, const int16_t *lhs, const int16_t *rhs, int16_t *output);
void tinsmith_maximum_s32(const tinsmith_broadcast *broadcast, const int32_t *lhs, const int32_t *rhs, int32_t *output);
void tinsmith_maximum_s64(const tinsmith_broadcast *broadcast, const int64_t *lhs, const int64_t *rhs, int64_t *output);
void tinsmith_maximum_f32(const tinsmith_broadcast *broadcast, const float *lhs, const float *rhs, float *output);
/** Of bytes of 0 or 1: lhs or rhs. */
void tinsmith_maximum_bool(const tinsmith_broadcast *broadcast, const uint8_t *lhs, const uint8_t *rhs,
                           uint8_t *output);

/**
 * Clamp `elements` floats, as rectifiers do.
 *
 * @param[in] elements at least 1
 * @param[in] clamp    for a rectifier {0, FLT_MAX}, for ReLU6 {0, 6}
 * @param[in] input    any numbers
 * @param[out] output  may be the input
 */
void tinsmith_clamp_elements_f32(int32_t elements, const tinsmith_clamp_f32 *clamp, const float *input, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_ELEMENTWISE_H_
