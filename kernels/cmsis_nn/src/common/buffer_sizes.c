/* Scratch of the plain C and DSP implementations, and the size functions that answer for this build.
 *
 * The formulas are repeated in Python (tinsmith_cmsis_nn.scratch), which a test compares with these.
 */

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "src/internal/implementation.h"

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
