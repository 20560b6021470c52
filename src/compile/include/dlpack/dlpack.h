/* Of our own. */
#pragma once
#include "../tvm/runtime/c_runtime_api.h"
