// Words of four elements of a row, the first one in the most significant byte.
#ifndef TINSMITH_KERNELS_DIANA_WORDS_H_
#define TINSMITH_KERNELS_DIANA_WORDS_H_

#include <stdint.h>

#if defined(__riscv_xcvsimd) && defined(__riscv_xcvmem)
#define TINSMITH_DIANA_COREV 1
#else
#define TINSMITH_DIANA_COREV 0
#endif

#define WORD_ELEMENTS 4u
#define BYTE_BITS 8u

// Element i lies at byte i XOR 3.
#define WORD_ORDER 3u

// Channels of a word in all four banks.
#define BANKED_CHANNELS 64u

static inline uint32_t row_bytes(uint32_t width) {
  return (width + 15u) & ~15u;
}

static inline uint32_t pixel_bytes(uint32_t channels) {
  return channels > BANKED_CHANNELS ? (channels + BANKED_CHANNELS - 1u) / BANKED_CHANNELS * BANKED_CHANNELS
                                    : row_bytes(channels);
}

// How far the first of `count` elements, 0 to 3, is from the word's upper end when they stand at its lower one.
static inline uint32_t free_bits(uint32_t count) {
  return BYTE_BITS * (WORD_ELEMENTS - count);
}

#if TINSMITH_DIANA_COREV

static inline uint32_t load_row_word(const uint8_t *from) {
  return *(const uint32_t *)(const void *)from;
}

static inline void store_row_word(uint8_t *to, uint32_t word) {
  *(uint32_t *)(void *)to = word;
}

// Four bytes side by side, anywhere, in the order of memory: the core loads and stores misaligned words, which costs a
// cycle.
static inline uint32_t load_four(const uint8_t *from) {
  uint32_t word;
  __asm__("lw %0, %1" : "=r"(word) : "m"(*(const uint8_t (*)[4])from));
  return word;
}

static inline void store_four(uint8_t *to, uint32_t word) {
  __asm__("sw %1, %0" : "=m"(*(uint8_t (*)[4])to) : "r"(word));
}

// From the order of memory to that of a row, and back.
static inline uint32_t swapped(uint32_t word) {
  __asm__("cv.shuffle.b %0, %0, %1" : "+r"(word) : "r"(0x00010203u));
  return word;
}

// Four bytes `step` apart; moves `from` behind them.
static inline uint32_t gather_four(const uint8_t **from, uint32_t step) {
  uint32_t word, a, b, c;
  __asm__ volatile(
      "cv.lbu %[a], (%[p]), %[step]\n\t"
      "cv.lbu %[b], (%[p]), %[step]\n\t"
      "cv.lbu %[c], (%[p]), %[step]\n\t"
      "cv.lbu %[w], (%[p]), %[step]\n\t"
      "cv.packhi.b %[a], %[a], %[b]\n\t"
      "cv.packlo.b %[a], %[c], %[w]"
      : [p] "+&r"(*from), [w] "=&r"(word), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c)
      : [step] "r"(step)
      : "memory");
  return a;
}

static inline void scatter_four(uint8_t **to, uint32_t step, uint32_t word) {
  uint32_t a, b, c;
  __asm__ volatile(
      "srli %[a], %[w], 24\n\t"
      "srli %[b], %[w], 16\n\t"
      "srli %[c], %[w], 8\n\t"
      "cv.sb %[a], (%[p]), %[step]\n\t"
      "cv.sb %[b], (%[p]), %[step]\n\t"
      "cv.sb %[c], (%[p]), %[step]\n\t"
      "cv.sb %[w], (%[p]), %[step]"
      : [p] "+&r"(*to), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c)
      : [step] "r"(step), [w] "r"(word)
      : "memory");
}

// The bytes of word, each as int8 in [least, most].
static inline uint32_t clip_four(uint32_t word, int32_t least, int32_t most) {
  __asm__(
      "cv.max.sc.b %0, %0, %1\n\t"
      "cv.min.sc.b %0, %0, %2"
      : "+&r"(word)
      : "r"(least), "r"(most));
  return word;
}

// sum + the bytes of word, each as int8 times the byte of ones.
static inline int32_t add_four(int32_t sum, uint32_t word, uint32_t ones) {
  __asm__("cv.sdotsp.b %0, %1, %2" : "+r"(sum) : "r"(word), "r"(ones));
  return sum;
}

#else

static inline uint32_t load_row_word(const uint8_t *from) {
  return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static inline void store_row_word(uint8_t *to, uint32_t word) {
  for (uint32_t i = 0u; i < WORD_ELEMENTS; ++i) {
    to[i] = (uint8_t)(word >> (BYTE_BITS * i));
  }
}

static inline uint32_t gather_four(const uint8_t **from, uint32_t step) {
  uint32_t word = 0u;
  for (uint32_t i = 0u; i < WORD_ELEMENTS; ++i) {
    word = word << BYTE_BITS | (*from)[i * step];
  }
  *from += WORD_ELEMENTS * step;
  return word;
}

static inline void scatter_four(uint8_t **to, uint32_t step, uint32_t word) {
  for (uint32_t i = 0u; i < WORD_ELEMENTS; ++i) {
    (*to)[i * step] = (uint8_t)(word >> free_bits(i + 1u));
  }
  *to += WORD_ELEMENTS * step;
}

static inline uint32_t load_four(const uint8_t *from) {
  return load_row_word(from);
}

static inline void store_four(uint8_t *to, uint32_t word) {
  store_row_word(to, word);
}

static inline uint32_t swapped(uint32_t word) {
  return word >> 24 | (word >> 8 & 0xff00u) | (word << 8 & 0xff0000u) | word << 24;
}

static inline uint32_t clip_four(uint32_t word, int32_t least, int32_t most) {
  uint32_t clipped = 0u;
  for (uint32_t i = 0u; i < WORD_ELEMENTS; ++i) {
    const int32_t value = (int8_t)(word >> (BYTE_BITS * i));
    const int32_t inside = value < least ? least : value > most ? most : value;
    clipped |= ((uint32_t)inside & 0xffu) << (BYTE_BITS * i);
  }
  return clipped;
}

static inline int32_t add_four(int32_t sum, uint32_t word, uint32_t ones) {
  for (uint32_t i = 0u; i < WORD_ELEMENTS; ++i) {
    sum += (int8_t)(word >> (BYTE_BITS * i)) * (int32_t)(ones >> (BYTE_BITS * i) & 1u);
  }
  return sum;
}

#endif

#endif  // TINSMITH_KERNELS_DIANA_WORDS_H_
