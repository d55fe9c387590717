/* A block of LSTM cells: what its gates are, between the files that compute them (common/lstm_cells.h).
 */
#ifndef TINSMITH_NN_INTERNAL_LSTM_GATES_H
#define TINSMITH_NN_INTERNAL_LSTM_GATES_H

#include <stdint.h>

#include "include/tinsmith_nn_recurrent.h"

/** Cells of a block, and integer bits of what gates take their curves of. */
enum { kCells = 8, kGateIntegerBits = 3, kQ0One = INT16_MAX };

/** In Q0, of a block. */
typedef struct {
  int16_t forget[kCells];
  int16_t fresh[kCells];
  int16_t taken[kCells];
  int16_t opened[kCells];
} gates;

#endif /* TINSMITH_NN_INTERNAL_LSTM_GATES_H */
