/* Layers with weights as a compiler arranges them: sizes and bounds are a record of their own, and all numbers of the
 * channels one array, so that a call names five pointers and few copies bring what is constant to first-level memory.
 * Tiles of one layer differ in their record alone. In and out int8.
 *
 * The array, constants, begins at a multiple of 4 bytes: numbers of each output channel, arrays as
 * tinsmith_pulp_stage_t has them, then the weights. The arrays are
 *
 * - bias, multipliers, shifts of functions without suffix, whose arithmetic is TFLite's;
 * - scales of those that end in _scaled (TINSMITH_PULP_SCALE_S8);
 * - bias, scales of those that end in _scaled_high (TINSMITH_PULP_SCALE_HIGH_S8).
 */
#ifndef TINSMITH_PULP_ARRANGED_H_
#define TINSMITH_PULP_ARRANGED_H_

#include <stdint.h>

#include "tinsmith_pulp_nn.h"

/** Of an output stage: as in tinsmith_pulp_stage_t. */
typedef struct {
  int32_t zero_point; /**< of TFLite's; others have it in their addends */
  int32_t min;
  int32_t max;
} tinsmith_pulp_output_numbers_t;

/** Of a convolution or depthwise convolution, whose channels are input_channels; 40 bytes. */
typedef struct {
  uint16_t input_height, input_width, input_channels;
  uint16_t output_height, output_width, output_channels;
  uint16_t kernel_height, kernel_width;
  uint16_t pad_top, pad_left;
  uint16_t stride_height, stride_width;
  int32_t pad_value;
  tinsmith_pulp_output_numbers_t output;
} tinsmith_pulp_window_numbers_t;

/** Of a fully connected layer; 16 bytes. */
typedef struct {
  uint16_t inputs, outputs;
  tinsmith_pulp_output_numbers_t output;
} tinsmith_pulp_linear_numbers_t;

/** A call. numbers: the record; scratch: as of the kernel, NULL where it wants none. */
typedef struct {
  const void *input;
  const void *numbers;
  const void *constants;
  void *output;
  uint8_t *scratch;
} tinsmith_pulp_call_t;

/** A convolution of packed weights (tinsmith_pulp_conv2d). */
void tinsmith_pulp_arranged_conv2d(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_conv2d_scaled(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_conv2d_scaled_high(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);

/** A depthwise convolution (tinsmith_pulp_depthwise) over HWC. */
void tinsmith_pulp_arranged_depthwise(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_depthwise_scaled(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_depthwise_scaled_high(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);

/** The same of 3 x 3, with the conditions of tinsmith_pulp_depthwise_3x3_tflite_s8(), _scale_s8() and
 * _scale_high_s8(): less code. */
void tinsmith_pulp_arranged_depthwise_3x3(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_depthwise_3x3_scaled(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_depthwise_3x3_scaled_high(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);

/** A fully connected layer of packed weights (tinsmith_pulp_linear). */
void tinsmith_pulp_arranged_linear(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_linear_scaled(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);
void tinsmith_pulp_arranged_linear_scaled_high(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core);

#endif /* TINSMITH_PULP_ARRANGED_H_ */
