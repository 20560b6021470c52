#include "analysis/fingerprint.h"

#include <fmt/core.h>

#include <bit>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/node_queries.h"
#include "mlf/tir/visit.h"
#include "support/lookup.h"
#include "tir/node_queries.h"

namespace mlf::analysis {
namespace {

using tir::Kind;
using tir::Node;
namespace f = tir::f;

/// A number for a sequence of numbers and texts. Order counts, and so does every bit: the finaliser
/// of MurmurHash3 after each step.
class Digest {
 public:
  void add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15;
    state_ = (state_ ^ (state_ >> 33)) * 0xff51afd7ed558ccd;
    state_ ^= state_ >> 29;
  }
  void add(std::string_view bytes) {
    add(bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      std::uint64_t word = 0;
      const std::string_view part = bytes.substr(at, 8);
      for (std::size_t i = 0; i < part.size(); ++i) {
        word |= std::uint64_t{static_cast<unsigned char>(part[i])} << (8 * i);
      }
      add(word);
    }
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3;
};

std::uint64_t number_of(double value, Digits digits) {
  if (digits == Digits::six) {
    Digest digest;
    digest.add(fmt::format("{:.6g}", value));
    return digest.value();
  }
  return std::bit_cast<std::uint64_t>(value);
}

/// Whether a field is a name, a place in the module or data, and not part of the program.
bool is_passed_over(Kind kind, std::uint8_t field) {
  const auto is = [&](auto name) {
    return kind_of(name) == kind && static_cast<std::uint8_t>(name) == field;
  };
  return is(f::Var::name) || is(f::SizeVar::name) || is(f::Buffer::name) ||
         is(f::Block::name_hint) || is(f::PrimFunc::attrs) ||
         is(f::AllocateConst::irmod_storage_idx) || is(f::NDArray::data);
}

/// Variables and buffers have an identity: the digest uses the order of their first mention.
bool has_identity(Node node) {
  return tir::is_var(node) || node.is(Kind::Buffer);
}

/// The pool parameters of a function, and the lets that place a workspace in a pool. A memory
/// planner determines these; they are not part of the program.
struct PoolPlaces {
  std::unordered_set<std::uint32_t> pools;  ///< Buffers
  std::unordered_set<std::uint32_t> lets;   ///< LetStmts
};

/// The buffer of `let p = address_of(buffer[4])`; undefined for any other statement.
Node placed_in(Node let) {
  const Node value = let[tir::f::LetStmt::value];
  if (!tir::is_call_of(value, "tir.address_of")) return {};
  const auto args = value.list(tir::f::Call::args);
  if (args.size() != 1 || !args[0].is(Kind::BufferLoad)) return {};
  const auto indices = args[0].list(tir::f::BufferLoad::indices);
  const bool is_constant = indices.size() == 1 && indices[0].is(Kind::IntImm);
  return is_constant ? args[0][tir::f::BufferLoad::buffer] : Node();
}

/// Bytes without a structure, as TVM's memory planner gives pools to functions.
std::unordered_set<std::uint32_t> byte_arrays_of(Node function) {
  std::unordered_set<std::uint32_t> arrays;
  const tir::NodeMap buffers = function.map(tir::f::PrimFunc::buffer_map);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Node buffer = buffers.value(i);
    const tir::DType dtype = buffer.dtype(tir::f::Buffer::dtype);
    const bool is_bytes = dtype.is_uint() && dtype.bits == 8 && dtype.lanes == 1;
    if (is_bytes && buffer.list(tir::f::Buffer::shape).size() == 1)
      arrays.insert(index(buffer.id()));
  }
  return arrays;
}

/// The lets of a function that place a pointer in a byte array that it receives.
struct PlacedPointers {
  std::unordered_set<std::uint32_t> arrays;   ///< Buffers that it does not write itself
  std::vector<Node> lets;                     ///< LetStmts, in its order
  std::unordered_set<std::uint32_t> written;  ///< variables that it writes through
};

PlacedPointers placed_pointers(Node function) {
  PlacedPointers placed{.arrays = byte_arrays_of(function), .lets = {}, .written = {}};
  tir::for_each_pre_order(function, [&](Node node) {
    if (!graph::is_store(node)) return;
    placed.written.insert(index(graph::data_of_access(node).id()));
    if (const Node buffer = graph::buffer_of(node)) placed.arrays.erase(index(buffer.id()));
  });
  tir::for_each_pre_order(function, [&](Node node) {
    if (!node.is(Kind::LetStmt)) return;
    const Node buffer = placed_in(node);
    if (!buffer || !placed.arrays.contains(index(buffer.id()))) return;
    placed.lets.push_back(node);
  });
  return placed;
}

/// Pools also contain constants, and their offsets identify them. Only memory that the function
/// writes is a workspace.
PoolPlaces pool_places(Node function) {
  const PlacedPointers placed = placed_pointers(function);
  PoolPlaces places{.pools = placed.arrays, .lets = {}};
  for (const Node let : placed.lets) {
    if (placed.written.contains(index(let[tir::f::LetStmt::var].id()))) continue;
    places.pools.erase(index(placed_in(let).id()));
  }
  for (const Node let : placed.lets) {
    if (places.pools.contains(index(placed_in(let).id()))) places.lets.insert(index(let.id()));
  }
  return places;
}

/// Of workspaces and constants.
PoolPlaces all_places(Node function) {
  const PlacedPointers placed = placed_pointers(function);
  PoolPlaces places{.pools = placed.arrays, .lets = {}};
  for (const Node let : placed.lets) places.lets.insert(index(let.id()));
  return places;
}

class Fingerprint {
 public:
  explicit Fingerprint(PoolPlaces places, std::span<const ConstantForm> constants = {},
                       Digits digits = Digits::all)
      : places_(std::move(places)), digits_(digits) {
    for (const ConstantForm& one : constants) constants_.emplace(index(one.variable), one);
  }

