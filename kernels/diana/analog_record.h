// The words of an instruction of the analog accelerator, of 16 bits each, as the AiMC SDK names them; two of them in a
// word of a record, the first one below. For sources of this folder.

#ifndef TINSMITH_KERNELS_DIANA_ANALOG_RECORD_H_
#define TINSMITH_KERNELS_DIANA_ANALOG_RECORD_H_

#include <stdint.h>

#include "tinsmith_diana_analog.h"

enum {
  kAnalogSkips = 0,
  kAnalogInput = 2,
  kAnalogOutput = 3,
  kAnalogPartial = 4,
  kAnalogResidual = 5,
  kAnalogPacket = 6,
  kAnalogInputChannels = 7,
  kAnalogOutputChannels = 8,
  kAnalogInputWidth = 9,
  kAnalogInputHeight = 10,
  kAnalogPrecision = 11,
  kAnalogKernel = 12,  // width in bits 3:0, height in 7:4
  kAnalogEvaluations = 13,
  kAnalogOutputHeight = 14,
  kAnalogUnroll = 15,
  kAnalogStride = 16,
  kAnalogPadding = 17,  // two bits each: bottom, top, right, left
  kAnalogChannelBlocks = 18,
  kAnalogInits = 19,
  kAnalogColumnBlocks = 20,
  kAnalogTiming = 21,
  kAnalogStop = 22,
  kAnalogReserved = 24,
  kAnalogLines = 25,
  kAnalogPackets = 26,
  kAnalogShifts = 27,  // shift in bits 7:0, of the residual in 11:8, of offsets in 15:12
  kAnalogHalves = 32,
};

// Bits of kAnalogSkips: all, and that of pooling, which is always left out. Those between are the steps.
#define ANALOG_SKIPS 0x3fu
#define ANALOG_FIRST_STEP 1u

// Of kAnalogInits: outputs and partial sums are bytes; where fields begin.
#define ANALOG_BYTES 5u
#define ANALOG_FIRST_BLOCK 9u
#define ANALOG_LOADS_WEIGHTS (1u << 13)
#define ANALOG_LOADS_SCALES (1u << 14)

// What public sources always write.
#define ANALOG_PRECISION 7u
#define ANALOG_TIMING 0x0100u
#define ANALOG_GOES_ON 0xf000u
#define ANALOG_STOPS 0xf001u
#define ANALOG_RESERVED 0x0084u

// Channels of a word of 16 bytes, of a word of four banks, outputs of a bit of kAnalogColumnBlocks, and of which lines
// of weights have a multiple; bytes of a packet of scales.
#define ANALOG_LANES 16u
#define ANALOG_PIXEL 64u
#define ANALOG_COLUMN_BLOCK 32u
#define ANALOG_LINE 128u
#define ANALOG_PACKET_BYTES 32u

static inline uint32_t analog_half(const uint32_t *words, uint32_t half) {
  return words[half / 2u] >> (half % 2u * 16u) & 0xffffu;
}

static inline uint32_t divided_up(uint32_t size, uint32_t by) {
  return (size + by - 1u) / by;
}

// Lines of bits that a load takes for so many rows of weights.
static inline uint32_t analog_lines(uint32_t rows) {
  return divided_up(2u * rows, 32u) * 32u;
}

#endif  // TINSMITH_KERNELS_DIANA_ANALOG_RECORD_H_
