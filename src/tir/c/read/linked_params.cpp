#include "tir/c/read/linked_params.h"

#include <vector>

#include "tir/node_queries.h"

namespace mlf::tir::c {

/// `case 3: ((uint64_t*)out_ret_value)[0] = (uint64_t) (uintptr_t) __tvm_param__p1;`
void read_linked_param_ids(const support::SourceText& source, const Item& function,
                           LinkedParamIds& ids) {
  Cursor cursor(source, tokenize(source.text, function.body.begin, function.body.end));
  std::optional<std::int64_t> id;
  for (; !cursor.at_end(); cursor.advance()) {
    if (cursor.at_word("default")) id.reset();
    if (cursor.at_word("case")) id = decimal(cursor.text(1));
    if (!id || !cursor.at_name() || !cursor.text().starts_with(kLinkedParamPrefix)) continue;
    ids.try_emplace(cursor.text().substr(kLinkedParamPrefix.size()), *id);
  }
}

std::optional<NodePair> linked_params_function(ModuleContext& context, const LinkedParamIds& ids) {
  Builder& builder = context.builder;
  text::ExprFactory& make = context.make;
  std::vector<NamedNode> params;
  for (const ConstantArray& array : context.facts.arrays) {
    if (!array.name.starts_with(kLinkedParamPrefix)) continue;
    const std::string_view name = array.name.substr(kLinkedParamPrefix.size());
    const auto known = ids.find(name);
    const std::int64_t id =
        known == ids.end() ? static_cast<std::int64_t>(params.size()) : known->second;
    params.push_back({builder.string(name), builder.make(Kind::LinkedParam, {id, array.data})});
  }
  if (params.empty()) return std::nullopt;
  const NodeId map = builder.make(Kind::StringMap, {builder.map(params)});
  const NodeId attrs = builder.make(
      Kind::DictAttrs, {builder.map(std::vector<NamedNode>{
                           {builder.string("global_symbol"), make.string(kLinkedParamsFunction)},
                           {builder.string(kLinkedParams), map}})});
  const NodeId nothing = builder.make(Kind::SeqStmt, {builder.list(std::span<const NodeId>())});
  const NodeId function = builder.make(
      Kind::PrimFunc, {builder.list(std::span<const NodeId>()), make.void_type(),
                       builder.map(std::span<const NodePair>()), ListId::none, attrs, nothing});
  return NodePair{make.global_var(kLinkedParamsFunction), function};
}

}  // namespace mlf::tir::c
