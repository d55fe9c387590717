#include "benchmarks/small_cases.h"

#include <stddef.h>

#include "benchmarks/buffers.h"

#if defined(TINSMITH_PULP_ORACLE)
#include "tests/oracle.h"
#include "tinsmith/softmax.h"
#endif

typedef struct {
  const char *kernel;
  const char *shape;
  tinsmith_pulp_add_kind_t kind;
  uint32_t count;
  bool has_tables;
} add_case_t;

typedef struct {
  const char *kernel;
  const char *shape;
  tinsmith_pulp_pool_kind_t kind;
  uint16_t height, width, channels, kernel_height, kernel_width, stride;
} pool_case_t;

typedef struct {
  const char *kernel;
  const char *shape;
  uint32_t rows, columns;
  bool has_table;
} softmax_case_t;

// A lookup is a row without a step.
typedef struct {
  const char *shape;
  uint32_t rows, row_bytes, output_step;
} bytes_case_t;

static const add_case_t kAdds[] = {
    {"add-tflite", "32x32x16", TINSMITH_PULP_ADD_TFLITE, 32u * 32u * 16u, false},
    {"add-tflite", "8x8x64", TINSMITH_PULP_ADD_TFLITE, 8u * 8u * 64u, false},
    {"add-tflite-tables", "32x32x16", TINSMITH_PULP_ADD_TFLITE, 32u * 32u * 16u, true},
    {"add-tflite-tables", "8x8x64", TINSMITH_PULP_ADD_TFLITE, 8u * 8u * 64u, true},
    {"add-requantized", "32x32x16", TINSMITH_PULP_ADD_REQUANTIZED, 32u * 32u * 16u, false},
    {"add-weighted", "32x32x16", TINSMITH_PULP_ADD_WEIGHTED, 32u * 32u * 16u, false},
};

static const pool_case_t kPools[] = {
    {"maxpool", "16x16x64 2x2", TINSMITH_PULP_POOL_MAX, 16, 16, 64, 2, 2, 2},
    {"maxpool", "32x32x16 3x3", TINSMITH_PULP_POOL_MAX, 32, 32, 16, 3, 3, 2},
    {"avgpool-tflite", "8x8x64 8x8", TINSMITH_PULP_POOL_AVERAGE_TFLITE, 8, 8, 64, 8, 8, 1},
    {"avgpool-tflite", "25x5x64 25x5", TINSMITH_PULP_POOL_AVERAGE_TFLITE, 25, 5, 64, 25, 5, 1},
    {"avgpool-tflite", "16x16x64 2x2", TINSMITH_PULP_POOL_AVERAGE_TFLITE, 16, 16, 64, 2, 2, 2},
    {"avgpool-scaled", "16x16x64 2x2", TINSMITH_PULP_POOL_AVERAGE_SCALED, 16, 16, 64, 2, 2, 2},
};

static const softmax_case_t kSoftmaxes[] = {
    {"softmax", "64x12", 64, 12, false},        {"softmax", "16x200", 16, 200, false},
    {"softmax-table", "1x12", 1, 12, true},     {"softmax-table", "64x12", 64, 12, true},
    {"softmax-table", "16x200", 16, 200, true},
};

static const bytes_case_t kLookups[] = {
    {"32x32x16", 1, 32u * 32u * 16u, 0},
};

static const bytes_case_t kCopies[] = {
    {"16384 bytes", 1, 16384, 0},
    {"256 rows of 32", 256, 32, 64},
    {"1024 rows of 6", 1024, 6, 14},
};

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))
#define CORES 8u

static L1 tinsmith_pulp_add_t add;
static L1 tinsmith_pulp_pool_t pool;
static L1 tinsmith_pulp_softmax_t softmax;
static L1 tinsmith_pulp_lookup_t lookup;
static L1 tinsmith_pulp_copy_t copy;
static L1 int32_t tables[2][256];

static void run_add(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_add(argument, core);
}

static void run_pool(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_pool(argument, core);
}

static void run_softmax(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_softmax(argument, core);
}

static void run_lookup(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_lookup(argument, core);
}

static void run_copy(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_copy(argument, core);
}

static benchmark_t prepare_add(const add_case_t *c) {
  const bool is_tflite = c->kind == TINSMITH_PULP_ADD_TFLITE;
  add = (tinsmith_pulp_add_t){
      .kind = c->kind,
      .lhs = input,
      .rhs = weights,
      .output = output,
      .count = c->count,
      .lhs_is_signed = true,
      .rhs_is_signed = true,
      .output_is_signed = true,
      .lhs_zero_point = -3,
      .lhs_multiplier = is_tflite ? 1 << 30 : 75,
      .lhs_addend = 64,
      .lhs_shift = is_tflite ? 0 : 7,
      .rhs_zero_point = 5,
      .rhs_multiplier = is_tflite ? 1765432109 : 99,
      .rhs_addend = -64,
      .rhs_shift = is_tflite ? 2 : 7,
      .output_zero_point = -7,
      .output_multiplier = is_tflite ? 1234567890 : 101,
      .output_addend = 32,
      .output_shift = is_tflite ? 19 : 7,
      .min = -128,
      .max = 127,
  };
  if (c->has_tables) {
    (void)tinsmith_pulp_add_tables(&add, tables[0], tables[1]);
  }
  fill(input, c->count, 1u);
  fill(weights, c->count, 2u);
  return (benchmark_t){c->kernel, c->shape, CORES, 2u * c->count, run_add, &add, output, c->count};
}

