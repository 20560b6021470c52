// The constants of a network: dtypes, shapes and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/reconstruct.h"
#include "mlf/export.h"
#include "mlf/graph/topology.h"
#include "mlf/report.h"
#include "mlf/tir/document.h"
#include "support/name_map.h"

namespace mlf::report {

/// Statistics of the elements of a constant.
struct ConstantValues {
  static constexpr std::size_t kBins = 16;

  std::uint64_t zeros = 0;
  double least = 0;
  double greatest = 0;
  /// Elements by value, in equal parts from `least` to `greatest`.
  std::vector<std::uint64_t> histogram{};
};

struct ConstantSummary {
  std::string name;
  tir::DType dtype{};  ///< void: not known
  /// Empty if unknown: generated C has the array in one dimension.
  std::optional<std::vector<std::int64_t>> shape{};
  std::optional<std::uint64_t> elements{};  ///< empty if unknown
  /// Little-endian elements; empty if unknown. They live as long as the ModuleReport.
  std::optional<std::span<const std::byte>> data{};
  std::string source{};  ///< the member that has them
  /// Empty without data or elements, for a dtype without a C++ type (bfloat16, vectors), and if an
  /// element is not finite.
  std::optional<ConstantValues> values{};
};

/// Reads an element as a number.
using ElementReader = double (*)(const std::byte*);

/// The function that reads an element of this dtype as a number; null if C++ has no such type.
MLF_API ElementReader reader_of(tir::DType dtype);

/// One element as text.
MLF_API std::string element_text(tir::DType dtype, const std::byte* at);

/// Of little-endian elements.
std::optional<ConstantValues> values_of(tir::DType dtype, std::span<const std::byte> data);

/// Returns the shortest text that denotes `value` in this dtype.
MLF_API std::string value_text(double value, tir::DType dtype);

/// The constants that the memory planner put into pools, by offset and size: every function with a
/// pool as a parameter lists its contents, and kernels use other names. The document must outlive
/// this object.
class PooledConstants {
 public:
  explicit PooledConstants(const tir::Document& document);

  /// Returns nullopt if there is no constant, or if two pools have different ones.
  std::optional<ConstantSummary> find(std::string_view name, std::optional<std::uint64_t> offset,
                                      std::optional<std::uint64_t> bytes) const;

 private:
  struct FoundArray {
    tir::Node array;
    bool is_ambiguous = false;
  };
  const tir::Document& document_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, FoundArray> by_place_;
};

/// Those of the function itself, then those that it has in pools. `known` is what the network has
/// of the kernel, or null.
std::vector<ConstantSummary> constants_of(const KernelReport& kernel, const graph::Kernel* known,
                                          const PooledConstants& pooled);

/// A constant of a module: of a kernel, or of main.
struct ModuleConstant {
  std::string_view kernel;  ///< symbol; empty: of main
  std::string_view name;
  std::optional<graph::MemoryKind> memory;
  std::optional<graph::PoolId> pool;
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> bytes;
  std::optional<graph::ValueId> value{};  ///< of main
  ConstantSummary summary;
};

/// Reads the constants of modules. Visits the nodes of each document once, as thousands of modules
/// may have theirs in one document.
class MLF_API ConstantReader {
 public:
  /// Those of main, then those of each kernel. They refer to names of the module.
  std::vector<ModuleConstant> constants_of(const ModuleReport& module);

 private:
  struct Source {
    std::shared_ptr<const tir::Document> document;
    PooledConstants pooled;
    std::shared_ptr<const graph::DocumentCode> code;
    std::map<std::string, tir::Node, std::less<>> linked;  ///< LinkedParam, by name
  };
  class Summaries;

  const Source& source_of(const std::shared_ptr<const tir::Document>& document);

  std::map<const tir::Document*, Source> sources_{};
};

/// Whether a constant of the graph executor is in the file of parameters: the C does not have it.
bool is_in_file(const graph::Topology& network, const graph::Value& value);

/// The largest of the constants that each call of a module reads: the first of those of one size.
class MLF_API LargestConstants {
 public:
  /// Both must outlive this object. `constants` are those of the module.
  LargestConstants(const std::vector<ModuleConstant>& constants, const ModuleReport& module);

  /// Returns null if the call reads no constant.
  const ModuleConstant* of(const CallReport& call) const;

 private:
  const ModuleReport& module_;
  std::map<graph::ValueId, const ModuleConstant*> of_values_;
  support::NameMap<std::string_view, const ModuleConstant*> of_kernels_;
};

}  // namespace mlf::report
