// The constants of N-EUREKA's cycle model, each with its source.
//
// "fsm": of the sum of terms that GVSoC's state machine of N-EUREKA adds up, which was checked there on 25 layers
// (target siracusa): what it takes beside a constant of 11 to 28 cycles for dispatch and poll. "fitted": to what single
// layers took there. "estimate": nobody's number. All are cycles unless they say otherwise.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_TIMING_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_TIMING_H_

#include <cstdint>

#include "platforms/simulators/soc/model/part.h"

namespace tinsmith::soc {

struct NeurekaTiming {
  // Before the first access of a tile's load: FIFOs and control [fsm].
  uint32_t load_begin = 6;
  // Pixels that a 1x1 load takes a cycle for, however few there are; 3x3: (h + 2) * (w + 2), also in the padding [fsm].
  uint32_t load_pixels_1x1 = 36;
  // After the last pixel, 1x1 only [fsm].
  uint32_t load_end_1x1 = 6;

  // From a loaded tile to its first weight word [fsm]; in depthwise mode the weight offset is applied meanwhile.
  uint32_t prepare_1x1 = 10;
  uint32_t prepare_3x3 = 6;
  uint32_t prepare_depthwise = 34;
  // After the last weight word of a 3x3 tile: accumulators and indices [fsm].
  uint32_t compute_end_3x3 = 8;
  // Depthwise weights read from L1: 0: the words of all bits for every channel, as from the weight memory; 1: once for
  // all channels, as GVSoC charges them, an artefact of its model.
  uint32_t depthwise_l1_words = 0;

  // After the last scale; cycles that biases take however few they are, and after them [fsm].
  uint32_t scale_end = 9;
  uint32_t bias_accesses = 4;
  uint32_t bias_end = 8;
  // After the last output pixel, 1x1 only [fsm].
  uint32_t store_end_1x1 = 3;

  // With prefetch, instead of prepare_1x1 [fitted: 1x1 12x12x64 to 64 in 1695 cycles, 18x18x64 to 64 in 3715].
  uint32_t prefetch_prepare_1x1 = 7;
  // With prefetch, from the end of a tile's computation to what follows, unless the load in its shadow takes longer
  // still [fitted: 3x3 12x12x56 to 64 in 5311 cycles; estimate: the same for 1x1 and depthwise].
  uint32_t prefetch_handover = 9;

  // Not of time: the address to which those of weights are relative if they lie in the weight memory [pulp-nnx].
  uint32_t weight_memory = 0x10400000;
};

// As a `device` line says, by the names of the fields; those above where it says nothing.
NeurekaTiming neureka_timing(Settings &settings);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_TIMING_H_
