// Prints cycles of many calls of kernels/pulp_nn on the simulated cluster: for each line of SHAPES, a file that
// fit_costs.py writes, its number, cycles with empty instruction caches, and cycles of the run after that; separated by
// commas. All that a kernel touches is in first-level memory. Cycles are from before the fork to after the join; of a
// copy by the DMA, from before its programming to after its wait. What is called is what the back end calls: kernels of
// one kind, and with TFLite's stage those that find all numbers of the channels in one array.
#include <stddef.h>
#include <string.h>

#include "tinsmith_pulp.h"
#include "tinsmith_pulp_arranged.h"
#include "tinsmith_pulp_few_bits.h"
#include "tinsmith_pulp_nn.h"
#include "tinsmith_pulp_tensors.h"

#define POOL_BYTES (224u * 1024u)
#define MOST_CHANNELS 256u
#define TABLE_BYTES 256u
#define TABLE_WORDS 256u

typedef enum {
  kConv2d,
  kDepthwise,
  kLinear,
  kAdd,
  kMaxPool,
  kAveragePool,
  kSoftmax,
  kLookup,
  kMulTflite,
  kMulScaled,
  kSum,
  kExtremum,
  kMean,
  kMove,
  kWiden,
  kDmaToL1,
  kDmaToL2,
} kernel_t;

// numbers: of convolutions and pools as Image of geometry.py has them, of others in the order of their dataclass, one
// after the other. Of
// the DMA: bytes, bytes of a line (0 for one dimension), from line to line.
typedef struct {
  kernel_t kernel;
  bool is_tflite;
  uint32_t cores;
  uint16_t numbers[12];
} shape_t;

static const shape_t kShapes[] = {
#include SHAPES
};

typedef void (*run_t)(const void *layer, tinsmith_pulp_core_t core);

typedef struct {
  run_t run;
  const void *layer;
} job_t;

// The shape that is measured: near, or its numbers would take long to load.
static PULP_L1 shape_t near_shape;
static PULP_L1 uint8_t pool[POOL_BYTES];
static PULP_L1 int32_t bias[MOST_CHANNELS];
static PULP_L1 int32_t multipliers[MOST_CHANNELS];
static PULP_L1 int32_t addends[MOST_CHANNELS];
static PULP_L1 int32_t shifts[MOST_CHANNELS];
static uint8_t far_memory[POOL_BYTES];

// Layers lie near, as their arrays do.
static PULP_L1 union {
  tinsmith_pulp_conv2d_t conv2d;
  tinsmith_pulp_depthwise_t depthwise;
  tinsmith_pulp_linear_t linear;
  tinsmith_pulp_add_t add;
  tinsmith_pulp_pool_t pool;
  tinsmith_pulp_softmax_t softmax;
  tinsmith_pulp_lookup_t lookup;
  tinsmith_pulp_mul_t mul;
  tinsmith_pulp_sum_t sum;
  tinsmith_pulp_pairs_t extremum;
  tinsmith_pulp_mean_t mean;
  tinsmith_pulp_move_t move;
  tinsmith_pulp_widen_t widen;
} layers;
static PULP_L1 tinsmith_pulp_box_t near_box;
static PULP_L1 const void *near_input;
static PULP_L1 tinsmith_pulp_call_t call;
static PULP_L1 tinsmith_pulp_window_numbers_t near_window;
static PULP_L1 tinsmith_pulp_linear_numbers_t near_linear;

static uint32_t used;

static void *take(uint32_t bytes) {
  void *taken = pool + used;
  used += (bytes + 15u) & ~15u;
  if (used > POOL_BYTES) {
    pulp_print("a layer is too large\n");
    pulp_exit(1);
  }
  return taken;
}

static void fill(void *bytes, uint32_t count, uint32_t state) {
  for (uint32_t i = 0u; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    ((uint8_t *)bytes)[i] = (uint8_t)(state >> 24);
  }
}

static void fill_stage(void) {
  for (uint32_t i = 0u; i < MOST_CHANNELS; ++i) {
    bias[i] = (int32_t)(i * 37u) - 2000;
    addends[i] = (int32_t)(i * 1001u) - 50000;
    shifts[i] = 8;
  }
}

