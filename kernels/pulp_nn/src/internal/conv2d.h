// How a convolution is divided: pixels are taken in blocks, four with packed weights and two with plain ones, whose
// columns (what one output is a product of) are put together in scratch memory unless they are pixels of the input.
#ifndef TINSMITH_KERNELS_PULP_NN_CONV2D_H_
#define TINSMITH_KERNELS_PULP_NN_CONV2D_H_

#include "boxes.h"
#include "sums.h"
#include "tinsmith_pulp_nn.h"

// What one core computes: pixels first to end - 1 in row-major order, and as many a row below, `runs` times; channels
// first to end - 1.
typedef struct {
  uint32_t first_pixel, end_pixel;
  uint32_t runs;
  uint32_t first_channel, end_channel;
} part_t;

static inline uint32_t smaller(uint32_t lhs, uint32_t rhs) {
  return lhs < rhs ? lhs : rhs;
}

static inline uint32_t patch_columns(const tinsmith_pulp_conv2d_t *layer) {
  return (uint32_t)layer->kernel_height * layer->kernel_width * layer->input_channels;
}

static inline uint32_t padded_columns(const tinsmith_pulp_conv2d_t *layer) {
  return (patch_columns(layer) + 3u) & ~3u;
}

static inline uint32_t block_pixels(const tinsmith_pulp_conv2d_t *layer) {
  return layer->weights_are_packed ? PIXELS_PACKED : PIXELS_PLAIN;
}

// Whether pixels of the input are the columns themselves. Packed weights read whole words of them.
static inline bool is_direct(const tinsmith_pulp_conv2d_t *layer) {
  const bool is_pointwise = layer->kernel_height == 1u && layer->kernel_width == 1u && layer->stride_height == 1u &&
                            layer->stride_width == 1u && layer->pad_top == 0u && layer->pad_left == 0u &&
                            layer->output_height == layer->input_height && layer->output_width == layer->input_width;
  return is_pointwise && (!layer->weights_are_packed || layer->input_channels % 4u == 0u);
}

// part_of() of parts.h, in a place of its own.
part_t part_of_conv2d(const tinsmith_pulp_conv2d_t *layer, tinsmith_pulp_core_t core);

// Patches of pixels in the order of the output: where the kernel's first place is for the next one, top and left of the
// input's first place if negative.
typedef struct {
  const tinsmith_pulp_conv2d_t *layer;
  uint8_t *to;                         // a block of patches
  box_t box;                           // of the input that is a patch
  uint32_t tops_inside, lefts_inside;  // places from 0 on where the whole kernel is inside the input
  int32_t top, left, end_left;
  uint32_t next_pixel;
} patches_t;

// Patches of a layer in scratch memory.
void patches_of(const tinsmith_pulp_conv2d_t *layer, uint8_t *to, patches_t *patches);

// Puts together the columns of pixels pixel to pixel + count - 1, padded_columns() bytes each; fastest where they
// follow the last ones.
void build_patches(patches_t *patches, uint32_t pixel, uint32_t count);

#endif  // TINSMITH_KERNELS_PULP_NN_CONV2D_H_