  std::uint64_t of(Node function) {
    const auto add_number = [&](Node node) {
      if (has_identity(node)) numbers_.try_emplace(index(node.id()), numbers_.size());
    };
    for (const Node parameter : function.list(f::PrimFunc::params)) add_number(parameter);
    parameters_ = numbers_.size();
    // Buffers in the order of their parameters: TVM's maps differ in order from run to run.
    for (const auto map : {f::PrimFunc::buffer_map, f::PrimFunc::preflattened_buffer_map}) {
      const tir::NodeMap buffers = function.map(map);
      std::map<std::uint64_t, Node> by_parameter;
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        const auto known = numbers_.find(index(buffers.key(i).id()));
        if (known != numbers_.end()) by_parameter.emplace(known->second, buffers.value(i));
      }
      for (const auto& [parameter, buffer] : by_parameter) {
        add_number(buffer);
        if (buffer.is(Kind::Buffer)) add_number(buffer[f::Buffer::data]);
      }
    }
    tir::for_each_pre_order(function[f::PrimFunc::body], add_number);
    tir::for_each_pre_order(function, add_number);
    // Children before parents: each node once, even if it is shared.
    tir::for_each_post_order(function,
                             [&](Node node) { digests_[index(node.id())] = digest(node); });
    return digests_[index(function.id())];
  }

 private:
  std::uint64_t digest(Node node) const {
    Digest digest;
    if (const ConstantForm* const constant = read_by(node)) {
      const Node load = node.is(Kind::Cast) ? node[f::Cast::value] : node;
      digest.add(static_cast<std::uint64_t>(Kind::BufferLoad));
      digest.add(node.dtype().packed());
      add_child(digest, load[f::BufferLoad::buffer]);
      if (!constant->has_indices) return digest.value();
      for (const Node place : load.list(f::BufferLoad::indices)) add_child(digest, place);
      return digest.value();
    }
    digest.add(static_cast<std::uint64_t>(node.kind()));
    if (has_identity(node)) digest.add(numbers_.at(index(node.id())));
    if (places_.pools.contains(index(node.id())) || is_stored(node)) return digest.value();
    if (node.is(Kind::AllocateConst) && is_stored(node[f::AllocateConst::buffer_var])) {
      add_child(digest, node[f::AllocateConst::buffer_var]);
      add_child(digest, node[f::AllocateConst::body]);
      return digest.value();
    }
    if (places_.lets.contains(index(node.id()))) {
      add_child(digest, node[tir::f::LetStmt::var]);
      add_child(digest, placed_in(node));
      add_child(digest, node[tir::f::LetStmt::body]);
      return digest.value();
    }
    const auto fields = node.info().fields;
    for (std::uint8_t i = 0; i < fields.size(); ++i) {
      if (!is_passed_over(node.kind(), i)) add_field(digest, node, i, fields[i].type);
    }
    return digest.value();
  }

