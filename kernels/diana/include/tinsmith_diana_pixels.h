// What the core does with images for the analog accelerator: it turns dense elements, or the digital accelerator's
// planes, to pixels and back. Plain C; CORE-V's instructions where the compiler has them, with the same bytes.
//
// Pixels: element c of pixel p lies at byte (p * pixel + c) XOR 3, pixel = 16 * ceil(channels / 16), of more than 64
// channels 64 * ceil(channels / 64). What lies behind the channels of a pixel holds anything: it may be written up to
// the next multiple of 4, is never needed, and is not read beyond that. Planes are those of tinsmith_diana_planes.h.

#ifndef TINSMITH_DIANA_PIXELS_H_
#define TINSMITH_DIANA_PIXELS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copy an image from elements that lie densely, channels innermost, to pixels.
 *
 * @param[in] dense    height * width * channels bytes, anywhere
 * @param[in] height   1 or more, as the other two
 * @param[in] width    pixels of a row
 * @param[in] channels elements of a pixel
 * @param[out] pixels  at a multiple of 4
 */
void tinsmith_diana_to_pixels(const int8_t *dense, uint32_t height, uint32_t width, uint32_t channels, int8_t *pixels);

/**
 * Copy an image from pixels to elements that lie densely, channels innermost.
 *
 * @param[in] pixels   at a multiple of 4
 * @param[in] height   1 or more, as the other two
 * @param[in] width    pixels of a row
 * @param[in] channels elements of a pixel
 * @param[out] dense   height * width * channels bytes, anywhere
 */
void tinsmith_diana_from_pixels(const int8_t *pixels, uint32_t height, uint32_t width, uint32_t channels,
                                int8_t *dense);

/**
 * Copy an image from planes to pixels.
 *
 * @param[in] rows     planes, at a multiple of 4
 * @param[in] height   1 or more, as the other two
 * @param[in] width    elements of a row of a plane, pixels of a row
 * @param[in] channels planes, elements of a pixel
 * @param[out] pixels  at a multiple of 4
 */
void tinsmith_diana_rows_to_pixels(const int8_t *rows, uint32_t height, uint32_t width, uint32_t channels,
                                   int8_t *pixels);

/**
 * Copy an image from pixels to planes.
 *
 * @param[in] pixels   at a multiple of 4
 * @param[in] height   1 or more, as the other two
 * @param[in] width    pixels of a row, elements of a row of a plane
 * @param[in] channels elements of a pixel, planes
 * @param[out] rows    planes, at a multiple of 4
 */
void tinsmith_diana_pixels_to_rows(const int8_t *pixels, uint32_t height, uint32_t width, uint32_t channels,
                                   int8_t *rows);

/**
 * The mean of each channel, halves rounded away from zero as TFLite's AVERAGE_POOL_2D does it, then clamped.
 *
 * @param[in] pixels   at a multiple of 4
 * @param[in] height   1 or more, as the other two
 * @param[in] width    pixels of a row; height * width < 2**24
 * @param[in] channels elements of a pixel
 * @param[in] min      least result, -128 or more
 * @param[in] max      largest result, up to 127
 * @param[out] output  `channels` bytes
 */
void tinsmith_diana_average_pixels(const int8_t *pixels, uint32_t height, uint32_t width, uint32_t channels,
                                   int32_t min, int32_t max, int8_t *output);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_DIANA_PIXELS_H_
