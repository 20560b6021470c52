#include "report/pairing.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "analysis/fingerprint.h"
#include "support/characters.h"
#include "tir/c/c.h"
#include "tir/node_queries.h"

namespace mlf::report {
namespace {

using analysis::Count;
using graph::Topology;

/// Equal keys of both sides get equal numbers. Does not use hashes: a collision would pair
/// unrelated calls.
class Numbering {
 public:
  std::uint64_t of(std::vector<std::uint64_t> key) {
    return numbers_.try_emplace(std::move(key), numbers_.size()).first->second;
  }
  std::uint64_t of(const std::string& text) {
    return texts_.try_emplace(text, texts_.size()).first->second;
  }

 private:
  std::map<std::vector<std::uint64_t>, std::uint64_t> numbers_;
  std::map<std::string, std::uint64_t> texts_;
};

/// How closely two calls must agree to be paired, the closest first. Of names of different
/// programs, only kept ones and the operator count: TVM numbers and hashes names anew if anything
/// before a kernel changes.
struct Likeness {
  bool by_program = false;
  bool by_kept_name = false;  ///< see names_kept
  bool by_name = false;       ///< of equal kernels, one of which may have changed
  bool by_producers = false;  ///< tensors from calls of which this holds as well, up to the inputs
  bool by_types = false;      ///< of the tensors; C does not say them
  bool by_operator = false;   ///< and elements of the output of any type
  bool by_mac = false;        ///< multiply-accumulates in place of the operator, if it has some
};
constexpr std::array kLikenesses{
    Likeness{.by_program = true, .by_name = true, .by_producers = true},
    Likeness{.by_program = true, .by_producers = true},
    Likeness{.by_program = true, .by_name = true},
    Likeness{.by_program = true},
    Likeness{.by_producers = true, .by_types = true},
    Likeness{.by_kept_name = true, .by_operator = true, .by_mac = true},
    Likeness{.by_operator = true, .by_mac = true},
    Likeness{.by_kept_name = true},
    Likeness{.by_types = true},
    Likeness{.by_operator = true},
    Likeness{.by_producers = true}};

/// The first operator of `relay.nn` in a kernel's name that is more than padding, without the words
/// of a schedule: "dense" of "nn_contrib_dense_pack_clip_cast"; else the name without casts and
/// numbers.
std::string operator_of(std::string_view name) {
  std::string words;
  bool is_operator = false;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find('_', at), name.size());
    const std::string_view word = name.substr(at, end - at);
    at = end + 1;
    if (word == "contrib") continue;
    if (is_operator && word != "pad") return std::string(word);
    is_operator = word == "nn";
    const bool is_number = word.find_first_not_of("0123456789") == word.npos;
    if (word != "cast" && !is_number) words.append(word) += '_';
  }
  return words;
}

/// The number of elements of the first output; 0 if it is not known.
std::uint64_t output_elements(const CallReport& call) {
  if (!call.output.shape) return 0;
  std::uint64_t elements = 1;
  for (const std::int64_t extent : *call.output.shape) {
    elements *= static_cast<std::uint64_t>(extent);
  }
  return elements;
}

std::uint64_t program_as_read(const KernelReport& kernel) {
  // For code without TIR, only the name is known.
  if (!kernel.document) return std::hash<std::string>()(kernel.symbol);
  return analysis::fingerprint(kernel.document->module.node(kernel.function));
}

/// Fingerprints of kernels as generated C has them: texts of two versions of TVM, and TIR and C,
/// say the same code in different ways. The form is made once for each TIR, as it rebuilds the
/// whole module.
class ProgramsAsC {
 public:
  explicit ProgramsAsC(analysis::Digits digits) : digits_(digits) {}

  std::uint64_t of(const KernelReport& kernel) {
    if (!kernel.document) return program_as_read(kernel);
    const tir::Node function = kernel.document->module.node(kernel.function);
    const auto& functions = normal_functions(*kernel.document);
    const auto found = functions.find(name_in(kernel.document->module, function));
    return analysis::fingerprint(found == functions.end() ? function : found->second, digits_);
  }

