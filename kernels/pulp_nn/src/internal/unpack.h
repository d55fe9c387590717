// How lines of pixels become lines of planes.
#ifndef TINSMITH_KERNELS_PULP_NN_UNPACK_H_
#define TINSMITH_KERNELS_PULP_NN_UNPACK_H_

#include "corev.h"

// Lines of pixels, and where they go. Steps in bytes.
typedef struct {
  const uint8_t *from;
  uint8_t *to;
  uint32_t lines, length;    // length in pixels, one or more
  uint32_t step, line_step;  // of the input
  uint32_t pitch, plane_bytes;
} copy_t;

#if TINSMITH_COREV

// Four pixels of four channels: two rounds of exchanges.
#define UNPACK_FOUR_PIXELS                \
  "cv.lw %[a], (%[from]), %[step]\n\t"    \
  "cv.lw %[b], (%[from]), %[step]\n\t"    \
  "cv.lw %[c], (%[from]), %[step]\n\t"    \
  "cv.lw %[d], (%[from]), %[step]\n\t"    \
  "cv.pack %[e], %[b], %[a]\n\t"          \
  "cv.pack.h %[b], %[b], %[a]\n\t"        \
  "cv.pack %[a], %[d], %[c]\n\t"          \
  "cv.pack.h %[d], %[d], %[c]\n\t"        \
  "addi %[c], %[a], 0\n\t"                \
  "cv.shuffle2.b %[c], %[e], %[even]\n\t" \
  "cv.shuffle2.b %[a], %[e], %[odd]\n\t"  \
  "addi %[e], %[d], 0\n\t"                \
  "cv.shuffle2.b %[e], %[b], %[even]\n\t" \
  "cv.shuffle2.b %[d], %[b], %[odd]\n\t"  \
  "cv.sw %[c], (%[to]), %[plane]\n\t"     \
  "cv.sw %[a], (%[to]), %[plane]\n\t"     \
  "cv.sw %[e], (%[to]), %[plane]\n\t"     \
  "cv.sw %[d], (%[to]), %[back]\n\t"

#define UNPACK_A_PIXEL                 \
  "cv.lw %[a], (%[from]), %[step]\n\t" \
  "addi %[b], %[back], -3\n\t"         \
  "cv.sb %[a], (%[to]), %[plane]\n\t"  \
  "srli %[c], %[a], 8\n\t"             \
  "cv.sb %[c], (%[to]), %[plane]\n\t"  \
  "srli %[c], %[a], 16\n\t"            \
  "cv.sb %[c], (%[to]), %[plane]\n\t"  \
  "srli %[c], %[a], 24\n\t"            \
  "cv.sb %[c], (%[to]), %[b]\n\t"

// One line after the other, whole words first.
static void unpack_four_channels(const copy_t *copy) {
  const uint8_t *from = copy->from;
  uint8_t *to = copy->to;
  uint32_t lines = copy->lines;
  uint32_t a, b, c, d, e;
  __asm__ volatile("1:\n\tbeqz %[words], 2f\n\t"                             //
                   COREV_LOOP("%[words]") UNPACK_FOUR_PIXELS COREV_LOOP_END  //
                   "2:\n\tbeqz %[pixels], 2f\n\t"                            //
                   COREV_LOOP("%[pixels]") UNPACK_A_PIXEL COREV_LOOP_END     //
                   "2:\n\t"
                   "add %[from], %[from], %[next_from]\n\t"
                   "add %[to], %[to], %[next_to]\n\t"
                   "addi %[lines], %[lines], -1\n\t"
                   "bnez %[lines], 1b\n"
                   : [from] "+&r"(from), [to] "+&r"(to), [lines] "+&r"(lines), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c),
                     [d] "=&r"(d), [e] "=&r"(e)
                   : [words] "r"(copy->length / 4u), [pixels] "r"(copy->length % 4u), [step] "r"(copy->step),
                     [plane] "r"(copy->plane_bytes), [back] "r"(4u - 3u * copy->plane_bytes),
                     [next_from] "r"(copy->line_step - copy->length * copy->step),
                     [next_to] "r"(copy->pitch - copy->length), [even] "r"(0x02000604), [odd] "r"(0x03010705)
                   : "memory");
}

// Lines of one channel: two words at a time, the last two of which end where the line does and may write bytes again.
// No store waits for its load.
#define COPY_PAIR(STEP, NEXT_FROM, NEXT_TO) \
  "cv.lw %[a], (%[from]), " STEP            \
  "\n\t"                                    \
  "cv.lw %[b], (%[from]), " NEXT_FROM       \
  "\n\t"                                    \
  "cv.sw %[a], (%[to]), " STEP              \
  "\n\t"                                    \
  "cv.sw %[b], (%[to]), " NEXT_TO "\n\t"

