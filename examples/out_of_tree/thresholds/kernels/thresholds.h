#ifndef THRESHOLDS_H_
#define THRESHOLDS_H_

#include <stdint.h>

/** output[i] = input[i] if that is at least `least`, else `zero`, for i < count. */
void thresholds_relu_s8(int32_t count, int32_t least, int32_t zero, const int8_t *input, int8_t *output);

/** A max pool and the threshold behind it: how the windows of `channels` values per pixel lie in the input. */
typedef struct {
  int32_t images;
  int32_t input[2]; /**< Rows, columns. */
  int32_t output[2];
  int32_t channels;
  int32_t window[2];
  int32_t stride[2];
  int32_t padding[2]; /**< Above, left; padding takes part in no maximum. */
} thresholds_pool;

/** The largest of each window, which holds a pixel at least, if that is at least `least`, else `zero`. */
void thresholds_max_pool_relu_s8(const thresholds_pool *pool, int32_t least, int32_t zero, const int8_t *input,
                                 int8_t *output);

#endif  // THRESHOLDS_H_
