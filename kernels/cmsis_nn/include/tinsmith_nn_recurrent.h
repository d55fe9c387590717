/* Layers that keep a state, on constants arranged ahead of time: SVDF in two functions, one for what it remembers and
 * one for what it gives. tinsmith_nn.h says how objects know such functions.
 *
 * Results equal those of TFLite's reference kernels bit by bit. The arranger (Python: tinsmith_cmsis_nn.recurrent) has
 * folded zero points into biases, modulo 2^32: sum of (x + offset) w is offset * (sum of w) + sum of x w.
 */
#ifndef TINSMITH_NN_RECURRENT_H
#define TINSMITH_NN_RECURRENT_H

#include "arm_nn_types.h"
#include "tinsmith_nn_implementation.h"

#define tinsmith_svdf_features_s8 TINSMITH_NN_SYMBOL(tinsmith_svdf_features_s8)
#define tinsmith_svdf_features_s16 TINSMITH_NN_SYMBOL(tinsmith_svdf_features_s16)
#define tinsmith_svdf_time_s8 TINSMITH_NN_SYMBOL(tinsmith_svdf_time_s8)
#define tinsmith_svdf_time_s16 TINSMITH_NN_SYMBOL(tinsmith_svdf_time_s16)

#ifdef __cplusplus
extern "C" {
#endif

/** One half of an SVDF layer; sizes are 1 or more. */
typedef struct {
  int32_t batches;
  int32_t rows;       /**< Filters, or units. */
  int32_t steps;      /**< Values that a filter remembers; of a unit, those of all its filters. */
  int32_t depth;      /**< Features of an input; read of filters alone. */
  int32_t multiplier; /**< 0 or in [2^30, 2^31) */
  int32_t shift;      /**< [-31, 30] */
  int32_t offset;     /**< Added behind the clamp to what a filter remembers, which may wrap; before it to a result. */
  cmsis_nn_activation activation;
} tinsmith_svdf_params;

/**
 * What filters remember one step later: of each all values but the first, behind them the clamped product with the
 * input.
 *
 * @param[in]  params  rows: filters.
 * @param[in]  sums    int32, [ROWS]: input offset * sum of the weights of each.
 * @param[in]  state   int8, [BATCHES, ROWS, STEPS]
 * @param[in]  input   int8, [BATCHES, DEPTH]
 * @param[in]  weights int8, [ROWS, DEPTH]
 * @param[out] output  int8, [BATCHES, ROWS, STEPS]. It may be `state`, or overlap it from a lower address.
 */
void tinsmith_svdf_features_s8(const tinsmith_svdf_params *params, const int32_t *sums, const int8_t *state,
                               const int8_t *input, const int8_t *weights, int8_t *output);

/** The same with a state of int16. */
void tinsmith_svdf_features_s16(const tinsmith_svdf_params *params, const int32_t *sums, const int16_t *state,
                                const int8_t *input, const int8_t *weights, int16_t *output);

/**
 * What units give: the sum over all that their filters remember. Of sums 32 bits count.
 *
 * @param[in]  params  rows: units.
 * @param[in]  bias    int32, [ROWS]: bias + state offset * sum of the weights of each.
 * @param[in]  state   int8, [BATCHES, ROWS, STEPS]
 * @param[in]  weights int8, [ROWS, STEPS]
 * @param[out] output  int8, [BATCHES, ROWS]
 */
void tinsmith_svdf_time_s8(const tinsmith_svdf_params *params, const int32_t *bias, const int8_t *state,
                           const int8_t *weights, int8_t *output);

/** The same with a state and weights of int16. */
void tinsmith_svdf_time_s16(const tinsmith_svdf_params *params, const int32_t *bias, const int16_t *state,
                            const int16_t *weights, int8_t *output);

#ifdef __cplusplus
}
#endif

#endif /* TINSMITH_NN_RECURRENT_H */
