/* Fully connected layers on weights of four bits with a multiplier for each block of inputs, arranged ahead of time.
 *
 * Arguments are those of tinsmith_fully_connected_packed_s8() of tinsmith_nn.h, but for what is said here, and so are
 * what a compiler has to fold into the bias and the results. `_nearest`: rounded once, as tinsmith_nn_nearest.h says.
 */
#ifndef TINSMITH_NN_BLOCKWISE_H
#define TINSMITH_NN_BLOCKWISE_H

#include "arm_nn_types.h"
#include "tinsmith_nn_implementation.h"

#define tinsmith_blockwise_fully_connected_packed_s4 TINSMITH_NN_SYMBOL(tinsmith_blockwise_fully_connected_packed_s4)
#define tinsmith_blockwise_fully_connected_packed_s4_nearest \
  TINSMITH_NN_SYMBOL(tinsmith_blockwise_fully_connected_packed_s4_nearest)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * acc[n] = bias[n] + sum over blocks b of m[n][b] * (sum over k in b of (x[k] + input_offset) * w[n][k]), scaled as
 * tinsmith_fully_connected_packed_s4() scales: by scales of any size.
 *
 * w is from -8 to 7, m from 0 to 255. A block has `block` values of k, a multiple of 16 or all; the last one may have
 * fewer. Blocks of 32 are the fast ones: of more, such as 64, those of a layer should be halved until they are 32, of
 * the same multiplier.
 *
 * filter_data, block after block of some channels:
 *  - Plain C: of each 4 channels the words of tinsmith_convolve_packed_s4() for the block's k, then 4 bytes, m of each
 *    channel.
 *  - DSP: of each 4 channels the lanes of tinsmith_convolve_packed_s4() for the block's k, then the same 4 bytes.
 *  - MVE: of each 4 pairs (a, b) of channels 8 bytes, m of a of each pair, and of b; then for each 16 values of k of
 * the block 16 bytes of each pair, a + 16 * b. What is missing to 8 channels and 16 values of k are zeros. bias_data:
 * folded, bias[n] + input_offset * sum over b of m[n][b] * sum of the block's weights; of C_OUT rounded up
 *  - C and DSP: to 4;
 *  - MVE: to 8, of each 8 channels those of a, then 16 times those of b, modulo 2^32.
 *
 * What the arranger must have proved, besides |accumulator| < 2^30 for every input, with |w[n]| the sum of magnitudes
 * over a block:
 *  - DSP: 128 * |w[n]| < 2^15 of blocks of 32, and < 2^19 of others;
 *  - MVE: no b is -8 where a is negative; 16 * |accumulator| < 2^31 of every b.
 *
 * Scratch: tinsmith_blockwise_fully_connected_packed_s4_get_buffer_size() bytes, with MVE none.
 *
 * @param[in] block Values of k that share a multiplier.
 */
arm_cmsis_nn_status tinsmith_blockwise_fully_connected_packed_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, int32_t block, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

arm_cmsis_nn_status tinsmith_blockwise_fully_connected_packed_s4_nearest(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, int32_t block, const cmsis_nn_dims *output_dims,
    int8_t *output_data);

/** Scratch of both in bytes, of plain C and DSP: a sum of inputs for each block. */
int32_t tinsmith_blockwise_fully_connected_packed_s4_get_buffer_size(const cmsis_nn_dims *filter_dims, int32_t block);

#ifdef __cplusplus
}
#endif

#endif /* TINSMITH_NN_BLOCKWISE_H */
