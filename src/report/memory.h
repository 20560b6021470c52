// The memory of a module: RAM and flash by kind, and why its numbers are not exact.
#pragma once

#include <span>
#include <string>

#include "mlf/model_library.h"
#include "mlf/report.h"
#include "mlf/tir/document.h"

namespace mlf::report {

/// Adds a reason once.
void note(ModuleReport& module, const std::string& why);

void note_other_memory(ModuleReport& module, std::span<const tir::OtherMemory> memory);

/// Collects the reasons of inexact numbers from memory and kernels.
void collect_reasons(ModuleReport& module);

/// With everything that is in the sections of constants.
analysis::Count constants_in_sections(std::span<const tir::OtherMemory> memory,
                                      const graph::MemoryTotals& totals);

void add_memory(ModuleReport& module, const graph::Topology& network);

/// Pools of constants that are not `const` are in RAM, unless they are in a section that linker
/// scripts put into flash. A compiler has them in its sections.
void add_writable_pools(ModuleReport& module);

/// The application stores or loads what the graph executor reads.
void add_executor_files(ModuleReport& report, const ModuleFiles& files,
                        const graph::Topology& network);

}  // namespace mlf::report
