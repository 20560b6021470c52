// Reads `name = T.…(…)`: definitions of variables, buffers and axes of blocks, and the elements of
// constants.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tir/elements.h"
#include "tir/node_queries.h"
#include "tir/text/lexer.h"
#include "tir/tvmscript/function.h"

namespace mlf::tir::tvmscript {

// --- Buffers -----------------------------------------------------------------------------------

namespace {

using text::BufferSpec;

/// The keywords of all versions; the scope and the type have two spellings.
class BufferDeclaration {
 public:
  /// A buffer of a `region` has the region's shape and dtype by default.
  BufferDeclaration(Context& context, std::string_view name, const Arguments& args,
                    std::size_t shape, NodeId region)
      : c_(context), args_(args), shape_(shape), region_(region) {
    spec_.name = name;
    spec_.dtype = DType::Float(32);
  }

  NodeId make() {
    args_.expect_keywords({"shape", "dtype", "data", "strides", "elem_offset", "scope",
                           "storage_scope", "align", "offset_factor", "buffer_type",
                           "axis_separators", "logical_shape", "layout", "type"});
    if (region_ != NodeId::none && !args_.find(shape_, "shape")) {
      match_region();
    } else {
      spec_.shape = as_exprs(c_, args_.get(shape_, "shape"));
    }
    const auto dtype = args_.find(shape_ + 1, "dtype");
    if (dtype) spec_.dtype = as_dtype(c_, *dtype);
    read_layout();
    read_data();
    read_offset();
    if (has_defaults_) c_.lose(LossCode::buffer_defaults);
    // If several versions may have printed the text, the newest one.
    spec_.index_dtype = text::default_index_dtype(c_.versions.range().last);
    const NodeId buffer = c_.make.buffer(spec_);
    if (!states_alignment_) c_.default_aligned.push_back(buffer);
    if (dtype) c_.note_dtype_word(buffer, *dtype);
    return buffer;
  }

 private:
  void match_region() {
    const Node region = c_.node(region_);
    spec_.dtype = region[f::BufferRegion::buffer].dtype(f::Buffer::dtype);
    for (const Node range : region.list(f::BufferRegion::region)) {
      spec_.shape.push_back(range[f::Range::extent].id());
    }
  }

  /// The parser's defaults: no strides, alignment by the version.
  void read_layout() {
    if (const auto strides = present("strides", 3)) {
      for (const Value& stride : c_.values.elements(*strides)) {
        spec_.strides.push_back(read_stride(stride));
      }
    }
    if (const auto align = present("align", 6)) {
      states_alignment_ = true;
      if (as_integer(c_, *align) > 0) spec_.data_alignment = as_integer(c_, *align);
    } else {
      has_defaults_ = true;
    }
    auto type = present("buffer_type", 8);
    if (!type) type = args_.keyword("type");
    // Printers write the first, parsers up to v0.11 read the second.
    const bool is_auto =
        type && (as_string(c_, *type) == "auto" || as_string(c_, *type) == "auto_broadcast");
    if (is_auto) spec_.type = BufferType::auto_broadcast;
    if (const auto separators = present("axis_separators", 9)) {
      spec_.axis_separators = as_exprs(c_, *separators);
    }
  }

  /// A string names a stride without another definition. TVM's parser gives it the dtype of the
  /// first extent (script/ir_builder/tir/ir.py).
  NodeId read_stride(const Value& stride) {
    if (stride.kind != ValueKind::string) return as_expr(c_, stride);
    return c_.make.var(as_string(c_, stride), c_.make.prim_type(index_dtype()));
  }

  DType index_dtype() const {
    return spec_.shape.empty() ? DType::Int(32) : c_.make.dtype_of(spec_.shape.front());
  }

  /// Without data=, the pointer belongs to the buffer and has no name.
  void read_data() {
    if (const auto data = present("data", 2)) {
      spec_.data = as_var(c_, *data);
      return;
    }
    auto scope = present("scope", 5);
    if (!scope) scope = args_.keyword("storage_scope");
    c_.lose(LossCode::data_var, spec_.name);
    const NodeId type =
        c_.make.pointer_to(stored_dtype(spec_.dtype), scope ? as_string(c_, *scope) : "global");
    spec_.data = c_.make.var(spec_.name, type);
  }

