// Kernels that take elements by indices: gather, of elements of any type.
#ifndef TINSMITH_GATHER_H_
#define TINSMITH_GATHER_H_

#include <stdint.h>

#include "tinsmith/types.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_gather TINSMITH_REFERENCE_SYMBOL(tinsmith_gather)

#ifdef __cplusplus
extern "C" {
#endif

/** An input of (blocks, rows, row_bytes), and as many indices of rows. All at least 1. */
typedef struct {
  int32_t blocks;
  int32_t rows;
  int32_t row_bytes;
  int32_t indices;
} tinsmith_gather_shape;

/**
 * Copy, of each block, the rows that the indices name, one behind the other.
 *
 * @param[in] shape   sizes
 * @param[in] input   (blocks, rows, row_bytes)
 * @param[in] indices one for each row of a block of the output; one below 0 is taken for 0, one above rows - 1 for that
 * @param[out] output (blocks, indices, row_bytes); does not overlap input or indices
 */
void tinsmith_gather(const tinsmith_gather_shape *shape, const void *input, const int32_t *indices, void *output);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_GATHER_H_