// A line is one pair, whose words may overlap: length in [4, 8].
static void copy_short_lines(const copy_t *copy) {
  const uint8_t *from = copy->from;
  uint8_t *to = copy->to;
  const uint32_t second = copy->length - 4u;
  uint32_t a, b;
  __asm__ volatile(COREV_LOOP("%[lines]") COPY_PAIR("%[second]", "%[next_from]", "%[next_to]") COREV_LOOP_END
                   : [from] "+&r"(from), [to] "+&r"(to), [a] "=&r"(a), [b] "=&r"(b)
                   : [lines] "r"(copy->lines), [second] "r"(second), [next_from] "r"(copy->line_step - second),
                     [next_to] "r"(copy->pitch - second)
                   : "memory");
}

// length 8 or more: whole pairs, then the last eight bytes.
static void copy_long_lines(const copy_t *copy) {
  const uint8_t *from = copy->from;
  uint8_t *to = copy->to;
  const uint32_t last = copy->length - 4u;
  uint32_t a, b;
  __asm__ volatile(COREV_OUTER_LOOP("%[lines]") COREV_LOOP("%[pairs]") COPY_PAIR("4", "4", "4") COREV_LOOP_END
                   "\tadd %[from], %[from], %[back]\n\t"
                   "add %[to], %[to], %[back]\n\t"  //
                   COPY_PAIR("4", "%[next_from]", "%[next_to]") COREV_OUTER_LOOP_END
                   : [from] "+&r"(from), [to] "+&r"(to), [a] "=&r"(a), [b] "=&r"(b)
                   : [lines] "r"(copy->lines), [pairs] "r"(copy->length / 8u), [back] "r"(copy->length % 8u - 8u),
                     [next_from] "r"(copy->line_step - last), [next_to] "r"(copy->pitch - last)
                   : "memory");
}

static void copy_lines(const copy_t *copy) {
  if (copy->length > 8u) {
    copy_long_lines(copy);
  } else if (copy->length >= 4u) {
    copy_short_lines(copy);
  } else {
    for (uint32_t line = 0u; line < copy->lines; ++line) {
      for (uint32_t i = 0u; i < copy->length; ++i) {
        copy->to[line * copy->pitch + i] = copy->from[line * copy->line_step + i];
      }
    }
  }
}

#else

static void unpack_four_channels(const copy_t *copy) {
  for (uint32_t line = 0u; line < copy->lines; ++line) {
    const uint8_t *from = copy->from + line * copy->line_step;
    uint8_t *to = copy->to + line * copy->pitch;
    for (uint32_t i = 0u; i < copy->length; ++i) {
      for (uint32_t channel = 0u; channel < 4u; ++channel) {
        to[channel * copy->plane_bytes + i] = from[i * copy->step + channel];
      }
    }
  }
}

static void copy_lines(const copy_t *copy) {
  for (uint32_t line = 0u; line < copy->lines; ++line) {
    copy_bytes(copy->to + line * copy->pitch, copy->from + line * copy->line_step, copy->length);
  }
}

#endif

// What unpacks lines: channels side by side in words of the input, or those that are images of their own, channel_step
// bytes apart. Here and not in a file of their own, so that they lie beside the function that calls them: what a layer
// runs then spreads over the sets of the instruction cache.
typedef void (*unpack_t)(const copy_t *copy, uint32_t channel_step, uint32_t channels);

static __attribute__((noinline)) void unpack_hwc(const copy_t *copy, uint32_t channel_step, uint32_t channels) {
  (void)channel_step;
  if (channels == 4u) {
    unpack_four_channels(copy);
    return;
  }
  const uint8_t *from = copy->from;
  uint8_t *to = copy->to;
  for (uint32_t line = 0u; line < copy->lines; ++line) {
    for (uint32_t i = 0u; i < copy->length; ++i) {
      for (uint32_t channel = 0u; channel < channels; ++channel) {
        to[channel * copy->plane_bytes + i] = from[i * copy->step + channel];
      }
    }
    from += copy->line_step;
    to += copy->pitch;
  }
}

static __attribute__((noinline)) void unpack_chw(const copy_t *first, uint32_t channel_step, uint32_t channels) {
  copy_t copy = *first;
  for (uint32_t channel = 0u; channel < channels; ++channel) {
    copy_lines(&copy);
    copy.from += channel_step;
    copy.to += copy.plane_bytes;
  }
}

#endif  // TINSMITH_KERNELS_PULP_NN_UNPACK_H_
