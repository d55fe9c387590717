#include "tinsmith/neureka.h"
#include "tinsmith_neureka_call.h"

// Of jobs, by token: what to wait for. Of core 0, in the memory that it reaches at once, where linker scripts know the
// name.
static uint32_t numbers[TINSMITH_NEUREKA_TOKENS] __attribute__((section(".bss.tinsmith_near")));

void tinsmith_neureka_call_start(const int8_t *words, const int8_t *constants, const int8_t *weights, uint32_t channels,
                                 const int8_t *input, int8_t *output, uint32_t token) {
  tinsmith_neureka_job_t job;
  // Constants of a network lie at multiples of 16.
  const uint32_t *const registers = (const uint32_t *)(const void *)words;
  for (uint32_t i = 0u; i < TINSMITH_NEUREKA_WORDS; ++i) {
    job.words[i] = registers[i];
  }
  const uint32_t *const scales = (const uint32_t *)(const void *)constants;
  const int32_t *const biases = (const int32_t *)(const void *)(scales + channels);
  const tinsmith_neureka_places_t places = {input, (const uint8_t *)weights, scales, biases, output};
  tinsmith_neureka_place(&job, &places);
  numbers[token] = tinsmith_neureka_start(&job);
}

void tinsmith_neureka_call_wait(uint32_t token) {
  tinsmith_neureka_wait(numbers[token]);
}
