#include "tir/c/c.h"

#include <map>

#include "support/characters.h"
#include "tir/c/language.h"
#include "tir/c/read/directives.h"

namespace mlf::tir::c {
namespace {

// The header tvmgen_<m>.h of `--executor-aot-interface-api c`, as interface_c.cc writes it: structs
// of pointers, whose fields are in the order of main's parameters, and sizes as macros.
constexpr std::string_view kTvmPrefix = "tvmgen_";
constexpr std::string_view kInputStruct = "_inputs";
constexpr std::string_view kOutputStruct = "_outputs";
constexpr std::string_view kPoolStruct = "_workspace_pools";

/// `const void* x;`. Fields are pointers of one name; other members are not read.
void read_member(Cursor& cursor, HeaderStruct& into) {
  std::string_view name;
  std::size_t pointers = 0;
  bool is_plain = true;
  const bool is_number = scalar_type(cursor.text()).has_value();
  for (; !cursor.at_end() && cursor.text() != ";" && cursor.text() != "}"; cursor.advance()) {
    const bool is_pointer = cursor.text() == "*";
    pointers += is_pointer ? 1 : 0;
    is_plain = is_plain && (is_pointer || cursor.at_name());
    name = cursor.at_name() ? cursor.text() : std::string_view();
  }
  is_plain = is_plain && cursor.text() == ";";
  if (cursor.text() == ";") cursor.advance();
  if (is_plain && pointers == 1 && !name.empty()) {
    into.fields.emplace_back(name);
  } else {
    into.is_whole = false;
    if (is_plain && is_number && pointers == 0) into.numbers.emplace_back(name);
  }
}

/// The structs and the function of a header. A formatter may have changed blanks and the places of
/// braces.
HeaderFields declarations_in(std::string_view text) {
  HeaderFields fields;
  const support::SourceText source{{}, {}, text};
  Cursor cursor(source, tokenize(text, 0, static_cast<std::uint32_t>(text.size())));
  std::vector<std::string_view> words;
  while (!cursor.at_end()) {
    const bool is_of_tvm = cursor.text(1).starts_with(kTvmPrefix);
    if (is_of_tvm && cursor.accept_form("struct $ {", words)) {
      HeaderStruct& one = fields.structs.emplace_back();
      one.name = words[0];
      while (!cursor.at_end() && cursor.text() != "}") read_member(cursor, one);
    } else if (is_of_tvm && cursor.text(1).ends_with("_run") &&
               cursor.accept_form("int32_t $(", words)) {
      fields.run = words[0];
    } else {
      cursor.advance();
    }
  }
  return fields;
}

class SizeReader {
 public:
  SizeReader(std::string_view text, HeaderFields& fields)
      : directives_(directives_of(text)), fields_(fields) {}

  void read() && {
    for (const HeaderStruct& one : fields_.structs) {
      if (one.name.ends_with(kInputStruct)) {
        fields_.inputs = one.fields;
        module_ = module_of(one, kInputStruct);
      }
      if (one.name.ends_with(kOutputStruct)) fields_.outputs = one.fields;
      if (one.name.ends_with(kPoolStruct)) add_pools(one);
    }
    if (module_.empty()) return;
    add_tensors();
    const auto bytes = size_of(module_ + "_WORKSPACE");
    if (bytes) fields_.workspace_bytes = static_cast<std::uint64_t>(*bytes);
  }

 private:
  /// `TVMGEN_<M>`.
  static std::string module_of(const HeaderStruct& one, std::string_view suffix) {
    return support::in_capitals(one.name.substr(0, one.name.size() - suffix.size()));
  }

  /// The header may be edited by hand: a size that is not one plain number is unknown.
  std::optional<std::int64_t> size_of(const std::string& what) const {
    const auto macro = directives_.macros.find(what + "_SIZE");
    const bool is_certain = macro != directives_.macros.end() && macro->second.is_certain;
    return is_certain ? decimal(macro->second.value) : std::nullopt;
  }

  void add_pools(const HeaderStruct& pools) {
    for (const std::string& name : pools.fields) {
      const std::string pool = module_of(pools, kPoolStruct) + "_" + support::in_capitals(name);
      const auto workspace = size_of(pool + "_WORKSPACE_POOL");
      const auto bytes = workspace ? workspace : size_of(pool + "_CONSTANT_POOL");
      if (bytes) fields_.pools.push_back({name, *bytes, !workspace});
    }
  }

  void add_tensors() {
    // The macro of the total workspace has the name that an input called "workspace" would have.
    std::map<std::string, std::size_t> names{{"WORKSPACE", 1}};
    for (const auto* list : {&fields_.inputs, &fields_.outputs}) {
      for (const std::string& name : *list) ++names[support::in_capitals(name)];
    }
    for (const auto* list : {&fields_.inputs, &fields_.outputs}) {
      for (const std::string& name : *list) {
        const std::string tensor = support::in_capitals(name);
        const auto bytes = names[tensor] == 1 ? size_of(module_ + "_" + tensor) : std::nullopt;
        if (bytes) fields_.sizes.push_back({name, static_cast<std::uint64_t>(*bytes)});
      }
    }
  }

  Directives directives_;
  HeaderFields& fields_;
  std::string module_;  // in the struct of inputs
};

}  // namespace

HeaderFields read_header(std::string_view text) {
  const auto active = active_text(text);
  if (active) text = *active;
  HeaderFields fields = declarations_in(text);
  SizeReader(text, fields).read();
  return fields;
}

}  // namespace mlf::tir::c
