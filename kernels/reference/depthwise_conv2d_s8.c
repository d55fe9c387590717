// Quantized depthwise convolution of int8, accumulated in int32.
#define ELEMENT int8_t
#define ACCUMULATOR int32_t
#include "depthwise_conv2d_integer.h"

DEFINE_KERNEL(tinsmith_depthwise_conv2d_s8, const tinsmith_output_stage *stage, stage->input_offset, int8_t,
              apply_stage(stage, acc, oc))
DEFINE_KERNEL(tinsmith_depthwise_conv2d_s8_nearest, const tinsmith_output_stage *stage, stage->input_offset, int8_t,
              apply_stage_nearest(stage, acc, oc))
DEFINE_KERNEL(tinsmith_depthwise_conv2d_s8_floor, const tinsmith_output_stage *stage, stage->input_offset, int8_t,
              apply_stage_floor(stage, acc, oc))
DEFINE_KERNEL(tinsmith_depthwise_conv2d_s8_s32, int32_t input_offset, input_offset, int32_t, acc)
