// Readers of the irregular forms in forms.def: the table names them without `read_`.
#pragma once

#include "tir/tvmscript/context.h"

namespace mlf::tir::tvmscript {

// lambdas.cpp
NodeId read_let(Context& c, const Arguments& args);
NodeId read_reduce(Context& c, const Arguments& args);
NodeId read_comm_reducer(Context& c, const Arguments& args);
NodeId read_iter_var(Context& c, const Arguments& args);
NodeId read_range(Context& c, const Arguments& args);
NodeId read_index_map(Context& c, const Arguments& args);

// types.cpp
NodeId read_handle(Context& c, const Arguments& args);
NodeId read_tuple_type(Context& c, const Arguments& args);
NodeId read_type_var(Context& c, const Arguments& args);

// objects.cpp
NodeId read_target(Context& c, const Arguments& args);
NodeId read_allocated_pool_info(Context& c, const Arguments& args);
NodeId read_constant_info(Context& c, const Arguments& args);
NodeId read_constant_pool_info(Context& c, const Arguments& args);
NodeId read_vdevice(Context& c, const Arguments& args);
NodeId read_dummy_global_info(Context& c, const Arguments& args);

}  // namespace mlf::tir::tvmscript
