// What strips of all kernels share: kinds of input and output, and the truncating stages.
#ifndef TINSMITH_KERNELS_PULP_NN_STRIPS_STAGES_H_
#define TINSMITH_KERNELS_PULP_NN_STRIPS_STAGES_H_

#include "area.h"
#include "stage.h"

// The kinds of strips: input, output, first value of a sum, first and further dot products, output stage.
#define FOR_ALL_KINDS(DEFINE)                                                                       \
  DEFINE(u8_u8, TINSMITH_PULP_TRUNCATE_U8, false, ZERO, "cv.dotusp.b", "cv.sdotusp.b", TRUNCATE_U8) \
  DEFINE(u8_s8, TINSMITH_PULP_TRUNCATE_S8, false, ZERO, "cv.dotusp.b", "cv.sdotusp.b", TRUNCATE_S8) \
  DEFINE(s8_u8, TINSMITH_PULP_TRUNCATE_U8, true, ZERO, "cv.dotsp.b", "cv.sdotsp.b", TRUNCATE_U8)    \
  DEFINE(s8_s8, TINSMITH_PULP_TRUNCATE_S8, true, ZERO, "cv.dotsp.b", "cv.sdotsp.b", TRUNCATE_S8)    \
  DEFINE(tflite, TINSMITH_PULP_TFLITE_S8, true, BIAS, "cv.sdotsp.b", "cv.sdotsp.b", SCALE_S8)       \
  DEFINE(high, TINSMITH_PULP_SCALE_HIGH_S8, true, HIGH, "cv.sdotsp.b", "cv.sdotsp.b", SCALE_HIGH)

#if TINSMITH_COREV

// clang-format off

// What a sum starts from.
#define FROM_ZERO(SUM) ""
#define FROM_BIAS(SUM) LINE("addi %[" SUM "], %[addend], 0")
#define FROM_HIGH FROM_BIAS

// A stage and its store, which goes on to the next output by register NEXT.
#define STORE(VALUE, NEXT) LINE("cv.sb %[" VALUE "], (%[to]), %[" NEXT "]")
#define TRUNCATE(SUM) \
  LINE("mul %[" SUM "], %[" SUM "], %[multiplier]") \
  LINE("cv.addNr %[" SUM "], %[addend], %[shift]")
#define TRUNCATE_U8(SUM, NEXT) TRUNCATE(SUM) LINE("cv.clipu %[" SUM "], %[" SUM "], 9") STORE(SUM, NEXT)
#define TRUNCATE_S8(SUM, NEXT) TRUNCATE(SUM) LINE("cv.clip %[" SUM "], %[" SUM "], 8") STORE(SUM, NEXT)

// `addend` is the bias, `zero_point` the addend.
#define SCALE_HIGH(SUM, NEXT) \
  LINE("mulh %[" SUM "], %[" SUM "], %[multiplier]") \
  LINE("cv.addNr %[" SUM "], %[zero_point], %[shift]") \
  LINE("cv.clip %[" SUM "], %[" SUM "], 8") \
  STORE(SUM, NEXT)

#define PREPARE_ZERO ""
#define PREPARE_HIGH ""

// clang-format on

#else

// All stages but TFLite's.
ALWAYS_INLINE uint8_t finish_truncating(const channel_t *channel, tinsmith_pulp_stage_kind_t kind, int32_t sum) {
  if (kind == TINSMITH_PULP_SCALE_HIGH_S8) {
    const int32_t acc = (int32_t)((uint32_t)sum + (uint32_t)channel->addend);
    const tinsmith_pulp_scale_t scale = {channel->multiplier, channel->zero_point, channel->shift};
    return (uint8_t)corev_clip_s8(scale_once(kind, acc, scale));
  }
  const int32_t scaled = scale_truncating(sum, channel->multiplier, channel->addend, channel->shift);
  return (uint8_t)(kind == TINSMITH_PULP_TRUNCATE_U8 ? corev_clip_u8(scaled) : corev_clip_s8(scaled));
}

#endif

#endif  // TINSMITH_KERNELS_PULP_NN_STRIPS_STAGES_H_
