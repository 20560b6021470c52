#include "report/changed_members.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "deployment/tir_name.h"
#include "json/document.h"
#include "mlf/model_library.h"
#include "model_library/files.h"
#include "report/constants.h"
#include "report/kernel_text.h"
#include "support/c_files.h"
#include "support/error.h"
#include "support/lookup.h"
#include "support/name_map.h"
#include "tir/c/c.h"
#include "tir/c/read/tokens.h"
#include "tir/compare/compare.h"

namespace mlf::report {
namespace {

/// A constant with its values.
struct ComparedConstant {
  ModuleConstant constant;
  std::string_view kernel{};         ///< symbol of the first that reads it; empty: not known
  const CallReport* call = nullptr;  ///< the first that reads it; null: not known
};

std::vector<ComparedConstant> constants_of(const Report& report) {
  std::vector<ComparedConstant> constants;
  ConstantReader reader;
  for (const ModuleReport& module : report.modules) {
    std::map<graph::ValueId, const CallReport*> of_values;
    support::NameMap<std::string_view, const CallReport*> of_kernels;
    for (const CallReport& call : module.calls) {
      of_kernels.try_emplace(module.kernels[call.kernel].symbol, &call);
      for (const graph::Argument& argument : (*module.network)[call.call].arguments) {
        if (argument.reads) of_values.try_emplace(*argument.reads, &call);
      }
    }
    for (ModuleConstant& one : reader.constants_of(module)) {
      if (!one.summary.data) continue;
      const auto call = one.value ? support::value_at(of_values, *one.value)
                                  : support::value_at(of_kernels, one.kernel);
      const bool is_read = one.value && call;
      const std::string_view kernel = is_read ? module.kernels[(*call)->kernel].symbol : one.kernel;
      constants.push_back({std::move(one), kernel, call.value_or(nullptr)});
    }
  }
  return constants;
}

/// Whether two arrays of elements of `width` bytes have the same ones in any order.
bool are_reordered(std::span<const std::byte> a, std::span<const std::byte> b, std::size_t width) {
  const auto sorted = [width](std::span<const std::byte> data) {
    std::vector<std::string_view> elements;
    for (std::size_t at = 0; at + width <= data.size(); at += width) {
      elements.emplace_back(reinterpret_cast<const char*>(data.data() + at), width);
    }
    std::ranges::sort(elements);
    return elements;
  };
  return sorted(a) == sorted(b);
}

/// The difference of two constants; nothing if their values are equal or of other types.
std::optional<ConstantDifference> compare(const ComparedConstant& before,
                                          const ComparedConstant& after) {
  const ConstantSummary& one = after.constant.summary;
  const std::span<const std::byte> a = *before.constant.summary.data;
  const std::span<const std::byte> b = *one.data;
  const auto lanes = static_cast<std::size_t>(std::max<std::int16_t>(one.dtype.lanes, 1));
  const std::size_t width = one.dtype.element_bytes() * lanes;
  const bool are_alike = before.constant.summary.dtype == one.dtype;
  if (!are_alike || width == 0 || std::ranges::equal(a, b)) return std::nullopt;
  ConstantDifference difference{.name = std::string(after.constant.name),
                                .kernel = std::string(after.kernel),
                                .layer = after.call == nullptr ? "" : after.call->layer,
                                .bytes = b.size(),
                                .bytes_before = a.size(),
                                .elements = b.size() / width};
  if (a.size() != b.size()) return difference;
  difference.is_reordered = are_reordered(a, b, width);
  const ElementReader read = reader_of(one.dtype);
  if (read != nullptr) difference.largest = 0;
  for (std::size_t at = 0; at + width <= b.size(); at += width) {
    if (std::ranges::equal(a.subspan(at, width), b.subspan(at, width))) continue;
    ++difference.differing;
    if (!difference.largest) continue;
    const double by = std::abs(read(a.data() + at) - read(b.data() + at));
    difference.largest =
        std::isfinite(by) ? std::optional(std::max(*difference.largest, by)) : std::nullopt;
  }
  return difference;
}

/// The constants of a kernel whose names differ in numbers alone, which TVM counts anew if another
/// kernel changes; those of a lower number first.
using Numbered = std::map<std::pair<std::size_t, std::string_view>, const ComparedConstant*>;
using NumberedByName = std::map<std::pair<std::string, std::string>, Numbered>;

std::size_t size_of(const ComparedConstant* constant) {
  return constant->constant.summary.data->size();
}

std::set<std::size_t> sizes_of(const Numbered& numbered) {
  std::set<std::size_t> sizes;
  for (const auto& [number, one] : numbered) sizes.insert(size_of(one));
  return sizes;
}

/// By symbol of the kernel before, and name without numbers and the suffix of the memory planner.
NumberedByName by_name(const std::vector<ComparedConstant>& constants, const Partners* partners) {
  NumberedByName result;
  for (const ComparedConstant& one : constants) {
    std::string name(one.constant.name);
    if (name.ends_with("_let")) name.resize(name.size() - 4);
    std::erase_if(name, [](char c) { return c == '_' || (c >= '0' && c <= '9'); });
    const Partner* const partner =
        partners == nullptr ? nullptr : support::find_value(*partners, one.kernel);
    const std::string kernel(partner == nullptr ? one.kernel : partner->before);
    result[{kernel, std::move(name)}].try_emplace({one.constant.name.size(), one.constant.name},
                                                  &one);
  }
  return result;
}

using archive::Member;
using support::find_value;
using support::get_or_throw;

// --- The parts of a text that count --------------------------------------------------------------

/// metadata.json without what differs between two builds of one network: the time of the export,
/// and the order of the kernels.
std::string without_build(std::string_view text) {
  const json::Document document({{}, {}, text});
  std::map<std::size_t, std::pair<std::size_t, std::string_view>> other;  // by begin: end, new text
  const auto replace = [&](json::Value value, std::string_view by) {
    other.try_emplace(value.offset(), value.offset() + value.source().size(), by);
  };
  const auto add = [&](json::Value module) {
    if (const auto time = module.find("export_datetime")) replace(*time, "");
    std::optional<json::Value> kernels(module);
    for (const char* key : {"memory", "functions", "operator_functions"}) {
      if (kernels) kernels = kernels->find(key);
    }
    if (!kernels || !kernels->is_array()) return;
    auto sources = json::list_of(*kernels, [](json::Value one) { return one.source(); });
    std::ranges::sort(sources);
    auto next = sources.begin();
    for (const json::Value one : kernels->elements()) replace(one, *next++);
  };
  add(document.root());
  const auto modules = document.root().find("modules");
  if (modules && modules->is_object()) {
    for (const json::Member module : modules->members()) add(module.value);
  }
  std::string result;
  std::size_t at = 0;
  for (const auto& [begin, replacement] : other) {
    result.append(text.substr(at, begin - at)) += replacement.second;
    at = replacement.first;
  }
  return result.append(text.substr(at));
}

/// The bytes of a parameter file without the order of its parameters, which TVM writes in the order
/// of a hash table: what is before the names, and the arrays by name with their headers. Nothing if
/// it is not such a file.
std::optional<std::map<std::string, std::string_view>> arrays_by_name(std::string_view text) {
  // Magic number, reserved word, device, rank and type, and the number of bytes of data.
  constexpr std::size_t kHeader = 40;
  const auto params = support::value_if_valid(read_params(std::as_bytes(std::span(text)), {}));
  if (!params) return std::nullopt;
  std::map<std::string, std::string_view> arrays{{"", text.substr(0, 2 * sizeof(std::uint64_t))}};
  for (const Param& param : *params) {
    const std::size_t header = kHeader + param.shape.size() * sizeof(std::int64_t);
    arrays.emplace("=" + param.name,
                   text.substr(param.offset - header, header + param.data.size()));
  }
  return arrays;
}

bool are_equal_params(std::string_view left, std::string_view right) {
  const auto a = arrays_by_name(left);
  const auto b = arrays_by_name(right);
  return a && b && *a == *b;
}

/// The functions of a text by name, and the text between them.
struct Parts {
  std::map<std::string, std::string> functions{};
  std::string rest{};

