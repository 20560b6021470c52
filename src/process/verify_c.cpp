#include "process/verify_c.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "deployment/tir_name.h"
#include "mlf/tir/visit.h"
#include "support/error.h"
#include "tir/c/c.h"
#include "tir/compare/compare.h"
#include "tir/node_queries.h"
#include "tir/pools.h"

namespace mlf::process {
namespace {

using support::get_or_throw;

bool has_lost(const tir::Document& document, tir::LossCode code) {
  return std::any_of(document.losses.begin(), document.losses.end(),
                     [&](const tir::Loss& loss) { return loss.code == code; });
}

bool has_lost(const tir::Document& document, tir::LossCode code, std::string_view function) {
  return std::any_of(document.losses.begin(), document.losses.end(), [&](const tir::Loss& loss) {
    return loss.code == code && loss.where == function;
  });
}

/// A function that the reader of C does not understand contradicts nothing, and neither does a
/// command stream.
bool is_kept_as_text(const tir::Document& read, const tir::Difference& difference) {
  return has_lost(read, tir::LossCode::unknown_construct, difference.function) ||
         has_lost(read, tir::LossCode::npu_commands, difference.function);
}

/// Ignores the pools of a function if no file of C defines them.
bool lacks_pools(const tir::Document& read, const tir::Difference& difference) {
  return difference.in == tir::DifferenceIn::attribute &&
         has_lost(read, tir::LossCode::attr_object, difference.function);
}

/// Texts omit the content of pools.
bool is_lost_in_text(const tir::Document& captured, const tir::Difference& difference) {
  return captured.source.dialect != tir::Dialect::save_json &&
         difference.in == tir::DifferenceIn::attribute &&
         has_lost(captured, tir::LossCode::attr_object);
}

/// The functions of a module by name.
std::map<std::string_view, tir::Node> functions_by_name(const tir::Module& module) {
  std::map<std::string_view, tir::Node> functions;
  for (const tir::NamedFunction& one : tir::prim_functions_of(module)) {
    functions.emplace(one.name, one.function);
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
  bool has_constants = false;  ///< pools of its own
};

Signature signature_of(tir::Node function) {
  Signature signature;
  for (const tir::Node param : function.list(tir::f::PrimFunc::params)) {
    ++(tir::pool_name(param.text(tir::f::Var::name)).empty() ? signature.tensors : signature.pools);
  }
  tir::for_each_pre_order(function[tir::f::PrimFunc::body], [&](tir::Node node) {
    signature.has_constants = signature.has_constants || node.is(tir::Kind::AllocateConst);
  });
  return signature;
}

/// How the memory planner and the graph executor change a function's arguments. Empty: they do not.
struct OtherForm {
  std::string stage{};  ///< the capture is from another stage: the same program in another form
  std::string build{};  ///< the capture is from another build
};

OtherForm other_form(std::string_view name, const Signature& captured, const Signature& c) {
  if (captured.pools == 0 && c.pools > 0 && captured.tensors == c.tensors) {
    return {.stage =
                "it is from before the memory planner gave the functions of the C their pools"};
  }
  if (captured.pools > 0 && c.pools == 0) {
    return {.build = fmt::format("function '{}' works in a pool there and in none in the C", name)};
  }
  const bool takes_more = captured.tensors > c.tensors && !captured.has_constants;
  if (takes_more && (c.has_constants || c.pools > 0)) {
    return {.build = fmt::format("function '{}' takes {} tensors there and {} in the C, which has "
                                 "constants in place of the others",
                                 name, captured.tensors, c.tensors)};
  }
  return {};
}

/// One capture and the C of its module and target, both reduced to what C can express, so passes of
/// the code generator and missing types are no difference (`c_normal_form`).
class ComparedWithC {
 public:
  ComparedWithC(const tir::Document& captured, const tir::Document& read)
      : captured_(captured), read_(read) {
    find_form();
    if (form_.stage.empty() && form_.build.empty()) compare();
  }

  const OtherForm& form() const { return form_; }
  const std::vector<tir::Difference>& differences() const { return differences_; }
  std::size_t functions() const { return functions_; }
  std::size_t differing() const {
    std::set<std::string_view> names;
    for (const tir::Difference& difference : differences_) names.insert(difference.function);
    return names.size();
  }

 private:
  /// Uses the first function that differs. Two networks have no kernels in common.
  void find_form() {
    const auto captured = functions_by_name(captured_.module);
    const auto read = functions_by_name(read_.module);
    std::size_t shared = 0;
    for (const auto& [name, function] : captured) {
      const auto other = read.find(name);
      if (other == read.end() || has_lost(read_, tir::LossCode::npu_commands, name)) continue;
      shared += is_main(name) ? 0 : 1;
      form_ = other_form(name, signature_of(function), signature_of(other->second));
      if (!form_.stage.empty() || !form_.build.empty()) return;
    }
    if (shared == 0 && captured.size() > 1 && read.size() > 1) {
      form_.build = "it has none of the kernels that the C has";
    }
  }

  bool is_explained(const tir::Difference& difference) const {
    // Calling conventions rename parameters and the pointers behind them: no code depends on these
    // names. Functions of one target may be in several captures, or in several files of C.
    return difference.in == tir::DifferenceIn::name ||
           difference.in == tir::DifferenceIn::function || is_lost_in_text(captured_, difference) ||
           is_kept_as_text(read_, difference) || lacks_pools(read_, difference);
  }

  /// If most functions differ, they come from another build and were not edited.
  void compare() {
    const tir::VersionRange& version = read_.source.tvm_version;
    // Both sides have lost what C cannot express; C may still contain facts that the captured text
    // has lost.
    tir::Comparison comparison = tir::compare(tir::c_normal_form(read_.module, version).module,
                                              tir::c_normal_form(captured_.module, version).module,
                                              tir::Tolerance::of(captured_.source.dialect));
    std::erase_if(comparison.differences,
                  [&](const tir::Difference& difference) { return is_explained(difference); });
    functions_ = comparison.functions;
    differences_ = std::move(comparison.differences);
    if (functions_ < 2 || 2 * differing() <= functions_) return;
    form_.build = fmt::format("{} of {} functions differ, the first at {}", differing(), functions_,
                              to_string(differences_.front()));
  }

  const tir::Document& captured_;
  const tir::Document& read_;
  OtherForm form_;
  std::vector<tir::Difference> differences_;
  std::size_t functions_ = 0;
};

/// TVM prints float16 as `half` for every target with C, and only CUDA and OpenCL have this type.
bool uses_half(const tir::Module& module) {
  for (std::uint32_t i = 1; i < module.size(); ++i) {
    const tir::Node node = module.node(static_cast<tir::NodeId>(i));
    if (node.category() != tir::Category::expr) continue;
    if (node.dtype().element() == tir::DType::Float(16)) return true;
  }
  return false;
}

class CheckOfC {
 public:
  explicit CheckOfC(const Deployment& deployment) : deployment_(deployment) {}

  ComparisonWithC run() && {
    // Reading generated C is slow: skipped if there is nothing to compare it with.
    const bool any_captured = std::ranges::any_of(
        deployment_.tir_sources(), [](const TirSource& source) { return !source.c; });
    for (std::size_t i = 0; any_captured && i < modules().size(); ++i) {
      for (const TirSource& c : get_or_throw(deployment_.generated_c(i))) {
        check_types(c);
        check(i, c);
      }
    }
    // Without a capture, the networks were made from generated C.
    for (const TirSource& source : deployment_.tir_sources()) {
      if (source.c && !any_captured) check_types(source);
    }
    return std::move(result_);
  }

  /// TIR of another stage contradicts nothing: it is the same program at another time.
  std::optional<std::string> contradiction_of(const TirSource& source) {
    const auto module = module_of(source);
    if (!module) return std::nullopt;
    const Target* target = get_or_throw(deployment_.owners_of(source)).target;
    for (const TirSource& c : get_or_throw(deployment_.generated_c(*module))) {
      if (get_or_throw(deployment_.owners_of(c)).target != target) continue;
      const auto captured = get_or_throw(deployment_.document(source));
      const auto read = get_or_throw(deployment_.document(c));
      const ComparedWithC compared(*captured, *read);
      const std::string about = "the archive's generated C, " + c.name + ", contradicts it: ";
      if (!compared.form().build.empty()) return about + compared.form().build;
      if (!compared.differences().empty() && compared.form().stage.empty()) {
        return about + to_string(compared.differences().front());
      }
    }
    return std::nullopt;
  }

 private:
  /// The module whose C is to agree with a capture.
  std::optional<std::size_t> module_of(const TirSource& captured) const {
    // Other stages are from before or after the passes that C has gone through.
    if (captured.c || captured.stage != deployment::kDefaultStage) return std::nullopt;
    const TirOwners owners = get_or_throw(deployment_.owners_of(captured));
    // A capture over several modules has functions that the C of one is without.
    return owners.modules.size() == 1 ? std::optional(owners.modules.front()) : std::nullopt;
  }

  /// The captures whose `module_of` is a module, in their order.
  std::span<const TirSource* const> captures_of(std::size_t module) {
    if (!captures_) {
      captures_.emplace(modules().size());
      for (const TirSource& source : deployment_.tir_sources()) {
        if (const auto owner = module_of(source)) captures_->at(*owner).push_back(&source);
      }
    }
    return captures_->at(module);
  }

  void compare(std::size_t module, const TirSource& source, const TirSource& c) {
    const auto captured = get_or_throw(deployment_.document(source));
    const auto read = get_or_throw(deployment_.document(c));
    const ComparedWithC compared(*captured, *read);
    const auto add = [&](graph::Severity severity, FindingCode code, std::string detail) {
      result_.findings.push_back({.severity = severity,
                                  .code = code,
                                  .module = modules()[module].name,
                                  .detail = std::move(detail)});
    };
    const OtherForm& form = compared.form();
    const std::string& why = form.stage.empty() ? form.build : form.stage;
    if (!why.empty()) {
      std::string reason = form.stage.empty() ? "it is of another build: " + why : why;
      add(graph::Severity::warning, FindingCode::not_compared,
          fmt::format("{} was not compared with the generated C, {}, because {}", source.name,
                      c.name, reason));
      if (result_.why_not.empty()) result_.why_not = fmt::format("{}: {}", source.name, reason);
      return;
    }
    for (const tir::Difference& difference : compared.differences()) {
      add(graph::Severity::error, FindingCode::c_mismatch,
          fmt::format("the generated C, {}, and {} (second) differ: {}", c.name,
                      captured->source.member, to_string(difference)));
    }
    result_.functions += compared.functions();
    result_.differing += compared.differing();
  }

  void check(std::size_t module, const TirSource& c) {
    // C and capture must have the same target, otherwise their functions differ.
    const Target* target = get_or_throw(deployment_.owners_of(c)).target;
    for (const TirSource* captured : captures_of(module)) {
      const bool is_of_target = get_or_throw(deployment_.owners_of(*captured)).target == target;
      if (is_of_target) compare(module, *captured, c);
    }
  }

  void check_types(const TirSource& c) {
    if (!uses_half(get_or_throw(deployment_.document(c))->module)) return;
    const std::vector<std::size_t> owners = get_or_throw(deployment_.owners_of(c)).modules;
    result_.findings.push_back(
        {.severity = graph::Severity::warning,
         .code = FindingCode::c_type,
         .module = owners.empty() ? "" : modules()[owners.front()].name,
         .detail = "the generated C, " + c.name +
                   ", uses the type half, which C does not have: it compiles only where a header "
                   "defines it"});
  }

  const std::vector<Module>& modules() const { return deployment_.library().modules; }

  const Deployment& deployment_;
  std::optional<std::vector<std::vector<const TirSource*>>> captures_;  // by module
  ComparisonWithC result_{};
};

}  // namespace

ComparisonWithC compare_with_c(const Deployment& deployment) {
  return CheckOfC(deployment).run();
}

std::optional<std::string> contradiction_with_c(const Deployment& deployment,
                                                const TirSource& captured) {
  return CheckOfC(deployment).contradiction_of(captured);
}

}  // namespace mlf::process
