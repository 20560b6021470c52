// Tables of functions in generated C (TVMFuncRegistry) that contradict themselves or the archive.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "deployment/contradictions.h"
#include "deployment/member_text.h"
#include "deployment/tir_name.h"
#include "graph/node_queries.h"
#include "support/c_files.h"
#include "support/error.h"
#include "tir/c/c.h"

namespace mlf::deployment {
namespace {

struct Registry {
  std::vector<std::string_view> functions;
  std::vector<std::string_view> names;
  std::size_t count = 0;  ///< that the string of names begins with
};

/// The form that TVM writes; nothing for any other one.
std::optional<Registry> registry_in(std::string_view text) {
  constexpr std::string_view kArray = "TVMBackendPackedCFunc _tvm_func_array[] = {";
  constexpr std::string_view kCast = "(TVMBackendPackedCFunc)";
  const std::size_t array = text.find(kArray);
  const std::size_t table = text.find("TVMFuncRegistry _tvm_func_registry = {", array);
  if (array == text.npos || table == text.npos) return std::nullopt;
  const std::string_view entries = text.substr(array, text.find('}', array) - array);
  const std::size_t open = text.find('"', table);
  if (open == text.npos) return std::nullopt;
  std::string_view string = text.substr(open + 1, text.find('"', open + 1) - open - 1);
  const bool is_plain = text.find('#', array) == text.npos && text.find("//", array) == text.npos &&
                        text.find("/*", array) == text.npos &&
                        std::ranges::count(text.substr(table), '"') == 2;
  if (!is_plain) return std::nullopt;
  Registry registry;
  for (std::size_t at = entries.find(kCast); at != entries.npos; at = entries.find(kCast, at)) {
    at += kCast.size();
    registry.functions.push_back(tir::c::word_at(entries, at));
  }
  const auto entry_ends = static_cast<std::size_t>(std::ranges::count(entries, ','));
  if (entry_ends != registry.functions.size()) return std::nullopt;
  // Two bytes of the number, the low one first.
  for (const std::size_t unit : {1u, 256u}) {
    if (string.size() < 4 || string[0] != '\\') return std::nullopt;
    std::size_t byte = 0;
    for (const char digit : string.substr(1, 3)) {
      if (digit < '0' || digit > '7') return std::nullopt;
      byte = 8 * byte + static_cast<std::size_t>(digit - '0');
    }
    registry.count += unit * byte;
    string.remove_prefix(4);
  }
  while (!string.empty()) {
    const std::size_t end = string.find("\\000");
    if (end == string.npos) return std::nullopt;
    registry.names.push_back(string.substr(0, end));
    string.remove_prefix(end + 4);
  }
  return registry;
}

/// Words of members other than `source` that begin as functions of TVM do. What describes the
/// network defines none.
std::set<std::string_view> words_beside(const archive::Archive& archive, const FileRef& source) {
  std::set<std::string_view> words;
  for (const archive::Member& member : archive.members()) {
    const bool is_code = member.name.starts_with("codegen/") || support::is_c_source(member.name);
    if (member.type != archive::MemberType::file || !is_code || member.name == source.name) {
      continue;
    }
    const std::string_view text = support::get_or_throw(archive.read(member));
    for (std::size_t at = text.find(kSymbolPrefix); at != text.npos;) {
      const std::string_view word = tir::c::word_at(text, at);
      words.insert(word);
      at = text.find(kSymbolPrefix, at + word.size());
    }
  }
  return words;
}

}  // namespace

std::optional<Contradiction> registry_fault(const Deployment& deployment, const Module& module,
                                            const FileRef& source) {
  const archive::Archive& archive = deployment.archive();
  const std::string_view text = member_text(archive, source);
  const auto registry = registry_in(text);
  if (!registry) return std::nullopt;
  const auto& [functions, names, count] = *registry;
  const auto fault = [&](const std::string& what) {
    return Contradiction{"c-invalid",
                         fmt::format("{}: the registry of functions {}", source.name, what)};
  };
  if (functions.size() != count || names.size() != count) {
    return fault(fmt::format("says that it has {}, and has {} functions and {} names", count,
                             functions.size(), names.size()));
  }
  const std::set<std::string_view> known(functions.begin(), functions.end());
  const std::set<std::string_view> named(names.begin(), names.end());
  const std::set<std::string_view> words = words_beside(archive, source);
  const auto own = tir::references_of(text, deployment.macros()).defined;
  const std::string_view graph =
      module.files.graph ? member_text(archive, *module.files.graph) : std::string_view();
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] != functions[i] && known.contains(names[i])) {
      return fault(fmt::format("has {} under the name of {}", graph::quoted(functions[i]),
                               graph::quoted(names[i])));
    }
    const bool is_generated = functions[i].starts_with(kSymbolPrefix);
    if (is_generated && !words.contains(functions[i]) && !own.contains(functions[i])) {
      return fault(fmt::format("has {}, which nothing defines", graph::quoted(functions[i])));
    }
    const bool is_called = !named.contains(functions[i]) &&
                           graph.find(fmt::format("\"{}\"", functions[i])) != graph.npos;
    if (is_called) {
      return fault(
          fmt::format("does not name {}, which the graph calls", graph::quoted(functions[i])));
    }
  }
  return std::nullopt;
}

}  // namespace mlf::deployment
