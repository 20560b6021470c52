// Definitions of buffers and producers. The first mention of a name defines it in full; a statement
// such as `A = alloc_buffer(float32[16])` declares only dtype and shape.
#include <fmt/core.h>

#include <cctype>

#include "tir/legacy/context.h"
#include "tir/node_queries.h"

namespace mlf::tir::legacy {
namespace {

/// Whether the option is the alignment.
bool read_buffer_option(Context& c, const Value& keyword, text::BufferSpec& spec) {
  if (keyword.kind != ValueKind::keyword) fail_expected(c, keyword, "an option of a buffer");
  const std::string_view name = c.values.name(keyword);
  const Value option = c.values.keyword_value(keyword);
  if (name == "elem_offset") {
    spec.elem_offset = as_expr(c, option);
  } else if (name == "axis_separators") {
    c.versions.observe(TvmFeature::axis_separators);
    spec.axis_separators = as_exprs(c, option);
  } else if (name == "scope") {
    // The scope of the data pointer. The type of the pointer states it too.
    static_cast<void>(as_string(c, option));
  } else if (name == "align") {
    spec.data_alignment = as_integer(c, option);
    // The default is not printed.
    if (spec.data_alignment == 128) c.versions.observe_absence(TvmFeature::aligns_to_128);
    if (spec.data_alignment == 64) c.versions.observe(TvmFeature::aligns_to_128);
    return true;
  } else if (name == "offset_factor") {
    spec.offset_factor = as_integer(c, option);
  } else if (name == "type") {
    if (as_string(c, option) == "auto") spec.type = BufferType::auto_broadcast;
  } else {
    c.values.fail(keyword, fmt::format("a buffer has no option '{}'", name));
  }
  return false;
}

/// Whether `root` contains the first mention of a variable, which is the only one with its type.
bool defines_var(const Context& c, SyntaxId root) {
  for (SyntaxId id = c.values.syntax(root).first; id <= root; ++id) {
    if (c.values.is(id, SyntaxKind::annotation)) return true;
  }
  return false;
}

/// A buffer that a statement declares with dtype and shape only. Without `data` it gets a new
/// pointer.
NodeId declare_buffer(Context& c, std::string_view name, NodeId data, DType element,
                      std::vector<NodeId> shape) {
  text::BufferSpec spec{.name = name};
  spec.data = data;
  if (data == NodeId::none) {
    spec.data = c.make.var(name, c.make.pointer_to(element, "global"));
    c.lose(LossCode::data_var, name);
    c.lose(LossCode::pointer_scope);
  }
  spec.dtype = element;
  spec.shape = std::move(shape);
  const NodeId node = c.make.buffer(spec);
  c.default_aligned.push_back(node);
  c.lose(LossCode::buffer_fields, name);
  c.names.bind(name, node);
  return node;
}

/// `A = alloc_buffer(float32[16, 16])`: the dtype and the shape look like a subscript of the
/// dtype.
NodeId define_alloc_buffer(Context& c, SyntaxId name, SyntaxId call) {
  const SyntaxId shaped = c.values.children(call)[1];
  const std::vector<Value> type = lower_subscript_parts(c, shaped);
  if (!c.values.is(shaped, SyntaxKind::subscript)) {
    c.values.fail(shaped, "expected a dtype and a shape of the form float32[16, 16]");
  }
  std::vector<NodeId> shape;
  for (std::size_t i = 1; i < type.size(); ++i) shape.push_back(as_expr(c, type[i]));
  return declare_buffer(c, c.values.text(name), NodeId::none, as_dtype(c, type[0]),
                        std::move(shape));
}

/// `A = decl_buffer(data, float32, [16])`, the only declaration that names its pointer.
NodeId define_decl_buffer(Context& c, SyntaxId name, SyntaxId call) {
  c.versions.observe(TvmFeature::decl_buffer);
  const std::vector<SyntaxId> parts = c.values.children(call);
  const NodeId data = as_var(c, lower(c, parts[1]));
  const DType element = as_dtype(c, lower(c, parts[2]));
  return declare_buffer(c, c.values.text(name), data, element, as_exprs(c, lower(c, parts[3])));
}

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// The number of indices between the bracket at `open` and its closing bracket; nullopt if nothing
/// closes it.
std::optional<std::size_t> count_indices(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  std::size_t commas = 0;
  for (std::size_t at = open; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '[' || text[at] == '(') ++depth;
    if (text[at] == ']' || text[at] == ')') --depth;
    if (depth == 0) {
      const bool is_empty =
          text.substr(open + 1, at - open - 1).find_first_not_of(" ()") == text.npos;
      return is_empty ? 0 : commas + 1;
    }
    if (depth == 1 && text[at] == ',') ++commas;
  }
  return std::nullopt;
}

/// The number of axes of a buffer, from its uses after `from`. Names are unique in a function.
std::optional<std::size_t> axes_in_uses(std::string_view text, std::size_t from,
                                        std::string_view name) {
  for (std::size_t at = text.find(name, from); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_name = at == 0 || !is_in_name(text[at - 1]);
    if (!is_name || end >= text.size() || text[end] != '[') continue;
    if (const auto count = count_indices(text, end)) return count;
  }
  return std::nullopt;
}

/// The buffer has the shape of the region that it matches. Its declaration may lack leading unit
/// axes of the region; only the uses of the buffer show how many.
NodeId define_match_buffer(Context& c, SyntaxId name, SyntaxId call) {
  const Node source = c.node(read_region(c, c.values.children(call)[1]));
  const NodeList region = source.list(f::BufferRegion::region);
  const auto axes = axes_in_uses(c.source.text, c.values.syntax(call).end, c.values.text(name));
  std::vector<NodeId> shape;
  for (std::size_t i = 0; i < region.size(); ++i) {
    const Node extent = region[i][f::Range::extent];
    const bool may_be_left_out = shape.empty() && axes && region.size() - i > *axes;
    if (!may_be_left_out || !is_int_imm(extent, 1)) shape.push_back(extent.id());
  }
  const bool is_guess = !axes && !shape.empty() && is_int_imm(c.node(shape.front()), 1);
  if (is_guess) c.lose(LossCode::buffer_shape);
  const DType element = source[f::BufferRegion::buffer].dtype(f::Buffer::dtype);
  return declare_buffer(c, c.values.text(name), NodeId::none, element, std::move(shape));
}

/// The node of a name that is defined again; none if it is new. Fails if it is of another kind.
NodeId known_as(Context& c, SyntaxId name, Kind kind) {
  const NodeId known = c.names.find(c.values.text(name));
  if (known != NodeId::none && !c.node(known).is(kind)) {
    c.values.fail(name,
                  fmt::format("{} is already a {}", shown(c, name), c.node(known).info().name));
  }
  return known;
}

}  // namespace

