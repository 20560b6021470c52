#include "report/relay_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "mlf/graph/topology.h"
#include "support/characters.h"
#include "support/lines.h"
#include "support/lookup.h"
#include "support/numbers.h"

namespace mlf::report {
namespace {

using support::trimmed;

using Shape = std::vector<std::int64_t>;
using Shapes = std::map<std::string, Shape, std::less<>>;

// --- Text ---------------------------------------------------------------------------------------

constexpr std::string_view kMain = "def @main(";

/// The parts of "(a, b, c)", and the text after it.
struct ArgumentList {
  std::vector<std::string_view> arguments;
  std::string_view rest;
};

/// Splits the first list in parentheses at its commas, other than those in brackets and comments.
ArgumentList arguments_of(std::string_view line) {
  ArgumentList list;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (line.substr(i).starts_with("/*")) {
      const std::size_t end = line.find("*/", i + 2);
      if (end == line.npos) break;
      i = end + 1;
    } else if (c == '(' || c == '[') {
      if (depth++ == 0) begin = i + 1;
    } else if (c == ')' || c == ']') {
      if (depth == 0 || --depth > 0) continue;
      list.arguments.push_back(trimmed(line.substr(begin, i - begin)));
      list.rest = line.substr(i + 1);
      return list;
    } else if (c == ',' && depth == 1) {
      list.arguments.push_back(trimmed(line.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  return {};
}

/// A line `%target = expression;`, or the expression that a function returns; without comments.
struct RelayLine {
  std::string_view target;  ///< with its '%'; empty if there is none
  std::string_view expression;

  std::string_view operation() const { return expression.substr(0, expression.find('(')); }
};

RelayLine line_in(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (rest.ends_with(';')) rest.remove_suffix(1);
  const std::size_t assigned = rest.find(" = ");
  if (!rest.starts_with('%') || assigned == rest.npos || rest.find('(') < assigned) {
    return {{}, rest};
  }
  return {rest.substr(0, assigned), trimmed(rest.substr(assigned + 3))};
}

/// Whether an operator is among these, with blanks between.
bool is_one_of(std::string_view operations, std::string_view operation) {
  const std::size_t at =
      operation.empty() ? operations.npos : support::find_word(operations, operation);
  return at != operations.npos && (at == 0 || operations[at - 1] == ' ');
}

/// The name of the layer at the end of a line, empty if it has none: "span=NAME:0:0", before v0.10
/// "span=location: 0, output_name: NAME".
std::string layer_in(std::string_view line) {
  const std::size_t comment = line.rfind("/*");
  if (comment == line.npos) return {};
  constexpr std::string_view kSpan = "span=";
  constexpr std::string_view kName = "output_name: ";
  std::size_t begin = line.find(kSpan, comment);
  if (begin == line.npos) return {};
  begin += kSpan.size();
  std::string_view name = line.substr(begin, line.find(" */", begin) - begin);
  if (const std::size_t at = name.find(kName); at != name.npos) {
    name.remove_prefix(at + kName.size());
  }
  // Removes line and column, which have no meaning for the model's file.
  for (int i = 0; i < 2; ++i) {
    const std::size_t colon = name.rfind(':');
    const bool is_number = colon != name.npos && colon + 1 < name.size() &&
                           name.find_first_not_of("0123456789", colon + 1) == name.npos;
    if (is_number) name = name.substr(0, colon);
  }
  return std::string(name);
}

/// "1, 8" up to `close`. Nothing if an extent is not a number.
std::optional<Shape> numbers_until(std::string_view text, char close) {
  Shape numbers;
  while (!text.starts_with(close)) {
    const auto number = support::take_number<std::int64_t>(text);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.empty()) return std::nullopt;
  }
  return numbers;
}

bool is_shape(const Shape& shape) {
  return std::ranges::all_of(shape, [](std::int64_t extent) { return extent >= 0; });
}

/// The shape of "Tensor[(1, 8), int8]" at the beginning of `text`.
std::optional<Shape> shape_at(std::string_view text) {
  constexpr std::string_view kTensor = "Tensor[(";
  if (!text.starts_with(kTensor)) return std::nullopt;
  auto shape = numbers_until(text.substr(kTensor.size()), ')');
  return shape && is_shape(*shape) ? shape : std::nullopt;
}

/// The shape that the first comment of `text` states.
std::optional<Shape> commented_shape(std::string_view text) {
  constexpr std::string_view kType = "/* ty=";
  const std::size_t comment = text.find("/*");
  if (comment == text.npos || !text.substr(comment).starts_with(kType)) return std::nullopt;
  return shape_at(text.substr(comment + kType.size()));
}

/// A call with the shapes of variables before it.
struct CallText {
  std::string_view operation;
  std::vector<std::string_view> arguments;
  const Shapes& shapes;

  /// "conv2d" of "qnn.conv2d"
  std::string_view name() const {
    const std::size_t dot = operation.rfind('.');
    return operation.substr(dot == operation.npos ? 0 : dot + 1);
  }

  std::optional<Shape> shape(std::size_t position) const {
    if (position >= arguments.size()) return std::nullopt;
    const std::string_view argument = arguments[position];
    if (auto shape = commented_shape(argument)) return shape;
    const std::string_view word = trimmed(argument.substr(0, argument.find("/*")));
    // A number.
    if (!word.empty() && word.find_first_not_of("-0123456789.ef") == word.npos) return Shape{};
    const auto known = shapes.find(word);
    return known == shapes.end() ? std::nullopt : std::optional(known->second);
  }

  std::optional<std::string_view> attribute(std::string_view key) const {
    for (const std::string_view argument : arguments) {
      if (!argument.starts_with(key) || !argument.substr(key.size()).starts_with('=')) continue;
      const std::string_view value = argument.substr(key.size() + 1);
      return trimmed(value.substr(0, value.find("/*")));
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> number(std::string_view key) const {
    const auto value = attribute(key);
    return value ? support::whole_number<std::int64_t>(*value) : std::nullopt;
  }

  /// "[2, 2]"; `missing` if there is no such attribute.
  std::optional<Shape> list(std::string_view key, const std::optional<Shape>& missing) const {
    const auto value = attribute(key);
    if (!value) return missing;
    return value->starts_with('[') ? numbers_until(value->substr(1), ']') : std::nullopt;
  }
};

// --- Shapes -------------------------------------------------------------------------------------

/// Nothing on overflow.
std::optional<std::uint64_t> product(const Shape& shape) {
  return graph::TensorType{tir::DType::UInt(8), shape}.bytes();
}

std::optional<Shape> broadcast(Shape a, Shape b) {
  if (a.size() < b.size()) std::swap(a, b);
  for (std::size_t i = 1; i <= b.size(); ++i) {
    std::int64_t& extent = a[a.size() - i];
    const std::int64_t other = b[b.size() - i];
    if (extent != other && extent != 1 && other != 1) return std::nullopt;
    if (extent == 1) extent = other;
  }
  return a;
}

/// Dimensions by their letters in a layout such as "NHWC".
struct Layout {
  std::size_t channel = 0;
  std::vector<std::size_t> spatial;  ///< in the order of attributes
};

/// Layouts with blocks, such as NCHW4c, are not among them.
std::optional<Layout> layout_of(const CallText& call, std::string_view key, const Shape& data) {
  std::string_view text = call.attribute(key).value_or("");
  if (text.starts_with('"')) text = text.substr(1, text.size() - 2);
  constexpr std::array<std::string_view, 3> kDefaults{"NCW", "NCHW", "NCDHW"};
  if (text.empty() && data.size() >= 3 && data.size() <= 5) text = kDefaults[data.size() - 3];
  if (text.size() != data.size()) return std::nullopt;
  Layout layout;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 'C') layout.channel = i;
    if (text[i] == 'D' || text[i] == 'H' || text[i] == 'W') layout.spatial.push_back(i);
  }
  const bool is_known = text.find('N') != text.npos && text.find('C') != text.npos &&
                        layout.spatial.size() + 2 == text.size();
  return is_known ? std::optional(layout) : std::nullopt;
}

/// Moves a window of `size` over the spatial dimensions of `data`.
std::optional<Shape> windows(const CallText& call, const Layout& layout, Shape data,
                             const Shape& size) {
  const std::size_t dimensions = layout.spatial.size();
  const auto strides = call.list("strides", Shape(dimensions, 1));
  const auto dilation = call.list("dilation", Shape(dimensions, 1));
  auto padding = call.list("padding", Shape(2 * dimensions, 0));
  if (!strides || !dilation || !padding || size.size() != dimensions) return std::nullopt;
  if (padding->size() == 1) padding->resize(dimensions, padding->front());
  if (padding->size() == dimensions)
    padding->insert(padding->end(), padding->begin(), padding->end());
  if (strides->size() != dimensions || dilation->size() != dimensions ||
      padding->size() != 2 * dimensions) {
    return std::nullopt;
  }
  // No network has larger numbers, and sums and products of them could overflow.
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::int64_t& extent = data[layout.spatial[i]];
    for (const std::int64_t number : {extent, size[i], (*strides)[i], (*dilation)[i], (*padding)[i],
                                      (*padding)[dimensions + i]}) {
      if (number < 0 || number >= kMost) return std::nullopt;
    }
    const std::int64_t left =
        extent + (*padding)[i] + (*padding)[dimensions + i] - (*dilation)[i] * (size[i] - 1) - 1;
    if (left < 0 || (*strides)[i] == 0) return std::nullopt;
    extent = left / (*strides)[i] + 1;
  }
  return data;
}

/// What is known of the result of an operator.
struct Result {
  std::optional<Shape> shape{};
  std::optional<std::uint64_t> macs{};
};

Result convolution(const CallText& call) {
  const auto data = call.shape(0);
  const auto layout = data ? layout_of(call, "data_layout", *data) : std::nullopt;
  const auto channels = call.number("channels");
  const auto size = call.list("kernel_size", std::nullopt);
  const std::int64_t groups =
      call.attribute("groups") ? call.number("groups").value_or(0) : std::int64_t{1};
  if (!layout || !channels || *channels < 0 || !size || !is_shape(*size)) return {};
  if (groups <= 0 || (*data)[layout->channel] % groups != 0) return {};
  auto shape = windows(call, *layout, *data, *size);
  if (!shape) return {};
  (*shape)[layout->channel] = *channels;
  Shape loops = *shape;
  loops.insert(loops.end(), size->begin(), size->end());
  loops.push_back((*data)[layout->channel] / groups);
  const bool keeps_layout = call.attribute("out_layout").value_or("\"\"") == "\"\"";
  return {.shape = keeps_layout ? shape : std::nullopt, .macs = product(loops)};
}

Result dense(const CallText& call) {
  const auto data = call.shape(0);
  if (!data || data->empty()) return {};
  auto units = call.number("units");
  // Weights are (units, inputs).
  if (const auto weights = call.shape(1); !units && weights && weights->size() == 2) {
    units = weights->front();
  }
  if (!units || *units < 0) return {};
  Shape loops = *data;
  loops.push_back(*units);
  Shape shape = *data;
  shape.back() = *units;
  return {.shape = shape, .macs = product(loops)};
}

std::optional<Shape> pool(const CallText& call) {
  const auto data = call.shape(0);
  const auto layout = data ? layout_of(call, "layout", *data) : std::nullopt;
  if (!layout) return std::nullopt;
  if (call.name().starts_with("global_")) {
    Shape shape = *data;
    for (const std::size_t dimension : layout->spatial) shape[dimension] = 1;
    return shape;
  }
  const auto size = call.list("pool_size", std::nullopt);
  if (!size || call.attribute("ceil_mode").value_or("False") != "False") return std::nullopt;
  return windows(call, *layout, *data, *size);
}

/// One extent may be -1: it has all remaining elements. 0 and numbers below -1 have other meanings.
std::optional<Shape> reshape(const CallText& call) {
  auto shape = call.list("newshape", std::nullopt);
  if (!shape ||
      std::ranges::any_of(*shape, [](std::int64_t one) { return one < -1 || one == 0; })) {
    return std::nullopt;
  }
  const auto rest = std::ranges::find(*shape, -1);
  if (rest == shape->end()) return shape;
  *rest = 1;
  const auto data = call.shape(0);
  if (!data || !is_shape(*shape)) return std::nullopt;
  const auto elements = product(*data);
  const auto others = product(*shape);
  if (!elements || !others || *elements % *others != 0) return std::nullopt;
  *rest = static_cast<std::int64_t>(*elements / *others);
  return shape;
}

/// Operators whose result has the shape of the first argument, with blanks between.
constexpr std::string_view kKeepShape =
    "bias_add requantize quantize dequantize clip cast relu prelu leaky_relu sigmoid tanh exp "
    "softmax negative rsqrt fixed_point_multiply";

constexpr std::string_view kBroadcast = "add subtract multiply mul maximum minimum divide";

Result result_of(const CallText& call) {
  const std::string_view name = call.name();
  if (name == "conv1d" || name == "conv2d" || name == "conv3d") return convolution(call);
  if (name == "dense") return dense(call);
  if (name.ends_with("_pool2d") || name.ends_with("_pool1d")) return {.shape = pool(call)};
  if (name == "reshape") return {.shape = reshape(call)};
  if (is_one_of(kKeepShape, name)) return {.shape = call.shape(0)};
  if (!is_one_of(kBroadcast, name)) return {};
  auto a = call.shape(0);
  auto b = call.shape(1);
  if (!a || !b) return {};
  return {.shape = broadcast(std::move(*a), std::move(*b))};
}

/// The shapes of variables. If TVM has typed the model, comments state them. Otherwise they follow
/// from the parameters, if this class knows all operators in between.
class RelayShapes {
 public:
  /// Reads the line with the function's name and parameters.
  void add_parameters(std::string_view head) {
    for (const std::string_view parameter : arguments_of(head).arguments) {
      const std::size_t colon = parameter.find(": ");
      if (!parameter.starts_with('%') || colon == parameter.npos) continue;
      if (auto shape = shape_at(parameter.substr(colon + 2))) {
        shapes_.insert_or_assign(std::string(parameter.substr(0, colon)), std::move(*shape));
      }
    }
  }

  /// Reads a line `%variable = operation(arguments, attributes) /* ty=… */;` with its comments.
  /// Returns how many multiply-accumulates the operator needs, if it is a convolution or a dense
  /// layer whose shapes are known.
  std::optional<std::uint64_t> add_call(std::string_view variable, std::string_view operation,
                                        std::string_view line) {
    const ArgumentList list = arguments_of(line);
    const CallText call{operation, list.arguments, shapes_};
    Result result = result_of(call);
    if (auto stated = commented_shape(list.rest)) result.shape = std::move(stated);
    if (variable.empty()) return result.macs;
    // Of the tuple of a batch_norm only the first element is data.
    if (call.name() == "batch_norm") {
      if (auto shape = call.shape(0))
        shapes_.insert_or_assign(std::string(variable) + ".0", *shape);
    } else if (const auto alias = shapes_.find(operation.substr(0, operation.find_first_of(" ;")));
               alias != shapes_.end()) {
      // `%4 = %3.0;` has no list of arguments.
      result.shape = alias->second;
    }
    if (result.shape) {
      shapes_.insert_or_assign(std::string(variable), std::move(*result.shape));
    }
    return result.macs;
  }

 private:
  Shapes shapes_;
};

// --- Anchors -------------------------------------------------------------------------------------

/// A variable such as "%12" at the beginning of `text`; empty if there is none.
std::string_view variable_at(std::string_view text) {
  if (text.empty() || text[0] != '%') return {};
  std::size_t end = 1;
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  };
  while (end < text.size() && is_part(text[end])) ++end;
  // `%3.1` is an element of a tuple; the operator computed the whole tuple.
  const std::string_view name = text.substr(0, end);
  return name.substr(0, name.find('.'));
}

/// The first parameter of the model behind the data that a call reads: its weights.
std::string weights_of(std::string_view call) {
  const std::vector<std::string_view> arguments = arguments_of(call).arguments;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view variable = variable_at(arguments[i]);
    const bool is_parameter =
        variable.size() > 1 && std::isdigit(static_cast<unsigned char>(variable[1])) == 0;
    if (is_parameter) return std::string(arguments[i].substr(1, arguments[i].find(' ') - 1));
  }
  return {};
}

/// Follows the calls of main to find the anchors that each variable depends on.
class RelayReader {
 public:
  std::vector<RelayAnchor> read(std::string_view text) {
    bool in_main = false;
    for (std::uint32_t line = 1; !text.empty(); ++line) {
      const std::string_view raw = support::take_line(text);
      if (raw.starts_with("def ")) in_main = raw.starts_with(kMain);
      if (raw.starts_with(kMain)) shapes_.add_parameters(raw);
      // Only calls of main: functions inside it have more indentation.
      const bool is_call = in_main && raw.starts_with("  ") && !raw.starts_with("   ");
      if (is_call && !read_call(raw, line)) return {};
    }
    return std::move(anchors_);
  }

