/* Scratch of the plain C and DSP implementations, and the size functions that answer for this build.
 *
 * The formulas are repeated in Python (tinsmith_cmsis_nn.scratch), which a test compares with these.
 */

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "src/internal/implementation.h"
#include "src/internal/planes.h"
#include "src/internal/shapes.h"
#include "src/mve/scratch.h"

#if TINSMITH_NN_MVE
#define FOR_THIS_BUILD(name) name##_mve
#elif TINSMITH_NN_DSP
#define FOR_THIS_BUILD(name) name##_dsp
#else
#define FOR_THIS_BUILD(name) name##_c
#endif

static int32_t depth_of(const cmsis_nn_dims *filter_dims) {
  return filter_dims->h * filter_dims->w * filter_dims->c;
}

static int32_t round_up_to_4(int32_t value) {
  return (value + 3) / 4 * 4;
}

/* ---- Arranged weights ------------------------------------------------------------------------------------------- */

static bool is_pixelwise(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *filter_dims) {
  return filter_dims->h == 1 && filter_dims->w == 1 && conv_params->padding.h == 0 && conv_params->padding.w == 0;
}

/* Windows of three pixels as bytes, unless they are pixels of the input. */
int32_t tinsmith_convolve_packed_s8_get_buffer_size_c(const cmsis_nn_conv_params *conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims) {
  (void)input_dims;
  (void)output_dims;
  return is_pixelwise(conv_params, filter_dims) ? 0 : 3 * round_up_to_4(depth_of(filter_dims));
}

/* So many columns of int16, and one window as bytes unless all windows are read where they lie, block by block. */
static int32_t columns_bytes(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *filter_dims,
                             int32_t columns) {
  const int32_t depth = round_up_to_4(depth_of(filter_dims));
  const bool in_blocks = is_pixelwise(conv_params, filter_dims) || filter_dims->c % 4 == 0;
  return 2 * columns * depth + (in_blocks ? 0 : depth);
}

int32_t tinsmith_convolve_packed_single_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                               const cmsis_nn_dims *filter_dims) {
  return columns_bytes(conv_params, filter_dims, 1);
}

int32_t tinsmith_convolve_packed_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                        const cmsis_nn_dims *input_dims,
                                                        const cmsis_nn_dims *filter_dims,
                                                        const cmsis_nn_dims *output_dims) {
  (void)input_dims;
  (void)output_dims;
  return columns_bytes(conv_params, filter_dims, 2);
}

int32_t tinsmith_convolve_packed_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims) {
  return FOR_THIS_BUILD(tinsmith_convolve_packed_s8_get_buffer_size)(conv_params, input_dims, filter_dims, output_dims);
}

/* One window unless windows are pixels of the input. */
int32_t tinsmith_convolve_packed_offset_s8_get_buffer_size_mve(const cmsis_nn_conv_params *conv_params,
                                                               const cmsis_nn_dims *filter_dims) {
  return is_pixelwise(conv_params, filter_dims) ? 0 : round_up_to_4(depth_of(filter_dims));
}

/* One plane of bytes and one of 32-bit sums. */
int32_t tinsmith_depthwise_packed_s8_get_buffer_size_c(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                       const cmsis_nn_dims *input_dims,
                                                       const cmsis_nn_dims *filter_dims,
                                                       const cmsis_nn_dims *output_dims) {
  const tinsmith_plane_axes axes = tinsmith_plane_axes_of(dw_conv_params, input_dims, filter_dims, output_dims);
  const tinsmith_strip strip = tinsmith_strip_of(&axes, filter_dims->n);
  return strip.plane_elements + 4 * strip.sums;
}

/* Two planes of int16 and one of 32-bit sums. */
int32_t tinsmith_depthwise_packed_s8_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                         const cmsis_nn_dims *input_dims,
                                                         const cmsis_nn_dims *filter_dims,
                                                         const cmsis_nn_dims *output_dims) {
  const tinsmith_plane_axes axes = tinsmith_plane_axes_of(dw_conv_params, input_dims, filter_dims, output_dims);
  const tinsmith_strip strip = tinsmith_strip_of(&axes, filter_dims->n);
  return 2 * 2 * strip.plane_elements + 4 * strip.sums;
}

int32_t tinsmith_depthwise_packed_s8_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                     const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                     const cmsis_nn_dims *output_dims) {
  return FOR_THIS_BUILD(tinsmith_depthwise_packed_s8_get_buffer_size)(dw_conv_params, input_dims, filter_dims,
                                                                      output_dims);
}

/* Each a byte, in whole vectors. */
int32_t tinsmith_packed_s4_get_weights_size(const cmsis_nn_dims *filter_dims) {
  return (filter_dims->h * filter_dims->w * filter_dims->c + 15) / 16 * 16;
}

/* Of each tap where it reads and where its weights are; a sum of each channel. */
int32_t tinsmith_depthwise_pixels_s8_get_buffer_size(const cmsis_nn_dims *filter_dims) {
  return 4 * (2 * filter_dims->h * filter_dims->w + filter_dims->c);
}

