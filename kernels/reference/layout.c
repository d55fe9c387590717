// Copies, padding, slices and transposition of elements of any type, by their size in bytes.
#include "tinsmith/layout.h"

#include <stdbool.h>
#include <string.h>

void tinsmith_copy(uint32_t bytes, const void *input, void *output) {
  memmove(output, input, bytes);
}

void tinsmith_copy_rows(uint32_t rows, uint32_t row_bytes, uint32_t output_pitch, const void *input, void *output) {
  const uint8_t *source = input;
  uint8_t *destination = output;
  for (uint32_t row = 0; row < rows; ++row) {
    memcpy(destination, source, row_bytes);
    source += row_bytes;
    destination += output_pitch;
  }
}

static void store_element(uint8_t *output, uint32_t value, int32_t bytes) {
  for (int32_t i = 0; i < bytes; ++i) {
    output[i] = (uint8_t)(value >> (8 * i));
  }
}

// Elements are mostly bytes or zeros, whose bytes are all equal.
static void fill(uint8_t *output, uint32_t elements, uint32_t value, int32_t element_bytes) {
  if (element_bytes == 1 || value == 0) {
    memset(output, (int)value, elements * (uint32_t)element_bytes);
    return;
  }
  for (uint32_t i = 0; i < elements; ++i) {
    store_element(output + i * (uint32_t)element_bytes, value, element_bytes);
  }
}

// Odometer over `rank` dimensions; false when it has gone round.
static bool advance(int32_t *index, const int32_t *shape, int32_t rank) {
  for (int32_t axis = rank - 1; axis >= 0; --axis) {
    if (++index[axis] < shape[axis]) {
      return true;
    }
    index[axis] = 0;
  }
  return false;
}

void tinsmith_pad(const tinsmith_pad_parameters *parameters, const void *input, void *output) {
  const int32_t rank = parameters->rank;
  const int32_t inner = parameters->input_shape[rank - 1];
  uint32_t strides[TINSMITH_MAX_RANK];
  uint32_t elements = 1;
  for (int32_t axis = rank - 1; axis >= 0; --axis) {
    strides[axis] = elements;
    elements *= (uint32_t)(parameters->before[axis] + parameters->input_shape[axis] + parameters->after[axis]);
  }
  const uint32_t element_bytes = (uint32_t)parameters->element_bytes;
  uint8_t *destination = output;
  fill(destination, elements, parameters->value, parameters->element_bytes);
  const uint8_t *source = input;
  const uint32_t row_bytes = (uint32_t)inner * element_bytes;
  int32_t index[TINSMITH_MAX_RANK] = {0};
  do {
    uint32_t place = 0;
    for (int32_t axis = 0; axis < rank; ++axis) {
      place += (uint32_t)(index[axis] + parameters->before[axis]) * strides[axis];
    }
    memcpy(destination + place * element_bytes, source, row_bytes);
    source += row_bytes;
  } while (advance(index, parameters->input_shape, rank - 1));
}

void tinsmith_slice(const tinsmith_slice_parameters *parameters, const void *input, void *output) {
  const uint8_t *first = (const uint8_t *)input + parameters->first_byte;
  uint8_t *destination = output;
  int32_t index[TINSMITH_MAX_RANK] = {0};
  do {
    int32_t place = 0;
    for (int32_t axis = 0; axis < parameters->rank; ++axis) {
      place += index[axis] * parameters->byte_strides[axis];
    }
    memmove(destination, first + place, (size_t)parameters->row_bytes);
    destination += parameters->row_bytes;
  } while (advance(index, parameters->shape, parameters->rank));
}

void tinsmith_transpose(const tinsmith_transpose_parameters *parameters, const void *input, void *output) {
  const int32_t bytes = parameters->element_bytes;
  const uint8_t *source = input;
  uint8_t *destination = output;
  int32_t index[TINSMITH_MAX_RANK] = {0};
  do {
    int32_t place = 0;
    for (int32_t axis = 0; axis < parameters->rank; ++axis) {
      place += index[axis] * parameters->input_strides[axis];
    }
    for (int32_t i = 0; i < bytes; ++i) {
      *destination++ = source[place * bytes + i];
    }
  } while (advance(index, parameters->output_shape, parameters->rank));
}
