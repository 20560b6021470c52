// Writes nodes as JSON, on a stack of its own.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json/writer.h"
#include "mlf/tir/module.h"
#include "tir/arena_view.h"
#include "tir/json/format.h"
#include "tir/json/outline.h"

namespace mlf::tir::tir_json {

class NodeWriter {
 public:
  NodeWriter(json::Writer& emitter, const Outline& outline, const Identities& identities)
      : emitter_(emitter),
        outline_(outline),
        identities_(identities),
        arena_(outline.module()),
        templates_(all_templates()) {}

  /// The scope that expressions and statements belong to from now on.
  void set_plan(const ScopePlan& plan) { plan_ = &plan; }

  /// Writes a node for a field that expects `slot`: in place, or as a reference.
  void write(Node node, Expects slot);
  /// One field of a node: the value only.
  void write_field(Node node, std::uint8_t field);
  /// `"node"` and all fields of an entry of a table, without the braces around them.
  void write_fields(Node node);

 private:
  enum class Part : std::uint8_t { fields, list, string_map, node_map, statements };
  enum class Ending : std::uint8_t { brace, none };  // what follows the last part
  struct OpenPart {
    Part part;
    Ending ending;
    Expects slot = Expects::any;  // of elements
    std::uint8_t field = 0;       // of `fields`: the next one in the template
    NodeId node;
    std::uint32_t at = 0;    // of lists and maps: next element; of statements: bottom of pending_
    std::uint32_t list = 0;  // of lists and maps: its word
  };

  void run(std::size_t bottom);
  void step();
  void step_fields();
  void step_elements();
  void step_statements();

  void put_field(NodeId node, const FieldTemplate& field);
  void put_scalar(NodeId node, const FieldTemplate& field);
  void put_integer(NodeId node, const FieldTemplate& field);
  void put_enumeration(NodeId node, const FieldTemplate& field);
  void put_integers(NodeId node, const FieldTemplate& field);
  void begin_elements(NodeId node, const FieldTemplate& field);

  void put(NodeId node, Expects slot);
  void put_expr(NodeId node, Expects slot);
  void put_reference(NodeId node, const json::Piece& opening, const json::Piece& key,
                     std::uint32_t id);
  void put_object(NodeId node, Expects slot);
  void put_statements(NodeId statement, Expects slot);
  void put_id(std::string_view key, std::uint32_t id, Ending form);
  void put_name(std::string_view key, std::string_view name);
  void open_node(NodeId node, Ending ending);
  void push_statements(NodeId statement);
  void push_all(std::uint32_t list);

  bool is_left_out(NodeId node, const FieldTemplate& field) const {
    return field.is_named_by_table || (field.may_be_absent && is_undefined(node, field));
  }
  bool is_undefined(NodeId node, const FieldTemplate& field) const;
  const KindTemplate& template_of(NodeId node) const {
    return templates_[static_cast<std::size_t>(arena_.kind(node))];
  }

  json::Writer& emitter_;
  const Outline& outline_;
  const Identities& identities_;
  ArenaView arena_;
  std::span<const KindTemplate> templates_;
  DTypeTexts dtypes_;
  Words words_;
  std::unordered_map<std::uint32_t, std::uint32_t> part_ids_;  // of KindTemplate::has_id, by node
  const ScopePlan* plan_ = nullptr;
  std::vector<OpenPart> frames_;
  std::vector<NodeId> pending_;  // statements still to be written, the next one last
};

}  // namespace mlf::tir::tir_json
