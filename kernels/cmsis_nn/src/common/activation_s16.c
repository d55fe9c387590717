/* The logistic function and tanh of int16 by straight lines between the values of a table: TFLite's fixed point. A
 * table in memory serves every instruction set alike. */

#include <stdint.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"

enum {
  kLastLine = 255,
  kLogisticStepBits = 9, /* 512 of 12288 steps are 1/24, which is what the table goes by */
  kTanhStepBits = 8,     /* tanh(x) = 2 / (1 + exp(-2 x)) - 1 */
  kLogisticLimit = 32766,
  kTanhLimit = 32767,
  kHalf = 1 << 15,
};

/** 65536 / (1 + exp(-i / 24)), raised by half of what a straight line to the next value loses in its middle. */
static const uint16_t table[kLastLine + 1] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794, 41432, 42064, 42688,
    43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443, 48964, 49475, 49975, 50464, 50942, 51409,
    51865, 52311, 52745, 53169, 53581, 53983, 54374, 54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433,
    57724, 58007, 58280, 58544, 58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110,
    61279, 61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990, 63090, 63186,
    63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030, 64090, 64148, 64204, 64257, 64308,
    64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652, 64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900,
    64926, 64950, 64974, 64997, 65019, 65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208,
    65221, 65234, 65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360, 65367,
    65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433, 65438, 65442, 65445, 65449,
    65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476, 65479, 65481, 65483, 65485, 65488, 65489, 65491,
    65493, 65495, 65497, 65498, 65500, 65501, 65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513,
    65514, 65515, 65516, 65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529, 65529, 65530, 65530,
    65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532, 65532, 65532, 65532, 65533, 65533, 65533,
    65533, 65533, 65533, 65533, 65533, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535};

/** 2^bits times the curve above its middle, for steps >= 0. */
static int32_t interpolated(int32_t steps, int32_t bits, int32_t limit) {
  const int32_t index = steps >> bits;
  if (index >= kLastLine) {
    return limit << bits;
  }
  const int32_t fraction = steps & ((1 << bits) - 1);
  return ((table[index] - kHalf) << bits) + fraction * (table[index + 1] - table[index]);
}

/** The curves are odd about their middle; below it one less, so that halves go away from it once they are rounded. */
static int32_t odd(int32_t steps, int32_t bits, int32_t limit) {
  return steps < 0 ? -interpolated(-steps, bits, limit) - 1 : interpolated(steps, bits, limit);
}

arm_cmsis_nn_status arm_nn_activation_s16(const int16_t *input, int16_t *output, const int32_t size,
                                          const int32_t left_shift, const arm_nn_activation_type type) {
  const int32_t multiplier = left_shift < 0 ? 3 : 3 << left_shift;
  const int32_t right = left_shift < 0 ? -left_shift : 0;
  const int32_t half = right > 0 ? 1 << (right - 1) : 0;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < size; ++i) {
    const int32_t steps = (input[i] * multiplier + half) >> right;
    if (type == ARM_SIGMOID) {
      const int32_t above_half = odd(steps, kLogisticStepBits, kLogisticLimit);
      output[i] = (int16_t)((above_half + (1 << 24) + (1 << 9)) >> 10);
    } else {
      output[i] = (int16_t)((odd(steps, kTanhStepBits, kTanhLimit) + (1 << 7)) >> 8);
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}
