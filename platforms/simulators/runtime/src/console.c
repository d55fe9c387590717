// Text to the simulator's standard output, and the bounds of free memory.
#include "tinsmith_pulp.h"

#define STANDARD_OUTPUT 0x1a10f000u
#define DECIMAL_DIGITS 10u

extern uint8_t __l1_free[];
extern uint8_t __l1_stacks[];

uint8_t *pulp_l1_start(void) {
  return __l1_free;
}

uint8_t *pulp_l1_end(void) {
  return __l1_stacks;
}

void pulp_put_char(char character) {
  *(volatile uint32_t *)STANDARD_OUTPUT = (uint8_t)character;
}

void pulp_print(const char *text) {
  for (; *text != '\0'; ++text) {
    pulp_put_char(*text);
  }
}

void pulp_print_number(int32_t number) {
  char digits[DECIMAL_DIGITS];
  uint32_t count = 0u;
  uint32_t rest = number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
  do {
    digits[count++] = (char)('0' + rest % 10u);
    rest /= 10u;
  } while (rest != 0u);
  if (number < 0) {
    pulp_put_char('-');
  }
  while (count != 0u) {
    pulp_put_char(digits[--count]);
  }
}
