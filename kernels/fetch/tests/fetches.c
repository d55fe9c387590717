// What test_fetch.py looks at: when copies are there, by the name of the case that the command line gives. Exits with 0
// if they are there when they must be, and not before an engine that ends them late would.

#include <stdlib.h>
#include <string.h>

#include "tinsmith/fetch.h"

#define WORDS 64u

static const uint32_t from[WORDS] = {7u, 8u, 9u};
static uint32_t to[WORDS];

static int is_there(uint32_t first, uint32_t words) {
  return memcmp(to + first, from + first, words * sizeof *to) == 0;
}

static int in_order(int is_late) {
  const uint32_t one = tinsmith_fetch_start(to, from, 4u);
  const uint32_t two = tinsmith_fetch_start(to + 1, from + 1, 3u);
  const uint32_t three = tinsmith_fetch_start(to + 2, from + 2, 4u);
  const int before = is_there(0u, 1u);
  tinsmith_fetch_wait(two);
  const int between = is_there(0u, 2u) && is_there(2u, 1u) != is_late;
  tinsmith_fetch_wait(one);
  tinsmith_fetch_wait(three);
  tinsmith_fetch_wait(two);
  return before != is_late && between && is_there(0u, 3u);
}

// One copy writes what the one before it wrote: the later one counts.
static int over_another(void) {
  static const uint32_t zeros[WORDS];
  tinsmith_fetch_start(to, zeros, sizeof zeros);
  tinsmith_fetch_wait(tinsmith_fetch_start(to, from, sizeof from));
  return is_there(0u, WORDS);
}

static int many(void) {
  uint32_t last = 0u;
  for (uint32_t turn = 0u; turn < 100u; ++turn) {
    for (uint32_t i = 0u; i < WORDS; ++i) {
      last = tinsmith_fetch_start(to + i, from + i, 4u);
    }
  }
  tinsmith_fetch_wait(last);
  return is_there(0u, WORDS);
}

static int badly(const char *name) {
  if (strcmp(name, "misaligned") == 0) {
    tinsmith_fetch_start((uint8_t *)to + 2, from, 4u);
  } else if (strcmp(name, "empty") == 0) {
    tinsmith_fetch_start(to, from, 0u);
  } else if (strcmp(name, "unknown") == 0) {
    tinsmith_fetch_wait(tinsmith_fetch_start(to, from, 4u) + 1u);
  }
  return 0;
}

int main(int count, char **arguments) {
  const char *const name = count > 1 ? arguments[1] : "";
  int is_right = 0;
  if (strcmp(name, "late") == 0 || strcmp(name, "early") == 0) {
    is_right = in_order(strcmp(name, "late") == 0) && over_another() && many();
  } else {
    is_right = badly(name);
  }
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
