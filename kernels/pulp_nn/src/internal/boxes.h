// Copies of rows of a few bytes from and to any address. What does not fill words is reached by a word that ends with
// the row and overlaps the one before, so no byte outside a row is read or written.
#ifndef TINSMITH_KERNELS_PULP_NN_BOXES_H_
#define TINSMITH_KERNELS_PULP_NN_BOXES_H_

#include "corev.h"

// Boxes of rows: `rows` of `bytes` bytes, so many bytes from row to row; neither is 0. The same from box to box.
typedef struct {
  uint32_t rows, bytes;
  uint32_t to_step, from_step;
  uint32_t to_next, from_next;
} box_t;

#if TINSMITH_COREV

// clang-format off

// Up to 3 bytes: the first, the one in the middle, the last.
#define COPY_BYTES_OF_ROW \
  LINE("cv.lbu %[b], %[middle](%[from])") \
  LINE("cv.lbu %[c], %[last](%[from])") \
  LINE("cv.lbu %[a], (%[from]), %[from_step]") \
  LINE("cv.sb %[b], %[middle](%[to])") \
  LINE("cv.sb %[c], %[last](%[to])") \
  LINE("cv.sb %[a], (%[to]), %[to_step]")

// 4 to 8 bytes.
#define COPY_TWO_WORDS \
  LINE("cv.lw %[c], %[last](%[from])") \
  LINE("cv.lw %[a], (%[from]), %[from_step]") \
  LINE("cv.sw %[c], %[last](%[to])") \
  LINE("cv.sw %[a], (%[to]), %[to_step]")

// 8 to 12 bytes.
#define COPY_THREE_WORDS \
  LINE("lw %[b], 4(%[from])") \
  LINE("cv.lw %[c], %[last](%[from])") \
  LINE("cv.lw %[a], (%[from]), %[from_step]") \
  LINE("sw %[b], 4(%[to])") \
  LINE("cv.sw %[c], %[last](%[to])") \
  LINE("cv.sw %[a], (%[to]), %[to_step]")

// 9 bytes and more: pairs of words, then a pair that ends with the row.
#define COPY_PAIRS_OF_WORDS \
  LINE("cv.lw %[a], (%[from]), 4") \
  LINE("cv.lw %[b], (%[from]), 4") \
  LINE("cv.sw %[a], (%[to]), 4") \
  LINE("cv.sw %[b], (%[to]), 4")
#define COPY_LAST_PAIR \
  LINE("cv.lw %[a], %[middle](%[from])") \
  LINE("cv.lw %[b], %[last](%[from])") \
  LINE("cv.sw %[a], %[middle](%[to])") \
  LINE("cv.sw %[b], %[last](%[to])")

// clang-format on

// `outer` times `inner` times INNER, each time with REST behind it.
#define COPY_NESTED(INNER, REST)                                                                               \
  __asm__ volatile(COREV_OUTER_LOOP("%[outer]") COREV_LOOP("%[inner]") INNER COREV_LOOP_END REST               \
                   "add %[from], %[from], %[from_next]\n\t"                                                    \
                   "add %[to], %[to], %[to_next]" COREV_OUTER_LOOP_END                                         \
                   : [from] "+&r"(from), [to] "+&r"(to), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c)              \
                   : [outer] "r"(outer), [inner] "r"(inner), [middle] "r"(middle), [last] "r"(last),           \
                     [from_step] "r"(box->from_step), [to_step] "r"(box->to_step), [from_next] "r"(from_next), \
                     [to_next] "r"(to_next)                                                                    \
                   : "memory")

static inline void copy_long_rows(uint8_t *to, const uint8_t *from, const box_t *box) {
  const uint32_t outer = box->rows;
  const uint32_t inner = (box->bytes - 1u) >> 3;
  const uint32_t moved = 8u * inner;
  const uint32_t middle = box->bytes - 8u - moved;
  const uint32_t last = middle + 4u;
  const uint32_t from_next = box->from_step - moved;
  const uint32_t to_next = box->to_step - moved;
  uint32_t a, b, c;
  COPY_NESTED(COPY_PAIRS_OF_WORDS, COPY_LAST_PAIR);
}

// Fills one word or more.
static inline void fill_words(uint8_t *to, uint32_t word, uint32_t words) {
  uint8_t *last = to + 4u * words - 4u;
  const uint32_t pairs = words >> 1;
  if (pairs != 0u) {
    __asm__ volatile(COREV_LOOP("%[pairs]")  //
                     "cv.sw %[word], (%[to]), 4\n\t"
                     "cv.sw %[word], (%[to]), 4\n\t"
                     "nop"  //
                     COREV_LOOP_END
                     : [to] "+&r"(to)
                     : [pairs] "r"(pairs), [word] "r"(word)
                     : "memory");
  }
  store_word(last, word);
}

// `count` boxes.
static inline void copy_boxes(uint8_t *to, const uint8_t *from, const box_t *box, uint32_t count) {
  if (box->bytes > 12u) {
    for (; count != 0u; --count) {
      copy_long_rows(to, from, box);
      to += box->to_next;
      from += box->from_next;
    }
    return;
  }
  const uint32_t outer = count;
  const uint32_t inner = box->rows;
  const uint32_t from_next = box->from_next - inner * box->from_step;
  const uint32_t to_next = box->to_next - inner * box->to_step;
  const uint32_t middle = box->bytes >> 1;
  uint32_t last = box->bytes - 4u;
  uint32_t a, b, c;
  if (box->bytes > 8u) {
    COPY_NESTED(COPY_THREE_WORDS, "");
  } else if (box->bytes >= 4u) {
    COPY_NESTED(COPY_TWO_WORDS, "");
  } else {
    last += 3u;
    COPY_NESTED(COPY_BYTES_OF_ROW, "");
  }
}

#else

static inline void fill_words(uint8_t *to, uint32_t word, uint32_t words) {
  for (uint32_t i = 0u; i < words; ++i) {
    store_word(to + 4u * i, word);
  }
}

static inline void copy_boxes(uint8_t *to, const uint8_t *from, const box_t *box, uint32_t count) {
  for (uint32_t i = 0u; i < count; ++i) {
    for (uint32_t row = 0u; row < box->rows; ++row) {
      memcpy(to + row * box->to_step, from + row * box->from_step, box->bytes);
    }
    to += box->to_next;
    from += box->from_next;
  }
}

#endif

#endif  // TINSMITH_KERNELS_PULP_NN_BOXES_H_
