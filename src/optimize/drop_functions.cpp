#include "optimize/steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edit/edited_archive.h"
#include "json/document.h"
#include "optimize/other_code.h"
#include "optimize/tir_changes.h"
#include "support/error.h"
#include "support/lookup.h"
#include "tir/c/c.h"

namespace mlf::optimize {
namespace {

using archive::Member;
using support::get_or_throw;
using tir::SourceRange;

using Symbols = std::set<std::string, std::less<>>;

/// With what TVM writes before prototypes and definitions.
SourceRange with_guard(std::string_view text, SourceRange range) {
  constexpr std::string_view kGuard = "#ifdef __cplusplus\nextern \"C\"\n#endif\n";
  range = edit::whole_lines(text, range);
  const bool has_guard = text.substr(0, range.begin).ends_with(kGuard);
  return has_guard ? edit::at(range.begin - kGuard.size(), range.end) : range;
}

/// A function of the C and its names there.
struct Function {
  SourceRange definition;
  const Member* member = nullptr;
  Symbols named{};     ///< functions that its definition names
  std::string kept{};  ///< why it stays
};

class Dropping {
 public:
  Dropping(const Network& network, const OtherCode& others, edit::EditedMembers& edited)
      : deployment_(edited.deployment()),
        index_(network.module),
        module_(deployment_.library().modules[index_]),
        main_(network.topology.provenance.symbol),
        others_(others),
        edited_(edited) {}

  std::vector<OptimizedFunction> run() && {
    read_functions();
    if (!functions_.contains(main_)) return {};
    find_names();
    const Symbols used = reached();
    keep_functions(used);
    for (const auto& [symbol, function] : functions_) {
      if (!used.contains(symbol) && function.kept.empty()) dropped_.insert(symbol);
    }
    if (!dropped_.empty()) {
      const auto changed = support::to_result([&] { change(); });
      if (!changed) keep_all(changed.error());
    }
    std::vector<OptimizedFunction> found;
    for (const auto& [symbol, function] : functions_) {
      if (used.contains(symbol)) continue;
      found.push_back({symbol, dropped_.contains(symbol), function.kept});
    }
    return found;
  }

 private:
  void keep_all(const Diagnostic& diagnostic) {
    support::throw_unless_invalid(diagnostic);
    for (const std::string& symbol : dropped_) functions_[symbol].kept = diagnostic.message;
    dropped_.clear();
  }

  /// Those that mlf reads as TIR.
  void read_functions() {
    for (const TirSource& c : get_or_throw(deployment_.generated_c(index_))) {
      edit::PlacedTir tir = edited_.take_tir(c);
      Symbols here;
      for (const tir::NamedFunction& one : tir::prim_functions_of(tir.document.module)) {
        here.emplace(one.symbol);
      }
      edited_.keep_tir(std::move(tir));
      for (const Member* const member : c.c_members) {
        files_.insert(member);
        for (const tir::CDefinition& one : tir::describe_c(edited_.text_of(*member)).definitions) {
          if (!here.contains(one.symbol)) continue;
          functions_.try_emplace(one.symbol, Function{one.range, member});
        }
      }
    }
  }

  void find_names() {
    for (const FileRef& file : module_.files.sources)
      files_.insert(edited_.archive().find(file.name));
    files_.erase(nullptr);
    Symbols names;
    for (const auto& [symbol, function] : functions_) names.insert(symbol);
    const std::string joined = ModuleCode(index_, others_, edited_).joined(names);
    if (!joined.empty()) keep_each(joined + " may join parts of names");
    for (const Member* const member : files_) {
      for (tir::CDefinition& one : tir::describe_c(edited_.text_of(*member)).prototypes) {
        if (functions_.contains(one.symbol)) prototypes_[member].push_back(std::move(one));
      }
      const std::string text = code_of(*member, edited_.text_of(*member));
      tir::c::for_each_word(text, [&](std::string_view word, std::size_t place) {
        if (functions_.contains(word)) take_name(*member, place, word);
      });
    }
  }

  void take_name(const Member& member, std::size_t place, std::string_view symbol) {
    for (auto& [user, function] : functions_) {
      const auto [begin, end] = function.definition;
      if (function.member != &member || place < begin || place >= end) continue;
      function.named.emplace(symbol);
      return;
    }
    const auto is_here = [&](const tir::CDefinition& one) {
      return one.symbol == symbol && place >= one.range.begin && place < one.range.end;
    };
    if (std::ranges::any_of(prototypes_[&member], is_here)) return;
    roots_.emplace(symbol);
  }

  /// Functions that main or other code names, directly or through others.
  Symbols reached() const {
    Symbols used;
    Symbols left = roots_;
    left.insert(main_);
    while (!left.empty()) {
      const std::string symbol = std::move(left.extract(left.begin()).value());
      if (!used.insert(symbol).second) continue;
      const Symbols& named = functions_.find(symbol)->second.named;
      left.insert(named.begin(), named.end());
    }
    return used;
  }

