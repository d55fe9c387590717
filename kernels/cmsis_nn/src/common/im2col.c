/* Copies one window of the input into a column of bytes (internal/im2col.h). */

#include "src/internal/im2col.h"

#include "src/internal/short_copy.h"

TINSMITH_ALWAYS_INLINE void *append_bytes(void *column, const int8_t *source, int32_t count) {
#if TINSMITH_NN_MVE
  if (count <= kByteLanes) { /* One vector: no loop. */
    const mve_pred16_t p = vctp8q((uint32_t)count);
    vstrbq_p_s8(column, vldrbq_z_s8(source, p), p);
    return (int8_t *)column + count;
  }
#endif
  return tinsmith_copy_short(column, source, count);
}

TINSMITH_ALWAYS_INLINE void *append_padding(void *column, int8_t zero_point, int32_t count) {
#if TINSMITH_NN_MVE
  mve_fill(column, zero_point, count);
#else
  memset(column, zero_point, (size_t)count);
#endif
  return (int8_t *)column + count;
}

/** Number of taps t in [0, taps) with first + t * step < limit, for step >= 1. */
static int32_t taps_below(int32_t limit, int32_t first, int32_t step, int32_t taps) {
  int32_t count = 0;
  TINSMITH_NO_UNROLL
  while (count < taps && first + count * step < limit) {
    ++count;
  }
  return count;
}

tinsmith_inside tinsmith_clip_window(const tinsmith_windows *windows, const tinsmith_window *window) {
  const int32_t step = windows->dilation.w;
  const int32_t taps = windows->kernel_w;
  const int32_t width = windows->input_dims.w;
  if (window->x >= 0 && window->x + (taps - 1) * step < width) {
    return (tinsmith_inside){0, taps};
  }
  return (tinsmith_inside){taps_below(0, window->x, step, taps), taps_below(width, window->x, step, taps)};
}

#if TINSMITH_NN_MVE
/** Of taps that do not touch each other, each a vector at most. */
static void copy_apart(const tinsmith_windows *windows, const tinsmith_window *window, tinsmith_inside inside,
                       int32_t first_channel, int8_t *column) {
  const int32_t channels = windows->channels;
  const int32_t pixel = windows->input_dims.c;
  const int32_t step = windows->dilation.w * pixel;
  const int32_t taps = inside.right - inside.left;
  const mve_pred16_t p = vctp8q((uint32_t)channels);
  int32_t y = window->y;
  for (int32_t left = windows->kernel_h; left > 0; --left, y += windows->dilation.h) {
    if (y < 0 || y >= windows->input_dims.h) {
      column = append_padding(column, windows->zero_point, windows->kernel_w * channels);
      continue;
    }
    if (inside.left > 0) {
      column = append_padding(column, windows->zero_point, inside.left * channels);
    }
    const int8_t *source =
        window->image + (y * windows->input_dims.w + window->x) * pixel + inside.left * step + first_channel;
    for (int32_t tap = taps; tap > 0; --tap) {
      vstrbq_p_s8(column, vldrbq_z_s8(source, p), p);
      source += step;
      column += channels;
    }
    if (inside.right < windows->kernel_w) {
      column = append_padding(column, windows->zero_point, (windows->kernel_w - inside.right) * channels);
    }
  }
}
#endif

void tinsmith_copy_window(const tinsmith_windows *windows, const tinsmith_window *window, int32_t first_channel,
                          int8_t *column) {
  const tinsmith_inside inside = tinsmith_clip_window(windows, window);
#if TINSMITH_NN_MVE
  if (windows->channels <= kByteLanes && windows->dilation.w * windows->input_dims.c != windows->channels) {
    copy_apart(windows, window, inside, first_channel, column);
    return;
  }
#endif
  tinsmith_walk_window(windows, window, inside, first_channel, column, append_bytes, append_padding);
}
