#include "tir/array_uses.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <utility>

#include "mlf/tir/visit.h"
#include "tir/node_queries.h"

namespace mlf::tir {
namespace {

/// Attributes that nest deeper than this contain no constants that could be matched.
constexpr std::size_t kMostSteps = 16;

// A reference into a metadata section states the type key of the missing object.
bool is_array(Node node) {
  return node.is(Kind::NDArray) ||
         (node.is(Kind::MissingObject) &&
          node.text(f::MissingObject::type_key) == info(Kind::NDArray).type_key);
}

// A shape with a variable in it does not describe data.
std::optional<std::vector<std::int64_t>> shape_of(const NodeList& extents) {
  std::vector<std::int64_t> shape;
  for (const Node node : extents) {
    const auto extent = constant_extent(node);
    if (!extent) return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

class Uses {
 public:
  explicit Uses(Node module) : module_(module), seen_(module.module()) {}

  // Module attributes and pools belong to no function; for these, ConstantQuery has the last
  // function by name.
  std::vector<ArrayUse> find() {
    const NodeMap functions = module_.map(f::IRModule::functions);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const std::string_view name = functions.key(i).text(f::GlobalVar::name_hint);
      // By name, because functions may come in any order.
      last_ = std::max(last_, name);
      if (functions.value(i).is(Kind::PrimFunc)) add_function(name, functions.value(i));
    }
    add_attributes({ConstantSite::module_attribute, last_}, module_[f::IRModule::attrs]);
    add_pools();
    return std::move(uses_);
  }

 private:
  struct Owner {
    ConstantSite site;
    std::string_view function;
  };

  // Visits only statements, because expressions contain no arrays. Visits a shared statement once.
  void add_function(std::string_view name, Node function) {
    add_attributes({ConstantSite::function_attribute, name}, function[f::PrimFunc::attrs]);
    std::vector<Node> open{function[f::PrimFunc::body]};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      if (node.category() != Category::stmt || !seen_.insert(node.id())) continue;
      add_statement(name, node);
      for_each_child(node, [&](Node child, const FieldInfo&) { open.push_back(child); });
    }
  }

  // AllocateConst is the only statement with data.
  void add_statement(std::string_view function, Node statement) {
    if (!statement.is(Kind::AllocateConst)) return;
    const Node data = statement[f::AllocateConst::data];
    if (!is_array(data)) return;
    const Node var = statement[f::AllocateConst::buffer_var];
    uses_.push_back({.site = ConstantSite::statement,
                     .function = std::string(function),
                     .name = std::string(var.text(f::Var::name)),
                     .dtype = statement.dtype(std::uint8_t{f::AllocateConst::dtype}),
                     .shape = shape_of(statement.list(f::AllocateConst::extents)),
                     .array = data});
  }

  /// Searches only lists and maps of names; the contents of objects are not plain attributes.
  void add_attributes(Owner owner, Node attrs) {
    if (!attrs.is(Kind::DictAttrs)) return;
    struct OpenAttribute {
      Node node;
      std::string name;
      std::size_t steps;
    };
    std::vector<OpenAttribute> open;
    const auto enter_map = [&](const NodeMap& map, const OpenAttribute& from) {
      for (std::size_t i = 0; i < map.size(); ++i) {
        const std::string_view dot = from.name.empty() ? "" : ".";
        open.push_back(
            {map.value(i), fmt::format("{}{}{}", from.name, dot, map.name(i)), from.steps + 1});
      }
    };
    enter_map(attrs.map(f::DictAttrs::dict), {});
    while (!open.empty()) {
      const OpenAttribute step = std::move(open.back());
      open.pop_back();
      if (step.steps > kMostSteps) continue;
      if (is_array(step.node)) {
        uses_.push_back({.site = owner.site,
                         .function = std::string(owner.function),
                         .name = step.name,
                         .array = step.node});
      } else if (step.node.is(Kind::StringMap)) {
        enter_map(step.node.map(f::StringMap::entries), step);
      } else if (step.node.is(Kind::Array)) {
        const NodeList list = step.node.list(f::Array::elements);
        for (std::size_t i = 0; i < list.size(); ++i) {
          open.push_back({list[i], fmt::format("{}[{}]", step.name, i), step.steps + 1});
        }
      }
    }
  }

  // ConstantInfo is inside attributes of main, below objects, so this visits every node.
  void add_pools() {
    const Module& module = module_.module();
    for (std::uint32_t id = 1; id < module.size(); ++id) {
      const Node node = module.node(static_cast<NodeId>(id));
      if (!node.is(Kind::ConstantInfo)) continue;
      const Node data = node[f::ConstantInfo::data];
      if (!is_array(data)) continue;
      uses_.push_back({.site = ConstantSite::pool,
                       .function = std::string(last_),
                       .name = std::string(node.text(f::ConstantInfo::name_hint)),
                       .pool_offset = int_imm_of(node[f::ConstantInfo::byte_offset]),
                       .array = data});
    }
  }

  Node module_;
  std::string_view last_;  // function by name
  NodeSet seen_;           // statements
  std::vector<ArrayUse> uses_;
};

}  // namespace

std::vector<ArrayUse> array_uses(Node module) {
  return Uses(module).find();
}

// If matches for one array have different data, one of them is wrong, but it is unknown which.
const FoundConstant* agreed(const std::vector<FoundConstant>& found) {
  if (found.empty()) return nullptr;
  const FoundConstant* best = &found.front();
  for (const FoundConstant& other : std::span(found).subspan(1)) {
    if (other.dtype != best->dtype || !std::ranges::equal(other.data, best->data)) return nullptr;
    if (best->is_flat && !other.is_flat) best = &other;
  }
  return best;
}

std::optional<std::int64_t> constant_extent(Node extent) {
  if (!extent.is(Kind::IntImm) || extent.integer(f::IntImm::value) < 0) return std::nullopt;
  return extent.integer(f::IntImm::value);
}

}  // namespace mlf::tir
