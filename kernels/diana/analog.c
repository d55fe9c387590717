// DIANA's analog accelerator for the chip's core. Which register is which, and the control words of a configuration, KU
// Leuven's SDK and DORY's hardware abstraction (dory-hal) say.
//
// As for the digital accelerator, configuration and instructions lie in one place of the shared part of the
// second-level memory, and nothing is changed while a job is under way. The set-up of the array after power-on, by pins
// and a dummy instruction, is left to whoever starts the chip.

#include <stddef.h>

#include "analog_record.h"
#include "chip.h"
#include "tinsmith_diana_analog.h"

#define WEIGHTS 0x40u
#define SCALES 0x44u
#define INSTRUCTIONS 0x48u
#define INSTRUCTION_WORDS 0x4cu
#define ACTIVATION_WORDS 0x54u
#define CONFIGURATION 0x58u
#define CONFIGURATION_LENGTH 0x5cu
#define OUTPUT_WORDS 0x64u
#define TILES 0x68u
#define OPERATION 0x6cu
#define COPY_ADDRESS 0x70u
#define COPY_WORDS 0x74u
#define COPY_L1 0x78u
#define COPY_BANKS 0x7cu
#define COPY_ROWS 0x80u

// Timing of the converters, and which bits are on [dory-hal].
#define CONTROL_0 0x03000000u
#define CONTROL_1 0x0303001fu

// Behind the instruction one that stops and does nothing.
typedef struct {
  uint32_t configuration[CONFIGURATION_WORDS];
  uint32_t instructions[2][TINSMITH_DIANA_ANALOG_WORDS];
} analog_shared_t;

static analog_shared_t analog_shared TINSMITH_DIANA_SHARED;

static uint32_t analog_started;
static bool analog_is_ready;

static inline void store_analog(uint32_t offset, uint32_t value) {
  store_word(TINSMITH_DIANA_ANALOG + offset, value);
}

// The fields that dory-hal writes into an instruction that stops; all others are 0.
static void store_stop(uint32_t *words) {
  store_shared(&words[kAnalogSkips / 2], ANALOG_SKIPS);
  store_shared(&words[kAnalogPrecision / 2], ANALOG_PRECISION << 16);
  store_shared(&words[kAnalogUnroll / 2], 1u << 16);
  store_shared(&words[kAnalogChannelBlocks / 2], 1u | ANALOG_BYTES << 16);
  store_shared(&words[kAnalogColumnBlocks / 2], 1u | 0x010au << 16);
  store_shared(&words[kAnalogStop / 2], ANALOG_STOPS);
  store_shared(&words[kAnalogReserved / 2], ANALOG_RESERVED);
}

// Turn the accelerator on, and write what no job changes.
static __attribute__((noinline)) void prepare_analog(void) {
  enable_accelerators();
#pragma GCC unroll 16
  for (uint32_t *word = (uint32_t *)&analog_shared; word < (uint32_t *)(&analog_shared + 1); ++word) {
    store_shared(word, 0u);
  }
  store_shared(&analog_shared.configuration[0], CONTROL_0);
  store_shared(&analog_shared.configuration[1], CONTROL_1);
  store_stop(analog_shared.instructions[1]);
  store_analog(INSTRUCTIONS, address(analog_shared.instructions));
  store_analog(INSTRUCTION_WORDS, 2u * TINSMITH_DIANA_ANALOG_WORDS);
  store_analog(CONFIGURATION, address(analog_shared.configuration));
  store_analog(CONFIGURATION_LENGTH, CONFIGURATION_WORDS);
  store_analog(ACTIVATION_WORDS, 0u);
  store_analog(OUTPUT_WORDS, 0u);
  store_analog(TILES, 0u);
  analog_is_ready = true;
}

static inline void begin_analog(void) {
  if (!analog_is_ready) {
    prepare_analog();
  }
  wait_for(TINSMITH_DIANA_ANALOG);
  order_memory();
}

// In words of 16 bytes; 0 for none.
static uint32_t l1_word(const int8_t *place) {
  return place == NULL ? 0u : (address(place) - TINSMITH_DIANA_L1) / ANALOG_LANES;
}

uint32_t tinsmith_diana_analog_start(const tinsmith_diana_analog_record_t *record,
                                     const tinsmith_diana_analog_places_t *places) {
  const uint32_t *const words = record->words;
  uint32_t *const instruction = analog_shared.instructions[0];
  const uint32_t inits =
      (places->weights != NULL ? ANALOG_LOADS_WEIGHTS : 0u) | (places->scales != NULL ? ANALOG_LOADS_SCALES : 0u);
  begin_analog();
  for (uint32_t i = 0u; i < TINSMITH_DIANA_ANALOG_WORDS; ++i) {
    store_shared(&instruction[i], words[i]);
  }
  store_shared(&instruction[kAnalogInput / 2], l1_word(places->input) | l1_word(places->output) << 16);
  store_shared(&instruction[kAnalogPartial / 2], l1_word(places->partial) | l1_word(places->residual) << 16);
  store_shared(&instruction[kAnalogInits / 2], words[kAnalogInits / 2] | inits << 16);
  store_analog(OPERATION, kCompute);
  store_analog(WEIGHTS, address(places->weights));
  store_analog(SCALES, address(places->scales));
  store_analog(TRIGGER, 0u);
  return analog_started++;
}

// contiguous: the operation for one bank, as the SDK has it; that for several is the next but one.
static tinsmith_diana_status_t copy_analog(uint32_t contiguous, uint32_t l1, uint32_t l2, uint32_t rows, uint32_t banks,
                                           uint32_t *number) {
  if (rows - 1u >= TINSMITH_DIANA_L1_BYTES / ANALOG_LANES || banks - 1u >= TINSMITH_DIANA_BANKS) {
    return kTinsmithDianaBadLength;
  }
  const uint32_t moved = banks == 1u ? rounded_for_copy(ANALOG_LANES * rows) / ANALOG_LANES : rows;
  if (!lies_in_banks(l1, l2, moved, banks)) {
    return kTinsmithDianaBadAddress;
  }
  begin_analog();
  store_analog(OPERATION, banks == 1u ? contiguous : contiguous + 2u);
  store_analog(COPY_ADDRESS, l2);
  store_analog(COPY_WORDS, ANALOG_LANES * moved / 4u);
  store_analog(COPY_L1, (l1 - TINSMITH_DIANA_L1) / ANALOG_LANES);
  store_analog(COPY_BANKS, banks);
  store_analog(COPY_ROWS, moved);
  store_analog(TRIGGER, 0u);
  *number = analog_started++;
  return kTinsmithDianaOk;
}

tinsmith_diana_status_t tinsmith_diana_analog_copy_in(void *l1, const void *l2, uint32_t rows, uint32_t banks,
                                                      uint32_t *number) {
  return copy_analog(kCopyIn, address(l1), address(l2), rows, banks, number);
}

tinsmith_diana_status_t tinsmith_diana_analog_copy_out(void *l2, const void *l1, uint32_t rows, uint32_t banks,
                                                       uint32_t *number) {
  return copy_analog(kCopyOut, address(l1), address(l2), rows, banks, number);
}

bool tinsmith_diana_analog_is_idle(void) {
  return !analog_is_ready || is_idle(TINSMITH_DIANA_ANALOG);
}

// All but the last have ended.
void tinsmith_diana_analog_wait(uint32_t number) {
  if (number == analog_started - 1u) {
    wait_for(TINSMITH_DIANA_ANALOG);
  }
  order_memory();
}
