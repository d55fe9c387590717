/* Convolution as a matrix product: each output pixel's receptive field is one row of HK * WK * CK values.
 *
 * Fields that already lie contiguous in the input (1x1 filters, filters along one axis) are multiplied where they are;
 * others are copied into scratch, some at a time, where padding takes the input's zero point.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "src/mve/convolve_core.h"
#include "src/mve/copy.h"
#include "src/mve/scratch.h"

/** What copying a field needs to know. */
typedef struct {
  const cmsis_nn_conv_params *params;
  const cmsis_nn_dims *input;
  const cmsis_nn_dims *filter;
  int32_t taps_at_once; /**< Taps of a filter row that lie contiguous in the input: all of them, or 1. */
  int32_t last_y;       /**< Fields that begin at [0, last_y] x [0, last_x] lie inside the input */
  int32_t last_x;       /**< and have contiguous rows; negative if there are none. */
} field_shape;

static field_shape shape_of_fields(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input,
                                   const cmsis_nn_dims *filter) {
  const bool contiguous = input->c == filter->c && params->dilation.w == 1;
  const field_shape shape = {
      .params = params,
      .input = input,
      .filter = filter,
      .taps_at_once = contiguous ? filter->w : 1,
      .last_y = input->h - 1 - (filter->h - 1) * params->dilation.h,
      .last_x = contiguous ? input->w - filter->w : -1,
  };
  return shape;
}

/** Copy a field that lies inside the input and has contiguous rows. */
static void copy_field_inside(const field_shape *shape, const int8_t *from, int8_t *field) {
  const int32_t row_bytes = shape->filter->w * shape->filter->c;
  const int32_t pitch = shape->params->dilation.h * shape->input->w * shape->input->c;
  for (int32_t rows = shape->filter->h; rows > 0; --rows) {
    mve_copy(field, from, row_bytes);
    field += row_bytes;
    from += pitch;
  }
}

/** Copy neighbouring taps of an input row, the first at column x, which may lie outside. row: NULL if outside itself.
 */
static void copy_taps_clipped(const field_shape *shape, const int8_t *row, int32_t x, int8_t *field) {
  const int32_t taps = shape->taps_at_once;
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

static void copy_field_clipped(const field_shape *shape, const int8_t *input, int32_t y, int32_t x, int8_t *field) {
  const cmsis_nn_dims *filter = shape->filter;
  for (int32_t tap_y = 0; tap_y < filter->h; ++tap_y, y += shape->params->dilation.h) {
    const int8_t *row = y >= 0 && y < shape->input->h ? input + y * shape->input->w * shape->input->c : NULL;
    for (int32_t tap_x = 0; tap_x < filter->w; tap_x += shape->taps_at_once) {
      copy_taps_clipped(shape, row, x + tap_x * shape->params->dilation.w, field);
      field += shape->taps_at_once * filter->c;
    }
  }
}

/** Copy the field that begins at (y, x) of the input. */
static void copy_field(const field_shape *shape, const int8_t *input, int32_t y, int32_t x, int8_t *field) {
  if (x >= 0 && y >= 0 && x <= shape->last_x && y <= shape->last_y) {
    copy_field_inside(shape, input + (y * shape->input->w + x) * shape->input->c, field);
  } else {
    copy_field_clipped(shape, input, y, x, field);
  }
}

static void convolve_copied(const field_shape *shape, const mve_matrix *matrix, const int8_t *input,
                            const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields) {
  const cmsis_nn_conv_params *params = shape->params;
  const int32_t depth = matrix->depth;
  const int8_t *full = fields + mve_fields_at_once(depth) * depth;
  int8_t *field = fields;
  for (int32_t y = 0; y < output_dims->h; ++y) {
    for (int32_t x = 0; x < output_dims->w; ++x) {
      copy_field(shape, input, y * params->stride.h - params->padding.h, x * params->stride.w - params->padding.w,
                 field);
      field += depth;
      if (field == full) {
        const int32_t count = mve_fields_at_once(depth);
        tinsmith_mve_matrix_product_s8(matrix, fields, depth, count, output, output_dims->c);
        output += count * output_dims->c;
        field = fields;
      }
    }
  }
  const int32_t rest = (int32_t)(field - fields) / depth;
  tinsmith_mve_matrix_product_s8(matrix, fields, depth, rest, output, output_dims->c);
}

static void convolve_in_place(const cmsis_nn_conv_params *params, const mve_matrix *matrix,
                              const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *output_dims,
                              int8_t *output) {
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

/** The part of a matrix that belongs to one group. */
static mve_matrix group_of(const mve_matrix *matrix, int32_t groups, int32_t group) {
  mve_matrix part = *matrix;
  part.channels = matrix->channels / groups;
  const int32_t first = group * part.channels;
  part.weights += first * matrix->depth;
  part.bias += first;
  part.scale.multiplier += first;
  part.scale.shift += first;
  return part;
}

void tinsmith_mve_convolve_s8(const cmsis_nn_conv_params *params, const mve_matrix *matrix,
                              const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                              const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields) {
  const bool in_place = mve_fields_in_place(params, input_dims, filter_dims, output_dims);
  const field_shape shape = shape_of_fields(params, input_dims, filter_dims);
  const int32_t groups = input_dims->c / filter_dims->c;
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
