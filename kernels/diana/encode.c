// From a layer to a record. What each word means is public in dory-hal and KU Leuven's SDK for DIANA; nothing here
// touches the accelerator.

#include "record.h"
#include "tinsmith/diana.h"

#define MOST 0xffffu

static uint32_t rounded_up(uint32_t size) {
  return (size + kLanes - 1u) / kLanes * kLanes;
}

static bool is_size(uint32_t size) {
  return size - 1u < MOST;
}

static bool is_convolution(const tinsmith_diana_layer_t *layer) {
  return layer->mode == kTinsmithDianaConvolution || layer->mode == kTinsmithDianaDepthwise;
}

static bool are_sizes(const tinsmith_diana_layer_t *layer) {
  return is_size(layer->input_height) && is_size(layer->input_width) && is_size(layer->input_channels) &&
         is_size(layer->output_height) && is_size(layer->output_width) && is_size(layer->output_channels) &&
         tinsmith_diana_is_kernel(layer->kernel_height) && tinsmith_diana_is_kernel(layer->kernel_width) &&
         (layer->stride == 1u || layer->stride == 2u);
}

static bool is_padding(const tinsmith_diana_layer_t *layer) {
  return layer->pad_top < layer->kernel_height && layer->pad_bottom < layer->kernel_height &&
         layer->pad_width < layer->kernel_width;
}

static bool is_shape(const tinsmith_diana_layer_t *layer) {
  const uint32_t height = layer->input_height + layer->pad_top + layer->pad_bottom;
  const uint32_t width = layer->input_width + 2u * layer->pad_width;
  if (!tinsmith_diana_is_output_size(layer->output_height, height, layer->kernel_height, layer->stride) ||
      !tinsmith_diana_is_output_size(layer->output_width, width, layer->kernel_width, layer->stride)) {
    return false;
  }
  const bool has_no_kernel = layer->kernel_height == 1u && layer->kernel_width == 1u && layer->stride == 1u;
  const bool has_equal_channels = layer->input_channels == layer->output_channels;
  switch (layer->mode) {
    case kTinsmithDianaDepthwise:
      return has_equal_channels;
    case kTinsmithDianaFullyConnected:
      return has_no_kernel && layer->input_height == 1u && layer->input_width == 1u;
    case kTinsmithDianaAddition:
      return has_no_kernel && has_equal_channels;
    default:
      return true;
  }
}

static uint32_t weight_rows(const tinsmith_diana_layer_t *layer) {
  const uint32_t pixels = layer->kernel_height * layer->kernel_width;
  switch (layer->mode) {
    case kTinsmithDianaConvolution:
      return layer->input_channels * pixels + kBiasRows;
    case kTinsmithDianaDepthwise:
      return pixels + kBiasRows;
    case kTinsmithDianaFullyConnected:
      return rounded_up(layer->input_channels) + kBiasBytes;
    default:
      return 0u;
  }
}

static bool is_image(uint32_t height, uint32_t width, uint32_t planes) {
  const uint64_t row = rounded_up(width);
  return row * height * planes <= TINSMITH_DIANA_L1_BYTES;
}

// Of each bank; a block of 16 channels alone has the banks behind it, too.
static bool are_pixels(const tinsmith_diana_layer_t *layer) {
  const uint32_t blocks = rounded_up(layer->output_channels) / kLanes;
  const uint32_t limit = blocks == 1u ? TINSMITH_DIANA_L1_BYTES : TINSMITH_DIANA_BANK_BYTES;
  const uint64_t pixels = (uint64_t)rounded_up(layer->output_width) * layer->output_height;
  return pixels * kLanes * tinsmith_diana_pixel_words(blocks) <= limit;
}

static bool may(const tinsmith_diana_layer_t *layer, tinsmith_diana_feature_t feature) {
  return (layer->features & (uint32_t)feature) != 0u;
}

// Runs of so many bytes of weights each that one job may be, by the weights' memory and, of lists, by instructions.
static uint32_t most_joined(const tinsmith_diana_layer_t *layer, uint32_t bytes, bool may_loop) {
  const uint32_t fit = TINSMITH_DIANA_WEIGHT_BYTES / bytes;
  if (may_loop) {
    return fit;
  }
  const uint32_t most = may(layer, kTinsmithDianaInstructionLists) ? TINSMITH_DIANA_INSTRUCTIONS : 1u;
  return fit < most ? fit : most;
}