  /// A printed factor without an offset: the offset is a separate variable.
  void read_offset() {
    const auto factor = present("offset_factor", 7);
    if (factor) spec_.offset_factor = as_integer(c_, *factor);
    if (const auto offset = present("elem_offset", 4)) {
      spec_.elem_offset = as_expr(c_, *offset);
    } else if (factor && spec_.offset_factor != 0) {
      spec_.elem_offset =
          c_.make.var(fmt::format("{}_elem_offset", spec_.name), c_.make.prim_type(index_dtype()));
    } else {
      has_defaults_ = true;
    }
    if (spec_.offset_factor == 0) spec_.offset_factor = 1;
  }

  /// An argument by position after the shape, or by name; None means that it is missing.
  std::optional<Value> present(std::string_view name, std::size_t behind_shape) const {
    const auto value = args_.find(shape_ + behind_shape, name);
    return value && value->kind != ValueKind::none ? value : std::nullopt;
  }

  Context& c_;
  const Arguments& args_;
  std::size_t shape_;
  NodeId region_;
  bool has_defaults_ = false;
  bool states_alignment_ = false;
  BufferSpec spec_{};
};

}  // namespace

NodeId declare_buffer(Context& c, std::string_view name, const Arguments& args, std::size_t shape) {
  return BufferDeclaration(c, name, args, shape, NodeId::none).make();
}

// --- Definitions -------------------------------------------------------------------------------

NodeId buffer_of_line(Context& c, std::string_view name, const Arguments& args, std::size_t shape) {
  const NodeId buffer = declare_buffer(c, name, args, shape);
  c.builder.set_source_range(buffer, {c.fn->line_begin, c.lexer.token().begin});
  return buffer;
}

/// A buffer without a statement: on a pointer that is defined elsewhere, or on its own.
NodeId define_buffer(Context& c, std::string_view name, const Arguments& args) {
  return declare(c, buffer_of_line(c, name, args, 0));
}

/// Outside of any block it belongs to the root block, which the text may omit.
NodeId define_alloc_buffer(Context& c, std::string_view name, const Arguments& args) {
  const NodeId buffer = buffer_of_line(c, name, args, 0);
  if (c.fn->frames.blocks().empty()) {
    c.fn->root_buffers.push_back(buffer);
    c.fn->frames.define_outside(buffer);
  } else {
    c.fn->frames.blocks().back().alloc_buffers.push_back(buffer);
    c.fn->frames.define(buffer);
  }
  return buffer;
}

/// The variable of a thread that is launched later in the text.
NodeId define_env_thread(Context& c, std::string_view name, const Arguments& args) {
  args.expect(1, 2);
  const DType dtype = args.size() > 1 ? as_dtype(c, args[1]) : DType::Int(32);
  const NodeId type = c.make.prim_type(dtype);
  NodeId var = NodeId::none;
  if (const auto ahead = c.threads_ahead.find(name); ahead != c.threads_ahead.end()) {
    var = ahead->second.var;
    c.builder.set(var, f::Var::type_annotation, type);
    c.threads_ahead.erase(ahead);
  } else {
    var = c.make.var(name, type);
  }
  const std::string_view tag = as_string(c, args[0]);
  c.fn->thread_tags[var] = c.node(c.make.string(tag)).text(f::String::value);
  return var;
}

/// `T.var("int32")`, `T.buffer_var("float32", "global")`; `T.Ptr("float32", "global")` of the
/// development versions between v0.11 and v0.12.
NodeId define_old_var(Context& c, std::string_view name, const Arguments& args) {
  args.expect(1, 2);
  const NodeId element = c.make.prim_type(as_dtype(c, args[0]));
  if (args.callee().ends_with(".var")) return declare(c, c.make.var(name, element));
  const std::string_view scope = args.size() > 1 ? as_string(c, args[1]) : std::string_view();
  return declare(c, c.make.var(name, c.make.pointer_type(element, scope)));
}

/// `x = T.Var("x", "int4")`: a type without a function.
NodeId define_node_var(Context& c, std::string_view name, const Arguments& args) {
  return declare(c, constructed_var(c, name, args));
}

namespace {

// --- Axes of blocks ----------------------------------------------------------------------------

/// An axis is an IterVar of the block, which gets its value where the block is realized.
void add_axis(Context& c, std::string_view name, NodeId dom, IterVarType type,
              const std::optional<Value>& value) {
  const DType dtype = c.make.dtype_of(c.node(dom)[f::Range::extent].id());
  const NodeId bound = value ? as_expr_of(c, *value, dtype) : NodeId::none;
  const NodeId var = scope_var(c, name, c.make.prim_type(dtype));
  text::BlockDraft& block = c.fn->frames.blocks().back();
  block.iter_vars.push_back(c.builder.make(Kind::IterVar, {dom, var, type, c.builder.string("")}));
  if (bound != NodeId::none) block.iter_values.push_back(bound);
  bind(c, name, var);
}

}  // namespace

/// `vi = T.axis.spatial(16, i)`, `vk = T.axis.reduce((2, 16), k)`
NodeId define_axis(Context& c, std::string_view name, const Arguments& args) {
  args.expect(1, 2);
  const OpenBlock& block = block_of(c, args);
  const std::string_view kind = args.callee().substr(args.callee().rfind('.') + 1);
  const IterVarType type = *text::meaning_of(kAxes, kind);
  const std::vector<Value> bounds = c.values.elements(args[0]);
  if (bounds.size() != 1 && bounds.size() != 2) {
    c.values.fail(args[0], "expected an extent, or a pair of the first value and the end");
  }
  const NodeId dom = bounds.size() == 2 ? range_to(c, bounds[0], bounds[1])
                                        : c.make.range_to(as_expr(c, bounds[0]));
  const bool has_value = args.size() > 1;
  if (!has_value && block.realize == text::BlockDraft::Realize::yes) {
    args.fail(fmt::format("{} needs the value that the axis is bound to", args.callee()));
  }
  add_axis(c, name, dom, type, has_value ? std::optional(args[1]) : std::nullopt);
  return NodeId::none;
}

/// Functions of dtypes declare variables if they have no argument; with one they make constants or
/// casts.
bool is_declaration(Context& c, SyntaxId value) {
  const std::string_view callee = tir_callee(c, value);
  if (find_form(Form::Construct::definition, Form::Prefix::tir, callee) != nullptr) return true;
  const bool is_type = script_dtype(callee) && c.values.syntax(value).kind == SyntaxKind::call;
  return is_type && (callee == "handle" || arguments_of(c, value).size() == 0);
}

NodeId read_declaration(Context& c, std::string_view name, SyntaxId value) {
  const std::string_view callee = tir_callee(c, value);
  const Arguments args = arguments_of(c, value);
  const Form* const form = find_form(Form::Construct::definition, Form::Prefix::tir, callee);
  if (form == nullptr) return declare(c, typed_var(c, name, callee, args));
  note_version(c, *form);
  return form->name_reader(c, name, args);
}

NodeId typed_var(Context& c, std::string_view name, std::string_view callee,
                 const Arguments& args) {
  args.expect_keywords({"is_size_var", "is_unknown_type", "dtype", "storage_scope", "expr"});
  const auto size_var = args.keyword("is_size_var");
  const Kind kind = size_var && as_boolean(c, *size_var) ? Kind::SizeVar : Kind::Var;
  const bool is_handle = callee == "handle";
  return c.make.var(
      name, is_handle ? read_handle(c, args) : c.make.prim_type(*script_dtype(callee)), kind);
}

NodeId constructed_var(Context& c, std::string_view name, const Arguments& args) {
  args.expect(2, 2, {});
  const Kind kind = args.callee().ends_with("SizeVar") ? Kind::SizeVar : Kind::Var;
  return c.make.var(name, as_stated_type(c, args[1]), kind);
}

/// For a parameter it binds the parameter; for a region it makes a buffer of the block.
NodeId define_match_buffer(Context& c, std::string_view name, const Arguments& args) {
  args.expect(1, SIZE_MAX);
  const Value source = args[0];
  if (source.kind == ValueKind::access) {
    OpenBlock& block = block_of(c, args);
    const NodeId region = as_region(c, source);
    const NodeId buffer = BufferDeclaration(c, name, args, 1, region).make();
    block.match_buffers.push_back(c.builder.make(Kind::MatchBufferRegion, {buffer, region}));
    c.fn->frames.define(buffer);
    return buffer;
  }
  const NodeId param = as_var(c, source);
  // All parameters come before the first line of the body.
  if (c.fn->parameters.empty()) {
    c.fn->parameters.insert(c.fn->draft.params.begin(), c.fn->draft.params.end());
  }
  if (!c.fn->parameters.contains(param)) {
    c.values.fail(source, fmt::format("'{}' is not a parameter of {}", c.values.text(source),
                                      c.fn->draft.name));
  }
  const NodeId buffer = buffer_of_line(c, name, args, 1);
  c.fn->draft.buffer_map.push_back({param, buffer});
  c.fn->frames.define_outside(buffer);
  return buffer;
}

void define_remap(Context& c, const std::vector<SyntaxId>& names, const Arguments& args) {
  args.expect(2, 2);
  block_of(c, args);
  const std::string_view kinds = as_string(c, args[0]);
  const std::vector<Value> loops = c.values.elements(args[1]);
  if (kinds.size() != names.size() || loops.size() != names.size()) {
    args.fail(fmt::format("{} names for {} kinds of axes and {} loop variables", names.size(),
                          kinds.size(), loops.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto range = c.fn->loop_ranges.find(as_var(c, loops[i]));
    if (range == c.fn->loop_ranges.end()) {
      c.values.fail(loops[i], fmt::format("'{}' is not a loop variable", c.values.text(loops[i])));
    }
    // The printer combines only spatial and reduction axes over plain loop variables.
    if (kinds[i] != 'S' && kinds[i] != 'R') {
      c.values.fail(args[0], "the kinds of axes are 'S' (spatial) and 'R' (reduce)");
    }
    const NodeId dom = c.builder.make(Kind::Range, {range->second.min, range->second.extent});
    add_axis(c, target_name(c, names[i]), dom,
             kinds[i] == 'S' ? IterVarType::DataPar : IterVarType::CommReduce, loops[i]);
  }
}

// --- The text of v0.9 to v0.11 -----------------------------------------------------------------

namespace {

/// Appends the low `count` bytes of an element, little-endian; `count` is at most 8.
void append_little_endian(std::vector<std::byte>& bytes, std::uint64_t bits, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    bytes.push_back(static_cast<std::byte>(bits >> (8 * i) & 0xff));
  }
}

/// The elements of a constant that a text shows.
struct ShownElements {
  std::vector<std::byte> bytes;  ///< little-endian
  std::size_t count = 0;
  unsigned digits = 0;  ///< significant digits of floats; 0: the bytes are exact
  bool is_cut = false;  ///< the text states that there are more
};

constexpr std::string_view kSeparator = ", ";
constexpr std::string_view kCut = "...";
constexpr unsigned kStreamDigits = 6;

std::optional<std::uint64_t> bits_of(std::string_view element, DType dtype) {
  if (dtype.is_bool() && element == "True") return 1;
  if (dtype.is_bool() && element == "False") return 0;
  if (!dtype.is_float() || dtype.bits == 16) {
    const auto number = text::parse_integer(element);
    return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
  }
  const auto number = text::parse_real(element);
  if (!number) return std::nullopt;
  if (dtype.bits == 64) return std::bit_cast<std::uint64_t>(*number);
  return std::bit_cast<std::uint32_t>(static_cast<float>(*number));
}

/// One byte each, for any character.
ShownElements read_characters(std::string_view text) {
  ShownElements shown;
  const std::size_t stride = 1 + kSeparator.size();
  if (text.size() % stride != 1) return shown;
  for (std::size_t at = 0; at < text.size(); at += stride) {
    if (at > 0 && !text.substr(at - kSeparator.size()).starts_with(kSeparator)) return {};
    shown.bytes.push_back(static_cast<std::byte>(text[at]));
    ++shown.count;
  }
  return shown;
}

ShownElements read_numbers(std::string_view text, DType dtype) {
  ShownElements shown;
  if (dtype.is_float() && dtype.bits != 16) shown.digits = kStreamDigits;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto bits = bits_of(text.substr(0, end), dtype);
    if (!bits) return {};
    append_little_endian(shown.bytes, *bits, dtype.element_bytes());
    ++shown.count;
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(", \t\r\n"), text.size()));
  }
  return shown;
}

