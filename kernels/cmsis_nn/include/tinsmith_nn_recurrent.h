/* Layers that keep a state, on constants arranged ahead of time: SVDF in two functions, one for what it remembers and
 * one for what it gives; cells of an LSTM. tinsmith_nn.h says how objects know such functions.
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
#define tinsmith_lstm_cells_s8 TINSMITH_NN_SYMBOL(tinsmith_lstm_cells_s8)

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

/** A gate of a layer of LSTM cells: two sums of products and, with a peephole, one by the cell; each is rescaled to Q3
 * (12 fraction bits) by itself, the total saturated to int16 after each. */
typedef struct {
  const int8_t *weights;         /**< [CELLS, DEPTH]; NULL of an input gate that is what the forget gate leaves */
  const int32_t *bias;           /**< [CELLS]: bias + input offset * sum of the weights */
  const int8_t *recurrent;       /**< [CELLS, CELLS] */
  const int32_t *recurrent_bias; /**< [CELLS]: output offset * sum of the recurrent weights */
  const int16_t *peephole;       /**< [CELLS], or NULL */
  cmsis_nn_per_tensor_quant_params weights_scale;
  cmsis_nn_per_tensor_quant_params recurrent_scale;
  cmsis_nn_per_tensor_quant_params peephole_scale;
} tinsmith_lstm_gate;

/** A layer; sizes are 1 or more. */
typedef struct {
  int32_t batches;
  int32_t steps; /**< Of a sequence. */
  int32_t depth; /**< Features of an input. */
  int32_t cells;
  int32_t is_time_major; /**< Sequences are [STEPS, BATCHES, ...] instead of [BATCHES, STEPS, ...]. */
  int32_t is_backwards;  /**< From the last step to the first. */
  tinsmith_lstm_gate input;
  tinsmith_lstm_gate forget;
  tinsmith_lstm_gate cell;
  tinsmith_lstm_gate output;
  cmsis_nn_per_tensor_quant_params hidden_scale; /**< Of a product of two numbers in Q0 that leaves a cell. */
  int32_t hidden_zero_point;
  int32_t cell_integer_bits;      /**< [0, 6] */
  cmsis_nn_activation cell_range; /**< Within int16. */
} tinsmith_lstm_layer;

/**
 * All steps of a sequence, as TFLite's integer kernel LstmStepInteger8x8_16 computes them. What
 * arm_lstm_unidirectional_s8() computes differs: its curves go by a table, and it begins with zeros.
 *
 * @param[in]  layer        See there.
 * @param[in]  input        int8, [BATCHES, STEPS, DEPTH], or steps first
 * @param[in]  output_state int8, [BATCHES, CELLS]: what the layer gave last.
 * @param[in]  cell_state   int16, [BATCHES, CELLS]
 * @param[out] output       int8, [BATCHES, STEPS, CELLS], or steps first; it overlaps no operand.
 * @param[out] last_output  int8, [BATCHES, CELLS]: what the layer gave last; it may be `output_state`.
 * @param[out] last_cells   int16, [BATCHES, CELLS]; it may be `cell_state`.
 */
void tinsmith_lstm_cells_s8(const tinsmith_lstm_layer *layer, const int8_t *input, const int8_t *output_state,
                            const int16_t *cell_state, int8_t *output, int8_t *last_output, int16_t *last_cells);

#ifdef __cplusplus
}
#endif

#endif /* TINSMITH_NN_RECURRENT_H */
