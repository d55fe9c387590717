// Quantized convolution of int8, accumulated in int32.
#define ELEMENT int8_t
#define ACCUMULATOR int32_t
#include "conv2d_integer.h"

DEFINE_KERNEL(tinsmith_conv2d_s8, stage->input_offset, 0, int8_t, apply_stage(stage, acc, oc),
              const tinsmith_output_stage *stage)
DEFINE_KERNEL(tinsmith_conv2d_s8_nearest, stage->input_offset, 0, int8_t, apply_stage_nearest(stage, acc, oc),
              const tinsmith_output_stage *stage)
DEFINE_KERNEL(tinsmith_conv2d_s8_floor, stage->input_offset, 0, int8_t, apply_stage_floor(stage, acc, oc),
              const tinsmith_output_stage *stage)
DEFINE_KERNEL(tinsmith_conv2d_s8_s32, input_offset, 0, int32_t, acc, int32_t input_offset)

DEFINE_KERNEL(tinsmith_conv2d_s8_asymmetric, stage->input_offset, weights_offset, int8_t, apply_stage(stage, acc, oc),
              const tinsmith_output_stage *stage, int32_t weights_offset)
DEFINE_KERNEL(tinsmith_conv2d_s8_asymmetric_nearest, stage->input_offset, weights_offset, int8_t,
              apply_stage_nearest(stage, acc, oc), const tinsmith_output_stage *stage, int32_t weights_offset)
DEFINE_KERNEL(tinsmith_conv2d_s8_asymmetric_floor, stage->input_offset, weights_offset, int8_t,
              apply_stage_floor(stage, acc, oc), const tinsmith_output_stage *stage, int32_t weights_offset)
DEFINE_KERNEL(tinsmith_conv2d_s8_s32_asymmetric, input_offset, weights_offset, int32_t, acc, int32_t input_offset,
              int32_t weights_offset)