/// Elements as the printer of v0.9 to v0.11 writes them, including brackets; `count` is their
/// number by the extents. Returns nothing if the text is not the printer's output for the dtype.
ShownElements read_constant_text(std::string_view text, DType dtype, std::uint64_t count) {
  text = text.substr(1, text.size() - 2);
  const bool is_for_parser =
      text.size() > 1 && text.ends_with(',') && text.find(' ') == std::string_view::npos;
  if (is_for_parser) {
    ShownElements shown = read_numbers(text, dtype);
    shown.digits = 0;
    return shown;
  }
  const bool are_bytes = dtype.is_int() && dtype.bits == 8;
  // In bytes, the dots can be elements.
  const std::size_t whole = count * (1 + kSeparator.size()) - kSeparator.size();
  const bool is_cut = text.ends_with(kCut) && !(are_bytes && text.size() == whole);
  if (is_cut) text.remove_suffix(kCut.size());
  ShownElements shown = are_bytes ? read_characters(text) : read_numbers(text, dtype);
  shown.is_cut = is_cut;
  return shown;
}

// --- Elements of any version -------------------------------------------------------------------

/// The printer stops here without a mark.
constexpr std::size_t kMostPrinted = 201;

/// Little-endian bits of one element. float16 is printed as the integer of its bits, in v0.18 with
/// a fraction of zero.
std::uint64_t bits_of(Context& c, const Value& value, DType dtype) {
  if (!dtype.is_float()) {
    return static_cast<std::uint64_t>(value.kind == ValueKind::boolean
                                          ? std::int64_t{as_boolean(c, value)}
                                          : as_integer(c, value));
  }
  const double number = as_real(c, value);
  if (dtype.bits == 64) return std::bit_cast<std::uint64_t>(number);
  if (dtype.bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (!(number >= -32768 && number <= 65535)) fail_expected(c, value, "the bits of a float16");
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

/// v0.12 and later: a list of literals.
ShownElements read_list(Context& c, const Value& list, DType dtype, std::uint64_t count) {
  if (list.kind != ValueKind::list) fail_expected(c, list, "a list of elements");
  ShownElements shown;
  shown.count = list.count;
  shown.is_cut = list.count == kMostPrinted && count > kMostPrinted;
  const std::size_t size = dtype.element_bytes();
  shown.bytes.reserve(list.count * size);
  for (std::size_t i = 0; i < list.count; ++i) {
    append_little_endian(shown.bytes, bits_of(c, c.values.item(list, i), dtype), size);
  }
  return shown;
}

ShownElements read_elements(Context& c, const std::optional<Value>& elements, DType dtype,
                            std::uint64_t count) {
  if (!elements) return {};
  const ShownElements shown = elements->kind == ValueKind::elements
                                  ? read_constant_text(c.values.text(*elements), dtype, count)
                                  : read_list(c, *elements, dtype, count);
  const bool fills = shown.is_cut ? shown.count < count : shown.count == count;
  if (!fills) {
    c.values.fail(*elements, fmt::format("{} elements do not fill the extents", shown.count));
  }
  return shown;
}

}  // namespace

NodeId constant_data(Context& c, std::string_view name, const std::optional<Value>& elements,
                     DType dtype, const std::vector<NodeId>& extents) {
  // An object of the metadata section; a missing one is looked up after the whole text.
  if (elements && elements->kind == ValueKind::node) {
    const Node node = c.node(elements->node);
    if (node.is(Kind::NDArray) || node.is(Kind::MissingObject)) return node.id();
  }
  const auto shape = text::constant_shape(c.builder, extents);
  const auto count = shape ? product_of(*shape) : std::nullopt;
  if (!count || dtype.element_bytes() > sizeof(std::uint64_t)) {
    c.lose(LossCode::constant_data, name);
    return NodeId::none;
  }
  ShownElements shown = read_elements(c, elements, dtype, *count);
  if (shown.count == *count && shown.digits == 0) {
    return c.builder.make(Kind::NDArray, {dtype, c.builder.integers(*shape),
                                          c.builder.bytes(std::move(shown.bytes))});
  }
  return c.lost_constants.find({.function = {},
                                .name = name,
                                .dtype = dtype,
                                .shape = *shape,
                                .elements = shown.bytes,
                                .digits = shown.digits});
}

}  // namespace mlf::tir::tvmscript
