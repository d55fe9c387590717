// Products of matrices, both computed.
#ifndef TINSMITH_MATMUL_H_
#define TINSMITH_MATMUL_H_

#include <stdint.h>

#include "tinsmith/symbols.h"
#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_batch_matmul_s8 TINSMITH_REFERENCE_SYMBOL(tinsmith_batch_matmul_s8)
#define tinsmith_batch_matmul_s16 TINSMITH_REFERENCE_SYMBOL(tinsmith_batch_matmul_s16)
#define tinsmith_batch_matmul_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_batch_matmul_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** Matrices and where their elements are, in elements; an operand whose batch stride is 0 repeats. */
typedef struct {
  /** In [1, TINSMITH_MAX_RANK]. */
  int32_t batch_rank;
  int32_t batch_shape[TINSMITH_MAX_RANK];
  int32_t lhs_strides[TINSMITH_MAX_RANK];
  int32_t rhs_strides[TINSMITH_MAX_RANK];
  /** The left matrix is (rows, depth), the right one (depth, columns), both at least 1. */
  int32_t rows;
  int32_t depth;
  int32_t columns;
  int32_t lhs_row_step;
  int32_t lhs_depth_step;
  int32_t rhs_depth_step;
  int32_t rhs_column_step;
} tinsmith_matmul_shape;

/** Of integers: what is added to elements, and how sums are rescaled. */
typedef struct {
  int32_t lhs_offset;
  int32_t rhs_offset;
  int32_t output_offset;
  tinsmith_scale scale;
} tinsmith_matmul_parameters;

/**
 * Products of matrices. Sums of int8 have 32 bits, those of int16 64, rescaled as fully connected layers do it.
 *
 * @param[in] shape      sizes and strides
 * @param[in] parameters see there; of int16 offsets of 0
 * @param[in] lhs        left matrices
 * @param[in] rhs        right matrices
 * @param[out] output    (batches, rows, columns), dense; does not overlap the operands
 */
void tinsmith_batch_matmul_s8(const tinsmith_matmul_shape *shape, const tinsmith_matmul_parameters *parameters,
                              const int8_t *lhs, const int8_t *rhs, int8_t *output);
void tinsmith_batch_matmul_s16(const tinsmith_matmul_shape *shape, const tinsmith_matmul_parameters *parameters,
                               const int16_t *lhs, const int16_t *rhs, int16_t *output);
/** Sums begin with 0 and go on in order of depth. */
void tinsmith_batch_matmul_f32(const tinsmith_matmul_shape *shape, const float *lhs, const float *rhs, float *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_MATMUL_H_