static tinsmith_pulp_stage_t stage_of(bool is_tflite) {
  for (uint32_t i = 0u; i < MOST_CHANNELS; ++i) {
    multipliers[i] = is_tflite ? (1 << 30) + (int32_t)(i * 3654321u) : 9 + (int32_t)i % 7;
  }
  return (tinsmith_pulp_stage_t){
      .kind = is_tflite ? TINSMITH_PULP_TFLITE_S8 : TINSMITH_PULP_TRUNCATE_S8,
      .bias = is_tflite ? bias : NULL,
      .multipliers = multipliers,
      .addends = addends,
      .shifts = shifts,
      .shift = 11,
      .zero_point = -5,
      .min = -128,
      .max = 127,
  };
}

static void run_conv2d(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_arranged_conv2d(layer, core);
}

static void run_conv2d_truncating(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_conv2d_packed_truncate_s8(layer, core);
}

static void run_depthwise(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_arranged_depthwise(layer, core);
}

static void run_depthwise_truncating(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_depthwise_truncate_s8(layer, core);
}

static void run_depthwise_3x3(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_arranged_depthwise_3x3(layer, core);
}

static void run_depthwise_3x3_truncating(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_depthwise_3x3_truncate_s8(layer, core);
}

static void run_linear(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_arranged_linear(layer, core);
}

static void run_linear_truncating(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_linear_packed_truncate_s8(layer, core);
}

static void run_add(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_add_tflite_s8(layer, core);
}

static void run_max_pool(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_max_pool_s8(layer, core);
}

static void run_average_pool(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_average_pool_tflite_s8(layer, core);
}

static void run_softmax(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_softmax_by_table(layer, core);
}

static void run_lookup(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_lookup(layer, core);
}

static void run_mul_tflite(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_mul_tflite_s8(layer, core);
}

static void run_mul_scaled(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_mul_scaled_s8(layer, core);
}

static void run_sum(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_sum_by_tables(layer, core);
}

static void run_extremum(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_maximum_s8(layer, core);
}

static void run_mean(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_mean_s8(layer, core);
}

static void run_move(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_move(layer, core);
}

static void run_widen(const void *layer, tinsmith_pulp_core_t core) {
  tinsmith_pulp_widen_s4(layer, core);
}

static const tinsmith_pulp_output_numbers_t kOutputNumbers = {-5, -128, 127};

static tinsmith_pulp_window_numbers_t window_numbers(const uint16_t *n) {
  return (tinsmith_pulp_window_numbers_t){n[0], n[1],  n[2],  n[3], n[4], n[5], n[6],
                                          n[7], n[10], n[11], n[8], n[9], 3,    kOutputNumbers};
}

// Takes and fills an array of constants: what the stage has for each channel, weights.
static const void *arrange(uint32_t channels, uint32_t weights_bytes) {
  const uint32_t stage_bytes = channels * (uint32_t)sizeof(int32_t);
  uint8_t *constants = take(3u * stage_bytes + weights_bytes);
  uint8_t *next = constants;
  const int32_t *const arrays[] = {bias, multipliers, shifts};
  for (uint32_t i = 0u; i < 3u; ++i) {
    memcpy(next, arrays[i], stage_bytes);
    next += stage_bytes;
  }
  fill(next, weights_bytes, 1u);
  return constants;
}

static job_t conv2d_of(const shape_t *shape) {
  const uint16_t *n = shape->numbers;
  const uint32_t columns = (uint32_t)n[6] * n[7] * n[2];
  layers.conv2d = (tinsmith_pulp_conv2d_t){
      .input_height = n[0],
      .input_width = n[1],
      .input_channels = n[2],
      .output_height = n[3],
      .output_width = n[4],
      .output_channels = n[5],
      .kernel_height = n[6],
      .kernel_width = n[7],
      .stride_height = n[8],
      .stride_width = n[9],
      .pad_top = n[10],
      .pad_left = n[11],
      .pad_value = 3,
      .input_is_signed = true,
      .weights_are_packed = true,
      .split = TINSMITH_PULP_SPLIT_BALANCED,
      .stage = stage_of(shape->is_tflite),
  };
  layers.conv2d.input = take((uint32_t)n[0] * n[1] * n[2]);
  layers.conv2d.output = take((uint32_t)n[3] * n[4] * n[5]);
  layers.conv2d.scratch = take(tinsmith_pulp_conv2d_scratch_bytes(&layers.conv2d, shape->cores));
  const uint32_t weights_bytes = tinsmith_pulp_packed_bytes(n[5], columns);
  if (!shape->is_tflite) {
    layers.conv2d.weights = take(weights_bytes);
    return (job_t){run_conv2d_truncating, &layers.conv2d};
  }
  near_window = window_numbers(n);
  const void *constants = arrange(n[5], weights_bytes);
  call =
      (tinsmith_pulp_call_t){layers.conv2d.input, &near_window, constants, layers.conv2d.output, layers.conv2d.scratch};
  return (job_t){run_conv2d, &call};
}

