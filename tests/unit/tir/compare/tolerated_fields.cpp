// Which differences between values of a field each rule of tolerances.def allows.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mlf/tir/module.h"
#include "mlf/tir/visit.h"
#include "support/characters.h"
#include "tir/array_uses.h"
#include "tir/linear_sum.h"
#include "tir/node_queries.h"
#include "tir/text/expr_factory.h"
#include "tir/text/op_table.h"
#include "tolerance_rules.h"

namespace mlf::tir::compare_detail {
namespace {

// --- Linear forms --------------------------------------------------------------------------------

/// Returns a name for a Var or Buffer. Corresponding ones of both modules have equal names.
using IdentityName = std::function<std::string(Node)>;

/// Terms are texts.
using LinearForm = LinearSum<std::string>;

bool is_named(Node node) {
  return is_var(node) || node.is(Kind::Buffer);
}

/// Visits the parts of an expression, children first. Does not enter named nodes.
template <class Visit>
void for_each_part(Node expr, Visit&& visit) {
  NodeSet seen(expr.module());
  walk(
      expr, seen,
      [](Node node) { return is_named(node) ? Descend::past_children : Descend::into_children; },
      visit);
}

/// All fields of a node that distinguish it from others of its kind, without its children.
std::string scalar_fields(Node node) {
  std::string text(node.info().name);
  for (std::uint8_t i = 0; i < node.info().fields.size(); ++i) {
    const FieldType type = node.info().fields[i].type;
    if (holds_nodes(type)) continue;
    text += " " + (type == FieldType::string ? std::string(node.text(i)) : brief_field(node, i));
  }
  return text;
}

std::string format_form(const LinearForm& form) {
  std::string text = std::to_string(form.constant);
  for (const auto& [term, coefficient] : form.factors) {
    text += "+" + std::to_string(coefficient) + "*" + term;
  }
  return text;
}

template <class SpellChild>
std::string spelled_with(Node node, const IdentityName& name_of, SpellChild&& spell_child) {
  if (is_named(node)) return name_of(node);
  std::string text = scalar_fields(node) + "(";
  for_each_child(node, [&](Node child, const FieldInfo&) { text += spell_child(child) + ","; });
  return text + ")";
}

/// The forms of all parts of one expression, children before parents. Does not recurse on the
/// input, and computes shared parts once.
class Forms {
 public:
  explicit Forms(const IdentityName& name_of) : name_of_(name_of) {}

  void add(Node node) { forms_.emplace(index(node.id()), make(node)); }
  const LinearForm& of(Node node) const { return forms_.at(index(node.id())); }

 private:
  LinearForm make(Node node) const {
    switch (node.kind()) {
      case Kind::IntImm:
        return {node.integer(f::IntImm::value), {}};
      case Kind::Add:
        return sum(of(node[f::Add::a]), 1, of(node[f::Add::b]), 1, node);
      case Kind::Sub:
        return sum(of(node[f::Sub::a]), 1, of(node[f::Sub::b]), -1, node);
      case Kind::Mul: {
        // A product is linear only if one side is a constant.
        const LinearForm& a = of(node[f::Mul::a]);
        const LinearForm& b = of(node[f::Mul::b]);
        if (b.is_constant()) return sum(a, b.constant, {}, 1, node);
        return a.is_constant() ? sum(b, a.constant, {}, 1, node) : term(node);
      }
      default:
        return term(node);
    }
  }

  /// A sum beyond 64 bits, where TVM wraps around, is a term.
  LinearForm sum(const LinearForm& a, std::int64_t times_a, const LinearForm& b,
                 std::int64_t times_b, Node whole) const {
    LinearForm result;
    return result.add(a, times_a) && result.add(b, times_b) ? result : term(whole);
  }

  LinearForm term(Node node) const {
    const auto spell_child = [&](Node child) { return format_form(of(child)); };
    return {0, {{spelled_with(node, name_of_, spell_child), 1}}};
  }

