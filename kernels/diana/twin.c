// The jobs of a layer in plain loops, one after the other: the same bytes as the accelerator's, from the same record
// and packed weights. Where arithmetic is public: 8-bit products, sums of 32 bits and the shift in HTVM's patterns, the
// layout of weights and biases in DORY's code for DIANA, the order of bytes in both.

#include "twin.h"

#include <stdlib.h>

#include "record.h"

// The weights of one job; what would lie behind those of the layer is 0.
typedef struct {
  const uint8_t *bytes;
  uint32_t size;
} weights_t;

typedef struct {
  const uint32_t *words;
  weights_t weights;
  const int8_t *input;
  const int8_t *operand;
  int8_t *output;
} job_t;

// Sums of 16 output channels times 16 columns.
typedef struct {
  uint32_t lanes[kLanes][kLanes];
} block_t;

static void need(bool is_right) {
  if (!is_right) {
    abort();
  }
}

// Element i of a word of four lies where the fourth from its end would.
static uint32_t place(uint32_t element) {
  return element ^ 3u;
}

static int32_t weight(const weights_t *weights, uint32_t element) {
  const uint32_t at = place(element);
  return at < weights->size ? (int8_t)weights->bytes[at] : 0;
}

static uint32_t weight_byte(const weights_t *weights, uint32_t element) {
  return (uint32_t)weight(weights, element) & 0xffu;
}

static int8_t requantized(const uint32_t *words, uint32_t sum) {
  const int32_t least = words[kIsRectified] != 0u ? 0 : -128;
  const int32_t value = (int32_t)sum >> words[kShift];
  if (value < least) {
    return (int8_t)least;
  }
  return (int8_t)(value > 127 ? 127 : value);
}

static uint32_t stride_of(const uint32_t *words) {
  return words[kIsStrided] + 1u;
}

static uint32_t padding_of(const uint32_t *words, uint32_t field) {
  return words[kPadding] >> field & 15u;
}

// Add the products of one kernel element. row: of the input, or its padding; x: of the first column, without padding.
static void add_products(const job_t *job, block_t *block, const int8_t *plane, uint32_t row, uint32_t x,
                         uint32_t weight_row) {
  const uint32_t *const words = job->words;
  uint32_t values[kLanes];
  for (uint32_t column = 0u; column < kLanes; ++column) {
    const uint32_t at = x + column * stride_of(words) - padding_of(words, kPadWidth);
    const bool is_inside = at < words[kInputWidth];
    values[column] = is_inside ? (uint32_t)plane[place(row * words[kInputRowBytes] + at)] : 0u;
  }
  for (uint32_t lane = 0u; lane < kLanes; ++lane) {
    const uint32_t factor = (uint32_t)weight(&job->weights, weight_row * kLanes + lane);
    for (uint32_t column = 0u; column < kLanes; ++column) {
      block->lanes[lane][column] += factor * values[column];
    }
  }
}

// Rows of weights of 16 output channels, one for each element of their kernels.
static uint32_t kernel_rows(const uint32_t *words) {
  return words[kInputChannels] * words[kKernelHeight] * words[kKernelWidth];
}

static uint32_t convolution_bias(const job_t *job, uint32_t first_row, uint32_t lane) {
  uint32_t bias = 0u;
  for (uint32_t byte = 0u; byte < kBiasRows; ++byte) {
    bias |= weight_byte(&job->weights, (first_row + byte) * kLanes + lane) << 8u * byte;
  }
  return bias;
}

// Of planes of rows; or of pixels row by row, whose blocks of 16 channels lie in banks.
static uint32_t output_offset(const uint32_t *words, uint32_t channel, uint32_t y, uint32_t x) {
  const uint32_t pixel = y * words[kOutputColumns] * kLanes + x;
  if (words[kOutputLayout] == kLayoutDigital) {
    return channel * words[kOutputPlaneBytes] + place(pixel);
  }
  const uint32_t block = channel / kLanes;
  const uint32_t word = pixel * tinsmith_diana_pixel_words(words[kOutputChannels]) + block / TINSMITH_DIANA_BANKS;
  return block % TINSMITH_DIANA_BANKS * TINSMITH_DIANA_BANK_BYTES + word * kLanes + place(channel % kLanes);
}

