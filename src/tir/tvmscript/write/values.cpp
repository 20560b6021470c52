// Prints literals, the elements of constants, and the values of attributes and annotations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <type_traits>

#include "mlf/tir/visit.h"
#include "support/error.h"
#include "tir/elements.h"
#include "tir/node_queries.h"
#include "tir/tvmscript/write/printer.h"

namespace mlf::tir::tvmscript {

// --- Data types, numbers, strings --------------------------------------------------------------

namespace {

/// The widths that have functions.
bool is_usual_width(std::uint8_t bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/// TVM prints no more of a constant, and parses long lists slowly.
constexpr std::size_t kMostListed = 201;

/// Calls `visit(value)` for each element of an array; returns false for dtypes without literals.
template <class Visit>
bool visit_elements(DType dtype, std::span<const std::byte> data, Visit&& visit) {
  const DType stored = dtype.is_float() ? dtype : stored_dtype(dtype.element());
  return with_number(stored, [&]<class T>(T) {
    for (std::size_t i = 0; i < data.size() / sizeof(T); ++i) visit(element<T>(data, i));
  });
}

template <class T>
void append_element(DType dtype, T value, std::string& text) {
  const auto out = std::back_inserter(text);
  if (dtype.is_bool()) {
    text += value != 0 ? "True" : "False";
  } else if (std::is_floating_point_v<T> && value == 0 &&
             std::signbit(static_cast<double>(value))) {
    text += "-0.0";
  } else {
    fmt::format_to(out, "{}", value);
  }
}

}  // namespace

/// The dtypes that tvm.script.ir_builder.tir has functions for.
bool has_function(DType dtype) {
  if (dtype.is_handle() || dtype.is_bool()) return dtype.is_scalar();
  const bool is_plain = dtype.is_int() || dtype.is_uint() || dtype.code == TypeCode::Float;
  constexpr std::int16_t kLanes[] = {1, 4, 8, 16, 32, 64};
  return is_plain && is_usual_width(dtype.bits) &&
         !(dtype.code == TypeCode::Float && dtype.bits == 8) &&
         std::ranges::find(kLanes, dtype.lanes) != std::end(kLanes);
}

bool has_type_function(Node type, std::uint8_t tvm_minor_version) {
  if (is_old_script(tvm_minor_version)) {
    return type.is(Kind::PrimType) || type.is(Kind::PointerType) || type.is(Kind::TupleType);
  }
  if (type.is(Kind::PrimType)) return has_function(type.dtype(std::uint8_t{f::PrimType::dtype}));
  return pointee_of(type).has_value();
}

bool has_annotation(Node var, std::uint8_t tvm_minor_version) {
  const Node type = var[f::Var::type_annotation];
  if (type) return has_type_function(type, tvm_minor_version);
  return is_old_script(tvm_minor_version) || has_function(var.dtype());
}

std::string quoted_dtype(DType dtype) {
  if (dtype.code >= TypeCode::Custom) {
    throw support::Error(ErrorKind::invalid_input, "a custom data type has no name in TVMScript");
  }
  return fmt::format("\"{}\"", to_string(dtype));
}

/// Escapes characters that Python could not read; keeps bytes of UTF-8.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        result += '\\';
        result += c;
        break;
      case '\n':
        result += "\\n";
        break;
      case '\r':
        result += "\\r";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
          result += c;
        } else {
          result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
  }
  return result + '"';
}

/// Since v0.18 whole numbers have a decimal point; a double quote begins the words for infinity.
std::string real_literal(double value, std::uint8_t tvm_minor_version) {
  if (std::isnan(value)) return std::signbit(value) ? "\"-nan\"" : "\"nan\"";
  if (std::isinf(value)) return value < 0 ? "\"-inf\"" : "\"inf\"";
  const std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") != std::string::npos) return text;
  if (has(tvm_minor_version, TvmFeature::decimal_points)) return text + ".0";
  // `-0` would be the integer zero.
  return value == 0 && std::signbit(value) ? text + "e0" : text;
}

