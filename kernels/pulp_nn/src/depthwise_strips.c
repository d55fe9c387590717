#include <stddef.h>

#include "internal/strips.h"
#include "internal/strips_stages.h"

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

// clang-format off

// TFLite's stage as scale_by_halves() of stage.h: `multiplier` has twice m's upper half and its lower one, `cross` m's
// halves exchanged, `zero_point` the addend; sums start 2**30 too high.
#define PREPARE_BIAS \
  LINE("sll %[zero_point], %[zero_point], %[shift]") \
  LINE("addi %[x0], zero, 1") \
  LINE("sll %[x0], %[x0], %[shift]") \
  LINE("srli %[x0], %[x0], 1") \
  LINE("add %[zero_point], %[zero_point], %[x0]") \
  LINE("srli %[x0], %[multiplier], 1") \
  LINE("sub %[zero_point], %[zero_point], %[x0]") \
  LINE("addi %[zero_point], %[zero_point], -1") \
  LINE("xori %[half], %[multiplier], -1") \
  LINE("slli %[half], %[half], 31") \
  LINE("srli %[half], %[half], 17") \
  LINE("srli %[x0], %[multiplier], 16") \
  LINE("cv.pack %[cross], %[multiplier], %[x0]") \
  LINE("slli %[x0], %[x0], 16") \
  LINE("add %[multiplier], %[multiplier], %[x0]") \
  LINE("lui %[x0], 0x40000") \
  LINE("add %[addend], %[addend], %[x0]")
#define SCALE_S8(SUM, NEXT) \
  LINE("cv.muluN %[free], %[" SUM "], %[multiplier], 16") \
  LINE("cv.sdotup.h %[free], %[" SUM "], %[cross]") \
  LINE("cv.adduN %[free], %[free], %[half], 15") \
  LINE("cv.machhuN %[free], %[" SUM "], %[multiplier], 0") \
  LINE("srli %[" SUM "], %[" SUM "], 30") \
  LINE("add %[" SUM "], %[" SUM "], %[zero_point]") \
  LINE("cv.addNr %[free], %[" SUM "], %[shift]") \
  LINE("cv.clip %[free], %[free], 8") \
  STORE("free", NEXT)

#define FINISH_ONE(STAGE, SUM) STAGE(SUM "0", "below")
#define FINISH_SHARED(STAGE, SUM) STAGE(SUM "0", "right") STAGE(SUM "1", "below")
#define FINISH_TWO FINISH_SHARED

// One strip. A line of input is the third one of an output line, the second of the next, and the first of the next but
// one. The loop has two lines for two lines of outputs, so that sums stay in their registers; an odd last line stands
// alone.
#define STRIP_1(C, FROM, FIRST, DOT, STAGE) \
  LINE("lw %[free], %[at_pairs](%[steps])") \
  LOAD_ONE("x") \
  LOAD_ONE("y") \
  START_##C(FROM, "u") DOTS_##C(FIRST, "u", "x", "t0") DOTS_##C(DOT, "u", "y", "t1") \
  START_##C(FROM, "v") DOTS_##C(FIRST, "v", "y", "t0") \
  LINE("beqz %[free], 1f") \
  COREV_LOOP("%[free]") \
  LOAD_ONE("x") \
  LOAD_ONE("y") \
  DOTS_##C(DOT, "u", "x", "t2") DOTS_##C(DOT, "v", "x", "t1") FINISH_##C(STAGE, "u") \
  START_##C(FROM, "u") DOTS_##C(FIRST, "u", "x", "t0") DOTS_##C(DOT, "u", "y", "t1") \
  DOTS_##C(DOT, "v", "y", "t2") FINISH_##C(STAGE, "v") \
  START_##C(FROM, "v") DOTS_##C(FIRST, "v", "y", "t0") \
  COREV_LOOP_END \
  "1:\n\t" \
  LINE("lw %[free], %[at_is_odd](%[steps])") \
  LINE("beqz %[free], 1f") \
  LOAD_ONE("x") \
  DOTS_##C(DOT, "u", "x", "t2") FINISH_##C(STAGE, "u") \
  "1:\n\t"