static void store_block(const job_t *job, const block_t *block, uint32_t first_weight_row, uint32_t first_channel,
                        uint32_t y, uint32_t x) {
  const uint32_t *const words = job->words;
  for (uint32_t lane = 0u; lane < kLanes; ++lane) {
    const uint32_t bias = convolution_bias(job, first_weight_row + kernel_rows(words), lane);
    for (uint32_t column = 0u; column < kLanes; ++column) {
      const uint32_t at = output_offset(words, first_channel + lane, y, x + column);
      job->output[at] = requantized(words, block->lanes[lane][column] + bias);
    }
  }
}

static void convolve_block(const job_t *job, uint32_t channels, uint32_t y, uint32_t x) {
  const uint32_t *const words = job->words;
  const uint32_t first_row = channels * (kernel_rows(words) + kBiasRows);
  block_t block = {{{0u}}};
  uint32_t weight_row = first_row;
  for (uint32_t channel = 0u; channel < words[kInputChannels]; ++channel) {
    const int8_t *const plane = job->input + (size_t)channel * words[kInputPlaneBytes];
    for (uint32_t ky = 0u; ky < words[kKernelHeight]; ++ky) {
      const uint32_t row = y * stride_of(words) + ky - padding_of(words, kPadTop);
      for (uint32_t kx = 0u; kx < words[kKernelWidth]; ++kx, ++weight_row) {
        if (row < words[kInputHeight]) {
          add_products(job, &block, plane, row, x * stride_of(words) + kx, weight_row);
        }
      }
    }
  }
  store_block(job, &block, first_row, channels * kLanes, y, x);
}

static void convolve(const job_t *job) {
  const uint32_t *const words = job->words;
  for (uint32_t channels = 0u; channels < words[kOutputChannels]; ++channels) {
    for (uint32_t y = 0u; y < words[kOutputRows]; ++y) {
      for (uint32_t columns = 0u; columns < words[kOutputColumns]; ++columns) {
        convolve_block(job, channels, y, columns * kLanes);
      }
    }
  }
}

// Of 16 outputs: blocks of 16 inputs, those of an output one after the other; then biases of 16 bytes.
static void connect(const job_t *job) {
  const uint32_t *const words = job->words;
  const uint32_t inputs = words[kInputChannels] * kLanes;
  for (uint32_t k = 0u; k < words[kOutputChannels] * kLanes; ++k) {
    const uint32_t first = k / kLanes * (inputs + kBiasBytes) * kLanes;
    uint32_t sum = 0u;
    for (uint32_t c = 0u; c < inputs; ++c) {
      const uint32_t element = first + c / kLanes * kLanes * kLanes + k % kLanes * kLanes + c % kLanes;
      sum += (uint32_t)weight(&job->weights, element) * (uint32_t)job->input[place(c)];
    }
    const uint32_t bias = first + inputs * kLanes + k % kLanes * kBiasBytes;
    for (uint32_t byte = 0u; byte < 4u; ++byte) {
      sum += weight_byte(&job->weights, bias + byte) << 8u * byte;
    }
    job->output[place(k)] = requantized(words, sum);
  }
}

static void add(const job_t *job) {
  for (uint32_t i = 0u; i < job->words[kInputChannels] * kLanes; ++i) {
    job->output[i] = requantized(job->words, (uint32_t)job->input[i] + (uint32_t)job->operand[i]);
  }
}

// Runs that are joined have planes of one place in their groups alone: those of the others lie between.
static uint32_t planes_between(const uint32_t *words, bool matters) {
  return matters ? words[kGroup] : 1u;
}

