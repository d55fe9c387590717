// The constants of the model of DIANA's analog accelerator alone, each with its source; diana_shared.h has the others,
// and says what sources are called. Further ones here: "quantlib-d": diana-quantlib, with its model of what is behind
// the converters; "imec": what is public of the AiMC SDK; "plinio": PLiNIO's and ODiMO's cost models of DIANA.
//
// HTVM's runs were of random weights and left out all that is behind the converters, so values are nobody's
// measurement: what is doubtful has a constant.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_CONSTANTS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_CONSTANTS_H_

#include <cstdint>

#include "platforms/simulators/soc/model/diana_shared.h"

namespace tinsmith::soc {

struct DianaAnalogConstants : DianaShared {
  // A bit line of weights, two of a row [plinio; HTVM's two ToyAdmos latencies give 4.3].
  uint32_t line_write = 4;
  // An evaluation of the array with all that streams in and out, of kernels of 1x1 and of others [fitted to the mixed
  // column of HTVM's Table I, unexplained; plinio has 18 for the array alone, its 70 ns].
  uint32_t evaluation_1x1 = 163;
  uint32_t evaluation = 105;
  // More for 16 outputs of a pixel that go through more than the converters [nobody's number: HTVM never did it].
  uint32_t post_vector = 0;

  // The sum of products that is one step of the converters [estimate: HTVM's pattern takes any constant; no value of
  // the chip is public].
  uint32_t adc_gain = 16;
  // Bits of outputs that are quantized, and 1: the least number is minus the largest [HTVM's pattern casts to int8;
  // quantlib-d's model of the chip has 7 and 1].
  uint32_t output_bits = 8;
  uint32_t symmetric_output = 0;
  // 1: steps behind the converters in any combination, not only those that quantlib-d says are allowed.
  uint32_t any_sequence = 0;
  // 1: inputs that are not of 7 bits are clipped, not faults [HTVM's runs had such; what the chip does is not public].
  uint32_t wide_inputs = 0;
  // Order of a layer's rows: 0: channel, kernel row, kernel column [dory]; 1: kernel row, kernel column, channel
  // [imec].
  uint32_t row_order = 0;
  // 1: cells' signs alternate over the array, as dory and imec write them; 0: none is turned.
  uint32_t sign_pattern = 1;
  // Outputs of which lines in L2 have a multiple [dory; 512 in its older versions].
  uint32_t line_columns = 128;
  // 1: bits of word 20, of blocks of 32 outputs, count from 0 up [imec]; 0: from 15 down [dory].
  uint32_t low_column_blocks = 0;
  // 1: word 13 of an instruction counts columns of outputs; 0: evaluations of a row of them [dory].
  uint32_t counts_columns = 0;
  // Packets, of 16 outputs each, of the memory for scales and offsets [estimate: what the array's columns need].
  uint32_t scale_packets = 32;

  // What the converters' results are disturbed by: a normal deviate times the result divided by this [quantlib-d: 25];
  // 0: nothing, results are exact.
  uint32_t noise = 0;
  uint32_t noise_seed = 1;
};

// As a `device` line says, by the names of the fields; those above where it says nothing. Raises BadFile for what makes
// no accelerator.
DianaAnalogConstants diana_analog_constants(Settings &settings);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_CONSTANTS_H_