// With stride 2 a line of outputs has two lines of its own, the second of which is the next one's first, too.
#define STRIP_2(C, FROM, FIRST, DOT, STAGE) \
  LINE("lw %[free], %[at_lines](%[steps])") \
  LOAD_##C("y") \
  START_##C(FROM, "u") DOTS_##C(FIRST, "u", "y", "t0") \
  COREV_LOOP("%[free]") \
  LOAD_##C("x") \
  LOAD_##C("y") \
  DOTS_##C(DOT, "u", "x", "t1") DOTS_##C(DOT, "u", "y", "t2") FINISH_##C(STAGE, "u") \
  START_##C(FROM, "u") DOTS_##C(FIRST, "u", "y", "t0") \
  COREV_LOOP_END "\t"

#define LOAD_STEP(REGISTER) LINE("lw %[" REGISTER "], %[at_" REGISTER "](%[steps])")
#define LOAD_FIELD(REGISTER) LINE("lw %[" REGISTER "], %[at_" REGISTER "](%[x0])")

// Channel after channel: strips of two columns, and one of one where their number is odd, when `columns` becomes -1.
// What is needed once a strip stays in memory: 26 registers are left where the compiler keeps a frame pointer.
#define STRIPS(STRIP, PAIR, FROM, ...) \
  LOAD_STEP("pitch") LOAD_STEP("right") \
  "4:\n\t" \
  LINE("lw %[x0], %[at_channel](%[steps])") \
  LOAD_STEP("columns") LOAD_STEP("below") \
  LOAD_FIELD("from") LOAD_FIELD("to") LOAD_FIELD("t0") LOAD_FIELD("t1") LOAD_FIELD("t2") \
  LOAD_FIELD("multiplier") LOAD_FIELD("addend") LOAD_FIELD("shift") LOAD_FIELD("zero_point") \
  MOVED_##PAIR PREPARE_##FROM \
  LINE("addi %[columns], %[columns], -2") \
  LINE("bltz %[columns], 3f") \
  "2:\n\t" STRIP(PAIR, FROM, __VA_ARGS__) \
  LINE("lw %[x0], %[at_next_from](%[steps])") \
  LINE("lw %[y0], %[at_next_to](%[steps])") \
  LINE("add %[from], %[from], %[x0]") \
  LINE("add %[to], %[to], %[y0]") \
  LINE("addi %[columns], %[columns], -2") \
  LINE("bgez %[columns], 2b") \
  "3:\n\t" \
  LINE("andi %[columns], %[columns], 1") \
  LINE("beqz %[columns], 3f") \
  LINE("add %[below], %[below], %[right]") \
  STRIP(ONE, FROM, __VA_ARGS__) \
  "3:\n\t" \
  LINE("lw %[x0], %[at_channel](%[steps])") \
  LINE("lw %[y0], %[at_end](%[steps])") \
  LINE("addi %[x0], %[x0], %[channel_bytes]") \
  LINE("sw %[x0], %[at_channel](%[steps])") \
  LINE("bne %[x0], %[y0], 4b")

// clang-format on

// The second column's taps.
#define MOVED_SHARED "slli %[t0s], %[t0], 8\n\tslli %[t1s], %[t1], 8\n\tslli %[t2s], %[t2], 8\n\t"
#define MOVED_TWO ""

// The next channel, and what all of them have in common; right and below: to a neighbour's output, or to that of the
// first column of the line below; next: to a strip's neighbour, from its end.
typedef struct {
  uint32_t columns, lines, pairs, is_odd, pitch, right, below, next_from, next_to;
  const channel_t *channel, *end;
} steps_t;

static inline steps_t steps_of(const area_t *area, uint32_t stride, const channel_t *channel, uint32_t count) {
  const uint32_t lines_read = stride * (area->lines - 1u) + 3u;
  return (steps_t){
      .columns = area->columns,
      .lines = area->lines,
      .pairs = area->lines / 2u,
      .is_odd = area->lines % 2u,
      .pitch = area->pitch,
      .right = area->column_step,
      .below = area->line_step - area->column_step,
      .next_from = 2u * stride - lines_read * area->pitch,
      .next_to = 2u * area->column_step - area->lines * area->line_step,
      .channel = channel,
      .end = channel + count,
  };
}

