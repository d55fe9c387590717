#include "src/internal/strips.h"

#include "src/internal/stage.h"

// The kinds of strips: input, output, first value of a sum, first and further dot products, output stage.
#define FOR_ALL_KINDS(DEFINE)                                                                       \
  DEFINE(u8_u8, TINSMITH_PULP_TRUNCATE_U8, false, ZERO, "cv.dotusp.b", "cv.sdotusp.b", TRUNCATE_U8) \
  DEFINE(u8_s8, TINSMITH_PULP_TRUNCATE_S8, false, ZERO, "cv.dotusp.b", "cv.sdotusp.b", TRUNCATE_S8) \
  DEFINE(s8_u8, TINSMITH_PULP_TRUNCATE_U8, true, ZERO, "cv.dotsp.b", "cv.sdotsp.b", TRUNCATE_U8)    \
  DEFINE(s8_s8, TINSMITH_PULP_TRUNCATE_S8, true, ZERO, "cv.dotsp.b", "cv.sdotsp.b", TRUNCATE_S8)    \
  DEFINE(tflite, TINSMITH_PULP_TFLITE_S8, true, BIAS, "cv.sdotsp.b", "cv.sdotsp.b", SCALE_S8)

#if TINSMITH_COREV

// Registers of a strip: u and v are sums, of two lines of outputs, 0 and 1 their columns; x and y are words of two
// lines of input. Where columns are a byte apart one word serves both: the second takes the taps moved up by a byte.

#define LOAD_ONE(LINE) "cv.lw %[" LINE "0], (%[from]), %[pitch]\n\t"
#define LOAD_TWO(LINE) "lw %[" LINE "1], 2(%[from])\n\t" LOAD_ONE(LINE)

#define DOTS_ONE(DOT, SUM, LINE, TAPS) DOT " %[" SUM "0], %[" LINE "0], %[" TAPS "]\n\t"
#define DOTS_TWO(DOT, SUM, LINE, TAPS) DOTS_ONE(DOT, SUM, LINE, TAPS) DOT " %[" SUM "1], %[" LINE "1], %[" TAPS "]\n\t"
#define DOTS_SHARED(DOT, SUM, LINE, TAPS) \
  DOTS_ONE(DOT, SUM, LINE, TAPS) DOT " %[" SUM "1], %[" LINE "0], %[" TAPS "s]\n\t"

#define FROM_ZERO(SUM) ""
#define FROM_BIAS(SUM) "addi %[" SUM "], %[addend], 0\n\t"
#define START_ONE(FROM, SUM) FROM_##FROM(SUM "0")
#define START_SHARED(FROM, SUM) START_ONE(FROM, SUM) FROM_##FROM(SUM "1")
#define START_TWO START_SHARED

// A stage and its store, which goes on to the next column or to the first one of the line below.
#define STORE(VALUE, NEXT) "cv.sb %[" VALUE "], (%[to]), %[" NEXT "]\n\t"
#define TRUNCATE(SUM) "mul %[" SUM "], %[" SUM "], %[multiplier]\n\tcv.addNr %[" SUM "], %[addend], %[shift]\n\t"
#define TRUNCATE_U8(SUM, NEXT) TRUNCATE(SUM) "cv.clipu %[" SUM "], %[" SUM "], 9\n\t" STORE(SUM, NEXT)
#define TRUNCATE_S8(SUM, NEXT) TRUNCATE(SUM) "cv.clip %[" SUM "], %[" SUM "], 8\n\t" STORE(SUM, NEXT)
// As scale_right() of stage.h.
#define SCALE_S8(SUM, NEXT)                 \
  "mulhsu %[high], %[" SUM                  \
  "], %[multiplier]\n\t"                    \
  "cv.addRN %[high], %[high], %[" SUM       \
  "], 1\n\t"                                \
  "srai %[" SUM "], %[" SUM                 \
  "], 31\n\t"                               \
  "cv.addRNr %[high], %[" SUM               \
  "], %[shift]\n\t"                         \
  "add %[high], %[high], %[zero_point]\n\t" \
  "cv.clip %[high], %[high], 8\n\t" STORE("high", NEXT)
#define FINISH_ONE(STAGE, SUM) STAGE(SUM "0", "below")
#define FINISH_SHARED(STAGE, SUM) STAGE(SUM "0", "right") STAGE(SUM "1", "below")
#define FINISH_TWO FINISH_SHARED

