/* Copies one window of the input into a column of bytes (internal/im2col.h). */

#include "src/internal/im2col.h"

#include "src/internal/implementation.h"

#if !TINSMITH_NN_MVE

/** memcpy of a few bytes, mostly multiples of 4: word by word without a call. */
static inline int8_t *append_bytes(int8_t *column, const int8_t *source, int32_t count) {
  for (; count >= 4; count -= 4) {
    memcpy(column, source, 4);
    column += 4;
    source += 4;
  }
  for (; count > 0; --count) {
    *column++ = *source++;
  }
  return column;
}

static inline int8_t *append_padding(int8_t *column, int8_t zero_point, int32_t count) {
  memset(column, zero_point, (size_t)count);
  return column + count;
}

/** Number of taps t in [0, taps) with first + t * step < limit, for step >= 1. */
static int32_t taps_below(int32_t limit, int32_t first, int32_t step, int32_t taps) {
  int32_t count = 0;
  while (count < taps && first + count * step < limit) {
    ++count;
  }
  return count;
}

void tinsmith_copy_window(const tinsmith_windows *windows, const tinsmith_window *window, int32_t first_channel,
                          int8_t *column) {
  const int32_t step = windows->dilation.w;
  const int32_t channels = windows->channels;
  const int32_t pixel_bytes = windows->input_dims.c;
  const int32_t row_bytes = windows->input_dims.w * pixel_bytes;
  const bool dense = step == 1 && channels == pixel_bytes;
  /* A row of taps is outside up to `left`, then inside, then from `right` on outside again. */
  int32_t left = 0;
  int32_t right = windows->kernel_w;
  if (window->x < 0 || window->x + (right - 1) * step >= windows->input_dims.w) {
    left = taps_below(0, window->x, step, right);
    right = taps_below(windows->input_dims.w, window->x, step, right);
  }
  const int32_t padding_before = left * channels;
  const int32_t padding_after = (windows->kernel_w - right) * channels;
  const int8_t *source =
      window->image + window->y * row_bytes + (window->x + left * step) * pixel_bytes + first_channel;

  for (int32_t ky = 0; ky < windows->kernel_h; ++ky, source += windows->dilation.h * row_bytes) {
    const int32_t y = window->y + ky * windows->dilation.h;
    if (y < 0 || y >= windows->input_dims.h) {
      column = append_padding(column, windows->zero_point, windows->kernel_w * channels);
      continue;
    }
    if (padding_before > 0) {
      column = append_padding(column, windows->zero_point, padding_before);
    }
    if (dense) {
      column = append_bytes(column, source, (right - left) * channels);
    } else {
      for (int32_t kx = 0; kx < right - left; ++kx) {
        column = append_bytes(column, source + kx * step * pixel_bytes, channels);
      }
    }
    if (padding_after > 0) {
      column = append_padding(column, windows->zero_point, padding_after);
    }
  }
}

#endif /* !TINSMITH_NN_MVE */
