#include <stddef.h>

#include "internal/strips.h"
#include "internal/strips_stages.h"

#if TINSMITH_COREV

// Registers of a strip: s0 to s3 are the sums of four lines of outputs, the topmost of which lacks one line of input; x
// and y are the two words of a line of input. Windows begin at any byte, words are loaded where they are aligned: from
// column to column of four the taps move up by a byte. The first words' taps are t0 to t4, the second ones' w0 to w4.

// clang-format off

#define LOAD_LINE LINE("cv.lw %[x], (%[from]), 4") LINE("cv.lw %[y], (%[from]), %[step]")

// TFLite's stage as scale_right() of stage.h: that of the 3 x 3 strips takes two registers more, which are not there.
#define PREPARE_BIAS LINE("slli %[multiplier], %[multiplier], 2")
#define SCALE_S8(SUM, NEXT) \
  LINE("mulhsu %[free], %[" SUM "], %[multiplier]") \
  LINE("cv.addRN %[free], %[free], %[" SUM "], 1") \
  LINE("srai %[" SUM "], %[" SUM "], 31") \
  LINE("cv.addRNr %[free], %[" SUM "], %[shift]") \
  LINE("add %[free], %[free], %[zero_point]") \
  LINE("cv.clip %[free], %[free], 8") \
  STORE("free", NEXT)

// Products of a line of input for a sum: with its line I of the taps, or the first ones of a sum.
#define DOTS(DOT, SUM, I) LINE(DOT " %[s" SUM "], %[x], %[t" I "]") LINE(DOT " %[s" SUM "], %[y], %[w" I "]")
#define START(FROM, FIRST, DOT, SUM) \
  FROM_##FROM("s" SUM) LINE(FIRST " %[s" SUM "], %[x], %[t0]") LINE(DOT " %[s" SUM "], %[y], %[w0]")
#define MOVE(TO, SUM) LINE("addi %[s" TO "], %[s" SUM "], 0")

// The four lines above the first one that ends a sum.
#define LINES_ABOVE(FROM, FIRST, DOT) \
  LOAD_LINE START(FROM, FIRST, DOT, "0") \
  LOAD_LINE START(FROM, FIRST, DOT, "1") DOTS(DOT, "0", "1") \
  LOAD_LINE START(FROM, FIRST, DOT, "2") DOTS(DOT, "1", "1") DOTS(DOT, "0", "2") \
  LOAD_LINE START(FROM, FIRST, DOT, "3") DOTS(DOT, "2", "1") DOTS(DOT, "1", "2") DOTS(DOT, "0", "3")

// Two lines of input, each of which ends a sum. The others move up to where the next round has them, as soon as a place
// is free.
#define TWO_LINES(FROM, FIRST, DOT, STAGE) \
  LOAD_LINE \
  DOTS(DOT, "3", "1") DOTS(DOT, "2", "2") DOTS(DOT, "1", "3") DOTS(DOT, "0", "4") STAGE("s0", "below") \
  MOVE("0", "2") START(FROM, FIRST, DOT, "2") \
  LOAD_LINE \
  DOTS(DOT, "2", "1") DOTS(DOT, "3", "2") DOTS(DOT, "0", "3") DOTS(DOT, "1", "4") STAGE("s1", "below") \
  MOVE("1", "3") START(FROM, FIRST, DOT, "3")

// A column of outputs.
#define STRIP(FROM, FIRST, DOT, STAGE) \
  LINES_ABOVE(FROM, FIRST, DOT) \
  LINE("lw %[x], %[at_pairs](%[steps])") \
  LINE("beqz %[x], 1f") \
  COREV_LOOP("%[x]") TWO_LINES(FROM, FIRST, DOT, STAGE) COREV_LOOP_END \
  "1:\n\t" \
  LINE("lw %[x], %[at_is_odd](%[steps])") \
  LINE("beqz %[x], 1f") \
  LOAD_LINE DOTS(DOT, "0", "4") STAGE("s0", "below") \
  "1:\n\t"

