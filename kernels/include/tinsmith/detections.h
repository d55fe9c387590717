// Of many boxes with scores those that count, in plain C.
#ifndef TINSMITH_DETECTIONS_H_
#define TINSMITH_DETECTIONS_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_detections_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_detections_f32)

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes and thresholds. */
typedef struct {
  /** Boxes, and floats of the encoding of each, at least 4. */
  int32_t boxes;
  int32_t encoding_depth;
  /** Classes, and scores of a box: as many, or one more, of the background, in front of them. */
  int32_t classes;
  int32_t score_depth;
  /** Boxes that may be found; of a class alone, if by_class. */
  int32_t max_detections;
  int32_t detections_per_class;
  /** Classes that are given of a box, in [1, classes]; not read if by_class. */
  int32_t kept_classes;
  /** 1: boxes of each class by themselves; 0: each box for its best class. */
  int32_t by_class;
  /** Rows of the results, at least max_detections times what is given of each. */
  int32_t rows;
  float score_threshold;
  /** In (0, 1]. */
  float overlap_threshold;
  float y_scale;
  float x_scale;
  float height_scale;
  float width_scale;
} tinsmith_detections_parameters;

/**
 * Boxes by falling score, the first of equal ones first, without those that overlap one of them too much; by_class:
 * of equal ones that of the last class first.
 *
 * Time grows with the number of boxes times how many are found. An exponential of our own: see tinsmith_softmax_f32.
 *
 * @param[in] parameters  see there
 * @param[in] encodings   (boxes, encoding_depth), the way from the anchor's centre in its heights and widths, and the
 *                        logarithms of heights and widths in the anchor's, each times its scale
 * @param[in] scores      (boxes, score_depth)
 * @param[in] anchors     (boxes, 4): centre y, x, height, width
 * @param scratch         5 * boxes floats
 * @param[out] boxes      (rows, 4): top, left, bottom, right; zeros behind the last
 * @param[out] classes    (rows), integers
 * @param[out] best_scores  (rows)
 * @param[out] count      (1): how many boxes
 */
void tinsmith_detections_f32(const tinsmith_detections_parameters *parameters, const float *encodings,
                             const float *scores, const float *anchors, void *scratch, float *boxes, float *classes,
                             float *best_scores, float *count);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_DETECTIONS_H_
