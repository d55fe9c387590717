/* Values that go from one scale to another without weights: one by one, or means and sums along axes. tinsmith_nn.h
 * says how objects know such functions.
 *
 * Results equal those of TFLite's reference kernels bit by bit. The arrangers are Python:
 * tinsmith_cmsis_nn.rescaling and tinsmith_cmsis_nn.reduction.
 */
#ifndef TINSMITH_NN_RESCALING_H
#define TINSMITH_NN_RESCALING_H

#include "arm_nn_types.h"
#include "tinsmith_nn_implementation.h"

#define tinsmith_mean_columns_s8 TINSMITH_NN_SYMBOL(tinsmith_mean_columns_s8)
#define tinsmith_mean_columns_s16 TINSMITH_NN_SYMBOL(tinsmith_mean_columns_s16)

#define tinsmith_flip_signs TINSMITH_NN_SYMBOL(tinsmith_flip_signs)
#define tinsmith_rescale_s8_s8 TINSMITH_NN_SYMBOL(tinsmith_rescale_s8_s8)
#define tinsmith_rescale_s8_u8 TINSMITH_NN_SYMBOL(tinsmith_rescale_s8_u8)
#define tinsmith_rescale_s8_s16 TINSMITH_NN_SYMBOL(tinsmith_rescale_s8_s16)
#define tinsmith_rescale_u8_s8 TINSMITH_NN_SYMBOL(tinsmith_rescale_u8_s8)
#define tinsmith_rescale_s16_s8 TINSMITH_NN_SYMBOL(tinsmith_rescale_s16_s8)
#define tinsmith_rescale_s16_s16 TINSMITH_NN_SYMBOL(tinsmith_rescale_s16_s16)

#ifdef __cplusplus
extern "C" {
#endif

/** Sums of columns, and how they are rescaled; sizes are 1 or more. */
typedef struct {
  int32_t outer;         /**< Matrices. */
  int32_t count;         /**< Rows of a matrix: what is summed up. Of int8 at most 2^23. */
  int32_t inner;         /**< Columns of a matrix: results. */
  int32_t offset;        /**< Added to each sum, modulo 2^32: -(zero point of the input) * count. */
  int32_t multiplier;    /**< [0, 2^31); that of a mean has been divided by the count. */
  int32_t shift;         /**< [-31, 30] */
  int32_t output_offset; /**< Zero point of the output. */
  cmsis_nn_activation activation;
} tinsmith_columns_params;

/**
 * The rescaled sum of each column: the mean over H and W of an NHWC tensor with outer = N, count = H * W, inner = C;
 * over all of a tensor with outer = inner = 1.
 *
 * @param[in]  params See there.
 * @param[in]  input  int8, [OUTER, COUNT, INNER]
 * @param[out] output int8, [OUTER, INNER]. It may lie over columns that come before those of its results.
 */
void tinsmith_mean_columns_s8(const tinsmith_columns_params *params, const int8_t *input, int8_t *output);

/** The same of int16; sums wrap. */
void tinsmith_mean_columns_s16(const tinsmith_columns_params *params, const int16_t *input, int16_t *output);

/**
 * value -> value * unit + start -> times multiplier * 2^-32, rounded half up -> by 2^right, rounded half away from
 * zero, plus the zero point. It is TFLite's MultiplyByQuantizedMultiplier of value - (zero point of the input) with a
 * shift of left - right, one of which is 0.
 */
typedef struct {
  int32_t unit;       /**< 2^(left + 1), left in [0, 14] */
  int32_t start;      /**< -(zero point of the input) * unit */
  int32_t multiplier; /**< [0, 2^31) */
  int32_t right;      /**< [0, 14] */
  int32_t half;       /**< (zero point of the output) * 2^right, and 2^(right - 1) more if right is not 0. */
  cmsis_nn_activation activation;
} tinsmith_rescale_params;

/**
 * Values of one scale and zero point as such of another.
 *
 * @param[in]  params   See there.
 * @param[in]  elements Of both, 0 or more.
 * @param[in]  input    Dense.
 * @param[out] output   Dense. It may overlap `input` where no element lies over such as come later.
 */
void tinsmith_rescale_s8_s8(const tinsmith_rescale_params *params, int32_t elements, const int8_t *input,
                            int8_t *output);
void tinsmith_rescale_s8_u8(const tinsmith_rescale_params *params, int32_t elements, const int8_t *input,
                            uint8_t *output);
void tinsmith_rescale_s8_s16(const tinsmith_rescale_params *params, int32_t elements, const int8_t *input,
                             int16_t *output);
void tinsmith_rescale_u8_s8(const tinsmith_rescale_params *params, int32_t elements, const uint8_t *input,
                            int8_t *output);
void tinsmith_rescale_s16_s8(const tinsmith_rescale_params *params, int32_t elements, const int16_t *input,
                             int8_t *output);
void tinsmith_rescale_s16_s16(const tinsmith_rescale_params *params, int32_t elements, const int16_t *input,
                              int16_t *output);

/**
 * Bytes with the other sign: uint8 as int8 of the same scale with a zero point 128 lower, and back.
 *
 * @param[in]  elements Of both, 0 or more.
 * @param[in]  input    uint8 or int8
 * @param[out] output   int8 or uint8. It may overlap `input` from a lower address, or be it.
 */
void tinsmith_flip_signs(int32_t elements, const void *input, void *output);

#ifdef __cplusplus
}
#endif

#endif /* TINSMITH_NN_RESCALING_H */