// Channels of a depthwise layer that are one job. Planes behind those of the result are those of 15 further groups
// then; where both images and they are too much for the memory, each channel is a job.
static uint32_t joined_channels(const tinsmith_diana_layer_t *layer) {
  const uint32_t groups = (layer->input_channels + kDepthwiseGroup - 1u) / kDepthwiseGroup;
  const uint64_t planes = layer->output_channels + kDepthwiseGroup * (kLanes - 1u);
  const uint64_t output = planes * rounded_up(layer->output_width) * layer->output_height;
  const uint64_t input = (uint64_t)layer->input_channels * rounded_up(layer->input_width) * layer->input_height;
  if (layer->mode != kTinsmithDianaDepthwise || input + output > TINSMITH_DIANA_L1_BYTES) {
    return 1u;
  }
  const bool may_loop = may(layer, kTinsmithDianaChannelLoops);
  const uint32_t most = most_joined(layer, weight_rows(layer) * kLanes, may_loop);
  return groups < most ? groups : most;
}

static bool is_output(const tinsmith_diana_layer_t *layer) {
  const uint32_t behind = layer->mode == kTinsmithDianaDepthwise ? kLanes - 1u : 0u;
  const uint32_t planes =
      layer->mode == kTinsmithDianaConvolution ? rounded_up(layer->output_channels) : layer->output_channels + behind;
  return layer->gives_pixels ? are_pixels(layer) : is_image(layer->output_height, layer->output_width, planes);
}

static bool are_images(const tinsmith_diana_layer_t *layer) {
  if (layer->mode == kTinsmithDianaFullyConnected) {
    return true;  // vectors whose weights fit
  }
  return is_image(layer->input_height, layer->input_width, layer->input_channels) && is_output(layer);
}

// Those that one job needs at least. Pixels of more than a word of all banks are written whole.
static bool are_weights(const tinsmith_diana_layer_t *layer) {
  const uint32_t blocks = rounded_up(layer->output_channels) / kLanes;
  const uint32_t least = layer->gives_pixels && blocks > TINSMITH_DIANA_BANKS ? blocks : 1u;
  return (uint64_t)weight_rows(layer) * least <= TINSMITH_DIANA_WEIGHT_BYTES / kLanes;
}

static bool is_outcome(const tinsmith_diana_layer_t *layer) {
  return layer->shift <= 31u && !(layer->mode == kTinsmithDianaAddition && layer->is_rectified) &&
         !(layer->mode != kTinsmithDianaConvolution && layer->gives_pixels);
}

static tinsmith_diana_status_t check_layer(const tinsmith_diana_layer_t *layer) {
  if ((uint32_t)layer->mode > kTinsmithDianaAddition) {
    return kTinsmithDianaBadMode;
  }
  if (!are_sizes(layer)) {
    return kTinsmithDianaBadShape;
  }
  if (!is_padding(layer)) {
    return kTinsmithDianaBadPadding;
  }
  if (!is_shape(layer)) {
    return kTinsmithDianaBadShape;
  }
  if (!is_outcome(layer)) {
    return kTinsmithDianaBadOutput;
  }
  if (!are_weights(layer)) {
    return kTinsmithDianaBadWeights;
  }
  return are_images(layer) ? kTinsmithDianaOk : kTinsmithDianaBadMemory;
}

static void set_shape(const tinsmith_diana_layer_t *layer, uint32_t *words) {
  const uint32_t columns = rounded_up(layer->output_width);
  words[kInputWidth] = layer->input_width;
  words[kInputHeight] = layer->input_height;
  words[kInputRowBytes] = rounded_up(layer->input_width);
  words[kInputPlaneBytes] = words[kInputRowBytes] * layer->input_height;
  words[kKernelWidth] = layer->kernel_width;
  words[kKernelHeight] = layer->kernel_height;
  words[kOutputColumns] = columns / kLanes;
  words[kOutputRows] = layer->output_height;
  words[kOutputPlaneBytes] = columns * layer->output_height;
  words[kPadding] = layer->pad_width << kPadWidth | layer->pad_top << kPadTop | layer->pad_bottom << kPadBottom;
  words[kIsStrided] = layer->stride - 1u;
}

// The fewest equal parts of blocks of 16 outputs whose weights the memory takes.
static uint32_t parts_of(uint32_t blocks, uint32_t block_bytes) {
  uint32_t parts = 1u;
  while (blocks % parts != 0u || blocks / parts * block_bytes > TINSMITH_DIANA_WEIGHT_BYTES) {
    ++parts;
  }
  return parts;
}

