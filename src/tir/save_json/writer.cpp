// Writes a module as tvm.ir.save_json.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "mlf/tir/visit.h"
#include "mlf/tir/write.h"
#include "support/base64.h"
#include "support/byte_sink.h"
#include "support/error.h"
#include "tir/node_queries.h"
#include "tir/save_json/items.h"
#include "tir/save_json/json_graph.h"
#include "tir/save_json/layout.h"
#include "tir/save_json/metadata.h"
#include "tir/tvm_features.h"

namespace mlf::tir {
namespace save_json {
namespace {

// --- The format of TVM's writer: indented by two, a blank after commas -------------------------

// Sinks write to files or hashes: larger blocks need fewer calls.
constexpr std::size_t kBlock = 1u << 16;
constexpr std::size_t kMostOnOneLine = 10;

// dmlc-core's JSONWriter escapes only these characters. TVM writes and reads other control
// characters unchanged.
std::string_view escaped(char c) {
  switch (c) {
    case '\r':
      return "\\r";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\\':
      return "\\\\";
    default:
      return "\\\"";
  }
}

/// Collects output and passes it on in blocks. `finish` must be called at the end.
class JsonOutput final : public support::ByteSink {
 public:
  explicit JsonOutput(const Sink& sink) : sink_(sink) {}

  void write(std::string_view bytes) override {
    buffer_ += bytes;
    if (buffer_.size() < kBlock) return;
    sink_(buffer_);
    buffer_.clear();
  }

  void write_quoted(std::string_view text) {
    write("\"");
    while (!text.empty()) {
      const std::size_t special = text.find_first_of("\r\n\t\\\"");
      write(text.substr(0, special));
      if (special == std::string_view::npos) break;
      write(escaped(text[special]));
      text.remove_prefix(special + 1);
    }
    write("\"");
  }

  void write_number(std::uint64_t number) {
    char digits[20];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
    static_cast<void>(error);  // it fits
    write({digits, static_cast<std::size_t>(end - digits)});
  }

  /// An array of numbers: up to ten on one line, more on a line each, indented by `indent`.
  void write_numbers(std::span<const std::uint32_t> numbers, std::size_t indent) {
    const bool on_one_line = numbers.size() <= kMostOnOneLine;
    const auto break_line = [&](std::size_t spaces) {
      if (!on_one_line) write(fmt::format("\n{:{}}", "", spaces));
    };
    write("[");
    break_line(indent + 2);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i > 0) write(on_one_line ? ", " : ",");
      if (i > 0) break_line(indent + 2);
      write_number(numbers[i]);
    }
    break_line(indent);
    write("]");
  }

  void finish() {
    if (!buffer_.empty()) sink_(buffer_);
    buffer_.clear();
  }

 private:
  const Sink& sink_;
  std::string buffer_;
};

// --- Documents ---------------------------------------------------------------------------------

constexpr std::string_view kLegacyAllocatedPoolInfo = "tir.usmp.AllocatedPoolInfo";
constexpr std::size_t kMemberIndent = 6;

// TVM's condition for `repr_str`; everything else goes into `repr_b64`.
bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

[[noreturn]] void fail(std::string message) {
  throw support::Error(ErrorKind::invalid_input, std::move(message));
}

// A text without its metadata section leaves such nodes, and save_json cannot express "unknown".
[[noreturn]] void fail_missing(Node node) {
  fail(fmt::format("metadata[\"{}\"][{}] is not known: the text had no metadata section",
                   node.text(f::MissingObject::type_key), node.integer(f::MissingObject::index)));
}

/// TVM reads the first argument as a number.
bool names_intrinsic(Node node) {
  if (!is_call_of(node, "tir.call_llvm_intrin") && !is_call_of(node, "tir.call_llvm_pure_intrin")) {
    return false;
  }
  const NodeList args = node.list(f::Call::args);
  return !args.empty() && args[0].is(Kind::StringImm);
}

struct TextAttr {
  std::string_view name;
  std::string value;
};

class Writer {
 public:
  Writer(const Module& module, const VersionRange& version, const Sink& sink)
      : items_(module, version),
        root_(Items::of(module.root())),
        numbering_(items_, root_),
        out_(sink) {}
  Writer(const Module& module, const VersionRange& version, const ObjectsByKey& objects,
         const Sink& sink)
      : items_(module, version, objects),
        root_({Item::Form::objects}),
        numbering_(items_, root_),
        out_(sink) {}

