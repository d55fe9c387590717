// Quantized convolution of int16, accumulated in int64.
#define ELEMENT int16_t
#define ACCUMULATOR int64_t
#include "conv2d_integer.h"

DEFINE_KERNEL(tinsmith_conv2d_s16, const tinsmith_output_stage *stage, stage->input_offset, int16_t,
              apply_stage_s64(stage, acc, oc))
DEFINE_KERNEL(tinsmith_conv2d_s16_nearest, const tinsmith_output_stage *stage, stage->input_offset, int16_t,
              apply_stage_nearest(stage, acc, oc))
DEFINE_KERNEL(tinsmith_conv2d_s16_floor, const tinsmith_output_stage *stage, stage->input_offset, int16_t,
              apply_stage_floor(stage, acc, oc))
DEFINE_KERNEL(tinsmith_conv2d_s16_s64, int32_t input_offset, input_offset, int64_t, acc)