  const ConstantForm* constant_of(Node variable) const {
    return support::find_value(constants_, index(variable.id()));
  }

  /// Whether it is the variable or a buffer of a constant.
  bool is_stored(Node node) const {
    if (constants_.empty()) return false;
    return constant_of(node.is(Kind::Buffer) ? node[f::Buffer::data] : node) != nullptr;
  }

  /// The constant that a load reads, or a cast of one to the type that all loads have.
  const ConstantForm* read_by(Node node) const {
    if (constants_.empty()) return nullptr;
    const Node load = node.is(Kind::Cast) ? node[f::Cast::value] : node;
    if (!load.is(Kind::BufferLoad) || load[f::BufferLoad::predicate]) return nullptr;
    const ConstantForm* const constant = constant_of(load[f::BufferLoad::buffer][f::Buffer::data]);
    if (constant == nullptr || !node.is(Kind::Cast)) return constant;
    const bool is_of_storage = node.dtype() == constant->dtype && load.dtype() != constant->dtype;
    return is_of_storage ? constant : nullptr;
  }

  void add_child(Digest& digest, Node child) const {
    digest.add(child ? digests_.at(index(child.id())) : 0);
  }

  void add_field(Digest& digest, Node node, std::uint8_t i, tir::FieldType type) const {
    switch (type) {
      case tir::FieldType::node:
        return add_child(digest, node.node(i));
      case tir::FieldType::list:
        digest.add(node.list(i).size());
        for (const Node child : node.list(i)) add_child(digest, child);
        return;
      case tir::FieldType::string_map:
      case tir::FieldType::node_map: {
        const tir::NodeMap map = node.map(i);
        std::uint64_t size = 0;
        std::uint64_t entries = 0;  // in any order
        for (std::size_t k = 0; k < map.size(); ++k) {
          // TVM leaves buffers of removed constants behind.
          if (node.is(Kind::PrimFunc) && numbers_.at(index(map.key(k).id())) >= parameters_)
            continue;
          Digest entry;
          ++size;
          if (type == tir::FieldType::string_map) {
            entry.add(map.name(k));
          } else {
            add_child(entry, map.key(k));
          }
          add_child(entry, map.value(k));
          entries += entry.value();
        }
        digest.add(size);
        return digest.add(entries);
      }
      case tir::FieldType::string:
        return digest.add(node.text(i));
      case tir::FieldType::integer:
      case tir::FieldType::boolean:
      case tir::FieldType::enumeration:
        return digest.add(static_cast<std::uint64_t>(node.integer(i)));
      case tir::FieldType::real:
        return digest.add(number_of(node.real(i), digits_));
      case tir::FieldType::dtype:
        return digest.add(node.dtype(i).packed());
      case tir::FieldType::integers:
        digest.add(node.integers(i).size());
        for (const std::int64_t value : node.integers(i)) {
          digest.add(static_cast<std::uint64_t>(value));
        }
        return;
      case tir::FieldType::bytes: {
        const auto bytes = node.bytes(i);
        if (!bytes) return digest.add(std::uint64_t{0});
        return digest.add({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
      }
    }
  }

  PoolPlaces places_;
  Digits digits_;
  std::unordered_map<std::uint32_t, ConstantForm> constants_;  // by variable
  std::unordered_map<std::uint32_t, std::uint64_t> numbers_;
  std::uint64_t parameters_ = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> digests_;
};

}  // namespace

std::uint64_t fingerprint(Node prim_func, Digits digits) {
  return Fingerprint({}, {}, digits).of(prim_func);
}

std::uint64_t fingerprint_without_offsets(Node prim_func) {
  return Fingerprint(pool_places(prim_func)).of(prim_func);
}

std::uint64_t fingerprint_without_storage(Node prim_func, std::span<const ConstantForm> constants) {
  return Fingerprint(all_places(prim_func), constants).of(prim_func);
}

std::vector<Node> constants_in_pools(Node prim_func) {
  PlacedPointers placed = placed_pointers(prim_func);
  std::erase_if(placed.lets, [&](Node let) {
    return placed.written.contains(index(let[f::LetStmt::var].id()));
  });
  return std::move(placed.lets);
}

namespace {

/// The expression that a statement stores or calls; undefined if it does neither.
Node computed_value(Node statement) {
  if (graph::is_store(statement)) return graph::stored_value(statement);
  if (!statement.is(Kind::Evaluate)) return {};
  const Node value = statement[f::Evaluate::value];
  return value.is(Kind::Call) ? value : Node();
}

bool is_choice(Node call) {
  const Node callee = call[f::Call::op];
  return callee.is(Kind::Op) && callee.text(f::Op::name) == "tir.if_then_else";
}

/// Digests of expressions; a shared expression is computed once.
class Expressions {
 public:
  explicit Expressions(Node function) {
    // Parts before the whole.
    tir::for_each_post_order(function,
                             [&](Node node) { digests_[index(node.id())] = digest(node); });
  }

