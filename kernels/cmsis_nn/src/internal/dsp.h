/* The DSP-extension instructions the kernels use, one inline function each, for GCC and clang alike.
 *
 * A word holds two int16 lanes: bottom (bits 0-15) and top (bits 16-31). The names are those of the instructions.
 */
#ifndef TINSMITH_NN_INTERNAL_DSP_H
#define TINSMITH_NN_INTERNAL_DSP_H

#include <arm_acle.h>
#include <stdint.h>
#include <string.h>

/** A word in memory whose bytes or halves are written and read as such elsewhere: it aliases anything. */
typedef uint32_t tinsmith_lanes __attribute__((may_alias));

/** Four bytes from any address (the cores that have the DSP extension load unaligned words). */
static inline uint32_t tinsmith_load_word(const void *address) {
  uint32_t word;
  memcpy(&word, address, sizeof word);
  return word;
}

/** One to three bytes from any address, zeros above. */
static inline uint32_t tinsmith_load_bytes(const int8_t *address, int32_t count) {
  uint32_t word = (uint8_t)address[0];
  word |= count > 1 ? (uint32_t)(uint8_t)address[1] << 8 : 0;
  word |= count > 2 ? (uint32_t)(uint8_t)address[2] << 16 : 0;
  return word;
}

static inline void tinsmith_store_word(void *address, uint32_t word) {
  memcpy(address, &word, sizeof word);
}

/** Lanes: bytes 0 and 2, sign-extended. */
static inline uint32_t tinsmith_sxtb16(uint32_t word) {
  uint32_t lanes;
  __asm__("sxtb16 %0, %1" : "=r"(lanes) : "r"(word));
  return lanes;
}

/** Lanes: bytes 1 and 3, sign-extended. */
static inline uint32_t tinsmith_sxtb16_ror8(uint32_t word) {
  uint32_t lanes;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(lanes) : "r"(word));
  return lanes;
}

/** Lanes a + bytes 0 and 2, sign-extended. */
static inline uint32_t tinsmith_sxtab16(uint32_t a, uint32_t word) {
  uint32_t lanes;
  __asm__("sxtab16 %0, %1, %2" : "=r"(lanes) : "r"(a), "r"(word));
  return lanes;
}

/** Lanes a + bytes 1 and 3, sign-extended. */
static inline uint32_t tinsmith_sxtab16_ror8(uint32_t a, uint32_t word) {
  uint32_t lanes;
  __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(lanes) : "r"(a), "r"(word));
  return lanes;
}

/** bottom = bottom of a, top = bottom of b. */
static inline uint32_t tinsmith_pack_bottoms(uint32_t a, uint32_t b) {
  uint32_t lanes;
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(lanes) : "r"(a), "r"(b));
  return lanes;
}

/** Lanes a + b. */
static inline uint32_t tinsmith_add_lanes(uint32_t a, uint32_t b) {
  return (uint32_t)__sadd16((int16x2_t)a, (int16x2_t)b);
}

/** Of each two signed bytes the greater one: ssub8 notes which differences are not negative, sel chooses by the notes.
 */
static inline uint32_t tinsmith_greater_bytes(uint32_t a, uint32_t b) {
  uint32_t greater;
  __asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(greater) : "r"(a), "r"(b));
  return greater;
}

/** acc + bottom(a) * bottom(b) + top(a) * top(b) */
static inline int32_t tinsmith_smlad(uint32_t a, uint32_t b, int32_t acc) {
  return __smlad((int16x2_t)a, (int16x2_t)b, acc);
}

/** acc + bottom(a) * bottom(b) */
static inline int32_t tinsmith_smlabb(uint32_t a, uint32_t b, int32_t acc) {
  return __smlabb((int32_t)a, (int32_t)b, acc);
}

/** acc + bottom(a) * top(b) */
static inline int32_t tinsmith_smlabt(uint32_t a, uint32_t b, int32_t acc) {
  return __smlabt((int32_t)a, (int32_t)b, acc);
}

/** acc + top(a) * top(b) */
static inline int32_t tinsmith_smlatt(uint32_t a, uint32_t b, int32_t acc) {
  return __smlatt((int32_t)a, (int32_t)b, acc);
}

#endif /* TINSMITH_NN_INTERNAL_DSP_H */