  // Nodes of unknown type may mention any of these.
  void add_tensors() {
    for (const Node tensor : numbering_.tensors()) {
      tensor_numbers_.try_emplace(index(tensor.id()), tensors_.size());
      tensors_.push_back(tensor);
    }
  }

  // TVM's format, including blanks, so files can be compared line by line: dmlc-core puts a blank
  // after commas at the ends of lines.
  void write() {
    add_tensors();
    out_.write("{\n  \"root\": ");
    out_.write_number(numbering_.number(root_));
    out_.write(", \n  \"nodes\": [");
    bool first = true;
    for (const Item& item : numbering_.order()) {
      out_.write(first ? "\n    {" : ", \n    {");
      first = false;
      write_item(item);
      out_.write("\n    }");
    }
    out_.write("\n  ], \n  \"b64ndarrays\": [");
    write_tensors();
    out_.write("], \n  \"attrs\": {\"tvm_version\": ");
    out_.write_quoted(items_.version().exact);
    out_.write("}\n}");
    out_.finish();
  }

 private:
  void member(std::string_view name) {
    out_.write(", \n      \"");
    out_.write(name);
    out_.write("\": ");
  }

  void write_type_key(std::string_view key) {
    out_.write("\n      \"type_key\": ");
    out_.write_quoted(key);
  }

  // One row for each form of item: the null node, a node, or a separate node of save_json.
  void write_item(const Item& item) {
    switch (item.form) {
      case Item::Form::null:
        return write_type_key("");
      case Item::Form::node:
        return write_node(item);
      case Item::Form::text:
        write_type_key("runtime.String");
        return write_repr(item.text);
      case Item::Form::field:
        return write_field(item);
      case Item::Form::empty_array:
        return write_type_key("Array");
      case Item::Form::empty_map:
        return write_type_key("Map");
      case Item::Form::empty_source_map:
        write_type_key("SourceMap");
        return write_attrs({{"source_map", number_text({Item::Form::empty_map})}});
      case Item::Form::checked_type:
        return write_checked_type(item.id);
      case Item::Form::checked_params:
      case Item::Form::objects_of_key:
        write_type_key("Array");
        return write_data(item);
      case Item::Form::prim_type:
        write_type_key("PrimType");
        return write_attrs({{"dtype", dtype_text(items_.module().node(item.id).dtype())}});
      case Item::Form::global_vars:
        return write_global_vars(item);
      case Item::Form::objects:
        return write_keys_of_objects(item);
    }
  }

  // The type key, then either attributes or content.
  void write_node(const Item& item) {
    const Node node = items_.module().node(item.id);
    write_type_key(type_key(node));
    if (items_.has_attrs(node.kind())) return write_known_attrs(node);
    if (is_number_of_attribute(node)) return write_number_of_attribute(node);
    if (Items::opaque(node)) return write_opaque(item, node);
    switch (node.kind()) {
      case Kind::Array:
      case Kind::ObjectMap:
        return write_data(item);
      case Kind::StringMap:
        write_keys(node.map(f::StringMap::entries));
        return write_data(item);
      case Kind::NDArray:
        return write_constant(node);
      case Kind::ShapeTuple:
        return write_shape_tuple(node);
      case Kind::MissingObject:
        fail_missing(node);
      default:
        return write_repr(plain_text(node, 0));
    }
  }

  std::string_view type_key(Node node) const {
    if (const auto unknown = Items::opaque(node)) return unknown->type_key;
    // The class moved from tir.usmp to ir in v0.13 and did not change otherwise.
    const bool has_pools = has(items_.version().last, TvmFeature::pool_infos);
    if (node.is(Kind::AllocatedPoolInfo) && !has_pools) return kLegacyAllocatedPoolInfo;
    if (!is_number_of_attribute(node)) return node.info().type_key;
    return info(node.is(Kind::BoxFloat) ? Kind::FloatImm : Kind::IntImm).type_key;
  }

