// A PrimFunc, read once: its nodes in order, what surrounds each, its pointers and their uses.
// Directions, sizes, ticks, results in place and bytes of a kernel are queries on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "graph/kernels/evaluation_order.h"
#include "graph/kernels/iteration_domain.h"
#include "graph/node_queries.h"
#include "graph/scope.h"
#include "mlf/tir/document.h"
#include "mlf/tir/module.h"
#include "mlf/tir/visit.h"

namespace mlf::graph {

/// One tensor in memory, as far as the function distinguishes tensors.
struct Memory {
  std::string name;
  Address address;
  bool is_constant = false;  ///< of an AllocateConst
};

class Memories {
 public:
  Memories(tir::Node function, const EvaluationOrder& order);

  std::size_t size() const { return memories_.size(); }
  const Memory& operator[](std::size_t memory) const { return memories_[memory]; }
  /// The tensor that a load or a store touches; empty for other nodes.
  std::optional<std::size_t> of_access(tir::Node access) const;
  /// The target of a pointer.
  Address address_of(tir::Node pointer) const { return scope_.address_of(pointer); }
  /// Returns the target of a pointer; nullopt if unknown.
  std::optional<std::size_t> of_pointer(tir::Node pointer) const;

 private:
  using Key = std::tuple<AddressKind, std::uint32_t, std::int64_t, std::uint32_t>;

  void define(tir::Node node);
  void use(tir::Node data);
  static Key key_of(const Address& address, tir::Node data);

  Scope scope_;
  std::vector<Memory> memories_;
  std::map<Key, std::size_t> positions_;
  std::vector<std::uint32_t> constants_;  // variables of AllocateConst
};

/// How code uses the memory that a pointer points to.
enum class AccessKind : std::uint8_t {
  element,  ///< a load or store of an element
  layer,    ///< a layer of CMSIS-NN, which states the bytes from the pointer on
  npu,      ///< a call of the Ethos-U driver, which may state them
  stated,   ///< tvm_access_ptr: states the bytes and whether it reads or writes
  tensor,   ///< a call that is a statement receives the tensor of an element
  passed,   ///< a call that may do anything with it
  kept,     ///< a struct keeps the pointer
};

/// One use of memory.
struct MemoryAccess {
  AccessKind kind = AccessKind::element;
  std::size_t position = 0;   ///< of the load, store, call or evaluation in the order
  std::size_t statement = 0;  ///< the first statement that evaluates it
  tir::Node pointer{};        ///< an expression
  Address address{};          ///< of `pointer`; of `stated`, without its offset
  bool is_read = false;
  bool is_written = false;
  std::optional<std::uint64_t> bytes{};  ///< that it accesses from the address on, if stated
  bool is_context = false;  ///< of `layer`: its work buffer, which it writes before it reads it
};

/// How control comes to a place in the code.
struct Control {
  bool is_guarded = false;     ///< all ways to it have a condition
  bool may_be_inside = false;  ///< a way to it has a loop or a condition
};

class KernelCode {
 public:
  explicit KernelCode(tir::Node function);
  KernelCode(const KernelCode&) = delete;
  KernelCode& operator=(const KernelCode&) = delete;

  tir::Node function;
  EvaluationOrder order;
  Bindings bindings;
  Memories memories;
  std::vector<tir::Node> rebound{};  ///< variables of lets with different values
  /// In the order of the code: statement by statement, in each the loads before the store.
  std::vector<MemoryAccess> accesses{};

  Address address_of(tir::Node pointer) const { return memories.address_of(pointer); }
  /// The position of the first statement that evaluates the node at a position.
  std::size_t statement_of(std::size_t position) const { return statements_[position]; }
  /// Whether the statement of a node is in several places, and has no position in the order.
  bool is_shared(std::size_t position) const { return is_shared_[position]; }
  /// Whether several statements evaluate the expression at a position.
  bool is_in_several(std::size_t position) const { return is_in_several_[position]; }
  const Control& control(std::size_t position) const { return control_[position]; }
  /// The loops and conditions on one way to the node, from the outside in, not compiled yet.
  IterationDomain around(std::size_t position) const;
  /// The kind of addresses in the arguments of a call.
  AddressKind kind_of_arguments() const {
    return is_packed_ ? AddressKind::argument : AddressKind::parameter;
  }
  bool is_of_call(const Address& address) const { return address.kind == kind_of_arguments(); }
  /// Whether MakePackedAPI ran: parameters are the packed arguments, not the six parameters.
  bool is_packed() const { return is_packed_; }

 private:
  // A position in levels_, plus one; 0 is the function itself.
  using Level = std::uint32_t;
  /// A part that is not always evaluated once with its whole.
  struct OpenLevel {
    Part part;
    tir::Node whole;
    Level outer = 0;
  };

  void find_statements();
  void find_control();
  void read_lets();
  void find_accesses();
  void add_call(std::size_t position, tir::Node call);
  void add(MemoryAccess use);

  std::vector<std::size_t> statements_;
  std::vector<bool> is_shared_;
  std::vector<bool> is_in_several_;
  std::vector<Control> control_;
  std::vector<Level> level_of_;
  std::vector<OpenLevel> levels_;
  tir::NodeSet bound_;  // values of lets of addresses inside parameters: no accesses yet
  bool is_packed_ = false;
};

/// The functions of a document, each read once for all that ask about it.
///
/// Threads: all functions may be called from several threads at once.
class DocumentCode {
 public:
  explicit DocumentCode(std::shared_ptr<const tir::Document> document);

  const tir::Document& document() const { return *document_; }
  /// By the names of their GlobalVars.
  const std::map<std::string_view, tir::Node>& functions() const { return functions_; }
  /// Undefined if there is none with this name.
  tir::Node find(std::string_view name) const;
  /// Reads one of the functions at the first call. The result lives as long as this.
  const KernelCode& code_of(tir::Node function) const;

 private:
  std::shared_ptr<const tir::Document> document_;
  std::map<std::string_view, tir::Node> functions_;
  mutable std::mutex reading_;
  mutable std::map<tir::NodeId, std::unique_ptr<const KernelCode>> codes_;
};

}  // namespace mlf::graph
