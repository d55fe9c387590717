// Means and sums over one axis, four sums at a time where elements lie side by side.
#include "internal/stage.h"
#include "tinsmith_pulp_tensors.h"

typedef tinsmith_pulp_mean_t layer_t;

#define BLOCK 4u

#if TINSMITH_COREV

// Five instructions for four elements: a dot product with a word that has a 1 at one place. `count` is 1 or more.
static void sum_four(const int8_t *from, uint32_t step, uint32_t count, int32_t *sums) {
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  uint32_t x;
  __asm__ volatile(
      COREV_LOOP("%[n]")  //
      "cv.lw %[x], (%[from]), %[step]\n\t"
      "nop\n\t"
      "cv.sdotsp.b %[s0], %[x], %[p0]\n\t"
      "cv.sdotsp.b %[s1], %[x], %[p1]\n\t"
      "cv.sdotsp.b %[s2], %[x], %[p2]\n\t"
      "cv.sdotsp.b %[s3], %[x], %[p3]"  //
      COREV_LOOP_END
      : [from] "+&r"(from), [x] "=&r"(x), [s0] "+&r"(s0), [s1] "+&r"(s1), [s2] "+&r"(s2), [s3] "+&r"(s3)
      : [n] "r"(count), [step] "r"(step), [p0] "r"(1u), [p1] "r"(1u << 8), [p2] "r"(1u << 16), [p3] "r"(1u << 24)
      : "memory");
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

static int32_t sum_one(const int8_t *from, uint32_t step, uint32_t count) {
  int32_t sum = 0;
  int32_t x;
  __asm__ volatile(COREV_LOOP("%[n]")  //
                   "cv.lb %[x], (%[from]), %[step]\n\t"
                   "nop\n\t"
                   "add %[sum], %[sum], %[x]"  //
                   COREV_LOOP_END
                   : [from] "+&r"(from), [x] "=&r"(x), [sum] "+&r"(sum)
                   : [n] "r"(count), [step] "r"(step)
                   : "memory");
  return sum;
}

#else

static int32_t sum_one(const int8_t *from, uint32_t step, uint32_t count) {
  int32_t sum = 0;
  for (uint32_t i = 0u; i < count; ++i) {
    sum += from[i * step];
  }
  return sum;
}

static void sum_four(const int8_t *from, uint32_t step, uint32_t count, int32_t *sums) {
  for (uint32_t i = 0u; i < BLOCK; ++i) {
    sums[i] = sum_one(from + i, step, count);
  }
}

#endif

// An accumulator as the result has it.
static int8_t finish(const layer_t *layer, int32_t sum) {
  const int32_t acc = sum - (int32_t)layer->count * layer->input_zero_point;
  int32_t scaled;
  if (layer->is_tflite) {
    scaled = scale_tflite(acc, layer->multiplier, layer->shift);
  } else {
    scaled = (int32_t)(((int64_t)acc * layer->multiplier + layer->addend) >> (31 + layer->shift));
  }
  return (int8_t)clamp_to(scaled + layer->output_zero_point, layer->min, layer->max);
}

void tinsmith_pulp_mean_s8(const layer_t *layer, tinsmith_pulp_core_t core) {
  const uint32_t inner = layer->inner;
  const uint32_t blocks = (inner + BLOCK - 1u) / BLOCK;
  const uint32_t units = layer->outer * blocks;
  const uint32_t end = quotient(units * (core.core + 1u), core.cores);
  uint32_t unit = quotient(units * core.core, core.cores);
  uint32_t outer = quotient(unit, blocks);
  uint32_t block = unit - outer * blocks;
  for (; unit < end; ++unit) {
    const uint32_t first = BLOCK * block;
    const int8_t *from = layer->input + outer * layer->count * inner + first;
    int8_t *to = layer->output + outer * inner + first;
    const uint32_t width = inner - first < BLOCK ? inner - first : BLOCK;
    int32_t sums[BLOCK];
    if (width == BLOCK) {
      sum_four(from, inner, layer->count, sums);
    } else {
      for (uint32_t i = 0u; i < width; ++i) {
        sums[i] = sum_one(from + i, inner, layer->count);
      }
    }
    for (uint32_t i = 0u; i < width; ++i) {
      to[i] = finish(layer, sums[i]);
    }
    if (++block == blocks) {
      block = 0u;
      ++outer;
    }
  }
}
