#include "support/every_kind.h"

#include <string>
#include <vector>

namespace mlf::test {
namespace {

using tir::DType;
using tir::Expects;
using tir::FieldInfo;
using tir::FieldType;
using tir::FieldValue;
using tir::Kind;
using tir::NodeId;

/// The smallest kind that fits a place.
Kind kind_for(Expects expects) {
  switch (expects) {
    case Expects::expr:
      return Kind::IntImm;
    case Expects::var:
      return Kind::Var;
    case Expects::buffer:
      return Kind::Buffer;
    case Expects::stmt:
      return Kind::Evaluate;
    case Expects::range:
      return Kind::Range;
    case Expects::iter_var:
      return Kind::IterVar;
    case Expects::buffer_region:
      return Kind::BufferRegion;
    case Expects::match_buffer_region:
      return Kind::MatchBufferRegion;
    case Expects::comm_reducer:
      return Kind::CommReducer;
    case Expects::type:
      return Kind::PrimType;
    case Expects::function:
      return Kind::PrimFunc;
    case Expects::object:
      return Kind::EnvFunc;
    case Expects::attributes:
      return Kind::DictAttrs;
    case Expects::callee:
      return Kind::Op;
    case Expects::constant:
    case Expects::tensor:
      return Kind::NDArray;
    default:
      return Kind::String;
  }
}

/// What the keys of a node_map are.
Kind key_for(const FieldInfo& field) {
  if (field.expects == Expects::buffer) return Kind::Var;
  return field.expects == Expects::function ? Kind::GlobalVar : Kind::EnvFunc;
}

}  // namespace

std::string NodeMaker::next_name() {
  return "name" + std::to_string(number_++);
}

FieldValue NodeMaker::value_for(const FieldInfo& field) {
  switch (field.type) {
    case FieldType::node:
      return make_for(field.expects);
    case FieldType::list: {
      const NodeId first = make_for(field.expects);
      return builder_.list({first, make_for(field.expects)});
    }
    case FieldType::string_map: {
      const tir::NamedNode first{builder_.string(next_name()), make_for(field.expects)};
      const tir::NamedNode second{builder_.string(next_name()), make_for(field.expects)};
      return builder_.map(std::vector{first, second});
    }
    case FieldType::node_map: {
      const tir::NodePair first{make(key_for(field)), make_for(field.expects)};
      const tir::NodePair second{make(key_for(field)), make_for(field.expects)};
      return builder_.map(std::vector{first, second});
    }
    case FieldType::string:
      return builder_.string(next_name());
    case FieldType::integer:
      return number_++;
    case FieldType::real:
      return static_cast<double>(number_++) + 0.25;
    case FieldType::dtype:
      return DType::Int(32).with_lanes(static_cast<std::int16_t>(number_++ % 30'000 + 1));
    case FieldType::integers:
      return builder_.integers(std::vector<std::int64_t>{number_++, 2});
    case FieldType::bytes:
      return builder_.bytes({std::byte{1}, static_cast<std::byte>(number_++)});
    default:
      return 1;  // a value that every enumeration has
  }
}

NodeId NodeMaker::make(Kind kind) {
  std::vector<FieldValue> fields;
  for (const FieldInfo& field : tir::info(kind).fields) fields.push_back(value_for(field));
  return builder_.make(kind, fields);
}

NodeId NodeMaker::make_for(Expects expects) {
  return make(kind_for(expects));
}

tir::Module module_of_every_kind() {
  tir::Builder builder;
  NodeMaker maker(builder);
  std::vector<tir::NamedNode> entries;
  for (const tir::KindInfo& kind : tir::all_kinds()) {
    entries.push_back({builder.string(kind.name), maker.make(kind.kind)});
  }
  const NodeId attrs = builder.make(Kind::DictAttrs, {builder.map(entries)});
  const NodeId none = NodeId::none;
  const NodeId root = builder.make(Kind::IRModule, {builder.map(std::span<const tir::NodePair>()),
                                                    none, none, none, attrs, none});
  return std::move(builder).finish(root);
}

}  // namespace mlf::test
