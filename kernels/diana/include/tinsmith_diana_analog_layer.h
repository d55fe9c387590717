// What generated C calls: a layer of a network on DIANA's analog accelerator, with images that it copies there and
// back; or with images that lie there already and stay, and their copies by themselves.
//
// In the memory of the core images lie as tinsmith_diana_pixels.h says: so a copy takes 16 bytes of each row to the
// same word of one to four banks, which is how the array reads them (tinsmith_diana_analog.h).

#ifndef TINSMITH_DIANA_ANALOG_LAYER_H_
#define TINSMITH_DIANA_ANALOG_LAYER_H_

#include <stdint.h>

#include "tinsmith_diana_analog.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Words of the record of a layer: an instruction, and its images. */
#define TINSMITH_DIANA_ANALOG_LAYER_WORDS 22u

/** Tokens are below it. */
#define TINSMITH_DIANA_ANALOG_TOKENS 32u

/**
 * Start a layer on the analog array; of one core alone. Waits first for the layer before, and copies its result to
 * where it is wanted. Returns when the layer has begun.
 *
 * The record is TINSMITH_DIANA_ANALOG_LAYER_WORDS little-endian words at a multiple of 4:
 *   - 0..15 the instruction, as tinsmith_diana_analog_encode() gives it
 *   - 16 rows and 17 banks of the input, as tinsmith_diana_analog_copy_in() has them
 *   - 18 rows and 19 banks of the output
 *   - 20 bytes from the input to the output in the accelerators' memory
 *   - 21 whether the core clips the output to [-64, 63], where it lies then
 *
 * @param[in] layer   the record, of a constant
 * @param[in] weights as tinsmith_diana_analog_places_t has them
 * @param[in] scales  likewise
 * @param[in] input   in the second-level memory that accelerators reach, at a multiple of 4, its length rounded up to
 *                    32 bytes; not changed before the wait
 * @param[out] images in the accelerators' memory, at a multiple of 16: the input's copy, then the output; nobody else
 *                    touches it before the wait. In the first bank if one of them lies in several.
 * @param[out] output as the input; written when the layer has been waited for, and not before that
 * @param[in] token   what the wait names; may be that of a layer which nobody waits for any more
 */
void tinsmith_diana_analog_layer_start(const int8_t *layer, const int8_t *weights, const int8_t *scales,
                                       const int8_t *input, int8_t *images, int8_t *output, uint32_t token);

/**
 * Return when the output of the layer that was started last with that token is there, and so those of all that were
 * started before.
 *
 * @param[in] token of a layer that was started
 */
void tinsmith_diana_analog_layer_wait(uint32_t token);

/**
 * Start a layer whose images lie in the accelerators' memory, and stay there; of one core alone. Waits first for what
 * was started before on the analog array. Results are clipped to 8 bits.
 *
 * @param[in] layer   TINSMITH_DIANA_ANALOG_WORDS little-endian words at a multiple of 4, as
 *                    tinsmith_diana_analog_encode() gives them; of a constant
 * @param[in] weights as tinsmith_diana_analog_places_t has them, as all below
 * @param[in] token   what tinsmith_diana_analog_banks_wait() names
 */
void tinsmith_diana_analog_banks_start(const int8_t *layer, const int8_t *weights, const int8_t *scales,
                                       const int8_t *input, int8_t *output, uint32_t token);

/**
 * Start a copy of an image to where such layers read it, or back. rows, banks and both sides are as
 * tinsmith_diana_analog_copy_in() and tinsmith_diana_analog_copy_out() have them.
 *
 * @param[in] pixels in the second-level memory that accelerators reach, at a multiple of 4
 * @param[out] image in the accelerators' memory, at a multiple of 16
 * @param[in] token  what tinsmith_diana_analog_banks_wait() names
 */
void tinsmith_diana_analog_to_banks_start(const int8_t *pixels, uint32_t rows, uint32_t banks, int8_t *image,
                                          uint32_t token);
void tinsmith_diana_analog_from_banks_start(const int8_t *image, uint32_t rows, uint32_t banks, int8_t *pixels,
                                            uint32_t token);

/**
 * Return when the layer, or the copy, that was started last with that token by one of the three functions above has
 * ended, and so all that were started before on the analog array.
 *
 * @param[in] token of one that was started
 */
void tinsmith_diana_analog_banks_wait(uint32_t token);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_DIANA_ANALOG_LAYER_H_
