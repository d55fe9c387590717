// What a run leaves behind: counters as JSON, a trace for Perfetto, and the account of a fault.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_REPORT_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_REPORT_H_

#include <string>

#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {

// Counters per core, function and region, schema `tinsmith.soc/1`. Raises BadFile if the file cannot be written.
void write_json(const std::string &path, const Soc &soc, const Result &result);

// Trace Event Format: a track per core, per DMA identifier and for the accelerator, a cycle shown as a microsecond.
void write_trace(const std::string &path, const Soc &soc);

// Raises BadFile if the file cannot be written; leaves one that is there as it is.
void check_writable(const std::string &path);

// A line for each core that runs: where it is.
std::string describe_places(const Soc &soc, const Program &program);

// Core, PC, instruction, function, registers and reason.
std::string describe_fault(const Soc &soc, const Program &program, const Result &result);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_REPORT_H_
