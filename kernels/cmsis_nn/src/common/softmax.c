/* Softmax of int8: exponentials are 32 bits wide, values few. */

#include "src/internal/softmax.h"

#include "include/arm_nnfunctions.h"

#if TINSMITH_NN_MVE

static void softmax_row(const int8_t *input, int32_t size, int32_t mult, int32_t shift, int32_t diff_min,
                        int8_t *output) {
  const mve_softmax_differences d = {mve_softmax_max(input, size), mult, shift, diff_min};
  const tinsmith_softmax_row row =
      tinsmith_softmax_row_from(d.max, mve_softmax_sum(&d, input, size, kAccumulationIntegerBits));
  for (int32_t left = size; left > 0; left -= kWordLanes) {
    vstrbq_p_s32(output, mve_softmax_shares(&row, &d, input, left, 8), vctp32q((uint32_t)left));
    input += kWordLanes;
    output += kWordLanes;
  }
}

#else

static void softmax_row(const int8_t *input, int32_t size, int32_t mult, int32_t shift, int32_t diff_min,
                        int8_t *output) {
  const tinsmith_softmax_row row = tinsmith_softmax_row_of(input, size, mult, shift, diff_min);
  for (int32_t i = 0; i < size; ++i) {
    const int32_t difference = input[i] - row.max;
    int32_t value = INT8_MIN;
    if (difference >= diff_min) {
      value = tinsmith_softmax_share(&row, difference, mult, shift, 8) + INT8_MIN;
    }
    output[i] = tinsmith_saturate_s8(value);
  }
}

#endif /* !TINSMITH_NN_MVE */

void arm_softmax_s8(const int8_t *input, const int32_t num_rows, const int32_t row_size, const int32_t mult,
                    const int32_t shift, const int32_t diff_min, int8_t *output) {
  for (int32_t row = 0; row < num_rows; ++row) {
    softmax_row(input, row_size, mult, shift, diff_min, output);
    input += row_size;
    output += row_size;
  }
}
