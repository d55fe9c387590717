/* Convolution as a matrix product: each output pixel's receptive field is one row of HK * WK * CK values.
 *
 * A field that already lies contiguous in the input (1x1 filters, filters along one axis) is multiplied where it is;
 * others are copied four at a time into scratch, where padding takes the input's zero point.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "src/mve/convolve.h"
#include "src/mve/copy.h"

enum { kFieldsAtOnce = 4 };

/** What copying a field needs to know; groups share all but the channel. */
typedef struct {
  const cmsis_nn_conv_params *params;
  const cmsis_nn_dims *input;
  const cmsis_nn_dims *filter;
  int32_t taps_at_once; /**< Neighbouring taps of a filter row that lie contiguous in the input. */
} field_shape;

/** Whether every field lies inside the input and contiguous, so that no copy is needed. */
static bool fields_in_place(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input, const cmsis_nn_dims *filter,
                            const cmsis_nn_dims *output) {
  const bool one_group = filter->c == input->c;
  const bool row_contiguous = filter->w == 1 || params->dilation.w == 1;
  const bool rows_contiguous = filter->h == 1 || (params->dilation.h == 1 && filter->w == input->w);
  const int32_t last_y = (output->h - 1) * params->stride.h + (filter->h - 1) * params->dilation.h;
  const int32_t last_x = (output->w - 1) * params->stride.w + (filter->w - 1) * params->dilation.w;
  const bool inside = params->padding.w == 0 && params->padding.h == 0 && last_y < input->h && last_x < input->w;
  return one_group && row_contiguous && rows_contiguous && inside;
}

static void convolve_in_place(const cmsis_nn_conv_params *params, const mve_matrix *matrix, const cmsis_nn_dims *input_dims,
                              const int8_t *input, const cmsis_nn_dims *output_dims, int8_t *output) {
  const int32_t column_pitch = params->stride.w * input_dims->c;
  const int32_t row_pitch = params->stride.h * input_dims->w * input_dims->c;
  int32_t rows = output_dims->h;
  int32_t columns = output_dims->w;
  if (columns * column_pitch == row_pitch) { /* The fields of all rows follow each other at one distance. */
    columns *= rows;
    rows = 1;
  }
  for (int32_t y = 0; y < rows; ++y) {
    tinsmith_mve_matrix_product_s8(matrix, input + y * row_pitch, column_pitch, columns, output, output_dims->c);
    output += columns * output_dims->c;
  }
}

/** Copy taps [tap, tap + taps) of a filter row whose first value lies at column x of an input row; NULL = no such row. */
static void copy_taps(const field_shape *shape, const int8_t *row, int32_t x, int32_t taps, int8_t *field) {
  const int32_t width = shape->input->w;
  const int32_t depth = shape->filter->c;
  const int8_t zero_point = (int8_t)-shape->params->input_offset;
  if (row == NULL || x >= width || x + taps <= 0) {
    mve_fill(field, zero_point, taps * depth);
    return;
  }
  const int32_t before = x < 0 ? -x : 0;
  const int32_t after = x + taps > width ? x + taps - width : 0;
  const int32_t inside = taps - before - after;
  mve_fill(field, zero_point, before * depth);
  mve_copy(field + before * depth, row + (x + before) * shape->input->c, inside * depth);
  mve_fill(field + (before + inside) * depth, zero_point, after * depth);
}

/** Copy the field whose first tap is at (y, x) of the input. */
static void copy_field(const field_shape *shape, const int8_t *input, int32_t y, int32_t x, int8_t *field) {
  const cmsis_nn_dims *filter = shape->filter;
  const cmsis_nn_tile dilation = shape->params->dilation;
  const int32_t taps = shape->taps_at_once;
  for (int32_t tap_y = 0; tap_y < filter->h; ++tap_y, y += dilation.h) {
    const int8_t *row = y >= 0 && y < shape->input->h ? input + y * shape->input->w * shape->input->c : NULL;
    for (int32_t tap_x = 0; tap_x < filter->w; tap_x += taps) {
      copy_taps(shape, row, x + tap_x * dilation.w, taps, field);
      field += taps * filter->c;
    }
  }
}

static void convolve_copied(const field_shape *shape, const mve_matrix *matrix, const int8_t *input,
                            const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields) {
  const cmsis_nn_conv_params *params = shape->params;
  int32_t waiting = 0;
  for (int32_t y = 0; y < output_dims->h; ++y) {
    for (int32_t x = 0; x < output_dims->w; ++x) {
      copy_field(shape, input, y * params->stride.h - params->padding.h, x * params->stride.w - params->padding.w,
                 fields + waiting * matrix->depth);
      ++waiting;
      if (waiting == kFieldsAtOnce) {
        tinsmith_mve_matrix_product_s8(matrix, fields, matrix->depth, waiting, output, output_dims->c);
        output += waiting * output_dims->c;
        waiting = 0;
      }
    }
  }
  tinsmith_mve_matrix_product_s8(matrix, fields, matrix->depth, waiting, output, output_dims->c);
}

/** The part of a matrix that belongs to one group. */
static mve_matrix group_of(const mve_matrix *matrix, int32_t groups, int32_t group) {
  mve_matrix part = *matrix;
  part.channels = matrix->channels / groups;
  const int32_t first = group * part.channels;
  part.weights += first * matrix->depth;
  part.bias += first;
  part.multiplier += first;
  part.shift += first;
  return part;
}

void tinsmith_mve_convolve_s8(const cmsis_nn_conv_params *params, const mve_matrix *matrix,
                              const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                              const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields) {
  const int32_t groups = input_dims->c / filter_dims->c;
  const bool in_place = fields_in_place(params, input_dims, filter_dims, output_dims);
  const field_shape shape = {
      .params = params,
      .input = input_dims,
      .filter = filter_dims,
      .taps_at_once = groups == 1 && params->dilation.w == 1 ? filter_dims->w : 1,
  };
  for (int32_t batch = 0; batch < input_dims->n; ++batch) {
    if (in_place) {
      convolve_in_place(params, matrix, input_dims, input, output_dims, output);
    } else {
      for (int32_t group = 0; group < groups; ++group) {
        const mve_matrix part = group_of(matrix, groups, group);
        convolve_copied(&shape, &part, input + group * filter_dims->c, output_dims, output + group * part.channels,
                        fields);
      }
    }
    input += input_dims->h * input_dims->w * input_dims->c;
    output += output_dims->h * output_dims->w * output_dims->c;
  }
}

#endif /* TINSMITH_NN_MVE */
