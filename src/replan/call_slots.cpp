#include "replan/call_slots.h"

#include <algorithm>

#include "graph/kernels/functions.h"
#include "graph/node_queries.h"
#include "json/document.h"
#include "mlf/tir/visit.h"
#include "replan/words.h"
#include "support/error.h"
#include "tir/reader.h"
#include "tir/save_json/importer.h"
#include "tir/save_json/json_graph.h"

namespace mlf::replan {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// Words [first, last], and the kernel that is called there.
struct WordRange {
  std::size_t first = 0;
  std::size_t last = 0;
  std::string symbol;
};

/// How much deeper in brackets it is behind a word. Braces are told apart by the callers.
int depth_of(const Word& word) {
  const bool opens = word.text == "(" || word.text == "[";
  const bool closes = word.text == ")" || word.text == "]";
  return (opens ? 1 : 0) - (closes ? 1 : 0);
}

/// Slots of statements in the order of the text. `is_grouping` says of a word between two of them
/// that it is not code.
template <class IsGrouping>
CallSlots slots_of(const std::vector<Word>& words, const std::vector<WordRange>& calls,
                   IsGrouping is_grouping) {
  CallSlots slots;
  std::size_t next = 0;  // the word behind the last call
  for (const WordRange& call : calls) {
    std::size_t obstacle = CallSlots::npos;
    for (std::size_t at = next; at < call.first && obstacle == CallSlots::npos; ++at) {
      if (!slots.calls.empty() && !is_grouping(words[at])) obstacle = words[at].offset;
    }
    const Word& last = words[call.last];
    slots.calls.push_back({words[call.first].offset, last.offset + last.text.size(), call.symbol});
    slots.obstacles.push_back(obstacle);
    next = call.last + 1;
  }
  return slots;
}

/// The kernel that the words [first, last] of a C statement call.
std::string called_in_c(const std::vector<Word>& words, std::size_t first, std::size_t last,
                        const Symbols& kernels) {
  for (std::size_t at = first; at < last; ++at) {
    if (words[at + 1].text == "(" && kernels.contains(words[at].text)) {
      return std::string(words[at].text);
    }
  }
  return {};
}

/// The kernel that an expression of TIR text names: its symbol is a string there.
std::string named_in_text(const std::vector<Word>& words, std::size_t first, std::size_t last,
                          const Symbols& kernels) {
  for (std::size_t at = first; at <= last; ++at) {
    const std::string_view text = words[at].text;
    if (text.size() < 2 || text.front() != '"') continue;
    const std::string_view name = text.substr(1, text.size() - 2);
    if (kernels.contains(name)) return std::string(name);
  }
  return {};
}

/// The kernels that a statement calls, each time.
std::vector<std::string> called_in(Node statement, const Symbols& kernels) {
  std::vector<std::string> symbols;
  tir::for_each_pre_order(statement, [&](Node node) {
    if (!node.is(Kind::Call)) return;
    for (const Node arg : node.list(f::Call::args)) {
      const std::string_view name = graph::string_of(arg);
      if (kernels.contains(name)) symbols.emplace_back(name);
    }
  });
  return symbols;
}

/// The sequence of main's statements: the outermost one with more than one call of a kernel.
Node sequence_of_calls(Node main, const Symbols& kernels) {
  Node found;
  tir::for_each_pre_order(main[f::PrimFunc::body], [&](Node node) {
    if (found || !node.is(Kind::SeqStmt)) return;
    std::size_t with_calls = 0;
    for (const Node part : node.list(f::SeqStmt::seq)) {
      with_calls += called_in(part, kernels).empty() ? 0 : 1;
    }
    if (with_calls > 1) found = node;
  });
  return found;
}

/// A statement in front of a packed call: it writes the arguments' tensors, values and codes, all
/// of them for every call anew (TVM's pass LowerTVMBuiltin), or declares what these or the call
/// need.
bool prepares_packed_call(const std::vector<Word>& words, std::size_t first) {
  const std::string_view text = words[first].text;
  return text == "(" || text == "uint64_t" || text == "TVMValue" || text == "int";
}

/// The last word of the block that opens at `open`.
std::size_t end_of_block(const std::vector<Word>& words, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < words.size(); ++at) {
    depth += (words[at].text == "{" ? 1 : 0) - (words[at].text == "}" ? 1 : 0);
    if (depth == 0) return at;
  }
  return words.size() - 1;
}

}  // namespace

// Representations name functions differently, and share the symbol.
Node function_with_symbol(const tir::Module& module, std::string_view symbol) {
  for (const tir::NamedFunction& one : tir::prim_functions_of(module)) {
    if (one.symbol == symbol) return one.function;
  }
  return {};
}

