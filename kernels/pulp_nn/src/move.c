// Boxes of elements that move: what concatenations, paddings, slices, transpositions and repetitions are made of.
#include "internal/boxes.h"
#include "internal/rows.h"
#include "tinsmith_pulp_tensors.h"

#define PLANE 0
#define SLAB 1
#define ROW 2
#define ELEMENT 3

// Bytes that do not lie side by side, 1 or more.
static void move_bytes(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step, uint32_t count) {
#if TINSMITH_COREV
  uint32_t x;
  __asm__ volatile(COREV_LOOP("%[n]")  //
                   "cv.lbu %[x], (%[from]), %[from_step]\n\t"
                   "nop\n\t"
                   "cv.sb %[x], (%[to]), %[to_step]"  //
                   COREV_LOOP_END
                   : [from] "+&r"(from), [to] "+&r"(to), [x] "=&r"(x)
                   : [n] "r"(count), [from_step] "r"(from_step), [to_step] "r"(to_step)
                   : "memory");
#else
  for (uint32_t i = 0u; i < count; ++i) {
    to[i * to_step] = from[i * from_step];
  }
#endif
}

// So many rows, and of each so many elements from `first` on.
static void move_rows(uint8_t *to, const uint8_t *from, const tinsmith_pulp_box_t *box, uint32_t rows, uint32_t first,
                      uint32_t count) {
  const uint32_t from_step = box->from_steps[ELEMENT];
  const uint32_t to_step = box->to_steps[ELEMENT];
  from += first * from_step;
  to += first * to_step;
  if (from_step == 1u && to_step == 1u) {
    const box_t dense = {
        .rows = rows, .bytes = count, .to_step = box->to_steps[ROW], .from_step = box->from_steps[ROW]};
    copy_boxes(to, from, &dense, 1u);
    return;
  }
  for (; rows != 0u; --rows) {
    move_bytes(to, from, to_step, from_step, count);
    from += box->from_steps[ROW];
    to += box->to_steps[ROW];
  }
}

static void move_box(uint8_t *to, const uint8_t *from, const tinsmith_pulp_box_t *box, tinsmith_pulp_core_t core) {
  const uint32_t *sizes = box->sizes;
  const share_t rows = share_of_rows(sizes[PLANE] * sizes[SLAB] * sizes[ROW], core);
  const uint32_t elements = part_of_row(rows, sizes[ELEMENT]);
  const uint32_t first = rows.member * elements;
  if (rows.first >= rows.end || first >= sizes[ELEMENT]) {
    return;
  }
  const uint32_t left = sizes[ELEMENT] - first;
  const uint32_t count = left < elements ? left : elements;
  uint32_t slab = quotient(rows.first, sizes[ROW]);
  uint32_t row = rows.first - slab * sizes[ROW];
  uint32_t plane = quotient(slab, sizes[SLAB]);
  slab -= plane * sizes[SLAB];
  for (uint32_t moved = rows.first; moved < rows.end;) {
    const uint32_t wanted = rows.end - moved;
    const uint32_t inside = sizes[ROW] - row;
    const uint32_t taken = wanted < inside ? wanted : inside;
    move_rows(to + plane * box->to_steps[PLANE] + slab * box->to_steps[SLAB] + row * box->to_steps[ROW],
              from + plane * box->from_steps[PLANE] + slab * box->from_steps[SLAB] + row * box->from_steps[ROW], box,
              taken, first, count);
    moved += taken;
    row = 0u;
    if (++slab == sizes[SLAB]) {
      slab = 0u;
      ++plane;
    }
  }
}

void tinsmith_pulp_move(const tinsmith_pulp_move_t *layer, tinsmith_pulp_core_t core) {
  for (uint32_t i = 0u; i < layer->count; ++i) {
    const tinsmith_pulp_box_t *box = &layer->boxes[i];
    move_box((uint8_t *)layer->output + box->to, (const uint8_t *)layer->inputs[box->input] + box->from, box, core);
  }
}
