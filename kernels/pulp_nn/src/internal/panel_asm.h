// The text of a panel's asm statement. Registers: pixel p of a block has the sums p0 to p3, p from a to d with packed
// weights, a and b with plain ones; x, y, w0 to w3 and pixel are free between the products and the next block. No
// instruction waits for the load before it.
#ifndef TINSMITH_KERNELS_PULP_NN_PANEL_ASM_H_
#define TINSMITH_KERNELS_PULP_NN_PANEL_ASM_H_

#include "corev.h"
#include "sums.h"

// clang-format off

// Members of panel_t.
#define PANEL_PIXELS      "0+%[panel]"
#define PANEL_COUNT       "4+%[panel]"
#define PANEL_BIAS        "8+%[panel]"
#define PANEL_PARAMETERS  "12+%[panel]"
#define PANEL_MULTIPLIER  "12+%[panel]"
#define PANEL_SHIFT       "16+%[panel]"
#define PANEL_ZERO_POINT  "16+%[panel]"
#define PANEL_OUTPUT      "20+%[panel]"
#define PANEL_OUTPUT_STEP "24+%[panel]"
#define PANEL_REWIND      "28+%[panel]"
#define PANEL_STEP_1      "32+%[panel]"
#define PANEL_STEP_2      "36+%[panel]"
#define PANEL_STEP_3      "40+%[panel]"

// The sums of a channel.
#define TWO_PIXELS(LINES, CHANNEL) LINES("a" CHANNEL) LINES("b" CHANNEL)
#define FOUR_PIXELS(LINES, CHANNEL) TWO_PIXELS(LINES, CHANNEL) LINES("c" CHANNEL) LINES("d" CHANNEL)

// The sums begin with the products of the first words: no instruction clears them. The inner loop's count is read where
// x is no longer needed.
#define BEGIN_WITH_PRODUCTS(PRODUCTS, COPIES, DOT) PRODUCTS("cv.dot" DOT, LINE("lw %[x], " PANEL_COUNT))

#define COPY_BIAS(PIXEL) \
  LINE("addi %[" PIXEL "0], %[a0], 0") \
  LINE("addi %[" PIXEL "1], %[a1], 0") \
  LINE("addi %[" PIXEL "2], %[a2], 0") \
  LINE("addi %[" PIXEL "3], %[a3], 0")

#define COPY_TO_TWO COPY_BIAS("b")
#define COPY_TO_FOUR COPY_BIAS("b") COPY_BIAS("c") COPY_BIAS("d")

// The sums begin with the biases.
#define BEGIN_WITH_BIAS(PRODUCTS, COPIES, DOT) \
  LINE("lw %[y], " PANEL_BIAS) \
  LINE("lw %[x], " PANEL_COUNT) \
  LINE("add %[y], %[y], %[multipliers]") \
  LINE("lw %[a0], 0(%[y])") \
  LINE("lw %[a1], 4(%[y])") \
  LINE("lw %[a2], 8(%[y])") \
  LINE("lw %[a3], 12(%[y])") \
  COPIES

// The same where `multipliers` moves on by more than a bias: their address is kept in memory.
#define BEGIN_WITH_ADDRESS(PRODUCTS, COPIES, DOT) \
  LINE("lw %[y], " PANEL_BIAS) \
  LINE("lw %[x], " PANEL_COUNT) \
  LINE("cv.lw %[a0], (%[y]), 4") \
  LINE("cv.lw %[a1], (%[y]), 4") \
  LINE("cv.lw %[a2], (%[y]), 4") \
  LINE("cv.lw %[a3], (%[y]), 4") \
  LINE("sw %[y], " PANEL_BIAS) \
  COPIES

// The sums begin with biases of a byte, whose address is kept in memory.
#define BEGIN_WITH_BYTES(PRODUCTS, COPIES, DOT) \
  LINE("lw %[y], " PANEL_BIAS) \
  LINE("lw %[x], " PANEL_COUNT) \
  LINE("cv.lb %[a0], (%[y]), 1") \
  LINE("cv.lb %[a1], (%[y]), 1") \
  LINE("cv.lb %[a2], (%[y]), 1") \
  LINE("cv.lb %[a3], (%[y]), 1") \
  LINE("sw %[y], " PANEL_BIAS) \
  COPIES

#define CLIP_S8(SUM) LINE("cv.clip %[" SUM "], %[" SUM "], 8")
#define CLIP_U8(SUM) LINE("cv.clipu %[" SUM "], %[" SUM "], 9")