  friend bool operator==(const Parts&, const Parts&) = default;
};

Parts parts_of(std::string_view text, const std::vector<tir::CDefinition>& definitions) {
  Parts parts;
  std::size_t at = 0;
  for (const auto& [symbol, range] : definitions) {
    if (range.begin < at) continue;
    parts.rest += text.substr(at, range.begin - at);
    parts.functions[symbol] += text.substr(range.begin, range.end - range.begin);
    at = range.end;
  }
  parts.rest += text.substr(at);
  return parts;
}

/// A name without the numbers that a printer adds to make it unique.
std::string_view base_of(std::string_view name) {
  while (!name.empty() && (std::isdigit(static_cast<unsigned char>(name.back())) != 0 ||
                           name.ends_with('_') || name.ends_with('"'))) {
    name.remove_suffix(1);
  }
  return name;
}

/// C without comments; one blank for any blanks.
std::string without_comments(std::string_view text) {
  std::string code;
  const auto end = static_cast<std::uint32_t>(text.size());
  for (std::uint32_t at = 0; at < end;) {
    std::uint32_t next = tir::c::skip_comments(text, at, end);
    if (next != at) {
      code += ' ';
    } else {
      const bool is_quote = text[at] == '"' || text[at] == '\'';
      next = is_quote ? tir::c::skip_quoted(text, at, end) : at + 1;
      code += text.substr(at, next - at);
    }
    at = next;
  }
  return code;
}

// --- The members that count ----------------------------------------------------------------------

using MembersByName = std::map<std::string_view, const Member*>;

MembersByName members_of(const archive::Archive& archive) {
  MembersByName members;
  for (const Member& one : archive.members()) {
    if (one.type != archive::MemberType::directory) members.emplace(one.name, &one);
  }
  return members;
}

/// The members that `mlf process` wrote and that are as it wrote them, by its manifest.
std::set<std::string, std::less<>> processed_members(const archive::Archive& archive) {
  using Names = std::set<std::string, std::less<>>;
  const std::string name = std::string(deployment::source_directory(archive)) + "mlf.json";
  const Member* const manifest = archive.find(name);
  if (manifest == nullptr) return {};
  const auto read = support::to_result([&] {
    const json::Document document({{}, {}, get_or_throw(archive.read(*manifest))});
    Names made;
    if (document.root().at("format").as_string() != "mlf-manifest") return made;
    made.insert(name);
    for (const json::Value one : document.root().at("written").as_array()) {
      const Member* const member = archive.find(one.at("name").as_string());
      if (member == nullptr) continue;
      const bool is_same = get_or_throw(archive.sha256(*member)) == one.at("sha256").as_string();
      if (is_same) made.insert(member->name);
    }
    return made;
  });
  return support::value_if_valid(read).value_or(Names());
}

/// The orders of entries in maps and of the constants of a module, which differ from run to run of
/// TVM.
class OrdersOfTvm final : public tir::Tolerance {
 public:
  bool takes(const tir::Mismatch& at) override { return at.aspect == tir::Aspect::order; }
  bool has_constants_in_any_order() const override { return true; }
};

/// Compares the members of two archives.
class MemberComparison {
 public:
  MemberComparison(const Deployment& before, const Deployment& after)
      : before_(before), after_(after) {}

