/* Means of columns (tinsmith_nn_rescaling.h), for plain C and, of int16, the DSP extension. */
#ifndef TINSMITH_NN_C_MEAN_COLUMNS_BODY_H
#define TINSMITH_NN_C_MEAN_COLUMNS_BODY_H

#include "src/internal/implementation.h"

#if !TINSMITH_NN_MVE

#include "src/common/mean_columns.h"

enum { kColumns = 4 };

#define TINSMITH_DEFINE_BLOCK(name, element)                                                                       \
  TINSMITH_NOINLINE static void name(const element *input, int32_t rows, int32_t pitch, uint32_t sums[kColumns]) { \
    uint32_t a = 0, b = 0, c = 0, d = 0;                                                                           \
    TINSMITH_NO_UNROLL                                                                                             \
    for (; rows > 0; --rows) {                                                                                     \
      a += (uint32_t)input[0];                                                                                     \
      b += (uint32_t)input[1];                                                                                     \
      c += (uint32_t)input[2];                                                                                     \
      d += (uint32_t)input[3];                                                                                     \
      input += pitch;                                                                                              \
    }                                                                                                              \
    sums[0] = a;                                                                                                   \
    sums[1] = b;                                                                                                   \
    sums[2] = c;                                                                                                   \
    sums[3] = d;                                                                                                   \
  }

TINSMITH_DEFINE_BLOCK(sum_s16, int16_t)
TINSMITH_DEFINE_MEAN_COLUMNS(tinsmith_mean_columns_s16, int16_t, sum_s16, kColumns)

#if !TINSMITH_NN_DSP
TINSMITH_DEFINE_BLOCK(sum_s8, int8_t)
TINSMITH_DEFINE_MEAN_COLUMNS(tinsmith_mean_columns_s8, int8_t, sum_s8, kColumns)
#endif

#endif /* !TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_C_MEAN_COLUMNS_BODY_H */
