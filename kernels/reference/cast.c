// Numbers in other element types.
#include "tinsmith/cast.h"

#include "float_rules.h"

// Towards zero within [min, max]; beyond lies what float has of max, which may be one more than there is.
#define DEFINE_CUT_OFF(name, to, min, max, below, beyond) \
  static to name(float value) {                           \
    if (value != value) {                                 \
      return 0;                                           \
    }                                                     \
    if (value <= (below)) {                               \
      return min;                                         \
    }                                                     \
    return value >= (beyond) ? max : (to)value;           \
  }

DEFINE_CUT_OFF(cut_off_s8, int8_t, INT8_MIN, INT8_MAX, -128.0f, 127.0f)
DEFINE_CUT_OFF(cut_off_u8, uint8_t, 0, UINT8_MAX, 0.0f, 255.0f)
DEFINE_CUT_OFF(cut_off_s16, int16_t, INT16_MIN, INT16_MAX, -32768.0f, 32767.0f)
DEFINE_CUT_OFF(cut_off_s32, int32_t, INT32_MIN, INT32_MAX, -2147483648.0f, 2147483648.0f)
DEFINE_CUT_OFF(cut_off_s64, int64_t, INT64_MIN, INT64_MAX, -9223372036854775808.0f, 9223372036854775808.0f)

#define DEFINE_CAST(kernel, from, to, convert)                   \
  void kernel(int32_t elements, const from *input, to *output) { \
    for (int32_t i = 0; i < elements; ++i) {                     \
      output[i] = (to)convert(input[i]);                         \
    }                                                            \
  }

#define TO_BOOL(value) ((value) != 0)
#define LOW_BITS(value) (value)

DEFINE_CAST(tinsmith_cast_s8_u8, int8_t, uint8_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s8_s16, int8_t, int16_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s8_s32, int8_t, int32_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s8_s64, int8_t, int64_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s8_f32, int8_t, float, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s8_bool, int8_t, uint8_t, TO_BOOL)
DEFINE_CAST(tinsmith_cast_u8_s8, uint8_t, int8_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_u8_s16, uint8_t, int16_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_u8_s32, uint8_t, int32_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_u8_s64, uint8_t, int64_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_u8_f32, uint8_t, float, LOW_BITS)
DEFINE_CAST(tinsmith_cast_u8_bool, uint8_t, uint8_t, TO_BOOL)
DEFINE_CAST(tinsmith_cast_s16_s8, int16_t, int8_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s16_u8, int16_t, uint8_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s16_s32, int16_t, int32_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s16_s64, int16_t, int64_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s16_f32, int16_t, float, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s16_bool, int16_t, uint8_t, TO_BOOL)
DEFINE_CAST(tinsmith_cast_s32_s8, int32_t, int8_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s32_u8, int32_t, uint8_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s32_s16, int32_t, int16_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s32_s64, int32_t, int64_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s32_f32, int32_t, float, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s32_bool, int32_t, uint8_t, TO_BOOL)
DEFINE_CAST(tinsmith_cast_s64_s8, int64_t, int8_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s64_u8, int64_t, uint8_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s64_s16, int64_t, int16_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s64_s32, int64_t, int32_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s64_f32, int64_t, float, LOW_BITS)
DEFINE_CAST(tinsmith_cast_s64_bool, int64_t, uint8_t, TO_BOOL)
DEFINE_CAST(tinsmith_cast_f32_s8, float, int8_t, cut_off_s8)
DEFINE_CAST(tinsmith_cast_f32_u8, float, uint8_t, cut_off_u8)
DEFINE_CAST(tinsmith_cast_f32_s16, float, int16_t, cut_off_s16)
DEFINE_CAST(tinsmith_cast_f32_s32, float, int32_t, cut_off_s32)
DEFINE_CAST(tinsmith_cast_f32_s64, float, int64_t, cut_off_s64)
DEFINE_CAST(tinsmith_cast_f32_bool, float, uint8_t, TO_BOOL)
DEFINE_CAST(tinsmith_cast_bool_s8, uint8_t, int8_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_bool_u8, uint8_t, uint8_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_bool_s16, uint8_t, int16_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_bool_s32, uint8_t, int32_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_bool_s64, uint8_t, int64_t, LOW_BITS)
DEFINE_CAST(tinsmith_cast_bool_f32, uint8_t, float, LOW_BITS)
