#include "platforms/simulators/soc/model/neureka_loader.h"

#include <algorithm>
#include <array>

namespace tinsmith::soc {

void NeurekaLoader::begin(const NeurekaJob &job, const NeurekaTile &tile, uint64_t now) {
  const uint32_t border = job.is_1x1() ? 0 : 2;
  job_ = &job;
  tile_ = tile;
  rows_ = job.rows_of(tile) + border;
  columns_ = job.columns_of(tile) + border;
  pixel_ = 0;
  time_ = now + timing_.load_begin;
  inputs_.clear();
}

void NeurekaLoader::stop() {
  time_ = Accelerator::kNever;
}

// Pixels of padding take their cycles, too, but touch no memory.
void NeurekaLoader::skip_padding() {
  while (pixel_ < rows_ * columns_ && job_->is_padding(tile_, pixel_ / columns_, pixel_ % columns_)) {
    inputs_.fill(pixel_ / columns_, pixel_ % columns_, job_->pad_value, job_->inputs_of(tile_), job_->signed_input);
    pixel_ += 1;
    time_ += 1;
  }
}

void NeurekaLoader::step(AcceleratorPort &port, uint64_t now) {
  if (pixel_ < rows_ * columns_ && !job_->is_padding(tile_, pixel_ / columns_, pixel_ % columns_)) {
    std::array<uint8_t, NeurekaJob::kChannels> bytes;
    const uint32_t row = pixel_ / columns_;
    const uint32_t column = pixel_ % columns_;
    const uint32_t channels = job_->inputs_of(tile_);
    time_ = now + 1 + port.load(job_->input_address(tile_, row, column), bytes.data(), channels, now);
    inputs_.set(row, column, bytes.data(), channels, job_->signed_input);
    pixel_ += 1;
  }
  skip_padding();
  if (pixel_ < rows_ * columns_) {
    return;
  }
  const uint32_t unused = std::max(timing_.load_pixels_1x1, pixel_) - pixel_;
  ready_ = time_ + (job_->is_1x1() ? unused + timing_.load_end_1x1 : 0);
  time_ = Accelerator::kNever;
}

}  // namespace tinsmith::soc
