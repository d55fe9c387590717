/* Layers of LSTM cells: gates are products of internal/dots.h and the curves of arm_nn_activation_s16(), the cell state
 * has int16. */

#include <string.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/dots.h"
#include "src/internal/lstm_values.h"
#include "src/internal/requantize_s16.h"
#include "src/internal/short_copy.h"

/** Where the values of one time step lie: the batches are `batch_step` vectors apart. */
typedef struct {
  const void *input;
  const void *hidden; /* of the step before, or NULL for zeros */
  int32_t batch_step;
} step;

/** Rows whose sums are collected before they are scaled: what is done once for all then counts little. */
enum { kRowsAtOnce = 32 };

/** gate[r] = saturate(gate[r] + requantize(bias[r] + sum over k of x[k] * weights[r][k])) */
static void add_products_s8(const int8_t *x, const int8_t *weights, const int32_t *bias, int32_t multiplier,
                            int32_t shift, int32_t depth, int32_t rows, int16_t *gate) {
  for (int32_t first = 0; first < rows; first += kRowsAtOnce) {
    const int32_t count = rows - first < kRowsAtOnce ? rows - first : kRowsAtOnce;
    int32_t sums[kRowsAtOnce];
    tinsmith_copy_many(sums, bias + first, count * (int32_t)sizeof *sums);
    tinsmith_dots_s8(sums, x, 0, weights + first * depth, depth, depth, count);
    tinsmith_add_scaled_s32(gate + first, sums, count, multiplier, shift);
  }
}

/** Of a depth whose products need 64 bits. */
static void add_deep_products(const int16_t *x, const int8_t *weights, const int64_t *bias,
                              const tinsmith_scale_s64 *scale, int32_t depth, int32_t rows, int16_t *gate) {
  static const int32_t nothing[kDotRows] = {0};
  for (int32_t first = 0; first < rows; first += kDotRows) {
    const int32_t count = rows - first < kDotRows ? rows - first : kDotRows;
    int64_t sums[kDotRows];
    memcpy(sums, bias + first, (size_t)count * sizeof *sums);
    tinsmith_dots_s16_s8(sums, x, weights + first * depth, depth, count);
    tinsmith_add_scaled_s64(gate + first, sums, nothing, count, scale);
  }
}

/** As add_products_s8(), with x of int16 and sums of 64 bits. */
static void add_products_s16(const int16_t *x, const int8_t *weights, const int64_t *bias, int32_t multiplier,
                             int32_t shift, int32_t depth, int32_t rows, int16_t *gate) {
  const tinsmith_scale_s64 scale = tinsmith_scale_of_s64(tinsmith_reduced_multiplier(multiplier), shift);
  if (depth > kNarrowDepth) {
    add_deep_products(x, weights, bias, &scale, depth, rows, gate);
    return;
  }
  for (int32_t first = 0; first < rows; first += kRowsAtOnce) {
    const int32_t count = rows - first < kRowsAtOnce ? rows - first : kRowsAtOnce;
    int32_t sums[kRowsAtOnce];
    tinsmith_clear_many(sums, count * (int32_t)sizeof *sums);
    tinsmith_dots_s16_s8_modulo(sums, x, weights + first * depth, depth, count);
    tinsmith_add_scaled_s64(gate + first, bias + first, sums, count, &scale);
  }
}

typedef void (*compute_gate)(const cmsis_nn_lstm_params *params, const cmsis_nn_lstm_gate *gate, const step *now,
                             int32_t batch, int16_t *output);

static void gate_s8(const cmsis_nn_lstm_params *params, const cmsis_nn_lstm_gate *gate, const step *now, int32_t batch,
                    int16_t *output) {
  const int8_t *input = (const int8_t *)now->input + batch * now->batch_step * params->input_size;
  add_products_s8(input, gate->input_weights, gate->input_effective_bias, gate->input_multiplier, gate->input_shift,
                  params->input_size, params->hidden_size, output);
  if (now->hidden != NULL) {
    const int8_t *hidden = (const int8_t *)now->hidden + batch * now->batch_step * params->hidden_size;
    add_products_s8(hidden, gate->hidden_weights, gate->hidden_effective_bias, gate->hidden_multiplier,
                    gate->hidden_shift, params->hidden_size, params->hidden_size, output);
  }
}

