// DIANA's digital accelerator: a layer in plain terms, the record that it becomes, start and wait, and copies by the
// accelerator's own engine. Whoever integrates a network that gives it layers gives start, copies and wait, or takes
// those of kernels/diana.
//
// A layer is encoded once and started as often as wanted. What is started, a layer or a copy, ends before the next
// begins. Between a start and the wait for it nobody else may write what it reads, or touch what it writes.

#ifndef TINSMITH_DIANA_H_
#define TINSMITH_DIANA_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Of a record: an instruction, and how it is repeated; tinsmith_diana_digital.h says which word is which. */
#define TINSMITH_DIANA_WORDS 40u

/** Outputs that the array computes at once, and elements of what it reads and writes at once. */
#define TINSMITH_DIANA_LANES 16u

/** Address of the accelerators' memory; their own addresses are relative to it. */
#ifndef TINSMITH_DIANA_L1
#define TINSMITH_DIANA_L1 0x10000000u
#endif

/** Bytes of the accelerators' memory, and of the array's memory for weights. */
#define TINSMITH_DIANA_L1_BYTES 0x40000u
#define TINSMITH_DIANA_WEIGHT_BYTES 0x10000u

/** Bytes from a bank of that memory to the next, and how many there are. */
#define TINSMITH_DIANA_BANK_BYTES 0x10000u
#define TINSMITH_DIANA_BANKS 4u

/** Instructions of a job at most, of an accelerator that takes more than one. */
#define TINSMITH_DIANA_INSTRUCTIONS 16u

/** What copies take at once: a length is rounded up to it. */
#define TINSMITH_DIANA_COPY_BYTES 32u

typedef enum {
  kTinsmithDianaConvolution,
  kTinsmithDianaDepthwise,      /**< as many output channels as input channels */
  kTinsmithDianaFullyConnected, /**< of channels alone: heights, widths, kernels and strides are 1, no padding */
  kTinsmithDianaAddition,       /**< of two images of the input's shape; no kernel, stride, padding or ReLU */
} tinsmith_diana_mode_t;

/** What an accelerator may be asked beyond what published software asks of it; nobody has said whether it may. */
typedef enum {
  kTinsmithDianaChannelLoops = 1,     /**< an instruction goes over channels of a depthwise layer */
  kTinsmithDianaInstructionLists = 2, /**< a job has up to TINSMITH_DIANA_INSTRUCTIONS instructions */
  kTinsmithDianaWholeVectors = 4,     /**< an instruction computes any number of fully connected outputs */
} tinsmith_diana_feature_t;

/**
 * A layer. An output is clip((sum of products + bias) >> shift): the sum wraps at 32 bits, the shift rounds down, the
 * clip is to [-128, 127], with ReLU to [0, 127]. Padding is zero.
 */
typedef struct {
  tinsmith_diana_mode_t mode;
  uint32_t input_height, input_width, input_channels;    /**< each from 1 on; a width, padded to 16, is below 4096 */
  uint32_t output_height, output_width, output_channels; /**< what kernel, stride and padding make of the input */
  uint32_t kernel_height, kernel_width;                  /**< each 1, 3, 5 or 7 */
  uint32_t stride;                                       /**< 1 or 2, on both axes */
  uint32_t pad_top, pad_bottom;                          /**< each in [0, 15] */
  uint32_t pad_width;                                    /**< at the left, and at the right, in [0, 15] */
  uint32_t shift;                                        /**< in [0, 31] */
  bool is_rectified;                                     /**< ReLU */
  bool gives_pixels; /**< of convolutions alone: the output has channels last, in banks, as the analog array reads it */
  uint32_t features; /**< of tinsmith_diana_feature_t, which the record may use; their sum, 0 as published */
} tinsmith_diana_layer_t;

/** A layer as words. */
typedef struct {
  uint32_t words[TINSMITH_DIANA_WORDS];
} tinsmith_diana_record_t;

/** Where the arrays of a layer lie; see tinsmith_diana_digital_start(). */
typedef struct {
  const int8_t *weights; /**< in the second-level memory that accelerators reach; NULL for an addition */
  const int8_t *input;   /**< as all below in the accelerators' memory, at a multiple of 16 */
  const int8_t *operand; /**< the second operand of an addition; else NULL */
  int8_t *output; /**< of a depthwise layer with 15 planes behind, 60 if runs are joined; of pixels the place in the
                     first bank */
} tinsmith_diana_places_t;

