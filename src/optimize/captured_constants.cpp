#include "optimize/captured_constants.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "edit/edit.h"
#include "mlf/tir/write.h"
#include "support/error.h"

namespace mlf::optimize {
namespace {

using archive::Member;
using deployment::TirForm;
using support::get_or_throw;
using tir::Dialect;
using tir::Kind;
using tir::Node;
using tir::NodeId;
using tir::SourceRange;
namespace f = tir::f;

bool is_text(const CapturedReading& reading) {
  return reading.form != TirForm::twin;
}

/// Old TVMScript does not contain all values that would change.
bool has_places(Dialect dialect) {
  return dialect == Dialect::tvmscript || dialect == Dialect::legacy_text;
}

/// The extents of the constant and of its buffers.
std::vector<Node> extents_of(const ConstantUse& use, const tir::Module& module) {
  std::vector<Node> extents;
  const Node owner = module.node(use.owner);
  if (owner.is(Kind::AllocateConst)) {
    for (const Node extent : owner.list(f::AllocateConst::extents)) extents.push_back(extent);
  }
  for (const NodeId buffer : use.buffers) {
    for (const Node extent : module.node(buffer).list(f::Buffer::shape)) extents.push_back(extent);
  }
  return extents;
}

/// "0" for each index; keeps the text between them.
std::string zeros_for(std::string_view indices) {
  std::string zeros = "0";
  std::size_t depth = 0;
  for (const char c : indices) {
    if (c == '(') ++depth;
    if (c == ')' && depth > 0) --depth;
    if (c == ',' && depth == 0) zeros += ", 0";
  }
  return zeros;
}

/// The edits that give the constant one element in a text; nullopt if the text does not contain all
/// values that change.
std::optional<std::vector<edit::Edit>> single_edits(const ConstantUse& use,
                                                    const CapturedReading& reading,
                                                    std::string_view text) {
  std::vector<edit::Edit> edits;
  for (const Node extent : extents_of(use, reading.document.module)) {
    const tir::Place* const place = reading.places.find(extent.id());
    if (place == nullptr) return std::nullopt;
    edits.push_back({place->range, "1"});
  }
  if (const tir::Place* const values = reading.places.values(use.variable)) {
    const auto [begin, end] = values->range;
    const std::size_t comma = text.substr(0, end).find(',', begin);
    if (text[begin] != '[' || comma == text.npos) return std::nullopt;
    edits.push_back({{static_cast<std::uint32_t>(comma), end - 1}, {}});
  }
  const auto* const loads = support::find_value(reading.loads, use.variable);
  if (loads == nullptr) return edits;
  for (const tir::Place& load : *loads) {
    const auto index = plain_index(text, load.range);
    if (!index) return std::nullopt;
    edits.push_back({*index, zeros_for(text.substr(index->begin, index->end - index->begin))});
  }
  return edits;
}

class Keeping {
 public:
  Keeping(CConstants& constants, const edit::EditedMembers& edited)
      : constants_(constants), edited_(edited) {
    for (const CReading& reading : constants_.readings) {
      for (const ConstantUse& use : reading.constants.uses) {
        const auto index = reading.constant_of(use);
        if (use.pool.empty() && index) arrays_[use.function].push_back(*index);
      }
    }
    for (std::size_t i = 0; i < constants_.all.size(); ++i) {
      const CConstant& one = constants_.all[i];
      if (!one.pool.empty()) in_pools_.emplace(std::pair(one.pool, one.offset), i);
    }
  }

  /// `found` are the constants of the module in this reading.
  void keep_by(const CapturedReading& reading, const ModuleConstants& found) {
    const std::string& where = reading.member->name;
    if (!found.pools_kept.empty()) {
      constants_.keep_all_pools(where + ": " + found.pools_kept);
    }
    for (const ConstantPool& pool : found.pools) keep_by_list(pool, reading);
    std::map<std::string, std::size_t> counts;
    for (const ConstantUse& use : found.uses) {
      if (use.pool.empty()) ++counts[use.function];
    }
    for (const auto& [function, count] : counts) {
      const auto arrays = arrays_.find(function);
      if (arrays == arrays_.end() || arrays->second.size() == count) continue;
      for (const std::size_t index : arrays->second) {
        keep(constants_.all[index].kept, where + " has other constants of '" + function + "'");
      }
    }
    for (const ConstantUse& use : found.uses) {
      CConstant* const constant = constant_of(use);
      if (constant == nullptr) {
        if (!use.pool.empty()) {
          constants_.keep_pool(use.pool, where + ": '" + use.name + "' is at no constant of the C");
        }
        continue;
      }
      constant->is_unused = false;
      if (!use.kept.empty()) keep(constant->kept, where + ": " + use.kept);
      if (!use.element.is_void() && use.element != constant->dtype) {
        keep(constant->kept, where + " has it as " + to_string(use.element));
      }
      if (!may_be_single(use, reading)) {
        keep(constant->all_kept, where + " does not spell its extents and indices");
      }
      if (is_text(reading)) keep_by_text(use, reading, *constant);
    }
  }

