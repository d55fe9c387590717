// A convolution of the analog accelerator in plain loops: the same bytes, from the same record and packed weights.
// Where arithmetic is public: the converters and the shift in HTVM's pattern, what lies between in diana-quantlib, the
// lines of weights and the cells' signs in DORY's code for DIANA, images in both.

#include "analog_twin.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analog_record.h"
#include "record.h"

#define LINE_BYTES (TINSMITH_DIANA_ANALOG_COLUMNS / 8u)

// As lines are in L2, those of the ones and of the minus ones; and packets of scales.
static uint8_t cells[TINSMITH_DIANA_ANALOG_ROWS][2][LINE_BYTES];
static int8_t packets_held[TINSMITH_DIANA_ANALOG_PACKETS * ANALOG_PACKET_BYTES];

typedef struct {
  const uint32_t *words;
  const tinsmith_diana_analog_places_t *places;
} job_t;

static void need(bool is_right) {
  if (!is_right) {
    abort();
  }
}

static uint32_t half(const job_t *job, uint32_t number) {
  return analog_half(job->words, number);
}

static bool does(const job_t *job, uint32_t step) {
  return (half(job, kAnalogSkips) >> ANALOG_FIRST_STEP & step) == 0u;
}

static uint32_t kernel_width(const job_t *job) {
  return half(job, kAnalogKernel) & 15u;
}

static uint32_t kernel_height(const job_t *job) {
  return half(job, kAnalogKernel) >> 4;
}

static uint32_t first_row(const job_t *job) {
  return (half(job, kAnalogInits) >> ANALOG_FIRST_BLOCK & 15u) * TINSMITH_DIANA_ANALOG_BLOCK;
}

// Rows that a load brings, those that pad them first.
static uint32_t loaded_rows(const job_t *job) {
  return analog_lines(half(job, kAnalogInputChannels) * kernel_height(job) * kernel_width(job)) / 2u;
}

static void load_weights(const job_t *job) {
  const uint32_t bytes = divided_up(half(job, kAnalogOutputChannels), ANALOG_LINE) * ANALOG_LINE / 8u;
  const int8_t *from = job->places->weights;
  for (uint32_t row = first_row(job); row < first_row(job) + loaded_rows(job); ++row) {
    memset(cells[row], 0, sizeof cells[row]);
    for (uint32_t line = 0u; line < 2u; ++line, from += bytes) {
      memcpy(cells[row][line], from, bytes);
    }
  }
}

static void load_scales(const job_t *job) {
  memcpy(packets_held + half(job, kAnalogPacket) * ANALOG_PACKET_BYTES, job->places->scales,
         half(job, kAnalogPackets) * ANALOG_PACKET_BYTES);
}

static bool is_turned(uint32_t row, uint32_t column) {
  const uint32_t block = row / TINSMITH_DIANA_ANALOG_BLOCK;
  return column % 2u == 0u ? block < 6u || block > 11u : block <= 8u;
}

static int32_t weight(uint32_t row, uint32_t column) {
  const uint32_t byte = column / 8u ^ 3u;
  const uint32_t bit = 7u - column % 8u;
  const int32_t value = (cells[row][0][byte] >> bit & 1) - (cells[row][1][byte] >> bit & 1);
  return is_turned(row, column) ? -value : value;
}

// Of an image of so many channels, that begins in the first bank.
static size_t place(uint32_t channels, size_t pixel, uint32_t channel) {
  const uint32_t bank = channel % ANALOG_PIXEL / ANALOG_LANES;
  const size_t word = pixel * divided_up(channels, ANALOG_PIXEL) + channel / ANALOG_PIXEL;
  return (size_t)bank * TINSMITH_DIANA_BANK_BYTES + word * ANALOG_LANES + (channel % ANALOG_LANES ^ 3u);
}

static int32_t input(const job_t *job, uint32_t y, uint32_t x, uint32_t channel) {
  if (y >= half(job, kAnalogInputHeight) || x >= half(job, kAnalogInputWidth)) {
    return 0;
  }
  const size_t pixel = (size_t)y * half(job, kAnalogInputWidth) + x;
  const int32_t value = job->places->input[place(half(job, kAnalogInputChannels), pixel, channel)];
  need(value >= -64 && value <= 63);
  return value;
}

