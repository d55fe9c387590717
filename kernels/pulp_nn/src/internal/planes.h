// How a depthwise layer is laid out and divided: channels become padded planes of bytes in scratch memory, one after
// the other. A plane's lines run along that side of the image which costs less; taps are turned to match.
#ifndef TINSMITH_KERNELS_PULP_NN_PLANES_H_
#define TINSMITH_KERNELS_PULP_NN_PLANES_H_

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

plan_t plan_depthwise(const tinsmith_pulp_depthwise_t *layer, uint32_t cores);

// Bytes of one core: planes of a group, then the taps of a channel.
uint32_t plan_scratch_bytes(const plan_t *plan);

// Fills the planes with the padding's value; what is padding stays so from group to group of one band.
void clear_planes(const tinsmith_pulp_depthwise_t *layer, const plan_t *plan, uint8_t *planes);

// What unpacks lines: channels side by side in words of the input, or those that are images of their own, channel_step
// bytes apart.
typedef struct copy copy_t;
typedef void (*unpack_t)(const copy_t *copy, uint32_t channel_step, uint32_t channels);
void unpack_hwc(const copy_t *copy, uint32_t channel_step, uint32_t channels);
void unpack_chw(const copy_t *copy, uint32_t channel_step, uint32_t channels);

// Unpacks a band of channels first to first + count - 1 (count <= plan->group) into planes.
void unpack_planes(const tinsmith_pulp_depthwise_t *layer, const plan_t *plan, uint32_t band, uint32_t first,
                   uint32_t count, uint8_t *planes, unpack_t unpack);

// The taps of a channel as window_t (blocks.h) has them.
void unpack_taps(const tinsmith_pulp_depthwise_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps);

// Those of a 3 x 3 or a 5 x 5 kernel as channel_t (area.h) has them.
void taps_3x3(const tinsmith_pulp_depthwise_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps);
void taps_5x5(const tinsmith_pulp_depthwise_t *layer, const plan_t *plan, uint32_t channel, uint32_t *taps);

#endif  // TINSMITH_KERNELS_PULP_NN_PLANES_H_
