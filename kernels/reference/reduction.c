// Largest and smallest elements over any set of dimensions, and where along one they are.
#include "tinsmith/reduction.h"

#include <float.h>

#include "float_rules.h"
#include "reduced.h"

// `first_best` is what every element may win over.
#define DEFINE_REDUCE(kernel, element, first_best, wins)                                                     \
  void kernel(const tinsmith_mean_shape *shape, const element *input, element *output) {                     \
    int32_t kept[TINSMITH_MAX_RANK] = {0};                                                                   \
    int32_t first = 0;                                                                                       \
    do {                                                                                                     \
      int32_t reduced[TINSMITH_MAX_RANK] = {0};                                                              \
      int32_t place = first;                                                                                 \
      element best = first_best;                                                                             \
      do {                                                                                                   \
        if (input[place] wins best) {                                                                        \
          best = input[place];                                                                               \
        }                                                                                                    \
      } while (advance(reduced, &place, shape->reduced_rank, shape->reduced_shape, shape->reduced_strides)); \
      *output++ = best;                                                                                      \
    } while (advance(kept, &first, shape->kept_rank, shape->kept_shape, shape->kept_strides));               \
  }

DEFINE_REDUCE(tinsmith_reduce_max_s8, int8_t, INT8_MIN, >)
DEFINE_REDUCE(tinsmith_reduce_max_s16, int16_t, INT16_MIN, >)
DEFINE_REDUCE(tinsmith_reduce_max_s32, int32_t, INT32_MIN, >)
DEFINE_REDUCE(tinsmith_reduce_max_s64, int64_t, INT64_MIN, >)
DEFINE_REDUCE(tinsmith_reduce_max_f32, float, -FLT_MAX, >)
DEFINE_REDUCE(tinsmith_reduce_max_bool, uint8_t, 0, >)
DEFINE_REDUCE(tinsmith_reduce_min_s8, int8_t, INT8_MAX, <)
DEFINE_REDUCE(tinsmith_reduce_min_s16, int16_t, INT16_MAX, <)
DEFINE_REDUCE(tinsmith_reduce_min_s32, int32_t, INT32_MAX, <)
DEFINE_REDUCE(tinsmith_reduce_min_s64, int64_t, INT64_MAX, <)
DEFINE_REDUCE(tinsmith_reduce_min_f32, float, FLT_MAX, <)
DEFINE_REDUCE(tinsmith_reduce_min_bool, uint8_t, 1, <)

// Integers are multiplied as `number`, their unsigned twin, which wraps.
#define DEFINE_PROD(kernel, element, number)                                                                 \
  void kernel(const tinsmith_mean_shape *shape, const element *input, element *output) {                     \
    int32_t kept[TINSMITH_MAX_RANK] = {0};                                                                   \
    int32_t first = 0;                                                                                       \
    do {                                                                                                     \
      int32_t reduced[TINSMITH_MAX_RANK] = {0};                                                              \
      int32_t place = first;                                                                                 \
      number product = 1;                                                                                    \
      do {                                                                                                   \
        product *= (number)input[place];                                                                     \
      } while (advance(reduced, &place, shape->reduced_rank, shape->reduced_shape, shape->reduced_strides)); \
      *output++ = (element)product;                                                                          \
    } while (advance(kept, &first, shape->kept_rank, shape->kept_shape, shape->kept_strides));               \
  }

DEFINE_PROD(tinsmith_reduce_prod_s32, int32_t, uint32_t)
DEFINE_PROD(tinsmith_reduce_prod_s64, int64_t, uint64_t)
DEFINE_PROD(tinsmith_reduce_prod_f32, float, float)

#define DEFINE_ARG(kernel, element, wins)                                               \
  void kernel(const tinsmith_arg_shape *shape, const element *input, int32_t *output) { \
    for (int32_t block = 0; block < shape->blocks; ++block) {                           \
      for (int32_t i = 0; i < shape->inner; ++i) {                                      \
        const element *first = input + i;                                               \
        int32_t best = 0;                                                               \
        for (int32_t k = 1; k < shape->count; ++k) {                                    \
          if (first[k * shape->inner] wins first[best * shape->inner]) {                \
            best = k;                                                                   \
          }                                                                             \
        }                                                                               \
        *output++ = best;                                                               \
      }                                                                                 \
      input += shape->count * shape->inner;                                             \
    }                                                                                   \
  }

DEFINE_ARG(tinsmith_arg_max_s8, int8_t, >)
DEFINE_ARG(tinsmith_arg_max_s16, int16_t, >)
DEFINE_ARG(tinsmith_arg_max_s32, int32_t, >)
DEFINE_ARG(tinsmith_arg_max_s64, int64_t, >)
DEFINE_ARG(tinsmith_arg_max_f32, float, >)
DEFINE_ARG(tinsmith_arg_min_s8, int8_t, <)
DEFINE_ARG(tinsmith_arg_min_s16, int16_t, <)
DEFINE_ARG(tinsmith_arg_min_s32, int32_t, <)
DEFINE_ARG(tinsmith_arg_min_s64, int64_t, <)
DEFINE_ARG(tinsmith_arg_min_f32, float, <)
