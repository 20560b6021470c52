#include "deployment/entry_point.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "deployment/member_text.h"
#include "deployment/tir_name.h"
#include "graph/kernels/callees.h"
#include "support/c_files.h"
#include "support/characters.h"
#include "support/lookup.h"
#include "tir/c/c.h"
#include "tir/c/language.h"
#include "tir/c/read/entry_faults.h"
#include "tir/c/read/file_items.h"
#include "tir/c/read/tokens.h"

namespace mlf {
namespace deployment {
namespace {

/// The structs that a prototype takes, in the order of its parameters.
std::vector<CStruct> structs_of(std::string_view prototype, const tir::c::HeaderFields& fields) {
  std::vector<CStruct> structs;
  constexpr std::string_view kStruct = "struct ";
  for (std::size_t at = prototype.find(kStruct); at != prototype.npos;
       at = prototype.find(kStruct, at)) {
    at += kStruct.size();
    CStruct one{std::string(prototype.substr(at, prototype.find_first_of("* ", at) - at)), {}};
    const auto known = std::ranges::find(fields.structs, one.name, &tir::c::HeaderStruct::name);
    if (known != fields.structs.end()) one.fields = known->fields;
    structs.push_back(std::move(one));
  }
  return structs;
}

/// The header declares the function and the structs that it takes.
std::optional<EntryPoint> in_headers(const archive::Archive& archive, const Module& module,
                                     const std::string& symbol) {
  for (const FileRef& header : module.files.headers) {
    const std::string_view text = member_text(archive, header);
    tir::c::HeaderFields fields = tir::c::read_header(text);
    if (fields.run != symbol) continue;
    std::string prototype = prototype_in(text, symbol);
    std::vector<CStruct> structs = structs_of(prototype, fields);
    return EntryPoint{symbol,
                      std::move(prototype),
                      CInterface::c,
                      header.name,
                      std::move(fields.inputs),
                      std::move(fields.outputs),
                      std::move(structs)};
  }
  return std::nullopt;
}

/// Where a function with this head has its body, and not only a prototype; npos if nowhere.
std::size_t definition_in(std::string_view text, std::string_view head) {
  std::size_t at = text.find(head);
  while (at != text.npos) {
    const std::size_t end = text.find_first_not_of(" \t\r\n", text.find(')', at) + 1);
    if (end != text.npos && text[end] == '{') return at;
    at = text.find(head, at + 1);
  }
  return at;
}

/// TVM's form: the definition begins a line.
std::optional<EntryPoint> in_sources(const archive::Archive& archive, const Module& module,
                                     const std::string& symbol) {
  for (const FileRef& source : module.files.sources) {
    const std::string_view text = member_text(archive, source);
    std::size_t at = definition_in(text, fmt::format("\nint32_t {}(", symbol));
    if (at == text.npos) at = definition_in(text, fmt::format("\nTVM_DLL int32_t {}(", symbol));
    if (at == text.npos) continue;
    std::string prototype = prototype_in(text.substr(at), symbol);
    const CInterface interface = interface_of(prototype);
    return EntryPoint{symbol, std::move(prototype), interface, source.name};
  }
  return std::nullopt;
}

}  // namespace

CInterface interface_of(std::string_view prototype) {
  const bool is_packed =
      std::ranges::any_of(std::array{"TVMValue*", " type_code", " arg_type_ids"},
                          [&](const char* word) { return prototype.find(word) != prototype.npos; });
  return is_packed ? CInterface::packed : CInterface::c;
}

std::string prototype_in(std::string_view text, const std::string& symbol) {
  const std::size_t begin = text.find(fmt::format("int32_t {}(", symbol));
  if (begin == text.npos) return {};
  std::string words;
  for (const char c : text.substr(begin, text.find(')', begin) + 1 - begin)) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (is_blank && (words.ends_with(' ') || words.ends_with('('))) continue;
    if (c == ')' && words.ends_with(' ')) words.pop_back();
    words += is_blank ? ' ' : c;
  }
  return words;
}

std::vector<GivenPool> given_pools(std::string_view header, const graph::Topology& network,
                                   const std::string& module) {
  std::vector<GivenPool> pools;
  for (const tir::CPool& pool : tir::c::read_header(header).pools) {
    const std::string macro =
        support::in_capitals(fmt::format("tvmgen_{}_{}_constant_pool_data", module, pool.name));
    pools.push_back({.name = pool.name,
                     .bytes = static_cast<std::uint64_t>(pool.bytes),
                     .data = pool.is_constant ? macro : std::string()});
  }
  // The user states the sizes of the other pools.
  for (const graph::Pool& pool : network.pools) {
    const bool is_known = std::ranges::find(pools, pool.name, &GivenPool::name) != pools.end();
    if (!is_known && pool.bytes) pools.push_back({.name = pool.name, .bytes = *pool.bytes});
  }
  return pools;
}

namespace {

/// The members of a struct in the order of the tensors that have their names. Without these names,
/// they have the order of main's parameters.
std::vector<std::string> in_order_of(const std::vector<graph::Port>& ports,
                                     const std::vector<std::string>& members) {
  std::vector<std::string> ordered;
  for (const graph::Port& port : ports) {
    ordered.push_back(symbol_part(port.name));
    if (std::ranges::find(members, ordered.back()) == members.end()) return members;
  }
  return ordered.size() == members.size() ? ordered : members;
}

}  // namespace

std::optional<EntryPoint> entry_point_of(const archive::Archive& archive, const Module& module,
                                         const graph::Topology* network) {
  const std::string symbol = fmt::format("tvmgen_{}_run", symbol_part(module.name));
  auto declared = in_headers(archive, module, symbol);
  if (!declared) return in_sources(archive, module, symbol);
  if (network != nullptr) {
    declared->inputs = in_order_of(network->inputs, declared->inputs);
    declared->outputs = in_order_of(network->outputs, declared->outputs);
  }
  return declared;
}

std::optional<EntryPoint> called_function(const archive::Archive& archive, const Module& module,
                                          const graph::Topology* network) {
  auto entry = entry_point_of(archive, module, network);
  const bool is_defined =
      entry && std::ranges::any_of(module.files.sources, [&](const FileRef& source) {
        const std::string_view text = member_text(archive, source);
        return support::find_word(text, entry->function) != text.npos;
      });
  if (is_defined || network == nullptr || !module.files.objects.empty()) return entry;
  auto main = in_sources(archive, module, network->provenance.symbol);
  return main ? main : entry;
}

namespace {

/// The tokens of a function.
struct FunctionTokens {
  std::string_view text;
  std::vector<tir::c::Token> tokens;

