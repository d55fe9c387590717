/* Windows of the input as columns of bytes: what a convolution multiplies with its filter. MVE has its own for int8.
 */
#ifndef TINSMITH_NN_INTERNAL_IM2COL_H
#define TINSMITH_NN_INTERNAL_IM2COL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "include/arm_nn_types.h"
#include "src/internal/compiler.h"

/** What a window needs to know of its layer. */
typedef struct {
  const int8_t *input; /* [N, h, w, c] of `image_bytes` each */
  cmsis_nn_dims input_dims;
  int32_t kernel_h;
  int32_t kernel_w;
  int32_t channels; /* of one group; input_dims.c of all */
  cmsis_nn_tile stride;
  cmsis_nn_tile padding;
  cmsis_nn_tile dilation;
  int32_t output_h;
  int32_t output_w;
  int8_t zero_point;
} tinsmith_windows;

static inline tinsmith_windows tinsmith_windows_of(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input_dims,
                                                   const int8_t *input, const cmsis_nn_dims *filter_dims,
                                                   const cmsis_nn_dims *output_dims) {
  return (tinsmith_windows){
      .input = input,
      .input_dims = *input_dims,
      .kernel_h = filter_dims->h,
      .kernel_w = filter_dims->w,
      .channels = filter_dims->c,
      .stride = params->stride,
      .padding = params->padding,
      .dilation = params->dilation,
      .output_h = output_dims->h,
      .output_w = output_dims->w,
      .zero_point = (int8_t)-params->input_offset,
  };
}

/** Whether each window is one pixel of the input, so that columns need not be copied. */
static inline bool tinsmith_windows_are_pixels(const tinsmith_windows *windows) {
  return windows->kernel_h == 1 && windows->kernel_w == 1 && windows->padding.h == 0 && windows->padding.w == 0;
}

/** Where output pixel `index` (counted over N, output_h, output_w) begins in the input: batch, and top left corner,
 * which may lie outside. Kept as a cursor, because a division per pixel would cost more than small columns. */
typedef struct {
  const int8_t *image;
  int32_t output_x;
  int32_t y;
  int32_t x;
  int32_t rows_left;
} tinsmith_window;

static inline tinsmith_window tinsmith_first_window(const tinsmith_windows *windows) {
  return (tinsmith_window){
      .image = windows->input,
      .output_x = 0,
      .y = -windows->padding.h,
      .x = -windows->padding.w,
      .rows_left = windows->output_h,
  };
}

static inline void tinsmith_next_window(const tinsmith_windows *windows, tinsmith_window *window) {
  window->x += windows->stride.w;
  if (++window->output_x < windows->output_w) {
    return;
  }
  window->output_x = 0;
  window->x = -windows->padding.w;
  window->y += windows->stride.h;
  if (--window->rows_left > 0) {
    return;
  }
  window->rows_left = windows->output_h;
  window->y = -windows->padding.h;
  window->image += windows->input_dims.h * windows->input_dims.w * windows->input_dims.c;
}

/** The window's only pixel, when tinsmith_windows_are_pixels(). */
static inline const int8_t *tinsmith_window_pixel(const tinsmith_windows *windows, const tinsmith_window *window) {
  return window->image + (window->y * windows->input_dims.w + window->x) * windows->input_dims.c;
}

/** The columns of a window's taps that lie inside the input: [left, right). */
typedef struct {
  int32_t left;
  int32_t right;
} tinsmith_inside;

tinsmith_inside tinsmith_clip_window(const tinsmith_windows *windows, const tinsmith_window *window);

/** Appends bytes to a column and returns its end: `count` of them, from `source`, or `source`-less padding. */
typedef void *(*tinsmith_append)(void *column, const int8_t *source, int32_t count);
typedef void *(*tinsmith_append_padding)(void *column, int8_t zero_point, int32_t count);

/** Walk over a window in OHWI order, one piece of adjacent bytes at a time; taps outside the input read the zero point.
 * append and append_padding are constants, so that each use becomes a function of its own. */
TINSMITH_ALWAYS_INLINE void tinsmith_walk_window(const tinsmith_windows *windows, const tinsmith_window *window,
                                                 tinsmith_inside inside, int32_t first_channel, void *column,
                                                 tinsmith_append append, tinsmith_append_padding append_padding) {
  const int32_t channels = windows->channels;
  const int32_t step = windows->dilation.w * windows->input_dims.c; /* bytes from tap to tap */
  const int32_t row_bytes = windows->input_dims.w * windows->input_dims.c;
  const int32_t row_step = windows->dilation.h * row_bytes;
  const int32_t taps = inside.right - inside.left;
  const bool dense = step == channels;
  const int32_t height = windows->input_dims.h;
  int32_t y = window->y;
  /* A number, because it may lie before the input or behind it where y does. */
  uintptr_t source = (uintptr_t)window->image + (uintptr_t)(y * row_bytes + window->x * windows->input_dims.c +
                                                            inside.left * step + first_channel);

  TINSMITH_NO_UNROLL
  for (int32_t left = windows->kernel_h; left > 0; --left, y += windows->dilation.h, source += (uintptr_t)row_step) {
    if (y < 0 || y >= height) {
      column = append_padding(column, windows->zero_point, windows->kernel_w * channels);
      continue;
    }
    if (inside.left > 0) {
      column = append_padding(column, windows->zero_point, inside.left * channels);
    }
    if (dense) {
      column = append(column, (const int8_t *)source, taps * channels);
    } else {
      TINSMITH_NO_UNROLL
      for (int32_t kx = 0; kx < taps; ++kx) {
        column = append(column, (const int8_t *)source + kx * step, channels);
      }
    }
    if (inside.right < windows->kernel_w) {
      column = append_padding(column, windows->zero_point, (windows->kernel_w - inside.right) * channels);
    }
  }
}

/** Column of kernel_h * kernel_w * channels bytes. */
void tinsmith_copy_window(const tinsmith_windows *windows, const tinsmith_window *window, int32_t first_channel,
                          int8_t *column);

#endif /* TINSMITH_NN_INTERNAL_IM2COL_H */