static job_t depthwise_of(const shape_t *shape) {
  const uint16_t *n = shape->numbers;
  layers.depthwise = (tinsmith_pulp_depthwise_t){
      .input_height = n[0],
      .input_width = n[1],
      .channels = n[2],
      .output_height = n[3],
      .output_width = n[4],
      .kernel_height = n[6],
      .kernel_width = n[7],
      .stride_height = n[8],
      .stride_width = n[9],
      .pad_top = n[10],
      .pad_left = n[11],
      .pad_value = 3,
      .input_is_signed = true,
      .stage = stage_of(shape->is_tflite),
  };
  layers.depthwise.input = take((uint32_t)n[0] * n[1] * n[2]);
  layers.depthwise.output = take((uint32_t)n[3] * n[4] * n[2]);
  layers.depthwise.scratch = take(tinsmith_pulp_depthwise_scratch_bytes(&layers.depthwise, shape->cores));
  const uint32_t weights_bytes = (uint32_t)n[6] * n[7] * n[2];
  const bool is_3x3 = n[6] == 3u && n[7] == 3u && n[8] == n[9] && n[8] <= 2u;
  if (!shape->is_tflite) {
    layers.depthwise.weights = take(weights_bytes);
    return (job_t){is_3x3 ? run_depthwise_3x3_truncating : run_depthwise_truncating, &layers.depthwise};
  }
  near_window = window_numbers(n);
  const void *constants = arrange(n[2], weights_bytes);
  call = (tinsmith_pulp_call_t){layers.depthwise.input, &near_window, constants, layers.depthwise.output,
                                layers.depthwise.scratch};
  return (job_t){is_3x3 ? run_depthwise_3x3 : run_depthwise, &call};
}

static job_t linear_of(const shape_t *shape) {
  const uint16_t *n = shape->numbers;
  layers.linear = (tinsmith_pulp_linear_t){
      .inputs = n[0],
      .outputs = n[1],
      .input_is_signed = true,
      .weights_are_packed = true,
      .stage = stage_of(shape->is_tflite),
  };
  layers.linear.input = take((n[0] + 3u) & ~3u);
  layers.linear.output = take(n[1]);
  const uint32_t weights_bytes = tinsmith_pulp_packed_bytes(n[1], n[0]);
  if (!shape->is_tflite) {
    layers.linear.weights = take(weights_bytes);
    return (job_t){run_linear_truncating, &layers.linear};
  }
  near_linear = (tinsmith_pulp_linear_numbers_t){n[0], n[1], kOutputNumbers};
  const void *constants = arrange(n[1], weights_bytes);
  call = (tinsmith_pulp_call_t){layers.linear.input, &near_linear, constants, layers.linear.output, NULL};
  return (job_t){run_linear, &call};
}

static job_t add_of(const shape_t *shape) {
  const uint32_t count = shape->numbers[0];
  layers.add = (tinsmith_pulp_add_t){
      .kind = TINSMITH_PULP_ADD_TFLITE,
      .count = count,
      .min = -128,
      .max = 127,
      .table_shift = 20,
  };
  int32_t *tables = take(2u * TABLE_WORDS * (uint32_t)sizeof(int32_t));
  fill(tables, 2u * TABLE_WORDS * (uint32_t)sizeof(int32_t), 1u);
  layers.add.lhs_table = tables;
  layers.add.rhs_table = tables + TABLE_WORDS;
  layers.add.lhs = take(count);
  layers.add.rhs = take(count);
  layers.add.output = take(count);
  return (job_t){run_add, &layers.add};
}

