// The parameters and the own memory of called functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/kernels/body_scan.h"
#include "graph/kernels/functions.h"
#include "graph/kernels/kernel_code.h"
#include "mlf/graph/topology.h"
#include "support/name_map.h"

namespace mlf::graph {

/// Accesses of one kind to one piece of memory.
struct Reach {
  std::uint64_t bytes = 0;  ///< up to the end of the last byte that is certainly accessed
  bool is_exact = true;     ///< false: other accesses may reach further

  void include(std::optional<std::uint64_t> end);
};

struct Reaches {
  Reach stored{};
  Reach loaded{};
  std::int64_t before = 0;    ///< bytes before the memory that are certainly accessed
  bool is_passed_on = false;  ///< its address goes to a function whose body is not known

  std::uint64_t bytes() const { return std::max(stored.bytes, loaded.bytes); }
  bool is_exact() const { return stored.is_exact && loaded.is_exact; }
};

struct FunctionReach {
  std::map<std::uint32_t, Reaches> arguments;  ///< of a call, by position
  /// By the variable of an address: of an allocation, or inside a parameter.
  std::map<tir::NodeId, Reaches> pointers;
};

/// Of the code that is understood. Does not run loops, so time grows with the number of accesses.
FunctionReach reach_of(const KernelCode& code);

/// Whether a function certainly reads bytes of the tensor in argument `from` that it has written
/// before: argument `to` begins `shift` bytes behind `from`.
bool reads_overwritten(const KernelCode& code, std::uint32_t from, std::uint32_t to,
                       std::int64_t shift);

/// A parameter of a kernel: a tensor or a pool.
struct KernelParameter {
  std::string name;
  TensorType type;
  StatedShape stated_shape{};  ///< BodyScan::shapes
  Effect effect{};
  bool is_pool = false;
  bool may_be_pool = false;    ///< by what the kernel does with these bytes, whatever their name
  std::uint64_t at_least = 0;  ///< bytes up to the last one that is certainly accessed
  std::int64_t before = 0;     ///< bytes before the tensor that are certainly accessed
  /// The number of bytes that the kernel writes: certainly all of them, and no others.
  std::optional<std::uint64_t> written{};
  /// The bytes up to the last accessed one; nullopt if it may access others.
  std::optional<std::uint64_t> accessed{};
};

struct KernelInfo {
  Kernel kernel;                            ///< its constants and workspaces but for those in pools
  std::vector<KernelParameter> parameters;  ///< empty without a body
  std::vector<BodyMemory> places;           ///< which may be in pools: only a call tells
  std::vector<std::string> overruns;        ///< of its own memory, one sentence each
  const KernelCode* code = nullptr;         ///< if it is understood, and its end is reached
};

/// Describes a function that has TIR.
KernelInfo describe_kernel(const FunctionRef& function, std::span<const TirInput> sources);

class KernelLibrary {
 public:
  /// All arguments must outlive the library. Looks for callees in `main_source` first.
  KernelLibrary(const FunctionTable& functions, std::span<const TirInput> sources,
                std::size_t main_source, std::string_view module)
      : functions_(functions), sources_(sources), main_source_(main_source), module_(module) {}

  /// The description of a function; it lives as long as the library.
  const KernelInfo& describe(std::string_view symbol);

  /// Whether a function with this symbol or name has TIR.
  bool defines(std::string_view symbol) const {
    return functions_.find(symbol, main_source_) != nullptr;
  }

 private:
  const FunctionTable& functions_;
  std::span<const TirInput> sources_;
  std::size_t main_source_;
  std::string module_;
  support::NameMap<std::string, std::unique_ptr<KernelInfo>> known_;
};

}  // namespace mlf::graph
