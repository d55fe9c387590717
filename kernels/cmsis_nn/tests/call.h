/* One kernel call as data: what the tests send to the host program and to the boards. All numbers are little-endian. */
#ifndef TINSMITH_NN_TESTS_CALL_H
#define TINSMITH_NN_TESTS_CALL_H

#include <stdint.h>

#include "include/arm_nn_types.h"

/** Which function. The order is that of KERNELS in kernel_cases.py. */
typedef enum {
  kCallConvolvePacked,
  kCallDepthwisePacked,
  kCallFullyConnectedPacked,
  kCallConvolveWrapper,
  kCallConvolve,
  kCallDepthwiseWrapper,
  kCallDepthwise,
  kCallFullyConnectedWrapper,
  kCallAdd,
  kCallMul,
  kCallAveragePool,
  kCallMaxPool,
  kCallSoftmax,
  kCallTranspose,
  kCallPad,
  kCallConcatenateX,
  kCallRelu,
  kCallRelu6,
  kCallReshape,
  kCallConvolve1x1,
  kCallConvolve1x1Fast,
  kCallConvolve1xN,
  kCallDepthwiseOpt,
  kCallDepthwise3x3,
  kCallAddBroadcast,
  kCallMulBroadcast,
  kCallConvolvePackedAny,
  kCallDepthwisePackedAny,
  kCallFullyConnectedPackedDeep,
  kCallDepthwisePixels,
  kCallConvolvePackedOffset,
  kCallFullyConnectedSmall,
  kCallConvolvePackedNearest,
  kCallDepthwisePackedNearest,
  kCallFullyConnectedPackedNearest,
  kCallConvolvePackedAnyNearest,
  kCallDepthwisePackedAnyNearest,
  kCallFullyConnectedPackedDeepNearest,
  kCallDepthwisePixelsNearest,
  kCallConvolvePackedOffsetNearest,
  kCallFullyConnectedSmallNearest,
  kCallConvolveWrapperNearest,
  kCallDepthwiseWrapperNearest,
  kCallFullyConnectedWrapperNearest,
  kCallDepthwisePacked3x3,
  kCallDepthwisePacked3x3Nearest,
  kCallConvolvePackedSingle,
  kCallConvolvePackedSingleNearest,
  kCallConvolvePackedNarrow,
  kCallDepthwisePackedNarrow,
  kCallConvolvePackedSingleNarrow,
  kCallConvolvePackedS4,
  kCallDepthwisePackedS4,
  kCallDepthwisePackedAnyS4,
  kCallConvolvePackedS4Nearest,
  kCallDepthwisePackedS4Nearest,
  kCallDepthwisePackedAnyS4Nearest,
  kCallFullyConnectedPackedS4,
  kCallFullyConnectedPackedS4Nearest,
  kCallConvolvePackedS2,
  kCallConvolvePackedAnyS2,
  kCallDepthwisePackedS2,
  kCallDepthwisePackedAnyS2,
  kCallFullyConnectedPackedS2,
  kCallConvolvePackedS2Nearest,
  kCallConvolvePackedAnyS2Nearest,
  kCallDepthwisePackedS2Nearest,
  kCallDepthwisePackedAnyS2Nearest,
  kCallFullyConnectedPackedS2Nearest,
  kCallConvolvePackedS2Narrow,
  kCallDepthwisePackedS2Narrow,
  kCallConvolvePackedS4Narrow,
  kCallDepthwisePackedS4Narrow,
  kCallBlockwisePackedS4,
  kCallBlockwisePackedS4Nearest,
} call_kernel;

enum { kArrays = 5, kNumbers = 16 };

/** The head of a call; its arrays follow, each starting at a multiple of 16 bytes. */
typedef struct {
  int32_t kernel;
  cmsis_nn_dims input_dims;
  cmsis_nn_dims filter_dims;
  cmsis_nn_dims output_dims;
  cmsis_nn_tile stride;
  cmsis_nn_tile padding;
  cmsis_nn_tile dilation;
  int32_t input_offset;
  int32_t output_offset;
  cmsis_nn_activation activation;
  int32_t ch_mult;
  int32_t is_per_channel;
  int32_t numbers[kNumbers];    /* of kernels without the above */
  int32_t array_bytes[kArrays]; /* input, filter or second input, bias, multiplier, shift */
  int32_t output_bytes;
  int32_t scratch_offset; /* bytes from an aligned address to the scratch; sizeof is a multiple of 16 */
} call_head;

typedef struct {
  const call_head *head;
  const void *arrays[kArrays];
  void *scratch;
  int8_t *output;
} call;

/** Bytes that the kernel's size function asks for. */
int32_t call_scratch_bytes(const call_head *head);

/** The kernel's status; 0 of kernels that return nothing. */
int32_t call_run(const call *c);

#endif /* TINSMITH_NN_TESTS_CALL_H */
