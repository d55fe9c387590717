// Convolutions as an array of analog multipliers computes them, its converters' rounding and clipping included, in
// plain C for any core. Activations are NHWC; taps outside of the input count as zero.
#ifndef TINSMITH_ANALOG_H_
#define TINSMITH_ANALOG_H_

#include <stdint.h>

// The name that objects know the function by: callers compiled for another version do not link.
#define tinsmith_analog_conv2d_s8 tinsmith_analog_conv2d_s8_v1

/** Raised when a signature, a struct or a result changes; generated code asserts the version it was made for. */
#define TINSMITH_ANALOG_API_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/** Every size is at least 1, every product of sizes of one tensor is below 2**31. */
typedef struct {
  int32_t batches;
  int32_t input_height;
  int32_t input_width;
  int32_t input_channels;
  int32_t output_height;
  int32_t output_width;
  int32_t output_channels;
  int32_t kernel_height;
  int32_t kernel_width;
  int32_t stride_height;
  int32_t stride_width;
  int32_t padding_top;
  int32_t padding_left;
  int32_t chunk_channels; /**< Input channels whose products a converter sees added; the last chunk may have fewer. */
  int32_t gain;           /**< The sum that is one step of a converter, at least 1. */
  int32_t addend_shift;   /**< To the left, in [0, 15]. */
  int32_t shift;          /**< To the right, rounding down, in [0, 31]. */
  int32_t clamp_min;      /**< Of the result. */
  int32_t clamp_max;
} tinsmith_analog_conv2d_parameters;

/**
 * output[o] = clamp((sum over chunks of a * multipliers[o] + addends[o] * 2**addend_shift) >> shift), where
 * a = clip(floor(sum of products of the chunk / gain), -32, 31).
 *
 * @param[in] parameters  geometry and scales; chunks are at most 2**18
 * @param[in] input       (batches, input_height, input_width, input_channels), each in [-64, 63]
 * @param[in] weights     (output_channels, kernel_height, kernel_width, input_channels) of -1, 0, 1: two bits each,
 * four to a byte, the first in the lowest bits, without gaps
 * @param[in] multipliers (output_channels)
 * @param[in] addends     (output_channels)
 * @param[out] output     (batches, output_height, output_width, output_channels); over the input as the back end says
 */
void tinsmith_analog_conv2d_s8(const tinsmith_analog_conv2d_parameters *parameters, const int8_t *input,
                               const uint8_t *weights, const int8_t *multipliers, const int8_t *addends,
                               int8_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_ANALOG_H_
