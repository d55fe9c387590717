/* Bytes of the buffers that callers of PULP-NN's functions provide, 4-byte aligned. */
#ifndef PULP_NN_BUFFERS_H_
#define PULP_NN_BUFFERS_H_

#include <stdint.h>

/** pIm2ColBuffer of convolution and pointwise layers, as in PULP-NN rounded up to words. */
uint32_t pulp_nn_conv_buffer_bytes(uint16_t ch_in, uint16_t dim_kernel_x, uint16_t dim_kernel_y, uint32_t cores);

/** pIm2ColBuffer of depthwise layers (bufferC, memory_chan): more than PULP-NN's. Second buffers are not used. */
uint32_t pulp_nn_depthwise_buffer_bytes(uint16_t dim_in_x, uint16_t dim_in_y, uint16_t ch_in, uint16_t dim_out_x,
                                        uint16_t dim_out_y, uint16_t dim_kernel_x, uint16_t dim_kernel_y,
                                        uint16_t stride_x, uint16_t stride_y, uint32_t cores);

#endif /* PULP_NN_BUFFERS_H_ */