int32_t tinsmith_fully_connected_packed_s8_get_buffer_size_c(const cmsis_nn_dims *filter_dims) {
  (void)filter_dims;
  return 0;
}

int32_t tinsmith_fully_connected_packed_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims) {
  (void)filter_dims;
  return 0;
}

int32_t tinsmith_fully_connected_packed_s8_get_buffer_size(const cmsis_nn_dims *filter_dims) {
  return FOR_THIS_BUILD(tinsmith_fully_connected_packed_s8_get_buffer_size)(filter_dims);
}

/* ---- Public functions ------------------------------------------------------------------------------------------- */

/* Plain C: one window as bytes, DSP: that and two columns of int16; nothing if windows are pixels of the input. */

static int32_t convolve_bytes_dsp(const cmsis_nn_dims *filter_dims) {
  return 5 * round_up_to_4(depth_of(filter_dims));
}

int32_t arm_convolve_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_conv_params *conv_params,
                                                    const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                    const cmsis_nn_dims *output_dims) {
  (void)output_dims;
  switch (tinsmith_convolution_of(conv_params, input_dims, filter_dims)) {
    case kConvolution1x1Fast:
    case kConvolution1x1:
      return 0;
    default:
      return convolve_bytes_dsp(filter_dims);
  }
}

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                const cmsis_nn_dims *output_dims) {
#if TINSMITH_NN_MVE
  return arm_convolve_wrapper_s8_get_buffer_size_mve(conv_params, input_dims, filter_dims, output_dims);
#elif TINSMITH_NN_DSP
  return arm_convolve_wrapper_s8_get_buffer_size_dsp(conv_params, input_dims, filter_dims, output_dims);
#else
  (void)output_dims;
  switch (tinsmith_convolution_of(conv_params, input_dims, filter_dims)) {
    case kConvolution1x1Fast:
    case kConvolution1x1:
      return 0;
    default:
      return round_up_to_4(depth_of(filter_dims));
  }
#endif
}

/* Of the filter only height and width are read, as by Arm's function: room for a single group. */
int32_t arm_convolve_s8_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims) {
#if TINSMITH_NN_MVE
  return mve_convolve_bytes(input_dims, filter_dims);
#else
  const cmsis_nn_dims one_group = {.h = filter_dims->h, .w = filter_dims->w, .c = input_dims->c};
#if TINSMITH_NN_DSP
  return convolve_bytes_dsp(&one_group);
#else
  return round_up_to_4(depth_of(&one_group));
#endif
#endif
}

int32_t arm_convolve_1x1_s8_fast_get_buffer_size(const cmsis_nn_dims *input_dims) {
  (void)input_dims;
  return 0;
}

int32_t arm_convolve_1_x_n_s8_get_buffer_size(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                              const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims) {
  (void)conv_params;
  (void)output_dims;
  return arm_convolve_s8_get_buffer_size(input_dims, filter_dims);
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims) {
  (void)dw_conv_params;
  (void)input_dims;
  (void)filter_dims;
  (void)output_dims;
  return 0;
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims) {
#if TINSMITH_NN_MVE
  return arm_depthwise_conv_wrapper_s8_get_buffer_size_mve(dw_conv_params, input_dims, filter_dims, output_dims);
#else
  return arm_depthwise_conv_wrapper_s8_get_buffer_size_dsp(dw_conv_params, input_dims, filter_dims, output_dims);
#endif
}

int32_t arm_depthwise_conv_s8_opt_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims) {
#if TINSMITH_NN_MVE
  return mve_public_depthwise_bytes(input_dims, filter_dims);
#else
  (void)input_dims;
  (void)filter_dims;
  return 0;
#endif
}

int32_t arm_fully_connected_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims) {
  (void)filter_dims;
  return 0;
}

int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims *filter_dims) {
#if TINSMITH_NN_MVE
  return arm_fully_connected_s8_get_buffer_size_mve(filter_dims);
#else
  return arm_fully_connected_s8_get_buffer_size_dsp(filter_dims);
#endif
}

int32_t arm_avgpool_s8_get_buffer_size_dsp(const int dim_dst_width, const int ch_src) {
  (void)dim_dst_width;
  (void)ch_src;
  return 0;
}

int32_t arm_avgpool_s8_get_buffer_size(const int dim_dst_width, const int ch_src) {
#if TINSMITH_NN_MVE
  return arm_avgpool_s8_get_buffer_size_mve(dim_dst_width, ch_src);
#else
  return arm_avgpool_s8_get_buffer_size_dsp(dim_dst_width, ch_src);
#endif
}

/* ---- Broadcasting ----------------------------------------------------------------------------------------------- */

int32_t tinsmith_broadcast_s8_get_buffer_size(const tinsmith_repetition *repetition) {
  const int32_t period = repetition->count * repetition->inner;
  const int32_t elements = repetition->outer * period;
  if (repetition->inner == 1 && period > TINSMITH_BROADCAST_PIECE) {
    return 0; /* read in place */
  }
  return elements < TINSMITH_BROADCAST_PIECE ? elements : TINSMITH_BROADCAST_PIECE;
}
