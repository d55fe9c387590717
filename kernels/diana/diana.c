// DIANA's digital accelerator for the chip's core. Which register is which, and the words of a configuration, KU
// Leuven's SDK and DORY's hardware abstraction (dory-hal) say; enable bits and addresses the SDK.
//
// The accelerator loads its configuration and its instructions from the second-level memory, of which it reaches the
// shared part alone. Both lie in one place there, a record's words are copied into it, and jobs of one layer change two
// of them and one register: all else stays as it is until the next layer. Nothing is changed while a job is under way,
// as nobody says when it has read what. A wait asks for STATUS again and again.

#include "tinsmith/diana.h"

#include "chip.h"
#include "record.h"

#define CONVOLUTION_WEIGHTS 0x40u  // an address, and words behind it, as in the next three
#define FULLY_CONNECTED_WEIGHTS 0x48u
#define INSTRUCTIONS 0x50u
#define CONFIGURATION 0x60u
#define ACTIVATION_WORDS 0x5cu
#define OPERATION 0xa0u
#define COPY_ADDRESS 0xa4u
#define COPY_WORDS 0xa8u
#define COPY_L1 0xacu
#define COPY_BANKS 0xb0u
#define COPY_ROWS 0xb4u
#define WORDS 0x04u

// Where weights of fully connected layers begin, in rows, and the logarithm of it in bytes: halfway for convolutions.
#define CONVOLUTION_FIRST_ROW 0x800u
#define CONVOLUTION_LOGARITHM 0xfu

// Behind the instruction one that stops and does nothing.
typedef struct {
  uint32_t convolution[CONFIGURATION_WORDS];
  uint32_t fully_connected[CONFIGURATION_WORDS];
  uint32_t instructions[2][kInstructionWords];
} shared_t;

static shared_t shared TINSMITH_DIANA_SHARED;

static uint32_t started;
static bool is_ready;

static inline void store_register(uint32_t offset, uint32_t value) {
  store_word(TINSMITH_DIANA_DIGITAL + offset, value);
}

static inline void wait_until_idle(void) {
  wait_for(TINSMITH_DIANA_DIGITAL);
}

static void clear_shared(void) {
#pragma GCC unroll 16
  for (uint32_t *word = (uint32_t *)&shared; word < (uint32_t *)(&shared + 1); ++word) {
    store_shared(word, 0u);
  }
}

static inline void store_instructions(const uint32_t *first, uint32_t count) {
  store_register(INSTRUCTIONS, address(first));
  store_register(INSTRUCTIONS + WORDS, count * kInstructionWords);
}

// Turn the accelerator on, and write what no job changes.
static __attribute__((noinline)) void prepare(void) {
  enable_accelerators();
  clear_shared();
  store_shared(&shared.convolution[0], CONVOLUTION_FIRST_ROW);
  store_shared(&shared.convolution[1], CONVOLUTION_LOGARITHM);
  store_shared(&shared.instructions[1][kStop], 1u);
  store_instructions(shared.instructions[0], 2u);
  store_register(CONFIGURATION + WORDS, CONFIGURATION_WORDS);
  store_register(ACTIVATION_WORDS, 0u);
  is_ready = true;
}

static inline void begin(void) {
  if (!is_ready) {
    prepare();
  }
  wait_until_idle();
  order_memory();
}

// A record's first words but the one that stops; of those behind the padding only one is ever other than 0.
static inline __attribute__((always_inline)) void store_instruction(uint32_t *instruction, const uint32_t *words) {
  // Two by two: no store waits for the load right before it.
#pragma GCC unroll 8
  for (uint32_t i = kInputChannels; i < kStop; i += 2u) {
    const uint32_t first = words[i];
    const uint32_t second = words[i + 1u];
    __asm__ volatile("" : : "r"(first), "r"(second));
    store_shared(&instruction[i], first);
    store_shared(&instruction[i + 1u], second);
  }
  const uint32_t shift = words[kShift];
  const uint32_t padding = words[kPadding];
  const uint32_t is_strided = words[kIsStrided];
  store_shared(&instruction[kMode], words[kMode]);
  store_shared(&instruction[kShift], shift);
  store_shared(&instruction[kPadding], padding);
  store_shared(&instruction[kIsStrided], is_strided);
}

// The registers of a layer; returns that of its weights' address.
static inline __attribute__((always_inline)) uint32_t store_layer(const uint32_t *words) {
  const bool is_fully_connected = words[kMode] == kModeFullyConnected;
  const uint32_t weights = words[kWeightBytes] / 4u;
  store_register(OPERATION, kCompute);
  store_register(CONFIGURATION, address(is_fully_connected ? shared.fully_connected : shared.convolution));
  store_register(CONVOLUTION_WEIGHTS + WORDS, is_fully_connected ? 0u : weights);
  store_register(FULLY_CONNECTED_WEIGHTS + WORDS, is_fully_connected ? weights : 0u);
  return is_fully_connected ? FULLY_CONNECTED_WEIGHTS : CONVOLUTION_WEIGHTS;
}

