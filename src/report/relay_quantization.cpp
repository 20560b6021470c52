#include "report/relay_quantization.h"

#include <algorithm>
#include <set>

#include "report/layers.h"
#include "report/relay_shapes.h"
#include "support/characters.h"
#include "support/lines.h"
#include "support/lookup.h"
#include "support/numbers.h"

namespace mlf::report {
namespace {

using support::trimmed;
using Known = std::optional<Quantization>;

/// Positions of the scale and the zero point of an operand, or of the result.
struct QnnRow {
  std::string_view operations;  ///< with blanks between
  int operand;
  std::size_t scale;
  std::size_t zero_point;
};
constexpr int kResult = -1;
constexpr QnnRow kQnnRows[] = {{"conv2d conv2d_transpose dense batch_matmul", 0, 4, 2},
                               {"batch_matmul", 1, 5, 3},
                               {"dequantize requantize avg_pool2d softmax abs hardswish", 0, 1, 2},
                               {"tanh exp sqrt rsqrt erf sigmoid log", 0, 1, 2},
                               {"requantize avg_pool2d softmax abs hardswish", kResult, 3, 4},
                               {"tanh exp sqrt rsqrt erf sigmoid log", kResult, 3, 4},
                               {"quantize", kResult, 1, 2},
                               {"leaky_relu", 0, 2, 3},
                               {"leaky_relu", kResult, 4, 5},
                               {"add subtract mul", 0, 2, 3},
                               {"add subtract mul", 1, 4, 5},
                               {"add subtract mul", kResult, 6, 7}};

/// Operators whose results are elements of their first argument, means of them, or bounds of a
/// quantized type, with the same scale.
constexpr std::string_view kKeep =
    "clip reshape squeeze expand_dims transpose cast strided_slice layout_transform nn.max_pool2d "
    "nn.avg_pool2d nn.batch_flatten nn.global_max_pool2d";

/// Operators that compute each element from elements at the same place.
constexpr std::string_view kFused =
    "nn.bias_add add subtract multiply divide maximum minimum power clip cast round negative abs "
    "exp log "
    "sqrt rsqrt tanh sigmoid nn.relu nn.leaky_relu nn.prelu qnn.requantize qnn.quantize "
    "qnn.dequantize "
    "qnn.add qnn.subtract qnn.mul qnn.tanh qnn.sigmoid qnn.hardswish fixed_point_multiply";

/// Of these, those whose results have the values of what they read.
constexpr std::string_view kConversions = "cast qnn.dequantize";

/// Whether an operator is among these, with blanks between.
bool is_one_of(std::string_view operations, std::string_view operation) {
  const std::size_t at = support::find_word(operations, operation);
  return at != operations.npos && (at == 0 || operations[at - 1] == ' ');
}

/// "0.02f"; also before TVM's types in comments.
std::optional<double> scale_in(std::string_view text) {
  const auto number = support::take_number<double>(text);
  return number && (text.empty() || text == "f") && *number > 0 ? number : std::nullopt;
}

/// The name in the model: TVM 0.9 adds the number of the operator.
std::string_view model_name(std::string_view layer) {
  constexpr std::string_view kPart = "_PART_";
  const std::size_t at = layer.rfind(kPart);
  const bool is_number =
      at != layer.npos && layer.find_first_not_of("0123456789", at + kPart.size()) == layer.npos;
  return is_number ? layer.substr(0, at) : layer;
}

class QuantizationReader {
 public:
  void line(std::string_view raw) {
    const std::string text = without_comments(raw);
    std::string_view rest = trimmed(text);
    if (rest.starts_with("def ") || rest.starts_with('}')) return;
    std::string_view target;
    const std::size_t assigned = rest.find(" = ");
    if (rest.starts_with('%') && assigned != rest.npos && rest.find('(') > assigned) {
      target = rest.substr(0, assigned);
      rest = trimmed(rest.substr(assigned + 3));
    }
    if (rest.ends_with(';')) rest.remove_suffix(1);
    const std::string_view operation = rest.substr(0, rest.find('('));
    const std::vector<std::string_view> arguments = arguments_of(rest).arguments;
    if (target.empty()) return results(layer_in(raw), operation, rest, arguments);
    const Known known = call(operation, arguments);
    values_[std::string(target)] = known;
    add_statement(target, operation, arguments, {layer_in(raw), known});
  }

  RelayQuantization finish() && {
    for (const std::string& name : contradicted_) read_.inputs.erase(name);
    for (std::size_t i = 0; i < statements_.size(); ++i) add_result(i);
    if (results_ != 1) read_.outputs.clear();
    return std::move(read_);
  }