// One strip. A line of input is the third one of an output line, the second of the next, and the first of the next but
// one. The loop has two lines for two lines of outputs, so that sums stay in their registers; an odd last line stands
// alone.
#define STRIP_1(C, FROM, FIRST, DOT, STAGE) \
  LOAD_ONE("x")                             \
  LOAD_ONE("y")                             \
  START_##C(FROM, "u") DOTS_##C(FIRST, "u", "x", "t0") DOTS_##C(DOT, "u", "y", "t1") \
  START_##C(FROM, "v") DOTS_##C(FIRST, "v", "y", "t0")                               \
  "srli %[x0], %[lines], 1\n\t"                                                      \
  "beqz %[x0], 1f\n\t"                                                               \
  COREV_LOOP("%[x0]")                                                                \
  LOAD_ONE("x")                                                                      \
  LOAD_ONE("y")                                                                      \
  DOTS_##C(DOT, "u", "x", "t2") DOTS_##C(DOT, "v", "x", "t1") FINISH_##C(STAGE, "u") \
  START_##C(FROM, "u") DOTS_##C(FIRST, "u", "x", "t0") DOTS_##C(DOT, "u", "y", "t1") \
  DOTS_##C(DOT, "v", "y", "t2") FINISH_##C(STAGE, "v")                               \
  START_##C(FROM, "v") DOTS_##C(FIRST, "v", "y", "t0")                               \
  COREV_LOOP_END                                                                     \
  "1:\n\tandi %[x0], %[lines], 1\n\t"                                                \
  "beqz %[x0], 1f\n\t"                                                               \
  LOAD_ONE("x")                                                                      \
  DOTS_##C(DOT, "u", "x", "t2") FINISH_##C(STAGE, "u")                               \
  "1:\n\t"

// With stride 2 a line of outputs has two lines of its own, the second of which is the next one's first, too.
#define STRIP_2(C, FROM, FIRST, DOT, STAGE)                                                               \
  LOAD_##C("y") START_##C(FROM, "u") DOTS_##C(FIRST, "u", "y", "t0") COREV_LOOP("%[lines]") LOAD_##C("x") \
      LOAD_##C("y") DOTS_##C(DOT, "u", "x", "t1") DOTS_##C(DOT, "u", "y", "t2") FINISH_##C(STAGE, "u")    \
          START_##C(FROM, "u") DOTS_##C(FIRST, "u", "y", "t0") COREV_LOOP_END "\t"

// Strips of two columns, and one of one where their number is odd: `columns` ends as -2 or -1.
#define STRIPS(STRIP, PAIR, ...) \
  "addi %[columns], %[columns], -2\n\t"      \
  "bltz %[columns], 3f\n"                    \
  "2:\n\t" STRIP(PAIR, __VA_ARGS__)          \
  "add %[from], %[from], %[next_from]\n\t"   \
  "add %[to], %[to], %[next_to]\n\t"         \
  "addi %[columns], %[columns], -2\n\t"      \
  "bgez %[columns], 2b\n"                    \
  "3:\n\tandi %[columns], %[columns], 1\n\t" \
  "beqz %[columns], 3f\n\t"                  \
  "add %[below], %[below], %[right]\n\t"     \
  STRIP(ONE, __VA_ARGS__)                    \
  "3:\n"

// TFLite's multiplier as scale_right() of stage.h takes it.
static inline uint32_t multiplier_of(const channel_t *channel, tinsmith_pulp_stage_kind_t kind) {
  const uint32_t multiplier = (uint32_t)channel->multiplier;
  return kind == TINSMITH_PULP_TFLITE_S8 ? multiplier << 2 : multiplier;
}

#define CHANGED                                                                                                       \
  [from] "+&r"(from), [to] "+&r"(to), [columns] "+&r"(columns), [below] "+&r"(below), [u0] "=&r"(u0), [u1] "=&r"(u1), \
      [x0] "=&r"(x0), [y0] "=&r"(y0), [high] "=&r"(high)
#define GIVEN                                                                                                        \
  [lines] "r"(area->lines), [pitch] "r"(area->pitch), [right] "r"(area->column_step), [next_from] "r"(next_from),    \
      [next_to] "r"(next_to), [t0] "r"(taps[0]), [t1] "r"(taps[1]), [t2] "r"(taps[2]), [multiplier] "r"(multiplier), \
      [addend] "r"(channel->addend), [shift] "r"(channel->shift), [zero_point] "r"(channel->zero_point)