 private:
  using Functions = std::map<std::string, tir::Node, std::less<>>;
  struct NormalForm {
    tir::Module module;
    Functions functions;
  };

  static std::string name_in(const tir::Module& module, tir::Node function) {
    for (const tir::NamedFunction& one : tir::functions_of(module)) {
      if (one.function == function) return std::string(one.name);
    }
    return {};
  }

  const Functions& normal_functions(const tir::Document& document) {
    const auto known = forms_.find(&document);
    if (known != forms_.end()) return known->second->functions;
    auto form = std::make_unique<NormalForm>(
        // Of any version: that of a text may be less certain than that of the C.
        NormalForm{tir::c_normal_form(document.module, tir::VersionRange{}), {}});
    for (const tir::NamedFunction& one : tir::functions_of(form->module)) {
      form->functions.try_emplace(std::string(one.name), one.function);
    }
    return forms_.emplace(&document, std::move(form)).first->second->functions;
  }

  analysis::Digits digits_;
  std::map<const tir::Document*, std::unique_ptr<NormalForm>> forms_;
};

/// A number for each call, equal where calls are alike. `likeness` is one of kLikenesses.
std::vector<std::uint64_t> keys_of(const Side& side, const Likeness& likeness,
                                   Numbering& numbering) {
  const Topology& network = *side.module.network;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint64_t> of_values(network.values.size(), 0);
  for (std::size_t i = 0; i < network.values.size(); ++i) {
    // Their order identifies inputs; their kind identifies other values that no call writes.
    const graph::Value& value = network.values[i];
    const bool is_input = value.kind == graph::ValueKind::input;
    of_values[i] = numbering.of(is_input ? fmt::format("input {}", i) : std::string("constant"));
  }
  const bool by_arguments = likeness.by_types || likeness.by_producers;
  for (const CallReport& report : side.module.calls) {
    const graph::Call& call = network[report.call];
    std::vector<std::uint64_t> key{static_cast<std::uint64_t>(&likeness - kLikenesses.data())};
    if (likeness.by_program) key.push_back(side.programs[report.kernel]);
    if (likeness.by_name) {
      key.push_back(numbering.of(side.module.kernels[report.kernel].short_name));
    }
    if (likeness.by_kept_name) {
      key.push_back(numbering.of(side.kept_names[report.kernel]));
    }
    const Count& mac = report[CallMeasure::mac];
    if (likeness.by_operator) key.push_back(output_elements(report));
    const bool has_work = likeness.by_mac && mac.is_exact() && mac.min > 0;
    key.push_back(has_work ? 1 : 0);
    if (has_work) {
      key.push_back(mac.min);
    } else if (likeness.by_operator) {
      key.push_back(numbering.of(operator_of(side.module.kernels[report.kernel].short_name)));
    }
    for (const graph::Argument& argument : call.arguments) {
      if (!by_arguments) break;
      // Pools, device contexts and similar arguments depend on the calling convention, not on the
      // network.
      if (!argument.reads && !argument.writes) continue;
      key.push_back(static_cast<std::uint64_t>(argument.direction));
      if (likeness.by_types) key.push_back(numbering.of(type_text(argument.type)));
      if (likeness.by_producers && argument.reads) key.push_back(of_values[index(*argument.reads)]);
    }
    keys.push_back(numbering.of(std::move(key)));
    // Calls are in execution order, so producers get their numbers before their readers.
    std::uint64_t output = 0;
    for (const graph::Argument& argument : call.arguments) {
      if (argument.writes) {
        of_values[index(*argument.writes)] = numbering.of(std::vector{keys.back(), output++});
      }
    }
  }
  return keys;
}

/// Whether one of the calls certainly has multiply-accumulates and the other has none.
bool do_other_work(const CallReport& a, const CallReport& b) {
  const Count& left = a[CallMeasure::mac];
  const Count& right = b[CallMeasure::mac];
  return (left.max == 0 && right.min > 0) || (right.max == 0 && left.min > 0);
}

