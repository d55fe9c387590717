/* Reads four scanned digits and says what they are; status 0 if all are right. */
#include <stdint.h>

#include "digits.h"
#include "semihosting.h"

enum { kDigits = 4, kPixels = DIGITS_INPUT_0_BYTES, kClasses = DIGITS_OUTPUT_0_BYTES };

// Grey values from 0 to 16, from the held-out images of scikit-learn's load_digits.
// clang-format off
static const uint8_t kImages[kDigits][kPixels] = {
    {0, 0, 2, 13, 16, 9, 0, 0,
     0, 0, 12, 12, 7, 16, 3, 0,
     0, 1, 14, 3, 0, 16, 4, 0,
     0, 0, 0, 4, 10, 16, 6, 0,
     0, 0, 0, 13, 16, 16, 9, 0,
     0, 0, 0, 5, 13, 1, 0, 0,
     0, 0, 0, 11, 9, 0, 0, 0,
     0, 0, 1, 16, 4, 0, 0, 0},
    {0, 0, 4, 14, 6, 0, 0, 0,
     0, 0, 10, 15, 2, 0, 0, 0,
     0, 0, 16, 11, 0, 0, 0, 0,
     0, 0, 13, 11, 0, 0, 0, 0,
     0, 3, 16, 12, 8, 3, 0, 0,
     0, 2, 16, 14, 8, 12, 9, 0,
     0, 0, 16, 13, 4, 12, 12, 0,
     0, 0, 6, 15, 16, 12, 1, 0},
    {0, 0, 6, 14, 16, 16, 2, 0,
     0, 5, 16, 13, 11, 16, 0, 0,
     0, 0, 7, 2, 15, 12, 0, 0,
     0, 0, 0, 7, 16, 13, 1, 0,
     0, 0, 0, 0, 6, 15, 10, 0,
     0, 0, 0, 0, 0, 15, 9, 0,
     0, 0, 3, 11, 8, 16, 6, 0,
     0, 0, 7, 16, 16, 8, 0, 0},
    {0, 0, 9, 15, 5, 0, 0, 0,
     0, 3, 15, 15, 16, 4, 0, 0,
     0, 10, 14, 0, 9, 14, 0, 0,
     0, 8, 12, 0, 0, 12, 5, 0,
     0, 8, 8, 0, 0, 10, 8, 0,
     0, 5, 14, 0, 0, 12, 8, 0,
     0, 0, 16, 7, 12, 16, 4, 0,
     0, 0, 9, 16, 15, 7, 0, 0},
};
// clang-format on
static const int kLabels[kDigits] = {7, 6, 3, 0};

static uint8_t arena[DIGITS_ARENA_BYTES] __attribute__((aligned(DIGITS_ARENA_ALIGNMENT)));

// The network's input is 255 steps from 0 to 1: see the scale and zero point in digits.h.
static int8_t quantized(uint8_t grey) {
  return (int8_t)((grey * 255 + 7) / 16 + DIGITS_INPUT_0_ZERO_POINT);
}

static int read_digit(const uint8_t image[kPixels]) {
  int8_t *input = digits_input_0(arena);
  for (int i = 0; i < kPixels; ++i) {
    input[i] = quantized(image[i]);
  }
  if (digits_run(arena) != 0) {
    return -1;
  }
  const int8_t *scores = digits_output_0(arena);
  int best = 0;
  for (int i = 1; i < kClasses; ++i) {
    best = scores[i] > scores[best] ? i : best;
  }
  return best;
}

int main(void) {
  int wrong = 0;
  for (int i = 0; i < kDigits; ++i) {
    const int digit = read_digit(kImages[i]);
    const char text[] = {'r', 'e', 'a', 'd', ' ', digit < 0 ? '?' : (char)('0' + digit), '\n', '\0'};
    semihosting_print(text);
    wrong += digit != kLabels[i];
  }
  return wrong;
}
