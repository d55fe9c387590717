/* What plain C and the DSP extension do differently in depthwise convolution on planes (common/depthwise_strips.h).
 */
#ifndef TINSMITH_NN_INTERNAL_DEPTHWISE_H
#define TINSMITH_NN_INTERNAL_DEPTHWISE_H

#include <stdint.h>

#include "src/internal/implementation.h"
#include "src/internal/planes.h"

#if TINSMITH_NN_DSP
/* Two channels at a time as int16, which smlad multiplies two at once. */
enum { kPlaneChannels = 2 };
typedef int16_t tinsmith_element;
#else
enum { kPlaneChannels = 1 };
typedef int8_t tinsmith_element;
#endif

/** Rows of kPlaneChannels adjacent channels, from the input into their planes. */
typedef struct {
  tinsmith_element *planes[kPlaneChannels]; /* where the first row goes */
  int32_t pitch;                            /* elements */
  const int8_t *input;                      /* the first row's first element, first channel */
  int32_t input_row;                        /* bytes from row to row */
  int32_t input_step;                       /* bytes from element to element */
  int32_t rows;
  int32_t count; /* elements of a row */
} tinsmith_plane_copy;

void tinsmith_copy_to_planes(const tinsmith_plane_copy *copy);

/** sums[r][i] = sum over (ky, kx) of weights[ky][kx] * plane[r * column stride + ky][i * row stride + kx], for r in
 * [0, outputs) and i in [0, row.output). Rows of sums and of the plane are `pitch` apart; sums between are undefined.
 */
void tinsmith_sum_windows(int32_t *sums, const tinsmith_element *plane, const tinsmith_plane_axes *axes, int32_t pitch,
                          int32_t outputs, const int8_t *weights);

#if TINSMITH_NN_DSP
/** The same, faster where rows have a stride of 2, at the cost of more code. */
void tinsmith_sum_windows_any(int32_t *sums, const tinsmith_element *plane, const tinsmith_plane_axes *axes,
                              int32_t pitch, int32_t outputs, const int8_t *weights);
#else
#define tinsmith_sum_windows_any tinsmith_sum_windows
#endif

/** Kernels with a loop of their own: 3x3 of stride 1 or 2. */
static inline bool tinsmith_is_3x3(const tinsmith_plane_axes *axes) {
  return axes->row.kernel == 3 && axes->column.kernel == 3 && axes->row.stride <= 2 &&
         axes->row.stride == axes->column.stride;
}

/** Whether rows of sums follow each other as rows of the plane do, so that all of them are one run. */
static inline bool tinsmith_is_one_run(const tinsmith_plane_axes *axes) {
  return axes->row.stride == 1 && axes->column.stride == 1;
}

#endif /* TINSMITH_NN_INTERNAL_DEPTHWISE_H */
