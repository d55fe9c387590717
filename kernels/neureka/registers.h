// The words of a job, as pulp-nnx's hardware abstraction names them, and the fields of some; for sources of this
// folder.
//
// A word of two halves has the first name's in the upper one.

#ifndef TINSMITH_KERNELS_NEUREKA_REGISTERS_H_
#define TINSMITH_KERNELS_NEUREKA_REGISTERS_H_

#include <stdint.h>

enum {
  kWeights = 0,  // addresses up to kBiases
  kInput = 1,    // of what would be its first pixel if the padding lay in memory
  kOutput = 2,
  kScales = 3,
  kShifts = 4,  // of channels; one for all is in kConfiguration
  kBiases = 5,
  kInputPixelBytes = 6,
  kInputRowBytes = 7,
  kInputD2 = 8,
  kOutputWordBytes = 9,
  kOutputPixelBytes = 10,
  kOutputRowBytes = 11,
  kWeightWordBytes = 12,
  kWeightChannelBytes = 13,
  kWeightD2 = 14,
  kRemainderChannels = 15,  // output | input, of the last tile, as in the next two
  kRemainderOutput = 16,    // height | width
  kRemainderInput = 17,     // height | width, padding at the end left out
  kTilesChannels = 18,      // output | input
  kTilesOutput = 19,        // height | width
  kPadding = 20,            // top, right, bottom, left of 4 bits each | value
  kWeightOffset = 21,
  kFilterMask = 22,
  kConfiguration = 23,
};

// Of kPadding.
enum { kPadTop = 28, kPadRight = 24, kPadBottom = 20, kPadLeft = 16 };

// Of kConfiguration: bits, and where fields begin.
enum {
  kWeightBits = 0,  // 3 bits: less one
  kNormalizes = 4,
  kMode = 5,  // 2 bits
  kFromWeightMemory = 9,
  kPrefetches = 10,
  kScaleWidth = 12,  // 2 bits: 0 for 8 bits, 2 for 32
  kOffsetsWeights = 15,
  kShift = 16,        // 5 bits
  kOutputWidth = 21,  // 2 bits: 0 for 8 bits, 2 for 32
  kIsIdentity = 23,   // 0: ReLU
  kHasBiases = 25,
  kInputIsSigned = 26,
};

enum { kWidth8 = 0, kWidth32 = 2 };

// What the accelerator takes at once.
enum {
  kTileSide = 6,  // of the output
  kTileOutputChannels = 32,
  kTileInputChannels1x1 = 32,
  kTileChannels3x3 = 28,  // of the input; of depthwise layers the output's, too
  kWordBytes = 32,        // of weights, and of the output
};

// What addresses of weights in the weight memory count from.
#define TINSMITH_NEUREKA_WEIGHT_MEMORY 0x10400000u

#endif  // TINSMITH_KERNELS_NEUREKA_REGISTERS_H_
