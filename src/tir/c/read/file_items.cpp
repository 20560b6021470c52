#include "tir/c/read/file_items.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "support/numbers.h"
#include "tir/c/language.h"

namespace mlf::tir::c {
namespace {

constexpr std::string_view kTargetLine = "// tvm target:";

/// For each character: whether it may open or close braces, strings, comments or preprocessor
/// lines.
constexpr std::array<bool, 256> kMeansSomething = [] {
  std::array<bool, 256> means{};
  for (const char c : std::string_view("{}\"'#/")) means[static_cast<unsigned char>(c)] = true;
  return means;
}();

/// Whether the text ends inside of parentheses, such as those of parameters.
bool is_inside_of_parentheses(std::string_view text) {
  return std::ranges::count(text, '(') != std::ranges::count(text, ')');
}

/// `[attributes] [static] [const] struct name`, or a union.
bool is_structure(std::string_view head) {
  const std::size_t word = std::min(head.find("struct "), head.find("union "));
  return word != head.npos && head.find('(', word) == head.npos &&
         !is_inside_of_parentheses(head.substr(0, word));
}

/// `T name[N]`. The brackets in a prototype are inside of its parentheses: `int f(int a[3])`.
bool declares_array(std::string_view head) {
  const std::size_t bracket = head.find('[');
  return bracket != head.npos && !is_inside_of_parentheses(head.substr(0, bracket));
}

std::string_view without_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\n") + 1);
}

/// The place of `words` in the head of a function, outside of parentheses.
std::optional<std::size_t> place_of(std::string_view words, std::string_view head) {
  for (std::size_t at = head.find(words); at != head.npos; at = head.find(words, at + 1)) {
    const std::string_view before = head.substr(0, at);
    const bool is_word = at == 0 || before.ends_with(' ') || before.ends_with('\n');
    if (is_word && !is_inside_of_parentheses(before)) return at;
  }
  return std::nullopt;
}

/// The place of TVM_DLL in the head of a function, which attributes and macros such as IRAM_ATTR
/// may precede. People leave TVM_DLL out of kernels, or make them static; wrappers take structs.
std::optional<std::size_t> exported_at(std::string_view head) {
  const auto exported = place_of("TVM_DLL ", head);
  if (exported || head.find("struct ") != head.npos) return exported;
  return place_of("int32_t tvmgen_", head);
}

/// The first `tvmgen_` name before a `(`; without one, the first name that is not
/// `__attribute__`. Macros before the function may have arguments.
std::string_view function_name(std::string_view head) {
  std::string_view first;
  std::size_t begin = 0;  // behind the parentheses before
  for (std::size_t paren = head.find('('); paren != head.npos && paren != 0;) {
    std::string_view before = without_blanks(head.substr(begin, paren - begin));
    if (before.ends_with("*/")) before = without_blanks(before.substr(0, before.rfind("/*")));
    const std::size_t start = before.find_last_of(" \t\n*)");
    const std::string_view name = before.substr(start == before.npos ? 0 : start + 1);
    if (name.starts_with("tvmgen_")) return name;
    if (first.empty() && name != "__attribute__") first = name;
    std::size_t close = paren;
    for (std::size_t depth = 0; close < head.size(); ++close) {
      if (head[close] == '(') ++depth;
      if (head[close] == ')' && --depth == 0) break;
    }
    begin = std::min(close + 1, head.size());
    paren = head.find('(', close);
  }
  return first;
}

std::string_view target_in(std::string_view text) {
  // It is the first line, or follows a licence or the includes of another code generator.
  const std::string_view start = text.substr(0, 16'384);
  std::size_t at = start.find(kTargetLine);
  const auto begins_line = [&] {
    return start[at - 1] == '\n' || start.substr(0, at) == kByteOrderMark;
  };
  while (at != start.npos && at > 0 && !begins_line()) at = start.find(kTargetLine, at + 1);
  if (at == start.npos) return {};
  std::string_view line = text.substr(at + kTargetLine.size());
  line = line.substr(0, line.find('\n'));
  const std::size_t first = line.find_first_not_of(' ');
  const std::size_t last = line.find_last_not_of(" \r");
  return first == line.npos ? std::string_view() : line.substr(first, last - first + 1);
}

class Splitter {
 public:
  explicit Splitter(std::string_view text)
      : text_(text), end_(static_cast<std::uint32_t>(text.size())) {}

  FileItems split() && {
    items_.includes_stdbool = text_.substr(0, 1024).find("#include <stdbool.h>") != text_.npos;
    items_.target = target_in(text_);
    for (pass_blank(); at_ < end_; pass_blank()) item();
    return std::move(items_);
  }

 private:
  /// A semicolon after the last brace belongs to the item.
  void add(Item item) {
    if (at_ < end_ && text_[at_] == ';') ++at_;
    item.end = at_;
    items_.items.push_back(item);
  }

  /// Skips `extern "C"`, its braces, and empty statements.
  bool pass_noise() {
    const char c = text_[at_];
    if (c == ';' || c == '}') {
      ++at_;
      return true;
    }
    if (!text_.substr(at_).starts_with("extern \"C\"")) return false;
    at_ = skip_blank(text_, at_ + 10, end_);
    if (at_ < end_ && text_[at_] == '{') ++at_;
    return true;
  }

  /// Offset of the first `;`, `=` or `{` outside of parentheses.
  std::uint32_t head_end(std::uint32_t at) const {
    std::uint32_t depth = 0;
    for (at = skip_blank(text_, at, end_); at < end_; at = skip_blank(text_, at, end_)) {
      const char c = text_[at];
      if (c == '"' || c == '\'') {
        at = skip_quoted(text_, at, end_);
        continue;
      }
      if (c == '(') ++depth;
      if (c == ')' && depth > 0) --depth;
      if (depth == 0 && (c == ';' || c == '=' || c == '{' || c == '}')) return at;
      ++at;
    }
    return end_;
  }

  /// Offset of the brace that closes the one at `open`; the end of the text if there is none.
  std::uint32_t matching_brace(std::uint32_t open) const {
    std::uint32_t depth = 0;
    for (std::uint32_t at = open; at < end_;) {
      const char c = text_[at];
      // A file consists mostly of constants, and these mostly of digits.
      if (!kMeansSomething[static_cast<unsigned char>(c)]) {
        ++at;
        continue;
      }
      if (c == '"' || c == '\'') {
        at = skip_quoted(text_, at, end_);
        continue;
      }
      if (c == '{') ++depth;
      if (c == '}' && --depth == 0) return at;
      // Passes a preprocessor line, a comment, or a single character.
      const std::uint32_t behind = skip_blank(text_, at, end_);
      at = behind == at ? at + 1 : behind;
    }
    return end_;
  }

  /// The same for rows of numbers, in braces or nested ones: they are long and contain neither
  /// quotes nor comments. Most bytes of an archive are such rows, and find() passes them at memory
  /// speed.
  std::uint32_t plain_brace(std::uint32_t open) const {
    std::size_t depth = 0;
    for (std::size_t at = open; at < end_;) {
      const std::size_t close = std::min<std::size_t>(text_.find('}', at), end_);
      const std::string_view row = text_.substr(0, close);
      for (; (at = row.find('{', at)) != row.npos; ++at) ++depth;
      if (close == end_ || --depth == 0) return static_cast<std::uint32_t>(close);
      at = close + 1;
    }
    return end_;
  }

  /// A comment may hold braces, too.
  bool is_closed(std::uint32_t open, std::uint32_t close) const {
    return close < end_ || matching_brace(open) < end_;
  }

  std::uint32_t statement_end(std::uint32_t at) const {
    return static_cast<std::uint32_t>(std::min<std::size_t>(text_.find(';', at), end_));
  }

  /// The character after the head decides between an initialiser, a body and neither.
  void item() {
    if (pass_noise()) return;
    Item item;
    item.head = {at_, head_end(at_)};
    at_ = item.head.end;
    if (at_ >= end_) return;
    switch (text_[at_]) {
      case '=':
        return initialised(item);
      case '{':
        return is_structure(head_text(item)) ? structure(item) : function(item);
      case ';':
        ++at_;
        return declared(item);
      default:
        return;  // a brace that closes `extern "C"`
    }
  }

  /// Only exported functions are printed from TIR. C that a schedule imports with pragma_import_c
  /// is static, or lacks TVM_DLL, and has other names.
  void function(Item item) {
    const std::uint32_t close = matching_brace(at_);
    item.body = {at_ + 1, close};
    item.is_closed = close < end_;
    at_ = std::min(close + 1, end_);
    const std::string_view head = head_text(item);
    item.name = function_name(head);
    const auto exported = exported_at(head);
    // One in another spelling is not read, but it is there. The entry point is a wrapper.
    const bool is_kernel = item.name.starts_with("tvmgen_") && !item.name.ends_with("_run") &&
                           head.find("struct ") == head.npos;
    const bool is_function = (exported || is_kernel) && !item.name.empty();
    item.kind = is_function ? ItemKind::function : ItemKind::other;
    item.declared = item.head.begin + static_cast<std::uint32_t>(exported.value_or(0));
    add(item);
  }

  /// A prototype, a workspace pool, or an item without a value.
  void declared(Item item) {
    const std::string_view head = head_text(item);
    if (declares_array(head)) {
      item.kind = ItemKind::workspace;
      item.name = array_name(head);
    } else if (head.ends_with(')') && !head.starts_with("static")) {
      item.kind = ItemKind::prototype;
      item.name = function_name(head);
    }
    add(item);
  }

  /// Whether two declarations differ in nothing but attributes.
  bool are_alike(const Item& a, const Item& b) const {
    const auto word = [&](const Token& token) { return text_of(token, text_); };
    return std::ranges::equal(without_attributes(text_, a.head), without_attributes(text_, b.head),
                              {}, word, word);
  }

  /// `#if A` `T x[N] =` `#else` `T x[N] =` `#endif` before one value: the last declaration
  /// represents all.
  void pass_alternatives(Item& item) {
    const std::string_view name = array_name(head_text(item));
    while (!name.empty() && at_ < end_ && text_[at_] != '{' && text_[at_] != '"') {
      Item next;
      next.head = {at_, head_end(at_)};
      const bool is_same = next.head.end < end_ && text_[next.head.end] == '=' &&
                           array_name(head_text(next)) == name;
      if (!is_same || !are_alike(next, item)) return;
      item.head = next.head;
      item.has_alternatives = true;
      at_ = skip_blank(text_, next.head.end + 1, end_);
    }
  }

  /// Arrays of constants are in the section of linked parameters, or (v0.8) have its prefix.
  void initialised(Item item) {
    at_ = skip_blank(text_, at_ + 1, end_);
    pass_alternatives(item);
    const std::string_view head = head_text(item);
    const bool is_bytes = text_.substr(at_).starts_with("\"\\x") &&
                          head.find("int8_t ") != head.npos && declares_array(head);
    if (is_bytes) {
      // Commands and weights of an Ethos-U are bytes in a string.
      item.kind = ItemKind::array;
      item.name = array_name(head);
      item.body = {at_, skip_quoted(text_, at_, end_)};
      at_ = std::min(statement_end(item.body.end) + 1, end_);
      return add(item);
    }
    if (at_ == end_ || text_[at_] != '{') {
      at_ = std::min(statement_end(at_) + 1, end_);
      return add(item);
    }
    const bool is_constant = is_tvm_array(head);
    const std::uint32_t close = is_constant ? plain_brace(at_) : matching_brace(at_);
    item.is_closed = is_closed(at_, close);
    item.body = {at_ + 1, close};
    at_ = std::min(close + 1, end_);
    if (is_constant) {
      item.kind = ItemKind::array;
      item.name = array_name(head);
    }
    add(item);
  }

  /// `struct P {members} P = {values};`, or a struct without an object.
  void structure(Item item) {
    const std::uint32_t close = matching_brace(at_);
    item.is_closed = close < end_;
    item.head.end = std::min(close + 1, end_);
    at_ = head_end(item.head.end);
    if (at_ < end_ && text_[at_] == '=') {
      item.name = text_.substr(item.head.end, at_ - item.head.end);
      const std::size_t first = std::min(item.name.find_first_not_of(" \n"), item.name.size());
      item.name.remove_prefix(first);
      item.name = item.name.substr(0, item.name.find_first_of(" \n"));
      at_ = skip_blank(text_, at_ + 1, end_);
      if (at_ < end_ && text_[at_] == '{') {
        const std::uint32_t open = at_;
        at_ = plain_brace(open);
        item.is_closed = is_closed(open, at_);
        item.body = {open + 1, at_};
        at_ = std::min(at_ + 1, end_);
        const std::string_view head = head_text(item);
        // TVM gives the struct and its object the same name. Ports use their own sections.
        const bool is_pool = head.find(".rodata") != head.npos ||
                             head.find(fmt::format("struct {} {{", item.name)) != head.npos;
        item.kind = is_pool ? ItemKind::pool : ItemKind::other;
      }
    } else {
      at_ = std::min(at_ + 1, end_);
    }
    add(item);
  }

  void pass_blank() { at_ = skip_blank(text_, at_, end_); }
  std::string_view head_text(const Item& item) const { return item.head.in(text_); }

  std::string_view text_;
  std::uint32_t end_;
  std::uint32_t at_ = 0;
  FileItems items_;
};

/// A spelling that only the versions with a feature print.
struct Mark {
  std::string_view spelling;
  TvmFeature feature;
};

constexpr std::string_view kConditional = " condval";
constexpr std::string_view kEndlessLoop = "while (1) {";
constexpr std::string_view kCountBefore = "( (TVMValue*) stack_value , (int*) stack_tcode, ";
constexpr std::string_view kStoredBefore = "stack_value)[";
constexpr std::string_view kStatusCompared = "if (status != ARM_CMSIS_NN_SUCCESS) {";

constexpr std::array kBodyMarks = {
    Mark{kConditional, TvmFeature::c_condval},
    Mark{kEndlessLoop, TvmFeature::c_endless_while},
    Mark{" v_ = ", TvmFeature::c_temporaries_v},
    Mark{" v__1 = ", TvmFeature::c_temporaries_v},
    Mark{" __1 = ", TvmFeature::c_two_underscores},
    Mark{" _1 = ", TvmFeature::c_one_underscore},
    Mark{"(void)tvmgen_", TvmFeature::c_void_calls},
    Mark{"arm_status status = ", TvmFeature::c_cmsis_math_status},
    Mark{"switch (!status) {", TvmFeature::c_cmsis_status_switch},
    Mark{"void* stack_value = stack1;", TvmFeature::c_numbers_follow_names},
};
// The spelling of versions without a feature.
constexpr std::array kOtherBodyMarks = {
    Mark{"arm_cmsis_nn_status status = ", TvmFeature::c_cmsis_math_status},
    Mark{"void* stack_value = stack_1;", TvmFeature::c_numbers_follow_names},
};
// The names in function heads come from Relay.
constexpr std::array kHeadMarks = {
    Mark{" placeholder", TvmFeature::c_placeholders},
    Mark{" p0,", TvmFeature::c_p_names},
    Mark{" p0)", TvmFeature::c_p_names},
    Mark{"void* arg0", TvmFeature::c_numbered_params},
};

void observe(VersionInference& versions, TvmFeature feature, bool is_there) {
  is_there ? versions.observe(feature) : versions.observe_absence(feature);
}

/// Facts that need the whole file.
struct FileForms {
  bool compares_status = false;  ///< of CMSIS-NN, as v0.10 and v0.11 do
  bool is_of_16 = false;         ///< statements that set `condval`, `while (1)`, short counts
  bool has_data_first = false;   ///< in prologues
};

/// Whether a packed call prints one argument less than the stores before it, as since v0.16.
std::optional<bool> counts_short(std::string_view body) {
  const std::size_t call = body.find(kCountBefore);
  if (call == body.npos) return std::nullopt;
  const std::size_t stored = body.rfind(kStoredBefore, call);
  if (stored == body.npos) return std::nullopt;
  const auto number = [&](std::size_t at) {
    std::string_view rest = body.substr(at);
    return support::take_number<std::size_t>(rest).value_or(0);
  };
  const std::size_t last = number(stored + kStoredBefore.size());
  return number(call + kCountBefore.size()) == last;
}

/// Up to v0.12 handles are `arg_x`. Since v0.16 the data pointer is the last field that is read of
/// a tensor. Up to v0.9 Relay called inputs `placeholder`.
void look_at_prologue(std::string_view body, FileForms& forms, VersionInference& versions) {
  const std::size_t handle = body.find(".v_handle);");
  if (handle == body.npos) return;
  const bool has_prefix = body.substr(0, handle).find("void* arg_") != body.npos;
  observe(versions, TvmFeature::c_handle_prefix, has_prefix);
  if (body.substr(0, handle).find("void* arg_placeholder") != body.npos) {
    versions.observe(TvmFeature::c_placeholders);
  }
  const std::size_t data = body.find("[0].data);");
  const std::size_t shape = body.find("[0].shape);");
  if (data == body.npos || shape == body.npos) return;
  if (shape < data) versions.observe(TvmFeature::c_data_last);
  forms.has_data_first |= data < shape;
}

/// Searches whole bodies for spellings, without tokens.
void look_at_function(const support::SourceText& source, const Item& item, FileForms& forms,
                      VersionInference& versions) {
  const std::string_view head = item.head.in(source.text);
  const std::string_view body = item.body.in(source.text);
  for (const auto& [spelling, feature] : kHeadMarks) {
    if (head.find(spelling) != head.npos) versions.observe(feature);
  }
  for (const auto& [spelling, feature] : kBodyMarks) {
    if (body.find(spelling) != body.npos) versions.observe(feature);
  }
  for (const auto& [spelling, feature] : kOtherBodyMarks) {
    if (body.find(spelling) != body.npos) versions.observe_absence(feature);
  }
  for (const std::string_view form : {kConditional, kEndlessLoop}) {
    forms.is_of_16 |= body.find(form) != body.npos;
  }
  forms.compares_status |= body.find(kStatusCompared) != body.npos;
  if (const auto is_short = counts_short(body)) {
    observe(versions, TvmFeature::c_short_count, *is_short);
    forms.is_of_16 |= *is_short;
  }
  look_at_prologue(body, forms, versions);
  if (item.name.ends_with("_run_model")) versions.observe(TvmFeature::c_main_is_run_model);
  if (item.name.ends_with("___tvm_main__")) {
    versions.observe_absence(TvmFeature::c_main_is_run_model);
  }
}

/// Since v0.15 prototypes of the file's own functions come before their bodies.
bool has_own_prototypes(const FileItems& file) {
  const auto function = std::ranges::find(file.items, ItemKind::function, &Item::kind);
  return function != file.items.end() &&
         std::ranges::any_of(file.items.begin(), function, [&](const Item& item) {
           return item.kind == ItemKind::prototype && item.name == function->name;
         });
}

/// Words that a parenthesis may follow and that are no function.
constexpr std::string_view kNoFunctions[] = {"__attribute__",  "__asm__", "__asm",      "asm",
                                             "__volatile__",   "alignof", "_Alignof",   "_Alignas",
                                             "_Static_assert", "typeof",  "__typeof__", "defined",
                                             "__extension__"};

}  // namespace

std::string_view array_name(std::string_view head) {
  const std::size_t bracket = head.rfind('[');
  if (bracket == head.npos) return {};
  const std::string_view before = head.substr(0, bracket);
  const std::size_t start = before.find_last_of(" \t\n*)");
  return before.substr(start == before.npos ? 0 : start + 1);
}

bool declares_constant_array(std::string_view head) {
  // What a linker puts into flash is constant without the word, too.
  const bool is_const = head.starts_with("const ") || head.find(" const ") != head.npos ||
                        head.find("(\".rodata") != head.npos;
  return is_const && declares_array(head) && head.find('*') == head.npos;
}

bool is_tvm_array(std::string_view head) {
  return head.starts_with("static ") && head.find(" struct ") == head.npos &&
         (head.find(".rodata.tvm") != head.npos || head.find("__tvm_param__") != head.npos);
}

std::vector<Token> without_attributes(std::string_view text, Bytes head) {
  std::size_t depth = 0;
  bool is_size = false;
  std::vector<Token> tokens = tokenize(text, head.begin, head.end);
  std::erase_if(tokens, [&](const Token& token) {
    if (depth == 0 && token.is(sign("["))) is_size = true;
    if (is_size) {
      is_size = !token.is(sign("]"));
      return false;
    }
    if (token.is(sign("("))) ++depth;
    // The end token stays, also behind an open parenthesis.
    const bool is_inside = depth > 0 && !token.is(TokenKind::end);
    if (token.is(sign(")"))) --depth;
    return is_inside || text_of(token, text) == "__attribute__";
  });
  return tokens;
}

std::string section_of(std::string_view text, const Item& item) {
  constexpr std::string_view kSection = "section(\"";
  text = item.head.in(text);
  const std::size_t at = text.find(kSection);
  if (at == text.npos) return {};
  text.remove_prefix(at + kSection.size());
  return std::string(text.substr(0, text.find('"')));
}

FileItems split(const support::SourceText& source) {
  return Splitter(source.text).split();
}

// --- The TVM version that a file shows -----------------------------------------------------------

void infer_version(const support::SourceText& source, const FileItems& file,
                   VersionInference& versions) {
  // The generator for CMSIS-NN extends that of C by a few forms.
  const std::string_view kind = file.target.substr(0, file.target.find(' '));
  const bool is_kernels = kind == "c" || kind == "cmsis-nn";
  if (is_kernels) {
    observe(versions, TvmFeature::c_includes_stdbool, file.includes_stdbool);
    if (file.target.find("-link-params=") != file.target.npos) {
      versions.observe(TvmFeature::c_link_params);
    }
    if (has_own_prototypes(file)) versions.observe(TvmFeature::c_own_prototypes);
  }
  FileForms forms;
  for (const Item& item : file.items) {
    if (item.kind == ItemKind::function && is_kernels)
      look_at_function(source, item, forms, versions);
    if (item.kind != ItemKind::pool) continue;
    const bool is_const =
        item.head.in(source.text).find("static const struct") != std::string_view::npos;
    observe(versions, TvmFeature::c_constant_pools, is_const);
  }
  // Decided at the end: another function of the file may show the feature.
  const bool is_between = file.includes_stdbool && forms.compares_status;
  if (is_between && versions.range().first <= 12 && versions.range().last >= 12) {
    versions.exactly({12, 12, std::string(kBetween11And12)});
  }
  if (!forms.has_data_first) return;
  // Only a development version has both.
  if (forms.is_of_16) {
    versions.exactly({16, 16, std::string(kBetween15And16)});
  } else {
    versions.observe_absence(TvmFeature::c_data_last);
  }
}

/// Entry point, pools, metadata and registry begin with includes of the runtime. A module without
/// any of these is a single `;`.
bool is_support(const support::SourceText& source) {
  const std::string_view start = source.text.substr(0, 4096);
  constexpr std::array<std::string_view, 4> kMarks = {"tvm/runtime/c_runtime_api.h",
                                                      "tvm/runtime/metadata_types.h",
                                                      "_tvm_func_array", "TVMSystemLibEntryPoint"};
  return source.text == ";" || std::ranges::any_of(kMarks, [&](std::string_view mark) {
           return start.find(mark) != start.npos;
         });
}

bool may_be_function(std::string_view name) {
  return !is_keyword(name) && !scalar_type(name) &&
         std::ranges::count(reserved_words(), name) == 0 &&
         std::ranges::count(kNoFunctions, name) == 0;
}

std::vector<DeclaredVariable> variables_in(std::string_view text, std::span<const Token> tokens) {
  std::vector<DeclaredVariable> variables;
  std::size_t depth = 0;
  std::size_t words = 0;
  bool is_const = false;
  bool is_value = false;
  bool is_tag = false;  // of a struct
  bool has_name = false;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string_view word = text_of(tokens[i], text);
    const std::string_view next = text_of(tokens[i + 1], text);
    const bool is_pointer = word == "(" && depth == 0 && next == "*" && !is_value && words > 0;
    if (is_pointer && i + 2 < tokens.size() && tokens[i + 2].kind == TokenKind::name) {
      variables.push_back({text_of(tokens[i + 2], text)});
    }
    if (word == "(" || word == "[" || word == "{") ++depth;
    if (word == ")" || word == "]" || word == "}") depth -= depth > 0 ? 1 : 0;
    if (word == "}" && depth == 0) {
      ++words;
      is_tag = false;
    }
    if (depth > 0) continue;
    if (word == ";") break;
    if (word == "typedef") return {};
    if (word == "=" || word == ",") is_value = word == "=";
    if (word == ",") has_name = false;
    if (word == "const" || word == "*") is_const = word == "const";
    if (tokens[i].kind != TokenKind::name || is_value || word == "static" || word == "extern") {
      continue;
    }
    const bool is_name = words > 0 && !is_tag && !has_name && may_be_function(word);
    const bool ends = tokens[i + 1].kind == TokenKind::end || next == "[" || next == "," ||
                      next == ";" || next == "=" || next == "__attribute__";
    has_name = has_name || (is_name && ends);
    if (is_name && ends) variables.push_back({word, is_const});
    is_tag = word == "struct" || word == "union" || word == "enum";
    ++words;
  }
  return variables;
}

std::vector<DeclaredVariable> variables_of(std::string_view text, const Item& item) {
  const std::uint32_t end = item.body.end > item.body.begin ? item.body.begin : item.end;
  return variables_in(text, tokenize(text, item.head.begin, end));
}

}  // namespace mlf::tir::c
