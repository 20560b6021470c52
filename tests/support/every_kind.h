// Valid nodes of every kind, made from the table alone.
#pragma once

#include <string>

#include "mlf/tir/builder.h"

namespace mlf::test {

/// Makes nodes with fields that fit their rows; no two look the same.
class NodeMaker {
 public:
  explicit NodeMaker(tir::Builder& builder, std::int64_t first_number = 1)
      : builder_(builder), number_(first_number) {}

  /// A node of `kind` with new children in every field.
  tir::NodeId make(tir::Kind kind);
  /// A node that may stand where the table says `expects`.
  tir::NodeId make_for(tir::Expects expects);

 private:
  tir::FieldValue value_for(const tir::FieldInfo& field);
  std::string next_name();

  tir::Builder& builder_;
  std::int64_t number_;
};

/// A module whose attributes hold one node of each kind, by the name of the kind.
tir::Module module_of_every_kind();

}  // namespace mlf::test
