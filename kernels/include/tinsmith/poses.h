// Of maps of keypoints the people in an image, in plain C.
#ifndef TINSMITH_POSES_H_
#define TINSMITH_POSES_H_

#include <stdint.h>

#include "tinsmith/symbols.h"

// The names that objects know the functions by; see symbols.h.
#define tinsmith_poses_f32 TINSMITH_REFERENCE_SYMBOL(tinsmith_poses_f32)

#define TINSMITH_POSES_KEYPOINTS 17
#define TINSMITH_POSES_EDGES 16
/** Floats of scratch for each pose. */
#define TINSMITH_POSES_SCRATCH 53

#ifdef __cplusplus
extern "C" {
#endif

/** Sizes and thresholds. */
typedef struct {
  /** Of the maps. */
  int32_t height;
  int32_t width;
  int32_t max_detections;
  /** Pixels between two places of a map, and 1 / that. */
  float stride;
  float places_of_a_pixel;
  /** A probability, and the logarithm of its odds. */
  float score_threshold;
  float least_logit;
  /** In places, squared: nearer keypoints are the same. */
  float squared_radius;
} tinsmith_poses_parameters;

/**
 * Poses by falling score, from keypoints that are likelier than their neighbours along the edges of a body.
 *
 * Time grows with the size of the maps times how many such keypoints there are, and with 17 * max_detections**2.
 *
 * @param[in] parameters     see there
 * @param[in] heatmaps       (height, width, 17), logarithms of odds
 * @param[in] short_offsets  (height, width, 34), in pixels to the keypoint: all y, all x
 * @param[in] mid_offsets    (height, width, 64), in pixels along an edge: y and x forwards, y and x backwards
 * @param scratch            TINSMITH_POSES_SCRATCH * max_detections floats
 * @param[out] keypoints     (max_detections, 17, 2): y, x in pixels; zeros behind the last pose
 * @param[out] keypoint_scores  (max_detections, 17), probabilities
 * @param[out] scores        (max_detections)
 * @param[out] count         (1): how many poses
 */
void tinsmith_poses_f32(const tinsmith_poses_parameters *parameters, const float *heatmaps, const float *short_offsets,
                        const float *mid_offsets, void *scratch, float *keypoints, float *keypoint_scores,
                        float *scores, float *count);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_POSES_H_