  /// Numbers that v0.18 boxes are expressions in earlier versions.
  bool is_number_of_attribute(Node node) const {
    const bool is_box = node.is(Kind::BoxBool) || node.is(Kind::BoxInt) || node.is(Kind::BoxFloat);
    return is_box && !may_have(items_.version(), TvmFeature::boxed_numbers);
  }

  void write_number_of_attribute(Node node) {
    const std::int64_t integer = node.is(Kind::BoxInt) ? node.integer(f::BoxInt::value) : 0;
    const bool is_long = integer > INT32_MAX || integer < INT32_MIN;
    const std::string_view dtype = node.is(Kind::BoxBool)    ? "bool"
                                   : node.is(Kind::BoxFloat) ? "float32"
                                   : is_long                 ? "int64"
                                                             : "int32";
    std::string value = plain_text(node, 0);
    if (node.is(Kind::BoxBool)) value = node.integer(f::BoxBool::value) != 0 ? "1" : "0";
    write_attrs({{"dtype", std::string(dtype)}, {"span", "0"}, {"value", std::move(value)}});
  }

  void write_known_attrs(Node node) {
    std::vector<TextAttr> attrs;
    for (const Slot& slot : items_.slots(node.kind())) {
      attrs.push_back({slot.name, items_.is_reference(node, slot)
                                      ? number_text(items_.target(node, slot))
                                      : plain_text(node, slot.field)});
    }
    write_attrs(std::move(attrs));
  }

  void write_attrs(std::vector<TextAttr> attrs) {
    if (attrs.empty()) return;
    // TVM keeps attributes in a std::map.
    std::ranges::sort(attrs, {}, &TextAttr::name);
    member("attrs");
    std::string_view separator = "{\n        ";
    for (const TextAttr& attr : attrs) {
      out_.write(separator);
      out_.write_quoted(attr.name);
      out_.write(": ");
      out_.write_quoted(attr.value);
      separator = ", \n        ";
    }
    out_.write("\n      }");
  }

  // Omits a member with empty content.
  void write_repr(std::string_view content) {
    if (content.empty()) return;
    if (is_printable(content)) {
      member("repr_str");
      return out_.write_quoted(content);
    }
    member("repr_b64");
    std::vector<std::byte> length;
    append_little_endian(length, std::uint64_t{content.size()});
    write_base64(length, std::as_bytes(std::span(content)));
  }

  // Two spans, so a length can precede bytes without a copy of them.
  void write_base64(std::span<const std::byte> head, std::span<const std::byte> rest) {
    out_.write("\"");
    support::Base64Encoder encoder(out_);
    encoder.write(head);
    encoder.write(rest);
    encoder.finish();
    out_.write("\"");
  }

  // Base64 in `repr_str`: ShapeTuple's own serialisation is base64.
  void write_shape_tuple(Node node) {
    std::vector<std::byte> words;
    const auto values = node.integers(f::ShapeTuple::values);
    append_little_endian(words, std::uint64_t{values.size()});
    for (const std::int64_t value : values) append_little_endian(words, value);
    member("repr_str");
    write_base64(words, {});
  }

  // v0.8 writes an NDArray node without its content.
  void write_constant(Node node) {
    if (!has(items_.version().last, TvmFeature::tensors_as_nodes)) return;
    member("repr_str");
    write_tensor(node);
  }

  void write_tensor(Node node) {
    if (node.is(Kind::MissingObject)) fail_missing(node);
    if (!node.is(Kind::NDArray)) fail("a tensor of source_nodes is not an NDArray");
    if (!node.bytes(f::NDArray::data)) {
      fail("the data of a constant is not known");
    }
    out_.write("\"");
    encode_tensor(node, out_);
    out_.write("\"");
  }

  // Comes last, because writing the nodes finds the tensors.
  void write_tensors() {
    bool first = true;
    for (const Node tensor : tensors_) {
      out_.write(first ? "\n    " : ", \n    ");
      first = false;
      write_tensor(tensor);
    }
    if (!first) out_.write("\n  ");
  }

