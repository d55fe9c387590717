// Functions of one byte, by table.
#include "internal/corev.h"
#include "tinsmith_pulp_nn.h"

typedef tinsmith_pulp_lookup_t layer_t;

#if TINSMITH_COREV

// Twelve instructions for four bytes, `words` times, 1 or more.
static void look_up_words(const uint8_t *from, uint8_t *to, const int8_t *table, uint32_t words) {
  uint32_t x, a, b, c, d;
  __asm__ volatile(
      COREV_LOOP("%[n]")  //
      "cv.lw %[x], (%[from]), 4\n\t"
      "cv.extractu.b %[a], %[x], 0\n\t"
      "cv.extractu.b %[b], %[x], 1\n\t"
      "cv.extractu.b %[c], %[x], 2\n\t"
      "cv.extractu.b %[d], %[x], 3\n\t"
      "cv.lbu %[a], %[a](%[table])\n\t"
      "cv.lbu %[b], %[b](%[table])\n\t"
      "cv.lbu %[c], %[c](%[table])\n\t"
      "cv.lbu %[d], %[d](%[table])\n\t"
      "cv.packlo.b %[a], %[b], %[a]\n\t"
      "cv.packhi.b %[a], %[d], %[c]\n\t"
      "cv.sw %[a], (%[to]), 4"  //
      COREV_LOOP_END
      : [from] "+&r"(from), [to] "+&r"(to), [x] "=&r"(x), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
      : [n] "r"(words), [table] "r"(table)
      : "memory");
}

#endif

// Cores walk in step: shares are an odd number of words, as those of sums are.
void tinsmith_pulp_lookup(const layer_t *layer, tinsmith_pulp_core_t core) {
  const uint32_t share = odd_words(quotient(layer->count + core.cores - 1u, core.cores));
  const uint32_t first = core.core * share;
  if (first >= layer->count) {
    return;
  }
  const uint32_t left = layer->count - first;
  const uint32_t count = left < share ? left : share;
  const uint8_t *from = (const uint8_t *)layer->input + first;
  uint8_t *to = (uint8_t *)layer->output + first;
  uint32_t i = 0u;
#if TINSMITH_COREV
  if (count >= 4u) {
    look_up_words(from, to, layer->table, count / 4u);
    i = count & ~3u;
  }
#endif
  for (; i < count; ++i) {
    to[i] = (uint8_t)layer->table[from[i]];
  }
}
