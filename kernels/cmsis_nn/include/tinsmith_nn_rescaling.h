/* Values that go from one scale to another without weights: means and sums along axes. tinsmith_nn.h says how objects
 * know such functions.
 *
 * Results equal those of TFLite's reference kernels bit by bit. The arranger is Python: tinsmith_cmsis_nn.reduction.
 */
#ifndef TINSMITH_NN_RESCALING_H
#define TINSMITH_NN_RESCALING_H

#include "arm_nn_types.h"
#include "tinsmith_nn_implementation.h"

#define tinsmith_mean_columns_s8 TINSMITH_NN_SYMBOL(tinsmith_mean_columns_s8)
#define tinsmith_mean_columns_s16 TINSMITH_NN_SYMBOL(tinsmith_mean_columns_s16)

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

#ifdef __cplusplus
}
#endif

#endif /* TINSMITH_NN_RESCALING_H */