  std::string_view word(std::size_t i) const { return tir::c::text_of(tokens[i], text); }
};

using Arguments = std::vector<std::vector<std::string_view>>;

bool is_in(std::string_view word, std::string_view signs) {
  return word.size() == 1 && signs.find(word[0]) != signs.npos;
}

/// The words of the arguments of the call at token `i`.
Arguments arguments_at(const FunctionTokens& code, std::size_t i) {
  Arguments arguments(1);
  if (i + 1 >= code.tokens.size() || code.word(i + 1) != "(") return {};
  std::size_t depth = 1;
  for (i += 2; i < code.tokens.size(); ++i) {
    const std::string_view word = code.word(i);
    if (is_in(word, "([{")) ++depth;
    if (is_in(word, ")]}") && --depth == 0) return arguments;
    if (depth == 1 && word == ",") {
      arguments.emplace_back();
    } else {
      arguments.back().push_back(word);
    }
  }
  return {};
}

/// The words from token `i` to one of `ends`.
std::vector<std::string_view> words_to(const FunctionTokens& code, std::size_t i,
                                       std::string_view ends) {
  std::vector<std::string_view> words;
  for (; i < code.tokens.size() && !is_in(code.word(i), ends); ++i) words.push_back(code.word(i));
  return words;
}

/// The values in the array that a packed call passes, in code that `has_form_of_tvm`: it fills the
/// array in its order.
Arguments packed_values(const FunctionTokens& code, const Arguments& call) {
  if (call.empty() || call[0].empty()) return {};
  const std::string_view array = call[0].back();
  std::map<std::string_view, std::vector<std::string_view>> data;  // of tensors and values
  std::string_view variable;
  Arguments values;
  for (std::size_t i = 1; i + 3 < code.tokens.size(); ++i) {
    const std::string_view word = code.word(i);
    if (code.word(i + 1) == "=" && code.word(i + 2) == "{") variable = word;
    // `DLTensor t = {.data = &pool}; TVMValue v = {.v_handle = &t}; tensors[2] = v;`
    if ((word == "data" || word == "v_handle") && code.word(i - 1) == ".") {
      data[variable] = words_to(code, i + 2, ",}");
    }
    if (word != array || code.word(i - 1) == "TVMValue" || code.word(i + 1) != "[") continue;
    values.push_back(words_to(code, i + 5, ";"));
    for (int k = 0; k < 2 && !values.back().empty(); ++k) {
      const auto known = data.find(values.back().back());
      if (known != data.end()) values.back() = known->second;
    }
  }
  return values;
}

/// Whether a body ends before any call, assignment and block.
bool ends_at_once(const FunctionTokens& code) {
  for (std::size_t i = 0; i < code.tokens.size(); ++i) {
    const std::string_view word = code.word(i);
    if (is_in(word, "({=#")) return false;
    if (word != "return") continue;
    while (++i < code.tokens.size() && code.word(i) != ";") {
      if (is_in(code.word(i), "({=#")) return false;
    }
    return true;
  }
  return true;
}

/// Whether a call takes neither heap nor stack that counts, and has no loops with arithmetic.
bool is_harmless(std::string_view name) {
  constexpr std::array<std::string_view, 3> kAssertions{"assert", "static_assert",
                                                        "_Static_assert"};
  if (graph::is_logging_macro(name) || support::is_among(kAssertions, name)) return true;
  const graph::CalleeOrigin origin = graph::origin_of(name);
  const bool allocates = name.find("lloc") != name.npos;
  return origin != graph::CalleeOrigin::unknown && origin != graph::CalleeOrigin::cmsis &&
         !allocates;
}

bool is_value(const tir::c::Token& token) {
  using tir::c::TokenKind;
  return token.kind == TokenKind::name || token.kind == TokenKind::integer ||
         token.kind == TokenKind::real;
}

/// Whether token `i` multiplies: it neither follows a pointer nor is part of a type.
bool is_product(const FunctionTokens& code, std::size_t i) {
  if (i < 2 || code.word(i) != "*") return false;
  const bool begins_statement = is_in(code.word(i - 2), ";{}");
  const bool is_left = is_value(code.tokens[i - 1]) || is_in(code.word(i - 1), ")]");
  const bool is_right = is_value(code.tokens[i + 1]) || code.word(i + 1) == "(";
  return !begins_statement && !tir::c::is_keyword(code.word(i - 1)) && is_left && is_right;
}

/// What the code of an entry point does beside its call of main.
class OtherWork {
 public:
  /// `counted` is the type of arrays that `passed_arguments` counts.
  OtherWork(const FunctionTokens& code, std::span<const std::string> mains,
            std::string_view counted)
      : code_(code), mains_(mains), counted_(counted) {}

