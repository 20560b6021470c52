/* Of our own: see c_runtime_api.h. */
#pragma once
#include "../c_backend_api.h"

typedef struct {
  const char* names;
  const TVMBackendPackedCFunc* funcs;
} TVMFuncRegistry;

typedef struct {
  const TVMFuncRegistry* registry;
} TVMModule;