 private:
  void keep_by_list(const ConstantPool& pool, const CapturedReading& reading) {
    for (const PoolConstant& one : pool.constants) {
      if (!in_pools_.contains({pool.name, one.offset})) {
        constants_.keep_pool(pool.name, reading.member->name + " has other constants in the pool");
      }
      const bool has_data = is_text(reading) && one.array != NodeId::none &&
                            reading.document.module.node(one.array).is(Kind::NDArray);
      if (has_data)
        constants_.keep_pool(pool.name, reading.member->name + " has data of constants");
    }
  }

  CConstant* constant_of(const ConstantUse& use) {
    if (!use.pool.empty()) {
      const auto found = in_pools_.find({use.pool, use.offset});
      return found == in_pools_.end() ? nullptr : &constants_.all[found->second];
    }
    const auto found = arrays_.find(use.function);
    if (found == arrays_.end() || use.ordinal >= found->second.size()) return nullptr;
    return &constants_.all[found->second[use.ordinal]];
  }

  bool may_be_single(const ConstantUse& use, const CapturedReading& reading) const {
    const tir::Module& module = reading.document.module;
    const bool has_numbers =
        std::ranges::all_of(extents_of(use, module),
                            [](Node extent) { return extent.is(Kind::IntImm); }) &&
        std::ranges::all_of(use.loads,
                            [&](NodeId load) { return has_plain_indices(module.node(load)); });
    return has_numbers &&
           (!is_text(reading) || single_edits(use, reading, edited_.text_of(*reading.member)));
  }

  void keep_by_text(const ConstantUse& use, const CapturedReading& reading, CConstant& constant) {
    const tir::Places& places = reading.places;
    const auto* const loads = support::find_value(reading.loads, use.variable);
    const std::size_t spelled = loads == nullptr ? 0 : loads->size();
    if (!has_places(reading.document.source.dialect) || spelled < use.loads.size()) {
      keep(constant.kept, reading.member->name + " does not spell its loads");
    }
    const auto has_dtype = [&](NodeId id) { return !places.dtypes(id).empty(); };
    if (!has_dtype(use.variable) || !std::ranges::all_of(use.buffers, has_dtype)) {
      keep(constant.type_kept, reading.member->name + " does not spell its type");
    }
  }

  CConstants& constants_;
  const edit::EditedMembers& edited_;
  std::map<std::string, std::vector<std::size_t>> arrays_;  // by function, in the order of its text
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> in_pools_;
};

/// The edits of one text.
class TextEditor {
 public:
  TextEditor(const CapturedReading& reading, std::span<const ConstantsChange> changes,
             std::string_view text)
      : reading_(reading), changes_(changes), text_(text) {}

  std::string run() && {
    for (const ConstantsChange& change : changes_) {
      for (const ConstantUse& use : change.constants.uses) {
        if (const NewConstant* const after = change.wanted.of(use)) change_use(use, *after);
      }
      change_numbers(change);
    }
    change_lists();
    return edit::apply(text_, std::move(edits_));
  }

 private:
  void change_use(const ConstantUse& use, const NewConstant& after) {
    if (!after.changes(use.element)) return;
    if (after.is_single()) make_single(use);
    if (after.dtype == use.element) return;
    change_dtypes(use.variable, after.dtype);
    for (const NodeId buffer : use.buffers) change_dtypes(buffer, after.dtype);
    const auto* const loads = support::find_value(reading_.loads, use.variable);
    if (loads == nullptr) return;
    for (const tir::Place& load : *loads) {
      const auto [begin, end] = load.range;
      edits_.push_back({{begin, begin}, cast_to(use.element)});
      edits_.push_back({{end, end}, ")"});
    }
  }