 private:
  /// False if an operator has too many predecessors.
  bool read_call(std::string_view raw, std::uint32_t line) {
    const std::string text = without_comments(raw);
    const RelayLine parts = line_in(text);
    const auto [target, rest] = parts;
    std::set<std::size_t> sources;
    for (std::size_t at = rest.find('%'); at != rest.npos; at = rest.find('%', at + 1)) {
      const auto known = sources_.find(variable_at(rest.substr(at)));
      if (known != sources_.end()) sources.insert(known->second.begin(), known->second.end());
    }
    const std::string_view anchor = anchor_in(parts.operation());
    const auto macs = shapes_.add_call(target, parts.operation(), raw);
    if (!anchor.empty()) {
      std::string layer = layer_in(raw);
      if (layer.empty()) layer = weights_of(rest);
      anchors_.push_back(
          {std::string(anchor), std::move(layer), line, {sources.begin(), sources.end()}, macs});
      sources = {anchors_.size() - 1};
    }
    const bool is_real = sources.size() <= kMostSources;
    if (!target.empty()) sources_[std::string(target)] = std::move(sources);
    return is_real;
  }

  std::vector<RelayAnchor> anchors_;
  RelayShapes shapes_;
  std::map<std::string, std::set<std::size_t>, std::less<>> sources_;  // by variable
};

// --- Quantization --------------------------------------------------------------------------------

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
    "clip cast strided_slice nn.max_pool2d nn.avg_pool2d nn.global_max_pool2d";

/// Operators whose results have the elements of their first argument, and no others.
constexpr std::string_view kMove =
    "reshape squeeze expand_dims transpose layout_transform nn.batch_flatten copy";

/// Operators that compute each element from elements at the same place.
constexpr std::string_view kFused =
    "nn.bias_add add subtract multiply divide maximum minimum power clip cast round negative abs "
    "exp log "
    "sqrt rsqrt tanh sigmoid nn.relu nn.leaky_relu nn.prelu qnn.requantize qnn.quantize "
    "qnn.dequantize "
    "qnn.add qnn.subtract qnn.mul qnn.tanh qnn.sigmoid qnn.hardswish fixed_point_multiply";

/// Of these, those whose results have the values of what they read.
constexpr std::string_view kConversions = "cast qnn.dequantize";

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

/// Of a variable: its own numbers, or those of a parameter whose elements it has.
struct Value {
  Known known{};
  std::string parameter{};  ///< with its '%'
  bool is_moved = true;     ///< it has all elements of the parameter, and no others
};

/// What a caller learns from a function.
struct FunctionText {
  std::vector<std::string> parameters;
  std::map<std::string, Known, std::less<>> read;  ///< by variables that it does not define
  Value result{};
};
using FunctionTexts = std::map<std::string, FunctionText, std::less<>>;

/// Reads the lines of one function, without those of functions inside of it.
class QuantizationReader {
 public:
  /// Reads a function that calls functions of the module.
  QuantizationReader(std::string_view head, const FunctionTexts& module) : module_(module) {
    for (const std::string_view parameter : arguments_of(head).arguments) {
      if (!parameter.starts_with('%')) continue;
      parameters_.emplace_back(parameter.substr(0, parameter.find(':')));
    }
  }

