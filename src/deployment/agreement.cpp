#include "deployment/agreement.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "deployment/network_search.h"
#include "graph/compare.h"
#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/source_text.h"
#include "tir/c/c.h"
#include "tir/compare/compare.h"
#include "tir/node_queries.h"
#include "tir/pools.h"
#include "tir/text/op_table.h"

namespace mlf::deployment {
namespace {

using support::get_or_throw;

/// A capture of several modules is compared as a whole with the C of each.
constexpr std::size_t kMostModules = 16;

constexpr std::string_view kNotCompared = "the capture was not compared with it";

/// Why functions cannot be compared, by name; of all functions: "".
using Unread = std::map<std::string_view, std::string_view>;

/// A command stream is not C.
Unread unread_parts(const tir::Document& read) {
  Unread unread;
  for (const tir::Loss& loss : read.losses) {
    const bool is_unread =
        loss.code == tir::LossCode::unknown_construct || loss.code == tir::LossCode::npu_commands;
    if (is_unread) unread.try_emplace(loss.where, loss.name);
  }
  return unread;
}

/// The functions that lost an attribute; "" for a loss of the whole document.
std::set<std::string_view> without_attributes(const tir::Document& document) {
  std::set<std::string_view> functions;
  for (const tir::Loss& loss : document.losses) {
    if (loss.code == tir::LossCode::attr_object) functions.insert(loss.where);
  }
  return functions;
}

using FunctionsByName = std::map<std::string_view, tir::Node>;

FunctionsByName functions_by_name(const tir::Module& module) {
  FunctionsByName functions;
  for (const tir::NamedFunction& one : tir::prim_functions_of(module)) {
    functions.emplace(one.name, one.function);
  }
  return functions;
}

/// The functions of a capture by the names that functions with their symbols have in C. A capture
/// of several modules has other names for their mains.
struct CapturedFunctions {
  FunctionsByName by_name;
  std::map<std::string_view, std::string_view> names_in_c;  // by name in the capture, if another
};

CapturedFunctions captured_functions(const tir::Module& captured, const tir::Module& read) {
  std::map<std::string_view, std::string_view> by_symbol;
  for (const tir::NamedFunction& one : tir::prim_functions_of(read)) {
    by_symbol.emplace(one.symbol, one.name);
  }
  CapturedFunctions functions;
  for (const tir::NamedFunction& one : tir::prim_functions_of(captured)) {
    const auto in_c = by_symbol.find(one.symbol);
    const bool is_renamed = in_c != by_symbol.end() && in_c->second != one.name;
    if (is_renamed) functions.names_in_c.emplace(one.name, in_c->second);
    functions.by_name.emplace(is_renamed ? in_c->second : one.name, one.function);
  }
  return functions;
}

/// Gives main the same name in every network.
bool is_main(std::string_view name) {
  return std::ranges::find(tir::kMainNames, name) != tir::kMainNames.end();
}

/// The arguments of a function.
struct Signature {
  std::size_t tensors = 0;  ///< and contexts
  std::size_t pools = 0;
};

Signature signature_of(tir::Node function) {
  Signature signature;
  for (const tir::Node param : function.list(tir::f::PrimFunc::params)) {
    ++(tir::pool_name(param.text(tir::f::Var::name)).empty() ? signature.tensors : signature.pools);
  }
  return signature;
}

bool has_constants(tir::Node function) {
  bool found = false;
  tir::for_each_pre_order(function[tir::f::PrimFunc::body], [&](tir::Node node) {
    found = found || node.is(tir::Kind::AllocateConst);
  });
  return found;
}

/// Sets the stage or build, if the memory planner or the graph executor gave a function other
/// arguments.
void find_form(std::string_view name, tir::Node in_capture, tir::Node in_c,
               ComparedWithC& compared) {
  const Signature captured = signature_of(in_capture);
  const Signature c = signature_of(in_c);
  if (captured.pools == 0 && c.pools > 0 && captured.tensors == c.tensors) {
    compared.other_stage =
        "it is from before the memory planner gave the functions of the C their pools";
    return;
  }
  if (captured.pools > 0 && c.pools == 0) {
    compared.other_build =
        fmt::format("function '{}' works in a pool there and in none in the C", name);
    return;
  }
  if (captured.tensors <= c.tensors || has_constants(in_capture)) return;
  if (c.pools == 0 && !has_constants(in_c)) return;
  compared.other_build = fmt::format(
      "function '{}' takes {} tensors there and {} in the C, which has constants in place of the "
      "others",
      name, captured.tensors, c.tensors);
}

/// Whether an expression has a pointer that a function may use. Elements of tensors are values;
/// their addresses are pointers.
bool has_pointer(tir::Node expression) {
  std::vector<tir::Node> stack{expression};
  while (!stack.empty()) {
    const tir::Node node = stack.back();
    stack.pop_back();
    if (node.is(tir::Kind::BufferLoad)) continue;
    if (tir::is_call_of(node, "tir.address_of")) return true;
    if (node.is(tir::Kind::Var) && node.dtype().is_handle()) return true;
    tir::for_each_child(node,
                        [&](tir::Node child, const tir::FieldInfo&) { stack.push_back(child); });
  }
  return false;
}

/// Whether a statement is a line of a log, an assertion or the like, which TVM does not write: text
/// that touches nothing of the network, or a call of a function that is not TVM's and gets no
/// tensor.
bool is_of_user(tir::Node statement, const FunctionsByName& functions) {
  if (graph::is_inert_text(statement)) return true;
  if (!statement.is(tir::Kind::Evaluate)) return false;
  const tir::Node call = statement[tir::f::Evaluate::value];
  if (!tir::is_call_of(call, "tir.call_extern")) return false;
  const tir::NodeList args = call.list(tir::f::Call::args);
  if (args.size() == 0 || !args[0].is(tir::Kind::StringImm)) return false;
  const std::string_view callee = args[0].text(tir::f::StringImm::value);
  if (callee.starts_with("TVM") || callee.starts_with("tvmgen_")) return false;
  if (functions.contains(callee)) return false;
  for (std::size_t i = 1; i < args.size(); ++i) {
    if (has_pointer(args[i])) return false;
  }
  return true;
}

/// Adds what a function has that TVM does not write, and that changes nothing that it computes.
/// Returns whether there is any.
bool add_code_of_user(tir::Node function, const FunctionsByName& functions,
                      tir::CodeOfUser& found) {
  bool has_any = false;
  tir::for_each_pre_order(function[tir::f::PrimFunc::body], [&](tir::Node node) {
    if (tir::is_call_of(node, "tir.tvm_check_return")) {
      const tir::NodeList args = node.list(tir::f::Call::args);
      const bool is_other =
          args.size() == 3 && args[1].is(tir::Kind::IntImm) && !tir::is_int_imm(args[1], -1);
      if (is_other) found.failures.insert(args[1].id());
      has_any = has_any || is_other;
    }
    if (!node.is(tir::Kind::SeqStmt)) return;
    std::vector<tir::NodeId> of_user;
    const tir::NodeList all = node.list(tir::f::SeqStmt::seq);
    for (const tir::Node one : all) {
      if (is_of_user(one, functions)) of_user.push_back(one.id());
    }
    if (of_user.size() == all.size()) return;
    found.statements.insert(of_user.begin(), of_user.end());
    has_any = has_any || !of_user.empty();
  });
  return has_any;
}

/// What a capture lacks or guesses, after both sides were reduced to what C can express. "Left" is
/// the C. Names of variables and attributes of functions are no matter of it: see
/// `Comparing::compare`.
class LostInCapture final : public tir::Tolerance {
 public:
  explicit LostInCapture(tir::Dialect dialect) : dialect_(dialect) {}