  void keep_each(const std::string& why) {
    for (auto& [symbol, function] : functions_) {
      if (function.kept.empty()) function.kept = why;
    }
  }

  void keep_functions(const Symbols& used) {
    if (module_.files.graph) keep_each("the graph executor may call it by its name");
    if (!module_.files.objects.empty()) keep_each("objects may call it");
    if (module_.files.headers.empty()) {
      keep_each("code outside of the archive may call it: no header states the interface");
    }
    for (auto& [symbol, function] : functions_) {
      if (used.contains(symbol) || !function.kept.empty()) continue;
      const std::string place = others_.place_of(symbol, files_);
      if (!place.empty()) function.kept = "other code may use it: " + place;
    }
  }

  // --- Changes -----------------------------------------------------------------------------------

  void change() {
    std::vector<ChangedTir> all;
    for (const TirSource& c : get_or_throw(deployment_.generated_c(index_))) {
      all.push_back(changed(edited_.take_tir(c)));
    }
    std::vector<const Member*> texts;
    for (const Member* const member : edited_.captured()) {
      all.push_back(changed(edited_.take_tir(*member)));
      if (!all.back().changes.empty()) texts.push_back(member);
    }
    edit::FileEdits edits = edits_of_c();
    edits.merge(edits_of_metadata(edited_, [&](const json::Document& metadata, auto& of_metadata) {
      drop_workspaces(metadata, of_metadata);
    }));
    edit::EditedMembers edited = edited_.fork();
    change_all(std::move(all), std::move(edits), edited);
    for (const Member* const member : texts) refuse_uses(*member, edited.text_of(*member));
    edited_.take_all(std::move(edited));
  }

  ChangedTir changed(edit::PlacedTir tir) const {
    TirChanges changes;
    for (const tir::NamedFunction& one : tir::functions_of(tir.document.module)) {
      if (dropped_.contains(one.symbol)) changes.drop(one.function.id());
    }
    return {std::move(tir), std::move(changes)};
  }

  edit::FileEdits edits_of_c() const {
    edit::FileEdits edits;
    for (const std::string& symbol : dropped_) {
      const Function& function = functions_.find(symbol)->second;
      const std::string_view text = edited_.text_of(*function.member);
      const SourceRange lines = with_guard(text, function.definition);
      edits[function.member].push_back({edit::with_empty_line(text, lines), {}});
    }
    for (const auto& [member, prototypes] : prototypes_) {
      const std::string_view text = edited_.text_of(*member);
      for (const tir::CDefinition& one : prototypes) {
        if (dropped_.contains(one.symbol))
          edits[member].push_back({with_guard(text, one.range), {}});
      }
    }
    return edits;
  }

  void refuse_uses(const Member& member, std::string_view text) const {
    tir::c::for_each_word(text, [&](std::string_view word, std::size_t) {
      if (dropped_.contains(word)) edit::refuse("'" + std::string(word) + "' is used", member.name);
    });
  }

  /// TVM lists the workspaces of all functions.
  void drop_workspaces(const json::Document& metadata, std::vector<edit::Edit>& edits) const {
    const json::Value owner = metadata_of(metadata.root(), module_.name);
    std::vector<SourceRange> entries;
    std::vector<bool> goes;
    for (const json::Value one :
         owner.at("memory").at("functions").at("operator_functions").as_array()) {
      entries.push_back(edit::range_of(one));
      goes.push_back(dropped_.contains(one.at("function_name").as_string()));
    }
    edit::remove_elements(entries, goes, edits);
  }

  const Deployment& deployment_;
  std::size_t index_;
  const Module& module_;
  std::string main_;
  const OtherCode& others_;
  edit::EditedMembers& edited_;
  std::map<std::string, Function, std::less<>> functions_;  // by symbol
  std::set<const Member*> files_;                           // C of the module
  std::map<const Member*, std::vector<tir::CDefinition>> prototypes_;
  Symbols roots_;  // named by other code of the module
  Symbols dropped_;
};

}  // namespace

std::vector<std::vector<OptimizedFunction>> drop_functions(edit::EditedMembers& edited) {
  const Deployment& deployment = edited.deployment();
  const std::size_t modules = deployment.library().modules.size();
  std::vector<std::vector<OptimizedFunction>> functions(modules);
  // C that contradicts captured TIR stays as it is.
  if (!contradiction_in(deployment).empty()) return functions;
  const Networks networks = get_or_throw(deployment.networks());
  const OtherCode others(edited);
  for (const Network& network : networks.found) {
    functions[network.module] = Dropping(network, others, edited).run();
  }
  return functions;
}

}  // namespace mlf::optimize
