// Means over height and width in two steps: sums that come to be part by part, and the mean of them.
#ifndef TINSMITH_PARTIAL_SUMS_H_
#define TINSMITH_PARTIAL_SUMS_H_

#include <stdint.h>

#include "tinsmith/pooling.h"
#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_channel_sums_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_channel_sums_s8)
#define tinsmith_channel_sums_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_channel_sums_s16)
#define tinsmith_average_of_sums_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_average_of_sums_s8)
#define tinsmith_average_of_sums_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_average_of_sums_s16)
#define tinsmith_mean_of_sums_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_of_sums_s8)
#define tinsmith_mean_of_sums_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_mean_of_sums_s16)

#ifdef __cplusplus
extern "C" {
#endif

/** Images of `pixels` pixels with `channels` channels each; all at least 1. */
typedef struct {
  int32_t batches;
  int32_t pixels;
  int32_t channels;
} tinsmith_channel_sums_shape;

/**
 * The sum of each channel's integers, channel after channel; beyond 32 bits it wraps.
 *
 * @param[in] shape   geometry
 * @param[in] input   (batches, pixels, channels)
 * @param[in] sums    (batches, channels), what they are added to; NULL for zeros
 * @param[out] output (batches, channels); may be `sums`
 */
void tinsmith_channel_sums_s8(const tinsmith_channel_sums_shape *shape, const int8_t *input, const int32_t *sums,
                              int32_t *output);
void tinsmith_channel_sums_s16(const tinsmith_channel_sums_shape *shape, const int16_t *input, const int32_t *sums,
                               int32_t *output);

/** Where halves go. */
typedef enum {
  kTinsmithHalvesAway = 0,
  kTinsmithHalvesUp = 1,
  kTinsmithHalvesToEven = 2,
} tinsmith_halves;

/** The mean of `count` integers each. zero_point: theirs, which halves to even are counted from. */
typedef struct {
  int32_t elements;
  int32_t count;
  int32_t halves; /**< A tinsmith_halves. */
  int32_t zero_point;
  int32_t clamp_min;
  int32_t clamp_max;
} tinsmith_average_of_sums_parameters;

/**
 * The mean of integers whose sums are known.
 *
 * @param[in] parameters see there; sums are below 2^31 - count
 * @param[in] sums       (elements)
 * @param[out] output    (elements)
 */
void tinsmith_average_of_sums_s8(const tinsmith_average_of_sums_parameters *parameters, const int32_t *sums,
                                 int8_t *output);
void tinsmith_average_of_sums_s16(const tinsmith_average_of_sums_parameters *parameters, const int32_t *sums,
                                  int16_t *output);

/** Means of `count` integers each. */
typedef struct {
  int32_t elements;
  int32_t count;
} tinsmith_mean_of_sums_shape;

/**
 * The mean of integers whose sums are known, rescaled as tinsmith_mean_s8() does.
 *
 * @param[in] shape      see there
 * @param[in] parameters as of tinsmith_mean_s8()
 * @param[in] sums       (elements)
 * @param[out] output    (elements)
 */
void tinsmith_mean_of_sums_s8(const tinsmith_mean_of_sums_shape *shape, const tinsmith_mean_parameters *parameters,
                              const int32_t *sums, int8_t *output);
void tinsmith_mean_of_sums_s16(const tinsmith_mean_of_sums_shape *shape, const tinsmith_mean_parameters *parameters,
                               const int32_t *sums, int16_t *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_PARTIAL_SUMS_H_
