// Copies of DIANA's accelerators, alone and beside a layer of the digital one, for test_diana.py. What they moved, and
// what was under way at which time, are its outputs.

#include <stddef.h>
#include <string.h>

#include "tinsmith/diana.h"
#include "tinsmith/dma.h"
#include "tinsmith_diana_analog.h"
#include "tinsmith_harness.h"

#define BYTES 4096u

// Places in the accelerators' memory.
#define L1 ((uint8_t *)0x10001000u)
#define ELSEWHERE ((uint8_t *)0x10010000u)
#define IMAGE ((int8_t *)0x10020000u)
#define RESULT ((int8_t *)0x10028000u)

enum { kBesideLayer, kLayerUnderWay, kSecondIsAnalog, kBothEnded, kBothBusy, kShortIsFirst, kTimes };

static struct {
  uint32_t seen[kTimes];
  _Alignas(16) uint8_t given[BYTES];
  _Alignas(16) uint8_t alone[BYTES];
  _Alignas(16) uint8_t beside[BYTES];
  _Alignas(16) uint8_t rows[BYTES];
  _Alignas(16) int8_t weights[0x1000];
} far_memory TINSMITH_HARNESS_ARENA;

#define OF(field) {offsetof(__typeof__(far_memory), field), sizeof far_memory.field, 0u}
static const tinsmith_harness_tensor_t inputs[] = {OF(given)};
static const tinsmith_harness_tensor_t outputs[] = {OF(seen), OF(alone), OF(beside), OF(rows)};

static void start(uint32_t token, void *to, const void *from, uint32_t bytes) {
  tinsmith_dma_start_bytes_unordered(token, to, from, bytes);
}

static void copy(void *to, const void *from, uint32_t bytes) {
  start(0u, to, from, bytes);
  tinsmith_dma_wait_unordered(0u);
}

static uint32_t start_layer(void) {
  static tinsmith_diana_record_t record;
  const tinsmith_diana_layer_t layer = {
      .mode = kTinsmithDianaConvolution,
      .input_height = 16u,
      .input_width = 16u,
      .input_channels = 16u,
      .output_height = 16u,
      .output_width = 16u,
      .output_channels = 16u,
      .kernel_height = 3u,
      .kernel_width = 3u,
      .stride = 1u,
      .pad_top = 1u,
      .pad_bottom = 1u,
      .pad_width = 1u,
  };
  if (tinsmith_diana_digital_encode(&layer, &record) != kTinsmithDianaOk) {
    __builtin_trap();
  }
  const tinsmith_diana_places_t places = {.weights = far_memory.weights, .input = IMAGE, .output = RESULT};
  return tinsmith_diana_start(&record, &places);
}

// Back and forth while a layer computes, and rows of which one copy is made.
static void copy_beside_layer(void) {
  const uint32_t layer = start_layer();
  copy(L1, far_memory.given, BYTES);
  copy(far_memory.beside, L1, BYTES);
  far_memory.seen[kBesideLayer] = tinsmith_diana_analog_is_idle();
  far_memory.seen[kLayerUnderWay] = !tinsmith_diana_is_idle();
  tinsmith_dma_start_unordered(3u, far_memory.rows, L1, 64u, BYTES / 128u, 128u, 128u);
  tinsmith_dma_wait_unordered(3u);
  tinsmith_diana_wait(layer);
}

// Two with one token, of which each accelerator has one; then a long and a short one, and one that finds both busy.
static void copy_by_both(void) {
  start(1u, L1, far_memory.given, BYTES);
  start(1u, ELSEWHERE, far_memory.given, BYTES);
  far_memory.seen[kSecondIsAnalog] = !tinsmith_diana_analog_is_idle();
  tinsmith_dma_wait_unordered(1u);
  far_memory.seen[kBothEnded] = tinsmith_diana_is_idle() && tinsmith_diana_analog_is_idle();
  const uint32_t layer = start_layer();
  start(1u, L1, far_memory.given, BYTES);
  far_memory.seen[kBothBusy] = !tinsmith_diana_is_idle() && !tinsmith_diana_analog_is_idle();
  start(2u, ELSEWHERE, far_memory.given, 32u);
  far_memory.seen[kShortIsFirst] = !tinsmith_diana_is_idle();
  tinsmith_dma_wait_unordered(2u);
  tinsmith_dma_wait_unordered(1u);
  tinsmith_diana_wait(layer);
}

static int run(void *argument) {
  (void)argument;
  memset(far_memory.rows, 0, BYTES);
  memset(far_memory.weights, 0, sizeof far_memory.weights);
  copy(L1, far_memory.given, BYTES);
  copy(far_memory.alone, L1, BYTES);
  copy(IMAGE, far_memory.given, BYTES);
  copy_beside_layer();
  copy_by_both();
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "beside",
    .arena = (uint8_t *)&far_memory,
    .arena_bytes = sizeof far_memory,
    .input_count = 1u,
    .inputs = inputs,
    .output_count = sizeof outputs / sizeof outputs[0],
    .outputs = outputs,
    .run = run,
};
