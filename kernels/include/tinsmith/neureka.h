// N-EUREKA, the accelerator for convolutions beside Siracusa's cluster: a job in plain terms, the registers that it
// becomes, start and wait. Whoever integrates a network that gives it jobs gives start and wait, or takes those of
// kernels/neureka.
//
// A job is encoded, started, and waited for. An encoded job may be started as often as wanted, at other places, too:
// all that it keeps is in its record, and a start takes a copy. Two jobs can be under way; they run one after the other
// in the order of their starts, so that one may read what an earlier one writes.
//
// Between the start of a job and the wait for it nobody else may write what it reads, or touch what it writes.

#ifndef TINSMITH_NEUREKA_H_
#define TINSMITH_NEUREKA_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Registers of a job, the first six of which are addresses. */
#define TINSMITH_NEUREKA_WORDS 24u
#define TINSMITH_NEUREKA_ADDRESSES 6u

/** What can be under way at once; a start of one more returns when the oldest has ended. */
#define TINSMITH_NEUREKA_CONTEXTS 2u

/** Strides are 1 in all modes. */
typedef enum {
  kTinsmithNeureka3x3 = 0,
  kTinsmithNeurekaDepthwise3x3 = 1, /**< as many output channels as input channels */
  kTinsmithNeureka1x1 = 2,          /**< fully connected layers, too: of one pixel */
} tinsmith_neureka_mode_t;

/** Where the arrays of a job lie: in the cluster's memory, but for weights that lie in the weight memory. */
typedef struct {
  const void *input;      /**< int8 or uint8, rows of pixels of channels */
  const uint8_t *weights; /**< as tinsmith_neureka.packed_weights() makes them, in Python */
  const void *scales;     /**< uint8 or 32 bits for each output channel; not read if scale_bits is 0 */
  const int32_t *biases;  /**< one for each output channel, or NULL for none */
  void *output;           /**< int8, uint8 or int32, rows of pixels of channels; overlaps nothing else */
} tinsmith_neureka_places_t;

/**
 * A convolution. With acc = sum of input * (weight + weight_offset), an output is acc itself if scale_bits is 0, else
 * clip((relu?)(acc * scale[c] + bias[c]) >> shift): product and sum wrap at 32 bits, the shift rounds down. It is
 * clipped to [-128, 127], behind a ReLU to [0, 255]; an output of 32 bits is not clipped.
 */
typedef struct {
  tinsmith_neureka_mode_t mode;
  uint32_t input_height, input_width, input_channels;    /**< each in [1, 65535] */
  uint32_t output_height, output_width, output_channels; /**< the input's with its padding, in 3x3 modes 2 less */
  uint32_t input_row_bytes, input_pixel_bytes;           /**< from one row or pixel to the next */
  uint32_t output_row_bytes, output_pixel_bytes;         /**< the same; of int32 multiples of 4 */

  /** Rows and columns around the input, 0 to 2; of 1x1 none. At the bottom and the right no more than rows or columns
   * in the last tile of six, if there are several tiles: the one before would read beyond the input. */
  uint32_t pad_top, pad_right, pad_bottom, pad_left;
  int32_t pad_value; /**< in the range of the input's type */
  bool input_is_signed;

  uint32_t weight_bits;  /**< 2 to 8; stored weights are in [0, 2 ** weight_bits) */
  int32_t weight_offset; /**< added to each of them: -128 for int8 */
  bool in_weight_memory; /**< whether the weights lie in the weight memory */
  bool prefetches;       /**< loads the input of the next tile while it computes */

  uint32_t scale_bits;  /**< 8, 32, or 0: the sums themselves, of 32 bits, without bias, shift and ReLU */
  uint32_t shift;       /**< 0 to 31, to the right */
  bool is_rectified;    /**< ReLU */
  uint32_t output_bits; /**< 8 or 32 */

  tinsmith_neureka_places_t places;
} tinsmith_neureka_layer_t;

/** A layer as the registers have it. */
typedef struct {
  uint32_t words[TINSMITH_NEUREKA_WORDS];
#if UINTPTR_MAX > UINT32_MAX
  uint32_t upper[TINSMITH_NEUREKA_ADDRESSES]; /**< upper halves of addresses, on computers that run its twin */
#endif
} tinsmith_neureka_job_t;

/** Which part of a layer the accelerator cannot do. */
typedef enum {
  kTinsmithNeurekaOk = 0,
  kTinsmithNeurekaBadMode = 1,
  kTinsmithNeurekaBadShape = 2,   /**< sizes out of range, or they do not fit each other */
  kTinsmithNeurekaBadPadding = 3, /**< how much, or its value */
  kTinsmithNeurekaBadWeights = 4, /**< weight_bits */
  kTinsmithNeurekaBadOutput = 5,  /**< scale_bits, shift, output_bits; or a sum with bias, shift or ReLU */
} tinsmith_neureka_status_t;

/**
 * Encode a layer. Touches no memory but `job`.
 *
 * @param[in] layer see there
 * @param[out] job  complete if the result is kTinsmithNeurekaOk, else as it was
 */
tinsmith_neureka_status_t tinsmith_neureka_encode(const tinsmith_neureka_layer_t *layer, tinsmith_neureka_job_t *job);

/**
 * Give an encoded job other places, which costs less than to encode it again.
 *
 * @param[in] places biases: NULL if, and only if, the layer's were
 */
void tinsmith_neureka_place(tinsmith_neureka_job_t *job, const tinsmith_neureka_places_t *places);

/**
 * Start a job; returns its number for tinsmith_neureka_wait(). While two are under way, waits for the older one first.
 *
 * Of one core alone, on a chip one of the cluster.
 */
uint32_t tinsmith_neureka_start(const tinsmith_neureka_job_t *job);

/**
 * Return when a job has ended, and so all that were started before; what they wrote can be read then. May be called
 * again, and much later, by the core that started it.
 *
 * @param[in] number of a job that was started, less than 2**31 jobs ago
 */
void tinsmith_neureka_wait(uint32_t number);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_NEUREKA_H_
