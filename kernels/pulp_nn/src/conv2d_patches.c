// Columns of a convolution's pixels, put together patch by patch.
#include "internal/conv2d.h"

typedef tinsmith_pulp_conv2d_t layer_t;

static uint32_t places_inside(uint16_t input, uint16_t kernel) {
  return input < kernel ? 0u : (uint32_t)(input - kernel) + 1u;
}

void patches_of(const layer_t *layer, uint8_t *to, patches_t *patches) {
  const uint32_t columns = patch_columns(layer);
  const uint32_t pitch = padded_columns(layer);
  // What packed weights multiply by zero must be no more than readable, but a checker would call it uninitialized.
  if (columns != pitch) {
    for (uint32_t i = 1u; i <= block_pixels(layer); ++i) {
      store_word(to + i * pitch - 4u, 0u);
    }
  }
  const uint32_t channels = layer->input_channels;
  const int32_t end_left = layer->output_width * layer->stride_width - layer->pad_left;
  const uint32_t lefts = places_inside(layer->input_width, layer->kernel_width);
  *patches = (patches_t){
      .layer = layer,
      .to = to,
      .box = {.rows = layer->kernel_height,
              .bytes = layer->kernel_width * channels,
              .to_step = layer->kernel_width * channels,
              .from_step = layer->input_width * channels,
              .to_next = pitch,
              .from_next = layer->stride_width * channels},
      .lefts_inside = end_left < 0 ? 0u : smaller(lefts, (uint32_t)end_left),
      .tops_inside = places_inside(layer->input_height, layer->kernel_height),
      .end_left = end_left,
      .next_pixel = UINT32_MAX,
  };
}

static const uint8_t *input_at(const patches_t *patches, int32_t top, int32_t left) {
  const layer_t *layer = patches->layer;
  return (const uint8_t *)layer->input + (uint32_t)top * patches->box.from_step +
         (uint32_t)left * layer->input_channels;
}

// Where a side of the kernel from `start` on meets an input of `limit`: the first place of the kernel that does.
// Returns how many do, 0 or less if none.
static int32_t meet(int32_t start, int32_t size, int32_t limit, int32_t *first) {
  *first = start < 0 ? -start : 0;
  return (limit - start < size ? limit - start : size) - *first;
}

// A patch that reaches beyond the input.
static void build_border(const patches_t *patches, uint8_t *to) {
  const layer_t *layer = patches->layer;
  int32_t row;
  int32_t column;
  const int32_t rows = meet(patches->top, layer->kernel_height, layer->input_height, &row);
  const int32_t width = meet(patches->left, layer->kernel_width, layer->input_width, &column);
  box_t box = patches->box;
  fill_words(to, layer->pad_value * UINT32_C(0x01010101), box.to_next / 4u);
  if (rows > 0 && width > 0) {
    to += (uint32_t)row * box.bytes + (uint32_t)column * layer->input_channels;
    box.rows = (uint32_t)rows;
    box.bytes = (uint32_t)width * layer->input_channels;
    copy_boxes(to, input_at(patches, patches->top + row, patches->left + column), &box, 1u);
  }
}

static void go_to(patches_t *patches, uint32_t pixel) {
  const layer_t *layer = patches->layer;
  const uint32_t y = pixel / layer->output_width;
  const uint32_t x = pixel - y * layer->output_width;
  patches->top = (int32_t)(y * layer->stride_height) - layer->pad_top;
  patches->left = (int32_t)(x * layer->stride_width) - layer->pad_left;
}

void build_patches(patches_t *patches, uint32_t pixel, uint32_t count) {
  const layer_t *layer = patches->layer;
  if (pixel != patches->next_pixel) {
    go_to(patches, pixel);
  }
  patches->next_pixel = pixel + count;
  uint8_t *to = patches->to;
  while (count != 0u) {
    const uint32_t left = (uint32_t)patches->left;
    uint32_t run = 1u;
    if ((uint32_t)patches->top < patches->tops_inside && left < patches->lefts_inside) {
      run = left + (count - 1u) * layer->stride_width < patches->lefts_inside ? count : 1u;
      copy_boxes(to, input_at(patches, patches->top, patches->left), &patches->box, run);
    } else {
      build_border(patches, to);
    }
    count -= run;
    to += run * patches->box.to_next;
    patches->left += (int32_t)(run * layer->stride_width);
    if (patches->left == patches->end_left) {
      patches->left = -(int32_t)layer->pad_left;
      patches->top += layer->stride_height;
    }
  }
}