  std::uint64_t of(Node node) const { return digests_.at(index(node.id())); }

 private:
  std::uint64_t digest(Node node) const {
    Digest digest;
    digest.add(static_cast<std::uint64_t>(node.kind()));
    const auto fields = node.info().fields;
    for (std::uint8_t i = 0; i < fields.size(); ++i) {
      if (fields[i].type == tir::FieldType::dtype) add(digest, node.dtype(i));
    }
    // The origin of operands does not matter.
    if (graph::is_load(node) || tir::is_var(node)) return digest.value();
    for (std::uint8_t i = 0; i < fields.size(); ++i) add_field(digest, node, i, fields[i].type);
    return digest.value();
  }

  static void add(Digest& digest, tir::DType dtype) {
    digest.add(static_cast<std::uint64_t>(dtype.code));
    digest.add(dtype.bits);
  }

  void add_child(Digest& digest, Node child) const { digest.add(child ? of(child) : 0); }

  void add_field(Digest& digest, Node node, std::uint8_t i, tir::FieldType type) const {
    if (type == tir::FieldType::string) return digest.add(node.text(i));
    if (type == tir::FieldType::node) {
      const bool is_condition =
          node.is(Kind::Select) && i == static_cast<std::uint8_t>(f::Select::condition);
      if (!is_condition) add_child(digest, node.node(i));
    } else if (type == tir::FieldType::list) {
      const tir::NodeList list = node.list(i);
      const bool has_condition = node.is(Kind::Call) && is_choice(node);
      for (std::size_t k = has_condition ? 1 : 0; k < list.size(); ++k) add_child(digest, list[k]);
    }
  }

  std::unordered_map<std::uint32_t, std::uint64_t> digests_;
};

}  // namespace

std::uint64_t arithmetic_shape(Node prim_func) {
  Digest shape;
  shape.add(prim_func.list(f::PrimFunc::params).size());
  shape.add(computed_values(prim_func));
  return shape.value();
}

std::uint64_t computed_numbers(Node prim_func) {
  std::vector<Node> stack;
  tir::for_each_pre_order(prim_func, [&](Node node) {
    if (const Node value = computed_value(node)) stack.push_back(value);
  });
  std::set<std::pair<bool, std::uint64_t>> numbers;  // floats, and integers of any type
  std::unordered_set<std::uint32_t> seen;
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    if (graph::is_load(node) || !seen.insert(index(node.id())).second) continue;
    if (node.is(Kind::IntImm)) {
      numbers.emplace(false, static_cast<std::uint64_t>(node.integer(f::IntImm::value)));
    } else if (node.is(Kind::FloatImm)) {
      numbers.emplace(true, number_of(node.real(f::FloatImm::value), Digits::six));
    }
    const Node condition = node.is(Kind::Select)                    ? node[f::Select::condition]
                           : node.is(Kind::Call) && is_choice(node) ? node.list(f::Call::args)[0]
                                                                    : Node();
    tir::for_each_child(node, [&](Node child, const tir::FieldInfo&) {
      if (child != condition) stack.push_back(child);
    });
  }
  Digest digest;
  for (const auto& [is_float, bits] : numbers) {
    digest.add(is_float ? 1 : 0);
    digest.add(bits);
  }
  return digest.value();
}

std::uint64_t computed_values(Node prim_func) {
  const Expressions expressions(prim_func);
  Digest shape;
  std::unordered_set<std::uint64_t> seen;
  tir::for_each_pre_order(prim_func, [&](Node node) {
    const Node value = computed_value(node);
    // Some schedules copy through caches, others do not.
    if (!value || graph::is_load(value)) return;
    const std::uint64_t digest = expressions.of(value);
    if (seen.insert(digest).second) shape.add(digest);
  });
  return shape.value();
}

}  // namespace mlf::analysis