static job_t pool_of(const shape_t *shape) {
  const uint16_t *n = shape->numbers;
  layers.pool = (tinsmith_pulp_pool_t){
      .kind = shape->kernel == kMaxPool ? TINSMITH_PULP_POOL_MAX : TINSMITH_PULP_POOL_AVERAGE_TFLITE,
      .input_height = n[0],
      .input_width = n[1],
      .channels = n[2],
      .output_height = n[3],
      .output_width = n[4],
      .kernel_height = n[6],
      .kernel_width = n[7],
      .stride_height = n[8],
      .stride_width = n[9],
      .pad_top = n[10],
      .pad_left = n[11],
      .input_is_signed = true,
      .output_is_signed = true,
      .min = -128,
      .max = 127,
  };
  layers.pool.input = take((uint32_t)n[0] * n[1] * n[2]);
  layers.pool.output = take((uint32_t)n[3] * n[4] * n[2]);
  return (job_t){shape->kernel == kMaxPool ? run_max_pool : run_average_pool, &layers.pool};
}

// Inputs in steps of 1/16: all of them have exponentials.
static job_t softmax_of(const shape_t *shape) {
  const uint32_t count = (uint32_t)shape->numbers[0] * shape->numbers[1];
  layers.softmax = (tinsmith_pulp_softmax_t){
      .rows = shape->numbers[0],
      .columns = shape->numbers[1],
      .multiplier = 1 << 30,
      .shift = 23,
      .smallest_difference = -255,
  };
  int8_t *input = take(count);
  fill(input, count, 1u);
  int32_t *exponentials = take(TABLE_WORDS * (uint32_t)sizeof(int32_t));
  tinsmith_pulp_softmax_exponentials(&layers.softmax, exponentials);
  layers.softmax.exponentials = exponentials;
  layers.softmax.input = input;
  layers.softmax.output = take(count);
  return (job_t){run_softmax, &layers.softmax};
}

static job_t lookup_of(const shape_t *shape) {
  layers.lookup.count = shape->numbers[0];
  layers.lookup.table = take(TABLE_BYTES);
  layers.lookup.input = take(shape->numbers[0]);
  layers.lookup.output = take(shape->numbers[0]);
  return (job_t){run_lookup, &layers.lookup};
}

// The other operand is the same in all rows.
static tinsmith_pulp_pairs_t pairs_of(const shape_t *shape) {
  const uint16_t *n = shape->numbers;
  const uint32_t count = (uint32_t)n[0] * n[1];
  return (tinsmith_pulp_pairs_t){take(count), take(n[1]), take(count), n[0], n[1], n[1], 0u, 1u, 1u};
}

static job_t mul_of(const shape_t *shape) {
  const bool is_tflite = shape->kernel == kMulTflite;
  layers.mul = (tinsmith_pulp_mul_t){.pairs = pairs_of(shape),
                                     .lhs_offset = 3,
                                     .rhs_offset = -5,
                                     .high = 20000,
                                     .low = 12345,
                                     .shift = is_tflite ? 7 : 22,
                                     .min = -128,
                                     .max = 127};
  return (job_t){is_tflite ? run_mul_tflite : run_mul_scaled, &layers.mul};
}

static job_t sum_of(const shape_t *shape) {
  layers.sum = (tinsmith_pulp_sum_t){.pairs = pairs_of(shape), .shift = 20u, .min = -128, .max = 127};
  const uint32_t bytes = 2u * TABLE_WORDS * (uint32_t)sizeof(int32_t);
  int32_t *tables = take(bytes);
  fill(tables, bytes, 1u);
  layers.sum.lhs_table = tables;
  layers.sum.rhs_table = tables + TABLE_WORDS;
  return (job_t){run_sum, &layers.sum};
}

static job_t extremum_of(const shape_t *shape) {
  layers.extremum = pairs_of(shape);
  return (job_t){run_extremum, &layers.extremum};
}

static job_t mean_of(const shape_t *shape) {
  const uint16_t *n = shape->numbers;
  layers.mean = (tinsmith_pulp_mean_t){.outer = n[0],
                                       .count = n[1],
                                       .inner = n[2],
                                       .input_zero_point = 3,
                                       .is_tflite = true,
                                       .multiplier = 1 << 30,
                                       .shift = 4,
                                       .min = -128,
                                       .max = 127};
  layers.mean.input = take((uint32_t)n[0] * n[1] * n[2]);
  layers.mean.output = take((uint32_t)n[0] * n[2]);
  return (job_t){run_mean, &layers.mean};
}

static uint32_t bytes_of_box(const uint32_t *sizes, const uint32_t *steps) {
  uint32_t last = 0u;
  for (uint32_t i = 0u; i < TINSMITH_PULP_BOX_AXES; ++i) {
    last += (sizes[i] - 1u) * steps[i];
  }
  return last + 1u;
}

