/* Layers of LSTM cells of int8 (tinsmith_nn_recurrent.h), block of cells after block of cells: no gate but one with a
 * peephole reads the cells, and that reads its own. A block's gates, its cells and what leaves them are computed before
 * the next block begins, so that nothing but kCells values of each lie anywhere.
 *
 * The implementation that includes this file has defined, for blocks of kCells (of fewer, the others hold anything):
 *   void add_scaled(int16_t *gate, const int32_t *sums, const cmsis_nn_per_tensor_quant_params *scale)
 *                                                          gate = saturate(gate + scaled sums), for kDotRows of them;
 *   void logistic(int16_t *values, int32_t count)                     Q3 to Q0;
 *   void hyperbolic_tangent(int16_t *values, int32_t count, int32_t integer_bits)    the same;
 *   void update_cells(const tinsmith_lstm_layer *layer, const gates *g, int32_t count, int16_t *cells)
 *   void leave_cells(const tinsmith_lstm_layer *layer, const gates *g, const int16_t *bounded, int32_t count,
 *                    int8_t *hidden)                       bounded: tanh of the cells.
 */
#ifndef TINSMITH_NN_COMMON_LSTM_CELLS_H
#define TINSMITH_NN_COMMON_LSTM_CELLS_H

#include <stddef.h>
#include <string.h>

#include "src/internal/dots.h"
#include "src/internal/lstm_gates.h"

/** What all gates read in one step. */
typedef struct {
  const tinsmith_lstm_layer *layer;
  const int8_t *input;
  const int8_t *last;
} step;

/** gate[r] += scaled(bias[r] + products of x and row r), for rows [first, first + count) of a matrix. */
static void add_products(int16_t *gate, const int8_t *x, const int8_t *weights, const int32_t *bias,
                         const cmsis_nn_per_tensor_quant_params *scale, int32_t depth, int32_t first, int32_t count) {
  weights += first * depth;
  bias += first;
  for (; count > 0; count -= kDotRows) {
    const int32_t rows = count < kDotRows ? count : kDotRows;
    int32_t sums[kDotRows];
    for (int32_t r = 0; r < kDotRows; ++r) {
      sums[r] = r < rows ? bias[r] : 0;
    }
    tinsmith_dots_s8(sums, x, 0, weights, depth, depth, rows);
    add_scaled(gate, sums, scale);
    gate += kDotRows;
    weights += kDotRows * depth;
    bias += kDotRows;
  }
}

/** What a gate takes its curve of, in Q3. cells: those of the block. */
static void sum_gate(const step *now, const tinsmith_lstm_gate *gate, const int16_t *cells, int32_t first,
                     int32_t count, int16_t *sums) {
  const tinsmith_lstm_layer *layer = now->layer;
  memset(sums, 0, kCells * sizeof *sums);
  add_products(sums, now->input, gate->weights, gate->bias, &gate->weights_scale, layer->depth, first, count);
  add_products(sums, now->last, gate->recurrent, gate->recurrent_bias, &gate->recurrent_scale, layer->cells, first,
               count);
  if (gate->peephole == NULL) {
    return;
  }
  int32_t products[kCells] = {0};
  for (int32_t i = 0; i < count; ++i) {
    products[i] = gate->peephole[first + i] * cells[i];
  }
  for (int32_t i = 0; i < kCells; i += kDotRows) {
    add_scaled(sums + i, products + i, &gate->peephole_scale);
  }
}

static void run_block(const step *now, int32_t first, int32_t count, int16_t *state, int8_t *hidden) {
  const tinsmith_lstm_layer *layer = now->layer;
  int16_t cells[kCells] = {0};
  gates g;
  memcpy(cells, state, (size_t)count * sizeof *cells);
  sum_gate(now, &layer->forget, cells, first, count, g.forget);
  logistic(g.forget, count);
  sum_gate(now, &layer->cell, cells, first, count, g.fresh);
  hyperbolic_tangent(g.fresh, count, kGateIntegerBits);
  if (layer->input.weights == NULL) {
    for (int32_t i = 0; i < kCells; ++i) {
      g.taken[i] = (int16_t)(kQ0One - g.forget[i]);
    }
  } else {
    sum_gate(now, &layer->input, cells, first, count, g.taken);
    logistic(g.taken, count);
  }
  update_cells(layer, &g, count, cells);
  memcpy(state, cells, (size_t)count * sizeof *cells);
  sum_gate(now, &layer->output, cells, first, count, g.opened);
  logistic(g.opened, count);
  hyperbolic_tangent(cells, count, layer->cell_integer_bits);
  leave_cells(layer, &g, cells, count, hidden);
}

void tinsmith_lstm_cells_s8(const tinsmith_lstm_layer *layer, const int8_t *input, const int8_t *output_state,
                            const int16_t *cell_state, int8_t *output, int8_t *last_output, int16_t *last_cells) {
  const int32_t count = layer->cells;
  memmove(last_cells, cell_state, (size_t)(layer->batches * count) * sizeof *last_cells);
  for (int32_t batch = 0; batch < layer->batches; ++batch) {
    step now = {layer, NULL, output_state + batch * count};
    int16_t *state = last_cells + batch * count;
    for (int32_t i = 0; i < layer->steps; ++i) {
      const int32_t time = layer->is_backwards ? layer->steps - 1 - i : i;
      const int32_t row = layer->is_time_major ? time * layer->batches + batch : batch * layer->steps + time;
      int8_t *hidden = output + row * count;
      now.input = input + row * layer->depth;
      for (int32_t first = 0; first < count; first += kCells) {
        const int32_t block = count - first < kCells ? count - first : kCells;
        run_block(&now, first, block, state + first, hidden + first);
      }
      now.last = hidden;
    }
    memmove(last_output + batch * count, now.last, (size_t)count);
  }
}

#endif /* TINSMITH_NN_COMMON_LSTM_CELLS_H */
