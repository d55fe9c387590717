// An LSTM of int8 with cells of int16, as TFLite's LstmStepInteger8x8_16 computes it.
#include <stddef.h>

#include "arithmetic.h"
#include "fixed_point_16.h"
#include "tinsmith/lstm.h"

#define GATE_INTEGER_BITS 3

typedef int8_t number;
typedef int16_t cell_number;

typedef struct {
  const tinsmith_lstm_shape *shape;
  const tinsmith_lstm_parameters_s8 *parameters;
  const number *input;
  const number *last;
  cell_number *cells;
} Step;

static int32_t sum_of_products(int32_t count, const int8_t *values, int32_t offset, const int8_t *weights) {
  int32_t acc = 0;
  for (int32_t i = 0; i < count; ++i) {
    acc += (values[i] + offset) * weights[i];
  }
  return acc;
}

static int32_t scaled(int32_t value, tinsmith_scale scale) {
  return scale_s32(value, scale.multiplier, scale.shift);
}

// The sum in Q3.12 that a gate takes the logistic function or tanh of.
static int32_t sum_of_gate(const Step *step, const tinsmith_lstm_gate_s8 *gate, int32_t cell) {
  const tinsmith_lstm_shape *shape = step->shape;
  const tinsmith_lstm_parameters_s8 *parameters = step->parameters;
  const int32_t of_input =
      sum_of_products(shape->depth, step->input, parameters->input_offset, gate->weights + cell * shape->depth);
  int32_t sum = clamp_to_s16(scaled(gate->bias[cell] + of_input, gate->weights_scale));
  const int32_t of_last =
      sum_of_products(shape->outputs, step->last, parameters->output_offset, gate->recurrent + cell * shape->outputs);
  sum = clamp_to_s16(sum + scaled(of_last, gate->recurrent_scale));
  if (gate->peephole != NULL) {
    sum = clamp_to_s16(sum + scaled(gate->peephole[cell] * step->cells[cell], gate->peephole_scale));
  }
  return sum;
}

// The cells change one by one: no gate but one with a peephole reads them, and that reads its own.
static void update_cells(const Step *step) {
  const tinsmith_lstm_parameters_s8 *parameters = step->parameters;
  for (int32_t cell = 0; cell < step->shape->cells; ++cell) {
    const int32_t forget = logistic_s16(sum_of_gate(step, &parameters->forget, cell));
    const int32_t fresh = tanh_s16(sum_of_gate(step, &parameters->cell, cell), GATE_INTEGER_BITS);
    const int32_t taken =
        parameters->input.weights == NULL ? Q0_ONE - forget : logistic_s16(sum_of_gate(step, &parameters->input, cell));
    const int32_t kept = divide_by_power_of_two(forget * step->cells[cell], 15);
    const int32_t added = divide_by_power_of_two(taken * fresh, 15 + parameters->cell_integer_bits);
    const int32_t bound = parameters->cell_clip > 0 ? parameters->cell_clip : INT16_MAX;
    step->cells[cell] = (int16_t)clamp_s32(kept + added, parameters->cell_clip > 0 ? -bound : INT16_MIN, bound);
  }
}

static void leave_cells(const Step *step, int8_t *hidden) {
  const tinsmith_lstm_parameters_s8 *parameters = step->parameters;
  for (int32_t cell = 0; cell < step->shape->cells; ++cell) {
    const int32_t opened = logistic_s16(sum_of_gate(step, &parameters->output, cell));
    const int32_t bounded = tanh_s16(step->cells[cell], parameters->cell_integer_bits);
    const int32_t left = scaled(opened * bounded, parameters->hidden_scale);
    hidden[cell] = (int8_t)offset_and_clamp(left, parameters->hidden_zero_point, INT8_MIN, INT8_MAX);
  }
}

static void project(const Step *step, const int8_t *hidden, int8_t *result) {
  const tinsmith_lstm_parameters_s8 *parameters = step->parameters;
  const int32_t cells = step->shape->cells;
  const int32_t bound = parameters->projection_clip > 0 ? parameters->projection_clip : INT8_MAX;
  const int32_t least = parameters->projection_clip > 0 ? -bound : INT8_MIN;
  for (int32_t i = 0; i < step->shape->outputs; ++i) {
    const int32_t bias = parameters->projection_bias == NULL ? 0 : parameters->projection_bias[i];
    const int32_t sum =
        bias + sum_of_products(cells, hidden, -parameters->hidden_zero_point, parameters->projection + i * cells);
    result[i] =
        (int8_t)offset_and_clamp(scaled(sum, parameters->projection_scale), -parameters->output_offset, least, bound);
  }
}

static void leave_result(const Step *step, void *scratch, number *result) {
  if (step->parameters->projection == NULL) {
    leave_cells(step, result);
  } else {
    leave_cells(step, scratch);
    project(step, scratch, result);
  }
}

#include "lstm_steps.h"

void tinsmith_lstm_s8(const tinsmith_lstm_shape *shape, const tinsmith_lstm_parameters_s8 *parameters,
                      const int8_t *input, const int8_t *output_state, const int16_t *cell_state, void *scratch,
                      int8_t *output, int8_t *last_output, int16_t *last_cells) {
  const Step first = {.shape = shape, .parameters = parameters};
  run_steps(first, input, output_state, cell_state, scratch, output, last_output, last_cells);
}