static void gate_s16(const cmsis_nn_lstm_params *params, const cmsis_nn_lstm_gate *gate, const step *now, int32_t batch,
                     int16_t *output) {
  const int16_t *input = (const int16_t *)now->input + batch * now->batch_step * params->input_size;
  add_products_s16(input, gate->input_weights, gate->input_effective_bias, gate->input_multiplier, gate->input_shift,
                   params->input_size, params->hidden_size, output);
  if (now->hidden != NULL) {
    const int16_t *hidden = (const int16_t *)now->hidden + batch * now->batch_step * params->hidden_size;
    add_products_s16(hidden, gate->hidden_weights, gate->hidden_effective_bias, gate->hidden_multiplier,
                     gate->hidden_shift, params->hidden_size, params->hidden_size, output);
  }
}

/** A gate of all batches. */
static void gate_of(const cmsis_nn_lstm_params *params, const cmsis_nn_lstm_gate *gate, const step *now,
                    compute_gate compute, int16_t *output) {
  const int32_t size = params->batch_size * params->hidden_size;
  tinsmith_clear_many(output, size * (int32_t)sizeof *output);
  for (int32_t batch = 0; batch < params->batch_size; ++batch) {
    compute(params, gate, now, batch, output + batch * params->hidden_size);
  }
  arm_nn_activation_s16(output, output, size, 0, gate->activation_type);
}

/** The new cell state; what is left in the buffers: the output gate, and tanh of the cell state. */
static void update_cell(const cmsis_nn_lstm_params *params, const step *now, compute_gate compute,
                        const cmsis_nn_lstm_context *buffers) {
  const int32_t size = params->batch_size * params->hidden_size;
  int16_t *gate = buffers->temp1;
  int16_t *other = buffers->temp2;
  int16_t *cell = buffers->cell_state;
  gate_of(params, &params->forget_gate, now, compute, gate);
  arm_elementwise_mul_s16(gate, cell, 0, 0, cell, 0, params->forget_to_cell_multiplier, params->forget_to_cell_shift,
                          INT16_MIN, INT16_MAX, size);
  gate_of(params, &params->input_gate, now, compute, gate);
  gate_of(params, &params->cell_gate, now, compute, other);
  tinsmith_add_to_cells(cell, gate, other, size, params);
  gate_of(params, &params->output_gate, now, compute, gate);
  arm_nn_activation_s16(cell, other, size, params->cell_scale_power + 12, ARM_TANH);
}

/** Vectors from the values of one step to the next, and of one batch to the next. */
static int32_t time_step(const cmsis_nn_lstm_params *params) {
  return params->time_major ? params->batch_size : 1;
}

static int32_t batch_step(const cmsis_nn_lstm_params *params) {
  return params->time_major ? 1 : params->time_steps;
}

static void clear_cell(const cmsis_nn_lstm_params *params, const cmsis_nn_lstm_context *buffers) {
  tinsmith_clear_many(buffers->cell_state, params->batch_size * params->hidden_size * (int32_t)sizeof(int16_t));
}

arm_cmsis_nn_status arm_lstm_unidirectional_s8(const int8_t *input, int8_t *output, const cmsis_nn_lstm_params *params,
                                               cmsis_nn_lstm_context *buffers) {
  step now = {.input = input, .hidden = NULL, .batch_step = batch_step(params)};
  clear_cell(params, buffers);
  for (int32_t t = 0; t < params->time_steps; ++t) {
    update_cell(params, &now, gate_s8, buffers);
    int8_t *hidden = output + t * time_step(params) * params->hidden_size;
    for (int32_t batch = 0; batch < params->batch_size; ++batch) {
      const int32_t first = batch * params->hidden_size;
      tinsmith_leave_cells_s8(hidden + now.batch_step * first, (const int16_t *)buffers->temp1 + first,
                              (const int16_t *)buffers->temp2 + first, params->hidden_size, params);
    }
    now.hidden = hidden;
    input += time_step(params) * params->input_size;
    now.input = input;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_lstm_unidirectional_s16(const int16_t *input, int16_t *output,
                                                const cmsis_nn_lstm_params *params, cmsis_nn_lstm_context *buffers) {
  step now = {.input = input, .hidden = NULL, .batch_step = batch_step(params)};
  clear_cell(params, buffers);
  for (int32_t t = 0; t < params->time_steps; ++t) {
    update_cell(params, &now, gate_s16, buffers);
    int16_t *hidden = output + t * time_step(params) * params->hidden_size;
    for (int32_t batch = 0; batch < params->batch_size; ++batch) {
      const int32_t first = batch * params->hidden_size;
      tinsmith_leave_cells_s16(hidden + now.batch_step * first, (const int16_t *)buffers->temp1 + first,
                               (const int16_t *)buffers->temp2 + first, params->hidden_size, params);
    }
    now.hidden = hidden;
    input += time_step(params) * params->input_size;
    now.input = input;
  }
  return ARM_CMSIS_NN_SUCCESS;
}
