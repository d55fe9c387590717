// DIANA's analog accelerator: a convolution in plain terms, the record that it becomes, start and wait, and copies by
// the accelerator's own engine.
//
// The array holds weights of -1, 0 and 1 in 1152 rows and 512 columns; they stay in it until others are loaded over
// them. What is started, a layer or a copy, ends before the next of this accelerator begins. Between a start and the
// wait for it nobody else may write what it reads, or touch what it writes.

#ifndef TINSMITH_DIANA_ANALOG_H_
#define TINSMITH_DIANA_ANALOG_H_

#include <stdbool.h>
#include <stdint.h>

#include "tinsmith/diana.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Of a record: an instruction, two of its words of 16 bits in each. */
#define TINSMITH_DIANA_ANALOG_WORDS 16u

#define TINSMITH_DIANA_ANALOG_ROWS 1152u
#define TINSMITH_DIANA_ANALOG_COLUMNS 512u

/** Rows of a block, at which weights may begin; packets of scales and offsets, of 16 outputs each. */
#define TINSMITH_DIANA_ANALOG_BLOCK 64u
#define TINSMITH_DIANA_ANALOG_PACKETS 32u

/** The sum of products that is one step of the converters. No value of the chip is public: this is the simulator's. */
#ifndef TINSMITH_DIANA_ANALOG_GAIN
#define TINSMITH_DIANA_ANALOG_GAIN 16
#endif

/**
 * What is done with the converters' results, in this order. The chip knows these: none; partial; rectify | quantize;
 * scale | quantize; residual; residual | rectify | quantize; [partial |] scale | rectify | quantize;
 * scale | residual | rectify | quantize.
 */
enum {
  kTinsmithDianaAnalogPartial = 1u << 4,  /**< add what other channels gave, int8 of each output */
  kTinsmithDianaAnalogScale = 1u << 3,    /**< times a scale, plus an offset * 2**offset_shift, int8 of each channel */
  kTinsmithDianaAnalogResidual = 1u << 2, /**< add another image * 2**residual_shift */
  kTinsmithDianaAnalogRectify = 1u << 1,  /**< ReLU */
  kTinsmithDianaAnalogQuantize = 1u << 0, /**< shift to the right, rounding down */
};

/**
 * A convolution. A result is clip(sum of products / TINSMITH_DIANA_ANALOG_GAIN), rounded down, in [-32, 31]; then
 * `steps`, and a clip to [-128, 127]. Inputs are in [-64, 63], padding is zero. A fully connected layer is a
 * convolution of one pixel.
 */
typedef struct {
  uint32_t input_height, input_width, input_channels; /**< each in [1, 1023] */
  uint32_t output_height, output_width,
      output_channels;                               /**< what kernel, stride and padding make of it; 512 channels */
  uint32_t kernel_height, kernel_width;              /**< each 1, 3, 5 or 7 */
  uint32_t stride;                                   /**< 1 or 2, on both axes */
  uint32_t pad_top, pad_bottom, pad_left, pad_right; /**< each in [0, 3] */
  uint32_t unroll;       /**< columns of outputs of an evaluation: 1, 2, 4 or 8; divides the output's width */
  uint32_t first_block;  /**< where in the array its weights are, in [0, 15] */
  uint32_t first_packet; /**< likewise its scales; 0 without */
  uint32_t steps;
  uint32_t shift;          /**< in [0, 31] */
  uint32_t residual_shift; /**< in [0, 15] */
  uint32_t offset_shift;   /**< in [0, 15] */
} tinsmith_diana_analog_layer_t;

/** A layer as words. */
typedef struct {
  uint32_t words[TINSMITH_DIANA_ANALOG_WORDS];
} tinsmith_diana_analog_record_t;

/**
 * Where the arrays of a layer lie. Images have channels last: 16 in a word of 16 bytes, 64 in the same word of four
 * banks, the next 64, or the next pixel, in the next word; an address is that of the first bank. Element i of whatever
 * is an array lies at byte i XOR 3.
 */
typedef struct {
  /**
   * In the second-level memory that accelerators reach, at a multiple of 4; NULL if they are in the array. Two lines of
   * bits for each row, a bit for each output, those padded to 128: the ones, the minus ones. Rows are numbered channel,
   * kernel row, kernel column; they come from the last to the first, behind those that pad their number to 16. The
   * first bit of a word is the upper one. Even columns are negated but in blocks 6 to 11 of the array, odd ones in
   * blocks 0 to 8.
   */
  const int8_t *weights;
  const int8_t *scales; /**< likewise: of 16 outputs their scales, then their offsets; NULL if there are none to load */
  const int8_t *input;  /**< as all below in the accelerators' memory, at a multiple of 16 */
  const int8_t *partial;  /**< or NULL */
  const int8_t *residual; /**< or NULL; may be where the output is, as may be partial sums */
  int8_t *output;
} tinsmith_diana_analog_places_t;

/**
 * Encode a layer. Touches no memory but `record`. Statuses: BadShape, BadPadding, BadWeights (more rows or columns than
 * the array has there), BadOutput (steps, shifts or packets), BadMemory.
 *
 * @param[in] layer   see there
 * @param[out] record complete if the result is kTinsmithDianaOk, else as it was
 */
tinsmith_diana_status_t tinsmith_diana_analog_encode(const tinsmith_diana_analog_layer_t *layer,
                                                     tinsmith_diana_analog_record_t *record);

/**
 * Start a layer; returns its number for tinsmith_diana_analog_wait(). Waits first for what was started before on this
 * accelerator. Of one core alone.
 *
 * @param[in] record may change when this has returned
 */
uint32_t tinsmith_diana_analog_start(const tinsmith_diana_analog_record_t *record,
                                     const tinsmith_diana_analog_places_t *places);

/**
 * Start a copy of rows of 16 * `banks` bytes, one behind the other in the second-level memory; 16 bytes of each go to
 * the same word of as many banks. Waits first for what was started before on this accelerator. With one bank, an odd
 * number of rows is rounded up.
 *
 * @param[in] banks   in [1, 4]
 * @param[out] number what tinsmith_diana_analog_wait() waits for, written if the result is kTinsmithDianaOk
 */
tinsmith_diana_status_t tinsmith_diana_analog_copy_in(void *l1, const void *l2, uint32_t rows, uint32_t banks,
                                                      uint32_t *number);
tinsmith_diana_status_t tinsmith_diana_analog_copy_out(void *l2, const void *l1, uint32_t rows, uint32_t banks,
                                                       uint32_t *number);

/** Whether all layers and copies that were started on this accelerator have ended. */
bool tinsmith_diana_analog_is_idle(void);

/**
 * Return when a layer or copy has ended, and so all that were started before on this accelerator.
 *
 * @param[in] number of one that was started, less than 2**31 starts ago
 */
void tinsmith_diana_analog_wait(uint32_t number);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_DIANA_ANALOG_H_
