// The dtypes of a function that was read. The text has those of constants, casts and allocations
// alone: what is added, compared or stored together has one dtype, and where nothing says which,
// it is what such a thing mostly is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tir/repr/context.h"

namespace mlf::tir::repr {

class DTypeInference {
 public:
  /// Nodes from `first` on are those of the function.
  DTypeInference(Context& context, std::uint32_t first);
  void run();

 private:
  /// How sure a dtype is; the surest one of a class holds.
  enum class Evidence : std::uint8_t {
    none,        ///< handed on only: a pointer
    operand,     ///< of arithmetic: int32
    element,     ///< of a buffer: float32
    convention,  ///< what calls of this kind have
    width,       ///< of a constant: float16, as which bfloat16 is printed too
    allocation,  ///< of what a buffer lies in
    position,    ///< an index, extent or count: int32
    rule,        ///< no other one is possible
    printed,
  };
  struct Class {
    std::uint32_t parent;
    DType dtype = DType::Handle();
    Evidence evidence = Evidence::none;
  };

  std::uint32_t find(NodeId id);
  void unite(Node a, Node b);
  void note(Node node, DType dtype, Evidence evidence);
  void note_all(const NodeList& nodes, DType dtype, Evidence evidence);
  void unite_all(const NodeList& a, const NodeList& b);

  void visit(Node node);
  void visit_part(Node node);
  void visit_operator(Node node);
  void visit_call(Node call);
  void visit_buffer(Node buffer);
  void visit_statement(Node statement);
  void visit_reduce(Node reduce);
  void visit_block(Node realize);

  void assign(NodeId id);
  std::int16_t lanes_of(Node expr) const;
  std::int16_t lanes_of_call(Node call) const;
  void set_type(Node var, DType dtype);
  void settle_data(Node buffer);

  bool is_own(NodeId id) const { return index(id) >= first_; }

  Context& context_;
  Builder& builder_;
  std::uint32_t first_;
  std::vector<Class> classes_;
  std::vector<bool> is_implied_;          // numbers that the text implies
  std::vector<bool> is_block_allocated_;  // buffers whose dtype is printed
};

}  // namespace mlf::tir::repr