  bool takes(const tir::Mismatch& at) override {
    // One array in memory is several where save_json has it by value, and where a text prints it.
    if (at.aspect == tir::Aspect::identity) return at.left().is(tir::Kind::NDArray);
    if (dialect_ == tir::Dialect::save_json) return false;
    if (at.aspect == tir::Aspect::kind) return at.right().is(tir::Kind::MissingObject);
    return at.aspect == tir::Aspect::field && takes_field(at.left(), at.right(), at.field);
  }

 private:
  bool takes_field(tir::Node left, tir::Node right, std::uint8_t field) const {
    const bool is_legacy = dialect_ == tir::Dialect::legacy_text;
    switch (left.kind()) {
      case tir::Kind::FloatImm:  // legacy text has six digits
        return is_legacy && field == tir::f::FloatImm::value &&
               fmt::format("{:.6g}", left.real(field)) == fmt::format("{:.6g}", right.real(field));
      case tir::Kind::Call:  // TVMScript does not state the dtype of every call
        return dialect_ == tir::Dialect::tvmscript && field == tir::f::Call::dtype &&
               !tir::text::has_certain_dtype(left);
      case tir::Kind::For:  // TVMScript omits the 0 at which a loop begins, and its dtype
        return !is_legacy && field == tir::f::For::min && tir::is_int_imm(left.node(field), 0) &&
               tir::is_int_imm(right.node(field), 0);
      case tir::Kind::IfThenElse:  // printers before v0.12 omit the branch that never runs
        return dialect_ != tir::Dialect::tvmscript && field == tir::f::IfThenElse::else_case &&
               left.node(field) && !right.node(field) &&
               tir::int_imm_of(left[tir::f::IfThenElse::condition]).value_or(0) != 0;
      default:
        return false;
    }
  }

