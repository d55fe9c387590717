// Kernels that move elements of any type and never change them: copy, concatenation, padding, slices, transposition.
#ifndef TINSMITH_LAYOUT_H_
#define TINSMITH_LAYOUT_H_

#include <stdint.h>

#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_copy TINSMITH_REFERENCE_SYMBOL(tinsmith_copy)
#define tinsmith_copy_rows TINSMITH_REFERENCE_SYMBOL(tinsmith_copy_rows)
#define tinsmith_pad TINSMITH_REFERENCE_SYMBOL(tinsmith_pad)
#define tinsmith_slice TINSMITH_REFERENCE_SYMBOL(tinsmith_slice)
#define tinsmith_transpose TINSMITH_REFERENCE_SYMBOL(tinsmith_transpose)

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copy `bytes` bytes (a reshape between two places in memory).
 *
 * @param[in] bytes   at least 1
 * @param[in] input   source; may overlap the output
 * @param[out] output destination
 */
void tinsmith_copy(uint32_t bytes, const void *input, void *output);

/**
 * Copy rows that lie together into rows that are further apart: one operand of a concatenation.
 *
 * @param[in] rows         at least 1
 * @param[in] row_bytes    bytes of an input row
 * @param[in] output_pitch bytes from one output row to the next, at least row_bytes
 * @param[in] input        (rows, row_bytes)
 * @param[out] output      first output row
 */
void tinsmith_copy_rows(uint32_t rows, uint32_t row_bytes, uint32_t output_pitch, const void *input, void *output);

/** A padding of up to TINSMITH_MAX_RANK dimensions. */
typedef struct {
  int32_t rank;
  /** 1, 2 or 4. */
  int32_t element_bytes;
  /** The padding element, its bytes as an unsigned number. */
  uint32_t value;
  int32_t input_shape[TINSMITH_MAX_RANK];
  /** Elements added in front of and behind each dimension; not negative. */
  int32_t before[TINSMITH_MAX_RANK];
  int32_t after[TINSMITH_MAX_RANK];
} tinsmith_pad_parameters;

/** Write the input, surrounded by parameters->value, to the output, which does not overlap it. */
void tinsmith_pad(const tinsmith_pad_parameters *parameters, const void *input, void *output);

/**
 * A slice as a walk over rows of the output: bytes that lie together in the input, too.
 *
 * The rows are a tensor of `shape`; in the input, the first begins `first_byte` bytes behind its start, and the next
 * along dimension i `byte_strides[i]` bytes behind one, which may be negative.
 */
typedef struct {
  int32_t rank;
  /** At least 1. */
  int32_t row_bytes;
  int32_t first_byte;
  int32_t shape[TINSMITH_MAX_RANK];
  int32_t byte_strides[TINSMITH_MAX_RANK];
} tinsmith_slice_parameters;

/** Write the rows one behind the other to the output; each is read whole before any of it is written. */
void tinsmith_slice(const tinsmith_slice_parameters *parameters, const void *input, void *output);

/** A transposition as a walk over the output: input_strides[i] elements per step of output dimension i. */
typedef struct {
  int32_t rank;
  /** 1, 2 or 4. */
  int32_t element_bytes;
  int32_t output_shape[TINSMITH_MAX_RANK];
  int32_t input_strides[TINSMITH_MAX_RANK];
} tinsmith_transpose_parameters;

/** Write the input's elements in the output's order; the two do not overlap. */
void tinsmith_transpose(const tinsmith_transpose_parameters *parameters, const void *input, void *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_LAYOUT_H_
