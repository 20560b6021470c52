#include "tir/tvmscript/rules.h"

#include "tir/tvmscript/grammar.h"

namespace mlf::tir::tvmscript {
namespace {

constexpr GeneralLoss kNewLosses[] = {
    {LossCode::module_extras, "type definitions and source map"},
    {LossCode::map_order, "attributes and functions are sorted"},
    {LossCode::value_kind, "attributes and annotations"},
    {LossCode::name_hint, "variables and buffers"},
    {LossCode::size_var, "variables that no statement defines"},
    {LossCode::seq_nesting, "sequences"},
    {LossCode::span, "all nodes"},
    {LossCode::checked_type, "functions"},
    {LossCode::shared_var, "functions, scopes and their attributes"},
};

constexpr GeneralLoss kOldLosses[] = {
    {LossCode::module_attrs, "all of them"},
    {LossCode::module_extras, "type definitions and source map"},
    {LossCode::map_order, "functions stand in the order of a hash table"},
    {LossCode::value_kind, "attributes and annotations"},
    {LossCode::name_hint, "variables and buffers"},
    {LossCode::size_var, "all of them"},
    {LossCode::buffer_fields, "buffers of no parameter before they were flattened"},
    {LossCode::pointer_scope, "no scope and \"global\" look alike"},
    {LossCode::seq_nesting, "sequences"},
    {LossCode::span, "all nodes"},
    {LossCode::checked_type, "functions"},
    {LossCode::shared_var, "functions, scopes and their attributes"},
};

}  // namespace

const Rules& new_rules() {
  static const Rules kRules{.first_version = 12,
                            .last_version = kNewestTvm,
                            .grammar = &new_grammar(),
                            .states_module_attrs = true,
                            .drops_dead_else = false,
                            .nameless = {},
                            .booleans = Rules::Booleans::boxed,
                            .alignment = Rules::Alignment::fixed,
                            .reduce = {.init = 2, .axis = 3, .condition = 4, .value_index = 5},
                            .losses = kNewLosses};
  return kRules;
}

const Rules& old_rules() {
  static const Rules kRules{
      .first_version = kOldestTvm,
      .last_version = 11,
      .grammar = &old_grammar(),
      .states_module_attrs = false,
      .drops_dead_else = true,
      .nameless = "func",
      .booleans = Rules::Booleans::constants,
      .alignment = Rules::Alignment::by_version,
      .reduce = {.init = kNotPrinted, .axis = 2, .condition = kNotPrinted, .value_index = 3},
      .losses = kOldLosses};
  return kRules;
}

}  // namespace mlf::tir::tvmscript
