#include "src/internal/strips.h"

#include <stddef.h>

#include "src/internal/strips_stages.h"

#if TINSMITH_COREV

// Registers of a strip: u and v are sums, of two lines of outputs, 0 and 1 their columns; x and y are words of two
// lines of input. Where columns are a byte apart one word serves both: the second takes the taps moved up by a byte.

#define LOAD_ONE(LINE) "cv.lw %[" LINE "0], (%[from]), %[pitch]\n\t"
#define LOAD_TWO(LINE) "lw %[" LINE "1], 2(%[from])\n\t" LOAD_ONE(LINE)

#define DOTS_ONE(DOT, SUM, LINE, TAPS) DOT " %[" SUM "0], %[" LINE "0], %[" TAPS "]\n\t"
#define DOTS_TWO(DOT, SUM, LINE, TAPS) DOTS_ONE(DOT, SUM, LINE, TAPS) DOT " %[" SUM "1], %[" LINE "1], %[" TAPS "]\n\t"
#define DOTS_SHARED(DOT, SUM, LINE, TAPS) \
  DOTS_ONE(DOT, SUM, LINE, TAPS) DOT " %[" SUM "1], %[" LINE "0], %[" TAPS "s]\n\t"

#define START_ONE(FROM, SUM) FROM_##FROM(SUM "0")
#define START_SHARED(FROM, SUM) START_ONE(FROM, SUM) FROM_##FROM(SUM "1")
#define START_TWO START_SHARED

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

#define LOAD_FIELD(REGISTER, STRUCTURE) "lw %[" REGISTER "], %[at_" REGISTER "](%[" STRUCTURE "])\n\t"

// Channel after channel: strips of two columns, and one of one where their number is odd, when `columns` becomes -1.
// What is needed once a strip stays in memory: 26 registers are left where the compiler keeps a frame pointer.
#define STRIPS(STRIP, PAIR, FROM, ...) \
  LOAD_FIELD("pitch", "steps") LOAD_FIELD("right", "steps") LOAD_FIELD("lines", "steps")             \
  "4:\n\t"                                                                                           \
  LOAD_FIELD("columns", "steps") LOAD_FIELD("below", "steps")                                        \
  LOAD_FIELD("from", "channel") LOAD_FIELD("to", "channel")                                          \
  LOAD_FIELD("t0", "channel") LOAD_FIELD("t1", "channel") LOAD_FIELD("t2", "channel")                \
  LOAD_FIELD("multiplier", "channel") LOAD_FIELD("addend", "channel") LOAD_FIELD("shift", "channel") \
  LOAD_FIELD("zero_point", "channel")                                                                \
  MOVED_##PAIR PREPARE_##FROM                                                                        \
  "addi %[columns], %[columns], -2\n\t"                                                              \
  "bltz %[columns], 3f\n"                                                                            \
  "2:\n\t" STRIP(PAIR, FROM, __VA_ARGS__)                                                            \
  "lw %[x0], %[at_next_from](%[steps])\n\t"                                                          \
  "lw %[y0], %[at_next_to](%[steps])\n\t"                                                            \
  "add %[from], %[from], %[x0]\n\t"                                                                  \
  "add %[to], %[to], %[y0]\n\t"                                                                      \
  "addi %[columns], %[columns], -2\n\t"                                                              \
  "bgez %[columns], 2b\n"                                                                            \
  "3:\n\tandi %[columns], %[columns], 1\n\t"                                                         \
  "beqz %[columns], 3f\n\t"                                                                          \
  "add %[below], %[below], %[right]\n\t"                                                             \
  STRIP(ONE, FROM, __VA_ARGS__)                                                                      \
  "3:\n\t"                                                                                           \
  "lw %[x0], %[at_end](%[steps])\n\t"                                                                \
  "addi %[channel], %[channel], %[channel_bytes]\n\t"                                                \
  "bne %[channel], %[x0], 4b\n"

// The second column's taps.
#define MOVED_SHARED "slli %[t0s], %[t0], 8\n\tslli %[t1s], %[t1], 8\n\tslli %[t2s], %[t2], 8\n\t"
#define MOVED_TWO ""

// What all channels have in common; right and below: to a neighbour's output, or to that of the first column of the
// line below; next: to a strip's neighbour, from its end.
typedef struct {
  uint32_t columns, lines, pitch, right, below, next_from, next_to;
  const channel_t *end;
} steps_t;

static inline steps_t steps_of(const area_t *area, uint32_t stride, const channel_t *end) {
  const uint32_t lines_read = stride * (area->lines - 1u) + 3u;
  return (steps_t){
      .columns = area->columns,
      .lines = area->lines,
      .pitch = area->pitch,
      .right = area->column_step,
      .below = area->line_step - area->column_step,
      .next_from = 2u * stride - lines_read * area->pitch,
      .next_to = 2u * area->column_step - area->lines * area->line_step,
      .end = end,
  };
}

