// The buffers of a function. The text has a buffer's name and its indices and nothing else, so one
// buffer is made for all of that name and number of dimensions.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tir/repr/names.h"
#include "tir/text/expr_factory.h"

namespace mlf::tir::repr {

/// What only the whole function tells of a buffer.
struct BufferDraft {
  NodeId node;
  std::optional<std::size_t> dimensions;  ///< nothing: a declaration that nothing uses
  bool is_of_block = false;               ///< a block allocates it: dtype and shape are printed
};

class BufferTable {
 public:
  BufferTable(text::ExprFactory& make, const NameTable& names) : make_(make), names_(names) {}

  /// The buffer that is accessed with so many indices.
  NodeId accessed(std::string_view name, std::size_t dimensions);
  /// The buffer at this address: `buffer(name, 0x…)`.
  NodeId at_address(std::string_view name, std::string_view address);
  /// A new one that the text declares.
  NodeId declare(std::string_view name);
  /// A new one of this dtype and shape, which a block allocates.
  NodeId allocate(std::string_view name, DType dtype, const std::vector<NodeId>& shape);

  const std::vector<BufferDraft>& drafts() const { return drafts_; }
  void clear();

 private:
  NodeId add(std::string_view name, DType dtype, const std::vector<NodeId>& shape);
  NodeId data_of(std::string_view name, DType dtype);

  text::ExprFactory& make_;
  const NameTable& names_;
  std::vector<BufferDraft> drafts_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name_;  // positions in drafts_
  std::unordered_map<std::string_view, NodeId> by_address_;
};

}  // namespace mlf::tir::repr
