// What DIANA's digital array computes: int8 products, sums of 32 bits that wrap, a bias, a shift to the right that
// rounds down, and what 8 bits hold of it, with ReLU none below 0 [HTVM's patterns, tinyvers].
//
// Element i of whatever lies in L1 or in the weight memory is byte i ^ kDianaSwap.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DATAPATH_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DATAPATH_H_

#include <cstdint>
#include <vector>

#include "platforms/simulators/soc/model/diana_instruction.h"

namespace tinsmith::soc {

// Output of a block of 16 channels: [16][output rows * output columns], as int8; the same order as in L1's planes.
using DianaPlanes = std::vector<int8_t>;

// A convolution's channel `channel` (of those in one instruction) and block of outputs. input: the bytes of reads()[0];
// weights: the whole weight memory.
DianaPlanes convolve(const DianaInstruction &job, const DianaBytes &input, const DianaBytes &weights, uint32_t channel,
                     uint32_t block);

// Sixteen outputs, the pixels of which are one. first_weight: byte to which the instruction's pointer is relative.
DianaPlanes connect(const DianaInstruction &job, const DianaBytes &input, const DianaBytes &weights,
                    uint32_t first_weight, uint32_t block);

// Element by element, in the operands' order, 16 for each of job.inputs.
DianaBytes add(const DianaInstruction &job, const DianaBytes &input, const DianaBytes &operand);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_DATAPATH_H_
