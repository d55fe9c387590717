// Means of planes, and of pixels, where they lie.
#include "sums.h"
#include "tinsmith_diana_pixels.h"
#include "tinsmith_diana_planes.h"

// The first means of a word, up to four.
static void store_means(uint8_t *to, uint32_t count, uint32_t word) {
  if (count >= WORD_ELEMENTS) {
    store_four(to, word);
    return;
  }
  for (uint32_t i = 0u; i < count; ++i) {
    to[i] = (uint8_t)(word >> (BYTE_BITS * i));
  }
}

// What takes those bytes of a row's last word into a sum that are in the row.
static uint32_t ones_of_last(uint32_t width) {
  const uint32_t left = width % WORD_ELEMENTS;
  return left == 0u ? ONES : ONES << free_bits(left);
}

// Of rows of more than two words: along rows where these have more words than there are rows, else from row to row.
static int32_t sum_of_wide_plane(const uint8_t *plane, uint32_t height, uint32_t width) {
  const uint32_t step = row_bytes(width), last = ones_of_last(width);
  uint32_t words = (width + WORD_ELEMENTS - 1u) / WORD_ELEMENTS;
  int32_t sum = 0;
  if (words > height) {
    for (; height != 0u; --height, plane += step) {
      sum = sum_of_words(plane, words - 1u, WORD_ELEMENTS, ONES, sum);
      sum = sum_of_words(plane + (words - 1u) * WORD_ELEMENTS, 1u, step, last, sum);
    }
    return sum;
  }
  for (; words > 2u; words -= 2u, plane += 2u * WORD_ELEMENTS) {
    sum = sum_of_pairs(plane, height, step, ONES, sum);
  }
  return words == 2u ? sum_of_pairs(plane, height, step, last, sum) : sum_of_words(plane, height, step, last, sum);
}

// Loops of their own: the wide one has no registers left for the sums of small images, which are the most frequent.
void tinsmith_diana_average(const int8_t *rows, uint32_t height, uint32_t width, uint32_t channels, int32_t min,
                            int32_t max, int8_t *output) {
  const divisor_t by = divisor_of(height * width);
  const uint32_t step = row_bytes(width), last = ones_of_last(width);
  const uint8_t *plane = (const uint8_t *)rows;
  int8_t *const end = output + channels;
  if (width > 2u * WORD_ELEMENTS) {
    for (; output != end; ++output, plane += height * step) {
      *output = (int8_t)mean_of(sum_of_wide_plane(plane, height, width), &by, min, max);
    }
  } else if (width > WORD_ELEMENTS) {
    for (; output != end; ++output, plane += height * step) {
      *output = (int8_t)mean_of(sum_of_pairs(plane, height, step, last, 0), &by, min, max);
    }
  } else {
    for (; output != end; ++output, plane += height * step) {
      *output = (int8_t)mean_of(sum_of_words(plane, height, step, last, 0), &by, min, max);
    }
  }
}

void tinsmith_diana_average_pixels(const int8_t *pixels, uint32_t height, uint32_t width, uint32_t channels,
                                   int32_t min, int32_t max, int8_t *output) {
  const divisor_t by = divisor_of(height * width);
  for (uint32_t c = 0u; c < channels; c += WORD_ELEMENTS) {
    int32_t sums[WORD_ELEMENTS] = {0};
    add_pixels((const uint8_t *)pixels + c, height * width, pixel_bytes(channels), sums);
    store_means((uint8_t *)output + c, channels - c, means_of(sums, &by, min, max));
  }
}
