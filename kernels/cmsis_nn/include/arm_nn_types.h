/* Types of the CMSIS-NN v7 API.
 *
 * Names, members and their order are those of Arm's public header, so an object file built against this one links with
 * either library. The texts and the code behind them are Tinsmith's own.
 */
#ifndef ARM_NN_TYPES_H
#define ARM_NN_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a kernel that can refuse its arguments returns. */
typedef enum {
  ARM_CMSIS_NN_SUCCESS = 0,        /**< The output is complete. */
  ARM_CMSIS_NN_ARG_ERROR = -1,     /**< Arguments contradict each other or are outside their range. */
  ARM_CMSIS_NN_NO_IMPL_ERROR = -2, /**< Valid, but this library cannot do it. */
  ARM_CMSIS_NN_FAILURE = -3,       /**< An internal error. */
} arm_cmsis_nn_status;

/** The curves of arm_nn_activation_s16(). */
typedef enum {
  ARM_SIGMOID = 0, /**< 1 / (1 + exp(-x)) */
  ARM_TANH = 1,
} arm_nn_activation_type;

/** A width and a height: strides, paddings, dilations. */
typedef struct {
  int32_t w; /**< Along the columns. */
  int32_t h; /**< Along the rows. */
} cmsis_nn_tile;

/** Scratch memory lent to a kernel for the time of the call. */
typedef struct {
  void *buf; /**< Public functions take any address, 4-byte aligned ones faster; NULL when the size function says 0. */
  int32_t size; /**< Bytes behind `buf`; informative. */
} cmsis_nn_context;

/** Bias of a convolution of int16: its type says how the sums are scaled. */
typedef struct {
  const void *data;         /**< One value per output channel, or NULL for none. */
  const bool is_int32_bias; /**< int32 values and sums of 32 bits, else both of 64. */
} cmsis_nn_bias_data;

/** Four extents. Activations are NHWC; what each member means for a filter is said at the function. */
typedef struct {
  int32_t n; /**< Batches, or output channels of a filter. */
  int32_t h; /**< Rows. */
  int32_t w; /**< Columns. */
  int32_t c; /**< Channels, innermost in memory. */
} cmsis_nn_dims;

/** One output multiplier per channel: real scale = multiplier * 2^(shift - 31). */
typedef struct {
  int32_t *multiplier; /**< Q31 in [2^30, 2^31), or 0. */
  int32_t *shift;      /**< [-31, 30]; positive shifts left. */
} cmsis_nn_per_channel_quant_params;

/** One output multiplier for the whole tensor. */
typedef struct {
  int32_t multiplier; /**< Q31 in [2^30, 2^31), or 0. */
  int32_t shift;      /**< [-31, 30]; positive shifts left. */
} cmsis_nn_per_tensor_quant_params;

/** Either of the two above. */
typedef struct {
  int32_t *multiplier;    /**< One value, or one per channel. */
  int32_t *shift;         /**< As many as multipliers. */
  int32_t is_per_channel; /**< 0: one value, else one per channel. */
} cmsis_nn_quant_params;

/** Range the output is clamped to: of int8 within [-128, 127], of int16 within [-32768, 32767]. */
typedef struct {
  int32_t min; /**< <= max */
  int32_t max; /**< >= min */
} cmsis_nn_activation;

/** Convolution. */
typedef struct {
  int32_t input_offset;   /**< Minus the input's zero point: [-127, 128]. */
  int32_t output_offset;  /**< The output's zero point: [-128, 127]. */
  cmsis_nn_tile stride;   /**< >= 1 */
  cmsis_nn_tile padding;  /**< Columns left of and rows above the input; what lies right and below follows from dims. */
  cmsis_nn_tile dilation; /**< >= 1 */
  cmsis_nn_activation activation;
} cmsis_nn_conv_params;

/** Transposed convolution. */
typedef struct {
  int32_t input_offset;          /**< Minus the input's zero point: [-127, 128]. */
  int32_t output_offset;         /**< The output's zero point: [-128, 127]. */
  cmsis_nn_tile stride;          /**< >= 1 */
  cmsis_nn_tile padding;         /**< Columns and rows cut off at the left and the top of the full result. */
  cmsis_nn_tile padding_offsets; /**< What is cut off more at the right and the bottom; not read. */
  cmsis_nn_tile dilation;        /**< Not read: 1. */
  cmsis_nn_activation activation;
} cmsis_nn_transpose_conv_params;

/** Depthwise convolution. */
typedef struct {
  int32_t input_offset;  /**< Minus the input's zero point: [-127, 128]. */
  int32_t output_offset; /**< The output's zero point: [-128, 127]. */
  int32_t ch_mult;       /**< Output channels per input channel. */
  cmsis_nn_tile stride;
  cmsis_nn_tile padding;
  cmsis_nn_tile dilation;
  cmsis_nn_activation activation;
} cmsis_nn_dw_conv_params;

