// Turns images between dense elements, planes and pixels, a word of a row at a time: each byte of planes is stored
// once.
#include "tinsmith_diana_pixels.h"
#include "tinsmith_diana_planes.h"
#include "words.h"

// A row of a channel, from elements `step` apart.
static void row_from_elements(const uint8_t *from, uint32_t step, uint32_t width, uint8_t *row) {
  uint8_t *const end = row + (width & ~(WORD_ELEMENTS - 1u));
  const uint32_t left = width % WORD_ELEMENTS;
  for (; end - row >= 8; row += 8) {
    store_row_word(row, gather_four(&from, step));
    store_row_word(row + 4, gather_four(&from, step));
  }
  if (row != end) {
    store_row_word(row, gather_four(&from, step));
  }
  if (left != 0u) {
    uint32_t word = 0u;
    for (uint32_t i = 0u; i < left; ++i) {
      word = word << BYTE_BITS | *from;
      from += step;
    }
    store_row_word(end, word << free_bits(left));
  }
}

static void elements_from_row(const uint8_t *row, uint32_t width, uint8_t *to, uint32_t step) {
  const uint8_t *const end = row + (width & ~(WORD_ELEMENTS - 1u));
  const uint32_t left = width % WORD_ELEMENTS;
  for (; end - row >= 8; row += 8) {
    scatter_four(&to, step, load_row_word(row));
    scatter_four(&to, step, load_row_word(row + 4));
  }
  if (row != end) {
    scatter_four(&to, step, load_row_word(row));
  }
  if (left != 0u) {
    uint32_t word = load_row_word(end);
    for (uint32_t i = 0u; i < left; ++i) {
      *to = (uint8_t)(word >> free_bits(1u));
      word <<= BYTE_BITS;
      to += step;
    }
  }
}

// Words of a row whose elements lie side by side; `count` bytes, a multiple of 4. Four at a time, as what is loaded is
// there a cycle later.
static void swap_to_row(const uint8_t *from, uint32_t count, uint8_t *row) {
  const uint8_t *const end = from + count;
  for (; end - from >= 16; from += 16, row += 16) {
    const uint32_t a = load_four(from), b = load_four(from + 4), c = load_four(from + 8), d = load_four(from + 12);
    store_row_word(row, swapped(a));
    store_row_word(row + 4, swapped(b));
    store_row_word(row + 8, swapped(c));
    store_row_word(row + 12, swapped(d));
  }
  for (; from != end; from += 4, row += 4) {
    store_row_word(row, swapped(load_four(from)));
  }
}

static void swap_from_row(const uint8_t *row, uint32_t count, uint8_t *to) {
  const uint8_t *const end = row + count;
  for (; end - row >= 16; row += 16, to += 16) {
    const uint32_t a = load_row_word(row), b = load_row_word(row + 4);
    const uint32_t c = load_row_word(row + 8), d = load_row_word(row + 12);
    store_four(to, swapped(a));
    store_four(to + 4, swapped(b));
    store_four(to + 8, swapped(c));
    store_four(to + 12, swapped(d));
  }
  for (; row != end; row += 4, to += 4) {
    store_four(to, swapped(load_row_word(row)));
  }
}

void tinsmith_diana_to_rows(const int8_t *dense, uint32_t height, uint32_t width, uint32_t channels, int8_t *rows) {
  const uint32_t whole = channels == 1u ? width & ~(WORD_ELEMENTS - 1u) : 0u;
  uint8_t *row = (uint8_t *)rows;
  for (uint32_t c = 0u; c < channels; ++c) {
    const uint8_t *from = (const uint8_t *)dense + c;
    for (uint32_t y = 0u; y < height; ++y) {
      swap_to_row(from, whole, row);
      row_from_elements(from + whole, channels, width - whole, row + whole);
      from += width * channels;
      row += row_bytes(width);
    }
  }
}

void tinsmith_diana_from_rows(const int8_t *rows, uint32_t height, uint32_t width, uint32_t channels, int8_t *dense) {
  const uint32_t whole = channels == 1u ? width & ~(WORD_ELEMENTS - 1u) : 0u;
  const uint8_t *row = (const uint8_t *)rows;
  for (uint32_t c = 0u; c < channels; ++c) {
    uint8_t *to = (uint8_t *)dense + c;
    for (uint32_t y = 0u; y < height; ++y) {
      swap_from_row(row, whole, to);
      elements_from_row(row + whole, width - whole, to + whole, channels);
      to += width * channels;
      row += row_bytes(width);
    }
  }
}

// Pixels that have no elements between them, or one of them, are a row of elements side by side.
static uint32_t elements_at_once(uint32_t count, uint32_t channels) {
  return pixel_bytes(channels) == channels ? count * channels : channels;
}

void tinsmith_diana_to_pixels(const int8_t *dense, uint32_t height, uint32_t width, uint32_t channels, int8_t *pixels) {
  const uint32_t elements = height * width * channels;
  const uint32_t at_once = elements_at_once(height * width, channels);
  const uint32_t whole = at_once & ~(WORD_ELEMENTS - 1u);
  const uint8_t *from = (const uint8_t *)dense;
  const uint8_t *const end = from + elements;
  for (uint8_t *to = (uint8_t *)pixels; from != end; from += at_once, to += pixel_bytes(channels)) {
    swap_to_row(from, whole, to);
    row_from_elements(from + whole, 1u, at_once - whole, to + whole);
  }
}

void tinsmith_diana_from_pixels(const int8_t *pixels, uint32_t height, uint32_t width, uint32_t channels,
                                int8_t *dense) {
  const uint32_t elements = height * width * channels;
  const uint32_t at_once = elements_at_once(height * width, channels);
  const uint32_t whole = at_once & ~(WORD_ELEMENTS - 1u);
  const uint8_t *from = (const uint8_t *)pixels;
  uint8_t *to = (uint8_t *)dense;
  for (uint8_t *const end = to + elements; to != end; to += at_once, from += pixel_bytes(channels)) {
    swap_from_row(from, whole, to);
    elements_from_row(from + whole, at_once - whole, to + whole, 1u);
  }
}

void tinsmith_diana_rows_to_pixels(const int8_t *rows, uint32_t height, uint32_t width, uint32_t channels,
                                   int8_t *pixels) {
  const uint32_t step = pixel_bytes(channels);
  const uint8_t *row = (const uint8_t *)rows;
  for (uint32_t c = 0u; c < channels; ++c) {
    uint8_t *to = (uint8_t *)pixels + (c ^ WORD_ORDER);
    for (uint32_t y = 0u; y < height; ++y, row += row_bytes(width), to += width * step) {
      elements_from_row(row, width, to, step);
    }
  }
}

void tinsmith_diana_pixels_to_rows(const int8_t *pixels, uint32_t height, uint32_t width, uint32_t channels,
                                   int8_t *rows) {
  const uint32_t step = pixel_bytes(channels);
  uint8_t *row = (uint8_t *)rows;
  for (uint32_t c = 0u; c < channels; ++c) {
    const uint8_t *from = (const uint8_t *)pixels + (c ^ WORD_ORDER);
    for (uint32_t y = 0u; y < height; ++y, row += row_bytes(width), from += width * step) {
      row_from_elements(from, step, width, row);
    }
  }
}