  void write_field(const Item& item) {
    const Node node = items_.module().node(item.id);
    const FieldType type = node.info().fields[item.field].type;
    write_type_key(type == FieldType::list ? "Array" : "Map");
    if (type == FieldType::string_map) write_keys(node.map(item.field));
    write_data(item);
  }

  void write_keys(const NodeMap& map) {
    std::vector<std::string_view> keys;
    for (std::size_t i = 0; i < map.size(); ++i) keys.push_back(map.name(i));
    write_keys(keys);
  }

  void write_keys(const std::vector<std::string_view>& keys) {
    // TVM omits empty members.
    if (keys.empty()) return;
    member("keys");
    std::string_view separator = "[\n        ";
    for (const std::string_view key : keys) {
      out_.write(separator);
      out_.write_quoted(key);
      separator = ", \n        ";
    }
    out_.write("\n      ]");
  }

  void write_data(const Item& item) {
    std::vector<std::uint32_t> numbers;
    items_.for_each_element(
        item, [&](const Item& element) { numbers.push_back(numbering_.number(element)); });
    if (numbers.empty()) return;
    member("data");
    out_.write_numbers(numbers, kMemberIndent);
  }

  void write_global_vars(const Item& item) {
    write_type_key("Map");
    const NodeMap functions = items_.module().node(item.id).map(f::IRModule::functions);
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      names.push_back(functions.key(i).text(f::GlobalVar::name_hint));
    }
    write_keys(names);
    write_data(item);
  }

  void write_keys_of_objects(const Item& item) {
    write_type_key("Map");
    std::vector<std::string_view> keys;
    for (const auto& [key, ids] : items_.objects()) keys.push_back(key);
    write_keys(keys);
    write_data(item);
  }

  // Derived from parameters and result: the module does not keep it, and TVM's reader needs it.
  void write_checked_type(NodeId function) {
    write_type_key("FuncType");
    const std::string none = number_text({Item::Form::empty_array});
    const Node result = items_.module().node(function)[f::PrimFunc::ret_type];
    write_attrs({{"arg_types", number_text({Item::Form::checked_params, 0, function})},
                 {"ret_type", number_text(Items::of(result))},
                 {"span", "0"},
                 {"type_constraints", none},
                 {"type_params", none}});
  }

