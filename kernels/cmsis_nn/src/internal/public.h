/* arm_nnfunctions.h for the bodies of its functions: where they round once (rounding.h), under names that say so. */
#ifndef TINSMITH_NN_INTERNAL_PUBLIC_H
#define TINSMITH_NN_INTERNAL_PUBLIC_H

#include "src/internal/rounding.h"

#if TINSMITH_NN_NEAREST
#define arm_convolve_1_x_n_s8 arm_convolve_1_x_n_s8_nearest
#define arm_convolve_1x1_s8 arm_convolve_1x1_s8_nearest
#define arm_convolve_1x1_s8_fast arm_convolve_1x1_s8_fast_nearest
#define arm_convolve_s8 arm_convolve_s8_nearest
#define arm_convolve_wrapper_s8 arm_convolve_wrapper_s8_nearest
#define arm_depthwise_conv_3x3_s8 arm_depthwise_conv_3x3_s8_nearest
#define arm_depthwise_conv_s8 arm_depthwise_conv_s8_nearest
#define arm_depthwise_conv_s8_opt arm_depthwise_conv_s8_opt_nearest
#define arm_depthwise_conv_wrapper_s8 arm_depthwise_conv_wrapper_s8_nearest
#define arm_fully_connected_per_channel_s8 arm_fully_connected_per_channel_s8_nearest
#define arm_fully_connected_s8 arm_fully_connected_s8_nearest
#define arm_fully_connected_wrapper_s8 arm_fully_connected_wrapper_s8_nearest
#define arm_vector_sum_s8 arm_vector_sum_s8_nearest
#define arm_vector_sum_s8_s64 arm_vector_sum_s8_s64_nearest
#endif

#include "include/arm_nnfunctions.h"

#endif /* TINSMITH_NN_INTERNAL_PUBLIC_H */
