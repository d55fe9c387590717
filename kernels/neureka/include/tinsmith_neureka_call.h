// What generated C calls: a layer of a network as one job of N-EUREKA.

#ifndef TINSMITH_NEUREKA_CALL_H_
#define TINSMITH_NEUREKA_CALL_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Tokens are below it. */
#define TINSMITH_NEUREKA_TOKENS 32u

/**
 * Start a job; while two are under way, waits for the older one first. Of one core alone.
 *
 * @param[in] words     the 24 registers, those of addresses 0
 * @param[in] constants a scale of 32 bits of each channel, a bias of each; at a multiple of 4
 * @param[in] weights   packed; in the cluster's memory, or in the weight memory if the words say so
 * @param[in] channels  of the output
 * @param[in] input     int8, dense
 * @param[out] output   int8, dense; overlaps nothing else
 * @param[in] token     what the wait names; may be that of a job which nobody waits for any more
 */
void tinsmith_neureka_call_start(const int8_t *words, const int8_t *constants, const int8_t *weights, uint32_t channels,
                                 const int8_t *input, int8_t *output, uint32_t token);

/**
 * Return when the job that was started last with that token has ended, and so all that were started before.
 *
 * @param[in] token of a job that was started
 */
void tinsmith_neureka_call_wait(uint32_t token);

/** Of outputs, rows of pixels, those that are kept; what is kept lies densely. */
typedef struct {
  const int8_t *all;
  int8_t *kept;
  uint32_t height, width, channels; /**< of what is kept */
  uint32_t pixel_bytes, row_bytes;  /**< from one kept pixel or row to the next, in `all` */
} tinsmith_neureka_kept_t;

/**
 * Copy a core's share of what is kept, some rows.
 *
 * @param[in] kept a tinsmith_neureka_kept_t
 * @param[in] core in [0, cores)
 */
void tinsmith_neureka_keep(const void *kept, uint32_t core, uint32_t cores);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_NEUREKA_CALL_H_
