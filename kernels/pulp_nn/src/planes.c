#include "src/internal/planes.h"

#include <stddef.h>

typedef tinsmith_pulp_depthwise_t layer_t;

static uint32_t ceiling(uint32_t value, uint32_t divisor) {
  return quotient(value + divisor - 1u, divisor);
}

// Words of output elements along one side, for all lines across.
static uint32_t words_along(uint32_t line, uint32_t cross) {
  return ceiling(line, 4u) * cross;
}

static void choose_sides(const layer_t *layer, plan_t *plan) {
  const uint32_t channels = layer->channels;
  const uint32_t pixel = layer->input_is_chw ? 1u : channels;
  const side_t across = {layer->input_width,
                         layer->output_width,
                         layer->kernel_width,
                         layer->stride_width,
                         layer->pad_left,
                         pixel,
                         channels,
                         1u};
  const side_t down = {
      layer->input_height, layer->output_height,       layer->kernel_height,           layer->stride_height,
      layer->pad_top,      pixel * layer->input_width, channels * layer->output_width, layer->kernel_width};
  // Bytes of CHW lie side by side along the width only.
  const bool is_turned =
      !layer->input_is_chw && words_along(down.output, across.output) < words_along(across.output, down.output);
  plan->line = is_turned ? down : across;
  plan->cross = is_turned ? across : down;
}

// A power of two, so that shifts do: a division takes 30 cycles. Bands cost the lines that two of them share and one
// unpacking each; too few leave cores idle.
static uint32_t choose_bands(const plan_t *plan, uint32_t groups, uint32_t cores) {
  uint32_t best = 0u;
  uint32_t best_cost = UINT32_MAX;
  for (uint32_t shift = 0u; shift < 5u && (1u << shift) <= plan->cross.output; ++shift) {
    const uint32_t lines = (plan->cross.output + (1u << shift) - 1u) >> shift;
    const uint32_t cost = ceiling(groups << shift, cores) * (4u * lines + plan->cross.kernel + 1u);
    if (cost < best_cost) {
      best_cost = cost;
      best = shift;
    }
  }
  return best;
}