  const IdentityName& name_of_;
  std::unordered_map<std::uint32_t, LinearForm> forms_;
};

/// The linear form of an integer expression. Everything but constants, `+`, `-` and products with
/// constants is a term.
LinearForm linear_form(Node expr, const IdentityName& name_of) {
  Forms forms(name_of);
  for_each_part(expr, [&](Node node) { forms.add(node); });
  return forms.of(expr);
}

/// The text of the expression, without arithmetic.
std::string spelling(Node expr, const IdentityName& name_of) {
  std::unordered_map<std::uint32_t, std::string> spellings;
  const auto spell_child = [&](Node child) { return spellings.at(index(child.id())); };
  for_each_part(expr, [&](Node node) {
    spellings.emplace(index(node.id()), spelled_with(node, name_of, spell_child));
  });
  return spellings.at(index(expr.id()));
}

// --- Names as TVM prints them --------------------------------------------------------------------

// Whether `printed` is `stem` or `stem_<n>`, as a table of unique names makes it.
bool is_made_unique(std::string_view printed, std::string_view stem) {
  if (!printed.starts_with(stem)) return false;
  std::string_view suffix = printed.substr(stem.size());
  if (suffix.empty()) return true;
  if (suffix.size() < 2 || suffix.front() != '_') return false;
  suffix.remove_prefix(1);
  return suffix.front() != '0' && support::is_digits(suffix);
}

// `show_object_address` appends `_0x…` to each name.
std::string_view without_address(std::string_view printed) {
  const std::size_t at = printed.rfind("_0x");
  const bool has_address =
      at != std::string_view::npos && at + 3 < printed.size() &&
      printed.find_first_not_of("0123456789abcdef", at + 3) == std::string_view::npos;
  return has_address ? printed.substr(0, at) : printed;
}

/// Whether the TVMScript printer may print `hint`, a name of a node of `kind`, as `whole`.
// IRDocsifier (v0.12+) replaces characters that Python does not allow in a name, and numbers
// repeated names.
bool is_script_name_of(std::string_view whole, std::string_view hint, Kind kind) {
  const std::string_view printed = without_address(whole);
  if (hint.empty()) return is_made_unique(printed, kind == Kind::Buffer ? "buffer" : "v");
  std::string legal(hint);
  std::ranges::replace_if(
      legal, [](char c) { return !support::is_word_character(c); }, '_');
  return is_made_unique(printed, legal);
}

/// The same for the legacy printer.
// The legacy printer requires a letter first and does not change the rest.
bool is_legacy_name_of(std::string_view printed, std::string_view hint, Kind kind) {
  if (!hint.empty() && support::is_letter(hint.front())) return is_made_unique(printed, hint);
  const std::string_view prefix = kind == Kind::Buffer ? "buf_" : "v";
  return is_made_unique(printed, std::string(prefix).append(hint));
}

/// The same for the TVMScript printer before v0.12.
bool is_old_script_name_of(std::string_view printed, std::string_view hint, Kind kind) {
  std::string without_dots(hint);
  std::ranges::replace(without_dots, '.', '_');
  return is_legacy_name_of(printed, without_dots, kind);
}

/// Whether readers give `name` to a variable that the text shows only as part of `buffer`: its data
/// pointer, its offset, or the parameter that it is bound to.
bool is_name_of_part(std::string_view name, std::string_view buffer) {
  if (!name.starts_with(buffer)) return false;
  name.remove_prefix(buffer.size());
  return name.empty() || name == "_elem_offset" || name == "_handle";
}

/// Whether the right side has the value that readers use if the text states nothing, by the type of
/// the field.
bool is_not_printed(const FieldPair& at) {
  switch (at.right.info().fields[at.field].type) {
    case FieldType::node:
      return at.left.node(at.field) && !at.right.node(at.field);
    case FieldType::list:
      return at.right.list(at.field).empty();
    case FieldType::string_map:
    case FieldType::node_map:
      return at.right.map(at.field).empty();
    case FieldType::string:
      return at.right.text(at.field).empty();
    case FieldType::integer:
      return at.right.integer(at.field) == kAbsentInteger;
    case FieldType::boolean:
      return at.right.integer(at.field) == 0;
    default:
      return false;
  }
}

/// Whether save_json has an empty DictAttrs, for which the printers print nothing.
bool has_empty_attrs(const FieldPair& at) {
  const Node attrs = at.left.node(at.field);
  return attrs.is(Kind::DictAttrs) && attrs.map(f::DictAttrs::dict).empty() &&
         !at.right.node(at.field);
}

bool have_no_entries(const FieldPair& at) {
  const FieldType type = at.left.info().fields[at.field].type;
  if (type == FieldType::list) {
    return at.left.list(at.field).empty() && at.right.list(at.field).empty();
  }
  const bool is_map = type == FieldType::string_map || type == FieldType::node_map;
  return is_map && at.left.map(at.field).empty() && at.right.map(at.field).empty();
}

bool is_behind_buffer(const FieldPair& at, const Knowledge& known) {
  const Node buffer = known.right.buffer_with_part(at.right);
  return buffer && known.left.buffer_with_part(at.left) &&
         is_name_of_part(at.right.text(at.field), buffer.text(f::Buffer::name));
}

// `A: T.Buffer(...)` prints a parameter and its buffer as one. The reader names the parameter after
// the buffer and gives it the type handle.
bool is_hidden_param(const FieldPair& at, const Knowledge& known) {
  const Node buffer = known.right.buffer_of_param(at.right);
  if (!buffer || !known.left.buffer_of_param(at.left)) return false;
  if (at.field == f::Var::name) {
    return is_name_of_part(at.right.text(at.field), buffer.text(f::Buffer::name));
  }
  const Node type = at.right[f::Var::type_annotation];
  const Node left_type = at.left[f::Var::type_annotation];
  return type.is(Kind::PrimType) && type.dtype(f::PrimType::dtype) == DType::Handle() &&
         left_type.is(Kind::PointerType);
}

bool is_global_scope(const FieldPair& at) {
  const auto is_global = [](std::string_view scope) { return scope.empty() || scope == "global"; };
  return is_global(at.left.text(at.field)) && is_global(at.right.text(at.field));
}

/// The dtype in memory: a bool element takes a byte, and TVM's pointers to bool point to int8.
DType stored(DType dtype) {
  return dtype.is_bool() ? DType::Int(8) : dtype;
}

bool is_pointer_of_buffer(const FieldPair& at, const Knowledge& known) {
  const Node buffer = known.right.buffer_with_data(at.right);
  if (!buffer || !known.left.buffer_with_data(at.left)) return false;
  const DType held = stored(buffer.dtype(f::Buffer::dtype));
  const Node left_type = at.left[f::Var::type_annotation];
  const Node right_type = at.right[f::Var::type_annotation];
  if (!left_type || pointee_of(right_type) != held) return false;
  if (pointee_of(left_type) != held) return true;
  return left_type.text(f::PointerType::storage_scope) !=
         right_type.text(f::PointerType::storage_scope);
}

// TVM's default alignment of buffers: 128 up to v0.9, 64 since.
bool is_default_alignment(std::int64_t bytes) {
  return bytes == 64 || bytes == 128;
}

bool have_default_alignment(const FieldPair& at) {
  return is_default_alignment(at.left.integer(at.field)) &&
         is_default_alignment(at.right.integer(at.field));
}

bool are_zeros(const FieldPair& at) {
  const Node left = at.left.node(at.field);
  const Node right = at.right.node(at.field);
  return is_int_imm(left, 0) && is_int_imm(right, 0) && left.dtype() != right.dtype();
}

// Values that TVMScript omits: the 0 at which a range begins, a condition that is 1.
bool are_same_numbers(const FieldPair& at) {
  const Node left = at.left.node(at.field);
  const Node right = at.right.node(at.field);
  return are_zeros(at) ||
         (is_int_imm(left, 1) && is_int_imm(right, 1) && left.dtype() != right.dtype());
}

/// The alignment that a reader assumes for an allocation: the default, or less if the size is
/// smaller.
bool is_alignment_of_allocation(const FieldPair& at) {
  const std::int64_t alignment = at.right.integer(at.field);
  if (is_default_alignment(alignment)) return true;
  std::vector<std::int64_t> shape;
  for (const Node dimension : at.right.list(f::Buffer::shape)) {
    const auto extent = constant_extent(dimension);
    if (!extent) return false;
    shape.push_back(*extent);
  }
  const DType dtype = at.right.dtype(f::Buffer::dtype);
  return alignment == text::allocation_alignment(64, dtype, shape) ||
         alignment == text::allocation_alignment(128, dtype, shape);
}

/// Whether the right side has the value that a reader assumes if the text states only dtype and
/// shape of a buffer.
bool has_assumed_value(const FieldPair& at) {
  switch (at.field) {
    case f::Buffer::strides:
    case f::Buffer::axis_separators:
      return at.right.list(at.field).empty();
    case f::Buffer::elem_offset:
      return is_int_imm(at.right.node(at.field), 0) && !is_int_imm(at.left.node(at.field), 0);
    case f::Buffer::data_alignment:
      return is_default_alignment(at.right.integer(at.field));
    case f::Buffer::offset_factor:
      return at.right.integer(at.field) == 1;
    case f::Buffer::buffer_type:
      return at.right.integer(at.field) == static_cast<int>(BufferType::default_);
    default:
      return false;
  }
}

bool is_of_allocation(const FieldPair& at, const Knowledge& known) {
  if (!known.right.is_allocated(at.right[f::Buffer::data])) return false;
  if (at.field == f::Buffer::data_alignment) return is_alignment_of_allocation(at);
  return has_assumed_value(at);
}

// Names for nodes of the left and of the right module, which only corresponding variables share.
std::string left_name(Node node) {
  return fmt::format("#{}", index(node.id()));
}
IdentityName right_names(const Pairing& pairing) {
  return [&pairing](Node node) {
    const NodeId left = pairing.left_of(node);
    return left == NodeId::none ? fmt::format("?{}", index(node.id()))
                                : fmt::format("#{}", index(left));
  };
}

bool are_spelled_alike(Node left, Node right, const Knowledge& known) {
  return spelling(left, left_name) == spelling(right, right_names(*known.pairing));
}

// The printers write a range as `begin, begin + extent` and fold constants. A reader subtracts
// begin and gets the same sum in another form. If begin is 0, there is nothing to fold.
bool is_same_end(const FieldPair& at, const Knowledge& known) {
  // The fields `min` and `extent` are adjacent in For and in Range.
  const auto min_field = static_cast<std::uint8_t>(at.field - 1);
  if (!at.left.node(at.field) || !at.right.node(at.field)) return false;
  if (is_int_imm(at.left.node(min_field), 0)) return false;
  const Node left = at.left.node(at.field);
  const Node right = at.right.node(at.field);
  return !are_spelled_alike(left, right, known) &&
         linear_form(left, left_name) == linear_form(right, right_names(*known.pairing));
}

bool has_same_thread_tag(const FieldPair& at) {
  const Node left = at.left.node(at.field);
  const Node right = at.right.node(at.field);
  return left && right && left.text(f::IterVar::thread_tag) == right.text(f::IterVar::thread_tag);
}

// A thread binding prints the extent of its statement; readers derive the domain from it.
bool is_thread_var(const FieldPair& at, const Knowledge& known) {
  if (at.left.integer(f::IterVar::iter_type) != static_cast<int>(IterVarType::ThreadIndex)) {
    return false;
  }
  const Node left = at.left.node(at.field);
  const Node right = at.right.node(at.field);
  if (!left || !right) return !left != !right;
  return !are_spelled_alike(left[f::Range::extent], right[f::Range::extent], known);
}

// TVM prints pointers to bool as pointers to int8: see `stored`.
bool points_to_bool(const FieldPair& at) {
  const Node left = at.left.node(at.field);
  const Node right = at.right.node(at.field);
  return left.is(Kind::PrimType) && right.is(Kind::PrimType) &&
         left.dtype(f::PrimType::dtype).is_bool() &&
         right.dtype(f::PrimType::dtype) == DType::Int(8);
}

// If a text prints no data, it does not distinguish an undefined constant, which TVM keeps
// elsewhere, from others.
bool is_lost_constant(const FieldPair& at) {
  const Node right = at.right.node(at.field);
  if (!right) return bool(at.left.node(at.field));
  return right.is(Kind::NDArray) && !right.bytes(f::NDArray::data);
}

// The printers before v0.12 omit the else branch if the condition is the constant 1.
bool is_dead_else(const FieldPair& at) {
  const Node condition = at.left[f::IfThenElse::condition];
  return int_imm_of(condition).value_or(0) != 0 && is_not_printed(at);
}

// The printers omit the outermost block of a function, and the parser adds one called "root".
bool is_root_block(const FieldPair& at, const Knowledge& known) {
  if (!known.left.is_root_block(at.left) || !known.right.is_root_block(at.right)) return false;
  if (at.field == f::Block::name_hint) return at.right.text(at.field) == "root";
  return at.right.list(at.field).empty();
}

// The legacy printer streams floats with the six significant digits of std::ostream.
bool are_equal_rounded(const FieldPair& at) {
  return fmt::format("{:.6g}", at.left.real(at.field)) ==
         fmt::format("{:.6g}", at.right.real(at.field));
}

bool is_uncertain_call(const FieldPair& at) {
  return !text::has_certain_dtype(at.left);
}

bool is_plain_type(const FieldPair& at) {
  const Node type = at.right.node(at.field);
  return !at.left.node(at.field) && type.is(Kind::PrimType) &&
         type.dtype(f::PrimType::dtype) == at.left.dtype();
}

bool is_script_name(const FieldPair& at) {
  return is_script_name_of(at.right.text(at.field), at.left.text(at.field), at.left.kind());
}

bool is_old_script_name(const FieldPair& at) {
  return is_old_script_name_of(at.right.text(at.field), at.left.text(at.field), at.left.kind());
}

bool is_legacy_name(const FieldPair& at) {
  return is_legacy_name_of(at.right.text(at.field), at.left.text(at.field), at.left.kind());
}

/// The rules that need only the two nodes.
bool tolerates_nodes(ToleranceRule rule, const FieldPair& at) {
  switch (rule) {
    case ToleranceRule::not_printed:
      return is_not_printed(at);
    case ToleranceRule::empty_attrs:
      return has_empty_attrs(at);
    case ToleranceRule::no_entries:
      return have_no_entries(at);
    case ToleranceRule::script_name:
      return is_script_name(at);
    case ToleranceRule::legacy_name:
      return is_legacy_name(at);
    case ToleranceRule::old_script_name:
      return is_old_script_name(at);
    case ToleranceRule::global_scope:
      return is_global_scope(at);
    case ToleranceRule::plain_type:
      return is_plain_type(at);
    case ToleranceRule::default_alignment:
      return have_default_alignment(at);
    case ToleranceRule::zero:
      return are_zeros(at);
    case ToleranceRule::same_number:
      return are_same_numbers(at);
    case ToleranceRule::same_thread_tag:
      return has_same_thread_tag(at);
    case ToleranceRule::bool_as_byte:
      return points_to_bool(at);
    case ToleranceRule::lost_constant:
      return is_lost_constant(at);
    case ToleranceRule::dead_else:
      return is_dead_else(at);
    case ToleranceRule::six_digits:
      return are_equal_rounded(at);
    case ToleranceRule::uncertain_call:
      return is_uncertain_call(at);
    default:
      return false;
  }
}

}  // namespace

bool tolerates_field(ToleranceRule rule, const FieldPair& at, Knowledge& known) {
  switch (rule) {
    case ToleranceRule::behind_buffer:
      return is_behind_buffer(at, known);
    case ToleranceRule::hidden_param:
      return is_hidden_param(at, known);
    case ToleranceRule::pointer_of_buffer:
      return is_pointer_of_buffer(at, known);
    case ToleranceRule::stated_buffer:
      return known.right.is_stated(at.right) && has_assumed_value(at);
    case ToleranceRule::allocated_buffer:
      return is_of_allocation(at, known);
    case ToleranceRule::same_end:
      return is_same_end(at, known);
    case ToleranceRule::thread_var:
      return is_thread_var(at, known);
    case ToleranceRule::root_block:
      return is_root_block(at, known);
    default:
      return tolerates_nodes(rule, at);
  }
}

}  // namespace mlf::tir::compare_detail
