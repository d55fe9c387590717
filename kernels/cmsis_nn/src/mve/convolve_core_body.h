/* Convolution as a matrix product: each output pixel's receptive field is one row of HK * WK * CK values.
 *
 * Fields that already lie contiguous in the input (1x1 filters, filters along one axis) are multiplied where they are;
 * others are copied into scratch, some at a time, where padding takes the input's zero point.
 */
#ifndef TINSMITH_NN_MVE_CONVOLVE_CORE_BODY_H
#define TINSMITH_NN_MVE_CONVOLVE_CORE_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

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
  int32_t rows = shape->filter->h;
  if (row_bytes <= kByteLanes) { /* One vector per row: no loop of its own. */
    const mve_pred16_t p = vctp8q((uint32_t)row_bytes);
    do {
      vstrbq_p_s8(field, vldrbq_z_s8(from, p), p);
      field += row_bytes;
      from += pitch;
    } while (--rows > 0);
    return;
  }
  do {
    mve_copy(field, from, row_bytes);
    field += row_bytes;
    from += pitch;
  } while (--rows > 0);
}

/** Copy the field that begins at (y, x), where it may lie outside the input: what does becomes the zero point. */
static void copy_field_clipped(const field_shape *shape, const int8_t *input, int32_t y, int32_t x, int8_t *field) {
  const cmsis_nn_dims *in = shape->input;
  const cmsis_nn_dims *filter = shape->filter;
  const cmsis_nn_tile dilation = shape->params->dilation;
  const int32_t before = x < 0 ? (dilation.w - 1 - x) / dilation.w : 0;
  const int32_t until_end = x < in->w ? (in->w - 1 - x) / dilation.w + 1 : 0;
  const int32_t inside = (until_end < filter->w ? until_end : filter->w) - before;
  const bool dense = shape->taps_at_once == filter->w;
  const int32_t pieces = dense ? 1 : inside;
  const int32_t bytes = dense ? inside * filter->c : filter->c;
  if (inside != filter->w || y < 0 || y > shape->last_y) {
    mve_fill(field, (int8_t)-shape->params->input_offset, filter->h * filter->w * filter->c);
  }
  field += before * filter->c;
  x += before * dilation.w;
  for (int32_t rows = filter->h; rows > 0; --rows, y += dilation.h, field += filter->w * filter->c) {
    const int8_t *from = input + (y * in->w + x) * in->c;
    int8_t *to = field;
    for (int32_t left = y >= 0 && y < in->h ? pieces : 0; left > 0; --left) {
      mve_copy(to, from, bytes); /* Nothing if none is inside. */
      to += filter->c;           /* Of more than one piece each is a tap. */
      from += dilation.w * in->c;
    }
  }
}

/** Copy the fields of outputs [x, x + count) of output row y. */
static void copy_fields(const field_shape *shape, const int8_t *input, int32_t y, int32_t x, int32_t count,
                        int8_t *field) {
  const cmsis_nn_conv_params *params = shape->params;
  const cmsis_nn_dims *in = shape->input;
  const int32_t depth = shape->filter->h * shape->filter->w * shape->filter->c;
  const int32_t top = y * params->stride.h - params->padding.h;
  const int32_t last_x = top >= 0 && top <= shape->last_y ? shape->last_x : -1;
  int32_t left = x * params->stride.w - params->padding.w;
  for (; count > 0; --count) {
    if (left >= 0 && left <= last_x) {
      copy_field_inside(shape, input + (top * in->w + left) * in->c, field);
    } else {
      copy_field_clipped(shape, input, top, left, field);
    }
    left += params->stride.w;
    field += depth;
  }
}

static void convolve_copied(const field_shape *shape, const mve_matrix *matrix, const int8_t *input,
                            const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields, int32_t most) {
  const int32_t depth = matrix->depth;
  int32_t copied = 0;
  for (int32_t y = 0; y < output_dims->h; ++y) {
    for (int32_t x = 0; x < output_dims->w;) {
      const int32_t rest = output_dims->w - x;
      const int32_t count = rest < most - copied ? rest : most - copied;
      copy_fields(shape, input, y, x, count, fields + copied * depth);
      x += count;
      copied += count;
      if (copied == most) {
        tinsmith_mve_matrix_product_s8(matrix, fields, depth, copied, output, output_dims->c);
        output += copied * output_dims->c;
        copied = 0;
      }
    }
  }
  tinsmith_mve_matrix_product_s8(matrix, fields, depth, copied, output, output_dims->c);
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

void tinsmith_mve_convolve_s8(const cmsis_nn_conv_params *params, const mve_matrix *matrix,
                              const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                              const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields,
                              int32_t fields_at_once) {
  const bool in_place = mve_fields_in_place(params, input_dims, filter_dims, output_dims);
  const field_shape shape = shape_of_fields(params, input_dims, filter_dims);
  for (int32_t batch = 0; batch < input_dims->n; ++batch) {
    if (in_place) {
      convolve_in_place(params, matrix, input_dims, input, output_dims, output);
    } else {
      convolve_copied(&shape, matrix, input, output_dims, output, fields, fields_at_once);
    }
    input += input_dims->h * input_dims->w * input_dims->c;
    output += output_dims->h * output_dims->w * output_dims->c;
  }
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_CONVOLVE_CORE_BODY_H */
