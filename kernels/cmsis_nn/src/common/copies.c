/* Functions that only move bytes: reshape, transpose, concatenation, pad. */

#include <stdbool.h>
#include <string.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/short_copy.h"

void arm_reshape_s8(const int8_t *input, int8_t *output, const uint32_t total_size) {
  memcpy(output, input, total_size);
}

/** Copy `blocks` blocks of `block_bytes`, which lie `stride` apart in the output. */
static void copy_blocks(int8_t *output, uint32_t stride, const int8_t *input, uint32_t block_bytes, uint32_t blocks) {
  for (; blocks > 0; --blocks) {
    memcpy(output, input, block_bytes);
    input += block_bytes;
    output += stride;
  }
}

void arm_concatenation_s8_x(const int8_t *input, const uint16_t input_x, const uint16_t input_y, const uint16_t input_z,
                            const uint16_t input_w, int8_t *output, const uint16_t output_x, const uint32_t offset_x) {
  copy_blocks(output + offset_x, output_x, input, input_x, (uint32_t)input_y * input_z * input_w);
}

void arm_concatenation_s8_y(const int8_t *input, const uint16_t input_x, const uint16_t input_y, const uint16_t input_z,
                            const uint16_t input_w, int8_t *output, const uint16_t output_y, const uint32_t offset_y) {
  const uint32_t row = input_x;
  copy_blocks(output + offset_y * row, row * output_y, input, row * input_y, (uint32_t)input_z * input_w);
}

void arm_concatenation_s8_z(const int8_t *input, const uint16_t input_x, const uint16_t input_y, const uint16_t input_z,
                            const uint16_t input_w, int8_t *output, const uint16_t output_z, const uint32_t offset_z) {
  const uint32_t plane = (uint32_t)input_x * input_y;
  copy_blocks(output + offset_z * plane, plane * output_z, input, plane * input_z, input_w);
}

void arm_concatenation_s8_w(const int8_t *input, const uint16_t input_x, const uint16_t input_y, const uint16_t input_z,
                            const uint16_t input_w, int8_t *output, const uint32_t offset_w) {
  const uint32_t volume = (uint32_t)input_x * input_y * input_z;
  memcpy(output + offset_w * volume, input, volume * input_w);
}

/** Whether a call costs less than loops here; with MVE it never does. */
static inline bool is_worth_a_call(int32_t count) {
  return !TINSMITH_NN_MVE && count >= 64;
}

/** Fill and step on. */
static inline int8_t *fill(int8_t *output, int8_t value, int32_t count) {
  if (!is_worth_a_call(count)) {
    return tinsmith_fill_short(output, value, count);
  }
  memset(output, value, (size_t)count);
  return output + count;
}

/** Copy and step on. */
static inline int8_t *copy(int8_t *output, const int8_t *input, int32_t count) {
  if (!is_worth_a_call(count)) {
    return tinsmith_copy_short(output, input, count);
  }
  memcpy(output, input, (size_t)count);
  return output + count;
}

/* Padding that lies between two pieces of the input is filled at once: what is behind a row and in front of the next.
 */
arm_cmsis_nn_status arm_pad_s8(const int8_t *input, int8_t *output, const int8_t pad_value,
                               const cmsis_nn_dims *input_size, const cmsis_nn_dims *pre_pad,
                               const cmsis_nn_dims *post_pad) {
  const cmsis_nn_dims in = *input_size, pre = *pre_pad, post = *post_pad;
  const int32_t between_pixels = pre.c + post.c;
  const int32_t pixel = between_pixels + in.c;
  const int32_t between_rows = (pre.w + post.w) * pixel;
  const int32_t row = between_rows + in.w * pixel;
  const int32_t between_images = (pre.h + post.h) * row;
  const int32_t image = between_images + in.h * row;
  int32_t padding = pre.n * image + pre.h * row + pre.w * pixel + pre.c;
  int32_t piece = in.c;
  int32_t columns = in.w;
  if (between_pixels == 0) {
    piece *= columns;
    columns = 1;
  }
  for (int32_t n = in.n; n > 0; --n) {
    for (int32_t y = in.h; y > 0; --y) {
      for (int32_t x = columns; x > 0; --x) {
        output = fill(output, pad_value, padding);
        output = copy(output, input, piece);
        input += piece;
        padding = between_pixels;
      }
      padding += between_rows;
    }
    padding += between_images;
  }
  fill(output, pad_value, post.n * image + post.h * row + post.w * pixel + post.c);
  return ARM_CMSIS_NN_SUCCESS;
}