  std::vector<MemberDifference> run() const {
    const MembersByName left = members_of(before_.archive());
    const MembersByName right = members_of(after_.archive());
    std::map<std::string_view, std::pair<const Member*, const Member*>> differing;
    for (const auto& [name, member] : left) {
      const Member* const* const other = find_value(right, name);
      if (other != nullptr && are_equal(*member, **other)) continue;
      differing[name] = {member, other == nullptr ? nullptr : *other};
    }
    for (const auto& [name, member] : right) {
      if (!left.contains(name)) differing[name] = {nullptr, member};
    }
    std::vector<MemberDifference> differences;
    if (differing.empty()) return differences;
    const auto made_before = processed_members(before_.archive());
    const auto made_after = processed_members(after_.archive());
    for (const auto& [name, pair] : differing) {
      const auto& [a, b] = pair;
      const bool is_made = (a == nullptr || made_before.contains(name)) &&
                           (b == nullptr || made_after.contains(name));
      if (is_made) continue;
      MemberDifference difference{.name = std::string(name),
                                  .change = a == nullptr   ? KernelChange::added
                                            : b == nullptr ? KernelChange::removed
                                                           : KernelChange::changed};
      const bool has_both = a != nullptr && b != nullptr;
      if (has_both && compare_functions(*a, *b, difference)) continue;
      differences.push_back(std::move(difference));
    }
    pair_renamed(left, right, differences);
    return differences;
  }

 private:
  bool are_equal(const Member& a, const Member& b) const {
    if (a.type != b.type || a.link_target != b.link_target) return false;
    if (a.type != archive::MemberType::file) return true;
    const std::string_view left = get_or_throw(before_.archive().read(a));
    const std::string_view right = get_or_throw(after_.archive().read(b));
    if (left == right) return true;
    if (a.name.ends_with(".params")) return are_equal_params(left, right);
    return a.name == model_library::kMetadata && without_build(left) == without_build(right);
  }

  /// The TIR of a member; null if it has none.
  std::shared_ptr<const tir::Document> tir_of(const Deployment& deployment,
                                              const Member& member) const {
    for (const TirSource& source : deployment.tir_sources()) {
      if (source.c) continue;
      if (source.member == &member) {
        return support::value_if_valid(deployment.document(source)).value_or(nullptr);
      }
      if (source.twin_of != &member) continue;
      auto text =
          support::value_if_valid(deployment.read_tir(text_beside(deployment.archive(), source)));
      return text ? std::make_shared<const tir::Document>(*std::move(text)) : nullptr;
    }
    return nullptr;
  }

  std::optional<Parts> parts(const Deployment& deployment, const Member& member) const {
    if (!support::is_c_source(member.name) && !support::is_c_header(member.name))
      return std::nullopt;
    const std::string_view text = get_or_throw(deployment.archive().read(member));
    return parts_of(text, tir::describe_c(text).definitions);
  }