#define STEP(REGISTER) LINE("lw %[" REGISTER "], %[at_" REGISTER "](%[steps])")
#define FIELD(REGISTER) LINE("lw %[" REGISTER "], %[at_" REGISTER "](%[x])")
#define TAPS(I) \
  LINE("lw %[t" I "], %[at_taps] + 4 * " I "(%[x])") LINE("lw %[w" I "], %[at_taps] + 4 * " I " + 20(%[x])")

// Taps that move up by a byte: byte 3 of a first word becomes byte 0 of the second, as x selects.
#define MOVE_UP(I) LINE("cv.shuffle2.b %[w" I "], %[t" I "], %[x]") LINE("slli %[t" I "], %[t" I "], 8")

// All columns of a channel, which is read by way of x. What is needed once a strip stays in memory.
#define STRIPS(FROM, ...) \
  LINE("lw %[x], %[at_channel](%[steps])") \
  STEP("step") STEP("below") \
  FIELD("from") FIELD("to") FIELD("multiplier") FIELD("addend") FIELD("shift") FIELD("zero_point") \
  PREPARE_##FROM \
  "2:\n\t" \
  TAPS("0") TAPS("1") TAPS("2") TAPS("3") TAPS("4") \
  "3:\n\t" \
  STRIP(FROM, __VA_ARGS__) \
  LINE("lw %[s0], %[at_next_from](%[steps])") \
  LINE("lw %[s1], %[at_next_to](%[steps])") \
  LINE("lw %[y], %[at_columns](%[steps])") \
  LINE("add %[from], %[from], %[s0]") \
  LINE("add %[to], %[to], %[s1]") \
  LINE("addi %[y], %[y], -1") \
  LINE("sw %[y], %[at_columns](%[steps])") \
  LINE("beqz %[y], 1f") \
  LINE("lw %[s0], %[at_turn](%[steps])") \
  LINE("lw %[x], %[at_upwards](%[steps])") \
  LINE("andi %[y], %[y], 3") \
  LINE("beq %[y], %[s0], 4f") \
  MOVE_UP("0") MOVE_UP("1") MOVE_UP("2") MOVE_UP("3") MOVE_UP("4") \
  LINE("j 3b") \
  "4:\n\t" \
  LINE("lw %[x], %[at_channel](%[steps])") \
  LINE("addi %[from], %[from], 4") \
  LINE("j 2b") \
  "1:\n"

// clang-format on

// A channel, what all of them have in common, and the columns that are left. below: from an output to the one on the
// next line; step: from the second word of a line to the next line; next: to a strip's neighbour, from its end; turn:
// the columns left, modulo 4, where the next window begins at a word again; upwards: MOVE_UP's selection.
typedef struct {
  const channel_t *channel;
  uint32_t columns, pairs, is_odd, step, below, next_from, next_to, turn, upwards;
} steps_t;

static inline steps_t steps_of(const area_t *area, const channel_t *channel) {
  return (steps_t){
      .channel = channel,
      .columns = area->columns,
      .pairs = area->lines / 2u,
      .is_odd = area->lines % 2u,
      .step = area->pitch - 4u,
      .below = area->line_step,
      .next_from = 0u - (area->lines + 4u) * area->pitch,
      .next_to = area->column_step - area->lines * area->line_step,
      .turn = area->columns % 4u,
      .upwards = 0x02010007u,
  };
}

#define TAPS_OF(I) [t##I] "=&r"(r[I]), [w##I] "=&r"(r[5 + I])
#define REGISTERS                                                                                                      \
  TAPS_OF(0), TAPS_OF(1), TAPS_OF(2), TAPS_OF(3), TAPS_OF(4), [s0] "=&r"(r[10]), [s1] "=&r"(r[11]), [s2] "=&r"(r[12]), \
      [s3] "=&r"(r[13]), [x] "=&r"(r[14]), [y] "=&r"(r[15]), [from] "=&r"(r[16]), [to] "=&r"(r[17]),                   \
      [step] "=&r"(r[18]), [below] "=&r"(r[19]), [multiplier] "=&r"(r[20]), [addend] "=&r"(r[21]),                     \
      [shift] "=&r"(r[22]), [zero_point] "=&r"(r[23]), [free] "=&r"(r[24])

