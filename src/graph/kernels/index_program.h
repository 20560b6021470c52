// Integer expressions of loop variables, compiled once and run for every iteration.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mlf/tir/module.h"
#include "tir/interval.h"

namespace mlf::graph {

/// The values that lets and blocks bind to their variables.
using Bindings = std::unordered_map<std::uint32_t, tir::Node>;

/// The value that a variable is bound to; undefined for other variables and nodes.
tir::Node bound_value(tir::Node node, const Bindings& bindings);

class IndexProgram {
 public:
  /// Returns nullopt if the expression has parts that are not integers, or is too large. Replaces
  /// bound variables by their values. The other variables, and values read from memory, are
  /// `variables()`.
  static std::optional<IndexProgram> compile(tir::Node expression, const Bindings& bindings);

  static IndexProgram constant(std::int64_t value);
  /// 1 if the value is not 0.
  IndexProgram truth() &&;

  std::span<const tir::NodeId> variables() const { return variables_; }
  /// Steps of one run.
  std::size_t size() const { return instructions_.size(); }
  void set(std::size_t variable, std::int64_t value) { values_[variable] = value; }
  /// Returns the value; nullopt if it overflows its type or divides by zero.
  std::optional<std::int64_t> run();

  using RangeOf = std::function<std::optional<tir::Interval>(tir::NodeId)>;
  /// Returns a range that contains all possible values, if each variable is in `range_of`, or else
  /// in the range of its type. Returns nullopt if the range is unknown.
  std::optional<tir::Interval> range(const RangeOf& range_of) const;

 private:
  friend class IndexCompiler;

  enum class Code : std::uint8_t {
    constant,
    variable,
    cast,
    binary,
    negation,
    choice,
    shift_left,
    shift_right,
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
  };
  // Operands are positions of earlier instructions; for a variable, `a` is its position in values_.
  struct Instruction {
    Code code = Code::constant;
    tir::Kind kind = tir::Kind::Add;  // of `binary`
    tir::DType dtype{};
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::int64_t constant = 0;
  };
  using IndexValue = std::optional<std::int64_t>;

  IndexValue evaluate(const Instruction& instruction) const;
  static IndexValue arithmetic(tir::Kind kind, const IndexValue& a, const IndexValue& b);
  static IndexValue bits(Code code, std::int64_t a, std::int64_t b);
  using Ranges = std::vector<std::optional<tir::Interval>>;
  std::optional<tir::Interval> range_of_step(const Instruction& instruction, const Ranges& ranges,
                                             const RangeOf& range_of) const;
  static std::optional<tir::Interval> range_of_bits(const Instruction& instruction,
                                                    const std::optional<tir::Interval>& a,
                                                    const std::optional<tir::Interval>& b);

  std::vector<Instruction> instructions_;
  std::vector<tir::NodeId> variables_;
  std::vector<std::int64_t> values_;
  std::vector<IndexValue> results_;
};

}  // namespace mlf::graph
