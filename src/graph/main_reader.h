// The walk over main's statements.
#pragma once

#include <unordered_map>
#include <vector>

#include "graph/main_body.h"

namespace mlf::graph {

class MainReader {
 public:
  MainReader(tir::Node function, const ReconstructLimits& limits)
      : function_(function), scope_(function), limits_(limits) {}

  MainBody run() &&;

 private:
  void statement(tir::Node node);
  void push(tir::Node node) { stack_.push_back(node); }
  void let(tir::Node node);
  void bind(tir::Node var, tir::Node value);
  void allocate(tir::Node node);
  void allocate_constant(tir::Node node);
  void declare(tir::Node buffer);
  void branch(tir::Node node);
  bool is_inert(tir::Node statement);
  void loop(tir::Node node);
  void store(tir::Node node);
  bool store_on_stack(tir::Node node);

  void evaluate(tir::Node expr);
  void call(tir::Node call);
  void stranger(std::string what) { body_.steps.push_back(Stranger{std::move(what)}); }

  void collect_slots();
  MainSlot& argument_slot(const Place& place);
  void take_argument(tir::Node var, const Place& place);
  void note_lookup(const Place& place);

  tir::Node function_;
  Scope scope_;
  ReconstructLimits limits_;
  MainBody body_;
  std::map<std::uint32_t, MainSlot> arguments_;  // of a packed main
  std::vector<tir::Node> stack_;
  std::unordered_map<std::uint32_t, bool> inert_;  // by branch
};

}  // namespace mlf::graph