static void check_convolution(const uint32_t *words) {
  const bool is_loop = words[kLoopChannels] != 0u;
  need(tinsmith_diana_is_kernel(words[kKernelWidth]) && tinsmith_diana_is_kernel(words[kKernelHeight]));
  need(words[kIsStrided] <= 1u && words[kDilation] == 1u);
  need(words[kOutputLayout] == kLayoutDigital || words[kOutputLayout] == kLayoutAnalog);
  need(words[kOutputColumns] > 0u && words[kOutputRows] > 0u && words[kInputWidth] > 0u);
  need(words[kInputRowBytes] % kLanes == 0u && words[kInputWidth] <= words[kInputRowBytes]);
  const uint32_t input_plane = words[kInputRowBytes] * words[kInputHeight];
  const uint32_t output_plane = words[kOutputColumns] * kLanes * words[kOutputRows];
  need(words[kInputPlaneBytes] % kLanes == 0u);
  need(words[kInputPlaneBytes] >= planes_between(words, is_loop) * input_plane);
  need(words[kOutputPlaneBytes] == planes_between(words, words[kJoined] != 0u) * output_plane);
  const uint32_t padded_height = words[kInputHeight] + padding_of(words, kPadTop) + padding_of(words, kPadBottom);
  need((words[kOutputRows] - 1u) * stride_of(words) + words[kKernelHeight] <= padded_height);
  need(words[kWeightBytes] == words[kOutputChannels] * (kernel_rows(words) + kBiasRows) * kLanes);
}

// All weights of a job lie one behind the other, or are the same.
static void check_joined(const uint32_t *words) {
  const bool is_loop = words[kLoopChannels] != 0u;
  need(words[kJoined] > 1u && words[kMode] != kModeAddition);
  need(words[kGroupBytes] == 0u || words[kGroupBytes] == words[kWeightBytes]);
  need(words[kWeightBytes] + (words[kJoined] - 1u) * words[kGroupBytes] <= TINSMITH_DIANA_WEIGHT_BYTES);
  need(words[kGroup] == 1u || (words[kInputChannels] == 1u && words[kOutputChannels] == 1u));
  if (is_loop) {
    need(words[kMode] == kModeConvolution && words[kLoopChannels] == words[kJoined]);
    need(words[kInputChannels] == 1u && words[kLoopBytes] == words[kWeightBytes]);
    need(words[kGroupBytes] != 0u && words[kOutputLayout] == kLayoutDigital);
  } else {
    need(words[kJoined] <= TINSMITH_DIANA_INSTRUCTIONS);
  }
}

static void check_record(const uint32_t *words, const tinsmith_diana_places_t *places) {
  need(words[kStop] == 1u && words[kShift] < 32u && words[kIsRectified] <= 1u && words[kInputChannels] > 0u);
  need(words[kJobs] > 0u && words[kGroup] > 0u);
  need(words[kWeightBytes] <= TINSMITH_DIANA_WEIGHT_BYTES);
  if (words[kJoined] != 0u) {
    check_joined(words);
  } else {
    need(words[kLoopBytes] == 0u && words[kLoopChannels] == 0u);
  }
  switch (words[kMode]) {
    case kModeFullyConnected:
      need(words[kWeightBytes] == words[kOutputChannels] * (words[kInputChannels] + 1u) * kLanes * kLanes);
      break;
    case kModeConvolution:
      check_convolution(words);
      break;
    case kModeAddition:
      need(words[kWeightBytes] == 0u && words[kIsRectified] == 0u && places->operand != NULL);
      break;
    default:
      abort();
  }
}

static weights_t weights_of(const uint32_t *words, const int8_t *packed, uint32_t job) {
  if (packed == NULL) {
    return (weights_t){NULL, 0u};
  }
  const uint32_t last_group = (words[kJobs] - 1u) / words[kGroup];
  const uint32_t size = last_group * words[kGroupBytes] + words[kWeightBytes];
  const uint32_t first = job / words[kGroup] * words[kGroupBytes] + job % words[kGroup] * words[kGroupJobBytes];
  return (weights_t){(const uint8_t *)packed + first, size - first};
}

void tinsmith_diana_compute(const uint32_t *words, const tinsmith_diana_places_t *places) {
  check_record(words, places);
  for (uint32_t i = 0u; i < words[kJobs]; ++i) {
    const job_t job = {
        .words = words,
        .weights = weights_of(words, places->weights, i),
        .input = places->input + (size_t)i * words[kInputJobBytes],
        .operand = places->operand,
        .output = places->output + (size_t)i * words[kOutputJobBytes],
    };
    switch (words[kMode]) {
      case kModeFullyConnected:
        connect(&job);
        break;
      case kModeConvolution:
        convolve(&job);
        break;
      default:
        add(&job);
        break;
    }
  }
}
