// Of many boxes with scores those that count, as TFLite's detection post-processing finds them.
//
// TFLite sorts all scores first; here the best that is left is looked for each time, which needs no memory but a score
// for each box.
#include "tinsmith/detections.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "exponential.h"

#define SIDES 4
#define NONE (-1)
#define NO_SCORE (-FLT_MAX)  // of a box that is not to be taken, or no longer

typedef struct {
  float *boxes;
  float *classes;
  float *scores;
} results_of_rows;

// A box is top, left, bottom, right.
static void decode(const tinsmith_detections_parameters *p, const float *encoding, const float *anchor, float *box) {
  const float y = encoding[0] / p->y_scale * anchor[2] + anchor[0];
  const float x = encoding[1] / p->x_scale * anchor[3] + anchor[1];
  const float half_height = 0.5f * exponential(encoding[2] / p->height_scale) * anchor[2];
  const float half_width = 0.5f * exponential(encoding[3] / p->width_scale) * anchor[3];
  box[0] = y - half_height;
  box[1] = x - half_width;
  box[2] = y + half_height;
  box[3] = x + half_width;
}

static float area(const float *box) {
  return (box[2] - box[0]) * (box[3] - box[1]);
}

// Of the axis that begins at `axis`, what both boxes cover.
static float common_side(const float *lhs, const float *rhs, int32_t axis) {
  const float first = lhs[axis] < rhs[axis] ? rhs[axis] : lhs[axis];
  const float last = lhs[axis + 2] > rhs[axis + 2] ? rhs[axis + 2] : lhs[axis + 2];
  return last - first > 0.0f ? last - first : 0.0f;
}

static float overlap(const float *lhs, const float *rhs) {
  const float of_lhs = area(lhs);
  const float of_rhs = area(rhs);
  if (!(of_lhs > 0.0f && of_rhs > 0.0f)) {
    return 0.0f;
  }
  const float common = common_side(lhs, rhs, 0) * common_side(lhs, rhs, 1);
  return common / (of_rhs + of_lhs - common);
}

// The best box that is left, or NONE. It is left no longer, nor is what overlaps it.
static int32_t take(const tinsmith_detections_parameters *p, const float *boxes, float *left) {
  int32_t best = NONE;
  for (int32_t i = 0; i < p->boxes; ++i) {
    if (left[i] > (best == NONE ? NO_SCORE : left[best])) {
      best = i;
    }
  }
  if (best == NONE) {
    return NONE;
  }
  left[best] = NO_SCORE;
  for (int32_t i = 0; i < p->boxes; ++i) {
    if (left[i] > NO_SCORE && overlap(boxes + SIDES * i, boxes + SIDES * best) > p->overlap_threshold) {
      left[i] = NO_SCORE;
    }
  }
  return best;
}

static float counted(const tinsmith_detections_parameters *p, float score) {
  return score >= p->score_threshold ? score : NO_SCORE;
}

// Whether class `lhs` comes before `rhs`: by falling score, the first of equal ones first, what is no number last.
static int is_before(const float *scores, int32_t lhs, int32_t rhs) {
  const int is_number = scores[lhs] == scores[lhs];
  if (is_number && scores[rhs] == scores[rhs] && scores[lhs] != scores[rhs]) {
    return scores[lhs] > scores[rhs];
  }
  return is_number == (scores[rhs] == scores[rhs]) ? lhs < rhs : is_number;
}

// The class that comes next behind `last`, which is NONE at first.
static int32_t next_class(const tinsmith_detections_parameters *p, const float *scores, int32_t last) {
  int32_t best = NONE;
  for (int32_t i = 0; i < p->classes; ++i) {
    if ((last == NONE || is_before(scores, last, i)) && (best == NONE || is_before(scores, i, best))) {
      best = i;
    }
  }
  return best;
}

static void put(const results_of_rows *results, int32_t row, const float *box, int32_t class_, float score) {
  memcpy(results->boxes + SIDES * row, box, SIDES * sizeof *box);
  results->classes[row] = (float)class_;
  results->scores[row] = score;
}

static int32_t find(const tinsmith_detections_parameters *p, const float *scores, const float *boxes, float *left,
                    const results_of_rows *results) {
  for (int32_t i = 0; i < p->boxes; ++i) {
    const float *row = scores + p->score_depth * i;
    left[i] = counted(p, row[next_class(p, row, NONE)]);
  }
  for (int32_t found = 0; found < p->max_detections; ++found) {
    const int32_t box = take(p, boxes, left);
    if (box == NONE) {
      return found;
    }
    const float *row = scores + p->score_depth * box;
    int32_t class_ = NONE;
    for (int32_t i = 0; i < p->kept_classes; ++i) {
      class_ = next_class(p, row, class_);
      put(results, p->kept_classes * found + i, boxes + SIDES * box, class_, row[class_]);
    }
  }
  return p->max_detections;
}

// Whether what is found of a class comes before a result: of equal scores that of the later class does.
static bool goes_before(const results_of_rows *results, int32_t row, int32_t class_, float score) {
  return results->scores[row] < score || (results->scores[row] == score && results->classes[row] < (float)class_);
}

// Moves what comes behind on, the last of max_detections away. Returns how many there are.
static int32_t insert(const tinsmith_detections_parameters *p, const results_of_rows *results, int32_t found,
                      const float *box, int32_t class_, float score) {
  int32_t row = found;
  for (; row > 0 && goes_before(results, row - 1, class_, score); --row) {
    if (row < p->max_detections) {
      const int32_t moved = (int32_t)results->classes[row - 1];
      put(results, row, results->boxes + SIDES * (row - 1), moved, results->scores[row - 1]);
    }
  }
  if (row < p->max_detections) {
    put(results, row, box, class_, score);
  }
  return found < p->max_detections ? found + 1 : found;
}

static int32_t find_by_class(const tinsmith_detections_parameters *p, const float *scores, const float *boxes,
                             float *left, const results_of_rows *results) {
  int32_t found = 0;
  for (int32_t class_ = 0; class_ < p->classes; ++class_) {
    for (int32_t i = 0; i < p->boxes; ++i) {
      left[i] = counted(p, scores[p->score_depth * i + class_]);
    }
    for (int32_t i = 0; i < p->detections_per_class; ++i) {
      const int32_t box = take(p, boxes, left);
      if (box == NONE) {
        break;
      }
      found = insert(p, results, found, boxes + SIDES * box, class_, scores[p->score_depth * box + class_]);
    }
  }
  return found;
}

void tinsmith_detections_f32(const tinsmith_detections_parameters *parameters, const float *encodings,
                             const float *scores, const float *anchors, void *scratch, float *boxes, float *classes,
                             float *best_scores, float *count) {
  const tinsmith_detections_parameters *p = parameters;
  const results_of_rows results = {boxes, classes, best_scores};
  float *decoded = scratch;
  float *left = decoded + SIDES * p->boxes;
  for (int32_t i = 0; i < p->boxes; ++i) {
    decode(p, encodings + p->encoding_depth * i, anchors + SIDES * i, decoded + SIDES * i);
  }
  memset(boxes, 0, SIDES * sizeof *boxes * (size_t)p->rows);
  memset(classes, 0, sizeof *classes * (size_t)p->rows);
  memset(best_scores, 0, sizeof *best_scores * (size_t)p->rows);
  const float *of_classes = scores + (p->score_depth - p->classes);
  count[0] = (float)(p->by_class ? find_by_class(p, of_classes, decoded, left, &results)
                                 : find(p, of_classes, decoded, left, &results));
}
