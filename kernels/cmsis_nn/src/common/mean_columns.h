/* Means of columns for plain C and the DSP extension, by a loop over a few columns at a time:
 *
 *   static void function(const element *input, int32_t rows, int32_t pitch, uint32_t sums[kColumns])
 *
 * sums `columns` neighbouring columns of rows that are `pitch` elements apart.
 */
#ifndef TINSMITH_NN_COMMON_MEAN_COLUMNS_H
#define TINSMITH_NN_COMMON_MEAN_COLUMNS_H

#include "include/tinsmith_nn_rescaling.h"
#include "src/internal/compiler.h"
#include "src/internal/requantize.h"

/** Clamped before the zero point is added, so that nothing overflows. */
TINSMITH_NOINLINE static int32_t mean_of_sum(const tinsmith_columns_params *params, uint32_t sum) {
  const int32_t centred = (int32_t)(sum + (uint32_t)params->offset);
  const int32_t scaled = tinsmith_requantize(centred, params->multiplier, params->shift);
  const int32_t offset = params->output_offset;
  return tinsmith_clamp(scaled, params->activation.min - offset, params->activation.max - offset) + offset;
}

/* At the end of a row, columns that are missing to a block are done together with ones in front of them, whose results
 * are there already. Fewer columns than a block go one by one; a single one is taken as several first. */
#define TINSMITH_DEFINE_MEAN_COLUMNS(function, element, block_sums, columns)                                    \
  static void function##_blocks(const tinsmith_columns_params *params, const element *input, element *output) { \
    const int32_t inner = params->inner;                                                                        \
    TINSMITH_NO_UNROLL                                                                                          \
    for (int32_t column = 0; column < inner; column += (columns)) {                                             \
      const int32_t first = column + (columns) > inner ? inner - (columns) : column;                            \
      uint32_t sums[columns];                                                                                   \
      block_sums(input + first, params->count, inner, sums);                                                    \
      TINSMITH_NO_UNROLL                                                                                        \
      for (int32_t i = column - first; i < (columns); ++i) {                                                    \
        output[first + i] = (element)mean_of_sum(params, sums[i]);                                              \
      }                                                                                                         \
    }                                                                                                           \
  }                                                                                                             \
                                                                                                                \
  static void function##_one(const tinsmith_columns_params *params, const element *input, element *output) {    \
    const int32_t inner = params->inner;                                                                        \
    int32_t left = params->count;                                                                               \
    uint32_t sum = 0;                                                                                           \
    if (inner == 1) {                                                                                           \
      uint32_t sums[columns];                                                                                   \
      block_sums(input, left / (columns), columns, sums);                                                       \
      TINSMITH_NO_UNROLL                                                                                        \
      for (int32_t i = 0; i < (columns); ++i) {                                                                 \
        sum += sums[i];                                                                                         \
      }                                                                                                         \
      input += left / (columns) * (columns);                                                                    \
      left %= (columns);                                                                                        \
    }                                                                                                           \
    TINSMITH_NO_UNROLL                                                                                          \
    for (; left > 0; --left) {                                                                                  \
      sum += (uint32_t)*input;                                                                                  \
      input += inner;                                                                                           \
    }                                                                                                           \
    *output = (element)mean_of_sum(params, sum);                                                                \
  }                                                                                                             \
                                                                                                                \
  void function(const tinsmith_columns_params *params, const element *input, element *output) {                 \
    const int32_t inner = params->inner;                                                                        \
    TINSMITH_NO_UNROLL                                                                                          \
    for (int32_t i = 0; i < params->outer; ++i) {                                                               \
      if (inner >= (columns)) {                                                                                 \
        function##_blocks(params, input, output);                                                               \
      } else {                                                                                                  \
        TINSMITH_NO_UNROLL                                                                                      \
        for (int32_t column = 0; column < inner; ++column) {                                                    \
          function##_one(params, input + column, output + column);                                              \
        }                                                                                                       \
      }                                                                                                         \
      input += params->count * inner;                                                                           \
      output += inner;                                                                                          \
    }                                                                                                           \
  }

#endif /* TINSMITH_NN_COMMON_MEAN_COLUMNS_H */
