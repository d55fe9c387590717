// Of maps of keypoints the people in an image, as Coral's decoder of PoseNet finds them.
//
// It keeps all likely keypoints in a queue; here the next one is looked for each time, which needs no memory.
#include "tinsmith/poses.h"

#include <string.h>

#include "exponential.h"

#define KEYPOINTS TINSMITH_POSES_KEYPOINTS
#define EDGES TINSMITH_POSES_EDGES
#define REFINEMENTS 5
#define NONE (-1)

// Keypoints at both ends; the way back follows behind all of them.
static const int8_t kEdges[EDGES][2] = {{0, 1},   {1, 3},   {0, 2}, {2, 4}, {0, 5},  {5, 7},  {7, 9},   {5, 11},
                                        {11, 13}, {13, 15}, {0, 6}, {6, 8}, {8, 10}, {6, 12}, {12, 14}, {14, 16}};

typedef struct {
  float y;
  float x;
} point;

// points, scores: of the keypoints. mean, last_mean: of all scores, and of those that no better pose has.
typedef struct {
  point points[KEYPOINTS];
  float scores[KEYPOINTS];
  float mean;
  float last_mean;
} pose;

typedef struct {
  const tinsmith_poses_parameters *parameters;
  const float *heatmaps;
  const float *short_offsets;
  const float *mid_offsets;
} pose_maps;

// A keypoint that an edge leads to.
typedef struct {
  point point;
  float score;
  int32_t keypoint;
} seen_keypoint;

// 0 for what is no number.
static float within(float value, int32_t size) {
  const float positive = value > 0.0f ? value : 0.0f;
  return positive < (float)(size - 1) ? positive : (float)(size - 1);
}

static point moved(const pose_maps *maps, point from, float y, float x) {
  const tinsmith_poses_parameters *p = maps->parameters;
  const point to = {within(from.y + y, p->height), within(from.x + x, p->width)};
  return to;
}

// One channel of a map between four places, each times `factor` first.
static float sampled(const pose_maps *maps, const float *map, int32_t depth, int32_t channel, float factor, point at) {
  const int32_t top = (int32_t)at.y;
  const int32_t left = (int32_t)at.x;
  const float down = at.y - (float)top;
  const float across = at.x - (float)left;
  const int32_t row = maps->parameters->width * depth;
  const int32_t below = down > 0.0f ? row : 0;
  const int32_t beside = across > 0.0f ? depth : 0;
  const float *first = map + top * row + left * depth + channel;
  const float upper = (1.0f - across) * (first[0] * factor) + across * (first[beside] * factor);
  const float lower = (1.0f - across) * (first[below] * factor) + across * (first[below + beside] * factor);
  return (1.0f - down) * upper + down * lower;
}

static float score_at(const pose_maps *maps, int32_t keypoint, point at) {
  return sampled(maps, maps->heatmaps, KEYPOINTS, keypoint, 1.0f, at);
}

static point refined(const pose_maps *maps, int32_t keypoint, point at) {
  const float factor = maps->parameters->places_of_a_pixel;
  const float y = sampled(maps, maps->short_offsets, 2 * KEYPOINTS, keypoint, factor, at);
  const float x = sampled(maps, maps->short_offsets, 2 * KEYPOINTS, KEYPOINTS + keypoint, factor, at);
  return moved(maps, at, y, x);
}

// The first edge of those backwards is looked up where Coral does, which is not where it lies.
static point follow(const pose_maps *maps, int32_t edge, int32_t keypoint, point from) {
  const float factor = maps->parameters->places_of_a_pixel;
  const int32_t channel = edge > EDGES ? edge + EDGES : edge;
  const float y = sampled(maps, maps->mid_offsets, 4 * EDGES, channel, factor, from);
  const float x = sampled(maps, maps->mid_offsets, 4 * EDGES, EDGES + channel, factor, from);
  point to = moved(maps, from, y, x);
  for (int32_t i = 0; i < REFINEMENTS; ++i) {
    to = refined(maps, keypoint, to);
  }
  return to;
}