  /// Adds the functions that differ in two members of one name. Returns whether these differ in
  /// their order alone.
  bool compare_functions(const Member& a, const Member& b, MemberDifference& difference) const {
    if (a.type != archive::MemberType::file || b.type != a.type) return false;
    const auto old_tir = tir_of(before_, a);
    const auto new_tir = tir_of(after_, b);
    if (old_tir != nullptr && new_tir != nullptr) {
      std::set<std::string> functions;
      OrdersOfTvm orders;
      auto found = tir::compare(old_tir->module, new_tir->module, orders).differences;
      if (old_tir->source.dialect != tir::Dialect::save_json) {
        std::erase_if(found, [](const tir::Difference& one) {
          return one.in == tir::DifferenceIn::name && base_of(one.left) == base_of(one.right);
        });
      }
      support::NameMap<std::string_view, std::string_view> symbols;
      for (const auto* tir : {&old_tir, &new_tir}) {
        for (const tir::NamedFunction& one : tir::prim_functions_of((*tir)->module)) {
          symbols.try_emplace(one.name, one.symbol);
        }
      }
      for (const tir::Difference& one : found) {
        if (one.function.empty()) continue;
        functions.emplace(support::value_at(symbols, std::string_view(one.function))
                              .value_or(std::string_view(one.function)));
      }
      difference.functions.assign(functions.begin(), functions.end());
      return found.empty() && old_tir->source.tvm_version == new_tir->source.tvm_version;
    }
    const auto left = parts(before_, a);
    const auto right = parts(after_, b);
    if (!left || !right) return false;
    if (*left == *right) return true;
    const auto add = [&](const Parts& of, const Parts& other, bool is_first) {
      for (const auto& [symbol, text] : of.functions) {
        const std::string* const same = find_value(other.functions, symbol);
        const bool is_listed = same != nullptr && !is_first;
        if (is_listed || (same != nullptr && text == *same)) continue;
        const bool is_code = same == nullptr || without_comments(text) != without_comments(*same);
        if (is_code) difference.functions.push_back(symbol);
      }
    };
    add(*left, *right, true);
    add(*right, *left, false);
    return false;
  }

  /// Finds members that have only another name.
  void pair_renamed(const MembersByName& left, const MembersByName& right,
                    std::vector<MemberDifference>& differences) const {
    std::multimap<std::string, MemberDifference*> removed;  // by digest
    for (MemberDifference& one : differences) {
      if (one.change != KernelChange::removed) continue;
      removed.emplace(get_or_throw(before_.archive().sha256(*left.at(one.name))), &one);
    }
    for (MemberDifference& one : differences) {
      if (one.change != KernelChange::added) continue;
      const auto found = removed.find(get_or_throw(after_.archive().sha256(*right.at(one.name))));
      if (found == removed.end()) continue;
      one.same_as = found->second->name;
      found->second->same_as = one.name;
      removed.erase(found);
    }
  }

  const Deployment& before_;
  const Deployment& after_;
};

}  // namespace

std::vector<ConstantDifference> changed_constants(const Report& before, const Report& after,
                                                  const Partners& partners) {
  const std::vector<ComparedConstant> old_constants = constants_of(before);
  const std::vector<ComparedConstant> new_constants = constants_of(after);
  const NumberedByName known = by_name(old_constants, nullptr);
  std::map<const ComparedConstant*, const ComparedConstant*> pairs;  // by constant after
  for (const auto& [name, numbered] : by_name(new_constants, &partners)) {
    const Numbered* const old = support::find_value(known, name);
    if (old == nullptr) continue;
    // With more of them in one build, only those of one name are the same.
    const bool is_in_order = old->size() == numbered.size();
    const std::set<std::size_t> old_sizes = sizes_of(*old);
    const std::set<std::size_t> new_sizes = sizes_of(numbered);
    auto next = old->begin();
    for (const auto& [number, one] : numbered) {
      const ComparedConstant* const partner =
          is_in_order ? (next++)->second : support::value_at(*old, number).value_or(nullptr);
      if (partner == nullptr) continue;
      // Of another size, it is another constant if one of that size is elsewhere.
      const bool is_other =
          size_of(one) != size_of(partner) &&
          (old_sizes.contains(size_of(one)) || new_sizes.contains(size_of(partner)));
      if (!is_other) pairs.emplace(one, partner);
    }
  }
  std::vector<ConstantDifference> differences;
  for (const ComparedConstant& one : new_constants) {
    const auto partner = pairs.find(&one);
    if (partner == pairs.end()) continue;
    if (auto difference = compare(*partner->second, one)) {
      differences.push_back(*std::move(difference));
    }
  }
  return differences;
}

std::vector<MemberDifference> changed_members(const Deployment& before, const Deployment& after) {
  return MemberComparison(before, after).run();
}

}  // namespace mlf::report
