// An LSTM of float.
#include <stddef.h>

#include "exponential.h"
#include "float_rules.h"
#include "tinsmith/lstm.h"

typedef float number;
typedef float cell_number;

typedef struct {
  const tinsmith_lstm_shape *shape;
  const tinsmith_lstm_parameters_f32 *parameters;
  const number *input;
  const number *last;
  cell_number *cells;
} Step;

static float sum_of_products(int32_t count, const float *values, const float *weights) {
  float acc = 0.0f;
  for (int32_t i = 0; i < count; ++i) {
    acc += values[i] * weights[i];
  }
  return acc;
}

static float sum_of_gate(const Step *step, const tinsmith_lstm_gate_f32 *gate, int32_t cell) {
  const tinsmith_lstm_shape *shape = step->shape;
  float sum = gate->bias[cell] + sum_of_products(shape->depth, step->input, gate->weights + cell * shape->depth);
  sum += sum_of_products(shape->outputs, step->last, gate->recurrent + cell * shape->outputs);
  return gate->peephole == NULL ? sum : sum + gate->peephole[cell] * step->cells[cell];
}

static float clip(float value, float bound) {
  return bound > 0.0f ? clamp_f32(value, -bound, bound) : value;
}

// The cells change one by one: no gate but one with a peephole reads them, and that reads its own.
static void update_cells(const Step *step) {
  const tinsmith_lstm_parameters_f32 *parameters = step->parameters;
  for (int32_t cell = 0; cell < step->shape->cells; ++cell) {
    const float forget = logistic(sum_of_gate(step, &parameters->forget, cell));
    const float fresh = hyperbolic_tangent(sum_of_gate(step, &parameters->cell, cell));
    const float taken =
        parameters->input.weights == NULL ? 1.0f - forget : logistic(sum_of_gate(step, &parameters->input, cell));
    step->cells[cell] = clip(forget * step->cells[cell] + fresh * taken, parameters->cell_clip);
  }
}

static void leave_cells(const Step *step, float *hidden) {
  for (int32_t cell = 0; cell < step->shape->cells; ++cell) {
    hidden[cell] = logistic(sum_of_gate(step, &step->parameters->output, cell)) * hyperbolic_tangent(step->cells[cell]);
  }
}

static void project(const Step *step, const float *hidden, float *output) {
  const tinsmith_lstm_parameters_f32 *parameters = step->parameters;
  const int32_t cells = step->shape->cells;
  for (int32_t i = 0; i < step->shape->outputs; ++i) {
    const float bias = parameters->projection_bias == NULL ? 0.0f : parameters->projection_bias[i];
    output[i] =
        clip(bias + sum_of_products(cells, hidden, parameters->projection + i * cells), parameters->projection_clip);
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

void tinsmith_lstm_f32(const tinsmith_lstm_shape *shape, const tinsmith_lstm_parameters_f32 *parameters,
                       const float *input, const float *output_state, const float *cell_state, void *scratch,
                       float *output, float *last_output, float *last_cells) {
  const Step first = {.shape = shape, .parameters = parameters};
  run_steps(first, input, output_state, cell_state, scratch, output, last_output, last_cells);
}