// By falling score, equal ones in the order of their index.
static int is_behind(const float *scores, int32_t index, int32_t other) {
  return scores[index] < scores[other] || (scores[index] == scores[other] && index > other);
}

static int is_local_maximum(const pose_maps *maps, int32_t index) {
  const tinsmith_poses_parameters *p = maps->parameters;
  const int32_t keypoint = index % KEYPOINTS;
  const int32_t x = index / KEYPOINTS % p->width;
  const int32_t y = index / KEYPOINTS / p->width;
  for (int32_t row = y > 0 ? y - 1 : 0; row <= y + 1 && row < p->height; ++row) {
    for (int32_t column = x > 0 ? x - 1 : 0; column <= x + 1 && column < p->width; ++column) {
      if (maps->heatmaps[(row * p->width + column) * KEYPOINTS + keypoint] > maps->heatmaps[index]) {
        return 0;
      }
    }
  }
  return 1;
}

// The likely keypoint behind `last`, NONE at first: its index in the heatmaps.
static int32_t next_root(const pose_maps *maps, int32_t last) {
  const tinsmith_poses_parameters *p = maps->parameters;
  const float *scores = maps->heatmaps;
  int32_t best = NONE;
  for (int32_t i = 0; i < p->height * p->width * KEYPOINTS; ++i) {
    const int is_next = scores[i] >= p->least_logit && (last == NONE || is_behind(scores, i, last)) &&
                        (best == NONE || is_behind(scores, best, i));
    if (is_next && is_local_maximum(maps, i)) {
      best = i;
    }
  }
  return best;
}

static int is_near(const tinsmith_poses_parameters *p, point one, point other) {
  const float y = other.y - one.y;
  const float x = other.x - one.x;
  return y * y + x * x <= p->squared_radius;
}

// The mean of the scores that count, added by falling score.
static float mean_score(const pose *found, const uint8_t *counts) {
  float total = 0.0f;
  int32_t last = NONE;
  for (int32_t i = 0; i < KEYPOINTS; ++i) {
    int32_t best = NONE;
    for (int32_t k = 0; k < KEYPOINTS; ++k) {
      if (found->scores[k] != found->scores[k]) {
        return found->scores[k];  // no number
      }
      if ((last == NONE || is_behind(found->scores, k, last)) && (best == NONE || is_behind(found->scores, best, k))) {
        best = k;
      }
    }
    if (best == NONE) {
      break;
    }
    total += counts[best] ? found->scores[best] : 0.0f;
    last = best;
  }
  return total / (float)KEYPOINTS;
}

// Each keypoint once, the likeliest of those in sight first, of equal ones that which was seen first.
static void decode(const pose_maps *maps, point root, int32_t root_keypoint, pose *found) {
  seen_keypoint seen[2 * EDGES + 1];
  int32_t count = 1;
  uint8_t is_found[KEYPOINTS] = {0};
  seen[0].point = root;
  seen[0].keypoint = root_keypoint;
  seen[0].score = score_at(maps, root_keypoint, root);
  while (count > 0) {
    int32_t best = 0;
    for (int32_t i = 1; i < count; ++i) {
      best = seen[i].score > seen[best].score ? i : best;
    }
    const seen_keypoint next = seen[best];
    --count;
    for (int32_t i = best; i < count; ++i) {
      seen[i] = seen[i + 1];
    }
    if (is_found[next.keypoint]) {
      continue;
    }
    is_found[next.keypoint] = 1;
    found->points[next.keypoint] = next.point;
    found->scores[next.keypoint] = logistic(next.score);
    for (int32_t edge = 0; edge < 2 * EDGES; ++edge) {
      const int is_back = edge >= EDGES;
      const int32_t from = kEdges[edge % EDGES][is_back];
      const int32_t to = kEdges[edge % EDGES][!is_back];
      if (from == next.keypoint && !is_found[to]) {
        seen[count].point = follow(maps, edge, to, next.point);
        seen[count].keypoint = to;
        seen[count].score = score_at(maps, to, seen[count].point);
        ++count;
      }
    }
  }
}

