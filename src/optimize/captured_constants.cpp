#include "optimize/c_constants.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "edit/edited_archive.h"
#include "support/error.h"

namespace mlf::optimize {
namespace {

using archive::Member;
using support::get_or_throw;
using tir::Dialect;
using tir::Kind;
using tir::Node;
using tir::NodeId;
namespace f = tir::f;

bool is_text(const CapturedReading& reading) {
  return reading.tir.document.source.dialect != Dialect::save_json;
}

/// Old TVMScript does not contain all values that would change.
bool has_places(Dialect dialect) {
  return dialect == Dialect::tvmscript || dialect == Dialect::legacy_text;
}

class Keeping {
 public:
  Keeping(CConstants& constants, const edit::EditedMembers& edited)
      : constants_(constants), edited_(edited) {
    for (const CReading& reading : constants_.readings) {
      for (const ConstantUse& use : reading.constants.uses) {
        const auto index = reading.constant_of(use);
        if (use.key.pool.empty() && index && by_key_.emplace(use.key, *index).second) {
          ++arrays_[use.function];
        }
      }
    }
    for (std::size_t i = 0; i < constants_.all.size(); ++i) {
      const CConstant& one = constants_.all[i];
      if (!one.pool.empty()) by_key_.emplace(ConstantKey::in_pool(one.pool, one.offset), i);
    }
  }

  /// `found` are the constants of the module in this reading.
  void keep_by(const CapturedReading& reading, const ModuleConstants& found) {
    const std::string& where = reading.tir.name();
    if (!found.pools_kept.empty()) {
      constants_.keep_all_pools(where + ": " + found.pools_kept);
    }
    for (const ConstantPool& pool : found.pools) keep_by_list(pool, reading);
    std::map<std::string, std::size_t> counts;
    for (const ConstantUse& use : found.uses) {
      if (use.key.pool.empty()) ++counts[use.function];
    }
    for (const auto& [key, index] : by_key_) {
      const auto* const count = support::find_value(counts, key.function);
      if (count == nullptr || *count == arrays_.at(key.function)) continue;
      keep(constants_.all[index].kept, where + " has other constants of '" + key.function + "'");
    }
    for (const ConstantUse& use : found.uses) {
      const auto* const index = support::find_value(by_key_, use.key);
      if (index == nullptr) {
        if (!use.key.pool.empty()) {
          constants_.keep_pool(use.key.pool,
                               where + ": '" + use.name + "' is at no constant of the C");
        }
        continue;
      }
      CConstant& constant = constants_.all[*index];
      constant.is_unused = false;
      if (!use.kept.empty()) keep(constant.kept, where + ": " + use.kept);
      if (!use.element.is_void() && use.element != constant.dtype) {
        keep(constant.kept, where + " has it as " + to_string(use.element));
      }
      if (!may_have_one_element(use, reading.tir, edited_)) {
        keep(constant.all_kept, where + " does not spell its extents and indices");
      }
      if (is_text(reading)) keep_by_text(use, reading, constant);
    }
  }

 private:
  void keep_by_list(const ConstantPool& pool, const CapturedReading& reading) {
    for (const PoolConstant& one : pool.constants) {
      if (!by_key_.contains(ConstantKey::in_pool(pool.name, one.offset))) {
        constants_.keep_pool(pool.name, reading.tir.name() + " has other constants in the pool");
      }
      const bool has_data = is_text(reading) && one.array != NodeId::none &&
                            reading.tir.document.module.node(one.array).is(Kind::NDArray);
      if (has_data) constants_.keep_pool(pool.name, reading.tir.name() + " has data of constants");
    }
  }

  void keep_by_text(const ConstantUse& use, const CapturedReading& reading, CConstant& constant) {
    const tir::Places& places = reading.tir.places;
    const std::size_t spelled = reading.tir.loads_of(use.variable).size();
    if (!has_places(reading.tir.document.source.dialect) || spelled < use.loads.size()) {
      keep(constant.kept, reading.tir.name() + " does not spell its loads");
    }
    const auto has_dtype = [&](NodeId id) { return !places.dtypes(id).empty(); };
    if (!has_dtype(use.variable) || !std::ranges::all_of(use.buffers, has_dtype)) {
      keep(constant.type_kept, reading.tir.name() + " does not spell its type");
    }
  }

  CConstants& constants_;
  const edit::EditedMembers& edited_;
  std::map<ConstantKey, std::size_t> by_key_;
  std::map<std::string, std::size_t> arrays_;  // their number, by function
};

}  // namespace

std::vector<CapturedReading> read_captured(const ConstantsByModule& constants,
                                           edit::EditedMembers& edited) {
  std::vector<CapturedReading> readings;
  for (const Member* const member : edited.captured()) {
    edit::PlacedTir tir = edited.take_tir(*member);
    const tir::Module& read = tir.document.module;
    std::map<std::size_t, ModuleConstants> found;
    for (const auto& [module, functions] : edit::functions_by_module(read, edited.deployment())) {
      const CConstants* const c = support::find_value(constants, module);
      if (c == nullptr) continue;
      std::set<std::string, std::less<>> pools;
      for (const CPoolOfConstants& pool : c->pools) pools.insert(pool.name);
      ModuleConstants& of_module = found[module];
      of_module = constants_of(read, functions, std::move(pools));
      for (ConstantUse& use : of_module.uses) {
        use.spells_elements = tir.places.values.contains(use.variable);
      }
    }
    if (found.empty()) {
      edited.keep_tir(std::move(tir));
    } else {
      readings.push_back({std::move(tir), std::move(found)});
    }
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

std::vector<ChangedTir> changed(std::vector<CapturedReading> captured,
                                const std::map<std::size_t, NewConstants>& wanted) {
  std::vector<ChangedTir> all;
  for (CapturedReading& reading : captured) {
    ChangedTir& one = all.emplace_back(ChangedTir{std::move(reading.tir)});
    for (const auto& [module, constants] : reading.constants) {
      const NewConstants* const of_module = support::find_value(wanted, module);
      if (of_module != nullptr) one.changes.add(constants, *of_module);
    }
  }
  return all;
}

}  // namespace mlf::optimize