static int32_t sum_of(const job_t *job, uint32_t y, uint32_t x, uint32_t output) {
  const uint32_t last = first_row(job) + loaded_rows(job) - 1u;
  const uint32_t top = y * half(job, kAnalogStride) - (half(job, kAnalogPadding) >> 2 & 3u);
  const uint32_t left = x * half(job, kAnalogStride) - (half(job, kAnalogPadding) >> 6 & 3u);
  int32_t sum = 0;
  uint32_t row = 0u;
  for (uint32_t channel = 0u; channel < half(job, kAnalogInputChannels); ++channel) {
    for (uint32_t ky = 0u; ky < kernel_height(job); ++ky) {
      for (uint32_t kx = 0u; kx < kernel_width(job); ++kx, ++row) {
        sum += weight(last - row, output) * input(job, top + ky, left + kx, channel);
      }
    }
  }
  return sum;
}

static int32_t clipped(int64_t value, int32_t least, int32_t most) {
  if (value < least) {
    return least;
  }
  return value > most ? most : (int32_t)value;
}

static int32_t converted(int32_t sum) {
  const int32_t quotient = sum / TINSMITH_DIANA_ANALOG_GAIN;
  return clipped(sum % TINSMITH_DIANA_ANALOG_GAIN < 0 ? quotient - 1 : quotient, -32, 31);
}

static int64_t scaled(const job_t *job, int64_t value, uint32_t output) {
  const uint32_t packet = half(job, kAnalogPacket) + output / ANALOG_LANES;
  const int8_t *const scale = packets_held + packet * ANALOG_PACKET_BYTES + (output % ANALOG_LANES ^ 3u);
  return value * scale[0] + scale[ANALOG_LANES] * ((int64_t)1 << (half(job, kAnalogShifts) >> 12));
}

// at: of the output, and so of what is added.
static int8_t processed(const job_t *job, int64_t value, uint32_t output, size_t at) {
  if (does(job, kTinsmithDianaAnalogPartial)) {
    value += job->places->partial[at];
  }
  if (does(job, kTinsmithDianaAnalogScale)) {
    value = scaled(job, value, output);
  }
  if (does(job, kTinsmithDianaAnalogResidual)) {
    value += job->places->residual[at] * ((int64_t)1 << (half(job, kAnalogShifts) >> 8 & 15u));
  }
  if (does(job, kTinsmithDianaAnalogRectify) && value < 0) {
    value = 0;
  }
  if (does(job, kTinsmithDianaAnalogQuantize)) {
    value >>= half(job, kAnalogShifts) & 255u;
  }
  return (int8_t)clipped(value, -128, 127);
}

static void check(const job_t *job) {
  const tinsmith_diana_analog_places_t *const places = job->places;
  need(tinsmith_diana_is_kernel(kernel_width(job)) && tinsmith_diana_is_kernel(kernel_height(job)));
  need(half(job, kAnalogStop) == ANALOG_GOES_ON && half(job, kAnalogReserved) == ANALOG_RESERVED);
  need(half(job, kAnalogPrecision) == ANALOG_PRECISION && (half(job, kAnalogSkips) & ANALOG_FIRST_STEP) != 0u);
  need(first_row(job) + loaded_rows(job) <= TINSMITH_DIANA_ANALOG_ROWS);
  need(half(job, kAnalogLines) == 2u * loaded_rows(job));
  need(half(job, kAnalogPacket) + half(job, kAnalogPackets) <= TINSMITH_DIANA_ANALOG_PACKETS);
  need(half(job, kAnalogOutputChannels) - 1u < TINSMITH_DIANA_ANALOG_COLUMNS);
  need((places->partial != NULL) == does(job, kTinsmithDianaAnalogPartial));
  need((places->residual != NULL) == does(job, kTinsmithDianaAnalogResidual));
}

// Element by element: partial sums and residual may lie where the output does. What is behind the last channel is
// written, too, to the end of a word.
void tinsmith_diana_analog_compute(const uint32_t *words, const tinsmith_diana_analog_places_t *places) {
  const job_t job = {words, places};
  check(&job);
  if (places->weights != NULL) {
    load_weights(&job);
  }
  if (places->scales != NULL) {
    load_scales(&job);
  }
  const uint32_t channels = half(&job, kAnalogOutputChannels);
  const uint32_t written = divided_up(channels, ANALOG_LANES) * ANALOG_LANES;
  const uint32_t width = half(&job, kAnalogEvaluations) * half(&job, kAnalogUnroll);
  for (uint32_t y = 0u; y < half(&job, kAnalogOutputHeight); ++y) {
    for (uint32_t x = 0u; x < width; ++x) {
      for (uint32_t output = 0u; output < written; ++output) {
        const size_t at = place(channels, (size_t)y * width + x, output);
        places->output[at] = processed(&job, converted(sum_of(&job, y, x, output)), output, at);
      }
    }
  }
}
