// How a depthwise layer is laid out and divided: channels become padded planes of bytes in scratch memory, one after
// the other. A plane's lines run along that side of the image which costs less; taps are turned to match. All inline:
// what is constant in a kernel of one kind, such as a 3 x 3 kernel, is no code there.
#ifndef TINSMITH_KERNELS_PULP_NN_PLAN_H_
#define TINSMITH_KERNELS_PULP_NN_PLAN_H_

#include "blocks.h"
#include "corev.h"
#include "tinsmith_pulp_nn.h"

// One side of the image. step: bytes from an input element to the next along this side.
typedef struct {
  uint32_t input, output, kernel, stride, pad;
  uint32_t input_step, output_step, tap_step;
} side_t;

typedef struct {
  side_t line;           // along a line of a plane
  side_t cross;          // from line to line
  uint32_t group;        // channels that are unpacked together: 4; 1 to 4 of CHW
  uint32_t groups;       // of channels
  uint32_t band_shift;   // the output's lines are divided into 1 << band_shift bands
  uint32_t band_lines;   // output lines of a band; the last may have fewer
  uint32_t pitch;        // bytes of a line, a multiple of 4
  uint32_t plane_bytes;  // of a band
  uint32_t tap_words;    // words of a line of taps
} plan_t;

// What a choice of lines costs beyond the outputs themselves, in cycles: the start of a strip of two columns (or of a
// block of four outputs on each line; with a 5 x 5 kernel of one column), and unpacking's start of a line and its
// elements that fill no word.
ALWAYS_INLINE uint32_t cost_of_lines(const side_t *line, const side_t *cross) {
  const uint32_t strips = (line->output + 1u) / 2u;
  const uint32_t starts = line->kernel == 5u ? 55u * line->output : 24u * strips;
  return starts + cross->input * (4u + (line->input & 3u));
}

ALWAYS_INLINE void choose_sides(const tinsmith_pulp_depthwise_t *layer, plan_t *plan) {
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
ALWAYS_INLINE void choose_groups(const tinsmith_pulp_depthwise_t *layer, uint32_t cores, plan_t *plan) {
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
ALWAYS_INLINE uint32_t choose_bands(const plan_t *plan, uint32_t groups, uint32_t cores) {
  uint32_t best = 0u;
  uint32_t best_cost = UINT32_MAX;
  ROLLED for (uint32_t shift = 0u; shift < 5u && (1u << shift) <= plan->cross.output; ++shift) {
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

ALWAYS_INLINE plan_t plan_depthwise(const tinsmith_pulp_depthwise_t *layer, uint32_t cores) {
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

// Bytes of one core: planes of a group, then the taps of a channel.
ALWAYS_INLINE uint32_t plan_scratch_bytes(const plan_t *plan) {
  return plan->group * plan->plane_bytes + 4u * plan->cross.kernel * plan->tap_words;
}

// The taps of a channel as window_t (blocks.h) has them.
void unpack_taps(const tinsmith_pulp_depthwise_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps);

// Those of a 5 x 5 kernel as channel_t (area.h) has them.
void taps_5x5(const tinsmith_pulp_depthwise_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps);

#endif  // TINSMITH_KERNELS_PULP_NN_PLAN_H_