  tir::Dialect dialect_;
};

/// The documents of one comparison, and what it found function by function.
class Comparing {
 public:
  Comparing(const Deployment& deployment, ComparedWithC& result)
      : captured_(get_or_throw(deployment.document(*result.captured))),
        read_(get_or_throw(deployment.document(*result.c))),
        unread_(unread_parts(*read_)),
        result_(result) {
    add_lost_constants();
    find_forms();
    if (result_.is_comparable()) compare();
  }

  /// Why the C decides a function that both have; empty if the C was read completely and equals the
  /// capture.
  std::string why_c_decides(const std::string& function) const {
    if (!result_.is_comparable()) return std::string(kNotCompared);
    const auto unread = result_.unread.find(function);
    if (unread != result_.unread.end()) return unread->second;
    return differing_.contains(function) ? "it differs from " + result_.captured->name : "";
  }

  /// By their names in C.
  const FunctionsByName& captured() const { return functions_.by_name; }

 private:
  /// A file that was not read completely may change any function.
  const std::string_view* unread_part(std::string_view function) const {
    const auto of_file = unread_.find(std::string_view());
    const auto found = of_file != unread_.end() ? of_file : unread_.find(function);
    return found == unread_.end() ? nullptr : &found->second;
  }

  /// A text shows the first elements of a constant. Its data is lost if no constant of the C begins
  /// with them, so the two may differ.
  void add_lost_constants() {
    for (const tir::Loss& loss : captured_->losses) {
      if (loss.code != tir::LossCode::constant_data) continue;
      const auto in_c = functions_.names_in_c.find(loss.where);
      unread_.try_emplace(in_c == functions_.names_in_c.end() ? loss.where : in_c->second,
                          "the capture has a constant that is not found in the C");
    }
  }

  /// Uses the first function that differs. Two networks have no kernels in common.
  void find_forms() {
    std::size_t shared = 0;
    for (const auto& [name, function] : functions_.by_name) {
      const auto other = read_functions_.find(name);
      if (other == read_functions_.end()) continue;
      shared += is_main(name) ? 0 : 1;
      if (const auto* why = unread_part(name)) {
        result_.unread.emplace(name, *why);
        continue;
      }
      find_form(name, function, other->second, result_);
      if (!result_.is_comparable()) return;
    }
    if (shared == 0 && functions_.by_name.size() > 1 && read_functions_.size() > 1) {
      result_.other_build = "it has none of the kernels that the C has";
    }
  }