 private:
  /// The last expression: a call, a variable or a tuple of variables.
  void results(const std::string& layer, std::string_view operation, std::string_view whole,
               const std::vector<std::string_view>& arguments) {
    ++results_;
    if (!operation.empty() && whole.find('(') != whole.npos) {
      read_.outputs.push_back(call(operation, arguments));
      add_statement({}, operation, arguments, {layer, read_.outputs.back()});
    } else if (operation.empty()) {
      for (const std::string_view variable : arguments) {
        if (!variable.empty()) read_.outputs.push_back(of_variable(variable));
      }
    } else {
      read_.outputs.push_back(of_variable(whole));
    }
  }

  struct Statement {
    bool is_anchor = false;
    bool is_fused = false;       ///< into the kernel of what it reads
    bool is_conversion = false;  ///< it has the values that it reads
    RelayQuantization::Result result;
    std::vector<std::size_t> readers{};  ///< later statements
  };

  void add_statement(std::string_view target, std::string_view operation,
                     const std::vector<std::string_view>& arguments,
                     RelayQuantization::Result result) {
    for (const std::string_view argument : arguments) {
      const auto source = by_variable_.find(argument.substr(0, argument.find(' ')));
      if (source != by_variable_.end()) {
        statements_[source->second].readers.push_back(statements_.size());
      }
    }
    if (!target.empty()) by_variable_.insert_or_assign(std::string(target), statements_.size());
    statements_.push_back({.is_anchor = !anchor_in(operation).empty(),
                           .is_fused = is_one_of(kFused, operation),
                           .is_conversion = is_one_of(kConversions, operation),
                           .result = std::move(result)});
  }

  /// Follows the only reader of an operator's result, while that is fused with it.
  void add_result(std::size_t anchor) {
    if (!statements_[anchor].is_anchor || statements_[anchor].result.layer.empty()) return;
    RelayQuantization::Result result = statements_[anchor].result;
    for (std::size_t at = anchor; statements_[at].readers.size() == 1;) {
      at = statements_[at].readers.front();
      if (!statements_[at].is_fused) break;
      if (statements_[at].is_conversion) continue;
      result.quantization = statements_[at].result.quantization;
      if (!statements_[at].result.layer.empty()) result.layer = statements_[at].result.layer;
    }
    result.layer = model_name(result.layer);
    read_.results.insert_or_assign(statements_[anchor].result.layer, std::move(result));
  }

  Known of_variable(std::string_view variable) const {
    const Known* const known = support::find_value(values_, std::string(variable));
    return known != nullptr ? *known : std::nullopt;
  }

  /// Of its result; notes what it states about its operands.
  Known call(std::string_view operation, const std::vector<std::string_view>& arguments) {
    if (!operation.empty() && is_one_of(kKeep, operation)) {
      return arguments.empty() ? std::nullopt : of_variable(arguments.front());
    }
    constexpr std::string_view kQnn = "qnn.";
    if (!operation.starts_with(kQnn)) return std::nullopt;
    Known result;
    for (const QnnRow& row : kQnnRows) {
      if (!is_one_of(row.operations, operation.substr(kQnn.size()))) continue;
      const Known stated = stated_by(row, arguments);
      if (row.operand == kResult) {
        result = stated;
      } else if (static_cast<std::size_t>(row.operand) < arguments.size()) {
        note(arguments[static_cast<std::size_t>(row.operand)], stated);
      }
    }
    return result;
  }

  static Known stated_by(const QnnRow& row, const std::vector<std::string_view>& arguments) {
    if (std::max(row.scale, row.zero_point) >= arguments.size()) return std::nullopt;
    const auto scale = scale_in(arguments[row.scale]);
    const auto zero_point = support::whole_number<std::int64_t>(arguments[row.zero_point]);
    if (!scale || !zero_point) return std::nullopt;
    return Quantization{*scale, *zero_point};
  }

  void note(std::string_view variable, const Known& stated) {
    // Results have numbers, parameters have names.
    if (!variable.starts_with('%') || values_.contains(std::string(variable))) return;
    const std::string name(variable.substr(1));
    if (!stated || *stated != read_.inputs.try_emplace(name, *stated).first->second) {
      contradicted_.insert(name);
    }
  }

  RelayQuantization read_;
  std::map<std::string, Known, std::less<>> values_;
  std::set<std::string> contradicted_;
  std::vector<Statement> statements_;
  std::map<std::string, std::size_t, std::less<>> by_variable_;
  std::size_t results_ = 0;  ///< more than one: of functions inside of main, or of branches
};

}  // namespace

RelayQuantization quantization_in(std::string_view relay) {
  QuantizationReader reader;
  std::string_view main = main_of_relay(relay);
  while (!main.empty()) reader.line(support::take_line(main));
  return std::move(reader).finish();
}

}  // namespace mlf::report
