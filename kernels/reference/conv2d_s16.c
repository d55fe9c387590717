// Quantized convolution of int16, accumulated in int64.
#define ELEMENT int16_t
#define ACCUMULATOR int64_t
#include "conv2d_integer.h"

DEFINE_KERNEL(tinsmith_conv2d_s16, stage->input_offset, 0, int16_t, apply_stage_s64(stage, acc, oc),
              const tinsmith_output_stage *stage)
DEFINE_KERNEL(tinsmith_conv2d_s16_nearest, stage->input_offset, 0, int16_t, apply_stage_nearest(stage, acc, oc),
              const tinsmith_output_stage *stage)
DEFINE_KERNEL(tinsmith_conv2d_s16_floor, stage->input_offset, 0, int16_t, apply_stage_floor(stage, acc, oc),
              const tinsmith_output_stage *stage)
DEFINE_KERNEL(tinsmith_conv2d_s16_s64, input_offset, 0, int64_t, acc, int32_t input_offset)
DEFINE_KERNEL(tinsmith_conv2d_s16_s32, input_offset, 0, int32_t, acc, int32_t input_offset)