enum { kMaxDims = 4 };

/* Transposition writes element after element, and may be given an output that lies over what it has read: some elements
 * are read before the first of them is written, which does no harm. */

/** `count` elements, `step` bytes apart in the input. */
static int8_t *gather_row(int8_t *output, const int8_t *input, int32_t step, int32_t count) {
  TINSMITH_NO_UNROLL
  for (; count >= 4; count -= 4) {
    const int8_t first = input[0];
    const int8_t second = input[step];
    input += 2 * step;
    const int8_t third = input[0];
    const int8_t fourth = input[step];
    input += 2 * step;
    output[0] = first;
    output[1] = second;
    output[2] = third;
    output[3] = fourth;
    output += 4;
  }
  TINSMITH_NO_UNROLL
  for (; count > 0; --count) {
    *output++ = *input;
    input += step;
  }
  return output;
}

/** The same of pairs of elements that lie next to each other. */
static int8_t *gather_pairs(int8_t *output, const int8_t *input, int32_t step, int32_t count) {
  TINSMITH_NO_UNROLL
  for (; count > 1; count -= 2) {
    uint16_t first;
    uint16_t second;
    memcpy(&first, input, sizeof first);
    memcpy(&second, input + step, sizeof second);
    input += 2 * step;
    memcpy(output, &first, sizeof first);
    memcpy(output + sizeof first, &second, sizeof second);
    output += 2 * sizeof first;
  }
  if (count > 0) {
    memcpy(output, input, sizeof(uint16_t));
    output += sizeof(uint16_t);
  }
  return output;
}

/** An axis of the output: its extent, and the bytes of the input from one of its elements to the next. */
typedef struct {
  int32_t count;
  int32_t step;
} transposed_axis;

/** Put an axis in front of `used` others, or make it one with the first of them if the input has them so. Returns how
 * many there are then. Axes fill up from the end. */
static int32_t prepend(transposed_axis axes[kMaxDims], int32_t used, transposed_axis axis) {
  transposed_axis *first = axes + kMaxDims - used;
  if (axis.count == 1) {
    return used;
  }
  if (used > 0 && axis.step == first->count * first->step) {
    first->count *= axis.count;
    return used;
  }
  first[-1] = axis;
  return used + 1;
}

arm_cmsis_nn_status arm_transpose_s8(const int8_t *input_data, int8_t *const output_data,
                                     const cmsis_nn_dims *const input_dims, const cmsis_nn_dims *const output_dims,
                                     const cmsis_nn_transpose_params *const transpose_params) {
  (void)output_dims; /* follows from the permutation */
  const int32_t rank = transpose_params->num_dims;
  if (rank < 1 || rank > kMaxDims) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const int32_t extents[kMaxDims] = {input_dims->n, input_dims->h, input_dims->w, input_dims->c};
  int32_t strides[kMaxDims];
  int32_t stride = 1;
  for (int32_t d = rank - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= extents[d];
  }
  transposed_axis axes[kMaxDims] = {{1, 0}, {1, 0}, {1, 0}, {1, 1}};
  int32_t used = 0;
  for (int32_t d = rank - 1; d >= 0; --d) {
    const uint32_t from = transpose_params->permutations[d];
    if (from >= (uint32_t)rank) {
      return ARM_CMSIS_NN_ARG_ERROR;
    }
    used = prepend(axes, used, (transposed_axis){extents[from], strides[from]});
  }
  int8_t *output = output_data;
  const transposed_axis row = axes[3];
  for (int32_t a = 0; a < axes[0].count; ++a) {
    for (int32_t b = 0; b < axes[1].count; ++b) {
      const int8_t *input = input_data + a * axes[0].step + b * axes[1].step;
      if (row.step == 1 && row.count == 2) { /* int16 that a caller gives as two bytes */
        output = gather_pairs(output, input, axes[2].step, axes[2].count);
        continue;
      }
      for (int32_t c = 0; c < axes[2].count; ++c) {
        output = row.step == 1 ? tinsmith_copy_short(output, input, row.count)
                               : gather_row(output, input, row.step, row.count);
        input += axes[2].step;
      }
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}