// A channel: (sum * multiplier + addend) >> shift, clipped.
#define SCALE(SUM) LINE("mul %[" SUM "], %[" SUM "], %[w0]")
#define ADD_AND_SHIFT(SUM) LINE("cv.addNr %[" SUM "], %[w1], %[x]")
#define TRUNCATE(PIXELS, CHANNEL, CLIP) \
  LINE("cv.lw %[w0], (%[multipliers]), 4") \
  LINE("cv.lw %[w1], %[y](%[multipliers])") \
  PIXELS(SCALE, CHANNEL) \
  PIXELS(ADD_AND_SHIFT, CHANNEL) \
  PIXELS(CLIP, CHANNEL)
#define TRUNCATE_ALL(PIXELS, CLIP) \
  LINE("lw %[y], " PANEL_PARAMETERS) \
  LINE("lw %[x], " PANEL_SHIFT) \
  TRUNCATE(PIXELS, "0", CLIP) \
  TRUNCATE(PIXELS, "1", CLIP) \
  TRUNCATE(PIXELS, "2", CLIP) \
  TRUNCATE(PIXELS, "3", CLIP)

// The same with scales side by side in memory, of which shifts are a part; MULTIPLY takes the low or the high word of a product.
#define SCALE_HIGH(SUM) LINE("mulh %[" SUM "], %[" SUM "], %[w0]")
#define SCALE_ONCE(PIXELS, CHANNEL, MULTIPLY) \
  LINE("cv.lw %[w0], (%[multipliers]), 4") \
  LINE("cv.lw %[w1], (%[multipliers]), 4") \
  LINE("cv.lw %[x], (%[multipliers]), 4") \
  PIXELS(MULTIPLY, CHANNEL) \
  PIXELS(ADD_AND_SHIFT, CHANNEL) \
  PIXELS(CLIP_S8, CHANNEL)
#define SCALE_ALL_ONCE(PIXELS, MULTIPLY) \
  SCALE_ONCE(PIXELS, "0", MULTIPLY) \
  SCALE_ONCE(PIXELS, "1", MULTIPLY) \
  SCALE_ONCE(PIXELS, "2", MULTIPLY) \
  SCALE_ONCE(PIXELS, "3", MULTIPLY)

// The same as the first with one multiplier for all channels, and no addend.
#define SHIFT(SUM) LINE("sra %[" SUM "], %[" SUM "], %[x]")
#define TRUNCATE_EQUALLY(PIXELS, CHANNEL, CLIP) \
  PIXELS(SCALE, CHANNEL) \
  PIXELS(SHIFT, CHANNEL) \
  PIXELS(CLIP, CHANNEL)
#define TRUNCATE_ALL_EQUALLY(PIXELS, CLIP) \
  LINE("lw %[w0], " PANEL_MULTIPLIER) \
  LINE("lw %[x], " PANEL_SHIFT) \
  TRUNCATE_EQUALLY(PIXELS, "0", CLIP) \
  TRUNCATE_EQUALLY(PIXELS, "1", CLIP) \
  TRUNCATE_EQUALLY(PIXELS, "2", CLIP) \
  TRUNCATE_EQUALLY(PIXELS, "3", CLIP)

#define PACK(PIXEL) \
  LINE("cv.packlo.b %[" PIXEL "0], %[" PIXEL "1], %[" PIXEL "0]") \
  LINE("cv.packhi.b %[" PIXEL "0], %[" PIXEL "3], %[" PIXEL "2]")

#define STORE_4X4 \
  PACK("a") \
  PACK("b") \
  PACK("c") \
  PACK("d") \
  LINE("lw %[w0], " PANEL_OUTPUT) \
  LINE("lw %[w1], " PANEL_OUTPUT_STEP) \
  LINE("addi %[w2], %[w0], 4") \
  LINE("sw %[w2], " PANEL_OUTPUT) \
  LINE("cv.sw %[a0], (%[w0]), %[w1]") \
  LINE("cv.sw %[b0], (%[w0]), %[w1]") \
  LINE("cv.sw %[c0], (%[w0]), %[w1]") \
  LINE("sw %[d0], 0(%[w0])")

#define STAGE_TRUNCATE_4X4(CLIP) \
  TRUNCATE_ALL(FOUR_PIXELS, CLIP) \
  STORE_4X4

#define STAGE_EQUAL_4X4(CLIP) \
  TRUNCATE_ALL_EQUALLY(FOUR_PIXELS, CLIP) \
  STORE_4X4

#define STAGE_SCALE_4X4(MULTIPLY) \
  SCALE_ALL_ONCE(FOUR_PIXELS, MULTIPLY) \
  STORE_4X4

// scale_right() of stage.h plus the zero point.
#define ROUND_TWICE(SUM) \
  LINE("mulhsu %[w2], %[" SUM "], %[w0]") \
  LINE("cv.addRN %[w2], %[w2], %[" SUM "], 1") \
  LINE("srai %[" SUM "], %[" SUM "], 31") \
  LINE("cv.addRNr %[" SUM "], %[w2], %[w1]") \
  LINE("add %[" SUM "], %[" SUM "], %[x]")
