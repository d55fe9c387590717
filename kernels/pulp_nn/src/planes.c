#include "internal/planes.h"

#include <stddef.h>

#include "internal/blocks.h"

typedef tinsmith_pulp_depthwise_t layer_t;

// What a choice of lines costs beyond the outputs themselves, in cycles: the start of a strip of two columns (or of a
// block of four outputs on each line; with a 5 x 5 kernel of one column), and unpacking's start of a line and its
// elements that fill no word.
static uint32_t cost_of_lines(const side_t *line, const side_t *cross) {
  const uint32_t strips = (line->output + 1u) / 2u;
  const uint32_t starts = line->kernel == 5u ? 55u * line->output : 24u * strips;
  return starts + cross->input * (4u + (line->input & 3u));
}

static void choose_sides(const layer_t *layer, plan_t *plan) {
  const uint32_t channels = layer->channels;
  const uint32_t pixel = layer->input_is_chw ? 1u : channels;
  plan->line = (side_t){layer->input_width,
                        layer->output_width,
                        layer->kernel_width,
                        layer->stride_width,
                        layer->pad_left,
                        pixel,
                        channels,
                        1u};
  plan->cross =
      (side_t){layer->input_height, layer->output_height,       layer->kernel_height,           layer->stride_height,
               layer->pad_top,      pixel * layer->input_width, channels * layer->output_width, layer->kernel_width};
  // Bytes of CHW lie side by side along the width only.
  if (!layer->input_is_chw && cost_of_lines(&plan->cross, &plan->line) < cost_of_lines(&plan->line, &plan->cross)) {
    const side_t down = plan->cross;
    plan->cross = plan->line;
    plan->line = down;
  }
}

// Words of HWC hold four channels. CHW's may be taken by any number at a time: by four, as what a group costs once is
// much, or by fewer where that gives idle cores work.
static void choose_groups(const layer_t *layer, uint32_t cores, plan_t *plan) {
  plan->group = 4u;
  if (layer->input_is_chw) {
    const uint32_t share = quotient(layer->channels + cores - 1u, cores);
    plan->group = share < 4u ? share : 4u;
  }
  plan->groups =
      plan->group == 4u ? (layer->channels + 3u) / 4u : quotient(layer->channels + plan->group - 1u, plan->group);
}

// How often to halve the output's lines. A power of two, so that shifts do: a division takes 30 cycles. Bands cost the
// lines that two of them share and one unpacking each; too few leave cores idle.
static uint32_t choose_bands(const plan_t *plan, uint32_t groups, uint32_t cores) {
  uint32_t best = 0u;
  uint32_t best_cost = UINT32_MAX;
  for (uint32_t shift = 0u; shift < 5u && (1u << shift) <= plan->cross.output; ++shift) {
    const uint32_t lines = (plan->cross.output + (1u << shift) - 1u) >> shift;
    const uint32_t tasks = quotient((groups << shift) + cores - 1u, cores);
    const uint32_t cost = tasks * (4u * lines + plan->cross.kernel + 1u);
    if (cost < best_cost) {
      best_cost = cost;
      best = shift;
    }
    if (tasks * cores == groups << shift) {
      break;  // no core is idle
    }
  }
  return best;
}

plan_t plan_depthwise(const layer_t *layer, uint32_t cores) {
  plan_t plan;
  choose_sides(layer, &plan);
  choose_groups(layer, cores, &plan);
  plan.tap_words = (plan.line.kernel + 3u) / 4u;
  plan.band_shift = choose_bands(&plan, plan.groups, cores);
  plan.band_lines = (plan.cross.output + (1u << plan.band_shift) - 1u) >> plan.band_shift;
  const uint32_t outputs = plan.line.output < BLOCK_OUTPUTS ? BLOCK_OUTPUTS : plan.line.output;
  plan.pitch = ((outputs - 1u) * plan.line.stride + 4u * plan.tap_words + 3u) & ~3u;
  plan.plane_bytes = ((plan.band_lines - 1u) * plan.cross.stride + plan.cross.kernel) * plan.pitch;
  return plan;
}

uint32_t plan_scratch_bytes(const plan_t *plan) {
  return plan->group * plan->plane_bytes + 4u * plan->cross.kernel * plan->tap_words;
}

uint32_t tinsmith_pulp_depthwise_scratch_bytes(const layer_t *layer, uint32_t cores) {
  const plan_t plan = plan_depthwise(layer, cores);
  return cores * plan_scratch_bytes(&plan);
}

// Lines of pixels, and where they go. Steps in bytes.
struct copy {
  const uint8_t *from;
  uint8_t *to;
  uint32_t lines, length;    // length in pixels, one or more
  uint32_t step, line_step;  // of the input
  uint32_t pitch, plane_bytes;
};

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