  void line(std::string_view raw, std::uint32_t number) {
    line_ = number;
    const std::string text = without_comments(raw);
    const RelayLine parts = line_in(text);
    const auto [target, whole] = parts;
    if (whole.starts_with('}')) return;
    const std::string_view operation = parts.operation();
    const std::vector<std::string_view> arguments = arguments_of(whole).arguments;
    if (target.empty()) return results(layer_in(raw), operation, whole, arguments);
    Value value = call(operation, arguments);
    add_statement(target, operation, arguments, {layer_in(raw), value.known});
    values_[std::string(target)] = std::move(value);
  }

  /// Takes the function `%name = fn (…) {…}` inside of this one.
  void add_function(const std::string& name, QuantizationReader&& inner) {
    FunctionText text = inner.as_callee();
    auto free = text.read;
    for (const std::string& parameter : text.parameters) free.erase(parameter);
    for (const auto& [variable, stated] : free) note(variable, stated);
    functions_.insert_or_assign(name, std::move(text));
  }

  FunctionText as_callee() const {
    const bool has_result = results_ == 1 && outputs_.size() == 1;
    return {parameters_, variables_, has_result ? outputs_.front() : Value()};
  }

  RelayQuantization finish() && {
    for (const auto& [variable, stated] : variables_) {
      if (stated) read_.inputs.emplace(variable.substr(1), *stated);
    }
    for (std::size_t i = 0; i < statements_.size(); ++i) add_result(i);
    for (const Value& output : outputs_) read_.outputs.push_back(output.known);
    if (results_ != 1) read_.outputs.clear();
    return std::move(read_);
  }

