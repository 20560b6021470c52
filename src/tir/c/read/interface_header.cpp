#include "tir/c/read/interface_header.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "support/characters.h"
#include "support/lines.h"
#include "tir/c/read/directives.h"

namespace mlf::tir::c {
namespace {

using support::trimmed;

// The header tvmgen_<m>.h of `--executor-aot-interface-api c`, as interface_c.cc writes it: structs
// of pointers, whose fields are in the order of main's parameters, and sizes as macros.
constexpr std::string_view kStruct = "struct ";
constexpr std::string_view kPrefix = "tvmgen_";
constexpr std::string_view kRun = "int32_t tvmgen_";
constexpr std::string_view kRunEnd = "_run(";
constexpr std::string_view kPools = "_workspace_pools";
constexpr std::string_view kDefine = "#define ";
constexpr std::string_view kMacro = "TVMGEN_";
constexpr std::string_view kWorkspacePool = "_WORKSPACE_POOL_SIZE";
constexpr std::string_view kConstantPool = "_CONSTANT_POOL_SIZE";
constexpr std::string_view kWorkspace = "_WORKSPACE_SIZE";
constexpr std::string_view kSize = "_SIZE";
constexpr std::string_view kInputStruct = "_inputs";
constexpr std::string_view kOutputStruct = "_outputs";

/// The name in `void* name;` or `uint8_t* name;`, with blanks at any place; empty for other lines.
std::string_view field_of(std::string_view line) {
  const std::size_t star = line.find('*');
  if (!line.ends_with(';') || star == line.npos) return {};
  const std::string_view type = trimmed(line.substr(0, star));
  const std::string_view name = trimmed(line.substr(star + 1, line.size() - star - 2));
  const bool is_field = !type.empty() && std::ranges::all_of(type, support::is_word_character) &&
                        std::ranges::all_of(name, support::is_word_character);
  return is_field ? name : std::string_view();
}

/// Lines without comments, each with one declaration: `struct s { void* a; void* b; };` has four.
std::string lines_of_declarations(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    std::string_view line = support::take_line(text);
    line = line.substr(0, std::min(line.find("//"), line.find("/*")));
    if (trimmed(line).starts_with('#')) {
      (lines += line) += '\n';
      continue;
    }
    for (const char c : line) {
      if (c == '}') lines += '\n';
      lines += c;
      if (c == '{' || c == ';') lines += '\n';
    }
    lines += '\n';
  }
  return lines;
}

/// Reads a header line by line. A formatter may have changed blanks and the places of braces.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : directives_(directives_of(text)) {}

  void line(std::string_view text) {
    const std::string_view line = trimmed(text);
    const std::string_view field = field_of(line);
    if (!is_in_struct_) {
      open(line);
    } else if (!field.empty()) {
      fields_.structs.back().fields.emplace_back(field);
    } else if (line != "{" && !line.empty()) {
      is_in_struct_ = false;
    }
  }

  HeaderFields finish() && {
    for (const HeaderStruct& one : fields_.structs) {
      if (one.name.ends_with(kInputStruct)) {
        fields_.inputs = one.fields;
        module_ = module_of(one, kInputStruct);
      }
      if (one.name.ends_with(kOutputStruct)) fields_.outputs = one.fields;
      if (one.name.ends_with(kPools)) add_pools(one);
    }
    add_sizes();
    return std::move(fields_);
  }

 private:
  static std::string module_of(const HeaderStruct& one, std::string_view suffix) {
    return one.name.substr(kPrefix.size(), one.name.size() - kPrefix.size() - suffix.size());
  }

  void add_pools(const HeaderStruct& pools) {
    for (const std::string& name : pools.fields) {
      // Macros may come before or after the struct, so both are combined at the end.
      const auto size = sizes_.find(support::in_capitals(module_of(pools, kPools) + "_" + name));
      if (size == sizes_.end()) continue;
      fields_.pools.push_back({name, size->second.bytes, size->second.is_constant});
    }
  }

  void add_sizes() {
    // The macro of the total workspace has the name that an input called "workspace" would have.
    std::map<std::string, std::size_t, std::less<>> names{
        {support::in_capitals(module_ + "_workspace"), 1}};
    const std::vector<std::string>* const tensors[] = {&fields_.inputs, &fields_.outputs};
    for (const auto* list : tensors) {
      for (const std::string& name : *list) ++names[support::in_capitals(module_ + "_" + name)];
    }
    for (const auto* list : tensors) {
      for (const std::string& name : *list) {
        const std::string macro = support::in_capitals(module_ + "_" + name);
        const auto size = tensor_sizes_.find(macro);
        if (size == tensor_sizes_.end() || names[macro] != 1) continue;
        fields_.sizes.push_back({name, static_cast<std::uint64_t>(size->second)});
      }
    }
  }

  void open(std::string_view line) {
    if (line.starts_with(kDefine)) return define(line.substr(kDefine.size()));
    if (line.starts_with(kRun)) return declare(line);
    if (!line.starts_with(kStruct)) return;
    if (line.ends_with('{')) line = trimmed(line.substr(0, line.size() - 1));
    line.remove_prefix(kStruct.size());
    // A parameter of the function is more than one word.
    is_in_struct_ =
        line.starts_with(kPrefix) && std::ranges::all_of(line, support::is_word_character);
    if (is_in_struct_) fields_.structs.push_back({std::string(line), {}});
  }

  /// `int32_t tvmgen_default_run(`
  void declare(std::string_view line) {
    const std::size_t end = line.find(kRunEnd);
    if (end == line.npos) return;
    line = line.substr(0, end + kRunEnd.size() - 1);
    fields_.run = line.substr(line.find(' ') + 1);
  }

  /// `TVMGEN_DEFAULT_SRAM_WORKSPACE_POOL_SIZE 7424`
  void define(std::string_view words) {
    std::string_view name = words.substr(0, words.find(' '));
    const auto macro = directives_.macros.find(name);
    if (macro == directives_.macros.end() || !name.starts_with(kMacro)) return;
    name.remove_prefix(kMacro.size());
    // The header may be edited by hand: a size that is not one plain number is unknown.
    const auto bytes = decimal(macro->second.value);
    if (!bytes || !macro->second.is_certain) return;
    for (const std::string_view suffix : {kWorkspacePool, kConstantPool}) {
      if (!name.ends_with(suffix)) continue;
      sizes_.emplace(name.substr(0, name.size() - suffix.size()),
                     Size{*bytes, suffix == kConstantPool});
    }
    if (name.ends_with(kSize)) {
      tensor_sizes_.emplace(name.substr(0, name.size() - kSize.size()), *bytes);
    }
    if (name.ends_with(kWorkspace)) fields_.workspace_bytes = static_cast<std::uint64_t>(*bytes);
  }

  Directives directives_;
  HeaderFields fields_;
  bool is_in_struct_ = false;  // the last one
  std::string module_;         // in the struct of inputs
  struct Size {
    std::int64_t bytes;
    bool is_constant;
  };
  std::map<std::string, Size, std::less<>> sizes_;                 // by module and pool
  std::map<std::string, std::int64_t, std::less<>> tensor_sizes_;  // by module and tensor
};

}  // namespace

HeaderFields read_header(std::string_view text) {
  const auto active = active_text(text);
  if (active) text = *active;
  HeaderReader reader(text);
  const std::string all = lines_of_declarations(text);
  std::string_view lines = all;
  while (!lines.empty()) reader.line(support::take_line(lines));
  return std::move(reader).finish();
}

}  // namespace mlf::tir::c
