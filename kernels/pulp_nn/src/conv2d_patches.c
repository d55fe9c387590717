// Columns of a convolution's pixels, put together row by row of the kernel.
#include "src/internal/conv2d.h"

typedef tinsmith_pulp_conv2d_t layer_t;

// A place in the output.
typedef struct {
  uint32_t y, x;
} place_t;

// One row of the kernel: bytes left of the input, inside, and right of it.
static void build_row(const layer_t *layer, uint8_t *to, int32_t y, int32_t x) {
  const uint32_t channels = layer->input_channels;
  const int32_t width = layer->kernel_width;
  if (y < 0 || y >= layer->input_height) {
    fill_bytes(to, layer->pad_value, (uint32_t)width * channels);
    return;
  }
  int32_t left = x < 0 ? -x : 0;
  left = left > width ? width : left;
  int32_t right = x + width - layer->input_width;
  right = right < 0 ? 0 : right > width - left ? width - left : right;
  const int32_t inside = width - left - right;
  if (left > 0) {
    fill_bytes(to, layer->pad_value, (uint32_t)left * channels);
    to += (uint32_t)left * channels;
  }
  if (inside > 0) {
    const uint32_t start = ((uint32_t)y * layer->input_width + (uint32_t)(x + left)) * channels;
    copy_bytes(to, (const uint8_t *)layer->input + start, (uint32_t)inside * channels);
    to += (uint32_t)inside * channels;
  }
  if (right > 0) {
    fill_bytes(to, layer->pad_value, (uint32_t)right * channels);
  }
}

static void build_patch(const layer_t *layer, uint8_t *to, place_t place) {
  const int32_t top = (int32_t)(place.y * layer->stride_height) - layer->pad_top;
  const int32_t left = (int32_t)(place.x * layer->stride_width) - layer->pad_left;
  const uint32_t row_bytes = (uint32_t)layer->kernel_width * layer->input_channels;
  for (int32_t row = 0; row < layer->kernel_height; ++row) {
    build_row(layer, to, top + row, left);
    to += row_bytes;
  }
  // What packed weights multiply by zero must be no more than readable, but a checker would call it uninitialized.
  fill_bytes(to, 0u, padded_columns(layer) - patch_columns(layer));
}

void build_patches(const layer_t *layer, uint8_t *to, uint32_t pixel, uint32_t count) {
  place_t place = {pixel / layer->output_width, pixel % layer->output_width};
  for (uint32_t i = 0u; i < count; ++i) {
    build_patch(layer, to, place);
    to += padded_columns(layer);
    if (++place.x == layer->output_width) {
      place.x = 0u;
      ++place.y;
    }
  }
}
