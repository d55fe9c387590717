#include <string.h>

#include "tinsmith_neureka_call.h"

static void copy_words(int8_t *to, const int8_t *from, uint32_t words) {
  for (uint32_t i = 0u; i < words; ++i) {
    uint32_t word;
    memcpy(&word, from + 4u * i, sizeof word);
    memcpy(to + 4u * i, &word, sizeof word);
  }
}

static void copy_pixel(int8_t *to, const int8_t *from, uint32_t bytes) {
  const uint32_t words = bytes / 4u;
  copy_words(to, from, words);
  for (uint32_t i = 4u * words; i < bytes; ++i) {
    to[i] = from[i];
  }
}

void tinsmith_neureka_keep(const void *kept, uint32_t core, uint32_t cores) {
  const tinsmith_neureka_kept_t *const call = (const tinsmith_neureka_kept_t *)kept;
  const uint32_t first = call->height * core / cores;
  const uint32_t end = call->height * (core + 1u) / cores;
  int8_t *to = call->kept + first * call->width * call->channels;
  for (uint32_t y = first; y < end; ++y) {
    const int8_t *from = call->all + y * call->row_bytes;
    for (uint32_t x = 0u; x < call->width; ++x) {
      copy_pixel(to, from, call->channels);
      from += call->pixel_bytes;
      to += call->channels;
    }
  }
}
