// Copies of rows of bytes: parts of what a concatenation puts together, or a split takes apart.
#include "internal/boxes.h"
#include "internal/rows.h"
#include "tinsmith_pulp_nn.h"

typedef tinsmith_pulp_copy_t layer_t;

void tinsmith_pulp_copy(const layer_t *layer, tinsmith_pulp_core_t core) {
  const share_t rows = share_of_rows(layer->rows, core);
  const uint32_t bytes = part_of_row(rows, layer->row_bytes);
  const uint32_t first = rows.member * bytes;
  if (rows.first >= rows.end || first >= layer->row_bytes) {
    return;
  }
  const uint32_t left = layer->row_bytes - first;
  const box_t box = {
      .rows = rows.end - rows.first,
      .bytes = left < bytes ? left : bytes,
      .to_step = layer->output_step,
      .from_step = layer->input_step,
  };
  copy_boxes((uint8_t *)layer->output + rows.first * layer->output_step + first,
             (const uint8_t *)layer->input + rows.first * layer->input_step + first, &box, 1u);
}
