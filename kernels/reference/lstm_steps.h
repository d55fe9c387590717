// The steps of an LSTM, batch by batch. For a file that says before what a `number` of inputs and outputs is, and a
// `cell_number`; what a Step is; and how one changes cells, update_cells(step), and gives a result,
// leave_result(step, scratch, result).
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tinsmith/lstm.h"

// first: the shape and the parameters. Numbers are as of the kernels in tinsmith/lstm.h.
static inline void run_steps(Step first, const number *input, const number *output_state, const cell_number *cell_state,
                             void *scratch, number *output, number *last_output, cell_number *last_cells) {
  const tinsmith_lstm_shape *shape = first.shape;
  const int32_t batches = shape->batches;
  memmove(last_cells, cell_state, sizeof *last_cells * (size_t)(batches * shape->cells));
  for (int32_t batch = 0; batch < batches; ++batch) {
    Step step = first;
    step.last = output_state + batch * shape->outputs;
    step.cells = last_cells + batch * shape->cells;
    for (int32_t i = 0; i < shape->steps; ++i) {
      const int32_t time = shape->is_backwards ? shape->steps - 1 - i : i;
      const int32_t row = shape->is_time_major ? time * batches + batch : batch * shape->steps + time;
      number *result = output + row * shape->outputs;
      step.input = input + row * shape->depth;
      update_cells(&step);
      leave_result(&step, scratch, result);
      step.last = result;
    }
    memmove(last_output + batch * shape->outputs, step.last, sizeof *last_output * (size_t)shape->outputs);
  }
}
