// Scratch memory of a depthwise layer, and the taps of kernels that are not 3 x 3.
#include "internal/plan.h"

typedef tinsmith_pulp_depthwise_t layer_t;

uint32_t tinsmith_pulp_depthwise_scratch_bytes(const layer_t *layer, uint32_t cores) {
  const plan_t plan = plan_depthwise(layer, cores);
  return cores * plan_scratch_bytes(&plan);
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