plan_t plan_depthwise(const layer_t *layer, uint32_t cores) {
  plan_t plan;
  choose_sides(layer, &plan);
  plan.group = layer->input_is_chw ? 1u : 4u;
  plan.tap_words = ceiling(plan.line.kernel, 4u);
  const uint32_t shift = choose_bands(&plan, (layer->channels + plan.group - 1u) / plan.group, cores);
  plan.bands = 1u << shift;
  plan.band_lines = (plan.cross.output + plan.bands - 1u) >> shift;
  plan.pitch = 4u * ceiling((plan.line.output - 1u) * plan.line.stride + 4u * plan.tap_words, 4u);
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

// Four channels of `count` pixels, step bytes apart, into four planes. Per 16 bytes: 4 loads, 10 moves, 4 stores.
static void unpack_four(const uint8_t *from, uint32_t step, uint32_t count, uint8_t *to, uint32_t plane_bytes) {
  uint32_t blocks = count / 4u;
#if TINSMITH_COREV
  if (blocks != 0u) {
    const uint32_t back = 4u - 3u * plane_bytes;
    uint32_t a, b, c, d, low;
    __asm__ volatile(
        COREV_LOOP("%[n]")  //
        "cv.lw %[a], (%[from]), %[step]\n\t"
        "cv.lw %[b], (%[from]), %[step]\n\t"
        "cv.lw %[c], (%[from]), %[step]\n\t"
        "cv.lw %[d], (%[from]), %[step]\n\t"
        "cv.pack %[low], %[b], %[a]\n\t"  // a0 a1 b0 b1
        "cv.pack.h %[b], %[b], %[a]\n\t"  // a2 a3 b2 b3
        "cv.pack %[a], %[d], %[c]\n\t"    // c0 c1 d0 d1
        "cv.pack.h %[d], %[d], %[c]\n\t"  // c2 c3 d2 d3
        "addi %[c], %[a], 0\n\t"          //
        "cv.shuffle2.b %[c], %[low], %[even]\n\t"
        "cv.shuffle2.b %[a], %[low], %[odd]\n\t"
        "addi %[low], %[d], 0\n\t"  //
        "cv.shuffle2.b %[low], %[b], %[even]\n\t"
        "cv.shuffle2.b %[d], %[b], %[odd]\n\t"
        "cv.sw %[c], (%[to]), %[plane]\n\t"
        "cv.sw %[a], (%[to]), %[plane]\n\t"
        "cv.sw %[low], (%[to]), %[plane]\n\t"
        "cv.sw %[d], (%[to]), %[back]"  //
        COREV_LOOP_END
        : [from] "+&r"(from), [to] "+&r"(to), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [low] "=&r"(low)
        : [n] "r"(blocks), [step] "r"(step), [plane] "r"(plane_bytes), [back] "r"(back), [even] "r"(0x02000604),
          [odd] "r"(0x03010705)
        : "memory");
  }
#else
  for (; blocks != 0u; --blocks) {
    for (uint32_t channel = 0u; channel < 4u; ++channel) {
      store_word(to + channel * plane_bytes,
                 pack_bytes(from[channel], from[step + channel], from[2u * step + channel], from[3u * step + channel]));
    }
    from += 4u * step;
    to += 4u;
  }
#endif
  for (uint32_t i = 0u; i < count % 4u; ++i) {
    to[0] = from[0];
    to[plane_bytes] = from[1];
    to[2u * plane_bytes] = from[2];
    to[3u * plane_bytes] = from[3];
    from += step;
    ++to;
  }
}

static void unpack_line(const uint8_t *from, uint32_t step, uint32_t length, uint32_t channels, uint8_t *to,
                        uint32_t plane_bytes) {
  if (channels == 4u) {
    unpack_four(from, step, length, to, plane_bytes);
    return;
  }
  if (step == 1u) {
    copy_bytes(to, from, length);
    return;
  }
  for (uint32_t i = 0u; i < length; ++i) {
    for (uint32_t channel = 0u; channel < channels; ++channel) {
      to[channel * plane_bytes + i] = from[i * step + channel];
    }
  }
}

void clear_planes(const layer_t *layer, const plan_t *plan, uint8_t *planes) {
  fill_bytes(planes, layer->pad_value, plan->group * plan->plane_bytes);
}

void unpack_planes(const layer_t *layer, const plan_t *plan, uint32_t band, uint32_t first, uint32_t count,
                   uint8_t *planes) {
  const side_t *line = &plan->line;
  const uint32_t lines = (plan->band_lines - 1u) * plan->cross.stride + plan->cross.kernel;
  const int32_t top = (int32_t)(band * plan->band_lines * plan->cross.stride) - (int32_t)plan->cross.pad;
  const uint32_t channel_step = layer->input_is_chw ? (uint32_t)layer->input_height * layer->input_width : 1u;
  const uint8_t *input = (const uint8_t *)layer->input + first * channel_step;
  // Lines may have more input than they need, where the stride leaves some over.
  const uint32_t room = plan->pitch - line->pad;
  const uint32_t length = line->input < room ? line->input : room;
  for (uint32_t i = 0u; i < lines; ++i) {
    const int32_t from = top + (int32_t)i;
    if (from >= 0 && from < (int32_t)plan->cross.input) {
      unpack_line(input + (uint32_t)from * plan->cross.input_step, line->input_step, length, count,
                  planes + i * plan->pitch + line->pad, plan->plane_bytes);
    }
  }
}

void unpack_taps(const layer_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps) {
  const int8_t *weights = layer->weights + channel * layer->kernel_height * layer->kernel_width;
  if (plan->cross.kernel == 3u && plan->line.kernel == 3u) {
    const uint32_t step = plan->line.tap_step;
    for (uint32_t i = 0u; i < 3u; ++i) {
      taps[i] = pack_bytes(weights[0], weights[step], weights[2u * step], 0);
      weights += plan->cross.tap_step;
    }
    return;
  }
  for (uint32_t i = 0u; i < plan->cross.kernel; ++i) {
    uint32_t word = 0u;
    for (uint32_t k = 0u; k < plan->line.kernel; ++k) {
      const uint8_t tap = (uint8_t)weights[i * plan->cross.tap_step + k * plan->line.tap_step];
      word |= (uint32_t)tap << (8u * (k & 3u));
      if ((k & 3u) == 3u || k + 1u == plan->line.kernel) {
        *taps++ = word;
        word = 0u;
      }
    }
  }
}
