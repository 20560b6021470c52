// A report as one HTML file, for `mlf report --html`: it loads nothing, and can be read without
// scripts, except for compressed parts of large pages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mlf/diff.h"
#include "mlf/export.h"
#include "mlf/graph/topology.h"
#include "mlf/integration.h"
#include "mlf/report.h"
#include "report/constants.h"
#include "report/kernel_text.h"

namespace mlf {

/// A tensor or workspace in a region of memory: in a pool, a rectangle of the memory map.
struct MapTensor {
  std::string name;
  std::uint64_t offset = 0;  ///< bytes from the start of the pool; 0 in other regions
  std::uint64_t bytes = 0;   ///< greater than 0
  /// In steps. A plan knows lifetimes within a step: 2.5 is the middle of step 2. A kernel may have
  /// read all of an input before it writes its output over it.
  double begin = 0;
  double end = 0;
  bool is_scratch = false;  ///< a workspace of a kernel, live while the kernel runs
};

/// A pool as `mlf plan` places its tensors.
struct PlannedMap {
  std::uint64_t bytes = 0;  ///< of the planned pool; less than now
  std::vector<MapTensor> tensors{};
};

/// A region of writable memory over the steps of a run. Only pools have offsets; heap, stack and
/// the graph executor's storages have the number of bytes in use.
struct MemoryMap {
  std::string name;  ///< of the pool; else the kind of memory
  graph::MemoryKind kind = graph::MemoryKind::pool;
  std::uint64_t bytes = 0;  ///< the declared size of the pool, or the most bytes in use
  std::vector<MapTensor> tensors{};
  std::vector<graph::LiveBytes> live{};  ///< as in MemoryUse
  std::vector<std::string> uncertain{};  ///< why it is not exact, one sentence each
  std::vector<std::string> left_out{};   ///< tensors whose size or offset is unknown
  std::optional<PlannedMap> planned{};   ///< for pools that other offsets make smaller
};

/// The code of a kernel. A form that the archive lacks is empty.
struct KernelCode {
  report::KernelText tir{};
  std::string c{};  ///< the lines of `KernelReport::c`
  std::vector<report::ConstantSummary> constants{};
  /// For lines of `c`, the line of `tir` with the same loop, store or condition. The first line is
  /// 1. Empty if the statements differ.
  std::map<std::uint32_t, std::uint32_t> line_of_tir{};
};

/// The data of a page about one module, beside its report.
struct PageModule {
  std::uint32_t steps = 0;                            ///< of a run: calls, copies and hooks
  std::vector<std::optional<graph::CallId>> calls{};  ///< by step; nothing at copies and hooks
  std::vector<MemoryMap> maps{};
  std::vector<KernelCode> kernels{};  ///< as in ModuleReport
  ModuleIntegration integration{};    ///< without loops
  /// The network as SVG (`drawing::svg_from_dot` of `graph::write_dot`), or empty. The caller draws
  /// it, as the library does not link Graphviz.
  std::string picture{};
  std::string folded_picture{};  ///< the same with repeated parts drawn once; empty: none
  std::string no_picture{};      ///< the reason why there is no drawing, one sentence
};

struct PageData {
  std::string title;                  ///< the archive's name, for people
  std::vector<PageModule> modules{};  ///< as in Report
  ArchiveOrigin origin{};
  std::string command{};  ///< that wrote the page; set by the caller
};

/// Collects everything but the pictures and the plans.
///
/// Throws the errors of reading C and TIR; after a `report_of` of the same deployment only `io`.
MLF_API PageData page_data(const Deployment& deployment, const Report& report);

/// Plans the pools (`plan_archive`), which takes time for large ones, and adds `planned` to their
/// maps. `data` must be of the same deployment. Throws those of `plan_archive`.
MLF_API void add_plans(const Deployment& deployment, PageData& data);

/// Writes the page: HTML with its style and script, and the report as JSON
/// (schemas/report.schema.json) in the element `report`, a part of the page. All text of the
/// archive is escaped, and the page's content security policy allows only its own script.
MLF_API void write_page(const Report& report, const PageData& data, const Sink& sink);

/// One of two builds.
struct PageSide {
  const Report& report;
  const PageData& data;  ///< of that report; its plans are not shown, nor its folded pictures
};

/// Writes a page about the differences of two builds (`diff` of the two reports): numbers before
/// and after, memory maps on one scale, both networks coloured by the change of each kernel, and
/// the code of changed kernels with the differing lines marked; then constants and members.
MLF_API void write_diff_page(const PageSide& before, const PageSide& after,
                             const BuildDifference& difference, const Sink& sink);

}  // namespace mlf
