// The logistic function and tanh of int16 by straight lines between the values of a table: TFLite's fixed point.
#include <stdint.h>

#include "curves_s16.h"
#include "tinsmith/logistic.h"

void tinsmith_logistic_s16(int32_t elements, const tinsmith_curve_parameters *parameters, const int16_t *input,
                           int16_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = (int16_t)logistic_from_table(parameters, input[i]);
  }
}

void tinsmith_tanh_s16(int32_t elements, const tinsmith_curve_parameters *parameters, const int16_t *input,
                       int16_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = (int16_t)tanh_from_table(parameters, input[i]);
  }
}