#define ROUND_AND_CLIP(SUM) \
  ROUND_TWICE(SUM) \
  CLIP_S8(SUM)
#define SCALE_TFLITE(PIXELS, CHANNEL) \
  LINE("cv.lw %[w0], (%[multipliers]), 4") \
  LINE("cv.lw %[w1], %[y](%[multipliers])") \
  LINE("slli %[w0], %[w0], 2") \
  PIXELS(ROUND_AND_CLIP, CHANNEL)

// Stores two channels of a pixel and brings its next two to their registers.
#define STORE_TWO(PIXEL, STEP) \
  LINE("cv.packlo.b %[" PIXEL "0], %[" PIXEL "1], %[" PIXEL "0]") \
  LINE("cv.sh %[" PIXEL "0], (%[w3]), %[" STEP "]") \
  LINE("addi %[" PIXEL "0], %[" PIXEL "2], 0") \
  LINE("addi %[" PIXEL "1], %[" PIXEL "3], 0")

// A loop over two pairs of channels: all sixteen sums one after the other would not fit the instruction cache.
#define STAGE_TFLITE_4X4 \
  LINE("lw %[y], " PANEL_PARAMETERS) \
  LINE("lw %[x], " PANEL_ZERO_POINT) \
  LINE("lw %[w3], " PANEL_OUTPUT) \
  LINE("lw %[pixel], " PANEL_OUTPUT_STEP) \
  LINE("lw %[step3], " PANEL_REWIND) \
  LINE("addi %[w2], zero, 2") \
  COREV_LOOP("%[w2]") \
  SCALE_TFLITE(FOUR_PIXELS, "0") \
  SCALE_TFLITE(FOUR_PIXELS, "1") \
  STORE_TWO("a", "pixel") \
  STORE_TWO("b", "pixel") \
  STORE_TWO("c", "pixel") \
  STORE_TWO("d", "step3") \
  COREV_LOOP_END \
  LINE("sw %[w3], " PANEL_OUTPUT) \
  LINE("lw %[step3], " PANEL_STEP_3)

// Two pixels leave registers for the output's address and step.
#define STORE_4X2 \
  PACK("a") \
  PACK("b") \
  LINE("cv.sw %[b0], %[output_step](%[output])") \
  LINE("cv.sw %[a0], (%[output]), 4")

#define STAGE_TRUNCATE_4X2(CLIP) \
  TRUNCATE_ALL(TWO_PIXELS, CLIP) \
  STORE_4X2

#define STAGE_EQUAL_4X2(CLIP) \
  TRUNCATE_ALL_EQUALLY(TWO_PIXELS, CLIP) \
  STORE_4X2

#define STAGE_SCALE_4X2(MULTIPLY) \
  SCALE_ALL_ONCE(TWO_PIXELS, MULTIPLY) \
  STORE_4X2

#define STAGE_TFLITE_4X2 \
  LINE("lw %[y], " PANEL_PARAMETERS) \
  LINE("lw %[x], " PANEL_ZERO_POINT) \
  SCALE_TFLITE(TWO_PIXELS, "0") \
  SCALE_TFLITE(TWO_PIXELS, "1") \
  SCALE_TFLITE(TWO_PIXELS, "2") \
  SCALE_TFLITE(TWO_PIXELS, "3") \
  STORE_4X2

#define PANEL_4X4(BEGIN, DOT, STAGE) \
  COREV_BODY_AT_LINE \
  COREV_OUTER_LOOP("%[x]") \
  LINE("lw %[pixel], " PANEL_PIXELS) \
  BEGIN(FOUR_BY_FOUR, COPY_TO_FOUR, DOT) \
  COREV_LOOP("%[x]") \
  FOUR_BY_FOUR("cv.sdot" DOT, "") \
  COREV_LOOP_END \
  STAGE \
  COREV_OUTER_LOOP_END

// The last of four rows ends where the first of the next four begins.
#define PANEL_4X2(BEGIN, DOT, STAGE) \
  COREV_BODY_AT_LINE \
  COREV_OUTER_LOOP("%[x]") \
  LINE("lw %[pixel], " PANEL_PIXELS) \
  BEGIN(FOUR_BY_TWO, COPY_TO_TWO, DOT) \
  COREV_LOOP("%[x]") \
  FOUR_BY_TWO("cv.sdot" DOT, "") \
  COREV_LOOP_END \
  LINE("add %[weights], %[weights], %[three_rows]") \
  STAGE \
  COREV_OUTER_LOOP_END

// clang-format on

#endif  // TINSMITH_KERNELS_PULP_NN_PANEL_ASM_H_
