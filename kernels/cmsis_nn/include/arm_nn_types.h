/* Types of the CMSIS-NN v7 API that the int8 kernels of this library take.
 *
 * Names, members and their order are those of Arm's public header, so an object file built against this one links with
 * either library. The texts and the code behind them are Tinsmith's own. Types of operators that this library does not
 * have (LSTM, SVDF, batch matmul, int16 softmax) are left out.
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

/** Range the output is clamped to. */
typedef struct {
  int32_t min; /**< [-128, max] */
  int32_t max; /**< [min, 127] */
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

/** Transpose. */
typedef struct {
  const int32_t num_dims;       /**< [1, 4] */
  const uint32_t *permutations; /**< Output dimension i is input dimension permutations[i]. */
} cmsis_nn_transpose_params;

#ifdef __cplusplus
}
#endif

#endif /* ARM_NN_TYPES_H */