  // A text of the source is an index there or is none: see Numbering.
  void write_opaque(const Item& item, Node node) {
    std::vector<TextAttr> attrs;
    const NodeMap fields = Items::opaque(node)->fields;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto text = Items::opaque_text(fields.value(i));
      attrs.push_back({fields.name(i), text ? std::string(*text)
                                            : number_text(Items::opaque_target(fields.value(i)))});
    }
    if (node.is(Kind::OpaqueExpr)) attrs.push_back({"dtype", dtype_text(node.dtype())});
    const Item span = Items::of(items_.module().span(node.id()));
    if (span.form != Item::Form::null) attrs.push_back({kSpan, number_text(span)});
    if (!node.is(Kind::Opaque)) return write_attrs(std::move(attrs));
    write_repr(node.text(f::Opaque::repr));
    write_attrs(std::move(attrs));
    std::vector<std::string_view> keys;
    for (const Node key : node.list(f::Opaque::keys)) keys.push_back(key.text(f::String::value));
    write_keys(keys);
    write_data(item);
  }

  std::string number_text(const Item& item) { return std::to_string(numbering_.number(item)); }

  // Void is the empty string in TVM.
  static std::string dtype_text(DType dtype) {
    return dtype.is_void() ? std::string() : to_string(dtype);
  }

  /// A field as the text of an attribute, or of the repr of a node with only this field.
  std::string plain_text(Node node, std::uint8_t field) {
    const FieldInfo& row = node.info().fields[field];
    // Boxed values, new in v0.18, spell their content differently from attributes.
    const bool is_repr = row.since >= 9 && node.info().encoding == Encoding::repr;
    switch (row.type) {
      case FieldType::integer:
        return integer_text(row, node.integer(field));
      case FieldType::boolean:
        if (is_repr) return node.integer(field) != 0 ? "true" : "false";
        return std::to_string(node.integer(field));
      case FieldType::enumeration:
        return std::to_string(node.integer(field));
      case FieldType::real:
        return is_repr ? fmt::format("{}", node.real(field))
                       : fmt::format("{:.17g}", node.real(field));
      case FieldType::dtype:
        return dtype_text(node.dtype(field));
      case FieldType::string:
        return std::string(node.text(field));
      default:
        return is_lanes(node.kind(), field) ? lanes_text(node[field])
                                            : tensor_text(node, node[field]);
    }
  }

  /// Zero for unknown values; in a field that is always present, that number is a value.
  static std::string integer_text(const FieldInfo& row, std::int64_t value) {
    return std::to_string(row.nullable && value == kAbsentInteger ? 0 : value);
  }

  // `vscale` in lanes is new in v0.16, which changed the field for it.
  static std::string lanes_text(Node lanes) {
    if (!lanes.is(Kind::IntImm)) fail("lanes that are not a number need TVM v0.16 or later");
    return std::to_string(lanes.integer(f::IntImm::value));
  }

  [[noreturn]] static void fail_without_data(Node owner) {
    const bool is_statement = owner.is(Kind::AllocateConst);
    const bool is_in_pool = owner.is(Kind::ConstantInfo);
    if (!is_statement && !is_in_pool) fail("the data of a constant is not known");
    fail(fmt::format("the data of the constant '{}' is not known",
                     is_statement ? owner[f::AllocateConst::buffer_var].text(f::Var::name)
                                  : owner.text(f::ConstantInfo::name_hint)));
  }

  // Numbers follow the order in which attributes mention tensors.
  std::string tensor_text(Node owner, Node tensor) {
    if (!tensor || (tensor.is(Kind::NDArray) && !tensor.bytes(f::NDArray::data))) {
      fail_without_data(owner);
    }
    const auto [place, is_new] = tensor_numbers_.try_emplace(index(tensor.id()), tensors_.size());
    if (is_new) tensors_.push_back(tensor);
    return std::to_string(place->second);
  }

  Items items_;
  Item root_;
  Numbering numbering_;
  JsonOutput out_;
  std::vector<Node> tensors_;  // in the order in which nodes mention them
  std::unordered_map<std::uint32_t, std::size_t> tensor_numbers_;
};

// A document of several possible versions is written for the newest of them.
VersionRange written_version(const VersionRange& version) {
  VersionRange written = version;
  if (!written.exact.empty()) return written;
  written.first = written.last;
  written.exact = fmt::format("0.{}.0", written.last);
  return written;
}

/// Fails if a text names an intrinsic. TVM 0.9 keeps the names that its parser reads: those in a
/// save_json come from TVM.
void require_numbers_of_intrinsics(const Document& document) {
  if (std::ranges::find(document.losses, LossCode::llvm_intrinsic, &Loss::code) ==
      document.losses.end()) {
    return;
  }
  for_each_pre_order(document.module.root(), [](Node node) {
    if (!names_intrinsic(node)) return;
    fail(
        fmt::format("the number of the LLVM intrinsic {} is not in the text, and save_json has "
                    "nothing else for it: write TVMScript, in which TVM looks it up",
                    node.list(f::Call::args)[0].text(f::StringImm::value)));
  });
}

}  // namespace
}  // namespace save_json

Result<void> write_save_json(const Document& document, const Sink& sink) {
  return support::to_result([&] {
    refuse_repeated_functions(document.module);
    save_json::require_numbers_of_intrinsics(document);
    const VersionRange version = save_json::written_version(document.source.tvm_version);
    save_json::Writer(document.module, version, sink).write();
  });
}

void write_objects(const Document& document, const ObjectsByKey& objects, const Sink& sink) {
  const VersionRange version = save_json::written_version(document.source.tvm_version);
  save_json::Writer(document.module, version, objects, sink).write();
}

}  // namespace mlf::tir