/// By call: whether the other side has the same program as its kernel. If main may hide calls, a
/// hidden call of that program may be the partner.
std::vector<bool> calls_of_shared_programs(const Side& side, const Side& other) {
  std::vector<bool> shared(side.module.calls.size());
  if (!side.may_hide_calls() && !other.may_hide_calls()) return shared;
  const std::set<std::uint64_t> known(other.programs.begin(), other.programs.end());
  for (std::size_t i = 0; i < shared.size(); ++i) {
    shared[i] = known.contains(side.programs[side.module.calls[i].kernel]);
  }
  return shared;
}

}  // namespace

ProgramsOfBoth programs_of(const ModuleReport& a, const ModuleReport& b) {
  const std::array modules{&a, &b};
  ProgramsOfBoth read;
  for (std::size_t side = 0; side < modules.size(); ++side) {
    std::ranges::transform(modules[side]->kernels, std::back_inserter(read[side]), program_as_read);
  }
  ProgramsOfBoth programs = read;
  const bool has_legacy_text = std::ranges::any_of(modules, [](const ModuleReport* module) {
    return std::ranges::any_of(module->kernels, [](const KernelReport& kernel) {
      return kernel.document && kernel.document->source.dialect == tir::Dialect::legacy_text;
    });
  });
  ProgramsAsC as_c(has_legacy_text ? analysis::Digits::six : analysis::Digits::all);
  for (std::size_t side = 0; side < modules.size(); ++side) {
    const std::set<std::uint64_t> others(read[1 - side].begin(), read[1 - side].end());
    for (std::size_t i = 0; i < read[side].size(); ++i) {
      if (!others.contains(read[side][i])) programs[side][i] = as_c.of(modules[side]->kernels[i]);
    }
  }
  return programs;
}

std::vector<std::string> names_kept(const ModuleReport& module, const ModuleReport& other,
                                    std::string_view build) {
  std::map<std::string_view, std::int64_t> surplus;
  for (const KernelReport& one : module.kernels) ++surplus[support::without_number(one.short_name)];
  for (const KernelReport& one : other.kernels) --surplus[support::without_number(one.short_name)];
  std::vector<std::string> names;
  for (const KernelReport& one : module.kernels) {
    const bool is_kept = surplus[support::without_number(one.short_name)] == 0;
    names.push_back(is_kept ? one.short_name : fmt::format("{} of {}", one.symbol, build));
  }
  return names;
}

std::string type_text(const graph::TensorType& type) {
  std::string text = type.dtype.is_void() ? "?" : tir::to_string(type.dtype);
  if (!type.shape) return text + "[?]";
  for (const std::int64_t extent : *type.shape) text += "," + std::to_string(extent);
  return text;
}

std::vector<std::size_t> pair_calls(const Side& left, const Side& right) {
  std::vector<std::size_t> partners(left.module.calls.size(), kNone);
  std::vector<bool> taken(right.module.calls.size());
  const std::vector<bool> left_shared = calls_of_shared_programs(left, right);
  const std::vector<bool> right_shared = calls_of_shared_programs(right, left);
  Numbering numbering;
  for (const Likeness& likeness : kLikenesses) {
    const bool by_program = likeness.by_program;
    const auto left_keys = keys_of(left, likeness, numbering);
    const auto right_keys = keys_of(right, likeness, numbering);
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> free;  // the last one first
    for (std::size_t i = right_keys.size(); i-- > 0;) {
      if (taken[i] || (!by_program && right_shared[i])) continue;
      free[right_keys[i]].push_back(i);
    }
    for (std::size_t i = 0; i < left_keys.size(); ++i) {
      if (partners[i] != kNone || (!by_program && left_shared[i])) continue;
      const auto found = free.find(left_keys[i]);
      if (found == free.end() || found->second.empty()) continue;
      const CallReport& other = right.module.calls[found->second.back()];
      if (!by_program && do_other_work(left.module.calls[i], other)) continue;
      partners[i] = found->second.back();
      taken[partners[i]] = true;
      found->second.pop_back();
    }
  }
  return partners;
}

}  // namespace mlf::report