void unpack_hwc(const copy_t *copy, uint32_t channel_step, uint32_t channels) {
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

void unpack_chw(const copy_t *first, uint32_t channel_step, uint32_t channels) {
  copy_t copy = *first;
  for (uint32_t channel = 0u; channel < channels; ++channel) {
    copy_lines(&copy);
    copy.from += channel_step;
    copy.to += copy.plane_bytes;
  }
}

void clear_planes(const layer_t *layer, const plan_t *plan, uint8_t *planes) {
  const uint32_t word = layer->pad_value * UINT32_C(0x01010101);
  const uint32_t words = plan->group * plan->plane_bytes / 4u;
#if TINSMITH_COREV
  uint8_t *to = planes;
  const uint32_t triples = words / 3u;
  if (triples != 0u) {
    __asm__ volatile(COREV_LOOP("%[n]")  //
                     "cv.sw %[word], (%[to]), 4\n\t"
                     "cv.sw %[word], (%[to]), 4\n\t"
                     "cv.sw %[word], (%[to]), 4"  //
                     COREV_LOOP_END
                     : [to] "+&r"(to)
                     : [n] "r"(triples), [word] "r"(word)
                     : "memory");
  }
  // A plane has two words or more: what is left, or the last two again.
  store_word(planes + 4u * words - 8u, word);
  store_word(planes + 4u * words - 4u, word);
#else
  for (uint32_t i = 0u; i < words; ++i) {
    store_word(planes + 4u * i, word);
  }
#endif
}

void unpack_planes(const layer_t *layer, const plan_t *plan, uint32_t band, uint32_t first, uint32_t count,
                   uint8_t *planes, unpack_t unpack) {
  const side_t *line = &plan->line;
  const uint32_t lines = (plan->band_lines - 1u) * plan->cross.stride + plan->cross.kernel;
  const int32_t top = (int32_t)(band * plan->band_lines * plan->cross.stride) - (int32_t)plan->cross.pad;
  const uint32_t channel_step = layer->input_is_chw ? (uint32_t)layer->input_height * layer->input_width : 1u;
  const uint8_t *input = (const uint8_t *)layer->input + first * channel_step;
  // Lines may have more input than they need, where the stride leaves some over.
  const uint32_t room = plan->pitch - line->pad;
  const uint32_t above = top < 0 ? (uint32_t)-top : 0u;
  const int32_t end =
      top + (int32_t)lines < (int32_t)plan->cross.input ? top + (int32_t)lines : (int32_t)plan->cross.input;
  const int32_t first_line = top + (int32_t)above;
  if (first_line >= end) {
    return;
  }
  const copy_t copy = {
      .from = input + (uint32_t)first_line * plan->cross.input_step,
      .to = planes + above * plan->pitch + line->pad,
      .lines = (uint32_t)(end - first_line),
      .length = line->input < room ? line->input : room,
      .step = line->input_step,
      .line_step = plan->cross.input_step,
      .pitch = plan->pitch,
      .plane_bytes = plan->plane_bytes,
  };
  unpack(&copy, channel_step, count);
}

void taps_3x3(const layer_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps) {
  const int8_t *weights = layer->weights + 9u * channel;
  const uint32_t step = plan->line.tap_step;
  if (step == 1u) {
    taps[0] = load_word(weights) & 0xffffffu;
    taps[1] = load_word(weights + 3) & 0xffffffu;
    taps[2] = load_word(weights + 5) >> 8;
    return;
  }
  for (uint32_t i = 0u; i < 3u; ++i) {
    taps[i] = corev_pack_bytes(weights[i], weights[i + 3u], weights[i + 6u], 0);
  }
}

void taps_5x5(const layer_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps) {
  const int8_t *line = layer->weights + 25u * channel;
  const uint32_t step = plan->line.tap_step;
  for (uint32_t i = 0u; i < 5u; ++i) {
    taps[i] = corev_pack_bytes(line[0], line[step], line[2u * step], line[3u * step]);
    taps[5u + i] = (uint8_t)line[4u * step];
    line += plan->cross.tap_step;
  }
}

void unpack_taps(const layer_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps) {
  const int8_t *weights = layer->weights + channel * layer->kernel_height * layer->kernel_width;
  const uint32_t length = plan->line.kernel;
  for (uint32_t k = 0u; k < length; k += 4u) {
    for (uint32_t i = 0u; i < plan->cross.kernel; ++i) {
      const int8_t *line = weights + i * plan->cross.tap_step;
      uint32_t word = 0u;
      for (uint32_t lane = 0u; lane < 4u && k + lane < length; ++lane) {
        word |= (uint32_t)(uint8_t)line[(k + lane) * plan->line.tap_step] << (8u * lane);
      }
      *taps++ = word;
    }
  }
}