CallSlots slots_in_c(const support::SourceText& source, tir::SourceRange definition,
                     const Symbols& kernels) {
  const std::vector<Word> words = words_of(source.text, definition, Comments::c);
  std::vector<WordRange> calls;
  std::size_t begin = 0;  // of the statement
  std::size_t first = 0;  // of the statements that prepare a packed call, else as `begin`
  int depth = 0;
  for (std::size_t at = 0; at < words.size(); ++at) {
    depth += depth_of(words[at]);
    const std::string_view text = words[at].text;
    if (depth != 0 || (text != ";" && text != "{" && text != "}")) continue;
    std::string symbol = called_in_c(words, begin, at, kernels);
    const bool prepares = symbol.empty() && text == ";" && prepares_packed_call(words, begin);
    if (!symbol.empty() && text == ";") {
      calls.push_back({begin, at, std::move(symbol)});
    } else if (!symbol.empty()) {
      // `if (f(stack_value, …) != 0) { return -1; }`
      at = end_of_block(words, at);
      calls.push_back({first, at, std::move(symbol)});
    }
    begin = at + 1;
    if (!prepares) first = begin;
  }
  return slots_of(words, calls, [](const Word&) { return false; });
}

CallSlots slots_in_text(const support::SourceText& source, tir::SourceRange function,
                        const Symbols& kernels) {
  const std::vector<Word> words = words_of(source.text, function, Comments::python);
  std::vector<WordRange> calls;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const int before = depth;
    depth += depth_of(words[at]);
    // `T.evaluate(…)`: the word in front of the parenthesis is part of it.
    if (before == 0 && depth == 1) begin = at == 0 ? at : at - 1;
    if (before != 1 || depth != 0) continue;
    std::string symbol = named_in_text(words, begin, at, kernels);
    if (!symbol.empty()) calls.push_back({begin, at, std::move(symbol)});
  }
  // Legacy text has each statement in braces, which group without a meaning of their own.
  return slots_of(words, calls,
                  [](const Word& word) { return word.text == "{" || word.text == "}"; });
}

CallSlots slots_in_save_json(const support::SourceText& source, const tir::ReadLimits& limits,
                             std::string_view main, const Symbols& kernels) {
  const json::Document document(source, {limits.max_nesting, json::Strings::any_bytes});
  const tir::save_json::JsonGraph graph(document);
  tir::Builder builder;
  tir::LossLog losses;
  tir::save_json::Importer importer(graph, limits, builder, losses);
  const tir::NodeId root = importer.import(graph.root());
  // By node of the graph, if it is a sequence: its id, while the importer still knows.
  std::vector<std::pair<std::uint32_t, tir::NodeId>> sequences;
  for (std::uint32_t index = 0; index < graph.size(); ++index) {
    if (graph.node(index).kind == Kind::SeqStmt)
      sequences.emplace_back(index, importer.import(index));
  }
  const tir::Module module = std::move(builder).finish(root);
  CallSlots slots;
  const Node function = function_with_symbol(module, main);
  const Node sequence = function ? sequence_of_calls(function, kernels) : Node();
  if (!sequence) return slots;
  const auto of_graph =
      std::ranges::find(sequences, sequence.id(), &std::pair<std::uint32_t, tir::NodeId>::second);
  if (of_graph == sequences.end()) return slots;
  const auto list = graph.attr(of_graph->first, "seq");
  const auto array = list ? graph.reference(*list) : std::nullopt;
  if (!array) return slots;
  std::size_t obstacle = CallSlots::npos;
  std::size_t part = 0;
  for (const json::Value element : graph.data(*array)) {
    const std::vector<std::string> symbols =
        called_in(sequence.list(f::SeqStmt::seq)[part++], kernels);
    const std::size_t begin = element.offset();
    if (symbols.size() != 1) {
      if (obstacle == CallSlots::npos && !slots.calls.empty()) obstacle = begin;
      continue;
    }
    slots.calls.push_back({begin, begin + element.length(), symbols.front()});
    slots.obstacles.push_back(std::exchange(obstacle, CallSlots::npos));
  }
  return slots;
}

// Slots are the places of calls; the text of each call moves, and whatever is between two places
// stays. So each call keeps its line's form, and no other byte changes.
std::string with_calls_in_order(const support::SourceText& source, const CallSlots& slots,
                                const std::vector<std::size_t>& order) {
  std::string result;
  std::size_t kept = 0;
  bool is_among_moved = false;
  std::size_t furthest = 0;  // the last call that has gone to a place up to here
  for (std::size_t i = 0; i < order.size(); ++i) {
    // Everything between two calls stays where it is, so none may pass it.
    if (is_among_moved && slots.obstacles[i] != CallSlots::npos) {
      throw support::Error(ErrorKind::check_failed,
                           "something else is between calls that would change places",
                           source.locate(slots.obstacles[i], 1));
    }
    furthest = std::max(furthest, order[i]);
    is_among_moved = furthest > i;
    const CallSlot& to = slots.calls[i];
    const CallSlot& from = slots.calls[order[i]];
    result += source.text.substr(kept, to.begin - kept);
    result += source.text.substr(from.begin, from.end - from.begin);
    kept = to.end;
  }
  result += source.text.substr(kept);
  return result;
}

}  // namespace mlf::replan
