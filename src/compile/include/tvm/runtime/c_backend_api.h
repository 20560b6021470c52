/* Of our own: see c_runtime_api.h. */
#pragma once
#include "c_runtime_api.h"

void* TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t bytes, int type_code,
                               int type_bits);
int TVMBackendFreeWorkspace(int device_type, int device_id, void* memory);
