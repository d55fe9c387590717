#ifndef THRESHOLDS_H_
#define THRESHOLDS_H_

#include <stdint.h>

/** output[i] = input[i] if that is at least `least`, else `zero`, for i < count. */
void thresholds_relu_s8(int32_t count, int32_t least, int32_t zero, const int8_t *input, int8_t *output);

#endif  // THRESHOLDS_H_
