/* Scratch of the plain C and DSP implementations, and the size functions that answer for this build.
 *
 * The formulas are repeated in Python (tinsmith_cmsis_nn.scratch), which a test compares with these.
 */

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "src/internal/implementation.h"
#include "src/internal/planes.h"

static int32_t round_up_to_4(int32_t value) {
  return (value + 3) / 4 * 4;
}

static int32_t depth_of(const cmsis_nn_dims *filter_dims) {
  return filter_dims->h * filter_dims->w * filter_dims->c;
}

static int is_pixelwise(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *filter_dims) {
  return filter_dims->h == 1 && filter_dims->w == 1 && conv_params->padding.h == 0 && conv_params->padding.w == 0;
}

/* Two columns of int16, and one window of bytes unless windows are pixels of the input. */
int32_t tinsmith_convolve_packed_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                        const cmsis_nn_dims *input_dims,
                                                        const cmsis_nn_dims *filter_dims,
                                                        const cmsis_nn_dims *output_dims) {
  (void)input_dims;
  (void)output_dims;
  const int32_t depth = round_up_to_4(depth_of(filter_dims));
  return 4 * depth + (is_pixelwise(conv_params, filter_dims) ? 0 : depth);
}

/* Two planes of int16 and one of 32-bit sums. */
int32_t tinsmith_depthwise_packed_s8_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                         const cmsis_nn_dims *input_dims,
                                                         const cmsis_nn_dims *filter_dims,
                                                         const cmsis_nn_dims *output_dims) {
  const tinsmith_plane_axes axes = tinsmith_plane_axes_of(dw_conv_params, input_dims, filter_dims, output_dims);
  const tinsmith_strip strip = tinsmith_strip_of(&axes, 2 * (int32_t)sizeof(int16_t));
  return 2 * 2 * strip.plane_elements + 4 * strip.sums;
}

int32_t tinsmith_fully_connected_packed_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims) {
  (void)filter_dims;
  return 0;
}