  void add_to(CallOfMain& call) {
    for (std::size_t i = 0; i + 1 < code_.tokens.size(); ++i) {
      follow(i);
      call.multiplies |= is_product(code_, i);
      if (code_.tokens[i].kind == tir::c::TokenKind::string) {
        call.has_texts |= std::ranges::count(open_, true) == 0;
      }
      if (code_.tokens[i].kind != tir::c::TokenKind::name) continue;
      call.has_arrays |= is_array(i);
      if (takes_memory(i)) call.other_call = code_.word(i);
    }
  }

 private:
  std::string_view before(std::size_t i) const {
    return i == 0 ? std::string_view() : code_.word(i - 1);
  }

  bool is_after_type(std::size_t i) const {
    constexpr std::array<std::string_view, 4> kBeforeValues{"return", "sizeof", "else", "case"};
    return i > 0 && code_.tokens[i - 1].kind == tir::c::TokenKind::name &&
           !support::is_among(kBeforeValues, before(i));
  }

  /// Brackets around, of calls or not, and the statement that a token is in.
  void follow(std::size_t i) {
    const std::string_view word = code_.word(i);
    if (word == "(") open_.push_back(i > 0 && code_.tokens[i - 1].kind == tir::c::TokenKind::name);
    if (word == ")" && !open_.empty()) open_.pop_back();
    if (is_in(word, ";{}")) is_static_ = false;
    is_static_ = is_static_ || word == "static";
  }

