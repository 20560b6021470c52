// References into a metadata section that a text left out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "mlf/tir/builder.h"
#include "tir/reader.h"

namespace mlf::tir::text {

class MissingObjects {
 public:
  MissingObjects(Builder& builder, LossLog& losses) : builder_(builder), losses_(losses) {}

  /// The MissingObject of a reference, the same for each mention, and a loss at `where`.
  /// `reference` is how the text spells it.
  NodeId mention(std::string_view type_key, std::int64_t index, std::string_view reference,
                 std::string_view where);

  bool empty() const { return objects_.empty(); }

  /// Takes back the losses of an object that turned up elsewhere.
  void was_found(NodeId missing);

 private:
  struct Object {
    NodeId node;
    std::string reference;
  };

  Builder& builder_;
  LossLog& losses_;
  std::map<std::pair<std::string, std::int64_t>, Object> objects_;
};

}  // namespace mlf::tir::text
