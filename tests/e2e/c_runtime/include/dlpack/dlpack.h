/* Of our own, for tests. */
#pragma once
#include "../tvm/runtime/c_runtime_api.h"