static job_t move_of(const shape_t *shape) {
  for (uint32_t i = 0u; i < TINSMITH_PULP_BOX_AXES; ++i) {
    near_box.sizes[i] = shape->numbers[i];
    near_box.from_steps[i] = shape->numbers[TINSMITH_PULP_BOX_AXES + i];
    near_box.to_steps[i] = shape->numbers[2u * TINSMITH_PULP_BOX_AXES + i];
  }
  near_input = take(bytes_of_box(near_box.sizes, near_box.from_steps));
  layers.move =
      (tinsmith_pulp_move_t){&near_input, take(bytes_of_box(near_box.sizes, near_box.to_steps)), &near_box, 1u};
  return (job_t){run_move, &layers.move};
}

static job_t widen_of(const shape_t *shape) {
  const uint32_t words = shape->numbers[0];
  const uint32_t sixteens = shape->numbers[1];
  layers.widen = (tinsmith_pulp_widen_t){
      .numbers = words,
      .numbers_share = (words + shape->cores - 1u) / shape->cores,
      .sixteens = sixteens,
      .sixteens_share = ((sixteens + shape->cores - 1u) / shape->cores) | 1u,
  };
  layers.widen.packed = take(4u * words + 8u * sixteens);
  layers.widen.widened = take(4u * words + 16u * sixteens);
  return (job_t){run_widen, &layers.widen};
}

static job_t job_of(const shape_t *shape) {
  used = 0u;
  switch (shape->kernel) {
    case kConv2d:
      return conv2d_of(shape);
    case kDepthwise:
      return depthwise_of(shape);
    case kLinear:
      return linear_of(shape);
    case kAdd:
      return add_of(shape);
    case kSoftmax:
      return softmax_of(shape);
    case kLookup:
      return lookup_of(shape);
    case kMulTflite:
    case kMulScaled:
      return mul_of(shape);
    case kSum:
      return sum_of(shape);
    case kExtremum:
      return extremum_of(shape);
    case kMean:
      return mean_of(shape);
    case kMove:
      return move_of(shape);
    case kWiden:
      return widen_of(shape);
    default:
      return pool_of(shape);
  }
}

static void run(void *argument) {
  const job_t *job = argument;
  job->run(job->layer, (tinsmith_pulp_core_t){pulp_core_id(), pulp_team_size()});
}

static void empty_caches(void *argument) {
  (void)argument;
  __asm__ volatile("fence.i" : : : "memory");
}

// Not inlined: the second call must find its own instructions in the cache.
static __attribute__((noinline)) uint32_t cycles_of_job(const shape_t *shape, job_t *job) {
  const uint32_t start = pulp_cycles();
  pulp_team_fork(shape->cores, run, job);
  return pulp_cycles() - start;
}

static __attribute__((noinline)) uint32_t cycles_of_copy(const shape_t *shape) {
  const uint16_t *n = shape->numbers;
  const pulp_dma_direction_t direction = shape->kernel == kDmaToL1 ? kPulpToL1 : kPulpToL2;
  const uint32_t start = pulp_cycles();
  const uint32_t number = n[1] == 0u ? pulp_dma_start(pool, far_memory, n[0], direction)
                                     : pulp_dma_start_lines(pool, far_memory, n[0], n[1], n[2], direction);
  pulp_dma_wait(number);
  return pulp_cycles() - start;
}

int main(void) {
  fill(pool, POOL_BYTES, 1u);
  fill_stage();
  for (uint32_t i = 0u; i < sizeof kShapes / sizeof *kShapes; ++i) {
    near_shape = kShapes[i];
    const shape_t *shape = &near_shape;
    // Or the compiler loads the numbers from where they came.
    __asm__ volatile("" : "+r"(shape) : : "memory");
    const bool is_copy = shape->kernel == kDmaToL1 || shape->kernel == kDmaToL2;
    job_t job = is_copy ? (job_t){NULL, NULL} : job_of(shape);
    pulp_team_fork(PULP_CORES_MAX, empty_caches, NULL);
    const uint32_t cold = is_copy ? cycles_of_copy(shape) : cycles_of_job(shape, &job);
    const uint32_t warm = is_copy ? cycles_of_copy(shape) : cycles_of_job(shape, &job);
    pulp_print_number((int32_t)i);
    pulp_print(",");
    pulp_print_number((int32_t)cold);
    pulp_print(",");
    pulp_print_number((int32_t)warm);
    pulp_print("\n");
  }
  return 0;
}