#define REGISTERS                                                                                        \
  [columns] "=&r"(r[0]), [below] "=&r"(r[1]), [from] "=&r"(r[2]), [to] "=&r"(r[3]), [pitch] "=&r"(r[4]), \
      [right] "=&r"(r[5]), [half] "=&r"(r[6]), [t0] "=&r"(r[7]), [t1] "=&r"(r[8]), [t2] "=&r"(r[9]),     \
      [multiplier] "=&r"(r[10]), [addend] "=&r"(r[11]), [shift] "=&r"(r[12]), [zero_point] "=&r"(r[13]), \
      [u0] "=&r"(r[14]), [u1] "=&r"(r[15]), [x0] "=&r"(r[16]), [y0] "=&r"(r[17]), [free] "=&r"(r[18]),   \
      [cross] "=&r"(r[24])
#define REGISTERS_1 [v0] "=&r"(r[19]), [v1] "=&r"(r[20]), [t0s] "=&r"(r[21]), [t1s] "=&r"(r[22]), [t2s] "=&r"(r[23])
#define REGISTERS_2 [x1] "=&r"(r[19]), [y1] "=&r"(r[20])

#define OFFSETS                                                                                           \
  [at_channel] "i"(offsetof(steps_t, channel)), [at_pairs] "i"(offsetof(steps_t, pairs)),                 \
      [at_is_odd] "i"(offsetof(steps_t, is_odd)), [at_columns] "i"(offsetof(steps_t, columns)),           \
      [at_below] "i"(offsetof(steps_t, below)), [at_pitch] "i"(offsetof(steps_t, pitch)),                 \
      [at_right] "i"(offsetof(steps_t, right)), [at_lines] "i"(offsetof(steps_t, lines)),                 \
      [at_next_from] "i"(offsetof(steps_t, next_from)), [at_next_to] "i"(offsetof(steps_t, next_to)),     \
      [at_end] "i"(offsetof(steps_t, end)), [at_from] "i"(offsetof(channel_t, plane)),                    \
      [at_to] "i"(offsetof(channel_t, output)), [at_t0] "i"(offsetof(channel_t, taps[0])),                \
      [at_t1] "i"(offsetof(channel_t, taps[1])), [at_t2] "i"(offsetof(channel_t, taps[2])),               \
      [at_multiplier] "i"(offsetof(channel_t, multiplier)), [at_addend] "i"(offsetof(channel_t, addend)), \
      [at_shift] "i"(offsetof(channel_t, shift)), [at_zero_point] "i"(offsetof(channel_t, zero_point)),   \
      [channel_bytes] "i"(sizeof(channel_t))

#define DEFINE(STRIDE, PAIR, NAME, KIND, IS_SIGNED, ...)                                            \
  void strips_3x3_##NAME##_##STRIDE(const area_t *area, const channel_t *channel, uint32_t count) { \
    steps_t steps = steps_of(area, STRIDE, channel, count);                                         \
    uint32_t r[25];                                                                                 \
    __asm__ volatile(STRIPS(STRIP_##STRIDE, PAIR, __VA_ARGS__)                                      \
                     : REGISTERS, REGISTERS_##STRIDE                                                \
                     : [steps] "r"(&steps), OFFSETS                                                 \
                     : "memory");                                                                   \
  }
#define DEFINE_STRIPS(...)       \
  DEFINE(1, SHARED, __VA_ARGS__) \
  DEFINE(2, TWO, __VA_ARGS__)

#else

ALWAYS_INLINE uint8_t finish(const channel_t *channel, tinsmith_pulp_stage_kind_t kind, int32_t sum) {
  if (kind != TINSMITH_PULP_TFLITE_S8) {
    return finish_truncating(channel, kind, sum);
  }
  const int32_t acc = sum + channel->addend;
  return (uint8_t)corev_clip_s8(scale_by_halves(acc, channel->multiplier, channel->shift, channel->zero_point));
}

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

#define DEFINE(STRIDE, NAME, KIND, IS_SIGNED, ...)                                                   \
  void strips_3x3_##NAME##_##STRIDE(const area_t *area, const channel_t *channels, uint32_t count) { \
    for (uint32_t i = 0u; i < count; ++i) {                                                          \
      strips(area, channels + i, KIND, IS_SIGNED, STRIDE);                                           \
    }                                                                                                \
  }
#define DEFINE_STRIPS(...) \
  DEFINE(1, __VA_ARGS__)   \
  DEFINE(2, __VA_ARGS__)

#endif

FOR_ALL_KINDS(DEFINE_STRIPS)