static benchmark_t prepare_pool(const pool_case_t *c) {
  const uint32_t elements = (uint32_t)c->height * c->width * c->channels;
  pool = (tinsmith_pulp_pool_t){
      .kind = c->kind,
      .input = input,
      .output = output,
      .input_height = c->height,
      .input_width = c->width,
      .channels = c->channels,
      .output_height = (uint16_t)((c->height - c->kernel_height) / c->stride + 1),
      .output_width = (uint16_t)((c->width - c->kernel_width) / c->stride + 1),
      .kernel_height = c->kernel_height,
      .kernel_width = c->kernel_width,
      .stride_height = c->stride,
      .stride_width = c->stride,
      .input_is_signed = true,
      .output_is_signed = true,
      .multiplier = 33,
      .addend = 64,
      .shift = 7,
      .min = -128,
      .max = 127,
  };
  fill(input, elements, 1u);
  const uint32_t bytes = (uint32_t)pool.output_height * pool.output_width * c->channels;
  return (benchmark_t){c->kernel, c->shape, CORES, elements, run_pool, &pool, output, bytes};
}

// Inputs in steps of 1/16: of all of them exponentials are computed.
static benchmark_t prepare_softmax(const softmax_case_t *c) {
  const uint32_t count = c->rows * c->columns;
  softmax = (tinsmith_pulp_softmax_t){
      .input = (int8_t *)input,
      .output = (int8_t *)output,
      .rows = c->rows,
      .columns = c->columns,
      .multiplier = 1 << 30,
      .shift = 23,
      .smallest_difference = -255,
  };
  if (c->has_table) {
    tinsmith_pulp_softmax_exponentials(&softmax, tables[0]);
    softmax.exponentials = tables[0];
  }
  fill(input, count, 1u);
  return (benchmark_t){c->kernel, c->shape, CORES, count, run_softmax, &softmax, output, count};
}

static benchmark_t prepare_lookup(const bytes_case_t *c) {
  lookup = (tinsmith_pulp_lookup_t){input, output, weights, c->row_bytes};
  fill(input, c->row_bytes, 1u);
  fill(weights, 256u, 2u);
  return (benchmark_t){"lookup", c->shape, CORES, c->row_bytes, run_lookup, &lookup, output, c->row_bytes};
}

static benchmark_t prepare_copy(const bytes_case_t *c) {
  copy = (tinsmith_pulp_copy_t){input, output, c->rows, c->row_bytes, c->row_bytes, c->output_step};
  const uint32_t bytes = c->rows * c->row_bytes;
  fill(input, bytes, 1u);
  return (benchmark_t){"copy",   c->shape, CORES,  bytes,
                       run_copy, &copy,    output, (c->rows - 1u) * c->output_step + c->row_bytes};
}

uint32_t small_count(void) {
  return COUNT(kAdds) + COUNT(kPools) + COUNT(kSoftmaxes) + COUNT(kLookups) + COUNT(kCopies);
}

benchmark_t small_case(uint32_t index) {
  if (index < COUNT(kAdds)) {
    return prepare_add(&kAdds[index]);
  }
  index -= COUNT(kAdds);
  if (index < COUNT(kPools)) {
    return prepare_pool(&kPools[index]);
  }
  index -= COUNT(kPools);
  if (index < COUNT(kSoftmaxes)) {
    return prepare_softmax(&kSoftmaxes[index]);
  }
  index -= COUNT(kSoftmaxes);
  return index < COUNT(kLookups) ? prepare_lookup(&kLookups[index]) : prepare_copy(&kCopies[index - COUNT(kLookups)]);
}

#if defined(TINSMITH_PULP_ORACLE)

static void expect_softmax(void) {
  const tinsmith_softmax_parameters parameters = {softmax.multiplier, softmax.shift, softmax.smallest_difference};
  tinsmith_softmax_s8((int32_t)softmax.rows, (int32_t)softmax.columns, &parameters, softmax.input, softmax.output);
}

static void expect_lookup(void) {
  for (uint32_t i = 0u; i < lookup.count; ++i) {
    output[i] = (uint8_t)lookup.table[((const uint8_t *)lookup.input)[i]];
  }
}

static void expect_copy(void) {
  for (uint32_t i = 0u; i < copy.rows * copy.row_bytes; ++i) {
    output[i / copy.row_bytes * copy.output_step + i % copy.row_bytes] = ((const uint8_t *)copy.input)[i];
  }
}

void small_expect(uint32_t index) {
  const benchmark_t benchmark = small_case(index);
  if (benchmark.layer == &add) {
    add.lhs_table = NULL;
    oracle_add(&add, output);
  } else if (benchmark.layer == &pool) {
    oracle_pool(&pool, output);
  } else if (benchmark.layer == &softmax) {
    expect_softmax();
  } else if (benchmark.layer == &lookup) {
    expect_lookup();
  } else {
    expect_copy();
  }
}

#endif
