// What the core does with tensors as the digital accelerator wants them: it turns them to planes and back, and averages
// planes. Plain C; CORE-V's instructions where the compiler has them, with the same bytes.
//
// Planes: element (y, x, c) of an image lies at byte ((c * height + y) * row + x) XOR 3, row = 16 * ceil(width / 16).
// What lies behind `width` in a row holds anything: it may be written up to the next multiple of 4, is never needed,
// and is not read beyond that. A vector of n elements is an image of one row of n elements and one channel.

#ifndef TINSMITH_DIANA_PLANES_H_
#define TINSMITH_DIANA_PLANES_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copy an image from elements that lie densely, channels innermost, to planes.
 *
 * @param[in] dense    height * width * channels bytes, anywhere
 * @param[in] height   1 or more, as the other two
 * @param[in] width    elements of a row
 * @param[in] channels planes
 * @param[out] rows    at a multiple of 4
 */
void tinsmith_diana_to_rows(const int8_t *dense, uint32_t height, uint32_t width, uint32_t channels, int8_t *rows);

/**
 * Copy an image from planes to elements that lie densely, channels innermost.
 *
 * @param[in] rows     at a multiple of 4
 * @param[in] height   1 or more, as the other two
 * @param[in] width    elements of a row
 * @param[in] channels planes
 * @param[out] dense   height * width * channels bytes, anywhere
 */
void tinsmith_diana_from_rows(const int8_t *rows, uint32_t height, uint32_t width, uint32_t channels, int8_t *dense);

/**
 * The mean of each plane, halves rounded away from zero as TFLite's AVERAGE_POOL_2D does it, then clamped.
 *
 * @param[in] rows     planes, at a multiple of 4
 * @param[in] height   1 or more, as the other two
 * @param[in] width    elements of a row; height * width < 2**24
 * @param[in] channels planes
 * @param[in] min      least result, -128 or more
 * @param[in] max      largest result, up to 127
 * @param[out] output  `channels` bytes
 */
void tinsmith_diana_average(const int8_t *rows, uint32_t height, uint32_t width, uint32_t channels, int32_t min,
                            int32_t max, int8_t *output);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_DIANA_PLANES_H_