  std::string cast_to(tir::DType dtype) const {
    const bool is_script = reading_.document.source.dialect == Dialect::tvmscript;
    const std::string name = to_string(dtype);
    return is_script ? "T.Cast(\"" + name + "\", " : "cast(" + name + ", ";
  }

  void make_single(const ConstantUse& use) {
    auto edits = single_edits(use, reading_, text_);
    if (!edits) edit::refuse("'" + use.name + "' cannot have one element", reading_.member->name);
    std::ranges::move(*edits, std::back_inserter(edits_));
  }

  void change_dtypes(NodeId id, tir::DType dtype) {
    for (const tir::Place& place : reading_.places.dtypes(id)) {
      edits_.push_back({place.range, to_string(dtype)});
    }
  }

  void change_numbers(const ConstantsChange& change) {
    for (const FunctionSites& function : change.constants.sites) {
      for (const StatedNumber& number : stated_numbers(function, change.wanted)) {
        const tir::Place* const place = reading_.places.find(number.integer);
        if (number.change.before == number.change.after || place == nullptr) continue;
        edits_.push_back(edit::number_edit(source(), place->range, number.change, number.what));
      }
    }
  }

  support::SourceText source() const { return {{}, reading_.member->name, text_}; }

  /// Edits each mention of a constant in a pool: its offset, or the whole mention if an equal one
  /// remains.
  void change_lists() {
    struct Listed {
      const PoolConstant* constant;
      const NewConstant* wanted;
    };
    std::map<NodeId, Listed> by_info;
    for (const auto& [constants, wanted] : changes_) {
      for (const ConstantPool& pool : constants.pools) {
        for (const PoolConstant& one : pool.constants) {
          by_info.emplace(one.info, Listed{&one, wanted.of(pool, one)});
        }
      }
    }
    bool is_first = true;  // whether no element remains before it in its list
    for (const tir::ListedConstant& listed : reading_.places.listed()) {
      if (listed.mention.begin > 0 && text_[listed.mention.begin - 1] == '[') is_first = true;
      const auto found = by_info.find(listed.info);
      const NewConstant* const wanted = found == by_info.end() ? nullptr : found->second.wanted;
      if (wanted != nullptr && wanted->is_removed) {
        edits_.push_back({with_comma(listed.mention, is_first), {}});
        continue;
      }
      is_first = false;
      if (wanted == nullptr) continue;
      const PoolConstant& constant = *found->second.constant;
      edits_.push_back(edit::number_edit(source(), listed.offset, {constant.offset, wanted->offset},
                                         "the offset of '" + constant.name + "'"));
    }
  }

  SourceRange with_comma(SourceRange mention, bool is_first) const {
    constexpr std::string_view kComma = ", ";
    constexpr auto kLength = static_cast<std::uint32_t>(kComma.size());
    if (is_first && text_.substr(mention.end).starts_with(kComma)) {
      return {mention.begin, mention.end + kLength};
    }
    if (!is_first && text_.substr(0, mention.begin).ends_with(kComma)) {
      return {mention.begin - kLength, mention.end};
    }
    return mention;
  }