  /// Reduces both to what C can express, so passes of the code generator and missing types are no
  /// difference (`c_normal_form`). If most functions differ, they come from another build and were
  /// not edited.
  void compare() {
    const tir::VersionRange& version = read_->source.tvm_version;
    tir::CodeOfUser of_user;
    std::vector<std::string_view> edited;
    for (const auto& [name, function] : read_functions_) {
      if (add_code_of_user(function, read_functions_, of_user)) edited.push_back(name);
    }
    // Both sides have lost what C cannot express; C may still contain facts that the captured text
    // has lost.
    const tir::Module in_c = tir::c_normal_form(captured_->module, version, functions_.names_in_c);
    LostInCapture lost(captured_->source.dialect);
    tir::Comparison comparison =
        tir::compare(tir::c_normal_form(read_->module, version, {}, of_user), in_c, lost);
    // A function that was not read completely contradicts nothing. Calling conventions rename
    // parameters and the pointers behind them: no code depends on these names. Functions of one
    // target may be in several captures, or in several files of C. Texts omit the content of pools,
    // and no file of C may define them.
    const bool has_pools_lost = captured_->source.dialect != tir::Dialect::save_json &&
                                !without_attributes(*captured_).empty();
    const std::set<std::string_view> lacks_pools = without_attributes(*read_);
    for (const tir::Difference& difference : comparison.differences) {
      // The reader takes elements that nothing states for bytes.
      const bool is_guessed =
          difference.path.find(".buffer_map[") != std::string::npos &&
          difference.path.ends_with(".dtype") &&
          std::ranges::any_of(read_->losses, [&](const tir::Loss& loss) {
            return loss.code == tir::LossCode::buffer_shape && loss.where == difference.function;
          });
      if (is_guessed) {
        result_.unread.emplace(difference.function, "the C states no type of a parameter");
      }
    }
    std::erase_if(comparison.differences, [&](const tir::Difference& difference) {
      return difference.in == tir::DifferenceIn::name ||
             difference.in == tir::DifferenceIn::function ||
             result_.unread.contains(difference.function) ||
             (difference.in == tir::DifferenceIn::attribute &&
              (has_pools_lost || lacks_pools.contains(difference.function)));
    });
    result_.differences = std::move(comparison.differences);
    for (const tir::Difference& difference : result_.differences) {
      differing_.insert(difference.function);
      const auto place = read_->c_places.find(difference.function);
      if (place != read_->c_places.end()) result_.c_places.insert(*place);
    }
    for (const std::string_view name : edited) {
      if (differing_.contains(name)) continue;
      result_.unread.emplace(name, "it has statements that TVM does not write");
    }
    if (comparison.functions < 2 || 2 * differing_.size() <= comparison.functions) return;
    result_.other_build =
        fmt::format("{} of {} functions differ, the first at {}", differing_.size(),
                    comparison.functions, to_string(result_.differences.front()));
  }

  std::shared_ptr<const tir::Document> captured_;
  std::shared_ptr<const tir::Document> read_;
  CapturedFunctions functions_ = captured_functions(captured_->module, read_->module);
  FunctionsByName read_functions_ = functions_by_name(read_->module);
  Unread unread_;
  std::set<std::string_view> differing_;  // functions
  ComparedWithC& result_;
};

/// A source that the C of its modules is to agree with.
struct Capture {
  const TirSource* source = nullptr;
  TirOwners owners{};
};

/// A capture of several modules has the target of the first; that of some is not known.
bool may_be_same(const Target* a, const Target* b) {
  return a == nullptr || b == nullptr || a->text == b->text;
}

/// A function of C, by the comparisons with all captures.
struct FunctionOfC {
  std::string symbol;
  std::string why{};  ///< the C decides; empty: no capture has the function
  bool agrees = false;
  bool differs = false;
};
using FunctionsOfC = std::map<std::string_view, FunctionOfC>;  // by name

class AgreementFinder {
 public:
  AgreementFinder(const Deployment& deployment, const Stems& stems)
      : deployment_(deployment), stems_(&stems) {}

  Agreement run() && {
    const auto& sources = deployment_.tir_sources();
    const auto& modules = deployment_.library().modules;
    captures_.resize(modules.size());
    for (const TirSource& source : sources) {
      if (source.c) is_source_.insert(source.c.get());
      // Other stages are from before or after the passes that C has gone through.
      if (source.c || source.stage != kDefaultStage) continue;
      const Capture& capture =
          all_.emplace_back(Capture{&source, get_or_throw(deployment_.owners_of(source))});
      for (const std::size_t module : capture.owners.modules) {
        captures_[module].push_back(&capture);
      }
    }
    // Without a capture, the networks come from generated C, which is not read twice.
    if (is_source_.size() == sources.size()) return std::move(result_);
    for (std::size_t i = 0; i < modules.size(); ++i) {
      const auto read = support::to_result([&] { compare_module(i); });
      if (read) continue;
      support::throw_unless_invalid(read.error());
      result_.unreadable.emplace(i, to_string(read.error()));
    }
    find_captured_networks();
    return std::move(result_);
  }

