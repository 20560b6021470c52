// Records the losses of a text while it is read: losses of a function, references into an omitted
// metadata section, constants without data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mlf/tir/builder.h"
#include "mlf/tir/document.h"
#include "tir/reader.h"

namespace mlf::tir::text {

/// The losses of the current function, counted before they are recorded: most of them repeat with
/// every loop or buffer.
class FunctionLosses {
 public:
  explicit FunctionLosses(LossLog& log) : log_(log) {}

  /// Later losses belong to this function, or to the module if the name is empty.
  void enter(std::string_view function) {
    flush();
    function_ = function;
  }
  std::string_view function() const { return function_; }

  /// `name` is that of the loss's subject, if it has one.
  void add(LossCode code, std::string_view name = {}) {
    Slot& slot = slots_[static_cast<std::size_t>(code)];
    if (slot.times > 0 && slot.name != name) flush(code);
    if (slot.times == 0) slot.name = name;
    ++slot.times;
  }

  /// Discards the counts: the function is not read.
  void drop() {
    slots_.fill({});
    function_ = {};
  }

  /// Records the counts.
  void flush() {
    for (std::size_t i = 0; i < slots_.size(); ++i) flush(static_cast<LossCode>(i));
  }

 private:
  struct Slot {
    std::string name;
    std::size_t times = 0;
  };
  static constexpr std::size_t kCodes = 0
#define MLF_LOSS(name, code, severity, subject, fields, meaning) +1
#include "mlf/tir/losses.def"
#undef MLF_LOSS
      ;

  void flush(LossCode code) {
    Slot& slot = slots_[static_cast<std::size_t>(code)];
    if (slot.times > 0) log_.add(code, function_, slot.name, slot.times);
    slot.times = 0;
  }

  LossLog& log_;
  std::string function_;
  std::array<Slot, kCodes> slots_;
};

/// References into a metadata section that a text omits.
class MissingObjects {
 public:
  MissingObjects(Builder& builder, LossLog& losses) : builder_(builder), losses_(losses) {}

  /// The MissingObject of a reference, the same for each mention, and a loss at `where`.
  /// `reference` is its spelling in the text.
  NodeId mention(std::string_view type_key, std::int64_t index, std::string_view reference,
                 std::string_view where);

  bool empty() const { return objects_.empty(); }

  /// Removes the losses of an object that was found elsewhere.
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

/// The constants whose data a text lacks: the caller may find it elsewhere.
class LostConstants {
 public:
  LostConstants(const ConstantFinder& finder, Builder& builder, FunctionLosses& losses)
      : finder_(finder), builder_(builder), losses_(losses) {}

  /// The replacement of a node, by the node's index.
  using Replacements = std::unordered_map<std::uint32_t, NodeId>;

  /// The NDArray of a constant in the current function, or one without data and a loss. The query
  /// has name, dtype and shape.
  NodeId find(ConstantQuery query);

  /// The same for a constant of which the text states only name, dtype and extents; none, and a
  /// loss, if one of these is not a number.
  NodeId find(std::string_view name, DType dtype, const std::vector<NodeId>& extents);

  /// Replaces references into an omitted metadata section by NDArrays. All known places of one
  /// reference must agree. A missing one has no data if a statement states its dtype and shape;
  /// otherwise it stays a reference.
  void find_missing(NodeId root, MissingObjects& missing);

  std::vector<Recovered> take() { return std::exchange(found_, {}); }

 private:
  /// The result for each place of a MissingObject, by the object's index.
  using Candidates = std::map<std::uint32_t, std::vector<FoundConstant>>;

  Candidates candidates(NodeId root) const;
  NodeId make(DType dtype, std::span<const std::int64_t> shape, const FoundConstant& found);
  NodeId lose(DType dtype, std::span<const std::int64_t> shape, std::string_view name);
  void lose_allocated(NodeId root, MissingObjects& missing, Replacements& replacements);

  const ConstantFinder& finder_;
  Builder& builder_;
  FunctionLosses& losses_;
  std::vector<Recovered> found_;
};

/// The extents of a constant; nullopt if one of them is not a number.
std::optional<std::vector<std::int64_t>> constant_shape(const Builder& builder,
                                                        const std::vector<NodeId>& extents);

}  // namespace mlf::tir::text
