// Planes of a depthwise layer (plan.h): how bytes get there, and taps that match. What depthwise.c alone calls, once in
// each kernel, is inline.
#ifndef TINSMITH_KERNELS_PULP_NN_PLANES_H_
#define TINSMITH_KERNELS_PULP_NN_PLANES_H_

#include "plan.h"
#include "unpack.h"

// Fills the planes with the padding's value; what is padding stays so from group to group of one band.
ALWAYS_INLINE void clear_planes(const tinsmith_pulp_depthwise_t *layer, const plan_t *plan, uint8_t *planes) {
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

// Unpacks a band of channels first to first + count - 1 (count <= plan->group) into planes.
ALWAYS_INLINE void unpack_planes(const tinsmith_pulp_depthwise_t *layer, const plan_t *plan, uint32_t band,
                                 uint32_t first, uint32_t count, uint8_t *planes, unpack_t unpack) {
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

// Those of a 3 x 3 kernel as channel_t (area.h) has them.
ALWAYS_INLINE void taps_3x3(const tinsmith_pulp_depthwise_t *layer, const plan_t *plan, uint32_t channel,
                            uint32_t *taps) {
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

#endif  // TINSMITH_KERNELS_PULP_NN_PLANES_H_