std::string real_argument(double value, std::uint8_t tvm_minor_version) {
  const std::string literal = real_literal(value, tvm_minor_version);
  return literal.front() == '"' ? fmt::format("float({})", literal) : literal;
}

// --- Elements of constants ---------------------------------------------------------------------

/// Python has no literals for infinity and NaN.
std::optional<std::string> constant_elements(Node constant, std::uint8_t tvm_minor_version) {
  const bool is_old = is_old_script(tvm_minor_version);
  const std::span<const std::byte> data = *constant.bytes(f::NDArray::data);
  const DType dtype = constant.dtype(std::uint8_t{f::NDArray::dtype});
  const std::size_t count = data.size() / std::max<std::size_t>(dtype.element_bytes(), 1);
  if (count > kMostListed && !is_old) return std::nullopt;
  std::string text = "[";
  bool is_finite = true;
  const bool has_literals = visit_elements(dtype, data, [&](auto value) {
    if constexpr (std::is_floating_point_v<decltype(value)>) is_finite &= std::isfinite(value);
    if (text.size() > 1 && !is_old) text += ", ";
    append_element(dtype, value, text);
    if (is_old) text += ',';
  });
  if (!has_literals || !is_finite) return std::nullopt;
  return text + "]";
}

// --- Values ------------------------------------------------------------------------------------

/// Values of attributes are objects: those without a form are in the metadata.
TextFragments& Printer::expand_value(Node node, TextFragments& out) {
  if (!node) return out.text("None");
  if (!has_words(node)) return object(node, out);
  switch (node.kind()) {
    case Kind::String:
      return out.text(quoted(node.text(f::String::value)));
    case Kind::StringImm:
      if (!has_form(Kind::StringImm)) break;
      return regular_form(node, out);
    case Kind::IntImm:
      // Since v0.18 a bare number is boxed.
      if (!prints(TvmFeature::boxed_numbers) || node.dtype() != DType::Int(32)) break;
      return out.text(fmt::format("T.int32({})", node.integer(f::IntImm::value)));
    case Kind::BoxInt:
    case Kind::BoxFloat:
    case Kind::BoxBool:
      return box(node, out);
    case Kind::Array:
      return out.text("[").list(node.list(f::Array::elements), PrintAs::value).text("]");
    case Kind::StringMap:
      return out.text("{").entries(node.map(f::StringMap::entries)).text("}");
    case Kind::DictAttrs:
      return out.text("{").entries(node.map(f::DictAttrs::dict)).text("}");
    case Kind::Target:
      return target(node, out);
    case Kind::GlobalVar:
    case Kind::Op:
      if (!has_form(node.kind())) break;
      return regular_form(node, out);
    case Kind::Range:
      if (!has_form(Kind::Range)) break;
      begin_form(Kind::Range, out).expr(node[f::Range::min]).text(", ");
      return out.append(end_of(node[f::Range::min], node[f::Range::extent])).text(")");
    case Kind::IterVar:
      return iter_var(node, out);
    case Kind::CommReducer:
      return comm_reducer(node, out);
    case Kind::BufferRegion:
      return region(node, out);
    case Kind::Buffer:
      return var(node, out);
    default:
      break;
  }
  return is_expr(node.category()) ? expand_expr(node, 0, out) : object(node, out);
}

/// A number of v0.18 that is not an expression.
TextFragments& Printer::box(Node node, TextFragments& out) {
  if (node.is(Kind::BoxBool)) {
    return out.text(node.integer(f::BoxBool::value) != 0 ? "True" : "False");
  }
  if (node.is(Kind::BoxInt)) return out.text(fmt::format("{}", node.integer(f::BoxInt::value)));
  return out.text(real_argument(node.real(f::BoxFloat::value), kNewestTvm));
}