NodeId define_buffer(Context& c, std::span<const Value> values) {
  const std::string_view name = c.values.text(values[0]);
  if (const NodeId known = known_as(c, values[0].syntax, Kind::Buffer); known != NodeId::none) {
    return known;
  }
  if (values.size() < 5) {
    c.values.fail(values[0].syntax, "expected data, dtype, shape and strides of a buffer");
  }
  text::BufferSpec spec{.name = name};
  spec.data = as_var(c, values[1]);
  spec.dtype = as_dtype(c, values[2]);
  spec.shape = as_exprs(c, values[3]);
  spec.strides = as_exprs(c, values[4]);
  if (defines_var(c, values[3].syntax)) c.lose(LossCode::size_var);
  bool has_alignment = false;
  for (const Value& option : values.subspan(5))
    has_alignment |= read_buffer_option(c, option, spec);
  const NodeId node = c.make.buffer(spec);
  if (!has_alignment) c.default_aligned.push_back(node);
  const Syntax& dtype = c.values.syntax(values[2].syntax);
  c.note_dtype(node, dtype.begin, dtype.end);
  c.lose(LossCode::buffer_defaults);
  c.names.bind(name, node);
  return node;
}

/// `T: DataProducer("T", float32, [16])`. The text contains nothing more of it, so it becomes a
/// placeholder.
NodeId define_producer(Context& c, std::span<const Value> values) {
  const std::string_view name = c.values.text(values[0]);
  if (const NodeId known = known_as(c, values[0].syntax, Kind::Tensor); known != NodeId::none) {
    return known;
  }
  if (values.size() != 4) {
    c.values.fail(values[0].syntax, "expected the name, dtype and shape of a producer");
  }
  const std::string hint = as_string(c, values[1]);
  const DType element = as_dtype(c, values[2]);
  const NodeId node = c.make.placeholder(hint, element, as_exprs(c, values[3]));
  c.lose(LossCode::producer, hint);
  c.names.bind(name, node);
  // Loads print the hint, even if it is not unique.
  const std::string_view printed = c.values.text(values[1].syntax);
  const std::string_view raw = printed.substr(1, printed.size() - 2);
  if (c.names.find(raw) == NodeId::none) c.names.bind(raw, node);
  return node;
}

/// Meets a definition that was read ahead a second time, in its own place, and keeps the known
/// node.
NodeId declare(Context& c, SyntaxId root) {
  const SyntaxId first = c.values.syntax(root).first;
  if (first < root && c.values.syntax(first + 1).kind == SyntaxKind::annotation) {
    for (SyntaxId id = first + 2; id <= root; ++id) {
      if (c.values.is(id, SyntaxKind::call) && c.values.syntax(id).first == first)
        return lower(c, id).node;
    }
    return NodeId::none;
  }
  if (!is_binary(c, root, Sign::assign)) return NodeId::none;
  const SyntaxId call = c.values.tree().last_child(root);
  const SyntaxId name = c.values.tree().previous_sibling(call);
  if (!c.values.is(name, SyntaxKind::name) || !c.values.is(call, SyntaxKind::call)) {
    return NodeId::none;
  }
  if (const NodeId known = known_as(c, name, Kind::Buffer); known != NodeId::none) return known;
  const std::string_view function = head_of(c, call);
  const std::uint32_t arguments = c.values.syntax(call).arity - 1;
  if (function == "alloc_buffer" && arguments == 1) return define_alloc_buffer(c, name, call);
  if (function == "match_buffer" && arguments == 1) return define_match_buffer(c, name, call);
  if (function == "decl_buffer" && arguments == 3) return define_decl_buffer(c, name, call);
  return NodeId::none;
}

}  // namespace mlf::tir::legacy