#define REGISTERS                                                                                             \
  [channel] "+&r"(channel), [columns] "=&r"(r[0]), [below] "=&r"(r[1]), [from] "=&r"(r[2]), [to] "=&r"(r[3]), \
      [pitch] "=&r"(r[4]), [right] "=&r"(r[5]), [lines] "=&r"(r[6]), [t0] "=&r"(r[7]), [t1] "=&r"(r[8]),      \
      [t2] "=&r"(r[9]), [multiplier] "=&r"(r[10]), [addend] "=&r"(r[11]), [shift] "=&r"(r[12]),               \
      [zero_point] "=&r"(r[13]), [u0] "=&r"(r[14]), [u1] "=&r"(r[15]), [x0] "=&r"(r[16]), [y0] "=&r"(r[17]),  \
      [free] "=&r"(r[18])
#define REGISTERS_1 [v0] "=&r"(r[19]), [v1] "=&r"(r[20]), [t0s] "=&r"(r[21]), [t1s] "=&r"(r[22]), [t2s] "=&r"(r[23])
#define REGISTERS_2 [x1] "=&r"(r[19]), [y1] "=&r"(r[20])

#define OFFSETS                                                                                        \
  [at_columns] "i"(offsetof(steps_t, columns)), [at_below] "i"(offsetof(steps_t, below)),              \
      [at_pitch] "i"(offsetof(steps_t, pitch)), [at_right] "i"(offsetof(steps_t, right)),              \
      [at_lines] "i"(offsetof(steps_t, lines)), [at_next_from] "i"(offsetof(steps_t, next_from)),      \
      [at_next_to] "i"(offsetof(steps_t, next_to)), [at_end] "i"(offsetof(steps_t, end)),              \
      [at_from] "i"(offsetof(channel_t, plane)), [at_to] "i"(offsetof(channel_t, output)),             \
      [at_t0] "i"(offsetof(channel_t, taps[0])), [at_t1] "i"(offsetof(channel_t, taps[1])),            \
      [at_t2] "i"(offsetof(channel_t, taps[2])), [at_multiplier] "i"(offsetof(channel_t, multiplier)), \
      [at_addend] "i"(offsetof(channel_t, addend)), [at_shift] "i"(offsetof(channel_t, shift)),        \
      [at_zero_point] "i"(offsetof(channel_t, zero_point)), [channel_bytes] "i"(sizeof(channel_t))

#define DEFINE(STRIDE, PAIR, NAME, KIND, IS_SIGNED, ...)                                      \
  static void NAME##_##STRIDE(const area_t *area, const channel_t *channel, uint32_t count) { \
    const steps_t steps = steps_of(area, STRIDE, channel + count);                            \
    uint32_t r[24];                                                                           \
    __asm__ volatile(STRIPS(STRIP_##STRIDE, PAIR, __VA_ARGS__)                                \
                     : REGISTERS, REGISTERS_##STRIDE                                          \
                     : [steps] "r"(&steps), OFFSETS                                           \
                     : "memory");                                                             \
  }
#define DEFINE_STRIPS(...)       \
  DEFINE(1, SHARED, __VA_ARGS__) \
  DEFINE(2, TWO, __VA_ARGS__)

#else

ALWAYS_INLINE void strips(const area_t *area, const channel_t *channel, tinsmith_pulp_stage_kind_t kind, bool is_signed,
                          uint32_t stride) {
  for (uint32_t column = 0u; column < area->columns; ++column) {
    const uint8_t *from = channel->plane + stride * column;
    uint8_t *to = channel->output + column * area->column_step;
    for (uint32_t line = 0u; line < area->lines; ++line) {
      int32_t sum = 0;
      for (uint32_t i = 0u; i < 3u; ++i) {
        sum = corev_dot4(load_word(from + i * area->pitch), channel->taps[i], sum, is_signed);
      }
      to[line * area->line_step] = finish(channel, kind, sum);
      from += stride * area->pitch;
    }
  }
}

#define DEFINE(STRIDE, NAME, KIND, IS_SIGNED, ...)                                             \
  static void NAME##_##STRIDE(const area_t *area, const channel_t *channels, uint32_t count) { \
    for (uint32_t i = 0u; i < count; ++i) {                                                    \
      strips(area, channels + i, KIND, IS_SIGNED, STRIDE);                                     \
    }                                                                                          \
  }
#define DEFINE_STRIPS(...) \
  DEFINE(1, __VA_ARGS__)   \
  DEFINE(2, __VA_ARGS__)

#endif

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
