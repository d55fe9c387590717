/* The functions of the CMSIS-NN v7 API that keep a state: SVDF and LSTM. arm_nnfunctions.h includes this file. */
#ifndef ARM_NNFUNCTIONS_RECURRENT_H
#define ARM_NNFUNCTIONS_RECURRENT_H

#include "arm_nn_math_types.h"
#include "arm_nn_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- SVDF -------------------------------------------------------------------------------------------------------- */

/**
 * A step of SVDF with a state of int8: moves the state by one value, puts one result per filter and batch behind it,
 * and adds the products of the last results and the weights over time.
 *
 * @param[in]     ctx                  With MVE arm_svdf_s8_get_buffer_size() bytes that hold, for each filter,
 *                                     -input_offset * (sum of its weights): arm_vector_sum_s8() makes them. Else not
 * read.
 * @param[in]     input_ctx            Not NULL.
 * @param[in]     output_ctx           Not NULL.
 * @param[in]     svdf_params          See cmsis_nn_svdf_params.
 * @param[in]     input_quant_params   To the state.
 * @param[in]     output_quant_params  To the output.
 * @param[in]     input_dims           n: batches, h: values of one.
 * @param[in]     input_data           int8, [N, H]
 * @param[in]     state_dims           Not read.
 * @param[in,out] state_data           int8, [N, FILTERS, TIME]
 * @param[in]     weights_feature_dims n: FILTERS, rank divides it.
 * @param[in]     weights_feature_data int8, [FILTERS, H]
 * @param[in]     weights_time_dims    h: TIME
 * @param[in]     weights_time_data    int8, [FILTERS, TIME]
 * @param[in]     bias_dims            Not read.
 * @param[in]     bias_data            int32, one per output, or NULL for none.
 * @param[in]     output_dims          Not read.
 * @param[out]    output_data          int8, [N, FILTERS / rank]
 * @return ARM_CMSIS_NN_SUCCESS, or ARM_CMSIS_NN_ARG_ERROR when a context is missing.
 */
arm_cmsis_nn_status arm_svdf_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *input_ctx,
                                const cmsis_nn_context *output_ctx, const cmsis_nn_svdf_params *svdf_params,
                                const cmsis_nn_per_tensor_quant_params *input_quant_params,
                                const cmsis_nn_per_tensor_quant_params *output_quant_params,
                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                const cmsis_nn_dims *state_dims, int8_t *state_data,
                                const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
                                const cmsis_nn_dims *weights_time_dims, const int8_t *weights_time_data,
                                const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                const cmsis_nn_dims *output_dims, int8_t *output_data);

/** Scratch of arm_svdf_s8() in bytes. */
int32_t arm_svdf_s8_get_buffer_size(const cmsis_nn_dims *filter_dims);

/** The same for a build with the DSP extension. */
int32_t arm_svdf_s8_get_buffer_size_dsp(const cmsis_nn_dims *filter_dims);

/** The same for a build with MVE. */
int32_t arm_svdf_s8_get_buffer_size_mve(const cmsis_nn_dims *filter_dims);

/** The same with a state and weights over time of int16; ctx is not needed. */
arm_cmsis_nn_status arm_svdf_state_s16_s8(const cmsis_nn_context *input_ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_svdf_params *svdf_params,
                                          const cmsis_nn_per_tensor_quant_params *input_quant_params,
                                          const cmsis_nn_per_tensor_quant_params *output_quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *state_dims, int16_t *state_data,
                                          const cmsis_nn_dims *weights_feature_dims, const int8_t *weights_feature_data,
                                          const cmsis_nn_dims *weights_time_dims, const int16_t *weights_time_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data);

/* ---- LSTM -------------------------------------------------------------------------------------------------------- */

/**
 * A layer of LSTM cells, int8 with a cell state of int16; the first hidden state is 0.
 *
 * @param[in]     input   int8, [batch, time, input_size], or time first.
 * @param[out]    output  int8, [batch, time, hidden_size], or time first.
 * @param[in]     params  Dimensions, gates and scales.
 * @param[in,out] buffers Scratch.
 * @return ARM_CMSIS_NN_SUCCESS
 */
arm_cmsis_nn_status arm_lstm_unidirectional_s8(const int8_t *input, int8_t *output, const cmsis_nn_lstm_params *params,
                                               cmsis_nn_lstm_context *buffers);

/** The same with int16 inputs and outputs. */
arm_cmsis_nn_status arm_lstm_unidirectional_s16(const int16_t *input, int16_t *output,
                                                const cmsis_nn_lstm_params *params, cmsis_nn_lstm_context *buffers);

#ifdef __cplusplus
}
#endif

#endif /* ARM_NNFUNCTIONS_RECURRENT_H */
