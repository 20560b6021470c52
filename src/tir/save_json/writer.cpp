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

  // TVM's format, including blanks, so files can be compared line by line: dmlc-core puts a blank
  // after commas at the ends of lines.
  void write() {
    // Nodes of unknown type may mention any of these.
    for (const Node tensor : numbering_.tensors()) {
      tensor_numbers_.try_emplace(index(tensor.id()), tensors_.size());
      tensors_.push_back(tensor);
    }
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

  void write_item(const Item& item) {
    const Content& content = items_.content(item);
    out_.write("\n      \"type_key\": ");
    out_.write_quoted(content.type_key);
    if (content.repr) write_repr(*content.repr);
    const Node node = items_.module().node(item.id);
    std::vector<TextAttr> attrs;
    for (const Content::Attr& attr : content.attrs) {
      attrs.push_back({attr.name, attr.target  ? std::to_string(numbering_.number(*attr.target))
                                  : attr.field ? plain_text(node, *attr.field)
                                               : attr.text});
    }
    write_attrs(std::move(attrs));
    write_keys(content.keys);
    write_data(content.data);
    if (item.form == Item::Form::node && content.attrs.empty()) write_content(node);
  }

  // The content of a node that has no attributes.
  void write_content(Node node) {
    switch (node.kind()) {
      case Kind::NDArray:
        // v0.8 writes such a node without its content.
        if (!has(items_.version().last, TvmFeature::tensors_as_nodes)) return;
        member("repr_str");
        return write_tensor(node);
      case Kind::ShapeTuple:
        return write_shape_tuple(node);
      case Kind::MissingObject:
        fail_missing(node);
      default:
        if (!items_.has_attrs(node.kind()) && info(node.kind()).encoding != Encoding::special) {
          write_repr(plain_text(node, 0));
        }
    }
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

  void write_data(const std::vector<Item>& items) {
    if (items.empty()) return;
    std::vector<std::uint32_t> numbers;
    for (const Item& item : items) numbers.push_back(numbering_.number(item));
    member("data");
    out_.write_numbers(numbers, kMemberIndent);
  }

  /// A field as the text of an attribute, or of the repr of a node with only this field.
  std::string plain_text(Node node, std::uint8_t field) {
    const FieldInfo& row = node.info().fields[field];
    // Boxed values, new in v0.18, spell their content differently from attributes.
    const bool is_repr = row.since >= 9 && node.info().encoding == Encoding::repr;
    switch (row.type) {
      case FieldType::integer: {
        // Zero for unknown values; in a field that is always present, that number is a value.
        const std::int64_t value = node.integer(field);
        return std::to_string(row.nullable && value == kAbsentInteger ? 0 : value);
      }
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