 private:
  /// The last expression: a call, a variable or a tuple of variables.
  void results(const std::string& layer, std::string_view operation, std::string_view whole,
               const std::vector<std::string_view>& arguments) {
    ++results_;
    if (!operation.empty() && whole.find('(') != whole.npos) {
      outputs_.push_back(call(operation, arguments));
      add_statement({}, operation, arguments, {layer, outputs_.back().known});
    } else if (operation.empty()) {
      for (const std::string_view variable : arguments) {
        if (!variable.empty()) outputs_.push_back(of_variable(variable));
      }
    } else {
      outputs_.push_back(of_variable(whole));
    }
  }

  struct Statement {
    bool is_anchor = false;
    bool is_fused = false;       ///< into the kernel of what it reads
    bool is_conversion = false;  ///< it has the values that it reads
    bool is_taken = false;       ///< into the kernel of an operator before
    CallLayer result;
    std::uint32_t line = 0;
    std::vector<std::size_t> readers{};  ///< later statements
  };

  void add_statement(std::string_view target, std::string_view operation,
                     const std::vector<std::string_view>& arguments, CallLayer result) {
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
                           .result = std::move(result),
                           .line = line_});
  }

  /// Follows the only reader of an operator's result, while that is fused with it. TVM fuses what
  /// reads two operators with the first.
  void add_result(std::size_t anchor) {
    if (!statements_[anchor].is_anchor) return;
    CallLayer result = statements_[anchor].result;
    for (std::size_t at = anchor; statements_[at].readers.size() == 1;) {
      at = statements_[at].readers.front();
      if (!statements_[at].is_fused || std::exchange(statements_[at].is_taken, true)) break;
      if (statements_[at].is_conversion) continue;
      result.quantization = statements_[at].result.quantization;
      if (!statements_[at].result.name.empty()) result.name = statements_[at].result.name;
    }
    result.name = model_name(result.name);
    read_.results.emplace(statements_[anchor].line, std::move(result));
  }

  Value of_variable(std::string_view variable) const {
    const Value* const value = support::find_value(values_, std::string(variable));
    return value != nullptr ? *value : Value{.parameter = std::string(variable)};
  }

  /// Of its result; notes what it states about its operands.
  Value call(std::string_view operation, const std::vector<std::string_view>& arguments) {
    const bool is_move = is_one_of(kMove, operation);
    if (is_move || is_one_of(kKeep, operation)) {
      Value value = arguments.empty() ? Value() : of_variable(arguments.front());
      value.is_moved = value.is_moved && is_move;
      return value;
    }
    const FunctionTexts& callees = operation.starts_with('%') ? functions_ : module_;
    const auto callee = callees.find(operation);
    if (callee != callees.end()) return call(callee->second, arguments);
    constexpr std::string_view kQnn = "qnn.";
    if (!operation.starts_with(kQnn)) return {};
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
    return {result};
  }

  Value call(const FunctionText& callee, const std::vector<std::string_view>& arguments) {
    Value result{callee.result.known};
    for (std::size_t i = 0; i < std::min(arguments.size(), callee.parameters.size()); ++i) {
      const std::string& parameter = callee.parameters[i];
      const auto read = callee.read.find(parameter);
      if (read != callee.read.end()) note(arguments[i], read->second);
      if (callee.result.parameter == parameter) result = of_variable(arguments[i]);
    }
    result.is_moved = result.is_moved && callee.result.is_moved;
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
    const Value source = of_variable(variable);
    if (!source.parameter.starts_with('%') || !source.is_moved) return;
    const auto [known, is_new] = variables_.try_emplace(source.parameter, stated);
    if (known->second != stated) known->second.reset();
  }

  const FunctionTexts& module_;
  std::vector<std::string> parameters_;
  FunctionTexts functions_;  ///< inside of this one
  RelayQuantization read_;
  std::map<std::string, Value, std::less<>> values_;
  /// What operators state about variables that this function does not define; nothing: different
  /// numbers, or none.
  std::map<std::string, Known, std::less<>> variables_;
  std::vector<Value> outputs_;
  std::vector<Statement> statements_;
  std::map<std::string, std::size_t, std::less<>> by_variable_;
  std::size_t results_ = 0;  ///< more than one: of branches
  std::uint32_t line_ = 0;
};

