/* SVDF in two functions (tinsmith_nn_recurrent.h). All batches' states are moved at once, by one element, before the
 * newest elements, which that leaves out, are written; they come from blocks of rows (internal/dots.h).
 *
 * The implementation that includes this file has defined
 *   int32_t dot_s8(int32_t sum, const int8_t *x, const int8_t *w, int32_t depth)    sum + products, modulo 2^32;
 *   int32_t dot_s16(...)                                                            the same of int16;
 *   void scale(int32_t *sums, const tinsmith_svdf_params *params, int32_t before_clamp)
 *                                                            of kDotRows sums: scaled, moved, clamped.
 */
#ifndef TINSMITH_NN_COMMON_SVDF_HALVES_H
#define TINSMITH_NN_COMMON_SVDF_HALVES_H

#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/move.h"

/** The newest elements of filters [first, first + count). */
static void newest(const tinsmith_svdf_params *params, const int32_t *folded, const int8_t *input,
                   const int8_t *weights, int32_t first, int32_t count, int32_t *values) {
  for (int32_t i = 0; i < kDotRows; ++i) {
    values[i] = i < count ? folded[first + i] : 0;
  }
  tinsmith_dots_s8(values, input, 0, weights + first * params->depth, params->depth, params->depth, count);
  scale(values, params, 0);
}

static inline int32_t of_block(int32_t rows, int32_t first) {
  return rows - first < kDotRows ? rows - first : kDotRows;
}

#define TINSMITH_DEFINE_FEATURES(function, element)                                                                 \
  void function(const tinsmith_svdf_params *params, const int32_t *sums, const element *state, const int8_t *input, \
                const int8_t *weights, element *output) {                                                           \
    const int32_t steps = params->steps;                                                                            \
    const int32_t moved = params->batches * params->rows * steps - 1;                                               \
    tinsmith_move_forward(output, state + 1, moved * (int32_t)sizeof *state);                                       \
    output += steps - 1;                                                                                            \
    for (int32_t batch = 0; batch < params->batches; ++batch) {                                                     \
      for (int32_t first = 0; first < params->rows; first += kDotRows) {                                            \
        int32_t values[kDotRows];                                                                                   \
        const int32_t count = of_block(params->rows, first);                                                        \
        newest(params, sums, input, weights, first, count, values);                                                 \
        TINSMITH_NO_UNROLL                                                                                          \
        for (int32_t i = 0; i < count; ++i) {                                                                       \
          *output = (element)(values[i] + params->offset);                                                          \
          output += steps;                                                                                          \
        }                                                                                                           \
      }                                                                                                             \
      input += params->depth;                                                                                       \
    }                                                                                                               \
  }

TINSMITH_DEFINE_FEATURES(tinsmith_svdf_features_s8, int8_t)
TINSMITH_DEFINE_FEATURES(tinsmith_svdf_features_s16, int16_t)

#define TINSMITH_DEFINE_TIME(function, element, dot)                                                                   \
  void function(const tinsmith_svdf_params *params, const int32_t *bias, const element *state, const element *weights, \
                int8_t *output) {                                                                                      \
    const int32_t steps = params->steps;                                                                               \
    for (int32_t batch = 0; batch < params->batches; ++batch) {                                                        \
      const element *row = weights;                                                                                    \
      for (int32_t first = 0; first < params->rows; first += kDotRows) {                                               \
        int32_t values[kDotRows] = {0};                                                                                \
        const int32_t count = of_block(params->rows, first);                                                           \
        TINSMITH_NO_UNROLL                                                                                             \
        for (int32_t i = 0; i < count; ++i) {                                                                          \
          values[i] = dot(bias[first + i], state, row, steps);                                                         \
          state += steps;                                                                                              \
          row += steps;                                                                                                \
        }                                                                                                              \
        scale(values, params, params->offset);                                                                         \
        TINSMITH_NO_UNROLL                                                                                             \
        for (int32_t i = 0; i < count; ++i) {                                                                          \
          *output++ = (int8_t)values[i];                                                                               \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }

TINSMITH_DEFINE_TIME(tinsmith_svdf_time_s8, int8_t, dot_s8)
TINSMITH_DEFINE_TIME(tinsmith_svdf_time_s16, int16_t, dot_s16)

#endif /* TINSMITH_NN_COMMON_SVDF_HALVES_H */