 private:
  /// Once for all modules: a capture may have several.
  void find_captured_networks() {
    std::set<const TirSource*> differing;
    for (const ComparedWithC& compared : result_.comparisons) {
      if (std::ranges::none_of(compared.differences, is_main, &tir::Difference::function)) continue;
      for (const Capture* capture : captures_[compared.module]) differing.insert(capture->source);
    }
    if (differing.empty()) return;
    std::vector<const TirSource*> sources;
    for (const Capture& capture : all_) {
      if (differing.contains(capture.source)) sources.push_back(capture.source);
    }
    NetworkSearch search(deployment_);
    search.add_stage(sources);
    result_.captured = std::move(search).finish();
  }

  void compare_module(std::size_t module) {
    defined_.clear();
    const std::size_t first = result_.comparisons.size();
    for (const TirSource& c : get_or_throw(deployment_.generated_c(module))) compare(module, c);
    // Objects may define what the C does not.
    if (!deployment_.library().modules[module].files.objects.empty()) return;
    for (std::size_t i = first; i < result_.comparisons.size(); ++i) {
      if (result_.comparisons[i].is_comparable()) find_undefined(result_.comparisons[i]);
    }
  }

  void find_undefined(const ComparedWithC& compared) {
    const auto document = get_or_throw(deployment_.document(*compared.captured));
    for (const tir::NamedFunction& one : tir::prim_functions_of(document->module)) {
      if (deployment_.module_of_function(one.symbol) != compared.module) continue;
      if (defined_.contains(one.symbol)) continue;
      const bool is_new = result_.not_from[compared.captured->stem].emplace(one.symbol).second;
      if (is_new) {
        result_.decided.push_back(
            {compared.module, std::string(one.name), "no C of the archive defines it"});
      }
    }
  }

  /// C and capture must have the same target, otherwise their functions differ.
  void compare(std::size_t module, const TirSource& c) {
    const Target* target = get_or_throw(deployment_.owners_of(c)).target;
    const auto read = get_or_throw(deployment_.document(c));
    FunctionsOfC functions;
    for (const tir::NamedFunction& one : tir::prim_functions_of(read->module)) {
      functions.emplace(one.name, FunctionOfC{.symbol = std::string(one.symbol)});
      defined_.emplace(one.symbol);
    }
    bool has_capture = false;
    for (const Capture* capture : captures_[module]) {
      if (!may_be_same(capture->owners.target, target)) continue;
      has_capture = true;
      ComparedWithC& compared = result_.comparisons.emplace_back(
          ComparedWithC{.captured = capture->source, .c = &c, .module = module});
      if (capture->owners.modules.size() > kMostModules) {
        compared.other_stage = fmt::format("it has more than {} modules", kMostModules);
        for (auto& [name, function] : functions) function.why = kNotCompared;
        continue;
      }
      const Comparing comparing(deployment_, compared);
      for (const auto& [name, in_capture] : comparing.captured()) {
        FunctionOfC* const function = support::find_value(functions, name);
        if (function == nullptr) continue;
        function->why = comparing.why_c_decides(std::string(name));
        function->agrees = function->agrees || function->why.empty();
      }
      if (!compared.is_comparable()) continue;
      for (const tir::Difference& one : compared.differences) {
        FunctionOfC* const function = support::find_value(functions, one.function);
        if (function != nullptr) function->differs = true;
      }
    }
    for (const auto& [name, function] : functions) {
      if (function.differs) {
        ++result_.differing;
      } else if (function.agrees) {
        ++result_.agreeing;
      } else {
        result_.not_compared.push_back(function.symbol);
      }
    }
    take_c(module, c, has_capture, functions);
  }

  /// Functions that no capture has count only beside others that the C decides: main, which decides
  /// what is called, is else the same.
  void take_c(std::size_t module, const TirSource& c, bool has_capture,
              const FunctionsOfC& functions) {
    std::set<std::string_view> reasons;
    bool is_for_all = functions.size() > 1;
    for (const auto& [name, function] : functions) {
      if (function.agrees) {
        is_for_all = false;
      } else if (!function.why.empty()) {
        reasons.insert(function.why);
      }
    }
    if ((reasons.empty() && has_capture) || is_source_.contains(c.c.get())) return;
    is_for_all = is_for_all && reasons.size() == 1;
    if (is_for_all) result_.decided.push_back({module, {}, std::string(*reasons.begin())});
    TirSource& source = result_.c.emplace_back(c);
    source.stem = stems_.add_free(get_or_throw(deployment_.owners_of(c)).target);
    for (const auto& [name, function] : functions) {
      if (function.agrees) {
        result_.not_from[source.stem].insert(function.symbol);
        continue;
      }
      if (!function.why.empty() && !is_for_all) {
        result_.decided.push_back({module, std::string(name), function.why});
      }
      // A symbol has one definition, whatever the target of the capture.
      for (const Capture* capture : captures_[module]) {
        result_.not_from[capture->source->stem].insert(function.symbol);
      }
    }
    if (!has_capture) {
      result_.decided.push_back({module, {}, "no capture is of its stage and target"});
    }
  }

