// Writes nodes as JSON, on a stack of its own.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "json/writer.h"
#include "mlf/tir/module.h"
#include "tir/json/outline.h"
#include "tir/json/scope_plan.h"

namespace mlf::tir::tir_json {

class NodeWriter {
 public:
  NodeWriter(json::Writer& emitter, const Outline& outline, const Identities& identities)
      : emitter_(emitter), outline_(outline), identities_(identities) {}

  /// The scope that expressions and statements belong to from now on.
  void set_plan(const ScopePlan& plan) { plan_ = &plan; }

  /// A node where `slot` is expected: itself, or what refers to it.
  void write(Node node, Expects slot);
  /// One field of a node: the value only.
  void write_field(Node node, std::uint8_t field);
  /// `"node"` and all fields of an entry of a table, without the braces around them.
  void write_fields(Node node);

 private:
  enum class Part : std::uint8_t { fields, list, string_map, node_map, statements };
  enum class Ending : std::uint8_t { brace, none };  // what follows the last part
  struct Frame {
    Part part;
    Ending ending;
    std::uint8_t field;  // of lists and maps; of `fields`: the next one
    NodeId node;
    std::uint32_t at = 0;  // of lists and maps: next element; of statements: bottom of pending_
  };

  void run(std::size_t bottom);
  void step();
  void step_fields();
  void step_list();
  void step_string_map();
  void step_node_map();
  void step_statements();

  void begin_field(Node node, std::uint8_t field);
  void begin_list(Node node, std::uint8_t field);
  void begin_map(Node node, std::uint8_t field);
  void put_integer(Node node, std::uint8_t field);
  void put_enumeration(Node node, std::uint8_t field);
  void put_integers(Node node, std::uint8_t field);
  void put_string(Node node, std::uint8_t field);

  void put(Node node, Expects slot);
  void put_expr(Node node, Expects slot);
  void put_object(Node node, Expects slot);
  void put_statements(Node statement, Expects slot);
  void put_id(std::string_view key, std::uint32_t id, Ending form);
  void put_name(std::string_view key, std::string_view name);
  void open_node(Node node, Ending ending);
  void push_statements(Node statement);
  void push_all(NodeList statements);

  json::Writer& emitter_;
  const Outline& outline_;
  const Identities& identities_;
  const ScopePlan* plan_ = nullptr;
  std::vector<Frame> frames_;
  std::vector<Node> pending_;  // statements still to be written, the next one last
};

}  // namespace mlf::tir::tir_json