/// Calls `take` with the name and reader of each function of a text. One may call those in `module`
/// and those inside of it, which stand before their calls. `line_number` is that of the first line.
template <class Take>
void for_each_function(std::string_view text, std::uint32_t line_number,
                       const FunctionTexts& module, Take&& take) {
  struct Open {
    std::string name;
    QuantizationReader reader;
    std::size_t blocks = 0;  ///< of conditions, and of functions that are arguments
  };
  constexpr std::size_t kDeepest = 8;
  std::vector<Open> open;
  for (; !text.empty(); ++line_number) {
    const std::string_view raw = support::take_line(text);
    constexpr std::string_view kGlobal = "def @";
    if (open.empty() && !raw.starts_with(kGlobal)) continue;
    const std::string code = without_comments(raw);
    const std::string_view line = trimmed(code);
    const std::size_t inner = line.find(" = fn (");
    if (line.starts_with(kGlobal)) {
      open.clear();
      const std::size_t at = kGlobal.size() - 1;
      open.push_back({std::string(line.substr(at, line.find('(') - at)), {line, module}});
    } else if (line.starts_with('%') && inner < line.find('(') && line.ends_with('{') &&
               open.size() < kDeepest) {
      open.push_back({std::string(line.substr(0, inner)), {line.substr(inner), module}});
    } else if (line.starts_with('}') && open.back().blocks == 0) {
      Open done = std::move(open.back());
      open.pop_back();
      open.empty() ? take(done.name, std::move(done.reader))
                   : open.back().reader.add_function(done.name, std::move(done.reader));
    } else {
      if (line.starts_with('}')) --open.back().blocks;
      if (line.ends_with('{')) ++open.back().blocks;
      open.back().reader.line(raw, line_number);
    }
  }
  // An unfinished text.
  if (open.size() == 1) take(open.front().name, std::move(open.front().reader));
}

}  // namespace

