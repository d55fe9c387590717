// Layers of cells that remember (long short-term memory), over a sequence, in plain C.
#ifndef TINSMITH_LSTM_H_
#define TINSMITH_LSTM_H_

#include <stdint.h>

#include "tinsmith/logistic.h"
#include "tinsmith/symbols.h"
#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_lstm_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_lstm_s8)
#define tinsmith_lstm_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_lstm_s16)
#define tinsmith_lstm_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_lstm_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes of a layer, each at least 1. */
typedef struct {
  int32_t batches;
  int32_t steps;
  /** Features of an input. */
  int32_t depth;
  int32_t cells;
  /** As many as cells where nothing is projected; so always of int16. */
  int32_t outputs;
  /** 0: sequences are (batches, steps, ...); 1: (steps, batches, ...). */
  int32_t is_time_major;
  /** 1: from the last step to the first. */
  int32_t is_backwards;
} tinsmith_lstm_shape;

/** One gate of an integer layer: sums in Q3.12, each product rescaled by itself, saturated to int16 after each. */
typedef struct {
  /** (cells, depth); NULL of an input gate that is what the forget gate leaves. */
  const int8_t *weights;
  /** (cells, outputs) */
  const int8_t *recurrent;
  /** (cells) */
  const int32_t *bias;
  /** (cells), by the cells; may be NULL. */
  const int16_t *peephole;
  tinsmith_scale weights_scale;
  tinsmith_scale recurrent_scale;
  tinsmith_scale peephole_scale;
} tinsmith_lstm_gate_s8;

/** An integer layer. */
typedef struct {
  tinsmith_lstm_gate_s8 input;
  tinsmith_lstm_gate_s8 forget;
  tinsmith_lstm_gate_s8 cell;
  tinsmith_lstm_gate_s8 output;
  /** Added to what is multiplied with weights. */
  int32_t input_offset;
  int32_t output_offset;
  /** Of what leaves the cells; its product of two numbers in Q0.15 is rescaled. */
  tinsmith_scale hidden_scale;
  int32_t hidden_zero_point;
  /** Of a cell, in [0, 6]. */
  int32_t cell_integer_bits;
  /** Bound of cells; 0 for none. */
  int32_t cell_clip;
  /** (outputs, cells), may be NULL; with a bias (outputs), which may be NULL. */
  const int8_t *projection;
  const int32_t *projection_bias;
  tinsmith_scale projection_scale;
  /** Bound of the integers that are projected; 0 for none. */
  int32_t projection_clip;
} tinsmith_lstm_parameters_s8;

/** One gate of a layer of int16: sums in Q3.12, each product rescaled and saturated by itself, and their sum. */
typedef struct {
  /** (cells, depth) */
  const int8_t *weights;
  /** (cells, outputs) */
  const int8_t *recurrent;
  /** (cells) */
  const int64_t *bias;
  /** Shifts of at most 7. */
  tinsmith_scale weights_scale;
  tinsmith_scale recurrent_scale;
} tinsmith_lstm_gate_s16;

/** A layer of int16 with weights of int8. All zero points are 0. */
typedef struct {
  tinsmith_lstm_gate_s16 input;
  tinsmith_lstm_gate_s16 forget;
  tinsmith_lstm_gate_s16 cell;
  tinsmith_lstm_gate_s16 output;
  /** Of the products of gates with the cells, with what is new, and with tanh of the cells. */
  tinsmith_scale kept_scale;
  tinsmith_scale added_scale;
  tinsmith_scale hidden_scale;
  /** How the sums of gates and the cells are read; both have one table. */
  tinsmith_curve_parameters gate_curve;
  tinsmith_curve_parameters cell_curve;
  /** Bound of cells; 0 for none. */
  int32_t cell_clip;
} tinsmith_lstm_parameters_s16;

/** One gate of a float layer; see tinsmith_lstm_gate_s8. */
typedef struct {
  const float *weights;
  const float *recurrent;
  const float *bias;
  const float *peephole;
} tinsmith_lstm_gate_f32;

/** A float layer. */
typedef struct {
  tinsmith_lstm_gate_f32 input;
  tinsmith_lstm_gate_f32 forget;
  tinsmith_lstm_gate_f32 cell;
  tinsmith_lstm_gate_f32 output;
  /** (outputs, cells), may be NULL; with a bias (outputs), which may be NULL. */
  const float *projection;
  const float *projection_bias;
  /** Bounds of cells and of what is projected; 0 for none. */
  float cell_clip;
  float projection_clip;
} tinsmith_lstm_parameters_f32;

/**
 * All steps of a sequence, as TFLite's integer kernel computes them (int8, with cells of int16).
 *
 * @param[in] shape         see there
 * @param[in] parameters    see there
 * @param[in] input         (batches, steps, depth), or by steps first
 * @param[in] output_state  (batches, outputs), what the layer gave last
 * @param[in] cell_state    (batches, cells)
 * @param[in] scratch       (cells) numbers like the input's, with a projection; else not read
 * @param[out] output       (batches, steps, outputs), or by steps first
 * @param[out] last_output  (batches, outputs), behind the last step; may be output_state
 * @param[out] last_cells   (batches, cells), behind the last step; may be cell_state
 */
void tinsmith_lstm_s8(const tinsmith_lstm_shape *shape, const tinsmith_lstm_parameters_s8 *parameters,
                      const int8_t *input, const int8_t *output_state, const int16_t *cell_state, void *scratch,
                      int8_t *output, int8_t *last_output, int16_t *last_cells);

/** The same of int16, as TFLite Micro computes it: sums of 64 bits, curves from a table. There is no projection. */
void tinsmith_lstm_s16(const tinsmith_lstm_shape *shape, const tinsmith_lstm_parameters_s16 *parameters,
                       const int16_t *input, const int16_t *output_state, const int16_t *cell_state, int16_t *output,
                       int16_t *last_output, int16_t *last_cells);

/** The same of float: each sum of products is made from zero, then added to the bias. */
void tinsmith_lstm_f32(const tinsmith_lstm_shape *shape, const tinsmith_lstm_parameters_f32 *parameters,
                       const float *input, const float *output_state, const float *cell_state, void *scratch,
                       float *output, float *last_output, float *last_cells);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_LSTM_H_
