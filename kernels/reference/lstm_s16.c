// An LSTM of int16 with weights of int8 and cells of int16, as TFLite Micro's LstmStep computes it.
#include <stddef.h>

#include "arithmetic.h"
#include "curves_s16.h"
#include "tinsmith/lstm.h"

typedef int16_t number;
typedef int16_t cell_number;

typedef struct {
  const tinsmith_lstm_shape *shape;
  const tinsmith_lstm_parameters_s16 *parameters;
  const number *input;
  const number *last;
  cell_number *cells;
} Step;

static int32_t saturated(int32_t value) {
  return clamp_s32(value, INT16_MIN, INT16_MAX);
}

static int32_t product(int32_t lhs, int32_t rhs, tinsmith_scale scale) {
  return saturated(scale_s32(lhs * rhs, scale.multiplier, scale.shift));
}

static int32_t scaled_sum(int64_t acc, int32_t count, const int16_t *values, const int8_t *weights,
                          tinsmith_scale scale) {
  for (int32_t i = 0; i < count; ++i) {
    acc += values[i] * weights[i];
  }
  return saturated(scale_s64(acc, scale.multiplier, scale.shift));
}

// The sum in Q3.12 that a gate takes the logistic function or tanh of.
static int32_t sum_of_gate(const Step *step, const tinsmith_lstm_gate_s16 *gate, int32_t cell) {
  const int32_t depth = step->shape->depth;
  const int32_t outputs = step->shape->outputs;
  const int32_t of_input =
      scaled_sum(gate->bias[cell], depth, step->input, gate->weights + cell * depth, gate->weights_scale);
  const int32_t of_last = scaled_sum(0, outputs, step->last, gate->recurrent + cell * outputs, gate->recurrent_scale);
  return saturated(of_input + of_last);
}

static int32_t opened(const Step *step, const tinsmith_lstm_gate_s16 *gate, int32_t cell) {
  return logistic_from_table(&step->parameters->gate_curve, sum_of_gate(step, gate, cell));
}

// The cells change one by one: no gate reads them.
static void update_cells(const Step *step) {
  const tinsmith_lstm_parameters_s16 *parameters = step->parameters;
  const int32_t bound = parameters->cell_clip > 0 ? parameters->cell_clip : INT16_MAX;
  const int32_t least = parameters->cell_clip > 0 ? -bound : INT16_MIN;
  for (int32_t cell = 0; cell < step->shape->cells; ++cell) {
    const int32_t fresh = tanh_from_table(&parameters->gate_curve, sum_of_gate(step, &parameters->cell, cell));
    const int32_t kept = product(opened(step, &parameters->forget, cell), step->cells[cell], parameters->kept_scale);
    const int32_t added = product(opened(step, &parameters->input, cell), fresh, parameters->added_scale);
    step->cells[cell] = (int16_t)clamp_s32(kept + added, least, bound);
  }
}

static void leave_result(const Step *step, void *scratch, number *result) {
  (void)scratch;
  const tinsmith_lstm_parameters_s16 *parameters = step->parameters;
  for (int32_t cell = 0; cell < step->shape->cells; ++cell) {
    const int32_t bounded = tanh_from_table(&parameters->cell_curve, step->cells[cell]);
    result[cell] = (int16_t)product(bounded, opened(step, &parameters->output, cell), parameters->hidden_scale);
  }
}

#include "lstm_steps.h"

void tinsmith_lstm_s16(const tinsmith_lstm_shape *shape, const tinsmith_lstm_parameters_s16 *parameters,
                       const int16_t *input, const int16_t *output_state, const int16_t *cell_state, int16_t *output,
                       int16_t *last_output, int16_t *last_cells) {
  const Step first = {.shape = shape, .parameters = parameters};
  run_steps(first, input, output_state, cell_state, NULL, output, last_output, last_cells);
}