// What changes from job to job is worked out while the one before is under way.
static void run_jobs(const uint32_t *words, const tinsmith_diana_places_t *places, uint32_t weight_register) {
  uint32_t *const instruction = shared.instructions[0];
  uint32_t input = address(places->input) - TINSMITH_DIANA_L1;
  uint32_t output = address(places->output) - TINSMITH_DIANA_L1;
  uint32_t group = address(places->weights);
  uint32_t weights = group;
  uint32_t left_of_group = words[kGroup];
  for (uint32_t left = words[kJobs];;) {
    store_shared(&instruction[kInput], input);
    store_shared(&instruction[kOutput], output);
    store_register(weight_register, weights);
    store_register(TRIGGER, 0u);
    if (--left == 0u) {
      return;
    }
    input += words[kInputJobBytes];
    output += words[kOutputJobBytes];
    weights += words[kGroupJobBytes];
    if (--left_of_group == 0u) {
      left_of_group = words[kGroup];
      group += words[kGroupBytes];
      weights = group;
    }
    wait_until_idle();
  }
}

uint32_t tinsmith_diana_start(const tinsmith_diana_record_t *record, const tinsmith_diana_places_t *places) {
  const uint32_t *const words = record->words;
  begin();
  store_instruction(shared.instructions[0], words);
  const bool is_addition = words[kMode] == kModeAddition;
  store_shared(&shared.instructions[0][kWeights], is_addition ? address(places->operand) - TINSMITH_DIANA_L1 : 0u);
  run_jobs(words, places, store_layer(words));
  return started++;
}

// Instructions of a job, the last of them in the place before the last; behind it the one that stops.
static uint32_t joined[TINSMITH_DIANA_INSTRUCTIONS + 1u][kInstructionWords] TINSMITH_DIANA_SHARED_JOINED;

static bool is_joined_ready;

static inline uint32_t least_of(uint32_t one, uint32_t other) {
  return one < other ? one : other;
}

static void clear_joined(void) {
  for (uint32_t i = 0u; i <= TINSMITH_DIANA_INSTRUCTIONS; ++i) {
#pragma GCC unroll 32
    for (uint32_t word = 0u; word < kInstructionWords; ++word) {
      store_shared(&joined[i][word], 0u);
    }
  }
}

static void prepare_joined(const uint32_t *words, uint32_t instructions) {
  if (!is_joined_ready) {
    clear_joined();
    store_shared(&joined[TINSMITH_DIANA_INSTRUCTIONS][kStop], 1u);
    is_joined_ready = true;
  }
  for (uint32_t i = TINSMITH_DIANA_INSTRUCTIONS - instructions; i < TINSMITH_DIANA_INSTRUCTIONS; ++i) {
    store_instruction(joined[i], words);
    store_shared(&joined[i][kLoopBytes], 0u);
    store_shared(&joined[i][kLoopChannels], 0u);
  }
}

// Runs of one place in `count` groups from `group` on, by as many instructions or by one that loops.
static void run_joined(const uint32_t *words, const tinsmith_diana_places_t *places, uint32_t weight_register,
                       uint32_t place, uint32_t group, uint32_t count) {
  const bool is_loop = words[kLoopChannels] != 0u;
  const uint32_t instructions = is_loop ? 1u : count;
  const uint32_t input_step = words[kGroup] * words[kInputJobBytes];
  const uint32_t output_step = words[kGroup] * words[kOutputJobBytes];
  uint32_t (*const list)[kInstructionWords] = &joined[TINSMITH_DIANA_INSTRUCTIONS - instructions];
  uint32_t input = address(places->input) - TINSMITH_DIANA_L1 + place * words[kInputJobBytes] + group * input_step;
  uint32_t output = address(places->output) - TINSMITH_DIANA_L1 + place * words[kOutputJobBytes] + group * output_step;
  uint32_t weights = 0u;
  for (uint32_t i = 0u; i < instructions; ++i) {
    store_shared(&list[i][kWeights], weights);
    store_shared(&list[i][kInput], input);
    store_shared(&list[i][kOutput], output);
    weights += words[kGroupBytes];
    input += input_step;
    output += output_step;
  }
  if (is_loop) {
    store_shared(&list[0][kLoopBytes], count > 1u ? words[kLoopBytes] : 0u);
    store_shared(&list[0][kLoopChannels], count > 1u ? count : 0u);
  }
  const uint32_t first = address(places->weights) + group * words[kGroupBytes] + place * words[kGroupJobBytes];
  store_register(weight_register, first);
  store_register(weight_register + WORDS, (words[kWeightBytes] + (count - 1u) * words[kGroupBytes]) / 4u);
  store_instructions(list[0], instructions + 1u);
  store_register(TRIGGER, 0u);
}

