// Losses of a text, recorded while it is read: losses of a function, references into a metadata
// section that was left out, constants without data.
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
#include "tir/array_uses.h"
#include "tir/reader.h"

namespace mlf::tir::text {

/// Losses of the function that is being read, counted before they are logged: most of them repeat
/// with every loop or buffer.
class FunctionLosses {
 public:
  explicit FunctionLosses(LossLog& log) : log_(log) {}

  /// Losses from here on are those of this function, or of the module where the name is empty.
  void enter(std::string_view function) {
    flush();
    function_ = function;
  }
  std::string_view function() const { return function_; }

  /// `name` is that of the code's subject, if it has one.
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

/// References into a metadata section that a text left out.
class MissingObjects {
 public:
  MissingObjects(Builder& builder, LossLog& losses) : builder_(builder), losses_(losses) {}

  /// The MissingObject of a reference, the same for each mention, and a loss at `where`.
  /// `reference` is how the text spells it.
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

/// The constants whose data a text does not have: the caller may find it elsewhere.
class LostConstants {
 public:
  LostConstants(const ConstantFinder& finder, Builder& builder, FunctionLosses& losses)
      : finder_(finder), builder_(builder), losses_(losses) {}

  /// By the index of a node: what goes into its place.
  using Replacements = std::unordered_map<std::uint32_t, NodeId>;

  /// The NDArray of a constant of the function that is being read, or one without data and a loss.
  /// The query has name, dtype and shape.
  NodeId find(ConstantQuery query);

  /// The same for a constant of which the text has name, dtype and extents alone; none, and a loss,
  /// where one of these is not a number.
  NodeId find(std::string_view name, DType dtype, const std::vector<NodeId>& extents);

  /// Puts NDArrays in the place of references into a metadata section that was left out. One that
  /// is used in several places must be the same in all that are known. What is not found has no
  /// data where a statement says its dtype and shape, and stays a reference elsewhere.
  void find_missing(NodeId root, MissingObjects& missing);

  std::vector<Recovered> take() { return std::exchange(found_, {}); }

 private:
  /// By the index of a MissingObject: what was found for each place of it.
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

/// The extents of a constant; nothing if one of them is not a number.
std::optional<std::vector<std::int64_t>> constant_shape(const Builder& builder,
                                                        const std::vector<NodeId>& extents);

}  // namespace mlf::tir::text
