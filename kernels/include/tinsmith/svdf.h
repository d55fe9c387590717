// Layers of filters over time (SVDF), in plain C: what the filters remember, and what a layer gives of it.
#ifndef TINSMITH_SVDF_H_
#define TINSMITH_SVDF_H_

#include <stdint.h>

#include "tinsmith/symbols.h"
#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_svdf_state_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_svdf_state_s16)
#define tinsmith_svdf_state_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_svdf_state_s8)
#define tinsmith_svdf_state_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_svdf_state_f32)
#define tinsmith_svdf_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_svdf_s16)
#define tinsmith_svdf_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_svdf_s8)
#define tinsmith_svdf_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_svdf_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes of a layer, each at least 1; rank divides filters. */
typedef struct {
  int32_t batches;
  int32_t filters;
  /** What a filter remembers. */
  int32_t steps;
  /** Features of an input; not read where none is. */
  int32_t depth;
  /** Filters of a unit; not read where no units are computed. */
  int32_t rank;
} tinsmith_svdf_shape;

/** How a sum of products becomes an element. */
typedef struct {
  tinsmith_scale scale;
  /** Minus the zero point of what the weights are multiplied with. */
  int32_t input_offset;
  /** The zero point of the result. */
  int32_t output_offset;
  int32_t clamp_min;
  int32_t clamp_max;
} tinsmith_svdf_parameters;

/**
 * The memory one step later: each filter forgets its oldest product and takes in that of its weights with the input,
 * rescaled and clamped; then output_offset is added, of which int8 keeps the low 8 bits, as TFLite Micro does.
 *
 * @param[in] shape      see there
 * @param[in] parameters see there
 * @param[in] state      (batches, filters, steps), the newest last
 * @param[in] input      (batches, depth)
 * @param[in] weights    (filters, depth)
 * @param[out] output    as the state; may be the state
 */
void tinsmith_svdf_state_s16(const tinsmith_svdf_shape *shape, const tinsmith_svdf_parameters *parameters,
                             const int16_t *state, const int8_t *input, const int8_t *weights, int16_t *output);
/** The same, of int8; see tinsmith_svdf_state_s16. */
void tinsmith_svdf_state_s8(const tinsmith_svdf_shape *shape, const tinsmith_svdf_parameters *parameters,
                            const int8_t *state, const int8_t *input, const int8_t *weights, int8_t *output);
/** The same of float; sums from zero in the order of depth. */
void tinsmith_svdf_state_f32(const tinsmith_svdf_shape *shape, const float *state, const float *input,
                             const float *weights, float *output);

/**
 * What a layer gives: of each unit the bias and the sums over time of its filters, rescaled, moved by output_offset and
 * then clamped.
 *
 * @param[in] shape      see there
 * @param[in] parameters see there
 * @param[in] state      (batches, filters, steps)
 * @param[in] weights    (filters, steps)
 * @param[in] bias       (filters / rank), may be NULL
 * @param[out] output    (batches, filters / rank)
 */
void tinsmith_svdf_s16(const tinsmith_svdf_shape *shape, const tinsmith_svdf_parameters *parameters,
                       const int16_t *state, const int16_t *weights, const int32_t *bias, int8_t *output);
/** The same with a state and weights of int8; see tinsmith_svdf_s16. */
void tinsmith_svdf_s8(const tinsmith_svdf_shape *shape, const tinsmith_svdf_parameters *parameters, const int8_t *state,
                      const int8_t *weights, const int32_t *bias, int8_t *output);
/** The same of float: a sum from zero for each filter, added to the bias in their order. */
void tinsmith_svdf_f32(const tinsmith_svdf_shape *shape, const tinsmith_clamp_f32 *clamp, const float *state,
                       const float *weights, const float *bias, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_SVDF_H_
