#include "platforms/simulators/soc/model/neureka.h"

#include <algorithm>
#include <array>

namespace tinsmith::soc {
uint32_t Neureka::read(uint32_t offset, uint64_t) {
  return jobs_.read(offset);
}

// The job may have been triggered, or all of them dropped, by this.
void Neureka::write(uint32_t offset, uint32_t value, uint64_t now) {
  jobs_.write(offset, value);
  if (jobs_.running() == nullptr) {
    loader_.stop();
    enter(Phase::kIdle, kNever);
  } else if (phase_ == Phase::kIdle) {
    begin_job(now);
  }
}

uint64_t Neureka::next_time() const {
  return std::min(time_, loader_.next_time());
}

// Weights and outputs are served before what is loaded in their shadow.
void Neureka::advance(AcceleratorPort &port, uint64_t now) {
  if (time_ <= now) {
    step(port, now);
  }
  if (loader_.next_time() <= now) {
    loader_.step(port, now);
    if (loader_.next_time() == kNever) {
      loaded(loader_.ready());
    }
  }
}

void Neureka::enter(Phase phase, uint64_t time) {
  phase_ = phase;
  time_ = time;
}

void Neureka::begin_job(uint64_t now) {
  job_ = decode_neureka_job(*jobs_.running());
  began_ = now;
  tile_ = {};
  prefetched_ = false;
  accumulators_.clear();
  loader_.begin(job_, tile_, now);
  enter(Phase::kInputs, kNever);
}

void Neureka::finish_job(AcceleratorPort &port, uint64_t now) {
  port.worked(job_.name(), began_, now);
  jobs_.finish();
  enter(Phase::kIdle, kNever);
  if (jobs_.running() != nullptr) {
    begin_job(now);
  }
  port.raise(0, now);
}

void Neureka::step(AcceleratorPort &port, uint64_t now) {
  switch (phase_) {
    case Phase::kWeights:
      return read_weights(port, now);
    case Phase::kScales:
      return read_scales(port, now);
    case Phase::kBiases:
      return read_biases(port, now);
    case Phase::kOutputs:
      return store_outputs(port, now);
    case Phase::kEnd:
      return finish_job(port, now);
    case Phase::kIdle:
    case Phase::kInputs:
    case Phase::kShadow:
      break;  // these wait for the loader
  }
}

// Goes on with what waits for the loader, if anything does.
void Neureka::loaded(uint64_t ready) {
  if (phase_ == Phase::kInputs) {
    begin_weights(ready);
  } else if (phase_ == Phase::kShadow) {
    end_tile_part(std::max(ended_, ready));
  }
}

void Neureka::begin_weights(uint64_t ready) {
  inputs_ = loader_.inputs();
  channel_ = 0;
  word_ = 0;
  weights_.clear();
  const uint32_t prepare_1x1 = job_.prefetch ? timing_.prefetch_prepare_1x1 : timing_.prepare_1x1;
  const uint32_t prepare = job_.is_1x1()         ? prepare_1x1
                           : job_.is_depthwise() ? timing_.prepare_depthwise
                                                 : timing_.prepare_3x3;
  enter(Phase::kWeights, ready + prepare);
  prefetch(time_);
}

// GVSoC's state machine does not reach over to other output channels either.
void Neureka::prefetch(uint64_t now) {
  NeurekaTile next = tile_;
  prefetched_ = job_.prefetch && job_.advance(next) && next.output_channels == tile_.output_channels;
  if (prefetched_) {
    loader_.begin(job_, next, now);
  }
}

bool Neureka::reads_depthwise_words_once() const {
  return job_.is_depthwise() && !job_.weights_in_memory && timing_.depthwise_l1_words != 0;
}

void Neureka::read_weights(AcceleratorPort &port, uint64_t now) {
  std::array<uint8_t, NeurekaJob::kWeightWordBytes> word;
  const uint32_t base = job_.weights_in_memory ? timing_.weight_memory : 0;
  const uint64_t waits =
      port.load(base + job_.weight_address(tile_, channel_, word_), word.data(), NeurekaJob::kWeightWordBytes, now);
  time_ = now + 1 + waits;
  compute(word.data());
  if (channel_ == job_.outputs_of(tile_)) {
    end_weights(time_ + (job_.mode == NeurekaMode::k3x3 ? timing_.compute_end_3x3 : 0));
  }
}

// Sums up when all bits of a channel are there.
void Neureka::compute(const uint8_t *word) {
  if (job_.is_1x1()) {
    weights_.add_word_1x1(word, job_.weight_bits);
  } else {
    weights_.add_bit_3x3(word, word_);
    if (++word_ < job_.weight_bits) {
      return;
    }
  }
  const uint32_t channels = reads_depthwise_words_once() ? job_.outputs_of(tile_) : 1;
  for (uint32_t i = 0; i < channels; ++i) {
    accumulate(channel_++);
  }
  word_ = 0;
  weights_.clear();
}

void Neureka::accumulate(uint32_t channel) {
  const uint32_t rows = job_.rows_of(tile_);
  const uint32_t columns = job_.columns_of(tile_);
  switch (job_.mode) {
    case NeurekaMode::k3x3:
      return accumulators_.add_3x3(channel, inputs_, weights_, job_.weight_offset, rows, columns);
    case NeurekaMode::kDepthwise:
      return accumulators_.add_depthwise(channel, inputs_, weights_, job_.weight_offset, rows, columns);
    case NeurekaMode::k1x1:
      return accumulators_.add_1x1(channel, inputs_, weights_, job_.weight_offset, rows, columns);
  }
}

void Neureka::end_weights(uint64_t now) {
  if (!prefetched_) {
    return end_tile_part(now);
  }
  ended_ = now + timing_.prefetch_handover;
  if (loader_.next_time() == kNever) {
    end_tile_part(std::max(ended_, loader_.ready()));
  } else {
    enter(Phase::kShadow, kNever);
  }
}

void Neureka::end_tile_part(uint64_t now) {
  channel_ = 0;
  if (tile_.input_channels + 1 < job_.input_parts()) {
    begin_next_part(now);
  } else if (job_.normalizes) {
    enter(Phase::kScales, now);
  } else {
    begin_outputs(now);
  }
}

void Neureka::end_tile(uint64_t now) {
  accumulators_.clear();
  NeurekaTile next = tile_;
  if (!job_.advance(next)) {
    return enter(Phase::kEnd, now);
  }
  begin_next_part(now);
}

void Neureka::begin_next_part(uint64_t now) {
  job_.advance(tile_);
  if (prefetched_) {
    return begin_weights(now);
  }
  loader_.begin(job_, tile_, now);
  enter(Phase::kInputs, kNever);
}

}  // namespace tinsmith::soc