std::string without_comments(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const std::size_t begin = line.find("/*");
    text += line.substr(0, begin);
    if (begin == line.npos) break;
    const std::size_t end = line.find("*/", begin);
    if (end == line.npos) break;
    line.remove_prefix(end + 2);
  }
  return text;
}

std::string_view main_of_relay(std::string_view text) {
  // It may begin the text, where no line ends before it.
  std::size_t begin = 0;
  while (!text.substr(begin).starts_with(kMain)) {
    begin = text.find('\n', begin);
    if (begin == text.npos) return {};
    ++begin;
  }
  constexpr std::string_view kEnd = "\n}\n";
  const std::size_t end = text.find(kEnd, begin);
  return text.substr(begin, end == text.npos ? end : end + kEnd.size() - begin);
}

std::vector<RelayAnchor> relay_anchors(std::string_view text) {
  return RelayReader().read(text);
}

RelayQuantization quantization_in(std::string_view relay) {
  // Main may call any other function, and these mostly call none.
  const std::string_view main = main_of_relay(relay);
  FunctionTexts module;
  const auto keep = [&](const std::string& name, QuantizationReader&& reader) {
    module.insert_or_assign(name, reader.as_callee());
  };
  const auto begin = static_cast<std::size_t>(main.empty() ? 0 : main.data() - relay.data());
  const std::string_view before = relay.substr(0, begin);
  for_each_function(before, 1, module, keep);
  for_each_function(relay.substr(begin + main.size()), 1, module, keep);
  RelayQuantization quantization;
  const auto first = static_cast<std::uint32_t>(1 + std::ranges::count(before, '\n'));
  for_each_function(main, first, module, [&](const std::string&, QuantizationReader&& reader) {
    quantization = std::move(reader).finish();
  });
  return quantization;
}

}  // namespace mlf::report
