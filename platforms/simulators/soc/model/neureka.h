// N-EUREKA, Siracusa's accelerator: convolutions 1x1, 3x3 and 3x3 depthwise of stride 1, weights of 2 to 8 bits,
// tiles of 6x6 outputs of 32 channels (depthwise: 28).
//
// Its registers are those of JobQueue, its jobs' words those of decode_neureka_job(). For every tile of output
// channels, then of rows, of columns, and for every part of the input channels: load the inputs, a pixel each cycle;
// read the weights, a word of 256 bits each cycle; then scales and biases; then store the outputs. With prefetch, the
// next tile's inputs are loaded while weights are read, unless it has other output channels. Memory is touched in the
// cycle in which the model says so, waits for banks delay all that follows. Raises line 0 when a job is done.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_H_

#include <cstdint>

#include "platforms/simulators/soc/model/accelerator.h"
#include "platforms/simulators/soc/model/job_queue.h"
#include "platforms/simulators/soc/model/neureka_datapath.h"
#include "platforms/simulators/soc/model/neureka_job.h"
#include "platforms/simulators/soc/model/neureka_loader.h"
#include "platforms/simulators/soc/model/neureka_timing.h"

namespace tinsmith::soc {

class Neureka : public Accelerator {
 public:
  explicit Neureka(const NeurekaTiming &timing) : timing_(timing), loader_(timing_) {
  }

  uint32_t read(uint32_t offset, uint64_t now) override;
  void write(uint32_t offset, uint32_t value, uint64_t now) override;
  uint64_t next_time() const override;
  void advance(AcceleratorPort &port, uint64_t now) override;

 private:
  // What the engine itself does at `time_`; its loader runs beside it.
  enum class Phase { kIdle, kInputs, kWeights, kShadow, kScales, kBiases, kOutputs, kEnd };

  void begin_job(uint64_t now);
  void finish_job(AcceleratorPort &port, uint64_t now);
  void step(AcceleratorPort &port, uint64_t now);
  void loaded(uint64_t ready);

  void begin_weights(uint64_t ready);
  void prefetch(uint64_t now);
  void read_weights(AcceleratorPort &port, uint64_t now);
  void compute(const uint8_t *word);
  void accumulate(uint32_t channel);
  void end_weights(uint64_t now);
  void end_tile_part(uint64_t now);
  void read_scales(AcceleratorPort &port, uint64_t now);
  void read_biases(AcceleratorPort &port, uint64_t now);
  void end_biases(uint64_t now);
  void begin_outputs(uint64_t now);
  void store_outputs(AcceleratorPort &port, uint64_t now);
  void end_tile(uint64_t now);
  void begin_next_part(uint64_t now);

  bool reads_depthwise_words_once() const;
  void enter(Phase phase, uint64_t time);

  const NeurekaTiming timing_;
  JobQueue jobs_{NeurekaJob::kWords};
  NeurekaJob job_;
  NeurekaTile tile_;
  NeurekaLoader loader_;
  NeurekaInputs inputs_;
  NeurekaWeights weights_;
  NeurekaAccumulators accumulators_;
  Phase phase_ = Phase::kIdle;
  uint64_t began_ = 0;
  uint64_t time_ = kNever;   // of the next step, kNever while it waits for the loader
  uint64_t ended_ = 0;       // when the tile's computation was done
  uint32_t channel_ = 0;     // of the tile's output channels, the next one
  uint32_t word_ = 0;        // its next weight word, or a pixel's next word
  uint32_t pixel_ = 0;       // of the outputs, the next one
  bool prefetched_ = false;  // the loader has, or will have, the next tile
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NEUREKA_H_