  const CapturedReading& reading_;
  std::span<const ConstantsChange> changes_;
  std::string_view text_;
  std::vector<edit::Edit> edits_;
};

std::string save_json_of(const tir::Document& document) {
  std::string text;
  get_or_throw(tir::write_save_json(document, [&](std::string_view bytes) { text += bytes; }));
  return text;
}

bool changes(const ModuleConstants& constants, const NewConstants& wanted) {
  return std::ranges::any_of(constants.uses,
                             [&](const ConstantUse& use) { return wanted.of(use) != nullptr; }) ||
         std::ranges::any_of(constants.sites, [&](const FunctionSites& function) {
           return std::ranges::any_of(function.sizes, [&](const SizeSite& size) {
             return wanted.pool_sizes.contains(size.pool);
           });
         });
}

/// Those that change something in this member.
std::vector<ConstantsChange> changes_in(const CapturedReading& reading,
                                        const std::map<std::size_t, NewConstants>& wanted) {
  std::vector<ConstantsChange> found;
  for (const auto& [module, constants] : reading.constants) {
    const NewConstants* const of_module = support::find_value(wanted, module);
    if (of_module == nullptr || !changes(constants, *of_module)) continue;
    found.push_back({constants, *of_module});
  }
  return found;
}

}  // namespace

CapturedMembers captured_members(const Deployment& deployment, edit::EditedMembers& edited,
                                 const tir::ReadLimits& limits) {
  CapturedMembers members;
  for (const Member& member : deployment.archive().members()) {
    if (!edited.captured_form(member)) continue;
    edit::PlacedTir tir = edited.take_tir(member, limits);
    std::set<std::size_t> modules;
    for (const tir::NamedFunction& one : tir::functions_of(tir.document.module)) {
      if (const auto module = deployment.module_of_function(one.symbol)) modules.insert(*module);
    }
    for (const std::size_t module : modules) members[module].push_back(&member);
    edited.keep_tir(member, std::move(tir));
  }
  return members;
}

std::vector<std::vector<std::size_t>> groups_of_modules(std::size_t modules,
                                                        const CapturedMembers& members) {
  std::map<const Member*, std::vector<std::size_t>> of_member;
  for (const auto& [module, of_module] : members) {
    for (const Member* const member : of_module) of_member[member].push_back(module);
  }
  std::vector<std::vector<std::size_t>> groups;
  std::vector<bool> is_known(modules);
  for (std::size_t first = 0; first < modules; ++first) {
    if (is_known[first]) continue;
    is_known[first] = true;
    std::vector<std::size_t> group{first};
    // Grows while it is read.
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto of_module = members.find(group[i]);
      if (of_module == members.end()) continue;
      for (const Member* const member : of_module->second) {
        const auto others = of_member.extract(member);
        if (others.empty()) continue;
        for (const std::size_t other : others.mapped()) {
          if (!is_known[other]) group.push_back(other);
          is_known[other] = true;
        }
      }
    }
    std::ranges::sort(group);
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<CapturedReading> read_captured(const Deployment& deployment,
                                           const CapturedMembers& members,
                                           const ConstantsByModule& constants,
                                           edit::EditedMembers& edited,
                                           const tir::ReadLimits& limits) {
  // In the order of the archive.
  std::set<const Member*> wanted;
  for (const auto& [module, of_module] : constants) {
    const auto* const found = support::find_value(members, module);
    if (found != nullptr) wanted.insert(found->begin(), found->end());
  }
  std::vector<CapturedReading> readings;
  for (const Member* const member : wanted) {
    auto [document, places] = edited.take_tir(*member, limits);
    std::map<std::size_t, ModuleConstants> found;
    for (const auto& [module, functions] : edit::functions_by_module(document.module, deployment)) {
      const CConstants* const c = support::find_value(constants, module);
      if (c == nullptr) continue;
      std::set<std::string, std::less<>> pools;
      for (const CPoolOfConstants& pool : c->pools) pools.insert(pool.name);
      ModuleConstants& of_module = found[module];
      of_module = constants_of(document.module, functions, std::move(pools));
      for (ConstantUse& use : of_module.uses) {
        use.spells_elements = places.values(use.variable) != nullptr;
      }
    }
    LoadPlaces loads = loads_by_variable(document.module, places);
    readings.push_back({member, edited.captured_form(*member).value(), std::move(document),
                        std::move(places), std::move(loads), std::move(found)});
  }
  return readings;
}

void keep_by_captured(const std::vector<CapturedReading>& captured, std::size_t module,
                      const edit::EditedMembers& edited, CConstants& constants) {
  Keeping keeping(constants, edited);
  for (const CapturedReading& reading : captured) {
    const ModuleConstants* const found = support::find_value(reading.constants, module);
    if (found != nullptr) keeping.keep_by(reading, *found);
  }
}

void edit_captured(std::vector<CapturedReading> captured,
                   const std::map<std::size_t, NewConstants>& wanted, edit::EditedMembers& edited,
                   const tir::ReadLimits& limits) {
  for (CapturedReading& reading : captured) {
    const std::vector<ConstantsChange> changes = changes_in(reading, wanted);
    if (changes.empty()) {
      edited.keep_tir(*reading.member, {std::move(reading.document), std::move(reading.places)});
      continue;
    }
    std::string text;
    if (is_text(reading)) {
      text = TextEditor(reading, changes, edited.text_of(*reading.member)).run();
    }
    reading.document.module = with_new_constants(std::move(reading.document.module), changes);
    if (!is_text(reading)) {
      edited.replace({reading.member->name, save_json_of(reading.document)});
      continue;
    }
    edited.replace({reading.member->name, std::move(text)});
    edit::PlacedTir after = edited.take_tir(*reading.member, limits);
    edit::require_equal(reading.document.module, after.document.module, reading.member->name);
    edited.keep_tir(*reading.member, std::move(after));
  }
}

}  // namespace mlf::optimize
