// Means of planes where they lie.
#include "tinsmith_diana_planes.h"
#include "words.h"

#define ONES 0x01010101u

static int32_t sum_of_row(const uint8_t *row, uint32_t width, int32_t sum) {
  const uint8_t *const end = row + (width & ~(WORD_ELEMENTS - 1u));
  for (; end - row >= 16; row += 16) {
    const uint32_t a = load_row_word(row), b = load_row_word(row + 4);
    const uint32_t c = load_row_word(row + 8), d = load_row_word(row + 12);
    sum = add_four(add_four(add_four(add_four(sum, a, ONES), b, ONES), c, ONES), d, ONES);
  }
  for (; row != end; row += 4) {
    sum = add_four(sum, load_row_word(row), ONES);
  }
  const uint32_t left = width % WORD_ELEMENTS;
  return left == 0u ? sum : add_four(sum, load_row_word(row), ONES << free_bits(left));
}

static int32_t rounded_mean(int32_t sum, int32_t count) {
  const int32_t half = count / 2;
  return (sum < 0 ? sum - half : sum + half) / count;
}

static int32_t clamped(int32_t value, int32_t min, int32_t max) {
  return value < min ? min : value > max ? max : value;
}

void tinsmith_diana_average(const int8_t *rows, uint32_t height, uint32_t width, uint32_t channels, int32_t min,
                            int32_t max, int8_t *output) {
  const uint8_t *row = (const uint8_t *)rows;
  const int32_t count = (int32_t)(height * width);
  for (uint32_t c = 0u; c < channels; ++c) {
    int32_t sum = 0;
    for (uint32_t y = 0u; y < height; ++y) {
      sum = sum_of_row(row, width, sum);
      row += row_bytes(width);
    }
    output[c] = (int8_t)clamped(rounded_mean(sum, count), min, max);
  }
}