/** What the accelerator cannot do. */
typedef enum {
  kTinsmithDianaOk = 0,
  kTinsmithDianaBadMode = 1,
  kTinsmithDianaBadShape = 2,   /**< sizes out of range, or they do not fit each other, or kernel or stride */
  kTinsmithDianaBadPadding = 3, /**< how much */
  kTinsmithDianaBadWeights = 4, /**< those of 16 outputs, or of all more than 64 channels of pixels, are more than the
                                     memory for weights holds */
  kTinsmithDianaBadOutput = 5,  /**< the shift; an addition with ReLU; pixels of other layers than convolutions */
  kTinsmithDianaBadMemory = 6,  /**< images are larger than the accelerators' memory */
  kTinsmithDianaBadAddress = 7, /**< of a copy: alignment, or where the arrays lie */
  kTinsmithDianaBadLength = 8,  /**< of a copy: 0, or more than the accelerators' memory holds; banks */
  kTinsmithDianaBusy = 9,       /**< of a copy that does not wait: something started before has not ended */
} tinsmith_diana_status_t;

/**
 * Encode a layer. Touches no memory but `record`.
 *
 * @param[in] layer   see there
 * @param[out] record complete if the result is kTinsmithDianaOk, else as it was
 */
tinsmith_diana_status_t tinsmith_diana_digital_encode(const tinsmith_diana_layer_t *layer,
                                                      tinsmith_diana_record_t *record);

/**
 * Start a layer; returns its number for tinsmith_diana_wait(). Waits first for what was started before. Of one core
 * alone. Returns when the last job of the layer has begun.
 *
 * @param[in] record stays as it is until the layer has ended
 */
uint32_t tinsmith_diana_start(const tinsmith_diana_record_t *record, const tinsmith_diana_places_t *places);

/** Whether runs of a record are joined to jobs. */
static inline bool tinsmith_diana_is_joined(const tinsmith_diana_record_t *record) {
  return record->words[TINSMITH_DIANA_WORDS - 1u] != 0u;
}

/**
 * The same for a record whose runs are joined to jobs, of an accelerator that takes such. Returns when the layer has
 * ended.
 */
uint32_t tinsmith_diana_start_joined(const tinsmith_diana_record_t *record, const tinsmith_diana_places_t *places);

/**
 * Start a copy into the accelerators' memory, or out of it, in ascending order. Waits first for what was started
 * before. The length is rounded up to TINSMITH_DIANA_COPY_BYTES: there is so much room at either side, and what lies
 * in it behind `bytes` is copied, too.
 *
 * @param[out] number what tinsmith_diana_wait() waits for, written if the result is kTinsmithDianaOk
 */
tinsmith_diana_status_t tinsmith_diana_copy_in(void *l1, const void *l2, uint32_t bytes, uint32_t *number);
tinsmith_diana_status_t tinsmith_diana_copy_out(void *l2, const void *l1, uint32_t bytes, uint32_t *number);

/** The same, but kTinsmithDianaBusy at once where the two above wait. */
tinsmith_diana_status_t tinsmith_diana_try_copy_in(void *l1, const void *l2, uint32_t bytes, uint32_t *number);
tinsmith_diana_status_t tinsmith_diana_try_copy_out(void *l2, const void *l1, uint32_t bytes, uint32_t *number);

/**
 * Start a copy of rows of 16 * `banks` bytes, which lie one behind the other in the second-level memory then; 16 bytes
 * of each come from the same word of as many banks. Waits first for what was started before. No length is rounded.
 *
 * @param[in] l1      in the first bank
 * @param[in] banks   in [1, 4]
 * @param[out] number as above
 */
tinsmith_diana_status_t tinsmith_diana_copy_out_of_banks(void *l2, const void *l1, uint32_t rows, uint32_t banks,
                                                         uint32_t *number);

/** Whether all layers and copies that were started have ended. */
bool tinsmith_diana_is_idle(void);

/**
 * Return when a layer or copy has ended, and so all that were started before. May be called again, and much later.
 *
 * @param[in] number of one that was started, less than 2**31 starts ago
 */
void tinsmith_diana_wait(uint32_t number);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_DIANA_H_