#define RUN_1(...)                                                                                    \
  __asm__ volatile(STRIPS(STRIP_1, SHARED, __VA_ARGS__)                                               \
                   : CHANGED, [v0] "=&r"(v0), [v1] "=&r"(v1)                                          \
                   : GIVEN, [t0s] "r"(taps[0] << 8), [t1s] "r"(taps[1] << 8), [t2s] "r"(taps[2] << 8) \
                   : "memory")

#define RUN_2(...) \
  __asm__ volatile(STRIPS(STRIP_2, TWO, __VA_ARGS__) : CHANGED, [x1] "=&r"(v0), [y1] "=&r"(v1) : GIVEN : "memory")

#define DEFINE(STRIDE, NAME, KIND, IS_SIGNED, ...)                                             \
  static void NAME##_##STRIDE(const area_t *area, const channel_t *channels, uint32_t count) { \
    const uint32_t lines_read = STRIDE * (area->lines - 1u) + 3u;                              \
    const uint32_t next_from = 2u * STRIDE - lines_read * area->pitch;                         \
    const uint32_t next_to = 2u * area->column_step - area->lines * area->line_step;           \
    for (uint32_t i = 0u; i < count; ++i) {                                                    \
      const channel_t *channel = channels + i;                                                 \
      const uint32_t *taps = channel->taps;                                                    \
      const uint32_t multiplier = multiplier_of(channel, KIND);                                \
      const uint8_t *from = area->plane + i * area->plane_bytes;                               \
      uint8_t *to = area->output + i;                                                          \
      uint32_t columns = area->columns;                                                        \
      uint32_t below = area->line_step - area->column_step;                                    \
      uint32_t u0, u1, v0, v1, x0, y0, high;                                                   \
      RUN_##STRIDE(__VA_ARGS__);                                                               \
    }                                                                                          \
  }

#else

ALWAYS_INLINE uint8_t finish(const channel_t *channel, tinsmith_pulp_stage_kind_t kind, int32_t sum) {
  if (kind == TINSMITH_PULP_TFLITE_S8) {
    const int32_t scaled = scale_right(sum + channel->addend, channel->multiplier, channel->shift);
    return (uint8_t)clip_s8(scaled + channel->zero_point);
  }
  const int32_t scaled = scale_truncating(sum, channel->multiplier, channel->addend, channel->shift);
  return (uint8_t)(kind == TINSMITH_PULP_TRUNCATE_U8 ? clip_u8(scaled) : clip_s8(scaled));
}

ALWAYS_INLINE void strips(const area_t *area, uint32_t index, const channel_t *channel, tinsmith_pulp_stage_kind_t kind,
                          bool is_signed, uint32_t stride) {
  for (uint32_t column = 0u; column < area->columns; ++column) {
    const uint8_t *from = area->plane + index * area->plane_bytes + stride * column;
    uint8_t *to = area->output + index + column * area->column_step;
    for (uint32_t line = 0u; line < area->lines; ++line) {
      int32_t sum = 0;
      for (uint32_t i = 0u; i < 3u; ++i) {
        sum = dot4(load_word(from + i * area->pitch), channel->taps[i], sum, is_signed);
      }
      to[line * area->line_step] = finish(channel, kind, sum);
      from += stride * area->pitch;
    }
  }
}

#define DEFINE(STRIDE, NAME, KIND, IS_SIGNED, ...)                                             \
  static void NAME##_##STRIDE(const area_t *area, const channel_t *channels, uint32_t count) { \
    for (uint32_t i = 0u; i < count; ++i) {                                                    \
      strips(area, i, channels + i, KIND, IS_SIGNED, STRIDE);                                  \
    }                                                                                          \
  }

#endif

#define DEFINE_STRIPS(...) \
  DEFINE(1, __VA_ARGS__)   \
  DEFINE(2, __VA_ARGS__)

FOR_ALL_KINDS(DEFINE_STRIPS)

strips_t strips_3x3(tinsmith_pulp_stage_kind_t kind, bool input_is_signed, uint32_t stride) {
  const bool is_one = stride == 1u;
  if (kind == TINSMITH_PULP_TFLITE_S8) {
    return is_one ? tflite_1 : tflite_2;
  }
  if (kind == TINSMITH_PULP_TRUNCATE_U8) {
    return input_is_signed ? (is_one ? s8_u8_1 : s8_u8_2) : (is_one ? u8_u8_1 : u8_u8_2);
  }
  return input_is_signed ? (is_one ? s8_s8_1 : s8_s8_2) : (is_one ? u8_s8_1 : u8_s8_2);
}