#define OFFSETS                                                                                       \
  [at_channel] "i"(offsetof(steps_t, channel)), [at_columns] "i"(offsetof(steps_t, columns)),         \
      [at_pairs] "i"(offsetof(steps_t, pairs)), [at_is_odd] "i"(offsetof(steps_t, is_odd)),           \
      [at_step] "i"(offsetof(steps_t, step)), [at_below] "i"(offsetof(steps_t, below)),               \
      [at_next_from] "i"(offsetof(steps_t, next_from)), [at_next_to] "i"(offsetof(steps_t, next_to)), \
      [at_turn] "i"(offsetof(steps_t, turn)), [at_upwards] "i"(offsetof(steps_t, upwards)),           \
      [at_from] "i"(offsetof(channel_t, plane)), [at_to] "i"(offsetof(channel_t, output)),            \
      [at_taps] "i"(offsetof(channel_t, taps)), [at_multiplier] "i"(offsetof(channel_t, multiplier)), \
      [at_addend] "i"(offsetof(channel_t, addend)), [at_shift] "i"(offsetof(channel_t, shift)),       \
      [at_zero_point] "i"(offsetof(channel_t, zero_point))

#define DEFINE(NAME, KIND, IS_SIGNED, ...)                                                         \
  void strips_5x5_##NAME(const area_t *area, const channel_t *channels, uint32_t count) {          \
    for (const channel_t *channel = channels; channel < channels + count; ++channel) {             \
      steps_t steps = steps_of(area, channel);                                                     \
      uint32_t r[25];                                                                              \
      __asm__ volatile(STRIPS(__VA_ARGS__) : REGISTERS : [steps] "r"(&steps), OFFSETS : "memory"); \
    }                                                                                              \
  }

#else

#define DEFINE(NAME, KIND, IS_SIGNED, ...)                                                \
  void strips_5x5_##NAME(const area_t *area, const channel_t *channels, uint32_t count) { \
    for (uint32_t i = 0u; i < count; ++i) {                                               \
      strips(area, channels + i, KIND, IS_SIGNED);                                        \
    }                                                                                     \
  }

ALWAYS_INLINE uint8_t finish(const channel_t *channel, tinsmith_pulp_stage_kind_t kind, int32_t sum) {
  if (kind != TINSMITH_PULP_TFLITE_S8) {
    return finish_truncating(channel, kind, sum);
  }
  const int32_t scaled = scale_right(sum + channel->addend, channel->multiplier, channel->shift);
  return (uint8_t)corev_clip_s8(scaled + channel->zero_point);
}

// Two words hold a window, wherever it begins.
ALWAYS_INLINE void strips(const area_t *area, const channel_t *channel, tinsmith_pulp_stage_kind_t kind,
                          bool is_signed) {
  for (uint32_t column = 0u; column < area->columns; ++column) {
    const uint32_t moved = 8u * (column % 4u);
    const uint8_t *from = channel->plane + column - column % 4u;
    uint8_t *to = channel->output + column * area->column_step;
    for (uint32_t line = 0u; line < area->lines; ++line) {
      int32_t sum = 0;
      for (uint32_t i = 0u; i < 5u; ++i) {
        const uint64_t taps = ((uint64_t)channel->taps[5u + i] << 32 | channel->taps[i]) << moved;
        sum = corev_dot4(load_word(from + i * area->pitch), (uint32_t)taps, sum, is_signed);
        sum = corev_dot4(load_word(from + i * area->pitch + 4u), (uint32_t)(taps >> 32), sum, is_signed);
      }
      to[line * area->line_step] = finish(channel, kind, sum);
      from += area->pitch;
    }
  }
}

#endif

FOR_ALL_KINDS(DEFINE)