static int32_t find(const pose_maps *maps, pose *poses) {
  const tinsmith_poses_parameters *p = maps->parameters;
  uint8_t all[KEYPOINTS];
  memset(all, 1, sizeof all);
  int32_t count = 0;
  for (int32_t root = next_root(maps, NONE); root != NONE && count < p->max_detections; root = next_root(maps, root)) {
    const int32_t keypoint = root % KEYPOINTS;
    const int32_t place = root / KEYPOINTS;
    const float *offsets = maps->short_offsets + place * 2 * KEYPOINTS + keypoint;
    const point at = {(float)(place / p->width), (float)(place % p->width)};
    const point from = moved(maps, at, offsets[0] * p->places_of_a_pixel, offsets[KEYPOINTS] * p->places_of_a_pixel);
    int is_new = 1;
    for (int32_t i = 0; i < count; ++i) {
      is_new = is_new && !is_near(p, from, poses[i].points[keypoint]);
    }
    if (!is_new) {
      continue;
    }
    decode(maps, from, keypoint, &poses[count]);
    poses[count].mean = mean_score(&poses[count], all);
    count += poses[count].mean >= p->score_threshold;
  }
  return count;
}

// Whether pose `i` comes before pose `other` by their first means.
static int is_better(const pose *poses, int32_t i, int32_t other) {
  return poses[i].mean > poses[other].mean || (poses[i].mean == poses[other].mean && i < other);
}

static void count_own(const tinsmith_poses_parameters *p, pose *poses, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    uint8_t is_own[KEYPOINTS];
    for (int32_t k = 0; k < KEYPOINTS; ++k) {
      is_own[k] = 1;
      for (int32_t other = 0; other < count; ++other) {
        if (is_better(poses, other, i) && is_near(p, poses[i].points[k], poses[other].points[k])) {
          is_own[k] = 0;
        }
      }
    }
    poses[i].last_mean = mean_score(&poses[i], is_own);
  }
}

// The pose behind `last` by the last means, NONE at first.
static int32_t next_pose(const pose *poses, int32_t count, int32_t last) {
  int32_t best = NONE;
  for (int32_t i = 0; i < count; ++i) {
    const float mean = poses[i].last_mean;
    const int is_next = last == NONE || mean < poses[last].last_mean || (mean == poses[last].last_mean && i > last);
    if (is_next && (best == NONE || mean > poses[best].last_mean)) {
      best = i;
    }
  }
  return best;
}

void tinsmith_poses_f32(const tinsmith_poses_parameters *parameters, const float *heatmaps, const float *short_offsets,
                        const float *mid_offsets, void *scratch, float *keypoints, float *keypoint_scores,
                        float *scores, float *count) {
  const tinsmith_poses_parameters *p = parameters;
  const pose_maps maps = {p, heatmaps, short_offsets, mid_offsets};
  pose *poses = scratch;
  const int32_t found = find(&maps, poses);
  count_own(p, poses, found);
  memset(keypoints, 0, 2 * KEYPOINTS * sizeof *keypoints * (size_t)p->max_detections);
  memset(keypoint_scores, 0, KEYPOINTS * sizeof *keypoint_scores * (size_t)p->max_detections);
  memset(scores, 0, sizeof *scores * (size_t)p->max_detections);
  int32_t row = 0;
  for (int32_t i = next_pose(poses, found, NONE); i != NONE; i = next_pose(poses, found, i)) {
    if (!(poses[i].last_mean >= p->score_threshold)) {
      break;
    }
    for (int32_t k = 0; k < KEYPOINTS; ++k) {
      keypoints[2 * (KEYPOINTS * row + k)] = poses[i].points[k].y * p->stride;
      keypoints[2 * (KEYPOINTS * row + k) + 1] = poses[i].points[k].x * p->stride;
    }
    memcpy(keypoint_scores + KEYPOINTS * row, poses[i].scores, sizeof poses[i].scores);
    scores[row] = poses[i].last_mean;
    ++row;
  }
  count[0] = (float)row;
}