// As few jobs as there may be, each of as many output channels and all that it needs of weights. Pixels of several jobs
// have no more than a block in each bank.
static void set_convolution(const tinsmith_diana_layer_t *layer, uint32_t *words) {
  const uint32_t blocks = rounded_up(layer->output_channels) / kLanes;
  const uint32_t block_bytes = weight_rows(layer) * kLanes;
  const uint32_t jobs = parts_of(blocks, block_bytes);
  words[kInputChannels] = layer->input_channels;
  words[kOutputChannels] = blocks / jobs;
  words[kJobs] = jobs;
  words[kWeightBytes] = blocks / jobs * block_bytes;
  words[kGroupBytes] = words[kWeightBytes];
  words[kOutputJobBytes] =
      blocks / jobs * (layer->gives_pixels ? TINSMITH_DIANA_BANK_BYTES : kLanes * words[kOutputPlaneBytes]);
}

// Channels of one place in their groups of four are a job, as the others' weights lie between theirs, and 16 planes of
// each are of this place, too.
static void join_channels(const tinsmith_diana_layer_t *layer, uint32_t *words) {
  const uint32_t joined = joined_channels(layer);
  if (joined == 1u) {
    return;
  }
  words[kJoined] = joined;
  words[kOutputPlaneBytes] *= kDepthwiseGroup;
  if (may(layer, kTinsmithDianaChannelLoops)) {
    words[kInputPlaneBytes] *= kDepthwiseGroup;
    words[kLoopBytes] = words[kWeightBytes];
    words[kLoopChannels] = joined;
  }
}

// A job for each channel: the first of the 16 planes that it writes is right, those behind are for later jobs to write
// over, so that channels go up.
static void set_depthwise(const tinsmith_diana_layer_t *layer, uint32_t *words) {
  words[kInputChannels] = 1u;
  words[kOutputChannels] = 1u;
  words[kJobs] = layer->input_channels;
  words[kWeightBytes] = weight_rows(layer) * kLanes;
  words[kGroup] = kDepthwiseGroup;
  words[kGroupBytes] = words[kWeightBytes];
  words[kGroupJobBytes] = kDepthwiseBytes;
  words[kInputJobBytes] = words[kInputPlaneBytes];
  words[kOutputJobBytes] = words[kOutputPlaneBytes];
  join_channels(layer, words);
}

// A run for 16 outputs, which is all that DORY gives the accelerator at once, or for as many as may be.
static void set_fully_connected(const tinsmith_diana_layer_t *layer, uint32_t *words) {
  const uint32_t blocks = rounded_up(layer->output_channels) / kLanes;
  const uint32_t block_bytes = weight_rows(layer) * kLanes;
  words[kInputChannels] = rounded_up(layer->input_channels) / kLanes;
  words[kJobs] = may(layer, kTinsmithDianaWholeVectors) ? parts_of(blocks, block_bytes) : blocks;
  words[kOutputChannels] = blocks / words[kJobs];
  words[kWeightBytes] = words[kOutputChannels] * block_bytes;
  words[kGroupBytes] = words[kWeightBytes];
  words[kOutputJobBytes] = words[kOutputChannels] * kLanes;
  const uint32_t most = most_joined(layer, words[kWeightBytes], false);
  const uint32_t joined = words[kJobs] < most ? words[kJobs] : most;
  words[kJoined] = joined > 1u ? joined : 0u;
}

static void set_addition(const tinsmith_diana_layer_t *layer, uint32_t *words) {
  words[kMode] = kModeAddition;
  words[kInputChannels] = rounded_up(layer->input_width) / kLanes * layer->input_height * layer->input_channels;
}

static void set_mode(const tinsmith_diana_layer_t *layer, uint32_t *words) {
  if (layer->mode == kTinsmithDianaAddition) {
    set_addition(layer, words);
    return;
  }
  words[kIsRectified] = layer->is_rectified;
  words[kOutputLayout] = layer->gives_pixels ? kLayoutAnalog : kLayoutDigital;
  words[kDilation] = 1u;
  if (!is_convolution(layer)) {
    words[kMode] = kModeFullyConnected;
    set_fully_connected(layer, words);
    return;
  }
  words[kMode] = kModeConvolution;
  set_shape(layer, words);
  if (layer->mode == kTinsmithDianaDepthwise) {
    set_depthwise(layer, words);
  } else {
    set_convolution(layer, words);
  }
}

tinsmith_diana_status_t tinsmith_diana_digital_encode(const tinsmith_diana_layer_t *layer,
                                                      tinsmith_diana_record_t *record) {
  const tinsmith_diana_status_t status = check_layer(layer);
  if (status != kTinsmithDianaOk) {
    return status;
  }
  *record = (tinsmith_diana_record_t){{0u}};
  uint32_t *const words = record->words;
  words[kJobs] = 1u;
  words[kGroup] = 1u;
  words[kStop] = 1u;
  words[kShift] = layer->shift;
  set_mode(layer, words);
  return kTinsmithDianaOk;
}