  const Deployment& deployment_;
  Stems stems_;
  std::deque<Capture> all_{};
  std::vector<std::vector<const Capture*>> captures_;  // by module
  std::set<const tir::CSources*> is_source_;           // the C that `tir_sources` has
  Symbols defined_{};                                  // by the C of the module
  Agreement result_{};
};

/// Whether both make the same calls with the same tensors, in the same places.
bool are_equal(const graph::Topology& one, const graph::Topology& other) {
  const auto place_of = [](const graph::Topology& network, const graph::Argument& argument) {
    using Place = std::tuple<std::string, std::optional<std::uint64_t>,
                             std::optional<std::uint64_t>, std::optional<graph::MemoryKind>>;
    if (!argument.storage) return Place();
    const graph::Storage& storage = network[*argument.storage];
    // Only some dialects state the size of memory that the caller has.
    return Place(storage.pool ? network[*storage.pool].name : "", storage.offset,
                 storage.memory ? storage.bytes : std::nullopt, storage.memory);
  };
  const auto are_equal_calls = [&](const graph::Call& a, const graph::Call& b) {
    return one.kernel_of(a).symbol == other.kernel_of(b).symbol &&
           std::ranges::equal(a.arguments, b.arguments,
                              [&](const graph::Argument& x, const graph::Argument& y) {
                                return place_of(one, x) == place_of(other, y);
                              });
  };
  return one.copies.size() == other.copies.size() && one.hooks.size() == other.hooks.size() &&
         std::ranges::equal(one.calls, other.calls, are_equal_calls) &&
         graph::differences_between(one, other).empty();
}

}  // namespace

Agreement agreement_of(const Deployment& deployment, const Stems& stems) {
  return AgreementFinder(deployment, stems).run();
}

std::string sentence_of(const ComparedWithC& compared, const tir::Difference& difference) {
  std::string place = compared.c->name;
  const auto function = compared.c_places.find(difference.function);
  const bool has_place = function != compared.c_places.end();
  if (has_place && function->second.member != place) {
    place = fmt::format("{}:{}", function->second.member, function->second.line);
  } else if (difference.left_range || has_place) {
    const support::SourceText text{{}, {}, compared.c->text};
    place +=
        fmt::format(":{}", difference.left_range ? text.locate(difference.left_range->begin).line
                                                 : function->second.line);
  }
  return fmt::format(
      "the generated C, {}, has {} where {} has {}: {}; the C counts, and if it is meant so, "
      "remove the capture",
      place, difference.left, compared.captured->name, difference.right, difference.path);
}

std::vector<bool> are_proofs(const Agreement& agreement, const ComparedWithC& compared,
                             const graph::Topology* network) {
  std::optional<bool> is_same_main;
  std::vector<bool> proofs;
  for (const tir::Difference& difference : compared.differences) {
    bool is_proof = network == nullptr || !is_main(difference.function);
    if (!is_proof && network->is_understood()) {
      if (!is_same_main) {
        const graph::Topology* const captured = agreement.captured.of(compared.module);
        is_same_main = captured != nullptr && are_equal(*captured, *network);
      }
      is_proof = !*is_same_main;
    }
    proofs.push_back(is_proof);
  }
  return proofs;
}

/// TIR of another stage contradicts nothing: it is the same program at another time.
std::optional<std::string> contradiction_with_c(const Deployment& deployment,
                                                const TirSource& captured) {
  for (const ComparedWithC& compared : get_or_throw(deployment.agreement())->comparisons) {
    if (compared.captured->stem != captured.stem) continue;
    const std::string about =
        "the archive's generated C, " + compared.c->name + ", contradicts it: ";
    if (!compared.other_build.empty()) return about + compared.other_build;
    if (!compared.differences.empty() && compared.other_stage.empty()) {
      return about + to_string(compared.differences.front());
    }
  }
  return std::nullopt;
}

}  // namespace mlf::deployment