// Runs of a place in their groups never write what those of another one do, so that places come one after the other.
// The last group may have fewer.
uint32_t tinsmith_diana_start_joined(const tinsmith_diana_record_t *record, const tinsmith_diana_places_t *places) {
  const uint32_t *const words = record->words;
  const uint32_t groups = (words[kJobs] + words[kGroup] - 1u) / words[kGroup];
  const uint32_t in_last = words[kJobs] - (groups - 1u) * words[kGroup];
  const uint32_t most = least_of(words[kJoined], groups);
  begin();
  prepare_joined(words, words[kLoopChannels] != 0u ? 1u : most);
  const uint32_t weight_register = store_layer(words);
  for (uint32_t place = 0u; place < words[kGroup]; ++place) {
    const uint32_t own = place < in_last ? groups : groups - 1u;
    for (uint32_t group = 0u; group < own; group += most) {
      wait_until_idle();
      run_joined(words, places, weight_register, place, group, least_of(most, own - group));
    }
  }
  wait_until_idle();
  store_instructions(shared.instructions[0], 2u);
  return started++;
}

static uint32_t start_copy(uint32_t operation, uint32_t l1, uint32_t l2) {
  store_register(OPERATION, operation);
  store_register(COPY_ADDRESS, l2);
  store_register(COPY_L1, (l1 - TINSMITH_DIANA_L1) / kLanes);
  store_register(TRIGGER, 0u);
  return started++;
}

// Of an accelerator that is on and idle.
static inline __attribute__((always_inline)) tinsmith_diana_status_t copy(uint32_t operation, uint32_t l1, uint32_t l2,
                                                                          uint32_t bytes, uint32_t *number) {
  if (bytes - 1u >= TINSMITH_DIANA_L1_BYTES) {
    return kTinsmithDianaBadLength;
  }
  const uint32_t rounded = rounded_for_copy(bytes);
  const bool is_aligned = l1 % kLanes == 0u && l2 % 4u == 0u;
  if (!is_aligned || !lies_in(l1, rounded, TINSMITH_DIANA_L1, TINSMITH_DIANA_L1_BYTES) ||
      !lies_in(l2, rounded, TINSMITH_DIANA_L2, TINSMITH_DIANA_L2_BYTES)) {
    return kTinsmithDianaBadAddress;
  }
  store_register(COPY_WORDS, rounded / 4u);
  *number = start_copy(operation, l1, l2);
  return kTinsmithDianaOk;
}

// Apart, so that all other copies call nothing and keep nothing on the stack.
static __attribute__((noinline)) tinsmith_diana_status_t prepare_and_copy(uint32_t operation, uint32_t l1, uint32_t l2,
                                                                          uint32_t bytes, uint32_t *number) {
  prepare();
  return copy(operation, l1, l2, bytes, number);
}

// waits: for what was started before.
static inline __attribute__((always_inline)) tinsmith_diana_status_t begin_copy(uint32_t operation, uint32_t l1,
                                                                                uint32_t l2, uint32_t bytes,
                                                                                uint32_t *number, bool waits) {
  if (!is_ready) {
    return prepare_and_copy(operation, l1, l2, bytes, number);
  }
  if (waits) {
    wait_until_idle();
  } else if (!is_idle(TINSMITH_DIANA_DIGITAL)) {
    return kTinsmithDianaBusy;
  }
  order_memory();
  return copy(operation, l1, l2, bytes, number);
}

tinsmith_diana_status_t tinsmith_diana_copy_in(void *l1, const void *l2, uint32_t bytes, uint32_t *number) {
  return begin_copy(kCopyIn, address(l1), address(l2), bytes, number, true);
}

tinsmith_diana_status_t tinsmith_diana_copy_out(void *l2, const void *l1, uint32_t bytes, uint32_t *number) {
  return begin_copy(kCopyOut, address(l1), address(l2), bytes, number, true);
}

tinsmith_diana_status_t tinsmith_diana_try_copy_in(void *l1, const void *l2, uint32_t bytes, uint32_t *number) {
  return begin_copy(kCopyIn, address(l1), address(l2), bytes, number, false);
}

tinsmith_diana_status_t tinsmith_diana_try_copy_out(void *l2, const void *l1, uint32_t bytes, uint32_t *number) {
  return begin_copy(kCopyOut, address(l1), address(l2), bytes, number, false);
}

tinsmith_diana_status_t tinsmith_diana_copy_out_of_banks(void *l2, const void *l1, uint32_t rows, uint32_t banks,
                                                         uint32_t *number) {
  if (rows - 1u >= TINSMITH_DIANA_L1_BYTES / kLanes || banks - 1u >= TINSMITH_DIANA_BANKS) {
    return kTinsmithDianaBadLength;
  }
  if (!lies_in_banks(address(l1), address(l2), rows, banks)) {
    return kTinsmithDianaBadAddress;
  }
  begin();
  store_register(COPY_BANKS, banks);
  store_register(COPY_ROWS, rows);
  *number = start_copy(kBankedCopyOut, address(l1), address(l2));
  return kTinsmithDianaOk;
}

bool tinsmith_diana_is_idle(void) {
  return !is_ready || is_idle(TINSMITH_DIANA_DIGITAL);
}

// All but the last have ended.
void tinsmith_diana_wait(uint32_t number) {
  if (number == started - 1u) {
    wait_until_idle();
  }
  order_memory();
}
