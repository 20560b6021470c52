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
    add_result(layer_in(raw), values_[std::string(target)] = call(operation, arguments));
  }

  RelayQuantization finish() && {
    for (const std::string& name : contradicted_) read_.inputs.erase(name);
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
      add_result(layer, read_.outputs.back());
    } else if (operation.empty()) {
      for (const std::string_view variable : arguments) {
        if (!variable.empty()) read_.outputs.push_back(of_variable(variable));
      }
    } else {
      read_.outputs.push_back(of_variable(whole));
    }
  }

  /// The last operator of a layer decides.
  void add_result(const std::string& layer, const Known& known) {
    if (layer.empty()) return;
    known ? void(read_.layers.insert_or_assign(layer, *known)) : void(read_.layers.erase(layer));
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
