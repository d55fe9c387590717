// The words of a record, as dory-hal names those of an instruction; for sources of this folder.

#ifndef TINSMITH_KERNELS_DIANA_RECORD_H_
#define TINSMITH_KERNELS_DIANA_RECORD_H_

#include <stdbool.h>
#include <stdint.h>

#include "tinsmith/diana.h"

enum {
  kMode = 0,
  kWeights = 1,  // in the memory for weights; of additions the second operand
  kInput = 2,
  kOutput = 3,
  kInputChannels = 4,   // fully connected: / 16; additions: elements / 16
  kOutputChannels = 5,  // / 16
  kInputWidth = 6,
  kInputHeight = 7,
  kInputRowBytes = 8,
  kInputPlaneBytes = 9,
  kKernelWidth = 10,
  kKernelHeight = 11,
  kOutputColumns = 12,  // / 16
  kOutputRows = 13,
  kIsRectified = 14,
  kOutputLayout = 15,
  kOutputPlaneBytes = 16,
  kDilation = 17,
  kStop = 18,
  kShift = 19,
  kPadding = 20,
  kLoopBytes = 22,  // of an instruction that goes over channels: weights of each, and how many
  kLoopChannels = 23,
  kIsStrided = 24,
  kInstructionWords = 32,

  // How the instruction is repeated.
  kJobs = 32,
  kWeightBytes = 33,
  kGroup = 34,
  kGroupBytes = 35,     // of weights, from one group to the next
  kGroupJobBytes = 36,  // of weights, from one job of a group to the next
  kInputJobBytes = 37,  // of the input, from one job to the next
  kOutputJobBytes = 38,
  kJoined = 39,  // at most so many runs are one job; 0: each is one
};

enum { kModeFullyConnected = 0, kModeConvolution = 1, kModeAddition = 3 };

// Of kPadding: where fields of 4 bits begin. What lies between the first two says how much of an output's row is
// padding; nobody writes it.
enum { kPadWidth = 0, kPadTop = 8, kPadBottom = 12 };

// The output as the analog array reads it, or as the digital one does.
enum { kLayoutAnalog = 1, kLayoutDigital = 2 };

// Lanes of the array, in both directions, and bytes of a row of its memories.
enum { kLanes = 16 };

// Rows of biases, a byte of 16 each; and what a bias of a fully connected layer takes.
enum { kBiasRows = 4, kBiasBytes = 16 };

// Jobs of a depthwise layer that share rows of weights, and bytes of a row for each.
enum { kDepthwiseGroup = 4, kDepthwiseBytes = 4 };

// Of pixels with so many blocks of 16 channels, words of each bank: the next block lies in the next bank.
static inline uint32_t tinsmith_diana_pixel_words(uint32_t blocks) {
  return (blocks + TINSMITH_DIANA_BANKS - 1u) / TINSMITH_DIANA_BANKS;
}

// Sides of kernels that the array knows.
static inline bool tinsmith_diana_is_kernel(uint32_t side) {
  return side <= 7u && side % 2u == 1u;
}

// Whether a kernel at that stride makes as many outputs of a padded input.
static inline bool tinsmith_diana_is_output_size(uint32_t output, uint32_t padded_input, uint32_t kernel,
                                                 uint32_t stride) {
  return padded_input >= kernel && (padded_input - kernel) / stride + 1u == output;
}

#endif  // TINSMITH_KERNELS_DIANA_RECORD_H_
