// What generated C calls: a layer of a network on DIANA's digital accelerator, an array of 16x16 multipliers.
//
// A layer is one instruction of the accelerator and how often it runs. What each word means is public in DORY's
// hardware abstraction for DIANA (dory-hal) and KU Leuven's SDK; word 6 is the width of the image here, word 8 its
// row in memory, which those two always give as one number.

#ifndef TINSMITH_DIANA_DIGITAL_H_
#define TINSMITH_DIANA_DIGITAL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Words of the record of a layer: an instruction, and how it is repeated. */
#define TINSMITH_DIANA_DIGITAL_WORDS 40u

/** Words of the record of a layer that gives pixels: those, and how they are copied. */
#define TINSMITH_DIANA_DIGITAL_PIXELS_WORDS 44u

/** Tokens are below it. */
#define TINSMITH_DIANA_TOKENS 32u

/**
 * Start a layer on the digital array; of one core alone. Waits first for the layer or copy before. Returns when the
 * last of the layer's jobs has begun.
 *
 * Element i of an array lies at byte i XOR 3. Images are planes of rows: an image of `c` channels of `y` rows of `x`
 * elements has a row of 16 * ceil(x / 16) bytes. What lies behind x in a row of an input is never read; there, an
 * output holds anything.
 *
 * The record is TINSMITH_DIANA_DIGITAL_WORDS little-endian words at a multiple of 4:
 *   - 0..31 the instruction: 0 mode (0 fully connected, 1 convolution, 3 addition), 1..3 addresses, here 0,
 *     4 input channels (fully connected: / 16; addition: elements / 16), 5 output channels / 16, 6 width and 7 height
 *     of the input, 8 bytes of its rows, 9 of its planes, 10 width and 11 height of the kernel, 12 output columns / 16,
 *     13 output rows, 14 whether ReLU, 15 layout of the output (2; of pixels 1), 16 bytes of its planes, 17 dilation
 * (1), 18 stop (1), 19 shift, 20 padding (bits 3:0 left and right, 11:8 top, 15:12 bottom), 24 whether strides are 2;
 * others 0
 *   - 32 jobs: how often it runs, with addresses moved each time
 *   - 33 bytes of weights that each job loads; of additions 0
 *   - 34 group: jobs that share rows of weights (depthwise 4, else 1)
 *   - 35 bytes of weights from one group to the next
 *   - 36 bytes of weights from one job of a group to the next
 *   - 37 bytes of the input, 38 of the output, from one job to the next
 *   - 39 is 0; see tinsmith_diana_digital_joined_start()
 *
 * An output is clip((sum of products + bias) >> shift), the sum of 32 bits that wrap, the shift rounding down, the clip
 * to [-128, 127], with ReLU to [0, 127]. An addition has no bias.
 *
 * @param[in] layer   the record, of a constant
 * @param[in] weights packed as the accelerator reads them, biases inside, at a multiple of 4; in the second-level
 *                    memory that accelerators reach; NULL for additions. The last jobs of depthwise layers read up to
 *                    12 bytes behind it, of which nothing but unused planes depends.
 * @param[in] input   in the accelerators' memory, at a multiple of 16
 * @param[in] operand the second operand of an addition, as the input; else NULL
 * @param[out] output in the accelerators' memory, at a multiple of 16; of a depthwise layer, 15 planes behind it are
 *                    written, too, with values that mean nothing
 * @param[in] token   what the wait names; may be that of a layer which nobody waits for any more
 */
void tinsmith_diana_digital_start(const int8_t *layer, const int8_t *weights, const int8_t *input,
                                  const int8_t *operand, int8_t *output, uint32_t token);

/**
 * The same of a record whose runs are joined to jobs, for an accelerator that takes more of a job than published
 * software gives it. Returns when the layer has ended; it is waited for all the same. In its record:
 *   - 39 joined, 2 or more: so many runs at most are one job, those of one place in their groups, one group after the
 *     other. A job loads the weights of all of them, which words 33 and 35 say to lie one behind the other, or to be
 *     the same: 35 is 0
 *   - 22 bytes of weights of a run and 23 the same as word 39, if one instruction goes over the channels of a job;
 *     else both are 0, and a job has an instruction for each run, 16 at most
 *   - 16, and if one instruction loops 9, too, are the bytes from a plane to the next of the same place: times word 34.
 *     So 60 planes behind the output of a depthwise layer are written
 */
void tinsmith_diana_digital_joined_start(const int8_t *layer, const int8_t *weights, const int8_t *input,
                                         const int8_t *operand, int8_t *output, uint32_t token);

/**
 * Return when the layer that was started last with that token has ended, and so all that were started before.
 *
 * @param[in] token of a layer that was started
 */
void tinsmith_diana_digital_wait(uint32_t token);

/**
 * Start an addition of images that lie in banks, as the analog accelerator has them: one after the other of those that
 * they lie in, where each has the same bytes of each image. All else is as of tinsmith_diana_digital_start(), whose
 * wait returns when the last one has ended.
 *
 * @param[in] layer   the record of an addition, of a bank's bytes
 * @param[in] banks   in [1, 4]
 */
void tinsmith_diana_digital_banks_start(const int8_t *layer, const int8_t *input, const int8_t *operand, int8_t *output,
                                        uint32_t banks, uint32_t token);

/**
 * Start a convolution whose output is pixels, as tinsmith_diana_pixels.h has them, in the memory of the core. The array
 * writes them into its own memory, 16 channels to a bank, in rows that are padded to 16 pixels; the wait copies them
 * from there. All else is as of tinsmith_diana_digital_start().
 *
 * The record is TINSMITH_DIANA_DIGITAL_PIXELS_WORDS words: those of other layers, then
 *   - 40 copies: one, or one for each row of pixels
 *   - 41 rows and 42 banks of each copy, as tinsmith_diana_copy_out_of_banks() has them
 *   - 43 bytes of a bank from one copy to the next
 *
 * @param[in] layer   stays as it is until the wait has returned
 * @param[out] images in the accelerators' memory, at a multiple of 16, in the first bank if pixels lie in several; to
 *                    the last byte in the last bank, nobody else touches it before the wait
 * @param[out] output in the second-level memory that accelerators reach, at a multiple of 4; written by the wait
 */
void tinsmith_diana_digital_pixels_start(const int8_t *layer, const int8_t *weights, const int8_t *input,
                                         int8_t *images, int8_t *output, uint32_t token);

/**
 * Copy the output of the convolution that was started last with that token, and return when it is there. Called once
 * for each, before the next one of pixels is started.
 *
 * @param[in] token of a convolution that was started
 */
void tinsmith_diana_digital_pixels_wait(uint32_t token);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_DIANA_DIGITAL_H_
