// Quotients of sums by counts, as pools round them.
#ifndef TINSMITH_REFERENCE_AVERAGES_H_
#define TINSMITH_REFERENCE_AVERAGES_H_

#include <stdint.h>

static inline int32_t rounded_quotient(int32_t sum, int32_t count) {
  return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
}

// Ties up, also below zero: the quotient is rounded down.
static inline int32_t quotient_up(int32_t sum, int32_t count) {
  const int32_t raised = sum + count / 2;
  return raised / count - (raised % count < 0 ? 1 : 0);
}

// Ties to where the quotient less the zero point is even. Of a tie, rounded up, nothing is left over.
static inline int32_t quotient_to_even(int32_t sum, int32_t count, int32_t zero_point) {
  const int32_t mean = quotient_up(sum, count);
  const int32_t is_tie = count % 2 == 0 && (sum + count / 2) % count == 0;
  const int32_t is_odd = (mean - zero_point) % 2 != 0;
  return is_tie && is_odd ? mean - 1 : mean;
}

#endif  // TINSMITH_REFERENCE_AVERAGES_H_
