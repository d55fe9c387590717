/* Lanes of 16 bits with the weights of two channels, of two bits each: how sums of both are taken apart. What they are
 * is said in two_bit_sums.h. */
#ifndef TINSMITH_NN_DSP_TWO_BIT_LANES_H
#define TINSMITH_NN_DSP_TWO_BIT_LANES_H

#include <stdint.h>

/** Of a word the two lowest and the two uppermost bits of each lane. */
#define TINSMITH_TWO_BIT_LANES UINT32_C(0xc003c003)

/** After so many words, of 4 values of k each, the sum of the bottom channel has to be kept apart. */
static inline int32_t tinsmith_two_bit_run(int32_t added) {
  return added == 1 ? 8 : 5;
}

/** What the bottom channel's sum grew by since `bottom`: a number of 14 bits with a sign. */
static inline int32_t tinsmith_two_bit_growth(int32_t both, int32_t bottom) {
  return (int32_t)(((uint32_t)both - (uint32_t)bottom) << 18) >> 18;
}

/** The top channel's sum. */
static inline int32_t tinsmith_two_bit_top(int32_t both, int32_t bottom) {
  return (int32_t)((uint32_t)both - (uint32_t)bottom) >> 14;
}

#endif /* TINSMITH_NN_DSP_TWO_BIT_LANES_H */