  /// A declaration of an array on the stack, or the type of one.
  bool is_array(std::size_t i) const {
    if (code_.word(i + 1) != "[" || is_static_) return false;
    const bool is_pointer = before(i) == "*" && !is_product(code_, i - 1);
    const bool is_next = before(i) == "," && open_.empty();
    return before(i) != counted_ &&
           (is_after_type(i) || is_pointer || is_next || tir::c::is_keyword(code_.word(i)));
  }

  bool takes_memory(std::size_t i) const {
    const std::string_view word = code_.word(i);
    return code_.word(i + 1) == "(" && !tir::c::is_keyword(word) && !is_after_type(i) &&
           std::ranges::find(mains_, word) == mains_.end() && !is_harmless(word);
  }

  const FunctionTokens& code_;
  std::span<const std::string> mains_;
  std::string_view counted_;
  std::vector<bool> open_;  // brackets; true: of a call
  bool is_static_ = false;
};

/// Whether a loop is `do … while (0);`, a block that people leave by `break`.
bool runs_once(const FunctionTokens& code, const tir::CLoop& loop) {
  const auto behind = std::ranges::lower_bound(code.tokens, loop.end, {}, &tir::c::Token::begin);
  const auto last = static_cast<std::size_t>(behind - code.tokens.begin());
  return loop.keyword == "do" && last > 4 && code.word(last - 5) == "while" &&
         code.word(last - 3) == "0" && code.word(last - 2) == ")";
}

/// Whether no other header may define macros.
bool includes_only_tvm(std::string_view text, const tir::MacroValues& macros) {
  return std::ranges::all_of(tir::references_of(text, macros).includes, support::is_tvm_header);
}

}  // namespace

std::optional<CallOfMain> call_of_main(const archive::Archive& archive, const Module& module,
                                       const tir::MacroValues& macros) {
  const std::string prefix = "tvmgen_" + symbol_part(module.name);
  const std::string run = prefix + "_run";
  const std::array mains{prefix + "___tvm_main__", prefix + "_run_model"};
  bool is_idle = false;
  for (const FileRef& source : module.files.sources) {
    const std::string_view text = member_text(archive, source);
    const bool may_call = std::ranges::any_of(mains, [&](const std::string& main) {
      return support::find_word(text, main) != text.npos;
    });
    if (!may_call || support::find_word(text, run) == text.npos) continue;
    if (text.size() >= UINT32_MAX) continue;
    const auto items = tir::c::split({{}, {}, text}).items;
    const auto is_entry = [&](const tir::c::Item& item) {
      return item.name == run && item.body.end > item.body.begin;
    };
    const auto entry = std::ranges::find_if(items, is_entry);
    if (entry == items.end()) continue;
    const FunctionTokens code{text, tir::c::tokenize(text, entry->body.begin, entry->body.end)};
    if (ends_at_once(code)) {
      // The preprocessor or the linker may choose another definition.
      is_idle = std::ranges::count_if(items, is_entry) == 1 &&
                support::find_word(entry->head.in(text), "weak") == text.npos;
      continue;
    }
    // The preprocessor may choose among arguments.
    const bool is_plain = entry->body.in(text).find('#') == text.npos;
    std::vector<tir::CLoop> loops = tir::loops_of(text, macros);
    std::erase_if(loops, [&](const tir::CLoop& loop) {
      // A member may have the name of a keyword, though no compiler takes it.
      const bool is_member = loop.begin > 0 && text[loop.begin - 1] == '>';
      return loop.function != run || is_member || runs_once(code, loop);
    });
    std::optional<CallOfMain> call;
    for (std::size_t i = 0; i < code.tokens.size(); ++i) {
      if (std::ranges::find(mains, code.word(i)) == mains.end()) continue;
      const bool is_call = i + 1 < code.tokens.size() && code.word(i + 1) == "(";
      // A mention, or a prototype.
      if (!is_call || (i > 0 && code.word(i - 1) == "int32_t")) continue;
      if (call) {
        call->is_single = false;
        break;
      }
      const std::uint32_t at = code.tokens[i].begin;
      const bool is_repeated = std::ranges::any_of(loops, [&](const tir::CLoop& loop) {
        return loop.keyword == "goto" || (loop.begin < at && at < loop.end);
      });
      call = CallOfMain{.arguments = is_plain ? arguments_at(code, i) : Arguments(),
                        .is_single = !is_repeated};
    }
    if (!call) continue;
    const bool is_packed = interface_of(entry->head.in(text)) == CInterface::packed;
    call->is_packed = is_packed;
    if (is_packed) {
      // A macro may be another value each time.
      const bool is_known = tir::c::has_form_of_tvm({{}, {}, text}, *entry) &&
                            tir::c::count_of_word(text, "define") == 0 &&
                            text.find("__COUNTER__") == text.npos &&
                            includes_only_tvm(text, macros);
      call->arguments = is_known ? packed_values(code, call->arguments) : Arguments();
    }
    OtherWork(code, mains, is_packed ? "TVMValue" : "").add_to(*call);
    call->multiplies = call->multiplies && !loops.empty();
    return call;
  }
  return is_idle ? std::optional(CallOfMain{.is_reached = false}) : std::nullopt;
}

std::optional<std::uint64_t> passed_arguments(const archive::Archive& archive, const Module& module,
                                              const tir::MacroValues& macros) {
  const auto entry = entry_point_of(archive, module, nullptr);
  if (!entry) return std::nullopt;
  if (entry->interface != CInterface::packed) return 0;
  const auto file = std::ranges::find(module.files.sources, entry->member, &FileRef::name);
  const std::string_view text = member_text(archive, *file);
  const auto definitions = tir::describe_c(text, macros).definitions;
  const auto run = std::ranges::find(definitions, entry->function, &tir::CDefinition::symbol);
  if (run == definitions.end()) return std::nullopt;
  const auto [begin, end] = run->range;
  if (tir::c::without_comments(text.substr(begin, end - begin)).find('#') != text.npos) {
    return std::nullopt;
  }
  constexpr std::uint64_t kValue = 8;  // TVMValue
  std::uint64_t bytes = 0;
  const std::vector<tir::c::Token> tokens = tir::c::tokenize(text, begin, end);
  for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
    // TVMValue tensors[3]
    const auto word = [&](std::size_t k) { return tir::c::text_of(tokens[i + k], text); };
    if (word(0) != "TVMValue" || word(2) != "[") continue;
    const auto count = tir::c::decimal(word(3));
    if (!count || *count < 0 || *count > UINT32_MAX) return std::nullopt;
    bytes += static_cast<std::uint64_t>(*count) * kValue;
  }
  return bytes;
}

}  // namespace deployment

std::string_view to_string(CInterface interface) {
  return interface == CInterface::c ? "c" : "packed";
}

}  // namespace mlf