/** Average and max pooling. */
typedef struct {
  cmsis_nn_tile stride;
  cmsis_nn_tile padding;
  cmsis_nn_activation activation;
} cmsis_nn_pool_params;

/** Fully connected layer. */
typedef struct {
  int32_t input_offset;  /**< Minus the input's zero point: [-127, 128]. */
  int32_t filter_offset; /**< Minus the filter's zero point; 0 in every int8 model of TFLite. */
  int32_t output_offset; /**< The output's zero point: [-128, 127]. */
  cmsis_nn_activation activation;
} cmsis_nn_fc_params;

/** Product of batches of matrices. */
typedef struct {
  const bool adj_x; /**< Not read: the caller has transposed what is to be. */
  const bool adj_y; /**< Not read. */
  cmsis_nn_fc_params fc_params;
} cmsis_nn_bmm_params;

/** Transpose. */
typedef struct {
  const int32_t num_dims;       /**< [1, 4] */
  const uint32_t *permutations; /**< Output dimension i is input dimension permutations[i]. */
} cmsis_nn_transpose_params;

/** SVDF: a filter over features, then one over time, of the last results. */
typedef struct {
  int32_t rank;                          /**< Filters whose results one output adds: divides the number of filters. */
  int32_t input_offset;                  /**< The input's zero point itself, not minus it: [-128, 127]. */
  int32_t output_offset;                 /**< The output's zero point: [-128, 127]. */
  cmsis_nn_activation input_activation;  /**< Of the state. */
  cmsis_nn_activation output_activation; /**< Of the output. */
} cmsis_nn_svdf_params;

/** Tables of arm_softmax_s16(), 513 values each, the last for interpolation alone. */
typedef struct {
  const int16_t *exp_lut;        /**< exp(x), x in [-10, 0], in Q0.15. */
  const int16_t *one_by_one_lut; /**< 1 / (1 + x), x in [0, 1], in Q0.15. */
} cmsis_nn_softmax_lut_s16;

/** One multiplier and shift. */
typedef struct {
  int32_t multiplier; /**< Q31 in [2^30, 2^31), or 0. */
  int32_t shift;      /**< [-31, 30]; positive shifts left. */
} cmsis_nn_scaling;

/** One gate of an LSTM. Weights are [hidden_size, input_size] and [hidden_size, hidden_size], int8. */
typedef struct {
  int32_t input_multiplier; /**< To Q3.12, as arm_nn_activation_s16() takes it. */
  int32_t input_shift;
  const void *input_weights;
  const void *input_effective_bias; /**< Bias + offset * (sum of a row); int32, of int16 activations int64. */

  int32_t hidden_multiplier;
  int32_t hidden_shift;
  const void *hidden_weights;
  const void *hidden_effective_bias; /**< Offset * (sum of a row). */

  const void *bias; /**< Not read: it is in input_effective_bias. */
  arm_nn_activation_type activation_type;
} cmsis_nn_lstm_gate;

/** A layer of LSTM cells. */
typedef struct {
  int32_t time_major; /**< 0: [batch, time, values], else [time, batch, values]. */
  int32_t batch_size;
  int32_t time_steps;
  int32_t input_size;  /**< Values of one step of the input. */
  int32_t hidden_size; /**< Values of one step of the output, which the next step takes too. */

  int32_t input_offset; /**< Not read: it is in the effective biases. */

  int32_t forget_to_cell_multiplier; /**< Forget gate * cell state, to the cell state. */
  int32_t forget_to_cell_shift;
  int32_t input_to_cell_multiplier; /**< Input gate * cell gate, to the cell state. */
  int32_t input_to_cell_shift;
  int32_t cell_clip;        /**< The cell state is clamped to [-cell_clip, cell_clip]. */
  int32_t cell_scale_power; /**< The cell state's scale is 2^cell_scale_power. */

  int32_t output_multiplier; /**< Output gate * tanh(cell state), to the output. */
  int32_t output_shift;
  int32_t output_offset; /**< The output's zero point. */

  cmsis_nn_lstm_gate forget_gate;
  cmsis_nn_lstm_gate input_gate;
  cmsis_nn_lstm_gate cell_gate;
  cmsis_nn_lstm_gate output_gate;
} cmsis_nn_lstm_params;

/** Scratch of an LSTM, each int16 [batch_size, hidden_size]. */
typedef struct {
  void *temp1;
  void *temp2;
  void *cell_state; /**< Cleared at the start; holds the last state afterwards. */
} cmsis_nn_lstm_context;

#ifdef __cplusplus
}
#endif

#endif /* ARM_NN_TYPES_H */
