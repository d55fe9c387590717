/* Fully connected on arranged weights of four bits with multipliers of blocks, behind packed_pixels.h for four bits. */
#ifndef TINSMITH_NN_C_PACKED_BLOCKS_H
#define TINSMITH_NN_C_PACKED_BLOCKS_H

#include "src/c/packed_pixels.h"
#include "src/internal/block_sums.h"

/** All channels of one row. starts: as tinsmith_start_blocks() has them. */
TINSMITH_NOINLINE static void multiply_blocks(output_stage stage, const int8_t *x, const int8_t *weights,
                                              const int32_t *starts, int32_t depth, int32_t block, int32_t channels,
                                              int8_t *output) {
  for (int32_t first = 0; first < channels; first += kChannels) {
    int32_t acc[1][kChannels];
    for (int32_t c = 0; c < kChannels; ++c) {
      acc[0][c] = stage.bias[first + c];
    }
    const int32_t *start = starts;
    const int8_t *from = x;
    TINSMITH_NO_UNROLL
    for (int32_t left = depth; left > 0; left -= block) {
      const int32_t count = left < block ? left : block;
      int32_t sums[1][kChannels] = {{*start, *start, *start, *start}};
      add_raised(sums, &from, weights, count, 1);
      from = x + (depth - left) + count;
      const uint32_t multipliers = load_pairs(weights + group_bytes(count));
      acc[0][0] += (int32_t)(multipliers & 0xff) * sums[0][0];
      acc[0][1] += (int32_t)(multipliers >> 8 & 0xff) * sums[0][1];
      acc[0][2] += (int32_t)(multipliers >> 16 & 0xff) * sums[0][2];
      acc[0][3] += (int32_t)(multipliers >> 24) * sums[0][3];
      weights += group_bytes(count) + kChannels;
      ++start;
    }
    stage = scale_group(stage, acc, first, channels, output, 1, true);
  }
}

#endif /* TINSMITH_NN_C_PACKED_BLOCKS_H */