TextFragments& Printer::target(Node node, TextFragments& out) {
  const auto kind = node[f::Target::kind];
  // Omits features, and an empty tag.
  begin_form(Kind::Target, out);
  out.text(fmt::format("{{\"kind\": {}", quoted(kind.text(f::TargetKind::name))));
  if (!node.text(f::Target::tag).empty()) {
    out.text(fmt::format(", \"tag\": {}", quoted(node.text(f::Target::tag))));
  }
  out.text(", \"keys\": [").list(node.list(f::Target::keys), PrintAs::value).text("]");
  const NodeMap attrs = node.map(f::Target::attrs);
  out.text(attrs.empty() ? "" : ", ").entries(attrs);
  if (const Node host = node[f::Target::host]) {
    if (!host.is(Kind::Target)) refuse("the host of a target is not a target");
    out.text(", \"host\": ").value(host);
  }
  return out.text("})");
}

/// An object in the metadata before the text.
TextFragments& Printer::object(Node node, TextFragments& out) {
  if (node.is(Kind::MissingObject)) {
    metadata_.note_missing();
    return out.text(fmt::format("metadata[{}][{}]", quoted(node.text(f::MissingObject::type_key)),
                                node.integer(f::MissingObject::index)));
  }
  if (is_old_) {
    refuse(fmt::format("TVMScript before v0.12 has no words for a {}", node.info().name));
  }
  if (node.is(Kind::NDArray) && !has_constants()) {
    return out.text(metadata_.reference_to_omitted(node));
  }
  refuse_local_variables(node);
  return out.text(metadata_.reference(node));
}

/// The metadata is outside of the function: its variables would be different ones.
void Printer::refuse_local_variables(Node object) const {
  for_each_pre_order(object, [&](Node part) {
    const bool is_local = is_var(part) || part.is(Kind::Buffer);
    if (is_local && !names_.find(part.id()).empty()) {
      refuse(fmt::format("a {} with variables of its function cannot be written in TVMScript",
                         object.info().name));
    }
  });
}

/// `A[0:16, j]`; an index is a region of one element.
TextFragments& Printer::region(Node node, TextFragments& out) {
  return append_slices(node.list(f::BufferRegion::region), var(node[f::BufferRegion::buffer], out));
}

TextFragments& Printer::iter_var(Node node, TextFragments& out) {
  const auto kind = static_cast<std::size_t>(node.integer(f::IterVar::iter_type));
  const Node dom = node[f::IterVar::dom];
  begin_form(Kind::IterVar, out).expr(node[f::IterVar::var]).text(", ");
  if (dom && is_old_) {
    out.text("(").expr(dom[f::Range::min]).text(", ");
    out.append(end_of(dom[f::Range::min], dom[f::Range::extent])).text(")");
  } else {
    out.value(dom);
  }
  return out.text(fmt::format(", {}, {})", quoted(enum_names(Expects::iter_var_type)[kind]),
                              quoted(node.text(f::IterVar::thread_tag))));
}

/// `T.comm_reducer(lambda x, y: T.Add(x, y), [T.float32(0)])`
TextFragments& Printer::comm_reducer(Node node, TextFragments& out) {
  begin_form(Kind::CommReducer, out).text("lambda ");
  std::string_view separator;
  for (const auto side : {f::CommReducer::lhs, f::CommReducer::rhs}) {
    for (const Node param : node.list(side)) {
      out.text(separator).text(names_.bind(param.id(), param.text(f::Var::name)));
      separator = ", ";
    }
  }
  const NodeList result = node.list(f::CommReducer::result);
  out.text(": ").mark(PrintAs::lambda_begins).text(result.size() == 1 ? "" : "(").list(result);
  out.text(result.size() == 1 ? "" : ")").mark(PrintAs::lambda_ends).text(", [");
  return out.list(node.list(f::CommReducer::identity_element)).text("])");
}

/// TVM prints `T.reduce` in all versions, but since v0.12 its parser does not know it. Before, it
/// has no place for initial values and the condition.
TextFragments& Printer::reduce(Node node, TextFragments& out) {
  if (!is_old_) return regular_form(node, out);
  begin_form(Kind::Reduce, out).value(node[f::Reduce::combiner]).text(", [");
  out.list(node.list(f::Reduce::source)).text("], [");
  out.list(node.list(f::Reduce::axis), PrintAs::value);
  return out.text(fmt::format("], {})", node.integer(f::Reduce::value_index)));
}

}  // namespace mlf::tir::tvmscript
