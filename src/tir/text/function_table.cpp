#include "tir/text/function_table.h"

namespace mlf::tir::text {

void FunctionTable::add_lone(NodeId function, std::string_view name_of_nameless) {
  const Node attrs = make_.builder().node(function)[f::PrimFunc::attrs];
  const Node symbol = attrs ? attrs.map(f::DictAttrs::dict).find("global_symbol") : Node();
  // The table of strings may move when the name is made anew.
  add(std::string(symbol.is(Kind::String) ? symbol.text(f::String::value) : name_of_nameless),
      function);
}

NodeId FunctionTable::finish() {
  Builder& builder = make_.builder();
  return builder.make(Kind::IRModule, {builder.map(entries_), NodeId::none, NodeId::none,
                                       NodeId::none, NodeId::none, NodeId::none});
}

}  // namespace mlf::tir::text
