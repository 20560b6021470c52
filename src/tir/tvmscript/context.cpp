// Names, the metadata section and the constant pools of a text.
#include "tir/tvmscript/context.h"

#include <algorithm>

#include "support/error.h"
#include "tir/node_queries.h"
#include "tir/pools.h"

namespace mlf::tir::tvmscript {

// --- Names -------------------------------------------------------------------------------------

namespace {

/// Removes the next word from `text` and returns it.
std::string_view take_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t#"), text.size());
  const std::size_t end = std::min(text.find_first_of(" \t\r", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

}  // namespace

bool read_import(std::string_view comment, Prefixes& prefixes) {
  for (const std::string_view expected : {"from", "tvm.script", "import"}) {
    if (take_word(comment) != expected) return true;
  }
  const std::string_view module = take_word(comment);
  const std::string_view prefix = take_word(comment) == "as" ? take_word(comment) : module;
  if (module == "ir") prefixes.ir = prefix;
  if (module == "tir") prefixes.tir = prefix;
  if (module == "relax") prefixes.relax = prefix;
  return module != "tirx";
}

std::string_view after_prefix(std::string_view path, std::string_view prefix) {
  const bool matches =
      path.size() > prefix.size() && path.starts_with(prefix) && path[prefix.size()] == '.';
  return matches ? path.substr(prefix.size() + 1) : std::string_view();
}

/// The printer writes `T` here, for any prefix.
bool is_root_block(std::string_view comment) {
  if (take_word(comment) != "with") return false;
  const std::string_view path = take_word(comment);
  const std::size_t dot = path.find('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view call = path.substr(dot + 1);
  return call.starts_with("block(\"root\")") || call.starts_with("block('root')");
}

// --- Places ------------------------------------------------------------------------------------

void Context::note_dtype_word(NodeId id, const Value& dtype) {
  if (dtype.kind != ValueKind::string) return;
  const text::Syntax& quoted = values.syntax(dtype.syntax);
  note_dtype(id, quoted.begin + 1, quoted.end - 1);
}

// --- Constant pools ----------------------------------------------------------------------------

NodeId PoolObjects::constant(std::string_view name, NodeId offset, NodeId data) {
  const auto make = [&] {
    return builder_.make(Kind::ConstantInfo, {builder_.string(name), offset, data});
  };
  // Always a number in TVM's output.
  const Node number = builder_.node(offset);
  if (!number.is(Kind::IntImm)) return make();
  NodeId& known = constants_[{std::string(name), number.integer(f::IntImm::value), data}];
  if (known == NodeId::none) known = make();
  return known;
}

NodeId PoolObjects::pool(std::vector<NodeId> constants) {
  NodeId& known = pools_[constants];
  if (known != NodeId::none) return known;
  const NodeId none = NodeId::none;
  known =
      builder_.make(Kind::ConstantPoolInfo, {StringId::none, ListId::none, none, none, none, none,
                                             none, none, none, false, builder_.list(constants)});
  return known;
}

void PoolObjects::name_pools(NodeId root, LossLog& losses) {
  if (pools_.empty()) return;
  std::map<NodeId, std::string> names;
  const NodeMap functions = builder_.node(root).map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (const PoolUse& use : pool_uses(functions.value(i))) {
      const Node info = use.allocated[f::AllocatedPoolInfo::pool_info];
      if (info && !use.name.empty()) names.try_emplace(info.id(), use.name);
    }
  }
  for (const auto& [constants, pool] : pools_) {
    const auto name = names.find(pool);
    if (name == names.end()) {
      losses.add(LossCode::pool_name, "");
    } else {
      builder_.set(pool, f::ConstantPoolInfo::pool_name, builder_.string(name->second));
    }
  }
}

}  // namespace mlf::tir::tvmscript
